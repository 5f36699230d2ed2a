"""Split English sentences into clauses and resolve their subjects."""

import re
from collections.abc import Iterator
from typing import Final

from extraction.reader import THE_USER
from extraction.rules.engine import Clause, DiscourseState, Speaker
from extraction.text.lexicon_en import KIN, KIN_NAME, MANY_KIN, NOT_NAMES, SOLE_KIN, WHICH_KIN
from extraction.text.sentences import Sentence
from schema.kept_results import kept_by_chars

# Normalization: lower-case "i", missing apostrophes, quoted speech

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
# Sentences after which the message is quoted text or role play.
RELAYS_SPEECH: Final = re.compile(
    _RELAYED
    + r"$|^(?:please |ok |now )?(?:read|translate|rephrase|rewrite|proofread|correct|summari[sz]e)\b[^:]{0,60}:|"
    r"^(?:imagine|pretend|suppose|let's (?:say|pretend|imagine)|role-?play|act as|you are (?:a|an|now) )",
    re.IGNORECASE,
)
# Sarcasm: "Oh great, I just love queues".
SARCASTIC: Final = re.compile(
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
        # "I promised her I'd call" and "I told Sam I would drive" are promises, not hypotheses.
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
# Quick check for any contraction.
_MAY_CHANGE = re.compile(
    r"'|[Ii]m\b|[Ii]ve\b|nt\b|nna\b|[kst]o?r?ta\b|nda\b|cannot|promise|swor|swear|vow|pledge|my word|told|would",
    re.IGNORECASE,
)


@kept_by_chars(chars_max=1_000_000, entries_max=512)
def mask_quoted_speech(text: str) -> str:
    """Blank out quoted and relayed speech; normalize quotation marks and "I". The length stays the same."""
    text = _SMALL_I.sub("I", text.translate(_STRAIGHT))
    if '"' in text:
        text = _SPEECH.sub(lambda found: " " * len(found[0]) if _is_speech(found[0]) else found[0], text)
    relayed = _AFTER_RELAY.search(text) if ":" in text else None
    if relayed is None:
        return text
    return text[: relayed.start("words")] + " " * len(relayed["words"])


def _is_speech(quoted: str) -> bool:
    """Return whether a quotation is speech rather than a title."""
    return _PRONOUN.search(quoted) is not None and _SMALL_WORD.search(quoted) is not None


@kept_by_chars(chars_max=1_000_000, entries_max=512)
def expand_contractions(text: str) -> str:
    """Expand contractions and correct common misspellings of them; the length changes."""
    if _MAY_CHANGE.search(text) is None:
        return text
    for pattern, plain in _CONTRACTIONS:
        text = pattern.sub(plain, text)
    return text


_VERBS = (
    r"also|always|love|loves|adore|like|likes|hate|hates|live|lives|work|works|study|studies|saw|want|"
    r"wants|plan|plans|enjoy|"
    r"enjoys|moved|have|has|had|visited|watched|read|am|is|was|felt|feels|went|prefer|prefers|dislike|"
    r"dislikes|found|really|"
    r"received|won|do not|does not|can not|would|hope|hopes|finds|finished|feel|got|used to|made|avoid|no longer|fear"
)
_OPENERS = (
    r"I|we|he|she|my(?! (?:[a-z-]+ )?(?:"
    + "|".join(sorted(KIN))
    + r"),)|it|they|you|his|her|do|does|did|what|how|which|who|where|when|feeling|making|leaving|"
    r"causing|eventually|"
    r"although|but|so|yet|if|please|any|can|could|is|are|have you|because|since|even|especially|pick|suggest|"
    r"recommend|"
    r"keep|make|don't|just|thoughts|remind|note|ideally|preferably|mostly|mainly|thanks|right|nothing|no|not|never|"
    r"anything|everything|that|this|there|our|anyone|love|hate|prefer|enjoy|adore|dislike"
)
_CUT = re.compile(
    r"; ?|—| - |, (?=(?:and |but |so |then |because |although |while |yet |or )?(?:" + _OPENERS + r")\b)"
    r"|,? (?=(?:but|because|although|though) )|,? and (?=(?:I|we|he|she|they|it|my|his favorite|her favorite|"
    + _VERBS
    + r")\b)",
)
_LEAD = re.compile(
    r"^(?:(?:and|but|so|then|because|although|though|since|well|oh|yes|yeah|yep|also|actually|honestly|hi|"
    r"hello|hey|btw|anyway|"
    r"besides|plus|haha|lol|by the way|to be honest|you know|i mean|as for me|personally|as a kid|of "
    r"course|sure|no|wow|turns out|it turns out|fyi|for context|just so you know|for the record|ps|fun fact|"
    r"one more thing|note|in fact|basically|obviously|apparently|unfortunately|sadly|luckily|thankfully|hmm|ugh|ok|"
    r"okay|so far|to be fair|full disclosure|at home|at work|(?:after|for) all these years|all in all|"
    r"now(?=,? I )|last \w+(?=,? (?:I|we) )|this \w+(?=,? (?:I|we) )|these days|lately|nowadays|currently|"
    r"last year|last month|last week|in general|overall|frankly)(?:[,!.]+ ?| ))+",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"^(?:Over|During|On|In|At|After|Before|While|When|Due to|One|Every|This|Last|Yesterday|Today|Since|"
    r"As)\b[^,]{0,60}, "
)
HYPOTHETICAL = re.compile(
    r"\b(?:if|would|could|might|maybe|perhaps|imagine|suppose|wish|unless|whether|pretend|should|almost|"
    r"hypothetically|"
    r"as though|what about|kidding|joking)\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"^(?:also |always |just )?(?:said|says|told (?:me|us|him|her)|thinks?|thought|mentioned|believes?|"
    r"admitted|claims?|guess|guessed|realized|know|knows|"
    r"found out|feels?|felt) (?:that )?(?P<p>I|he|she) (?P<rest>.+)",
)
_FIRST = re.compile(r"^(?P<p>I|[Ww]e)(?: and my [a-z]+)? (?P<rest>.+)", re.DOTALL)
_THIRD = re.compile(r"^(?P<p>[Hh]e|[Ss]he) (?P<rest>.+)", re.DOTALL)
_KIN = re.compile(
    r"^(?P<p>[Mm]y|[Hh]is|[Hh]er|[Oo]ur)? ?(?P<q>(?:[a-z-]+ ){0,2}?)(?P<k>"
    + "|".join(sorted([word for kin in KIN for word in (kin, kin.capitalize())], key=len, reverse=True))
    + r"),?(?: (?P<n>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w-]+))?,? (?P<rest>[a-z].+)",
    re.DOTALL,
)
_NAMED = re.compile(
    r"^(?P<n>[A-Z][\w'-]*(?: [A-Z][\w'-]*)?)(?: and (?:(?:my|his|her) )?[A-Za-z]+(?: [A-Z]\w+)?)? (?P<rest>[a-z].+)",
    re.DOTALL,
)
_PLAIN_VERB = re.compile(
    r"^(?:(?:usually|often|always|never|really|generally|mostly|still|also|just|all|both|sometimes|rarely|"
    r"hardly) ){0,2}"
    r"(?:love|like|hate|live|work|am|are|were|have|want|enjoy|prefer|do|can|all|of|and|or)\b"
)
_MOMENT = re.compile(
    r"\b(?:right now|tonight|at the moment|at this point|this (?:time|morning|evening|afternoon|minute|second)|"
    r"today|for once|for now)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^(?:" + _VERBS + r")\b")
# Elided "I": "Just moved to Austin", "Never liked jazz".
_SHORT_FORM = re.compile(r"'(?:re|ve|ll|d|m|t)$")
_ELIDED = re.compile(
    r"^(?:(?:just|recently|finally|never|still|been|already|currently|now|always|also|only|really) ){0,3}"
    r"(?:moved|joined|quit|left|liked|loved|hated|enjoyed|started|stopped|got (?:a|an|my|promoted|married|"
    r"engaged|hired|"
    r"laid)|had (?:dinner|lunch|coffee|drinks|breakfast)|trying to|planning to|hoping to|thinking of|saving up|"
    r"looking "
    r"forward|allergic to|born (?:in|on|and)|grew up|used to|signed up|decided to|training for|preparing for|"
    r"based in|"
    r"turned \d|adopted|bought|visited|can not stand|not a (?:big |huge )?fan|not into|do not (?:like|eat|drink))\b|"
    # "Still learning German" is about the speaker; "Learning German is hard" is not.
    r"^(?:(?:just|still|been|currently|now|also) ){1,2}(?:working (?:at|for|as)|living in|studying|learning|"
    r"reading)\b",
    re.IGNORECASE,
)


def split_clauses(sentence: Sentence, state: DiscourseState) -> Iterator[Clause]:
    """Yield the clauses that state something; skip questions and hypotheses."""
    text = mask_quoted_speech(sentence.text)
    state.opens = True
    if SARCASTIC.search(text):
        return
    pieces = _pieces(text)
    if HYPOTHETICAL.search(_spelled_out(text, state.speaker)):
        pieces = [piece for piece in pieces if _is_real(text, piece, state.speaker)]
    for number, (start, end) in enumerate(pieces):
        if sentence.asks and number == len(pieces) - 1:
            return
        clause = _clause(text[start:end], sentence.start + start, sentence.start + end, state)
        if sentence.asks and not clause.text.startswith(("I ", "My ", "my ", "We ", "Our ", "our ")):
            continue
        yield clause


def _is_real(text: str, piece: tuple[int, int], speaker: Speaker) -> bool:
    """Return whether a clause beside a hypothetical one is factual; never in a sentence with "if" or the like."""
    if re.search(r"\b(?:if|unless|imagine|suppose|pretend|wish|whether)\b", text, re.IGNORECASE):
        return False
    return HYPOTHETICAL.search(_spelled_out(text[piece[0] : piece[1]], speaker)) is None


def _pieces(text: str) -> list[tuple[int, int]]:
    cuts = [0]
    ends = []
    for cut in _CUT.finditer(text):
        ends.append(cut.start())
        cuts.append(cut.end())
    ends.append(len(text))
    return [(start, end) for start, end in zip(cuts, ends, strict=True) if end - start > 2]


def _spelled_out(text: str, speaker: Speaker) -> str:
    text = expand_contractions(text)
    if speaker.me == THE_USER:
        for name in speaker.user_names:
            text = text.replace(f"{name}'s ", "my ")
    return text


def _clause(piece: str, start: int, end: int, state: DiscourseState) -> Clause:
    text = without_lead(_spelled_out(piece, state.speaker))
    text = _SETTING.sub("", text.rstrip(" .!?,"))
    subject, rest = _subject(text, state)
    if subject is not None:
        subject, rest = _reported(subject, rest, state)
    if state.third is None and state.speaker.me == THE_USER and any(name in piece for name in state.speaker.user_names):
        state.third = THE_USER
    state.subject = subject
    state.opens = False
    return Clause(
        text=text,
        rest=rest,
        subject=subject,
        third=state.third,
        start=start,
        end=end,
        kin=subject if subject is not None and subject.rpartition(" ")[2] in SOLE_KIN else None,
        momentary=subject is not None and _MOMENT.search(text) is not None,
    )


def without_lead(text: str) -> str:
    """Strip leading conjunctions and interjections."""
    return _LEAD.sub("", text.strip(" ,"))


def _subject(text: str, state: DiscourseState) -> tuple[str | None, str]:
    if first := _FIRST.match(text):
        return state.speaker.me, first["rest"]
    if third := _THIRD.match(text):
        return state.third, third["rest"]
    if state.opens and state.subject in (None, state.speaker.me) and _ELIDED.match(text):
        return state.speaker.me, text
    if _GOES_ON.match(text):
        # The subject of "love" is unclear in "LeBron is the man - love his skills".
        goes_on = state.subject == state.speaker.me or not _PLAIN_VERB.match(text)
        return (state.subject if goes_on else None), text
    kin = _KIN.match(text)
    # "Kids like sweets" is about children in general.
    if kin and (kin["p"] or kin["k"].lower() not in MANY_KIN) and (kin["p"] or text.startswith(kin["k"][0].upper())):
        return _kin_subject(kin, state), kin["rest"]
    named = _NAMED.match(text)
    if named and named["n"].split()[0].lower() not in NOT_NAMES and not _SHORT_FORM.search(named["n"]):
        return _named_subject(named, state), named["rest"]
    return None, text


def _kin_subject(kin: re.Match[str], state: DiscourseState) -> str | None:
    word = kin["k"].lower()
    if kin["n"]:
        state.third = state.speaker.subject_named(kin["n"])
        return state.third
    # "His brother" is not a relative of the user, unless "he" is the user.
    possessor = (kin["p"] or "my").lower()
    if word not in SOLE_KIN or (possessor in ("his", "her") and state.third != THE_USER):
        state.third = None
        return None
    which = " ".join(one for one in kin["q"].split() if one in WHICH_KIN)
    plain = KIN_NAME.get(word, word)
    # "My younger sister" need not be the sister who was named before.
    state.third = f"{which} {plain}" if which else state.named.get(word) or plain
    return state.third


def _named_subject(named: re.Match[str], state: DiscourseState) -> str | None:
    subject = state.speaker.subject_named(named["n"])
    if subject == THE_USER and state.speaker.me != THE_USER:
        state.third = THE_USER
        return THE_USER
    if subject != THE_USER and _PLAIN_VERB.match(named["rest"]):
        return None
    state.third = subject
    return subject


def _reported(subject: str, rest: str, state: DiscourseState) -> tuple[str | None, str]:
    """Resolve reported speech: keep what somebody says about themselves, drop the subject of anything else."""
    report = _REPORT.match(rest)
    if report is None:
        return subject, rest
    speaks_of_me = report["p"] == "I"
    if speaks_of_me:
        return (subject, report["rest"]) if subject == state.speaker.me else (None, rest)
    is_third = subject == state.third
    return (subject, report["rest"]) if is_third else (None, rest)


def with_article(name: str) -> str:
    """Return the placeholder "{o}", with "a" or "an" unless the object is a plural."""
    if name.endswith("s") and not name.endswith("ss"):
        return "{o}"
    return "an {o}" if name[0].lower() in "aeiou" else "a {o}"


def owner(possessive: str, clause: Clause, state: DiscourseState) -> str | None:
    """Return the subject that "my", "our", "his" or "her" refers to."""
    return state.speaker.me if possessive.lower() in ("my", "our") else clause.third
