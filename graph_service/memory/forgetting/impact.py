"""What forgetting reaches in the graph, read inside the transaction that forgets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.forgetting.plan import Fate, Left, Said, cut_again, fate_of, keys_of, names_in, scenes_of
from schema.ids import TenantId, UserId
from schema.labels import Label

_EVIDENCE_MAX: Final = 200
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class Reach:
    """Everything that a forgetting touches.

    Attributes:
        messages: rows of the messages that go; left: what remains of the scenes that are cut again.
        cut: ids of scenes that are cut again; again: ids of other scenes that are read again as they are.
        stripped: ids of scenes, among `again`, from which everything that was read is taken first.
        rejected: ids of facts that a person rejected.
        facts: rows of facts that go, or are read again, by id; mentions: likewise of the scenes that are cut.
        fates: what becomes of entities and agents, with their rows of `forgetting/remaining_support`.
    """

    messages: Sequence[Row] = ()
    left: Sequence[Row] = ()
    cut: set[str] = field(default_factory=set)
    again: set[str] = field(default_factory=set)
    stripped: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    facts: dict[str, Row] = field(default_factory=dict)
    mentions: Sequence[Row] = ()
    fates: list[tuple[Row, Fate]] = field(default_factory=list)

    @property
    def sessions(self) -> list[str]:
        """Node ids of the sessions that lose messages, ordered."""
        return sorted({row["session"] for row in self.messages})


async def reach_of(
    writing: Writing,
    tenant: TenantId,
    user_id: UserId,
    messages: Sequence[Row],
    *,
    pause_ms: int,
    stripped: Collection[str] = (),
    gone: Collection[str] = (),
) -> Reach:
    """Return what forgetting some messages of one user touches.

    Args:
        stripped: ids of scenes that keep their messages and lose what was read from them.
        gone: ids of entities that must go.
    """
    reach = Reach(messages=messages, stripped={*stripped})
    hit = {row["scene_id"] for row in messages if row["scene_id"]}
    spans = await writing.run(statement("forgetting/scene_spans"), {"tenant": tenant, "sessions": reach.sessions})
    reach.cut = cut_again(spans, hit, pause_ms=pause_ms)
    forgotten = {row["id"] for row in messages}
    scenes = {"tenant": tenant, "ids": sorted(reach.cut | reach.stripped)}
    held = await writing.run(statement("forgetting/messages_of_scenes"), scenes)
    said = [row for row in held if row["id"] not in forgotten]
    reach.left = [row for row in said if row["scene_id"] in reach.cut]
    facts = await writing.run(statement("facts/facts_of_scenes"), {**scenes, "user_id": user_id})
    await add_facts(writing, tenant, reach, facts)
    reach.mentions = await writing.run(statement("forgetting/mentions_of_scenes"), scenes)
    await _settle_entities(writing, tenant, user_id, reach, said, gone)
    reach.again = (reach.again | reach.stripped) - reach.cut
    return reach


async def add_facts(writing: Writing, tenant: TenantId, reach: Reach, facts: Iterable[Row]) -> None:
    """Have facts be read again, with all that they can have closed or been closed by."""
    new = {row["properties"]["id"]: row for row in facts if row["properties"]["id"] not in reach.facts}
    while new:
        reach.facts |= new
        parameters = {"tenant": tenant, "keys": keys_of(new.values()), "scene_ids": [], "have": sorted(reach.facts)}
        near = await writing.run(statement("facts/related_facts"), parameters)
        new = {row["properties"]["id"]: row for row in near}
    reach.again |= scenes_of(reach.facts.values())


def ends_of(fact: Row) -> tuple[str, str]:
    """Return ids of the subject and the object of a fact."""
    return fact["subject_id"], fact["object_id"]


async def facts_at(writing: Writing, tenant: TenantId, ids: Collection[str]) -> list[Row]:
    """Return the facts of entities as they were said, mentions too."""
    wanted = {"tenant": tenant, "ids": sorted(ids)}
    edges = await writing.run(statement("lookup/edges_of_nodes"), wanted)
    held = await writing.run(statement("entity_resolution/member_facts"), wanted)
    return [*(row for row in edges if not row["properties"].get("merged")), *held]


async def _settle_entities(
    writing: Writing,
    tenant: TenantId,
    user_id: UserId,
    reach: Reach,
    said: Sequence[Row],
    gone: Collection[str],
) -> None:
    """Decide about every entity that one of the scenes mentions.

    Args:
        said: what remains of the scenes.
    """
    ids = sorted({row["object_id"] for row in reach.mentions} | {*gone})
    without = sorted(reach.cut | reach.stripped)
    parameters = {"tenant": tenant, "ids": ids, "without": without, "evidence_max": _EVIDENCE_MAX}
    standings = await writing.run(statement("forgetting/remaining_support"), parameters)
    texts = await _texts(writing, tenant, {name for row in standings for name in row["evidence"]})
    cut = [Said(text=row["text"], said_at=row["said_at"]) for row in said]
    left = Left((name for row in standings for name in names_in(row)), texts, cut)
    earliest = min((row["said_at"] for row in reach.messages), default=_NEVER)
    owner = Owner(tenant=tenant, user_id=user_id, user_names=(), agent_id=None)
    for row in standings:
        if row["id"] in gone:
            reach.fates.append((row, Fate(properties=None)))
            continue
        if Label.AGENT in (row["labels"] or ()):
            if not row["scenes"]:
                reach.fates.append((row, Fate(properties=None)))
            continue
        reach.fates.append((row, fate_of(row, left, earliest=earliest, owner=owner)))
    anew = {row["id"]: row for row, fate in reach.fates if fate.anew}
    if anew:
        reach.again |= {scene for row in anew.values() for scene in row["scenes"]}
        facts = [row for row in await facts_at(writing, tenant, anew) if row["predicate"] != "MENTIONED"]
        await add_facts(writing, tenant, reach, facts)


async def _texts(writing: Writing, tenant: TenantId, ids: Collection[str]) -> Mapping[str, Said]:
    parameters: dict[str, Any] = {"tenant": tenant, "ids": sorted(ids), "rows_max": max(len(ids), 1)}
    rows = await writing.run(statement("lookup/messages_by_id"), parameters)
    return {row["message"]["id"]: Said(text=row["message"]["text"], said_at=row["message"]["said_at"]) for row in rows}
