"""Test the passages that are quoted of long texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.text.passages import passage, sentence_with
from extraction.text.search_terms import terms_of

_LOG = "\n".join(f"10:{n % 60:02d}:00 pod-{n % 9} WARN retry path=/v2/cart/{n} disk ms={n}" for n in range(60))
_CODE = "\n".join(f"    total_{n} = price_{n} * count_{n}  # row {n}" for n in range(60))
_ZH = "会议记录：" + "大家讨论了下个季度的预算和招聘安排。" * 30


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["tea", "茶", ". ", "\n", "word ", "很长的一句话", "x" * 150, "İ", "é"]), max_size=120
    ).map("".join)
    | st.text(max_size=400),
    st.sampled_from(["tea word", "喝什么茶？", "", "x"]),
    st.sampled_from([100, 240]),
)
def test_passage_keeps_its_length_and_quotes_only_the_text(text: str, question: str, chars_max: int) -> None:
    quoted = passage(text, terms_of(question), chars_max=chars_max)
    assert len(quoted) <= chars_max
    flat = " ".join(text.split())
    assert all(part.strip() in flat for part in quoted.replace("… ", "…").split("…"))


@pytest.mark.parametrize("chars_max", [100, 240, 400])
@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (f"Here's the log of the outage:\n{_LOG}\nThe culprit was the disk on worker-4, serial WX-88213.",
         "What is the serial number of the disk that caused the outage?", "WX-88213"),
        (f"Look at my script:\n{_CODE}\n    TAX_RATE = 0.19\n{_CODE}", "What tax rate does my script use?", "0.19"),
        (f"{_ZH}服务器的序列号是WX-88213，放在三号机房。{_ZH}", "服务器的序列号是多少？", "WX-88213"),
        ("Let me tell you about the trip. " + "We walked a lot and it was fun. " * 30
         + "The hotel was called Miramar and cost 120 euros. " + "Then we walked again. " * 30,
         "What was the hotel called?", "Miramar"),
        ("word " * 300 + "the gate code is 4471 " + "word " * 300, "What is the gate code?", "4471"),
    ],
)  # fmt: skip
def test_passage_of_a_long_text_is_the_part_that_answers(text: str, question: str, answer: str, chars_max: int) -> None:
    """Regression: the first place of any word of the question was quoted."""
    assert answer in passage(text, terms_of(question), chars_max=chars_max)


def test_passage_without_a_term_of_the_question_is_the_beginning() -> None:
    assert passage(f"First line.\n{_LOG}", terms_of("xylophone"), chars_max=100).startswith(
        "First line. 10:00:00 pod-0"
    )


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("Fine weather. We saw the zoo! Then home.", ["zoo"], "We saw the zoo!"),
        ("A bazooka. A zookeeper.", ["zoo"], "A zookeeper."),
        ("今天很好。我们去了动物园。", ["动物园"], "我们去了动物园。"),
        ("Nothing of it. Here.", ["zoo"], "Nothing of it."),
        ("", ["zoo"], ""),
    ],
)
def test_sentence_with_a_word_is_the_first_in_which_one_begins_with_it(
    text: str, words: list[str], expected: str
) -> None:
    assert sentence_with(text, words, chars_max=100) == expected


@pytest.mark.parametrize("filler", ["Much was said and not kept. ", "word " * 300, "很多话", "x" * 40])
def test_sentence_with_a_word_is_cut_around_it_in_a_long_text(filler: str) -> None:
    shown = sentence_with(f"{filler * 400} zoo {filler * 400}", ["zoo"], chars_max=80)
    assert "zoo" in shown
    assert len(shown) <= 80
