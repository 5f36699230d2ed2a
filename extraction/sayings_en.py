"""English sentences whose subject is a thing: what pleases, bothers, matters, belongs or causes something else."""

import re
from collections.abc import Iterator
from typing import Final

from extraction import wordings_en as wordings
from extraction.clauses_en import Clause, Thread
from extraction.drafting_en import draft, with_article
from extraction.drafting_en import owner as owner_of
from extraction.drafts import Draft
from extraction.objects_en import object_type
from extraction.objects_life_en import address, birthdays, jobs, places, workplaces
from extraction.phrases_en import noun_phrase, things, verb_phrase
from extraction.words_en import EMOTIONS, PETS, PLEASANT
from schema.entity import EntityType

_THING = r"^(?P<o>[A-Za-z][\w' -]{1,40}?) "
_STILL = r"(?:still |definitely |probably |by far |always |also |really |just |hands down |never |not ){0,2}"


def _said(pattern: str) -> re.Pattern[str]:
    return re.compile(_THING + pattern, re.IGNORECASE)


# Pattern, predicate, statement, relation: the first that fits wins.
_OF_THINGS: Final = (
    (
        _said(
            r"(?:is|are) (?:really |definitely |just |so )?(?:not|never) (?:really )?(?:my (?:thing|cup of tea|jam|"
            r"favou?rite|style)|for me)\b"
        ),
        "DISLIKES",
        "{s} does not like {o}.",
        None,
    ),
    (
        _said(
            r"(?:(?:stress(?:es)?|freaks?|gross(?:es)?|creeps?|weirds?|wears?|turns?) me (?:out|off)|drives? "
            r"me (?:crazy|"
            r"nuts|mad|insane|up the wall)|bores? me|gets? on my nerves|annoys? me|irritates? me|disgusts? me|"
            r"(?:always )?makes? me (?:feel )?(?:sick|nauseous|queasy|cringe|uncomfortable|anxious|nervous|"
            r"miserable)|"
            r"(?:tastes?|smells?) (?:\w+ )?(?:awful|terrible|horrible|disgusting|gross|bad|like \w+) to me|"
            r"gives? me the (?:creeps|ick)|upsets? my stomach|(?:does|do) not (?:agree|sit well) with me|"
            r"(?:is|are) (?:such )?(?:pure |absolute |sheer )?(?:torture|a nightmare|hell|agony|my worst "
            r"nightmare) (?:for|to)"
            r" me)\b"
        ),
        "DISLIKES",
        "{s} does not like {o}.",
        None,
    ),
    (
        _said(
            r"(?:comes?|always comes?|has always come) first\b|^(?P<o2>[A-Za-z][\w' -]{1,40}?) (?:really |"
            r"still |also )?"
            r"(?:matters? (?:a lot |most |so much |deeply |more than anything )?to (?:me|us)\b|(?:is|are) "
            r"(?:really |very |"
            r"so |extremely |super |incredibly |also ){0,3}(?:important|sacred|everything|essential|a (?:big |top |"
            r"huge )?priority|"
            r"close to my heart|my (?:top |number one |biggest |main )?(?:priority|concern))(?: (?:to|for) "
            r"(?:me|us)\b|"
            r"(?=$|[.,!]))|means? (?:a lot|the world|everything|so much) to (?:me|us)\b)"
        ),
        "CARES_ABOUT",
        "{o} matters to {s}.",
        None,
    ),
    (
        _said(
            r"(?:(?:has|have) been (?:worrying|stressing|bothering|haunting|eating) me|(?:has|have) been "
            r"(?:weighing on|on) "
            r"my mind|(?:has|have) (?:been keeping|kept) me (?:up|awake)|keeps? me (?:up|awake) at night|"
            r"worr(?:ies|y) me|"
            r"weighs? on me)\b"
        ),
        "CARES_ABOUT",
        "{s} worries about {o}.",
        "worry",
    ),
    (
        _said(
            r"(?:is|are|was|remains?|has been|have been) "
            + _STILL
            + r"(?:my (?:all[- ]time |absolute |personal |biggest |big |new |ultimate ){0,3}(?:favou?rites?|"
            r"fave|"
            r"go-to|jam|passion|comfort (?:food|movie|show)|happy place|guilty pleasure|weakness|hobby|"
            r"obsession|first love|"
            r"thing)\b|the (?:one|thing|ones) I (?:really )?(?:like|love|prefer|enjoy)|what I (?:love|like|"
            r"enjoy|prefer)|"
            r"(?:right )?up my (?:alley|street))"
        ),
        "PREFERS",
        "{s} loves {o}.",
        None,
    ),
    (
        _said(
            r"(?:always |really |never fails to )?(?:calms? me(?: down)?|relax(?:es)? me|cheers? me up|helps? "
            r"me (?:relax|"
            r"unwind|focus|concentrate|sleep|calm down|switch off|decompress)|makes? me (?:so |really )?happy|"
            r"makes? my day|"
            r"keeps? me sane)\b"
        ),
        "PREFERS",
        "{s} likes {o}.",
        None,
    ),
)
# Each of them holds one of these words.
_HINT: Final = re.compile(r"\b(?:me|us|my|first|important|sacred|everything|essential|priority|I)\b", re.IGNORECASE)
_NOTHING_BEATS: Final = re.compile(
    r"^(?:there is )?nothing (?:is )?(?:better than|beats|like|compares to|makes me happier than|I love more "
    r"than) (?P<o>.+)|"
    r"^(?:what|the thing|one thing|the part|something) (?:that )?I (?:\w+ )?(?:love|like|enjoy) (?:the "
    r")?(?:most|best)?"
    r"(?!about (?:this|that|the|your|it)\b)[^.]{0,30}? is (?P<o2>.+)",
    re.IGNORECASE,
)
_BOTHERS: Final = re.compile(
    r"^(?:what|the thing that|one thing that) (?:\w+ )?(?:annoys|bothers|irritates|bugs|upsets|scares) me "
    r"(?:the )?(?:most )?"
    r"is (?P<o>.+)|^(?:my (?:biggest |greatest |worst )?(?:pet peeve|fear|phobia|nightmare)) is (?P<o2>.+)|"
    r"^nothing (?:annoys|bothers|irritates|scares) me more than (?P<o3>.+)",
    re.IGNORECASE,
)
_BODY: Final = re.compile(
    r"^my (?:stomach|body|gut|skin|system|digestion|tummy) (?:can not|could never|does not|will not|never) "
    r"(?:really )?"
    r"(?:handle|take|tolerate|digest|like|stand|agree with) (?P<o>.+)|^my (?:stomach|body|gut|skin|system|"
    r"digestion|tummy) "
    r"(?:hates|reacts (?:badly )?to|rebels against) (?P<o2>.+)",
    re.IGNORECASE,
)
_NO_PLEASE: Final = re.compile(
    r"^(?:please,? no (?:more )?(?P<o>[\w -]{3,40}?)(?: please)?$|no (?:more )?(?P<o2>[\w -]{3,40}?),? please\b)|"
    r"^(?:please )?(?:do not ever|never(?: ever)?|do not) (?:suggest|recommend|offer|give me|send me|show me|"
    r"serve me|use|add|"
    r"include|order) (?P<o3>[\w' -]{3,40}?)(?: to me| for me| again| ever(?: again)?)(?:$| )",
    re.IGNORECASE,
)
_NO_THANKS: Final = re.compile(r"^(?:rush|worries|problem|need|way|thanks|hurry|offen[sc]e|pressure|idea|more)\b", re.I)
_PLAN_IS: Final = re.compile(
    r"^(?:my|our) (?:(?:main|big|biggest|long[- ]term|only|new|next|ultimate|personal|current|lifelong) ){0,2}"
    r"(?P<k>goal|dream|plan|aim|ambition|resolution|new year's resolution|target|hope|wish)(?: (?:for "
    r")?(?:this|next|the) "
    r"\w+| in life| right now| for \d{4})? (?:is|has always been) (?:still )?(?:to (?P<o>.+)|(?P<o2>[a-z]+ing .+))",
    re.IGNORECASE,
)
_HOME: Final = re.compile(
    r"^(?:my|our) (?:(?:new|little|tiny|small|current) )?(?:apartment|flat|house|home|place|studio|condo|loft|"
    r"cottage)"
    r"(?: is)?(?: here)? in (?P<o>.+)",
    re.IGNORECASE,
)
_HOMETOWN: Final = re.compile(r"^(?:my|our) (?:home ?town|home country|home city) is (?P<o>.+)", re.IGNORECASE)
_ADDRESS: Final = re.compile(
    r"^(?:my|our) (?:home |new |current |postal |mailing )?address is (?P<o>.+)", re.IGNORECASE
)
_WORKPLACE: Final = re.compile(
    r"^(?:my|our) (?:(?:new|current|whole) )?(?:team|office|job|department|colleagues|coworkers|manager|boss|"
    r"role|position|"
    r"internship|work)(?: here| over)? at (?P<o>.+)",
    re.IGNORECASE,
)
_MY_JOB: Final = re.compile(
    r"^as (?P<o>an? [a-z -]{3,40}?)(?: myself| by trade)?,? (?:I|my)\b|"
    r"^(?:my|his|her) (?:job|profession|occupation) is (?P<o2>.+)",
    re.IGNORECASE,
)
_BIRTHDAY: Final = re.compile(r"^my (?:birthday|bday|birth date|date of birth) is (?:on )?(?P<o>.+)", re.IGNORECASE)


def said_of_things(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """What a clause says about a thing and whoever speaks."""
    yield from _triggers(clause, thread)
    yield from _judged(clause, thread)
    yield from _of_life(clause, thread)
    for found in wordings.OWN.finditer(clause.text):
        owner = owner_of(found[0].split()[0], clause, thread)
        name = found["c"] or found["o"]
        if owner is not None and (found["c"] or name.lower() in PETS):
            says = f"{{s}} has {with_article(name)}."
            kind = object_type(name)
            yield draft(clause, thread, owner, "RELATES_TO", name, says, relation="has", kind=kind, strength=0.6)


def _triggers(clause: Clause, thread: Thread) -> Iterator[Draft]:
    found = wordings.EMOTION.match(clause.text)
    emotion = EMOTIONS.get((found["e"] or found["v"]).lower()) if found else None
    name = noun_phrase(found["o"]) if found else None
    if emotion and name:
        predicate = "PREFERS" if emotion in PLEASANT else "DISLIKES"
        says = "{o} always makes {s} feel " + emotion + "."
        kind = object_type(name)
        yield draft(clause, thread, thread.voice.me, predicate, name, says, emotion=emotion, kind=kind)


def _judged(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """What someone thinks of things: `jazz is my go-to`, `family comes first`, `crowds stress me out`."""
    me, text = thread.voice.me, clause.text
    for pattern, predicate, says, relation in _OF_THINGS if _HINT.search(text) and not text.startswith("I ") else ():
        found = pattern.match(text)
        if found is None or _NOT_A_THING.match(_first(found)):
            continue
        said = _first(found)
        single = noun_phrase(said)
        for name in things(said)[:3] if re.search(r" (?:and|or) ", said) else [single] if single else []:
            kind = object_type(name)
            yield draft(clause, thread, me, predicate, name, says, relation=relation, kind=kind)
        return
    for asked, predicate, says in (
        (_NOTHING_BEATS, "PREFERS", "{s} loves {o}."),
        (_BOTHERS, "DISLIKES", "{s} cannot stand {o}."),
        (_BODY, "DISLIKES", "{s} cannot take {o}."),
        (_NO_PLEASE, "DISLIKES", "{s} does not want {o}."),
    ):
        if (found := asked.match(text)) and not _NO_THANKS.match(_first(found)):
            for name in things(_first(found).split(", ")[0])[:1]:
                yield draft(clause, thread, me, predicate, name, says, kind=object_type(name))


_NOT_A_THING: Final = re.compile(
    r"(?:I|we|you|your|there|here|today|yesterday|tomorrow|which|who|only|so)\b", re.IGNORECASE
)


def _of_life(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """Home, work, birthday and goals told by their nouns: `my address is`, `our team at`, `my dream is`."""
    me, text = thread.voice.me, clause.text
    found = _PLAN_IS.match(text)
    name = verb_phrase(found["o"] or found["o2"], trivial=frozenset()) if found else None
    if found and name:
        says = f"{{s}}'s {found['k'].lower()} is to {{o}}."
        aim = EntityType.ACTIVITY
        yield draft(clause, thread, me, "CARES_ABOUT", name, says, relation="goal", kind=aim, strength=0.8)
    for pattern, relation, says, read in _LIFE:
        if found := pattern.match(text):
            for name, kind in read(_first(found))[:1]:
                yield draft(clause, thread, me, "RELATES_TO", name, says, relation=relation, kind=kind)
            return


_LIFE: Final = (
    (_HOME, "lives in", "{s} lives in {o}.", places),
    (_HOMETOWN, "is from", "{s} is from {o}.", places),
    (_ADDRESS, "lives in", "{s} lives at {o}.", address),
    (_WORKPLACE, "works at", "{s} works at {o}.", workplaces),
    (_MY_JOB, "works as", "{s} works as {o}.", jobs),
    (_BIRTHDAY, "born on", "{s} was born on {o}.", birthdays),
)


def _first(found: re.Match[str]) -> str:
    """The group that took part: alternatives of a pattern name their objects `o`, `o2`, `o3`."""
    return next(text for text in found.groupdict().values() if text is not None)
