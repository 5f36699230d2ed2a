"""A file to import: its format, its text, the JSON values in it, and whose memory it is."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

from schema.errors import InputError

_SPACE: Final = re.compile(r"[ \t\r\n]*")
# Every problem costs a search for its line.
PROBLEMS_MAX: Final = 1_000


class FileFormat(StrEnum):
    """The format of a file; `auto` detects it."""

    AUTO = "auto"
    MNEMOSCENE = "mnemoscene"  # {"conversations": [{user_id, session_id, messages: [{role, text, time}]}]}
    BENCHMARK = "benchmark"  # {"id", "speakers", "sessions": [{index, date, turns: [{id, speaker, text}]}]}
    EXPORT = "export"  # an export of `mnemoscene export`
    MEM0 = "mem0"  # result of `get_all`, or an export, of mem0
    MEMORY_SERVER = "memory-server"  # the file of the official MCP memory server
    CHATGPT = "chatgpt-export"  # conversations.json or conversations-000.json … of a ChatGPT export, or its ZIP file
    FLAT_CHAT = "claude-export"  # conversations.json of a Claude export, or its ZIP file
    MESSAGES = "messages"  # messages as OpenAI's API or LangChain has them, one conversation or many
    SLACK = "slack"  # a day of a channel of a Slack export, or its ZIP file
    TELEGRAM = "telegram"  # result.json of Telegram Desktop
    WHATSAPP = "whatsapp"  # the text of an exported WhatsApp chat, or its ZIP file
    JSONL = "jsonl"  # one message per line: {user_id, session_id, role, text, time}


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The user id and name that replace those in the file, and the name under which the user speaks in a chat."""

    user_id: str | None = None
    user_name: str | None = None
    speaker: str | None = None


@dataclass(kw_only=True)
class Source:
    """A file to import.

    Attributes:
        name: its path, for messages.
        people: names of people by the ids that the file uses for them.
    """

    name: str
    text: str
    owner: Owner
    people: Mapping[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The name of the file without folder and extension."""
        return PurePath(self.name).stem

    @property
    def user_id(self) -> str:
        """The user who owns the memory.

        Raises:
            InputError: none was given.
        """
        if self.owner.user_id is None:
            raise InputError(f"{self.name}: does not say whose memory it is; give --user")
        return self.owner.user_id

    @cached_property
    def parsed(self) -> tuple[list[tuple[str, Any]], list[str]]:
        """The JSON values in the text, each with its place, and the problems.

        A text may be one document, JSON lines, or several values on a line, as two processes that append to one file
        leave them. After an invalid value on a line reading continues in the next one.
        """
        values, problems = list[tuple[str, Any]](), list[str]()
        for line, value, problem in _json_values(self.text):
            place = f"{self.name} line {line}"
            if problem is None:
                values.append((place, value))
            else:
                problems.append(f"{place}: not JSON ({problem})")
            if len(problems) >= PROBLEMS_MAX:
                break
        return values, problems

    @cached_property
    def tree(self) -> Any:
        """The only JSON value of the text; a list of them if there are several, and None if there is none."""
        values = [value for _, value in self.parsed[0]]
        return values[0] if len(values) == 1 else values or None

    @property
    def head(self) -> Mapping[str, Any]:
        """The first JSON object, or the first in the first list."""
        head = self.tree[0] if isinstance(self.tree, list) and self.tree else self.tree
        head = head[0] if isinstance(head, list) and head else head
        return head if isinstance(head, Mapping) else {}

    def rows(self, what: str, tree: Any = None) -> Iterator[tuple[str, Any]]:
        """Yield the items of a list, or the only value, each with its place.

        Args:
            tree: a part of the file; all of it by default.
        """
        tree = self.tree if tree is None else tree
        rows: Sequence[Any] = tree if isinstance(tree, list) else [] if tree is None else [tree]
        for number, row in enumerate(rows, start=1):
            yield f"{self.name} {what} {number}", row


def _json_values(text: str) -> Iterator[tuple[int, Any, str | None]]:
    """Yield line, value and problem of each JSON value in a text."""
    decoder, at, line, counted = json.JSONDecoder(), 0, 1, 0
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if at >= len(text):
            return
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            yield error.lineno, None, error.msg
            if error.lineno > line:
                return  # a document over several lines, whose rest makes no sense
            problem_end = text.find("\n", at)
        except RecursionError:
            yield line, None, "nested too deeply"
            problem_end = text.find("\n", at)
        except ValueError:
            yield line, None, "a number with too many digits"
            problem_end = text.find("\n", at)
        else:
            yield line, value, None
            continue
        if problem_end < 0:
            return
        at = problem_end
