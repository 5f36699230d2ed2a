"""Read plain English sentences, such as "I live in Porto", by one table of verb phrases. Pure.

A sentence is split into clauses, each with its subject; the first row of the table whose verb phrase follows it tells
the kind of fact, and how its object is read. The kinds are those of the tagger, so that `tag_facts` words both in one
way. Beside the tagger, a plain sentence makes it surer of what it sees; without it, plain sentences are all that is
read.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from extraction.reader import THE_USER
from extraction.rules.drafts import Speaker
from extraction.rules.en.objects import (
    age,
    allergens,
    booked,
    day,
    employers,
    goal,
    illness,
    jobs,
    medicines,
    name,
    owned,
    places,
    planned,
    thing,
    things_liked,
    value,
)
from extraction.text.lexicon_en import (
    CHILD_NAME,
    EMOTIONS,
    FEMALE_KIN,
    KIN_NAME,
    KIN_PATTERN,
    KIN_SINGULAR,
    MALE_KIN,
    MANY_KIN,
    NOT_NAMES,
    NOT_SUBJECTS,
    PETS,
    PLEASANT,
    SOLE_KIN,
    SYMPTOMS,
    WHICH_KIN,
)
from extraction.text.sentences import Sentence

Reader = Callable[[str], list[str]]


class Told(NamedTuple):
    """A fact that a plain sentence tells.

    Attributes:
        kind: kind of the tagger, or one of `tag_facts.PLAIN_WORDINGS`.
        start, end: character span of the clause in the message.
        relation: word for the relation, where the kind has several.
        says: statement with `{s}` and `{o}`, if it differs from that of the kind.
        emotion: emotion that the object triggers.
    """

    kind: str
    subject: str
    object: str
    start: int
    end: int
    ended: bool = False
    relation: str | None = None
    says: str | None = None
    emotion: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A verb phrase and the fact that it states of its subject.

    Attributes:
        verbs: pattern after the subject and its adverbs; the object follows after a space.
        read: returns the objects at the beginning of a text.
    """

    kind: str
    verbs: str
    read: Reader
    says: str | None = None
    ended: bool = False


_BE: Final = "(?:am|is|are)"
_NOT: Final = "(?:do|does|did) not"
_VERY: Final = "(?:(?:so|very|really|quite|pretty|super|a bit|a little|terribly|totally|mostly|still|also) ){0,2}"
_LIKE: Final = "(?:like|love|enjoy|eat|drink|smoke|watch|use|play)s?"
_TO: Final = "(?: (?:my|his|her|our) [a-z-]+| (?:to )?(?:myself|him|her|them|[A-Z][a-z]+))?"
# In order of precedence: what has ended first, because its words contain those of what is so.
ROWS: Final = (
    Row(
        "likes",
        rf"{_NOT} (?:really )?(?:like|love|enjoy|eat|drink|smoke|watch|use)(?=.* any ?(?:more|longer)\b)",
        things_liked,
        ended=True,
    ),
    Row("dislikes", rf"{_NOT} (?:hate|dislike|fear|mind)(?=.* any ?(?:more|longer)\b)", things_liked, ended=True),
    Row(
        "likes",
        rf"(?:(?:no longer|not any ?more) {_LIKE}|stopped (?:liking|eating|drinking|enjoying|smoking|playing)|"
        r"fell out of love with|(?:gone|went) off|lost interest in|grew out of|outgrew|(?:got|am|is) (?:so )?(?:tired|"
        r"bored|sick) of|cut out|(?:swore|sworn) off|(?:gave|given) up(?! (?:on|my|the)\b)|"
        r"used to (?:like|love|enjoy))",
        things_liked,
        ended=True,
    ),
    Row("dislikes", r"(?:no longer|used to) (?:hates?|dislikes?|fears?|minds?|avoids?)", things_liked, ended=True),
    Row("plans", rf"{_NOT} want to(?=.* any ?(?:more|longer)\b)|no longer (?:wants?|plans?) to", goal, ended=True),
    Row(
        "works_at",
        r"(?:no longer|used to) works? (?:at|for)|(?:left|quit|lost) (?:my|his|her) (?:old )?(?:job|position|role) "
        r"(?:at|with)|(?:resigned|retired|got fired|was fired|was laid off|got laid off) (?:from|by)|"
        r"(?:stopped|quit) working (?:at|for)",
        employers,
        ended=True,
    ),
    Row("works_at", "(?:left|quit)", lambda text: name(text)[:1], ended=True),
    Row("lives_in", r"(?:no longer|used to) lives? (?:in|near)|moved (?:out of|away from)", places, ended=True),
    Row("has", r"(?:no longer (?:have|has|owns?)|used to (?:have|own)|sold|got rid of|gave away)", owned, ended=True),
    Row("takes", r"(?:came off|stopped taking|no longer takes?|am off|is off)", medicines, ended=True),
    Row("allergic_to", rf"{_BE} (?:no longer|not) allergic to", things_liked, ended=True),
    Row("allergic_to", rf"{_BE} {_VERY}(?:allergic|intolerant) to|have an? (?:severe )?allergy to", allergens),
    Row("allergic_to", r"can not (?:eat|have)", things_liked, says="{s} cannot have {o}."),
    Row("dislikes", rf"{_NOT} (?:really |particularly )?(?:like|enjoy|care for|love|eat|drink)", things_liked),
    Row("dislikes", r"never (?:liked|eats?|drinks?|touch)", things_liked),
    Row("dislikes", r"(?:hates?(?! to )|detests?|despises?|loathes?)", things_liked, says="{s} hates {o}."),
    Row(
        "dislikes",
        r"(?:can not|could never) (?:stand|bear|abide|tolerate|stomach)",
        things_liked,
        says="{s} cannot stand {o}.",
    ),
    Row(
        "dislikes",
        r"(?:(?:try to |tries to )?avoids?|steers? clear of|stays? away from)",
        things_liked,
        says="{s} avoids {o}.",
    ),
    Row("dislikes", rf"{_BE} {_VERY}(?:afraid|scared|terrified) of", things_liked, says="{s} is afraid of {o}."),
    Row("likes", "(?:loves?|adores?)", things_liked, says="{s} loves {o}."),
    Row("likes", "(?:kind of |sort of )?(?:likes?|enjoys?)", things_liked),
    Row("likes", "(?:prefers?|favou?rs?)", things_liked, says="{s} prefers {o}."),
    Row(
        "likes",
        rf"{_BE} {_VERY}(?:into|fond of|keen on|partial to|obsessed with|hooked on|an? (?:[a-z]+ )?fan of)",
        things_liked,
    ),
    Row("likes", r"(?:lives? for|swears? by|always (?:picks?|orders?|goes? for))", thing),
    Row(
        "promised",
        rf"(?:promised?|promises|vow(?:ed)?|swore|pledged?|gave my word){_TO} to",
        goal,
        says="{s} promised to {o}.",
    ),
    Row(
        "plans",
        r"(?:wants?|hopes?|plans?|intends?|aims?|decided|resolved|would (?:love|like)) to",
        goal,
        says="{s} wants to {o}.",
    ),
    Row(
        "plans", rf"{_BE} (?:planning|hoping|trying|aiming|going|training|preparing) to", goal, says="{s} plans to {o}."
    ),
    Row("plans", rf"{_BE} saving(?: up)? for", thing, says="{s} is saving up for {o}."),
    Row("plans", rf"(?:{_BE} )?(?:training|studying|preparing) for", thing, says="{s} is preparing for {o}."),
    Row("plans", r"(?:booked|signed up for|registered for|enrolled in|entered)", booked),
    Row("plans", rf"(?:{_BE}|have|has)(?: got)? (?=.*\b(?:on|in|next|this|tomorrow|tonight|at)\b)", planned),
    Row("worries", rf"(?:{_BE} {_VERY})?(?:worried|worrying|anxious|nervous|worry|worries) about", thing),
    Row("cares_about", r"(?:cares?|caring) (?:a lot |deeply |so much |very much )?about|values?", thing),
    Row(
        "lives_in",
        rf"(?:(?:{_BE} )?living|lives?|{_BE} (?:based|settled)|"
        r"(?:have|has) (?:lived|been living)|moved(?: back| over| here| out)?(?: from .{1,40}?)? to|"
        r"relocated to|(?:lives?|living) (?:just )?(?:outside|near)|(?:rents?|bought|got|found) an? (?:[a-z-]+ ){0,2}"
        r"(?:flat|house|place|room|apartment|studio))(?: (?:in|near|outside|at))?",
        places,
    ),
    Row("works_as", rf"(?:works?|working|started|{_BE} working) as", jobs),
    Row(
        "works_at",
        rf"(?:works?|(?:have|has) worked|{_BE} working|(?:have|has|got|landed|started) an? (?:new )?job|"
        r"started (?:working|work)|"
        rf"{_BE} employed|interns?|volunteers?|teach(?:es)?|{_BE} an? (?:[a-z-]+ ){{1,3}})(?: as .{{3,30}}?)? "
        r"(?:at|for)|"
        r"joined",
        employers,
    ),
    Row("studies_at", r"(?:stud(?:y|ies)|studying|goes? to school|am a student)(?: [a-z ]{3,30}?)? at", employers),
    Row(
        "studies",
        rf"(?:stud(?:y|ies)|(?:{_BE} )?(?:studying|learning|majoring in)|majors? in|started learning)(?! for\b)",
        thing,
    ),
    Row("from", rf"(?:{_BE} (?:originally )?from|grew up in|comes? from)", places),
    Row("born_on", "was born on", day),
    Row("age", rf"(?:{_BE}|turned|just turned|turns)", age),
    Row("engaged_to", rf"{_BE} engaged to", name),
    Row("spouse", rf"(?:{_BE} married to|married)", name),
    Row("partner", rf"(?:{_BE} (?:dating|seeing)|started dating)", name),
    Row("takes", r"(?:takes?|am taking|is taking|(?:am|is) on|was prescribed|(?:have )?started)", medicines),
    Row(
        "illness",
        r"(?:(?:have|has)(?: got| had)?|suffers? from|was diagnosed with|lives? with)(?! (?:got|had)\b)",
        illness,
    ),
    Row("works_as", rf"{_BE} (?=an? )", jobs),
    Row("diet", rf"{_BE}(?: an?)?(?= (?:vegan|vegetarian|pescatarian|coeliac|celiac|kosher|halal)\b)", value),
    Row("language", r"speaks?", things_liked),
    Row(
        "has",
        r"(?:(?:have|has)(?: got)?|owns?|got|adopted|bought|keeps?|drives?|inherited|swapped .{2,30}? for)(?! got\b)",
        owned,
    ),
    Row("visited", r"(?:visited|travell?ed to|took a trip to|went to|have been to|toured)", places),
    Row("uses", r"(?:switched (?:over )?to|changed to)", lambda text: name(text)[:1]),
)
_GROUP_SIZE: Final = 12
_ADVERBS: Final = (
    r"(?:(?:really|also|just|absolutely|still|always|particularly|especially|truly|totally|definitely|actually|"
    r"personally|both|all|simply|honestly|generally|usually|often|now|currently|recently|finally|already|even|so|"
    r"secretly|have|has|been|do|does|since|once) ){0,4}?"
)
_COMPILED: Final = tuple((row, re.compile(rf"{_ADVERBS}(?:{row.verbs}) (?P<o>.+)", re.IGNORECASE)) for row in ROWS)
_GROUPS: Final = tuple(
    (
        re.compile(rf"{_ADVERBS}(?:{'|'.join(row.verbs for row, _ in group)}) ", re.IGNORECASE),
        group,
    )
    for group in (_COMPILED[start : start + _GROUP_SIZE] for start in range(0, len(_COMPILED), _GROUP_SIZE))
)

# Sentences that state nothing of the speaker's life

_UNREAL: Final = re.compile(
    r"\b(?:if|would(?! (?:love|like) to)|could(?! never)|might|maybe|perhaps|wish(?! (?:me|us) )|unless|whether|should|"
    r"almost|imagine|suppose|pretend|assum(?:e|ing)|let us say|hypothetically|as though|what about|kidding|joking|"
    r"role-?play|(?:novel|story|character|script|dream|dreamt|episode|game)\b.{0,40}:?|once upon a time|according to|"
    r"I (?:thought|assumed|believed) I)\b|"
    r"^(?:oh|wow|yay|well|yeah),? (?:great|good|joy|wonderful|right|sure)\b",
    re.IGNORECASE,
)
# Requests and plays, after which the message is a text or a story.
_INVENTS: Final = re.compile(
    r"^(?:(?:please|can you|could you|now|ok|so),? )*(?:write|draft|compose|create|invent|make up|translate|rephrase|"
    r"rewrite|proofread|summari[sz]e|correct|turn this|reply to|pretend|imagine|suppose|assume|picture (?:this|me)|"
    r"let['’]?s (?:say|play|pretend)|say I['’]m|"
    r"you are an? |for th(?:is|e) (?:exercise|scene|role-?play|game|story))\b",
    re.IGNORECASE,
)
# What is being worked on: "I like option B".
_ON_THE_TABLE: Final = re.compile(
    r"\b(?:line|option|version|paragraph|draft|design|slide) (?:[A-Z]|\d+)\b|\bin this \w+|\blikes? (?:them|it)\b"
)
_ASKS: Final = re.compile(r"^(?:do|does|did|what|where|who|how|why|which|when|can|is|are|have you)\b", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"[^"]{3,300}"')
_SPOKEN: Final = re.compile(r"\b(?:I|I'm|my|he|she|we|you)\b", re.IGNORECASE)
_RELAYED: Final = re.compile(
    r"\b(?:wrote|writes|says|said|reads|replied|texted|message|text|email|caption|lyrics)\b[^:]{0,30}: ", re.IGNORECASE
)
# What was so in the past only: "when I was twelve we moved to Cardiff".
_THEN: Final = re.compile(
    r"^(?:(?:when|while|before) (?:I|we|he|she) (?:was|were|had|lived)|back then|in those days|growing up|as an? "
    r"(?:kid|child|teenager|student)|until (?:last|recently))\b",
    re.IGNORECASE,
)
_NOW: Final = re.compile(r"\b(?:right now|tonight|at the moment|this (?:time|morning|evening)|today|for once)\b", re.I)

# Clauses

_STRAIGHT: Final = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
_SMALL_I: Final = re.compile(r"\bi\b(?!\.)")
_SPELLED_OUT: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (r"\bcan'?t\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\bI'?m\b", "I am"),
        (r"'ve\b|(?<=\bI)ve\b", " have"),
        (r"'ll\b", " will"),
        (r"'re\b", " are"),
        (r"'d\b", " would"),
        (r"\bgonna\b", "going to"),
        (r"\bwanna\b", "want to"),
        (
            r"\b(he|she|it)'s (?=(?:just |recently |finally )?(?:been|got|had|moved|started|stopped|left|bought)\b)",
            r"\1 has ",
        ),
        (r"\b(he|she|it|that|there|name)'s\b", r"\1 is"),
        (
            r"\b((?:my|our) [a-z-]+|[A-Z][a-z]+)'s (?=(?:an?|in|at|from|allergic|called|named|not|now|just|\w+ing)\b)",
            r"\1 is ",
        ),
    )
)
_VERB: Final = (
    r"(?:love|like|hate|live|work|study|enjoy|prefer|have|has|am|is|moved|own|drive|play|speak|take|want|plan|hope|"
    r"can not)(?:s|ies)?"
)
_CUT: Final = re.compile(
    r"; ?|—|–| - |, (?:and |but |so |then )?(?=(?:I|we|he|she|my|our|they|it|you|which|who|what)\b)|"
    r",? (?=(?:but|because|although|though|since I|since we) )|,? and (?=(?:I|we|he|she|they|it|my|our)\b)|"
    rf",? and (?=(?:also |now )?{_VERB}\b)|, (?=[A-Z][a-z]+ (?:is|has|was|works|lives|loves|hates|moved)\b)"
)
_LEAD: Final = re.compile(
    r"^(?:(?:and|but|so|then|because|although|though|since|well|oh|yes|yeah|also|actually|honestly|hi|hello|hey|btw|fyi|"
    r"anyway|besides|plus|update|by the way|to be honest|for the record|just so you know|remember(?: that)?|these days|"
    r"nowadays|currently|last \w+|this \w+|ok|okay|no|sorry|apparently|unfortunately|sadly|luckily)[,!.:]* )+",
    re.IGNORECASE,
)
# "Since October I work at the library"
_SETTING: Final = re.compile(
    r"^(?:Since|On|In|At|After|From|For|Every|Next|Over|During) [\w' ]{1,40}?,? (?=(?:I|we|my|our|My|Our) [a-z])"
)
_FIRST: Final = re.compile(r"^(?:I|[Ww]e|(?:[Mm]y|[Oo]ur) [a-z-]+ and I|[A-Z][a-z]+ and I) (?P<rest>.+)", re.DOTALL)
_THIRD: Final = re.compile(r"^(?P<p>[Hh]e|[Ss]he) (?P<rest>.+)", re.DOTALL)
_NAME: Final = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'-]*(?: [A-Z][\w'-]*)?"
_KIN_SUBJECT: Final = re.compile(
    rf"^(?:[Mm]y|[Oo]ur) (?P<q>(?:[a-z-]+ ){{0,2}}?)(?P<k>{KIN_PATTERN})(?:,? (?P<n>{_NAME}))?,? (?P<rest>[a-z].+)",
    re.DOTALL,
)
_NAMED_SUBJECT: Final = re.compile(rf"^(?P<n>{_NAME}) (?P<rest>[a-z].+)", re.DOTALL)
_PLAIN_VERB: Final = re.compile(
    r"(?:(?:usually|often|always|never|really|still|also|just) )?(?:love|like|hate|live|work|am|are|have|want|enjoy|"
    r"prefer|do|can|of|and|or)\b"
)
# Sentences without "I": "Just moved to Austin", "Allergic to nuts".
_ELIDED: Final = re.compile(
    r"(?:just |recently |finally |never |still |currently |no longer )?(?:moved|got|bought|sold|adopted|booked|started|"
    r"stopped|gave up|joined|left|quit|work|takes?|taking|used to|do not|can not|loved?|hate|been)\b",
    re.IGNORECASE,
)
_ELIDED_BE: Final = re.compile(
    r"(?:just |still |currently |not )?(?:allergic to|engaged to|married to|based in|living|working|studying|learning|"
    r"training|saving|planning|hoping|from|into|vegan|vegetarian)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _State:
    """Whom the clauses read so far are about."""

    speaker: Speaker
    subject: str | None = None
    third: str | None = None
    female: bool | None = None
    named: dict[str, str] = field(default_factory=dict)


def read_plain_sentences(sentences: Iterable[Sentence], speaker: Speaker) -> Iterator[Told]:
    """Yield what the sentences of one message tell plainly."""
    state = _State(speaker)
    for sentence in sentences:
        text = _masked(sentence.text)
        if _INVENTS.match(text):
            return
        if _UNREAL.search(_spelled_out(text)) or _ON_THE_TABLE.search(text):
            continue
        spans = list(_clauses(text))
        for number, (start, end) in enumerate(spans):
            if sentence.asks and (number == len(spans) - 1 or _ASKS.match(text[start:end])):
                break
            yield from _told(text[start:end], sentence.start + start, sentence.start + end, state)


def _masked(text: str) -> str:
    """Blank out quoted speech; straighten quotation marks and "I". The length stays the same."""
    text = _SMALL_I.sub("I", text.translate(_STRAIGHT))
    text = _QUOTED.sub(lambda found: " " * len(found[0]) if _SPOKEN.search(found[0]) else found[0], text)
    relayed = _RELAYED.search(text)
    return text if relayed is None else text[: relayed.end()]


def _spelled_out(text: str) -> str:
    for pattern, plain in _SPELLED_OUT if "'" in text or "an" in text or "m" in text else ():
        text = pattern.sub(plain, text)
    return text


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for cut in _CUT.finditer(text):
        yield start, cut.start()
        start = cut.end()
    yield start, len(text)


def _told(piece: str, start: int, end: int, state: _State) -> Iterator[Told]:
    text = _LEAD.sub("", _spelled_out(piece).strip(" ,")).rstrip(" .!?,")
    speaker = state.speaker
    if speaker.me == THE_USER:
        for own in speaker.user_names:
            text = text.replace(f"{own}'s ", "my ")
    text = _SETTING.sub("", text)
    subject, rest = _subject(text, state)
    yield from _people(text, subject, start, end, state)
    state.subject = subject
    if (trigger := _TRIGGER.match(text)) and (emotion := EMOTIONS.get((trigger["e"] or trigger["v"]).lower())):
        kind, says = "likes" if emotion in PLEASANT else "dislikes", f"{{o}} always makes {{s}} feel {emotion}."
        for one in things_liked(trigger["o"])[:1]:
            yield Told(kind, speaker.me, one, start, end, says=says, emotion=emotion)
        return
    if caused := next((found for pattern in _CAUSES if (found := pattern.match(text))), None):
        for effect, cause in zip(thing(caused["e"]), thing(caused["c"]), strict=False):
            yield Told("cause", effect, cause, start, end)
        return
    if named := _OWN_NAME.match(text):
        if named["o"].split()[0].lower() not in NOT_NAMES:
            yield Told("named", speaker.me, named["o"], start, end)
        return
    if subject is not None and not _THEN.match(text):
        yield from _of_rows(subject, rest, start, end, state)


def _of_rows(subject: str, rest: str, start: int, end: int, state: _State) -> Iterator[Told]:
    """Yield what the first row tells whose verb phrase begins the rest of a clause, if its object is clear."""
    for check, group in _GROUPS:
        for row, pattern in group if check.match(rest) else ():
            found = pattern.match(rest)
            if found is None or (row.kind in ("likes", "dislikes") and not row.ended and _NOW.search(rest)):
                continue
            objects = [
                one for one in row.read(found["o"]) if state.speaker.subject_named(one) not in (THE_USER, subject)
            ]
            for one in objects:
                yield Told(row.kind, subject, one, start, end, row.ended, None, row.says)
            if objects and row.kind == "works_as" and (firm := _AT_FIRM.search(found["o"])):
                yield from (Told("works_at", subject, one, start, end) for one in employers(firm["o"]))
            if objects:
                return


_AT_FIRM: Final = re.compile(r" (?:at|for) (?P<o>.+)$")
# "Thunder always scares me"
_TRIGGER: Final = re.compile(
    r"^(?P<o>[a-z][a-z' -]{2,40}?) (?:always|usually|never fails to|still) (?:makes? me (?:feel )?(?P<e>[a-z]+)|"
    r"(?P<v>scares|frightens|terrifies|annoys|saddens|calms|relaxes|cheers|stresses|upsets) me\b)",
    re.IGNORECASE,
)
# "My headaches are caused by stress", "back pain comes from sitting", "red wine gives me headaches". After a symptom
# only, a verb of many senses names a cause: "my sister comes from Spain".
_WHOSE_EFFECT: Final = "(?:(?:my|the|his|her|our|these|this|me|us) )?"
_SYMPTOM: Final = f"(?:[a-z]+ ){{0,2}}?(?:{'|'.join(sorted(SYMPTOMS, key=len, reverse=True))})"
_CAUSES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_WHOSE_EFFECT}(?P<e>[a-z][a-z' -]{{2,40}}?) (?:is|are|was|were|has been|have been) (?:[a-z]+ly )?"
        r"(?:caused by|due to|because of|triggered by|brought on by) (?P<c>.+)",
        rf"^{_WHOSE_EFFECT}(?P<e>{_SYMPTOM}) (?:[a-z]+ly )?(?:comes?|came|stems?|results?) from (?P<c>.+)",
        r"^(?P<c>[a-z][a-z' -]{2,40}?) (?:always |often |usually )?(?:triggers?|gives?|causes?|brings? on|sets? off) "
        rf"{_WHOSE_EFFECT}(?P<e>{_SYMPTOM})\b",
    )
)
_OWN_NAME: Final = re.compile(
    rf"^(?:[Mm]y (?:full |first |real )?name is|(?:[Pp]lease |[Jj]ust )?[Cc]all me|I go by|I am called) (?P<o>{_NAME})"
)


def _subject(text: str, state: _State) -> tuple[str | None, str]:
    """Return the subject of a clause, or None if it is unclear, and the text after it."""
    me = state.speaker.me
    if first := _FIRST.match(text):
        return me, first["rest"]
    if third := _THIRD.match(text):
        fits = state.female is None or state.female == (third["p"].lower() == "she")
        return (state.third if fits else None), third["rest"]
    if kin := _KIN_SUBJECT.match(text):
        word = kin["k"].lower()
        state.third = state.speaker.subject_named(kin["n"]) if kin["n"] else _relative(word, kin["q"], state)
        state.female = True if word in FEMALE_KIN else False if word in MALE_KIN else None
        return state.third, kin["rest"]
    if state.subject in (None, me):
        if _ELIDED_BE.match(text):
            return me, f"am {text[:1].lower()}{text[1:]}"
        if _ELIDED.match(text):
            return me, f"{text[:1].lower()}{text[1:]}"
    if _CONTINUES.match(text):
        return (state.subject if state.subject == me or not _PLAIN_VERB.match(text) else None), text
    named = _NAMED_SUBJECT.match(text)
    if named is None or named["n"].split()[0].lower() in NOT_SUBJECTS or named["n"].endswith("'s"):
        return None, text
    subject = state.speaker.subject_named(named["n"])
    if subject != THE_USER and _PLAIN_VERB.match(named["rest"]):
        return None, text
    state.third, state.female = subject, None
    return subject, named["rest"]


_CONTINUES: Final = re.compile(rf"(?:also |now )?{_VERB}\b")


def _relative(word: str, which: str, state: _State) -> str | None:
    """Return the subject for a relative without a name: "older sister"; None for one of many, such as an uncle."""
    if word not in SOLE_KIN:
        return None
    which = " ".join(one for one in which.split() if one in WHICH_KIN)
    plain = KIN_NAME.get(word, word)
    return f"{which} {plain}" if which else state.named.get(word) or plain


# Relatives and animals with their names

_PET_PATTERN: Final = "|".join(sorted(PETS, key=len, reverse=True))
_CALLED: Final = r"(?:,? (?:is |are |who is )?(?:called|named)|(?:'s|s'| ) ?name is|,| is|:)?"
_WHOSE: Final = re.compile(
    r"\b(?P<p>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|an?|two|three) (?:[a-z-]+ ){0,2}?"
    rf"(?P<k>(?:best )?(?:{KIN_PATTERN})s?|{_PET_PATTERN}){_CALLED} "
    rf"(?P<n>{_NAME}(?:(?:, | and |, and ){_NAME}){{0,4}})(?!'s)"
)
_IS_WHOSE: Final = re.compile(
    rf"^(?P<n>{_NAME})(?: is|,) (?P<p>my|our) (?:[a-z-]+ ){{0,2}}?(?P<k>{KIN_PATTERN}|{_PET_PATTERN})\b(?!')"
)
_OWNS: Final = re.compile(r"\b(?:have|has|got|adopted|own|owns|bought|rescued)\b")
_AND: Final = re.compile(r", and | and |, ")


def _people(text: str, subject: str | None, start: int, end: int, state: _State) -> Iterator[Told]:
    """Yield the relatives and animals that a clause names."""
    for pattern in (_WHOSE, _IS_WHOSE):
        for found in pattern.finditer(text):
            word = found["k"].lower()
            many = word in MANY_KIN or (word.endswith("s") and word not in PETS - {word})
            word = KIN_SINGULAR.get(word, word.removesuffix("s") if many and word != "boss" else word)
            possessive = found["p"].lower()
            owner = state.third if possessive in ("his", "her") else state.speaker.me
            owner = owner if possessive in ("my", "our", "his", "her") else subject
            if possessive not in ("my", "our", "his", "her") and not _OWNS.search(text[: found.start()]):
                continue
            names = _AND.split(found["n"]) if many or " and " not in found["n"] else [found["n"].split(" and ")[0]]
            for one in names if many else names[:1]:
                if owner is None or one.split()[0].lower() in NOT_NAMES or state.speaker.subject_named(one) == owner:
                    continue
                word = CHILD_NAME.get(word, word)
                state.named[word] = one
                kind = "pet" if word in PETS else "relative"
                yield Told(kind, owner, one, start, end, relation=word)
