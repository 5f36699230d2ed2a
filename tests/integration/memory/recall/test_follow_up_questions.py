"""Test that a question with only a pronoun uses the session's recent turns."""

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming

SAID = (
    "A sister of Anna works as a doctor in Oslo.",
    "A sister of Tom works as a pilot in Rome.",
    "A sister of Kate works as a baker in Paris.",
    "A sister of Mark works as a judge in Lima.",
    "我听说李娜的妹妹是医生。",
    "我听说王强的妹妹是老师。",
    "我听说张伟的妹妹是律师。",
    "我听说陈静的妹妹是护士。",
)
CASES = [
    ("I met Anna at the market.", "What does her sister do?", "doctor"),
    ("I met Tom at the market.", "What does his sister do?", "pilot"),
    ("I met Kate at the market.", "What does her sister do?", "baker"),
    ("I met Mark at the market.", "And what about his sister?", "judge"),
    ("我昨天见了李娜。", "她的妹妹是做什么的？", "医生"),
    ("我昨天见了王强。", "他的妹妹是做什么的？", "老师"),
    ("我昨天见了张伟。", "那他妹妹呢？", "律师"),
    ("我昨天见了陈静。", "她妹妹做什么工作？", "护士"),
]


async def test_names_in_recent_turns_improve_the_rank_of_the_answer(graph: Graph, tenant: str) -> None:
    """Without the conversation the four sisters of each language are indistinguishable."""
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(*SAID, session="before"))
    for number, (said, _, _) in enumerate(CASES):
        await memory.remember(TenantId(tenant), an_incoming(said, session=f"now-{number}"))
    await a_worker(graph).drain()

    async def place(session: str | None, asked: str, answer: str) -> int:
        question = Question(user_id="alice", text=asked, kinds=(HitKind.MESSAGE,), limit=20, session_id=session)
        hits = (await memory.recall(TenantId(tenant), question)).hits
        return next((place for place, hit in enumerate(hits) if answer in hit.candidate.text), 99)

    alone = [await place(None, asked, answer) for _, asked, answer in CASES]
    sent: list[str] = []
    graph.observer = lambda statement: sent.append(statement.name)
    try:
        hinted = [await place(f"now-{number}", asked, answer) for number, (_, asked, answer) in enumerate(CASES)]
    finally:
        graph.observer = None
    assert sent == ["recall/recall"] * len(CASES)
    assert all(new <= old for new, old in zip(hinted, alone, strict=True)), (hinted, alone)
    assert hinted.count(0) >= len(CASES) - 1 > alone.count(0) + 2, (hinted, alone)


async def test_conversation_of_another_tenant_is_not_used(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(*SAID))
    await memory.remember(TenantId(f"{tenant}-other"), an_incoming("I met Kate at the market.", session="now"))
    await a_worker(graph).drain()
    found = []
    for session in (None, "now"):
        question = Question(user_id="alice", text="What does her sister do?", session_id=session)
        hits = (await memory.recall(TenantId(tenant), question)).hits
        found.append([(hit.candidate.id, hit.parts["entity_match"]) for hit in hits])
    assert found[0] == found[1]


@pytest.mark.parametrize("asked", ["What does Tom's sister do?", "王强的妹妹是做什么的？"])
async def test_question_with_a_name_ignores_the_conversation(graph: Graph, tenant: str, asked: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(*SAID, session="before"))
    await memory.remember(TenantId(tenant), an_incoming("I met Anna at the market.", session="now"))
    await a_worker(graph).drain()
    answers = [
        await memory.recall(TenantId(tenant), Question(user_id="alice", text=asked, session_id=session))
        for session in (None, "now")
    ]
    assert [hit.candidate.id for hit in answers[0].hits] == [hit.candidate.id for hit in answers[1].hits]
