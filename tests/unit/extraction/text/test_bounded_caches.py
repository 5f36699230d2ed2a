"""Test that caches of external texts use bounded memory."""

import gc
import re
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from extraction.text import stems
from extraction.text.name_forms import bare
from extraction.text.stems import stem
from schema.result_cache import cached_by_chars
from schema.zones import zone_named

ROOT = Path(__file__).parents[4]


def test_result_is_computed_once_and_kept_while_there_is_room() -> None:
    asked: list[str] = []

    @cached_by_chars(chars_max=1_000, entries_max=3)
    def upper(text: str) -> str:
        asked.append(text)
        return text.upper()

    assert [upper(text) for text in ("a", "b", "a", "c", "a")] == ["A", "B", "A", "C", "A"]
    assert asked == ["a", "b", "c"]
    upper("d")
    upper("a")
    assert asked == ["a", "b", "c", "d"], "the longest unused goes first"
    for _ in range(2):
        assert upper("x" * 2_000) == "X" * 2_000
    assert len(asked) == 6, "what is longer than all that may be kept is not kept"
    upper("y" * 800)
    upper("a")
    upper("b")
    assert asked[-3:] == ["x" * 2_000, "y" * 800, "b"]


def test_none_results_and_threads_are_supported() -> None:
    @cached_by_chars(chars_max=10_000, entries_max=50)
    def first(text: str) -> str | None:
        return text[0] if text else None

    assert first("") is first("") is None
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda number: first(str(number % 200)), range(5_000)))
    assert found == [str(number % 200)[0] for number in range(5_000)]


# Every remaining lru_cache and cache, and why its values are small.
BY_NUMBER = {
    "stems._stem": "words of 60 characters at most",
    "attributes._attribute": "relations and names of 200 characters at most",
    "attributes.names_favorite": "relations of 200 characters at most",
    "holidays.new_year": "years",
    "options._say_once": "eight notes of our own",
    "assertion._moment_of": "numbers of our own",
    "assertion._number_of": "moments",
}


def test_no_cache_of_texts_is_bounded_by_count_only() -> None:
    """Regression: three caches kept 8,192 texts of up to 100,000 characters each, with all their words."""
    found = set()
    for package in ("extraction", "graph_service", "schema"):
        for file in (ROOT / package).rglob("*.py"):
            for name in re.findall(r"@(?:functools\.)?lru_cache\b.*\ndef (\w+)", file.read_text("utf-8")):
                found.add(f"{file.stem}.{name}")
    assert found == set(BY_NUMBER)


def test_unknown_words_and_zones_are_not_cached() -> None:
    before = stems._stem.cache_info().currsize
    assert stem("a" * 10_000) == "a" * 10_000
    assert stems._stem.cache_info().currsize == before
    assert zone_named("x" * 1_000_000) is None
    assert zone_named("Asia/Shanghai") is zone_named("Asia/Shanghai") is not None


@pytest.mark.slow
def test_long_texts_leave_little_in_memory() -> None:
    """120 texts of 40,000 characters exceed the bound together."""
    texts = [f"{number} " + "tea and jasmine " * 2_500 for number in range(120)]
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(120):
            bare(texts[number] + str(number))
        gc.collect()
        took = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    # A text and its result, of at most two million characters instead of 9.6 million.
    assert took <= 5e6
