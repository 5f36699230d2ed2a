"""Test the limits, the budget and the fallback of model endpoints on the wire, through the service."""

from pathlib import Path

import pytest
import pytest_asyncio

from extraction.openai_api.embedder import OpenAIEmbedder
from extraction.openai_api.endpoint import Endpoint
from graph_service.admin.doctor import examine_service
from graph_service.config.settings import load_settings
from graph_service.graph.store import Graph
from graph_service.runtime.service_registry import recorded
from schema.errors import InstallError
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import a_memory, a_worker, an_incoming, delete_open_jobs
from tests.support.fake_openai import FakeOpenAI, fails
from tests.support.model_service import AnsweringEndpoint, a_reading, model_service, said

TEA = "I love jasmine tea."
LIKES_TEA = a_reading({"predicate": "PREFERS", "object": "jasmine tea", "statement": "She loves jasmine tea."})
USAGE = """{ usage(days: 2) { tokensPerDay tokensLeft
  days { calls tokensIn tokensOut embeddingTokens scenesByModel scenesByRules scenesOverBudget } } }"""
FACTS = '{ recall(userId: "alice", query: "jasmine tea", kinds: [FACT]) { hits { predicate object } } }'


@pytest_asyncio.fixture(autouse=True)
async def no_jobs_of_others(graph: Graph) -> None:
    await delete_open_jobs(graph)


async def test_second_endpoint_answers_while_the_first_is_unavailable(
    server: Server, tmp_path: Path, tenant: str
) -> None:
    """Unavailable, wrongly configured, or behind an open circuit breaker."""
    with AnsweringEndpoint(lambda _prompt: fails(503)) as down, AnsweringEndpoint(lambda _prompt: LIKES_TEA) as spare:
        more = {
            "MNEMOSCENE_LLM_API_KEY": "first-key",
            "MNEMOSCENE_LLM_FALLBACK_MODEL": "spare",
            "MNEMOSCENE_LLM_FALLBACK_BASE_URL": spare.base_url,
        }
        async with model_service(server, tmp_path, tenant, down, **more) as api:
            for number in range(7):
                await api.remember(said(f"{TEA} {number}"), session=f"s{number}")
            (day,) = (await api.ask(USAGE))["usage"]["days"]
            assert (day["calls"], day["scenesByModel"], day["scenesByRules"]) == (7, 7, 0)
            assert {asked["model"] for asked in spare.requests} == {"spare"}
            # After five failures the first endpoint is left alone for a minute.
            assert (len(down.requests), len(spare.requests)) == (5, 7)
            metrics = await api.text("/metrics")
            assert 'mnemoscene_circuit_breaker{service="first model"} 2.0' in metrics
            assert 'mnemoscene_circuit_breaker{service="model"} 0.0' in metrics
            assert 'mnemoscene_endpoint_requests{endpoint="fallback model"} 7.0' in metrics
            assert 'mnemoscene_endpoint_limit{endpoint="model",limit="concurrent requests"} 4.0' in metrics
            settings = api.service.parts.settings
            with recorded(settings, api.service.http):
                findings = {check.finding for check in await examine_service(settings) if check.ok is False}
            assert findings == {"the first model does not answer; its circuit breaker is open"}
            rows = await api.ask(
                '{ cypher(statement: "MATCH (s:Scene) RETURN DISTINCT s.read_by AS by, s.tenant AS tenant") { rows } }'
            )
    assert ["spare", tenant] in rows["cypher"]["rows"]


@pytest.mark.slow
async def test_call_that_would_exceed_the_budget_is_not_made(server: Server, tmp_path: Path, tenant: str) -> None:
    """The prompt is estimated at about 1,500 tokens; the endpoint reports 120 for each call."""
    with AnsweringEndpoint(lambda _prompt: LIKES_TEA) as model:
        more = {"MNEMOSCENE_LLM_TOKENS_PER_DAY": "2000"}
        async with model_service(server, tmp_path, tenant, model, **more) as api:
            for number in range(30):
                await api.remember(said(f"{TEA} {number}"), session=f"s{number}")
                usage = (await api.ask(USAGE))["usage"]
                if usage["days"][0]["scenesOverBudget"]:
                    break
            (day,) = usage["days"]
            assert day["tokensIn"] + day["tokensOut"] == 120 * len(model.requests) <= 2000
            assert usage["tokensLeft"] == 2000 - 120 * len(model.requests)
            assert 1 <= len(model.requests) < 15
            assert day["scenesByModel"] == len(model.requests)
            assert {"predicate": "PREFERS", "object": "jasmine tea"} in (await api.ask(FACTS))["recall"]["hits"]
        async with model_service(server, tmp_path, f"{tenant}-2", model, **more) as other:
            # The budget is that of each tenant.
            before = len(model.requests)
            await other.remember(said(TEA))
            assert len(model.requests) == before + 1


async def test_embedding_tokens_are_counted_by_tenant_and_day(graph: Graph, tenant: str) -> None:
    memory, whose = a_memory(graph), TenantId(tenant)
    with FakeOpenAI(dim=64) as fake:
        made = OpenAIEmbedder(Endpoint(model="hashed-words", base_url=fake.base_url, api_key=None), dimensions=64)
        worker = a_worker(graph, embedder=made)
        await memory.remember(whose, an_incoming(TEA))
        await worker.drain()
    (day,) = (await memory.usage(whose, days=1)).days
    # The fake reports one token for each request.
    assert (day.embedding_tokens, day.calls) == (len(fake.requests), 0)
    assert day.embedding_tokens > 0
    assert (await memory.usage(TenantId(f"{tenant}-2"), days=1)).days == ()


def test_settings_of_endpoints_name_what_is_missing(tmp_path: Path) -> None:
    def problem(**environ: str) -> str:
        with pytest.raises(InstallError) as caught:
            load_settings(environ={"HOME": str(tmp_path), **environ}, here=tmp_path, user_dir=tmp_path)
        return caught.value.message

    assert "llm.fallback_model" in problem(LLM_MODEL="m", MNEMOSCENE_LLM_FALLBACK_BASE_URL="http://127.0.0.1:1/v1")
    assert "set LLM_MODEL" in problem(MNEMOSCENE_LLM_JUDGE_MODEL="small")
    assert "fallback_base_url" in problem(
        LLM_MODEL="m", MNEMOSCENE_LLM_FALLBACK_MODEL="n", MNEMOSCENE_LLM_FALLBACK_API_KEY="hush"
    )
    assert "hush" not in problem(
        LLM_MODEL="m", MNEMOSCENE_LLM_FALLBACK_MODEL="n", MNEMOSCENE_LLM_FALLBACK_API_KEY="hush"
    )
    for name in ("LLM_CONCURRENT_CALLS", "EMBEDDING_CONCURRENT_CALLS", "LLM_OUTPUT_TOKENS_MAX"):
        assert f"MNEMOSCENE_{name}" in problem(**{f"MNEMOSCENE_{name}": "0"})
