"""Test which messages follow up on the best matches of a question."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import analyse
from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.follow_ups import follow_ups
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.ranking import EVERYDAY_BY_WORDS, rank
from tests.support.builders import NOON
from tests.support.candidates import a_candidate, all_found

PILL = "Doctor put me on ramipril for the pressure, with breakfast"
SWITCHED = "the ramipril gives me a cough, so he switched me: losartan at bedtime"
OTHER = "how do I get rust off a wheelbarrow"


def said(text: str, day: int, *, role: str = "user") -> Candidate:
    return a_candidate(text, role=role, said_at=NOON + timedelta(days=day))


def values(question: str, *candidates: Candidate, relevant: str) -> dict[str, float]:
    """Return the values by text, if only one text is relevant and the others half as much."""
    found = all_found(*candidates)
    relevance = np.array([1.0 if one.text == relevant else 0.5 for one in found.candidates])
    result = follow_ups(found, relevance, analyse(question, reference=NOON))
    return {one.text: value for one, value in zip(found.candidates, result.tolist(), strict=True)}


@pytest.mark.parametrize(
    ("question", "first", "later", "other"),
    [
        ("Which pill do I take?", PILL, SWITCHED, OTHER),
        ("合唱团由谁负责？", "合唱团团长老彭嗓门大", "老彭住院了，换成小秦", "孙子发烧了"),
    ],
)
def test_later_message_with_the_rare_words_of_the_best_match_follows_it_up(
    question: str, first: str, later: str, other: str
) -> None:
    found = values(question, said(first, 0), said(other, 1), said(later, 2), relevant=first)
    assert found[later] > 0.1
    assert found[first] == found[other] == 0


def test_earlier_message_and_message_of_the_agent_follow_nothing_up() -> None:
    assert values("Which pill?", said(PILL, 2), said(SWITCHED, 0), said(OTHER, 1), relevant=PILL)[SWITCHED] == 0
    by_agent = said(SWITCHED, 2, role="assistant")
    assert values("Which pill?", said(PILL, 0), by_agent, said(OTHER, 1), relevant=PILL)[SWITCHED] == 0


def test_words_of_the_question_and_names_of_speakers_do_not_count() -> None:
    first, later = "Rita takes ramipril", "Rita hates ramipril"
    messages = [replace(said(text, day), speaker="Rita") for day, text in enumerate((first, OTHER, later))]
    assert values("Does ramipril help?", *messages, relevant=first)[later] == 0


def test_messages_that_both_prove_a_valid_fact_are_not_compared() -> None:
    def fact(text: str, proof: str, *, closed: bool = False) -> Candidate:
        one = a_candidate(text, kind=HitKind.FACT, said_at=NOON)
        return replace(one, proofs=(proof,), closed=closed)

    messages = (said(PILL, 0), said(OTHER, 1), said(SWITCHED, 2))
    first, _, later = messages
    both = (fact("takes ramipril", first.id), fact("takes losartan", later.id))
    assert values("Which pill?", *messages, *both, relevant=PILL)[SWITCHED] == 0
    one = values("Which pill?", *messages, both[1], relevant=PILL)
    assert one[SWITCHED] == one["takes losartan"] > 0


def test_follow_up_comes_before_what_it_overtakes() -> None:
    """The old message has more words of the question."""
    messages = (said(PILL, 0), said(OTHER, 30), said("my new pillow is soft", 45), said(SWITCHED, 60))
    hits = rank(
        all_found(*messages),
        EVERYDAY_BY_WORDS,
        analysis=analyse("Which pressure pill am I on now?", reference=NOON + timedelta(days=99)),
        now=NOON + timedelta(days=99),
    )
    assert hits[0].candidate.text == SWITCHED
    assert hits[0].parts["follow_up"] > 0
    former = rank(
        all_found(*messages),
        EVERYDAY_BY_WORDS,
        analysis=analyse("Which pressure pill did I take before?", reference=NOON),
        now=NOON,
    )
    assert former[0].candidate.text == PILL


@given(st.lists(st.sampled_from([PILL, SWITCHED, OTHER, "好的，谢谢", ""]), max_size=8), st.integers(0, 7))
def test_values_are_from_0_to_1_and_do_not_depend_on_the_order_of_retrieval(texts: list[str], turn: int) -> None:
    messages = [replace(said(text, day), id=f"{day}") for day, text in enumerate(texts)]
    analysis = analyse("Which pill do I take?", reference=NOON)

    def by_id(candidates: list[Candidate]) -> dict[str, float]:
        found = all_found(*candidates)
        relevance = np.linspace(1, 0, len(found.candidates))
        by_text = {
            one.id: share for one, share in zip(sorted(messages, key=lambda one: one.id), relevance, strict=True)
        }
        ordered = np.array([by_text[one.id] for one in found.candidates])
        return dict(
            zip((one.id for one in found.candidates), follow_ups(found, ordered, analysis).tolist(), strict=True)
        )

    result = by_id(messages)
    assert result == by_id([*messages[turn:], *messages[:turn]])
    assert all(0 <= value <= 1 for value in result.values())
