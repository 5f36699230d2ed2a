"""Test that recall finds what was said in the other language, within its tenant and user, on a real Neo4j."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from extraction.embeddings.embedder import Embedded
from graph_service.graph.store import Graph
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.service import Memory
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords

WORDS = {
    "instrument": "吉他", "learning": "学", "allergic": "过敏", "food": "花生", "work": "上班", "sister": "姐姐",
    "乐器": "guitar", "学": "learning", "过敏": "allergic", "食物": "peanuts", "姐姐": "sister", "上班": "works",
}  # fmt: skip
CHINESE = ("我最近在学吉他", "我对花生过敏", "我姐姐在银行上班", "今天下雨", "昨天看了电影", "晚上吃面条")
ENGLISH = (
    "lately I am learning guitar",
    "I am allergic to peanuts",
    "my sister works at a bank",
    "it rains today",
    "we saw a film yesterday",
    "noodles for dinner",
)
ASKED = (
    ("What instrument am I learning?", CHINESE[0]),
    ("What food am I allergic to?", CHINESE[1]),
    ("Where does my sister work?", CHINESE[2]),
    ("我在学什么乐器？", ENGLISH[0]),
    ("我对什么食物过敏？", ENGLISH[1]),
    ("我姐姐在哪里上班？", ENGLISH[2]),
)


class TwoLanguages(HashedWords):
    """Carries a question by translating its words."""

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        found = await super().embed_with_tokens(texts, asked=asked)
        if not asked:
            return found
        translated = [" ".join(WORDS[word] for word in self._words(text) if word in WORDS) for text in texts]
        return [
            replace(one, cross_language_vector=self._vector(text)) if text else one
            for one, text in zip(found, translated, strict=True)
        ]


async def told(graph: Graph, tenant: str, *texts: str, user: str = "alice") -> Memory:
    """Return a memory to which a user told these texts."""
    memory = a_memory(graph, embedder=TwoLanguages())
    await memory.remember(TenantId(tenant), an_incoming(*texts, user=user, session=f"{user}-1"))
    await a_worker(graph, embedder=TwoLanguages()).drain()
    return memory


async def ask(memory: Memory, tenant: str, text: str, *, user: str = "alice") -> Answer:
    question = Question(user_id=user, text=text, limit=10, kinds=(HitKind.MESSAGE,))
    return await memory.recall(TenantId(tenant), question)


@pytest.mark.parametrize(("question", "answer"), ASKED)
async def test_answer_in_the_other_language_is_found_first(
    graph: Graph, tenant: str, question: str, answer: str
) -> None:
    memory = await told(graph, tenant, *CHINESE, *ENGLISH)
    own_language = CHINESE if answer in ENGLISH else ENGLISH
    found = [hit.candidate.text for hit in (await ask(memory, tenant, question)).hits]
    assert next(text for text in found if text not in own_language) == answer
    assert answer in found[:2]


async def test_nothing_of_other_tenants_and_users_is_found_across_languages(graph: Graph, tenant: str) -> None:
    await told(graph, f"{tenant}-other", *CHINESE)
    await told(graph, tenant, *CHINESE, user="bob")
    memory = await told(graph, tenant, *ENGLISH)
    answer = await ask(memory, tenant, "What instrument am I learning?")
    assert {hit.candidate.text for hit in answer.hits} <= {*ENGLISH}


async def test_memory_of_one_language_is_ranked_as_without_cross_language_vectors(graph: Graph, tenant: str) -> None:
    await told(graph, tenant, *ENGLISH)
    without, with_cross_language = [
        await ask(a_memory(graph, embedder=embedder), tenant, "What instrument am I learning?")
        for embedder in (HashedWords(), TwoLanguages())
    ]
    assert [hit.candidate.id for hit in with_cross_language.hits] == [hit.candidate.id for hit in without.hits]
    # Scores depend on the time of the question.
    assert [hit.score for hit in with_cross_language.hits] == pytest.approx(
        [hit.score for hit in without.hits], abs=1e-5
    )
    assert with_cross_language.confidence == without.confidence
    assert "other_language" not in with_cross_language.search_path
