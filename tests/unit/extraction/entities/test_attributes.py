"""Test which relation labels mean the same attribute, and which attributes hold one value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.entities.attributes import Attribute, attribute_of, value_key
from extraction.rules.additive_cues import is_one_of_several, says_replaced
from tests.support.growth import assert_about_linear

_SAME = [
    [
        "lives in",
        "Lives_in",
        "living in",
        "is based in",
        "home city",
        "resides in",
        "current residence",
        "住在",
        "现居",
    ],
    ["employer", "works for", "current employer", "工作单位"],
    ["job title", "works as", "occupation", "her profession", "职位"],
    ["phone number", "phone", "new phone number", "number of phone", "电话", "联系电话"],
    ["wife", "married to", "girlfriend", "妻子", "女朋友"],
    ["project uses as database", "database", "uses database", "the project's database", "数据库", "使用的数据库"],
    ["deployed on", "hosted on", "deploy target", "部署在"],
    ["due date", "deadline", "截止日期"],
    ["time zone", "timezone", "时区"],
]
_MANY = [
    *["friend", "allergic to", "hobby", "sister", "does exercise", "has pet", "dog", "speaks", "works on", "plays"],
    *["finished reading", "hiked", "visited", "has learned", "former employer", "ex-wife", "old address", "worked at"],
    *["used by", "required merge check", "data source", "password hint", "wifi password", "uses", "project uses"],
    *["朋友", "过敏", "爱好", "姐姐", "宠物", "会说的语言", "去过", "看完了", "前妻", "密码提示", "使用"],
]
_OPEN = "fish supplier|draws with|teaches at|studies|settlement worker|sends home|芝麻酱供货|开的线路"


@pytest.mark.parametrize("labels", _SAME, ids=lambda labels: labels[0])
def test_labels_of_one_attribute_share_its_key_and_hold_one_value(labels: list[str]) -> None:
    found = {attribute_of("RELATES_TO", label, "1 May") for label in labels}
    assert len(found) == 1
    assert all(one is not None and one.one for one in found)


@pytest.mark.parametrize("label", _MANY)
def test_relations_of_many_values_state_no_attribute(label: str) -> None:
    assert attribute_of("RELATES_TO", label, "Anna") is None


@pytest.mark.parametrize("label", _OPEN.split("|"))
def test_unknown_relations_need_a_statement_of_change(label: str) -> None:
    found = attribute_of("RELATES_TO", label, "Anna")
    assert found is not None
    assert not found.one


def test_qualified_labels_are_attributes_of_their_own() -> None:
    labels = ["phone", "mobile", "work phone", "home phone", "emergency phone", "delivery address", "home address"]
    keys = [found.key for label in labels if (found := attribute_of("RELATES_TO", label, "1"))]
    assert len(set(keys)) == len(labels)


def test_amounts_of_one_medication_replace_each_other() -> None:
    one = attribute_of("RELATES_TO", "takes medication", "levothyroxine 75 micrograms")
    assert (
        one
        == attribute_of("RELATES_TO", "takes", "Levothyroxine 100 mcg daily")
        == Attribute("amount of levothyroxine", one=True)
    )
    assert attribute_of("RELATES_TO", "takes medication", "levothyroxine") is None
    assert attribute_of("RELATES_TO", "takes medication", "ramipril 5 mg") != one
    assert attribute_of("RELATES_TO", "服用", "优甲乐75微克") == attribute_of("RELATES_TO", "用药", "优甲乐100微克")


def test_the_object_decides_what_is_used() -> None:
    assert attribute_of("RELATES_TO", "project uses", "Postgres 16") == Attribute("database", one=False)
    assert attribute_of("RELATES_TO", "switched to", "Postgres") == Attribute("database", one=True)
    assert attribute_of("RELATES_TO", "uses", "a hammer") is None


def test_plans_and_undated_deadlines_state_no_attribute() -> None:
    assert attribute_of("CARES_ABOUT", "plan", "run a marathon") is None
    assert attribute_of("RELATES_TO", "deadline", "tax return") is None
    assert attribute_of("DISLIKES", "favorite color", "red") is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_label_is_read_the_same_way_twice(relation: str, name: str) -> None:
    assert attribute_of("RELATES_TO", relation, name) == attribute_of("RELATES_TO", f" {relation} ", name)
    assert value_key(name) == value_key(value_key(name))


@pytest.mark.parametrize(
    ("statement", "text", "name", "replaced", "beside"),
    [
        ("Tideline swapped Jest for vitest.", "", "vitest", True, False),
        ("Hollis uses uv instead of Poetry, in CI too.", "", "uv", True, False),
        ("Orla is Cora's manager now.", "", "Orla", True, False),
        ("Padraig now has Priest's Acre as well.", "", "Priest's Acre", False, True),
        ("Tres leches cups are the third new item.", "", "tres leches cups", False, True),
        ("Ana works at Acme.", "I've switched jobs. I'm at Acme.", "Acme", False, False),
        ("Ana works at Acme.", "I switched to Acme last week.", "Acme", True, False),
        ("Ana used to live in Berlin.", "", "Berlin", False, True),
        ("小梅的芝麻酱改从徐记进。", "", "徐记", True, False),
        ("小安现在开104路。", "", "104路", True, False),
        ("小安对头孢也过敏。", "", "头孢", False, True),
    ],
)
def test_words_of_change_and_of_addition_are_told_apart(
    statement: str, text: str, name: str, *, replaced: bool, beside: bool
) -> None:
    assert says_replaced(statement, [text], name) is replaced
    assert is_one_of_several(statement, name) is beside


@pytest.mark.parametrize("piece", ["a", "从", "now ", "from 1st ", "不是", ".a", "。", "the "])
def test_searching_for_words_of_change_takes_linear_time(piece: str) -> None:
    assert_about_linear(lambda n: lambda: says_replaced(piece * n, [piece * n], piece), 2_000, floor_s=0.05)
    assert_about_linear(lambda n: lambda: is_one_of_several(piece * n, piece), 2_000, floor_s=0.05)
    assert_about_linear(lambda n: lambda: attribute_of("RELATES_TO", piece * n, piece), 2_000, floor_s=0.05)
