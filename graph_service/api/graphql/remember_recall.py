"""GraphQL: inputs and results of `remember` and `recall`, and their conversion."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from extraction.query_analysis import AnswerType, Intent
from extraction.temporal.question_time import Force
from graph_service.api.graphql.arguments import Importance, view_of
from graph_service.memory.argument_checks import owner_of
from graph_service.memory.ingest.episode_writer import Receipt
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest, provided_fact
from graph_service.memory.recall.candidates import Hit
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import EVERYTHING, HitKind, Mode, QueryFilters
from schema.entity import entity_type_choice
from schema.fact import FactKind
from schema.labels import Role
from schema.predicates import predicate_choice

strawberry.enum(Intent, name="Intent", description="The intent of a question.")
strawberry.enum(AnswerType, name="AnswerType", description="The expected type of the answer.")


@strawberry.type(name="AskedTime", description="A time expression in the question.")
class AskedTimeView:
    """A time expression in the question."""

    start: datetime | None = strawberry.field(description="Inclusive start; null if open.")
    end: datetime | None = strawberry.field(description="Exclusive end; null if open.")
    phrase: str = strawberry.field(description="The expression in the question.")
    restricts: bool = strawberry.field(
        description="True if results are restricted to this time; otherwise they are only ranked higher."
    )


@strawberry.type
class QuestionUnderstood:
    """The analysis of the question."""

    intent: Intent = strawberry.field(description="The intent.")
    answer_type: AnswerType = strawberry.field(description="The expected type of the answer.")
    asked_times: list[AskedTimeView] = strawberry.field(description="The time expressions in the question, in order.")


@strawberry.type(description="Number of candidates left out for one reason.")
class RemovedHits:
    """Number of candidates left out for one reason."""

    reason: str
    count: int


@strawberry.type
class AnswerMarks:
    """Metadata of an answer."""

    degraded: bool = strawberry.field(
        description="Neo4j is unavailable: results of a keyword search in spooled messages and the last snapshot."
    )
    removed: list[RemovedHits] = strawberry.field(description="Candidates that were left out.")
    next_cursor: str | None = strawberry.field(description="Pass it as `after` for the next hits; null at the end.")
    snapshot_age_s: float | None = strawberry.field(
        description="Age of the searched snapshot; null if none was searched."
    )


strawberry.enum(Role, name="Role", description="The speaker's role.")
strawberry.enum(HitKind, name="HitKind", description="The kind of a hit.")


@strawberry.input(description="One message of a conversation.")
class MessageInput:
    """One message of a conversation."""

    role: Role = strawberry.field(description="The speaker's role; `EVENT` for what happened and was not said.")
    text: str = strawberry.field(description="The text, at most 2,000,000 characters; may be empty if `raw` is given.")
    time: datetime | None = strawberry.field(
        default=None, description="When it was said, ISO 8601, UTC unless it has a zone. Default: now."
    )
    speaker: str | None = strawberry.field(
        default=None, description="The speaker's name, if known; of an event, who took part: `Mia, Tom`."
    )
    emotion: str | None = strawberry.field(
        default=None, description="The speaker's emotion; that which its facts name, if omitted."
    )
    id: str | None = strawberry.field(
        default=None, description="Your id. Messages with an id or a time can be sent again without effect."
    )
    importance: Importance | None = strawberry.field(
        default=None, description="1 to 10; estimated from the text if omitted."
    )
    zone: str | None = strawberry.field(
        default=None, description="Time zone: `Asia/Shanghai` or `+08:00`. Default: that of `time`."
    )
    mentioned_start: datetime | None = strawberry.field(
        default=None, description="Start of the time it mentions; extracted from the text if omitted."
    )
    mentioned_end: datetime | None = strawberry.field(default=None, description="End of the time it mentions.")
    tags: list[str] = strawberry.field(
        default_factory=list, description="Labels to filter by, such as a project; at most 20 of 60 characters."
    )
    metadata: JSON | None = strawberry.field(
        default=None,
        description="Your properties to filter by: an object of texts, numbers, booleans and lists of texts; at most 50"
        " keys and 64 kB.",
    )
    raw: JSON | None = strawberry.field(
        default=None, description="Any payload, kept as it is and never read or searched; at most 1 MB."
    )
    expires_at: datetime | None = strawberry.field(
        default=None,
        description="When it expires: it is forgotten then, with everything that only it proves.",
    )
    ttl_s: float | None = strawberry.field(default=None, description="Seconds until it expires; excludes `expiresAt`.")


@strawberry.input(description="A fact extracted by the agent; validated like our own extraction.")
class FactInput:
    """A fact extracted by the agent."""

    subject: str = strawberry.field(description="`user`, `assistant`, or a name.")
    predicate: str = strawberry.field(description=f"{predicate_choice()}; others are rejected.")
    object: str = strawberry.field(
        description="`user`, `assistant`, or the short name of a person, place, thing or idea."
    )
    statement: str = strawberry.field(description="The fact as one sentence, in the language of the conversation.")
    relation: str | None = strawberry.field(
        default=None, description="The relation in free text: `works at`, `sister`."
    )
    subject_type: str | None = strawberry.field(default=None, description=f"{entity_type_choice()}.")
    object_type: str | None = strawberry.field(default=None, description=f"{entity_type_choice()}.")
    strength: float = strawberry.field(default=0.7, description="0 to 1: how important it is to the subject.")
    confidence: float = strawberry.field(
        default=0.9,
        description="0 to 1: how certain you are. Below the setting `facts.confidence_min` it is not stored.",
    )
    valid_at: datetime | None = strawberry.field(default=None, description="When it became true.")
    invalid_at: datetime | None = strawberry.field(default=None, description="When it stopped being true.")
    trigger_emotion: str | None = strawberry.field(default=None, description="A lasting emotion that it triggers.")
    message_indexes: list[int] = strawberry.field(
        default_factory=list, description="Indexes (from 0) of the messages that are its evidence. Default: all."
    )
    importance: Importance | None = strawberry.field(
        default=None, description="1 to 10: long-term importance; derived from the strength if omitted."
    )
    kind: FactKind = strawberry.field(
        default=FactKind.FACT, description="Decisions have a rationale, procedures have steps."
    )
    rationale: str | None = strawberry.field(default=None, description="The reason for the decision or fact.")
    steps: list[str] = strawberry.field(
        default_factory=list, description="Steps of a procedure, in order: `action → result`."
    )
    mentioned_start: datetime | None = strawberry.field(default=None, description="Start of the time it mentions.")
    mentioned_end: datetime | None = strawberry.field(default=None, description="End of the time it mentions.")
    replaces: list[str] = strawberry.field(
        default_factory=list,
        description="Known facts of the same subject that this one replaces: ids or URIs, or statements or objects.",
    )


@strawberry.input(description="Messages to store, optionally with facts and a summary from the agent.")
class RememberInput:
    """Messages to store."""

    session_id: str = strawberry.field(description="Your id of the conversation.")
    messages: list[MessageInput] = strawberry.field(description="1 to 1,000 messages, oldest first.")
    user_id: str | None = strawberry.field(
        default=None, description="The user's id; omit it to write to the agent's own memory."
    )
    user_name: str | None = strawberry.field(default=None, description="The user's name.")
    agent_id: str | None = strawberry.field(default=None, description="The id of the agent that talks with the user.")
    facts: list[FactInput] = strawberry.field(
        default_factory=list,
        description="Facts that you extracted; these messages are then not extracted again.",
    )
    summary: str | None = strawberry.field(default=None, description="Your summary, used as the scene's abstract.")
    request_id: str | None = strawberry.field(
        default=None, description="Idempotency key for messages without id and time."
    )
    strict: bool = strawberry.field(
        default=False, description="Refuse the call if a fact is invalid, instead of storing the rest."
    )
    extract: bool = strawberry.field(
        default=True,
        description="False stores the messages, which can be searched, without ever reading facts from them.",
    )

    def incoming(self) -> RememberRequest:
        """Convert to the memory's request type."""
        messages = tuple(
            IncomingMessage(**{**vars(one), "role": one.role.value, "tags": tuple(one.tags)}) for one in self.messages
        )
        facts = tuple(provided_fact(vars(fact)) for fact in self.facts)
        owner = owner_of(self.user_id, self.agent_id)
        return RememberRequest(**{**vars(self), "user_id": owner, "messages": messages, "facts": facts})


@strawberry.type(name="ClosedFact", description="A known fact that was closed by a fact of this call.")
class ClosedFactView:
    """A known fact that was closed by a fact of this call."""

    fact_index: int = strawberry.field(description="Index of the fact in the call.")
    id: str = strawberry.field(description="Id of the known fact.")
    statement: str = strawberry.field(description="Statement of the known fact.")


@strawberry.type(
    name="FactConflict", description="A known fact that a fact of the call may contradict. Both stay valid."
)
class FactConflictView(ClosedFactView):
    """A known fact that a fact of the call may contradict."""

    why: str = strawberry.field(description="Why they may contradict each other.")


@strawberry.type(description="The result of remember; the messages are then durable and searchable.")
class RememberReceipt:
    """The result of remember."""

    session_uri: str = strawberry.field(description="The session's URI.")
    message_ids: list[str] = strawberry.field(description="Message ids, in the order of the call.")
    uris: list[str] = strawberry.field(description="Message URIs, in the order of the call.")
    stored: int = strawberry.field(description="Number of new messages.")
    repeated: int = strawberry.field(description="Number of messages that were already stored.")
    dropped: list[str] = strawberry.field(description="Reasons why facts of the call were rejected.")
    spooled: bool = strawberry.field(
        description="Neo4j is unavailable: the messages are stored on disk, and searchable when it is back."
    )
    closes: list[ClosedFactView] = strawberry.field(
        description="Known facts that facts of the call close once they are processed."
    )
    conflicts: list[FactConflictView] = strawberry.field(
        description="Known facts that facts of the call may contradict. Pass a fact again with `replaces` to close one."
    )
    notes: list[str] = strawberry.field(description="Entries of `replaces` that match no known fact.")


@strawberry.type(description="A message that is evidence for a hit.")
class HitEvidence:
    """A message that is evidence for a hit."""

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime
    zone: str | None = strawberry.field(description="Time zone of its speaker; null if unknown.")


@strawberry.type(description="A named part of a score.")
class ScorePart:
    """A named part of a score."""

    name: str
    value: float


@strawberry.type(description="A search result.")
class RecallHit:
    """A search result."""

    kind: HitKind
    id: str
    uri: str
    score: float
    parts: list[ScorePart] = strawberry.field(description="The parts of the score; they add up to it.")
    snippet: str = strawberry.field(description="At most 100 characters around the best match.")
    text: str = strawberry.field(description="The message, the scene's abstract, or the fact's statement.")
    said_at: datetime = strawberry.field(description="When it was said or became true.")
    title: str | None = strawberry.field(description="Scenes only.")
    speaker: str | None = strawberry.field(description="Messages only.")
    role: str | None = strawberry.field(description="Messages only.")
    scene_id: str | None = strawberry.field(description="Messages: id of the scene; null until it is read.")
    emotion: str | None = strawberry.field(description="Messages: the speaker's emotion, if known.")
    pending: bool = strawberry.field(description="Stored and searchable, but not extracted yet.")
    tags: list[str] = strawberry.field(description="Messages only.")
    metadata: JSON = strawberry.field(
        description="Your properties of the message, or of the messages that prove a fact (later ones win) or are "
        "returned as a scene's evidence."
    )
    valid_at: datetime | None = strawberry.field(description="Facts: when it became true; null if unknown.")
    invalid_at: datetime | None = strawberry.field(description="Facts: when it stopped being true.")
    overtaken_by: str | None = strawberry.field(
        description="Id of the fact that replaced this one, or all facts of this message, which is out of date; or of "
        "the message that corrects this one."
    )
    subject: str | None = strawberry.field(description="Facts only.")
    predicate: str | None = strawberry.field(description="Facts only.")
    relation: str | None = strawberry.field(description="Facts only.")
    object: str | None = strawberry.field(description="Facts only.")
    strength: float | None = strawberry.field(description="Facts only.")
    confidence: float | None = strawberry.field(description="Facts only.")
    fact_kind: FactKind | None = strawberry.field(description="Facts: plain fact, decision or procedure.")
    rationale: str | None = strawberry.field(description="Facts: the reason, if stated.")
    steps: list[str] = strawberry.field(description="Procedures: steps in order, `action → result`.")
    trigger_emotion: str | None = strawberry.field(description="Facts: a lasting emotion that it triggers.")
    zone: str | None = strawberry.field(description="Time zone of the message, or of one that is its evidence.")
    mentioned_start: datetime | None = strawberry.field(description="Start of the time it is about, if it names one.")
    mentioned_end: datetime | None = strawberry.field(description="End of that time, exclusive.")
    evidence: list[HitEvidence] = strawberry.field(description="Evidence messages, if requested with `evidence`.")


@strawberry.type(description="Hits, best first, with metadata.")
class RecallAnswer(AnswerMarks, QuestionUnderstood):
    """Hits, best first, with metadata."""

    hits: list[RecallHit]
    search_path: list[str] = strawberry.field(
        description="The search channels that returned candidates; in the layered mode, the steps that were tried."
    )
    confidence: float | None = strawberry.field(
        description="0 to 1: probability that the memory contains an answer; null if not estimated."
    )
    nothing_relevant: bool = strawberry.field(description="The memory probably contains no answer.")
    notes: list[str] = strawberry.field(description="What was missing, for example an unavailable embedder.")


@strawberry.type(description="Counts of unfinished background work.")
class JobStatus:
    """Counts of unfinished background work."""

    waiting: int
    leased: int = strawberry.field(description="Jobs in progress.")
    dead: int = strawberry.field(description="Jobs that failed too often.")
    spooled: int = strawberry.field(description="Calls of remember that wait on disk for Neo4j.")


def receipt_view(receipt: Receipt) -> RememberReceipt:
    """Convert a receipt to its API type."""
    closes = [view_of(ClosedFactView, one) for one in receipt.outcome.closes]
    conflicts = [view_of(FactConflictView, one) for one in receipt.outcome.conflicts]
    return view_of(RememberReceipt, receipt, closes=closes, conflicts=conflicts)


def answer_view(answer: Answer) -> RecallAnswer:
    """Convert an answer to its API type."""
    analysis = answer.analysis
    return view_of(
        RecallAnswer,
        answer,
        hits=[_hit_view(hit) for hit in answer.hits],
        removed=[view_of(RemovedHits, one) for one in answer.removed],
        intent=analysis.intent,
        answer_type=analysis.answer_type,
        asked_times=[
            view_of(AskedTimeView, one.span, phrase=one.phrase, restricts=one.force is Force.LIMITS)
            for one in analysis.asked_times
        ],
    )


def hit_and_evidence(hit: Hit) -> tuple[str, tuple[str, ...]]:
    """Return the id of a hit, and the ids of the messages that are its evidence."""
    one = hit.candidate
    return one.id, (*one.proofs, *(message.id for message in one.evidence))


def _hit_view(hit: Hit) -> RecallHit:
    return view_of(
        RecallHit,
        hit.candidate,
        score=hit.score,
        parts=[ScorePart(name=name, value=value) for name, value in hit.parts.items()],
        snippet=hit.snippet,
        scene_id=hit.candidate.scene,
        metadata=JSON({}),
        evidence=[view_of(HitEvidence, message) for message in hit.candidate.evidence],
    )


strawberry.enum(
    Mode,
    name="RecallMode",
    description="BEST: best measured quality; LAYERED weights the layers 0.2/0.3/0.5; SIMILARITY_IMPORTANCE 0.7/0.3.",
)


@strawberry.input(description="Filters of a question.")
class RecallFilter:
    """Filters of a question."""

    in_session: str | None = strawberry.field(
        default=None, description="Only this session, and facts with evidence in it."
    )
    agent_id: str | None = strawberry.field(default=None, description="Only sessions with this agent.")
    roles: list[Role] = strawberry.field(
        default_factory=list, description="Only messages with these roles; all if empty."
    )
    entities: list[str] = strawberry.field(
        default_factory=list, description="Only results that mention one of these entities."
    )
    tags: list[str] = strawberry.field(
        default_factory=list,
        description="Only messages with one of these tags, and scenes and facts with such a message as evidence.",
    )
    min_score: float | None = strawberry.field(default=None, description="Minimum score.")


ModeArgument = Annotated[
    Mode | None, strawberry.argument(description="How hits are ranked. Default: the setting `recall.mode`.")
]
FilterArgument = Annotated[RecallFilter | None, strawberry.argument(name="filter", description="Only these hits.")]
AfterArgument = Annotated[
    str | None, strawberry.argument(description="The `nextCursor` of the previous answer to the same question.")
]


def query_filters(filters: RecallFilter | None, after: str | None) -> QueryFilters:
    """Convert to the memory's filter type."""
    if filters is None:
        return replace(EVERYTHING, after=after)
    return QueryFilters(
        session_id=filters.in_session,
        agent_id=filters.agent_id,
        roles=tuple(filters.roles),
        entities=tuple(filters.entities),
        tags=tuple(filters.tags),
        score_min=filters.min_score,
        after=after,
    )
