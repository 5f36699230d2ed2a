"""Test the path from messages to facts and back to evidence."""

import asyncio
from datetime import timedelta

import pytest

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph
from graph_service.memory.context_builder.builder import ContextRequest
from graph_service.memory.ingest.validation import RememberRequest
from graph_service.memory.recall.query import HitKind, Question
from schema.errors import ConflictError, InputError
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming
from tests.support.slow import slow_but

TEA = "I love jasmine tea."


async def _edges(graph: Graph, tenant: str) -> list[tuple[str, str, str]]:
    snapshot = await a_memory(graph).mindmap.snapshot(TenantId(tenant), user_id=None, budget=1000)
    names = {node.id: node.label for node in snapshot.nodes}
    return sorted((names[e.source], e.predicate, names[e.target]) for e in snapshot.edges if e.predicate != "MENTIONED")


async def test_message_becomes_an_edge_with_evidence(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    receipt = await memory.remember(TenantId(tenant), an_incoming(TEA, user_name="Alice"))
    await a_worker(graph).drain()
    assert await _edges(graph, tenant) == [("Alice", "PREFERS", "jasmine tea")]
    answer = await memory.recall(
        TenantId(tenant), Question(user_id="alice", text="tea", kinds=(HitKind.FACT,), evidence=3)
    )
    assert [receipt.message_ids[0]] == [message.id for message in answer.hits[0].candidate.evidence]


async def test_fact_and_its_message_have_the_same_time_down_to_the_millisecond(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    said = a_message("I moved to Lisbon.", time=NOON + timedelta(microseconds=117_900))
    await memory.remember(TenantId(tenant), an_incoming(messages=(said,)))
    await a_worker(graph).drain()
    times = {}
    for kind in (HitKind.FACT, HitKind.MESSAGE):
        answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text="Lisbon?", kinds=(kind,)))
        times[kind] = answer.hits[0].candidate.said_at
    assert set(times.values()) == {NOON + timedelta(milliseconds=117)}


async def test_question_asked_earlier_is_answered_by_what_was_said_until_then(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    for days, text in ((0, "I'm staying with my daughter in Ludlow."), (26, "I'm staying in Shrewsbury again.")):
        said = a_message(text, time=NOON + timedelta(days=days))
        await memory.remember(TenantId(tenant), an_incoming(messages=(said,), session=f"s{days}"))
    await a_worker(graph).drain()
    texts = []
    for days in (8, 30):
        question = Question(user_id="alice", text="Where am I staying?", asked_at=NOON + timedelta(days=days))
        texts.append([hit.candidate.text for hit in (await memory.recall(TenantId(tenant), question)).hits])
    assert any("Ludlow" in text for text in texts[0])
    assert not any("Shrewsbury" in text for text in texts[0])
    assert any("Shrewsbury" in text for text in texts[1])


async def test_question_about_a_time_after_it_was_asked_is_no_error(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(messages=(a_message("The boat is called Dunlin.", time=NOON),)))
    await a_worker(graph).drain()
    for text in ("What is the boat called?", "What did we discuss on 5 May 2031?"):
        for start in (None, NOON + timedelta(days=90)):
            asked = Question(user_id="alice", text=text, asked_at=NOON + timedelta(days=1), start=start)
            answer = await memory.recall(TenantId(tenant), asked)
            assert start is None or not answer.hits


async def test_question_asked_earlier_finds_the_fact_that_held_then(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    for days, text in ((0, "I live in Ludlow."), (26, "I moved to Shrewsbury.")):
        said = a_message(text, time=NOON + timedelta(days=days))
        await memory.remember(TenantId(tenant), an_incoming(messages=(said,), session=f"s{days}"))
    await a_worker(graph).drain()
    homes = []
    for days in (8, 30):
        asked_at = NOON + timedelta(days=days)
        question = Question(user_id="alice", text="Where do I live?", kinds=(HitKind.FACT,), asked_at=asked_at)
        homes.append([hit.candidate.text for hit in (await memory.recall(TenantId(tenant), question)).hits])
    assert ["Ludlow" in homes[0][0], "Shrewsbury" in homes[1][0]] == [True, True]
    assert not any("Shrewsbury" in text for text in homes[0])


async def test_chinese_message_becomes_an_edge_and_is_recalled(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("我很喜欢绘画、弹钢琴和品茶。", user="张曼婷"))
    await a_worker(graph).drain()
    objects = {obj for _, predicate, obj in await _edges(graph, tenant) if predicate == "PREFERS"}
    assert {"绘画", "弹钢琴", "品茶"} == objects
    answer = await memory.recall(TenantId(tenant), Question(user_id="张曼婷", text="她会弹钢琴吗？"))
    assert any("弹钢琴" in hit.candidate.text for hit in answer.hits)


async def test_first_64_names_of_a_user_are_kept(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    for number in range(70):
        said = an_incoming(TEA, session=f"s{number}", user_name=f"Alice {number}")
        assert (await memory.remember(TenantId(tenant), said)).message_ids
    async with graph._driver.session() as session:
        rows = await session.run(
            "MATCH (u:User {tenant: $tenant}) RETURN u.name AS name, u.aliases AS aliases", tenant=tenant
        )
        row = await rows.single()
    assert row is not None
    assert row["name"] == "Alice 0"
    assert row["aliases"] == [f"Alice {number}" for number in range(1, 65)]


async def test_remembering_the_same_messages_again_changes_nothing(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    first = await memory.remember(TenantId(tenant), an_incoming(TEA, "I hate mornings."))
    await a_worker(graph).drain()
    before = (await memory.changes.head(TenantId(tenant))).seq
    again = await memory.remember(TenantId(tenant), an_incoming(TEA, "I hate mornings."))
    await a_worker(graph).drain()
    assert (first.stored, first.repeated) == (2, 0)
    assert (again.stored, again.repeated) == (0, 2)
    assert first.message_ids == again.message_ids
    assert before == (await memory.changes.head(TenantId(tenant))).seq


async def test_message_is_found_before_it_is_read(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("The spare key is under the blue flowerpot."))
    answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text="Where is the spare key?"))
    assert "flowerpot" in answer.hits[0].candidate.text
    assert answer.hits[0].candidate.pending


async def test_recall_takes_one_round_trip(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(TEA))
    await a_worker(graph).drain()
    sent: list[Statement] = []
    graph.observer = sent.append
    try:
        await memory.recall(TenantId(tenant), Question(user_id="alice", text="jasmine tea", evidence=5))
    finally:
        graph.observer = None
    assert [statement.name for statement in sent] == ["recall/recall"]


async def test_question_waits_while_recall_is_planned(graph: Graph, tenant: str) -> None:
    """Else Neo4j, in the seconds after its start, would plan the large statement once per question."""
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(TEA))
    planning = asyncio.create_task(memory.plan_recall())
    planned_when_sent: list[bool] = []
    graph.observer = lambda _statement: planned_when_sent.append(planning.done())
    try:
        await asyncio.sleep(0)
        answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text="jasmine tea"))
    finally:
        graph.observer = None
    assert answer.hits[0].candidate.text == TEA
    assert planned_when_sent == [False, True]


async def test_score_is_the_sum_of_its_parts(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(TEA, "My sister Anna lives in Oslo.", "I work at Acme."))
    await a_worker(graph).drain()
    answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text="Where does Anna live?"))
    assert answer.hits
    for hit in answer.hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()))


async def test_recall_respects_the_time_range_of_the_question(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("The meeting was about bees.", "The meeting was about wasps."))
    late = a_message(minute=1).time
    answer = await memory.recall(
        TenantId(tenant), Question(user_id="alice", text="meeting", start=late, kinds=(HitKind.MESSAGE,))
    )
    assert [hit.candidate.text for hit in answer.hits] == ["The meeting was about wasps."]


async def test_a_newer_home_closes_the_older_one(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("I live in Paris."))
    await memory.remember(TenantId(tenant), an_incoming("I live in Paris.", "I live in Oslo.", session="s2"))
    await a_worker(graph).drain()
    answer = await memory.recall(
        TenantId(tenant), Question(user_id="alice", text="live Paris Oslo", kinds=(HitKind.FACT,))
    )
    assert [hit.candidate.object for hit in answer.hits] == ["Oslo"]
    before = Question(user_id="alice", text="live Paris Oslo", kinds=(HitKind.FACT,), valid_at=a_message(minute=0).time)
    assert [hit.candidate.object for hit in (await memory.recall(TenantId(tenant), before)).hits] == ["Paris"]


async def test_provided_facts_replace_extraction(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    fact = ProvidedFact(
        subject="user", predicate="CARES_ABOUT", object="green energy", statement="Alice cares about green energy."
    )
    bad = ProvidedFact(subject="user", predicate="WORSHIPS", object="cats", statement="Alice worships cats.")
    receipt = await memory.remember(
        TenantId(tenant), an_incoming(TEA, user_name="Alice", facts=(fact, bad), summary="Alice spoke about energy.")
    )
    await a_worker(graph).drain()
    assert await _edges(graph, tenant) == [("Alice", "CARES_ABOUT", "green energy")]
    assert len(receipt.dropped) == 1
    assert "WORSHIPS" in receipt.dropped[0]


async def test_reused_message_id_with_other_text_is_refused(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    one = RememberRequest(user_id="alice", session_id="s1", messages=(a_message("One.", id="m1"),))
    other = RememberRequest(
        user_id="alice", session_id="s1", messages=(a_message("Other.", id="m1"), a_message("New.", id="m2"))
    )
    await memory.remember(TenantId(tenant), one)
    with pytest.raises(ConflictError, match="nothing was written"):
        await memory.remember(TenantId(tenant), other)
    answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text="One Other New"))
    assert [hit.candidate.text for hit in answer.hits] == ["One."]


async def test_invalid_input_reports_every_error_and_stores_nothing(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    bad = RememberRequest(
        user_id="alice",
        session_id="s1",
        messages=(
            a_message("fine"),
            a_message(" "),
            a_message("x", role="robot"),
            a_message("a\x00b"),
            a_message("\ud800"),
        ),
    )
    with pytest.raises(InputError) as caught:
        await memory.remember(TenantId(tenant), bad)
    assert len(caught.value.problems) == 4
    assert (await memory.changes.head(TenantId(tenant))).seq == 0


@pytest.mark.parametrize(
    "query", ["AND", "a/b", '"', "!", "*", "text:*", "foo~~ (", "🙂", "\\", "scope_user:*", "OR OR OR"]
)
async def test_query_syntax_in_a_question_is_treated_as_words(graph: Graph, tenant: str, query: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming(TEA))
    await memory.recall(TenantId(tenant), Question(user_id="alice", text=query))


async def test_two_tenants_do_not_see_each_other(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    other = TenantId(f"{tenant}-other")
    await memory.remember(TenantId(tenant), an_incoming("My secret word is xylophone."))
    await memory.remember(other, an_incoming("I like bread."))
    await a_worker(graph).drain()
    for kinds in ((HitKind.MESSAGE,), (HitKind.SCENE,), (HitKind.FACT,)):
        answer = await memory.recall(other, Question(user_id="alice", text="secret word xylophone", kinds=kinds))
        assert not any("xylophone" in hit.candidate.text for hit in answer.hits)
    snapshot = await memory.mindmap.snapshot(other, user_id=None, budget=1000)
    assert not any("xylophone" in (node.summary or "") + node.label for node in snapshot.nodes)
    changes = await memory.changes.since(other, 0)
    assert not any("xylophone" in str(row.change.body) for row in changes)


async def test_two_users_of_one_tenant_do_not_see_each_other(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("My secret word is xylophone."))
    await memory.remember(TenantId(tenant), an_incoming("I like bread.", user="bob"))
    await a_worker(graph).drain()
    answer = await memory.recall(TenantId(tenant), Question(user_id="bob", text="secret word xylophone"))
    assert not any("xylophone" in hit.candidate.text for hit in answer.hits)


async def test_later_message_is_added_to_its_scene(graph: Graph, tenant: str) -> None:
    """Regression: scenes had no session, so each call opened a new scene and no scene got vectors."""
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph).drain()
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea.", "With honey, please."))
    await a_worker(graph).drain()
    snapshot = await memory.mindmap.snapshot(TenantId(tenant), user_id=None, budget=100)
    assert [node.evidence_n for node in snapshot.nodes if node.kind == "Scene"] == [2]


async def test_scenes_are_found_by_meaning_of_their_summaries(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph).drain()
    answer = await memory.recall(
        TenantId(tenant), Question(user_id="alice", text="jasmine tea", kinds=(HitKind.SCENE,))
    )
    assert {"abstract", "overview", "words"} <= set(answer.search_path)


# Lucene's analyzer makes a term of each character, or pair of them, and refuses more than 1,024 terms in a query.
LONG_QUESTIONS = {
    "one Chinese run": "茶" * 4_000,
    "different Chinese characters": "".join(chr(0x4E00 + n) for n in range(4_000)),
    "Chinese runs with marks": "茶园，" * 1_333,
    "rare ideographs": "𠀀𠀁" * 2_000,
    "hiragana": "あいう" * 1_333,
    "hangul": "가나다" * 1_333,
    "thai": "กขค" * 1_333,
    "one Latin run": "x" * 4_000,
    "many words": " ".join(f"w{n}" for n in range(700)),
    "digits": "1234567890" * 400,
    "emoji": "🍵" * 4_000,
    "both scripts": "茶tea" * 1_000,
}


_IN_EVERY_RUN = ["different Chinese characters", "hangul", "many words", "both scripts"]


@pytest.mark.parametrize("kind", slow_but(_IN_EVERY_RUN, LONG_QUESTIONS))
async def test_longest_questions_and_names_are_answered(graph: Graph, tenant: str, kind: str) -> None:
    text = LONG_QUESTIONS[kind]
    memory = a_memory(graph)
    question = text[:4_000]
    fact = ProvidedFact(subject="user", predicate="PREFERS", object=text[:200], statement=text[:2_000])
    await memory.remember(TenantId(tenant), an_incoming(text[:4_000], facts=(fact,)))
    await a_worker(graph).drain()
    await memory.recall(TenantId(tenant), Question(user_id="alice", text=question))
    await memory.context(TenantId(tenant), ContextRequest(user_id="alice", query=question))
