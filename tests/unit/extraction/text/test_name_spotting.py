"""Test what kind of name a text is taken to mention."""

import pytest

from extraction.text.name_spotting import names_in
from extraction.text.sentences import Sentence
from schema.entity import EntityType


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("She got a scarf at Sophia’s birthday party.", [("Sophia", None)]),
        ("She got a scarf at Sophia's birthday party.", [("Sophia", None)]),
        ("She got a scarf at Harrods.", [("Harrods", EntityType.PLACE)]),
        ("比如莎士比亚的书。", [("莎士比亚", EntityType.PERSON)]),
        ("他去了哥本哈根。", [("哥本哈根", EntityType.PLACE)]),
    ],
)
def test_name_of_a_person_is_no_place(text: str, names: list[tuple[str, EntityType | None]]) -> None:
    assert names_in([Sentence(text=text, start=0, end=len(text))]) == names
