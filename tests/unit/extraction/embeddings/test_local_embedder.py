"""Test the local embedder with its real models, which are downloaded once into the user's cache."""

import asyncio
import hashlib
import http.server
import json
import math
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from extraction.embeddings.bert import Precision
from extraction.embeddings.embedder import check_vectors, embed_question, embed_with_tokens
from extraction.embeddings.local_embedder import (
    TOKEN_DIM,
    VECTOR_DIM,
    LocalEmbedder,
    load_local_embedder,
    space_file,
)
from extraction.embeddings.local_models import ALL_MODELS, CHINESE, ENGLISH, MODELS, converted_sha256, published
from extraction.embeddings.model_conversion import read_onnx
from extraction.embeddings.model_download import fetched_models, is_verified, model_folder
from extraction.embeddings.token_vectors import HEAD_BYTES, unpack
from extraction.embeddings.wheel import Wheel
from extraction.verified_files import hashed, write_record
from schema.errors import InstallError
from tests.support.token_similarity import max_sims

CACHE = Path(platformdirs.user_cache_dir("mnemoscene"))
SPACES = {
    "e5-small-v2.c.npz": "2f438620e19d0ff9eb09cb5c038ad809b51a5484e4da1551588ced5bdf5e0873",
    "multilingual-e5-small.c.npz": "b3689ebaf2187c4cc2acc3dcc90113492109c0121279f7127b350c7b8d0a744a",
}


def cosine(a: list[float], b: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(
    ("one", "like", "other"),
    [
        (
            "My cat sleeps on the sofa.",
            "A kitten is napping on the couch.",
            "The bank raised its interest rates.",
        ),
        ("我的猫在沙发上睡觉。", "小猫咪正躺在长沙发上打盹。", "银行又提高了利率。"),
    ],
)
async def test_similar_sentences_are_closer_than_unrelated_ones(
    embedder: LocalEmbedder, one: str, like: str, other: str
) -> None:
    first, alike, unrelated = await embedder.embed([one, like, other])
    assert cosine(first, alike) > 0.5 > 0.25 > cosine(first, unrelated)


async def test_question_is_nearest_to_its_answer_in_its_own_language(embedder: LocalEmbedder) -> None:
    said = ["Our cat naps on the couch.", "The bank raised its rates.", "我家猫在沙发上打盹。", "银行提高了利率。"]
    stored = await embedder.embed(said)
    for question, answer in (("Where does the cat sleep?", 0), ("猫在哪里睡觉？", 2)):
        asked = (await embed_question(embedder, question)).vector
        cosines = [cosine(asked, vector) for vector in stored]
        assert cosines.index(max(cosines)) == answer


async def test_question_and_message_of_the_same_words_have_different_vectors(embedder: LocalEmbedder) -> None:
    """The English model was trained with different prefixes."""
    text = "where the cat sleeps"
    assert (await embed_question(embedder, text)).vector != (await embedder.embed([text]))[0]


async def test_batch_gives_the_vectors_of_single_texts_in_order(embedder: LocalEmbedder) -> None:
    texts = [f"{('word ', '词语')[index % 2] * (index * 7 % 50)}number {index}" for index in range(70)]
    together = await embedder.embed(texts)
    for text, vector in zip(texts[::9], together[::9], strict=True):
        (alone,) = await embedder.embed([text])
        assert cosine(alone, vector) > 0.999


# Ordinary messages and texts of one repeated word, which differ most.
_SAID = (
    "My cat sleeps on the sofa.",
    "I take levothyroxine 75 now, not 50.",
    "word word word word number 7",
    "我最近在学吉他。",
    "昨天去了北京，吃了烤鸭。",
    "词语词语词语词语number 8",
)
_EMBED = """
import asyncio, json, sys
from pathlib import Path
from extraction.embeddings.local_embedder import load_local_embedder

async def main(cache, precision, texts):
    embedder = await load_local_embedder(cache_dir=Path(cache), precision=precision)
    print(json.dumps(await embedder.embed(json.loads(texts))))
    embedder.close()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize(("precision", "least"), [("int8", 0.98), ("float32", 0.999)])
async def test_processor_with_fewer_instructions_computes_the_same_vectors(
    embedder: LocalEmbedder, precision: Precision, least: float
) -> None:
    def embed_with(instructions: dict[str, str]) -> list[list[float]]:
        command = [sys.executable, "-c", _EMBED, str(CACHE), precision, json.dumps(_SAID)]
        found = subprocess.run(command, env={**os.environ, **instructions}, capture_output=True, check=True, text=True)
        vectors: list[list[float]] = json.loads(found.stdout)
        return vectors

    of_this = await asyncio.to_thread(embed_with, {})
    of_any = await asyncio.to_thread(embed_with, {"CT2_FORCE_CPU_ISA": "GENERIC"})
    assert min(map(cosine, of_this, of_any)) > least
    loaded = await load_local_embedder(cache_dir=CACHE, precision=precision)
    try:
        assert (loaded.name == embedder.name) == (precision == "int8"), "vectors of both would be compared"
        assert min(map(cosine, of_this, await loaded.embed(list(_SAID)))) > 0.999
    finally:
        loaded.close()


@pytest.mark.parametrize("text", ["", " ", "🙂🙃🎉", "你好，世界", "long " * 20_000, "长" * 20_000, "x" * 5_000])
async def test_every_text_including_an_empty_one_has_a_unit_vector(embedder: LocalEmbedder, text: str) -> None:
    check_vectors(await embedder.embed([text]), count=1, dim=embedder.dim)
    check_vectors(await embedder.embed([text, "and", text]), count=3, dim=embedder.dim)


async def test_no_texts_give_no_vectors(embedder: LocalEmbedder) -> None:
    assert await embedder.embed([]) == []


async def test_question_during_a_long_batch_is_answered_first(embedder: LocalEmbedder) -> None:
    batch = asyncio.create_task(embedder.embed([f"message {index} about this and that" * 5 for index in range(300)]))
    await asyncio.sleep(0)
    await embedder.embed(["Where does Anna live?"])
    assert not batch.done()
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    assert len(await embedder.embed(["the embedder still answers", "after a cancelled batch"])) == 2


async def test_one_run_gives_the_vector_and_one_row_per_significant_piece(embedder: LocalEmbedder) -> None:
    text = "Anna: Did I tell you? Caroline's tokenization is 3.5 km!"
    (both,) = await embed_with_tokens(embedder, [text])
    pieces = embedder.pieces(text)
    words = ["anna", "did", "i", "tell", "you", "caroline", "s", "tokenization", "tokenization", "is", "3", "5", "km"]
    assert [piece.word for piece in pieces] == words
    assert both.tokens is not None
    assert len(both.tokens) == HEAD_BYTES + VECTOR_DIM + len(words) * TOKEN_DIM
    assert both.vector == (await embedder.embed([text]))[0]
    rarest = max(pieces, key=lambda piece: piece.weight)
    assert rarest.word in {"caroline", "tokenization"}
    assert all(piece.weight > 0 for piece in pieces)


async def test_each_chinese_word_has_a_vector(embedder: LocalEmbedder) -> None:
    text = "我住在北京，你呢？"
    (both,) = await embed_with_tokens(embedder, [text])
    pieces = embedder.pieces(text)
    assert "".join(piece.word for piece in pieces) == "我住在北京你呢"
    assert len(pieces) >= 4
    assert both.tokens is not None
    assert len(both.tokens) == HEAD_BYTES + VECTOR_DIM + len(pieces) * TOKEN_DIM


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (
            [
                "Bob: The bank raised its interest rates again.",
                "Anna: A kitten has been napping on our couch all day.",
                "Anna: We should book the flight to Oslo.",
            ],
            "Where did the cat sleep?",
        ),
        (
            ["小李：银行又提高了利率。", "小红：小猫一整天都在我家沙发上打盹。", "小红：我们该订机票了。"],
            "猫在哪里睡觉？",
        ),
    ],
)
async def test_answering_message_has_the_highest_score(embedder: LocalEmbedder, said: list[str], question: str) -> None:
    stored = [one.tokens for one in await embed_with_tokens(embedder, said)]
    asked = (await embed_question(embedder, question)).tokens
    assert asked is not None
    scores = max_sims(asked, stored)
    assert scores.index(max(score for score in scores if score is not None)) == 1


@pytest.mark.parametrize("text", ["What hobbies did Ana take up?", "安娜喜欢什么运动？"])
async def test_piece_weights_are_given_for_questions_only(embedder: LocalEmbedder, text: str) -> None:
    (said,) = await embed_with_tokens(embedder, [text])
    (asked,) = await embed_with_tokens(embedder, [text], asked=True)
    assert said.weight_factors is None
    assert asked.weight_factors is not None
    assert len({round(times, 4) for times in asked.weight_factors}) > 1
    tokens, pieces = (await embed_question(embedder, text)).tokens, embedder.pieces(text)
    assert tokens is not None
    assert tokens.weights.tolist() == pytest.approx(
        [piece.weight * times for piece, times in zip(pieces, asked.weight_factors, strict=True)], rel=1e-5
    )


async def test_questions_in_a_batch_are_weighted_as_each_alone(embedder: LocalEmbedder) -> None:
    texts = ["Where did the cat sleep?", "Which books has Bo read since he moved?", "猫在哪里睡觉？"]
    for text, one in zip(texts, await embed_with_tokens(embedder, texts, asked=True), strict=True):
        (alone,) = await embed_with_tokens(embedder, [text], asked=True)
        assert one.weight_factors == pytest.approx(alone.weight_factors, rel=0.1)


async def test_pieces_of_another_language_are_not_compared(embedder: LocalEmbedder) -> None:
    stored = [one.tokens for one in await embed_with_tokens(embedder, ["A kitten naps.", "小猫在打盹。"])]
    for question, known in (("Where is the cat?", 0), ("猫在哪里？", 1)):
        asked = (await embed_question(embedder, question)).tokens
        assert asked is not None
        assert [score is not None for score in max_sims(asked, stored)] == [known == 0, known == 1]


async def test_token_vectors_of_a_batch_equal_those_of_single_texts(embedder: LocalEmbedder) -> None:
    texts = [f"{'word ' * (index * 7 % 50)}number {index}" for index in range(40)]
    together = await embed_with_tokens(embedder, texts)
    for text, one in list(zip(texts, together, strict=True))[::9]:
        (alone,) = await embed_with_tokens(embedder, [text])
        assert one.tokens is not None
        assert alone.tokens is not None
        assert one.token_model is not None
        there, here = unpack(one.tokens, model=one.token_model), unpack(alone.tokens, model=one.token_model)
        assert there is not None
        assert here is not None
        assert (there * here).sum(axis=1).min() > 0.97


def test_each_model_is_in_the_lock() -> None:
    for model in ALL_MODELS:
        file = published(model)
        name = file.requirement.partition("==")[0] if isinstance(file, Wheel) else file.coordinate.split(":")[1]
        assert name == model.artifact


def test_vector_space_files_have_the_hash_of_their_name() -> None:
    """Another file under the same name would be compared with stored vectors."""
    found = {space_file(model).name: hashlib.sha256(space_file(model).read_bytes()).hexdigest() for model in MODELS}
    assert found == SPACES


async def test_damaged_weights_file_is_an_install_error_that_names_it(tmp_path: Path) -> None:
    for broken in (b"", b"\x3a\x7fcut short", b"{not a model at all"):
        file = tmp_path / "model.onnx"
        file.write_bytes(broken)
        with pytest.raises(InstallError, match=r"model\.onnx cannot be read.*fetched again"):
            read_onnx(file)


async def test_progress_is_shown_only_during_a_download(embedder: LocalEmbedder) -> None:
    told: list[str] = []
    await fetched_models(MODELS, cache_dir=CACHE, on_progress=lambda what, _share: told.append(what))
    assert told == []


class Answers(http.server.BaseHTTPRequestHandler):
    """An HTTP server with one answer for every request."""

    status, body = 404, b""
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def repository() -> Iterator[tuple[str, type[Answers]]]:
    answers = type("Own", (Answers,), {})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/maven/", answers
    server.shutdown()
    server.server_close()


async def test_refusing_repository_is_an_install_error_with_a_remedy(
    tmp_path: Path, repository: tuple[str, type[Answers]]
) -> None:
    address, answers = repository
    with pytest.raises(InstallError, match=r"e5-small.*answered 404.*HTTPS_PROXY.*set no embedder"):
        await fetched_models([ENGLISH], cache_dir=tmp_path / "cache", repository_url=address)
    assert list((tmp_path / "cache").iterdir()) == []
    assert answers.asked == 1


async def test_file_with_a_wrong_hash_is_refused_and_deleted(
    tmp_path: Path, repository: tuple[str, type[Answers]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, answers = repository
    answers.status, answers.body = 200, b"PK, but no model"
    monkeypatch.setattr("extraction.embeddings.maven_artifact.RETRY_PAUSES_S", (0.0, 0.0, 0.0))
    with pytest.raises(InstallError, match=r"bge-small-zh.*16 bytes are not the \d+ that the lock names"):
        await fetched_models([CHINESE], cache_dir=tmp_path / "cache", repository_url=address)
    assert list((tmp_path / "cache").iterdir()) == []
    assert answers.asked == 4


async def test_damaged_model_is_an_install_error_that_names_its_folder(tmp_path: Path) -> None:
    for model in ALL_MODELS:
        folder = model_folder(model, tmp_path)
        folder.mkdir()
        (folder / "tokenizer.json").write_text("{not json at all")
        # As if our own conversion had written it.
        write_record(folder, {"tokenizer.json": f"{hashed(folder / 'tokenizer.json')[0]}|"})
    with pytest.raises(InstallError, match=r"e5-small-v2.*delete that folder"):
        await load_local_embedder(cache_dir=tmp_path)


def test_model_planted_in_the_cache_is_not_loaded(tmp_path: Path) -> None:
    """A C++ library parses it, so only files that our conversion wrote, or that the lock names, are loaded."""
    theirs = tmp_path / "cache" / "e5-small-v2"
    theirs.mkdir(parents=True)
    (theirs / "model.bin").write_bytes(b"crafted")
    assert not is_verified(theirs)
    write_record(theirs, {"model.bin": f"{hashed(theirs / 'model.bin')[0]}|"})
    assert is_verified(theirs), "as our own conversion leaves it"
    assert is_verified(theirs), "and by how it looks from then on"
    state = (theirs / "model.bin").stat()
    (theirs / "model.bin").write_bytes(b"CRAFTED")
    os.utime(theirs / "model.bin", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert not is_verified(theirs)
    (theirs / "model.bin").write_bytes(b"crafted")
    assert is_verified(theirs)
    (theirs / "vocabulary.txt").write_text("added")
    assert not is_verified(theirs)


async def test_models_in_the_cache_match_the_lock(tmp_path: Path) -> None:
    """Converted elsewhere and copied, without a local record: verified by the lock's hash."""
    await fetched_models(ALL_MODELS, cache_dir=CACHE)
    for model in ALL_MODELS:
        found = model_folder(model, CACHE)
        assert converted_sha256(found.name) is not None, "another ctranslate2: write the hash of what it converts"
        copied = shutil.copytree(found, tmp_path / found.name)
        assert is_verified(copied), found.name
