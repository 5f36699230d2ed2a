"""Read English clauses that match no whole wording: subject, verb group, and the slot that the verb fills.

A verb group is the run of adverbs, auxiliaries and the verb; it gives tense, negation and mood. The table of
`slot_table` says which slot a verb phrase fills and where the value stands, and a reader for each slot accepts only
values of its kind. Applies to clauses that the other rules do not read.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from extraction.reader import THE_AGENT
from extraction.rules.en.clauses import with_article
from extraction.rules.en.daily_life import read_daily_life
from extraction.rules.en.frames import (
    Reader,
    medicines,
    positions,
    proper_name,
    read_age,
    read_allergens,
    read_birthday,
    read_brand,
    read_known_places,
    read_one_thing,
    read_places,
    read_plain_medicines,
    read_product,
    read_things,
    read_workplaces,
)
from extraction.rules.en.noun_slots import read_noun_slots
from extraction.rules.en.objects import PLACES, condition, language, pastime, proper
from extraction.rules.en.slot_table import HOME, LINES, OWN_HOME
from extraction.rules.en.word_classes import ALLERGENS, MEDICINE, THINGS
from extraction.rules.engine import Clause, DiscourseState, Draft, ObjectPhrase, Rule, draft
from extraction.text.lexicon_en import KIN, MANY_KIN, NOT_NAMES, PETS, word_set
from schema.entity import EntityType

# Verb groups

_BE: Final = word_set("am is are was were be been being")
_HAVE: Final = word_set("have has had having")
_MODALS: Final = word_set(
    "will would could should must may might shall can need needs want wants try tries hope hopes "
    "plan plans intend aim used going about let to"
)
_WISHES: Final = word_set("want wants hope hopes need needs try tries plan plans aim intend")
_ADVERBS: Final = word_set(
    "really also just still always actually now currently recently finally already even so officially only both all "
    "since basically probably temporarily happily very quite pretty totally completely absolutely utterly fully "
    "strictly properly personally honestly simply truly definitely certainly lately nowadays once again too "
    "eventually originally formerly previously mostly mainly usually normally generally often sometimes "
    "effectively technically sort kind of bloody kinda lovely newly together each well secretly deeply genuinely "
    "proudly sadly unfortunately luckily gladly reluctantly suddenly quietly massively hugely slightly rather "
    "seriously "
    "incredibly severely mildly badly partially partly more less two three"
)
_NEVER: Final = word_set("not never hardly rarely seldom barely scarcely neither")
_GROUP_WORDS_MAX: Final = 8
_ENDED_AFTER: Final = re.compile(r"\b(?:any ?more|any ?longer|no longer)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbGroup:
    """The verb of a clause with its adverbs and auxiliaries.

    Attributes:
        end: offset after the verb.
        form: `base`, `s`, `past`, `part` or `ing`.
        auxiliary: the last one before the verb: `be`, `have`, `do`, or empty.
        modal: the clause states an ability, duty or intention, not a state.
        ended: "used to", "no longer".
        forced: the clause has "had to", so the verb states an event: "we had to sell it".
    """

    lemma: str
    end: int
    form: str
    auxiliary: str = ""
    past: bool = False
    negated: bool = False
    modal: bool = False
    ended: bool = False
    forced: bool = False

    @property
    def is_event(self) -> bool:
        return self.forced or (self.form in ("past", "part") and self.auxiliary in ("", "have", "get"))

    @property
    def is_lasting(self) -> bool:
        """The clause is in the present, the present perfect or the progressive."""
        if self.past and not self.ended:
            return False
        return self.form in ("base", "s", "ing") or (self.form in ("past", "part") and self.auxiliary == "have")


_IRREGULAR: Final = {
    "be": ("is", "was", "been", "being"),
    "have": ("has", "had", "had", "having"),
    "do": ("does", "did", "done", "doing"),
    "go": ("goes", "went", "gone", "going"),
    "get": ("gets", "got", "got", "getting"),
    "buy": ("buys", "bought", "bought", "buying"),
    "sell": ("sells", "sold", "sold", "selling"),
    "lose": ("loses", "lost", "lost", "losing"),
    "give": ("gives", "gave", "given", "giving"),
    "take": ("takes", "took", "taken", "taking"),
    "eat": ("eats", "ate", "eaten", "eating"),
    "drink": ("drinks", "drank", "drunk", "drinking"),
    "drive": ("drives", "drove", "driven", "driving"),
    "ride": ("rides", "rode", "ridden", "riding"),
    "keep": ("keeps", "kept", "kept", "keeping"),
    "teach": ("teaches", "taught", "taught", "teaching"),
    "leave": ("leaves", "left", "left", "leaving"),
    "find": ("finds", "found", "found", "finding"),
    "fall": ("falls", "fell", "fallen", "falling"),
    "grow": ("grows", "grew", "grown", "growing"),
    "come": ("comes", "came", "come", "coming"),
    "become": ("becomes", "became", "become", "becoming"),
    "begin": ("begins", "began", "begun", "beginning"),
    "run": ("runs", "ran", "run", "running"),
    "speak": ("speaks", "spoke", "spoken", "speaking"),
    "see": ("sees", "saw", "seen", "seeing"),
    "win": ("wins", "won", "won", "winning"),
    "wear": ("wears", "wore", "worn", "wearing"),
    "swear": ("swears", "swore", "sworn", "swearing"),
    "make": ("makes", "made", "made", "making"),
    "put": ("puts", "put", "put", "putting"),
    "quit": ("quits", "quit", "quit", "quitting"),
    "hit": ("hits", "hit", "hit", "hitting"),
    "read": ("reads", "read", "read", "reading"),
    "draw": ("draws", "drew", "drawn", "drawing"),
    "break": ("breaks", "broke", "broken", "breaking"),
    "stand": ("stands", "stood", "stood", "standing"),
    "say": ("says", "said", "said", "saying"),
    "set": ("sets", "set", "set", "setting"),
    "wind": ("winds", "wound", "wound", "winding"),
    "write": ("writes", "wrote", "written", "writing"),
    "cannot": ("cannot", "cannot", "cannot", "cannot"),
    "split": ("splits", "split", "split", "splitting"),
    "swell": ("swells", "swelled", "swollen", "swelling"),
    "react": ("reacts", "reacted", "reacted", "reacting"),
    "hand": ("hands", "handed", "handed", "handing"),
    "land": ("lands", "landed", "landed", "landing"),
    "part": ("parts", "parted", "parted", "parting"),
    "live": ("lives", "lived", "lived", "living"),
    "tie": ("ties", "tied", "tied", "tying"),
    "bin": ("bins", "binned", "binned", "binning"),
    "chuck": ("chucks", "chucked", "chucked", "chucking"),
}
_DOUBLED: Final = word_set("ship drop swap quit scrap trap stop cut crop hop bin wed dump-")


def _forms(verb: str) -> dict[str, str]:
    """Return the inflected forms of a verb with the kind of each."""
    if verb in _IRREGULAR:
        third, past, part, ing = _IRREGULAR[verb]
        forms = {ing: "ing", part: "part", past: "past", third: "s", verb: "base"}
        if verb == "be":
            forms |= {"am": "base", "are": "base", "were": "past", "was": "past", "is": "s", "been": "part"}
        return forms
    stem = verb[:-1] if verb.endswith("e") else verb + verb[-1] if verb in _DOUBLED else verb
    third = verb + "es" if re.search(r"(?:s|sh|ch|x|z)$", verb) else verb + "s"
    if re.search(r"[^aeiou]y$", verb):
        return {verb[:-1] + "ied": "past", verb + "ing": "ing", verb[:-1] + "ies": "s", verb: "base"}
    return {stem + "ed": "past", stem + "ing": "ing", third: "s", verb: "base"}


# The table


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: what follows the verb, the slot it fills, and whether it is an event."""

    slot: str
    tail: re.Pattern[str]
    event: bool


_WORD: Final = r"[\w'.-]+"
_PLACEHOLDERS: Final = {
    "X": r" (?P<o>.+)",
    "OLD": r" (?P<old>(?:(?! for | with | to | and ).){2,40}?)",
    # No negation: "isn't allergic to eggs".
    "*": rf"(?: (?!(?:not|never|no|hardly)\b){_WORD}){{1,3}}?",
    "SERVED": r" (?P<o>(?:coffee|tea|steak|eggs?|toast|porridge|curry|chips|pizza|whisky|gin|beer|martinis?|burgers?) "
    r"(?:black|white|rare|medium|well done|runny|strong|weak|sweet|plain|milky|hot|spicy|neat|with [a-z ]{3,20}|"
    r"without [a-z]+))\b",
    "DET": r"(?: (?:my|our|the|his|her|an?|that|your|all my|everything))?",
}
# Particles and adverbs that may stand between a verb and the rest.
_LOOSE: Final = r"(?: (?:just|really|recently|finally|now|also|only|both|quite|completely|currently|still|so))?"


def _tail(words: list[str]) -> str:
    pattern = _LOOSE
    for word in words:
        if word in _PLACEHOLDERS:
            pattern += _PLACEHOLDERS[word]
            continue
        optional = word.endswith("?")
        choices = {"HOME": HOME, "OWN_HOME": OWN_HOME}.get(word, word.rstrip("?")).split("/")
        pattern += " (?:" + "|".join(choices) + ")" if not optional else "(?: (?:" + "|".join(choices) + "))?"
    return pattern


def _index() -> tuple[dict[str, tuple[tuple[str, str], ...]], dict[str, tuple[Row, ...]]]:
    forms: dict[str, dict[str, str]] = {}
    rows: dict[str, list[Row]] = {}
    for slot, lines in LINES.items():
        for line in lines.strip().splitlines():
            event = line.startswith("!")
            verbs, *words = line.removeprefix("!").split()
            row = Row(slot, re.compile(_tail(words), re.IGNORECASE), event)
            for verb in verbs.split("/"):
                rows.setdefault(verb, []).append(row)
                for form, kind in _forms(verb).items():
                    forms.setdefault(form, {})[verb] = kind
    # "He's been a welder": a participle is also the verb "be".
    return {form: tuple(found.items()) for form, found in forms.items()}, {verb: tuple(r) for verb, r in rows.items()}


_FORMS, _ROWS = _index()
_TOKEN: Final = re.compile(r"[\w'’-]+")


def verb_groups(text: str) -> Iterator[VerbGroup]:
    """Yield the possible verb groups at the start of a text, the longest last."""
    group = VerbGroup(lemma="", end=0, form="")
    for number, token in enumerate(_TOKEN.finditer(text)):
        if number >= _GROUP_WORDS_MAX or (number and text[token.start() - 1] != " "):
            return
        if number and text[: token.start()].rstrip()[-1:] in ",;:.":
            return
        word, after = token[0].lower(), text[token.end() :]
        for lemma, form in _FORMS.get(word, ()):
            yield replace(
                group,
                lemma=lemma,
                end=token.end(),
                form="part" if form == "past" and group.auxiliary == "have" else form,
                past=group.past or (form == "past" and lemma == "be"),
            )
        changed = _auxiliary(group, word) or _qualifier(group, word, after)
        if changed is None:
            return
        group = changed


def _auxiliary(group: VerbGroup, word: str) -> VerbGroup | None:
    if word in _BE:
        return replace(group, auxiliary="be", past=group.past or word in ("was", "were"))
    if word in _HAVE:
        return replace(group, auxiliary="have", past=group.past or word == "had")
    if word in ("do", "does", "did"):
        return replace(group, auxiliary="do", past=group.past or word == "did")
    return replace(group, auxiliary="get") if word == "got" else None


def _qualifier(group: VerbGroup, word: str, after: str) -> VerbGroup | None:
    """Return a verb group with a word of negation, mood or manner before the verb; None for another word."""
    if word in _NEVER:
        return replace(group, negated=True)
    if (word == "no" and after.startswith((" longer", " more"))) or (word == "used" and after.startswith(" to ")):
        return replace(group, ended=True)
    if group.ended and word in ("longer", "more", "to"):
        return group
    if word == "to" and group.auxiliary == "have" and group.past:
        return replace(group, forced=True)
    if word in _MODALS:
        # "I used to want to be a vet" says nothing of having been one.
        return None if group.ended and word in _WISHES else replace(group, modal=True)
    return group if word in _ADVERBS else None


# Slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot of facts: statement, relation and reader of its values.

    Attributes:
        negated: slot of a negated clause: "does not like" fills "dislikes"; None if it states nothing.
        ends: a clause that says it is over ends the fact; otherwise it states nothing.
        closes: the slot itself is the end of a fact.
    """

    says: str
    read: Reader
    relation: str | None = None
    predicate: str = "RELATES_TO"
    kind: EntityType | None = None
    negated: str | None = None
    ends: str | None = None
    closes: bool = False
    group: str = "o"
    strength: float = 0.75


def _by_rule(read: Callable[[Rule, str], list[ObjectPhrase]]) -> Reader:
    # The readers of `objects` take the rule, which these do not use.
    return lambda text: read(None, text)  # type: ignore[arg-type]


_TASTE_STOP: Final = word_set(
    "way idea look looks news version one ones plan weather suggestion answer draft job house home flat name photo "
    "picture pics dress colour color layout design new update post message reply thought sound see going doing"
)


def _taste(text: str) -> list[ObjectPhrase]:
    """Return what someone likes in general, not one thing at hand."""
    if re.match(
        r"(?:this|that|these|those|how|when|what|where|your|it|to|being able|the (?:new|way|idea|"
        r"look))\b",
        text,
        re.I,
    ):
        return []
    found = read_one_thing(text)
    return [one for one in found if one.name.lower().split()[-1] not in _TASTE_STOP]


def _home(text: str) -> list[ObjectPhrase]:
    if re.match(r"(?:the )?(?:office|hospital|gym|pub|middle|mood|process|car|train|bus|queue|[a-z]+ing\b)", text):
        return []
    found = read_places(text)
    return [one for one in found if one.name.split()[0].lower() not in NOT_NAMES and one.name not in _NOT_HOMES]


_NOT_HOMES: Final = frozenset(("A&E", "Ward", "Zoom", "Teams", "Slack", "ICU", "Year", "Room", "Chapter"))


# What people join in their free time: "joined a dragon boat team".
_NO_WORKPLACE: Final = re.compile(
    r"(?:an?|the|my|our|this|[A-Z][\w']*(?:'s)?) (?:[\w'-]+ ){0,3}?(?:band|choir|club|league|gym|society|union|squad|"
    r"church|orchestra|group|forum|class|course|queue|waiting list|protest|march|"
    r"(?:boat|football|rugby|hockey|netball|cricket|darts|quiz|relay|swim|swimming|rowing|volleyball|basketball|"
    r"bowling|running|cycling|tennis|sports?) team)\b"
)


def _work(text: str) -> list[ObjectPhrase]:
    if _NO_WORKPLACE.match(text):
        return []
    found = read_workplaces(text)
    return [one for one in found if one.name.lower() not in PLACES and not re.match(r"\d", one.name)]


def _job(text: str) -> list[ObjectPhrase]:
    """Return an occupation after an article."""
    if not re.match(r"(?:an?|the|our|their|head|chief|deputy|senior|junior|lead|team|store|shift)\b", text, re.I):
        return []
    return positions(text)


_FIRM_KIND: Final = re.compile(
    r"(?:an?|my own|the|our|his|her|their) (?P<n>(?:[a-z-]+ ){0,3}?(?:shop|store|stall|cafe|café|restaurant|bakery|"
    r"salon|studio|agency|farm|garage|pub|bar|b&b|hotel|guesthouse|business|company|startup|practice|clinic|nursery|"
    r"school|gallery|bookshop|brewery|butcher's|florist's|barbershop|food truck|market stall|workshop|newsletter|"
    r"podcast|charity|blog|channel))\b(?!'s)",
    re.IGNORECASE,
)


def _firm(text: str) -> list[ObjectPhrase]:
    found = _FIRM_KIND.match(text)
    return [ObjectPhrase(found["n"], EntityType.ORGANIZATION)] if found else []


_SCHOOL: Final = re.compile(
    r"\b(?:uni|university|college|school|academy|institute|polytechnic|conservatoire|primary)\b", re.I
)


def _school(text: str) -> list[ObjectPhrase]:
    found = read_workplaces(text)
    return [one for one in found if proper(one.name) or _SCHOOL.search(one.name)]


_SUBJECTS: Final = word_set(
    "law medicine nursing biology chemistry physics maths mathematics history philosophy psychology economics finance "
    "engineering architecture art music drama literature linguistics politics sociology anthropology geography geology "
    "accounting marketing business journalism education theology astronomy statistics design fashion film photography "
    "dentistry pharmacy criminology archaeology ecology zoology botany forestry agriculture computing informatics "
    "robotics translation interpreting physiotherapy midwifery classics management science sciences studies"
)


def _subject(text: str) -> list[ObjectPhrase]:
    found = read_things(text)[:1]
    return [one for one in found if one.name.lower().split()[-1] in _SUBJECTS or one.name.split()[0] in _LANGUAGES]


_LANGUAGES: Final = word_set(
    "English French German Spanish Italian Japanese Chinese Mandarin Korean Russian Arabic Latin"
)


def _possession(text: str) -> list[ObjectPhrase]:
    if not re.match(
        r"(?:an?|the|my|our|his|her|one|two|three|four|five|six|some|several|new|both|\d+|[A-Z]|guinea|bees|hens|"
        r"chickens)\b",
        text,
    ):
        return []
    return [one for one in read_product(text) if one.name.lower() not in PLACES and not _names_person(one.name)]


_GIVEN_TITLES: Final = word_set("Mr Mrs Ms Dr Prof Mum Dad Grandma Grandpa Auntie Aunt Uncle Miss Sir")


def _names_person(name: str) -> bool:
    return name.split()[0].rstrip(".") in _GIVEN_TITLES


def _lost(text: str) -> list[ObjectPhrase]:
    return [one for one in _possession(text) if one.name.lower().split()[-1] in THINGS or _MODEL.search(one.name)]


_MODEL: Final = re.compile(r"[A-Z].*\d|\d.*[A-Z]|[a-z][A-Z]")


_STATES_OF_HEALTH: Final = re.compile(
    r"(?:registered |legally |clinically |newly |very |quite |a bit |severely |mildly |slightly |badly |partially |"
    r"officially |totally )?"
    r"(?P<n>anaemic|anemic|deaf|blind|epileptic|diabetic|asthmatic|colou?r[- ]?blind|dyslexic|dyspraxic|autistic|"
    r"short-?sighted|long-?sighted|hard of hearing|pregnant|coeliac|celiac|bipolar|lactose intolerant|gluten "
    r"intolerant|"
    r"hypermobile|left-handed|right-handed|teetotal|vegan|vegetarian|pescatarian|prediabetic|menopausal|in remission|"
    r"housebound|wheelchair-bound|divorced|widowed|retired|unemployed|self-employed|single)"
    r"(?: in (?:my|the|his|her|one) [a-z ]{2,12}| with twins)?(?=$|[,.;!]| (?:and|so|since|now|but|for|at|with|too|"
    r"again|apparently|by|from|because|in)\b)",
    re.IGNORECASE,
)


def _state(text: str) -> list[ObjectPhrase]:
    found = _STATES_OF_HEALTH.match(text.strip())
    return [ObjectPhrase(found["n"].lower(), EntityType.TOPIC)] if found else []


def _food(text: str) -> list[ObjectPhrase]:
    """Return foods and other causes of allergies, which "can't have" may be about."""
    return read_allergens(re.sub(r"^(?:any(?:thing with)?|much|too much|raw|cooked|eating|the) ", "", text))


_OFTEN_GIVEN_UP: Final = word_set("alcohol meat coffee caffeine sugar gluten dairy pork beef fish cigarettes wine beer")


def _consumed(text: str) -> list[ObjectPhrase]:
    found = read_things(re.sub(r"^(?:any|much) ", "", text))[:2]
    return [one for one in found if one.name.lower().split()[-1] in ALLERGENS | _OFTEN_GIVEN_UP | _NOT_DONE]


_NOT_DONE: Final = word_set(
    "mornings musicals horror romcoms heights crowds sugar spice offal mushrooms olives small-talk camping cruises "
    "skirts heels makeup jewellery ties jeans musicals karaoke gyms weddings flying spicy seafood cigarettes vapes"
)


def _person(text: str) -> list[ObjectPhrase]:
    found = proper_name(EntityType.PERSON)(re.sub(r"^(?:my |a (?:guy|girl|man|woman) (?:called|named) )", "", text))
    return [one for one in found if one.name.lower() not in PLACES and not re.search(r"\d", one.name)]


_NUMBER_AGE: Final = re.compile(
    r"(?P<n>\d{1,2}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|"
    r"seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,6}teen)"
    r"(?: (?:months|weeks|days) old|(?: years old| yrs old| yo)?)(?: already| now)?(?: and a half)?(?=$|[,.;!]| "
    r"(?:in (?:january|february|march|"
    r"april|may|june|july|"
    r"august|september|october|november|december|spring|summer|autumn|winter|two|three|a)|on|next|this|last|today|"
    r"tomorrow|and (?:i|he|she|still|already|a)|so|but|yesterday)\b)",
    re.IGNORECASE,
)


def _age(text: str) -> list[ObjectPhrase]:
    found = _NUMBER_AGE.match(text.strip())
    if found and (young := re.search(r"(?:months|weeks|days) old", found[0])):
        return [ObjectPhrase(f"{found['n']} {young[0]}", EntityType.TIME)]
    return read_age(found["n"]) if found else []


def _medicine(text: str) -> list[ObjectPhrase]:
    return medicines(
        re.sub(
            rf"^(?:(?:a|the|my|his|her|some|blue|brown|daily|new|old) ){{1,3}}(?=(?:[a-z]+ )?{MEDICINE})",
            "",
            text,
            flags=re.I,
        )
    )


def _brand(text: str) -> list[ObjectPhrase]:
    return [one for one in read_brand(text) if not _names_person(one.name)]


_SLOTS: Final[dict[str, Slot]] = {
    "likes": Slot(says="{s} likes {o}.", predicate="PREFERS", read=_taste, negated="dislikes", ends="no longer likes"),
    "no longer likes": Slot(says="{s} no longer likes {o}.", predicate="PREFERS", read=_taste, closes=True),
    "dislikes": Slot(says="{s} does not like {o}.", predicate="DISLIKES", read=_taste, ends="no longer dislikes"),
    "no longer dislikes": Slot(says="{s} no longer dislikes {o}.", predicate="DISLIKES", read=_taste, closes=True),
    "not consumed": Slot(says="{s} does not have {o}.", predicate="DISLIKES", read=_consumed),
    "lives": Slot(says="{s} lives in {o}.", relation="lives in", read=_home, kind=EntityType.PLACE, ends="lived"),
    "lived": Slot(
        says="{s} no longer lives in {o}.", relation="lives in", read=_home, kind=EntityType.PLACE, closes=True
    ),
    "left": Slot(
        says="{s} no longer lives in {o}.",
        relation="lives in",
        read=read_known_places,
        kind=EntityType.PLACE,
        closes=True,
        group="old",
    ),
    "lost brand": Slot(says="{s} no longer has {o}.", relation="has", read=read_brand, closes=True),
    "left place": Slot(
        says="{s} no longer lives in {o}.",
        relation="lives in",
        read=read_places,
        kind=EntityType.PLACE,
        closes=True,
        group="old",
    ),
    "from": Slot(says="{s} is from {o}.", relation="is from", read=read_places, kind=EntityType.PLACE),
    "works at": Slot(
        says="{s} works at {o}.", relation="works at", read=_work, kind=EntityType.ORGANIZATION, ends="left work"
    ),
    "left work": Slot(
        says="{s} no longer works at {o}.", relation="works at", read=_work, kind=EntityType.ORGANIZATION, closes=True
    ),
    "works as": Slot(says="{s} works as {o}.", relation="works as", read=_job, kind=EntityType.TOPIC, ends="worked as"),
    "worked as": Slot(
        says="{s} no longer works as {o}.", relation="works as", read=_job, kind=EntityType.TOPIC, closes=True
    ),
    "runs": Slot(says="{s} runs {o}.", relation="runs", read=_firm, kind=EntityType.ORGANIZATION, ends="ran"),
    "ran": Slot(says="{s} no longer runs {o}.", relation="runs", read=_firm, kind=EntityType.ORGANIZATION, closes=True),
    "uses": Slot(says="{s} uses {o}.", relation="uses", read=_brand, ends="used"),
    "used": Slot(says="{s} no longer uses {o}.", relation="uses", read=_brand, closes=True),
    "studies": Slot(says="{s} studies {o}.", relation="studies", read=_subject, kind=EntityType.TOPIC, ends="studied"),
    "studied": Slot(
        says="{s} no longer studies {o}.", relation="studies", read=_subject, kind=EntityType.TOPIC, closes=True
    ),
    "studies at": Slot(
        says="{s} studies at {o}.",
        relation="studies at",
        read=_school,
        kind=EntityType.ORGANIZATION,
        ends="studied at",
    ),
    "studied at": Slot(
        says="{s} no longer studies at {o}.",
        relation="studies at",
        read=_school,
        kind=EntityType.ORGANIZATION,
        closes=True,
    ),
    "takes": Slot(says="{s} takes {o}.", relation="takes", read=_medicine, kind=EntityType.TOPIC, ends="stopped"),
    "stopped": Slot(
        says="{s} no longer takes {o}.",
        relation="takes",
        read=lambda text: read_plain_medicines(re.sub(r"^(?:the|my) ", "", text)),
        kind=EntityType.TOPIC,
        closes=True,
    ),
    "has": Slot(says="{s} has {o}.", relation="has", read=_possession, ends="lost"),
    "lost": Slot(says="{s} no longer has {o}.", relation="has", read=_lost, closes=True),
    "allergic": Slot(says="{s} is allergic to {o}.", predicate="DISLIKES", read=_food, strength=0.95),
    "cannot have": Slot(says="{s} cannot have {o}.", predicate="DISLIKES", read=_food, strength=0.95),
    "condition": Slot(says="{s} has {o}.", relation="has", read=_by_rule(condition), kind=EntityType.TOPIC),
    "state": Slot(says="{s} is {o}.", relation="is", read=_state, kind=EntityType.TOPIC),
    "speaks": Slot(says="{s} speaks {o}.", relation="speaks", read=_by_rule(language), kind=EntityType.TOPIC),
    "plays": Slot(
        says="{s} plays {o}.", relation="plays", read=_by_rule(pastime), kind=EntityType.ACTIVITY, ends="played"
    ),
    "played": Slot(
        says="{s} no longer plays {o}.",
        relation="plays",
        read=_by_rule(pastime),
        kind=EntityType.ACTIVITY,
        closes=True,
    ),
    "learns": Slot(says="{s} learns {o}.", relation="learns", read=_by_rule(pastime), kind=EntityType.ACTIVITY),
    "dating": Slot(
        says="{o} is {s}'s partner.", relation="partner", read=_person, kind=EntityType.PERSON, ends="split"
    ),
    "engaged": Slot(says="{s} is engaged to {o}.", relation="engaged to", read=_person, kind=EntityType.PERSON),
    "married": Slot(says="{s} is married to {o}.", relation="married to", read=_person, kind=EntityType.PERSON),
    "split": Slot(
        says="{o} is no longer {s}'s partner.", relation="partner", read=_person, kind=EntityType.PERSON, closes=True
    ),
    "age": Slot(says="{s} is {o}.", relation="has age", read=_age, kind=EntityType.TIME),
    "born": Slot(says="{s} was born on {o}.", relation="born on", read=read_birthday, kind=EntityType.TIME),
}
# Kinds of values that can replace each other, tried in this order.
_CHANGES: Final = (
    ("takes", "stopped"),
    ("lives", "left"),
    ("has", "lost"),
)
# Moving a thing or somebody else from Leeds to York is no move of one's own.
_CHANGES_BY_SLOT: Final = {
    "change": _CHANGES,
    "joined change": _CHANGES,
    "change of a thing": (("takes", "stopped"), ("has", "lost")),
}
_FAMILY: Final = KIN | MANY_KIN | PETS
_MOVES_SOMETHING: Final = re.compile(
    r" (?:\w+ly |just |now |also )?(?:my|our|the|his|her|an?|that) "
    r"(?!(?:whole )?(?:family|kids|children|household|home|house|base|residence|lot of us)\b)[a-z]"
)


# Subjects


_JOINT: Final = re.compile(
    r"(?:(?:[Mm]y|[Oo]ur|[Tt]he) (?:[a-z-]+ ){0,2}?[a-z-]+(?: [A-Z]\w+)?|[A-Z]\w+|me),? and (?:I|me|my [a-z-]+(?: "
    r"[A-Z]\w+)?),? (?P<rest>.+)"
    r"|(?:both|all) of us (?P<rest2>.+)|us two (?P<rest3>.+)"
)
_EVERYONE: Final = re.compile(
    r"(?:[Tt]he whole (?:family|house|household|lot of us)|[Aa]ll (?:of us|four of us|five of us)|[Ee]veryone "
    r"(?:here|at home)|"
    r"(?:[Mm]y|[Oo]ur) (?:whole )?(?:family|household)) (?P<rest>[a-z].+)"
)
_COMPANY: Final = re.compile(r"^and (?:his|her|their|my) [a-z]+(?: [A-Z]\w+)? (?=[a-z])")
_OTHER_KIN: Final = re.compile(
    r"(?:[Bb]oth (?:of )?)?(?:[Mm]y|[Oo]ur|[Tt]he(?= (?:baby|kids|twins|toddler|children|boys|girls))) "
    r"(?:(?:older|younger|little|big|"
    r"baby|eldest|youngest|twin|great) ){0,2}(?P<k>nephew|niece|"
    r"cousin|uncle|aunt|"
    r"auntie|grandson|granddaughter|grandchild|child|toddler|baby|twins|kids|children|parents|stepbrother|stepsister|"
    r"nanny|godson|goddaughter|boys|girls|in-laws|grandparents|sons|daughters|brothers|sisters|grandkids)"
    r"(?:,? (?P<n>[A-Z][a-z]+),?)? (?P<rest>[a-z0-9].+)"
)


def _who(clause: Clause, state: DiscourseState) -> tuple[str | None, str, bool]:
    """Return the subject of a clause, the text after it, and whether the subject is left out."""
    if clause.subject is not None:
        return clause.subject, _COMPANY.sub("", clause.rest), False
    text = clause.text
    if whole := _EVERYONE.match(text):
        return state.speaker.me, whole["rest"], False
    if joint := _JOINT.match(text):
        return state.speaker.me, joint["rest"] or joint["rest2"] or joint["rest3"], False
    if other := _OTHER_KIN.match(text):
        name = state.speaker.subject_named(other["n"]) if other["n"] else other["k"]
        return name, other["rest"], False
    if state.subject in (None, state.speaker.me) or state.subject == clause.subject:
        return state.speaker.me, text[:1].lower() + text[1:], True
    return None, text, False


# Elided subjects are certain only for these: "Mad about Korean food", "Traded my Canon in".
_ELIDED_BE: Final = frozenset(("likes", "dislikes", "allergic", "condition"))
_ELIDED_FORMS: Final = frozenset(("past", "ing", "part"))


def analyse_slots(clause: Clause, state: DiscourseState, found: list[Draft]) -> Iterator[Draft]:
    """Yield the facts that the verbs and nouns of a clause state and that no other rule found."""
    yield from read_noun_slots(clause, state, found)
    subject, rest, elided = _who(clause, state)
    if subject is None or subject == THE_AGENT:
        return
    stated = [one for one in found if one.relation not in KIN and one.object_type is not EntityType.PERSON]
    first = _by_verb(subject, rest, clause, state, elided=elided)
    further = _coordinated(rest, clause, state, subject, elided=elided)
    if not stated:
        yield from first or ([] if elided else read_daily_life(subject, rest, clause, state))
        yield from further
        return
    # Where the other rules read only the new value of a change, the end of the old one is added.
    new = {(one.relation, one.object) for one in stated if not one.closes}
    if any((one.relation, one.object) in new for one in first):
        yield from (one for one in first if one.closes)
    known = {(one.relation, one.closes) for one in stated}
    names = {one.object.lower() for one in stated}
    yield from (one for one in further if (one.relation, one.closes) not in known and one.object.lower() not in names)


def _by_verb(subject: str, rest: str, clause: Clause, state: DiscourseState, *, elided: bool) -> list[Draft]:
    rest = rest.replace("can not ", "cannot ")
    # "Having lived in Spain, …" is over.
    if rest.lower().startswith(("having ", "am having ")):
        return []
    groups = _main_verbs(list(verb_groups(rest)))
    if elided:
        groups = [group for group in groups if group.form in _ELIDED_FORMS or group.lemma == "cannot"]
    for group in groups:
        if drafts := _by_group(group, rest, clause, state, subject):
            return drafts
    return _without_be(rest, clause, state, subject) if elided else []


def _without_be(text: str, clause: Clause, state: DiscourseState, subject: str) -> list[Draft]:
    """Return what a clause without subject and "am" states: `mad about Korean food`, `not a fan of crowds`."""
    negated = text.startswith("not ")
    text = " " + text.removeprefix("not ")
    for row in _ROWS["be"]:
        slot = _SLOTS[row.slot].negated if negated else row.slot
        found = row.tail.match(text) if row.slot in _ELIDED_BE else None
        if slot is not None and found and (drafts := _stated(slot, found.groupdict(), clause, state, subject)):
            return drafts
    return _stated("state", {"o": text.strip()}, clause, state, subject) if not negated else []


_COORDINATED: Final = re.compile(r"(?:,? (?:and|but|then|so) |, )(?:(?:then|now|finally|also) )?(?=(?P<v>[a-z]+) )")
_SEGMENTS_MAX: Final = 4


def _coordinated(rest: str, clause: Clause, state: DiscourseState, subject: str, *, elided: bool) -> list[Draft]:
    """Return what the verbs after the first one state: `grew up in Hamburg, ended up in Cork`.

    Without a subject, a verb in the third person is not about the speaker: `Jean, that's my sister, swears by it`.
    """
    drafts: list[Draft] = []
    forms = ("past", "part") if elided else ("past", "part", "s")
    segments = [found for found in _COORDINATED.finditer(rest) if found["v"] in _FORMS][:_SEGMENTS_MAX]
    for found in segments:
        segment = rest[found.end() :]
        for group in _main_verbs(list(verb_groups(segment))):
            if group.form in forms or (group.lemma == "be" and not elided):
                drafts += _by_group(group, segment, clause, state, subject)
    return drafts


def _main_verbs(groups: list[VerbGroup]) -> list[VerbGroup]:
    """Return the possible verbs of a clause, the likeliest first, without the auxiliaries of others."""
    later = {group.auxiliary for group in groups if group.form in ("past", "part", "ing")}
    ing = any(group.form == "ing" and group.auxiliary == "be" for group in groups)
    return [
        group
        for group in groups[::-1]
        if not (group.lemma in ("have", "do") and group.lemma in later and group is not groups[-1])
        and not (group.lemma == "be" and ing and group is not groups[-1] and group.form != "ing")
    ]


def _by_group(group: VerbGroup, rest: str, clause: Clause, state: DiscourseState, subject: str) -> list[Draft]:
    for row in _ROWS[group.lemma]:
        slot = _slot_of(row, group, rest, momentary=clause.momentary)
        found = row.tail.match(rest, group.end) if slot is not None else None
        if slot is None or found is None:
            continue
        if slot == "change" and _MOVES_SOMETHING.match(found[0]):
            # Who moves a piece of furniture neither got nor lost one.
            if group.lemma == "move" and not THINGS.isdisjoint(found[0].split(" from ")[0].split()):
                return []
            slot = "change of a thing"
        fill = partial(_changed, kinds=_CHANGES_BY_SLOT[slot]) if slot in _CHANGES_BY_SLOT else partial(_stated, slot)
        drafts = fill(found.groupdict(), clause, state, subject)
        if group.lemma == "move" and not _FAMILY.isdisjoint(found[0].split()):
            # "We moved the kids from Ashfield to Northgate" is about schools unless these are towns.
            drafts = [one for one in drafts if one.relation != "uses"]
        if drafts:
            return drafts
    if group.lemma == "be" and group.is_lasting and not group.negated and not group.modal:
        return _stated("state", {"o": rest[group.end :].strip()}, clause, state, subject)
    return []


# What the simple past says was so, and is no longer: "I lived in Spain for a year".
_LASTING_STATES: Final = frozenset(("lives", "works at", "works as", "studies", "studies at"))
_LASTING_VERBS: Final = frozenset(("live", "work", "study", "reside"))
_FOR_YEARS: Final = re.compile(
    r"\b(?:for (?:[a-z]+ ){1,3}(?:years|months)|for (?:years|ages)|as an? (?:kid|child|teenager|student|boy|girl)|"
    r"at school|"
    r"in (?:the|my) school|when I was)\b"
)


def _slot_of(row: Row, group: VerbGroup, rest: str, *, momentary: bool) -> str | None:
    """Return the slot that a line of the table fills in the tense and mood of a clause; None if it states nothing.

    Args:
        momentary: the clause is about today or this moment.
    """
    if group.forced and not row.event:
        return None
    if group.modal and not group.ended and not group.forced:
        return None
    if row.slot == "consumes":
        lasting = group.is_lasting and (group.negated or group.ended)
        return "not consumed" if lasting and group.form != "ing" else None
    slot = _SLOTS.get(row.slot)
    if group.ended or (group.negated and _ENDED_AFTER.search(rest)):
        return slot.ends if slot is not None and not row.event else None
    is_simple_past = group.form == "past" and not group.auxiliary and not group.negated
    lasting = row.slot in _LASTING_STATES and group.lemma in _LASTING_VERBS
    if slot is not None and is_simple_past and (lasting or row.slot == "plays"):
        once = momentary or row.event or not (lasting or _FOR_YEARS.search(rest))
        return None if once else slot.ends
    if row.slot == "works as" and group.lemma == "be" and group.past and not group.auxiliary and not group.negated:
        return None if momentary else "worked as"
    if group.negated:
        return slot.negated if slot is not None and group.is_lasting else None
    if row.event:
        if group.lemma == "be":
            return row.slot
        return row.slot if group.is_event else None
    return row.slot if group.is_lasting else None


def _stated(
    slot_name: str, groups: dict[str, str | None], clause: Clause, state: DiscourseState, subject: str
) -> list[Draft]:
    slot = _SLOTS[slot_name]
    text = groups.get("o") if slot.group == "o" or groups.get("old") is None else groups["old"]
    drafts: list[Draft] = []
    if slot_name == "lives" and groups.get("old"):
        drafts += _stated("left", {"old": groups["old"]}, clause, state, subject)
    if slot_name in ("likes", "dislikes", "no longer likes") and clause.momentary:
        return []
    for name, kind, _ in slot.read((text or "").strip()) if text else ():
        if state.speaker.subject_named(name) == subject:
            continue
        drafts.append(
            draft(
                clause,
                state,
                subject,
                slot.predicate,
                name,
                slot.says.replace("{o}", with_article(name)) if slot.relation == "works as" else slot.says,
                relation=slot.relation,
                kind=slot.kind or kind,
                strength=slot.strength,
                closes=slot.closes,
            )
        )
    return drafts


def _changed(
    groups: dict[str, str | None],
    clause: Clause,
    state: DiscourseState,
    subject: str,
    *,
    kinds: tuple[tuple[str, str], ...],
) -> list[Draft]:
    """Return what a change of one value for another states, by the kind of both."""
    new, old = groups.get("o") or "", groups.get("old") or ""
    if not old:
        if _SLOTS["takes"].read(new):
            return _stated("takes", {"o": new}, clause, state, subject)
        brands = [one for one in read_brand(new) if not _names_person(one.name)]
        return [
            draft(clause, state, subject, "RELATES_TO", one.name, "{s} uses {o}.", relation="uses") for one in brands
        ]
    for now, before in kinds:
        fresh = _SLOTS[now].read(new.strip())
        gone = _SLOTS[before].read(old.strip())
        if now == "has" and fresh and (brand := read_brand(old.strip())):
            gone, before = brand, "lost brand"
        if now == "lives" and fresh and fresh[0].name[0].islower():
            # The home is a house rather than a city, so the former one need not be well known.
            gone = read_places(old.strip())
            before = "left place"
        if fresh and gone:
            return _stated(now, {"o": new}, clause, state, subject) + _stated(
                before, {"o": old, "old": old}, clause, state, subject
            )
    fresh, gone = read_brand(new.strip()), read_brand(old.strip())
    if fresh and gone:
        say: list[tuple[str, str, bool]] = [
            (fresh[0].name, "{s} uses {o}.", False),
            (gone[0].name, "{s} no longer uses {o}.", True),
        ]
        return [
            draft(clause, state, subject, "RELATES_TO", name, says, relation="uses", closes=closes, strength=0.75)
            for name, says, closes in say
        ]
    return []
