"""GraphQL: answer a question in cited sentences, and list the latest questions with what they recalled."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, mutation, output
from graph_service.api.graphql.arguments import AgentOwnerArgument, OwnerArgument, memory_of, view_of
from graph_service.api.graphql.remember_recall import RecallHit, answer_view
from graph_service.auth.access import ANONYMOUS, Role, sees_questions_of
from graph_service.memory.argument_checks import check_limit, owner_of
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.question_hits import SeenHit, SeenQuestion
from graph_service.memory.recall.question_log import AskedQuestion as LoggedQuestion
from graph_service.memory.recall.question_log import Door, QuestionKind
from schema.errors import NotFoundError

strawberry.enum(Door, name="QuestionDoor", description="The interface through which a question was asked.")
strawberry.enum(QuestionKind, name="QuestionKind", description="The operation that asked: recall or context.")
_AnyUserId = Annotated[str | None, argument("The user's id; all users if omitted.")]


@output()
class QuestionHit:
    """An element that a question found."""

    rank: int = about("Its place among the hits, from 1.")
    kind: HitKind
    id: str
    score: float
    used: bool = about("It was part of the answer; a context leaves some hits out.")
    text: str = about("The message, the scene's title, or the statement, at most 240 characters.")
    at: datetime | None = about("When it was said, began, or became true.")
    role: str | None = about("Messages only.")
    speaker: str | None = about("Messages only.")
    on_map: list[str] = about("Ids of the nodes and edges that show it on the map.")


@output()
class JudgedHit:
    """A hit that somebody judged with `judgeRecall`."""

    id: str = about("The hit's id.")
    wanted: bool = about("It should, or should not, be recalled.")


@output()
class GivenContext:
    """The text that an agent received for its prompt."""

    text: str
    tokens: int = about("Its estimated length.")
    tokens_max: int = about("The budget.")


@output()
class AskedQuestion:
    """A question that was asked of the memory."""

    id: str
    user_id: str = about("The user whose memory was searched.")
    kind: QuestionKind
    door: Door
    text: str = about("The question, at most 500 characters.")
    at: datetime = about("When it was answered.")
    confidence: float | None = about("0 to 1: probability that the memory contains an answer; null if not estimated.")
    nothing_relevant: bool = about("The memory probably contains no answer.")
    found: int = about("Number of hits, of which the first 30 are kept.")
    hits: list[QuestionHit] = about("Best first; without what no longer exists.")
    given: GivenContext | None = about(
        "The context that the agent received; null for recall, and once something in it is forgotten."
    )

    @field
    async def judged(self, info: Info[Any, None]) -> list[JudgedHit]:
        """The judged hits of this user's questions of the same words."""
        judged = await memory_of(info).judged_hits(info.context["tenant"], self.user_id, self.text)
        return [JudgedHit(id=name, wanted=wanted) for name, wanted in judged.items()]


@output(name="CitedSentence")
class CitedSentenceView:
    """A sentence of an answer."""

    text: str
    sources: list[int] = about("Places of its sources in `hits`, from 0; at least one.")


@output(name="CitedAnswer")
class CitedAnswerView:
    """An answer in sentences that cite what was found."""

    sentences: list[CitedSentenceView] = about("None if the memory probably contains no answer.")
    hits: list[RecallHit] = about("What was found, best first, each with one evidence message.")
    confidence: float | None = about("0 to 1: probability that the memory contains an answer; null if not estimated.")
    nothing_relevant: bool = about("The memory probably contains no answer.")
    written_by: str | None = about("The language model; null if the sentences are quoted from the memory.")
    notes: list[str] = about("What was missing, for example an unavailable model.")


@field
async def ask(
    info: Info[Any, None],
    query: Annotated[str, argument("The question.")],
    user_id: OwnerArgument = None,
    agent_id: AgentOwnerArgument = None,
) -> CitedAnswerView:
    """Answer a person's question: by the configured language model, each of whose sentences cites its sources, else
    in the best sentences themselves. It appears in no `questions`, and counts as no use.
    """
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


@field
async def questions(
    info: Info[Any, None],
    user_id: _AnyUserId = None,
    ids: Annotated[list[str] | None, argument("Only these questions, at most 100.")] = None,
    limit: Annotated[int, argument("Maximum number of items, 1 to 100.")] = 20,
) -> list[AskedQuestion]:
    """The latest questions asked through this process, newest first: at most 100 of a tenant, and those of other
    credentials only for the role in the setting `recall.questions_seen_by`.
    """
    check_limit(limit)
    wanted = None if ids is None else frozenset(ids[:100])
    kept = [
        one
        for one in _visible_questions(info)
        if user_id in (None, one.user_id) and (wanted is None or one.id in wanted)
    ]
    seen = await memory_of(info).seen_questions(info.context["tenant"], kept[:limit])
    return [_question_view(one) for one in seen]


@field
async def recall_cases(info: Info[Any, None], user_id: Annotated[str, argument("The user's id.")]) -> JSON:
    """The questions about a user's memory whose hits were judged, with its newest 1,000 messages: a file that
    `mnemoscene eval` reads.
    """
    return JSON(await memory_of(info).recall_cases(info.context["tenant"], user_id))


@mutation
async def judge_recall(
    info: Info[Any, None],
    question_id: Annotated[str, argument("The question's id.")],
    element_id: Annotated[str, argument("The hit's id.")],
    wanted: Annotated[bool | None, argument("It should, or should not, be recalled; null withdraws that.")] = None,
) -> int:
    """Say of a hit of one of the latest questions whether it should be recalled; returns how many hits of the
    question are judged. `recallCases` returns these questions.
    """
    question = next((one for one in _visible_questions(info) if one.id == question_id), None)
    if question is None:
        raise NotFoundError(f"there is no question {question_id!r} among the latest ones")
    return await memory_of(info).judge_recall(info.context["tenant"], question, element_id, wanted=wanted)


def _visible_questions(info: Info[Any, None]) -> list[LoggedQuestion]:
    """Return the questions that the caller may see, newest first."""
    memory, access = memory_of(info), info.context.get("access", ANONYMOUS)
    seen_by = Role(memory.questions.seen_by)
    kept = reversed(memory.questions.of(info.context["tenant"]))
    return [one for one in kept if sees_questions_of(access, one.asker.who, seen_by)]


def _question_view(seen: SeenQuestion) -> AskedQuestion:
    one, hits = seen.question, [_hit_view(hit) for hit in seen.hits]
    given = None if one.given is None else view_of(GivenContext, one.given)
    return view_of(AskedQuestion, one, door=one.asker.door, at=one.asked_at, found=one.found_n, hits=hits, given=given)


def _hit_view(hit: SeenHit) -> QuestionHit:
    found = {name: getattr(hit.found, name) for name in ("kind", "id", "score", "used")}
    return view_of(QuestionHit, hit, **found)
