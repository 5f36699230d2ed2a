"""The language pack for Chinese."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from extraction.rules.engine import (
    Clause,
    Construction,
    DiscourseState,
    Draft,
    LanguagePack,
    Rule,
    RuleBook,
    Wording,
    draft,
)
from extraction.rules.zh.agent_promises import drafts_text, read_agent_promises
from extraction.rules.zh.clauses import RELAYS_SPEECH, split_clauses
from extraction.rules.zh.constructions import (
    experiences,
    judgement_or_favorite,
    own_name,
    read_causes,
    read_relatives,
    read_values,
    reports_reaction,
)
from extraction.rules.zh.ended_patterns import ENDED_RULES
from extraction.rules.zh.fact_guards import may_be_stored
from extraction.rules.zh.life_patterns import LIFE_RULES
from extraction.rules.zh.objects import objects
from extraction.rules.zh.preference_patterns import GOAL_RULES, TASTE_RULES
from extraction.rules.zh.syntax import SYNTAX
from extraction.text.lexicon_zh import FIELDS, JOBS, SOLE_KIN

# In order of precedence: the first rule that finds an object wins. Ended facts come first, because their wording
# contains that of valid ones.
RULES: Final = ENDED_RULES + GOAL_RULES + TASTE_RULES + LIFE_RULES
_JOB_AFTER_PLACE = re.compile(
    r"(?:当|担任|做|干)(?:了|着|过)?(?:一[名个位])?(?P<o>[\u4e00-\u9fffA-Z]{2,10}?)"
    r"(?:[一二两三四五六七八九十\d]+多?年|好几年|很多年)?了?$"
)
_SLIGHTLY = re.compile(r"有点|有些|稍微|还算")


def _use_name(clause: Clause, state: DiscourseState) -> Clause:
    """Replace a relative as subject by the name given before: `我男朋友叫周凯，在…工作`."""
    if clause.subject in state.named and clause.subject in SOLE_KIN:
        return replace(clause, subject=state.named[clause.subject], kin=None)
    return clause


def _job_after_workplace(rule: Rule, clause: Clause, state: DiscourseState, _text: str) -> Iterator[Draft]:
    """Read the job in `在腾讯做后端开发`."""
    assert clause.subject is not None
    job = _JOB_AFTER_PLACE.search(clause.rest) if rule.shape == "workplace" else None
    if job and job["o"].endswith((*JOBS, *FIELDS)):
        closes = rule.closes or clause.past
        says, relation = "{s}的职业是{o}。", "works as"
        yield draft(
            clause, state, clause.subject, "RELATES_TO", job["o"], says, relation=relation, strength=0.8, closes=closes
        )


# Traits that Chinese states without 是.
_PREDICATES: Final = frozenset(
    word
    for words in (
        "吃素 恐高 晕车 晕船 晕血 单身 已婚 离异 离婚 退休 脸盲 社恐",
        "内向 外向 乳糖不耐受 乳糖不耐 待业 失业",
    )
    for word in words.split()
)


def _formerly(says: str) -> str:
    """Return a statement about a former state: {s}以前…"""
    return says.replace("{s}", "{s}以前", 1)


def _statement(rule: Rule, name: str, ended: bool) -> str:
    if rule.shape == "trait" and name in _PREDICATES and rule.says == "{s}是{o}。":
        return _formerly("{s}{o}。") if ended else "{s}{o}。"
    # A fact about the past has ended, regardless of the verb: 以前我住在….
    return _formerly(rule.says) if ended else rule.says


def _strength(rule: Rule, rest: str) -> float:
    """Return the strength of the rule, raised for `最喜欢` and lowered for `有点喜欢`."""
    if rule.predicate != "PREFERS" or rule.closes:
        return rule.strength
    if "最" in rest[:8]:
        return 0.9
    return 0.5 if _SLIGHTLY.match(rest) else rule.strength


CHINESE: Final = LanguagePack(
    rules=RuleBook(RULES, SYNTAX),
    wording=Wording(
        unknown_user="用户",
        relative="{owner}的{kin}",
        has_relative=lambda kin: f"{{s}}有{kin}。",
        title="《{}》",
    ),
    sole_kin=frozenset(SOLE_KIN),
    split_clauses=split_clauses,
    relays_speech=RELAYS_SPEECH.search,
    relatives=read_relatives,
    constructions=(
        Construction(read=own_name, then="stop"),
        Construction(read=read_values, then="stop"),
        Construction(read=judgement_or_favorite, then="skip rules"),
    ),
    objects=objects,
    causes=read_causes,
    reports_reaction=reports_reaction,
    resolve=_use_name,
    second_facts=_job_after_workplace,
    experiences=experiences,
    statement=_statement,
    strength=_strength,
    states=frozenset(
        (
            "lives in",
            "works at",
            "works in",
            "works as",
            "studies at",
            "studies",
            "has",
            "is",
            "plays",
            "plays for",
            "teaches",
        )
    ),
    agent_promises=read_agent_promises,
    drafts_text=drafts_text,
    holds=may_be_stored,
)
