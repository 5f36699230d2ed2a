"""English as people type it, made plain: small "i", missing apostrophes, and words that are not the writer's own."""

import re
from typing import Final

from schema.kept_results import kept_by_chars

_STRAIGHT: Final = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
_SMALL_I = re.compile(r"\bi\b(?!\.)")
_SPEECH = re.compile(r'"[^"]{3,300}"')
_PRONOUN = re.compile(r"\b(?:I|I'm|my|he|she|his|her|we|you|they|it)\b", re.IGNORECASE)
_SMALL_WORD = re.compile(r"\b(?!the\b|and\b|with\b|for\b|from\b|your\b)[a-z]{3,}")
_RELAYED: Final = (
    r"(?:^(?:please |can you |could you )?(?:read|translate|rephrase|rewrite|proofread|summari[sz]e|correct|edit|fix|"
    r"polish|check|shorten|paraphrase|quote)\b[^:]{0,60}|"
    r"\b(?:wrote|writes|says|said|goes|reads|read|replied|texted|commented|posted|the (?:quote|caption|review|line|"
    r"message|text|sentence|lyrics|email|note)[^:]{0,30})): ?"
)
_AFTER_RELAY = re.compile(_RELAYED + r"(?P<words>.+)", re.IGNORECASE | re.DOTALL)
# After such a sentence the writer speaks as somebody else, or shows somebody's words.
RELAYS: Final = re.compile(
    _RELAYED
    + r"$|^(?:please |ok |now )?(?:read|translate|rephrase|rewrite|proofread|correct|summari[sz]e)\b[^:]{0,60}:|"
    r"^(?:imagine|pretend|suppose|let's (?:say|pretend|imagine)|role-?play|act as|you are (?:a|an|now) )",
    re.IGNORECASE,
)
# "Oh great, I just love queues": praise of what nobody likes.
IRONIC: Final = re.compile(
    r"^(?:oh|ah|wow|gee|yay|well),? (?:great|good|joy|wonderful|perfect|fantastic|lovely|brilliant|nice)\b|"
    r"^yeah,? (?:right|sure)\b|\bwho (?:does not|doesn't|wouldn't) (?:just )?(?:love|like|enjoy|want)|/s$|"
    r"^(?:great|wonderful|fantastic|brilliant|perfect|lovely|sure|right|of course|because),? .{0,30}"
    r"\b(?:just|totally|absolutely|simply|so) (?:love|enjoy|adore)\b|\b(?:just what I needed|my favou?rite\.\.\.)",
    re.IGNORECASE,
)
_CONTRACTIONS: Final = tuple(
    (re.compile(pattern, flags), plain)
    for pattern, plain, flags in (
        (r"\b(?:Im|im)\b", "I am", 0),
        (r"\b(?:Ive|ive)\b", "I have", 0),
        (r"\b(do|does|did|is|are|was|were|has|have|would|could|should)nt\b", r"\1 not", re.IGNORECASE),
        (r"\bgonna\b", "going to", re.IGNORECASE),
        (r"\bwanna\b", "want to", re.IGNORECASE),
        (r"\b(?:gotta|have got to|'ve got to)\b", "have to", re.IGNORECASE),
        (r"\b(?:kinda|sorta)\b", "kind of", re.IGNORECASE),
        # A promise is no supposition: "I promised her I'd call", "I told Sam I would drive".
        (
            r"\b(promised?|swore|swear|vow(?:ed)?|pledged?|gave my word|gave \w+ my word|made a promise)"
            r"((?: to)?(?: (?:my|his|her|our) \w+| myself| him| her| them| [A-Z]\w+)?)(?: that)? (?:I|we|he|she)"
            r"(?:'d| would|'ll| will)\b",
            r"\1\2 to",
            0,
        ),
        (
            r"\bI told((?: (?:my|our) \w+| him| her| them| [A-Z]\w+))(?: that)? (?:I|we)(?:'d| would|'ll| will)\b",
            r"I promised\1 to",
            0,
        ),
        (r"\b(I|[Ww]e)(?:'d| would) (?:much )?rather (?:get|have|see|receive) (?!to\b|it\b|you\b)", r"\1 prefer ", 0),
        (r"\b(I|[Ww]e)(?:'d| would) (?:much |really |definitely )?(?:rather|sooner)\b(?! not\b)", r"\1 prefer to", 0),
        (r"\b(I|[Ww]e)(?:'d| would) prefer\b", r"\1 prefer", 0),
        (r"\b(?:I'd|I would|[Ww]e'd|[Ww]e would) (?:really |also |absolutely )?(?:love|like) to\b", "I aspire to", 0),
        (r"\bcan'?t\b", "can not", re.IGNORECASE),
        (r"\bcannot\b", "can not", re.IGNORECASE),
        (r"\bwon't\b", "will not", re.IGNORECASE),
        (r"n't\b", " not", 0),
        (r"\bI'm\b", "I am", 0),
        (r"'ve\b", " have", 0),
        (r"'ll\b", " will", 0),
        (r"'d\b", " would", 0),
        (r"\b([Hh]e|[Ss]he|[Ii]t|[Tt]hat|[Tt]here|[Ww]hat)'s\b", r"\1 is", 0),
        (r"\bwe're\b", "we are", re.IGNORECASE),
        (r"\b([Mm]y|[Hh]is|[Hh]er) ([a-z]+)'s (?=called|named|from|an? )", r"\1 \2 is ", 0),
    )
)
# Every contraction holds one of these.
_MAY_CHANGE = re.compile(
    r"'|[Ii]m\b|[Ii]ve\b|nt\b|nna\b|[kst]o?r?ta\b|nda\b|cannot|promise|swor|swear|vow|pledge|my word|told|would",
    re.IGNORECASE,
)


@kept_by_chars(chars_max=1_000_000, entries_max=512)
def readable(text: str) -> str:
    """A sentence of the same length with plain marks and a capital "I"; the words of others are blanked out."""
    text = _SMALL_I.sub("I", text.translate(_STRAIGHT))
    if '"' in text:
        text = _SPEECH.sub(lambda found: " " * len(found[0]) if _is_speech(found[0]) else found[0], text)
    relayed = _AFTER_RELAY.search(text) if ":" in text else None
    if relayed is None:
        return text
    return text[: relayed.start("words")] + " " * len(relayed["words"])


def _is_speech(quoted: str) -> bool:
    """Whether quotation marks hold what someone says, and no title."""
    return _PRONOUN.search(quoted) is not None and _SMALL_WORD.search(quoted) is not None


@kept_by_chars(chars_max=1_000_000, entries_max=512)
def spelled(text: str) -> str:
    """Contractions and slips spelled out; the length changes."""
    if _MAY_CHANGE.search(text) is None:
        return text
    for pattern, plain in _CONTRACTIONS:
        text = pattern.sub(plain, text)
    return text
