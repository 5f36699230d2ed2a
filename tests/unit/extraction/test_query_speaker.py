"""Test which speaker's words a question asks for, in English and Chinese."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import role_asked
from schema.labels import Role

NAMES = st.sampled_from(["Caroline", "Melanie", "Ana", "Bo", "Gina", "Jon", "Dr. Lee"])
VERBS = st.sampled_from(["suggest", "recommend", "say", "mention", "tell", "explain", "ask", "promise", "give", "show"])
VERBS_ZH = st.sampled_from(["推荐", "建议", "说", "提到", "告诉", "分享", "介绍", "问"])


def rows(language: str) -> list[tuple[str, str]]:
    lines = (Path(__file__).parent / f"query_speaker_{language}.tsv").read_text("utf-8").splitlines()[1:]
    return [(question, whose) for question, whose in (line.split("\t") for line in lines)]


@pytest.mark.parametrize(("question", "whose"), [*rows("en"), *rows("zh")])
def test_each_question_has_the_role_whose_words_it_asks_for(question: str, whose: str) -> None:
    assert whose == (role_asked(question) or "none")


@given(NAMES, VERBS, NAMES, st.sampled_from(["", " about the trip", " in May", " last week"]))
def test_question_for_words_of_named_speakers_has_no_role(one: str, verb: str, other: str, more: str) -> None:
    for question in (f"What did {one} {verb}{more}?", f"What did {one} {verb} to {other}{more}?"):
        assert role_asked(question) is None


@given(NAMES, VERBS_ZH, NAMES, st.sampled_from(["", "过", "了"]))
def test_chinese_question_for_words_of_named_speakers_has_no_role(one: str, verb: str, other: str, past: str) -> None:
    for question in (f"{one}{verb}{past}什么？", f"{one}给{other}{verb}{past}什么？", f"{one}跟你{verb}{past}什么？"):
        assert role_asked(question) is None


@given(st.sampled_from("妈爸姐妹哥弟"), VERBS_ZH, st.sampled_from("你我您"))
def test_relatives_of_a_speaker_are_not_the_speaker(kin: str, verb: str, whose: str) -> None:
    assert role_asked(f"{whose}{kin}{kin}{verb}过什么？") is None
    assert role_asked(f"{whose}的{kin}{kin}叫什么？") is None


@given(st.sampled_from(["What did you recommend?", "我跟你说过什么？", "What did I say?"]))
def test_width_and_case_do_not_change_the_role(question: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and not c.isalpha() else c for c in question)
    assert role_asked(question) is role_asked(wide)
    assert role_asked(question) is role_asked(question.upper())


@given(st.text())
def test_any_text_can_be_analysed(text: str) -> None:
    assert role_asked(text) in (None, Role.USER, Role.ASSISTANT)
