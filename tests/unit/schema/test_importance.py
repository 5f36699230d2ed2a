"""Test the common scale of importance, and merging details of a fact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.importers.conversation_files import MessageRow
from schema.errors import InputError
from schema.fact import FactDetail, FactKind
from schema.importance import importance_given, importance_of, importance_of_strength


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("low", 3),
        (" Medium ", 6),
        ("high", 8),
        ("CRITICAL", 10),
        (0.5, 5),
        ("0.85", 8),
        (1, 1),
        ("1", 1),
        (1.0, 10),
        (7, 7),
        (99, 10),
        (-4, 1),
        (0, 1),
        ("低", 3),
        ("极高", 10),
    ],
)
def test_importance_of_words_fractions_and_numbers(said: str | float, meant: int) -> None:
    assert importance_of(said) == meant


@pytest.mark.parametrize("said", [None, "", "enormous", "nan", float("inf"), "-inf"])
def test_importance_of_invalid_input_is_none(said: str | float | None) -> None:
    assert importance_of(said) is None


@pytest.mark.parametrize("said", ["HIGH", "高", "8", 8])
def test_importance_given_by_a_caller_is_a_number_or_a_word(said: str | int) -> None:
    row = MessageRow.model_validate({"text": "x", "importance": said})
    assert (importance_given(said), row.importance) == (8, 8)


@pytest.mark.parametrize("said", ["enormous", "", "0.8", 0.8, True, ["high"]])
def test_importance_given_as_anything_else_names_the_words(said: object) -> None:
    with pytest.raises(InputError, match="low, medium, high"):
        importance_given(said)


@given(st.floats(0, 1))
def test_every_strength_has_an_importance(strength: float) -> None:
    assert 1 <= importance_of_strength(strength) <= 10


details = st.builds(
    FactDetail,
    kind=st.sampled_from(FactKind),
    rationale=st.sampled_from([None, "cheaper", "closer"]),
    steps=st.sampled_from([(), ("open → done",)]),
)


@given(details, details)
def test_merging_details_is_independent_of_order(one: FactDetail, two: FactDetail) -> None:
    """A decision stays a decision, in whichever order the two were extracted."""
    joined = one.joined(two, first=True)
    assert joined == two.joined(one, first=False)
    assert joined == joined.joined(two, first=True)
