"""Test which Cypher of analysts is accepted, without a database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.graph.cypher_rules import STATEMENT_CHARS_MAX, check_parameters, check_plan, check_words, tokens_of
from schema.errors import InputError
from tests.support.growth import cpu_within

PIECES = st.sampled_from(
    ["RETURN", "WITH", "[", "]", "(", ")", "{", "}", "x", "IN", "range", "reduce", "'a'", '"', "'", "`", "``", "/*",
     "*/", "//", "\n", ";", "+", "=~", "..", ".", "1", "1.", "CALL", "db", "CASE", "END", "\\", "\\u", "$", "|", "中",
     "é", ","]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60).map(" ".join))
def test_check_words_accepts_or_refuses_any_text(text: str) -> None:
    try:
        checked = check_words(text)
    except InputError:
        return
    assert text.strip().startswith(checked.strip())


@given(st.text(max_size=200))
def test_tokens_have_all_text_except_whitespace_and_comments(text: str) -> None:
    try:
        tokens = tokens_of(text)
    except InputError:
        return
    left = text
    for token in tokens:
        assert token.text in left
        left = left[left.index(token.text) + len(token.text) :]


@pytest.mark.parametrize(
    "piece", ["[x IN ", "any(x IN ", "range(", "/*", "'", "`", "(", "CASE ", "a.", "a+", "CALL ", "=~ '("]
)
def test_longest_statements_are_checked_quickly(piece: str) -> None:
    """Each character is read a few times; a quadratic pass over 20,000 of them would take many seconds."""
    text = ("RETURN " + piece * STATEMENT_CHARS_MAX)[:STATEMENT_CHARS_MAX]
    with cpu_within(5), pytest.raises(InputError):
        check_words(text)


def test_unknown_operators_are_refused() -> None:
    known = {"operatorType": "ProduceResults@neo4j", "children": [{"operatorType": "NodeIndexSeekByRange@neo4j"}]}
    check_plan(known, "r")
    with pytest.raises(InputError, match="RunQueryElsewhere"):
        check_plan({"operatorType": "ProduceResults@neo4j", "children": [{"operatorType": "RunQueryElsewhere@x"}]}, "r")
    with pytest.raises(InputError, match="server or its schema"):
        check_plan(None, None)


def test_parameters_of_a_viewer_are_accepted() -> None:
    check_parameters({"user": "ana", "n": 5, "list": [1.5, None, True, {"a": ["深"]}]})
