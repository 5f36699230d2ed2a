"""Test the filter language: operators, combinations, what is refused, and laws that hold for all filters and values."""

import operator as python
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.errors import InputError
from schema.filters import CONDITIONS_MAX, DEPTH_MAX, EVERYTHING, matches, parse_filter, required_values

VALUE = {
    "kind": "a",
    "n": 5.5,
    "on": True,
    "tags": ["x", "Y"],
    "m": {"x": 1, "y": {"z": None}},
    "dot.ted": 3,
    "中": "咖啡",
}


def holds(where: object, value: dict[str, Any] = VALUE) -> bool:
    return matches(parse_filter(where), value)


@pytest.mark.parametrize(
    "where",
    [
        None,
        {},
        {"kind": "a", "n": {"gt": 5, "lte": 5.5}},
        {"kind": {"eq": "a", "ne": "b"}},
        {"n": {"gte": 5.5, "lt": 6}},
        {"kind": {"in": ["b", "a"]}},
        {"kind": {"gt": "A"}},
        {"on": True},
        {"tags": ["x", "Y"]},
        {"tags": {"contains": "Y"}},
        {"中": {"contains": "咖"}},
        {"m": {"eq": {"y": {"z": None}, "x": 1.0}}},
        {"m.x": 1},
        {"m.y.z": None},
        {"dot.ted": 3},
        {"missing": None},
        {"missing": {"ne": "a"}},
        {"NOT": {"missing": {"gt": 1}}},
        {"OR": [{"kind": "b"}, {"AND": [{"n": {"gt": 1}}, {"on": True}]}], "kind": "a"},
        {"kind": {"ne": None}},
    ],
)
def test_filter_matches(where: object) -> None:
    assert holds(where)


@pytest.mark.parametrize(
    "where",
    [
        {"kind": "A"},
        {"kind": "a", "n": {"gt": 5.5}},
        {"n": {"lt": 5}},
        {"n": "5.5"},
        {"n": {"gt": "1"}},
        {"on": 1},
        {"on": {"eq": "true"}},
        {"tags": {"contains": "y"}},
        {"tags": {"contains": ["x"]}},
        {"tags": {"gt": "a"}},
        {"kind": {"in": []}},
        {"m.x.deeper": 1},
        {"m.y": 1},
        {"missing": {"lte": 5}},
        {"missing": {"contains": ""}},
        {"missing": {"ne": None}},
        {"AND": [{"kind": "a"}, {"NOT": {"kind": "a"}}]},
    ],
)
def test_filter_does_not_match(where: object) -> None:
    assert not holds(where)


def test_contains_ignores_the_case_of_texts() -> None:
    assert holds({"t": {"contains": "STRASSE"}}, {"t": "Die Straße"})


@pytest.mark.parametrize(
    ("where", "named"),
    [
        ({"n": {"$gt": 5}}, r"'\$gt'"),
        ({"n": {"GT": 5}}, "'GT'"),
        ({"m": {"x": 1}}, "'x'"),
        ({"n": {"gt": None}}, "`gt`"),
        ({"n": {"lte": True}}, "`lte`"),
        ({"n": {"in": "a"}}, "`in`"),
        ({"n": {}}, "'n'"),
        ({"n": {"lt": float("nan")}}, "finite"),
        ({"": 1}, "a key"),
        ({"AND": {"n": 1}}, "AND"),
        ({"OR": []}, "OR"),
        ({"NOT": [{"n": 1}]}, "an object"),
        ([{"n": 1}], "an object"),
        ("n > 5", "an object"),
        ({"n": {"in": list(range(2_000))}}, "too large"),
        ({"n": {"contains": "x" * 20_000}}, "too large"),
        ({"a": {"OR" * 40: 1}}, "…"),
    ],
)
def test_invalid_filter_is_refused_with_what_is_wrong(where: object, named: str) -> None:
    with pytest.raises(InputError, match=named):
        parse_filter(where)


def test_filters_are_bounded_in_depth_and_conditions() -> None:
    nested: object = {"n": 1}
    for _ in range(DEPTH_MAX - 1):
        nested = {"NOT": nested}
    parse_filter(nested)
    with pytest.raises(InputError, match="levels"):
        parse_filter({"NOT": nested})
    ten = {"OR": [{"n": {"gt": i, "lt": i + 2}} for i in range(CONDITIONS_MAX // 2)]}
    parse_filter(ten)
    with pytest.raises(InputError, match="conditions"):
        parse_filter({**ten, "kind": "a"})
    operand: Any = []
    for _ in range(100):
        operand = [operand]
    with pytest.raises(InputError, match="too large"):
        parse_filter({"n": {"eq": operand}})


def test_required_values_are_those_of_every_match() -> None:
    where = {
        "a": "x",
        "b": {"eq": 2, "gt": 1},
        "AND": [{"c": True}],
        "OR": [{"d": 1}],
        "NOT": {"e": 1},
        "f": {"ne": 1},
        "g": None,
    }
    assert required_values(parse_filter(where)) == {"a": "x", "b": 2, "c": True}


keys = st.sampled_from(["a", "b", "c.d"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-3, 3)
    | st.sampled_from(["", "a", "A", "b", "2026-01-01"])
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=2), max_leaves=4
)
mappings = st.dictionaries(keys, values, max_size=3)
conditions = st.one_of(
    st.tuples(keys, st.sampled_from(["eq", "ne", "contains"]), values),
    st.tuples(keys, st.just("in"), st.lists(values, max_size=3)),
    st.tuples(keys, st.sampled_from(["gt", "gte", "lt", "lte"]), st.integers(-3, 3) | st.sampled_from(["a", "b"])),
).map(lambda one: {one[0]: {one[1]: one[2]}})
filters = st.recursive(
    conditions,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).flatmap(lambda parts: st.sampled_from([{"AND": parts}, {"OR": parts}]))
        | inner.map(lambda part: {"NOT": part})
    ),
    max_leaves=5,
)


@given(filters, filters, mappings)
def test_combinations_follow_boolean_algebra(one: Any, other: Any, value: dict[str, Any]) -> None:
    first, second = holds(one, value), holds(other, value)
    assert holds({"AND": [one, other]}, value) is (first and second)
    assert holds({"OR": [one, other]}, value) is (first or second)
    assert holds({"NOT": one}, value) is not first


@given(keys, values, mappings)
def test_ne_is_the_complement_of_eq_and_in_of_one_value_is_eq(key: str, operand: Any, value: dict[str, Any]) -> None:
    equal = holds({key: {"eq": operand}}, value)
    assert holds({key: {"ne": operand}}, value) is not equal
    assert holds({key: {"in": [operand]}}, value) is equal


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, numbers)
def test_numbers_are_ordered_as_numbers(one: float, other: float) -> None:
    for name in ("gt", "lt"):
        assert holds({"n": {name: other}}, {"n": one}) is getattr(python, name)(one, other)
    for name, python_name in (("gte", "ge"), ("lte", "le")):
        assert holds({"n": {name: other}}, {"n": one}) is getattr(python, python_name)(one, other)


@given(filters, mappings)
def test_every_match_has_the_required_values(where: Any, value: dict[str, Any]) -> None:
    tree = parse_filter(where)
    if matches(tree, value):
        assert all(holds({key: wanted}, value) for key, wanted in required_values(tree).items())


@given(st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner)), mappings)
def test_any_json_is_parsed_or_refused(where: Any, value: dict[str, Any]) -> None:
    try:
        tree = parse_filter(where)
    except InputError:
        return
    assert matches(tree, value) in (True, False)
    assert where is not None or tree == EVERYTHING
