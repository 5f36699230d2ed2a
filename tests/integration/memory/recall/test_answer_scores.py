"""Test that recall ranks by answer scores, within its tenant and user, and does without them, on a real Neo4j."""

import asyncio
from collections.abc import Sequence

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.recall.answer_ranking import SCORED_MORE_N, SCORED_N
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, Mode, Question
from graph_service.memory.recall.replacement_ranking import BRIEF_QUESTION
from graph_service.memory.service import Memory
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords

ASKED = "What do I drive?"
ANSWER = "picked up the Skoda on Friday"
OTHERS = ("the drive to work takes an hour", "my boys have a lot of drive", "it rains today")


class Scoring(HashedWords):
    """Scores a text with a Skoda as an answer, after a pause, and records what it was asked."""

    def __init__(self, *, pause_s: float = 0.0) -> None:
        self._pause_s = pause_s
        self.scored: list[str] = []

    async def answer_scores(self, question: str, texts: Sequence[str]) -> list[float | None]:
        await asyncio.sleep(self._pause_s)
        self.scored += [] if question == BRIEF_QUESTION else texts
        return [5.0 if "Skoda" in text else -5.0 for text in texts]

    async def replacement_scores(self, question: str, changes: Sequence[tuple[str, str]]) -> list[float | None]:
        return [None] * len(changes)


class Comparing(Scoring):
    """Scores all texts alike; a text replaces another if it is about a BMW, and records what it compared."""

    def __init__(self, *, compare_s: float = 0.0) -> None:
        super().__init__()
        self._compare_s = compare_s
        self.compared: list[tuple[str, str]] = []

    async def answer_scores(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [-9.0 if question == BRIEF_QUESTION and "today" not in text else 3.0 for text in texts]

    async def replacement_scores(self, question: str, changes: Sequence[tuple[str, str]]) -> list[float | None]:
        await asyncio.sleep(self._compare_s)
        self.compared += changes
        return [8.0 if "BMW" in newer else -8.0 for _, newer in changes]


async def told(graph: Graph, tenant: str, *texts: str, embedder: Scoring, user: str = "alice") -> Memory:
    memory = a_memory(graph, embedder=embedder)
    await memory.remember(TenantId(tenant), an_incoming(*texts, user=user, session=f"{user}-1"))
    await a_worker(graph, embedder=embedder).drain()
    return memory


async def ask(memory: Memory, tenant: str, text: str = ASKED, *, mode: Mode | None = None) -> Answer:
    question = Question(user_id="alice", text=text, limit=10, kinds=(HitKind.MESSAGE,), mode=mode)
    return await memory.recall(TenantId(tenant), question)


async def test_text_that_answers_in_other_words_comes_first(graph: Graph, tenant: str) -> None:
    memory = await told(graph, tenant, *OTHERS, ANSWER, embedder=Scoring())
    first = (await ask(memory, tenant)).hits[0]
    assert first.candidate.text == ANSWER
    assert first.parts["answers"] > 0
    assert sum(first.parts.values()) == pytest.approx(first.score, abs=1e-4)


async def test_load_models_loads_both_models_that_score_before_a_question(graph: Graph) -> None:
    embedder = Scoring()
    await a_memory(graph, embedder=embedder).load_models()
    assert embedder.scored == ["warm up"]
    comparing = Comparing()
    await a_memory(graph, embedder=comparing).load_models()
    assert len(comparing.compared) == 1


@pytest.mark.parametrize(("car", "scored_n"), [("Skoda", SCORED_N), ("Fiesta", SCORED_N + SCORED_MORE_N)])
async def test_one_more_text_is_scored_if_none_of_the_first_answers(
    graph: Graph, tenant: str, car: str, scored_n: int
) -> None:
    embedder = Scoring()
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    memory = await told(graph, tenant, *(f"I drive the {car} on {day}" for day in days), embedder=embedder)
    await ask(memory, tenant)
    assert len(embedder.scored) == scored_n


async def test_texts_of_other_tenants_and_users_are_never_scored(graph: Graph, tenant: str) -> None:
    embedder = Scoring()
    await told(graph, f"{tenant}-other", "their Skoda", embedder=embedder)
    await told(graph, tenant, "bob drives a Skoda", embedder=embedder, user="bob")
    memory = await told(graph, tenant, *OTHERS, embedder=embedder)
    await ask(memory, tenant)
    assert embedder.scored
    assert not [text for text in embedder.scored if "Skoda" in text]


async def test_other_modes_and_remarks_are_not_scored(graph: Graph, tenant: str) -> None:
    embedder = Scoring()
    memory = await told(graph, tenant, *OTHERS, ANSWER, embedder=embedder)
    await ask(memory, tenant, mode=Mode.SIMILARITY_IMPORTANCE)
    await ask(memory, tenant, "so today I was driving along and it rained and I thought of my boys again " * 3)
    assert embedder.scored == []


async def test_busy_models_are_done_without_and_the_answer_says_so(
    graph: Graph, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_service.memory.recall.pipeline._SCORING_MAX_S", 0.01)
    memory = await told(graph, tenant, *OTHERS, ANSWER, embedder=Scoring(pause_s=60))
    async with asyncio.timeout(30):
        answer = await ask(memory, tenant)
    assert answer.hits
    assert any("models that score answers are busy" in note for note in answer.notes)
    assert "answers" not in answer.hits[0].parts


OLDER, NEWER = "the Skoda runs well", "the BMW needs petrol"


async def test_text_that_a_newer_one_replaces_ranks_below_it(graph: Graph, tenant: str) -> None:
    embedder = Comparing()
    memory = await told(graph, tenant, OLDER, OTHERS[2], NEWER, embedder=embedder)
    first, *rest = (await ask(memory, tenant)).hits
    assert first.candidate.text == NEWER
    assert first.parts["replaces"] > 0
    assert sum(first.parts.values()) == pytest.approx(first.score, abs=1e-4)
    (older,) = (one for one in rest if one.candidate.text == OLDER)
    assert older.parts["replaced"] < 0
    former = (await ask(memory, tenant, "What did I drive before?")).hits
    assert former[0].candidate.text == OLDER
    assert former[0].parts["replaced"] > 0


async def test_text_that_holds_for_today_only_replaces_none(graph: Graph, tenant: str) -> None:
    memory = await told(graph, tenant, OLDER, "the BMW is mine for today", embedder=Comparing())
    hits = (await ask(memory, tenant)).hits
    assert all(abs(hit.parts[part]) < 0.01 for hit in hits for part in ("replaced", "replaces"))


async def test_texts_of_other_tenants_and_users_are_never_compared(graph: Graph, tenant: str) -> None:
    embedder = Comparing()
    await told(graph, f"{tenant}-other", "their Skoda", "their BMW", embedder=embedder)
    await told(graph, tenant, "bob drives a Skoda", "bob drives a BMW", embedder=embedder, user="bob")
    memory = await told(graph, tenant, *OTHERS, OLDER, embedder=embedder)
    await ask(memory, tenant)
    assert embedder.compared
    assert not [texts for texts in embedder.compared if "BMW" in "".join(texts)]


async def test_busy_model_of_replacements_is_done_without_and_the_answer_says_so(
    graph: Graph, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_service.memory.recall.pipeline._SCORING_MAX_S", 0.5)
    memory = await told(graph, tenant, OLDER, NEWER, embedder=Comparing(compare_s=60))
    async with asyncio.timeout(30):
        answer = await ask(memory, tenant)
    assert answer.hits
    assert any("models that score answers are busy" in note for note in answer.notes)
    assert not any("replaced" in one.parts for one in answer.hits)
