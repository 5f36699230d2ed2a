"""Ask questions of a stored conversation and measure the answers."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from extraction.extractive_summary import token_count
from graph_service.evaluation.dataset import AskedQuestion
from graph_service.evaluation.graphql_client import GraphqlClient
from graph_service.evaluation.ingest import StoredConversation

# Deep enough to show whether the candidates contain the gold turns.
HITS_MAX: Final = 50
# The default limit of a recall.
HITS_READ: Final = 10
_RECALL: Final = f"""
query($user: String!, $text: String!, $at: DateTime!) {{
  recall(userId: $user, query: $text, limit: {HITS_MAX}, kinds: [MESSAGE], askedAt: $at) {{
    nothingRelevant hits {{ id score text }}
  }}
}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The answer to one question.

    Attributes:
        order: ids of the turns, best first.
        refused: the service reported `nothingRelevant`.
        top_score: score of the first hit; 0 without one.
        took_ms: latency for the caller.
        round_trips: database round trips of the service.
        tokens: estimated number of tokens in the first `HITS_READ` hits.
    """

    order: tuple[str, ...]
    top_score: float
    refused: bool
    took_ms: float
    round_trips: int
    tokens: int


async def ask(client: GraphqlClient, stored: StoredConversation, question: AskedQuestion) -> RecallResult:
    """Ask one question about a conversation, as of one hour after its last turn.

    Raises:
        MnemosceneError: the service refused the question.
        UnavailableError: the service does not answer.
    """
    conversation = stored.conversation
    variables = {"user": conversation.user, "text": question.text, "at": conversation.asked_at.isoformat()}
    before = time.perf_counter()
    response = await client.ask(stored.tenant, _RECALL, variables)
    took_ms = (time.perf_counter() - before) * 1000
    answer = response.data["recall"]
    hits: Sequence[dict[str, Any]] = answer["hits"]
    return RecallResult(
        order=tuple(stored.turn_ids[hit["id"]] for hit in hits),
        top_score=hits[0]["score"] if hits else 0.0,
        refused=answer["nothingRelevant"],
        took_ms=took_ms,
        round_trips=response.round_trips,
        tokens=sum(token_count(hit["text"]) for hit in hits[:HITS_READ]),
    )
