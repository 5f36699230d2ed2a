"""GraphQL: `remember`, `recall` and `ask`, and the latest questions with what they recalled."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.dataloader import DataLoader
from strawberry.scalars import JSON

from extraction.llm.answer_writer import CitedSentence
from extraction.query_analysis import AnswerType, Intent
from extraction.temporal.question_time import AskedTime, Force
from graph_service.api.graphql.fields import (
    AgentOwnerArgument,
    AnyUserId,
    Call,
    Importance,
    LimitArgument,
    OwnerArgument,
    UserId,
    ValidAtArgument,
    WhereArgument,
    about,
    argument,
    expose,
    field,
    frozen,
    mutation,
    output,
    view_of,
)
from graph_service.auth.access import Role as Rank
from graph_service.auth.access import sees_questions_of
from graph_service.memory.argument_checks import check_limit, owner_of
from graph_service.memory.ingest.episode_writer import Receipt
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.candidates import EvidenceMessage, Hit, Removed
from graph_service.memory.recall.cited_answer import CitedAnswer
from graph_service.memory.recall.pipeline import Answer, TextBudget
from graph_service.memory.recall.query import EVERYTHING, HitKind, Mode, QueryFilters, Question
from graph_service.memory.recall.question_hits import SeenHit, SeenQuestion
from graph_service.memory.recall.question_log import AskedQuestion as LoggedQuestion
from graph_service.memory.recall.question_log import Door, GivenContext, QuestionKind
from schema.entity import entity_type_choice
from schema.errors import NotFoundError
from schema.filters import parse_filter
from schema.labels import Role
from schema.message import ClosedFact, FactConflict, ProvidedFact
from schema.predicates import predicate_choice

expose(ClosedFact)
expose(FactConflict)
expose(Removed, "RemovedHits")
expose(EvidenceMessage, "HitEvidence", "id uri role speaker text said_at zone")
expose(
    Receipt,
    "RememberReceipt",
    "session_uri message_ids uris stored repeated dropped spooled closes conflicts notes",
    inside="outcome",
    texts={"notes": "Entries of `replaces` that match no known fact."},
)

strawberry.enum(Intent, name="Intent", description="The intent of a question.")
strawberry.enum(AnswerType, name="AnswerType", description="The expected type of the answer.")


def restricts(root: AskedTime) -> bool:
    """True if results are restricted to this time; otherwise they are only ranked higher."""
    return root.force is Force.LIMITS


expose(
    AskedTime,
    fields="start=span.start end=span.end phrase restricts",
    texts={
        "": "A time expression in the question.",
        "start": "Inclusive start; null if open.",
        "end": "Exclusive end; null if open.",
        "phrase": "The expression in the question.",
    },
    resolved=[restricts],
)

strawberry.enum(HitKind, name="HitKind", description="The kind of a hit.")


expose(
    IncomingMessage,
    "MessageInput",
    "role text time speaker emotion id importance zone mentioned_start mentioned_end tags metadata raw expires_at"
    " ttl_s",
    texts={"": "One message of a conversation."},
    types={"role": Role, "importance": Importance | None, "metadata": JSON | None, "raw": JSON | None},
    is_input=True,
)
expose(
    ProvidedFact,
    "FactInput",
    "subject predicate object statement relation subject_type object_type strength confidence valid_at invalid_at"
    " trigger_emotion message_indexes importance kind rationale steps mentioned_start mentioned_end replaces",
    texts={
        "": "A fact extracted by the agent; validated like our own extraction.",
        "predicate": f"{predicate_choice()}; others are rejected.",
        **dict.fromkeys(("subject_type", "object_type"), f"{entity_type_choice()}."),
    },
    types={"importance": Importance | None},
    is_input=True,
)
expose(
    RememberRequest,
    "RememberInput",
    "session_id messages user_id user_name agent_id facts summary request_id strict extract",
    texts={"": "Messages to store, optionally with facts and a summary from the agent."},
    types={"user_id": str | None},
    is_input=True,
    defaults={"user_id": None},
)


@output()
class ScorePart:
    """A named part of a score."""

    name: str
    value: float


def parts(root: Hit) -> list[ScorePart]:
    """The parts of the score; they add up to it."""
    return [ScorePart(name=name, value=value) for name, value in root.parts.items()]


async def metadata(root: Hit, info: Call) -> JSON:
    """Your properties of the message, or of the messages that prove a fact (later ones win) or are returned as a
    scene's evidence.
    """

    async def load(hits: list[Hit]) -> list[dict[str, Any]]:
        if info.context["degraded"]:
            return [{} for _ in hits]
        found = [hit.candidate for hit in hits]
        proofs = [(one.id, (*one.proofs, *(message.id for message in one.evidence))) for one in found]
        return await info.memory.messages.metadata(info.tenant, proofs)

    loader: DataLoader[Hit, dict[str, Any]] = info.context.setdefault("metadata", DataLoader(load, cache=False))
    return JSON(await loader.load(root))


expose(
    Hit,
    "RecallHit",
    "kind id uri score parts snippet text said_at title speaker role scene_id=scene emotion pending tags metadata"
    " valid_at invalid_at overtaken_by subject predicate relation object strength confidence fact_kind rationale steps"
    " trigger_emotion zone mentioned_start mentioned_end evidence",
    inside="candidate",
    texts={"valid_at": "Facts: when it became true; null if unknown."},
    resolved=[parts, metadata],
)
expose(
    Answer,
    "RecallAnswer",
    "degraded removed next_cursor snapshot_age_s intent answer_type asked_times hits search_path confidence"
    " nothing_relevant notes",
    inside="analysis",
)


@output()
class JobStatus:
    """Counts of unfinished background work."""

    waiting: int
    leased: int = about("Jobs in progress.")
    dead: int = about("Jobs that failed too often.")
    spooled: int = about("Calls of remember that wait on disk for Neo4j.")


strawberry.enum(
    Mode,
    name="RecallMode",
    description="BEST: best measured quality; LAYERED weights the layers 0.2/0.3/0.5; SIMILARITY_IMPORTANCE 0.7/0.3.",
)


expose(
    QueryFilters,
    "RecallFilter",
    "in_session=session_id agent_id roles entities tags min_score=score_min",
    texts={"": "Filters of a question."},
    is_input=True,
)


ModeArgument = Annotated[Mode | None, argument("How hits are ranked. Default: the setting `recall.mode`.")]
FilterArgument = Annotated[QueryFilters | None, strawberry.argument(name="filter", description="Only these hits.")]
AfterArgument = Annotated[str | None, argument("The `nextCursor` of the previous answer to the same question.")]


strawberry.enum(Door, name="QuestionDoor", description="The interface through which a question was asked.")
strawberry.enum(QuestionKind, name="QuestionKind", description="The operation that asked: recall or context.")


@output()
class JudgedHit:
    """A hit that somebody judged with `judgeRecall`."""

    id: str = about("The hit's id.")
    wanted: bool = about("It should, or should not, be recalled.")


async def judged(root: SeenQuestion, info: Call) -> list[JudgedHit]:
    """The judged hits of this user's questions of the same words."""
    question = root.question
    found = await info.memory.judged_hits(info.tenant, question.user_id, question.text)
    return [JudgedHit(id=name, wanted=wanted) for name, wanted in found.items()]


expose(GivenContext, fields="text tokens tokens_max")
expose(SeenHit, "QuestionHit", "rank kind id score used text at role speaker on_map", inside="found")
expose(
    SeenQuestion,
    "AskedQuestion",
    "id user_id kind door text at=asked_at confidence nothing_relevant found=found_n hits given judged",
    inside="question question.asker",
    resolved=[judged],
)
expose(CitedSentence)


expose(
    CitedAnswer,
    fields="sentences hits confidence nothing_relevant written_by notes",
    inside="found",
    texts={
        "sentences": "None if the memory probably contains no answer.",
        "hits": "What was found, best first, each with one evidence message.",
    },
)


@field
async def ask(
    info: Call,
    query: Annotated[str, argument("The question.")],
    user_id: OwnerArgument = None,
    agent_id: AgentOwnerArgument = None,
) -> CitedAnswer:
    """Answer a person's question: by the configured language model, each of whose sentences cites its sources, else
    in the best sentences themselves. It appears in no `questions`, and counts as no use.
    """
    answer = await info.memory.ask(info.tenant, owner_of(user_id, agent_id), query)
    info.context["degraded"] = answer.found.degraded
    return answer


@field
async def questions(
    info: Call,
    user_id: AnyUserId = None,
    ids: Annotated[list[str] | None, argument("Only these questions, at most 100.")] = None,
    limit: LimitArgument = 20,
) -> list[SeenQuestion]:
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
    return await info.memory.seen_questions(info.tenant, kept[:limit])


@field
async def recall_cases(info: Call, user_id: UserId) -> JSON:
    """The questions about a user's memory whose hits were judged, with its newest 1,000 messages: a file that
    `mnemoscene eval` reads.
    """
    return JSON(await info.memory.recall_cases(info.tenant, user_id))


@mutation
async def judge_recall(
    info: Call,
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
    return await info.memory.judge_recall(info.tenant, question, element_id, wanted=wanted)


def _visible_questions(info: Call) -> list[LoggedQuestion]:
    seen_by = Rank(info.memory.questions.seen_by)
    kept = reversed(info.memory.questions.of(info.tenant))
    return [one for one in kept if sees_questions_of(info.access, one.asker.who, seen_by)]


@field
async def recall(
    info: Call,
    query: Annotated[str, argument("The question.")],
    user_id: OwnerArgument = None,
    agent_id: AgentOwnerArgument = None,
    limit: Annotated[int, argument("Maximum number of hits, 1 to 100.")] = 10,
    kinds: Annotated[list[HitKind] | None, argument("Only these kinds. Default: all.")] = None,
    start: Annotated[
        datetime | None, argument("Only messages said at or after this time, scenes and facts of it.")
    ] = None,
    end: Annotated[datetime | None, argument("Only messages said before this time, scenes and facts of it.")] = None,
    valid_at: ValidAtArgument = None,
    as_of: Annotated[
        datetime | None, argument("Transaction time: the memory as it was then. Later messages are ignored.")
    ] = None,
    asked_at: Annotated[
        datetime | None,
        argument("Time of `now` and `yesterday`: facts are those valid then; what was said a day later is left out."),
    ] = None,
    zone: Annotated[str | None, argument("Time zone of the question: `Asia/Shanghai` or `+08:00`.")] = None,
    evidence: Annotated[int, argument("Number of evidence messages per hit, 0 to 20.")] = 0,
    session_id: Annotated[
        str | None, argument("The current session; pronouns are resolved in its recent messages.")
    ] = None,
    mode: ModeArgument = None,
    filters: FilterArgument = None,
    where: WhereArgument = None,
    after: AfterArgument = None,
    watched: Annotated[
        bool, argument("False for a person's own search: it appears in no `questions`, and counts as no use.")
    ] = True,
) -> Answer:
    """Search one user's memory for a question; hits are sorted best first. One database round trip."""
    question = Question(
        user_id=owner_of(user_id, agent_id),
        text=query,
        limit=limit,
        kinds=tuple(kinds) if kinds is not None else tuple(HitKind),
        start=start,
        end=end,
        valid_at=valid_at,
        as_of=as_of,
        asked_at=asked_at,
        zone=zone,
        evidence=evidence,
        session_id=session_id,
        mode=mode,
        filters=replace(frozen(filters or EVERYTHING), after=after, where=parse_filter(where)),
    )
    asker, budget = info.asker if watched else None, info.context.setdefault("texts", TextBudget())
    answer = await info.memory.recall(info.tenant, question, asker=asker, budget=budget)
    info.context["degraded"] = answer.degraded
    return answer


@field
async def job_status(info: Call) -> JobStatus:
    """Counts of the tenant's unfinished background work."""
    depth = await info.memory.spool.depth(info.tenant)
    return view_of(JobStatus, await info.memory.backlog(info.tenant), spooled=depth.waiting)


@mutation
async def remember(
    info: Call, input: Annotated[RememberRequest, argument("The messages, optionally with facts.")]
) -> Receipt:
    """Store messages durably; scenes, facts and vectors follow in the background. Idempotent."""
    call = replace(frozen(input), user_id=owner_of(input.user_id, input.agent_id))
    return await info.memory.remember(info.tenant, call)
