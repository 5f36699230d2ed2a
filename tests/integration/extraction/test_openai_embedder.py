"""The embedder port against a real HTTP server that answers as endpoints do, well and badly. Requirement C10."""

import pytest

from extraction.embeddings.embedder import check_vectors, unit
from extraction.openai_api.embedder import OpenAIEmbedder, connect_openai_embedder
from graph_service.app.services import _open_embedder, _settle_dimension
from graph_service.config.sections import EmbeddingSettings
from graph_service.config.settings import Settings
from graph_service.graph.schema_setup import StoredEmbedder
from graph_service.memory.jobs.external_services import ExternalService
from schema.errors import InstallError, MisreadError, UnavailableError
from tests.support.fake_openai import FakeOpenAI, Reply, fails, fake_vector


async def embedder_of(fake: FakeOpenAI, dimensions: int | None = None) -> OpenAIEmbedder:
    return await connect_openai_embedder(model="fake", base_url=fake.base_url, api_key="key", dimensions=dimensions)


async def test_many_texts_go_in_batches_and_come_back_in_order_as_unit_vectors() -> None:
    texts = [f"text {index}" for index in range(230)]
    with FakeOpenAI() as fake:
        vectors = await (await embedder_of(fake)).embed(texts)
    check_vectors(vectors, count=230, dim=8)
    assert [unit(fake_vector(text, 8)) for text in texts] == [pytest.approx(vector) for vector in vectors]
    assert sorted(len(request["input"]) for request in fake.requests) == [1, 30, 100, 100]


async def test_no_texts_ask_nothing_of_the_endpoint() -> None:
    with FakeOpenAI() as fake:
        assert await (await embedder_of(fake, dimensions=8)).embed([]) == []
    assert fake.requests == []


async def test_an_empty_text_still_has_a_vector() -> None:
    with FakeOpenAI() as fake:
        check_vectors(await (await embedder_of(fake)).embed(["", "a"]), count=2, dim=8)
    assert fake.requests[-1]["input"] == [" ", "a"]


async def test_the_dimension_is_found_out_by_asking() -> None:
    with FakeOpenAI(dim=12) as fake:
        assert (await embedder_of(fake)).dim == 12


async def test_a_given_dimension_is_asked_of_the_endpoint_and_not_probed() -> None:
    with FakeOpenAI(dim=12) as fake:
        embedder = await embedder_of(fake, dimensions=5)
        assert embedder.dim == 5
        check_vectors(await embedder.embed(["a"]), count=1, dim=5)
    assert [request["dimensions"] for request in fake.requests] == [5]


async def test_the_dimension_is_1536_while_the_endpoint_is_away() -> None:
    with FakeOpenAI(fails(503)) as fake:
        assert (await embedder_of(fake)).dim == 1536


async def test_vectors_of_another_size_are_refused_with_what_to_do() -> None:
    with FakeOpenAI() as fake:
        embedder = await embedder_of(fake)
        fake.dim = 9
        with pytest.raises(MisreadError, match="9 numbers, expected 8"):
            await embedder.embed(["a"])


@pytest.mark.parametrize("body", [{}, {"data": []}, {"object": "list", "data": [{"index": 0, "embedding": [0.0] * 8}]}])
async def test_an_answer_that_is_no_vector_is_a_misread(body: dict[str, object]) -> None:
    with FakeOpenAI() as fake:
        embedder = await embedder_of(fake)
        fake.script.append(Reply(body=body))
        with pytest.raises(MisreadError):
            await embedder.embed(["a"])


@pytest.mark.parametrize("status", [401, 404])
async def test_a_wrong_key_or_model_is_told_at_the_start(status: int) -> None:
    with FakeOpenAI(fails(status)) as fake, pytest.raises(InstallError):
        await embedder_of(fake)


async def test_a_busy_endpoint_says_when_to_come_back() -> None:
    with FakeOpenAI() as fake:
        embedder = await embedder_of(fake)
        fake.script.append(fails(429, Retry_After="1.5"))
        with pytest.raises(UnavailableError) as caught:
            await embedder.embed(["a"])
    assert caught.value.retry_after_s == 1.5


def _stored(model: str | None) -> StoredEmbedder | None:
    return None if model is None else StoredEmbedder(model, 12, None)


@pytest.mark.parametrize(
    ("model", "dim"), [("fake", 12), ("another", 1536), (None, 1536)], ids=["same", "another", "none"]
)
async def test_an_endpoint_that_is_away_at_start_keeps_the_vectors_of_its_model(model: str | None, dim: int) -> None:
    """Requirement C10: a guess of 1536 would throw away every vector that the same model made."""
    with FakeOpenAI(fails(503)) as fake:
        settings = Settings(embedding=EmbeddingSettings(kind="openai", model="fake", base_url=fake.base_url))
        opened = await _open_embedder(settings, ExternalService("embedder"), lambda _step: None)
    assert opened.embedder is not None
    assert opened.endpoint is not None
    _settle_dimension(opened.endpoint, _stored(model))
    assert (opened.embedder.dim, opened.problem) == (dim, None)


async def test_an_endpoint_that_answers_is_believed_before_what_is_stored() -> None:
    with FakeOpenAI(dim=9) as fake:
        settings = Settings(embedding=EmbeddingSettings(kind="openai", model="fake", base_url=fake.base_url))
        opened = await _open_embedder(settings, ExternalService("embedder"), lambda _step: None)
    assert opened.embedder is not None
    assert opened.endpoint is not None
    _settle_dimension(opened.endpoint, _stored("fake"))
    assert opened.embedder.dim == 9
