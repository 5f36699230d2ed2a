"""Test that no text function fails on texts of the repository's sets, mutations of them, and texts once misread.

`python -m tests.benchmarks.text_sweep` does the same with every text.
"""

import random

import pytest

from tests.benchmarks.text_sweep import OWN_SETS, Findings, mutated, readers, sweep, texts_in

ONCE_MISREAD = (
    "We had a team barbecue on July 22 and 15 players came.",
    "The movie marathon was on April 6-7 to 8-5 April and 3,000 listens.",
    "What did I buy a month before the wedding and 99 years after 800 decades from now?",
    "7月22日到15号楼，13月40日和2月30日，公元前300年，九千九百九十九万年后",
    "I called her 20 minutes ago, half an hour ago and at 2:30.",
)
SETS = [OWN_SETS / "evaluation_sets", *(OWN_SETS / "benchmarks").glob("*_sentences_*.tsv")]


@pytest.mark.parametrize("text", ONCE_MISREAD)
def test_texts_once_misread_are_read(text: str) -> None:
    findings = Findings()
    findings.read(text, readers())
    assert not findings.failed


def test_every_text_function_reads_a_sample_of_texts_and_mutations() -> None:
    texts = random.Random(7).sample(texts_in(SETS), 40)
    findings = sweep(texts, mutations=1, seed=7, functions=readers())
    assert findings.mutations > len(texts) / 2
    assert not findings.failed
    assert not findings.too_slow


def test_function_that_fails_or_leaves_a_text_unread_is_found() -> None:
    def fail(text: str) -> None:
        if "15" in text:
            raise ValueError(text)

    findings = sweep(["on July 15", "on July 16"], mutations=0, seed=0, functions={"fail": fail})
    assert list(findings.failed.values()) == [1]
    assert list(findings.examples.values()) == ["on July 15"]


def test_mutations_are_the_same_for_the_same_seed() -> None:
    made = [[mutated("I met Ann on July 22.", "我喜欢茶", random.Random(seed)) for seed in range(9)] for _ in range(2)]
    assert made[0] == made[1]
    assert len(set(made[0])) > 5
