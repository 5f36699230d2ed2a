"""What people state of facts by hand: added, edited, confirmed, rejected, pinned; and taking such a statement back.

A statement is a message of a session of its own that brings facts marked as stated. So it is evidence like any other
words, is forgotten and carried along with them, and is there again whenever something is read anew.
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.curation.statement_reader import (
    PREFIX,
    Correction,
    StatementKind,
    fact_to_correct,
    facts_stated,
    sentence_of,
    stated_by_user,
)
from graph_service.memory.curation.statement_undo import take_back
from graph_service.memory.facts.claims import STATED_STRENGTH
from graph_service.memory.forgetting.service import Forgetting
from graph_service.memory.ingest.episode_writer import Receipt
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest, check_request
from graph_service.memory.sessions.lifecycle import session_node_id
from graph_service.memory.summaries.service import Refresh
from schema.errors import ConflictError, InputError, NotFoundError, UnavailableError
from schema.ids import SessionId, TenantId, UserId
from schema.labels import Role
from schema.message import ProvidedFact
from schema.telling import Stated


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualFact:
    """A fact as a person states it.

    Attributes:
        subject: `user`, `assistant`, or a name; `object` likewise.
        request_id: the same id means the same statement, so that a call may be repeated.
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
    """What is to be different of a fact; None leaves it as it is."""

    statement: str | None = None
    object: str | None = None
    predicate: str | None = None
    relation: str | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None


class Statements:
    """What people state by hand, of all tenants.

    Args:
        remember: stores messages, durable when it returns.
        refresh: reads a session at once; None leaves that to a worker elsewhere.
        clock: aware UTC now.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        remember: Callable[[TenantId, RememberRequest], Awaitable[Receipt]],
        refresh: Refresh | None,
        forgetting: Forgetting,
        clock: Callable[[], datetime],
    ) -> None:
        self._graph = graph
        self._remember = remember
        self._refresh = refresh
        self._forgetting = forgetting
        self._clock = clock

    async def add(self, tenant: TenantId, wish: ManualFact) -> Correction:
        """Add a fact that a person states.

        Raises:
            InputError: the fact cannot be stored like this.
            ConflictError: the same was forgotten for good, or names cannot be told apart.
            UnavailableError: neither Neo4j nor the spool takes it.
        """
        fact = ProvidedFact(
            subject=wish.subject,
            predicate=wish.predicate,
            object=wish.object,
            statement=wish.statement,
            relation=wish.relation,
            subject_type=wish.subject_type,
            object_type=wish.object_type,
            strength=STATED_STRENGTH,
            confidence=1.0,
            valid_at=wish.valid_at,
            invalid_at=wish.invalid_at,
            stated=Stated.SAYS,
        )
        return await self._state(tenant, StatementKind.ADD, wish.user_id, [fact], key=wish.request_id)

    async def update(self, tenant: TenantId, fact_id: str, edit: FactEdit) -> Correction:
        """Say how a fact is right; if it then says something else, what it said before never held.

        Raises:
            InputError: nothing is to be different, or there are no words for it.
            NotFoundError: the tenant has no such fact.
            ConflictError: it is of merged entities, or names cannot be told apart.
            UnavailableError: Neo4j does not answer.
        """
        if edit == FactEdit():
            raise InputError("nothing of the fact is to be different; name at least one part, or confirm it")
        known = await fact_to_correct(self._graph, tenant, fact_id)
        old = _brought(known, Stated.REJECTS)
        new = replace(
            _brought(known, Stated.SAYS),
            object=edit.object or old.object,
            object_type=None if edit.object else old.object_type,
            predicate=edit.predicate or old.predicate,
            relation=edit.relation if edit.relation is not None else old.relation,
            statement=edit.statement or old.statement,
            valid_at=edit.valid_at or known["edge"]["valid_at"],
            invalid_at=edit.invalid_at,
        )
        another = _says(new) != _says(old)
        if another and edit.statement is None:
            raise InputError("the fact says something else then: hand in its words as well, as `statement`")
        facts = [old, new] if another else [new]
        return await self._state(tenant, StatementKind.UPDATE, known["edge"]["user_id"], facts, of=known)

    async def confirm(self, tenant: TenantId, fact_id: str) -> Correction:
        """Say that a fact is so; nothing that was or will be read closes it.

        Raises:
            NotFoundError: the tenant has no such fact.
            ConflictError: it does not hold, or is of merged entities.
            UnavailableError: Neo4j does not answer.
        """
        return await self._stress(tenant, fact_id, StatementKind.CONFIRM, Stated.SAYS)

    async def pin(self, tenant: TenantId, fact_id: str) -> Correction:
        """Say that a fact is so and matters most: it stays in the profile, whatever else is learned.

        Raises:
            NotFoundError: the tenant has no such fact.
            ConflictError: it does not hold, or is of merged entities.
            UnavailableError: Neo4j does not answer.
        """
        return await self._stress(tenant, fact_id, StatementKind.PIN, Stated.PINS)

    async def reject(self, tenant: TenantId, fact_id: str) -> Correction:
        """Say that a fact never held; reading it again does not bring it back, taking this back does.

        Raises:
            NotFoundError: the tenant has no such fact.
            ConflictError: it was rejected already, or is of merged entities.
            UnavailableError: Neo4j does not answer.
        """
        known = await fact_to_correct(self._graph, tenant, fact_id)
        if known["edge"]["closed_why"] == "rejected":
            raise ConflictError(f"the fact {fact_id!r} is rejected already")
        facts = [_brought(known, Stated.REJECTS)]
        return await self._state(tenant, StatementKind.REJECT, known["edge"]["user_id"], facts, of=known)

    async def undo(self, tenant: TenantId, correction_id: str) -> None:
        """Take a statement back: everything is as if it had not been made.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: the tenant has no such statement; perhaps it was taken back before.
            UnavailableError: Neo4j does not answer; the same call may be repeated.
        """
        check_ids(correctionId=correction_id)
        wanted = {"tenant": tenant, "ids": [correction_id], "session": None, "scene": None}
        rows = await self._graph.read(statement("forgetting/messages_to_forget"), wanted)
        if not rows or not str(rows[0]["session_id"] or "").startswith(PREFIX):
            raise NotFoundError(f"there is no correction {correction_id!r}; perhaps it was taken back before")
        if rows[0]["scene_id"]:
            await take_back(self._graph, tenant, rows[0], at=self._clock())
        await self._forgetting.message(tenant, correction_id)

    async def latest(self, tenant: TenantId, user_id: str, *, limit: int) -> list[Correction]:
        """Return what people stated of one user's memory and did not take back, the latest first.

        Raises:
            InputError: the id or the limit cannot be used.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id)
        check_limit(limit)
        return await stated_by_user(self._graph, tenant, user_id, limit=limit)

    async def _stress(self, tenant: TenantId, fact_id: str, kind: StatementKind, stated: Stated) -> Correction:
        known = await fact_to_correct(self._graph, tenant, fact_id)
        if known["edge"]["invalid_at"] is not None:
            raise ConflictError(f"the fact {fact_id!r} does not hold; `reopenFact` lets it hold again")
        fact = replace(_brought(known, stated), valid_at=known["edge"]["valid_at"])
        return await self._state(tenant, kind, known["edge"]["user_id"], [fact], of=known)

    async def _state(
        self,
        tenant: TenantId,
        kind: StatementKind,
        user_id: str,
        facts: Sequence[ProvidedFact],
        *,
        key: str | None = None,
        of: Row | None = None,
    ) -> Correction:
        text = sentence_of(kind, facts[-1].statement)
        session_id = f"{PREFIX}{kind}:{key or secrets.token_hex(8)}"
        incoming = RememberRequest(
            user_id=user_id,
            session_id=session_id,
            messages=(IncomingMessage(role=Role.SYSTEM.value, text=text, id="statement"),),
            facts=tuple(facts),
            summary=text,
        )
        if dropped := check_request(tenant, incoming, now=self._clock()).dropped:
            raise InputError("; ".join(dropped), dropped)
        receipt = await self._remember(tenant, incoming)
        said = Correction(
            id=receipt.message_ids[0], kind=kind, user_id=UserId(user_id), text=text, at=self._clock(), pending=True
        )
        session = session_node_id(tenant, UserId(user_id), SessionId(session_id))
        if receipt.spooled or not await self._read(tenant, session):
            return said
        done = await facts_stated(self._graph, tenant, said)
        if done.fact_id is None or (of is not None and of["edge"]["id"] not in (done.fact_id, done.replaced_id)):
            await self.undo(tenant, said.id)
            raise ConflictError(
                f"{text!r} cannot be stated: the same was forgotten for good, or its names mean something else here"
            )
        return done

    async def _read(self, tenant: TenantId, session: str) -> bool:
        """Return whether the statement is in the graph now; else a worker comes to it."""
        if self._refresh is None:
            return False
        try:
            await self._refresh(tenant, session)
        except UnavailableError:
            return False
        return True


def _says(fact: ProvidedFact) -> tuple[str | None, ...]:
    return fact.predicate, fact.relation or None, fact.object


def _brought(known: Row, stated: Stated) -> ProvidedFact:
    """Return a known fact as a statement of it brings it."""
    edge: dict[str, Any] = known["edge"]
    return ProvidedFact(
        subject=known["subject_name"],
        predicate=known["predicate"],
        object=known["object_name"],
        statement=edge["statement"],
        relation=edge["relation"],
        subject_type=known["source"]["entity_type"],
        object_type=known["target"]["entity_type"],
        strength=STATED_STRENGTH,
        confidence=1.0,
        stated=stated,
    )
