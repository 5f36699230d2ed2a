"""Add, edit, confirm, reject and pin facts for a person, undo these corrections, and list them.

A correction is stored as a message in a separate session, with provided facts that are marked as stated by a person. So
it is evidence like any other message: it is exported, forgotten and extracted again in the same way.
"""

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from extraction.entities.attributes import value_key
from extraction.reader import THE_USER, ProposedFact, Reader, SceneLine, SceneText
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.argument_checks import check_ids, check_limit, raise_problems
from graph_service.memory.change_log.log import append_changes, fact_change, redact_changes
from graph_service.memory.facts.claims import STATED_STRENGTH, KnownClaim, known_claims
from graph_service.memory.facts.conflict_resolution import content_of
from graph_service.memory.facts.conflicts import ConflictIndex
from graph_service.memory.facts.reconciliation import replan
from graph_service.memory.facts.stored import (
    FactEnd,
    FactWithEnds,
    enqueue_embedding,
    fact_by_id,
    fact_from_row,
    fact_row,
    put_facts,
    related_facts,
)
from graph_service.memory.forgetting.service import Forgetting, message_selection
from graph_service.memory.ingest.episode_writer import Receipt
from graph_service.memory.ingest.validation import REFUSED, IncomingMessage, RememberRequest, checked_fact
from graph_service.memory.jobs.job_context import KeyedLock
from graph_service.memory.profile.reader import settle_profile, subjects_in
from graph_service.memory.sessions.lifecycle import session_node_id
from graph_service.memory.summaries.service import Refresh
from graph_service.observability.metrics import CORRECTIONS
from schema.assertion import Assertion, Closing, CorrectionKind, StatementKind, parse_assertion, sentence_of
from schema.change import Change, Op
from schema.errors import ConflictError, InputError, NotFoundError, UnavailableError
from schema.fact import PERSON, Claim, Fact, FactValues, fact_values
from schema.ids import (
    CORRECTION_SESSION,
    MemoryId,
    SessionId,
    TenantId,
    UserId,
    memory_id,
    name_key,
    to_element_id,
    user_uri,
)
from schema.labels import Label, Role
from schema.message import ProvidedFact

_UNDO_REASON: Final = "a correction was undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A manual correction. It takes precedence over extraction, including later extraction.

    Attributes:
        id: its id, for undoCorrection; also the id of the message that is the fact's evidence.
        kind: what was corrected.
        user_id: the user's id.
        text: the correction in words.
        at: when it was made.
        fact_id: the fact it created or changed; None while pending.
        replaced_id: the fact that an update replaced, if it created another one.
        by: who made it: the name of the key, or the subject of the token; None without a credential.
        pending: stored durably, and applied when Neo4j or the reader is available again.
    """

    id: MemoryId
    kind: StatementKind
    user_id: UserId
    text: str
    at: datetime
    fact_id: MemoryId | None = None
    replaced_id: MemoryId | None = None
    by: str | None = None
    pending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualFact:
    """A fact that a person adds, as the API and the CLI receive it.

    Attributes:
        user_id: the user's id.
        object: `user`, `assistant`, or the short name of a person, place, thing or idea.
        statement: the fact as a sentence, in the language of the memory.
        subject: `user`, `assistant`, or a name.
        relation: the relation in free text: `lives in`.
        valid_at: when it became true. Default: now.
        invalid_at: when it stopped being true.
        request_id: idempotency key of the call.
    """

    user_id: str
    predicate: str
    object: str
    statement: str
    subject: str = "user"
    relation: str | None = None
    subject_type: str | None = None
    object_type: str | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEdit:
    """Changes of a fact; None keeps the value."""

    statement: str | None = None
    object: str | None = None
    predicate: str | None = None
    relation: str | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Store and undo corrections of facts by people.

    `by` is the name of the person; None if it is unknown.

    Args:
        refresh: extracts a session immediately.
        read: reads the words of an edit like those of a message.
    """

    graph: Graph
    remember: Callable[[TenantId, RememberRequest], Awaitable[Receipt]]
    refresh: Refresh
    forgetting: Forgetting
    clock: Callable[[], datetime]
    read: Reader
    _edits: KeyedLock = field(default_factory=KeyedLock, init=False)

    async def add(self, tenant: TenantId, manual_fact: ManualFact, *, by: str | None = None) -> Correction:
        """Add a fact.

        Raises:
            ConflictError: the fact was permanently forgotten, or a name is ambiguous.
            UnavailableError: neither Neo4j nor the spool accepts it.
        """
        given = {name: value for name, value in asdict(manual_fact).items() if name not in ("user_id", "request_id")}
        said = CorrectionKind.SAYS
        fact = ProvidedFact(**given, strength=STATED_STRENGTH, confidence=1.0, correction=said)
        return await self._store(
            tenant, StatementKind.ADD, manual_fact.user_id, [fact], key=manual_fact.request_id, by=by
        )

    async def update(
        self,
        tenant: TenantId,
        fact_id: str,
        edit: FactEdit,
        *,
        if_version: int | None = None,
        by: str | None = None,
    ) -> Correction:
        """Edit a fact; if its predicate, relation or object changes, reject the old fact and add the new one.

        A new statement alone changes them too, if it names another object. Edits of one fact wait for each other within
        this process.

        Args:
            if_version: the version that the fact must have.

        Raises:
            InputError: nothing changes, or the statement for the new content is missing.
            NotFoundError: the tenant has no such fact.
            ConflictError: it has another version, belongs to merged entities, or a name is ambiguous.
        """
        if edit == FactEdit():
            raise InputError("the edit changes nothing; set at least one field, or confirm the fact")
        async with self._edits.hold(f"{tenant} {to_element_id(fact_id)}"):
            return await self._update(tenant, fact_id, edit, if_version=if_version, by=by)

    async def _update(
        self, tenant: TenantId, fact_id: str, edit: FactEdit, *, if_version: int | None, by: str | None
    ) -> Correction:
        stored = await fact_to_correct(self.graph, tenant, fact_id)
        if if_version is not None:
            await self._check_version(tenant, stored.fact.id, if_version)
        old = _provided_fact(stored, CorrectionKind.REJECTS)
        if edit.statement is not None and (edit.object, edit.predicate, edit.relation) == (None, None, None):
            edit = replace(edit, **await content_in(edit.statement, stored, self.read))
        new = replace(
            _provided_fact(stored, CorrectionKind.SAYS),
            object=old.object if edit.object is None else edit.object,
            object_type=None if edit.object else old.object_type,
            predicate=old.predicate if edit.predicate is None else edit.predicate,
            relation=old.relation if edit.relation is None else edit.relation or None,
            statement=old.statement if edit.statement is None else edit.statement,
            valid_at=edit.valid_at or stored.fact.valid_at,
            invalid_at=edit.invalid_at or _stored_end(stored.fact),
        )
        content_changed = _content(new) != _content(old)
        if content_changed and name_key(new.object) == name_key(stored.subject.name):
            raise InputError(f"object is {new.object!r:.100}, which is the fact's subject; name another one")
        if content_changed and edit.statement is None:
            raise InputError("the edit changes what the fact says: set `statement` as well")
        facts = [old, replace(new, replaces=(stored.fact.id,))] if content_changed else [new]
        return await self._store(tenant, StatementKind.UPDATE, stored.user_id, facts, of=stored, by=by)

    async def confirm(self, tenant: TenantId, fact_id: str, *, by: str | None = None, pin: bool = False) -> Correction:
        """Confirm a fact, so that only corrections can close it.

        Args:
            pin: keep it in the profile, too.

        Raises:
            NotFoundError: the tenant has no such fact.
            ConflictError: it is closed, or belongs to merged entities.
        """
        stored = await fact_to_correct(self.graph, tenant, fact_id)
        if stored.fact.invalid_at is not None:
            raise ConflictError(f"the fact {fact_id!r} is closed; reopen it first (`reopenFact`)")
        correction = CorrectionKind.PINS if pin else CorrectionKind.SAYS
        fact = replace(_provided_fact(stored, correction), valid_at=stored.fact.valid_at)
        kind = StatementKind.PIN if pin else StatementKind.CONFIRM
        return await self._store(tenant, kind, stored.user_id, [fact], of=stored, by=by)

    async def reject(self, tenant: TenantId, fact_id: str, *, by: str | None = None) -> Correction:
        """Reject a fact as never true; only undoing the rejection restores it.

        Raises:
            NotFoundError: the tenant has no such fact.
            ConflictError: it is already rejected, or belongs to merged entities.
        """
        stored = await fact_to_correct(self.graph, tenant, fact_id)
        if stored.fact.closing_reason is Closing.REJECTED:
            raise ConflictError(f"the fact {fact_id!r} is already rejected")
        facts = [_provided_fact(stored, CorrectionKind.REJECTS)]
        return await self._store(tenant, StatementKind.REJECT, stored.user_id, facts, of=stored, by=by)

    async def undo(self, tenant: TenantId, correction_id: str) -> None:
        """Undo a correction, as if it had never been made.

        Raises:
            NotFoundError: the tenant has no such correction; perhaps it was undone before.
            UnavailableError: Neo4j does not answer; the call may be repeated.
        """
        check_ids(correctionId=correction_id)
        selection = message_selection(tenant, ids=[correction_id])
        rows = await self.graph.read(statement("forgetting/messages_to_forget"), selection)
        if not rows or not str(rows[0]["session_id"] or "").startswith(CORRECTION_SESSION):
            raise NotFoundError(f"there is no correction {correction_id!r}; perhaps it was undone before")
        if rows[0]["scene_id"]:
            await _retract(self.graph, tenant, rows[0], at=self.clock())
        await self.forgetting.message(tenant, correction_id)

    async def latest(self, tenant: TenantId, user_id: str, *, limit: int) -> list[Correction]:
        """Return the corrections of one user's memory that were not undone, latest first."""
        check_ids(userId=user_id)
        check_limit(limit)
        parameters = {"tenant": tenant, "user_id": user_id, "prefix": CORRECTION_SESSION, "rows_max": limit}
        rows = await self.graph.read(statement("curation/statements_of_user"), parameters)
        corrections = [
            Correction(
                id=row["id"],
                kind=StatementKind(row["session_id"].removeprefix(CORRECTION_SESSION).split(":", 1)[0]),
                user_id=UserId(user_id),
                text=row["text"],
                at=row["said_at"],
                by=row["speaker"],
                pending=row["scene_id"] is None,
            )
            for row in rows
        ]
        return await _with_facts(self.graph, tenant, corrections, [row["scene_id"] for row in rows if row["scene_id"]])

    async def _store(
        self,
        tenant: TenantId,
        kind: StatementKind,
        user_id: str,
        facts: Sequence[ProvidedFact],
        *,
        by: str | None,
        key: str | None = None,
        of: FactWithEnds | None = None,
    ) -> Correction:
        # A check of the whole call would name the place in a list that the caller did not send.
        raise_problems(filter(None, (checked_fact(facts[-1], 1)[1],)), before=REFUSED)
        text = sentence_of(kind, facts[-1].statement)
        session_id = f"{CORRECTION_SESSION}{kind}:{key or secrets.token_hex(8)}"
        incoming = RememberRequest(
            user_id=user_id,
            session_id=session_id,
            messages=(IncomingMessage(role=Role.SYSTEM.value, text=text, speaker=by, id="statement"),),
            facts=tuple(facts),
            summary=text,
            strict=True,
        )
        receipt = await self.remember(tenant, incoming)
        CORRECTIONS.add(kind.value)
        said = Correction(
            id=receipt.message_ids[0],
            kind=kind,
            user_id=UserId(user_id),
            text=text,
            at=self.clock(),
            by=by,
            pending=True,
        )
        session = session_node_id(tenant, UserId(user_id), SessionId(session_id))
        if receipt.spooled:
            return said
        try:
            await self.refresh(tenant, session)
        except UnavailableError:
            return said
        result = await with_stored_facts(self.graph, tenant, said)
        if result.fact_id is None or (of is not None and of.fact.id not in (result.fact_id, result.replaced_id)):
            await self.undo(tenant, said.id)
            raise ConflictError(
                f"{text!r} cannot be stored: this fact was forgotten permanently, or its names refer to other entities"
            )
        return result

    async def _check_version(self, tenant: TenantId, fact_id: str, version: int) -> None:
        parameters = {"tenant": tenant, "ids": [fact_id]}
        rows = await self.graph.read(statement("change_log/changes_per_element"), parameters)
        found = rows[0]["changes"] if rows else 1
        if found != version:
            raise ConflictError(
                f"the fact {fact_id!r} has version {found}, not {version}; nothing was changed. Read it again"
            )


def _stored_end(fact: Fact) -> datetime | None:
    """Return when a fact ended; None if it is open, or its end is not one in time: rejected or merged."""
    return None if fact.closing_reason in (Closing.REJECTED, Closing.MERGED) else fact.invalid_at


def _content(fact: ProvidedFact) -> tuple[str | None, ...]:
    return fact.predicate, fact.relation or None, fact.object


def _provided_fact(stored: FactWithEnds, correction: CorrectionKind) -> ProvidedFact:
    """Return a stored fact as a provided fact that is a correction by a person."""
    return ProvidedFact(
        subject=_name(stored.subject),
        predicate=stored.fact.predicate,
        object=_name(stored.object),
        statement=stored.fact.statement,
        relation=stored.fact.relation,
        subject_type=stored.subject.entity_type,
        object_type=stored.object.entity_type,
        strength=STATED_STRENGTH,
        confidence=1.0,
        correction=correction,
    )


def _name(end: FactEnd) -> str:
    """Return the name by which a provided fact refers to a node."""
    if Label.USER in end.labels:
        return "user"
    return "assistant" if Label.AGENT in end.labels else end.name


async def _retract(graph: Graph, tenant: TenantId, message: Row, *, at: datetime) -> None:
    """Remove a correction's assertions from all facts; its message is kept.

    Facts of merged entities are corrected when forgetting extracts their scenes again.

    Args:
        message: a row of `forgetting/messages_to_forget`.
    """
    user_id, message_id = message["user_id"], message["id"]
    user = memory_id(user_uri(tenant, user_id))

    async def steps(writing: Writing) -> None:
        await writing.run(statement("locks/lock_memory"), {"tenant": tenant, "user_node_id": user})
        parameters = {"tenant": tenant, "user_id": user_id, "ids": [message["scene_id"]]}
        rows = [
            row
            for row in await writing.run(statement("facts/facts_of_scenes"), parameters)
            if assertions_of(row, message_id)
        ]
        if not rows or any("subject_id" in row["properties"] for row in rows):
            return
        facts = [fact_from_row(row) for row in rows]
        claims = [fact.claim for fact in facts]
        related = {fact.id: fact for one in facts for fact in await related_facts(writing, tenant, content_of(one))}
        remaining = [one for fact in related.values() if (one := _without(fact, message_id)) is not None]
        state = known_claims(remaining)
        items = replan(state, _claims_to_plan(claims, state, known_claims(related.values())))
        put = [fact_row(item, tenant=tenant, user_id=user_id, recorded_at=at) for item in items]
        kept = {fact.id for fact in remaining} | {item.fact.id for item in items}
        deleted = sorted((fact for name, fact in related.items() if name not in kept), key=lambda fact: fact.id)
        await enqueue_embedding(writing, tenant, await put_facts(writing, tenant, put), at=at)
        ids = [fact.id for fact in deleted]
        await writing.run(statement("facts/delete_edges"), {"tenant": tenant, "ids": ids})
        changes = [Change(op=Op.EDGE_DROP, element_id=fact.id, body={}, reason=_UNDO_REASON) for fact in deleted]
        await redact_changes(writing, tenant, changes)
        changes += [fact_change(replace(item, reason=_UNDO_REASON), row) for item, row in zip(items, put, strict=True)]
        about = subjects_in([*put, *({"subject_id": fact.subject_id} for fact in deleted)], user)
        changes += await settle_profile(writing, tenant, about, at=at)
        await append_changes(writing, tenant, user_id, changes, at=at)

    await graph.write(steps)


def _claims_to_plan(
    claims: Sequence[Claim], state: Mapping[Claim, KnownClaim], before: Mapping[Claim, KnownClaim]
) -> set[Claim]:
    """Return the claims to plan again: those that lost an assertion, and conflicting ones of deleted claims. Pure."""
    stored = set(state)
    deleted = [claim for claim in dict.fromkeys(claims) if claim not in stored]
    closed = ConflictIndex(before).of_all(deleted) & stored
    return closed | (stored & set(claims))


def _without(fact: Fact, message_id: str) -> Fact | None:
    """Return the fact without the assertions of one message; None if none is left. Pure."""
    assertions = tuple(assertion for assertion in fact.assertions if assertion.message_id != message_id)
    if not assertions:
        return None
    corrections = tuple(text for text in fact.corrections if not text.startswith(f"{message_id}:"))
    extracted = fact.extracted
    if (extracted or fact).reader == PERSON and corrections:
        # Remove the wording of the undone correction, even if nothing replaces it.
        words = corrections[-1].split(":", 1)[1]
        extracted = FactValues(**{**fact_values(extracted or fact), "statement": words, "reader": PERSON})
    quotes = tuple(quote for quote in fact.quotes if not quote.startswith(f"{message_id}:"))
    return replace(fact, assertions=assertions, corrections=corrections, quotes=quotes, extracted=extracted)


async def content_in(words: str, stored: FactWithEnds, read: Reader) -> dict[str, Any]:
    """Return predicate, relation and object that new words state of a fact's subject; empty if they name its object.

    The words are read like a message, where another name stands for the subject if its relation is the fact's; else
    they are compared with the stored statement. Empty also if neither finds an object.
    """
    fact, name = stored.fact, stored.object.name
    if _names(words, name):
        return {}
    is_user = Label.USER in stored.subject.labels
    line = SceneLine(message_id=MemoryId(""), role=Role.USER, speaker=None, text=words, said_at=fact.valid_at)
    names = (stored.subject.name,) if is_user else ()
    reading = await read(SceneText(user_names=names, agent_names=(), lines=(line,)))
    subject = name_key(THE_USER if is_user else stored.subject.name)

    def mismatches(one: ProposedFact) -> tuple[bool, bool]:
        return name_key(one.subject) != subject, (one.predicate, one.relation) != (fact.predicate, fact.relation)

    said = sorted((one for one in reading.facts if not one.closes and not all(mismatches(one))), key=mismatches)
    if said:
        return {"predicate": said[0].predicate, "relation": said[0].relation or "", "object": said[0].object}
    before, named, after = fact.statement.rstrip(".。").partition(name)
    # People say 我 of themselves where the statement has their name.
    starts = {before, re.sub(f"^(?:{re.escape(stored.subject.name)}|用户)", "我", before) if is_user else before}
    start = "|".join(map(re.escape, sorted(starts)))
    put = re.fullmatch(f"(?:{start})(.{{1,100}}?){re.escape(after)}[.。]?", words.strip(), re.IGNORECASE)
    return {"object": put[1]} if named and put is not None else {}


def _names(words: str, name: str) -> bool:
    """Return whether words contain a name, not as a part of another ("York" in "Yorkshire"), in any spelling."""
    key = value_key(name)
    if not key.isascii():
        return key in value_key(words)
    spelled = r"[\W_]*".join(map(re.escape, key))
    return re.search(rf"(?<![a-z0-9]){spelled}(?:e?s)?(?![a-z0-9])", name_key(words)) is not None


async def fact_to_correct(graph: Graph, tenant: TenantId, fact_id: str) -> FactWithEnds:
    """Return the fact to correct.

    Raises:
        NotFoundError: the tenant has no such fact.
        ConflictError: its subject or object is a merged entity.
    """
    check_ids(factId=fact_id)
    found = await fact_by_id(graph.read, tenant, fact_id)
    if found is None or found.fact.predicate == "MENTIONED":
        raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; use an id from recall or from the map")
    if found.merged:
        raise ConflictError(
            f"the fact {fact_id!r} belongs to merged entities; split them, correct it, and merge them again"
        )
    return found


async def with_stored_facts(graph: Graph, tenant: TenantId, correction: Correction) -> Correction:
    """Return the correction with the ids of its facts in the graph."""
    selection = message_selection(tenant, ids=[correction.id])
    rows = await graph.read(statement("forgetting/messages_to_forget"), selection)
    scenes = [row["scene_id"] for row in rows if row["scene_id"]]
    return (await _with_facts(graph, tenant, [correction], scenes))[0]


def assertions_of(row: Row, message_id: str) -> list[Assertion]:
    """Return the assertions of one message in a row of `facts/facts_of_scenes`. Pure."""
    assertions = (parse_assertion(text) for text in row["properties"].get("assertions") or ())
    return [assertion for assertion in assertions if assertion.message_id == message_id]


async def _with_facts(
    graph: Graph, tenant: TenantId, corrections: Sequence[Correction], scenes: Sequence[str]
) -> list[Correction]:
    if not corrections:
        return []
    parameters = {"tenant": tenant, "user_id": corrections[0].user_id, "ids": sorted(scenes)}
    facts = await graph.read(statement("facts/facts_of_scenes"), parameters) if scenes else []
    visible = await _visible_edges(graph, tenant, facts)
    return [_with_fact_ids(one, [row for row in facts if assertions_of(row, one.id)], visible) for one in corrections]


def _with_fact_ids(correction: Correction, facts: Sequence[Row], visible: dict[str, MemoryId]) -> Correction:
    fact_by_rejection: dict[bool, MemoryId] = {}
    for row in facts:
        rejects = all(assertion.correction is CorrectionKind.REJECTS for assertion in assertions_of(row, correction.id))
        fact_by_rejection[rejects] = visible[row["properties"]["id"]]
    rejects = correction.kind is StatementKind.REJECT
    return replace(
        correction,
        fact_id=fact_by_rejection.get(rejects),
        replaced_id=None if rejects else fact_by_rejection.get(True),
        pending=correction.pending and not fact_by_rejection,
    )


async def _visible_edges(graph: Graph, tenant: TenantId, facts: Sequence[Row]) -> dict[str, MemoryId]:
    """Return the id of each fact's edge on the map by fact id; for merged entities, that of the derived edge."""
    member_facts = [row for row in facts if "subject_id" in row["properties"]]
    visible = {row["properties"]["id"]: MemoryId(row["properties"]["id"]) for row in facts}
    if not member_facts:
        return visible
    ends = sorted({end for row in member_facts for end in (row["subject_id"], row["object_id"])})
    resolved = await graph.read(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": ends})
    roots = sorted({row["root_id"] for row in resolved if row["root_id"]})
    edges = await graph.read(statement("lookup/edges_of_nodes"), {"tenant": tenant, "ids": roots})
    for row in member_facts:
        assertions = set(row["properties"].get("assertions") or ())
        projected = [
            edge["properties"]["id"] for edge in edges if assertions & set(edge["properties"].get("assertions") or ())
        ]
        visible[row["properties"]["id"]] = MemoryId(projected[0]) if projected else visible[row["properties"]["id"]]
    return visible
