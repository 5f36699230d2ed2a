"""Test extractive session summaries, made from the scenes."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.extractive_summary import OVERVIEW_TOKENS_MAX, SummarizedScene, summarize_session, token_count

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
EN = (
    "A house by the lake",
    "Anna looked at a house by the lake.",
    "## Key points\n- The roof leaks.\n- It costs a lot.",
)
ZH = ("湖边的房子", "安娜看了湖边的一座房子。", "## 要点\n- 屋顶漏水。\n- 房主要价很高。")


def told(texts: tuple[str, str, str], place: int, *, messages: int = 3) -> SummarizedScene:
    title, abstract, overview = texts
    start = NOON + timedelta(days=place)
    return SummarizedScene(title=title, abstract=abstract, overview=overview, start=start, messages=messages)


def test_session_of_one_scene_has_the_texts_of_the_scene() -> None:
    only = summarize_session([told(EN, 0)])
    assert (only.title, only.abstract, only.overview) == EN


def test_session_without_scenes_has_no_text() -> None:
    assert summarize_session([]).overview == ""


@pytest.mark.parametrize(("texts", "heading"), [(EN, "## Scenes"), (ZH, "## 场景")], ids=["en", "zh"])
def test_each_scene_is_listed_with_its_day_and_points(texts: tuple[str, str, str], heading: str) -> None:
    other = (f"{texts[0]} 2", texts[1].replace("。", "，第二次。").replace("lake.", "lake again."), texts[2])
    session = summarize_session([told(texts, 0), told(other, 1, messages=9)])
    assert session.title == other[0]
    assert heading in session.overview
    assert session.overview.index(f"### 2026-03-01 {texts[0]}") < session.overview.index(f"### 2026-03-02 {other[0]}")
    assert all(point in session.overview for point in texts[2].splitlines()[1:])
    assert session.abstract


@given(st.integers(2, 120), st.integers(1, 60), st.booleans())
def test_summary_of_a_session_of_any_length_is_bounded(scenes: int, words: int, chinese: bool) -> None:
    title, abstract, overview = ZH if chinese else EN
    long = (title, f"{abstract} " * words, f"{overview}\n" * words)
    session = summarize_session([told(long, place) for place in range(scenes)])
    # Headings of the sections are counted by word, so a few tokens may be added.
    assert token_count(session.overview) <= OVERVIEW_TOKENS_MAX * 1.02
    assert token_count(session.abstract) <= 100
