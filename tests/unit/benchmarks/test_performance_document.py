"""Test the document of performance figures, and the texts and clocks it is made with."""

from datetime import UTC, datetime
from itertools import islice

from tests.benchmarks.performance_document import (
    Figures,
    MachineSpeed,
    document,
    machine_speed,
    unseen_questions,
    unseen_texts,
)

SPREAD = {"p50_ms": 12.4, "p95_ms": 31.6}
LAG = {"by_words": SPREAD, "by_vector": None, "missed": 0}
FIGURES = Figures(
    at=datetime(2026, 3, 4, tzinfo=UTC),
    before=MachineSpeed(loop_ms=50.1, sha256_ms=37.2, load=0.1),
    after=MachineSpeed(loop_ms=52.3, sha256_ms=38.4, load=1.9),
    starts={"answers_s": [3.1, 2.0], "ready_s": [12.5, 4.8]},
    indexing={
        "messages": 5000,
        "batch": 10,
        "users": 8,
        "reader": "rules",
        "embedder": "a model",
        "marks": [{"messages": 1000, "messages_per_s": 130.5, "remember": SPREAD, "write_to_searchable": LAG}],
    },
    recall={"rows": [{"memory": "1000 messages", **SPREAD}, {"memory": "1000 messages", "embedding_p50_ms": 9.0}]},
    command="python -m tests.benchmarks.performance_document",
)


def test_the_document_has_every_figure_beside_the_speed_of_the_machine() -> None:
    text = document(FIGURES)
    assert "| before | 50.1 ms | 37.2 ms | 0.1 |" in text
    assert "| after | 52.3 ms | 38.4 ms | 1.9 |" in text
    assert "| 12.5 s | 4.8 s |" in text
    assert "| 1,000 | 130.5 | 12, 32 ms | 12, 32 ms | – |" in text
    assert "| 1000 messages | 12 ms | 32 ms | 9 ms |" in text


def test_unseen_texts_never_repeat() -> None:
    texts = list(islice(unseen_texts(1), 2_000))
    assert len(set(texts)) == len(texts)
    assert not set(texts) & set(islice(unseen_texts(2), 2_000))


def test_unseen_questions_never_repeat_and_end_as_questions() -> None:
    questions = unseen_questions(1, 2_000)
    assert len(set(questions)) == len(questions)
    assert not set(questions) & set(unseen_questions(2, 2_000))
    assert all(question.endswith(("?", "？")) and question.count("?") < 2 for question in questions)


def test_the_speed_of_the_machine_is_measured() -> None:
    speed = machine_speed()
    assert speed.loop_ms > 0
    assert speed.sha256_ms > 0
