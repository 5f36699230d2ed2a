"""The input of the crash tests: two sessions in English and Chinese, provided facts, a contradiction."""

from graph_service.graph.store import Graph
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.support.builders import a_memory, a_message, an_incoming

STORY = (
    an_incoming(
        "I love jasmine tea and hiking.", "I live in Paris.", "My sister Anna works at Acme.", user_name="Alice"
    ),
    an_incoming(
        session="s2",
        # Later than what it contradicts: of two statements with the same time neither is newer.
        messages=(a_message("我很喜欢弹钢琴。", minute=10), a_message("I live in Oslo now.", minute=11)),
    ),
    an_incoming(
        "Whatever you say.",
        session="s3",
        facts=(
            ProvidedFact(
                subject="user",
                predicate="CARES_ABOUT",
                object="green energy",
                statement="Alice cares about green energy.",
            ),
        ),
    ),
)


async def tell(graph: Graph, tenant: str) -> None:
    """Store the story as callers do; may be repeated."""
    for call in STORY:
        await a_memory(graph).remember(TenantId(tenant), call)


async def close(graph: Graph, tenant: str) -> None:
    """Request closing of its sessions; may be repeated."""
    for call in STORY:
        await a_memory(graph).sessions.close(TenantId(tenant), call.user_id, call.session_id)
