"""Test decisions on items: versions, tokens that narrow a search, and the text that is searched."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.items.writes import (
    SEARCHED_CHARS_MAX,
    VALUE_BYTES_MAX,
    ItemWrite,
    StoredVersion,
    decide_writes,
    field_token,
    item_id,
    item_tokens,
    namespace_token,
    narrowing_tokens,
    searched_text,
    value_problem,
    value_text,
)
from schema.errors import ConflictError
from schema.filters import matches, parse_filter

NOW = datetime(2026, 3, 1, tzinfo=UTC)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
writes = st.lists(
    st.builds(
        ItemWrite,
        namespace=st.just(("ns",)),
        key=st.sampled_from("abc"),
        value=st.none() | st.integers(),
        user_id=st.none(),
        index=st.none(),
        expires_at=st.none(),
        ttl_s=st.none(),
        if_version=st.none() | st.integers(0, 3),
    ),
    min_size=1,
    max_size=8,
)


@given(writes)
def test_writes_of_one_call_equal_the_same_writes_in_calls_of_their_own(calls: list[ItemWrite]) -> None:
    stored: dict[str, StoredVersion] = {}
    answers: list[Any] = []
    try:
        for place, write in enumerate(calls):
            outcome = decide_writes([write], stored, now=NOW + timedelta(microseconds=place))
            (answer,) = outcome.answers
            answers.append(answer)
            if answer is None:
                stored.pop(write.id, None)
            else:
                stored[write.id] = StoredVersion(
                    version=answer.version, created_at=answer.created_at, updated_at=answer.updated_at
                )
    except ConflictError:
        with pytest.raises(ConflictError):
            decide_writes(calls, {}, now=NOW)
        return
    together = decide_writes(calls, {}, now=NOW)
    assert list(together.answers) == answers
    assert {name for name, (_, item) in together.final.items() if item is not None} == set(stored)


def test_update_is_later_than_the_stored_one_even_if_the_clock_is_behind() -> None:
    write = ItemWrite(namespace=("ns",), key="k", value=1)
    ahead = StoredVersion(version=4, created_at=NOW, updated_at=NOW + timedelta(hours=1))
    (item,) = decide_writes([write], {write.id: ahead}, now=NOW).answers
    assert item is not None
    assert (item.version, item.created_at) == (5, NOW)
    assert item.updated_at > ahead.updated_at


@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4), st.text(), st.text())
def test_ids_are_equal_only_for_equal_namespaces_and_keys(
    one: list[str], other: list[str], key: str, other_key: str
) -> None:
    same = (one, key) == (other, other_key)
    assert (item_id(None, one, key) == item_id(None, other, other_key)) is same
    assert item_id("ana", one, key) != item_id(None, one, key)


@given(json_values)
def test_value_text_is_json_that_a_database_can_store(value: Any) -> None:
    text = value_text(value)
    assert json.loads(text) == value
    assert text.encode()
    assert value_problem(value) is None


def test_value_text_keeps_halves_of_surrogate_pairs() -> None:
    assert json.loads(value_text({"a": "\ud83d", "b": "茶"})) == {"a": "\ud83d", "b": "茶"}
    assert value_text("茶\x00") == '"茶\\u0000"'


def test_value_of_exactly_the_largest_size_is_accepted() -> None:
    assert value_problem("x" * (VALUE_BYTES_MAX - 2)) is None
    assert value_problem("茶" * (VALUE_BYTES_MAX // 3)) is not None


fields = st.dictionaries(
    st.sampled_from(["a", "b", "c.d", "e"]),
    st.sampled_from([1, 1.0, 2, True, None, "x", "1", [1], {"d": 1}]),
    max_size=4,
)


@given(fields, fields)
def test_narrowing_leaves_out_no_item_that_matches(value: dict[str, Any], where: dict[str, Any]) -> None:
    tree = parse_filter({name: {"eq": one} for name, one in where.items()})
    for stored in (value, {**value, **{f"f{number}": number for number in range(150)}}):
        tokens = set(item_tokens("t", "ana", ["ns", "sub"], stored))
        assert {namespace_token("t", "ana", prefix) for prefix in ([], ["ns"], ["ns", "sub"])} <= tokens
        if matches(tree, stored):
            assert all(tokens & set(pair) for pair in narrowing_tokens("t", "ana", tree))


def test_tokens_differ_between_tenants_owners_and_kinds_of_values() -> None:
    assert field_token("t", "", "n", 1) == field_token("t", "", "n", 1.0)
    different = [
        field_token("t", "", "n", 1),
        field_token("t", "", "n", "1"),
        field_token("t", "", "n", True),
        field_token("t", "ana", "n", 1),
        field_token("t2", "", "n", 1),
        namespace_token("t", "", ["n", "1"]),
        namespace_token("t", "", ["n", "1", ""]),
    ]
    assert len(set(different)) == len(different)


def test_searched_text_follows_paths_into_objects_and_lists() -> None:
    value = {
        "title": "A",
        "chapters": [{"text": "B", "n": 1}, {"text": ["C", "\ud800D\x00"]}],
        "x.y": "E",
        "x": {"y": "F"},
    }
    assert searched_text(value, None) == "A\nB\nC\nD\nE\nF"
    assert searched_text(value, ("chapters.text",)) == "B\nC\nD"
    assert searched_text(value, ("title", "x.y", "missing.path")) == "A\nE"
    assert searched_text(value, ()) is None
    assert searched_text(5, None) is None
    cut = searched_text(["x" * 30_000, "y"], None)
    assert cut is not None
    assert len(cut) == SEARCHED_CHARS_MAX
    write = ItemWrite(namespace=("ns",), key="k", value=value)
    assert replace(write, key="K").id != write.id
