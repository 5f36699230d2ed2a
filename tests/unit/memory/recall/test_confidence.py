"""Test recall's confidence that a memory contains an answer."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import analyse
from extraction.text.chinese import is_chinese
from graph_service.memory.recall.candidates import Hit
from graph_service.memory.recall.confidence import RELEVANT_MIN, ConfidenceFeatures, confidence_features, confidence_of
from graph_service.memory.recall.query import HitKind
from tests.support.builders import NOON
from tests.support.candidates import a_candidate


def seen(question: str, *texts: str, **more: Any) -> ConfidenceFeatures:
    candidates = [a_candidate(str(place), text=text, **more) for place, text in enumerate(texts)]
    return confidence_features(analyse(question, reference=NOON), candidates, own_names=("alice",))


def sure(question: str, *texts: str, **more: Any) -> float:
    return confidence_of(seen(question, *texts, **more), chinese=is_chinese(question))


ASKED, TOLD = "What did Caroline research about adoption agencies?", "I was researching an adoption agency last week."
NOISE = ("It rained all day.", "We went to the beach.", "My knee hurts again.")


def test_words_are_matched_in_all_their_forms() -> None:
    assert seen(ASKED, TOLD, *NOISE, speaker="Caroline").best == pytest.approx(1.0)
    assert seen("Is there a cat?", "A category of art.").best == 0.0


def test_known_answer_has_higher_confidence_than_unknown_one() -> None:
    told = sure(ASKED, TOLD, *NOISE, speaker="Caroline", cosine=0.6)
    assert told > 0.5 > sure(ASKED, *NOISE, speaker="Caroline", cosine=0.15)
    asked_zh = "鹦鹉从哪个窗户飞走了？"
    assert (
        sure(asked_zh, "昨天鹦鹉从厨房窗户飞走了。", "今天下雨。") > 0.5 > sure(asked_zh, "今天下雨。", "我喜欢喝茶。")
    )


def test_unknown_name_is_reported_as_a_stranger() -> None:
    assert seen("Where does Gina live?", TOLD, speaker="Caroline").stranger == 1.0
    assert seen("Where does Caroline live?", TOLD, speaker="Caroline").stranger == 0.0
    assert seen("Where does Gina live?", "I met Gina.").stranger == 0.0
    assert seen("Where does Alice live?", TOLD).stranger == 0.0
    assert seen("Gina住在哪里？", "今天下雨。").stranger == 1.0
    assert seen("Was it in May on a Monday?", "It rained.").stranger == 0.0


@pytest.mark.parametrize(
    ("question", "stranger"),
    [
        ("In welchem Betrieb bin ich beschäftigt?", 0.0),
        ("¿Dónde vivo?", 0.0),
        ("¿Dónde vive Marta?", 1.0),
        ("Où habite Camille ?", 1.0),
    ],
)
def test_first_word_and_german_nouns_are_no_strangers(question: str, stranger: float) -> None:
    assert seen(question, "Hoy llueve.", "Es regnet.").stranger == stranger


def test_confidence_without_vectors_uses_no_similarity() -> None:
    features = seen(ASKED, TOLD, *NOISE)
    assert features.meaning is None
    assert sure(ASKED, TOLD, *NOISE) > sure(ASKED, *NOISE)


TEXTS = st.text(st.sampled_from("Tea cup猫喜欢 Gina'\n?."), max_size=30)


@given(TEXTS, st.lists(TEXTS, max_size=6), st.none() | st.floats(-1, 1))
def test_features_and_confidence_are_within_bounds(question: str, texts: list[str], cosine: float | None) -> None:
    features = seen(question, *texts, cosine=cosine)
    for feature in (features.known, features.best, features.meaning or 0.0, features.joint, features.stranger):
        assert -1e-9 <= feature <= 1 + 1e-9
    assert features.best <= features.known + 1e-9
    assert 0 <= confidence_of(features, chinese=is_chinese(question)) <= 1


@given(st.lists(TEXTS, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_order_of_hits_does_not_matter(texts: list[str], chance: Any) -> None:
    question = "Gina的tea cup在哪里？"
    assert seen(question, *texts) == seen(question, *chance.sample(texts, len(texts)))


def test_first_hit_without_the_value_asked_for_lowers_the_confidence() -> None:
    question = "How much does the parking space cost?"
    found = [confident(question, text) for text in ("The parking space is in the yard.", "The parking space costs 80.")]
    assert found[0] < found[1]


def confident(question: str, *texts: str, cosine: float = 0.5) -> float:
    """Return the confidence for messages to an assistant, the first of which is the first hit."""
    analysis = analyse(question, reference=NOON)
    candidates = [a_candidate(f"m{at}", text=text, cosine=cosine) for at, text in enumerate(texts)]
    hits = [Hit(candidate=one, score=1.0 - 0.1 * at) for at, one in enumerate(candidates)]
    features = confidence_features(analysis, candidates, own_names=("alice",), hits=hits)
    return confidence_of(features, chinese=is_chinese(question), dialogue=1.0)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Welche Zutat muss beim Kochen wegbleiben?", "Von Sellerie bekomme ich Ausschlag."),
        ("¿Qué fruto seco me sienta fatal?", "Las nueces me dan alergia."),
        ("Quel fruit me rend malade ?", "Je suis allergique aux noix."),
        ("食べられないものは何ですか", "くるみのアレルギーがあります"),
        ("Which nut makes me ill?", "Las nueces me dan alergia."),
    ],
)
def test_other_languages_are_judged_by_the_cosine_of_the_first_hit(question: str, told: str) -> None:
    noise = ("Es regnet.", "Hoy llueve.")
    found = [confident(question, told, *noise, cosine=cosine) for cosine in (0.1, 0.2, 0.3, 0.4)]
    assert found == sorted(found)
    assert found[0] < RELEVANT_MIN < found[2]


def test_lead_is_that_of_the_best_hit_with_the_value_asked_for() -> None:
    texts = ("The parking space is in the yard.", "The parking space costs 80.", "The yard is full of cats.")
    candidates = [a_candidate(f"m{at}", text=text, cosine=0.5) for at, text in enumerate(texts)]
    hits = [Hit(candidate=one, score=score) for one, score in zip(candidates, (0.9, 0.7, 0.4), strict=True)]

    def lead(question: str) -> float:
        return confidence_features(analyse(question, reference=NOON), candidates, hits=hits).lead

    assert lead("How much does the parking space cost?") == pytest.approx(0.0)
    assert lead("Is the parking space in the yard?") == pytest.approx(0.2)
    assert lead("What colour is the parking space?") == 0.0
    assert confidence_features(analyse("Cost?", reference=NOON), candidates).lead == 0.0


@given(st.dictionaries(st.sampled_from(["m0", "m1", "m2", "m3"]), st.floats(0, 1)))
def test_second_answer_is_the_second_best_of_all_answer_scores(answers: dict[str, float]) -> None:
    candidates = [a_candidate(f"m{at}", text=text, cosine=0.5) for at, text in enumerate((TOLD, *NOISE))]
    hits = [Hit(candidate=one, score=1.0) for one in candidates]
    features = confidence_features(analyse(ASKED, reference=NOON), candidates, hits=hits, answers=answers)
    assert [features.answer or 0.0, features.second_answer] == [*sorted(answers.values(), reverse=True), 0.0, 0.0][:2]
    if answers:
        surer = replace(features, second_answer=features.answer or 0.0)
        assert confidence_of(surer, chinese=False, dialogue=1.0) >= confidence_of(features, chinese=False, dialogue=1.0)


def test_many_facts_of_an_agent_lower_the_confidence_a_little() -> None:
    def with_facts(count: int, confidence: float = 0.9) -> ConfidenceFeatures:
        message = a_candidate("m", text=TOLD, cosine=0.5)
        about = {"kind": HitKind.FACT, "confidence": confidence, "cosine": 0.2}
        facts = [a_candidate(f"f{n}", text=f"Caroline owns kettle {n}.", **about) for n in range(count)]
        hits = [Hit(candidate=message, score=1.0, parts={})]
        return confidence_features(analyse(ASKED, reference=NOON), [message, *facts], hits=hits)

    few, many = with_facts(4), with_facts(20)
    assert (few.facts, with_facts(10).facts, many.facts) == (0.0, 0.5, 1.0)
    assert with_facts(20, confidence=0.75).facts == 0.0, "read in the messages"
    same = replace(few, facts=1.0)
    few_sure, same_sure = (confidence_of(one, chinese=False, dialogue=1.0) for one in (few, same))
    assert few_sure - 0.1 < same_sure < few_sure


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("我的猫叫什么？", "我们养了一只橘猫，叫麻薯"),
        ("猫的颜色是什么？", "猫是白色的"),
        ("我开什么车？", "把旧车卖了，开公司的"),
    ],
)
def test_chinese_words_that_ask_for_a_value_need_not_be_known(question: str, text: str) -> None:
    assert seen(question, text, "It rained all day.", "今天下雨。").known == pytest.approx(1.0)


def test_text_in_the_other_language_is_known_by_its_cosine() -> None:
    def known(cosine: float) -> float:
        return seen("What is my cat's name?", "我们养了一只橘猫", is_cross_language=True, cosine=cosine).known

    assert known(0.6) > known(0.3) > known(0.1) == 0.0


def test_fact_about_somebody_holds_a_name_and_one_about_the_user_does_not() -> None:
    def holds(question: str, statement: str, **ends: str) -> float:
        fact = a_candidate("f", kind=HitKind.FACT, text=statement, cosine=0.5, speaker=None, **ends)
        message = a_candidate("m", text="hello", speaker="Marcus", cosine=0.1)
        hits = [Hit(candidate=fact, score=1.0), Hit(candidate=message, score=0.1)]
        return confidence_features(analyse(question, reference=NOON), [fact, message], hits=hits).first_holds

    luca = {"subject": "Marcus", "object": "Luca"}
    assert holds("我儿子叫什么名字？", "Luca is Marcus's son.", **luca) == 1.0
    assert holds("我外孙叫什么？", "乐乐是Marcus的外孙。", subject="Marcus", object="乐乐") == 1.0
    assert holds("What is my son called?", "Marcus has a son.", subject="Marcus", object="son") == 0.0
