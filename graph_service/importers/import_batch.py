"""What a file or database of another program holds, on its way to `remember`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from graph_service.importers.conversation_files import CHARS_A_CALL, MESSAGES_A_CALL, PROBLEMS_SHOWN
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from schema.errors import InputError
from schema.limits import LIMITS
from schema.message import ProvidedFact

M = TypeVar("M", bound=BaseModel)


@dataclass(slots=True, kw_only=True)
class ImportBatch:
    """Calls of `remember`, and what became of everything there was.

    Attributes:
        kept, dropped: how many things of each kind, in words for people; what was dropped says why.
    """

    calls: list[RememberRequest] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, other: "ImportBatch") -> None:
        """Take in what another file holds."""
        self.calls += other.calls
        self.kept += other.kept
        self.dropped += other.dropped


@dataclass(slots=True, kw_only=True)
class Conversation:
    """Messages of one session, and facts whose `message_indexes` are places among them."""

    user_id: str
    session_id: str
    messages: list[IncomingMessage] = field(default_factory=list)
    facts: list[ProvidedFact] = field(default_factory=list)

    def say(
        self,
        found: ImportBatch,
        text: str,
        *,
        message_id: str,
        role: str = "user",
        time: datetime | None = None,
        speaker: str | None = None,
    ) -> int | None:
        """Add a message, in pieces if it is too long for one; the place of the first, None if nothing is in it."""
        clean = clean_text(text)
        if clean != text:
            found.dropped["characters that cannot be stored"] += len(text) - len(clean)
        if not clean.strip():
            found.dropped["messages without text"] += 1
            return None
        place = len(self.messages)
        for number, start in enumerate(range(0, len(clean), LIMITS.text_chars)):
            piece = clean[start : start + LIMITS.text_chars]
            if piece.strip():
                name = message_id if number == 0 else f"{message_id}+{number}"
                self.messages.append(
                    IncomingMessage(
                        role=role, text=piece, time=time, speaker=speaker or None, id=name[: LIMITS.id_chars]
                    )
                )
        found.kept["messages"] += 1
        return place

    def calls(self) -> Iterator[RememberRequest]:
        """Yield the session as calls of `remember`; a fact goes with the first message that proves it."""
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
            if start <= min(fact.message_indexes) < end
        ]
        messages = tuple(self.messages[start:end])
        return RememberRequest(user_id=self.user_id, session_id=self.session_id, messages=messages, facts=tuple(facts))


def moment(written: str | float | None) -> datetime | None:
    """Return a moment as ISO 8601, or in seconds since 1970.

    Raises:
        ValueError: it is neither.
    """
    if written is None or written == "":
        return None
    if isinstance(written, str):
        read = datetime.fromisoformat(written)
        return read if read.tzinfo else read.replace(tzinfo=UTC)
    try:
        return datetime.fromtimestamp(written, UTC)
    except (OverflowError, OSError) as error:
        raise ValueError(f"{written} is no time") from error


def shaped(shape: type[M], tree: object, name: str, problems: list[str]) -> M | None:
    """Return the tree as a shape; None, and what is wrong in `problems`, when it has another."""
    try:
        return shape.model_validate(tree)
    except ValidationError as error:
        problems += [
            f"{name}: {'.'.join(map(str, one['loc']))}: {one['msg']}" if one["loc"] else f"{name}: {one['msg']}"
            for one in error.errors()
        ]
        return None


def refuse(problems: Sequence[str]) -> None:
    """Refuse a file as a whole.

    Raises:
        InputError: there is a problem.
    """
    if problems:
        more = [f"and {len(problems) - PROBLEMS_SHOWN} more"] if len(problems) > PROBLEMS_SHOWN else []
        shown = [*problems[:PROBLEMS_SHOWN], *more]
        raise InputError("nothing was stored:\n" + "\n".join(f"  {one}" for one in shown), tuple(problems))


def clean_text(text: str) -> str:
    """Return the text without characters that no database takes: NUL and halves of surrogate pairs."""
    return "".join(char for char in text if char != "\x00" and not "\ud800" <= char <= "\udfff")
