"""Test facts that need more than their own words: whose relative it is, and whether a medicine is still taken."""

import pytest

from tests.unit.extraction.rules.rule_reading import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My sister's husband Femi works for Network Rail.",
            {("sister", "husband", "Femi"), ("Femi", "works at", "Network Rail")},
        ),
        ("My sister's husband works for Network Rail.", {("sister's husband", "works at", "Network Rail")}),
        ("My son's best friend Max is allergic to nuts.", {("son", "friend", "Max"), ("Max", None, "nuts")}),
        ("我妹妹的男朋友小张在上海。", {("妹妹", "男朋友", "小张")}),
        ("老公的妹妹小琴送了两罐。", {("老公", "妹妹", "小琴")}),
        ("My sister has a dog called Biscuit.", {("sister", "dog", "Biscuit")}),
        ("我养了一只叫豆豆的狗。", {("@user", "狗", "豆豆")}),
    ],
)
def test_relation_belongs_to_the_nearest_relative(text: str, expected: set[tuple[str, str | None, str]]) -> None:
    """Regression: 小张 was the user's own boyfriend."""
    facts = read(text).facts
    assert {(fact.subject, fact.relation, fact.object) for fact in facts} == expected


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("Dentist put me on amoxicillin and I came out in hives, so never again.", False),
        ("医生给我开了头孢，吃了就吐。", False),
        ("My doctor put me on metformin.", True),
        ("我每天吃二甲双胍。", True),
    ],
)
def test_medicine_with_a_bad_reaction_is_not_taken(text: str, taken: bool) -> None:
    assert ("takes" in {fact.relation for fact in read(text).facts}) is taken
