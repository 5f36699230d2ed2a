"""Test that the words around statements are blanked, and nothing of the statements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.text.fillers import without_fillers


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Well, I love tea.", "I love tea."),
        ("ok so I live in Porto", "I live in Porto"),
        ("Right, my sister works as a nurse. Oh, and I moved!", "my sister works as a nurse. I moved!"),
        ("Remember that I'm allergic to nuts, thanks!", "I'm allergic to nuts,"),
        ("Please note: my locker is 212", "my locker is 212"),
        ("- I love tea\n2. I live in Graz", "I love tea I live in Graz"),
        ("I live in Porto, any tips?", "I live in Porto"),
        ("## Home\n**Remember that I live in Porto**", "Home I live in Porto"),
        ("Since I live in Porto, I know it.", "I live in Porto, I know it."),
        ("嗯，好的，我住在里斯本。", "我住在里斯本。"),
        ("帮我记一下，我对花生过敏", "我对花生过敏"),
        ("そういえば、妹は看護師です", "妹は看護師です"),
        ("na ja, ich wohne in Graz", "ich wohne in Graz"),
        ("Shoes are 24.5, and sneakers 25.", "Shoes are 24.5, and sneakers 25."),
        ("Well-made shoes matter. Right turns are hard.", "Well-made shoes matter. Right turns are hard."),
        ("Oh great, I just love queues.", "Oh great, I just love queues."),
        ("I live in Porto, right?", "I live in Porto, right?"),
        ("Turn down the heating, please", "Turn down the heating, please"),
        ("那天我住在里斯本", "那天我住在里斯本"),
    ],
)
def test_words_around_statements_are_blanked(text: str, kept: str) -> None:
    assert " ".join(without_fillers(text).split()) == kept
    assert len(without_fillers(text)) == len(text)


@given(
    st.lists(
        st.sampled_from(
            ["Well, ", "ok so ", "I love tea", "嗯，", "我住在里斯本", ". ", "\n", "- ", ", any tips?", "24.5、"]
        )
    )
)
def test_texts_keep_their_length_and_all_that_is_not_blanked(pieces: list[str]) -> None:
    text = "".join(pieces)
    blanked = without_fillers(text)
    assert len(blanked) == len(text)
    assert all(after in (before, " ") for before, after in zip(text, blanked, strict=True))
