"""Test the expansion of Cypher fragments, and that no statement lists predicates by hand."""

import re
from pathlib import Path

import pytest

from graph_service.graph import statements
from graph_service.graph.statements import baseline_statements, expand_fragments, parse_statement, statement
from schema.errors import InstallError
from schema.predicates import fact_predicates, whitelist

_CYPHER = Path(statements.__file__).parent / "cypher"
_FACTS = "|".join(fact_predicates())


def expanded(text: str) -> str:
    return " ".join(expand_fragments(text, source="x/y").split())


def test_validity_fragments_expand_for_the_given_variable() -> None:
    open_ = (
        "f.invalid_at IS NULL OR f.invalid_at > $valid_at"
        " OR coalesce(f.closing_known_at, f.known_at, f.recorded_at) > $known_at"
    )
    begun_by = (
        "CASE WHEN f.valid_at <= $valid_at THEN true"
        " ELSE f.valid_at = f.invalid_at AND f.known_at = f.closing_known_at END"
    )
    assert expanded("{{open f}}") == open_
    assert expanded("{{holds f}}") == (
        f"{begun_by} AND ($known_at IS NULL OR coalesce(f.known_at, f.recorded_at) <= $known_at) AND ({open_})"
    )
    assert expanded("{{started f}}") == (
        f"($valid_at IS NULL OR f.valid_at IS NULL OR {begun_by})"
        " AND ($known_at IS NULL OR coalesce(f.known_at, f.recorded_at, f.first_seen) <= $known_at)"
    )
    assert f"{expanded('{{begun f}}')} AND ({open_})" == expanded("{{holds f}}")
    assert expanded("{{end_known f}}") == (
        "($known_at IS NULL OR coalesce(f.closing_known_at, f.known_at, f.recorded_at) <= $known_at)"
    )
    assert expanded("{{current f}}") == "(f.invalid_at IS NULL OR f.invalid_at > datetime())"


def test_parameters_that_may_be_null_or_a_list_are_sent_in_one_map() -> None:
    """Neo4j would plan the statement anew for null, for an empty list and for a list of texts."""
    header = "// $tenant: str\n// $ids: list of str\n// $until_ms: int or null\n// $id: str\n// -> n\n"
    written = parse_statement(
        "x/y", header + "MATCH (n {t: $tenant, id: $id}) WHERE n.id IN $ids OR $until_ms < 1 RETURN n"
    )
    assert written.parameters == {"tenant", "ids", "until_ms", "id"}
    assert written.text.endswith(
        "MATCH (n {t: $tenant, id: $id}) WHERE n.id IN $given.ids OR $given.until_ms < 1 RETURN n"
    )
    sent = written.values({"tenant": "t", "id": "a", "ids": [], "until_ms": None})
    assert sent == {"tenant": "t", "id": "a", "given": {"ids": [], "until_ms": None}}


def test_no_statement_writes_the_validity_condition_by_hand() -> None:
    by_hand = re.compile(
        r"coalesce\([^()]*known_at[^()]*\)\s*[<>]|[<>]=?\s*coalesce\([^()]*known_at|invalid_at\s*>|>\s*\w+\.invalid_at"
    )
    for path in _CYPHER.rglob("*.cypher"):
        code = "\n".join(line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("//"))
        assert not by_hand.search(code), f"{path.name}: use a fragment of graph/fragments.toml"


def test_predicates_expand_to_the_types_of_facts() -> None:
    assert expanded("()-[r:{{predicates}}]->()") == f"()-[r:{_FACTS}]->()"
    assert set(fact_predicates()) == set(whitelist()) - {"MENTIONED"}


def test_each_repeats_its_text_for_every_predicate() -> None:
    parts = [f"MATCH ()-[r:{name}]->() RETURN r, '{name.lower()}'" for name in whitelist()]
    body = "{{each predicate, UNION ALL}} MATCH ()-[r:{{predicate}}]->() RETURN r, '{{predicate_name}}' {{end}}"
    assert expanded(body) == " UNION ALL ".join(parts)
    assert expanded("{{each fact, OR}} r:{{predicate}} {{end}}") == " OR ".join(f"r:{n}" for n in fact_predicates())


@pytest.mark.parametrize("text", ["{{held r}}", "{{holds}}", "{{holds r.x}}", "{{predicate}}", "{{end}}", "{{}}"])
def test_unknown_fragments_are_refused_at_load(text: str) -> None:
    with pytest.raises(InstallError, match=r"'folder/file' has the unknown fragment \{\{"):
        parse_statement("folder/file", f"// Summary.\nRETURN {text}")


@pytest.mark.parametrize("name", ["lookup/fact_by_id", "facts/closing_texts", "profile/core_memory", "recall/recall"])
def test_loaded_statements_have_their_fragments_expanded(name: str) -> None:
    assert "{{" not in statement(name).text


def test_a_new_predicate_reaches_every_statement_that_names_predicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "fact_predicates", lambda: (*fact_predicates(), "ADMIRES"))
    monkeypatch.setattr(statements, "whitelist", lambda: [*whitelist(), "ADMIRES"])
    using = 0
    for path in _CYPHER.rglob("*.cypher"):
        text = path.read_text(encoding="utf-8")
        code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
        assert not re.search("PREFERS|DISLIKES|CARES_ABOUT", code), f"{path.name}: use a fragment"
        if re.search(r"\{\{(predicates|each (fact|predicate),)", code):
            using += 1
            assert "ADMIRES" in parse_statement(path.stem, text).text, path.name
    assert using > 20


def test_baseline_defines_indexes_for_every_predicate() -> None:
    texts = {one.name.removeprefix("baseline/"): one.text for one in baseline_statements()}
    assert len(texts) == 61 + len(whitelist()) + len(fact_predicates())
    assert all(f"FOR ()-[r:{name}]-() REQUIRE" in texts[f"{name.lower()}_id"] for name in whitelist())
    assert all(f"FOR ()-[r:{name}]-() ON" in texts[f"{name.lower()}_unembedded"] for name in fact_predicates())
    assert f"[r:{_FACTS}]" in texts["fact_words"]
    assert f"[r:{_FACTS}]" in texts["fact_stems"]
    assert all(" IF NOT EXISTS " in text for text in texts.values())
