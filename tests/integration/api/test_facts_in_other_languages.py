"""Test over GraphQL that messages in German, Spanish, French and Japanese become facts without a language model."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest_asyncio

from extraction.reader import Reader
from extraction.rules.rule_reader import rules_with_tags
from extraction.tagging.local_tagger import load_local_tagger
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from tests.integration.api.test_graphql import Api, api
from tests.support.builders import a_worker

__all__ = ["api"]

CACHE = Path(platformdirs.user_cache_dir("mnemoscene"))
REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"
FACTS = """{ user(userId: "ana") { facts(includeClosed: true) { nodes {
  relation statement validAt invalidAt object { name } evidence { text } } } } }"""
TOLD, MOVED = "Ich wohne seit Mai in Leipzig.", "Ich wohne jetzt in Bremen."
STAY, LEFT = "Diese Woche schlafe ich bei meiner Schwester in Köln.", "Ich arbeite nicht mehr bei Siemens."
NEAR_MISSES = ("Mein Vermieter wohnt in Ulm.", "Wenn ich in Kiel wohnen würde, wäre ich jeden Tag am Meer.")


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def reader() -> AsyncIterator[Reader]:
    """Return the reader that a service without a language model has."""
    tagger = await load_local_tagger(cache_dir=CACHE)
    yield rules_with_tags(tagger)
    tagger.close()


async def facts_after(api: Api, graph: Graph, reader: Reader, *texts: str) -> list[dict[str, Any]]:
    for day, text in enumerate(texts, start=1):
        message = {"role": "USER", "text": text, "time": f"2026-02-{day:02}T12:00:00Z"}
        answer = await api.ask(REMEMBER, i={"userId": "ana", "sessionId": f"s{day}", "messages": [message]})
        assert "errors" not in answer, answer
    await a_worker(graph, readers=Readers(first=reader, fallback=reader)).drain()
    answer = await api.ask(FACTS)
    assert "errors" not in answer, answer
    return list(answer["data"]["user"]["facts"]["nodes"])


async def test_home_is_stored_with_its_message_and_ends_by_the_next_not_by_a_stay(
    api: Api, graph: Graph, reader: Reader
) -> None:
    facts = await facts_after(api, graph, reader, TOLD, STAY, MOVED, LEFT, *NEAR_MISSES)
    homes = sorted((fact for fact in facts if fact["relation"] == "lives in"), key=lambda fact: str(fact["validAt"]))
    assert [(fact["object"]["name"], fact["invalidAt"] is None) for fact in homes] == [
        ("Leipzig", False),
        ("Bremen", True),
    ]
    assert [fact["evidence"][0]["text"] for fact in homes] == [TOLD, MOVED]
    (work,) = [fact for fact in facts if fact["relation"] == "works at"]
    assert (work["object"]["name"], work["invalidAt"] is None) == ("Siemens", False)


async def test_japanese_message_is_stored_with_its_fact(api: Api, graph: Graph, reader: Reader) -> None:
    told = "電話番号は090-1234-5678です。"
    facts = await facts_after(
        api, graph, reader, told, "札幌には住んでいません。", "札幌に住んでいたら毎日スキーに行くのに。"
    )
    assert [(fact["relation"], fact["object"]["name"]) for fact in facts] == [("phone number", "090-1234-5678")]
    assert facts[0]["evidence"][0]["text"] == told
    assert facts[0]["statement"] == "Anaの電話番号は090-1234-5678。"


async def test_home_begins_when_the_message_says(api: Api, graph: Graph, reader: Reader) -> None:
    facts = await facts_after(api, graph, reader, "Vivo en Vigo desde 2019.", "J'habite à Nantes depuis 2023.")
    homes = [(fact["object"]["name"], fact["validAt"][:4], fact["invalidAt"] is None) for fact in facts]
    assert sorted(homes) == [("Nantes", "2023", True), ("Vigo", "2019", False)]
    assert {fact["statement"] for fact in facts} == {"Ana vive en Vigo.", "Ana habite à Nantes."}


async def test_job_in_french_ends_when_the_message_says(api: Api, graph: Graph, reader: Reader) -> None:
    (job,) = await facts_after(api, graph, reader, "J'ai quitté la boulangerie en octobre 2025.")
    assert (job["object"]["name"], job["relation"]) == ("boulangerie", "works at")
    assert job["invalidAt"].startswith("2025-10")


async def test_message_in_two_languages_is_read_in_each(api: Api, graph: Graph, reader: Reader) -> None:
    facts = await facts_after(api, graph, reader, "I live in Berlin. 我对花生过敏，我的猫叫豆豆。")
    told = {fact["statement"] for fact in facts}
    assert {"Ana lives in Berlin.", "Ana对花生过敏。"} <= told
