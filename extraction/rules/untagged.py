"""Read what plain English sentences say and the tagger does not see. Pure.

It has no kind for worries, cares, journeys and causes, and seldom sees people with names that are long or in another
script.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from extraction.rules.drafts import Draft, Speaker
from extraction.rules.plain_words import SUPPOSES
from extraction.rules.wording import ENGLISH_WORDING
from extraction.text.fillers import without_fillers
from extraction.text.full_names import FOREIGN_RUN, long_names
from extraction.text.lexicon_en import CHILD_NAME, EMOTIONS, KIN_NAME, KIN_PATTERN, NOT_NAMES, word_set
from extraction.text.sentences import Sentence
from schema.entity import EntityType

# Requests after which the message is a text or a story.
_INVENTS: Final = re.compile(
    r"^(?:(?:please|can you|could you|now|ok|so),? )*(?:write|draft|compose|create|invent|make up|translate|rephrase|"
    r"rewrite|proofread|summari[sz]e|correct|turn this|reply to|pretend|imagine|suppose|assume|let['’]?s (?:say|play|"
    r"pretend)|you are an? )\b",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r'["“][^"”]{3,300}["”]')
_CUT: Final = re.compile(
    r"; ?|—|–| - |, (?:and |but |so |then )?(?=(?:I|we|he|she|my|our|they|it)\b)|,? (?=(?:but|because|although) )|"
    r",? and (?=(?:I|we|he|she|they|it|my|our)\b)",
    re.IGNORECASE,
)
_I: Final = (
    r"^(?:(?:and|but|so|well|oh|yes|honestly|also),? )*(?:i|we)(?:['’]?(?:m|re|ve)| am| are| have)? (?:[a-z]+ ){0,2}?"
)
_VERY: Final = "(?:so |very |really |quite |pretty |a bit |a little )?"


class _Kind(NamedTuple):
    """A verb phrase of the speaker, which its object follows, and what it says."""

    verbs: re.Pattern[str]
    predicate: str
    relation: str | None
    says: str
    of_place: bool = False


def _verbs(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_I}(?:{pattern}) (?P<o>.+)", re.IGNORECASE)


_KINDS: Final = (
    _Kind(
        _verbs(rf"{_VERY}(?:worried|worrying|anxious|nervous|worry) about"),
        "CARES_ABOUT",
        "worry",
        "{s} worries about {o}.",
    ),
    _Kind(
        _verbs("(?:care|caring) (?:a lot |deeply |so much |very much )?about"),
        "CARES_ABOUT",
        None,
        "{s} cares about {o}.",
    ),
    _Kind(
        _verbs("(?:visited|travell?ed to|took a trip to|went to|been to|toured)"),
        "RELATES_TO",
        "visited",
        "{s} visited {o}.",
        of_place=True,
    ),
)
# "Thunder always scares me".
_TRIGGER: Final = re.compile(
    r"^(?P<o>[a-z][a-z' -]{2,40}?) (?:always|usually|never fails to|still) (?:makes? me (?:feel )?(?P<e>[a-z]+)|"
    r"(?P<v>scares|frightens|terrifies|annoys|saddens|calms|relaxes|cheers|stresses|upsets) me\b)",
    re.IGNORECASE,
)
# "My headaches are caused by stress", "back pain comes from sitting", "red wine gives me headaches". After a symptom
# only, a verb of many senses names a cause: "my sister comes from Spain".
_WHOSE: Final = "(?:(?:my|the|his|her|our|these|this|me|us) )?"
_SYMPTOM: Final = (
    r"(?:[a-z]+ ){0,2}?(?:aches?|allerg(?:y|ies)|asthma|bloating|breakup|burnout|cough|cramps|divorce|dizziness|eczema|"
    r"exhaustion|fatigue|hay ?fever|(?:head|stomach|back|tooth)-?aches?|heartburn|hives|indigestion|insomnia|"
    r"migraines?|mood swings|nausea|nightmares?|numbness|pains?|palpitations|panic|rash(?:es)?|sleeplessness|sneezing|"
    r"sore throat|stiffness|stress|swelling)"
)
_CAUSES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_WHOSE}(?P<e>[a-z][a-z' -]{{2,40}}?) (?:is|are|was|were|has been|have been) (?:[a-z]+ly )?"
        r"(?:caused by|due to|because of|triggered by|brought on by) (?P<c>.+)",
        rf"^{_WHOSE}(?P<e>{_SYMPTOM}) (?:[a-z]+ly )?(?:comes?|came|stems?|results?) from (?P<c>.+)",
        r"^(?P<c>[a-z][a-z' -]{2,40}?) (?:always |often |usually )?(?:triggers?|gives?|causes?|brings? on|sets? off) "
        rf"{_WHOSE}(?P<e>{_SYMPTOM})\b",
    )
)
# "My coach is Maria Elena Fuentes".
_RELATED: Final = re.compile(
    rf"\b(?:my|our) (?:[a-z-]+ ){{0,2}}?(?P<k>{KIN_PATTERN})"
    "(?:['’]s name is|,? (?:is |who is )?(?:called|named)|,| is|:)? $",
    re.IGNORECASE,
)
_RELATED_CHARS: Final = 60
_END: Final = re.compile(
    r"[,;:.!?()]| - |—| (?:because|since|so|but|if|when|which|that|where|while|and|or|until|after|before|these days|"
    r"lately|recently|right now|at the moment|any ?more|a lot|last|in|on|with|for|today|tonight|now)\b",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(r"^(?:(?:my|our|the|an?|his|her|their|all) )+", re.IGNORECASE)
_PLACE: Final = re.compile(r"(?:the )?(?P<n>[A-Z][\w'&.-]*(?: (?:of |de |the |del |la )?[A-Z][\w'&-]*){0,4})")
_WORDS_MAX: Final = 6
_UNCLEAR: Final = word_set(
    "i me you he him she it we us they them this that these those here there who what which how whether something "
    "everything anything someone everyone being"
)


def read_untagged(sentences: Iterable[Sentence], speaker: Speaker) -> Iterator[Draft]:
    """Yield the facts of other kinds than the tagger's that the sentences of one message state plainly."""
    for sentence in sentences:
        text = without_fillers(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), sentence.text))
        if _INVENTS.match(text.lstrip()):
            return
        if sentence.asks or SUPPOSES.search(text):
            continue
        start = 0
        for end in (*(cut.start() for cut in _CUT.finditer(text)), len(text)):
            clause = _CUT.sub("", text[start:end]).strip(" ,")
            span = sentence.start + start, sentence.start + end
            yield from _read(clause, span, speaker)
            start = end
        yield from _people(text, sentence.start, speaker)


def _read(clause: str, span: tuple[int, int], speaker: Speaker) -> Iterator[Draft]:
    me = speaker.me
    if (trigger := _TRIGGER.match(clause)) and (emotion := EMOTIONS.get((trigger["e"] or trigger["v"]).lower())):
        says = f"{{o}} always makes {{s}} feel {emotion}."
        if obj := _thing(trigger["o"]):
            predicate = "PREFERS" if emotion in ("joy", "calm") else "DISLIKES"
            yield _draft(me, predicate, None, obj, says, span, speaker, emotion=emotion)
        return
    if caused := next((match for pattern in _CAUSES if (match := pattern.match(clause))), None):
        effect, cause = _thing(caused["e"]), _thing(caused["c"])
        if effect and cause:
            yield _draft(effect, "CAUSED_BY", None, cause, "{s} is caused by {o}.", span, speaker)
        return
    for kind in _KINDS:
        if told := kind.verbs.match(clause):
            obj = _place(told["o"]) if kind.of_place else _thing(told["o"])
            if obj:
                of = EntityType.PLACE if kind.of_place else None
                yield _draft(me, kind.predicate, kind.relation, obj, kind.says, span, speaker, of=of)
            return


def _people(text: str, at: int, speaker: Speaker) -> Iterator[Draft]:
    """Yield whom a sentence names as the speaker's relatives or friends, by long names or in another script.

    Args:
        at: where the sentence begins in the message.
    """
    for start, end in {*long_names(text), *(run.span() for run in FOREIGN_RUN.finditer(text))}:
        if related := _RELATED.search(text[max(0, start - _RELATED_CHARS) : start]):
            word = related["k"].lower()
            word = CHILD_NAME.get(word) or KIN_NAME.get(word, word)
            span = at + start, at + end
            says = f"{{o}} is {{s}}'s {word}."
            yield _draft(speaker.me, "RELATES_TO", word, text[start:end], says, span, speaker, of=EntityType.PERSON)


def _draft(
    subject: str,
    predicate: str,
    relation: str | None,
    obj: str,
    says: str,
    span: tuple[int, int],
    speaker: Speaker,
    *,
    of: EntityType | None = None,
    emotion: str | None = None,
) -> Draft:
    said = says.format(s=speaker.label(subject, ENGLISH_WORDING.unknown_user), o=obj)
    return Draft(
        subject=subject,
        predicate=predicate,
        object=obj,
        statement=said[:1].upper() + said[1:],
        start=span[0],
        end=span[1],
        relation=relation,
        object_type=of,
        trigger_emotion=emotion,
    )


def _thing(text: str) -> str | None:
    """Return the thing that a text begins with, without its article; None if it is unclear or long."""
    words = _ARTICLE.sub("", _END.split(text.strip(), maxsplit=1)[0], count=1).split()
    clear = 0 < len(words) <= _WORDS_MAX and _UNCLEAR.isdisjoint(word.lower() for word in words)
    return " ".join(words) if clear else None


def _place(text: str) -> str | None:
    named = _PLACE.match(text)
    return named["n"] if named and named["n"].split()[0].lower() not in NOT_NAMES else None
