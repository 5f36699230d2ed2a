"""Facts that Chinese sentences state outright: subject, verb, object, clause by clause."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from extraction.rules.engine import Draft, Rule, RuleBook, Voice
from extraction.rules.zh import constructions as wordings
from extraction.rules.zh.clauses import RELAYS, Clause, Thread, clauses, draft
from extraction.rules.zh.constructions import causes, experiences, favorites, kin_of, said_of_things
from extraction.rules.zh.ended_patterns import ENDED_RULES
from extraction.rules.zh.life_patterns import LIFE_RULES
from extraction.rules.zh.objects import objects
from extraction.rules.zh.pattern_builder import ADVERB
from extraction.rules.zh.preference_patterns import GOAL_RULES, TASTE_RULES
from extraction.text.lexicon_zh import FIELDS, JOBS, SOLE_KIN
from extraction.text.sentences import Sentence
from schema.entity import EntityType

# The order counts: the first rule that finds an object wins, and what no longer holds holds the words of what does.
RULES = ENDED_RULES + GOAL_RULES + TASTE_RULES + LIFE_RULES
_BOOK = RuleBook(RULES, ADVERB, re.DOTALL)
_JOB_AFTER_PLACE = re.compile(
    r"(?:当|担任|做|干)(?:了|着|过)?(?:一[名个位])?(?P<o>[\u4e00-\u9fffA-Z]{2,10}?)(?:[一二两三四五六七八九十\d]+多?年|好几年|很多年)?了?$"
)
_TASTES = frozenset(("PREFERS", "DISLIKES"))
_STATES = frozenset(
    ("lives in", "works at", "works in", "works as", "studies at", "studies", "has", "is", "plays", "teaches")
)


def read_chinese(sentences: Iterable[Sentence], voice: Voice) -> list[Draft]:
    """Return the facts of one message, in the order they are said; the same fact once."""
    thread = Thread(voice=voice)
    found: dict[tuple[str, str, str | None, str], Draft] = {}
    for sentence in sentences:
        for one in _read_sentence(sentence, thread):
            found.setdefault((one.subject, one.predicate, one.relation, one.object.lower()), one)
        if RELAYS.search(sentence.text):
            # "翻译成英文：…", "假装你是…": what follows is nobody's own word.
            break
    return list(found.values())


def _read_sentence(sentence: Sentence, thread: Thread) -> Iterator[Draft]:
    spoken = list(clauses(sentence, thread))
    if spoken and not sentence.asks:
        yield from causes(sentence, thread)
    for clause in spoken:
        yield from _read_clause(clause, thread)


def _read_clause(clause: Clause, thread: Thread) -> Iterator[Draft]:
    yield from kin_of(clause, thread)
    if clause.subject in thread.named and clause.subject in SOLE_KIN:
        # "我男朋友叫周凯，在…工作": from here on he goes by his name.
        clause = replace(clause, subject=thread.named[clause.subject], kin=None)
    if named := wordings.NAME_IS.search(clause.text):
        me = thread.voice.me
        name = named["n"]
        yield draft(clause, thread, me, "RELATES_TO", name, "{s}的名字是{o}。", relation="is named", strength=0.9)
        return
    said = list(said_of_things(clause, thread))
    yield from said
    best = list(favorites(clause, thread)) if not said else []
    yield from best
    if clause.subject is None:
        return
    drafts = [] if best or said else list(_by_rules(clause, thread))
    drafts += experiences(clause, thread)
    if drafts and clause.kin is not None:
        kin = clause.kin
        says = f"{{s}}有{kin}。"
        yield draft(clause, thread, thread.voice.me, "RELATES_TO", kin, says, relation=kin, kind=EntityType.PERSON)
    yield from drafts


def _by_rules(clause: Clause, thread: Thread) -> Iterator[Draft]:
    assert clause.subject is not None
    for rule, matched in _BOOK.matching(clause.rest):
        if clause.momentary and rule.predicate in _TASTES and not rule.closes:
            return
        drafts = [
            _from_rule(rule, clause, thread, name, relation, kind)
            for name, relation, kind in objects(rule, matched["o"])
        ]
        yield from drafts
        if drafts and rule.shape == "workplace":
            yield from _job_beside(rule, clause, thread)
        if drafts or rule.shape in ("things", "goal", "worry", "promise"):
            return


def _job_beside(rule: Rule, clause: Clause, thread: Thread) -> Iterator[Draft]:
    """`在腾讯做后端开发`: place and job in one phrase."""
    assert clause.subject is not None
    job = _JOB_AFTER_PLACE.search(clause.rest)
    if job and job["o"].endswith((*JOBS, *FIELDS)):
        says = "{s}的职业是{o}。"
        closes = rule.closes or clause.past
        yield draft(
            clause,
            thread,
            clause.subject,
            "RELATES_TO",
            job["o"],
            says,
            relation="works as",
            strength=0.8,
            closes=closes,
        )


def _from_rule(
    rule: Rule, clause: Clause, thread: Thread, name: str, relation: str | None, kind: EntityType | None
) -> Draft:
    assert clause.subject is not None
    # "以前我住在…": what was is told as having ended, whatever the verb.
    ended = clause.past and not rule.closes and (rule.predicate in _TASTES or relation in _STATES)
    return draft(
        clause,
        thread,
        clause.subject,
        rule.predicate,
        name,
        rule.says.replace("{s}", "{s}以前", 1) if ended else rule.says,
        relation=relation,
        kind=kind,
        strength=_strength(rule, clause.rest),
        closes=rule.closes or ended,
    )


def _strength(rule: Rule, rest: str) -> float:
    """`最喜欢` weighs more than `喜欢`, `有点喜欢` less."""
    head = rest[:8]
    if rule.predicate != "PREFERS" or rule.closes:
        return rule.strength
    if "最" in head:
        return 0.9
    return 0.5 if re.match(r"(?:有点|有些|稍微|还算)", head) else rule.strength
