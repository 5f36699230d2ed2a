"""Test sentence boundaries and their exact offsets."""

from hypothesis import given
from hypothesis import strategies as st

from extraction.text.sentences import SENTENCE_CHARS_MAX, split_sentences
from tests.support.growth import cpu_within


def test_chinese_and_english_sentences_end_at_their_punctuation() -> None:
    text = "你好！我叫李雪。 I live in St. Petersburg. Do you? 好的……再见"
    expected = ["你好！", "我叫李雪。", "I live in St. Petersburg.", "Do you?", "好的……", "再见"]
    assert expected == [sentence.text for sentence in split_sentences(text)]


def test_sentence_with_a_question_mark_is_a_question() -> None:
    assert [sentence.asks for sentence in split_sentences("I like tea. Do you? 你呢？")] == [False, True, True]


def test_decimals_and_initials_do_not_end_a_sentence() -> None:
    assert [s.text for s in split_sentences("It costs 3.50 with J. Smith.")] == ["It costs 3.50 with J. Smith."]


@given(st.text(alphabet='ab我。.!?？ \n"”…', max_size=200))
def test_every_sentence_is_the_text_at_its_offsets(text: str) -> None:
    sentences = split_sentences(text)
    assert all(text[sentence.start : sentence.end] == sentence.text for sentence in sentences)
    assert "".join(text.split()) == "".join("".join(sentence.text.split()) for sentence in sentences)


def test_text_without_breaks_is_split_in_linear_time() -> None:
    with cpu_within(3):
        for text in ("a" * 100_000, "(" * 100_000, "." * 100_000, "a. " * 33_000, "我" * 100_000):
            assert all(len(sentence.text) <= SENTENCE_CHARS_MAX for sentence in split_sentences(text))
