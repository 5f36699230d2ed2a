"""Read, convert and write stored facts with why they ended, their events, and those that new facts may repeat."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from extraction.text.near_duplicates import bands, simhash
from graph_service.graph.rows import from_row, to_row
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.facts.claims import PlannedFact
from graph_service.memory.facts.conflict_resolution import ClaimContent, SubjectKey, content_of, content_of_row
from graph_service.memory.facts.reconciliation import FactEvent, FactEventKind
from graph_service.memory.jobs.outbox import JobKind, enqueue
from graph_service.memory.sessions.lifecycle import session_node_id
from schema.assertion import CLOSING_TEXTS, Closing, assertion_text, latest_correction, parse_assertion
from schema.fact import Fact, FactDetail, FactKind, FactValues
from schema.ids import MemoryId, SessionId, TenantId, UserId, scope_token, to_element_id
from schema.timespan import millis

_EXTRACTED_VALUES: Final = TypeAdapter(FactValues)
# Fields of a fact that are stored as they are.
_PROPERTIES: Final = (
    *("uri", "relation", "statement", "base_strength", "strength", "confidence", "importance", "reader", "slot"),
    *("first_seen", "last_seen", "valid_at", "invalid_at", "closed_by", "closing_reason", "known_at"),
    *("closing_known_at", "trigger_emotion", "evidence", "scenes", "ignored_closings", "corrections", "wordings"),
)
# Neo4j stores no nulls.
_NOT_STORED: Final = dict.fromkeys(("relation", "invalid_at", "closed_by", "trigger_emotion"))


def fact_from_row(row: Mapping[str, Any]) -> Fact:
    """Return the fact in a row with the columns `subject_id`, `object_id`, `predicate` and `properties`."""
    stored = row["properties"]
    return from_row(
        Fact,
        _NOT_STORED | stored,
        subject_id=row["subject_id"],
        object_id=row["object_id"],
        predicate=row["predicate"],
        detail=from_row(FactDetail, stored, kind=FactKind(stored["kind"])),
        closing_reason=Closing(stored["closing_reason"]) if stored.get("closing_reason") else None,
        assertions=tuple(parse_assertion(text) for text in stored.get("assertions") or ()),
        object_name=row.get("object_name"),
        extracted=_EXTRACTED_VALUES.validate_json(stored["extracted"]) if stored.get("extracted") else None,
    )


def fact_row(planned: PlannedFact, *, tenant: TenantId, user_id: str, recorded_at: datetime) -> dict[str, Any]:
    """Return the row of `facts/put_facts` for a planned fact; `recorded_at` is that of a new one."""
    fact = planned.fact
    content = content_of(fact)
    properties: dict[str, Any] = {
        **to_row(fact, _PROPERTIES),
        **to_row(fact.detail, FactDetail.__dataclass_fields__),
        "user_id": user_id,
        "attribute": content.attribute,
        "replaces": sorted(content.replaces) or None,
        "quotes": list(fact.quotes),
        "assertions": [assertion_text(assertion) for assertion in fact.assertions] or None,
        "extracted": json.dumps(asdict(fact.extracted), default=str, ensure_ascii=False) if fact.extracted else None,
        "similarity_keys": bands(simhash(fact.statement)) if fact.statement else None,
        "scope_tenant": scope_token(tenant),
        "scope_user": scope_token(tenant, user_id),
        "recorded_at": planned.before.recorded_at if planned.before else recorded_at,
    }
    return {**to_row(fact, ("id", "subject_id", "object_id", "predicate")), "properties": properties}


# Rounds of the search: facts, facts that conflict with them, and facts that conflict with these.
_READS_MAX: Final = 3
_Run = Callable[[Statement, Mapping[str, Any]], Awaitable[list[Row]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEnd:
    """The subject or object node of a fact, whose id is in the fact.

    Attributes:
        name: name of the node, or its `user_id` if it has none.
    """

    name: str
    labels: frozenset[str]
    entity_type: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWithEnds:
    """A stored fact with its subject and object.

    Attributes:
        known_at: when it was first received; of a mention, when it was first stored.
        recorded_at: when it was first stored.
        merged: subject or object is a merged entity, so the fact is derived from the facts of its members.
    """

    fact: Fact
    subject: FactEnd
    object: FactEnd
    user_id: UserId
    known_at: datetime
    recorded_at: datetime
    merged: bool

    def as_known(self, known_at: datetime | None) -> Fact:
        """Return the fact as of a transaction time: open if its end was not known then; None means the latest state."""
        if known_at is None or (self.fact.closing_known_at or self.known_at) <= known_at:
            return self.fact
        return replace(self.fact, invalid_at=None, closing_known_at=None)

    def holds(self, moments: AsOf) -> bool:
        """Return whether it was known at the transaction time and, as known then, valid at the valid time.

        Cypher statements, such as `recall/recall`, implement the same rule; a test compares the two.
        """
        known = self.as_known(moments.known_at)
        is_known = moments.known_at is None or self.known_at <= moments.known_at
        has_begun = known.begin is None or known.begin <= moments.valid_at
        return is_known and has_begun and (known.invalid_at is None or known.invalid_at > moments.valid_at)


async def fact_by_id(run: _Run, tenant: str, fact_id: str) -> FactWithEnds | None:
    """Return the fact or mention with this id or URI; None if the tenant has none."""
    rows = await run(statement("lookup/fact_by_id"), {"tenant": tenant, "id": to_element_id(fact_id)})
    return fact_with_ends(rows[0]) if rows else None


def fact_with_ends(row: Row) -> FactWithEnds:
    """Return the fact in a row of `lookup/fact_by_id` or `curation/fact_history`. Pure."""
    stored = row["properties"]
    return FactWithEnds(
        fact=fact_from_row({**row, "object_name": row["object"]["name"]}),
        subject=_end(row["subject"]),
        object=_end(row["object"]),
        user_id=UserId(stored["user_id"]),
        known_at=stored.get("known_at") or stored["recorded_at"],
        recorded_at=stored["recorded_at"],
        merged=bool(stored.get("merged")),
    )


def _end(node: Mapping[str, Any]) -> FactEnd:
    return FactEnd(
        name=node["name"] or node["user_id"], labels=frozenset(node["labels"]), entity_type=node["entity_type"]
    )


async def related_facts(writing: Writing, tenant: TenantId, fact: ClaimContent) -> list[Fact]:
    """Read the facts of a claim, those that conflict with it, and those that conflict with these."""
    keys = {str(fact.claim.subject_id): SubjectKey().with_content(fact)}
    return [fact_from_row(row) for row in await read_related_rows(writing.run, tenant, keys, [])]


async def read_related_rows(
    run: _Run, tenant: TenantId, keys: Mapping[str, SubjectKey], scene_ids: Sequence[str]
) -> list[Row]:
    """Read the rows of `facts/related_facts` for the keys, and for the facts that conflict with those found.

    Args:
        keys: search keys by subject id.
        scene_ids: scenes whose mentions to read too.
    """
    rows: dict[str, Row] = {}
    for _ in range(_READS_MAX):
        parameters = {
            "tenant": tenant,
            "keys": [keys[subject].row(subject) for subject in sorted(keys)],
            "have": sorted(rows),
            "scene_ids": [] if rows else scene_ids,
        }
        new = await run(statement("facts/related_facts"), parameters)
        rows |= {row["properties"]["id"]: row for row in new}
        wider = _widened(keys, new)
        if wider == keys:
            break
        keys = wider
    return list(rows.values())


def _widened(keys: Mapping[str, SubjectKey], rows: Sequence[Row]) -> dict[str, SubjectKey]:
    """Return the keys widened to facts that conflict with those found."""
    wider = dict(keys)
    for row in rows:
        if row["predicate"] != "MENTIONED":
            wider[row["subject_id"]] = wider[row["subject_id"]].with_content(content_of_row(row))
    return wider


async def put_facts(writing: Writing, tenant: TenantId, rows: Sequence[Row], *, session: str = "") -> set[str]:
    """Write facts; return the node ids of the sessions whose jobs embed the new statements.

    Args:
        rows: results of `fact_row`, ordered by id.
        session: node id of the session whose job embeds them; by default that of each fact's first evidence message.
    """
    if not rows:
        return set()
    parameters = {"tenant": tenant, "session": session, "rows": list(rows)}
    written = await writing.run(statement("facts/put_facts"), parameters)
    assert len(written) == len(rows), "every fact must be written"
    return sessions_to_embed(written)


def sessions_to_embed(written: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the sessions whose jobs embed the written rows: `unembedded_in`, null for rows with a vector. Pure."""
    return {row["unembedded_in"] for row in written if row["unembedded_in"]}


async def enqueue_embedding(writing: Writing, tenant: TenantId, sessions: set[str], *, at: datetime) -> None:
    """Enqueue embedding jobs for sessions, in the transaction that wrote the new texts."""
    await enqueue(writing, tenant, ((session, JobKind.EMBED) for session in sessions), now_ms=millis(at))


class FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True)


class ClosingView(FrozenModel):
    """The end of a fact: its reason, and what closed it.

    Attributes:
        reason: REPLACED by another fact, REVERSED, stated to have ENDED, or MERGED into another fact.
        text: the reason in words, quoting what closed it.
        fact_id: the fact that closed it.
        message_id: the message that stated its end.
    """

    reason: str
    text: str
    fact_id: str | None = None
    fact_statement: str | None = None
    message_id: str | None = None
    message_text: str | None = None


async def closing_of(graph: Graph, tenant: str, fact: Fact) -> ClosingView | None:
    """Read the reason why a fact was closed; None while it is open."""
    if fact.invalid_at is None:
        return None
    return closing_view(fact, await closing_texts(graph, tenant, [fact]))


async def closing_texts(graph: Graph, tenant: str, facts: Sequence[Fact]) -> dict[str, str]:
    """Return the texts of these facts and of the facts and messages that closed them, by id."""
    closed = [fact for fact in facts if fact.invalid_at is not None]
    texts: dict[str, str] = {fact.id: fact.statement for fact in facts}
    closers = sorted({fact.closed_by for fact in closed if fact.closed_by} - texts.keys())
    messages = sorted({message for fact in closed if (message := ending_message(fact))})
    if not closers and not messages:
        return texts
    parameters = {"tenant": tenant, "facts": closers, "messages": messages}
    rows = await graph.read(statement("facts/closing_texts"), parameters)
    return texts | {row["id"]: row["text"] for row in rows}


def ending_message(fact: Fact) -> MemoryId | None:
    """Return the message that ended a closed fact; None when another fact closed it."""
    why = fact.closing_reason
    if fact.closed_by or why not in (Closing.ENDED, Closing.JUDGED, Closing.REJECTED):
        return None
    if why is Closing.REJECTED:
        last = latest_correction(fact.assertions)
        return last.message_id if last else None
    ends = ((one.valid_at, one.said_at, one.message_id) for one in fact.assertions if one.ends)
    return min(ends, default=(None, None, None))[2]


def closing_view(fact: Fact, texts: Mapping[str, str]) -> ClosingView | None:
    """Return the reason why a fact was closed; None while it is open. Pure.

    Args:
        texts: texts of facts and messages, by id; without that of the closing one, the result has only the reason.
    """
    if fact.invalid_at is None or (why := fact.closing_reason) is None:
        return None
    message = ending_message(fact)
    words = texts.get(fact.closed_by or message or "")
    text = f"{CLOSING_TEXTS[why]}: {words}" if words else CLOSING_TEXTS[why]
    if fact.closed_by:
        return ClosingView(reason=why, text=text, fact_id=fact.closed_by, fact_statement=words)
    return ClosingView(reason=why, text=text, message_id=message, message_text=words)


# Events stored with one scene; a model that answers with thousands of unusable facts fills no more.
EVENTS_MAX: Final = 200
_MESSAGES_MAX: Final = 10
PAGE_MAX: Final = 1_000
# Each scene stores at most EVENTS_MAX events.
_SCENES_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFactEvent:
    """The outcome of one extracted or provided fact, with its reason.

    Attributes:
        kind: ADD: a new fact; UPDATE: it ended a known one; MERGE: it is part of a known one; IGNORE: nothing.
        reason: why.
        fact_id: the fact that states it now; None if it was rejected.
        known_id: the known fact that it ended (UPDATE), or that says the same (MERGE, IGNORE).
        message_ids: its evidence messages, at most ten.
        scene_uri: the scene that states it.
        read_by: the model's name, `rules`, or `caller`.
        at: when the scene ended.
    """

    kind: FactEventKind
    reason: str
    fact_id: str | None
    known_id: str | None
    message_ids: tuple[str, ...]
    scene_uri: str
    read_by: str | None
    at: datetime


def event_properties(events: Sequence[FactEvent] | None) -> dict[str, Any]:
    """Return the scene property that stores its events; nothing for a scene that was not read."""
    if events is None:
        return {}
    return {"fact_events": [_text(event) for event in events[:EVENTS_MAX]]}


def _text(event: FactEvent) -> str:
    known = {"fact": event.fact_id, "known": event.known_id}
    data = {"event": event.kind.value, "reason": event.reason, "messages": list(event.messages[:_MESSAGES_MAX])}
    return json.dumps(data | {name: value for name, value in known.items() if value is not None})


async def fact_events(
    graph: Graph, tenant: TenantId, user_id: str, session_id: str, *, first: int
) -> list[StoredFactEvent]:
    """Return what became of the facts of a session, latest scene first; empty for an unknown session."""
    check_ids(userId=user_id, sessionId=session_id)
    check_limit(first, PAGE_MAX, name="first")
    session = session_node_id(tenant, UserId(user_id), SessionId(session_id))
    parameters = {"tenant": tenant, "session": session, "scenes_max": _SCENES_MAX}
    rows = await graph.read(statement("facts/fact_events"), parameters)
    return [_stored(text, row) for row in rows for text in row["events"]][:first]


def _stored(text: str, row: dict[str, Any]) -> StoredFactEvent:
    data = json.loads(text)
    return StoredFactEvent(
        kind=FactEventKind(data["event"]),
        reason=data["reason"],
        fact_id=data.get("fact"),
        known_id=data.get("known"),
        message_ids=tuple(data["messages"]),
        scene_uri=row["uri"],
        read_by=row["read_by"],
        at=row["at"],
    )
