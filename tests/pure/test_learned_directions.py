"""Learned directions: they put proofs before what was said beside them, and do nothing else."""

import numpy as np
import pytest

from graph_service.evaluation.dataset import read_datasets
from tests.bench.learned_directions import Floats, Pace, Talk, Text, laid_out, learned, slopes, turned
from tests.bench.vector_spaces import CONVERSATIONS

PACE = Pace(at_once=4, rate=0.02, pull=0.0, sharpness=2.0)
SIZE, NOISE = 12, 8


def text(drawn: np.random.Generator, topic: Floats, pieces: int = 3) -> Text:
    """Pieces that are about a topic in their first numbers, with larger noise in the others."""
    rows = np.concatenate([np.tile(topic, (pieces, 1)), 3 * drawn.normal(size=(pieces, NOISE))], axis=1)
    return Text(rows=rows.astype(np.float32), weights=drawn.uniform(0.5, 1.5, pieces).astype(np.float32))


def a_talk(seed: int) -> Talk:
    """Eight messages of eight topics, and a question about each."""
    drawn = np.random.default_rng(seed)
    topics = drawn.normal(size=(8, SIZE - NOISE)).astype(np.float32)
    return Talk(
        messages=[text(drawn, topic, 2 + at % 3) for at, topic in enumerate(topics)],
        asked=[(text(drawn, topic), [at]) for at, topic in enumerate(topics)],
    )


def scores(talk: Talk, question: Text, matrix: Floats) -> Floats:
    """The score of each message, counted plainly."""
    asked, _ = turned(question.rows, matrix)
    best = [np.maximum((asked @ turned(one.rows, matrix)[0].T).max(axis=1), 0) for one in talk.messages]
    counted: Floats = np.array(best, np.float32) @ question.weights / question.weights.sum()
    return counted


def found(talks: list[Talk], matrix: Floats) -> float:
    """The share of questions whose proof comes first."""
    firsts = [int(scores(talk, one, matrix).argmax()) in gold for talk in talks for one, gold in talk.asked]
    return float(np.mean(firsts))


def loss(talk: Talk, matrix: Floats, sharpness: float) -> float:
    """The listwise softmax loss, counted plainly."""
    total = 0.0
    for question, gold in talk.asked:
        sharp = np.exp(sharpness) * scores(talk, question, matrix).astype(np.float64)
        share = np.exp(sharp - sharp.max()) / np.exp(sharp - sharp.max()).sum()
        total -= float(np.log(share[list(gold)]).mean())
    return total / len(talk.asked)


def test_what_is_learned_from_some_conversations_finds_the_proof_in_others() -> None:
    start = np.eye(SIZE, dtype=np.float32)
    others = [a_talk(seed) for seed in range(10)]
    matrix = learned([a_talk(seed) for seed in range(10, 50)], start, PACE)
    assert found(others, matrix) > found(others, start) + 0.15


def test_the_slope_is_how_the_loss_really_changes() -> None:
    talk, matrix = a_talk(1), np.random.default_rng(3).normal(size=(SIZE, 5)).astype(np.float32)
    slope, sharper = slopes(talk.asked, laid_out(talk.messages), matrix, 1.5)
    for row, column in ((0, 0), (3, 4), (7, 2), (11, 1)):
        step = np.zeros_like(matrix)
        step[row, column] = 1e-3
        change = (loss(talk, matrix + step, 1.5) - loss(talk, matrix - step, 1.5)) / 2e-3
        assert slope[row, column] == pytest.approx(change, abs=5e-4)
    assert sharper == pytest.approx((loss(talk, matrix, 1.501) - loss(talk, matrix, 1.499)) / 2e-3, abs=5e-4)


def test_a_strong_pull_keeps_the_directions_where_they_were() -> None:
    start = np.eye(SIZE, dtype=np.float32)
    held = learned([a_talk(1)], start, Pace(at_once=4, rate=1e-4, pull=100.0, sharpness=2.0))
    assert np.abs(held - start).max() < 5e-3


def test_the_same_questions_give_the_same_directions() -> None:
    talks, start = [a_talk(1), a_talk(2)], np.eye(SIZE, dtype=np.float32)
    assert np.array_equal(learned(talks, start, PACE), learned(talks, start, PACE))


def test_each_conversation_that_is_learned_from_names_proofs_that_are_there() -> None:
    conversations = read_datasets([CONVERSATIONS])
    assert {one.lang for one in conversations} == {"en", "zh"}
    for one in conversations:
        told = {turn.id for turn in one.turns}
        assert one.answerable, one.id
        assert all(question.gold <= told for question in one.answerable), one.id
        assert all(set(fact.turn_ids) <= told for fact in one.observations), one.id
