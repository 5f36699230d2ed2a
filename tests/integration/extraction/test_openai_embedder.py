"""Test the OpenAI embedder against an HTTP server with good and bad answers."""

import pytest

from extraction.embeddings.embedder import check_vectors, unit
from extraction.openai_api.embedder import OpenAIEmbedder
from extraction.openai_api.endpoint import Endpoint
from graph_service.app.services import _identity, _open_embedder
from graph_service.config.sections import EmbeddingSettings
from graph_service.config.settings import Settings
from graph_service.graph.schema_setup import StoredEmbedder
from graph_service.memory.jobs.external_services import ExternalService
from schema.errors import InstallError, MisreadError, UnavailableError
from tests.support.fake_openai import FakeOpenAI, Reply, fails, fake_vector


async def embedder_of(fake: FakeOpenAI, dimensions: int | None = None) -> OpenAIEmbedder:
    embedder = OpenAIEmbedder(Endpoint(model="fake", base_url=fake.base_url, api_key="key"), dimensions=dimensions)
    await embedder.learn_dim()
    return embedder


async def test_texts_are_batched_and_unit_vectors_returned_in_order() -> None:
    texts = [f"text {index}" for index in range(230)]
    with FakeOpenAI() as fake:
        vectors = await (await embedder_of(fake)).embed(texts)
    check_vectors(vectors, count=230, dim=8)
    assert [unit(fake_vector(text, 8)) for text in texts] == [pytest.approx(vector) for vector in vectors]
    assert sorted(len(request["input"]) for request in fake.requests) == [1, 30, 100, 100]


async def test_no_texts_send_no_request() -> None:
    with FakeOpenAI() as fake:
        assert await (await embedder_of(fake, dimensions=8)).embed([]) == []
    assert fake.requests == []


async def test_empty_text_has_a_vector() -> None:
    with FakeOpenAI() as fake:
        check_vectors(await (await embedder_of(fake)).embed(["", "a"]), count=2, dim=8)
    assert fake.requests[-1]["input"] == [" ", "a"]


async def test_dimension_is_found_by_a_probe() -> None:
    with FakeOpenAI(dim=12) as fake:
        assert (await embedder_of(fake)).dim == 12


async def test_configured_dimension_is_requested_without_a_probe() -> None:
    with FakeOpenAI(dim=12) as fake:
        embedder = await embedder_of(fake, dimensions=5)
        assert embedder.dim == 5
        check_vectors(await embedder.embed(["a"]), count=1, dim=5)
    assert [request["dimensions"] for request in fake.requests] == [5]


async def test_dimension_is_1536_while_the_endpoint_is_unavailable() -> None:
    with FakeOpenAI(fails(503)) as fake:
        assert (await embedder_of(fake)).dim == 1536


async def test_vectors_of_another_size_are_refused_with_a_remedy() -> None:
    with FakeOpenAI() as fake:
        embedder = await embedder_of(fake)
        fake.dim = 9
        with pytest.raises(MisreadError, match="9 numbers, expected 8"):
            await embedder.embed(["a"])


@pytest.mark.parametrize("body", [{}, {"data": []}, {"object": "list", "data": [{"index": 0, "embedding": [0.0] * 8}]}])
async def test_response_without_a_valid_vector_is_a_misread(body: dict[str, object]) -> None:
    with FakeOpenAI() as fake:
        embedder = await embedder_of(fake)
        fake.script.append(Reply(body=body))
        with pytest.raises(MisreadError):
            await embedder.embed(["a"])


@pytest.mark.parametrize("status", [401, 404])
async def test_wrong_key_or_model_is_reported_at_startup(status: int) -> None:
    with FakeOpenAI(fails(status)) as fake, pytest.raises(InstallError):
        await embedder_of(fake)


async def test_busy_endpoint_error_has_its_retry_time() -> None:
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
async def test_unavailable_endpoint_at_startup_keeps_the_vectors_of_its_model(model: str | None, dim: int) -> None:
    """With a guessed dimension of 1536 all vectors of the same model would be deleted."""
    with FakeOpenAI(fails(503)) as fake:
        settings = Settings(embedding=EmbeddingSettings(kind="openai", model="fake", base_url=fake.base_url))
        opened = await _open_embedder(settings, ExternalService("embedder"), lambda _step: None)
    assert opened.embedder is not None
    assert opened.endpoint is not None
    _identity(opened, _stored(model))
    assert (opened.embedder.dim, opened.problem) == (dim, None)


async def test_answer_of_the_endpoint_has_priority_over_the_stored_dimension() -> None:
    with FakeOpenAI(dim=9) as fake:
        settings = Settings(embedding=EmbeddingSettings(kind="openai", model="fake", base_url=fake.base_url))
        opened = await _open_embedder(settings, ExternalService("embedder"), lambda _step: None)
    assert opened.embedder is not None
    assert opened.endpoint is not None
    _identity(opened, _stored("fake"))
    assert opened.embedder.dim == 9
