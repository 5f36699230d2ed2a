"""Test words of languages without rules of their own: folding, elisions, pairs of characters, and small talk."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extraction.rules.salience_gate import is_small_talk
from extraction.text.fulltext_words import words_in
from extraction.text.other_languages import FIRST_PERSON, folded, without_elisions
from extraction.text.search_terms import counts, terms_found_in, terms_of, word_counts
from tests.support.growth import assert_about_linear


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Malaga", "Vivo en Málaga."),
        ("MÁLAGA", "vivo en malaga"),
        ("strasse", "Die Straße ist lang."),
        ("école", "J'étudie à l’école."),
        ("l'ecole", "Une école."),
        ("acqua", "Bevo l'acqua."),
        ("сестра", "Моя Сестра живёт в Туле."),
        ("живет", "Моя Сестра живёт в Туле."),
        ("ピアノ", "娘はピアノを習っています。"),
        ("すし", "わたしはすしが好きです"),
        ("부산", "저는 부산에 살아요"),
        ("مدرسة", "هذه مدرسة كبيرة"),
    ],
)
def test_words_are_found_in_any_script(question: str, text: str) -> None:
    terms = terms_of(question)
    assert len(terms) > 0
    assert any(counts(terms, text))
    assert word_counts(text, "en").length >= 1


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Où est l'école ?", {"école", "l'école", "l’école", "d'école"}),
        ("école", {"école", "l'école", "l’école"}),
        ("dell’arte", {"arte", "dell'arte", "dell’arte"}),
        ("¿Dónde vive Lucía?", {"dónde", "vive", "lucía"}),
    ],
)
def test_query_words_include_elided_forms(question: str, wanted: set[str]) -> None:
    assert wanted <= set(words_in(question))


def test_english_questions_have_no_elided_forms() -> None:
    assert words_in("Which apple pie did Ellen have in our office?") == ["apple", "pie", "ellen", "office"]


@example("𝑨")
@given(st.text(max_size=200))
def test_folding_is_idempotent(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(st.text(alphabet="abc xyz'", max_size=100))
def test_folding_leaves_plain_english_alone(text: str) -> None:
    assert folded(text) == text


@pytest.mark.parametrize(
    "text",
    ["Soy vegetariano.", "Je suis infirmière.", "Ich bin Arzt.", "すしが好きです。", "Я врач.", "저는 의사예요."],
)
def test_short_statements_of_other_languages_are_worth_reading(text: str) -> None:
    assert not is_small_talk(text)


@pytest.mark.parametrize("text", ["Ok!", "Thanks a lot", "谢谢"])
def test_small_talk_stays_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ["l'", "l'école ", "d’", "mein ", "я ", "私"])
def test_patterns_take_linear_time(text: str) -> None:
    assert_about_linear(lambda n: lambda: (without_elisions(text * n), FIRST_PERSON.search("x" + text * n)), 5_000)
    assert_about_linear(lambda n: lambda: words_in(text * n), 2_000, floor_s=0.05)


@pytest.mark.parametrize(
    ("question", "text", "found"),
    [
        ("¿Dónde vivía mi hermana antes?", "mis hermanas vivieron en Jaén", ["viv", "herman"]),
        ("Welche Katzen haben meine Freunde?", "ihr freund hat eine katze", ["katz", "freund"]),
        ("Où habitaient mes cousines ?", "ma cousine habite à Lens", ["habit", "cousin"]),
        ("Where did my sisters live?", "my sister lives in Hull", ["sister", "live"]),
    ],
)
def test_words_are_compared_by_stems_of_the_language_of_the_question(
    question: str, text: str, found: list[str]
) -> None:
    terms = terms_of(question)
    assert [one for one in terms_found_in(terms, text) if len(one) > 2] == found
    assert counts(terms, text) == [int(one in terms_found_in(terms, text)) for one in terms.stems]
