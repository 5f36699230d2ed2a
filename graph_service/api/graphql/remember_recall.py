"""GraphQL: inputs and results of `remember` and `recall`, and their conversion."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from extraction.query_analysis import AnswerType, Intent
from extraction.temporal.question_time import Force
from graph_service.api.descriptions import about, argument, expose, given, output
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
from schema.message import ClosedFact, FactConflict
from schema.predicates import predicate_choice

expose(ClosedFact)
expose(FactConflict)

strawberry.enum(Intent, name="Intent", description="The intent of a question.")
strawberry.enum(AnswerType, name="AnswerType", description="The expected type of the answer.")


@output(name="AskedTime")
class AskedTimeView:
    """A time expression in the question."""

    start: datetime | None = about("Inclusive start; null if open.")
    end: datetime | None = about("Exclusive end; null if open.")
    phrase: str = about("The expression in the question.")
    restricts: bool = about("True if results are restricted to this time; otherwise they are only ranked higher.")


@output()
class RemovedHits:
    """Number of candidates left out for one reason."""

    reason: str
    count: int


strawberry.enum(Role, name="Role", description="The speaker's role.")
strawberry.enum(HitKind, name="HitKind", description="The kind of a hit.")


@given()
class MessageInput:
    """One message of a conversation."""

    role: Role = about("The speaker's role; `EVENT` for what happened and was not said.")
    text: str = about("The text, at most 2,000,000 characters; may be empty if `raw` is given.")
    time: datetime | None = about("When it was said, ISO 8601, UTC unless it has a zone. Default: now.", default=None)
    speaker: str | None = about("The speaker's name, if known; of an event, who took part: `Mia, Tom`.", default=None)
    emotion: str | None = about("The speaker's emotion; that which its facts name, if omitted.", default=None)
    id: str | None = about("Your id. Messages with an id or a time can be sent again without effect.", default=None)
    importance: Importance | None = about("1 to 10; estimated from the text if omitted.", default=None)
    zone: str | None = about("Time zone: `Asia/Shanghai` or `+08:00`. Default: that of `time`.", default=None)
    mentioned_start: datetime | None = about(
        "Start of the time it mentions; extracted from the text if omitted.", default=None
    )
    mentioned_end: datetime | None = about("End of the time it mentions.", default=None)
    tags: list[str] = about(
        "Labels to filter by, such as a project; at most 20 of 60 characters.", default_factory=list
    )
    metadata: JSON | None = about(
        "Your properties to filter by: an object of texts, numbers, booleans and lists of texts; at most 50 keys "
        "and 64 kB.",
        default=None,
    )
    raw: JSON | None = about("Any payload, kept as it is and never read or searched; at most 1 MB.", default=None)
    expires_at: datetime | None = about(
        "When it expires: it is forgotten then, with everything that only it proves.", default=None
    )
    ttl_s: float | None = about("Seconds until it expires; excludes `expiresAt`.", default=None)


@given()
class FactInput:
    """A fact extracted by the agent; validated like our own extraction."""

    subject: str = about("`user`, `assistant`, or a name.")
    predicate: str = about(f"{predicate_choice()}; others are rejected.")
    object: str = about("`user`, `assistant`, or the short name of a person, place, thing or idea.")
    statement: str = about("The fact as one sentence, in the language of the conversation.")
    relation: str | None = about("The relation in free text: `works at`, `sister`.", default=None)
    subject_type: str | None = about(f"{entity_type_choice()}.", default=None)
    object_type: str | None = about(f"{entity_type_choice()}.", default=None)
    strength: float = about("0 to 1: how important it is to the subject.", default=0.7)
    confidence: float = about(
        "0 to 1: how certain you are. Below the setting `facts.confidence_min` it is not stored.", default=0.9
    )
    valid_at: datetime | None = about("When it became true.", default=None)
    invalid_at: datetime | None = about("When it stopped being true.", default=None)
    trigger_emotion: str | None = about("A lasting emotion that it triggers.", default=None)
    message_indexes: list[int] = about(
        "Indexes (from 0) of the messages that are its evidence. Default: all.", default_factory=list
    )
    importance: Importance | None = about(
        "1 to 10: long-term importance; derived from the strength if omitted.", default=None
    )
    kind: FactKind = about("Decisions have a rationale, procedures have steps.", default=FactKind.FACT)
    rationale: str | None = about("The reason for the decision or fact.", default=None)
    steps: list[str] = about("Steps of a procedure, in order: `action → result`.", default_factory=list)
    mentioned_start: datetime | None = about("Start of the time it mentions.", default=None)
    mentioned_end: datetime | None = about("End of the time it mentions.", default=None)
    replaces: list[str] = about(
        "Known facts of the same subject that this one replaces: ids or URIs, or statements or objects.",
        default_factory=list,
    )


@given()
class RememberInput:
    """Messages to store, optionally with facts and a summary from the agent."""

    session_id: str = about("Your id of the conversation.")
    messages: list[MessageInput] = about("1 to 1,000 messages, oldest first.")
    user_id: str | None = about("The user's id; omit it to write to the agent's own memory.", default=None)
    user_name: str | None = about("The user's name.", default=None)
    agent_id: str | None = about("The id of the agent that talks with the user.", default=None)
    facts: list[FactInput] = about(
        "Facts that you extracted; these messages are then not extracted again.", default_factory=list
    )
    summary: str | None = about("Your summary, used as the scene's abstract.", default=None)
    request_id: str | None = about("Idempotency key for messages without id and time.", default=None)
    strict: bool = about("Refuse the call if a fact is invalid, instead of storing the rest.", default=False)
    extract: bool = about(
        "False stores the messages, which can be searched, without ever reading facts from them.", default=True
    )

    def incoming(self) -> RememberRequest:
        """Convert to the memory's request type."""
        messages = tuple(
            IncomingMessage(**{**vars(one), "role": one.role.value, "tags": tuple(one.tags)}) for one in self.messages
        )
        facts = tuple(provided_fact(vars(fact)) for fact in self.facts)
        owner = owner_of(self.user_id, self.agent_id)
        return RememberRequest(**{**vars(self), "user_id": owner, "messages": messages, "facts": facts})


@output()
class RememberReceipt:
    """The result of remember; the messages are then durable and searchable."""

    session_uri: str = about("The session's URI.")
    message_ids: list[str] = about("Message ids, in the order of the call.")
    uris: list[str] = about("Message URIs, in the order of the call.")
    stored: int = about("Number of new messages.")
    repeated: int = about("Number of messages that were already stored.")
    dropped: list[str] = about("Reasons why facts of the call were rejected.")
    spooled: bool = about("Neo4j is unavailable: the messages are stored on disk, and searchable when it is back.")
    closes: list[ClosedFact] = about("Known facts that facts of the call close once they are processed.")
    conflicts: list[FactConflict] = about(
        "Known facts that facts of the call may contradict. Pass a fact again with `replaces` to close one."
    )
    notes: list[str] = about("Entries of `replaces` that match no known fact.")


@output()
class HitEvidence:
    """A message that is evidence for a hit."""

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime
    zone: str | None = about("Time zone of its speaker; null if unknown.")


@output()
class ScorePart:
    """A named part of a score."""

    name: str
    value: float


@output()
class RecallHit:
    """A search result."""

    kind: HitKind
    id: str
    uri: str
    score: float
    parts: list[ScorePart] = about("The parts of the score; they add up to it.")
    snippet: str = about("At most 100 characters around the best match.")
    text: str = about("The message, the scene's abstract, or the fact's statement.")
    said_at: datetime = about("When it was said or became true.")
    title: str | None = about("Scenes only.")
    speaker: str | None = about("Messages only.")
    role: str | None = about("Messages only.")
    scene_id: str | None = about("Messages: id of the scene; null until it is read.")
    emotion: str | None = about("Messages: the speaker's emotion, if known.")
    pending: bool = about("Stored and searchable, but not extracted yet.")
    tags: list[str] = about("Messages only.")
    metadata: JSON = about(
        "Your properties of the message, or of the messages that prove a fact (later ones win) or are returned as a "
        "scene's evidence."
    )
    valid_at: datetime | None = about("Facts: when it became true; null if unknown.")
    invalid_at: datetime | None = about("Facts: when it stopped being true.")
    overtaken_by: str | None = about(
        "Id of the fact that replaced this one, or all facts of this message, which is out of date; or of the message "
        "that corrects this one."
    )
    subject: str | None = about("Facts only.")
    predicate: str | None = about("Facts only.")
    relation: str | None = about("Facts only.")
    object: str | None = about("Facts only.")
    strength: float | None = about("Facts only.")
    confidence: float | None = about("Facts only.")
    fact_kind: FactKind | None = about("Facts: plain fact, decision or procedure.")
    rationale: str | None = about("Facts: the reason, if stated.")
    steps: list[str] = about("Procedures: steps in order, `action → result`.")
    trigger_emotion: str | None = about("Facts: a lasting emotion that it triggers.")
    zone: str | None = about("Time zone of the message, or of one that is its evidence.")
    mentioned_start: datetime | None = about("Start of the time it is about, if it names one.")
    mentioned_end: datetime | None = about("End of that time, exclusive.")
    evidence: list[HitEvidence] = about("Evidence messages, if requested with `evidence`.")


@output()
class RecallAnswer:
    """Hits, best first, with metadata."""

    degraded: bool = about(
        "Neo4j is unavailable: results of a keyword search in spooled messages and the last snapshot."
    )
    removed: list[RemovedHits] = about("Candidates that were left out.")
    next_cursor: str | None = about("Pass it as `after` for the next hits; null at the end.")
    snapshot_age_s: float | None = about("Age of the searched snapshot; null if none was searched.")
    intent: Intent = about("The intent.")
    answer_type: AnswerType = about("The expected type of the answer.")
    asked_times: list[AskedTimeView] = about("The time expressions in the question, in order.")
    hits: list[RecallHit]
    search_path: list[str] = about(
        "The search channels that returned candidates; in the layered mode, the steps that were tried."
    )
    confidence: float | None = about("0 to 1: probability that the memory contains an answer; null if not estimated.")
    nothing_relevant: bool = about("The memory probably contains no answer.")
    notes: list[str] = about("What was missing, for example an unavailable embedder.")


@output()
class JobStatus:
    """Counts of unfinished background work."""

    waiting: int
    leased: int = about("Jobs in progress.")
    dead: int = about("Jobs that failed too often.")
    spooled: int = about("Calls of remember that wait on disk for Neo4j.")


def receipt_view(receipt: Receipt) -> RememberReceipt:
    """Convert a receipt to its API type."""
    outcome = receipt.outcome
    return view_of(RememberReceipt, receipt, closes=list(outcome.closes), conflicts=list(outcome.conflicts))


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


@given()
class RecallFilter:
    """Filters of a question."""

    in_session: str | None = about("Only this session, and facts with evidence in it.", default=None)
    agent_id: str | None = about("Only sessions with this agent.", default=None)
    roles: list[Role] = about("Only messages with these roles; all if empty.", default_factory=list)
    entities: list[str] = about("Only results that mention one of these entities.", default_factory=list)
    tags: list[str] = about(
        "Only messages with one of these tags, and scenes and facts with such a message as evidence.",
        default_factory=list,
    )
    min_score: float | None = about("Minimum score.", default=None)


ModeArgument = Annotated[Mode | None, argument("How hits are ranked. Default: the setting `recall.mode`.")]
FilterArgument = Annotated[RecallFilter | None, strawberry.argument(name="filter", description="Only these hits.")]
AfterArgument = Annotated[str | None, argument("The `nextCursor` of the previous answer to the same question.")]


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
