"""The words of the GraphQL API: inputs, answers, and how they come from our own values."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

import strawberry

from extraction.query_analysis import AnswerType, Intent
from extraction.temporal.question_time import Force
from graph_service.memory.ingest.episode_writer import Receipt
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.jobs.outbox import Backlog
from graph_service.memory.recall.candidates import EvidenceMessage
from graph_service.memory.recall.pipeline import Answer, Hit
from graph_service.memory.recall.query import EVERYTHING, HitKind, Mode, QueryFilters
from schema.fact import FactKind
from schema.labels import Role
from schema.message import ProvidedFact

# What recall understood of a question, as GraphQL shows it: its intent and the time it asks about.

strawberry.enum(Intent, name="Intent", description="What a question is after.")
strawberry.enum(AnswerType, name="AnswerType", description="What the answer to a question has to hold.")


@strawberry.type(name="AskedTime", description="A time that the question names.")
class AskedTimeView:
    """A time that the question names."""

    start: datetime | None = strawberry.field(description="Inclusive; open when null.")
    end: datetime | None = strawberry.field(description="Exclusive; open when null.")
    phrase: str = strawberry.field(description="The words of the question.")
    limits: bool = strawberry.field(
        description="Only what was said then is brought; else what was said or happened then comes first."
    )


@strawberry.type
class QuestionUnderstood:
    """What was understood of the question."""

    intent: Intent = strawberry.field(description="What the question is after.")
    answer_type: AnswerType = strawberry.field(description="What its answer has to hold.")
    asked_times: list[AskedTimeView] = strawberry.field(description="The times the question names, in order.")


def understood_of(answer: Answer) -> dict[str, Any]:
    """Return the fields of `QuestionUnderstood`."""
    times = [
        AskedTimeView(
            start=asked.span.start, end=asked.span.end, phrase=asked.phrase, limits=asked.force is Force.LIMITS
        )
        for asked in answer.asked_times
    ]
    return {"intent": answer.intent, "answer_type": answer.answer_type, "asked_times": times}


# GraphQL: what every answer of recall says about itself.


@strawberry.type(description="How much of what was found was left out for one reason.")
class LeftOut:
    """How much was left out for one reason."""

    why: str
    count: int


@strawberry.type
class AnswerMarks:
    """How an answer came about, beside its hits."""

    degraded: bool = strawberry.field(
        description="Neo4j is away: these are words found in messages that wait on disk and in the last snapshot."
    )
    removed: list[LeftOut] = strawberry.field(description="What was found and left out.")
    cursor: str | None = strawberry.field(description="Hand it in as `after` for the next hits; null behind the last.")
    snapshot_age_s: float | None = strawberry.field(
        description="How old that snapshot is; null when none was searched."
    )


def marks_of(answer: Answer) -> dict[str, Any]:
    """Return the fields of `AnswerMarks`, and how likely the answer is one."""
    return {
        "confidence": answer.confidence,
        "nothing_relevant": answer.nothing_relevant,
        "degraded": answer.degraded,
        "snapshot_age_s": answer.snapshot_age_s,
        "removed": [LeftOut(why=one.why, count=one.count) for one in answer.removed],
        "cursor": answer.cursor,
    }


strawberry.enum(Role, name="Role", description="Who speaks in a message.")
strawberry.enum(HitKind, name="HitKind", description="What a hit is.")
strawberry.enum(FactKind, name="FactKind", description="What sort of knowledge a fact is.")


@strawberry.input(description="One message of a conversation.")
class MessageInput:
    """One message of a conversation."""

    role: Role = strawberry.field(description="Who speaks.")
    text: str = strawberry.field(description="What was said, at most 100,000 characters.")
    time: datetime | None = strawberry.field(
        default=None, description="When it was said, ISO 8601; read as UTC without a zone, taken as now when left out."
    )
    speaker: str | None = strawberry.field(default=None, description="The speaker's name, when it is known.")
    id: str | None = strawberry.field(
        default=None, description="Your own id. With an id or a time, handing the message in again changes nothing."
    )
    importance: int | None = strawberry.field(default=None, description="1 to 10; as its words say when left out.")
    zone: str | None = strawberry.field(
        default=None, description="Where it was said: `Asia/Shanghai` or `+08:00`; that of `time` when left out."
    )
    mentioned_start: datetime | None = strawberry.field(
        default=None, description="The time it talks about begins; as its words say when left out."
    )
    mentioned_end: datetime | None = strawberry.field(default=None, description="The time it talks about ends.")


@strawberry.input(description="A fact that the agent read itself; it passes the same checks as our own readings.")
class FactInput:
    """A fact that the agent read itself."""

    subject: str = strawberry.field(description="`user`, `assistant`, or a name.")
    predicate: str = strawberry.field(
        description="PREFERS, DISLIKES, CARES_ABOUT, RELATES_TO or CAUSED_BY; others are dropped and reported."
    )
    object: str = strawberry.field(description="`user`, `assistant`, or a short name of a thing, person, place, idea.")
    statement: str = strawberry.field(description="The fact as one sentence, in the language of the conversation.")
    relation: str | None = strawberry.field(default=None, description="How, in free words: `works at`, `sister`.")
    subject_type: str | None = strawberry.field(default=None, description="person, place, organization, food, …")
    object_type: str | None = strawberry.field(default=None, description="person, place, organization, food, …")
    strength: float = strawberry.field(default=0.7, description="0 to 1: how much it matters to the subject.")
    confidence: float = strawberry.field(default=0.9, description="0 to 1: how sure you are.")
    valid_at: datetime | None = strawberry.field(default=None, description="When it began to hold.")
    invalid_at: datetime | None = strawberry.field(default=None, description="When it ceased to hold.")
    trigger_emotion: str | None = strawberry.field(default=None, description="A lasting feeling it triggers.")
    message_indexes: list[int] = strawberry.field(
        default_factory=list, description="Which messages of this call prove it, from 0; all of them when left out."
    )
    importance: int | None = strawberry.field(
        default=None, description="1 to 10: how much it will matter later; as its strength says when left out."
    )
    kind: FactKind = strawberry.field(
        default=FactKind.FACT, description="A decision has a rationale, a procedure has steps."
    )
    rationale: str | None = strawberry.field(default=None, description="Why it was decided, or is so.")
    steps: list[str] = strawberry.field(
        default_factory=list, description="Of a procedure, in order: `action → result`."
    )
    mentioned_start: datetime | None = strawberry.field(default=None, description="The time it talks about begins.")
    mentioned_end: datetime | None = strawberry.field(default=None, description="The time it talks about ends.")


@strawberry.input(description="Messages to remember, with what the agent already knows about them.")
class RememberInput:
    """Messages to remember."""

    user_id: str = strawberry.field(description="Whose memory it is.")
    session_id: str = strawberry.field(description="The conversation the messages belong to.")
    messages: list[MessageInput] = strawberry.field(description="1 to 1,000 messages, oldest first.")
    user_name: str | None = strawberry.field(default=None, description="How the user is called.")
    agent_id: str | None = strawberry.field(default=None, description="The agent that speaks with the user.")
    facts: list[FactInput] = strawberry.field(
        default_factory=list,
        description="Facts you read yourself; the messages they come with are then not read again.",
    )
    summary: str | None = strawberry.field(default=None, description="Your summary; becomes the scene's abstract.")
    request_id: str | None = strawberry.field(
        default=None, description="Makes messages without id and time repeatable."
    )

    def incoming(self) -> RememberRequest:
        """Return the call in our own words."""
        return RememberRequest(
            user_id=self.user_id,
            session_id=self.session_id,
            messages=tuple(
                IncomingMessage(
                    role=m.role.value,
                    text=m.text,
                    time=m.time,
                    speaker=m.speaker,
                    id=m.id,
                    importance=m.importance,
                    zone=m.zone,
                    mentioned_start=m.mentioned_start,
                    mentioned_end=m.mentioned_end,
                )
                for m in self.messages
            ),
            user_name=self.user_name,
            agent_id=self.agent_id,
            facts=tuple(_brought(fact) for fact in self.facts),
            summary=self.summary,
            request_id=self.request_id,
        )


@strawberry.type(description="What became of the messages; when you have it, they are durable and searchable.")
class RememberReceipt:
    """What became of one call of remember."""

    session_uri: str = strawberry.field(description="Where the session lives.")
    message_ids: list[str] = strawberry.field(description="In the order of the call.")
    uris: list[str] = strawberry.field(description="In the order of the call.")
    stored: int = strawberry.field(description="How many messages were new.")
    repeated: int = strawberry.field(description="How many had been stored before.")
    dropped: list[str] = strawberry.field(description="Why facts that were handed in were left out.")
    spooled: bool = strawberry.field(
        description="Neo4j is away: they wait, durable, on the service's disk, and are searchable when it is back."
    )


@strawberry.type(description="A message that proves something.")
class MessageEvidence:
    """A message that proves something."""

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime


@strawberry.type(description="One named share of a score.")
class ScorePart:
    """One named share of a score."""

    name: str
    value: float


@strawberry.type(description="One thing that answers the question.")
class RecallHit:
    """One thing that answers the question."""

    kind: HitKind
    id: str
    uri: str
    score: float
    parts: list[ScorePart] = strawberry.field(description="They sum to the score.")
    snippet: str = strawberry.field(description="At most 100 characters around what was asked for.")
    text: str = strawberry.field(description="The message, the scene's abstract, or the fact's statement.")
    said_at: datetime = strawberry.field(description="When it was said or began to hold.")
    title: str | None = strawberry.field(description="Of scenes.")
    speaker: str | None = strawberry.field(description="Of messages.")
    role: str | None = strawberry.field(description="Of messages.")
    pending: bool = strawberry.field(description="Stored and searchable, but nothing was read from it yet.")
    invalid_at: datetime | None = strawberry.field(description="When a fact ceased to hold.")
    subject: str | None = strawberry.field(description="Of facts.")
    predicate: str | None = strawberry.field(description="Of facts.")
    relation: str | None = strawberry.field(description="Of facts.")
    object: str | None = strawberry.field(description="Of facts.")
    strength: float | None = strawberry.field(description="Of facts.")
    confidence: float | None = strawberry.field(description="Of facts.")
    fact_kind: FactKind | None = strawberry.field(description="Of facts: a plain fact, a decision, a procedure.")
    rationale: str | None = strawberry.field(description="Of facts: why, if somebody said why.")
    steps: list[str] = strawberry.field(description="Of procedures, in order: `action → result`.")
    evidence: list[MessageEvidence] = strawberry.field(description="Proving messages, when `evidence` asked for them.")


@strawberry.type(description="Hits, best first, and how they were found.")
class RecallAnswer(AnswerMarks, QuestionUnderstood):
    """Hits, best first, and how they were found."""

    hits: list[RecallHit]
    path: list[str] = strawberry.field(description="The searches that found something.")
    confidence: float | None = strawberry.field(
        description="0 to 1: how likely the memory holds an answer; null when that was not judged."
    )
    nothing_relevant: bool = strawberry.field(description="The memory probably holds no answer.")
    notes: list[str] = strawberry.field(description="What was missing: an embedder that is away, for example.")


@strawberry.type(description="Work of the background worker that is not done.")
class WorkStatus:
    """Work of the background worker that is not done."""

    waiting: int
    leased: int = strawberry.field(description="Being done now.")
    dead: int = strawberry.field(description="Given up after too many failures.")
    spooled: int = strawberry.field(description="Calls of remember that wait on disk for Neo4j.")


def receipt_view(receipt: Receipt) -> RememberReceipt:
    """Return a receipt as the API shows it."""
    return RememberReceipt(
        session_uri=receipt.session_uri,
        message_ids=list(receipt.message_ids),
        uris=list(receipt.uris),
        stored=receipt.stored,
        repeated=receipt.repeated,
        dropped=list(receipt.dropped),
        spooled=receipt.spooled,
    )


def answer_view(answer: Answer) -> RecallAnswer:
    """Return an answer as the API shows it."""
    hits, understood = [_hit_view(hit) for hit in answer.hits], understood_of(answer)
    return RecallAnswer(hits=hits, path=list(answer.path), notes=list(answer.notes), **understood, **marks_of(answer))


def backlog_view(backlog: Backlog, *, spooled: int) -> WorkStatus:
    """Return a backlog as the API shows it."""
    return WorkStatus(waiting=backlog.waiting, leased=backlog.leased, dead=backlog.dead, spooled=spooled)


def _hit_view(hit: Hit) -> RecallHit:
    return RecallHit(
        kind=hit.kind,
        id=hit.id,
        uri=hit.uri,
        score=hit.score,
        parts=[ScorePart(name=name, value=value) for name, value in hit.parts.items()],
        snippet=hit.snippet,
        text=hit.text,
        said_at=hit.said_at,
        title=hit.title,
        speaker=hit.speaker,
        role=hit.role,
        pending=hit.pending,
        invalid_at=hit.invalid_at,
        subject=hit.subject,
        predicate=hit.predicate,
        relation=hit.relation,
        object=hit.object,
        strength=hit.strength,
        confidence=hit.confidence,
        fact_kind=hit.fact_kind,
        rationale=hit.rationale,
        steps=list(hit.steps),
        evidence=[_message_view(message) for message in hit.evidence],
    )


def _message_view(message: EvidenceMessage) -> MessageEvidence:
    return MessageEvidence(
        id=message.id,
        uri=message.uri,
        role=message.role,
        speaker=message.speaker,
        text=message.text,
        said_at=message.said_at,
    )


def _brought(fact: FactInput) -> ProvidedFact:
    return ProvidedFact(
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        statement=fact.statement,
        relation=fact.relation,
        subject_type=fact.subject_type,
        object_type=fact.object_type,
        strength=fact.strength,
        confidence=fact.confidence,
        valid_at=fact.valid_at,
        invalid_at=fact.invalid_at,
        trigger_emotion=fact.trigger_emotion,
        message_indexes=tuple(fact.message_indexes),
        importance=fact.importance,
        kind=fact.kind,
        rationale=fact.rationale,
        steps=tuple(fact.steps),
        mentioned_start=fact.mentioned_start,
        mentioned_end=fact.mentioned_end,
    )


# GraphQL: how a question is narrowed, in which mode it is answered, and what of an answer comes next.

strawberry.enum(
    Mode,
    name="RecallMode",
    description="BEST measures best; LAYERED weighs the layers 0.2/0.3/0.5; SIMILARITY_IMPORTANCE these 0.7/0.3.",
)


@strawberry.input(description="A part of a user's memory.")
class RecallFilter:
    """A part of a user's memory."""

    in_session: str | None = strawberry.field(
        default=None, description="Only this conversation, and facts that it proves."
    )
    agent_id: str | None = strawberry.field(default=None, description="Only conversations with this agent.")
    roles: list[Role] = strawberry.field(default_factory=list, description="Only what these said; all when empty.")
    entities: list[str] = strawberry.field(default_factory=list, description="Only what names one of these.")
    min_score: float | None = strawberry.field(default=None, description="Only hits with at least this score.")


ModeArgument = Annotated[
    Mode | None, strawberry.argument(description="How hits are ranked; as the settings say when left out.")
]
OnlyArgument = Annotated[RecallFilter | None, strawberry.argument(description="Only a part of the memory.")]
AfterArgument = Annotated[
    str | None, strawberry.argument(description="The `cursor` of the last answer to the same question: the next hits.")
]


def narrowing(only: RecallFilter | None, after: str | None) -> QueryFilters:
    """Return the wishes in our own words."""
    if only is None:
        return replace(EVERYTHING, after=after)
    return QueryFilters(
        session_id=only.in_session,
        agent_id=only.agent_id,
        roles=tuple(only.roles),
        entities=tuple(only.entities),
        score_min=only.min_score,
        after=after,
    )
