"""Taking back what a person stated by hand: the facts are as if it had not been stated, and nothing is read anew."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.change_log.payloads import fact_change
from graph_service.memory.curation.statement_reader import tellings_in
from graph_service.memory.facts.claims import known_claims, told_of
from graph_service.memory.facts.lookup import facts_near
from graph_service.memory.facts.reconciliation import planned
from graph_service.memory.facts.rivalry import Rivals
from graph_service.memory.facts.rows import fact_row, known_fact
from graph_service.memory.facts.writer import put_facts, want_vectors
from graph_service.memory.profile.reader import settle_profile, subjects_in
from schema.change import Change, Op
from schema.fact import PERSON, Claim, KnownFact, ReadAs
from schema.ids import TenantId, memory_id, user_uri

_REASON: Final = "a correction was taken back"


async def take_back(graph: Graph, tenant: TenantId, message: Row, *, at: datetime) -> None:
    """Take one statement out of all facts that it told; its message stays, and proves nothing any more.

    Facts of merged entities are left to forgetting, which reads their scenes anew.

    Args:
        message: a row of `forgetting/messages_to_forget`.
    """
    user_id, said = message["user_id"], message["id"]
    user = memory_id(user_uri(tenant, user_id))

    async def steps(writing: Writing) -> None:
        await writing.run(statement("locks/lock_memory"), {"tenant": tenant, "user_node_id": user})
        asked = {"tenant": tenant, "user_id": user_id, "ids": [message["scene_id"]]}
        rows = [row for row in await writing.run(statement("facts/facts_of_scenes"), asked) if tellings_in(row, said)]
        if not rows or any("subject_id" in row["properties"] for row in rows):
            return
        claims = [known_fact(row).claim for row in rows]
        near = {fact.id: fact for claim in claims for fact in await facts_near(writing, tenant, claim)}
        left = [one for fact in near.values() if (one := _without(fact, said)) is not None]
        board = known_claims(left)
        items = planned(board, _touched(claims, list(board)))
        put = [fact_row(item, tenant=tenant, user_id=user_id, recorded_at=at) for item in items]
        kept = {fact.id for fact in left} | {item.fact.id for item in items}
        gone = sorted((fact for name, fact in near.items() if name not in kept), key=lambda fact: fact.id)
        await want_vectors(writing, tenant, await put_facts(writing, tenant, put), at=at)
        edges = [{"node_id": fact.subject_id, "id": fact.id} for fact in gone]
        await writing.run(statement("facts/delete_edges"), {"tenant": tenant, "rows": edges})
        changes = [Change(op=Op.EDGE_DROP, element_id=fact.id, body={}, reason=_REASON) for fact in gone]
        changes += [fact_change(replace(item, reason=_REASON), row) for item, row in zip(items, put, strict=True)]
        about = subjects_in([*put, *({"subject_id": fact.subject_id} for fact in gone)], user)
        changes += await settle_profile(writing, tenant, about, at=at) if about else []
        await append_changes(writing, tenant, user_id, changes, at=at)

    await graph.write(steps)


def _touched(claims: Sequence[Claim], board: Sequence[Claim]) -> set[Claim]:
    """Return what must be planned: claims that lost a telling and, of those that are gone, what they had
    closed. Pure.
    """
    known = set(board)
    gone = [claim for claim in dict.fromkeys(claims) if claim not in known]
    closed = Rivals([*board, *gone]).of_all(gone) & known
    return closed | (known & set(claims))


def _without(fact: KnownFact, said: str) -> KnownFact | None:
    """Return the fact without what one message told of it; None when nothing is left. Pure."""
    told = tuple(telling for telling in told_of(fact) if telling.message_id != said)
    if not told:
        return None
    stated = tuple(text for text in fact.stated if not text.startswith(f"{said}:"))
    read = fact.read_as
    if (read or fact).reader == PERSON and stated:
        # The words of what was taken back go, although nobody else put them.
        read = _read_as(fact, statement_of=stated[-1].split(":", 1)[1])
    quotes = tuple(quote for quote in fact.quotes if not quote.startswith(f"{said}:"))
    return replace(fact, told=told, stated=stated, quotes=quotes, read_as=read)


def _read_as(fact: KnownFact, *, statement_of: str) -> ReadAs:
    read = fact.read_as
    return ReadAs(
        statement=statement_of,
        base_strength=read.base_strength if read else fact.base_strength,
        confidence=read.confidence if read else fact.confidence,
        importance=read.importance if read else fact.importance,
        reader=PERSON,
        trigger_emotion=read.trigger_emotion if read else fact.trigger_emotion,
        detail=read.detail if read else fact.detail,
    )
