"""Test the word-by-word English glosses of Chinese text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.text.glosses import english_gloss
from tests.support.growth import assert_about_linear


@pytest.mark.parametrize(
    ("text", "gloss"),
    [
        ("我最近在学吉他", "I recently at learn guitar"),
        ("我的新电话号码是555-0199", "my new phone number be 555-0199"),
        ("我血型是什么？", "I blood type be what?"),
        ("我老婆Sofia是牙医，儿子6岁了", "my wife Sofia be dentist, son 6 years old"),
        ("下周三去打疫苗", "next Wednesday go get vaccinated"),
        ("我妈要走了", "my mom be leaving"),
        ("I moved to Porto.", "I moved to Porto."),
        ("", ""),
    ],
)
def test_words_are_replaced_in_order(text: str, gloss: str) -> None:
    assert english_gloss(text) == gloss


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("王芳去北京了", "Wang Fang"),
        ("小李今天没来", "Xiao Li"),
        ("我和老张吃饭", "Lao Zhang"),
        ("朵朵的生日", "Duo ?duo"),
    ],
)
def test_names_of_persons_are_written_in_pinyin(text: str, name: str) -> None:
    assert re.search(name, english_gloss(text), re.IGNORECASE)


def test_traditional_characters_are_glossed_like_simplified_ones() -> None:
    assert english_gloss("我剛換了工作，現在學鋼琴") == english_gloss("我刚换了工作，现在学钢琴")


def test_unknown_word_is_glossed_by_its_parts() -> None:
    assert "medicine" in english_gloss("降尿酸药")


@given(st.text(st.sampled_from("我的在学吉他王芳小李 abc，。9剛龘\U00020000"), max_size=60))
def test_text_without_frequent_characters_is_kept(text: str) -> None:
    found = english_gloss(text)
    assert not set(found) & set("我学吉他王芳小李刚剛")
    assert [*re.findall(r"[abc9]+", found)] or not re.search(r"[abc9]", text)


def test_cost_grows_with_the_text() -> None:
    assert_about_linear(lambda n: lambda: english_gloss.__wrapped__("我上个月刚从杭州搬到成都呢" * n), 200)  # type: ignore[attr-defined]
