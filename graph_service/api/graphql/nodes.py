"""GraphQL: nodes and facts that link to each other, paged and loaded in batches; status and history of a fact."""

from collections.abc import Callable, Coroutine, Hashable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final

import strawberry
from strawberry.dataloader import DataLoader

from graph_service.api.graphql.fields import (
    AfterCursor,
    AsOfArgument,
    Call,
    ClosedArgument,
    FactId,
    FirstArgument,
    PageInfo,
    ReasonArgument,
    ValidAtArgument,
    about,
    argument,
    expose,
    field,
    fields_of,
    mutation,
    output,
    page_of,
    view_of,
)
from graph_service.memory.curation.facts import FactStatus, FactVersion
from graph_service.memory.facts.bitemporal import AsOf, resolve_as_of
from graph_service.memory.facts.stored import ClosingView
from graph_service.memory.mindmap.element_details import quote_spans
from graph_service.memory.mindmap.graph_queries import FactPageRequest, FactSelection, NodeDetails, Row, fact_cursor
from graph_service.memory.mindmap.reader import map_node
from graph_service.memory.recall.pipeline import CUT_CHARS, EVIDENCE_CHARS_MAX, TextBudget, whole_of
from graph_service.memory.service import Memory
from schema.assertion import Closing
from schema.entity import entity_type_choice
from schema.fact import Fact, FactKind, told_begin
from schema.frames import NodeView
from schema.ids import TenantId, char_uri
from schema.predicates import predicate_choice

strawberry.enum(Closing, name="ClosingReason", description="The reason why a fact is no longer valid.")


expose(ClosingView, "FactClosing", "reason text fact_id message_id", types={"reason": Closing})


@strawberry.type
class FactDetails:
    """Fields that describe the content of a fact in detail."""

    kind: FactKind = about("Plain fact, decision or procedure.")
    rationale: str | None = about("The reason, if stated.")
    steps: list[str] = about("Procedures: steps in order, `action → result`.")
    trigger_emotion: str | None = about("A lasting emotion that it triggers.")
    mentioned_start: datetime | None = about("Start of the time it is about, if it names one.")
    mentioned_end: datetime | None = about("End of that time, exclusive.")


@strawberry.type
class ChangedFact:
    """Fields that say how often and when a fact was changed."""

    id: strawberry.ID = about("Its id.")
    created_at: datetime | None = about("When it was first stored.")

    @field
    async def version(self, info: Call) -> int:
        """1 for a new fact, one more with each change of it; for `ifVersion` of `updateFact`."""
        return (await loaders_of(info).changes.load(self.id))[0]

    @field
    async def updated_at(self, info: Call) -> datetime | None:
        """The time of the last change."""
        return (await loaders_of(info).changes.load(self.id))[1] or self.created_at


def details_of(fact: Fact) -> dict[str, Any]:
    """Return the fields of `FactDetails`."""
    return vars(view_of(FactDetails, fact.detail, trigger_emotion=fact.trigger_emotion))


@output(name="FactStatus")
class FactStatusAnswer(FactDetails, ChangedFact):
    """A fact and whether it is valid."""

    uri: str = about("Its URI.")
    statement: str = about("The fact as a sentence.")
    valid_at: datetime | None = about("When it became true; null if it was told as past, without its begin.")
    invalid_at: datetime | None = about("When it stopped being true, if that was known at the requested time.")
    holds: bool = about("Whether it was valid at the requested time, as known then.")
    closing: ClosingView | None = about("Why it is no longer valid; null while it is valid.")


@field
async def fact(
    info: Call, id: FactId, valid_at: ValidAtArgument = None, as_of: AsOfArgument = None
) -> FactStatusAnswer:
    """The validity of a fact, with the reason if it is not valid."""
    return _status_answer(await info.memory.facts.status(info.tenant, id, valid_at=valid_at, as_of=as_of))


@mutation
async def reopen_fact(
    info: Call, id: Annotated[str, argument("The closed fact's id, or one of its URIs.")], reason: ReasonArgument
) -> FactStatusAnswer:
    """Reopen a closed fact; what closed it cannot close it again."""
    return _status_answer(await info.memory.facts.reopen(info.tenant, id, reason))


def _status_answer(one: FactStatus) -> FactStatusAnswer:
    more = {"created_at": one.recorded_at, "valid_at": one.fact.begin, "holds": one.holds}
    return view_of(FactStatusAnswer, one.fact, **details_of(one.fact), **more, closing=one.closing)


@output(name="FactVersion")
class FactVersionAnswer(FactDetails):
    """One fact in a fact's history."""

    id: str = about("Its id.")
    uri: str = about("Its URI.")
    statement: str = about("The fact as a sentence.")
    subject: str
    predicate: str
    relation: str | None
    object: str
    confidence: float
    strength: float
    valid_at: datetime | None = about("When it became true; null if it was told as past, without its begin.")
    invalid_at: datetime | None = about("When it stopped being true; null while it is valid.")
    known_at: datetime = about("When it was first recorded.")
    closing_known_at: datetime | None = about("When its end was recorded.")
    closing: ClosingView | None = about("Why it is no longer valid; null while it is valid.")
    evidence: list[str] = about("Ids of the messages that are its evidence.")


@field
async def fact_history(info: Call, id: FactId, as_of: AsOfArgument = None) -> list[FactVersionAnswer]:
    """A fact with its predecessors and successors, oldest first, and why each stopped being true. Former statements
    of a fact come before it, with its id, as long as their messages are stored.
    """
    return [_answer(one) for one in await info.memory.facts.history(info.tenant, id, as_of=as_of)]


def _answer(one: FactVersion) -> FactVersionAnswer:
    names = {"subject": one.subject, "object": one.object, "known_at": one.known_at, "valid_at": one.fact.begin}
    return view_of(FactVersionAnswer, one.fact, **details_of(one.fact), **names, closing=one.closing)


# Evidence messages of a fact whose tags it has.
_TAGGED_MAX: Final = 3


class Loaders:
    """Data loaders of one operation: each nesting level is read in one database round trip."""

    def __init__(self, memory: Memory, tenant: TenantId) -> None:
        reads = memory.reads
        self._pages: dict[Hashable, DataLoader[str, list[Row]]] = {}
        self._memory, self._tenant = memory, tenant
        self.nodes: DataLoader[str, NodeView | None] = _by(partial(reads.nodes, tenant))
        self.details: DataLoader[str, NodeDetails | None] = _by(partial(reads.node_details, tenant))
        self.messages: DataLoader[str, Row | None] = _by(partial(reads.messages, tenant))
        self.changes: DataLoader[str, tuple[int, datetime | None]] = _by(
            partial(reads.changes_of_facts, tenant), (1, None)
        )

    def facts(self, page: FactPageRequest) -> DataLoader[str, list[Row]]:
        """Return the loader of fact pages; requests with equal arguments are batched."""
        if page not in self._pages:
            self._pages[page] = _by(partial(self._facts_with_ends, page), [])
        return self._pages[page]

    async def _facts_with_ends(self, page: FactPageRequest, ids: Sequence[str]) -> dict[str, list[Row]]:
        """Return facts by node id, and cache their end nodes."""
        found = await self._memory.reads.facts(self._tenant, ids, page)
        self._keep_ends(fact for facts in found.values() for fact in facts)
        return found

    async def facts_of_user(self, user_id: str, selection: FactSelection, page: FactPageRequest) -> list[Row]:
        """Return facts in a user's memory, and cache their end nodes."""
        found = await self._memory.reads.facts_of_user(self._tenant, user_id, selection, page)
        self._keep_ends(found)
        return found

    def _keep_ends(self, facts: Iterable[Row]) -> None:
        ends = (map_node(values) for fact in facts for values in fact["ends"])
        self.nodes.prime_many({node.id: node for node in ends})


def loaders_of(info: Call) -> Loaders:
    context = info.context
    if "loaders" not in context:
        context["loaders"] = Loaders(context["memory"], context["tenant"])
    loaders: Loaders = context["loaders"]
    return loaders


def _by(
    read: Callable[[Sequence[str]], Coroutine[Any, Any, dict[str, Any]]], missing: object = None
) -> DataLoader[str, Any]:
    async def load(ids: list[str]) -> list[Any]:
        found = await read(ids)
        return [found.get(one, missing) for one in ids]

    return DataLoader(load_fn=load)


@strawberry.interface(description="An object with an id.")
class Node:
    """An object with an id."""

    id: strawberry.ID = about("Its id.")


@output()
class EvidenceMessage(Node):
    """A message that is evidence for a fact."""

    uri: str = about("Its URI.")
    role: str = about("The speaker's role.")
    speaker: str | None = about("The speaker's name, if known.")
    text: str = about("The text of the message.")
    said_at: datetime = about("When it was said.")
    tags: list[str] = about("Its tags.")
    zone: str | None = about("Its time zone.")
    emotion: str | None = about("The speaker's emotion, if known.")
    anchor: str = about(
        "The address of the part that states the fact, for `layer`: its URI with `#char=START,END`, or without, if the "
        "whole message does."
    )
    mentioned_start: datetime | None = about("Start of the time it mentions, if it names one.")
    mentioned_end: datetime | None = about("End of that time, exclusive.")


@output()
class NodeAttribute:
    """An attribute of an entity."""

    name: str = about("Such as `age` or `colour`.")
    value: str = about("The value as it was said last.")


@output()
class MemoryNode(Node):
    """A user, agent, entity or scene of the mind map."""

    kind: str = about("User, Agent, Entity or Scene.")
    name: str = about("Its name; of scenes the title.")
    user_id: str = about("The user it belongs to.")
    entity_type: str | None = about(f"Entities: {entity_type_choice()}.")
    aliases: list[str] = about("Other names.")
    summary: str | None = about("Scenes: the abstract.")
    importance: int | None = about("Scenes: 1 to 10.")
    first_seen: datetime = about("When it was first mentioned.")
    last_seen: datetime = about("When it was last mentioned.")
    moments: strawberry.Private[AsOf | None] = None

    @field
    async def attributes(self, info: Call) -> list[NodeAttribute]:
        """Entities: attributes that messages mention, such as age or colour."""
        found = await loaders_of(info).details.load(self.id)
        return (
            [NodeAttribute(name=name, value=value) for name, value in sorted(found.attributes.items())] if found else []
        )

    @field
    async def participants(self, info: Call) -> list[str]:
        """Scenes: who spoke or took part, in order; the role of those without a name."""
        found = await loaders_of(info).details.load(self.id)
        return list(found.participants) if found else []

    @field
    async def uri(self, info: Call) -> str | None:
        """Its URI."""
        found = await loaders_of(info).details.load(self.id)
        return found.uri if found else None

    @field
    async def facts(
        self,
        info: Call,
        first: FirstArgument = 20,
        after: AfterCursor = None,
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
        include_closed: ClosedArgument = False,
    ) -> "FactConnection":
        """Its facts, latest `validAt` first."""
        moments = self.moments if valid_at is None and as_of is None else None
        page = FactPageRequest(
            moments=moments or resolve_as_of(valid_at=valid_at, as_of=as_of, now=info.now),
            first=first,
            after=after,
            closed=include_closed,
        )
        return connection_of(await loaders_of(info).facts(page).load(self.id), page)


@output()
class MemoryFact(FactDetails, ChangedFact, Node):
    """A fact: a relation between two nodes."""

    uri: str = about("Its URI.")
    predicate: str = about(f"Relation type: {predicate_choice()}.")
    relation: str | None = about("The relation in free text.")
    statement: str = about("The fact as a sentence.")
    strength: float = about("0 to 1; grows with the amount of evidence.")
    confidence: float = about("0 to 1: confidence of the extraction.")
    importance: int | None = about("1 to 10.")
    valid_at: datetime | None = about("When it became true; null if it was told as past, without its begin.")
    invalid_at: datetime | None = about("When it stopped being true; null while it is valid.")
    known_at: datetime | None = about("When it was first recorded.")
    first_seen: datetime | None = about("When the first message that states it was said.")
    last_seen: datetime | None = about("When the last message that states it was said.")
    row: strawberry.Private[Row]
    moments: strawberry.Private[AsOf | None] = None

    @field
    async def subject(self, info: Call) -> MemoryNode | None:
        """The subject node."""
        return _end(await loaders_of(info).nodes.load(self.row["subject_id"]), self.moments)

    @field
    async def object(self, info: Call) -> MemoryNode | None:
        """The object node."""
        return _end(await loaders_of(info).nodes.load(self.row["object_id"]), self.moments)

    @strawberry.field(
        description="Messages that are evidence for it, at most `first`; a request returns at most"
        f" {EVIDENCE_CHARS_MAX:,} characters of evidence in full, of longer messages then the beginning, with `…`."
    )
    async def evidence(self, info: Call, first: FirstArgument = 3) -> list[EvidenceMessage]:
        ids = list(self.row["evidence"] or ())[: max(first, 0)]
        found = [one for one in await loaders_of(info).messages.load_many(ids) if one is not None]
        budget = info.context.setdefault("texts", TextBudget())
        spans = quote_spans(self.row["quotes"] or ())
        keep, budget.evidence = whole_of([len(message["text"]) for message in found], budget.evidence)
        return [
            message_view(
                message if whole else {**message, "text": message["text"][:CUT_CHARS] + "…"}, spans.get(message["id"])
            )
            for message, whole in zip(found, keep, strict=True)
        ]

    @field
    async def tags(self, info: Call) -> list[str]:
        """The tags of the first three messages that are evidence for it."""
        found = await loaders_of(info).messages.load_many(list(self.row["evidence"] or ())[:_TAGGED_MAX])
        return sorted({tag for message in found if message is not None for tag in message["tags"] or ()})


@output()
class FactEdge:
    """A fact with its cursor."""

    cursor: str = about("Stays valid while facts are added or removed.")
    node: MemoryFact = about("The fact.")


@output()
class FactConnection:
    """A page of facts."""

    edges: list[FactEdge] = about("Facts with their cursors.")
    nodes: list[MemoryFact] = about("The facts.")
    page_info: PageInfo = about("Position of the page.")


def connection_of(rows: list[Row], page: FactPageRequest) -> FactConnection:
    """Return a page of facts from up to `first` + 1 rows; nested fields use the same point in time."""
    view = partial(fact_view, moments=page.moments)
    return FactConnection(**vars(page_of(rows, page.first, page.after, cursor=fact_cursor, view=view)))


def fact_view(row: Row, moments: AsOf | None = None) -> MemoryFact:
    """Convert a fact to its API type; nested fields default to `moments`."""
    names = ("uri", "predicate", "relation", "statement", "strength", "confidence", "importance")
    times = ("invalid_at", "known_at", "first_seen", "last_seen")
    details = {
        "kind": FactKind(row["kind"] or FactKind.FACT),
        "steps": list(row["steps"] or ()),
        **{name: row[name] for name in ("rationale", "trigger_emotion", "mentioned_start", "mentioned_end")},
    }
    own = {name: row[name] for name in (*names, *times)}
    valid_at = told_begin(*(row[name] for name in ("valid_at", "invalid_at", "known_at", "closing_known_at")))
    return MemoryFact(
        id=row["id"], row=row, moments=moments, valid_at=valid_at, created_at=row["recorded_at"], **own, **details
    )


def node_answer(node: NodeView, moments: AsOf | None = None) -> MemoryNode:
    """Convert a node to its API type; its field `facts` defaults to `moments`."""
    seen = {name: datetime.fromisoformat(getattr(node, name)) for name in ("first_seen", "last_seen")}
    return view_of(MemoryNode, node, name=node.label, moments=moments, **seen)


def message_view(message: Row, span: tuple[int, int] | None) -> EvidenceMessage:
    """Convert a message, of which the characters of the span state a fact, to its API type."""
    anchor = char_uri(message["uri"], *span) if span else message["uri"]
    own = {name: message[name] for name in fields_of(EvidenceMessage) if name not in ("tags", "anchor")}
    return EvidenceMessage(tags=list(message["tags"] or ()), anchor=anchor, **own)


def _end(node: NodeView | None, moments: AsOf | None) -> MemoryNode | None:
    return None if node is None else node_answer(node, moments)
