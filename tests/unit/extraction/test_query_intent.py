"""Test the intent of questions in English and Chinese."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.answer_values import value_asked
from extraction.query_analysis import AnswerType, Intent, analyse, intent_of
from extraction.query_analysis import answer_type as type_of_kind
from extraction.temporal.question_time import time_asked

NOW = datetime(2024, 5, 15, 10, tzinfo=UTC)


def answer_type(question: str) -> AnswerType:
    return type_of_kind(value_asked(question))


def rows(language: str) -> list[tuple[str, str, str]]:
    lines = (Path(__file__).parent / f"query_intent_{language}.tsv").read_text("utf-8").splitlines()[1:]
    return [(question, intent, answer) for question, intent, answer in (line.split("\t") for line in lines)]


@pytest.mark.parametrize(("question", "intent", "answer"), [*rows("en"), *rows("zh")])
def test_each_question_has_its_intent_and_answer_type(question: str, intent: str, answer: str) -> None:
    assert (intent, answer) == (
        intent_of(question, time_asked(question, NOW), answer_type(question)).value,
        answer_type(question).value,
    )


@given(st.text())
def test_any_text_has_an_intent(text: str) -> None:
    assert intent_of(text, time_asked(text, NOW), answer_type(text)) in Intent
    assert answer_type(text) in AnswerType


@given(st.text(alphabet="山川河流咖啡茶书店花园", min_size=2, max_size=4))
def test_two_to_four_chinese_characters_ask_for_an_entity(name: str) -> None:
    assert Intent.ENTITY is intent_of(name, time_asked(name, NOW), answer_type(name))


@given(st.sampled_from(["Who is Tom?", "小明住哪里？", "When did we meet?", "为什么搬家"]))
def test_character_width_does_not_change_the_intent(question: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in question)
    assert answer_type(question) is answer_type(wide)


@pytest.mark.parametrize(
    ("typed", "spelled"),
    [
        ("whos the guy im dating rn", "Who's the guy I'm dating right now?"),
        ("whats my dentist called", "What's my dentist called?"),
        ("whens the mot due", "When's the MOT due?"),
        ("why dont i eat pork", "Why don't I eat pork?"),
    ],
)
def test_question_without_apostrophes_is_analysed_like_one_with_them(typed: str, spelled: str) -> None:
    one, other = analyse(typed, reference=NOW), analyse(spelled, reference=NOW)
    assert (one.answer_type, one.value_kind) == (other.answer_type, other.value_kind)
    assert (one.intent, one.time_reference) == (other.intent, other.time_reference)
