"""Choose what to ask a person about a memory today: a short stack of cards, the most useful questions first.

The choice is pure: the same memory on the same day gives the same stack. What a person has settled is not asked again.
"""

import asyncio
import hashlib
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import StrEnum
from itertools import combinations
from typing import Final

from extraction.entities.attributes import attribute_of, value_key
from extraction.entities.place_hierarchy import other_level
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.change_log.log import ChangeLog, UnchangedCache
from graph_service.memory.entity_resolution.duplicate_candidates import ComparedEntity, DuplicatePair
from graph_service.memory.entity_resolution.kinship_roles import KINSHIP_MERGE_REASON
from graph_service.memory.entity_resolution.listing import Entities
from schema.ids import CORRECTION_SESSION, TenantId
from schema.relations import canonical_relation, relation_labels
from schema.timespan import millis

CARDS_MAX: Final = 50
_FACTS_MAX: Final = 3_000
_PAIRS_MAX: Final = 100
# Number of facts of unchanged memories.
_KEPT_MAX: Final = 20_000
# A fact that nobody mentioned for so long may have ended.
OLD_DAYS: Final = 90.0
# Facts below this importance are not worth a person's time.
_IMPORTANCE_MIN: Final = 3
# What one does, such as "learns" or 正在学; a noun, such as "supplier", may have one value.
_VERB: Final = re.compile(r"(?:is |are )?[a-z]+(?:ing|(?<![sui])s)(?: |$)|正?在|学习|想", re.IGNORECASE)
# Values of an attribute that may contradict each other; more values are a list, such as friends.
_VALUES_MAX: Final = 3
# Attributes that do not change.
_LASTING: Final = frozenset(("name", "birthday", "blood type"))
_OPPOSITE: Final = {"PREFERS": "DISLIKES", "DISLIKES": "PREFERS"}


class CardKind(StrEnum):
    """The question of a review card."""

    CONTRADICTION = "contradiction"
    SAME = "same"
    STILL_TRUE = "still_true"
    ONE_SENTENCE = "one_sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFact:
    """A valid fact that no person confirmed.

    Attributes:
        attribute: label of the attribute as stored; None if it states none.
        importance: 1 to 10.
        valid_at: when it became true.
        last_seen: when it was last mentioned.
        evidence_n: number of evidence messages.
        access_n: number of answers that it was part of.
    """

    id: str
    statement: str
    predicate: str
    relation: str | None
    attribute: str | None
    strength: float
    confidence: float
    importance: int
    valid_at: datetime
    first_seen: datetime
    last_seen: datetime
    evidence_n: int
    access_n: int
    subject_id: str
    subject: str
    object_id: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCard:
    """A question about the memory.

    Attributes:
        id: stays the same until the question is settled.
        value: usefulness of the answer, 0 to 1.
        facts: the fact; of a contradiction both, older first.
        entities: for SAME, the one with more facts first.
    """

    id: str
    kind: CardKind
    value: float
    facts: tuple[ReviewFact, ...] = ()
    entities: tuple[ComparedEntity, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewStack:
    """Today's questions about a memory.

    Attributes:
        day: the day, in UTC.
        cards: most useful first; the order stays the same all day.
        settled_today: corrections and decisions that people made today.
        left: number of questions that are left, including `cards`.
    """

    day: date
    cards: tuple[ReviewCard, ...]
    settled_today: int
    left: int


class Review:
    """Cards about the memories of all tenants; the facts of an unchanged memory are kept."""

    def __init__(self, graph: Graph, log: ChangeLog, entities: Entities, *, clock: Callable[[], datetime]) -> None:
        self._graph = graph
        self._entities = entities
        self._clock = clock
        # Facts that may be asked about, and the contradictions among them.
        self._facts: UnchangedCache[tuple[list[ReviewFact], list[ReviewCard]]] = UnchangedCache(
            log, weigh=lambda known: len(known[0]), weight_max=_KEPT_MAX
        )

    async def stack(self, tenant: TenantId, user_id: str, *, limit: int) -> ReviewStack:
        """Return today's cards about one user's memory.

        Raises:
            TooSlowError: comparing the names took too long.
        """
        check_ids(userId=user_id)
        check_limit(limit, CARDS_MAX)
        now = self._clock()
        midnight = datetime.combine(now.astimezone(UTC).date(), time(), tzinfo=UTC)
        (facts, _), pairs, settled = await asyncio.gather(
            self._open_facts(tenant, user_id),
            self._entities.suggested_merges(tenant, user_id, limit=_PAIRS_MAX),
            self._graph.read(
                statement("curation/settled_since"),
                {
                    "tenant": tenant,
                    "user_id": user_id,
                    "since": midnight,
                    "since_ms": millis(midnight),
                    "prefix": CORRECTION_SESSION,
                    "automatic": KINSHIP_MERGE_REASON,
                },
            ),
        )
        cards = possible_cards(facts, pairs, now=now)
        chosen = choose_cards(cards, day=midnight.date(), limit=limit)
        return ReviewStack(
            day=midnight.date(), cards=tuple(chosen), settled_today=int(settled[0]["settled"]), left=len(cards)
        )

    async def contradictions(self, tenant: TenantId, user_id: str) -> list[ReviewCard]:
        """Return all contradictions in one user's memory that no person has settled."""
        check_ids(userId=user_id)
        return (await self._open_facts(tenant, user_id))[1]

    def forget(self, tenant: str | None) -> None:
        """Drop what is kept of a tenant's memory, or of all, because something in it was forgotten."""
        self._facts.forget(tenant)

    async def _open_facts(self, tenant: TenantId, user_id: str) -> tuple[list[ReviewFact], list[ReviewCard]]:
        async def read() -> tuple[list[ReviewFact], list[ReviewCard]]:
            parameters = {"tenant": tenant, "user_id": user_id, "rows_max": _FACTS_MAX}
            rows = await self._graph.read(statement("curation/review_facts"), parameters)
            facts = [ReviewFact(**row) for row in rows]
            return facts, contradictions(facts)

        return await self._facts.get(tenant, user_id, read)


def possible_cards(facts: Sequence[ReviewFact], pairs: Iterable[DuplicatePair], *, now: datetime) -> list[ReviewCard]:
    """Return every open card; each fact is on one at most. Pure."""
    cards = contradictions(facts)
    asked = {fact.id for card in cards for fact in card.facts}
    cards += [_same(pair) for pair in pairs]
    for fact in facts:
        if fact.id not in asked and (card := _card_of_fact(fact, now=now)) is not None:
            cards.append(card)
    return cards


def choose_cards(cards: Sequence[ReviewCard], *, day: date, limit: int) -> list[ReviewCard]:
    """Return the cards of a day, most useful first; at most half of one kind while others are left. Pure.

    Cards of about the same value take turns from day to day.
    """

    def key(card: ReviewCard) -> tuple[float, bytes]:
        return -round(card.value, 1), hashlib.sha256(f"{day.isoformat()} {card.id}".encode()).digest()

    ordered = sorted(cards, key=key)
    share, counts, first, later = math.ceil(limit / 2), dict[CardKind, int](), list[ReviewCard](), list[ReviewCard]()
    for card in ordered:
        counts[card.kind] = counts.get(card.kind, 0) + 1
        (first if counts[card.kind] <= share else later).append(card)
    chosen = (first + later)[:limit] if len(first) < limit else first[:limit]
    return sorted(chosen, key=key)


def contradictions(facts: Sequence[ReviewFact]) -> list[ReviewCard]:
    """Return pairs of open facts that exclude each other, each fact in one pair at most. Pure."""
    by_attribute: dict[tuple[str, str, str], list[ReviewFact]] = {}
    by_object: dict[tuple[str, str, str], list[ReviewFact]] = {}
    # The order decides which pair a fact is in, so it must not depend on that of the rows.
    for fact in sorted(facts, key=_age):
        label = _attribute_key(fact)
        if label is not None:
            by_attribute.setdefault((fact.subject_id, fact.predicate, label), []).append(fact)
        if fact.predicate in _OPPOSITE:
            by_object.setdefault((fact.subject_id, fact.predicate, fact.object_id), []).append(fact)
    cards, used = list[ReviewCard](), set[str]()
    pairs = [pair for group in by_attribute.values() for pair in _values_that_differ(group)]
    for (subject, predicate, thing), liked in by_object.items():
        disliked = by_object.get((subject, _OPPOSITE[predicate], thing), ())
        if predicate == "PREFERS":
            pairs += [(one, other) for one in liked for other in disliked]
    for one, other in sorted((sorted(pair, key=_age) for pair in pairs), key=lambda pair: [*map(_age, pair)]):
        if one.id in used or other.id in used:
            continue
        used |= {one.id, other.id}
        weight = max(one.importance, other.importance) / 10
        card_id = f"{CardKind.CONTRADICTION}:{one.id}:{other.id}"
        cards.append(ReviewCard(id=card_id, kind=CardKind.CONTRADICTION, value=0.6 + 0.4 * weight, facts=(one, other)))
    return cards


def _age(fact: ReviewFact) -> tuple[datetime, datetime, str]:
    """Return the sort key that puts older facts first."""
    return fact.valid_at, fact.first_seen, fact.id


def _attribute_key(fact: ReviewFact) -> str | None:
    """Return the key of the attribute that a fact states; None if its subject may well have several values of it."""
    label = fact.attribute
    if label is None:
        found = attribute_of(fact.predicate, fact.relation, fact.object)
        label = None if found is None else found.key if found.one else f"?{found.key}"
    if label is None or (label.startswith("?") and _is_activity(fact.relation or "")):
        return None
    return label.removeprefix("?")


def _is_activity(relation: str) -> bool:
    """Return whether a relation is one of our labels, whose number of values is known, or begins with a verb."""
    return canonical_relation(relation) in relation_labels() or _VERB.match(relation.replace("_", " ")) is not None


def _values_that_differ(group: Sequence[ReviewFact]) -> list[tuple[ReviewFact, ReviewFact]]:
    """Return pairs of facts with different values of one attribute; none if it has many values."""
    by_value: dict[str, ReviewFact] = {}
    for fact in group:
        by_value.setdefault(value_key(fact.object), fact)
    if not 1 < len(by_value) <= _VALUES_MAX:
        return []
    # A city and the country that it is in do not contradict each other.
    return [
        (one, other) for one, other in combinations(by_value.values(), 2) if not other_level(one.object, other.object)
    ]


def _same(pair: DuplicatePair) -> ReviewCard:
    # The one with more facts keeps its name.
    first, second = sorted((pair.first, pair.second), key=lambda one: (-len(one.ties), -len(one.name), one.id))
    ids = ":".join(sorted((first.id, second.id)))
    return ReviewCard(
        id=f"{CardKind.SAME}:{ids}",
        kind=CardKind.SAME,
        value=min(0.2 + 0.8 * pair.score, 1.0),
        entities=(first, second),
    )


def _card_of_fact(fact: ReviewFact, *, now: datetime) -> ReviewCard | None:
    """Return the card of one fact: whether it is still true, or whether its only sentence was understood."""
    if fact.importance < _IMPORTANCE_MIN and not fact.access_n:
        return None
    age_days = max((now - fact.last_seen).total_seconds() / 86_400, 0.0)
    use = math.log1p(max(fact.access_n, 0)) / math.log1p(100)
    matters = min(0.7 * max(min(fact.importance, 10), 0) / 10 + 0.3 * use, 1.0)
    if fact.evidence_n == 1:
        value, kind = matters * (0.5 + 0.5 * (1 - max(min(fact.confidence, 1.0), 0.0))), CardKind.ONE_SENTENCE
    elif age_days >= OLD_DAYS and _may_end(fact):
        value, kind = matters * (1 - math.exp(-age_days / 365)), CardKind.STILL_TRUE
    else:
        return None
    return ReviewCard(id=f"{kind}:{fact.id}", kind=kind, value=value, facts=(fact,))


def _may_end(fact: ReviewFact) -> bool:
    """Return whether the fact is a state that can end, rather than an event or something lasting."""
    label = _attribute_key(fact)
    return label not in _LASTING if label is not None else fact.predicate != "RELATES_TO"
