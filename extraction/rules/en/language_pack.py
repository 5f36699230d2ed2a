"""The language pack for English."""

import re
from collections.abc import Iterator
from typing import Final

from extraction.rules.en.agreement import agree
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
from extraction.rules.en.ended_patterns import ENDED_RULES
from extraction.rules.en.everyday_frames import read_everyday
from extraction.rules.en.fact_guards import may_be_stored
from extraction.rules.en.frames import read_slots
from extraction.rules.en.life_patterns import LIFE_RULES
from extraction.rules.en.objects import objects
from extraction.rules.en.plans import read_plans, read_promises
from extraction.rules.en.preference_patterns import TASTE_RULES
from extraction.rules.en.syntax import SYNTAX
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
from extraction.text.lexicon_en import PETS, SOLE_KIN

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
    holds=may_be_stored,
)
