"""Test the tokenizer of the multilingual model."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.embeddings.local_models import MULTILINGUAL, TOKENIZER
from extraction.embeddings.model_download import fetched_models
from extraction.embeddings.unigram import Unigram, write_unigram
from schema.errors import InstallError
from tests.unit.extraction.embeddings.test_local_embedder import CACHE

# What `tokenizers` 0.23 gives with the same vocabulary and normal forms.
EXPECTED = Path(__file__).with_name("unigram_pieces.json")
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Unigram:
    """Return a tokenizer of a few pieces."""
    file = tmp_path_factory.mktemp("unigram") / TOKENIZER
    scores = {"▁": -3.0, "▁new": -4.0, "new": -5.0, "▁news": -6.5, "s": -2.0, "w": -7.0, "e": -6.5, "n": -6.5}
    characters = {"Ｎ": "n", "\t": " ", "\x01": "", "½": "n w"}
    write_unigram(file, [*SPECIAL, *scores], [0.0] * len(SPECIAL) + [*scores.values()], characters)
    return Unigram(file)


async def test_pieces_of_a_hundred_texts_are_those_of_the_reference() -> None:
    try:
        (folder,) = await fetched_models([MULTILINGUAL], cache_dir=CACHE)
    except InstallError as error:
        pytest.skip(f"the model cannot be fetched here: {error}")
    unigram = Unigram(folder / TOKENIZER)
    expected = json.loads(EXPECTED.read_text("utf-8"))
    assert len(expected) > 100
    assert [[text, unigram.cut(text).ids] for text, _ in expected] == expected


@pytest.mark.parametrize(
    ("text", "ids", "shown"),
    [
        ("news", [6, 9], ["new", "s"]),
        ("  news \t news ", [6, 9, 6, 9], ["new", "s", "new", "s"]),
        ("Ｎews", [6, 9], ["Ｎew", "s"]),
        ("newnew", [6, 7], ["new", "new"]),
        ("n\x01ew", [6], ["n\x01ew"]),
        ("½", [5, 12, 5, 10], ["", "½", "", "½"]),
        ("吉他s", [5, 3, 9], ["", "吉他", "s"]),
        ("", [], []),
        (" \x01", [], []),
    ],
)
def test_most_likely_pieces_have_the_characters_they_stand_for(
    small: Unigram, text: str, ids: list[int], shown: list[str]
) -> None:
    pieces = small.cut(text)
    assert pieces.ids == ids
    assert [text[start:end] for start, end in pieces.spans] == shown


@given(st.text(max_size=60))
def test_spans_of_any_text_are_in_order_and_cover_its_words(small: Unigram, text: str) -> None:
    spans = small.cut(text).spans
    starts = [start for start, _ in spans]
    assert starts == sorted(starts)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    covered = {at for start, end in spans for at in range(start, end)}
    assert {at for at, character in enumerate(text) if character.isalnum()} <= covered
