"""Test languages other than English and Chinese end to end: all by a model, and recall by words without one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from graph_service.graph.store import Graph
from tests.conftest import Server
from tests.support.builders import delete_open_jobs
from tests.support.model_service import AnsweringEndpoint, ModelService, a_reading, model_service, said
from tests.support.slow import slow_but

RECALL = """query ($q: String!, $k: [HitKind!]!, $n: Int!) { recall(userId: "alice", query: $q, kinds: $k, limit: $n) {
  hits { text subject predicate relation object saidAt } } }"""
CONTEXT = 'query ($q: String!) { context(userId: "alice", query: $q) { text } }'
ENTITIES = '{ entities(userId: "alice") { nodes { name } } }'


@dataclass(frozen=True, kw_only=True)
class Story:
    """Three things said in one language, and what a model reads in the first and the last.

    Attributes:
        facts: of the first and the last message; both name one thing, in different spellings.
        noise: statements of other facts.
        question: asks for the first message in other words; `by_words` with what may be typed without accents.
    """

    messages: tuple[str, str, str]
    facts: tuple[dict[str, Any], dict[str, Any]]
    noise: tuple[str, ...]
    question: str
    by_words: str
    since: str


STORIES = {
    "es": Story(
        messages=(
            "Vivo en Málaga desde mayo de 2024.",
            "Ayer compré pan y naranjas en el mercado.",
            "La catedral de Malaga me encanta.",
        ),
        facts=(
            {"relation": "vive en", "object": "Málaga", "statement": "Lucía vive en Málaga.", "since": "2024-05"},
            {"relation": "le encanta", "object": "Malaga", "statement": "A Lucía le encanta la catedral de Malaga."},
        ),
        noise=(
            "Lucía compra naranjas.",
            "Lucía tiene dos gatos.",
            "Lucía odia el café.",
            "Lucía toca la guitarra.",
            "Lucía estudia derecho.",
        ),
        question="¿En qué ciudad vive Lucía?",
        by_words="malaga desde",
        since="2024-05-01",
    ),
    "de": Story(
        messages=(
            "Seit September 2023 wohne ich in der Königstraße.",
            "Gestern habe ich Brot und Äpfel gekauft.",
            "Die Koenigstraße ist abends sehr laut.",
        ),
        facts=(
            {
                "relation": "wohnt in",
                "object": "Königstraße",
                "statement": "Käthe wohnt in der Königstraße.",
                "since": "2023-09",
            },
            {"relation": "findet laut", "object": "Koenigstraße", "statement": "Käthe findet die Koenigstraße laut."},
        ),
        noise=(
            "Käthe kauft Äpfel.",
            "Käthe hat zwei Katzen.",
            "Käthe hasst Kaffee.",
            "Käthe spielt Geige.",
            "Käthe lernt Polnisch.",
        ),
        question="Wo wohnt Käthe?",
        by_words="wohne in der KÖNIGSTRASSE",
        since="2023-09-01",
    ),
    "fr": Story(
        messages=(
            "Je travaille à l'hôpital de Nîmes depuis mars 2025.",
            "Hier j'ai acheté du pain et des pommes.",
            "Nimes est une belle ville, je trouve.",
        ),
        facts=(
            {
                "relation": "travaille à",
                "object": "Nîmes",
                "statement": "Zoé travaille à l’hôpital de Nîmes.",
                "since": "2025-03",
            },
            {"relation": "aime", "object": "Nimes", "statement": "Zoé trouve que Nimes est une belle ville."},
        ),
        noise=(
            "Zoé achète des pommes.",
            "Zoé a deux chats.",
            "Zoé déteste le café.",
            "Zoé joue du piano.",
            "Zoé étudie le droit.",
        ),
        question="Où travaille Zoé, à quel hôpital ?",
        by_words="nimes hopital",
        since="2025-03-01",
    ),
    "ja": Story(
        messages=(
            "娘は2025年4月からピアノを習っています。",
            "きのうパンとりんごを買いました。",
            "ﾋﾟｱﾉの先生はとてもやさしいです。",
        ),
        facts=(
            {
                "relation": "習っている",
                "object": "ピアノ",
                "statement": "アリスの娘はピアノを習っている。",
                "since": "2025-04",
            },
            {"relation": "先生がいる", "object": "ﾋﾟｱﾉ", "statement": "ﾋﾟｱﾉの先生はやさしい。"},
        ),
        noise=(
            "アリスはりんごを買った。",
            "アリスは猫を飼っている。",
            "アリスはコーヒーが嫌いだ。",
            "アリスは泳ぐのが好きだ。",
            "アリスは京都に行きたい。",
        ),
        question="娘は何を習っていますか？",
        by_words="習っています",
        since="2025-04-01",
    ),
}


@pytest_asyncio.fixture(autouse=True)
async def no_jobs_of_others(graph: Graph) -> None:
    await delete_open_jobs(graph)


async def hits(api: ModelService, question: str, kind: str, *, limit: int = 3) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api.ask(RECALL, q=question, k=[kind], n=limit))["recall"]["hits"]
    return found


@pytest.mark.parametrize("language", slow_but(["ja"], STORIES))
async def test_model_makes_facts_of_any_language(server: Server, tmp_path: Path, tenant: str, language: str) -> None:
    """Facts, times by ISO dates, entities with and without accents, recall by words of that language, and context."""
    story = STORIES[language]
    first, last = ({"predicate": "RELATES_TO", **fact} for fact in story.facts)

    def answer(prompt: str) -> str:
        if "compare new facts" in prompt:
            return '{"verdicts": []}'
        if story.messages[0] in prompt:
            return a_reading(first)
        others = [
            {"predicate": "CARES_ABOUT", "object": f"{number} {text[:8]}", "statement": text}
            for number, text in enumerate(story.noise)
        ]
        return a_reading(last) if story.messages[2] in prompt else a_reading(*others)

    with AnsweringEndpoint(answer) as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            for number, message in enumerate(story.messages):
                await api.remember(said(message, f"2026-03-0{number + 1}T12:00:00Z"), session=f"s{number}")
            asked = [one for one in model.requests if "one scene of a conversation" in str(one)]
            assert len(asked) == 3, "each message is worth reading"
            # Facts are ranked by vectors, which this service does not have; messages by words.
            found = {hit["text"]: hit for hit in await hits(api, story.question, "FACT", limit=10)}
            assert first["statement"] in found
            hit = found[first["statement"]]
            assert (hit["relation"], hit["object"]) == (first["relation"], first["object"])
            assert hit["saidAt"].startswith(story.since)
            context = (await api.ask(CONTEXT, q=story.question))["context"]["text"]
            assert first["statement"] in context, "it is part of the profile, and answers the question"
            assert story.since[:4] in context
            typed = await hits(api, story.by_words, "MESSAGE", limit=2)
            assert story.messages[0] in {one["text"] for one in typed}
            names = [node["name"] for node in (await api.ask(ENTITIES))["entities"]["nodes"]]
            assert [name for name in names if name in (first["object"], last["object"])] == [first["object"]]
            assert await hits(ModelService(api.service, f"{tenant}-2"), story.question, "FACT") == []


async def test_recall_by_words_finds_any_language_without_a_model(server: Server, tmp_path: Path, tenant: str) -> None:
    """Accents and elided articles need not be typed."""
    with AnsweringEndpoint(lambda _prompt: None) as model:
        async with model_service(server, tmp_path, tenant, model, LLM_MODEL="") as api:
            for language, story in STORIES.items():
                for number, message in enumerate(story.messages):
                    time = f"2026-03-0{number + 1}T12:00:00Z"
                    await api.remember(said(message, time), session=f"{language}-{number}")
            for language, story in STORIES.items():
                exact = await hits(api, story.messages[0], "MESSAGE")
                assert exact[0]["text"] == story.messages[0], language
                # Three of twelve messages.
                typed = await hits(api, story.by_words, "MESSAGE")
                assert story.messages[0] in {hit["text"] for hit in typed}, language
    assert model.requests == []
