"""Test reading of everyday memories, and scores of hits by their text."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graph_service.evaluation.dataset import conversation_of, read_all
from graph_service.evaluation.everyday_memories import Answer, answer_scores, summarise
from graph_service.evaluation.run import remember_calls
from schema.errors import InputError
from schema.fact import FactKind
from schema.timespan import as_utc


def document(**changes: Any) -> dict[str, Any]:
    messages = [
        {"id": "m1", "role": "USER", "speaker": "Ana", "time": "2025-01-02T10:00:00+00:00", "text": "I live in Porto."},
        {"id": "m2", "role": "ASSISTANT", "time": "2025-01-02T10:00:20+00:00", "text": "Noted."},
    ]
    return {
        "id": "ana",
        "lang": "en",
        "user_id": "ana",
        "user_name": "Ana",
        "sessions": [{"id": "s1", "messages": messages}],
        "questions": [question()],
        "facts": [
            {
                "session": "s1",
                "messages": ["m1"],
                "subject": "user",
                "predicate": "RELATES_TO",
                "object": "Porto",
                "statement": "Ana lives in Porto.",
                "relation": "lives in",
                "validAt": "2025-01-02",
                "kind": "fact",
            }
        ],
        **changes,
    }


def question(**changes: Any) -> dict[str, Any]:
    return {
        "id": "q1",
        "category": "current",
        "question": "Where does Ana live?",
        "asked_at": "2025-06-01T10:00:00+00:00",
        "gold_messages": ["m1"],
        "answer": ["\\bLisbon\\b"],
        "stale": ["\\bPorto\\b"],
        **changes,
    }


def answer(*hits: str, nothing: bool = False, context: str = "", **changes: Any) -> Answer:
    memory = conversation_of(document(questions=[question(**changes)]), name="ana.json")
    return Answer(
        memory=memory,
        question=memory.questions[0],
        hits=hits,
        nothing_relevant=nothing,
        context=context,
        took_ms=1.0,
    )


def test_both_file_formats_are_detected(tmp_path: Path) -> None:
    (tmp_path / "ana.json").write_text(json.dumps(document()), encoding="utf-8")
    own = Path(__file__).parents[2] / "evaluation_sets"
    read = read_all([tmp_path, own])
    assert [memory.id for memory in read.memories] == ["ana"]
    assert len(read.conversations) == 4


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"questions": [question(gold_messages=["m9"])]}, "names the message 'm9', which is not in the file"),
        ({"questions": [question(answer=["("])]}, "is not a regular expression"),
        ({"questions": [question(answer=[])]}, "needs at least one pattern"),
        ({"sessions": []}, "sessions"),
        ({"user_id": ""}, "user_id"),
        ({"facts": [{"session": "s9", "messages": ["m1"]}]}, "facts.0 names 's9'"),
    ],
)
def test_error_in_a_file_is_named(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=r"ana\.json") as caught:
        conversation_of(document(**changes), name="ana.json")
    assert problem in "\n".join(caught.value.problems)


def test_facts_are_sent_only_on_request() -> None:
    memory = conversation_of(document(), name="ana.json")
    (bare,) = remember_calls(memory, memory.sessions[0], with_facts=False)
    (full,) = remember_calls(memory, memory.sessions[0], with_facts=True)
    assert (bare.session_id, bare.facts) == ("s1", ())
    (fact,) = full.facts
    assert fact.message_indexes == (0,)
    assert fact.valid_at is not None
    assert as_utc(fact.valid_at) == datetime(2025, 1, 2, tzinfo=UTC)
    assert (fact.kind, full.messages[1].role) == (FactKind.FACT, "assistant")


def test_correct_hit_is_preferred_to_a_stale_one_and_one_with_both_is_correct() -> None:
    stale_first = answer_scores(answer("Ana lives in Porto.", "Ana moved to Lisbon.", context="She moved to Lisbon."))
    assert (stale_first["answer@1"], stale_first["answer@3"], stale_first["stale@1"]) == (0.0, 1.0, 1.0)
    assert (stale_first["mrr"], stale_first["context"], stale_first["doubt"]) == (0.5, 1.0, 0.0)
    both = answer_scores(answer("Ana moved from Porto to Lisbon.", nothing=True))
    assert (both["answer@1"], both["stale@1"], both["doubt"], both["context"]) == (1.0, 0.0, 1.0, 0.0)
    assert answer_scores(answer())["answer@3"] == 0.0


def test_list_answer_needs_all_items() -> None:
    items = {"all_of": [["apples?"], ["pears?"]], "answer": ["apples?", "pears?"]}
    assert answer_scores(answer("an apple", "a pear", **items))["answer@1"] == 0.0
    assert answer_scores(answer("an apple", "a pear", **items))["answer@3"] == 1.0


def test_unanswerable_questions_have_their_own_scores() -> None:
    none = {"answerable": False, "answer": [], "category": "unanswerable_near", "stale": ["Porto"]}
    assert answer_scores(answer("I live in Porto.", **none)) == {"not told": 1.0, "tempted": 1.0}
    assert answer_scores(answer("I live in Porto.", nothing=True, **none)) == {"not told": 0.0, "tempted": 0.0}
    scores = summarise([answer("Lisbon"), answer("Porto", **none)])
    everything = scores["groups"]["all"]
    assert (everything["questions"], everything["answer@1"], everything["not told"]) == (2, 1.0, 1.0)
    assert scores["wrong"] == []
