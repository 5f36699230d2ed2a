"""Test the token estimate against counts of real vocabularies.

The counts in token_counts.tsv were made with cl100k and o200k.
"""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.text.token_estimate import tokens_in

_COUNTS = (Path(__file__).parent / "token_counts.tsv").read_text("utf-8").splitlines()
_ROWS = list(csv.DictReader(_COUNTS, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("row", _ROWS, ids=range(len(_ROWS)))
def test_texts_never_cost_more_than_estimated(row: dict[str, str]) -> None:
    counts = [int(row["cl100k"]), int(row["o200k"])]
    # The older vocabulary has few words of these.
    most = 0.8 * max(counts) if row["language"] in ("de", "es", "fr") else max(counts)
    assert most <= tokens_in(row["text"]) <= 2.4 * min(counts)


@given(st.lists(st.text(max_size=60), max_size=6))
def test_sum_over_lines_is_at_least_the_estimate_of_the_text(lines: list[str]) -> None:
    assert sum(tokens_in(line) + 1 for line in lines) >= tokens_in("\n".join(lines))


@given(st.text(max_size=80), st.text(max_size=80))
def test_concatenated_text_is_not_estimated_much_lower(one: str, other: str) -> None:
    # Two halves of one word may cost one token less together than apart.
    assert tokens_in(one + other) >= tokens_in(one) - 1


def test_empty_text_costs_nothing_and_any_word_something() -> None:
    assert tokens_in("") == 0
    assert all(tokens_in(text) >= 1 for text in ("a", "猫", "7", "é", "😀", "\n"))
