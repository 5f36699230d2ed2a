"""Test that manual statements outrank extracted facts, survive re-reading, and can be undone exactly."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.curation.statements import Correction, FactEdit, ManualFact
from graph_service.memory.facts.stored import fact_by_id
from graph_service.memory.mindmap.reader import Explorer, MindMap
from graph_service.memory.service import Memory
from schema.entity import an_entity
from schema.errors import ConflictError, InputError, NotFoundError
from schema.ids import TenantId, UserId
from tests.integration.memory.facts.test_conflict_resolution import edges, open_now, say
from tests.support.builders import NOON, a_memory, a_worker
from tests.support.graph_hash import graph_rows
from tests.support.slow import slow_but


def memory_reading_at_once(graph: Graph) -> Memory:
    """Return a memory that reads manual statements at once."""
    return a_memory(graph)


async def apply(graph: Graph, tenant: str, act: str, *args: Any) -> Correction:
    """Make a correction; `pin` is to confirm with that option."""
    more = {"pin": True} if act == "pin" else {}
    act = "confirm" if act == "pin" else act
    return await getattr(memory_reading_at_once(graph).statements, act)(TenantId(tenant), *args, **more)


async def rows(graph: Graph, tenant: str) -> list[str]:
    """Return the graph without tombstones and token usage."""
    await a_worker(graph).drain()
    return [row for row in await graph_rows(graph, tenant) if "'Tombstone'" not in row and "'Usage'" not in row]


def a_fact(name: str, statement: str, **more: Any) -> ManualFact:
    return ManualFact(
        user_id="alice", predicate="RELATES_TO", object=name, statement=statement, relation="lives in", **more
    )


async def test_added_fact_is_not_closed_by_later_messages(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    added = await apply(graph, tenant, "add", a_fact("Lyon", "Alice lives in Lyon"))
    found = await edges(graph, tenant)
    assert (found["Lyon"]["id"], found["Lyon"]["reader"], found["Lyon"]["confidence"]) == (added.fact_id, "person", 1.0)
    assert found["Paris"]["closed_by"] == added.fact_id
    later = (datetime.now(UTC) - NOON) / timedelta(days=1)
    await say(graph, tenant, "I moved to Oslo.", day=later + 0.2)
    await say(graph, tenant, "I live in Paris.", day=later + 0.4)
    assert await open_now(graph, tenant) == {"Lyon"}


@pytest.mark.parametrize("text", ["I live in Paris.", "我住在北京。"])
async def test_rejected_fact_stays_closed_after_rereading(graph: Graph, tenant: str, text: str) -> None:
    await say(graph, tenant, text, day=0)
    (fact,) = (await edges(graph, tenant)).values()
    rejected = await apply(graph, tenant, "reject", fact["id"])
    assert rejected.fact_id == fact["id"]
    await say(graph, tenant, text, day=200)
    (now,) = (await edges(graph, tenant)).values()
    assert (now["closing_reason"], now["invalid_at"]) == ("rejected", now["valid_at"])
    with pytest.raises(ConflictError, match="already rejected"):
        await apply(graph, tenant, "reject", fact["id"])


async def test_edited_fact_replaces_the_extracted_one_from_its_start(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    paris = (await edges(graph, tenant))["Paris"]
    edit = FactEdit(object="Lyon", statement="Alice lives in Lyon")
    updated = await apply(graph, tenant, "update", paris["id"], edit)
    found = await edges(graph, tenant)
    assert (updated.fact_id, updated.replaced_id) == (found["Lyon"]["id"], paris["id"])
    assert (found["Paris"]["closing_reason"], found["Lyon"]["valid_at"]) == ("rejected", paris["valid_at"])
    assert await open_now(graph, tenant) == {"Lyon"}
    with pytest.raises(InputError, match="statement"):
        await apply(graph, tenant, "update", found["Lyon"]["id"], FactEdit(object="Nice"))


@pytest.mark.parametrize("words", ["Alice lives in Lyon.", "Ally lives in Lyon and plays tennis"])
async def test_statement_alone_names_the_new_object(graph: Graph, tenant: str, words: str) -> None:
    """Also under a name of the user that the memory has not heard."""
    await say(graph, tenant, "I live in Paris.", day=0)
    await apply(graph, tenant, "update", (await edges(graph, tenant))["Paris"]["id"], FactEdit(statement=words))
    assert await open_now(graph, tenant) == {"Lyon"}


@pytest.mark.parametrize(
    ("told", "words", "known"),
    [
        ("I live in York.", "Alice lives in Yorkshire.", {"Yorkshire"}),
        ("I live in York.", "Alice lives in York's old town.", {"York"}),
        ("My phone number is 0171 555 20 12.", "Alice's phone is 01715552012.", {"0171 555 20 12"}),
    ],
)
async def test_statement_names_the_known_object_as_whole_words(
    graph: Graph, tenant: str, told: str, words: str, known: set[str]
) -> None:
    await say(graph, tenant, told, day=0)
    (fact,) = (await edges(graph, tenant)).values()
    await apply(graph, tenant, "update", fact["id"], FactEdit(statement=words))
    assert await open_now(graph, tenant) == known


@pytest.mark.parametrize(
    "edit",
    [FactEdit(statement="Alice had a flat in Paris"), FactEdit(object="Lyon", statement="Alice lived in Lyon")],
)
async def test_edited_fact_keeps_the_end_that_the_edit_does_not_name(graph: Graph, tenant: str, edit: FactEdit) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Rome.", day=3)
    paris = (await edges(graph, tenant))["Paris"]
    await apply(graph, tenant, "update", paris["id"], edit)
    now = (await edges(graph, tenant))[edit.object or "Paris"]
    assert now["statement"] == edit.statement
    assert (now["valid_at"], now["invalid_at"]) == (paris["valid_at"], paris["invalid_at"])
    assert await open_now(graph, tenant) == {"Rome"}


async def test_edited_end_replaces_the_stored_one(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Rome.", day=3)
    paris = (await edges(graph, tenant))["Paris"]
    earlier = NOON + timedelta(days=2)
    await apply(graph, tenant, "update", paris["id"], FactEdit(invalid_at=earlier))
    assert (await edges(graph, tenant))["Paris"]["invalid_at"] == earlier


async def test_empty_relation_of_an_edit_removes_it(graph: Graph, tenant: str) -> None:
    added = await apply(graph, tenant, "add", a_fact("Paris", "Alice lives in Paris"))
    edit = FactEdit(predicate="PREFERS", relation="", statement="Alice likes Paris")
    done = await apply(graph, tenant, "update", added.fact_id, edit)
    stored = await fact_by_id(graph.read, tenant, str(done.fact_id))
    assert stored is not None
    assert (stored.fact.predicate, stored.fact.relation) == ("PREFERS", None)


async def test_edited_object_of_a_rejected_fact_has_no_end(graph: Graph, tenant: str) -> None:
    """A rejected fact ends at its start, which says that it was never true."""
    await say(graph, tenant, "I live in Paris.", day=0)
    paris = (await edges(graph, tenant))["Paris"]["id"]
    await apply(graph, tenant, "reject", paris)
    await apply(graph, tenant, "update", paris, FactEdit(object="Lyon", statement="Alice lives in Lyon"))
    assert await open_now(graph, tenant) == {"Lyon"}


async def test_confirmed_and_pinned_facts_are_not_closed_by_messages(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    paris = (await edges(graph, tenant))["Paris"]["id"]
    await apply(graph, tenant, "confirm", paris)
    pinned = await apply(graph, tenant, "pin", paris)
    await say(graph, tenant, "I moved to Oslo.", day=3)
    found = await edges(graph, tenant)
    assert (found["Paris"].get("invalid_at"), found["Paris"]["importance"]) == (None, 10)
    assert (found["Oslo"]["closed_by"], found["Oslo"]["closing_reason"]) == (paris, "replaced")
    told = await memory_reading_at_once(graph).statements.latest(TenantId(tenant), "alice", limit=10)
    assert [(one.kind, one.fact_id) for one in told] == [("pin", paris), ("confirm", paris)]
    assert told[0].id == pinned.id


@pytest.mark.parametrize("texts", [("I live in Paris.", "I like tea."), ("我住在北京。", "我喜欢喝茶。")])
async def test_corrections_are_acts_and_not_scenes_or_evidence(
    graph: Graph, tenant: str, texts: tuple[str, str]
) -> None:
    for day, text in enumerate(texts):
        await say(graph, tenant, text, day=day)
    mind_map, explorer, name = MindMap(graph), Explorer(graph), TenantId(tenant)
    before = await mind_map.snapshot(tenant, user_id=None, budget=500)
    fact = next(iter((await edges(graph, tenant)).values()))["id"]
    said = await mind_map.evidence(tenant, fact)
    await memory_reading_at_once(graph).statements.confirm(name, fact, by="Bob")
    await apply(graph, tenant, "pin", fact)
    after = await mind_map.snapshot(tenant, user_id="alice", budget=500)
    assert {node.id for node in after.nodes} == {node.id for node in before.nodes}
    assert after.total == before.total
    changes = await explorer.recent(name, None, since=None, before=None, limit=100)
    assert {line.element_id for line in changes.changes} <= {
        *(node.id for node in before.nodes),
        *(edge.id for edge in before.edges),
    }
    user = next(node.id for node in before.nodes if node.kind == "User")
    around = await explorer.around(name, None, user, limit=100)
    assert {node.id for node in around.nodes} <= {node.id for node in before.nodes}
    now = await mind_map.evidence(tenant, fact)
    assert now.evidence == said.evidence
    assert [(one.kind, one.by) for one in now.corrections] == [("confirm", "Bob"), ("pin", None)]
    about_user = await mind_map.evidence(tenant, user)
    assert {quote.role for quote in about_user.evidence} == {"user"}
    await apply(graph, tenant, "reject", fact)
    assert (await mind_map.evidence(tenant, fact)).corrections[-1].kind == "reject"
    listed = await a_memory(graph).sessions.latest(name, "alice")
    assert not [session for session in listed if session.session_id.startswith("by-hand:")]
    assert listed


@pytest.mark.parametrize(
    ("act", "edit"),
    slow_but(
        [("reject", ()), ("update", (FactEdit(object="Bari", statement="Alice lives in Bari"),)), ("add", ())],
        [
            ("confirm", ()),
            ("pin", ()),
            ("reject", ()),
            ("update", (FactEdit(statement="Alice has her home in Rome"),)),
            ("update", (FactEdit(object="Bari", statement="Alice lives in Bari"),)),
            ("update", (FactEdit(valid_at=NOON - timedelta(days=9), invalid_at=NOON + timedelta(days=9)),)),
            ("add", ()),
        ],
    ),
)
async def test_undo_restores_the_graph_exactly(graph: Graph, tenant: str, act: str, edit: tuple[FactEdit, ...]) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Rome. I like tea.", day=3)
    await apply(graph, tenant, "confirm", (await edges(graph, tenant))["tea"]["id"])
    rome = (await edges(graph, tenant))["Rome"]["id"]
    before = await rows(graph, tenant)
    wish = (a_fact("Oslo", "Alice lives in Oslo"),) if act == "add" else (rome, *edit)
    done = await apply(graph, tenant, act, *wish)
    assert await rows(graph, tenant) != before
    await memory_reading_at_once(graph).statements.undo(TenantId(tenant), done.id)
    assert await rows(graph, tenant) == before
    log = await Explorer(graph).recent(TenantId(tenant), None, since=None, before=None, limit=100)
    assert not [line for line in log.changes if "Oslo" in str(line) or "Bari" in str(line)]
    with pytest.raises(NotFoundError):
        await memory_reading_at_once(graph).statements.undo(TenantId(tenant), done.id)


async def test_statements_survive_rereading_everything(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0, session="one")
    await say(graph, tenant, "I love jasmine tea.", day=0, session="two")
    paris = (await edges(graph, tenant))["Paris"]["id"]
    await apply(graph, tenant, "update", paris, FactEdit(object="Lyon", statement="Alice lives in Lyon"))
    await say(graph, tenant, "I really do live in Paris.", day=2, session="three")
    memory = memory_reading_at_once(graph)
    # Every scene of the fact is read again, and so is the statement.
    await memory.forgetting.session(TenantId(tenant), "alice", "three")
    await a_worker(graph).drain()
    found = await edges(graph, tenant)
    assert (found["Paris"]["closing_reason"], found["Lyon"].get("invalid_at")) == ("rejected", None)


async def test_statements_about_facts_of_another_tenant_are_refused(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    paris = (await edges(graph, tenant))["Paris"]["id"]
    done = await apply(graph, tenant, "confirm", paris)
    before = await rows(graph, tenant)
    for act, args in (
        ("confirm", (paris,)),
        ("reject", (paris,)),
        ("pin", (paris,)),
        ("update", (paris, FactEdit(statement="x"))),
        ("undo", (done.id,)),
    ):
        with pytest.raises(NotFoundError):
            await apply(graph, f"{tenant}-other", act, *args)
    assert await memory_reading_at_once(graph).statements.latest(TenantId(f"{tenant}-other"), "alice", limit=10) == []
    assert await rows(graph, tenant) == before


@pytest.mark.parametrize("kind", ["fact", "entity"])
@pytest.mark.parametrize("act", ["add", "update", "update twice"])
async def test_forgetting_what_a_person_stated_deletes_the_statement(
    graph: Graph, tenant: str, act: str, kind: str
) -> None:
    await say(graph, tenant, "I live in Paris. I like tea.", day=0)
    memory, name = a_memory(graph), TenantId(tenant)
    await apply(graph, tenant, "pin", (await edges(graph, tenant))["tea"]["id"])
    wrong = (await edges(graph, tenant))["Paris"]["id"]
    if act == "add":
        await apply(graph, tenant, "add", a_fact("Oslo", "Alice lives in Oslo"))
    else:
        if act == "update twice":
            step = await apply(graph, tenant, "update", wrong, FactEdit(object="Bari", statement="Alice lives in Bari"))
            wrong = step.fact_id
        await apply(graph, tenant, "update", wrong, FactEdit(object="Oslo", statement="Alice lives in Oslo"))
    if kind == "fact":
        done = await memory.forgetting.fact(name, (await edges(graph, tenant))["Oslo"]["id"])
    else:
        done = await memory.forgetting.entity(name, an_entity(name, UserId("alice"), "Oslo").id)
    assert done.messages == (2 if act == "update twice" else 1)
    left = "\n".join(await rows(graph, tenant))
    assert "Oslo" not in left
    assert "Bari" not in left
    assert "I live in Paris." in left
    # What a person corrected does not hold again; what another fact replaced does.
    assert await open_now(graph, tenant) == ({"tea", "Paris"} if act == "add" else {"tea"})
    assert [one.kind for one in await memory.statements.latest(name, "alice", limit=9)] == ["pin"]


@pytest.mark.parametrize("act", ["confirm", "pin", "reject", "update"])
async def test_forgetting_a_corrected_fact_deletes_corrections_of_nothing_else(
    graph: Graph, tenant: str, act: str
) -> None:
    await say(graph, tenant, "I live in Paris. I like tea.", day=0)
    fact = (await edges(graph, tenant))["Paris"]["id"]
    edit = (FactEdit(object="Bari", statement="Alice lives in Bari"),) if act == "update" else ()
    await apply(graph, tenant, act, fact, *edit)
    done = await a_memory(graph).forgetting.fact(TenantId(tenant), fact)
    assert (done.facts, done.messages) == (1, 0 if act == "update" else 1)
    await a_worker(graph).drain()
    assert await open_now(graph, tenant) == ({"tea", "Bari"} if act == "update" else {"tea"})
    kinds = [one.kind for one in await a_memory(graph).statements.latest(TenantId(tenant), "alice", limit=9)]
    assert kinds == (["update"] if act == "update" else [])
