"""Write the layers of sessions; return those of scenes, sessions, messages, users and agents by URI and level."""

import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any, Final

from extraction.bounded_threads import BoundedThreads
from extraction.extractive_summary import EXTRACTIVE, SummarizedScene, Summary, summarize_session, token_count
from extraction.llm.summary_writer import SessionWriter
from extraction.text.sentences import split_sentences
from extraction.unreadable import read_or
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.memory.sessions.lifecycle import session_node_id
from schema.errors import InputError, MisreadError, MnemosceneError, NotFoundError
from schema.ids import (
    UUID_FORM,
    ElementUri,
    SessionId,
    TenantId,
    Uri,
    UriKind,
    UserId,
    char_uri,
    content_hash,
    parse_uri,
)
from schema.scene import participants
from schema.timespan import millis
from schema.zones import day_in, minute_in, moment_in, newest_zone

_log = logging.getLogger("mnemoscene.layers")


# Stored instead of the key of the scenes while the model is to write the layers later.
_OWED = "owed"


def scenes_key(hashes: Sequence[str]) -> str:
    """Return the key of a session's layers: the hash of the layers of its scenes, in order."""
    return content_hash("session", *hashes)


async def update_session_summary(
    graph: Graph,
    tenant: TenantId,
    session: str,
    *,
    now: datetime,
    writer: SessionWriter | None = None,
    owed: bool = False,
) -> bool:
    """Update the layers of a session (node id) if those of its scenes changed; return whether they were stored.

    If a scene changes meanwhile, nothing is stored, and the next call updates the layers.

    Args:
        writer: writes the layers of sessions with several scenes; if it fails, and without one, they are extractive.
        owed: a model writes the layers of sessions with several scenes later.
    """
    rows = await graph.read(statement("summaries/scenes_of_session"), {"tenant": tenant, "session": session})
    if not rows:
        return False
    row = rows[0]
    hashes = [scene["layers_hash"] for scene in row["scenes"]]
    key = scenes_key(hashes)
    if row["layers_hash"] == key or not row["scenes"]:
        return False
    zone = newest_zone(row["scenes"])
    scenes = [summarized_scene(scene, scene["zone"], zone) for scene in row["scenes"]]
    layers, owed = await _layers_of(scenes, writer, owed=owed)
    parameters = {
        "tenant": tenant,
        "session": session,
        "scene_hashes": hashes,
        "layers": {
            "title": layers.title,
            "abstract": layers.abstract,
            "overview": layers.overview,
            "abstract_by": layers.made_by,
            "overview_by": layers.made_by,
            "layers_hash": _OWED if owed else key,
            "layers_at": now,
        },
    }
    return bool(await graph.run(statement("summaries/set_session_summary"), parameters))


async def _layers_of(
    scenes: Sequence[SummarizedScene], writer: SessionWriter | None, *, owed: bool
) -> tuple[Summary, bool]:
    """Return the layers of a session, and whether the model could not be asked, so that the next update asks it."""
    owed = owed and len(scenes) > 1
    if writer is not None and len(scenes) > 1:
        try:
            written = await writer(scenes)
        except MisreadError as error:
            _log.warning("a session's summary is extractive: %s", error)
        except MnemosceneError as error:
            _log.warning("a session's summary is extractive until the model answers: %s", error)
            owed = True
        else:
            return written, False
    return read_or(summarize_session(scenes[:1]), summarize_session, scenes), owed


def summarized_scene(scene: Mapping[str, Any], *zones: str | None) -> SummarizedScene:
    """Return the stored summary of a scene; its day is that in the first known zone."""
    return SummarizedScene(
        title=scene["name"] or "",
        abstract=scene["abstract"] or "",
        overview=scene["overview"] or "",
        made_by=scene["abstract_by"] or EXTRACTIVE,
        start=moment_in(scene["first_seen"], *zones),
        messages=scene["evidence_n"] or 0,
    )


_LINES_MAX: Final = 1_000
# Maximum characters of messages in one answer; a single message has at most half of that.
SAID_CHARS_MAX: Final = 200_000
# Counting the tokens of this much text takes about 2 ms; longer texts are counted in a thread.
_ON_LOOP_CHARS: Final = 20_000
_COUNTING: Final = BoundedThreads(threads_max=2, cpu_max_s=10.0)
_PAGE: Final = 200
_DAY: Final = timedelta(days=1)
# Of a day or month: scenes in its summary, and sessions updated for it.
_SCENES_MAX: Final = 500
_UPDATED_MAX: Final = 20

# Updates the layers of all scenes of a session, given by node id.
Refresh = Callable[[TenantId, str], Awaitable[None]]
# Updates the layers of a session, given by node id; returns whether they were stored.
Summarize = Callable[[TenantId, str], Awaitable[bool]]


class Level(StrEnum):
    """Level of detail: L0 about 100 tokens, L1 an overview of at most 2,000 tokens, L2 the full text."""

    L0 = "L0"
    L1 = "L1"
    L2 = "L2"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerText:
    """A scene, session, message, user or agent at one level of detail.

    Attributes:
        uri: its URI, with the level as the fragment.
        level: the level of detail.
        title: the title of the scene or session, or the name.
        text: the text; L2 contains at most 1,000 messages or 200,000 characters.
        generated_by: the author: `extractive`, `caller`, a model's name, or `said`.
        tokens: estimated number of tokens.
        next_cursor: cursor to pass as `after`; None if L2 is complete.
        start: when the scene began, or the message was said.
        end: when the scene ended.
        mentioned_start: start of the time that the scene, message or fact is about, if it names one.
        mentioned_end: end of that time, exclusive.
        zone: messages: the time zone.
        emotion: messages: the speaker's emotion, if known.
        participants: scenes: who spoke or took part, in order.
    """

    uri: str
    level: Level
    title: str | None
    text: str
    generated_by: str
    tokens: int
    next_cursor: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None
    zone: str | None = None
    emotion: str | None = None
    participants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A sentence, and the part of a message that it quotes.

    Attributes:
        text: the sentence.
        uri: the message's URI with `#char=START,END`; `layer` returns that part.
    """

    text: str
    uri: Uri


PersonLayer = Callable[[TenantId, str, Level], Awaitable[LayerText | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummariesReport:
    """Counts of sessions by outcome.

    Attributes:
        sessions: number of checked sessions.
        created: sessions with new texts.
        unchanged: sessions without changes.
        failed: sessions whose texts could not be created; try again later.
    """

    sessions: int
    created: int
    unchanged: int
    failed: int


@dataclass(slots=True, kw_only=True)
class LayerTexts:
    """Read and update the summary layers of all tenants.

    Args:
        refresh: updates the layers of the scenes of a session.
        summarize: updates the layers of a session itself.
        person: returns what is known about a user or agent, by URI and level; None for other URIs.
    """

    graph: Graph
    refresh: Refresh
    summarize: Summarize
    person: PersonLayer

    async def layer(
        self, tenant: TenantId, uri: str, level: Level | None = None, *, after: str | None = None
    ) -> LayerText:
        """Return one layer, updating it first if necessary.

        L2 has at most 1,000 messages and 200,000 characters; if it is cut, its last line says so.

        Args:
            uri: id or URI of a scene, session, message, user, agent, entity, category of a profile or fact (its own or
                that in a profile), with or without a level: `#L0`, `#L1`, `#L2`; `#char=START,END` is a part of a
                message. A day or month of a user has L0 and L1.
            level: that of the URI by default, or L1 if it has none.
            after: cursor of the previous part; return the text after it.

        Raises:
            NotFoundError: the tenant has no such element.
        """
        check_ids(uri=uri)
        named = parse_uri(uri if "://" in uri else await self._uri_of(tenant, uri))
        requested = level or Level(named.layer or Level.L1)
        if named.kind is UriKind.PERIOD:
            return await self._period(tenant, named, requested)
        start = decode_cursor(ListName.LINES, after)
        row = await self._row(tenant, named.element_id)
        if row is None:
            person = await self.person(tenant, named.base, requested)
            return person or await self._fact_text(tenant, named, level=requested)
        if after is not None and (requested is not Level.L2 or row["kind"] == "message"):
            raise InputError("after is only for level L2 of a scene or session; other texts have one page")
        if requested is not Level.L2 and row["kind"] != "message":
            await self._update(tenant, row)
            row = await self._row(tenant, named.element_id) or row
        return await self._layer_text(tenant, named, requested, row, start)

    async def anchors(self, tenant: TenantId, uri: str, text: str) -> list[Anchor]:
        """Return where the sentences of a layer of a scene or session were said; no sentences of other elements."""
        named = parse_uri(uri)
        row = await self._row(tenant, named.element_id)
        if row is None or row["kind"] == "message":
            return []
        lines = await self._lines(tenant, row, named.element_id, decode_cursor(ListName.LINES, None))
        return await _COUNTING.run(partial(anchors_in, text, lines))

    async def _period(self, tenant: TenantId, named: ElementUri, level: Level) -> LayerText:
        """Return a layer of a day or month of a user, made of its scenes.

        A scene belongs to the day on which it began, in the time zone of its first message.
        """
        if level is Level.L2:
            raise InputError("a day or month has the levels L0 and L1; ask for L2 of its sessions")
        rows = await self._scenes_of(tenant, named)
        if behind := list(dict.fromkeys(row["session"] for row in rows if row["behind"])):
            for session in behind[:_UPDATED_MAX]:
                await self._update_session(tenant, session, behind=True)
            rows = await self._scenes_of(tenant, named)
        if not rows:
            raise _nothing_at(named.base)
        scenes = [row["scene"] for row in rows]
        dated = [summarized_scene(row["scene"], row["zone"]) for row in rows]
        summary = await _COUNTING.run(partial(summarize_session, dated))
        text = summary.abstract if level is Level.L0 else summary.overview
        return LayerText(
            uri=f"{named.base}#{level}",
            level=level,
            title=summary.title,
            text=text,
            generated_by=summary.made_by,
            tokens=await tokens_of(text),
            start=scenes[0]["first_seen"],
            end=scenes[-1]["last_seen"],
        )

    async def _scenes_of(self, tenant: TenantId, period: ElementUri) -> list[dict[str, Any]]:
        """Return the scenes of a day or month, at most 500; none of a URI of another tenant."""
        try:
            first = datetime.fromisoformat(f"{period.key}-01"[:10]).replace(tzinfo=UTC)
            days = 1 if len(period.key) == len("2026-05-01") else 31
            # A day of any time zone is within one day of that in UTC.
            span = {"from_ms": millis(first - _DAY), "to_ms": millis(first + (days + 1) * _DAY)}
        except (ValueError, OverflowError):
            return []
        if period.tenant != tenant:
            return []
        parameters = {"tenant": tenant, "user_id": period.user_id, "rows_max": _SCENES_MAX, **span}
        rows = await self.graph.read(statement("summaries/scenes_of_period"), parameters)
        return [row for row in rows if day_in(row["scene"]["first_seen"], row["zone"]).startswith(period.key)]

    async def _uri_of(self, tenant: TenantId, name: str) -> str:
        """Return the URI of an id, with the level that may follow the id."""
        element, mark, level = name.partition("#")
        rows = await self.graph.read(statement("lookup/uri_by_id"), {"tenant": tenant, "id": element})
        if not rows and UUID_FORM.fullmatch(element):
            raise _nothing_at(element)
        return f"{rows[0]['uri']}{mark}{level}" if rows else name

    async def _fact_text(self, tenant: TenantId, named: ElementUri, *, level: Level) -> LayerText:
        """Return the statement of a fact, which is the same on every level."""
        parameters = {"tenant": tenant, "id": named.element_id}
        rows = await self.graph.read(statement("lookup/fact_by_id"), parameters)
        if not rows or rows[0]["predicate"] == "MENTIONED":
            raise _nothing_at(named.base)
        fact = rows[0]["properties"]
        return LayerText(
            uri=f"{fact['uri']}#{level}",
            level=level,
            title=None,
            text=fact["statement"],
            generated_by=fact["reader"],
            tokens=token_count(fact["statement"]),
            mentioned_start=fact.get("mentioned_start"),
            mentioned_end=fact.get("mentioned_end"),
        )

    async def generate(self, tenant: TenantId, *, user_id: str | None, session_id: str | None) -> SummariesReport:
        """Update the layers of one session, of all sessions of a user, or of the tenant; unchanged ones are skipped.

        Raises:
            InputError: an id is invalid, or a session is given without its user.
            NotFoundError: this user has no such session.
        """
        check_ids(userId=user_id or None, sessionId=session_id or None)
        session = None
        if session_id is not None:
            if user_id is None:
                raise InputError("sessionId needs userId; session ids belong to a user")
            session = session_node_id(tenant, UserId(user_id), SessionId(session_id))
        made = kept = failed = 0
        async for row in self._sessions(tenant, user_id, session):
            if not row["behind"] and row["layers_hash"] == scenes_key(row["scene_hashes"]):
                kept += 1
            elif await self._update_session(tenant, row["session"], behind=bool(row["behind"])):
                made += 1
            else:
                failed += 1
        if session is not None and not made + kept + failed:
            raise NotFoundError(f"user {user_id!r} has no session {session_id!r}; `sessions` lists them")
        return SummariesReport(sessions=made + kept + failed, created=made, unchanged=kept, failed=failed)

    async def _sessions(self, tenant: TenantId, user_id: str | None, session: str | None) -> Any:
        after = ""
        while True:
            parameters = {
                "tenant": tenant,
                "user_id": user_id,
                "session": session,
                "after": after,
                "rows_max": _PAGE,
            }
            rows = await self.graph.read(statement("summaries/stale_sessions"), parameters)
            for row in rows:
                yield row
            if len(rows) < _PAGE:
                return
            after = rows[-1]["session"]

    async def _row(self, tenant: TenantId, node_id: str) -> Mapping[str, Any] | None:
        rows = await self.graph.read(statement("summaries/summary_by_id"), {"tenant": tenant, "id": node_id})
        return rows[0] if rows else None

    async def _update(self, tenant: TenantId, row: Mapping[str, Any]) -> None:
        """Update the layers of a scene or session; if that fails, keep the stored ones."""
        if row["kind"] == "scene":
            if row["texts"]["behind"]:
                await self._update_session(tenant, row["session"], behind=True)
            return
        parameters = {"tenant": tenant, "user_id": None, "session": row["session"], "after": "", "rows_max": 1}
        for stale in await self.graph.read(statement("summaries/stale_sessions"), parameters):
            await self._update_session(tenant, stale["session"], behind=bool(stale["behind"]))

    async def _update_session(self, tenant: TenantId, session: str, *, behind: bool) -> bool:
        try:
            if behind:
                await self.refresh(tenant, session)
            await self.summarize(tenant, session)
        except MnemosceneError as error:
            _log.warning("the summary layers of a session were not updated: %s", error, extra={"tenant": tenant})
            return False
        return True

    async def _layer_text(
        self, tenant: TenantId, named: ElementUri, level: Level, row: Mapping[str, Any], start: tuple[Any, ...]
    ) -> LayerText:
        texts, after = row["texts"], None
        text, generated_by = texts["overview"] or "", texts["overview_by"] or "extractive"
        if level is Level.L0:
            text, generated_by = texts["abstract"] or "", texts["abstract_by"] or "extractive"
        elif level is Level.L2:
            text, generated_by = texts["text"], "said"
            if not text:
                text, after = await self._full_text(tenant, row, named.element_id, start)
        if named.chars is not None:
            text = text[slice(*named.chars)]
        return LayerText(
            uri=char_uri(named.base, *named.chars) if named.chars else f"{named.base}#{level}",
            level=level,
            title=texts["name"],
            text=text,
            generated_by=generated_by,
            tokens=await tokens_of(text),
            next_cursor=after,
            participants=participants(texts.get("turns") or ()),
            **{
                name: texts.get(name)
                for name in ("start", "end", "mentioned_start", "mentioned_end", "zone", "emotion")
            },
        )

    async def _full_text(
        self, tenant: TenantId, row: Mapping[str, Any], node_id: str, start: tuple[Any, ...]
    ) -> tuple[str, str | None]:
        """Return the messages after a cursor as text, and the cursor of the next part if there is one."""
        lines = await self._lines(tenant, row, node_id, start)
        zone = newest_zone(lines)
        text_lines = [
            f"[{minute_in(line['said_at'], line['zone'], zone)}] {line['speaker'] or line['role']}: {line['text']}"
            for line in lines
        ]
        if not lines or not lines[-1]["more"]:
            return "\n".join(text_lines), None
        after = encode_cursor(ListName.LINES, *lines[-1]["key"])
        text_lines.append(f'[cut here, more was said: ask for this text again with after "{after}"]')
        return "\n".join(text_lines), after

    async def _lines(
        self, tenant: TenantId, row: Mapping[str, Any], node_id: str, start: tuple[Any, ...]
    ) -> list[dict[str, Any]]:
        said_ms, position, last = start
        parameters = {
            "tenant": tenant,
            "session": row["session"],
            "scene": node_id if row["kind"] == "scene" else None,
            "said_ms": said_ms,
            "position": position,
            "after": last,
            "rows_max": _LINES_MAX,
            "chars_max": SAID_CHARS_MAX,
        }
        return await self.graph.read(statement("summaries/source_lines"), parameters)


def _nothing_at(name: str) -> NotFoundError:
    return NotFoundError(
        f"there is no scene, session, message, user, agent, entity or fact {name!r:.300}; `recall` and `sessions`"
        " return URIs"
    )


async def tokens_of(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    if len(text) <= _ON_LOOP_CHARS:
        return token_count(text)
    return await _COUNTING.run(partial(token_count, text))


# Sentences of one summary that are looked up; an overview has at most 2,000 tokens.
_SENTENCES_MAX: Final = 100
_MARKUP: Final = re.compile(r"^(?:[-*#>]+\s+)+")


def anchors_in(summary: str, messages: Sequence[Mapping[str, Any]]) -> list[Anchor]:
    """Return the sentences of a summary that a message contains word for word, in order; others have no anchor.

    Args:
        messages: rows with `uri` and `text`.
    """
    found: dict[str, Anchor] = {}
    sentences = (sentence.text for line in summary.splitlines() for sentence in split_sentences(_MARKUP.sub("", line)))
    for sentence, _ in zip(dict.fromkeys(sentences), range(_SENTENCES_MAX), strict=False):
        words = sentence.removesuffix("…").split()
        if not words:
            continue
        # The summary has one space where the message may have several, or a new line.
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        place = next(((one["uri"], hit) for one in messages if (hit := pattern.search(one["text"]))), None)
        if place is not None:
            found[sentence] = Anchor(text=sentence, uri=char_uri(place[0], *place[1].span()))
    return list(found.values())
