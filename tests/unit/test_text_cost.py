"""Test that every function that reads external text takes about linear time for any text.

`tests/support/text_functions.py` finds the functions. Times are this thread's processor time, so that other processes
matter little; slow results are measured again, and the best figures count.
"""

import functools
import gc
import time
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from extraction.query_analysis import role_asked
from extraction.rules.salience_gate import is_small_talk
from extraction.temporal.phrases import spans_in
from extraction.text.name_spotting import load_words
from tests.support.growth import cpu_within
from tests.support.text_functions import NOW, reach_of, text_functions

# A text that takes less than this is harmless, however its time grows.
FLOOR_S: Final = 0.05
GROWTH_MAX: Final = 2.2
TRIES: Final = 10
PART_CHARS: Final = 3_000
# How many of the slowest texts are compared with their halves: at `PART_CHARS`, and at all that reaches a function.
PARTS_TRIED: Final = 8
WORST_TRIED: Final = 2
# Time that any text of `PART_CHARS` may take; ordinary ones take a hundredth of it. Growth alone misses a high cost of
# each sentence.
PART_MAX_S: Final = 1.5

PIECES: Final = (
    "昨天明年",
    "in may in june ",
    "may june ",
    "every friday the 5th of may 2021 ",
    "春天",
    "三天前",
    "第一个周末",
    "2021",
    "19",
    "5/5/",
    "a",
    "A",
    "Aa",
    "Aa ",
    "A.",
    "Anna Bell ",
    "Anna-Bell'",
    "我",
    "我喜欢",
    "我喜欢你和",
    "王",
    "李小",
    " ",
    " \t",
    "\n",
    "\u00a0",
    "\u0301",
    "e\u0301",
    "\u200b",
    "\U0001f600",
    ".",
    "。",
    "!?",
    "，",
    ", ",
    "-",
    "_",
    "'",
    '"',
    "“",
    "《",
    "(",
    "[",
    "{",
    '{"a":[',
    "<",
    "<think>",
    "#",
    "\\",
    "I like that I ",
    "I love and ",
    "my friend of my ",
    "because ",
    "so that because I feel ",
    "I do not really like ",
    "also also ",
    "if ",
    "因为所以",
    "是不是",
    "的",
    "说告诉",
    "从在于",
    "did you say ",
    "said about to with ",
    "before after ",
    "之前以后",
    "what ",
    "don't ",
    "I'm ",
    "1,",
    "一二三",
    "user: ",
    "a b ",
    "don’t'",
)


@functools.cache
def attacks(chars: int) -> dict[str, str]:
    """Return texts of this length by their repeated part; some end in what no pattern expects.

    They are built once for each length: building them takes longer than most functions need to read them.
    """
    return dict(_attacks(chars))


def _attacks(chars: int) -> Iterator[tuple[str, str]]:
    for piece in PIECES:
        yield piece, (piece * (chars // len(piece) + 1))[: chars - 1] + "\x01"
    # Texts that almost match at both ends, with one long run between.
    for head, fill, tail in (
        ("I like ", " ", "x"),
        ("I moved to ", "a", " "),
        ("said", " ", "yesterday"),
        ("in July 20 ", "x-", ""),
        ("我喜欢", "的", "x"),
        ("《", "书", ""),
        ('"A', "b", ""),
        ("A", "'", "a"),
        ("<think>", "x", ""),
        ('{"facts": [', "[", ""),
    ):
        yield head + fill, head + fill * (chars - len(head) - len(tail)) + tail
    yield (
        "thousands of names",
        "".join(f"Nam{chr(97 + n % 26)}{chr(97 + n // 26 % 26)} met " for n in range(chars))[:chars],
    )
    yield "thousands of words", " ".join(f"w{n:x}" for n in range(chars // 3))[:chars]
    yield "thousands of characters", "".join(chr(0x4E00 + n * 7 % 20_000) for n in range(chars))


def computing_s(function: Callable[[str], object], text: str) -> float:
    # As timeit does: garbage collection costs more the more objects other tests have left.
    gc.disable()
    try:
        started_s = time.thread_time()
        function(text)
        return time.thread_time() - started_s
    finally:
        gc.enable()


FUNCTIONS: Final = text_functions()


def grows(function: Callable[[str], object], piece: str, chars: int) -> str | None:
    """Return the figures if twice the text takes more than about twice the time, else None."""
    small, large = attacks(chars // 2)[piece], attacks(chars)[piece]
    for _ in range(TRIES):
        of_large = computing_s(function, large)
        if of_large < FLOOR_S:
            return None
        # Both are measured together: a busy machine slows down both.
        of_small = computing_s(function, small)
        if of_large <= GROWTH_MAX * of_small + FLOOR_S / 2:
            return None
    return f"{piece!r}: {of_small:.3f} s for {chars // 2} characters, {of_large:.3f} s for {chars}"


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Load dictionaries and patterns first; that is not measured."""
    load_words()
    for text in ("我喜欢茶，昨天去了北京。", "I love tea. Anna came in May."):
        for function in FUNCTIONS.values():
            function(text)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_is_about_linear_in_the_text(name: str) -> None:
    function, reach = FUNCTIONS[name], reach_of(name)
    # All attacks on short texts first, then the slowest ones on the longest texts that can reach the function.
    part = min(reach, PART_CHARS)
    costs = {piece: computing_s(function, text) for piece, text in attacks(part).items()}
    worst = sorted(costs, key=costs.__getitem__, reverse=True)
    with cpu_within(PART_MAX_S):
        function(attacks(part)[worst[0]])
    found = [grows(function, piece, part) for piece in worst[:PARTS_TRIED] if costs[piece] >= FLOOR_S]
    if reach > part:
        found += [grows(function, piece, reach) for piece in worst[:WORST_TRIED]]
    assert not [one for one in found if one]


# Texts of at most 120 characters that doubled the time with each repetition before their patterns were fixed.
FROZE: Final = {
    "small talk, a sound": lambda: is_small_talk("你好" + "啊" * 116 + "x"),
    "small talk, 超": lambda: is_small_talk("超" * 118 + "x"),
    "small talk, 可真": lambda: is_small_talk("你" + "可真" * 58 + "x"),
    "small talk, 就要": lambda: is_small_talk("就要" * 58 + "x"),
    "small talk, feeling": lambda: is_small_talk("i am " + "feeling " * 14 + "x"),
    "whose words, dates": lambda: role_asked("我" + "1年" * 190),
    "whose words, a day": lambda: role_asked("我" + "1年那天" * 90),
    "contradicting times": lambda: spans_in("昨天明年" * 5_000, NOW),
    "contradicting months": lambda: spans_in("in may in june " * 1_400, NOW),
}


@pytest.mark.parametrize("name", FROZE)
def test_texts_that_once_froze_the_service_are_read_quickly(name: str) -> None:
    # A second is a hundred times what they take now, and a millionth of what they took.
    assert min(computing_s(lambda _text: FROZE[name](), "") for _ in range(3)) < 1.0
