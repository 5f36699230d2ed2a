"""Test the report of an evaluation: figures, stable keys and tables."""

import json

import pytest

from graph_service.evaluation.dataset import FactSource, read_all
from graph_service.evaluation.report import MEASURES, document_of, lines_of, tables_of
from graph_service.evaluation.run import (
    BM25,
    OURS,
    EvaluationRun,
    Plan,
    RecallResult,
    Trial,
    abstention_trials,
    remember_calls,
)
from tests.unit.evaluation.test_dataset import OWN

CONVERSATIONS = read_all([OWN]).conversations


def a_recall_result(*order: str, refused: bool = False, took_ms: float = 20.0) -> RecallResult:
    return RecallResult(order=order, refused=refused, took_ms=took_ms, round_trips=1, tokens=30)


def figures() -> EvaluationRun:
    """Return figures in which our system ranks all gold first and BM25 finds none."""
    found = EvaluationRun(conversations=CONVERSATIONS, plan=Plan(facts=FactSource.NONE))
    found.orders = {
        OURS: {n: [sorted(q.gold) for q in one.answerable] for n, one in enumerate(CONVERSATIONS)},
        BM25: {n: [["nothing"] for _ in one.answerable] for n, one in enumerate(CONVERSATIONS)},
    }
    found.recalled = [a_recall_result("x", took_ms=float(took_ms)) for took_ms in range(1, 101)]
    found.asked = [(one, a_recall_result(refused=True)) for one in abstention_trials(CONVERSATIONS)]
    found.unanswerable = [
        (Trial(conversation=n, question=q, foreign=True), a_recall_result(refused=True))
        for n, one in enumerate(CONVERSATIONS)
        for q in one.questions
        if not q.gold_messages
    ]
    found.seconds = {"indexing": 2.0, "asking": 1.0}
    return found


def test_every_set_has_lines_for_its_categories_and_systems() -> None:
    lines = lines_of(figures())
    english = [line for line in lines if line.dataset == "own-en"]
    assert [(line.category, line.system) for line in english] == [
        (category, system) for category in ("multi-hop", "single-hop", "temporal", "all") for system in (OURS, BM25)
    ]
    for line in lines:
        expected = 1.0 if line.system == OURS else 0.0
        assert {name: line.measures[name]["value"] for name in MEASURES} == pytest.approx(
            dict.fromkeys(MEASURES, expected)
        )
    together = [line for line in lines if line.dataset == "all"]
    assert {line.questions for line in together} == {sum(len(one.answerable) for one in CONVERSATIONS)}


def test_json_document_has_the_agreed_keys() -> None:
    document = json.loads(
        json.dumps(document_of(figures(), about={"version": "1", "embedder": "e", "reader": "rules"}))
    )
    assert sorted(document) == [
        "abstention", "captions", "concurrency", "cost", "data", "embedder", "facts", "facts_dropped", "format", "hits",
        "lines", "reader", "seconds", "version",
    ]  # fmt: skip
    assert document["format"] == 2
    assert sorted(document["lines"][0]) == ["category", "dataset", "measures", "questions", "system"]
    assert sorted(document["lines"][0]["measures"]) == sorted(MEASURES)
    assert sorted(document["lines"][0]["measures"]["mrr"]) == ["high", "low", "value"]
    assert document["data"][1] == {
        "dataset": "own-zh",
        "lang": "zh",
        "licence": "written for these tests",
        "conversations": 2,
        "messages": 23,
        "questions": 11,
    }
    cost = document["cost"]
    assert (cost["recall_p50_ms"], cost["recall_p95_ms"], cost["round_trips_most"]) == (50.5, 95.0, 1)
    assert (cost["messages_per_s"], cost["tokens_of_10_hits"]) == (23.5, 30)
    told = {(row["dataset"], row["without_answer"]): row for row in document["abstention"]}
    assert len(told) == 4
    # The service here refuses everything.
    assert told["own-en", "foreign"]["f1"] == pytest.approx(2 / 3, abs=1e-4)
    assert told["own-zh", "own"]["of_these_without"] == 1


def test_tables_show_each_system_and_its_cost() -> None:
    document = document_of(figures(), about={})
    text = "\n".join(table.text(width=120) for table in tables_of(document))
    for part in ("own-en", "own-zh", "Mnemoscene", "BM25", "nDCG@10", "95 %", "round trips", "without answer"):
        assert part in text
    assert max(map(len, text.splitlines())) <= 120


def test_observation_becomes_a_fact_about_its_first_name() -> None:
    nora, zh = (next(one for one in CONVERSATIONS if one.id == name) for name in ("nora-and-ben", "linxiao"))
    about_ben = nora.facts[0].model_dump()
    assert (about_ben["subject"], about_ben["relation"], about_ben["object"]) == (
        "assistant",
        "moved",
        "to a flat in Porto",
    )
    (call,) = remember_calls(nora, nora.sessions[0], with_facts=True)
    assert call.facts[0].message_indexes == (1,)
    chinese = zh.facts[1].model_dump()
    assert (chinese["subject"], chinese["object"], chinese["statement"]) == ("user", "对芒果过敏", "林晓对芒果过敏。")
    assert "relation" not in chinese
