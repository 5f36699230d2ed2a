"""Read English facts that a noun states: `our cleaner is Beata now`, `Gill the physio`, `crowds are not for me`.

The head noun says which slot its value fills: a role has a person, a lesson a day, a bank the name of a firm, a phone a
model. A role beside a name is found anywhere in a clause. These rules apply in addition to the others.
"""

import re
from collections.abc import Iterator
from typing import Final

from extraction.rules.en.constructions import NAME
from extraction.rules.en.frames import OWNER, owner_in, read_brand, read_one_thing, read_product
from extraction.rules.en.objects import PLACES
from extraction.rules.en.slot_table import DEVICES, ROLES, SERVICES, TIMED
from extraction.rules.en.statements import AMOUNT
from extraction.rules.en.word_classes import any_of
from extraction.rules.engine import Clause, DiscourseState, Draft, draft
from extraction.text.lexicon_en import CHILD_NAME, KIN, KIN_NAME, KIN_PATTERN, MANY_KIN, MONTHS, NOT_NAMES, PETS
from schema.entity import EntityType

_NAME: Final = f"(?-i:{NAME})"
_NEW: Final = r"(?:(?:new|current|usual|regular|actual|main|latest|old|lovely|own) ){0,2}"
_IS: Final = (
    r"(?: (?:now|these days|at the moment))?(?: is| are|:|,| has become| became| will be|'s)(?: now| called| named|"
    r" currently| actually| still)*"
)
_NOW: Final = r"(?: now| these days| from now on| at the moment)?"
_ROLE: Final = any_of(ROLES)
_DAY: Final = (
    r"(?:(?:every |on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:and|to|or) (?:mon|tues|wednes|thurs|fri|"
    r"satur|"
    r"sun)days?)?(?: (?:morning|afternoon|evening|night|lunchtime)s?)?(?: at \d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?)?|"
    r"(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?(?: ?(?:to|till|until|-|–) ?\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)?)|"
    r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)|\d{1,2}[:.]\d\d|half past \w+|noon|midday)"
    r"|(?:the )?(?:\d{1,2}(?:st|nd|rd|th)|first|last) of (?:the|every|each) month|weekends|weekdays|mornings|evenings)"
)
_CHANGED_TO: Final = (
    r"(?: (?:has|have|had))?(?: been| just| now| been just)* (?:moved|switched|changed|shifted|rescheduled|swapped|"
    r"pushed)"
    r"(?: back| forward)?(?: from (?P<old>[\w: ]{2,20}?))? (?:to|till|until)"
)

# Patterns of whole clauses

_ROLE_IS: Final = re.compile(
    rf"^(?:{OWNER} )?{_NEW}(?P<r>{_ROLE}){_IS} (?:an? (?:[a-z]+ )?(?:guy|man|woman|lady|girl|bloke|lad|chap|person) "
    rf"(?:called|named) )?(?P<o>{_NAME})(?=$|[,.;!(]| (?:now|not|and|these|from|at|since|who|"
    rf"for)\b)"
    rf"(?:{_NOW},? (?:and )?not (?P<old>{_NAME}))?",
    re.IGNORECASE,
)
_TIMED_IS: Final = re.compile(
    rf"^(?:(?:{OWNER}|(?:mon|tues|wednes|thurs|fri|satur|sun)day's) )?{_NEW}(?P<r>{any_of(TIMED)})(?:{_CHANGED_TO}| "
    rf"(?:is|are)(?: now| always| back)?(?: on| at)?) "
    rf"(?P<o>{_DAY})(?=$|[,.;!]| (?:now|not|instead|from|again|and|because|since)\b)",
    re.IGNORECASE,
)
_SERVICE_IS: Final = re.compile(
    rf"^(?:{OWNER} )?{_NEW}(?P<r>{any_of(SERVICES)}) (?:is|are)(?: now| with| through| from| currently)* "
    r"(?P<o>(?-i:[A-Z]).+)",
    re.IGNORECASE,
)
_DEVICE_IS: Final = re.compile(
    rf"^(?:the|my|our) {_NEW}(?P<r>{any_of(DEVICES)})(?: (?:that )?(?:I|we) (?:now |usually |mostly |actually )?(?:use|"
    rf"have|drive|own|play|ride|"
    r"shoot with|got|bought|type on))?(?: is|'s|:) (?:now )?(?P<o>(?:an? |the )?(?:[a-z-]+ ){0,2}?(?-i:[A-Z]).+)",
    re.IGNORECASE,
)
_TAKEN_BY_OTHERS: Final = re.compile(
    r"^(?:some(?:one|body)|thieves|some (?:idiot|kids?|git|thief)|they|the (?:movers|airline|ex|burglars?)) (?:has |"
    r"have |just |"
    r"went and )*(?:nicked|stole|stolen|took|taken|pinched|swiped|crashed into|wrecked|smashed|broke|lost|towed) my "
    r"(?P<o>.+)",
    re.IGNORECASE,
)
_GONE: Final = re.compile(
    r"^(?:my|our) (?:old |trusty |poor |beloved )?(?P<o>[a-z-]+(?: [a-z-]+)?) (?:has |have |was |were |got |is |are |"
    r"finally |just |been )*"
    r"(?:nicked|stolen|pinched|sold|scrapped|totalled|written off|towed)\b(?! again)",
    re.IGNORECASE,
)
_PET_GONE: Final = re.compile(
    r"^(?:my|our|the) (?:[a-z-]+ ){0,2}?(?P<k>"
    + any_of("|".join([*PETS, "lab"]))
    + rf") (?P<o>{_NAME}) (?:has |sadly |just |finally )*"
    r"(?:died|passed away|passed on|passed|is gone|went to sleep|was put down|had to be put down|got put to sleep)\b",
    re.IGNORECASE,
)
_VISIT: Final = re.compile(
    r"^(?:the|our|my|an?) (?P<o>(?:[a-z]+ ){0,2}?(?:man|guy|woman|engineer|plumber|electrician|movers|builders|builder|"
    r"surveyor|inspector|cleaner|locksmith|technician|carpet fitters|decorators|landlord|estate agent|chimney sweep|"
    r"vet|midwife|tuner|piano tuner|gardener|health visitor|removal men|fitter|roofer)) (?:is|are|will be) (?:coming|"
    r"due|here|visiting)"
    r"(?: round| over| in| by)?(?: again)?(?: on| at| this| next)? (?:mon|tues|wednes|thurs|fri|satur|sun|tomorrow|"
    r"the \d|\d)",
    re.IGNORECASE,
)
_FAVOURITE_WAY: Final = re.compile(
    r"^(?:my|our) (?:absolute |all-time )?favou?rite (?:way|thing|part|bit|place|time)(?: (?:to|of|about|in|for) "
    r"[^,]{2,40}?)? is (?P<o>.+)",
    re.IGNORECASE,
)
_SPLIT_UP: Final = re.compile(
    rf"^(?P<o>{_NAME}) and (?:I|me) (?:have |are |just |finally |sadly |officially )*(?P<v>split up|split|broke up|"
    rf"broken up|"
    r"separated|divorced|engaged|married|a couple|an item|dating|together|getting married|got married|got engaged|"
    r"finished|over|done)\b(?P<not> any)?",
    re.IGNORECASE,
)
_PAIR: Final = {
    "engaged": "engaged to",
    "got engaged": "engaged to",
    "getting married": "engaged to",
    "married": "married to",
    "got married": "married to",
    "a couple": "partner",
    "an item": "partner",
    "dating": "partner",
    "together": "partner",
}
# The thing comes first: "cilantro tastes of soap to me", "aisle seat for me, always"
_THING: Final = (
    r"^(?P<o>(?!(?:give|I|we|that|this|it|these|those|he|she|they|you|there|what|which|who|only|"
    r"today)\b)[A-Za-z][\w' -]{1,40}?)"
)
_LIKED: Final = re.compile(
    _THING + r"(?: (?:for|over) (?:me|us|[a-z ]{2,20}))?,? (?:any day|every time|all the way|all day long|always|"
    r"forever)(?: of the week)?(?: (?:for|with) (?:me|us))?$|"
    + _THING.replace("?P<o>", "?P<o2>")
    + r" (?:is|are) (?:my |our )(?:kind of (?:thing|music|food|place|night)|religion|drug of choice|happy place|"
    r"love language|comfort \w+|cup of tea|go-?to\b.{0,20}|soft spot|weekend ritual|one vice|big love|thing)$|"
    + _THING.replace("?P<o>", "?P<o3>")
    + r" (?:never (?:gets? old|fails?|disappoints?)|(?:is|are) (?:hard to beat|the bee's knees|where it is at|life|"
    r"my life|everything to me)|does it for me|gets me every time|wins? every time|beats? everything)$|"
    r"^give me (?:an? |the |some )?(?P<o4>[\w' -]{2,40}?) (?:over (?:an? |the )?(?P<no>[\w' -]{2,30}?) )?(?:any day|"
    r"every time|any time|all day)|"
    r"^(?:you |one )?can ?not beat (?:an? |the |a good )?(?P<o5>[\w' -]{3,40})$",
    re.IGNORECASE,
)
_DISLIKED: Final = re.compile(
    _THING
    + r" (?:tastes?|smells?) (?:of|like) [a-z ]{2,20} to me\b|"
    + _THING.replace("?P<o>", "?P<o2>")
    + r" (?:always |really |just |still )?(?:makes? me (?:gag|shudder|retch|heave|want to (?:scream|vomit|cry|run))|"
    r"turns? my stomach|gives? me (?:the (?:creeps|ick|shivers|heebie-jeebies)|nightmares|a headache|vertigo)|"
    r"puts? me off|winds? me up|does nothing for me|do nothing for me|drives? me (?:mad|crazy|nuts|bananas|round the "
    r"bend)|leaves? me cold|"
    r"(?:is|are) (?:wasted on me|lost on me|not my (?:bag|scene|thing|cup of tea)|my (?:pet hate|pet peeve|idea of "
    r"hell|"
    r"kryptonite|nemesis)))\b|"
    r"^you can keep (?:your |the )?(?P<o3>[a-z][\w' -]{2,30})$|"
    r"^keep (?P<o4>[a-z][\w' -]{2,30}?) (?:away from|off) (?:me|my plate)\b|"
    r"^(?:please )?(?:anything but|never ever|absolutely no) (?P<o5>[a-z][\w' -]{2,30})$",
    re.IGNORECASE,
)

_DEVICE_RUNS: Final = re.compile(
    rf"^(?:my|our) {_NEW}(?:work )?(?P<r>{any_of(DEVICES)}) (?:runs|is running|uses)(?: on)? (?P<o>(?-i:[A-Z]).+)",
    re.IGNORECASE,
)
_MONTH: Final = f"(?:{'|'.join(sorted(MONTHS))})"
_DATE: Final = rf"(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?)"
_DATE_IS: Final = re.compile(
    rf"^{OWNER} (?P<r>(?:wedding )?anniversary|name day|due date) (?:is|falls)(?: always)?(?: on)? (?P<o>{_DATE})\b",
    re.IGNORECASE,
)
_AMOUNT_IS: Final = re.compile(
    r"^(?:(?P<w>my|our) )?(?:monthly |weekly |yearly |annual |current |new )?(?P<r>rent|salary|wages?|mortgage|pension|"
    r"budget|hourly rate|pocket money|car payment)(?:'s)?(?: is| are| has| have| just| now| still)* (?:(?:gone|going|"
    r"went|go|been put|risen|dropped|fallen|increased)(?: (?:up|down))?(?: again)? to )?"
    rf"{AMOUNT}",
    re.IGNORECASE,
)
_KNOWS: Final = re.compile(
    rf"^(?:I|[Ww]e) (?:only |just |also )?(?:know|have known) (?P<o>{NAME}) (?:from|through|since) (?:my |the |our |"
    rf"high |primary |old )?(?:uni|university|school|work|"
    r"college|church|choir|home|childhood|army|gym|nursery|club|job|neighbourhood|days|[a-z]+ class)\b"
)
_NAMED_BABY: Final = re.compile(
    rf"^(?:I|[Ww]e) (?:have |are |are going to |will |finally |just )*(?:named|called|calling|naming|call|name) "
    rf"(?:the|our|my) (?:new |little )?(?P<k>baby|boy|girl|"
    rf"son|daughter|puppy|kitten|dog|cat|hamster|rabbit) (?P<o>{NAME})(?=$|[,.;!]| (?:after|because|and|if)\b)"
)
_PETS_NAME: Final = re.compile(
    rf"^(?:[Tt]he|[Oo]ur|[Mm]y) (?:new |little |old )?(?P<k>{any_of('|'.join(PETS))})'s name is (?P<o>{NAME})(?=$|"
    rf"[,.;!]| (?:and|but|because)\b)"
)

# Patterns anywhere in a clause

_ROLE_NAME: Final = re.compile(
    rf"\b(?P<w>[Mm]y|[Oo]ur) (?!(?:former|previous|ex|last|old) (?!friend|mate|pal))(?:[a-z-]+ ){{0,1}}?"
    rf"(?P<r>{_ROLE}),? (?P<o>{NAME})(?!'s)\b"
)
_NAME_ROLE: Final = re.compile(
    # Only from the start of a word, because trying each of its letters takes a millisecond more.
    rf"(?<![\w'-])(?P<o>{NAME}) ?(?:\(|, |, (?:he|she|that|who) (?:is|'s|is)|,? (?:who is|that is|he is|"
    rf"she is))? ?(?P<w>my|our|the) "
    rf"(?:[a-z-]+ ){{0,1}}?(?P<r>{_ROLE}|{KIN_PATTERN})(?=$|[,.;:!)]| (?:needs|"
    rf"wants|has|is|says|also|and|who|from|at|will|can|in|on|for)\b)"
)
# "I'm learning Mandarin with a teacher called Liu Yang"
_ROLE_CALLED: Final = re.compile(
    rf"\b(?:I|[Ww]e)\b.{{3,40}}? (?:with|from|by) an? (?P<r>teacher|tutor|coach|instructor|trainer|therapist) "
    rf"(?:called|named) "
    rf"(?P<o>{NAME})"
)
_THIRD_ROLE: Final = re.compile(
    rf"^(?:he|she|that) is (?P<w>my|our) (?:[a-z-]+ ){{0,2}}?(?P<r>{_ROLE}|"
    rf"{KIN_PATTERN})(?=$|[,.;:!)]| (?:on|and|from|at|too|by|but|in)\b)",
    re.IGNORECASE,
)
_TITLED: Final = re.compile(
    # Not "Bart's cousin Oliver" or "his uncle Ray".
    r"(?<!'s )(?<!’s )(?<!his )(?<!her )(?<!their )\b(?P<r>[Gg]randma|[Gg]randpa|[Gg]ranny|[Gg]ran|[Nn]an|"
    r"[Nn]ana|[Gg]randad|[Aa]unt|[Aa]untie|[Uu]ncle|[Tt]ío|[Tt]ía|[Cc]ousin) (?P<o>[A-Z][a-z]+)\b(?!'s)"
)
_TITLE_NAME: Final = {
    "granny": "grandmother",
    "gran": "grandmother",
    "nan": "grandmother",
    "nana": "grandmother",
    "grandad": "grandfather",
    "auntie": "aunt",
    "tío": "uncle",
    "tía": "aunt",
}
_OF_THIRD: Final = re.compile(
    r"\b(?:his|her) (?P<r>husband|wife|girlfriend|boyfriend|partner|fiancé|fiancée|son|daughter|brother|sister) "
    r"(?P<o>[A-Z][a-z]+)\b"
)
_SPOUSES: Final = frozenset(("husband", "wife"))
_TWO_KIN: Final = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur) (?:[a-z-]+ ){{0,1}}?(?P<k>in-laws|nephews|nieces|flatmates|housemates|neighbours|neighbors|"
    rf"uncles|aunts|"
    rf"boys|girls|stepsons|stepdaughters|colleagues|godchildren|grandsons|granddaughters|toddlers|babies|managers|"
    rf"bosses),? (?P<n>{NAME}) (?:and|&) (?P<n2>{NAME})"
)
_ONE_OF: Final = {
    "in-laws": "in-law",
    "babies": "baby",
    "godchildren": "godchild",
    "bosses": "boss",
    "boys": "son",
    "girls": "daughter",
}


def read_noun_slots(clause: Clause, state: DiscourseState, found: list[Draft]) -> Iterator[Draft]:
    """Yield what the head nouns of a clause state, unless the other rules found it."""
    known = {(one.subject, one.object.lower()) for one in found}
    stated = list(_beside_names(clause, state))
    if not found:
        stated += list(_attributes(clause, state)) or list(_opinions(clause, state))
    for one in stated:
        if (one.subject, one.object.lower()) not in known:
            yield one


def _attributes(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    for pattern, read in _READERS:
        if found := pattern.match(clause.text):
            yield from read(found, clause, state)
            return


def _role_is(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    owner, noun = owner_in(found["w"], clause, state), found["r"].lower()
    if owner is not None and _is_person(found["o"]):
        yield _role(clause, state, owner, noun, found["o"])
        if found["old"]:
            yield _role(clause, state, owner, noun, found["old"], closes=True)


def _timed_is(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    owner, noun = owner_in(found["w"], clause, state), found["r"].lower()
    if owner is not None:
        yield _fact(clause, state, owner, noun, found["o"].removeprefix("on "), f"{{s}}'s {noun} is on {{o}}.")
        if found["old"]:
            says = f"{{s}}'s {noun} is no longer on {{o}}."
            yield _fact(clause, state, owner, noun, found["old"], says, closes=True)


def _service_is(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    owner = owner_in(found["w"], clause, state)
    for one in read_brand(found["o"]) if owner is not None else ():
        yield _fact(clause, state, owner or "", "uses", one.name, f"{{s}}'s {found['r'].lower()} is {{o}}.")


def _device_is(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    for one in read_product(found["o"]):
        yield _fact(clause, state, state.speaker.me, "has", one.name, "{s} has {o}.")


def _gone(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    for one in read_product(found["o"])[:1]:
        yield _fact(clause, state, state.speaker.me, "has", one.name, "{s} no longer has {o}.", closes=True)


def _pet_gone(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    kind, says = found["k"].lower(), f"{{o}} was {{s}}'s {found['k'].lower()}."
    yield _fact(clause, state, state.speaker.me, kind, found["o"], says, closes=True, kind=EntityType.ANIMAL)


def _visit(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    says = "{s} expects the " + found["o"] + "."
    name = f"{found['o']} coming"
    yield draft(clause, state, state.speaker.me, "CARES_ABOUT", name, says, relation="plan", strength=0.7)


def _pair(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    if _is_person(found["o"]):
        ended = found["v"].lower() not in _PAIR or found["not"] is not None
        relation = _PAIR.get(found["v"].lower(), "partner")
        says = "{o} is no longer {s}'s partner." if ended else f"{{s}} is {relation} {{o}}."
        yield _fact(clause, state, state.speaker.me, relation, found["o"], says, closes=ended, kind=EntityType.PERSON)


def _device_runs(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    for one in read_brand(found["o"]):
        yield _fact(clause, state, state.speaker.me, "uses", one.name, f"{{s}}'s {found['r'].lower()} runs {{o}}.")


def _value_is(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    owner, noun = owner_in(found["w"], clause, state), found["r"].lower()
    if owner is not None:
        value = found["o"].strip().removeprefix("the ")
        yield _fact(clause, state, owner, noun, value, f"{{s}}'s {noun} is {{o}}.")


def _knows(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    if _is_person(found["o"]):
        yield _fact(clause, state, state.speaker.me, "knows", found["o"], "{s} knows {o}.", kind=EntityType.PERSON)


def _called(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    word = CHILD_NAME.get(found["k"], found["k"])
    kind = EntityType.ANIMAL if word in PETS else EntityType.PERSON
    if _is_person(found["o"]):
        state.third = found["o"]
        yield _fact(clause, state, state.speaker.me, word, found["o"], f"{{o}} is {{s}}'s {word}.", kind=kind)


_READERS: Final = (
    (_NAMED_BABY, _called),
    (_PETS_NAME, _called),
    (_DEVICE_RUNS, _device_runs),
    (_DATE_IS, _value_is),
    (_AMOUNT_IS, _value_is),
    (_KNOWS, _knows),
    (_ROLE_IS, _role_is),
    (_TIMED_IS, _timed_is),
    (_SERVICE_IS, _service_is),
    (_DEVICE_IS, _device_is),
    (_TAKEN_BY_OTHERS, _gone),
    (_GONE, _gone),
    (_PET_GONE, _pet_gone),
    (_VISIT, _visit),
    (_SPLIT_UP, _pair),
)


def _opinions(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    text, me = clause.text, state.speaker.me
    if clause.momentary or re.match(r"(?:I|we) ", text):
        return
    for pattern, predicate, says in (
        (_FAVOURITE_WAY, "PREFERS", "{s} likes {o}."),
        (_LIKED, "PREFERS", "{s} likes {o}."),
        (_DISLIKED, "DISLIKES", "{s} does not like {o}."),
    ):
        found = pattern.match(text)
        if found is None:
            continue
        groups = found.groupdict()
        other = groups.pop("no", None)
        said = next((said for said in groups.values() if said), "")
        for one in read_one_thing(said)[:1]:
            yield draft(clause, state, me, predicate, one.name, says, kind=one.object_type)
        for one in read_one_thing(other)[:1] if other else ():
            yield draft(
                clause, state, me, "DISLIKES", one.name, "{s} likes {o} less.", kind=one.object_type, strength=0.5
            )
        return


def _beside_names(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield roles and relatives beside a name: `my editor Tao`, `Jean, that's my sister`, `her husband Femi`."""
    for noun, name in _named_roles(clause):
        if _is_person(name):
            yield _role(clause, state, state.speaker.me, noun, name)
    owner = clause.third
    for found in _OF_THIRD.finditer(clause.text) if owner and owner[0].isupper() else ():
        if owner is not None and owner != found["o"] and _is_person(found["o"]):
            relation = "married to" if found["r"] in _SPOUSES else found["r"]
            says = f"{{o}} is {{s}}'s {found['r']}."
            yield _fact(clause, state, owner, relation, found["o"], says, kind=EntityType.PERSON)


def _named_roles(clause: Clause) -> Iterator[tuple[str, str]]:
    """Yield roles of people for the speaker, with their names."""
    text = clause.text
    for found in _ROLE_NAME.finditer(text):
        yield found["r"].lower(), found["o"]
    for found in _NAME_ROLE.finditer(text):
        # "Visit my aunt" asks for something.
        is_request = found.start("o") == 0 and not text[found.end("o") : found.start("w")].strip()
        if not is_request and (found["w"] != "the" or found["r"].lower() in _BARE_ROLES):
            yield found["r"].lower(), found["o"]
    for found in _ROLE_CALLED.finditer(text):
        yield found["r"].lower(), found["o"]
    if (third := _THIRD_ROLE.match(text)) and clause.third and clause.third[0].isupper():
        yield third["r"].lower(), clause.third
    for found in _TITLED.finditer(text):
        word = found["r"].lower()
        yield _TITLE_NAME.get(word, word), found["o"]
    for found in _TWO_KIN.finditer(text):
        word = _ONE_OF.get(found["k"], found["k"].removesuffix("s"))
        yield word, found["n"]
        yield word, found["n2"]


_BARE_ROLES: Final = frozenset(
    (
        "physio",
        "vet",
        "dentist",
        "plumber",
        "cleaner",
        "gardener",
        "builder",
        "electrician",
        "midwife",
        "nanny",
        "surgeon",
        "optician",
        "accountant",
        "childminder",
        "landlord",
        "hairdresser",
    )
)


def _is_person(name: str) -> bool:
    words = name.split()
    first = words[0].rstrip(".")
    titled = first in ("Mr", "Mrs", "Ms", "Dr", "Prof", "Miss")
    return titled or (first.lower() not in NOT_NAMES | KIN | MANY_KIN and name.lower() not in PLACES)


def _role(clause: Clause, state: DiscourseState, owner: str, noun: str, name: str, *, closes: bool = False) -> Draft:
    noun = KIN_NAME.get(noun, noun)
    says = f"{{o}} is no longer {{s}}'s {noun}." if closes else f"{{o}} is {{s}}'s {noun}."
    person = state.speaker.subject_named(name)
    return _fact(clause, state, owner, noun, person, says, closes=closes, kind=EntityType.PERSON)


def _fact(
    clause: Clause,
    state: DiscourseState,
    owner: str,
    relation: str,
    value: str,
    says: str,
    *,
    closes: bool = False,
    kind: EntityType | None = None,
) -> Draft:
    return draft(
        clause, state, owner, "RELATES_TO", value, says, relation=relation, kind=kind, strength=0.75, closes=closes
    )
