"""Convert another program's data to calls of `remember`, and count what was kept and dropped."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from pydantic import ValidationError

from graph_service.importers.file_checks import problems_of
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from schema.limits import LIMITS
from schema.message import ProvidedFact

# Below the limits of one `remember` call; longer sessions are split.
MESSAGES_A_CALL: Final = 200
CHARS_A_CALL: Final = 400_000


@dataclass(slots=True, kw_only=True)
class ImportBatch:
    """Calls of `remember`, and counts of everything in the source.

    Attributes:
        kept, dropped: numbers by kind of element; kinds are texts for people, those of `dropped` with the reason.
        problems: what is invalid in the source, with its place; those parts are not in `calls`.
    """

    calls: list[RememberRequest] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add_conversation(self, conversation: "Conversation") -> None:
        """Append a conversation; one without messages is counted as dropped."""
        if conversation.messages:
            self.calls += conversation.calls()
            self.kept["conversations"] += 1
        else:
            self.dropped["conversations without a message that is kept"] += 1

    @contextmanager
    def part(self, place: str) -> Iterator[None]:
        """Add a problem if a part of the source is invalid, which is the block's only reason for a ValueError."""
        try:
            yield
        except ValidationError as error:
            self.problems += problems_of(error, place)
        except ValueError as error:
            self.problems.append(f"{place}: {error}")

    def drop(self, what: str, number: int = 1) -> None:
        """Count elements that are not imported."""
        if number:
            self.dropped[what] += number

    def add(self, other: "ImportBatch") -> None:
        self.calls += other.calls
        self.kept += other.kept
        self.dropped += other.dropped
        self.problems += other.problems


@dataclass(slots=True, kw_only=True)
class Conversation:
    """Messages of one session, and facts whose `message_indexes` refer to them; a fact without any is of all."""

    user_id: str
    session_id: str
    user_name: str | None = None
    agent_id: str | None = None
    summary: str | None = None
    messages: list[IncomingMessage] = field(default_factory=list)
    facts: list[ProvidedFact] = field(default_factory=list)

    def add_message(
        self,
        batch: ImportBatch,
        text: str,
        *,
        message_id: str,
        role: str = "user",
        time: datetime | None = None,
        speaker: str | None = None,
    ) -> int | None:
        """Add a message; return its index, or None if it is empty."""
        clean = clean_text(text)
        if clean != text:
            batch.dropped["characters that cannot be stored"] += len(text) - len(clean)
        if not clean.strip():
            batch.dropped["messages without text"] += 1
            return None
        if len(clean) > LIMITS.message_chars:
            batch.dropped["characters beyond the largest message"] += len(clean) - LIMITS.message_chars
            clean = clean[: LIMITS.message_chars]
        self.messages.append(
            IncomingMessage(role=role, text=clean, time=time, speaker=speaker or None, id=message_id[: LIMITS.id_chars])
        )
        batch.kept["messages"] += 1
        return len(self.messages) - 1

    def calls(self) -> Iterator[RememberRequest]:
        """Yield the session as calls of `remember`; a fact is sent with its first message."""
        start, chars = 0, 0
        for place, message in enumerate(self.messages):
            if place > start and (place - start >= MESSAGES_A_CALL or chars + len(message.text) > CHARS_A_CALL):
                yield self._call(start, place)
                start, chars = place, 0
            chars += len(message.text)
        if self.messages:
            yield self._call(start, len(self.messages))

    def _call(self, start: int, end: int) -> RememberRequest:
        facts = [
            replace(
                fact, message_indexes=tuple(place - start for place in fact.message_indexes if start <= place < end)
            )
            for fact in self.facts
            if start <= min(fact.message_indexes, default=0) < end
        ]
        messages = tuple(self.messages[start:end])
        return RememberRequest(
            user_id=self.user_id,
            session_id=self.session_id,
            user_name=self.user_name,
            agent_id=self.agent_id,
            messages=messages,
            facts=tuple(facts),
            summary=None if start else self.summary,
        )


def moment(written: str | float | None, name: str = "time") -> datetime | None:
    """Return a time given as ISO 8601 or in seconds since 1970; None if empty.

    Args:
        name: name of the field, for the error.

    Raises:
        ValueError: it is neither.
    """
    if written is None or written == "":
        return None
    try:
        if isinstance(written, str):
            read = datetime.fromisoformat(written)
            return read if read.tzinfo else read.replace(tzinfo=UTC)
        return datetime.fromtimestamp(written, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"{name}: {written!r:.60} is not a time") from error


def clean_text(text: str) -> str:
    """Return the text without NUL and unpaired surrogates, which Neo4j cannot store."""
    return "".join(char for char in text if char != "\x00" and not "\ud800" <= char <= "\udfff")
