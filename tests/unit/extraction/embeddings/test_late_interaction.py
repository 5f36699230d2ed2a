"""Test properties of MaxSim over packed token vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.embeddings.late_interaction import QuestionTokens, piece_matches, weighted
from extraction.embeddings.token_vectors import HEAD_BYTES, Floats, gather, pack, unpack, whole_cosines
from tests.support.token_similarity import max_sim, max_sims

MODEL, DIM = "test-model/16", 16
# Half a quantisation step in each of 16 numbers of both vectors.
ROUNDING = 0.03


def unit_rows(seed: int, count: int) -> Floats:
    rows = np.random.default_rng(seed).normal(size=(count, DIM)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def a_question(vectors: Floats, weights: list[float] | None = None) -> QuestionTokens:
    count = len(vectors)
    return QuestionTokens(
        model=MODEL,
        vectors=vectors,
        weights=np.array(weights or [1.0] * count, np.float32),
        words=tuple(f"w{place}" for place in range(count)),
    )


def packed(vectors: Floats) -> bytes:
    return pack(vectors, model=MODEL)


SLOW_MACHINE = settings(deadline=None, max_examples=50)
SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.integers(1, 12)


@SLOW_MACHINE
@given(SEEDS, st.integers(0, 40))
def test_unpacked_vectors_differ_by_at_most_half_a_step(seed: int, count: int) -> None:
    vectors = unit_rows(seed, count)
    stored = packed(vectors)
    back = unpack(stored, model=MODEL)
    assert back is not None
    assert (len(stored), back.shape) == (HEAD_BYTES + count * DIM, vectors.shape)
    assert np.allclose(back, vectors, atol=0.5 / 127 + 1e-6)
    assert stored == packed(vectors)


@SLOW_MACHINE
@given(SEEDS, COUNTS, st.integers(0, 200))
def test_truncated_bytes_or_those_of_another_model_are_not_compared(seed: int, count: int, kept: int) -> None:
    stored = packed(unit_rows(seed, count))
    question = a_question(unit_rows(seed + 1, 2))
    cut = stored[: min(kept, len(stored) - 1)]
    newer = bytes([stored[0] + 1]) + stored[1:]
    for broken in (cut, newer, pack(unit_rows(seed, count), model="other"), b"", None):
        assert max_sim(question, broken) is None
        assert broken is None or unpack(broken, model=MODEL) is None
    assert gather([cut, None], model=MODEL) is None


@SLOW_MACHINE
@given(SEEDS, st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_whole_text_vectors_are_compared_whatever_made_the_pieces(seed: int, counts: list[int]) -> None:
    asked, wholes = unit_rows(seed, 1)[0], unit_rows(seed + 1, len(counts))
    stored = [
        pack(unit_rows(seed + place, count), model=f"of language {place % 2}", whole=whole)
        for place, (count, whole) in enumerate(zip(counts, wholes, strict=True))
    ]
    assert whole_cosines(stored, asked.tolist()).tolist() == pytest.approx((wholes @ asked).tolist(), abs=ROUNDING)
    assert [unpack(one, model="of language 0") is None for one in stored] == [
        place % 2 == 1 for place in range(len(stored))
    ]


@SLOW_MACHINE
@given(SEEDS, COUNTS, st.integers(0, 200))
def test_missing_whole_text_vector_or_one_of_another_size_has_no_cosine(seed: int, count: int, kept: int) -> None:
    rows, asked = unit_rows(seed, count), unit_rows(seed + 1, 1)[0].tolist()
    held = pack(rows, model=MODEL, whole=rows[0])
    broken = [None, b"", held[: min(kept, len(held) - 1)], packed(rows), pack(rows, model=MODEL, whole=rows[0][:4])]
    assert np.isnan(whole_cosines(broken, asked)).all()
    assert np.isnan(whole_cosines([*broken, held], asked)).tolist() == [True] * len(broken) + [False]
    assert max_sims(a_question(rows), [held]) == pytest.approx(max_sims(a_question(rows), [packed(rows)]))
    assert not whole_cosines([], asked).tolist()


@SLOW_MACHINE
@given(SEEDS, COUNTS, st.lists(COUNTS, min_size=1, max_size=6))
def test_scores_are_between_0_and_1(seed: int, asked: int, counts: list[int]) -> None:
    question = a_question(unit_rows(seed, asked), [float(place + 1) for place in range(asked)])
    messages = [packed(unit_rows(seed + 1 + place, count)) for place, count in enumerate(counts)]
    assert all(score is not None and 0.0 <= score <= 1.0 for score in max_sims(question, messages))


@SLOW_MACHINE
@given(SEEDS, COUNTS, COUNTS)
def test_order_of_tokens_and_messages_does_not_matter(seed: int, asked: int, count: int) -> None:
    question, vectors = a_question(unit_rows(seed, asked)), unit_rows(seed + 1, count)
    order = np.random.default_rng(seed).permutation(count)
    other = packed(unit_rows(seed + 2, 3))
    there = max_sims(question, [packed(vectors), other, None])
    back = max_sims(question, [None, other, packed(vectors[order])])
    assert there == pytest.approx(back[::-1], abs=1e-6)


@SLOW_MACHINE
@given(SEEDS, COUNTS, COUNTS, COUNTS)
def test_more_tokens_in_a_message_never_lower_its_score(seed: int, asked: int, count: int, more: int) -> None:
    question, vectors = a_question(unit_rows(seed, asked)), unit_rows(seed + 1, count)
    short = max_sim(question, packed(vectors))
    long = max_sim(question, packed(np.concatenate([vectors, unit_rows(seed + 2, more)])))
    assert short is not None
    assert long is not None
    assert long >= short - ROUNDING


@SLOW_MACHINE
@given(SEEDS, COUNTS, st.lists(COUNTS, min_size=1, max_size=6))
def test_no_message_scores_higher_than_the_question_itself(seed: int, asked: int, counts: list[int]) -> None:
    vectors = unit_rows(seed, asked)
    others = [packed(unit_rows(seed + 1 + place, count)) for place, count in enumerate(counts)]
    same, *rest = max_sims(a_question(vectors), [packed(vectors), *others])
    assert same == pytest.approx(1.0, abs=ROUNDING)
    assert all(score is not None and same is not None and score <= same + ROUNDING for score in rest)


@SLOW_MACHINE
@given(SEEDS, COUNTS, st.lists(COUNTS, min_size=1, max_size=6))
def test_batch_scores_equal_single_scores(seed: int, asked: int, counts: list[int]) -> None:
    question = a_question(unit_rows(seed, asked))
    messages = [packed(unit_rows(seed + 1 + place, count)) for place, count in enumerate(counts)]
    assert max_sims(question, messages) == pytest.approx([max_sim(question, one) for one in messages], abs=1e-5)


def test_score_is_the_weighted_mean_of_the_best_cosines() -> None:
    axes = np.eye(DIM, dtype=np.float32)
    question = a_question(axes[:3], [3.0, 1.0, 0.0])
    message = packed(axes[[0, 5, 2]])
    assert piece_matches(question, [message]).tolist() == pytest.approx(np.array([[1.0, 0.0, 1.0]]), abs=0.01)
    assert max_sim(question, message) == pytest.approx(0.75, abs=0.01)


def test_ignored_words_count_nothing_and_without_words_there_is_no_score() -> None:
    axes = np.eye(DIM, dtype=np.float32)
    question, message = a_question(axes[:2]), packed(axes[:1])
    assert max_sim(question, message) == pytest.approx(0.5, abs=0.01)
    assert max_sim(question.without({"w1"}), message) == pytest.approx(1.0, abs=0.01)
    assert max_sim(question.without({"w0", "w1"}), message) is None


def test_merged_neighbours_match_what_either_matches() -> None:
    axes = np.eye(DIM, dtype=np.float32)
    question = a_question(axes[:2])
    matches = piece_matches(question, [packed(axes[:1]), packed(axes[1:2]), None])
    together = np.fmax(matches[0], matches[1])[None]
    assert weighted(question, together)[0] == pytest.approx(1.0, abs=0.01)
    assert np.isnan(matches[2]).all()


def test_text_without_significant_pieces_has_no_score() -> None:
    nothing = packed(np.zeros((0, DIM), np.float32))
    assert len(nothing) == HEAD_BYTES
    assert max_sims(a_question(unit_rows(1, 2)), [nothing, packed(unit_rows(2, 2))])[0] is None
    assert max_sims(a_question(unit_rows(1, 0)), [packed(unit_rows(2, 2))]) == [None]
    assert max_sims(a_question(unit_rows(1, 2)), []) == []
