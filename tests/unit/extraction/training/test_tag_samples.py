"""Test the messages that the fact tagger learns from, and their variants."""

import random
from functools import cache

import pytest

from extraction.training.tag_samples import (
    OUTPUTS,
    REPLACES,
    SPEAKER,
    STATES,
    Labelled,
    Variation,
    corrections,
    labelled_messages,
    standing,
)

read = cache(labelled_messages)
LANGUAGES = ("en", "zh", "es", "de", "fr", "ja")


@pytest.fixture(scope="module", params=LANGUAGES)
def messages(request: pytest.FixtureRequest) -> list[Labelled]:
    own, aside = read(request.param)
    some = own[:: max(1, len(own) // 500)]
    return [*aside[-500:], *some, *(message for message in own if message.context)]


def mislabelled(message: Labelled) -> list[object]:
    """Return the labels whose words are not in the message or, for subjects, its context."""
    everywhere = (message.text, *message.context)
    return [
        label
        for label in message.labels
        if label.kind not in OUTPUTS
        or label.state not in STATES
        or not standing(message.text, label.obj)
        or (label.subject != SPEAKER and not any(standing(text, label.subject) for text in everywhere))
        or (label.word and not standing(message.text, label.word))
    ]


def test_labels_are_words_of_their_messages(messages: list[Labelled]) -> None:
    assert [(message.text, labels) for message in messages if (labels := mislabelled(message))] == []


def test_labels_of_varied_messages_are_words_of_them(messages: list[Labelled]) -> None:
    variants = Variation(messages, random.Random(1)).varied(messages)
    assert len(variants) >= len(messages)
    assert [(one.text, one.context, labels) for one in variants if (labels := mislabelled(one))] == []


def test_every_tenth_message_of_a_file_is_kept_aside() -> None:
    own, aside = read("es")
    assert len(own) / 10 < len(aside) < len(own) / 8
    assert not {message.text for message in own} & {message.text for message in aside}


def test_some_variants_correct_a_value_of_their_context_and_others_only_seem_to() -> None:
    own, _ = read("en")
    chosen = [message for message in own if not message.context][:3_000]
    variants = Variation(chosen, random.Random(2)).varied(chosen)
    corrected = [one for one in variants if any(label.kind == REPLACES for label in one.labels)]
    assert len(corrected) > 50
    for one in corrected:
        (label,) = (label for label in one.labels if label.kind == REPLACES)
        assert label.obj in one.text
        assert label.subject in (one.context[-1] if one.context else one.text)
        assert label.obj != label.subject
    texts = {one.text for one in chosen}
    assert any(one.context and not one.labels and one.text not in texts for one in variants)


def test_end_of_a_message_keeps_its_facts_with_subjects_in_the_context() -> None:
    own, _ = read("en")
    variants = Variation(own[:6_000], random.Random(3)).varied(own[:6_000])
    assert any(
        label.subject != SPEAKER and label.subject not in one.text and label.subject in one.context[-1]
        for one in variants
        if one.context
        for label in one.labels
        if label.kind != REPLACES
    )


def test_each_language_with_corrections_has_all_kinds_of_wording() -> None:
    assert set(corrections()) == set(LANGUAGES)
    for wording in corrections().values():
        assert all("{new}" in says for says in (*wording.some, *wording.tails))
        assert wording.none
