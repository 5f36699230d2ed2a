"""Derive the node and edges that represent merged entities from the members' own properties and facts. Pure.

A merge rewrites nothing: every member keeps its properties and facts. So merges can be undone exactly, in any order,
even if facts were added in between.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from graph_service.memory.facts.claims import strength_of
from graph_service.memory.facts.conflict_resolution import ClaimContent, closes, content_of_row
from schema.assertion import Closing, parse_assertion
from schema.entity import stored_names
from schema.ids import Uri, fact_uri, memory_id
from schema.predicates import whitelist

_BOOKKEEPING: Final = frozenset({"last_accessed", "access_n", "embedding", "unembedded_in"})


def without_bookkeeping(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties without access counts and vectors, so that equal elements compare equal."""
    return {name: value for name, value in properties.items() if name not in _BOOKKEEPING}


_MERGE_PROPERTIES = frozenset(("parent_id", "merge_id", "merge_reason", "merged_at"))
_MEMBER_ONLY = frozenset(("subject_id", "object_id", "predicate"))
Row = Mapping[str, Any]
Properties = Mapping[str, Any]


def root_properties(root_id: str, members: Sequence[Properties]) -> dict[str, Any]:
    """Return the properties of the node that represents merged entities.

    The root's name and values take precedence. Aliases, tokens, attributes and the time span cover all members.
    """
    ordered = sorted(members, key=lambda one: (one["id"] != root_id, one["id"]))
    root = ordered[0]
    names = {name for one in members for name in stored_names(one)} - {root["name"]}
    tokens = {token for one in members for token in one.get("form_tokens") or ()}
    attributes: dict[str, str] = {}
    for one in reversed(ordered):
        attributes |= json.loads(one.get("attributes") or "{}")
    merged = {
        **{name: value for name, value in root.items() if name not in _MERGE_PROPERTIES},
        "aliases": sorted(names),
        "form_tokens": sorted(tokens) or None,
        "entity_type": next((one["entity_type"] for one in ordered if one.get("entity_type")), None),
        "attributes": json.dumps(attributes, ensure_ascii=False, sort_keys=True) if attributes else None,
        "first_seen": min(one["first_seen"] for one in members),
        "last_seen": max(one["last_seen"] for one in members),
        "merged": True,
    }
    return {name: value for name, value in merged.items() if value is not None}


def projected_edges(facts: Iterable[Row], uris: Mapping[str, Uri]) -> list[dict[str, Any]]:
    """Return the edges derived from member facts, as rows of `entity_resolution/put_projected_facts` ordered by id.

    Equal facts with overlapping or adjoining validity periods become one edge with the evidence of all. Self-loops are
    dropped. Edges that a newer one contradicts are closed.

    Args:
        facts: rows of `entity_resolution/member_facts`.
        uris: URIs of the nodes that represent merged entities, by id.
    """
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for fact in facts:
        if fact["subject_root"] != fact["object_root"]:
            relation = fact["properties"].get("relation") or ""
            key = (fact["subject_root"], fact["predicate"], relation, fact["object_root"])
            groups.setdefault(key, []).append(fact)
    rows = [row for key in sorted(groups) for row in _period_edges(key, groups[key], uris)]
    _close_contradicted(rows)
    return sorted(rows, key=lambda row: str(row["id"]))


def _period_edges(
    key: tuple[str, str, str, str], facts: Sequence[Row], uris: Mapping[str, Uri]
) -> list[dict[str, Any]]:
    periods: list[list[Row]] = []
    end: datetime | None = None
    for fact in sorted(facts, key=lambda one: (one["properties"]["valid_at"], one["properties"]["id"])):
        until = fact["properties"].get("invalid_at")
        if periods and (end is None or fact["properties"]["valid_at"] <= end):
            periods[-1].append(fact)
            end = None if end is None or until is None else max(end, until)
        else:
            periods.append([fact])
            end = until
    return [_edge(key, period_index, period, uris) for period_index, period in enumerate(periods)]


def _edge(
    key: tuple[str, str, str, str], period_index: int, facts: Sequence[Row], uris: Mapping[str, Uri]
) -> dict[str, Any]:
    subject, predicate, relation, obj = key
    stored = [fact["properties"] for fact in facts]
    first = stored[0]
    # A fact's URI is the subject's URI and five more parts: "/profile/<predicate>/<relation>/<object>/<period>".
    subject_uri = uris.get(subject) or first["uri"].rsplit("/", 5)[0]
    uri = fact_uri(subject_uri, predicate, relation or None, obj, period_index)
    evidence = sorted({name for one in stored for name in one["evidence"]})
    base = max(one["base_strength"] for one in stored)
    open_ended = any(one.get("invalid_at") is None for one in stored)
    last = max(stored, key=lambda one: (one.get("invalid_at") is None, one.get("invalid_at") or one["valid_at"]))
    merged = {
        **{name: value for name, value in without_bookkeeping(first).items() if name not in _MEMBER_ONLY},
        "id": memory_id(uri),
        "uri": uri,
        "slot": period_index,
        "evidence": evidence,
        "scenes": sorted({name for one in stored for name in one["scenes"]}),
        "quotes": sorted({name for one in stored for name in one["quotes"]}),
        "base_strength": base,
        "strength": strength_of(base, len(evidence)),
        "confidence": max(one["confidence"] for one in stored),
        "importance": max((one["importance"] for one in stored if one.get("importance")), default=None),
        "trigger_emotion": next((one["trigger_emotion"] for one in stored if one.get("trigger_emotion")), None),
        "first_seen": min(one["first_seen"] for one in stored),
        "last_seen": max(one["last_seen"] for one in stored),
        "invalid_at": None if open_ended else last["invalid_at"],
        "closed_by": None if open_ended else last.get("closed_by"),
        "closing_reason": None if open_ended else last.get("closing_reason"),
        "known_at": min((one["known_at"] for one in stored if one.get("known_at")), default=None),
        "closing_known_at": None if open_ended else last.get("closing_known_at"),
        "assertions": sorted({text for one in stored for text in one.get("assertions") or ()}) or None,
        "merged": True,
    }
    properties = {name: value for name, value in merged.items() if value is not None}
    return {
        "id": properties["id"],
        "subject_id": subject,
        "object_id": obj,
        "predicate": predicate,
        "properties": properties,
    }


class _ClosingEdge(NamedTuple):
    """A derived edge that may close an older one; `rank` is its position among the subject's edges, newest first."""

    rank: int
    row: dict[str, Any]
    content: ClaimContent
    assertions: frozenset[tuple[str, datetime]]


def _close_contradicted(rows: Sequence[dict[str, Any]]) -> None:
    """Close each derived edge that a newer one contradicts, by the rules for facts of a single entity.

    An edge does not close another that the same message asserts, nor when it is asserted as an addition.
    """
    by_subject: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["predicate"] != "MENTIONED":
            by_subject.setdefault(row["subject_id"], []).append(row)
    for subject_rows in by_subject.values():
        _close_contradicted_of_subject(
            sorted(subject_rows, key=lambda row: (row["properties"]["valid_at"], row["id"]), reverse=True)
        )


def _close_contradicted_of_subject(newest_first: Sequence[dict[str, Any]]) -> None:
    closers: dict[tuple[str, ...], list[_ClosingEdge]] = {}
    for rank, row in enumerate(newest_first):
        assertions = [parse_assertion(text) for text in row["properties"].get("assertions") or ()]
        content, label = content_of_row(row), row["properties"].get("attribute") or ""
        claim = content.claim
        edge = _ClosingEdge(rank, row, content, frozenset((one.message_id, one.valid_at) for one in assertions))
        attribute_key = ("attribute", claim.predicate, label.removeprefix("?"))
        if "invalid_at" not in row["properties"]:
            found: list[tuple[_ClosingEdge, Closing]] = []
            for key in (attribute_key, ("opposite", claim.predicate, claim.object_id)):
                # The oldest that no message asserts together with this one.
                apart = (one for one in reversed(closers.get(key, ())) if edge.assertions.isdisjoint(one.assertions))
                oldest = next(apart, None)
                if oldest is not None and (why := closes(oldest.content, content)) is not None:
                    found.append((oldest, why))
            if found:
                closer, why = max(found, key=lambda pair: pair[0].rank)
                _close(row["properties"], closer.row, why)
        if any(one.adds for one in assertions):
            continue
        if label and not label.startswith("?"):
            closers.setdefault(attribute_key, []).append(edge)
        if opposite := whitelist()[claim.predicate].opposite:
            closers.setdefault(("opposite", opposite, claim.object_id), []).append(edge)


def _close(properties: dict[str, Any], closer: Mapping[str, Any], why: Closing) -> None:
    properties |= {
        "invalid_at": closer["properties"]["valid_at"],
        "closed_by": closer["id"],
        "closing_reason": why.value,
    }
    if closer["properties"].get("known_at"):
        properties["closing_known_at"] = closer["properties"]["known_at"]
