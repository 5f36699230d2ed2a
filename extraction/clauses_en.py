"""Clauses of an English sentence and who each of them is about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from extraction.drafts import Voice
from extraction.reading import THE_USER
from extraction.sentences import Sentence
from extraction.spelling_en import IRONIC, readable, spelled
from extraction.words_en import KIN, KIN_NAME, MANY_KIN, NOT_NAMES, SOLE_KIN, WHICH_KIN

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
UNREAL = re.compile(
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
_GOES_ON = re.compile(r"^(?:" + _VERBS + r")\b")
# "Just moved to Austin", "Never liked jazz": who writes about themselves may leave the "I" away.
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
    # "Learning German is hard" tells nothing; "still learning German" does.
    r"^(?:(?:just|still|been|currently|now|also) ){1,2}(?:working (?:at|for|as)|living in|studying|learning|"
    r"reading)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause, contractions spelled out.

    Attributes:
        text: the clause without conjunctions before it.
        rest: what follows the subject; the whole text when the subject is unclear.
        subject: `THE_USER`, `THE_AGENT` or a name; None when unclear.
        third: who "he", "she", "his", "her" are here.
        start, end: characters of the message.
    """

    text: str
    rest: str
    subject: str | None
    third: str | None
    start: int
    end: int


@dataclass(slots=True)
class Thread:
    """Who was spoken of last while one message is read.

    Attributes:
        opens: the next clause is the first of its sentence.
    """

    voice: Voice
    subject: str | None = None
    third: str | None = None
    opens: bool = True
    named: dict[str, str] = field(default_factory=dict)


def clauses(sentence: Sentence, thread: Thread) -> Iterator[Clause]:
    """The clauses that state something; questions and what is only supposed are left out."""
    text = readable(sentence.text)
    thread.opens = True
    if IRONIC.search(text):
        return
    pieces = _pieces(text)
    if UNREAL.search(_spelled(text, thread.voice)):
        pieces = [piece for piece in pieces if _is_real(text, piece, thread.voice)]
    for number, (start, end) in enumerate(pieces):
        if sentence.asks and number == len(pieces) - 1:
            return
        clause = _clause(text[start:end], sentence.start + start, sentence.start + end, thread)
        if sentence.asks and not clause.text.startswith(("I ", "My ", "my ", "We ", "Our ", "our ")):
            continue
        yield clause


def _is_real(text: str, piece: tuple[int, int], voice: Voice) -> bool:
    """A clause beside a supposed one still states something, unless an "if" opens or follows it."""
    if re.search(r"\b(?:if|unless|imagine|suppose|pretend|wish|whether)\b", text, re.IGNORECASE):
        return False
    return UNREAL.search(_spelled(text[piece[0] : piece[1]], voice)) is None


def _pieces(text: str) -> list[tuple[int, int]]:
    cuts = [0]
    ends = []
    for cut in _CUT.finditer(text):
        ends.append(cut.start())
        cuts.append(cut.end())
    ends.append(len(text))
    return [(start, end) for start, end in zip(cuts, ends, strict=True) if end - start > 2]


def _spelled(text: str, voice: Voice) -> str:
    text = spelled(text)
    if voice.me == THE_USER:
        for name in voice.user_names:
            text = text.replace(f"{name}'s ", "my ")
    return text


def _clause(piece: str, start: int, end: int, thread: Thread) -> Clause:
    text = without_lead(_spelled(piece, thread.voice))
    text = _SETTING.sub("", text.rstrip(" .!?,"))
    subject, rest = _subject(text, thread)
    if subject is not None:
        subject, rest = _reported(subject, rest, thread)
    if thread.third is None and thread.voice.me == THE_USER and any(name in piece for name in thread.voice.user_names):
        thread.third = THE_USER
    thread.subject = subject
    thread.opens = False
    return Clause(text=text, rest=rest, subject=subject, third=thread.third, start=start, end=end)


def without_lead(text: str) -> str:
    """A text without the conjunctions and interjections before what it says."""
    return _LEAD.sub("", text.strip(" ,"))


def _subject(text: str, thread: Thread) -> tuple[str | None, str]:
    if first := _FIRST.match(text):
        return thread.voice.me, first["rest"]
    if third := _THIRD.match(text):
        return thread.third, third["rest"]
    if thread.opens and thread.subject in (None, thread.voice.me) and _ELIDED.match(text):
        return thread.voice.me, text
    if _GOES_ON.match(text):
        # "LeBron is the man - love his skills": the speaker loves them, and does not say so.
        goes_on = thread.subject == thread.voice.me or not _PLAIN_VERB.match(text)
        return (thread.subject if goes_on else None), text
    kin = _KIN.match(text)
    # "Kids like sweets" is about all of them.
    if kin and (kin["p"] or kin["k"].lower() not in MANY_KIN) and (kin["p"] or text.startswith(kin["k"][0].upper())):
        return _kin_subject(kin, thread), kin["rest"]
    named = _NAMED.match(text)
    if named and named["n"].split()[0].lower() not in NOT_NAMES and not _SHORT_FORM.search(named["n"]):
        return _named_subject(named, thread), named["rest"]
    return None, text


def _kin_subject(kin: re.Match[str], thread: Thread) -> str | None:
    word = kin["k"].lower()
    if kin["n"]:
        thread.third = thread.voice.who(kin["n"])
        return thread.third
    # "His" brother is somebody else's unless "he" is the user.
    possessor = (kin["p"] or "my").lower()
    if word not in SOLE_KIN or (possessor in ("his", "her") and thread.third != THE_USER):
        thread.third = None
        return None
    which = " ".join(one for one in kin["q"].split() if one in WHICH_KIN)
    plain = KIN_NAME.get(word, word)
    # "My younger sister" need not be the one who was named.
    thread.third = f"{which} {plain}" if which else thread.named.get(word) or plain
    return thread.third


def _named_subject(named: re.Match[str], thread: Thread) -> str | None:
    subject = thread.voice.who(named["n"])
    if subject == THE_USER and thread.voice.me != THE_USER:
        thread.third = THE_USER
        return THE_USER
    if subject != THE_USER and _PLAIN_VERB.match(named["rest"]):
        return None
    thread.third = subject
    return subject


def _reported(subject: str, rest: str, thread: Thread) -> tuple[str | None, str]:
    """What someone said about themselves is about them; what they said about others is left out."""
    report = _REPORT.match(rest)
    if report is None:
        return subject, rest
    speaks_of_me = report["p"] == "I"
    if speaks_of_me:
        return (subject, report["rest"]) if subject == thread.voice.me else (None, rest)
    is_third = subject == thread.third
    return (subject, report["rest"]) if is_third else (None, rest)
