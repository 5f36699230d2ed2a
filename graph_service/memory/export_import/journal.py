"""Export a memory as a journal in Markdown, for people: day by day, what was said and what was learned from it.

Facts are read first, into a temporary file, because no index leads from a message to its facts; messages are then read
and written page by page, in the order in which they were said.
"""

import asyncio
import hashlib
import json
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, Final

from extraction.text.chinese import is_chinese
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.export_import.exporter import ExportResult, Progress, with_stable_tenant
from schema.errors import NotFoundError
from schema.ids import CORRECTION_SESSION, TenantId
from schema.labels import Role
from schema.zones import zone_named

_ROWS: Final = 500
_MESSAGES: Final = 200
# Facts in the opening section of each user.
_GLANCE_MAX: Final = 12
_QUOTE_CHARS: Final = 160
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


class Language(StrEnum):
    """Languages of a journal."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The fixed phrases of a journal in one language."""

    title: str
    glance: str
    learned: str
    by_hand: str
    continued: str
    session: str
    roles: Mapping[str, str]
    since: str
    until: str
    reason: str
    quote: str
    empty: str


PHRASES: Final = {
    Language.EN: Phrases(
        title="# Journal of {name}",
        glance="## At a glance",
        learned="Learned:",
        by_hand="Correction by hand",
        continued="{title} (continued)",
        session="conversation `{session}`",
        roles={Role.ASSISTANT: "Assistant", Role.SYSTEM: "System", Role.TOOL: "Tool"},
        since="{text} *(since {since})*",
        until="~~{text}~~ *({since} until {until})*",
        reason="{text} — because: {reason}",
        quote="{text} — “{quote}”",
        empty="*Nothing was said yet.*",
    ),
    Language.ZH: Phrases(
        title="# {name}的日记",
        glance="## 概览",
        learned="记住了：",
        by_hand="人工更正",
        continued="{title}（续）",
        session="会话 `{session}`",
        roles={Role.ASSISTANT: "助手", Role.SYSTEM: "系统", Role.TOOL: "工具"},
        since="{text} *（自{since}起）*",
        until="~~{text}~~ *（{since}至{until}）*",
        reason="{text}——原因：{reason}",
        quote="{text}——“{quote}”",
        empty="*还没有任何对话。*",
    ),
}


def day_heading(day: datetime, language: Language) -> str:
    """Return a day as the title of its section. Pure."""
    if language is Language.ZH:
        return f"## {_day(day, language)} 星期{'一二三四五六日'[day.weekday()]}"
    return f"## {_WEEKDAYS[day.weekday()]}, {_day(day, language)}"


def _day(day: datetime, language: Language) -> str:
    if language is Language.ZH:
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def plain(text: str) -> str:
    """Return a text on one line in which Markdown shows no image and no HTML: both could load something. Pure."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("![", "!\\[")


def _quoted(text: str) -> str:
    """Return the lines of a message as a block quote; its own Markdown stays readable."""
    safe = text.strip().replace("&", "&amp;").replace("<", "&lt;").replace("![", "!\\[")
    return "\n".join(f"> {line}".rstrip() for line in safe.splitlines())


async def export_journal(
    graph: Graph,
    tenant: TenantId,
    out: BinaryIO,
    *,
    user_id: str | None = None,
    language: Language | None = None,
    on_progress: Progress | None = None,
) -> ExportResult:
    """Write the journal of one user, or of all users of a tenant one after another.

    Args:
        out: seekable file, whose content is replaced.
        language: of headings and dates; that of the user's messages by default.

    Returns:
        The number of messages as `nodes`, and of facts as `edges`.

    Raises:
        NotFoundError: the tenant or the user does not exist.
        ConflictError: the tenant changed during every attempt.
        UnavailableError: Neo4j does not answer.
    """

    async def attempt(_state: Mapping[str, Any]) -> ExportResult:
        with tempfile.TemporaryDirectory(prefix="mnemograph-journal-") as folder:
            facts = _FactFile(Path(folder) / "facts.sqlite")
            try:
                await facts.fill(graph, tenant)
                out.seek(0)
                out.truncate()
                journal = _Journal(graph, tenant, facts, out, on_progress or (lambda _doing, _done, _total: None))
                users = [user async for user in _users(graph, tenant, user_id)]
                if user_id is not None and not users:
                    raise NotFoundError(f"there is no user {user_id!r} in this tenant")
                for user in users:
                    await journal.write_user(user["user_id"], user["name"], language)
                out.flush()
                digest = journal.digest.hexdigest()
                return ExportResult(nodes=journal.messages, edges=journal.facts, bytes=out.tell(), sha256=digest)
            finally:
                facts.close()

    return await with_stable_tenant(graph, tenant, attempt)


async def _users(graph: Graph, tenant: TenantId, user_id: str | None) -> AsyncIterator[Mapping[str, Any]]:
    after = ""
    while True:
        parameters = {"tenant": tenant, "user_id": user_id or "", "after": after, "rows": _ROWS}
        rows = await graph.read(statement("export_pages/journal_users"), parameters)
        for row in rows:
            yield row
        if len(rows) < _ROWS:
            return
        after = rows[-1]["user_id"]


class _FactFile:
    """The facts of a tenant in a temporary database, by user and first evidence message."""

    def __init__(self, path: Path) -> None:
        # Used by one thread at a time.
        self._file = sqlite3.connect(path, check_same_thread=False)
        self._file.execute("CREATE TABLE fact (user TEXT, message TEXT, valid TEXT, weight REAL, ended INT, body TEXT)")

    async def fill(self, graph: Graph, tenant: TenantId) -> None:
        """Read all facts of the tenant."""
        after = ""
        while rows := await graph.read(
            statement("export_pages/journal_facts"), {"tenant": tenant, "after": after, "rows": _ROWS}
        ):
            after = rows[-1]["id"]
            await asyncio.to_thread(self._add, rows)
        await asyncio.to_thread(self._file.execute, "CREATE INDEX by_message ON fact (user, message)")

    def _add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._file.executemany(
            "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    row["user_id"],
                    row["evidence"],
                    str(row["valid_at"]),
                    row["importance"] + (row["strength"] or 0.0),
                    row["invalid_at"] is not None,
                    json.dumps(dict(row), default=str, ensure_ascii=False),
                )
                for row in rows
            ],
        )

    def about(self, user_id: str, messages: Sequence[str]) -> list[dict[str, Any]]:
        """Return the facts that are first proved by one of some messages, in their order."""
        question = "SELECT body FROM fact WHERE user = ? AND message = ? ORDER BY valid, body"
        return [json.loads(body) for one in messages for (body,) in self._file.execute(question, (user_id, one))]

    def leading(self, user_id: str) -> list[dict[str, Any]]:
        """Return the most important valid facts of a user."""
        question = "SELECT body FROM fact WHERE user = ? AND NOT ended ORDER BY weight DESC, valid, body LIMIT ?"
        return [json.loads(body) for (body,) in self._file.execute(question, (user_id, _GLANCE_MAX))]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _Journal:
    """Writes the journals of a tenant's users.

    Attributes:
        messages, facts: numbers written.
    """

    def __init__(self, graph: Graph, tenant: TenantId, facts: _FactFile, out: BinaryIO, report: Progress) -> None:
        self._graph, self._tenant, self._facts, self._out, self._report = graph, tenant, facts, out, report
        self.digest = hashlib.sha256()
        self.messages = self.facts = 0

    def _write(self, *paragraphs: str) -> None:
        for paragraph in paragraphs:
            line = f"{paragraph}\n\n".encode()
            self.digest.update(line)
            self._out.write(line)

    async def write_user(self, user_id: str, name: str, language: Language | None) -> None:
        """Write the journal of one user."""
        pages = self._pages(user_id)
        first: list[Any] = await anext(pages, [])
        language = language or (
            Language.ZH if sum(is_chinese(row["text"]) for row in first) * 2 > len(first) else Language.EN
        )
        words = PHRASES[language]
        self._write(words.title.format(name=plain(name)))
        if not first:
            self._write(words.empty)
            return
        if leading := await asyncio.to_thread(self._facts.leading, user_id):
            self._write(words.glance, "\n".join(f"- {_fact_line(fact, language)}" for fact in leading))
        scenes = _Scenes(name, language)
        page: list[Any] = first
        while page:
            for row in page:
                if scenes.starts_new(row):
                    await self._finish(user_id, scenes)
                self._write(*scenes.paragraphs(row))
                self.messages += 1
            self._report("writing", self.messages, 0)
            page = await anext(pages, [])
        await self._finish(user_id, scenes)

    async def _finish(self, user_id: str, scenes: "_Scenes") -> None:
        """Write the facts that were learned from the scene that ends."""
        found = await asyncio.to_thread(self._facts.about, user_id, list(scenes.texts))
        if found:
            lines = [f"- {_fact_line(fact, scenes.language, texts=scenes.texts)}" for fact in found]
            self._write(PHRASES[scenes.language].learned, "\n".join(lines))
            self.facts += len(found)
        scenes.texts.clear()

    async def _pages(self, user_id: str) -> AsyncIterator[list[Any]]:
        after = {"after_ms": -(2**52), "after_position": -1, "after_id": ""}
        while True:
            parameters = {"tenant": self._tenant, "user_id": user_id, **after, "rows": _MESSAGES}
            rows = await self._graph.read(statement("export_pages/journal_messages"), parameters)
            if not rows:
                return
            last = rows[-1]
            after = {"after_ms": last["said_ms"], "after_position": last["position"], "after_id": last["id"]}
            yield list(rows)


class _Scenes:
    """The state of a journal between two messages.

    Attributes:
        texts: messages of the current scene so far, by id.
    """

    def __init__(self, name: str, language: Language) -> None:
        self._name, self.language = name, language
        self.texts: dict[str, str] = {}
        self._scene: tuple[str, str | None] | None = None
        self._day: tuple[int, int, int] | None = None
        self._shown: set[str] = set()

    def starts_new(self, row: Mapping[str, Any]) -> bool:
        """Return whether a message begins another scene or day."""
        day = _local(row)
        return (row["session"], row["scene"]) != self._scene or (day.year, day.month, day.day) != self._day

    def paragraphs(self, row: Mapping[str, Any]) -> list[str]:
        """Return the paragraphs of a message, with the headings of the day and scene that it begins."""
        said_at, words, new = _local(row), PHRASES[self.language], self.starts_new(row)
        found = []
        if (day := (said_at.year, said_at.month, said_at.day)) != self._day:
            found.append(day_heading(said_at, self.language))
        if new:
            found += self._scene_heading(row)
        self._scene, self._day = (row["session"], row["scene"]), day
        who = row["speaker"] or (self._name if row["role"] == Role.USER else words.roles.get(row["role"], row["role"]))
        tags = "".join(f" `#{plain(tag)}`" for tag in row["tags"] or ())
        self.texts[row["id"]] = row["text"]
        return [*found, f"**{plain(who)}** {said_at:%H:%M}{tags}", _quoted(row["text"])]

    def _scene_heading(self, row: Mapping[str, Any]) -> list[str]:
        words, scene = PHRASES[self.language], row["scene"]
        session = words.session.format(session=plain(row["session"] or "").replace("`", "'"))
        if (row["session"] or "").startswith(CORRECTION_SESSION):
            return [f"### {words.by_hand}"]
        if scene is None:
            return [f"### {session}"]
        title = plain(row["title"] or "")
        if scene in self._shown:
            return [f"### {words.continued.format(title=title)}"]
        self._shown.add(scene)
        # A scene of one message is its own abstract.
        abstract = plain(row["abstract"] or "")
        shown = [f"*{abstract}*"] if abstract and abstract not in plain(row["text"]) else []
        return [f"### {title}", session, *shown]


def _fact_line(fact: Mapping[str, Any], language: Language, *, texts: Mapping[str, str] | None = None) -> str:
    """Return a fact with its validity, reason and, if the text of its message is given, the words that prove it."""
    words, text = PHRASES[language], plain(fact["statement"])
    since, until = (_fact_day(fact[name], language) for name in ("valid_at", "invalid_at"))
    line = (
        words.until.format(text=text, since=since, until=until) if until else words.since.format(text=text, since=since)
    )
    if fact["rationale"]:
        line = words.reason.format(text=line, reason=plain(fact["rationale"]))
    quote = _quote(fact, texts or {})
    return words.quote.format(text=line, quote=quote) if quote else line


def _quote(fact: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    for quote in fact["quotes"] or ():
        message, start, end = quote.split(":")
        if message in texts:
            said = plain(texts[message][int(start) : int(end)])
            return said if len(said) <= _QUOTE_CHARS else f"{said[: _QUOTE_CHARS - 1]}…"
    return ""


def _fact_day(moment: str | None, language: Language) -> str:
    return _day(datetime.fromisoformat(moment), language) if moment else ""


def _local(row: Mapping[str, Any]) -> datetime:
    """Return when a message was said, in its own time zone."""
    said_at: datetime = row["said_at"]
    return said_at.astimezone((zone_named(row["zone"]) if row["zone"] else None) or UTC)
