"""The language pack for English."""

import re
from collections.abc import Iterator
from typing import Final

from extraction.reader import THE_USER
from extraction.rules.en.agent_promises import drafts_text, read_agent_promises
from extraction.rules.en.clauses import RELAYS_SPEECH, split_clauses, with_article
from extraction.rules.en.constructions import (
    favorite_is,
    favorite_within,
    own_name,
    read_causes,
    read_judgements,
    read_relatives,
    reports_reaction,
)
from extraction.rules.en.daily_life import agree
from extraction.rules.en.ended_patterns import ENDED_RULES
from extraction.rules.en.everyday_frames import read_everyday
from extraction.rules.en.frames import read_slots
from extraction.rules.en.life_patterns import LIFE_RULES
from extraction.rules.en.objects import objects
from extraction.rules.en.plans import read_plans, read_promises
from extraction.rules.en.preference_patterns import TASTE_RULES
from extraction.rules.en.slot_analysis import analyse_slots
from extraction.rules.en.syntax import SYNTAX
from extraction.rules.en.word_classes import SOFTWARE
from extraction.rules.engine import (
    Clause,
    Construction,
    DiscourseState,
    Draft,
    LanguagePack,
    Rule,
    RuleBook,
    Wording,
    draft_by_rule,
)
from extraction.text.lexicon_en import DEMONYMS, KIN, MANY_KIN, PETS, SOLE_KIN
from schema.entity import EntityType
from schema.predicates import TASTES

# In order of precedence: the first rule that finds an object wins. Ended facts come first, because their wording
# contains that of valid ones.
RULES: Final = ENDED_RULES + TASTE_RULES + LIFE_RULES
_WORKS_AT = next(rule for rule in RULES if rule.relation == "works at" and not rule.closes)
_WORKS_AS = next(rule for rule in RULES if rule.relation == "works as" and not rule.closes)
_AT = re.compile(r" (?:at|for) (?P<o>.+)$")
_AS = re.compile(r" as (?P<o>an? .+)$")


def _job_and_workplace(rule: Rule, clause: Clause, state: DiscourseState, text: str) -> Iterator[Draft]:
    """Yield the second fact in `a nurse at St. Mary's`, `working at Shopify as a developer`."""
    for relation, pattern, other in (("works as", _AT, _WORKS_AT), ("works at", _AS, _WORKS_AS)):
        if rule.relation == relation and not rule.closes and (found := pattern.search(text)):
            yield from (draft_by_rule(other, clause, state, phrase) for phrase in objects(other, found["o"]))


def _statement(rule: Rule, name: str, _ended: bool) -> str:
    return rule.says.replace("{o}", with_article(name)) if rule.shape in ("job", "pet", "gift") else rule.says


# "Our cat Smudge needs insulin": the user takes none.
_OF_PET: Final = re.compile(rf"(?:[Mm]y|[Oo]ur|[Tt]he) (?:[a-z-]+ ){{0,2}}?(?:{'|'.join(sorted(PETS))})\b")
# "I rented a flat in Leeds for a year" is over.
_STAYED: Final = re.compile(
    r"(?:am |is |are )?(?:staying|stays|stay|living)\b.{3,60}\b(?:until|till)\b|"
    r"(?:rented|shared|stayed|had|owned|lodged|was|were)\b.{3,60}\bfor (?:an?|[a-z]+|\d+) (?:and a half )?(?:years?|"
    r"months?|weeks?|terms?)\b"
)
# What a clause about the past says was so then, not now: "When I was twelve we moved to Cardiff".
_LIFE: Final = ("lives in", "works at", "works as", "studies at", "studies", "has age", "is")
_OF_THEN: Final = frozenset((*_LIFE, "has", "uses", "takes", "plays", "drives"))


# "I never drink coffee after four" says nothing of coffee in the morning.
_AT_TIMES: Final = re.compile(
    r"(?:never|do not|does not|rarely|hardly ever) (?:eat|drink|smoke|have|use)\b.* (?:after|before|during|at night|"
    r"on (?:week|mon|tues|"
    r"wednes|thurs|fri|satur|sun)|in the (?:morning|afternoon|evening))"
)
# "My sister can't stand my cooking" says nothing of other cooking.
_OF_MINE: Final = re.compile(r"(?:[a-z]+ ){0,4}?(?:stand|like|love|hate|enjoy|dislike|adore|prefer)s? (?:my|our) ")


def _limited(clause: Clause, one: Draft) -> bool:
    """Return whether a clause states a taste for certain times, or of the speaker's own things."""
    own = one.subject != THE_USER and _OF_MINE.match(clause.rest) is not None
    return own or _AT_TIMES.match(clause.rest) is not None


def _still_so(clause: Clause, one: Draft) -> bool:
    """Return whether a fact may be stored; a clause about the past states only ends, and who somebody is."""
    if one.relation == "lives in" and not one.closes and _STAYED.match(clause.rest):
        return False
    if one.predicate in TASTES and not one.closes and _limited(clause, one):
        return False
    if one.relation == "takes" and one.subject == THE_USER and _OF_PET.match(clause.text):
        return False
    if one.object.partition("-")[0] in DEMONYMS and (one.relation in KIN or one.object_type is EntityType.PERSON):
        return False
    if one.relation in MANY_KIN and one.object != one.relation:
        # "Two kids, Sam and Ella": each of them is a kid.
        return False
    if one.relation == "uses" and one.subject.isupper() and "moved from" in clause.text:
        # "CI moved from GitLab to GitHub Actions" is about a system, which has no facts of a person.
        return False
    if one.relation == "lives in" and one.object in SOFTWARE:
        # "We moved from Slack to Teams"
        return False
    if one.relation == "has age" and one.subject in MANY_KIN:
        # "My kids are 4 and 7" states two ages.
        return False
    return not clause.past or one.closes or (one.predicate == "RELATES_TO" and one.relation not in _OF_THEN)


ENGLISH: Final = LanguagePack(
    rules=RuleBook(RULES, SYNTAX),
    wording=Wording(
        unknown_user="User",
        relative="{owner}'s {kin}",
        has_relative=lambda kin: f"{{s}} has {kin}." if kin.endswith("s") else f"{{s}} has a {kin}.",
        capitalized=True,
        agree=agree,
    ),
    sole_kin=SOLE_KIN,
    split_clauses=split_clauses,
    relays_speech=RELAYS_SPEECH.match,
    relatives=read_relatives,
    constructions=(
        Construction(read=favorite_is, then="stop"),
        Construction(read=read_judgements),
        Construction(read=own_name, then="stop"),
        Construction(read=read_slots, then="stop"),
        Construction(read=read_promises, then="stop"),
        Construction(read=read_everyday, then="skip rules"),
        Construction(read=read_plans, then="skip rules"),
        Construction(read=favorite_within),
    ),
    objects=objects,
    causes=read_causes,
    reports_reaction=reports_reaction,
    second_facts=_job_and_workplace,
    statement=_statement,
    pets=PETS,
    agent_promises=read_agent_promises,
    drafts_text=drafts_text,
    analyse=analyse_slots,
    holds=_still_so,
)
