"""Read English clauses with several facts or with a noun as their subject: `my new mobile is …`.

A frame is a pattern with named groups and the facts that they state. The subject of a frame's facts is the clause's
subject, or the owner that its group `w` names: "my", "my sister's", "Clara's".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from extraction.reader import THE_USER
from extraction.rules.en.clauses import kin_named, with_article
from extraction.rules.en.objects import (
    AT_HAND,
    LASTING_THE,
    PLACES,
    object_type,
    places,
    proper,
    workplaces,
)
from extraction.rules.en.phrases import noun_phrase, things
from extraction.rules.en.word_classes import ALLERGENS, DOSE, JOB, MEDICINE, SLOTS, SOFTWARE, THINGS
from extraction.rules.engine import Clause, DiscourseState, Draft, ObjectPhrase, draft
from extraction.text.lexicon_en import (
    ARTICLES,
    CHILD_NAME,
    FEMALE_KIN,
    KIN_PATTERN,
    MALE_KIN,
    MANY_KIN,
    NOT_NAMES,
    PETS,
    PRONOUNS,
    VAGUE,
    word_set,
)
from schema.entity import EntityType

Reader = Callable[[str], Sequence[ObjectPhrase]]

# Readers of the text of a group


def proper_name(kind: EntityType | None) -> Reader:
    def read(text: str) -> list[ObjectPhrase]:
        name = proper(text.strip())
        return [ObjectPhrase(name, kind)] if name else []

    return read


_COUNTED = re.compile(
    r"^(?:(?:a|an|the|my|our|his|her|their|own|only|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d{1,3}|"
    r"some|new|newer|brand-new|brand|second-hand|secondhand|used|old|older|little|big|pair|couple|of|"
    r"few|several|another|cheap|nice|lovely|proper|actual|beautiful|gorgeous|cute|good) ){0,5}",
    re.IGNORECASE,
)
_THING_END = re.compile(
    r"(?:[;:()]| - |—|, (?!(?:and|an?|two|three|one) )| (?:at|that|which|who|named|called|with|for|because|to|full|"
    r"since|so|but|last|this|when|while|if|behind|near|on|in|from|by|just|yesterday|today|now|these|again|via|off|"
    r"after|"
    r"before|during|until|is|are|was|were|as|lately|recently|already|instead|off|back|finally|anymore)\b).*",
    re.IGNORECASE | re.DOTALL,
)


_NAMED = re.compile(r" (?:named|called) (?-i:[A-Z])", re.IGNORECASE)


def possessions(text: str) -> list[ObjectPhrase]:
    """Return the belongings and animals of a list: `an induction hob and an air fryer`.

    Skip animals with a name: `a dog named Rex` states the name (`constructions`), which two dogs do not share.
    """
    found: list[ObjectPhrase] = []
    named = _NAMED.search(text) is not None
    text = text.replace("black and white", "black-and-white")
    for piece in re.split(r",? and |, ", _THING_END.sub("", text.strip()))[:6]:
        name = piece.strip()[_COUNTED.match(piece.strip()).end() :].strip(" .!?")  # type: ignore[union-attr]
        words = name.lower().split()
        if not words or len(words) > 4 or words[0] in PRONOUNS or not _NOT_IN_NAME.isdisjoint(words):
            return found
        if named and words[-1] in PETS:
            continue
        if words[-1] in THINGS or (_PRODUCT.match(name) and words[0] not in NOT_NAMES):
            found.append(ObjectPhrase(name, EntityType.ANIMAL if words[-1] in PETS else None))
    return found


_NOT_IN_NAME: Final = word_set(
    "always including signed liked loved wanted thought learned heard the my our his her a an over up off never not "
    "no any your this that custody of given handed sold lost had "
    "gone been no"
)
_CONSUMED: Final = word_set(
    "coffee coffees tea ticket tickets sandwich pizza lunch dinner breakfast groceries food drink drinks beer beers "
    "wine gift gifts present presents flowers cake "
    "bread milk snacks stuff things bits time round meal pieces piece recipes recipe takeaway book books one ones "
    "mind idea days chocolate "
    "sweets icecream water petrol gas fuel plane train bus "
    "something anything everything bug cold habit accent skill skills story stories lot bunch"
)

# "A red, eagle-shaped kite": the noun follows after the comma.
_NO_NOUN: Final = word_set(
    "red blue green yellow black white grey gray brown pink purple orange golden silver big small little tiny huge "
    "old new lovely beautiful nice cute cheap expensive second-hand used shiny long short tall round square colorful "
    "colourful"
)


def read_goods(text: str) -> list[ObjectPhrase]:
    """Return what someone bought or inherited, except consumables such as food: `a Vitamix`."""
    if found := possessions(text):
        return found
    piece = re.split(r",? and |, ", _THING_END.sub("", text.strip()))[0].strip()
    name = piece[_COUNTED.match(piece).end() :].strip(" .!?")  # type: ignore[union-attr]  # matches empty too
    words = name.lower().split()
    if not 0 < len(words) <= 4 or words[0] in PRONOUNS or words[-1] in _CONSUMED | _NO_NOUN or words[-1] in VAGUE:
        return []
    return [ObjectPhrase(name, EntityType.THING)] if _NOT_IN_NAME.isdisjoint(words) else []


_MODEL = re.compile(
    r"^(?:(?!for |at |to |in |with |from |on |by |of |and |like |called |named |near |outside )(?:an?|the|my|our|his|"
    r"her|now|[a-z][a-z-]+|\d{4}|\d-door) ){0,5}(?P<n>[A-Z][\w-]*(?: (?:[A-Z\d][\w.-]*|i\d)){0,4})"
)


_EXAMS: Final = re.compile(r"(?:GCSEs?|A-?[Ll]evels?|SATs?|AS levels|IELTS|TOEFL|LSAT|MCAT|Highers|O-levels|Abitur)\b")


def read_product(text: str) -> list[ObjectPhrase]:
    """Return a make or model, without its colour and age, or a belonging: `a red Skoda Octavia`, `a van`."""
    found = _MODEL.match(text.strip())
    if found is not None and _EXAMS.match(found["n"]):
        return []
    if found is not None and found["n"].split()[0].lower() not in NOT_NAMES:
        return [ObjectPhrase(found["n"].rstrip("."), EntityType.THING)]
    return possessions(text)


# A model, such as "Pixel 9" or "ThinkPad X1".
_PRODUCT = re.compile(r"^[A-Z][\w-]+(?: [A-Z][\w-]+){0,2} ?[A-Z]?\d[\w-]*$|^[A-Z][a-z]+[A-Z]\w+$")
_DOSED = re.compile(
    r"(?:(?:an?|the|my|his|her|about|around|just|only|his|daily|low-dose|of|some|prescribed|prescription|weekly|"
    r"half|whole) ){0,3}"
    rf"(?:(?P<d>{DOSE})(?: of| a day of)? )?(?P<n>(?:[a-z]+ )?{MEDICINE}(?: (?:cream|gel|spray|drops|patch(?:es)?|"
    rf"injections?|inhaler|ointment|tablets|syrup|lotion))?)\b(?! (?-i:[A-Z]))(?:,? (?P<d2>{DOSE}|"
    rf"\d{{1,4}}\b))?",
    re.IGNORECASE,
)


def medicines(text: str) -> list[ObjectPhrase]:
    """Return the medicines that a text begins with; a dose is part of the name, so that a new dose is a new value."""
    found: list[ObjectPhrase] = []
    for piece in re.split(r",? and |, | plus ", text.strip())[:6]:
        named = _DOSED.match(piece)
        if named is None:
            break
        name = named["n"].split()[-1] if named["n"].lower().split()[0] in _NOT_OF_NAME else named["n"]
        dose = named["d"] or named["d2"]
        dose = dose if dose and dose[0].isdigit() and not dose.endswith(("s", "t")) else None
        found.append(ObjectPhrase(f"{name} {dose}" if dose else name, EntityType.TOPIC))
    return found


_NOT_OF_NAME = frozenset(
    ["of", "the", "my", "a", "an", "some", "daily", "more", "less", "on", "for", "and", "any", "his", "her", "taking"]
)


def read_plain_medicines(text: str) -> list[ObjectPhrase]:
    """Return medicines without their doses, because a stopped medicine is matched by name."""
    found = []
    for one in medicines(text):
        found.append(ObjectPhrase(re.sub(rf" {DOSE}$| \d+$", "", one.name), one.object_type))
    return found


def read_allergens(text: str) -> list[ObjectPhrase]:
    """Return foods and other known causes of allergies."""
    found = []
    for name in things(text)[:5]:
        if name.lower().split()[-1] in ALLERGENS:
            found.append(ObjectPhrase(name, object_type(name)))
    return found


def read_things(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(name, object_type(name)) for name in things(text)[:4]]


def read_one_thing(text: str) -> list[ObjectPhrase]:
    """Return the first thing; empty for a specific one ("the ending"), but not a general one ("the sea")."""
    if AT_HAND.match(text) and not LASTING_THE.match(text):
        return []
    return read_things(text)[:1]


def read_brand(text: str) -> list[ObjectPhrase]:
    """Return the name of a service or product, unless it is that of a well-known place."""
    name = proper(text.strip())
    return [ObjectPhrase(name, None)] if name and name.lower() not in PLACES else []


def read_noun(text: str) -> list[ObjectPhrase]:
    name = noun_phrase(text)
    return [ObjectPhrase(name, object_type(name))] if name else []


def read_exact(text: str) -> list[ObjectPhrase]:
    name = text.strip(" .,!?;:'\"")
    return [ObjectPhrase(name, None)] if name else []


_POSITION = re.compile(
    r"^(?:an? |the |our |new )*(?P<n>(?:(?:senior|junior|deputy|assistant|associate|lead|chief|acting|interim|regional|"
    r"head|vice|managing|executive|principal|team|shift|store|branch|site|sous|line|night|bus|lorry|truck|taxi|train|"
    r"(?!(?:been|am|is|are|was|at|to|with|in|on|for|from|by|near|not|seeing|my|our|his|her) )[a-z-]+) ){0,3}(?:"
    + JOB
    + r"|head|partner|secretary|president|chair|captain|leader|foreman|forewoman|"
    r"apprentice|sous[- ]chef|chef|director)(?: of [a-z]+(?: [a-z]+)?)?)"
    r"(?=$|[,.;!]| (?:at|in|for|with|from|now|and|on|here|this|last|since|again|there|so|today|yesterday|next|up|"
    r"over|down|out|by|"
    r"near|but|who|these|full|part|until|too|myself|currently|of (?!(?-i:[A-Z])))\b)",
    re.IGNORECASE,
)


def positions(text: str) -> list[ObjectPhrase]:
    """Return the occupation or position that a text begins with: `head of logistics`, `a senior editor`."""
    found = _POSITION.match(text.strip())
    return [ObjectPhrase(found["n"], EntityType.TOPIC)] if found else []


def read_workplaces(text: str) -> list[ObjectPhrase]:
    return workplaces(text.strip())


def read_firms(text: str) -> list[ObjectPhrase]:
    """Return the organisation that someone left, unless it is a well-known place or service: "I quit Spotify"."""
    found = read_workplaces(text)
    return [one for one in found if one.name.lower() not in PLACES and one.name.split()[0] not in SOFTWARE]


def read_places(text: str) -> list[ObjectPhrase]:
    return places(text.strip())


_NUMBER_WORDS: Final = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
]
NUMBER: Final = (
    r"(?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-?(?: ?(?:one|two|three|four|five|six|seven|"
    r"eight|nine))?|" + "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True)) + ")"
)
_AGE_MAX = 99


def read_age(text: str) -> list[ObjectPhrase]:
    text = text.strip().lower()
    if text.isdecimal() and not 0 < int(text) <= _AGE_MAX:
        return []
    return [ObjectPhrase(f"{text} years old", EntityType.TIME)]


# Frames


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """Template of one fact that a frame states.

    Attributes:
        group: group of the object.
        subject: group of the subject; by default the frame's.
        dose: group of a dose that belongs to the object.
    """

    says: str
    relation: str | None = None
    predicate: str = "RELATES_TO"
    group: str = "o"
    read: Reader = read_noun
    kind: EntityType | None = None
    closes: bool = False
    subject: str | None = None
    dose: str | None = None
    strength: float = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A pattern of a clause and its facts.

    Attributes:
        whole: the pattern matches the whole clause and names its own subject; otherwise the text after the subject.
    """

    pattern: re.Pattern[str]
    facts: tuple[States, ...]
    whole: bool = False


_ADVERB: Final = re.compile(
    r"(?:really|also|just|still|always|actually|now|currently|recently|finally|already|even|so|officially|only|both|"
    r"have|has|"
    r"had|been|do|did|since|since then|at last|basically|probably|temporarily|happily|very) ",
    re.IGNORECASE,
)
_ADVERBS_MAX: Final = 4


def _starts(text: str) -> list[int]:
    """Return the offsets at which a verb phrase may begin: after each leading adverb, the last one first."""
    starts = [0]
    while len(starts) <= _ADVERBS_MAX and (adverb := _ADVERB.match(text, starts[-1])):
        starts.append(adverb.end())
    return starts[::-1]


def after(pattern: str, *facts: States) -> Frame:
    """Return a frame for the text after the subject."""
    return Frame(pattern=re.compile(pattern, re.IGNORECASE), facts=facts)


def clause_frame(pattern: str, *facts: States) -> Frame:
    """Return a frame for a whole clause."""
    return Frame(pattern=re.compile(pattern, re.IGNORECASE), facts=facts, whole=True)


WHICH: Final = r"(?:older|younger|little|big|eldest|oldest|youngest|elder|baby|twin|middle|late|new|half) "
OWNER: Final = (
    rf"(?P<w>(?:my|our|his|her|the)(?= )|(?:(?:my|our|his|her) )?(?:{WHICH})?(?:{KIN_PATTERN})(?: (?-i:[A-Z])[a-z]+)?'s"
    r"(?= )|(?-i:[A-Z])[a-z]+'s(?= ))"
)
_POSSESSIVE = re.compile(
    rf"(?:(?P<p>my|our|his|her) )?(?P<q>(?:{WHICH})?)(?P<k>{KIN_PATTERN})(?: (?P<n>[A-Z][a-z]+))?'s?$",
    re.IGNORECASE,
)


def owner_in(words: str | None, clause: Clause, state: DiscourseState) -> str | None:
    """Return the subject that the group `w` of a frame names: "my", "her", "my sister's", "Clara's"."""
    low = (words or "my").lower()
    if low in ("my", "our", "the", "me", "us"):
        return state.speaker.me
    if low in ("his", "her", "him"):
        return clause.third
    named = _POSSESSIVE.match(words or "")
    if named is not None and named["n"] is None:
        return kin_named(named["k"].lower(), named["q"], named["p"], state)
    name = named["n"] if named is not None else (words or "").removesuffix("'s")
    return None if name.lower() in NOT_NAMES else state.speaker.subject_named(name)


class FrameBook:
    """Frames of one topic in order of precedence, in groups with one combined pattern as a quick check."""

    _GROUP_SIZE: Final = 12

    def __init__(self, frames: Sequence[Frame]) -> None:
        self._groups: list[tuple[re.Pattern[str], bool, list[Frame]]] = []
        for whole, same in groupby(frames, key=lambda frame: frame.whole):
            kind = list(same)
            for start in range(0, len(kind), self._GROUP_SIZE):
                group = kind[start : start + self._GROUP_SIZE]
                bodies = [re.sub(r"\(\?P<\w+>", "(?:", frame.pattern.pattern) for frame in group]
                self._groups.append((re.compile("|".join(bodies), re.IGNORECASE), whole, group))

    def read(self, clause: Clause, state: DiscourseState) -> list[Draft]:
        """Return the facts of the first frame that fits a clause."""
        starts = _starts(clause.rest) if clause.subject is not None else []
        for check, whole, group in self._groups:
            text, places = (clause.text, [0]) if whole else (clause.rest, starts)
            places = [start for start in places if check.match(text, start)]
            for frame in group if places else ():
                found = next((match for start in places if (match := frame.pattern.match(text, start))), None)
                if found is not None and (drafts := list(_facts(frame, found, clause, state))):
                    return drafts
        return []


def _facts(frame: Frame, found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    groups = found.groupdict()
    subject = owner_in(groups.get("w"), clause, state) if frame.whole else clause.subject
    of_others = (groups.get("r") or "").lower() in state.of_others and found[0][:4].lower() == "the "
    if of_others or not _names_attribute(groups.get("s") or "attribute"):
        return
    for number, fact in enumerate(frame.facts):
        said = groups.get(fact.group)
        about = state.speaker.subject_named(groups[fact.subject] or "") if fact.subject else subject
        if said is None or about is None:
            continue
        names = fact.read(said)
        # A frame whose first object is unclear does not apply.
        if not names and number == 0:
            return
        for name, kind, _ in names:
            if fact.dose and groups.get(fact.dose):
                name = f"{name} {groups[fact.dose]}"
            if state.speaker.subject_named(name) in (THE_USER, about):
                continue
            relation = _relation(fact, groups)
            if relation and relation in CHILD_NAME.values() and about == state.speaker.me and not fact.closes:
                # "He" may mean him from now on.
                state.named[relation] = name
            says = fact.says.replace("{r}", relation or "").replace("{w}", _escaped(groups.get("when") or ""))
            uncounted = relation == "has" and fact.kind is EntityType.TOPIC
            if relation in _COUNTABLE and not uncounted and (name[0].islower() or relation == "drives"):
                says = says.replace("{o}", with_article(name))
            yield draft(
                clause,
                state,
                about,
                fact.predicate,
                name,
                " ".join(says.split()),
                relation=relation,
                kind=fact.kind or kind,
                strength=fact.strength,
                closes=fact.closes,
            )


# Relations whose object is a thing or occupation, which takes an article; an illness takes none.
_COUNTABLE: Final = frozenset(("has", "works as", "runs", "drives"))


def _relation(fact: States, groups: dict[str, str | None]) -> str | None:
    """Return the relation of a fact; "=s" is the text of the group `s`."""
    if fact.relation is None or not fact.relation.startswith("="):
        return fact.relation
    word = (groups.get(fact.relation[1:]) or "").lower()
    return CHILD_NAME.get(word, word) or None


_CLAUSE_WORDS: Final = PRONOUNS - ARTICLES | word_set(
    "is are was were am be been has have had do does did will would can could when while as if because since until "
    "before after where that which who whose why how not"
)


def _names_attribute(words: str) -> bool:
    """Return whether words name an attribute: not a clause (`when I was twelve we`), nor a relative (`daughter`)."""
    low = words.lower().split()
    return _CLAUSE_WORDS.isdisjoint(low) and low[-1] not in FEMALE_KIN | MALE_KIN | MANY_KIN


def _escaped(text: str) -> str:
    return text.replace("{", "").replace("}", "")


# Values of which a person has one at a time

_SLOT_VALUES: Final = {
    "phone number": r"\+?\(?\d[\d ()./-]{4,18}\d",
    "email": r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}",
    "address": r"(?=.{0,60}\d).{6,70}?(?=$|;|!|, (?:please|so|in case|and|if|not|from)\b| (?:from now|please|and not|"
    r"instead)\b|\. )",
    "size": r"(?:(?:UK|EU|US|an?|size) )?(?:\d{1,3}(?:\.\d|½)?[A-Za-z]{0,2}|[SML]|X{1,3}[SL]|[A-Z](?: ?½)?)(?: "
    r"(?:UK|EU|US))?\b",
    "postcode": r"[A-Z\d]{2,5}(?: ?[A-Z\d]{2,4})?\b",
    "code": r"(?:#?[A-Z]?\d{3,8}[A-Z#]?)\b",
    "password": r"(?:is |= ?)?[^\s,;]{4,40}",
    "plate": r"(?=[\w -]{0,6}\d)[A-Z\d]{1,4}(?:[ -]?[A-Z\d]{1,4}){1,2}\b",
    "number": r"#?[A-Z]{0,3}-?\d[\w/-]{0,14}\b",
    "blood type": r"(?:A|B|AB|O) ?(?:positive|negative|\+|-|rh[+-])?(?=$|[\s,.;!])",
    "measure": r"(?:about |around )?\d[\d.,'\" ]{0,6} ?(?:cm|m|kg|kilos?|lbs?|pounds?|stone|feet|ft|foot)?(?: "
    r"\d{1,2})?",
}
_SLOT_AT: Final = (
    r"(?: (?:here|at home|at work|these days|now|from (?:today|now on|\w+day)|as of (?:today|now|\w+day)|"
    r"(?:at|for|of|to) the \w+(?: \w+)?|after the \w+(?: \w+)?)){0,2}"
)
_SLOT_IS: Final = (
    r"(?:,? (?:is|are|will be)(?: now| still| actually| just| currently| going to be)?:? |: ?|, | - | ?= ?| )"
    r"(?:(?:has |have |is |just |was |got )*changed(?: [a-z ]{2,30}?)?(?:,? to|[,:;.-]* (?:so )?(?:now )?(?:it is|"
    r"it is now)(?: now)?) )?"
)
_NEW: Final = (
    r"(?:new|current|usual|main|own|actual|work|home|only|temporary|permanent|direct|personal|correct|right|"
    r"spare|old|other)"
)
_SLOT_LEAD: Final = (
    r"(?:(?:so|and|also|note|ps|btw|here is|use|save|update|quick update|fyi|hey|hi|for deliveries|from now on)[,:]? )?"
)
_SLOT_PATTERNS: Final = tuple(
    (
        kind,
        re.compile(
            rf"^{_SLOT_LEAD}(?:{OWNER} )?(?P<new>(?:{_NEW} ){{0,2}})(?P<s>{words}){_SLOT_AT}{_SLOT_IS}(?:now "
            rf")?(?P<o>{_SLOT_VALUES[kind]})"
            rf"(?:(?: now)?,? (?:and not|not|instead of|rather than|no longer) (?P<old>{_SLOT_VALUES[kind]}))?",
            re.IGNORECASE,
        ),
    )
    for words, kind in SLOTS.items()
)
_OLD: Final = re.compile(r"\b(?:old|former|previous)\b", re.IGNORECASE)
_REACHED: Final = re.compile(
    rf"^(?:you can |please |just |best to |better )?(?:reach|call|ring|text|phone|whatsapp|message|contact|get hold "
    rf"of|get) (?P<w>me|us|(?:my |our )?"
    rf"(?:{KIN_PATTERN})|(?-i:[A-Z][a-z]+)) (?:directly )?(?:on|at|under|via) (?P<o>{_SLOT_VALUES['phone number']}|"
    rf"{_SLOT_VALUES['email']})",
    re.IGNORECASE,
)
_WEARS: Final = re.compile(
    r"(?:wear|wears|take|takes|am|is|need|needs)(?: usually| normally)? (?:an? )?(?:size )(?P<o>[\d.½]{1,4}|[SML]|"
    r"X{1,3}[SL])(?: in (?P<i>[a-z]+))?\b"
    r"|(?:wear|wears|take|takes) (?:an? )?(?:(?:uk|eu|us) )?(?P<o2>\d{1,2}(?:\.5|½)?) in (?P<i2>[a-z]+)",
    re.IGNORECASE,
)
_AND_SIZE: Final = re.compile(
    r" and (?:an? )?(?P<o>\d{1,2}(?:\.5|½)?|[SML]|X{1,3}[SL]) in (?P<i>[a-z]+)", re.IGNORECASE
)


def read_slots(clause: Clause, state: DiscourseState) -> list[Draft] | None:
    """Read single-valued attributes such as phone numbers, addresses and sizes; None if there are none."""
    return list(_slots(clause, state)) or None


def _slots(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    text = clause.text
    for kind, pattern in _SLOT_PATTERNS:
        found = pattern.match(text)
        if found is None or not _fits(kind, found["o"]):
            continue
        about = owner_in(found["w"], clause, state)
        if about is None:
            return
        yield _slot(clause, state, about, kind, found["s"], found["o"], closes=_OLD.search(found["new"]) is not None)
        if found["old"]:
            yield _slot(clause, state, about, kind, found["s"], found["old"], closes=True)
        return
    if found := _REACHED.match(text):
        who = found["w"].lower()
        about = state.speaker.me if who in ("me", "us") else owner_in(found["w"], clause, state)
        if about is not None:
            yield _slot(clause, state, about, "phone number" if "@" not in found["o"] else "email", "", found["o"])
    elif clause.subject is not None and (found := _WEARS.match(clause.rest)):
        yield _size(clause, state, found["o"] or found["o2"], found["i"] or found["i2"])
        if more := _AND_SIZE.match(clause.rest, found.end()):
            yield _size(clause, state, more["o"], more["i"])


# A change that does not say the new value: "our wifi password changed".
_NO_VALUE: Final = word_set("changed updated expired reset wrong different gone changing")


def _fits(kind: str, value: str) -> bool:
    """Return whether a value has the digits that its kind needs; a telephone number has six or more."""
    if value.lower() in _NO_VALUE:
        return False
    digits = sum(character.isdigit() for character in value)
    return digits >= {"password": 0, "phone number": 6, "postcode": 1, "address": 1}.get(kind, 0)


def _slot(
    clause: Clause, state: DiscourseState, about: str, kind: str, said: str, value: str, *, closes: bool = False
) -> Draft:
    relation = kind if kind in ("phone number", "email") else said.lower() or kind
    if kind == "address":
        relation = "lives in"
    says = "{s} lives at {o}." if kind == "address" else f"{{s}}'s {relation} is {{o}}."
    if closes:
        says = says.replace(" lives", " no longer lives").replace(" is ", " is no longer ")
    return draft(
        clause,
        state,
        about,
        "RELATES_TO",
        value.strip(" .,"),
        says,
        relation=relation,
        kind=EntityType.PLACE if kind == "address" else None,
        strength=0.9,
        closes=closes,
    )


def _size(clause: Clause, state: DiscourseState, value: str, item: str | None) -> Draft:
    assert clause.subject is not None
    relation = _SIZES.get((item or "").lower(), f"{item} size" if item else "size")
    return _slot(clause, state, clause.subject, "size", relation, value)


_SIZES: Final = {
    "shoes": "shoe size",
    "boots": "boot size",
    "trainers": "trainer size",
    "sneakers": "sneaker size",
    "dresses": "dress size",
    "shirts": "shirt size",
    "jeans": "jeans size",
    "trousers": "trouser size",
}
