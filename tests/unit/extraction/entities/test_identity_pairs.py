"""Test entity matching on labelled pairs of names in both languages."""

import pytest

from extraction.entities.matching import person_words
from extraction.reader import THE_AGENT, THE_USER
from extraction.text.name_forms import all_forms, bare, fold
from schema.labels import Role
from tests.benchmarks.identity_table import LANGUAGES, score

PAIRS_MIN, MISSED_PART_MAX = 120, 0.1


@pytest.mark.parametrize("language", LANGUAGES)
def test_similar_names_of_different_entities_are_never_merged(language: str) -> None:
    scored = score(language)
    assert scored.same + scored.different >= PAIRS_MIN
    assert scored.false == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_few_spellings_of_one_name_are_missed(language: str) -> None:
    scored = score(language)
    assert scored.missed_part <= MISSED_PART_MAX, scored.missed


@pytest.mark.parametrize("word", ["我們", "咱们", "鄙人", "用戶", "主人", "the human", "Ｉ", "MYSELF", "I’m", "“我”"])
def test_first_person_and_role_words_mean_the_user(word: str) -> None:
    assert person_words(word) == THE_USER


@pytest.mark.parametrize("word", ["智能助理", "ＡＩ助手", "the bot", "您们"])
def test_words_for_the_assistant_mean_the_agent(word: str) -> None:
    assert person_words(word) == THE_AGENT


@pytest.mark.parametrize(
    ("word", "means"), [("我们", THE_AGENT), ("您的", THE_USER), ("用户", THE_USER), ("我的世界", None)]
)
def test_first_and_second_person_of_an_assistant_mean_agent_and_user(word: str, means: str | None) -> None:
    assert person_words(word, Role.ASSISTANT) == means


def test_accents_of_other_scripts_are_significant() -> None:
    assert (fold("Zoë"), fold("й"), fold("が")) == ("zoe", "й", "が")


def test_normalising_a_name_is_idempotent() -> None:
    for name in ("The Beatles", "Dr. Jane Smith", "我的母親", "《紅樓夢》", "J. K. Rowling", "Wi-Fi"):
        assert bare(bare(name)) == bare(name)
        assert bare(name) in all_forms(name)
