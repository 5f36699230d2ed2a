"""Test which occurrence of a time a message means, by tables of messages in which half was kept aside."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from extraction.temporal.direction import Direction, direction_of
from extraction.temporal.phrases import plain, spans_in
from tests.support.growth import cpu_within

ZONES = {"en": UTC, "zh": timezone(timedelta(hours=8))}
HALVES = ("dev", "kept")
# Read by tables of words; by two authors who did not see them.
BY_TABLE = ("de", "es", "fr", "ja")


def rows(language: str, half: str) -> Iterator[tuple[datetime, str, str]]:
    """Return when each message of a half was said, the message, and the span from its first to its last time."""
    lines = (Path(__file__).parent / f"message_time_{language}.tsv").read_text("utf-8").splitlines()[1:]
    for line in lines:
        of_half, said, message, expected = line.split("\t")
        if of_half == half:
            yield datetime.fromisoformat(said).replace(hour=10, tzinfo=ZONES.get(language, UTC)), message, expected


def shown(message: str, said_at: datetime) -> str:
    """Return the times of a message in the notation of the tables."""
    spans = [found.span for found in spans_in(message, said_at)]
    starts, ends = [span.start for span in spans if span.start], [span.end for span in spans if span.end]
    if not starts:
        return "-"
    local = (
        moment.astimezone(said_at.tzinfo).strftime("%Y-%m-%dT%H").removesuffix("T00")
        for moment in (min(starts), max(ends))
    )
    return "..".join(local)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("language", ZONES)
def test_at_least_95_percent_of_messages_have_their_time(language: str, half: str) -> None:
    """Plans and appointments look forward, memories look back, bare dates prefer the nearest."""
    right = [shown(message, said_at) == expected for said_at, message, expected in rows(language, half)]
    assert sum(right) / len(right) >= 0.95


@pytest.mark.parametrize("language", BY_TABLE)
def test_at_least_90_percent_of_messages_in_other_languages_have_their_time(language: str) -> None:
    right = [shown(message, said_at) == expected for said_at, message, expected in rows(language, "dev")]
    assert len(right) >= 100
    assert sum(right) / len(right) >= 0.9


@pytest.mark.parametrize("language", ZONES)
def test_tables_have_at_least_120_messages_each(language: str) -> None:
    assert sum(1 for half in HALVES for _ in rows(language, half)) >= 120


SAID = datetime(2026, 3, 4, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("My exam is on 12 June.", "2026-06-12..2026-06-13"),
        ("My birthday party will be on 12 June.", "2026-06-12..2026-06-13"),
        ("We got married on 12 June.", "2025-06-12..2025-06-13"),
        ("They moved the hearing to 12 June.", "2026-06-12..2026-06-13"),
        ("He said he'd call on 1 March.", "2026-03-01..2026-03-02"),
        ("婚礼在九月", "2026-09-01..2026-10-01"),
        ("我6月3日飞东京", "2026-06-03..2026-06-04"),
        ("6月3日从东京飞回来的", "2025-06-03..2025-06-04"),
        ("手术改到6月3日了", "2026-06-03..2026-06-04"),
    ],
)
def test_tense_aspect_and_verb_decide_the_year(message: str, expected: str) -> None:
    assert shown(message, SAID) == expected


@pytest.mark.parametrize(
    "message",
    [
        "I usually swim on Friday.",
        "In summer I like to swim.",
        "周末人有点多",
        "周日我都会打电话",
        "我住18号",
        "on the 3rd try",
    ],
)
def test_repeated_times_and_numbers_are_no_time(message: str) -> None:
    assert shown(message, SAID) == "-"


@pytest.mark.parametrize(
    ("around", "expected"),
    [(("i was told it is on ", ""), Direction.FUTURE), (("dinner on ", " was great"), Direction.PAST)],
)
def test_the_verb_that_governs_the_time_decides(around: tuple[str, str], expected: Direction) -> None:
    text = plain("friday".join(around))
    start = text.index("friday")
    assert direction_of(text, start, start + len("friday")) is expected


@pytest.mark.parametrize("unit", ["moved on friday ", "to the ", "周五了", "会改到周五", "'s "])
def test_direction_is_read_from_the_surroundings_only(unit: str) -> None:
    text = unit * 2_000
    with cpu_within(0.1):
        direction_of(text, len(text) // 2, len(text) // 2 + 4)
