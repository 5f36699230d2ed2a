"""Test that the words around statements are blanked, and nothing of the statements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.text.fillers import plain_question, without_fillers


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


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("where do I live", "where do I live?"),
        ("WHERE DO I LIVE?", "where do i live?"),
        ("hey, quick question: where do I live?", "where do I live?"),
        ("Do you remember which hotel I booked?", "which hotel I booked?"),
        ("can you remind me: when is my flight", "when is my flight?"),
        ("sorry one more thing, when is it?", "when is it?"),
        ("那个，我住在哪里", "我住在哪里？"),
        ("请问我的航班几点", "我的航班几点？"),
        ("你还记得我妹妹叫什么吗？", "我妹妹叫什么吗？"),
        ("sag mal, weißt du noch, wann mein Flug geht?", "wann mein Flug geht?"),
        ("oye, ¿te acuerdas dónde vivo?", "dónde vivo?"),
        ("dis-moi, quel est mon vol ?", "quel est mon vol ?"),
        ("ねえ、忘れちゃった、部屋番号は", "部屋番号は？"),
        ("cafe\u0301 near me", "café near me"),
        ("What did I forget?", "What did I forget?"),
        ("Do you remember my sister?", "Do you remember my sister?"),
        ("Tell me about my dog.", "Tell me about my dog."),
        ("我忘了什么？", "我忘了什么？"),
        ("问问题最多的是谁？", "问问题最多的是谁？"),
        ("USA", "USA"),
        ("IBM USA", "IBM USA"),
        ("Which song is Thank You?", "Which song is Thank You?"),
        ("提醒我吃药的是谁？", "提醒我吃药的是谁？"),
        ("你还记得我吗？", "你还记得我吗？"),
        ("my phone number", "my phone number"),
        ("in which town do I live", "in which town do I live?"),
        ("wie heißt mein Chef", "wie heißt mein Chef?"),
        ("thanks", "thanks"),
        ("?", "?"),
    ],
)
def test_question_is_read_without_its_opening(question: str, plain: str) -> None:
    assert plain_question(question) == plain


@given(st.text())
def test_question_keeps_a_word(question: str) -> None:
    plain = plain_question(question)
    assert any(char.isalnum() for char in plain) or not any(char.isalnum() for char in question)
