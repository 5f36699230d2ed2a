"""Test that the rule reader accepts any text and quotes only what the text contains."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.text.name_spotting import load_words

from .rule_reading import read

_ENGLISH = (
    "I my his her love like used to no longer favorite sister Anna live in Paris Bart moved am is "
    "because not always makes "
    "me want plan to learn a the dog named \" ' , . ! ? and but works at as born on 1990 May years old "
    "it's don't caused by "
    "allergic anymore friend of you if would said she"
)
_CHINESE = (
    "我 他 她 你 最 喜欢 不 不再 讨厌 害怕 的 是 叫 姐姐 妈妈 王芳 住在 上海 在 工作 上班 因为 所以 失眠 "
    "了 过 《 》 小王子 ， 。 ？ 、 和 想 打算 学习 钢琴 "
    "去 看 对 花生 过敏 以前 现在 如果 说 一只 小狗 总是 让 生日 5月2日 28岁 答应 担心 Bart 读 参加 比赛"
)


@pytest.fixture(scope="module", autouse=True)
def _dictionary() -> None:
    load_words()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(_ENGLISH.split(" ")), max_size=25).map(" ".join))
def test_any_english_words_are_read_without_error(text: str) -> None:
    _check(text)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(_CHINESE.split(" ")), max_size=25).map("".join))
def test_any_chinese_words_are_read_without_error(text: str) -> None:
    _check(text)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=80))
def test_any_characters_are_read_without_error(text: str) -> None:
    _check(text)


def _check(text: str) -> None:
    reading = read(text, user=("Bart",))
    for fact in reading.facts:
        assert fact.object.strip() == fact.object != ""
        assert fact.subject != fact.object
        assert fact.statement
        assert 0 < fact.strength <= 1
        for quote in fact.quotes:
            assert quote.start is not None
            assert quote.end is not None
            assert 0 <= quote.start < quote.end <= len(text)


@pytest.mark.parametrize("text", ["Anna works at Anna.", "My sister likes my sister."])
def test_no_fact_has_equal_subject_and_object(text: str) -> None:
    _check(text)
