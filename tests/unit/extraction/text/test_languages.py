"""Test that the language of a text is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.text.languages import in_simplified_characters, is_english, parts_by_script, tagged_language


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
    assert tagged_language(text) in (None, "de", "es", "fr", "ja")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Meine Schwester wohnt jetzt in Bonn.", "de"),
        ("Bin umgezogen, wohne in Jena", "de"),
        ("妹は札幌に住んでいます。", "ja"),
        ("カレーが好き", "ja"),
        ("Ya no trabajo en Seat", "es"),
        ("El viernes que viene volamos a Oporto", "es"),
        ("Ma sœur travaille à l'hôpital", "fr"),
        ("On déménage fin mai", "fr"),
    ],
)
def test_tagged_language_is_told(text: str, language: str) -> None:
    assert tagged_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Berlin",
        "I live in Berlin",
        "Red wine gives me headaches.",
        "I'd love a coffee right now",
        "We met at the café in Málaga with Zoë",
        "Moro em Lisboa com a minha mãe",
        "Abito a Roma con mio figlio",
        "Ik woon in Gent",
        "我妹妹住在札幌，她喜欢の这个字",
        "翻译一下：Ich wohne in Köln",
        "저는 서울에 살아요",
    ],
)
def test_text_of_another_language_is_not_tagged_as_one(text: str) -> None:
    assert tagged_language(text) is None


def test_japanese_characters_stay_as_they_are() -> None:
    assert in_simplified_characters("我妹妹當護士") == "我妹妹当护士"
    assert in_simplified_characters("妹は看護師で、亀と龍が好き") == "妹は看護師で、亀と龍が好き"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I moved to Graz last week. 我姐姐住在上海。", ["我姐姐住在上海。", "I moved to Graz last week."]),
        ("妹は看護師です。Ich wohne in Linz.", ["妹は看護師です。", "Ich wohne in Linz."]),
        ("My sister 王芳 lives in 上海. I miss her.", ["My sister 王芳 lives in 上海. I miss her."]),
        ("我住在上海。OK, thanks!", ["我住在上海。OK, thanks!"]),
        ("我的公司是 Acme Labs Linz. 我住在上海。", ["我的公司是 Acme Labs Linz. 我住在上海。"]),
        ("I live in Porto. 哈哈！", ["I live in Porto. 哈哈！"]),
        ("我在Google Cloud上班。每天都很忙。", ["我在Google Cloud上班。每天都很忙。"]),
        ("", [""]),
    ],
)
def test_sentences_of_two_scripts_are_parted(text: str, parts: list[str]) -> None:
    assert [part.strip() for part in parts_by_script(text)] == parts


@given(st.text(st.sampled_from("我住在上海。 I live in Graz.妹は\n")))
def test_parts_keep_their_place_and_lose_nothing(text: str) -> None:
    parts = parts_by_script(text)
    assert {len(part) for part in parts} == {len(text)}
    for at, char in enumerate(text):
        assert char.isspace() or [part[at] for part in parts if not part[at].isspace()] == [char]
