"""What the map shows of merged entities: one node and its edges, derived from what was said of each. Pure.

Nothing is ever rewritten when entities are merged: each keeps itself and its facts, and the map shows what follows from
them. That is why a merge can be undone exactly, in any order, whatever was learned in between.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graph_service.memory.facts.claims import strength_of
from graph_service.memory.facts.conflict_resolution import closes
from schema.fact import Claim
from schema.ids import Uri, fact_uri, memory_id
from schema.predicates import holds_one, whitelist
from schema.telling import telling_of

_MARKS: Final = frozenset({"last_accessed", "access_n", "embedding", "unembedded_in"})


def without_marks(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an element says: two that say the same are equal, however often each was part of an answer.

    Nor does it matter whether one of them has its vector yet.
    """
    return {name: value for name, value in properties.items() if name not in _MARKS}


_OF_THE_MERGE = frozenset(("parent_id", "merge_id", "merge_reason", "merged_at"))
_OF_THE_STORE = frozenset(("subject_id", "object_id", "predicate"))
Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberFact:
    """A fact of merged entities as it was said.

    Attributes:
        subject_root, object_root: the node of the map that stands for this end; the end itself when it is not merged.
    """

    subject_id: str
    object_id: str
    subject_root: str
    object_root: str
    predicate: str
    properties: Properties

    @property
    def row(self) -> dict[str, Any]:
        """The row of `entity_resolution/restore_facts`."""
        return {"id": self.properties["id"], "subject_id": self.subject_id, "object_id": self.object_id}


def held_fact(row: Mapping[str, Any]) -> MemberFact:
    """Return the fact in a row of `entity_resolution/member_facts`."""
    return MemberFact(
        subject_id=row["subject_id"],
        object_id=row["object_id"],
        subject_root=row["subject_root"] or row["subject_id"],
        object_root=row["object_root"] or row["object_id"],
        predicate=row["predicate"],
        properties=without_marks(row["properties"]),
    )


def root_properties(root_id: str, members: Sequence[Properties]) -> dict[str, Any]:
    """Return the node that stands for some entities: the root's own name, everything else joined."""
    ordered = sorted(members, key=lambda one: (one["id"] != root_id, one["id"]))
    root = ordered[0]
    names = {name for one in members for name in (one["name"], *(one.get("aliases") or ()))} - {root["name"]}
    tokens = {token for one in members for token in one.get("form_tokens") or ()}
    told: dict[str, str] = {}
    for one in reversed(ordered):
        told |= json.loads(one.get("attributes") or "{}")
    joined = {
        **{name: value for name, value in root.items() if name not in _OF_THE_MERGE},
        "aliases": sorted(names),
        "form_tokens": sorted(tokens) or None,
        "entity_type": next((one["entity_type"] for one in ordered if one.get("entity_type")), None),
        "attributes": json.dumps(told, ensure_ascii=False, sort_keys=True) if told else None,
        "first_seen": min(one["first_seen"] for one in members),
        "last_seen": max(one["last_seen"] for one in members),
        "merged": True,
    }
    return {name: value for name, value in joined.items() if value is not None}


def edges_of(held: Iterable[MemberFact], uris: Mapping[str, Uri]) -> list[dict[str, Any]]:
    """Return the edges that follow from held facts, as rows of `entity_resolution/put_projected_facts` ordered by id.

    Facts that say the same of one node become one edge with the evidence of all; spells that do not touch stay apart.
    What would join a node with itself is not shown. A merged subject can hold one object of a relation at a time.

    Args:
        uris: of the nodes that stand for merged entities.
    """
    groups: dict[tuple[str, str, str, str], list[MemberFact]] = {}
    for fact in held:
        if fact.subject_root != fact.object_root:
            relation = fact.properties.get("relation") or ""
            key = (fact.subject_root, fact.predicate, relation, fact.object_root)
            groups.setdefault(key, []).append(fact)
    rows = [row for key in sorted(groups) for row in _spells(key, groups[key], uris)]
    _settle(rows)
    return sorted(rows, key=lambda row: str(row["id"]))


def _spells(
    key: tuple[str, str, str, str], facts: Sequence[MemberFact], uris: Mapping[str, Uri]
) -> list[dict[str, Any]]:
    spells: list[list[MemberFact]] = []
    end: datetime | None = None
    for fact in sorted(facts, key=lambda one: (one.properties["valid_at"], one.properties["id"])):
        until = fact.properties.get("invalid_at")
        if spells and (end is None or fact.properties["valid_at"] <= end):
            spells[-1].append(fact)
            end = None if end is None or until is None else max(end, until)
        else:
            spells.append([fact])
            end = until
    return [_edge(key, slot, spell, uris) for slot, spell in enumerate(spells)]


def _edge(
    key: tuple[str, str, str, str], slot: int, facts: Sequence[MemberFact], uris: Mapping[str, Uri]
) -> dict[str, Any]:
    subject, predicate, relation, obj = key
    all_of = [fact.properties for fact in facts]
    first = all_of[0]
    # Everything before "/profile/" and its four parts is the subject's own address.
    subject_uri = uris.get(subject) or first["uri"].rsplit("/", 5)[0]
    uri = fact_uri(subject_uri, predicate, relation or None, obj, slot)
    evidence = sorted({name for one in all_of for name in one["evidence"]})
    base = max(one["base_strength"] for one in all_of)
    open_ended = any(one.get("invalid_at") is None for one in all_of)
    last = max(all_of, key=lambda one: (one.get("invalid_at") is None, one.get("invalid_at") or one["valid_at"]))
    joined = {
        **{name: value for name, value in first.items() if name not in _OF_THE_STORE},
        "id": memory_id(uri),
        "uri": uri,
        "slot": slot,
        "evidence": evidence,
        "scenes": sorted({name for one in all_of for name in one["scenes"]}),
        "quotes": sorted({name for one in all_of for name in one["quotes"]}),
        "base_strength": base,
        "strength": strength_of(base, len(evidence)),
        "confidence": max(one["confidence"] for one in all_of),
        "importance": max((one["importance"] for one in all_of if one.get("importance")), default=None),
        "trigger_emotion": next((one["trigger_emotion"] for one in all_of if one.get("trigger_emotion")), None),
        "first_seen": min(one["first_seen"] for one in all_of),
        "last_seen": max(one["last_seen"] for one in all_of),
        "invalid_at": None if open_ended else last["invalid_at"],
        "closed_by": None if open_ended else last.get("closed_by"),
        "closed_why": None if open_ended else last.get("closed_why"),
        "known_at": min((one["known_at"] for one in all_of if one.get("known_at")), default=None),
        "closing_known_at": None if open_ended else last.get("closing_known_at"),
        "told": sorted({text for one in all_of for text in one.get("told") or ()}) or None,
        "merged": True,
    }
    properties = {name: value for name, value in joined.items() if value is not None}
    return {
        "id": properties["id"],
        "subject_id": subject,
        "object_id": obj,
        "predicate": predicate,
        "properties": properties,
    }


@dataclass(frozen=True, slots=True)
class _Newer:
    """A derived edge that may close an older one; `place` counts from the newest."""

    place: int
    row: dict[str, Any]
    told: frozenset[tuple[str, datetime]]


class _Column:
    """Edges that close an older one of their kind unless one message said both; the newest was put first."""

    def __init__(self) -> None:
        self._edges: list[_Newer] = []
        # For each edge and each thing that told it: where the unbroken run of edges that it told as well begins.
        self._runs: list[dict[tuple[str, datetime], int]] = []

    def put(self, edge: _Newer) -> None:
        """Put an edge that is older than all before."""
        before = self._runs[-1] if self._runs else {}
        self._runs.append({one: before.get(one, len(self._edges)) for one in edge.told})
        self._edges.append(edge)

    def nearest(self, told: frozenset[tuple[str, datetime]]) -> _Newer | None:
        """Return the oldest of the edges that were not told together with one that is older than all of them."""
        place = len(self._edges) - 1
        while place >= 0:
            together = self._edges[place].told & told
            if not together:
                return self._edges[place]
            place = min(self._runs[place][one] for one in together) - 1
        return None


def _settle(rows: Sequence[dict[str, Any]]) -> None:
    """Close, among the derived edges, what a newer one contradicts, as the plan does for facts of one entity.

    What one message says together, or in addition, closes nothing.
    """
    by_subject: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["predicate"] != "MENTIONED":
            by_subject.setdefault(row["subject_id"], []).append(row)
    for mine in by_subject.values():
        _settle_subject(sorted(mine, key=lambda row: (row["properties"]["valid_at"], row["id"]), reverse=True))


def _settle_subject(newest_first: Sequence[dict[str, Any]]) -> None:
    columns: dict[tuple[str | None, ...], _Column] = {}
    for place, row in enumerate(newest_first):
        tellings = [telling_of(text) for text in row["properties"].get("told") or ()]
        edge = _Newer(place, row, frozenset((one.message_id, one.valid_at) for one in tellings))
        claim = _claim(row)
        one_place, same_object = ("one", claim.predicate, claim.relation), ("of", claim.predicate, claim.object_id)
        if "invalid_at" not in row["properties"]:
            found = [column.nearest(edge.told) for key in (one_place, same_object) if (column := columns.get(key))]
            closer = max((one for one in found if one), key=lambda one: one.place, default=None)
            if closer is not None:
                _close(row, closer.row)
        if any(one.adds for one in tellings):
            continue
        if holds_one(claim.predicate, claim.relation):
            columns.setdefault(one_place, _Column()).put(edge)
        if opposite := whitelist()[claim.predicate].opposite:
            columns.setdefault(("of", opposite, claim.object_id), _Column()).put(edge)


def _close(row: Mapping[str, Any], closer: Mapping[str, Any]) -> None:
    row["properties"]["invalid_at"] = closer["properties"]["valid_at"]
    row["properties"]["closed_by"] = closer["id"]
    why = closes(_claim(closer), _claim(row))
    row["properties"]["closed_why"] = why.value if why else None
    if closer["properties"].get("known_at"):
        row["properties"]["closing_known_at"] = closer["properties"]["known_at"]


def _claim(row: Mapping[str, Any]) -> Claim:
    return Claim(row["subject_id"], row["predicate"], row["properties"].get("relation"), row["object_id"])
