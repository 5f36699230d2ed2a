"""Test that an event of a question is resolved by what messages say about it, and which time a question then means."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from extraction.query_analysis import analyse
from extraction.temporal.question_time import TimeAxis
from graph_service.memory.recall.event_time import event_time, with_event_time

ASKED = datetime(2026, 11, 24, 10, tzinfo=UTC)


def row(text: str, said: str, mentioned: str | None = None) -> dict[str, Any]:
    """Return a message said on one day, and perhaps about another."""
    start = datetime.fromisoformat(mentioned).replace(tzinfo=UTC) if mentioned else None
    return {
        "text": text,
        "said_at": datetime.fromisoformat(said).replace(hour=9, tzinfo=UTC),
        "mentioned_start": start,
        "mentioned_end": start and start + timedelta(days=1),
    }


def day_of(question: str, *rows: dict[str, Any]) -> str | None:
    (anchor, *_) = analyse(question, reference=ASKED).anchors
    found = event_time(anchor, rows, zone=UTC)
    return found and str(found[0].date())


def test_the_latest_message_that_dates_an_event_counts() -> None:
    first = row("The wedding is on 12 June.", "2026-03-01", "2026-06-12")
    moved = row("They moved the wedding to 3 July.", "2026-04-01", "2026-07-03")
    later = row("The wedding was wonderful.", "2026-08-20")
    assert day_of("What did I do before the wedding?", later, first, moved) == "2026-07-03"


def test_things_for_an_event_do_not_date_it() -> None:
    event = row("Our wedding is on 12 June.", "2026-03-01", "2026-06-12")
    shoes = row("Yesterday I bought shoes for the wedding.", "2026-05-05", "2026-05-04")
    assert day_of("What did I do after the wedding?", event, shoes) == "2026-06-12"


def test_an_event_without_a_date_was_when_it_was_told() -> None:
    assert day_of("What did I do before the flood?", row("We had a flood in the cellar!", "2026-02-03")) == "2026-02-03"


def test_other_words_are_not_the_event() -> None:
    assert day_of("What did I do before the wedding?", row("The meeting is on 12 June.", "2026-03-01")) is None


def test_inflected_forms_name_the_event() -> None:
    moved = row("We moved to Porto.", "2026-02-03", "2026-02-01")
    assert day_of("What did I do before moving to Porto?", moved) == "2026-02-01"
    assert day_of("搬家以后我做了什么？", row("我们昨天搬了家。", "2026-02-03", "2026-02-02")) == "2026-02-02"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did I do before the wedding?", (None, "2026-06-12")),
        ("What did I do after the wedding?", ("2026-06-13", None)),
        ("What has changed since the wedding?", ("2026-06-12", None)),
        ("What did I do two weeks before the wedding?", ("2026-05-26", "2026-06-02")),
        ("Where was I the day after the wedding?", ("2026-06-13", "2026-06-14")),
        ("婚礼之前我做了什么？", (None, "2026-06-12")),
        ("婚礼前两周我做了什么？", ("2026-05-26", "2026-06-02")),
        ("婚礼期间我做了什么？", ("2026-06-12", "2026-06-13")),
    ],
)
def test_the_side_of_the_event_decides(question: str, expected: tuple[str | None, str | None]) -> None:
    rows = [row("The wedding 婚礼 is on 12 June.", "2026-03-01", "2026-06-12")]
    analysis, (note,) = with_event_time(analyse(question, reference=ASKED), rows, question, zone=UTC)
    span = analysis.event_time
    assert span is not None
    shown = tuple(moment and str(moment.date()) for moment in (span.start, span.end))
    assert shown == expected
    assert "2026-06-12" in note


def test_an_unknown_event_changes_nothing() -> None:
    question = "What did I do before the wedding?"
    analysis = analyse(question, reference=ASKED)
    assert with_event_time(analysis, [], question, zone=UTC)[0] == analysis


@pytest.mark.parametrize(
    ("question", "axis"),
    [
        ("What did we talk about yesterday?", TimeAxis.SAID),
        ("What am I doing in December?", TimeAxis.HAPPENED),
        ("我十二月有什么安排？", TimeAxis.HAPPENED),
        ("Where did I go last summer?", TimeAxis.EITHER),
        ("Who is my sister?", TimeAxis.EITHER),
    ],
)
def test_the_question_decides_which_time_is_searched(question: str, axis: TimeAxis) -> None:
    assert analyse(question, reference=ASKED).time_axis is axis
