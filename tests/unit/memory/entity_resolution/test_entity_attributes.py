"""Test that attributes of entities are bounded and the later value wins."""

import json

from graph_service.memory.entity_resolution.resolver import ATTRIBUTES_MAX, with_attributes


def test_later_value_wins_in_either_order_of_reading() -> None:
    old, new = [("colour", "red"), ("age", "3")], [("Colour", "blue")]
    forwards = with_attributes(with_attributes("", old, newer=True), new, newer=True)
    backwards = with_attributes(with_attributes("", new, newer=True), old, newer=False)
    assert json.loads(forwards) == json.loads(backwards) == {"colour": "blue", "age": "3"}
    assert forwards == backwards


def test_no_valid_attribute_stores_nothing() -> None:
    assert with_attributes("", [], newer=True) == ""
    assert with_attributes("", [("", "x"), ("x", " "), ("x", "\x00"), ("long", "v" * 301)], newer=True) == ""


def test_new_attributes_beyond_the_bound_are_dropped_and_stored_ones_stay() -> None:
    known = with_attributes("", [("颜色", "蓝")], newer=True)
    flooded = json.loads(with_attributes(known, [(f"n{i}", "v") for i in range(1000)], newer=True))
    assert len(flooded) == ATTRIBUTES_MAX
    assert flooded["颜色"] == "蓝"
