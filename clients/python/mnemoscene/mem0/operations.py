"""The methods of `mem0.Memory` as steps; the docstrings here are those of `Memory` and `AsyncMemory`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from mnemoscene.errors import BadInput, Conflict, NotFound
from mnemoscene.mem0.conversions import (
    CREATED,
    KIND,
    READ,
    UPDATED,
    VERBATIM,
    ValidationError,
    history_of,
    history_row,
    memories_of,
    memory_id_of,
    message_metadata,
    parsed_memory_id,
    parsed_time,
    payload_of,
    role_of,
    said_messages,
    valid_facts,
    verbatim_message,
    without_ids,
)
from mnemoscene.mem0.filters import (
    check_arguments,
    checked_count,
    checked_ids,
    expiration_day,
    logger,
    selection,
)
from mnemoscene.mem0.service import (
    HITS_MAX,
    MESSAGE,
    find_owners,
    forget_memories,
    keep_deleted_history,
    newest_memories,
    ranked_memories,
    read_deleted_history,
    read_fact_history,
    read_fact_memory,
    read_verbatim,
    replace_fact,
    target_of,
)
from mnemoscene.models import Message
from mnemoscene.operations import FORGET_FACT, FORGET_MESSAGE, SET_MESSAGE
from mnemoscene.transport import Steps, ask, ask_each

HISTORY_ROWS: Final = 100
TRIES: Final = 5
WAIT_S: Final = 60.0
# Users whose memories one call of `search` ranks.
OWNERS_MAX: Final = 100
NEVER: Final = datetime.min.replace(tzinfo=UTC)
UNSET: Final[Any] = object()


@dataclass(frozen=True)
class Mem0Operations:
    """The methods of `Memory` and `AsyncMemory`.

    Attributes:
        wait_s: how long `add` waits until the service has read the messages.
    """

    wait_s: float = WAIT_S

    def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> Steps[dict[str, Any]]:
        """Store messages and return the memories that they make, as `{"results": [{"id", "memory", "event"}]}`.

        Args:
            messages: a text, a message, or a list of messages as dicts with `role` and `content`.
            user_id, agent_id, run_id: whose memory it is; at least one of them.
            metadata: your properties, by which `search` and `get_all` filter.
            expiration_date: last day, as YYYY-MM-DD, on which it is returned.
            infer: False keeps the messages verbatim; True reads facts from them.
            timestamp, memory_type, prompt: not supported.

        Raises:
            ValidationError: no id, or the messages have another form.

        Example:
            memory.add("I love hiking in the Alps.", user_id="ana", metadata={"topic": "sport"})
        """
        if timestamp is not None:
            raise ValueError("timestamp is not supported; a metadata field created_at sets when it was said")
        expires = expiration_day(expiration_date)
        scope = checked_ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not scope:
            raise ValidationError(
                "At least one of 'user_id', 'agent_id', or 'run_id' must be provided.",
                "VALIDATION_001",
                {"provided_ids": {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}},
                "Please provide at least one identifier to scope the memory operation.",
            )
        if memory_type is not None:
            raise ValidationError(
                "Invalid 'memory_type': procedural memories are not supported.",
                "VALIDATION_002",
                {"provided_type": memory_type},
                "Leave memory_type out; procedures that a user tells are read as facts.",
            )
        if prompt is not None:
            logger.warning("add(): prompt is ignored; the service reads facts with its own instructions")
        payload = {**without_ids(metadata or {}), **scope} | ({} if expires is None else {"expiration_date": expires})
        said = said_messages(messages, is_read=infer)
        if not said:
            return {"results": []}
        return {"results": (yield from self._read(said, payload) if infer else self._keep(said, payload))}

    def get(self, memory_id: str) -> Steps[dict[str, Any] | None]:
        """Return a memory; None if there is none.

        Example:
            memory.get(memory.get_all(filters={"user_id": "ana"})["results"][0]["id"])
        """
        kept = yield from read_verbatim(memory_id)
        if kept is not None:
            return memories_of(kept)[0]
        return (yield from read_fact_memory(memory_id))

    def get_all(
        self, /, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, show_expired: bool = False, **kwargs: Any
    ) -> Steps[dict[str, Any]]:
        """Return memories, the latest first, as `{"results": [...]}`.

        Args:
            filters: at least one of `user_id`, `agent_id` and `run_id`, and conditions on the metadata, as of `search`.
            top_k: at most so many.
            show_expired: also those after their expiration date.

        Example:
            memory.get_all(filters={"user_id": "ana", "topic": {"in": ["sport", "food"]}}, top_k=100)
        """
        check_arguments(kwargs, "get_all")
        limit = checked_count(kwargs.get("limit", top_k))
        user_id, where = selection(filters, show_expired=show_expired)
        memories: dict[str, dict[str, Any]] = {}
        owners = yield from find_owners(user_id, where)
        for owner in owners:
            for memory in (yield from newest_memories(owner, where, limit)):
                memories.setdefault(memory["id"], memory)
        results = list(memories.values())
        if len(owners) > 1:
            results.sort(key=lambda memory: parsed_time(memory[CREATED]) or NEVER, reverse=True)
        return {"results": results[:limit]}

    def search(
        self,
        /,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> Steps[dict[str, Any]]:
        """Return the memories that answer a question, best first, as `{"results": [...]}`; each has a `score`.

        Args:
            top_k: at most so many, up to 100.
            filters: at least one of `user_id`, `agent_id` and `run_id`, and conditions on the metadata: values,
                operators (eq, ne, gt, gte, lt, lte, in, nin, contains, icontains), `"*"` for any value, and AND, OR
                and NOT with lists of filters. They apply before `top_k`.
            threshold: the lowest score.
            show_expired: also those after their expiration date.
            rerank, explain: without effect; the service always ranks by meaning and words.
            reference_date: not supported.

        Example:
            memory.search("What does she do outdoors?", filters={"user_id": "ana"}, top_k=3)["results"]
        """
        if reference_date is not None:
            raise ValueError("reference_date is not supported")
        check_arguments(kwargs, "search")
        if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
            raise ValueError(f"Invalid threshold: {threshold}. Must be between 0 and 1 (inclusive).")
        limit = min(checked_count(kwargs.get("limit", top_k)), HITS_MAX)
        if not isinstance(query, str) or not query.strip():
            raise ValueError("Invalid query: cannot be empty or whitespace-only.")
        user_id, where = selection(filters, show_expired=show_expired)
        owners = yield from find_owners(user_id, where)
        if len(owners) > OWNERS_MAX:
            raise ValueError(
                f"filters match memories of {len(owners)} users, search() ranks those of {OWNERS_MAX}: name a user_id"
            )
        found: dict[str, dict[str, Any]] = {}
        for owner in owners if limit else ():
            for memory in (yield from ranked_memories(owner, query.strip(), where, limit)):
                found.setdefault(memory["id"], memory)
        least = 0.1 if threshold is None else threshold
        ranked = sorted(found.values(), key=lambda memory: -memory["score"])
        return {"results": [memory for memory in ranked if memory["score"] >= least][:limit]}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = UNSET,
        data: str | None = None,
    ) -> Steps[dict[str, str]]:
        """Replace a memory's text, and fields of its metadata; the old text stays in its history only.

        Args:
            expiration_date: as of `add`; None removes it.
            data: as `text`.

        Raises:
            ValueError: there is no such memory, or nothing to change.

        Example:
            found = memory.get_all(filters={"user_id": "ana"})["results"][0]
            memory.update(found["id"], "Ana loves hiking in the Dolomites.")
        """
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is UNSET:
            raise ValueError("At least one of text, metadata, or expiration_date must be provided.")
        changes = without_ids(metadata or {})
        if expiration_date is not UNSET:
            changes["expiration_date"] = expiration_day(expiration_date)
        for tries_left in reversed(range(TRIES)):
            kept = yield from read_verbatim(memory_id)
            if kept is None:
                yield from replace_fact(memory_id, text, changes)
                break
            payload = payload_of(kept.metadata) | changes
            row = history_row(memory_id, kept.text, text if text is not None else kept.text, "UPDATE", payload)
            try:
                yield from ask(
                    SET_MESSAGE,
                    {
                        "userId": kept.user_id,
                        "sessionId": kept.session_id,
                        "id": kept.uri,
                        "text": text,
                        "metadata": message_metadata(payload, VERBATIM, memory_id, updated_at=row[UPDATED]),
                        "raw": {"history": [*history_of(kept), row][-HISTORY_ROWS:]},
                        "ifVersion": kept.version,
                    },
                )
                break
            except Conflict:
                if not tries_left:
                    raise
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Steps[dict[str, str]]:
        """Delete a memory for good. Its history keeps when it changed, but no text.

        Raises:
            ValueError: there is no such memory.

        Example:
            memory.delete(memory.get_all(filters={"user_id": "ana"})["results"][0]["id"])
        """
        rows = yield from self.history(memory_id)
        kept = yield from read_verbatim(memory_id)
        try:
            if kept is not None:
                yield from ask(FORGET_MESSAGE, {"id": kept.uri})
            else:
                yield from ask(FORGET_FACT, {"id": (parsed_memory_id(memory_id) or [memory_id])[0]})
        except (NotFound, BadInput) as error:
            raise ValueError(f"Memory with id {memory_id} not found") from error
        last = history_row(memory_id, None, None, "DELETE", {CREATED: rows[0][CREATED] if rows else None})
        yield from keep_deleted_history(memory_id, [*rows, last])
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Steps[dict[str, str]]:
        """Delete all memories of a user, agent or run, with the messages from which they were read.

        With `user_id` alone also what came in by other ways than mem0's.

        Example:
            memory.delete_all(user_id="ana", run_id="trial")
        """
        scope = checked_ids({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not scope:
            raise ValueError(
                "At least one filter is required to delete all memories. If you want to delete all memories, use the"
                " `reset()` method."
            )
        owner = scope.pop("user_id", None)
        everything = {"before": datetime.now(UTC) + timedelta(days=1)}
        yield from forget_memories(owner, scope, everything if not scope else {"where": scope})
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> Steps[list[dict[str, Any]]]:
        """Return the changes of a memory, oldest first; of a deleted memory only when they happened.

        Example:
            found = memory.get_all(filters={"user_id": "ana"})["results"][0]
            [(change["event"], change["new_memory"]) for change in memory.history(found["id"])]
        """
        kept = yield from read_verbatim(memory_id)
        if kept is not None:
            return history_of(kept)
        rows = yield from read_fact_history(memory_id)
        return rows or (yield from read_deleted_history(memory_id))

    def reset(self) -> Steps[None]:
        """Delete everything that was added by mem0's interface, of all users of the tenant.

        Example:
            memory.reset()
        """
        where = {KIND: {"in": [VERBATIM, READ]}}
        yield from forget_memories(None, where, {"where": where})

    def _keep(self, said: Sequence[dict[str, Any]], payload: Mapping[str, Any]) -> Steps[list[dict[str, Any]]]:
        """Store messages verbatim and unread."""
        now = datetime.now(UTC)
        operations, session_id = target_of(payload)
        results, messages = [], []
        for number, one in enumerate(said):
            memory_id = memory_id_of(str(uuid4()), operations.owner, session_id)
            told = {**payload, "role": one["role"]}
            if one.get("name"):
                told["actor_id"] = str(one["name"])
            at = parsed_time(payload.get(CREATED)) or now + timedelta(microseconds=number)
            told.setdefault(CREATED, at.isoformat())
            messages.append(verbatim_message(memory_id, one["content"], told, at))
            event = {"id": memory_id, "memory": one["content"], "event": "ADD"}
            results.append(event | {"actor_id": told.get("actor_id"), "role": one["role"]})
        yield from operations.remember(messages, session_id=session_id, extract=False)
        return results

    def _read(self, said: Sequence[dict[str, Any]], payload: Mapping[str, Any]) -> Steps[list[dict[str, Any]]]:
        """Store messages, wait until they are read, and keep verbatim what a user said if nothing was read from it."""
        at = parsed_time(payload.get(CREATED)) or datetime.now(UTC)
        shared = {CREATED: at.isoformat(), **payload}
        messages = [
            Message(
                role=role_of(one["role"]),
                text=one["content"],
                speaker=one.get("name"),
                time=at + timedelta(microseconds=number),
                metadata=message_metadata(shared, READ),
            )
            for number, one in enumerate(said)
        ]
        operations, session_id = target_of(payload)
        receipt = yield from operations.remember(messages, session_id=session_id)
        if not (yield from operations.wait(self.wait_s, session_id=session_id)):
            logger.warning("add(): the messages are stored, but were not read within %s s", self.wait_s)
            return []
        results: dict[str, dict[str, Any]] = {}
        addresses = [{"userId": operations.owner, "sessionId": session_id, "id": id_} for id_ in receipt.ids]
        for address, message in zip(addresses, (yield from ask_each(MESSAGE, addresses)), strict=True):
            if message is None:
                continue
            for fact in valid_facts(message):
                fact_id = memory_id_of(fact.id, operations.owner)
                results[fact_id] = {"id": fact_id, "memory": fact.statement, "event": "ADD"}
            if message.facts or message.role != "user" or message.text.rstrip().endswith(("?", "？")):
                continue
            memory_id = memory_id_of(message.id, operations.owner, session_id)
            told = {**payload_of(message.metadata), "role": "user"}
            kept = verbatim_message(memory_id, message.text, told, message.time)
            yield from ask(SET_MESSAGE, {**address, "metadata": kept.metadata, "raw": kept.raw})
            results[memory_id] = {"id": memory_id, "memory": message.text, "event": "ADD"}
        return list(results.values())
