"""Test which lines of a message are those of a quoted chat."""

import pytest

from extraction.text.cues import without_chat_lines


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("the chat\n[Ann]: I'm allergic to latex\n[Bob]: beer is on me\nnuts are bad", "the chat\nnuts are bad"),
        ("群里的：\n小王：我花生过敏\n小赵：我都行", "群里的："),
        ("aus der Gruppe\nUwe: ich esse kein Schwein\nIna: bringe Salat", "aus der Gruppe"),
    ],
)
def test_chat_lines_of_others_are_left_out(text: str, own: str) -> None:
    assert without_chat_lines(text) == own


@pytest.mark.parametrize("text", ["Phone: 555 0199\nStreet: Elm Road 4", "Ann: I'm in Rome", "I have a cat: Tom"])
def test_labels_and_single_lines_stay(text: str) -> None:
    assert without_chat_lines(text) == text
