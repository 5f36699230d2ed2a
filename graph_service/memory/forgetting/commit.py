"""Find everything in the graph that a request to forget affects, delete it, and schedule what is extracted again.

If a fact, an entity or names of the user are forgotten, messages stay; tombstones prevent that the same is extracted
from them again.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from extraction.text.name_forms import all_forms
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.change_log.log import append_changes, node_change, redact_changes
from graph_service.memory.consolidation.segmentation import PAUSE_S
from graph_service.memory.entity_resolution.merge import MergeWriter, edge_changes, load_members
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.forgetting.feed import record_forgetting
from graph_service.memory.forgetting.plan import (
    EntityOutcome,
    RemainingText,
    entity_outcome,
    episodes_without,
    keys_of,
    names_and_values,
    names_mentioned,
    scenes_of,
    scenes_to_resegment,
)
from graph_service.memory.forgetting.targets import load_facts_of
from schema.change import FORGOTTEN, Change, Op
from schema.ids import RECALL_CASES as CASES
from schema.ids import MemoryId, TenantId, UserId, memory_id, user_uri
from schema.labels import Label
from schema.timespan import millis

_EVIDENCE_MAX: Final = 200
_PAUSE_MS: Final = round(PAUSE_S * 1000)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class Impact:
    """Everything that a request to forget affects.

    Attributes:
        messages: rows of the messages to delete.
        remaining: rows of the other messages of resegmented scenes. Those that expire soon are not read again: messages
            that expire one after the other would have their scene read again each time.
        resegmented: ids of scenes that are deleted, so that their remaining messages are segmented again.
        reread: ids of other scenes that are extracted again with the same boundaries.
        cleared: ids of scenes among `reread` whose extracted facts and mentions are deleted first.
        rejected: ids of the facts that the caller asked to forget, themselves or with their entity.
        facts: rows of facts that are deleted, permanently or until they are extracted again, by id.
        mentions: rows of the mentions in resegmented and cleared scenes.
        outcomes: rows of `forgetting/remaining_support` with the outcome of each entity and agent.
    """

    messages: Sequence[Row] = ()
    remaining: Sequence[Row] = ()
    resegmented: set[str] = field(default_factory=set)
    reread: set[str] = field(default_factory=set)
    cleared: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    facts: dict[str, Row] = field(default_factory=dict)
    mentions: Sequence[Row] = ()
    outcomes: list[tuple[Row, EntityOutcome]] = field(default_factory=list)

    @property
    def sessions(self) -> list[str]:
        """Return the sorted node ids of the sessions that lose messages."""
        return sorted({row["session"] for row in self.messages})


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetResult:
    """Counts of what was deleted.

    Attributes:
        messages: deleted messages, with their vectors.
        scenes: deleted scenes.
        facts: deleted facts, which had no evidence left.
        entities: deleted entities, which nothing mentions any more.
        reextracted: neighbouring messages and scenes that are extracted again; see `jobStatus`.
        spooled: deleted messages that were waiting on disk.
    """

    messages: int = 0
    scenes: int = 0
    facts: int = 0
    entities: int = 0
    reextracted: int = 0
    spooled: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingWriter:
    """Forgets parts of a user's memory in one transaction.

    Attributes:
        writing: the transaction; call `lock` first.
        at: when they are forgotten.
    """

    writing: Writing
    tenant: TenantId
    user_id: UserId
    at: datetime

    @property
    def user_node_id(self) -> MemoryId:
        """Return the node id of the user."""
        return memory_id(user_uri(self.tenant, self.user_id))

    async def _run(self, chosen: Statement, **parameters: object) -> list[Row]:
        return await self.writing.run(chosen, {"tenant": self.tenant, **parameters})

    async def lock(self, sessions: Sequence[str]) -> None:
        """Lock the user's memory, and some sessions (node ids)."""
        await self._run(statement("locks/lock_memory"), user_node_id=self.user_node_id)
        await self._run(statement("locks/lock_sessions"), sessions=list(sessions), now_ms=millis(self.at))

    async def undo_merges(self, name: str) -> list[Change]:
        """Undo every merge of an entity, so that it can be deleted alone; return the changes for viewers."""
        ends = await self._run(statement("lookup/resolve_ids"), ids=[name])
        root = ends[0]["root_id"] if ends else None
        if root is None:
            return []
        merging = MergeWriter(writing=self.writing, tenant=self.tenant, at=self.at)
        changes = [] if root == name else await merging.split(name, root, FORGOTTEN)
        for one in (await load_members(self.writing, self.tenant, [name])).get(name, ()):
            if one.get("parent_id") == name:
                changes += await merging.split(one["id"], name, FORGOTTEN)
        return changes

    async def forget_own_names(self, messages: Sequence[Row], forbidden_names: Iterable[frozenset[str]]) -> set[str]:
        """Remove self-declared names of the user that a forgotten message contains or that are forbidden.

        Names that remaining messages declare are stored again when these are extracted again.

        Args:
            forbidden_names: spellings that must not be stored again.

        Returns:
            Ids of the scenes that contain a removed name; they must be cleared and extracted again, since the name may
            refer to somebody else there.
        """
        rows = await self._run(statement("forgetting/user_aliases"), user_node_id=self.user_node_id)
        if not rows:
            return set()
        aliases, self_names, since = rows[0]["aliases"], rows[0]["declared_names"], rows[0]["declared_since"]
        texts, forbidden = [row["text"] for row in messages], frozenset[str]().union(*forbidden_names)
        removed = names_mentioned(self_names, texts)
        removed |= {name for name in self_names if not forbidden.isdisjoint({name, *all_forms(name)})}
        if not removed:
            return set()
        remaining = [(name, at) for name, at in zip(self_names, since, strict=True) if name not in removed]
        names = {
            "aliases": [name for name in aliases if name not in removed],
            "declared_names": [name for name, _ in remaining] or None,
            "declared_since": [at for _, at in remaining] or None,
        }
        await self._run(statement("forgetting/set_user_aliases"), user_node_id=self.user_node_id, names=names)
        lowered = sorted(name.lower() for name in removed)
        found = await self._run(statement("forgetting/scenes_naming"), user_id=self.user_id, names=lowered)
        return {row["id"] for row in found}

    async def find_impact(
        self, messages: Sequence[Row], *, cleared: Collection[str] = (), deleted_entities: Collection[str] = ()
    ) -> Impact:
        """Return what forgetting some messages of the user affects.

        Args:
            cleared: ids of scenes that keep their messages, but lose their extracted facts and mentions.
            deleted_entities: ids of entities that are deleted even if they are still mentioned.
        """
        impact = Impact(messages=messages, cleared={*cleared})
        affected = {row["scene_id"] for row in messages if row["scene_id"]}
        spans = await self._run(statement("forgetting/scene_spans"), sessions=impact.sessions)
        impact.resegmented = scenes_to_resegment(spans, affected, pause_ms=_PAUSE_MS)
        forgotten = {row["id"] for row in messages}
        scenes = sorted(impact.resegmented | impact.cleared)
        scene_messages = await self._run(statement("forgetting/messages_of_scenes"), ids=scenes)
        remaining = [row for row in scene_messages if row["id"] not in forgotten]
        impact.remaining = [row for row in remaining if row["scene_id"] in impact.resegmented]
        still_read = [row for row in remaining if row["scene_id"] not in impact.resegmented or not row["is_ending"]]
        facts = await self._run(statement("facts/facts_of_scenes"), ids=scenes, user_id=self.user_id)
        await self._add_facts_to_reread(impact, facts)
        impact.mentions = await self._run(statement("forgetting/mentions_of_scenes"), ids=scenes)
        await self._add_entity_outcomes(impact, still_read, deleted_entities)
        impact.reread = (impact.reread | impact.cleared) - impact.resegmented
        return impact

    async def _add_facts_to_reread(self, impact: Impact, facts: Iterable[Row]) -> None:
        """Add facts, all facts that they may have closed or that may have closed them, and their scenes to `reread`."""
        new_facts = {row["properties"]["id"]: row for row in facts if row["properties"]["id"] not in impact.facts}
        while new_facts:
            impact.facts |= new_facts
            keys, have = keys_of(new_facts.values()), sorted(impact.facts)
            related = await self._run(statement("facts/related_facts"), keys=keys, scene_ids=[], have=have)
            new_facts = {row["properties"]["id"]: row for row in related}
        impact.reread |= scenes_of(impact.facts.values())

    async def _add_entity_outcomes(
        self, impact: Impact, remaining_messages: Sequence[Row], deleted_entities: Collection[str]
    ) -> None:
        """Add the outcome of every entity mentioned in the affected scenes.

        Args:
            remaining_messages: messages that the affected scenes keep, and that are read.
        """
        ids = sorted({row["object_id"] for row in impact.mentions} | {*deleted_entities})
        without = sorted(impact.resegmented | impact.cleared)
        rows = await self._run(
            statement("forgetting/remaining_support"), ids=ids, without=without, evidence_max=_EVIDENCE_MAX
        )
        evidence_ids = sorted({name for row in rows for name in row["evidence"]})
        rows_max = max(len(evidence_ids), 1)
        found = await self._run(statement("lookup/messages_by_id"), ids=evidence_ids, rows_max=rows_max)
        evidence = [row["message"] for row in found]
        remaining = RemainingText(
            (name for row in rows for name in names_and_values(row)), evidence, remaining_messages
        )
        earliest = min((row["said_at"] for row in impact.messages), default=_NEVER)
        owner = Owner(tenant=self.tenant, user_id=self.user_id, user_names=(), agent_id=None)
        for row in rows:
            is_agent = Label.AGENT in (row["labels"] or ())
            if row["id"] in deleted_entities or (is_agent and not row["scenes"]):
                impact.outcomes.append((row, EntityOutcome(properties=None)))
            elif not is_agent:
                impact.outcomes.append((row, entity_outcome(row, remaining, earliest=earliest, owner=owner)))
        renamed = {row["id"]: row for row, outcome in impact.outcomes if outcome.renamed}
        if renamed:
            impact.reread |= {scene for row in renamed.values() for scene in row["scenes"]}
            facts = await load_facts_of(self.writing, self.tenant, renamed)
            await self._add_facts_to_reread(impact, (row for row in facts if row["predicate"] != "MENTIONED"))

    async def commit(
        self, impact: Impact, tombstones: Sequence[Mapping[str, Any]], preceding: Sequence[Change] = ()
    ) -> ForgetResult:
        """Delete everything in `impact`; the caller holds the locks of the user's memory and of the sessions.

        Args:
            tombstones: rows of `tombstones/put_tombstones`.
            preceding: changes already made in this transaction.
        """
        merged = {row["root_id"] for row, _ in impact.outcomes if row["root_id"]}
        roots = sorted(merged | await self._affected_roots(impact))
        merging = MergeWriter(writing=self.writing, tenant=self.tenant, at=self.at)
        before = await merging.edges_of(roots)
        deleted_nodes = [
            row["id"] for row, outcome in impact.outcomes if outcome.properties is None and not row["is_member"]
        ]
        facts = [name for name, row in impact.facts.items() if "subject_id" not in row["properties"]]
        facts += [row["id"] for row in impact.mentions if row["scene_id"] in impact.cleared and not row["is_member"]]
        await self._delete(impact, facts, deleted_nodes)
        gone = {*(row["id"] for row in impact.messages), *facts, *deleted_nodes, *impact.resegmented}
        cases = {"user_id": self.user_id, "namespace": list(CASES), "ids": sorted(gone)}
        await self._run(statement("forgetting/delete_recall_cases"), **cases)
        updated = await self._update_entities(impact)
        reread = await self._schedule_reread(impact)
        projected = await merging.project(roots)
        edges = edge_changes(before, await merging.edges_of(roots), FORGOTTEN)
        await self._run(statement("tombstones/put_tombstones"), rows=_sorted_by_id(tombstones))
        nodes = [*sorted(impact.resegmented), *deleted_nodes]
        put = [*updated, *(node_change(node, Label.ENTITY, FORGOTTEN) for node in projected)]
        user = await self._update_user()
        if user is None:
            nodes.append(self.user_node_id)
        else:
            put.append(user)
        changes = [
            *preceding,
            *(_drop(Op.EDGE_DROP, name) for name in sorted(facts)),
            *edges,
            *(_drop(Op.NODE_DROP, name) for name in nodes),
            *put,
            *(await merging.update_kinship(self.user_id)),
        ]
        # Log only the last change of each element: earlier ones may contain what is forgotten.
        last_index = {change.element_id: index for index, change in enumerate(changes)}
        changes = [change for index, change in enumerate(changes) if last_index[change.element_id] == index]
        await redact_changes(self.writing, self.tenant, changes)
        await record_forgetting(self.writing, self.tenant, self.user_id, messages=bool(impact.messages))
        await append_changes(self.writing, self.tenant, self.user_id, changes, at=self.at)
        return _result(impact, reread)

    async def _affected_roots(self, impact: Impact) -> set[str]:
        """Return the ids of the nodes that represent merged entities at an end of the facts."""
        member_rows = [row for row in impact.facts.values() if "subject_id" in row["properties"]]
        ends = {end for row in member_rows for end in (row["subject_id"], row["object_id"])}
        ends |= {row["object_id"] for row in impact.mentions if row["is_member"]}
        rows = await self._run(statement("lookup/resolve_ids"), ids=sorted(ends))
        return {row["root_id"] for row in rows if row["root_id"]}

    async def _delete(self, impact: Impact, edges: Collection[str], nodes: Collection[str]) -> None:
        await self._run(statement("forgetting/delete_messages"), ids=sorted(row["id"] for row in impact.messages))
        member_rows = [
            {"subject_id": row["subject_id"], "id": name}
            for name, row in impact.facts.items()
            if "subject_id" in row["properties"]
        ]
        member_rows += [{"subject_id": row["scene_id"], "id": row["id"]} for row in impact.mentions if row["is_member"]]
        await self._run(statement("forgetting/delete_member_facts"), rows=_sorted_by_id(member_rows))
        await self._run(statement("facts/delete_edges"), ids=sorted(edges))
        await self._run(statement("forgetting/delete_nodes"), ids=sorted({*impact.resegmented, *nodes}))
        forgotten = sorted(
            row["id"] for row, outcome in impact.outcomes if outcome.properties is None and not outcome.is_recreated
        )
        await self._run(statement("forgetting/delete_rejected_merges"), ids=forgotten)

    async def _update_entities(self, impact: Impact) -> list[Change]:
        """Store the remaining names and times of entities; return the changes of the unmerged ones."""
        rows = [(row, outcome.properties) for row, outcome in impact.outcomes if outcome.properties is not None]
        put = [{"id": row["id"], "properties": new} for row, new in rows if not row["is_member"]]
        member_rows = [{"id": row["id"], "properties": new} for row, new in rows if row["is_member"]]
        await self._run(statement("entity_resolution/put_entities"), rows=_sorted_by_id(put))
        await self._run(statement("entity_resolution/put_member_entities"), rows=_sorted_by_id(member_rows))
        unmerged = ({**row["properties"], **new} for row, new in rows if not row["is_member"])
        return [node_change(properties, Label.ENTITY, FORGOTTEN) for properties in unmerged]

    async def _schedule_reread(self, impact: Impact) -> int:
        """Mark the remaining messages and scenes as unread and enqueue the jobs; return the number of scenes marked."""
        rows = _sorted_by_id({name: row[name] for name in ("id", "is_ending")} for row in impact.remaining)
        await self._run(statement("forgetting/mark_messages_unread"), rows=rows)
        remaining = [row["id"] for row in rows if not row["is_ending"]]
        reread = sorted(impact.reread - impact.resegmented)
        scenes = await self._run(statement("forgetting/mark_scenes_unread"), ids=reread)
        messages = await self._run(statement("forgetting/messages_of_scenes"), ids=reread)
        sessions = {*impact.sessions, *(row["session"] for row in scenes)}
        episodes = await self._run(statement("forgetting/episodes_of_sessions"), sessions=sorted(sessions))
        forgotten = {row["id"] for row in impact.messages}
        kept, dropped = episodes_without(episodes, forgotten, {*remaining, *(row["id"] for row in messages)})
        await self._run(statement("forgetting/delete_episodes"), ids=dropped)
        await self._run(statement("forgetting/mark_episodes_unread"), rows=kept)
        deleted = await self._run(statement("forgetting/delete_empty_sessions"), ids=impact.sessions)
        if left := sorted(sessions - {row["id"] for row in deleted}):
            job = {"user_node_id": self.user_node_id, "sessions": left, "now_ms": millis(self.at)}
            await self._run(statement("forgetting/enqueue_reread"), **job)
        return len(scenes)

    async def _update_user(self) -> Change | None:
        """Update the user's node and return the change; delete it and return None if no message is left."""
        user = {"user_id": self.user_id, "user_node_id": self.user_node_id}
        rows = await self._run(statement("forgetting/narrow_user_span"), **user)
        if rows and rows[0]["messages"]:
            return node_change(rows[0]["properties"], Label.USER, FORGOTTEN)
        await self._run(statement("forgetting/delete_nodes"), ids=[self.user_node_id])
        return None


def _result(impact: Impact, reread: int) -> ForgetResult:
    forgotten = {row["id"] for row in impact.messages}
    facts = [
        name
        for name, row in impact.facts.items()
        if name in impact.rejected or forgotten.issuperset(row["properties"]["evidence"])
    ]
    entities = [row for row, outcome in impact.outcomes if outcome.properties is None and not outcome.is_recreated]
    scenes = {row["scene_id"] for row in impact.messages if row["scene_id"]}
    return ForgetResult(
        messages=sum(row["part_of"] is None for row in impact.messages),
        scenes=len(scenes),
        facts=len(facts),
        entities=len(entities),
        reextracted=sum(not row["is_ending"] for row in impact.remaining) + reread,
    )


def _drop(op: Op, name: str) -> Change:
    return Change(op=op, element_id=MemoryId(name), body={}, reason=FORGOTTEN)


def _sorted_by_id(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(rows, key=lambda row: str(row["id"]))
