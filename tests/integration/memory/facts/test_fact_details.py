"""Test that details of decisions and procedures are kept from the request to recall."""

from datetime import timedelta

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind, Question
from schema.fact import FactKind
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_memory, a_worker, an_incoming

DECISION = ProvidedFact(
    subject="user",
    predicate="CARES_ABOUT",
    object="Postgres",
    statement="Alice decided to use Postgres.",
    relation="decision",
    importance=9,
    kind=FactKind.DECISION,
    rationale="The team knows it.",
    mentioned_start=NOON + timedelta(days=1),
)
PROCEDURE = ProvidedFact(
    subject="assistant",
    predicate="RELATES_TO",
    object="部署服务",
    statement="部署服务：先构建，再发布。",
    relation="procedure",
    kind=FactKind.PROCEDURE,
    steps=("构建镜像 → 成功", "发布 → 健康检查通过"),
)
BROKEN = (
    ProvidedFact(subject="user", predicate="PREFERS", object="x", statement="s", importance=11),
    ProvidedFact(subject="user", predicate="PREFERS", object="x", statement="s", rationale="\x00"),
    ProvidedFact(subject="user", predicate="PREFERS", object="x", statement="s", steps=("go → there",) * 51),
)


async def test_provided_decisions_and_procedures_are_recalled_unchanged(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("Let us decide.", facts=(DECISION, PROCEDURE)))
    await a_worker(graph).drain()
    found = {}
    for text in ("Postgres", "部署服务"):
        answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text=text, kinds=(HitKind.FACT,)))
        found |= {hit.candidate.object: hit.candidate for hit in answer.hits}
        stranger = await memory.recall(TenantId(f"{tenant}-2"), Question(user_id="alice", text=text))
        assert stranger.hits == ()
    decision, procedure = found["Postgres"], found["部署服务"]
    assert (decision.fact_kind, decision.rationale) == (FactKind.DECISION, "The team knows it.")
    assert (procedure.fact_kind, procedure.steps) == (FactKind.PROCEDURE, PROCEDURE.steps)
    element = await memory.mindmap.evidence(TenantId(tenant), decision.id)
    assert (element.fact_kind, element.importance, element.rationale) == ("decision", 9, "The team knows it.")


async def test_invalid_detail_drops_the_fact_with_the_reason(graph: Graph, tenant: str) -> None:
    receipt = await a_memory(graph).remember(TenantId(tenant), an_incoming(facts=BROKEN))
    assert [told.split(" ", 1)[0] for told in receipt.dropped] == ["facts[0]", "facts[1]", "facts[2]"]
    assert "1 to 10" in receipt.dropped[0]
    assert "at most 50" in receipt.dropped[2]


@pytest.mark.parametrize("name", ["trigger_emotion", "subject_type", "object_type"])
@pytest.mark.parametrize("value", ["\ud800", "\x00", "x" * 5_000])
async def test_text_that_cannot_be_stored_drops_the_fact(graph: Graph, tenant: str, name: str, value: str) -> None:
    fact = ProvidedFact(subject="user", predicate="PREFERS", object="tea", statement="I like tea", **{name: value})  # type: ignore[arg-type]
    receipt = await a_memory(graph).remember(TenantId(tenant), an_incoming(facts=(fact,)))
    assert (receipt.stored, len(receipt.dropped)) == (1, 1)
