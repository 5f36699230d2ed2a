"""Read dated plans, promises, and reasons for decisions from English clauses and sentences."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from extraction.rules.en.frames import owner_in
from extraction.rules.en.objects import object_type
from extraction.rules.en.phrases import noun_phrase, verb_phrase
from extraction.rules.en.word_classes import APPOINTMENTS
from extraction.rules.engine import Clause, DiscourseState, Draft, draft
from extraction.text.english_stems import gerund
from extraction.text.lexicon_en import ANY_MONTH, KIN_PATTERN, word_set
from schema.entity import EntityType

# Future times

_WEEKDAY: Final = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|wed|thurs?|fri|sat|sun)"
_DAY: Final = r"(?:\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|fifth|twelfth|(?:twenty|thirty)-?[a-z]+)"
_SEASON: Final = (
    r"(?:spring|summer|autumn|fall|winter|new year|easter|christmas|xmas|thanksgiving|halloween|diwali|eid|ramadan|"
    r"passover|hanukkah|half[- ]term|term|the holidays|the weekend)"
)
_COUNT: Final = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few|\d{1,2})"
WHEN: Final = (
    r"(?:(?:(?:on|in|by|from|at|before|until|till|for|over|during|around|about|come|starting|this|next|the) ){0,3}"
    rf"(?:{_DAY} (?:of )?{ANY_MONTH}|{ANY_MONTH}(?: (?:the )?{_DAY}\b)?|the \d{{1,2}}(?:st|nd|rd|th)|"
    rf"{_WEEKDAY}(?! ?s\b)|tomorrow|tonight|"
    rf"next (?:week|month|year|{_SEASON}|term|time)|this (?:week|weekend|{_SEASON}|month|year|afternoon|evening)|"
    rf"in {_COUNT} (?:days?|weeks?|months?|years?|hours?)|{_COUNT} (?:days?|weeks?|months?) from now|{_COUNT} "
    rf"weeks? today|"
    rf"{_SEASON}|the end of (?:the )?(?:week|month|year|{ANY_MONTH}|{_SEASON}|term|this \w+|next \w+)|"
    r"(?:early|late|mid)[- ](?:next )?(?!again|now|for|so|and|but|with|to)[a-z]+|the (?:week|weekend|day|morning|"
    r"night) after next|\d{1,2}(?:[:.]\d\d)? "
    r"?(?:am|pm)|"
    r"(?:the )?(?:first|second|last|third) week (?:of|in) \w+|a week (?:on|today|tomorrow)(?: \w+)?)\b)"
)
_WHEN = re.compile(rf"(?:^|[ ,]){WHEN}", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:last|ago|yesterday|since|used to|every|each|always|usually|often|sometimes|normally)\b", re.IGNORECASE
)
_WHEN_SPLIT = re.compile(rf"(?:,? |^){WHEN}", re.IGNORECASE)
_CUT = re.compile(
    r"[,;:()!]| - |—| (?:because|since|so|but|if|when|which|that|where|while|and|with|for (?:my|our|his|her|the|"
    r"an?)|until|after|before|as|"
    r"without|instead|to (?:see|visit|celebrate|help|get|be|meet|do)) ",
    re.IGNORECASE,
)
_NO_PLAN = word_set(
    "thinking feeling looking wondering being doing hoping trying wanting having getting using saying asking "
    "telling sitting waiting "
    "struggling wearing living worrying considering hating loving liking enjoying suffering dying talking joking "
    "kidding guessing "
    "planning working preparing training saving practicing practising organizing organising trying turning missing "
    "needing paying freaking losing running making keeping writing reading watching "
    "listening eating drinking sleeping "
    "expecting raining snowing"
)
_GOING = re.compile(
    r"(?:(?:also|finally|now|actually|definitely|officially|still|both|all|probably) ){0,2}(?:am|is|are) (?:(?:also|"
    r"finally|now|actually|"
    r"definitely|officially|still|both|all) ){0,2}(?P<v>[a-z]+ing)(?: (?P<o>.+))?$",
    re.IGNORECASE | re.DOTALL,
)
_SCHEDULED = re.compile(
    r"(?:(?:also|finally|now|actually|definitely|officially|still|both|all) ){0,2}(?P<v>start|starts|begin|begins|"
    r"finish|finishes|fly|flies|leave|leaves|sit|sits|"
    r"go back|goes back|return|returns|travel|graduate|graduates|retire|retires|move|moves|get married|get the keys|"
    r"close on) (?P<o>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_AHEAD_VERBS = re.compile(
    r"(?:(?:have|has|just|also|finally|already|both|all) ){0,3}(?:booked|got tickets (?:to|for)|bought tickets "
    r"(?:to|for)|have tickets (?:to|for)|signed up (?:for|to)|"
    r"registered (?:for|to)|enrolled (?:in|on|for)|reserved|scheduled|rsvped to|entered|put my name down for|"
    r"arranged|applied (?:for|to)|am applying (?:for|to)|plan on|planning on|"
    r"made an appointment (?:with|at|for)|have an appointment (?:with|at)|been invited to|agreed to|got a place "
    r"(?:on|in)|pencilled in|penciled in) "
    r"(?:(?:us|me|myself|ourselves|him|her) )?(?:in |on |for |to )?(?P<o>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_TRAVEL = re.compile(
    r"(?:(?:am|is|are) (?:(?:all|both|also|finally|now) )?(?:off|going|headed|heading|travelling|traveling) to|will "
    r"be in|am in for a week in) (?P<o>(?:the )?(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)*)",
    re.IGNORECASE,
)
_LEARNING = re.compile(
    r"(?:(?:also|now|finally|just) )?(?:am|is|are) (?:also |now |finally )?learning (?P<o>to [a-z]+(?: [a-z]+)?)$",
    re.IGNORECASE,
)
_OWN_EVENT = re.compile(
    r"(?:(?:also|just|only|still|now) ){0,2}(?:have|has|have got|has got|got|am having|is having|are having|am due|"
    r"am in for|face|am booked in for|am booked for|"
    r"am scheduled for|am down for|am going to|are going to|is going to|am off to|are off to|is off to|am at)(?: "
    r"got)? (?P<o>(?!\w+ed\b|been\b|had\b|to\b|made\b).+)$",
    re.IGNORECASE | re.DOTALL,
)
_EVENT_IS = re.compile(
    r"^(?:(?P<w>my|our|his|her|the|(?:my |our )?[a-z]+'s|[A-Z][a-z]+'s) )?(?P<o>[A-Za-z][A-Za-z' -]{1,40}?) (?:is|"
    r"are|has been (?:moved|booked|pushed back|rescheduled|set)|got moved|starts?|begins?|"
    r"comes up|takes place|ends?|has moved|leaves|departs|lands|falls|opens|closes|kicks off|runs out|expires)(?: "
    r"now| booked| scheduled| set| coming up| due| happening| planned)?(?: (?:for|to|back to|on|at|in|from))? "
    r"(?P<t>.+)$",
    re.IGNORECASE,
)
_IS_EVENT = re.compile(r"^(?P<t>.{3,30}?) is (?:when )?(?:my|our|the) (?P<o>[a-z][a-z -]{2,40})$", re.IGNORECASE)
_FROM = re.compile(
    r"^from (?P<t>.{3,20}?),? (?:I|we) (?:am|are|will be) (?:in|at) (?P<o>[A-Z][\w' -]{1,30})", re.DOTALL
)
_WAS = re.compile(
    r"\b(?:was|were|had) (?:going|planning|meant|supposed|about|due)\b|\bnot\b|\bnever\b|\bno longer\b", re.IGNORECASE
)


def read_plans(clause: Clause, state: DiscourseState) -> Iterable[Draft] | None:
    """Return plans and appointments in the future; None if there are none."""
    return list(_plans(clause, state)) or None


def _plans(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    if _WAS.search(clause.text):
        return
    dated = _WHEN.search(clause.text) is not None
    ahead = dated and _PAST.search(clause.text) is None
    if ahead and (found := _FROM.match(clause.text)):
        yield _plan(clause, state, state.speaker.me, f"being in {found['o'].strip()}")
    elif (name := _own_plan(clause.rest, dated=dated, ahead=ahead)) and clause.subject is not None:
        yield _plan(clause, state, clause.subject, name)
    elif ahead:
        yield from _events(clause, state)


def _own_plan(rest: str, *, dated: bool, ahead: bool) -> str | None:
    """Return the plan of a clause's subject.

    Args:
        dated: the clause names a time.
        ahead: that time is in the future.
    """
    if ahead and (name := _doing(rest) or _appointment(rest)):
        return name
    if ahead and (found := _DUTY.match(rest)) and (name := _duty(found["v"].lower(), found["o"])):
        return name
    if dated and (found := _TRAVEL.match(rest)):
        return f"trip to {found['o']}"
    if found := _LEARNING.match(rest):
        return f"learn {found['o']}"
    return _short(found["o"]) if (found := _AHEAD_VERBS.match(rest)) else None


# "I have to renew my passport before October"
_DUTY: Final = re.compile(
    r"(?:(?:also|really|still|just|definitely|probably) ){0,2}(?:(?:have|has|need|needs)(?: got)?(?: still)? to|must|"
    r"am supposed to|is supposed to) "
    r"(?P<v>(?!be\b|do\b|get\b|go\b|have\b|know\b|say\b|tell\b|ask\b|wait\b|wake\b|work\b|find\b|leave\b|start\b|stop\b|"
    r"run\b|sleep\b|eat\b|talk\b|think\b|remember\b)"
    r"[a-z]+) (?P<o>.+)$",
    re.DOTALL,
)


def _duty(verb: str, said: str) -> str | None:
    """Return what somebody must do by a day, as a gerund with its object."""
    said = _WHEN_SPLIT.split(_CUT.split(f" {said} ")[0].strip(), maxsplit=1)[0].strip(" .")
    said = re.sub(r" (?:before|by|until|till|on|in|at)$", "", re.sub(r"\b(?:my|our) |^(?:the|an?) ", "", said))
    if not said or len(said.split()) > 5 or re.search(r"\b(?:it|that|this|you|them|him|her|me|us)\b", said):
        return None
    return f"{gerund(verb)} {said}"


def _events(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield `my exam is on the 14th`, `next Wednesday is my last exam`."""
    text = clause.text
    found = _EVENT_IS.match(text)
    if found and found["o"].lower().endswith("anniversary") and re.search(ANY_MONTH, found["t"], re.IGNORECASE):
        # The date of an anniversary is no plan.
        return
    if found:
        owner = owner_in(found["w"], clause, state) if found["w"] or clause.subject is None else state.speaker.me
        if owner is not None and _WHEN.search(" " + found["t"]) and (event := _event_name(found["o"])):
            yield _plan(clause, state, owner, event)
    elif event := _bare_event(text):
        yield _plan(clause, state, state.speaker.me, event)


def _bare_event(text: str) -> str | None:
    """Return the event of `physio at 9 tomorrow` and `next Wednesday is my last exam`; None for other clauses."""
    if (found := _EVENT_ONLY.match(text)) and _WHEN.search(" " + found["t"]) and _is_event(found["o"]):
        return _event_name(found["o"])
    found = _IS_EVENT.match(text)
    return _event_name(found["o"]) if found and _WHEN.fullmatch(" " + found["t"]) else None


# "physio at half 9 tomorrow", "marathon in October": an event with a time, and nothing else.
_EVENT_ONLY = re.compile(
    rf"^(?:(?P<w>my|our) |an? |the |another |next )?(?P<o>(?:[a-z-]+ ){{0,2}}?[A-Za-z-]+)(?: booked| scheduled)?,? "
    rf"(?P<t>(?:(?:at|in|on|for) )?(?:half \d{{1,2}}|quarter (?:past|to) \d{{1,2}}|"
    rf"\d{{1,2}}(?:[:.]\d\d)?(?: ?[ap]m)?|noon)?[ ,]?(?:{WHEN})?)$",
    re.IGNORECASE,
)


def _is_event(said: str) -> bool:
    return _head(said) in APPOINTMENTS | _DATED_NOUNS or _EVENT_DAY.fullmatch(said) is not None


def _event_name(said: str) -> str | None:
    """Return the name of an event that people plan for; None for other nouns."""
    if not _is_event(said):
        return None
    return said.lower() if _EVENT_DAY.fullmatch(said) else noun_phrase(said) or _short(said)


def _head(said: str) -> str:
    """Return the head noun of a phrase in the singular: "flights to Crete" → "flight"."""
    word = re.split(r" (?:to|for|with|in|of|at) ", said)[0].split()[-1].lower()
    return word if word in APPOINTMENTS else word.removesuffix("s")


_EVENT_DAY: Final = re.compile(
    r"(?:moving|wedding|exam|results|match|race|sports|open|graduation|launch|release|closing) day", re.IGNORECASE
)
_DATED_NOUNS: Final = word_set("lease contract flight visa passport due-date release launch school term leave job")


def _plan(clause: Clause, state: DiscourseState, subject: str, name: str) -> Draft:
    when = _WHEN.search(clause.text)
    says = f"{{s}} plans: {{o}}, {when[0].strip(' ,')}." if when else "{s} plans: {o}."
    kind = EntityType.ACTIVITY
    return draft(clause, state, subject, "CARES_ABOUT", name, says, relation="plan", kind=kind, strength=0.8)


def _short(said: str) -> str | None:
    """Return the noun phrase before punctuation, a conjunction or a time expression; None if it is vague or long."""
    said = _WHEN_SPLIT.split(_CUT.split(said + " ")[0].strip(), maxsplit=1)[0]
    return noun_phrase(said)


def _doing(rest: str) -> str | None:
    """Return a planned activity: `flying to Oslo`, `starting chemo`."""
    verb, said = _verb_ahead(rest)
    if verb is None:
        return None
    said = _WHEN_SPLIT.split(_CUT.split(f" {said} ")[0].strip(), maxsplit=1)[0].strip(" .")
    if verb in ("having", "getting") and not (_light(said) or _DONE_FOR.search(said)):
        return None
    said = re.sub(r"^(?:my|our|the|a|an) ", "", said)
    if verb in ("going", "heading") and re.match(r"to (?:the )?(?:[A-Z]|beach|coast|mountains|lake|seaside)", said):
        return f"trip {said}"
    if not said and verb not in ("moving", "retiring", "graduating", "flying", "emigrating", "marrying"):
        return None
    if len(said.split()) > 6 or re.search(r"\b(?:it|that|this|you|them)\b", said):
        return None
    return f"{verb} {said}".strip()


_DONE_FOR: Final = re.compile(
    r" (?:redone|done|fixed|installed|removed|fitted|repaired|replaced|painted|cut|operated on|checked|serviced|"
    r"delivered|tested|out|rewired|resurfaced|"
    r"renovated|extended|over|round|around|to stay)$",
    re.IGNORECASE,
)


def _verb_ahead(rest: str) -> tuple[str | None, str]:
    """Return the gerund of a verb that expresses a plan, or None, and the text after it."""
    if found := _GOING.match(rest):
        verb, said = found["v"].lower(), found["o"] or ""
        light = verb in _LIGHT and _light(said)
        if _VAGUE_TO.match(f"{verb} {said}") or (verb in _NO_PLAN and verb not in ("having", "getting") and not light):
            return None, said
        if base := _GOING_TO.match(f"{verb} {said}"):
            return gerund(base["v"]), (base["o"] or "").strip()
        return verb, said
    if found := _SCHEDULED.match(rest):
        first, *more = found["v"].lower().split()
        return " ".join((gerund(_base(first)), *more)), found["o"]
    return None, rest


_VAGUE_TO: Final = re.compile(r"going to (?:be|do|have|get|see|try|make)\b")
_GOING_TO: Final = re.compile(r"going to (?!the\b|an?\b|my\b|our\b)(?P<v>[a-z]+)(?P<o> .+)?$", re.DOTALL)
_LIGHT: Final = frozenset(("getting", "having", "running", "making"))


def _light(said: str) -> bool:
    """Return whether the object of a light verb makes it a plan: `getting married`, `having surgery`."""
    head = _short(said) or ""
    return said.lower().startswith(("married", "engaged", "promoted", "a tattoo", "braces", "a divorce")) or (
        bool(head)
        and head.split()[-1].lower()
        in APPOINTMENTS | {"baby", "puppy", "kitten", "dog", "cat", "10k", "5k", "marathon"}
    )


def _base(verb: str) -> str:
    return {"flies": "fly", "goes": "go"}.get(verb) or (verb[:-2] if verb.endswith("shes") else verb.removesuffix("s"))


def _appointment(rest: str) -> str | None:
    """Return a coming appointment or event: `the dentist`, `an interview at the library`."""
    found = _OWN_EVENT.match(rest)
    if found is None:
        return None
    name = _short(found["o"])
    if name is None:
        return None
    plain = re.split(r" (?:on|at|in|with|for|to|of) ", name)[0]
    return name if plain.split()[-1].lower() in APPOINTMENTS else None


# Promises

_PROMISED_THING: Final = re.compile(
    rf"(?:(?:have|has|just|also|already) ){{0,2}}promised (?:(?:my|our|his|her|the) (?:{KIN_PATTERN}|twins|boys|"
    rf"girls|lads|neighbours|team|class)|"
    rf"(?-i:[A-Z]\w+)|him|her|them|us|me) (?P<o>(?:an?|the|some|his|her|their|two|no) .+)",
    re.IGNORECASE | re.DOTALL,
)
_PROMISED_TO: Final = re.compile(
    rf"(?:(?:have|has|just|also|already) ){{0,2}}promised(?: (?:my|our|his|her|the) (?:{KIN_PATTERN})| "
    rf"(?-i:[A-Z]\w+)| him| her| them| us| me)? to (?P<o>.+)",
    re.IGNORECASE | re.DOTALL,
)


def read_promises(clause: Clause, state: DiscourseState) -> Iterable[Draft] | None:
    """Return the promise in `I said I'd bring the salad`; None for other clauses."""
    if clause.subject is None:
        return None
    if gift := _PROMISED_THING.match(clause.rest):
        name = noun_phrase(_CUT.split(f"{gift['o']} ")[0])
        if name:
            says = "{s} promised {o}."
            kind = EntityType.ACTIVITY
            return [draft(clause, state, clause.subject, "CARES_ABOUT", name, says, relation="promise", kind=kind)]
    if (promised := _PROMISED_TO.match(clause.rest)) and verb_phrase(promised["o"], trivial=frozenset()) is None:
        said = _WHEN_SPLIT.split(_CUT.split(f"{promised['o']} ")[0].strip(), maxsplit=1)[0].strip(" .")
        if 1 < len(said.split()) <= 8:
            says, kind = "{s} promised to {o}.", EntityType.ACTIVITY
            return [draft(clause, state, clause.subject, "CARES_ABOUT", said, says, relation="promise", kind=kind)]
    return None


# Reasons

_DECIDED: Final = {
    "cancelled": "cancelling",
    "canceled": "cancelling",
    "quit": "quitting",
    "left": "leaving",
    "switched": "switching",
    "gave up": "giving up",
    "moved": "moving",
    "stopped": "stopping",
    "chose": "choosing",
    "picked": "picking",
    "sold": "selling",
    "dropped": "dropping",
    "went with": "going with",
    "went for": "going for",
    "bought": "buying",
    "changed": "changing",
    "swapped": "swapping",
    "postponed": "postponing",
    "turned down": "turning down",
    "rejected": "rejecting",
    "decided against": "deciding against",
    "decided on": "deciding on",
    "went": "going",
    "returned": "returning",
    "skipped": "skipping",
    "retired": "retiring",
    "started": "starting",
    "took up": "taking up",
    "deleted": "deleting",
    "ditched": "ditching",
    "pulled out of": "pulling out of",
    "hired": "hiring",
    "fired": "firing",
    "declined": "declining",
    "put off": "putting off",
    "broke up with": "breaking up with",
    "closed": "closing",
    "adopted": "adopting",
    "joined": "joining",
    "took": "taking",
    "replaced": "replacing",
    "delayed": "delaying",
    "resigned": "resigning",
    "rehomed": "rehoming",
    "walked away from": "walking away from",
    "gave away": "giving away",
}
_DONE: Final = "|".join(sorted(_DECIDED, key=len, reverse=True))
# After these, "over" names what was not taken: "I chose tea over coffee".
_CHOSE: Final = frozenset(
    ("chose", "picked", "went", "went with", "opted for", "bought", "hired", "took", "took up", "joined")
)
_REASON: Final = re.compile(
    rf"^(?:I|we) (?:(?:have|had|finally|just|only|also|even|recently|actually) ){{0,2}}(?P<v>{_DONE})(?P<o> "
    rf"[^,;]{{1,60}}?)?,? "
    r"(?:mostly |mainly |largely |partly |purely |simply |only |just )?(?:because of|due to|on account of|"
    r"(?P<over>over)|thanks to|for the sake of|down to) (?P<c>.+)",
    re.IGNORECASE | re.DOTALL,
)
_THE_REASON: Final = re.compile(
    rf"^(?:the (?:main |real |only |whole )?reason|why) (?:(?:that|why) )?(?:I|we) (?:(?:have|had|finally|just|"
    rf"only) ){{0,2}}(?P<v>{_DONE})(?P<o> [^,;]{{1,60}}?)? "
    r"(?:is|was) (?:mostly |mainly |simply |just |purely )?(?P<c>.+)",
    re.IGNORECASE | re.DOTALL,
)
# "we moved because the schools are better here"
_BECAUSE: Final = re.compile(
    rf"^(?:I|we) (?:(?:have|had|finally|just|only|also|even|recently|actually) ){{0,2}}(?P<v>{_DONE})(?P<o> "
    rf"[^,;]{{1,60}}?)?,? (?:because|since|as|cause|cos|coz) (?P<c>(?:the|my|our|his|her|their|it|they|nobody|"
    rf"everyone|"
    r"everything|I|we) .+)",
    re.IGNORECASE | re.DOTALL,
)
_BECAUSE_HINT: Final = re.compile(
    r"because|since|\bcos\b|\bcoz\b|\bcause\b|\bas\b|because of|due to|account of|over|thanks to|reason|sake of|"
    r"down to|why",
    re.IGNORECASE,
)


def read_reasons(text: str, clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield the reason for a decision: `I cancelled the gym because of the price hike`."""
    if _BECAUSE_HINT.search(text) is None:
        return
    for pattern in (_REASON, _THE_REASON):
        found = pattern.match(text)
        cause = noun_phrase(_CUT.split(f"{found['c']} ")[0]) if found else None
        if found is None or cause is None or len(cause.split()) > 5:
            continue
        if found["v"].lower() in _CHOSE and found.groupdict().get("over"):
            return
        effect = " ".join(f"{_DECIDED[found['v'].lower()]} {found['o'] or ''}".split())
        if len(effect.split()) <= 7:
            yield draft(
                clause, state, effect, "CAUSED_BY", cause, "The reason for {s} was {o}.", kind=object_type(cause)
            )
        return
    if found := _BECAUSE.match(text):
        cause = re.sub(r"^(?:the|my|our) ", "", re.split(r"[,;.!?]| and | so ", found["c"])[0].strip())
        effect = " ".join(f"{_DECIDED[found['v'].lower()]} {found['o'] or ''}".split())
        if 1 < len(cause.split()) <= 8 and len(effect.split()) <= 7:
            yield draft(clause, state, effect, "CAUSED_BY", cause, "The reason for {s} was {o}.")
