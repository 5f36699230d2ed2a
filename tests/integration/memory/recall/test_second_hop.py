"""Test that facts two hops from the named entity are found, within tenant, user and time.

On a real Neo4j, in English and Chinese.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, Mode, Question
from graph_service.memory.service import Memory
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_worker, no_spool

DAY = timedelta(days=1)
Said = tuple[str, str, str | None, str]


@dataclass(frozen=True)
class Story:
    """A question over two hops.

    Attributes:
        ties: the facts of the first hop.
        last: the fact that answers it.
        others: similar facts of other entities, and other facts of the same people.
    """

    question: str
    ties: tuple[Said, ...]
    last: Said
    others: tuple[Said, ...]


STORIES = {
    "en": Story(
        "What does my sister's employer sell?",
        (("user", "sister", "sister", "The user has a sister."), ("sister", "works at", "Acme", "She works at Acme.")),
        ("Acme", "makes", "anvils", "Acme makes anvils."),
        (
            ("user", "likes", "tea", "The user likes green tea."),
            ("sister", "likes", "jazz", "The sister likes jazz."),
            ("Bolt", "makes", "rockets", "Bolt makes rockets."),
            ("user", "lives in", "Oslo", "The user lives in Oslo."),
        ),
    ),
    "a name instead of the word": Story(
        "What does my sister's employer sell?",
        (("user", "sister", "Anna", "Anna is close."), ("Anna", "works at", "Acme", "Anna works at Acme.")),
        ("Acme", "makes", "anvils", "Acme makes anvils."),
        (("user", "likes", "tea", "The user likes green tea."), ("Bolt", "makes", "rockets", "Bolt makes rockets.")),
    ),
    "zh": Story(
        "我姐姐的公司卖什么？",
        (("user", "姐姐", "小红", "小红和用户是一家人。"), ("小红", "就职于", "蓝天", "小红就职于蓝天。")),
        ("蓝天", "生产", "风筝", "蓝天生产风筝。"),
        (("user", "喜欢", "绿茶", "用户喜欢绿茶。"), ("大地", "生产", "火箭", "大地生产火箭。")),
    ),
}


def at(graph: Graph, moment: datetime) -> Memory:
    """Return a memory at a time, without vectors, which in a small memory would find everything."""
    return Memory(
        graph=graph,
        embedder=None,
        worker=a_worker(graph),
        clock=lambda: moment,
        notify=lambda _tenant: None,
        spool=no_spool(),
    )


async def say(graph: Graph, tenant: str, *facts: Said, user: str = "alice", day: int = 0, **more: Any) -> None:
    """Store provided facts of a day, each with a message that states it."""
    brought = tuple(
        ProvidedFact(
            subject=subject,
            predicate="RELATES_TO",
            object=thing,
            relation=relation,
            statement=statement,
            message_indexes=(place,),
            **more,
        )
        for place, (subject, relation, thing, statement) in enumerate(facts)
    )
    moment = NOON + day * DAY
    messages = tuple(
        IncomingMessage(role="user", text=statement, time=moment + timedelta(minutes=place))
        for place, (*_, statement) in enumerate(facts)
    )
    incoming = RememberRequest(user_id=user, session_id=f"{user}-{day}", messages=messages, facts=brought)
    await at(graph, moment + timedelta(hours=1)).remember(TenantId(tenant), incoming)
    await a_worker(graph).drain()


async def ask(graph: Graph, tenant: str, text: str, *, user: str = "alice", **asked: Any) -> Answer:
    question = Question(user_id=user, text=text, limit=50, **{"kinds": (HitKind.FACT,), **asked})
    return await at(graph, NOON + 400 * DAY).recall(TenantId(tenant), question)


async def change(graph: Graph, statement: Statement, parameters: dict[str, str]) -> int:
    """Run a statement of this file; return the number of its rows."""

    async def steps(writing: Writing) -> int:
        return len(await writing.run(statement, parameters))

    return await graph.write(steps)


def objects(answer: Answer) -> list[str | None]:
    return [hit.candidate.object for hit in answer.hits]


@pytest.mark.parametrize("name", STORIES)
async def test_product_of_my_sisters_employer_is_ranked_first(graph: Graph, tenant: str, name: str) -> None:
    story = STORIES[name]
    await say(graph, tenant, *story.ties, story.last, *story.others)
    answer = await ask(graph, tenant, story.question)
    assert objects(answer)[0] == story.last[2]
    assert "hop" in answer.search_path
    assert answer.hits[0].parts["multi_hop"] > 0
    for hit in answer.hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()))


@pytest.mark.parametrize("name", STORIES)
async def test_second_hop_takes_one_round_trip(graph: Graph, tenant: str, name: str) -> None:
    story = STORIES[name]
    await say(graph, tenant, *story.ties, story.last)
    sent: list[Statement] = []
    graph.observer = sent.append
    try:
        await ask(graph, tenant, story.question)
    finally:
        graph.observer = None
    assert [statement.name for statement in sent] == ["recall/recall"]


async def test_second_hop_does_not_pass_through_the_user(graph: Graph, tenant: str) -> None:
    story = STORIES["en"]
    await say(graph, tenant, *story.ties, story.last, *story.others)
    reached = [
        hit.candidate.object for hit in (await ask(graph, tenant, "sister")).hits if hit.parts["entity_match"] == 0
    ]
    assert reached == ["anvils"]


async def test_second_hop_does_not_pass_through_the_agent(graph: Graph, tenant: str) -> None:
    told = (("assistant", "knows", "sister", "It knows her."), ("assistant", "knows", "Bolt", "It knows Bolt."))
    await say(graph, tenant, *told)
    assert objects(await ask(graph, tenant, "sister")) == ["sister"]


async def test_second_hop_does_not_pass_through_entities_of_high_degree(graph: Graph, tenant: str) -> None:
    story = STORIES["en"]
    many = [("Acme", "sells", f"thing {number}", f"Number {number}.") for number in range(50)]
    await say(graph, tenant, *story.ties, *many[:30])
    assert len(objects(await ask(graph, tenant, "sister"))) > 3
    await say(graph, tenant, *many, day=1)
    assert set(objects(await ask(graph, tenant, "sister"))) == {"sister", "Acme"}


async def test_second_hop_never_reaches_facts_of_others(graph: Graph, tenant: str) -> None:
    story = STORIES["en"]
    other = f"{tenant}-other"
    await say(graph, tenant, *story.ties)
    await say(graph, tenant, *story.ties, ("Acme", "makes", "bells", "It makes bells."), user="bob")
    await say(graph, other, *story.ties, ("Acme", "makes", "cakes", "It makes cakes."))
    assert set(objects(await ask(graph, tenant, story.question))) == {"sister", "Acme"}
    assert objects(await ask(graph, tenant, story.question, user="bob"))[0] == "bells"
    assert objects(await ask(graph, other, story.question))[0] == "cakes"


_TIE_TO_OTHERS = Statement(
    name="test/tie_to_others",
    text="MATCH (a:Entity {tenant: $tenant, user_id: 'alice', name: 'Acme'}) MATCH (b:Entity {name: 'bells'}) "
    "WHERE b.tenant = $other AND b.user_id = 'bob' "
    "CREATE (a)-[:RELATES_TO {tenant: $other, user_id: 'bob', id: 'stray', statement: 'stray', strength: 0.9, "
    "uri: 'memory://' + $tenant + '/user/alice/facts/stray', valid_at: datetime('2020-01-01T00:00:00Z'), "
    "recorded_at: datetime('2020-01-01T00:00:00Z'), evidence: []}]->(b) RETURN b.id AS id",
    parameters=frozenset({"tenant", "other"}),
    columns=("id",),
    hot=False,
)


@pytest.mark.parametrize("suffix", ["", "-other"])
async def test_edge_to_an_entity_of_another_owner_is_not_followed(graph: Graph, tenant: str, suffix: str) -> None:
    """No code writes such an edge; this tests the filter of the second hop alone."""
    story, other = STORIES["en"], f"{tenant}{suffix}"
    await say(graph, tenant, *story.ties)
    await say(graph, other, ("Bolt", "makes", "bells", "It makes bells."), user="bob")
    assert await change(graph, _TIE_TO_OTHERS, {"tenant": tenant, "other": other}) == 1
    assert set(objects(await ask(graph, tenant, story.question))) == {"sister", "Acme"}


@pytest.mark.parametrize("last", [1, 2], ids=["the tie", "the answer"])
async def test_ended_facts_are_neither_bridges_nor_answers(graph: Graph, tenant: str, last: int) -> None:
    story = STORIES["en"]
    way = [*story.ties, story.last]
    await say(graph, tenant, *way[:last], *way[last + 1 :])
    await say(graph, tenant, way[last], day=2, valid_at=NOON, invalid_at=NOON + 5 * DAY)
    assert "anvils" not in objects(await ask(graph, tenant, story.question))
    then = await ask(graph, tenant, story.question, valid_at=NOON + 3 * DAY)
    assert objects(then)[0] == "anvils"


@pytest.mark.parametrize("last", [0, 1, 2], ids=["who is meant", "the tie", "the answer"])
async def test_facts_received_later_are_no_bridges_as_of_before(graph: Graph, tenant: str, last: int) -> None:
    story = STORIES["a name instead of the word"]
    way = [*story.ties, story.last]
    await say(graph, tenant, *way[:last], *way[last + 1 :])
    await say(graph, tenant, way[last], day=10, valid_at=NOON)
    assert "anvils" not in objects(await ask(graph, tenant, story.question, as_of=NOON + 5 * DAY))
    assert objects(await ask(graph, tenant, story.question, as_of=NOON + 15 * DAY))[0] == "anvils"


@pytest.mark.parametrize("name", STORIES)
async def test_evidence_message_of_the_second_fact_is_ranked_higher(graph: Graph, tenant: str, name: str) -> None:
    story = STORIES[name]
    await say(graph, tenant, *story.ties, *story.others)
    await say(graph, tenant, story.last, day=3)
    answer = await ask(graph, tenant, story.question, kinds=(HitKind.MESSAGE,))
    assert "hop" in answer.search_path
    assert [hit.candidate.text for hit in answer.hits if hit.parts["multi_hop"] > 0] == [story.last[3]]


_PROVED_BY_OTHERS = Statement(
    name="test/proved_by_others",
    text="MATCH (m:Message {tenant: $tenant, user_id: 'bob'}) WITH collect(m.id) AS theirs "
    "MATCH (:Entity {tenant: $tenant, user_id: 'alice', name: 'Acme'})-[r:RELATES_TO]->(:Entity) "
    "SET r.evidence = r.evidence + theirs RETURN r.id AS id",
    parameters=frozenset({"tenant"}),
    columns=("id",),
    hot=False,
)


async def test_evidence_messages_of_others_are_never_returned(graph: Graph, tenant: str) -> None:
    """No code writes such evidence."""
    story = STORIES["en"]
    await say(graph, tenant, *story.ties, story.last)
    await say(graph, tenant, ("Bolt", "makes", "bells", "It makes bells."), user="bob")
    assert await change(graph, _PROVED_BY_OTHERS, {"tenant": tenant}) == 1
    for kind in (HitKind.MESSAGE, HitKind.FACT):
        answer = await ask(graph, tenant, story.question, kinds=(kind,), evidence=20)
        told = [hit.candidate.uri for hit in answer.hits] + [
            one.uri for hit in answer.hits for one in hit.candidate.evidence
        ]
        assert not [uri for uri in told if "bob" in uri]
        assert {hit.candidate.kind for hit in answer.hits} == {kind}


@pytest.mark.parametrize("mode", list(Mode))
async def test_every_mode_ranks_second_hop_facts(graph: Graph, tenant: str, mode: Mode) -> None:
    story = STORIES["en"]
    await say(graph, tenant, *story.ties, story.last, *story.others)
    answer = await ask(graph, tenant, story.question, kinds=tuple(HitKind), mode=mode)
    assert answer.hits
    for hit in answer.hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()))


async def test_question_for_scenes_only_uses_no_second_hop(graph: Graph, tenant: str) -> None:
    story = STORIES["en"]
    await say(graph, tenant, *story.ties, story.last)
    answer = await ask(graph, tenant, story.question, kinds=(HitKind.SCENE,))
    assert {hit.candidate.kind for hit in answer.hits} == {HitKind.SCENE}
    assert "hop" not in answer.search_path
