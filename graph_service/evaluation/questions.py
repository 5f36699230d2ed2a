"""Asks a stored memory questions, and keeps what came back and what it cost."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from extraction.extractive_summary import token_count
from graph_service.evaluation.dataset import AskedQuestion
from graph_service.evaluation.graphql_client import Door
from graph_service.evaluation.ingest import Stored

# Deep enough to tell whether the first stage holds the gold.
HITS_MAX: Final = 50
# What an agent reads when it does not say how much it wants.
HITS_READ: Final = 10
_OFFERS: Final = """
{
  recall: __type(name: "Query") { fields { name args { name } } }
  answer: __type(name: "RecallAnswer") { fields { name } }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What came back for one question.

    Attributes:
        order: ids of turns, best first.
        refused: the service said that the memory probably holds no answer; None when it does not say such things.
        top_score: of the first hit, 0 without one.
        took_ms: as the caller waited.
        tokens: of the texts that an agent would read, about.
    """

    order: tuple[str, ...]
    top_score: float
    refused: bool | None
    took_ms: float
    round_trips: int
    tokens: int


async def recall_wording(door: Door, tenant: str) -> str:
    """Return the document that asks for a recall, with what this service offers beyond the least.

    Raises:
        UnavailableError: the service does not answer.
    """
    offered = (await door.ask(tenant, _OFFERS, {})).data
    arguments = {arg["name"] for one in offered["recall"]["fields"] if one["name"] == "recall" for arg in one["args"]}
    timed = "askedAt" in arguments
    judges = any(one["name"] == "nothingRelevant" for one in offered["answer"]["fields"])
    return f"""
query($user: String!, $text: String!{", $at: DateTime!" if timed else ""}) {{
  recall(userId: $user, query: $text, limit: {HITS_MAX}, kinds: [MESSAGE]{", askedAt: $at" if timed else ""}) {{
    {"nothingRelevant" if judges else ""} hits {{ id score text }}
  }}
}}
"""


async def ask(door: Door, stored: Stored, question: AskedQuestion, wording: str) -> Recalled:
    """Ask one question of one memory, at the moment after everything in it was said.

    Raises:
        MnemographError: the service refused the question.
        UnavailableError: the service does not answer.
    """
    conversation = stored.conversation
    variables = {"user": conversation.user, "text": question.text, "at": conversation.asked_at.isoformat()}
    before = time.perf_counter()
    said = await door.ask(stored.tenant, wording, variables)
    took_ms = (time.perf_counter() - before) * 1000
    answer = said.data["recall"]
    hits: Sequence[dict[str, Any]] = answer["hits"]
    return Recalled(
        order=tuple(stored.turn_ids[hit["id"]] for hit in hits),
        top_score=hits[0]["score"] if hits else 0.0,
        refused=answer.get("nothingRelevant"),
        took_ms=took_ms,
        round_trips=said.round_trips,
        tokens=sum(token_count(hit["text"]) for hit in hits[:HITS_READ]),
    )
