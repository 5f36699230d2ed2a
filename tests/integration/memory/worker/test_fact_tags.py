"""Test that facts which the local model tags are stored with their evidence, each for its own tenant."""

from pathlib import Path

import platformdirs

from extraction.rules.rule_reader import rules_with_tags
from extraction.tagging.local_tagger import load_local_tagger
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming

CACHE = Path(platformdirs.user_cache_dir("mnemoscene"))
TOLD = "Gary packed in the roofing, he's driving for DPD these days"


async def test_tagged_fact_is_recalled_by_its_tenant_only(graph: Graph, tenant: str) -> None:
    other = TenantId(f"{tenant}-other")
    tagger = await load_local_tagger(cache_dir=CACHE)
    try:
        reader = rules_with_tags(tagger)
        memory, worker = a_memory(graph), a_worker(graph, readers=Readers(first=reader, fallback=reader))
        await memory.remember(TenantId(tenant), an_incoming(TOLD))
        await memory.remember(other, an_incoming("the sea was grey today"))
        await worker.drain()
    finally:
        tagger.close()
    question = Question(user_id="alice", text="Where does Gary work?", kinds=(HitKind.FACT,))
    facts = [hit.candidate.text for hit in (await memory.recall(TenantId(tenant), question)).hits]
    assert any("works at DPD" in text for text in facts), facts
    assert (await memory.recall(other, question)).hits == ()
