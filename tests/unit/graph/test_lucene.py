"""Test that search input becomes a query for names and never query syntax."""

import pytest

from graph_service.graph.lucene import NOTHING, prefix_query


@pytest.mark.parametrize(
    ("typed", "clauses"),
    [
        ("jas", "+(name:jas*)"),
        ("pour over", "+(name:pour*) +(name:over*)"),
        ("茶", "+(name:*茶*)"),
        ("茉莉花", '+(name:"茉莉花")'),
        ("jazz爵士", '+(name:jazz*) +(name:"爵士")'),
        ('AND ") OR *:*', "+(name:and*) +(name:or*)"),
    ],
)
def test_prefix_query_matches_prefixes_and_chinese_anywhere(typed: str, clauses: str) -> None:
    assert prefix_query(typed, fields=["name"], scopes=["s1", "s2"]) == f"+(scope_user:s1 scope_user:s2)^0 {clauses}"


@pytest.mark.parametrize(("typed", "scopes"), [("  ?!", ["s"]), ("tea", [])])
def test_prefix_query_without_words_or_scopes_has_no_hits(typed: str, scopes: list[str]) -> None:
    assert prefix_query(typed, fields=["name"], scopes=scopes) == NOTHING
