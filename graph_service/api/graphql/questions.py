"""GraphQL: answer a question in cited sentences, and list the latest questions with what they recalled."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AgentOwnerArgument, OwnerArgument, memory_of, view_of
from graph_service.api.graphql.remember_recall import RecallHit, answer_view
from graph_service.auth.access import ANONYMOUS, Role, sees_questions_of
from graph_service.memory.argument_checks import check_limit, owner_of
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.question_hits import SeenHit, SeenQuestion
from graph_service.memory.recall.question_log import Door, QuestionKind

strawberry.enum(Door, name="QuestionDoor", description="The interface through which a question was asked.")
strawberry.enum(QuestionKind, name="QuestionKind", description="The operation that asked: recall or context.")
_AnyUserId = Annotated[str | None, strawberry.argument(description="The user's id; all users if omitted.")]


@strawberry.type(description="An element that a question found.")
class QuestionHit:
    """An element that a question found."""

    rank: int = strawberry.field(description="Its place among the hits, from 1.")
    kind: HitKind
    id: str
    score: float
    used: bool = strawberry.field(description="It was part of the answer; a context leaves some hits out.")
    text: str = strawberry.field(
        description="The message, the scene's title, or the statement, at most 240 characters."
    )
    at: datetime | None = strawberry.field(description="When it was said, began, or became true.")
    role: str | None = strawberry.field(description="Messages only.")
    speaker: str | None = strawberry.field(description="Messages only.")
    on_map: list[str] = strawberry.field(description="Ids of the nodes and edges that show it on the map.")


@strawberry.type(description="A question that was asked of the memory.")
class AskedQuestion:
    """A question that was asked of the memory."""

    id: str
    user_id: str = strawberry.field(description="The user whose memory was searched.")
    kind: QuestionKind
    door: Door
    text: str = strawberry.field(description="The question, at most 500 characters.")
    at: datetime = strawberry.field(description="When it was answered.")
    confidence: float | None = strawberry.field(
        description="0 to 1: probability that the memory contains an answer; null if not estimated."
    )
    nothing_relevant: bool = strawberry.field(description="The memory probably contains no answer.")
    found: int = strawberry.field(description="Number of hits, of which the first 30 are kept.")
    hits: list[QuestionHit] = strawberry.field(description="Best first; without what no longer exists.")


@strawberry.type(name="CitedSentence", description="A sentence of an answer.")
class CitedSentenceView:
    """A sentence of an answer."""

    text: str
    sources: list[int] = strawberry.field(description="Places of its sources in `hits`, from 0; at least one.")


@strawberry.type(name="CitedAnswer", description="An answer in sentences that cite what was found.")
class CitedAnswerView:
    """An answer in sentences that cite what was found."""

    sentences: list[CitedSentenceView] = strawberry.field(description="None if the memory probably contains no answer.")
    hits: list[RecallHit] = strawberry.field(description="What was found, best first, each with one evidence message.")
    confidence: float | None = strawberry.field(
        description="0 to 1: probability that the memory contains an answer; null if not estimated."
    )
    nothing_relevant: bool = strawberry.field(description="The memory probably contains no answer.")
    written_by: str | None = strawberry.field(
        description="The language model; null if the sentences are quoted from the memory."
    )
    notes: list[str] = strawberry.field(description="What was missing, for example an unavailable model.")


@strawberry.type
class QuestionsQuery:
    """Answer a question, and list the latest ones."""

    @strawberry.field(
        description="Answer a person's question: by the configured language model, each of whose sentences cites its "
        "sources, else in the best sentences themselves. It appears in no `questions`, and counts as no use."
    )
    async def ask(
        self,
        info: Info[Any, None],
        query: Annotated[str, strawberry.argument(description="The question.")],
        user_id: OwnerArgument = None,
        agent_id: AgentOwnerArgument = None,
    ) -> CitedAnswerView:
        """Answer a person's question."""
        answer = await memory_of(info).ask(info.context["tenant"], owner_of(user_id, agent_id), query)
        found = answer_view(answer.found)
        sentences = [view_of(CitedSentenceView, one) for one in answer.sentences]
        return view_of(
            CitedAnswerView,
            answer,
            sentences=sentences,
            hits=found.hits,
            confidence=found.confidence,
            nothing_relevant=found.nothing_relevant,
        )

    @strawberry.field(
        description="The latest questions asked through this process, newest first: at most 100 of a tenant, and those "
        "of other credentials only for the role in the setting `recall.questions_seen_by`."
    )
    async def questions(
        self,
        info: Info[Any, None],
        user_id: _AnyUserId = None,
        ids: Annotated[list[str] | None, strawberry.argument(description="Only these questions, at most 100.")] = None,
        limit: Annotated[int, strawberry.argument(description="Maximum number of items, 1 to 100.")] = 20,
    ) -> list[AskedQuestion]:
        """Return the latest questions."""
        check_limit(limit)
        memory, tenant, access = memory_of(info), info.context["tenant"], info.context.get("access", ANONYMOUS)
        seen_by, wanted = Role(memory.questions.seen_by), None if ids is None else frozenset(ids[:100])
        kept = [
            one
            for one in reversed(memory.questions.of(tenant))
            if sees_questions_of(access, one.asker.who, seen_by)
            and user_id in (None, one.user_id)
            and (wanted is None or one.id in wanted)
        ]
        return [_question_view(one) for one in await memory.seen_questions(tenant, kept[:limit])]


def _question_view(seen: SeenQuestion) -> AskedQuestion:
    one, hits = seen.question, [_hit_view(hit) for hit in seen.hits]
    return view_of(AskedQuestion, one, door=one.asker.door, at=one.asked_at, found=one.found_n, hits=hits)


def _hit_view(hit: SeenHit) -> QuestionHit:
    found = {name: getattr(hit.found, name) for name in ("kind", "id", "score", "used")}
    return view_of(QuestionHit, hit, **found)
