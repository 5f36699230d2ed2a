"""Moves the rows of a tenant to another one by way of a file on disk: memory stays small however much there is."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from graph_service.memory.export_import.row_format import LINKS, ORDER, Row, key_of_row, kind_of_row, model_of
from graph_service.memory.export_import.row_shapes import EDGE
from graph_service.memory.export_import.row_values import value_of
from graph_service.memory.export_import.tenant_rewrite import (
    Leads,
    Move,
    Said,
    Told,
    apart_id,
    episode_id,
    first_spell,
    leads_of,
    merge_id,
    scene_prints,
    session_print,
)
from graph_service.memory.jobs.outbox import JobKind
from schema.ids import TenantId
from schema.labels import MIND_MAP_KINDS, Label, Link
from schema.predicates import allowed
from schema.session import SessionState

_SCHEMA: Final = (
    "CREATE TABLE raw (kind TEXT, line TEXT)",
    "CREATE TABLE ids (old TEXT PRIMARY KEY, new TEXT, uri TEXT) WITHOUT ROWID",
    "CREATE TABLE moved (kind TEXT, key TEXT, line TEXT)",
    "CREATE TABLE said (id TEXT PRIMARY KEY, at INTEGER, position INTEGER, hash TEXT, episode TEXT) WITHOUT ROWID",
    "CREATE TABLE held (scene TEXT, message TEXT, PRIMARY KEY (scene, message)) WITHOUT ROWID",
    "CREATE TABLE told (session TEXT, start_ms INTEGER, scene TEXT, print TEXT)",
    "CREATE TABLE brought (id TEXT PRIMARY KEY, line TEXT) WITHOUT ROWID",
    "CREATE TABLE keys (key TEXT, kind TEXT, PRIMARY KEY (key, kind)) WITHOUT ROWID",
)
_BY_KIND: Final = "CREATE INDEX IF NOT EXISTS raw_kind ON raw (kind)"
# Those that a scene's messages came with: a scene of this service has fewer messages.
_EPISODES_MAX: Final = 100
# Scenes of one session follow each other and share their episodes, of which each may be megabytes of facts.
_LEADS_KEPT: Final = 4_096
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MAP: Final = frozenset(MIND_MAP_KINDS)
_ENDS: Final = {
    Link.PART_OF: (Label.MESSAGE, {Label.SCENE}),
    Link.IN_SESSION: (Label.SCENE, {Label.SESSION}),
    Link.STANDS_FOR: (Label.HELD_ENTITY, {Label.ENTITY, Label.AGENT, Label.USER}),
}
# Properties that name a row of the file, which must be there.
_NAMED: Final = (
    (Label.SESSION, "user_node_id", Label.USER),
    (Label.SESSION_LIFE, "id", Label.SESSION),
    (Label.MESSAGE, "session_id", Label.SESSION),
    (Label.SCENE, "session_id", Label.SESSION),
    (Label.EPISODE, "session_id", Label.SESSION),
    (EDGE, "unembedded_in", Label.SESSION),
)
_BY_URI: Final = (
    Label.SESSION,
    Label.MESSAGE,
    Label.USER,
    Label.AGENT,
    Label.ENTITY,
    Label.HELD_ENTITY,
    Label.SCENE,
    EDGE,
    Label.HELD_FACT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One kind of work of a session (a node id), and whether any waits."""

    kind: JobKind
    session: str
    user: str
    waits: bool


class Carrier:
    """Rows on their way: `add` them all, then `learn` their ids, then take them as they are under the other tenant.

    Args:
        path: a file of its own; the caller removes it.
    """

    def __init__(self, path: Path, *, source: TenantId, target: TenantId) -> None:
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        # Nothing here outlives the process, so nothing must survive a crash.
        for line in ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", *_SCHEMA):
            self._file.execute(line)
        self._move = Move(source=source, target=target, new_id=self.new_id)
        self._moved: set[str] = set()
        self._leads = lru_cache(maxsize=_LEADS_KEPT)(self._leads_of)
        self.rows_n: dict[str, int] = {}

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def add(self, rows: list[Row]) -> None:
        """Take rows in, as they are under the source."""
        lines = [(kind_of_row(row), json.dumps(row, ensure_ascii=False)) for row in rows]
        for kind, _ in lines:
            self.rows_n[kind] = self.rows_n.get(kind, 0) + 1
        self._file.execute("BEGIN")
        self._file.executemany("INSERT INTO raw VALUES (?, ?)", lines)
        self._file.execute("COMMIT")

    def learn(self) -> None:
        """Work out what every element is called under the target."""
        self._file.execute(_BY_KIND)
        self._file.execute("BEGIN")
        for kind in _BY_URI:
            for row in self._raw(kind):
                self._learn_by_uri(kind, row["properties"])
        for row in self._raw(Label.HELD_ENTITY):
            if row["properties"].get("merge_id"):
                self._know(*merge_id(self._move, row["properties"]))
        for row in self._raw(Label.KEPT_APART):
            self._know(row["properties"]["id"], apart_id(self._move, row["properties"]))
        for row in self._raw(Label.EPISODE):
            found = row["properties"]
            uri = self._file.execute("SELECT uri FROM ids WHERE old = ?", (found.get("session_id"),)).fetchone()
            self._know(found["id"], episode_id(self._move, found, uri[0] if uri else ""))
            self._file.execute("INSERT OR IGNORE INTO brought VALUES (?, ?)", (found["id"], json.dumps(found)))
        self._learn_fingerprints()
        self._file.execute("COMMIT")

    def new_id(self, old: str) -> str:
        """Return what an element is called under the target; the same when nobody knows it."""
        found = self._file.execute("SELECT new FROM ids WHERE old = ?", (old,)).fetchone()
        return str(found[0]) if found else old

    def doubles(self) -> Iterator[str]:
        """Yield rows that are there twice; to be asked once, before anything is made of them."""
        self._file.execute(_BY_KIND)
        for kind in (one for one in ORDER if one not in LINKS):
            for row in self._raw(kind):
                key = key_of_row(row)
                if not self._file.execute("INSERT OR IGNORE INTO keys VALUES (?, ?)", (key, kind)).rowcount:
                    yield f"{kind} {key} is there twice"

    def misfits(self, seq: int) -> Iterator[str]:
        """Yield rows that name what is not in the file; `doubles` must have been asked before.

        Args:
            seq: the number of the tenant's last change.
        """
        yield from self._wrong_ends()
        for kind, name, about in _NAMED:
            for row in self._raw(kind):
                named = row["properties"].get(name)
                if named is not None and about not in self._kinds_of(named):
                    yield f"{kind} {key_of_row(row)} has a {name} that is no {about} in the file"
        for row in self._raw(Label.CHANGE):
            if row["properties"]["seq"] > seq:
                yield f"Change {row['properties']['seq']} comes after the last of the tenant, {seq}"

    def _wrong_ends(self) -> Iterator[str]:
        for kind in (EDGE, *LINKS):
            for row in self._raw(kind):
                name = row.get(EDGE) or row["link"]
                if problem := self._wrong_end(row):
                    yield f"{name} from {row['from']} to {row['to']} {problem}"

    def _wrong_end(self, row: Row) -> str | None:
        starts, ends = self._kinds_of(row["from"]), self._kinds_of(row["to"])
        if not starts or not ends:
            return "has an end that is not in the file"
        if EDGE in row:
            fits = any(allowed(Label(a), row[EDGE], Label(b)) for a in starts & _MAP for b in ends & _MAP)
        else:
            start, end = _ENDS[row["link"]]
            fits = start in starts and bool(ends & end)
        return None if fits else "joins what it cannot join"

    def _kinds_of(self, key: str) -> set[str]:
        return {kind for (kind,) in self._file.execute("SELECT kind FROM keys WHERE key = ?", (key,))}

    def works(self) -> Iterator[Work]:
        """Yield the work of each session, by its ids under the target, and whether it waits.

        Work is not carried: it follows from what is not read yet, and from sessions whose end was asked for. What waits
        for a vector is known when it is written.
        """
        unread = {
            row["properties"]["session_id"]
            for kind, waits in ((Label.MESSAGE, "unread"), (Label.EPISODE, "unread"), (Label.SCENE, "unextracted"))
            for row in self._raw(kind)
            if row["properties"].get(waits)
        }
        ending = {
            row["properties"]["id"]
            for row in self._raw(Label.SESSION_LIFE)
            if row["properties"]["state"] not in (SessionState.ACTIVE, SessionState.CLOSED)
        }
        for row in self._raw(Label.SESSION):
            session, user = row["properties"]["id"], row["properties"]["user_node_id"]
            ids = {"session": self.new_id(session), "user": self.new_id(user)}
            yield Work(kind=JobKind.READ, waits=session in unread, **ids)
            yield Work(kind=JobKind.EMBED, waits=False, **ids)
            if session in ending:
                yield Work(kind=JobKind.CLOSE, waits=True, **ids)

    def move_all(self) -> None:
        """Work out every row under the target, so that nothing can fail of that once writing has begun."""
        for kind in ORDER:
            self._move_kind(kind)

    def moved(self, kind: str) -> Iterator[Row]:
        """Yield rows of a kind as they are under the target, in the order of their keys there."""
        self._move_kind(kind)
        for (line,) in self._file.execute("SELECT line FROM moved WHERE kind = ? ORDER BY key, line", (kind,)):
            yield json.loads(line)

    def _move_kind(self, kind: str) -> None:
        if kind in self._moved:
            return
        self._moved.add(kind)
        self._file.execute("BEGIN")
        for row in self._raw(kind):
            there = self._there(row)
            line = json.dumps(there, ensure_ascii=False)
            self._file.execute("INSERT INTO moved VALUES (?, ?, ?)", (kind, key_of_row(there), line))
        self._file.execute("COMMIT")

    def stored(self, kind: str) -> Iterator[Row]:
        """Return rows of a kind as they came in."""
        return self._raw(kind)

    def all_moved(self) -> Iterator[Row]:
        """Yield all rows, kind by kind."""
        for kind in ORDER:
            yield from self.moved(kind)

    def _raw(self, kind: str) -> Iterator[Row]:
        for (line,) in self._file.execute("SELECT line FROM raw WHERE kind = ?", (kind,)):
            yield json.loads(line)

    def _learn_by_uri(self, kind: str, found: Mapping[str, Any]) -> None:
        uri: str = found["uri"]
        self._know(found["id"], self._move.by_uri(found["id"], uri), uri if kind == Label.SESSION else None)
        if kind in (EDGE, Label.HELD_FACT):
            # Claims are named by the id of their first spell, even when that is not there any more.
            first, first_uri = first_spell(uri)
            self._know(first, self._move.by_uri(first, first_uri))

    def _learn_fingerprints(self) -> None:
        for row in self._raw(Label.MESSAGE):
            found = row["properties"]
            said = (found["id"], _micros(found.get("said_at")), found.get("position", 0), found.get("content_hash", ""))
            self._file.execute("INSERT OR IGNORE INTO said VALUES (?, ?, ?, ?, ?)", (*said, found.get("episode_id")))
        for row in self._raw(Link.PART_OF):
            self._file.execute("INSERT OR IGNORE INTO held VALUES (?, ?)", (row["to"], row["from"]))
        for row in self._raw(Label.SCENE):
            found = row["properties"]
            for old, new in scene_prints(found, self._said_in(found["id"]), self._brought_to(found["id"]), self.new_id):
                self._know(old, new)
            told = (found.get("session_id"), found.get("start_ms", 0), found["id"])
            shown = found.get("layers_hash") or found.get("content_hash") or ""
            self._file.execute("INSERT INTO told VALUES (?, ?, ?, ?)", (*told, shown))
        self._file.execute("CREATE INDEX told_session ON told (session)")
        for row in self._raw(Label.SESSION_LIFE):
            query = "SELECT start_ms, scene, print FROM told WHERE session = ?"
            scenes = [Told(*one) for one in self._file.execute(query, (row["properties"]["id"],))]
            for old, new in session_print(row["properties"], scenes, self.new_id):
                self._know(old, new)

    def _said_in(self, scene: str) -> list[Said]:
        query = "SELECT s.at, s.position, s.id, s.hash FROM held h JOIN said s ON s.id = h.message WHERE h.scene = ?"
        return [Said(*one) for one in self._file.execute(query, (scene,))]

    def _brought_to(self, scene: str) -> list[Leads]:
        query = (
            "SELECT DISTINCT b.id FROM held h JOIN said s ON s.id = h.message "
            "JOIN brought b ON b.id = s.episode WHERE h.scene = ? ORDER BY b.id LIMIT ?"
        )
        return [self._leads(found) for (found,) in self._file.execute(query, (scene, _EPISODES_MAX))]

    def _leads_of(self, episode: str) -> Leads:
        (line,) = self._file.execute("SELECT line FROM brought WHERE id = ?", (episode,)).fetchone()
        return leads_of(json.loads(line))

    def _know(self, old: str, new: str, uri: str | None = None) -> None:
        self._file.execute("INSERT OR IGNORE INTO ids VALUES (?, ?, ?)", (old, new, uri))

    def _there(self, row: Row) -> Row:
        if "link" in row:
            return {"link": row["link"], "from": self.new_id(row["from"]), "to": self.new_id(row["to"])}
        found = self._move.properties(row["properties"], model_of(row))
        if row.get("node") == Label.KEPT_APART:
            found["a_id"], found["b_id"] = sorted((found["a_id"], found["b_id"]))
        if EDGE in row:
            ends = {"from": self.new_id(row["from"]), "to": self.new_id(row["to"])}
            return {EDGE: row[EDGE], **ends, "properties": found}
        return {"node": row["node"], "properties": found}


def _micros(written: Any) -> int:
    """Return a time as a file writes it, in microseconds since 1970."""
    if not isinstance(written, Mapping):
        return 0
    at: datetime = value_of(written, "time")
    return (at - _EPOCH) // timedelta(microseconds=1)
