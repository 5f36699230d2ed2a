"""Test the BM25 and dense baselines, in English and Chinese."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.text.stems import stem
from graph_service.evaluation.baselines import best_first, bm25_scores, by_vectors, by_words, terms
from graph_service.evaluation.dataset import read_all
from graph_service.evaluation.report import ranking_measures
from tests.support.embedders import HashedWords
from tests.unit.evaluation.test_dataset import OWN

# From the vocabulary that Porter published with his rules.
STEMS = {
    "caresses": "caress", "ponies": "poni", "cats": "cat", "feed": "feed", "agreed": "agre", "plastered": "plaster",
    "motoring": "motor", "sing": "sing", "conflated": "conflat", "troubled": "troubl", "hopping": "hop",
    "falling": "fall", "filing": "file", "happy": "happi", "sky": "sky", "relational": "relat", "rational": "ration",
    "digitizer": "digit", "operator": "oper", "hopefulness": "hope", "electriciti": "electr", "goodness": "good",
    "revival": "reviv", "adjustment": "adjust", "adoption": "adopt", "probate": "probat", "controll": "control",
    "cease": "ceas", "rate": "rate", "roll": "roll", "is": "is", "猫": "猫",
}  # fmt: skip


def test_stems_match_the_published_ones() -> None:
    assert {word: stem(word) for word in STEMS} == STEMS


@settings(deadline=None)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_stem_starts_as_its_word_and_is_not_longer(word: str) -> None:
    found = stem(word)
    assert len(found) <= len(word)
    assert found[:1] == word[:1]


def test_terms_are_stems_in_english_and_words_with_bigrams_in_chinese() -> None:
    assert terms("What did Ana's dogs eat?", "en") == ["ana", "dog", "eat"]
    found = terms("我住在北京。", "zh")
    assert "北京" in found
    assert "住在" in found
    assert "我" not in found


def test_bm25_matches_its_formula() -> None:
    texts = [["a", "b"], ["a", "a", "c", "d"], ["c"]]
    rarity = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    mean = 7 / 3
    expected = [
        rarity * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / mean)),
        rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / mean)),
        0.0,
    ]
    assert bm25_scores(texts, ["a", "unknown"]).tolist() == pytest.approx(expected)
    assert bm25_scores([], ["a"]).tolist() == []


def test_bm25_finds_half_of_the_gold_of_the_bundled_sets() -> None:
    for conversation in read_all([OWN]).conversations:
        questions = conversation.answerable
        orders = by_words(conversation.messages, [one.question for one in questions], conversation.lang, limit=5)
        figures = [ranking_measures(order, one.gold)["hit@10"] for order, one in zip(orders, questions, strict=True)]
        assert sum(figures) / len(figures) >= 0.5, conversation.id


async def test_dense_search_ranks_the_paraphrase_first() -> None:
    conversation = read_all([OWN / "nora-and-ben.json"]).conversations[0]
    said = [f"{turn.speaker}: {turn.text}" for turn in conversation.messages]
    orders = await by_vectors(HashedWords(), conversation.messages, said, limit=3)
    assert [order[0] for order in orders] == [turn.id for turn in conversation.messages]
    assert {len(order) for order in orders} == {3}


def test_equal_scores_keep_the_order_of_turns() -> None:
    turns = read_all([OWN / "wulei.json"]).conversations[0].messages
    nothing = bm25_scores([terms(turn.text, "zh") for turn in turns], [])
    assert best_first(turns, nothing, limit=100) == [turn.id for turn in turns]
