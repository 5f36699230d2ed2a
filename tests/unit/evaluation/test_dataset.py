"""Test reading of data sets, and errors with their places."""

from pathlib import Path
from typing import Any

import pytest

from graph_service.evaluation.dataset import conversation_of, read_all
from schema.errors import InputError

OWN = Path(__file__).parents[2] / "evaluation_sets"


def document(**changes: Any) -> dict[str, Any]:
    turns = [
        {"id": "1.1", "speaker": "Ana", "text": "I live in Lisbon."},
        {"id": "1.2", "speaker": "Bo", "text": "好。"},
    ]
    return {
        "id": "c",
        "lang": "en",
        "dataset": "d",
        "speakers": ["Ana", "Bo"],
        "sessions": [{"index": 1, "date": "2025-01-02T10:00:00", "turns": turns}],
        "questions": [{"id": "q", "category": "single", "question": "Where does Ana live?", "gold": ["1.1"]}],
        **changes,
    }


def problems_of(**changes: Any) -> tuple[str, ...]:
    with pytest.raises(InputError) as caught:
        conversation_of(document(**changes), name="c.json")
    return caught.value.problems


def test_bundled_sets_in_english_and_chinese_are_read() -> None:
    found = read_all([OWN]).conversations
    assert [(one.dataset, one.id, one.user_id) for one in found] == [
        ("own-en", "idris-and-keiko", "Idris"),
        ("own-zh", "linxiao", "林晓"),
        ("own-en", "nora-and-ben", "Nora"),
        ("own-zh", "wulei", "吴磊"),
    ]
    for one in found:
        ids = {message.id for message in one.messages}
        assert all(question.gold <= ids for question in one.questions)
        assert one.asked_at > max(message.time for message in one.messages)


def test_unanswerable_questions_are_not_measured_by_recall() -> None:
    nora = next(one for one in read_all([OWN]).conversations if one.id == "nora-and-ben")
    assert len(nora.questions) == len(nora.answerable) + 1
    assert [question.category for question in nora.questions if not question.gold] == ["adversarial"]


@pytest.mark.parametrize(
    ("lang", "caption", "told"),
    [
        ("en", "a photo of a kite", "Look! [a photo of a kite]"),
        ("zh", "一张风筝的照片", "Look! [一张风筝的照片]"),
        ("zh", "a photo of a kite", "Look!"),
        ("en", " ", "Look!"),
    ],
)
def test_captions_are_used_in_the_language_of_the_conversation(lang: str, caption: str, told: str) -> None:
    turns = [{"id": "1", "text": "Look!", "caption": caption}]
    sessions = [{"index": 1, "date": "2025-01-01T12:00:00", "turns": turns}]
    said = document(lang=lang, sessions=sessions, questions=[], facts=[])
    assert [one.text for one in conversation_of(said, name="c.json").messages] == [told]
    assert [one.text for one in conversation_of(said, name="c.json", captions=False).messages] == ["Look!"]


def test_conversations_max_limits_each_set() -> None:
    found = read_all([OWN, OWN / "wulei.json"], conversations_max=1).conversations
    assert [one.id for one in found] == ["idris-and-keiko", "linxiao"]


def test_diary_becomes_one_session_per_year() -> None:
    days = ("2024-05-01", "2023-02-01", "2024-01-01")
    sessions = [
        {"index": n, "date": f"{day}T12:00:00", "turns": [{"id": str(n), "text": day}]} for n, day in enumerate(days)
    ]
    found = conversation_of(document(sessions=sessions, questions=[], speakers=[]), name="c.json")
    assert [(one.id, [message.id for message in one.messages]) for one in found.sessions] == [
        ("c-2023", ["1"]),
        ("c-2024", ["2", "0"]),
    ]
    assert found.user_id == "c"


def test_gold_that_names_an_unknown_turn_is_refused_by_name() -> None:
    question = {"id": "q7", "question": "Who?", "gold": ["1.1", "9.9"]}
    assert problems_of(questions=[question]) == (
        "c.json: question 'q7' names the message '9.9', which is not in the file",
    )
    assert "facts.0 names 'x'" in problems_of(facts=[{"text": "t", "turns": ["x"]}])[0]


def test_all_problems_of_a_file_are_reported_at_once() -> None:
    turn = {"id": "1.1", "text": " "}
    session = {"index": 1, "date": "2025-01-02T10:00:00", "turns": [turn, turn]}
    found = problems_of(sessions=[session], questions=[{"id": "q", "question": "", "gold": []}])
    assert [part for part in ("2 messages have the id", "has no text", "question 'q'") if part in str(found)] == [
        "2 messages have the id",
        "has no text",
        "question 'q'",
    ]
    assert problems_of(sessions=[])[0].startswith("c.json: sessions: List should have at least 1 item")
    assert any("sessions.0.date" in problem for problem in problems_of(sessions=[{"index": 1, "turns": []}]))


def test_missing_and_invalid_files_are_reported_together(tmp_path: Path) -> None:
    broken = tmp_path / "sets" / "broken.json"
    broken.parent.mkdir()
    broken.write_text('{"id": 1,\n oops}', encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as caught:
        read_all([tmp_path / "none.json", broken.parent, tmp_path / "empty"])
    assert len(caught.value.problems) == 3
    text = caught.value.message
    assert "none.json: cannot be read" in text
    assert "broken.json line 2: not JSON" in text
    assert "no .json file" in text
