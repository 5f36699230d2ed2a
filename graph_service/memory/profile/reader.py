"""Read the profile of a user or agent and Core Memory, and mark which facts are excluded from a profile.

And write what is known about a user, agent or entity as a text, at three levels of detail, composed when
it is read: so it is never out of date, and what was forgotten is never in it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Any, Final

from extraction.extractive_summary import EXTRACTIVE, OVERVIEW_TOKENS_MAX, headings_of, token_count
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.log import edge_change
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.profile.selection import Exclusion, ProfileFact, excluded
from graph_service.memory.summaries.service import LayerText, Level, tokens_of
from schema.change import Change
from schema.fact import FactKind
from schema.ids import MemoryId, TenantId, memory_id, to_element_id, user_uri
from schema.profile import Category, category_in, category_uri, profile_uri
from schema.timespan import as_utc, moment_of
from schema.tuning import tuning
from schema.zones import day_in

# Later consolidations mark the rest, so that none takes long in a large memory.
_MARKS_MAX: Final = 200
_REASONS = {
    Exclusion.FULL: "no longer in the profile: more important facts fill it",
    Exclusion.OVERWRITTEN: "no longer in the profile: a more certain or later fact says the same",
    None: "in the profile again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileItem:
    """A fact of a profile.

    Attributes:
        id: id of the fact.
        uri: its URI in the profile.
        statement: the fact as a sentence.
        relation: the relation in free text.
        object: the object of the fact.
        importance: 1 to 10.
        confidence: 0 to 1.
        valid_at: when it became true.
        last_seen: when it was last mentioned.
        zone: time zone of a message that proves it; None if unknown.
    """

    id: MemoryId
    uri: str
    statement: str
    predicate: str
    relation: str | None
    object: str
    importance: int
    confidence: float
    valid_at: datetime
    last_seen: datetime
    zone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilePart:
    """One category of a profile.

    Attributes:
        category: the category.
        items_max: maximum number of items.
        items: its items, the most important first.
        omitted: number of facts left out because the category is full or another fact says the same.
    """

    category: Category
    items_max: int
    items: tuple[ProfileItem, ...]
    omitted: int


async def profile_of(
    graph: Graph, tenant: TenantId, node_id: MemoryId, moments: AsOf, *, category: Category | None = None
) -> list[ProfilePart]:
    """Return all categories of a profile, or one of them, including empty ones."""
    parameters = {"tenant": tenant, "ids": [node_id], **asdict(moments)}
    rows = await graph.read(statement("profile/profile_candidates"), parameters)
    facts = [_fact(values) for row in rows for values in row["facts"] if category in (None, _fact(values).category)]
    exclusions = excluded(facts)
    included = sorted(fact.id for fact in facts if fact.id not in exclusions)
    items = await graph.read(statement("profile/profile_facts"), {"tenant": tenant, "id": node_id, "facts": included})
    return [_part(one, facts, items, exclusions) for one in Category if category in (None, one)]


async def settle_profile(
    writing: Writing, tenant: TenantId, node_ids: Iterable[MemoryId], *, at: datetime
) -> list[Change]:
    """Mark within a transaction which facts are excluded from these profiles; return the changes for viewers."""
    profiles = {"tenant": tenant, "ids": sorted(node_ids), **asdict(AsOf(valid_at=at))}
    changes: list[Change] = []
    if not profiles["ids"]:
        return changes
    for row in await writing.run(statement("profile/profile_candidates"), profiles):
        facts = [_fact(values) for values in row["facts"]]
        exclusions = excluded(facts)
        marks = {fact.id: exclusions.get(fact.id) for fact in facts if fact.exclusion != exclusions.get(fact.id)}
        now = sorted(marks)[:_MARKS_MAX]
        if now:
            reasons = {name: mark.value if mark else None for name in now for mark in (marks[name],)}
            parameters = {"tenant": tenant, "id": row["subject_id"], "facts": now, "reasons": reasons}
            changes += [_change(marked) for marked in await writing.run(statement("profile/mark_excluded"), parameters)]
    return changes


def subjects_in(facts: Sequence[Mapping[str, Any]], *nodes: MemoryId) -> set[MemoryId]:
    """Return those of the given users and agents that are subjects of the facts."""
    return {row["subject_id"] for row in facts} & set(nodes)


def _fact(values: Sequence[Any]) -> ProfileFact:
    """Convert the values of one fact from `profile/profile_candidates`, in the order of the fields."""
    fact = dict(zip(ProfileFact.__dataclass_fields__, values, strict=True))
    exclusion = Exclusion(fact["exclusion"]) if fact["exclusion"] else None
    return ProfileFact(**fact | {"kind": FactKind(fact["kind"]), "exclusion": exclusion})


def _part(
    category: Category, facts: Sequence[ProfileFact], items: Sequence[Row], exclusions: Mapping[str, Exclusion]
) -> ProfilePart:
    of_category = {fact.id: fact for fact in facts if fact.category is category}
    return ProfilePart(
        category=category,
        items_max=tuning().items_max[category],
        items=tuple(_item(row, of_category[row["fact"]["id"]]) for row in items if row["fact"]["id"] in of_category),
        omitted=sum(name in exclusions for name in of_category),
    )


def _item(row: Row, known: ProfileFact) -> ProfileItem:
    fact = row["fact"]
    return from_row(
        ProfileItem,
        row | fact,
        uri=profile_uri(row["subject_uri"], known.category, fact["id"]),
        importance=known.importance,
    )


def _change(row: Row) -> Change:
    exclusion = row["properties"].get("profile_exclusion")
    return edge_change(row, _REASONS[Exclusion(exclusion) if exclusion else None])


# More facts than fit into any budget; the most important come first.
_FACTS_MAX: Final = 300
_TRIGGERS_MAX: Final = 50
_CLOSED_MAX: Final = 50
# A preference is stable if it is certain, and strong, important or mentioned in several scenes.
_SURE_MIN: Final = 0.6
_STRONG_MIN: Final = 0.8
_IMPORTANT_MIN: Final = 8
_OCCASIONS_MIN: Final = 2


class CoreKind(StrEnum):
    """Kind of fact in Core Memory; EARLIER means ended."""

    PROFILE = "profile"
    PREFERENCE = "preference"
    TRIGGER = "trigger"
    EARLIER = "earlier"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreFact:
    """A fact of Core Memory: a profile fact, and the other values that a prompt needs.

    Attributes:
        uri: URI in the profile; for triggers of other nodes and ended facts, that of the fact.
        until: when the fact ceased to be valid.
        evidence: ids of the messages that prove the fact.
        zone: time zone of one of them; None for UTC.
        told_as_ended: no message says that the fact was valid, only that it has ended, as its statement does.
        rejected: a person said that it was never true.
        scenes_n: number of scenes that mention the fact, at least 1.
    """

    kind: CoreKind
    uri: str
    statement: str
    strength: float
    since: datetime
    until: datetime | None
    emotion: str | None
    evidence: frozenset[str]
    scenes_n: int
    zone: str | None
    told_as_ended: bool = False
    rejected: bool = False
    fact: ProfileFact

    @property
    def id(self) -> str:
        """Return the id of the fact."""
        return self.fact.id

    @property
    def worth(self) -> float:
        """Return how much the fact matters regardless of the question, 0 to 1."""
        often = 1.0 - 0.5 ** (self.scenes_n - 1)
        return 0.45 * self.fact.importance / 10 + 0.25 * self.fact.confidence + 0.15 * self.strength + 0.15 * often


async def core_memory(
    graph: Graph, tenant: TenantId, user_id: str, *, moments: AsOf, now: bool
) -> tuple[CoreFact, ...]:
    """Return the Core Memory of a user, including ended facts, in one round trip; empty for an unknown user.

    Args:
        now: `moments` is the present, so that the stored marks of excluded facts apply.
    """
    root = user_uri(tenant, user_id)
    rows = await graph.read(
        statement("profile/core_memory"),
        {
            "tenant": tenant,
            "user_id": user_id,
            "user_node_id": memory_id(root),
            "valid_at": as_utc(moments.valid_at),
            "known_at": None if moments.known_at is None else as_utc(moments.known_at),
            "as_marked": now,
            "facts_max": _FACTS_MAX,
            "triggers_max": _TRIGGERS_MAX,
            "closed_max": _CLOSED_MAX,
        },
    )
    if not rows:
        return ()
    current, causes, closed = (
        [_core_fact(values) for values in rows[0][name]] for name in ("facts", "triggers", "closed")
    )
    return (
        *facts_for_prompts(current, root),
        *(replace(one, kind=CoreKind.TRIGGER) for one in causes if is_certain(one)),
        *(replace(one, kind=CoreKind.EARLIER) for one in closed),
    )


def facts_for_prompts(facts: Sequence[CoreFact], root: str) -> list[CoreFact]:
    """Return the facts of a profile that belong in every prompt, without unstable preferences or uncertain triggers."""
    exclusions = excluded(one.fact for one in facts)
    chosen = []
    for one in facts:
        if one.id in exclusions:
            continue
        category = one.fact.category
        if one.emotion is not None or one.fact.predicate == "CAUSED_BY":
            kind = CoreKind.TRIGGER if is_certain(one) else None
        elif category is not Category.PREFERENCES:
            kind = CoreKind.PROFILE
        else:
            kind = CoreKind.PREFERENCE if is_stable(one) else None
        if kind is not None:
            chosen.append(replace(one, kind=kind, uri=profile_uri(root, category, one.id)))
    return chosen


def is_stable(one: CoreFact) -> bool:
    """Return whether a preference is certain, and strong, important or mentioned in several scenes."""
    strong = one.strength >= _STRONG_MIN or one.fact.importance >= _IMPORTANT_MIN
    return is_certain(one) and (strong or one.scenes_n >= _OCCASIONS_MIN)


def is_certain(one: CoreFact) -> bool:
    """Return whether a fact is certain enough for every prompt."""
    return one.fact.confidence >= _SURE_MIN


def _core_fact(values: Sequence[Any]) -> CoreFact:
    """Convert the values of one fact from `profile/core_memory`; the caller sets its kind and URI."""
    name, uri, words, predicate, relation, object_id, kind, importance, strength, sure, first, last = values[:12]
    valid_ms, invalid_ms, emotion, evidence, scenes_n, zone, *ending = values[12:]
    told_as_ended, rejected = ending or (False, False)
    return CoreFact(
        kind=CoreKind.PROFILE,
        uri=uri,
        statement=words,
        strength=strength,
        since=moment_of(valid_ms),
        until=None if invalid_ms is None else moment_of(invalid_ms),
        emotion=emotion,
        evidence=frozenset(evidence),
        scenes_n=max(scenes_n or 1, 1),
        zone=zone,
        told_as_ended=told_as_ended,
        rejected=rejected,
        fact=ProfileFact(
            id=name,
            predicate=predicate,
            relation=relation,
            object_id=object_id,
            kind=FactKind(kind),
            importance=importance,
            confidence=sure,
            first_seen=first,
            last_seen=last,
        ),
    )


ABSTRACT_TOKENS_MAX: Final = 100
SESSIONS_MAX: Final = 5
# Facts of each category in an overview.
_OVERVIEW_FACTS: Final = 12
_ENTITY_FACTS: Final = 100


async def person_layer(
    graph: Graph, clock: Callable[[], datetime], tenant: TenantId, uri: str, level: Level
) -> LayerText | None:
    """Return what is known about a user, agent or entity, or one category of a profile; None for other URIs."""
    base, category = category_in(uri)
    node_id = to_element_id(base)
    parameters = {"tenant": tenant, "id": node_id, "sessions_max": SESSIONS_MAX}
    rows = await graph.read(statement("profile/person_by_id"), parameters)
    if not rows:
        return None
    person = rows[0]
    if person["is_entity"] and category is None:
        return await _entity_layer(graph, clock, tenant, node_id, person, level)
    parts = await profile_of(graph, tenant, MemoryId(node_id), AsOf(valid_at=clock()), category=category)
    sessions = person["sessions"] if category is None else []
    match level:
        case Level.L0:
            text = person_abstract(person["name"], parts)
        case Level.L1:
            text = person_overview(person["name"], parts, sessions)
        case Level.L2:
            name = person["name"]
            text = "\n".join(_sections(name, parts)).rstrip() if _statements(parts) else _nothing(name)
    uri = person["uri"] if category is None else category_uri(person["uri"], category)
    return await _layer(uri, level, person["name"], text)


async def _entity_layer(
    graph: Graph, clock: Callable[[], datetime], tenant: TenantId, node_id: str, entity: Mapping[str, Any], level: Level
) -> LayerText:
    """Return the valid facts of an entity, strongest first."""
    parameters = {"tenant": tenant, "id": node_id, "rows_max": _ENTITY_FACTS}
    facts = [row["fact"] for row in await graph.read(statement("mindmap/facts_of_node"), parameters)]
    valid = [fact for fact in facts if fact["statement"] and (fact["invalid_at"] or clock()) >= clock()]
    name = entity["name"]
    if level is Level.L0:
        text = _within([fact["statement"] for fact in valid], ABSTRACT_TOKENS_MAX, " ")
    else:
        lines = [f"# {name}", "", *(f"- {' '.join(fact['statement'].split())}" for fact in valid)]
        text = _within(lines, OVERVIEW_TOKENS_MAX, "\n") if valid else ""
    return await _layer(entity["uri"], level, name, text or _nothing(name))


async def _layer(uri: str, level: Level, title: str, text: str) -> LayerText:
    return LayerText(
        uri=f"{uri}#{level}",
        level=level,
        title=title,
        text=text,
        generated_by=EXTRACTIVE,
        tokens=await tokens_of(text),
    )


def person_abstract(name: str, parts: Sequence[ProfilePart]) -> str:
    """Return the most important facts as sentences, at most 100 tokens.

    Categories take turns, so that one with many facts does not crowd out the others.
    """
    ranked = sorted(
        ((place, -item.importance, item) for part in parts for place, item in enumerate(part.items)),
        key=lambda one: (one[0], one[1], one[2].id),
    )
    return _within([item.statement for _, _, item in ranked], ABSTRACT_TOKENS_MAX, " ") or _nothing(name)


def person_overview(name: str, parts: Sequence[ProfilePart], sessions: Sequence[Mapping[str, Any]]) -> str:
    """Return an overview in Markdown by category, with the latest conversations, at most 2,000 tokens."""
    lines, statements = _sections(name, parts, facts_max=_OVERVIEW_FACTS), _statements(parts)
    if not statements:
        lines += [_nothing(name), ""]
    if sessions:
        lines += [f"## {headings_of(statements or [one['title'] for one in sessions])['sessions']}", ""]
        zone = next((item.zone for part in parts for item in part.items if item.zone), None)
        lines += [f"- {day_in(one['last_at'], zone)} {one['title']}: {one['abstract'] or ''}" for one in sessions]
    return _within(lines, OVERVIEW_TOKENS_MAX, "\n").rstrip()


def _sections(name: str, parts: Sequence[ProfilePart], *, facts_max: int | None = None) -> list[str]:
    lines, head = [f"# {name}", ""], headings_of(_statements(parts))
    for part in (part for part in parts if part.items):
        facts = (f"- {' '.join(one.statement.split())} ({day_in(one.valid_at, one.zone)})" for one in part.items)
        lines += [f"## {head[part.category]}", "", *islice(facts, facts_max), ""]
    return lines


def _nothing(name: str) -> str:
    return headings_of([name])["nothing"].format(name=name)


def _statements(parts: Sequence[ProfilePart]) -> list[str]:
    return [item.statement for part in parts for item in part.items]


def _within(texts: Sequence[str], tokens_max: int, separator: str) -> str:
    """Return the first texts that fit together."""
    kept: list[str] = []
    left = tokens_max
    for text in texts:
        left -= token_count(text) + 1
        if left < 0:
            break
        kept.append(text)
    return separator.join(kept)
