"""Test that the rules read labelled sentences of both languages well enough to be useful without a model.

Preferences, relationships, promises, events and goals are read; passing moods and small talk are not.
"""

from collections.abc import Callable
from itertools import product

import pytest

from extraction.reader import THE_USER
from extraction.text.name_spotting import load_words
from tests.benchmarks.rule_reader_table import (
    HALVES,
    LANGUAGES,
    PLAIN_HALVES,
    SPOKEN,
    Score,
    Sentence,
    plain_messages,
    scores,
    sentences,
)

from .rule_reading import read, shown

SENTENCES_MIN = 200
PRECISION_MIN, RECALL_MIN = 0.9, 0.6
SILENT = ("question", "hypothetical", "others", "sarcasm", "mood", "smalltalk", "request")


@pytest.fixture(scope="module", autouse=True)
def _dictionary() -> None:
    load_words()


@pytest.mark.parametrize(("language", "half"), [*product(LANGUAGES, HALVES), ("en", SPOKEN), ("en", PLAIN_HALVES[0])])
def test_rules_meet_precision_and_recall_on_labelled_sentences(language: str, half: str) -> None:
    """Failures show figures only, so that nobody tunes the rules on the held-out sentences."""
    score = scores(language, half)["all"]
    assert (score.precision >= PRECISION_MIN, score.recall >= RECALL_MIN) == (True, True), (
        f"precision {score.precision:.2f}, recall {score.recall:.2f}"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_moods_and_quoted_speech_yield_few_facts(language: str) -> None:
    """Fewer than eight of a hundred sentences without a lasting statement yield a fact."""
    quiet: list[Score] = [found for half in HALVES for name, found in scores(language, half).items() if name in SILENT]
    said_nothing = sum(score.sentences for score in quiet)
    assert sum(score.read for score in quiet) < 0.08 * said_nothing


@pytest.mark.parametrize(("read_set", "silent_part_min"), [(sentences, 0.3), (plain_messages, 0.25)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_labelled_sentences_are_many_and_a_quarter_has_no_fact(
    language: str, read_set: Callable[[str], list[Sentence]], silent_part_min: float
) -> None:
    every = read_set(language)
    assert len(every) >= SENTENCES_MIN
    assert sum(not one.facts for one in every) >= silent_part_min * len(every)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("i dont work at Acme anymore", {"user|RELATES_TO:works at|Acme|closed"}),
        ("I left Acme last spring.", {"user|RELATES_TO:works at|Acme|closed"}),
        ("I used to be a chef.", {"user|RELATES_TO:works as|chef|closed"}),
        ("I'm not scared of needles anymore.", {"user|DISLIKES|needles|closed"}),
        ("我以前在百度上班。", {"user|RELATES_TO:works at|百度|closed"}),
        ("我不再喝奶茶了。", {"user|PREFERS|奶茶|closed"}),
        ("小时候我住在重庆。", {"user|RELATES_TO:lives in|重庆|closed"}),
        ("我现在不怕黑了。", {"user|DISLIKES|黑|closed"}),
    ],
)
def test_past_statement_becomes_an_ended_fact(text: str, facts: set[str]) -> None:
    """A contradicted fact is closed."""
    assert {shown(fact) for fact in read(text).facts} == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("my sister's name is Mia, sorry, Maya", {"user|RELATES_TO:sister|Maya"}),
        ("mum's 71 and still does handstands", {"mother|RELATES_TO:has age|71 years old"}),
        ("im 29 btw not 30 yet!!", {"user|RELATES_TO:has age|29 years old"}),
        ("said I'd water Janet's plants", {"user|CARES_ABOUT:promise|water Janet's plants"}),
        ("我当初学的是法律", {"user|RELATES_TO:studies|法律|closed"}),
        ("新师傅找到了，叫小芸，之前在高雄的饭店做甜点", set()),
        ("I'm allergic to Mondays.", set()),
        ("Write a short story. Mara is a nurse in Leeds. She hates cats.", set()),
    ],
)
def test_spoken_wording_states_what_its_careful_form_does(text: str, facts: set[str]) -> None:
    found = {shown(fact) for fact in read(text).facts}
    assert {fact for fact in found if not fact.startswith("user|RELATES_TO:mother")} == facts


@pytest.mark.parametrize(
    "text",
    [
        "Translate this: I live in Rome. I love pasta.",
        "Turn this into a haiku: I am a tired accountant in Leeds",
        "Assume I run a bakery in Porto with six employees",
        "Picture this: I'm seventy, I own a vineyard, and I love nobody.",
        "For this exercise, I'm a Swedish investor who loves risk.",
        "For this scene, I'm a widow. I live in Malmö and I keep bees.",
        "Let's say my name is John and I work at Acme, write a cover letter.",
        "Say I'm Frodo and I'd prefer to keep the ring.",
        "I really like line 3, but line 4 doesn't scan.",
        "I'm not crazy about the green in this palette, swap it for teal.",
        "I like option B more, build on that.",
        "I like them light and silent.",
        "I work with a guy called Rafael who never answers emails.",
        'He wrote "I hate my job and I love cake" on the wall.',
        "Pretend you are a chef. I love garlic.",
        "Oh great, I just love queues.",
        "I hate pizza today.",
        "把这句翻译成英文：我住在罗马。我喜欢意大利面。",
        "墙上写着“我讨厌上班，我喜欢蛋糕”。",
        "假装你是厨师。我喜欢大蒜。",
        "想象一下，我是一名医生。我住在巴黎。",
        "比如我叫张三，在某某公司工作，帮我写封求职信。",
        "我可真喜欢排队。",
        "我今天讨厌吃面。",
    ],
)
def test_quoted_speech_irony_and_passing_states_yield_no_facts(text: str) -> None:
    assert read(text).facts == ()


@pytest.mark.parametrize(
    ("text", "subject"),
    [("Just moved to Austin.", THE_USER), ("刚搬到成都。", THE_USER), ("从小就怕狗。", THE_USER)],
)
def test_sentence_without_a_pronoun_is_about_its_speaker(text: str, subject: str) -> None:
    assert [fact.subject for fact in read(text).facts] == [subject]
