"""Test that English texts are told from others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.text.languages import is_english


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "42",
        "👍",
        "ok",
        "Where do I live?",
        "Ana: I moved to São Paulo last year.",
        "José: pizza",
        "Flew to El Paso",
        "We met at the café in Málaga with Zoë",
        "She said 你好 and left",
        "wifi password hunter2",
        "U-f3eac5746bd3 lives in Porto.",
        "Ana María lives in Málaga.",
        "Maria recently took a creative writing class.",
    ],
)
def test_english_text_or_one_without_a_language_is_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Wo wohne ich?",
        "Anna: Ich bin gestern nach Berlin gezogen.",
        "¿Dónde vivo?",
        "Me llamo Ana y vivo en Quito",
        "Où est-ce que j'habite ?",
        "Ma sœur travaille à l'hôpital",
        "Onde é que eu moro?",
        "Dove abito? Non ricordo che via è",
        "Где я живу?",
        "Πού μένω;",
        "أين أعيش؟",
        "我住在哪里？",
        "Ana: 我用 MacBook Pro 16寸的那台",
        "どこに住んでいますか？",
        "내가 어디에 살지?",
        "อยู่ที่ไหน",
    ],
)
def test_text_of_another_language_is_not_english(text: str) -> None:
    assert not is_english(text)


@given(st.text())
def test_any_text_is_told_without_an_error(text: str) -> None:
    assert is_english(text) in (True, False)
