"""The operations of a memory as steps: which requests they send and what they return, without sending anything.

`Memory` and `AsyncMemory` run them; the docstrings here are those of both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf
from time import monotonic
from typing import Any, Final, TypeVar, cast
from uuid import uuid4

from pydantic import ValidationError

from mnemoscene.documents import Model, Operation
from mnemoscene.errors import BadInput, NotFound
from mnemoscene.items import expiry_input
from mnemoscene.models import (
    CategoryName,
    Change,
    Changes,
    Connection,
    Context,
    Correction,
    Fact,
    FactStatus,
    FactVersion,
    Forgotten,
    Hit,
    HitKindName,
    Hits,
    Message,
    NewFact,
    ProfilePart,
    Receipt,
    Said,
    Session,
    StoredMessage,
    User,
)
from mnemoscene.transport import ANSWER_MAX_S, PAUSES_S, Listing, Page, Steps, ask

T = TypeVar("T")
M = TypeVar("M", bound=Model)

DEFAULT_SESSION: Final = "default"
MESSAGES_PER_CALL: Final = 1_000
PAGE: Final = 100
# `changes` waits so long for a service that went away, as during its restart.
RESTART_PAUSES_S: Final = (*PAUSES_S, *(1.0,) * 120)
WAIT_PER_CALL_S: Final = 30.0
MESSAGES_PAGE: Final = 500

_TIMES: Final = {"validAt": "DateTime", "asOf": "DateTime"}
_PAGE: Final = {"first": "Int", "after": "String"}

REMEMBER: Final = Operation[Receipt]("mutation", "remember", Receipt, {"input": "RememberInput!"})
RECALL: Final = Operation[Hits](
    "query",
    "recall",
    Hits,
    {
        "query": "String!",
        "userId": "String",
        "agentId": "String",
        "limit": "Int",
        "kinds": "[HitKind!]",
        "start": "DateTime",
        "end": "DateTime",
        **_TIMES,
        "evidence": "Int",
        "sessionId": "String",
        "filter": "RecallFilter",
        "where": "JSON",
    },
)
CONTEXT: Final = Operation[Context](
    "query",
    "context",
    Context,
    {
        "query": "String!",
        "userId": "String",
        "agentId": "String",
        "maxTokens": "Int",
        "sessionId": "String",
        **_TIMES,
        "tags": "[String!]",
        "where": "JSON",
    },
)
FACTS: Final = Operation[Connection[Fact]](
    "query",
    "facts",
    Connection[Fact],
    {
        "userId": "String!",
        "sessionId": "String",
        "agentId": "String",
        "tags": "[String!]",
        "category": "ProfileCategory",
        "text": "String",
        "where": "JSON",
        **_TIMES,
        "includeClosed": "Boolean",
        **_PAGE,
    },
)
FACT: Final = Operation[FactStatus]("query", "fact", FactStatus, {"id": "String!", **_TIMES})
HISTORY: Final = Operation[list[FactVersion]](
    "query", "factHistory", list[FactVersion], {"id": "String!", "asOf": "DateTime"}
)
UPDATE: Final = Operation[Correction](
    "mutation",
    "updateFact",
    Correction,
    {
        "id": "String!",
        "statement": "String",
        "object": "String",
        "predicate": "String",
        "relation": "String",
        "validAt": "DateTime",
        "invalidAt": "DateTime",
        "ifVersion": "Int",
    },
    repeatable=False,
)
SESSIONS: Final = Operation[Connection[Session]](
    "query", "sessions", Connection[Session], {"userId": "String!", **_PAGE}
)
PROFILE: Final = Operation[list[ProfilePart]](
    "query",
    "profile",
    list[ProfilePart],
    {"userId": "String", "agentId": "String", "category": "ProfileCategory", **_TIMES},
)
MESSAGES: Final = Operation[Connection[StoredMessage]](
    "query",
    "messages",
    Connection[StoredMessage],
    {
        "userId": "String",
        "sessionId": "String",
        "where": "JSON",
        "tags": "[String!]",
        "newestFirst": "Boolean",
        **_PAGE,
    },
)
MESSAGE: Final = Operation[StoredMessage | None](
    "query", "message", StoredMessage | None, {"userId": "String!", "sessionId": "String!", "id": "String!"}
)
SET_MESSAGE: Final = Operation[StoredMessage](
    "mutation",
    "setMessage",
    StoredMessage,
    {
        "userId": "String!",
        "sessionId": "String!",
        "id": "String!",
        "text": "String",
        "metadata": "JSON",
        "raw": "JSON",
        "tags": "[String!]",
        "expiresAt": "DateTime",
        "ttlS": "Float",
        "neverExpires": "Boolean",
        "ifVersion": "Int",
    },
)
IS_READ: Final = Operation[bool](
    "query", "isRead", bool, {"userId": "String!", "sessionId": "String", "waitS": "Float"}
)
USERS: Final = Operation[Connection[User]]("query", "users", Connection[User], {"prefix": "String", **_PAGE})
CHANGES: Final = Operation[Changes](
    "query",
    "changesSince",
    Changes,
    {"seq": "Float!", "userId": "String", "waitS": "Float", "first": "Int", "after": "String"},
)
FORGET_MESSAGE: Final = Operation[Forgotten]("mutation", "forgetMessage", Forgotten, {"id": "String!"}, False)
FORGET_FACT: Final = Operation[Forgotten]("mutation", "forgetFact", Forgotten, {"id": "String!"}, False)
FORGET_SESSION: Final = Operation[Forgotten](
    "mutation", "forgetSession", Forgotten, {"userId": "String!", "sessionId": "String!"}, False
)
FORGET: Final = Operation[Forgotten](
    "mutation",
    "forget",
    Forgotten,
    {
        "userId": "String!",
        "where": "JSON",
        "before": "DateTime",
        "sessionId": "String",
        "tags": "[String!]",
        "dryRun": "Boolean",
    },
)
FORGET_USER: Final = Operation[Forgotten]("mutation", "forgetUser", Forgotten, {"userId": "String!"}, False)


def listing(
    operation: Operation[Connection[M]], variables: Mapping[str, Any], limit: int | None = None, page_size: int = PAGE
) -> Listing[M]:
    """Return a list of the service, of at most `limit` elements; to be read once."""
    left = limit

    def page(cursor: str | None) -> Steps[Page[M]]:
        nonlocal left
        first = page_size if left is None else min(left, page_size)
        if first < 1:
            return Page([], None)
        found = yield from ask(operation, {**variables, "first": first, "after": cursor})
        left = None if left is None else left - len(found.nodes)
        return Page(found.nodes, found.page_info.end_cursor if found.page_info.has_next_page and left != 0 else None)

    return page


def gather(pages: Listing[T]) -> Steps[list[T]]:
    """Return the elements of all pages."""
    found: list[T] = []
    cursor: str | None = None
    while True:
        page = yield from pages(cursor)
        found.extend(page.nodes)
        cursor = page.next
        if cursor is None:
            return found


@dataclass(frozen=True)
class MemoryOperations:
    """Operations on the memory of one user, or of an agent if no user is given."""

    user_id: str | None
    agent_id: str | None = None

    def __post_init__(self) -> None:
        if not self.user_id and not self.agent_id:
            raise BadInput("name a user_id, or an agent_id alone for the agent's own memory")

    @property
    def owner(self) -> str:
        """Id of the owner where the service takes no agent."""
        return self.user_id or f"agent:{self.agent_id}"

    @property
    def _asker(self) -> dict[str, Any]:
        return {"userId": self.user_id} if self.user_id else {"agentId": self.agent_id}

    def remember(
        self,
        messages: Said | Sequence[Said],
        *,
        session_id: str = DEFAULT_SESSION,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        ttl: float | timedelta | None = None,
        expires_at: datetime | str | None = None,
        facts: Sequence[NewFact | Mapping[str, Any]] = (),
        extract: bool = True,
        user_name: str | None = None,
    ) -> Steps[Receipt]:
        """Store what was said. The messages are durable and searchable at once; facts follow in the background.

        Args:
            messages: a text of the user, or a list of `(role, text)`, `Message`s, or dicts with `role` and `content`.
            session_id: your id of the conversation.
            id: your id of a single message; with it the call may be repeated without effect.
            metadata: your properties of all messages, by which `where` filters.
            tags: labels of all messages.
            ttl: seconds after which the messages are forgotten, with everything that only they prove.
            expires_at: when they are; excludes `ttl`.
            facts: facts that you extracted yourself; these messages are then not read again.
            extract: False stores and finds the messages without ever reading facts from them.
            user_name: the user's name.

        Raises:
            BadInput: a message or fact is invalid; nothing was stored.

        Example:
            memory.remember("I moved to Lisbon in May.", tags=["home"], metadata={"project": "move"}).ids
            memory.remember([("user", "I love trams."), ("assistant", "Noted.")], session_id="monday")
            memory.remember("The door code is 4711 today.", ttl=86_400)
        """
        said = [_message(one) for one in _many(messages)]
        if id is not None:
            if len(said) != 1:
                raise BadInput("id names a single message; give each message of a list its own id")
            said[0] = said[0].model_copy(update={"id": id})
        call = {
            "sessionId": session_id,
            "userId": self.user_id,
            "agentId": self.agent_id,
            "userName": user_name,
            "facts": [_fact_input(fact) for fact in facts],
            "extract": extract,
        }
        shared = {
            "tags": list(tags),
            "metadata": dict(metadata or {}),
            "expiry": expiry_input(ttl, expires_at),
        }
        receipts = []
        for start in range(0, max(len(said), 1), len(said) if facts else MESSAGES_PER_CALL):
            part = [_message_input(one, shared) for one in said[start : start + MESSAGES_PER_CALL]]
            body = {**call, "messages": part, "requestId": uuid4().hex}
            receipt = yield from ask(
                REMEMBER, {"input": {name: value for name, value in body.items() if value not in (None, [])}}
            )
            receipts.append(receipt)
        return _joined(receipts)

    def wait(self, timeout: float = 60.0, *, session_id: str | None = None) -> Steps[bool]:
        """Wait until everything that was stored so far is read; return False if it took longer than `timeout` seconds.

        Example:
            memory.wait(30)
        """
        end_s = monotonic() + timeout
        while True:
            wait_s = min(max(end_s - monotonic(), 0.0), WAIT_PER_CALL_S)
            asked = {"userId": self.owner, "sessionId": session_id, "waitS": wait_s}
            if (yield from ask(IS_READ, asked, timeout_s=wait_s + ANSWER_MAX_S)):
                return True
            if monotonic() >= end_s:
                return False

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Sequence[HitKindName] | None = None,
        where: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        in_session: str | None = None,
        start: datetime | str | None = None,
        end: datetime | str | None = None,
        valid_at: datetime | str | None = None,
        as_of: datetime | str | None = None,
        min_score: float | None = None,
        evidence: int = 3,
        session_id: str | None = None,
    ) -> Steps[list[Hit]]:
        """Return what answers a question, best first.

        Args:
            limit: 1 to 100.
            kinds: only `message`, `scene` or `fact`.
            where: a filter on the messages' metadata, such as `{"project": "x", "n": {"gt": 5}}`; facts and scenes have
                that of their messages.
            tags: only what has one of these tags.
            in_session: only what was said in this session.
            start, end: only what was said from `start` and before `end`.
            valid_at: what was true then.
            as_of: what the memory knew then.
            evidence: number of messages that come with each hit as its evidence, 0 to 20.
            session_id: the current session, in which pronouns of the question are resolved.

        Example:
            for hit in memory.recall("Where does she live?", limit=3, kinds=["fact", "message"]):
                print(round(hit.score, 2), hit.kind, hit.text, [message.text for message in hit.evidence])
        """
        wanted = {"inSession": in_session, "tags": list(tags) or None, "minScore": min_score}
        found = yield from ask(
            RECALL,
            {
                **self._asker,
                "query": query,
                "limit": limit,
                "kinds": None if kinds is None else [kind.upper() for kind in kinds],
                "start": start,
                "end": end,
                "validAt": valid_at,
                "asOf": as_of,
                "evidence": evidence,
                "where": where,
                "sessionId": session_id,
                "filter": {name: value for name, value in wanted.items() if value is not None} or None,
            },
        )
        return found.hits

    def context(
        self,
        query: str = "",
        *,
        max_tokens: int = 1_000,
        session_id: str | None = None,
        valid_at: datetime | str | None = None,
        as_of: datetime | str | None = None,
        tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
    ) -> Steps[Context]:
        """Return what an agent should know before it answers, as text for its prompt.

        Args:
            query: the user's message; without it, what is most important about the user.
            tags: only what has one of these tags, besides the profile.
            where: only what comes from messages with this metadata, besides the profile.

        Example:
            prompt = "You are a helpful assistant.\\n\\n" + memory.context("Where shall we meet?", max_tokens=300).text
        """
        return ask(
            CONTEXT,
            {
                **self._asker,
                "query": query,
                "maxTokens": max_tokens,
                "sessionId": session_id,
                "validAt": valid_at,
                "asOf": as_of,
                "tags": list(tags) or None,
                "where": where,
            },
        )

    def facts(
        self,
        *,
        tag: str | Sequence[str] | None = None,
        category: CategoryName | None = None,
        text: str | None = None,
        where: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
        valid_at: datetime | str | None = None,
        as_of: datetime | str | None = None,
        include_closed: bool = False,
        limit: int | None = None,
    ) -> Steps[list[Fact]]:
        """Return facts, latest `valid_at` first.

        Args:
            tag: only facts whose messages have this tag, or one of these.
            text: only facts that contain this text, ignoring case.
            where: a filter on the metadata of the messages that are evidence.
            session_id, agent_id: only facts with evidence in this session, or with this agent.
            include_closed: also facts that are no longer valid.
            limit: at most so many; all by default.

        Example:
            [fact.statement for fact in memory.facts(category="preferences", limit=20)]
        """
        variables = {
            "userId": self.owner,
            "sessionId": session_id,
            "agentId": agent_id,
            "tags": [tag] if isinstance(tag, str) else tag and list(tag),
            "category": category and category.upper(),
            "text": text,
            "where": where,
            "validAt": valid_at,
            "asOf": as_of,
            "includeClosed": include_closed,
        }
        return gather(listing(FACTS, variables, limit))

    def fact(
        self, id: str, *, valid_at: datetime | str | None = None, as_of: datetime | str | None = None
    ) -> Steps[FactStatus]:
        """Return whether a fact is valid and, if not, what closed it.

        Raises:
            NotFound: there is no such fact.

        Example:
            memory.fact(memory.facts()[0].id).holds
        """
        return ask(FACT, {"id": id, "validAt": valid_at, "asOf": as_of})

    def history(self, id: str, *, as_of: datetime | str | None = None) -> Steps[list[FactVersion]]:
        """Return a fact with its predecessors and successors, oldest first.

        Example:
            [(version.statement, version.invalid_at) for version in memory.history(memory.facts()[0].id)]
        """
        return ask(HISTORY, {"id": id, "asOf": as_of})

    def update(
        self,
        id: str,
        statement: str | None = None,
        *,
        object: str | None = None,
        predicate: str | None = None,
        relation: str | None = None,
        valid_at: datetime | str | None = None,
        invalid_at: datetime | str | None = None,
        if_version: int | None = None,
    ) -> Steps[Correction]:
        """Correct a fact; what it said before is kept in its history.

        Args:
            statement: the new sentence; required if the meaning changes.
            if_version: correct only this version.

        Raises:
            Conflict: another version is stored.

        Example:
            fact = memory.facts()[0]
            memory.update(fact.id, "Ana lives in Porto.", object="Porto").fact_id
        """
        return ask(
            UPDATE,
            {
                "id": id,
                "statement": statement,
                "object": object,
                "predicate": predicate,
                "relation": relation,
                "validAt": valid_at,
                "invalidAt": invalid_at,
                "ifVersion": if_version,
            },
        )

    def profile(
        self,
        category: CategoryName | None = None,
        *,
        valid_at: datetime | str | None = None,
        as_of: datetime | str | None = None,
    ) -> Steps[list[ProfilePart]]:
        """Return the most important facts by category.

        Example:
            {part.category: [item.statement for item in part.items] for part in memory.profile()}
        """
        named = category.upper() if category else None
        return ask(PROFILE, {**self._asker, "category": named, "validAt": valid_at, "asOf": as_of})

    def messages(
        self,
        session_id: str | None = None,
        *,
        where: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Listing[StoredMessage]:
        """Yield the messages of a session, or of all sessions, in the order they were said; reads pages as needed.

        Args:
            where: a filter on their metadata.
            tags: only messages with one of these tags.
            limit: at most so many; all by default.

        Example:
            for message in memory.messages("monday"):
                print(message.time, message.role, message.text)
        """
        variables = {
            "userId": self.owner,
            "sessionId": session_id,
            "where": where,
            "tags": list(tags) or None,
            "newestFirst": newest_first,
        }
        return listing(MESSAGES, variables, limit, MESSAGES_PAGE)

    def message(self, id: str, *, session_id: str = DEFAULT_SESSION) -> Steps[StoredMessage]:
        """Return a message by your id, or by the id or URI that `remember` returned.

        Raises:
            NotFound: there is no such message in the session.

        Example:
            memory.remember("I love trams.", id="m-1")
            memory.message("m-1").text
        """
        found = yield from ask(MESSAGE, {"userId": self.owner, "sessionId": session_id, "id": id})
        if found is None:
            raise NotFound(f"there is no message {id!r} in the session {session_id!r}")
        return found

    def set_message(
        self,
        id: str,
        text: str | None = None,
        *,
        session_id: str = DEFAULT_SESSION,
        metadata: Mapping[str, Any] | None = None,
        raw: Any = None,
        tags: Sequence[str] | None = None,
        ttl: float | timedelta | None = None,
        expires_at: datetime | str | None = None,
        never_expires: bool = False,
        if_version: int | None = None,
    ) -> Steps[StoredMessage]:
        """Replace parts of a message; what was learned from its old text goes, and the new text is read.

        Args:
            metadata: all properties; those stored before are not kept.
            ttl: seconds from now after which it is forgotten; `expires_at`: when it is; `never_expires` removes that.
                Without all three, as before.
            if_version: replace only this version.

        Raises:
            Conflict: another version is stored.

        Example:
            memory.remember("I live in Porto.", id="m-2")
            memory.set_message("m-2", "I live in Lisbon.").version
        """
        return ask(
            SET_MESSAGE,
            {
                "userId": self.owner,
                "sessionId": session_id,
                "id": id,
                "text": text,
                "metadata": metadata,
                "raw": raw,
                "tags": None if tags is None else list(tags),
                **expiry_input(ttl, expires_at),
                "neverExpires": never_expires,
                "ifVersion": if_version,
            },
        )

    def users(self, *, prefix: str = "", limit: int | None = None) -> Steps[list[User]]:
        """Return the users of the tenant.

        Example:
            [user.user_id for user in memory.users(prefix="a")]
        """
        return gather(listing(USERS, {"prefix": prefix}, limit))

    def sessions(self, *, limit: int | None = None) -> Steps[list[Session]]:
        """Return the sessions, latest first.

        Example:
            [(session.session_id, session.messages) for session in memory.sessions(limit=10)]
        """
        return gather(listing(SESSIONS, {"userId": self.owner}, limit))

    def forget(
        self,
        *,
        message: str | None = None,
        fact: str | None = None,
        session: str | None = None,
        user: str | None = None,
        where: Mapping[str, Any] | None = None,
        before: datetime | str | None = None,
        tags: Sequence[str] = (),
        confirm: str | None = None,
        dry_run: bool = False,
    ) -> Steps[Forgotten]:
        """Delete one message, fact, session, all messages that match a filter, or the whole user, with what follows.

        Args:
            message: id or URI that `remember` returned; or your own id, with its `session`.
            where, before, tags: delete the messages with this metadata, said before this time, with one of these tags;
                of one `session`, if it is given.
            user, confirm: the id of this memory's user, twice, because it cannot be undone.
            dry_run: count what a filter or session would delete, and delete nothing.

        Raises:
            BadInput: not exactly one thing is named, or a user is not confirmed.
            NotFound: it does not exist.

        Example:
            memory.forget(message=memory.remember("My PIN is 1234.").ids[0]).messages
            memory.forget(where={"project": "none"}, dry_run=True).messages
        """
        filters = {"where": where, "before": before, "tags": list(tags) or None}
        is_filter = dry_run or any(value is not None for value in filters.values())
        named = [value is not None for value in (message, fact, user)].count(True)
        if named + (is_filter or (session is not None and message is None)) != 1:
            raise BadInput("name exactly one of message, fact, session, user, and a filter (where, before, tags)")
        if message is not None and session is not None:
            message = (yield from self.message(message, session_id=session)).uri
        if message is not None:
            return (yield from ask(FORGET_MESSAGE, {"id": message}))
        if fact is not None:
            return (yield from ask(FORGET_FACT, {"id": fact}))
        if is_filter:
            asked = {"userId": self.owner, "sessionId": session, "dryRun": dry_run, **filters}
            return (yield from ask(FORGET, asked))
        if session is not None:
            return (yield from ask(FORGET_SESSION, {"userId": self.owner, "sessionId": session}))
        if user != self.owner or confirm != user:
            raise BadInput(f"to delete everything of this user, pass user={self.owner!r} and the same as confirm")
        return (yield from ask(FORGET_USER, {"userId": user}))

    def changes(self, *, timeout: float | None = None, since: float | None = None) -> Listing[Change]:
        """Yield changes of this memory as they are stored.

        If changes were missed, one with `op="reset"` says that what you hold must be read again.

        Args:
            timeout: seconds after which it ends; never by default.
            since: `seq` of the last change that you know; from the first iteration on by default.

        Example:
            for change in memory.changes(timeout=0.5):
                print(change.op, change.reason)
        """
        end_s = monotonic() + (inf if timeout is None else timeout)

        def page(position: str | None) -> Steps[Page[Change]]:
            if position is None:
                start = yield from ask(CHANGES, {"seq": 0, "first": 1})
                epoch, seq, after = start.epoch, start.head if since is None else since, None
            else:
                epoch, seq, after = json.loads(position)
            left_s = max(end_s - monotonic(), 0.0)
            wait_s = min(left_s, WAIT_PER_CALL_S)
            pauses_s = PAUSES_S if position is None or left_s < len(RESTART_PAUSES_S) else RESTART_PAUSES_S
            asked = {"seq": seq, "userId": self.owner, "waitS": wait_s, "first": PAGE, "after": after}
            found = yield from ask(CHANGES, asked, timeout_s=wait_s + ANSWER_MAX_S, pauses_s=pauses_s)
            epoch = epoch or found.epoch  # Before the first change of a tenant there is none.
            if found.epoch != epoch or not found.complete:
                missed = Change(
                    seq=found.head, at=datetime.now().astimezone(), user_id=self.owner, op="reset", element_id="",
                    reason="changes were missed", body=None,
                )  # fmt: skip
                return Page([missed], json.dumps([found.epoch, found.head, None]))
            is_over = not found.nodes and not found.page_info.has_next_page and monotonic() >= end_s
            return Page(found.nodes, None if is_over else json.dumps([epoch, seq, found.page_info.end_cursor]))

        return page


def _many(said: Said | Sequence[Said]) -> Sequence[Said]:
    """Return a list of messages; a pair of texts is one message."""
    is_pair = isinstance(said, tuple) and len(said) == 2 and all(isinstance(part, str) for part in said)
    if is_pair or isinstance(said, str | Message | Mapping) or not isinstance(said, Sequence):
        return [cast("Said", said)]
    return said


def _message(said: Said) -> Message:
    """Return one message.

    Raises:
        BadInput: it has another form.
    """
    if isinstance(said, Message):
        return said
    if isinstance(said, str):
        return Message(text=said)
    try:
        if isinstance(said, Mapping):
            fields = dict(said)
            if "content" in fields:
                fields["text"] = fields.pop("content")
            return Message.model_validate(fields)
        role, text = said
        return Message(role=role, text=text)
    except (ValidationError, ValueError, TypeError) as error:
        raise BadInput(f"{said!r:.200} is no message: use a text, (role, text), a Message, or a dict") from error


def _fact_input(fact: NewFact | Mapping[str, Any]) -> dict[str, Any]:
    """Return a fact of the caller by the names of the schema.

    Raises:
        BadInput: it has another form.
    """
    try:
        given = _input(fact if isinstance(fact, NewFact) else NewFact.model_validate(dict(fact)))
        return given | ({"kind": given["kind"].upper()} if "kind" in given else {})
    except (ValidationError, ValueError, TypeError) as error:
        raise BadInput(f"{fact!r:.200} is no fact: {error}") from error


def _message_input(message: Message, shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message by the names of the schema, with what all messages of the call share."""
    told: dict[str, Any] = {"role": message.role.upper(), "tags": [*shared["tags"], *message.tags]}
    if shared["metadata"] or message.metadata:
        told["metadata"] = {**shared["metadata"], **(message.metadata or {})}
    given = _input(message)
    return ({} if given.keys() & {"ttlS", "expiresAt"} else shared["expiry"]) | given | told


def _input(model: Model) -> dict[str, Any]:
    """Return the fields that are set, by their names in the schema."""
    return {name: value for name, value in model.model_dump(by_alias=True).items() if value is not None}


def _joined(receipts: Sequence[Receipt]) -> Receipt:
    first = receipts[0]
    if len(receipts) == 1:
        return first
    return Receipt(
        stored=sum(one.stored for one in receipts),
        repeated=sum(one.repeated for one in receipts),
        ids=[id_ for one in receipts for id_ in one.ids],
        uris=[uri for one in receipts for uri in one.uris],
        spooled=any(one.spooled for one in receipts),
        closes=first.closes,
        conflicts=first.conflicts,
        dropped=first.dropped,
        notes=[note for one in receipts for note in one.notes],
    )
