"""Test that labelled English sentences are read well enough to be useful without a language model.

Preferences, relationships, promises, events and goals are read; passing moods and small talk are not.
"""

from collections.abc import Callable

import pytest

from extraction.reader import THE_USER
from extraction.text.name_spotting import load_words
from tests.benchmarks.rule_reader_table import (
    HALVES,
    LANGUAGES,
    Score,
    Sentence,
    plain_messages,
    scores,
    sentences,
)
from tests.support.readers import read_with_tags

from .rule_reading import read, shown

SENTENCES_MIN = 200
PRECISION_MIN, RECALL_MIN = 0.75, 0.7
SILENT = ("question", "hypothetical", "others", "sarcasm", "mood", "smalltalk", "request")


@pytest.fixture(scope="module", autouse=True)
def _dictionary() -> None:
    load_words()


@pytest.mark.parametrize(("language", "half"), [("en", half) for half in HALVES])
def test_reading_meets_precision_and_recall_on_labelled_sentences(language: str, half: str) -> None:
    """Failures show figures only, so that nobody tunes on the held-out sentences."""
    score = scores(language, half, read_with_tags)["all"]
    assert (score.precision >= PRECISION_MIN, score.recall >= RECALL_MIN) == (True, True), (
        f"precision {score.precision:.2f}, recall {score.recall:.2f}"
    )


def test_questions_moods_and_quoted_speech_yield_few_facts() -> None:
    """Fewer than eight of a hundred sentences without a lasting statement yield a fact."""
    quiet: list[Score] = [
        found for half in HALVES for name, found in scores("en", half, read_with_tags).items() if name in SILENT
    ]
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
        ("I left Acme last spring.", {"user|RELATES_TO:works at|Acme|closed"}),
    ],
)
def test_past_statement_becomes_an_ended_fact(text: str, facts: set[str]) -> None:
    """A contradicted fact is closed."""
    assert {shown(fact) for fact in read(text).facts} == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
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
        "I'm not crazy about the green in this palette, swap it for teal.",
        "I like option B more, build on that.",
        'He wrote "I hate my job and I love cake" on the wall.',
        "Pretend you are a chef. I love garlic.",
        "Oh great, I just love queues.",
        "I hate pizza today.",
    ],
)
def test_quoted_speech_irony_and_passing_states_yield_no_facts(text: str) -> None:
    assert read(text).facts == ()


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Just moved to Austin.", THE_USER),
    ],
)
def test_sentence_without_a_pronoun_is_about_its_speaker(text: str, subject: str) -> None:
    assert [fact.subject for fact in read(text).facts] == [subject]
