"""Test over GraphQL that a model writes the layers of sessions with several scenes, and what happens if it fails."""

import json
from pathlib import Path

import pytest

from tests.conftest import Server
from tests.support.fake_openai import Reply
from tests.support.model_service import AnsweringEndpoint, a_reading, model_service, said
from tests.support.slow import slow_but

LAYER = (
    "query ($uri: String!) {"
    " layer(uri: $uri, level: L1) { text generatedBy } session: layer(uri: $uri, level: L0) { text } }"
)
URI = '{ session(userId: "alice", sessionId: "s1") { uri } }'
GENERATE = "mutation { generateLayers { created unchanged failed } }"
USAGE = "{ usage { days { calls } } }"
TALKS = {
    "en": ("I moved to Lisbon in May.", "My sister Ana visits me in June."),
    "zh": ("我五月搬到了里斯本。", "我姐姐安娜六月来看我。"),
}


def two_scenes(language: str) -> list[dict[str, object]]:
    first, second = TALKS[language]
    return [said(first), said(second, "2026-03-06T12:00:00Z")]


@pytest.mark.parametrize("language", slow_but(["en"], ["en", "zh"]))
async def test_a_model_writes_the_layers_of_a_session_from_those_of_its_scenes(
    server: Server, tenant: str, tmp_path: Path, language: str
) -> None:
    asked: list[str] = []

    def answer(prompt: str) -> str:
        if "<scenes>" not in prompt:
            # The prompt of the second scene also tells what was said before.
            return a_reading(summary=f"About: {TALKS[language][1 if TALKS[language][1] in prompt else 0]}")
        asked.append(prompt)
        return json.dumps({"title": "Two talks", "abstract": "A move and a visit.", "overview": "## Summary\nBoth."})

    endpoint = AnsweringEndpoint(answer)
    with endpoint:
        async with model_service(server, tmp_path, tenant, endpoint, MNEMOSCENE_LLM_OVERVIEWS="true") as service:
            await service.remember(*two_scenes(language))
            uri = (await service.ask(URI))["session"]["uri"]
            told = await service.ask(LAYER, uri=uri)
            assert told["layer"] == {"text": "## Summary\nBoth.", "generatedBy": "first"}
            assert told["session"]["text"] == "A move and a visit."
            assert len(asked) == 1
            assert all(f"About: {text}" in asked[0] for text in TALKS[language])
            # Three calls, one for each scene and one for the session, count towards the budget.
            assert [day["calls"] for day in (await service.ask(USAGE))["usage"]["days"]] == [3]
            assert (await service.ask(GENERATE))["generateLayers"] == {"created": 0, "unchanged": 1, "failed": 0}
            assert len(asked) == 1
    assert endpoint.errors == []


async def test_a_session_summary_that_the_model_did_not_write_is_extractive_and_marked(
    server: Server, tenant: str, tmp_path: Path
) -> None:
    works = False

    def answer(prompt: str) -> str | Reply | None:
        if "<scenes>" not in prompt:
            return a_reading()
        return json.dumps({"title": "t", "abstract": "a", "overview": "Later."}) if works else None

    with AnsweringEndpoint(answer) as endpoint:
        async with model_service(server, tmp_path, tenant, endpoint, MNEMOSCENE_LLM_OVERVIEWS="true") as service:
            await service.remember(*two_scenes("en"))
            uri = (await service.ask(URI))["session"]["uri"]
            told = (await service.ask(LAYER, uri=uri))["layer"]
            assert told["generatedBy"] == "extractive"
            assert told["text"].startswith("## Summary")
            works = True
            assert (await service.ask(LAYER, uri=uri))["layer"] == {"text": "Later.", "generatedBy": "first"}
