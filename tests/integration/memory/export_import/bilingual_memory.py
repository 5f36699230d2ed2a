"""A memory with every kind of node, in English and Chinese, for tests of exports and analyst queries."""

from datetime import UTC, datetime

import pytest_asyncio

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.items.writes import ItemWrite
from graph_service.memory.recall.query import Question
from graph_service.memory.worker.item_upkeep import ItemUpkeep
from schema.entity import an_entity
from schema.fact import FactKind
from schema.ids import TenantId, UserId
from schema.message import ProvidedFact
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords

ANA = [
    "I moved to Porto in 2019.",
    "I love jasmine tea.",
    "My friend Bob works at Acme.",
    "Bobby likes tea too.",
    "We decided to use Postgres because the team knows it.",
    "The storm made the train late, and the delay made me angry.",
    "To brew tea: boil water, then wait three minutes.",
    "I drink jasmine tea every day.",
]
LATER = ["I moved to Lisbon in May 2025."]
ZHANG = ["我对花生过敏。", "我很喜欢绘画和品茶。", "我住在上海。"]


TENANT = "told-in-two-languages-2"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def bilingual(graph: Graph) -> Graph:
    """Return the graph in which the tenant of that name has this memory; filled once and shared."""
    head = await graph.read(statement("change_log/head"), {"tenant": TENANT})
    if not head[0]["seq"]:
        await fill_bilingual(graph, TENANT)
    return graph


def _fact(subject: str, predicate: str, obj: str, relation: str | None, place: int, **more: object) -> ProvidedFact:
    said = f"{subject} {relation or predicate.lower()} {obj}"
    return ProvidedFact(
        **{  # type: ignore[arg-type]
            "subject": subject,
            "predicate": predicate,
            "object": obj,
            "relation": relation,
            "statement": said,
            "message_indexes": (place,),
            **more,
        }
    )


ANAS_FACTS = (
    _fact("user", "RELATES_TO", "Porto", "lives in", 0, valid_at=datetime(2019, 1, 1, tzinfo=UTC)),
    _fact("user", "PREFERS", "jasmine tea", None, 1),
    _fact("user", "RELATES_TO", "Bob", "friend", 2),
    _fact("Bob", "RELATES_TO", "Acme", "works at", 2),
    _fact("Bobby", "PREFERS", "tea", None, 3),
    _fact("user", "CARES_ABOUT", "Postgres", "decision", 4, kind=FactKind.DECISION, rationale="The team knows it."),
    _fact("delay", "CAUSED_BY", "storm", None, 5),
    _fact("anger", "CAUSED_BY", "delay", None, 5, trigger_emotion="anger"),
    _fact(
        "user",
        "RELATES_TO",
        "tea brewing",
        "procedure",
        6,
        kind=FactKind.PROCEDURE,
        steps=("boil water → hot water", "wait three minutes → tea"),
    ),
)
MOVED = (
    _fact("user", "RELATES_TO", "Lisbon", "lives in", 0, valid_at=datetime(2025, 5, 1, tzinfo=UTC)),
    _fact("butler", "CARES_ABOUT", "Lisbon", None, 0),
)


ITEMS = (
    ItemWrite(namespace=("settings",), key="theme", value={"name": "dark", "since": 2019}, user_id="ana", ttl_s=1e9),
    ItemWrite(namespace=("团队/一", "笔记"), key=" ", value=["茉莉花茶", None, {"深": [1.5, "\u0000"]}]),
    ItemWrite(namespace=("numbers",), key="pi", value=3.14),
)


async def fill_bilingual(graph: Graph, tenant: str) -> None:
    """Store two users with sessions, facts of every kind, a merge, a deletion, an answered question and items."""
    memory, whose = a_memory(graph), TenantId(tenant)
    await memory.remember(whose, an_incoming(*ANA, user="ana", session="first", user_name="Ana", facts=ANAS_FACTS))
    await memory.remember(whose, an_incoming(*LATER, user="ana", session="later", facts=MOVED, agent_id="butler"))
    await memory.remember(whose, an_incoming(*ZHANG, user="张曼婷", session="诊所"))
    await a_worker(graph).drain()
    bob, bobby = (an_entity(whose, UserId("ana"), name).id for name in ("Bob", "Bobby"))
    await memory.merges.merge(whose, bob, bobby, "the same friend")
    apart = [an_entity(whose, UserId("ana"), name).id for name in ("storm", "delay")]
    await memory.merges.reject(whose, apart[0], apart[1], "one led to the other")
    await memory.recall(whose, Question(user_id="ana", text="jasmine tea"))
    await memory.access.flush()
    await memory.items.put(whose, ITEMS)
    upkeep = ItemUpkeep(graph, embedder=HashedWords(), clock=lambda: datetime.now(UTC))
    while await upkeep.embed_some():
        pass
    gone = an_entity(whose, UserId("ana"), "Acme").id
    await memory.forgetting.entity(whose, gone)
    await a_worker(graph).drain()
