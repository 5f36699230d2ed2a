"""Test sampling of abstention trials."""

from graph_service.evaluation.dataset import read_all
from graph_service.evaluation.run import abstention_trials
from tests.unit.evaluation.test_dataset import OWN

CONVERSATIONS = read_all([OWN]).conversations


def test_foreign_questions_come_from_other_conversations_of_the_set() -> None:
    chosen = abstention_trials(CONVERSATIONS)
    for asking in chosen:
        here = CONVERSATIONS[asking.conversation]
        assert (asking.question in here.questions) != asking.foreign
        assert asking.question.gold
        assert {one.dataset for one in CONVERSATIONS if asking.question in one.questions} == {here.dataset}


def test_foreign_questions_are_as_many_as_answerable_ones() -> None:
    for most in (3, 200):
        chosen = abstention_trials(CONVERSATIONS, trials_max=most)
        for dataset, own in (("own-en", 11), ("own-zh", 11)):
            mine = [one for one in chosen if CONVERSATIONS[one.conversation].dataset == dataset]
            assert sum(one.foreign for one in mine) == sum(not one.foreign for one in mine) == min(most, own)
    assert abstention_trials(CONVERSATIONS) == abstention_trials(CONVERSATIONS)
    assert abstention_trials(CONVERSATIONS, seed=1) != abstention_trials(CONVERSATIONS, seed=2)


def test_a_single_conversation_borrows_questions_in_its_own_language() -> None:
    linxiao, nora = (next(one for one in CONVERSATIONS if one.id == name) for name in ("linxiao", "nora-and-ben"))
    assert abstention_trials([linxiao, nora]) == []
    wulei = next(one for one in CONVERSATIONS if one.id == "wulei").model_copy(update={"dataset": "other-zh"})
    foreign = [
        one.question for one in abstention_trials([linxiao, nora, wulei]) if one.foreign and one.conversation == 0
    ]
    assert len(foreign) == len(wulei.answerable)
    assert all(question in wulei.questions for question in foreign)
