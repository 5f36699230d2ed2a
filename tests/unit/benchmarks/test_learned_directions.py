"""Test that learned directions rank evidence above the messages around it."""

from collections.abc import Mapping

import numpy as np
import pytest

from graph_service.evaluation.dataset import read_all
from tests.benchmarks.learned_directions import (
    Floats,
    Learned,
    Pace,
    Question,
    Talk,
    Text,
    beginning,
    laid_out,
    learned,
    slopes,
    turned,
)
from tests.benchmarks.vector_spaces import CONVERSATIONS

PACE = Pace(at_once=4, rate=0.02, pull=0.0, own=2.0)
SIZE, NOISE = 12, 8


def text(drawn: np.random.Generator, topic: Floats, pieces: int = 3) -> Text:
    """Return pieces whose first numbers are the topic, with larger noise in the others."""
    rows = np.concatenate([np.tile(topic, (pieces, 1)), 3 * drawn.normal(size=(pieces, NOISE))], axis=1)
    return Text(rows=rows.astype(np.float32), weights=drawn.uniform(0.5, 1.5, pieces).astype(np.float32))


def a_conversation(seed: int, *, otherwise: float = 0.0) -> Talk:
    """Return eight messages of eight topics in two sessions, and a question about each.

    Args:
        otherwise: scale of the random non-vector score of each message.
    """
    drawn = np.random.default_rng(seed)
    topics = drawn.normal(size=(8, SIZE - NOISE)).astype(np.float32)
    return Talk(
        messages=[text(drawn, topic, 2 + at % 3) for at, topic in enumerate(topics)],
        sessions=[0, 0, 0, 0, 0, 1, 1, 1],
        asked=[
            Question(
                text=text(drawn, topic), proofs=[at], otherwise=(otherwise * drawn.normal(size=8)).astype(np.float32)
            )
            for at, topic in enumerate(topics)
        ],
    )


def matches(talk: Talk, question: Text, now: Learned) -> Floats:
    """Return the best cosine of each message (row) with each piece (column), computed naively."""
    asked, _ = turned(question.rows, now["said"] + now["apart"])
    best = [np.maximum((asked @ turned(one.rows, now["said"])[0].T).max(axis=1), 0) for one in talk.messages]
    return np.array(best, np.float32)


def scores(talk: Talk, question: Question, now: Learned) -> Floats:
    """Return the score of each message, computed naively."""
    own = matches(talk, question.text, now)
    near = np.array(
        [
            np.max([own[to] for to in range(max(at - 2, 0), min(at + 3, len(own))) if talk.sessions[to] == session], 0)
            for at, session in enumerate(talk.sessions)
        ]
    )
    weights = question.text.weights * np.exp(question.text.rows @ now["telling"])
    counted: Floats = (np.exp(now["own"]) * own + np.exp(now["near"]) * near) @ (weights / weights.sum())
    return counted + question.otherwise


def found(talks: list[Talk], now: Learned) -> float:
    """Return the share of questions whose evidence ranks first."""
    firsts = [int(scores(talk, one, now).argmax()) in one.proofs for talk in talks for one in talk.asked]
    return float(np.mean(firsts))


def loss(talk: Talk, now: Learned) -> float:
    """Return the listwise softmax loss, computed naively."""
    total = 0.0
    for question in talk.asked:
        sharp = scores(talk, question, now).astype(np.float64)
        share = np.exp(sharp - sharp.max()) / np.exp(sharp - sharp.max()).sum()
        total -= float(np.log(share[list(question.proofs)]).mean())
    return total / len(talk.asked)


def moved(now: Learned, name: str, place: tuple[int, ...], by: float) -> Mapping[str, Floats]:
    """Return the parameters with one number changed."""
    values = now[name].astype(np.float32).copy()
    values[place] += by
    return {**now, name: values}


@pytest.mark.parametrize("pace", [PACE, Pace(at_once=4, rate=0.02, pull=0.0, own=2.0, near=0.0, apart=True)])
def test_directions_learned_from_some_conversations_help_others(pace: Pace) -> None:
    start = np.eye(SIZE, dtype=np.float32)
    others = [a_conversation(seed) for seed in range(10)]
    after = learned([a_conversation(seed) for seed in range(10, 50)], start, pace)
    assert found(others, after) > found(others, beginning(start, pace)) + 0.15


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("said", [(0, 0), (3, 4), (7, 2), (11, 1)]),
        ("apart", [(0, 0), (3, 4), (7, 2), (11, 1)]),
        ("telling", [(0,), (5,), (11,)]),
        ("own", [()]),
        ("near", [()]),
    ],
)
def test_gradient_equals_the_numeric_derivative(name: str, places: list[tuple[int, ...]]) -> None:
    drawn, talk = np.random.default_rng(3), a_conversation(1, otherwise=1.0)
    now = {
        "said": drawn.normal(size=(SIZE, 5)).astype(np.float32),
        "apart": drawn.normal(size=(SIZE, 5)).astype(np.float32) / 3,
        "telling": drawn.normal(size=SIZE).astype(np.float32) / 5,
        "own": np.array(1.2, np.float32),
        "near": np.array(0.8, np.float32),
    }
    slope = slopes(talk.asked, laid_out(talk), now)[name]
    for place in places:
        change = (loss(talk, moved(now, name, place, 1e-3)) - loss(talk, moved(now, name, place, -1e-3))) / 2e-3
        assert float(slope[place]) == pytest.approx(change, abs=5e-4)


def test_strong_regularisation_keeps_the_initial_directions() -> None:
    start, pace = np.eye(SIZE, dtype=np.float32), Pace(at_once=4, rate=1e-4, pull=100.0, own=2.0, near=1.0, apart=True)
    held = learned([a_conversation(1)], start, pace)
    assert np.abs(held["said"] - start).max() < 5e-3
    assert max(np.abs(held["apart"]).max(), np.abs(held["telling"]).max()) < 5e-3


def test_questions_share_the_directions_of_messages_unless_apart() -> None:
    after = learned([a_conversation(1)], np.eye(SIZE, dtype=np.float32), PACE)
    assert not after["apart"].any()
    assert not after["telling"].any()


def test_same_questions_give_the_same_directions() -> None:
    talks, start = [a_conversation(1), a_conversation(2)], np.eye(SIZE, dtype=np.float32)
    once, again = learned(talks, start, PACE), learned(talks, start, PACE)
    assert all(np.array_equal(once[name], again[name]) for name in once)


def test_each_training_conversation_names_existing_evidence() -> None:
    conversations = read_all([CONVERSATIONS]).conversations
    assert {one.lang for one in conversations} == {"en", "zh"}
    for one in conversations:
        told = {message.id for message in one.messages}
        assert one.answerable, one.id
        assert all(question.gold <= told for question in one.answerable), one.id
        assert all(set(fact.messages) <= told for fact in one.facts), one.id
