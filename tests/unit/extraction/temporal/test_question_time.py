"""Test the time that a question asks about, by table and by property."""

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.temporal.question_time import Force, QuestionTime, time_asked
from extraction.temporal.relations import Side

# A Wednesday, for which the tables are written; the Chinese one in the time zone of Shanghai.
ENGLISH = datetime(2024, 5, 15, 10, tzinfo=UTC)
CHINESE = datetime(2024, 5, 15, 10, tzinfo=timezone(timedelta(hours=8)))
# Time expressions are in brackets in the tables; their introducing words may be inside or outside.
LEAD = re.compile(r"^(?:(?:in|on|at|for|the|over|during|from|of|back|在)\s*)+")


def rows(language: str) -> list[tuple[str, str, str]]:
    """Return questions with bracketed time expressions, the expected range or event, and its effect."""
    lines = (Path(__file__).parent / f"question_time_{language}.tsv").read_text("utf-8").splitlines()[1:]
    return [(question, expected, force) for _half, question, expected, force in (line.split("\t") for line in lines)]


def shown(time: QuestionTime, reference: datetime) -> str:
    """Return a parsed time in the notation of the tables."""

    def local(moment: datetime | None) -> str:
        if moment is None:
            return ""
        text = moment.astimezone(reference.tzinfo).strftime("%Y-%m-%dT%H:%M")
        return text.removesuffix("T00:00")

    ranges = [f"{local(asked.span.start)}..{local(asked.span.end)}" for asked in time.asked]
    events = [f"@{anchor.side} {anchor.words}" for anchor in time.anchors]
    return " | ".join(ranges or events) or "-"


def words(text: str) -> str:
    return LEAD.sub("", text.lower()).strip("的里 ")


def check(row: tuple[str, str, str], reference: datetime) -> None:
    marked, expected, force = row
    time = time_asked(marked.replace("[", "").replace("]", ""), reference)
    assert expected == shown(time, reference)
    assert force == (time.asked[0].force.value if time.asked else "-")
    if phrase := re.search(r"\[(.*)\]", marked):
        assert words(phrase[1]) == words(time.asked[0].phrase)


@pytest.mark.parametrize("row", rows("en"), ids=lambda row: row[0])
def test_each_english_question_has_its_time(row: tuple[str, str, str]) -> None:
    check(row, ENGLISH)


@pytest.mark.parametrize("row", rows("zh"), ids=lambda row: row[0])
def test_each_chinese_question_has_its_time(row: tuple[str, str, str]) -> None:
    check(row, CHINESE)


@pytest.mark.parametrize("language", ["de", "es", "fr", "ja"])
def test_at_least_90_percent_of_questions_in_other_languages_have_their_time(language: str) -> None:
    right = []
    for marked, expected, force in rows(language):
        time = time_asked(marked.replace("[", "").replace("]", ""), ENGLISH)
        read = time.asked[0].force.value if time.asked else "-"
        right.append((expected, force) == (shown(time, ENGLISH), read))
    assert len(right) >= 75
    assert sum(right) / len(right) >= 0.9


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿Quién era mi contacto en Roma en 2019?", "2019-01-01..2020-01-01"),
        ("先週の金曜日に何を食べたか教えて", "2024-05-10..2024-05-11"),
        ("¿A qué hora veo a Sofía el viernes?", "2024-05-17..2024-05-18"),
        ("A quelle heure est mon cours de français vendredi ?", "2024-05-17..2024-05-18"),
        ("Was ist am Freitag los?", "2024-05-17..2024-05-18"),
        ("Wann ist am Samstag das Geschäft offen?", "2024-05-18..2024-05-19"),
        ("金曜日のしごとは何時？", "2024-05-17..2024-05-18"),
        ("Was habe ich mit Anna und Jan gemacht?", "-"),
    ],
)
def test_names_and_words_that_look_like_a_tense_change_no_time(question: str, expected: str) -> None:
    time = time_asked(question, ENGLISH)
    assert (shown(time, ENGLISH), time.limit) == (expected, None)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_have_at_least_150_phrases_each(language: str) -> None:
    assert sum(expected[0] not in "-@" for _, expected, _ in rows(language)) >= 150


TIMED = [
    (row[0].replace("[", "").replace("]", ""), zone)
    for language, zone in (("en", UTC), ("zh", CHINESE.tzinfo), ("de", UTC), ("es", UTC), ("fr", UTC), ("ja", UTC))
    for row in rows(language)
    if row[1][0] not in "-@"
]
MOMENTS = st.datetimes(min_value=datetime(1975, 1, 1), max_value=datetime(2070, 1, 1))


@given(st.sampled_from(TIMED), MOMENTS)
def test_ranges_are_ordered_for_any_reference_time(question: tuple[str, timezone], moment: datetime) -> None:
    time = time_asked(question[0], moment.replace(tzinfo=question[1]))
    for asked in time.asked:
        assert asked.span.start is not None or asked.span.end is not None
        if asked.span.start and asked.span.end:
            assert asked.span.start < asked.span.end


@given(st.sampled_from(TIMED))
def test_case_and_width_do_not_change_the_time(question: tuple[str, timezone]) -> None:
    text, zone = question
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else "\u3000" if c == " " else c for c in text)
    reference = ENGLISH.replace(tzinfo=zone)
    spans = [asked.span for asked in time_asked(text, reference).asked]
    assert spans == [asked.span for asked in time_asked(text.upper(), reference).asked]
    assert spans == [asked.span for asked in time_asked(wide, reference).asked]


def test_traditional_characters_give_the_same_time() -> None:
    for simple, traditional in (("上个周末", "上個週末"), ("三个月后", "三個月後"), ("去年圣诞节", "去年聖誕節")):
        assert time_asked(simple, CHINESE).exact_span == time_asked(traditional, CHINESE).exact_span is not None


WEEKLY = [
    *(
        f"What happened {when}?"
        for when in ("last week", "last Friday", "next Sunday", "this weekend", "three days ago")
    ),
    *("上周三怎么了", "下个周末怎么了", "大前天怎么了", "¿Qué hicimos la semana pasada?", "¿Qué hice anteayer?"),
    *(
        "Was war letzten Freitag?",
        "Was war vor drei Tagen?",
        "J'ai fait quoi mardi dernier ?",
        "先週の火曜日は何をした？",
    ),
]


@given(st.sampled_from(WEEKLY), MOMENTS, st.integers(min_value=1, max_value=200))
def test_days_and_weeks_shift_with_the_reference_time(question: str, moment: datetime, weeks: int) -> None:
    now, later = (
        time_asked(question, m.replace(tzinfo=UTC)).exact_span for m in (moment, moment + timedelta(weeks=weeks))
    )
    assert now is not None
    assert later is not None
    assert now.start is not None
    assert now.end is not None
    assert (now.start + timedelta(weeks=weeks), now.end + timedelta(weeks=weeks)) == (later.start, later.end)


YEARLY = [
    "last year",
    "in March",
    "last summer",
    "on 5 May",
    "last Christmas",
    "Q1",
    "去年",
    "三月",
    "去年冬天",
    "五一",
    "上半年",
]


@given(st.sampled_from(YEARLY), MOMENTS, st.integers(min_value=1, max_value=20))
def test_months_and_seasons_shift_by_years(phrase: str, moment: datetime, years: int) -> None:
    if (moment.month, moment.day) == (2, 29):
        moment = moment.replace(day=28)
    first, later = (
        time_asked(f"during {phrase}，", m.replace(tzinfo=UTC)).exact_span
        for m in (moment, moment.replace(year=moment.year + years))
    )
    if first is None or later is None:
        assert first is later
        return
    assert first.start is not None
    assert later.start is not None
    assert (first.start.year + years, first.start.month, first.start.day) == (
        later.start.year,
        later.start.month,
        later.start.day,
    )


NAMED = ["May 2023", "last Friday", "2019", "last summer", "Christmas 2022", "yesterday"]
NAMED_ZH = ["2023年5月", "上周五", "2019年", "去年夏天", "去年春节", "昨天"]


@given(st.sampled_from(NAMED), MOMENTS)
def test_before_and_after_do_not_overlap(phrase: str, moment: datetime) -> None:
    reference = moment.replace(tzinfo=UTC)
    before, during, after = (
        time_asked(f"What did I do {word} {phrase}?", reference).exact_span for word in ("before", "in", "after")
    )
    assert before is not None
    assert after is not None
    assert before.end is not None
    assert after.start is not None
    assert before.start is None
    assert after.end is None
    assert before.end < after.start
    if during is not None:
        assert (before.end, after.start) == (during.start, during.end)


@given(st.sampled_from(NAMED_ZH), MOMENTS)
def test_chinese_before_and_after_do_not_overlap(phrase: str, moment: datetime) -> None:
    reference = moment.replace(tzinfo=UTC)
    before, after = (time_asked(f"{phrase}{word}我做了什么？", reference).exact_span for word in ("之前", "之后"))
    assert before is not None
    assert after is not None
    assert before.end is not None
    assert after.start is not None
    assert before.start is None
    assert after.end is None
    assert before.end < after.start


@pytest.mark.parametrize("text", ["2000年后十十周", "春节后十十天", "五月三三日之前", "上个月前两三十年"])
def test_invalid_numerals_give_no_time_and_no_error(text: str) -> None:
    assert all("十十" not in asked.phrase for asked in time_asked(text, datetime(2000, 1, 1, tzinfo=UTC)).asked)


PIECES = ["last", "week", "May", "2023", "before", "between", "and", "Friday", "at 5", "Q3", "31", "ago", "three", "of"]
PIECES_ZH = ["上", "周", "三", "月", "2023年", "之前", "到", "春节", "第", "初", "点", "半", "后", "最近", "个", "十"]


@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from(PIECES)).map(" ".join),
        st.lists(st.sampled_from(PIECES_ZH)).map("".join),
    ),
    st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)),
)
def test_any_text_at_any_reference_time_is_parsed(text: str, moment: datetime) -> None:
    time = time_asked(text, moment.replace(tzinfo=UTC))
    for asked in time.asked:
        assert text[asked.start : asked.end] == asked.phrase != ""
    for anchor in time.anchors:
        assert text[anchor.start : anchor.end] == anchor.words
    assert len(time.topic_of(text)) <= len(text) + 2 * len(time.asked)


def test_days_are_those_of_the_askers_zone() -> None:
    """Just after midnight in Shanghai it is still the day before in UTC."""
    span = time_asked("我今天做了什么", datetime(2024, 5, 15, 0, 30, tzinfo=CHINESE.tzinfo)).exact_span
    assert span is not None
    assert (datetime(2024, 5, 14, 16, tzinfo=UTC), datetime(2024, 5, 15, 16, tzinfo=UTC)) == (span.start, span.end)


def test_several_times_are_listed_and_covered_by_one_range() -> None:
    time = time_asked("What did I do in May 2022 and in August 2023?", ENGLISH)
    assert [asked.phrase for asked in time.asked] == ["in May 2022", "in August 2023"]
    span = time.exact_span
    assert span is not None
    assert (datetime(2022, 5, 1, tzinfo=UTC), datetime(2023, 9, 1, tzinfo=UTC)) == (span.start, span.end)
    assert time.meets(datetime(2022, 5, 3, tzinfo=UTC), datetime(2022, 5, 4, tzinfo=UTC))
    assert not time.meets(datetime(2022, 7, 3, tzinfo=UTC), datetime(2022, 7, 4, tzinfo=UTC))


def test_time_expressions_can_be_removed_from_the_question() -> None:
    question = "What did Joanna watch on 1 May, 2022 with Nate?"
    assert time_asked(question, ENGLISH).topic_of(question) == "What did Joanna watch with Nate?"
    question = "去年国庆我去了哪里？"
    assert time_asked(question, CHINESE).topic_of(question) == "我去了哪里？"


def test_only_questions_about_messages_filter_by_time() -> None:
    told = time_asked("What did we talk about yesterday?", ENGLISH)
    assert told.limit == told.exact_span is not None
    assert time_asked("Where did I go yesterday?", ENGLISH).limit is None
    assert time_asked("What did we talk about lately?", ENGLISH).limit is None
    assert Force.PREFERS is time_asked("昨天我听说的餐厅叫什么？", CHINESE).asked[0].force


def test_exact_day_overrides_a_vague_one() -> None:
    time = time_asked("What did Joanna recently watch on February 7, 2022?", ENGLISH)
    assert [asked.phrase for asked in time.asked] == ["on February 7, 2022"]


def test_only_the_last_question_of_a_long_text_counts() -> None:
    text = "I won yesterday. It was great. We all sang. What did I do last summer?"
    assert [asked.phrase for asked in time_asked(text, ENGLISH).asked] == ["last summer"]


def test_events_keep_the_words_of_the_question() -> None:
    anchor = time_asked("Where did Ann live before Moving to Rome?", ENGLISH).anchors[0]
    assert (anchor.side, anchor.words) == (Side.BEFORE, "Moving to Rome")
