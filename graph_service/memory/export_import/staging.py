"""Rewrite the rows of a tenant for another tenant, in a SQLite file instead of in memory.

Ids derive from URIs, and URIs begin with the tenant. Exports are rewritten for `NO_TENANT`, so that export, import
elsewhere and another export give identical bytes. Ids that do not derive from a URI are kept.
"""

import asyncio
import contextlib
import json
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from extraction.text.name_forms import all_forms
from graph_service.memory.export_import.row_format import (
    EDGE,
    LINKS,
    ORDER,
    Row,
    key_of_row,
    kind_of_row,
    properties_of,
)
from graph_service.memory.facts.conflict_resolution import first_uri
from graph_service.memory.items.writes import item_tokens
from graph_service.memory.tags import message_tokens
from schema.entity import stored_names
from schema.errors import UnavailableError
from schema.graph_model import Property
from schema.ids import TenantId, Uri, content_hash, memory_id, scope_token, user_uri
from schema.labels import MIND_MAP_KINDS, Label, Link
from schema.predicates import allowed

NO_TENANT: Final = TenantId("")
_ID_FIELDS: Final = ("id", "source", "target")
Lookup = Callable[[str], str]
Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantRename:
    """Rewrite values from one tenant to another, one of which is `NO_TENANT`.

    Attributes:
        new_id: returns the new id of an element, and unknown ids unchanged.
    """

    source: TenantId
    target: TenantId
    new_id: Lookup

    def uri(self, uri: str) -> Uri:
        """Return the URI in the target tenant; URIs of other tenants are kept."""
        root = f"memory://{quote(self.source, safe='')}/"
        if not uri.startswith(root):
            return Uri(uri)
        parts = uri.removeprefix(root).split("/")
        for place in _id_indexes(parts):
            parts[place] = self.new_id(parts[place])
        return Uri(f"memory://{quote(self.target, safe='')}/{'/'.join(parts)}")

    def by_uri(self, old: str, uri: str) -> str:
        """Return the new id of an element if its old id derives from its URI, else the old id."""
        return memory_id(self.uri(uri)) if memory_id(uri) == old else old

    def properties(self, stored: Properties, model: Mapping[str, Property]) -> dict[str, Any]:
        """Return the properties of an element in the target tenant, sorted by name, without transient ones."""
        rewritten = {}
        for name in sorted(stored):
            role = model[name].role if name in model else ""
            if role not in ("tenant", "passing"):
                rewritten[name] = self._rewrite(stored[name], role, stored)
        return rewritten

    def _rewrite(self, value: Any, role: str, stored: Properties) -> Any:
        match role:
            case "id" | "ref":
                return self.new_id(value)
            case "uri":
                return self.uri(value)
            case "refs":
                return [self.new_id(one) for one in value]
            case "refs sorted":
                return sorted(self.new_id(one) for one in value)
            case "marked":
                return sorted((self._prefixed(one, ":") for one in value), key=lambda one: one.partition(":")[0])
            case "assertions":
                return sorted((self._assertion_text(one) for one in value), key=lambda one: one.partition("|")[0])
            case "provided":
                return self._provided_facts(value)
            case "scope tenant" | "scope user" | "forms" | "tags" | "item tokens":
                return self._tokens(role, stored)
            case "body":
                return _body(value, self.new_id)
            case _:
                return value

    def _prefixed(self, text: str, separator: str) -> str:
        name, found, rest = text.partition(separator)
        return f"{self.new_id(name)}{found}{rest}"

    def _provided_facts(self, text: str) -> str:
        """Rewrite `replaces` in the JSON of provided facts: the ids and URIs of the facts that each one replaces."""
        if '"replaces"' not in text:
            return text
        facts = json.loads(text)
        for fact in facts:
            if fact.get("replaces"):
                fact["replaces"] = [self.uri(self.new_id(one)) for one in fact["replaces"]]
        return json.dumps(facts, default=str, ensure_ascii=False, sort_keys=True)

    def _assertion_text(self, text: str) -> str:
        message, first, rest = text.partition("|")
        scene, second, rest = rest.partition("|")
        rest, mark, replaced = rest.partition(":")
        ids = ",".join(sorted(map(self.new_id, replaced.split(",")))) if replaced else ""
        return f"{self.new_id(message)}{first}{self.new_id(scene)}{second}{rest}{mark}{ids}"

    def _tokens(self, role: str, stored: Properties) -> str | list[str]:
        """Return the tokens of an element in full-text indexes; empty in a file, and computed on import."""
        if self.target == NO_TENANT:
            return "" if role.startswith("scope") else []
        match role:
            case "scope tenant":
                return scope_token(self.target)
            case "scope user":
                return scope_token(self.target, stored["user_id"])
            case "tags":
                return message_tokens(self.target, stored["user_id"], stored.get("tags") or (), stored.get("metadata"))
            case "item tokens":
                return item_tokens(self.target, stored["user_id"], stored["namespace"], json.loads(stored["value"]))
            case _:
                forms = {form for name in stored_names(stored) for form in all_forms(name)}
                return sorted(scope_token(self.target, stored["user_id"], form) for form in forms)


def _id_indexes(parts: list[str]) -> list[int]:
    """Return the indexes of element ids among the parts of a URI after the tenant."""
    if parts[0] == "session" and len(parts) > 3:
        start = 5 if parts[3] == "scene" else len(parts)
        found = [4] if parts[3] == "scene" else []
    else:
        start = 4 if len(parts) > 3 and parts[2] in ("agent", "entity") else 2
        found = [3, 4] if len(parts) == 5 and parts[2] == "apart" else []
    if len(parts) == start + 5 and parts[start] == "profile":
        found.append(start + 3)
    if len(parts) == start + 2 and parts[start] == "merged-into":
        found.append(start + 1)
    return found


def _body(text: str, new_id: Lookup) -> str:
    view = json.loads(text)
    for name in _ID_FIELDS:
        if isinstance(view.get(name), str):
            view[name] = new_id(view[name])
    return json.dumps(view, ensure_ascii=False)


def merge_id(rename: TenantRename, entity: Properties) -> tuple[str, str]:
    """Return the old and the new id of a merge."""
    old: str = entity["merge_id"]
    return old, rename.by_uri(old, f"{entity['uri']}/merged-into/{entity['parent_id']}")


def rejection_id(rename: TenantRename, rejection: Properties) -> str:
    """Return the new id of a rejected merge."""
    root = user_uri(rename.source, rejection["user_id"])
    if memory_id(f"{root}/apart/{rejection['a_id']}/{rejection['b_id']}") != rejection["id"]:
        return str(rejection["id"])
    ends = sorted(rename.new_id(rejection[end]) for end in ("a_id", "b_id"))
    return memory_id(f"{user_uri(rename.target, rejection['user_id'])}/apart/{ends[0]}/{ends[1]}")


def episode_id(rename: TenantRename, episode: Properties, session: str) -> str:
    """Return the new id of an episode.

    Args:
        session: URI of its session in the source tenant.
    """
    rest = (episode.get("facts") or "", episode.get("summary") or "")
    old = content_hash(*episode["message_ids"], *rest)
    if memory_id(f"{session}/episode/{old}") != episode["id"]:
        return str(episode["id"])
    new = content_hash(*(rename.new_id(one) for one in episode["message_ids"]), *rest)
    return memory_id(f"{rename.uri(session)}/episode/{new}")


_SCHEMA: Final = (
    "CREATE TABLE raw (kind TEXT, key TEXT, session TEXT, line TEXT)",
    "CREATE TABLE ids (old TEXT PRIMARY KEY, new TEXT, uri TEXT) WITHOUT ROWID",
    "CREATE TABLE rewritten (kind TEXT, key TEXT, line TEXT)",
    "CREATE TABLE jobs_before (key TEXT PRIMARY KEY, sessions TEXT, state TEXT)",
    "CREATE TABLE jobs_now (key TEXT PRIMARY KEY, sessions TEXT, state TEXT)",
)
_BY_KIND: Final = "CREATE INDEX IF NOT EXISTS raw_kind ON raw (kind)"
# For `Staging.put` and `Staging.drop`.
_BY_KEY: Final = (
    "CREATE UNIQUE INDEX raw_key ON raw (kind, key)",
    "CREATE INDEX raw_session ON raw (session) WHERE session IS NOT NULL",
)
_NODE_KINDS: Final = frozenset(MIND_MAP_KINDS)
# Kinds of nodes that each link connects: start, possible ends.
_LINK_ENDS: Final = {
    Link.PART_OF: (Label.MESSAGE, {Label.SCENE}),
    Link.IN_SESSION: (Label.SCENE, {Label.SESSION}),
    Link.MEMBER_OF: (Label.MEMBER_ENTITY, {Label.ENTITY, Label.AGENT, Label.USER}),
}
_LINKS_OF: Final[Mapping[str, tuple[Link, ...]]] = {
    Label.MESSAGE: (Link.PART_OF,),
    Label.SCENE: (Link.IN_SESSION,),
}
# Properties that reference another row: (kind, property, kind of the referenced row).
_REFERENCES: Final = (
    (Label.SESSION, "user_node_id", Label.USER),
    (Label.SESSION_LIFECYCLE, "id", Label.SESSION),
    (Label.MESSAGE, "session_id", Label.SESSION),
    (Label.SCENE, "session_id", Label.SESSION),
    (Label.EPISODE, "session_id", Label.SESSION),
    (EDGE, "unembedded_in", Label.SESSION),
)


class Staging:
    """Rows to rewrite for another tenant: call `add` for all, then `rewrite`, then `rewritten`.

    Args:
        path: path of a new SQLite file, which the caller deletes.
    """

    def __init__(self, path: Path, *, source: TenantId, target: TenantId) -> None:
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        # Without journal and sync, because the file need not survive a crash.
        for line in ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", *_SCHEMA):
            self._db.execute(line)
        self._rename_rules = TenantRename(source=source, target=target, new_id=self.new_id)
        self.rows_n: dict[str, int] = {}

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def add(self, rows: list[Row]) -> None:
        """Add rows of the source tenant."""
        lines = [
            (kind_of_row(row), key_of_row(row), _session_of(row), json.dumps(row, ensure_ascii=False)) for row in rows
        ]
        for kind, *_ in lines:
            self.rows_n[kind] = self.rows_n.get(kind, 0) + 1
        self._db.execute("BEGIN")
        self._db.executemany("INSERT OR REPLACE INTO raw VALUES (?, ?, ?, ?)", lines)
        self._db.execute("COMMIT")

    def replace_by_key(self) -> None:
        """Let every row replace the earlier one of its kind and key; call before `add`."""
        for line in _BY_KEY:
            self._db.execute(line)

    def drop_sessions(self, sessions: Iterable[str]) -> None:
        """Remove the nodes of some sessions, and the links from them; needs `replace_by_key`."""
        for session in sessions:
            rows = self._db.execute("SELECT kind, key FROM raw WHERE session = ?", (session,)).fetchall()
            self._drop(rows)

    def drop_elements(self, ids: Sequence[str]) -> None:
        """Remove nodes of the mind map and facts with these ids, and the links from them; needs `replace_by_key`."""
        self._drop([(kind, key) for key in ids for kind in (*MIND_MAP_KINDS, EDGE)])

    def drop_kinds(self, kinds: Iterable[str]) -> None:
        """Remove all rows of some kinds."""
        for kind in kinds:
            self._db.execute("DELETE FROM raw WHERE kind = ?", (kind,))

    def _drop(self, rows: Sequence[tuple[str, str]]) -> None:
        self._db.execute("BEGIN")
        self._db.executemany("DELETE FROM raw WHERE kind = ? AND key = ?", rows)
        # The key of a link begins with the id of its start and a space; "!" follows the space.
        self._db.executemany(
            "DELETE FROM raw WHERE kind = ? AND key > ? AND key < ?",
            [(link, f"{key} ", f"{key}!") for kind, key in rows for link in _LINKS_OF.get(kind, ())],
        )
        self._db.execute("COMMIT")

    def drop_dangling(self) -> None:
        """Remove facts and links without one of their ends, and count the rows."""
        for kinds, ends in (
            ((EDGE,), MIND_MAP_KINDS),
            (LINKS, (Label.MESSAGE, Label.MEMBER_ENTITY, Label.SESSION, *MIND_MAP_KINDS)),
        ):
            present = f"(SELECT key FROM raw WHERE kind IN ({','.join('?' * len(ends))}))"
            query = (
                f"DELETE FROM raw WHERE kind IN ({','.join('?' * len(kinds))})"
                f" AND (json_extract(line, '$.from') NOT IN {present} OR json_extract(line, '$.to') NOT IN {present})"
            )
            self._db.execute(query, (*kinds, *ends, *ends))
        self.rows_n = dict(self._db.execute("SELECT kind, count(*) FROM raw GROUP BY kind"))

    def add_job_states(self, jobs: Sequence[tuple[str, str, str]]) -> None:
        """Add jobs to what `take_changed_jobs` compares: key, ids of their sessions as JSON, and state."""
        self._db.executemany("INSERT OR REPLACE INTO jobs_now VALUES (?, ?, ?)", jobs)

    def take_changed_jobs(self) -> list[str]:
        """Return the session ids, as JSON, of each job that appeared, changed or vanished since the last call."""
        query = (
            "SELECT sessions FROM (SELECT * FROM jobs_now EXCEPT SELECT * FROM jobs_before)"
            " UNION SELECT sessions FROM (SELECT * FROM jobs_before EXCEPT SELECT * FROM jobs_now)"
        )
        changed = [sessions for (sessions,) in self._db.execute(query)]
        for line in (
            "DELETE FROM jobs_before",
            "INSERT INTO jobs_before SELECT * FROM jobs_now",
            "DELETE FROM jobs_now",
        ):
            self._db.execute(line)
        return changed

    def any_user(self, ids: Iterable[str]) -> bool:
        """Return whether one of these is the id of a user."""
        query = "SELECT 1 FROM raw WHERE kind = ? AND key = ?"
        return any(self._db.execute(query, (Label.USER, name)).fetchone() for name in ids)

    def _map_ids(self) -> None:
        """Compute the ids of all elements in the target tenant."""
        self._db.execute(_BY_KIND)
        self._db.execute("BEGIN")
        for kind in ORDER:
            for row in self.original(kind) if kind not in LINKS and "uri" in properties_of(kind) else ():
                self._map_uri(kind, row["properties"])
        for row in self.original(Label.MEMBER_ENTITY):
            if row["properties"].get("merge_id"):
                self._add_mapping(*merge_id(self._rename_rules, row["properties"]))
        for row in self.original(Label.REJECTED_MERGE):
            self._add_mapping(row["properties"]["id"], rejection_id(self._rename_rules, row["properties"]))
        for row in self.original(Label.EPISODE):
            found = row["properties"]
            uri = self._db.execute("SELECT uri FROM ids WHERE old = ?", (found.get("session_id"),)).fetchone()
            self._add_mapping(found["id"], episode_id(self._rename_rules, found, uri[0] if uri else ""))
        self._db.execute("COMMIT")

    def new_id(self, old: str) -> str:
        """Return the id of an element in the target tenant; unknown ids are returned unchanged."""
        found = self._db.execute("SELECT new FROM ids WHERE old = ?", (old,)).fetchone()
        return str(found[0]) if found else old

    def duplicate_rows(self) -> Iterator[str]:
        """Yield a problem for each duplicate row; call once, before `rewrite`."""
        self._db.execute("CREATE INDEX raw_key ON raw (key, kind)")
        query = "SELECT kind, key FROM raw GROUP BY key, kind HAVING count(*) > 1 ORDER BY min(rowid)"
        for kind, key in self._db.execute(query):
            if kind not in LINKS:
                yield f"{kind} {key} occurs twice"

    def reference_problems(self, seq: int) -> Iterator[str]:
        """Yield a problem for each reference to a missing or unsuitable row; call after `duplicate_rows`.

        Args:
            seq: sequence number of the tenant's last change.
        """
        yield from self._end_problems()
        for kind, name, referenced in _REFERENCES:
            for row in self.original(kind):
                named = row["properties"].get(name)
                if named is not None and referenced not in self._kinds_of(named):
                    yield f"{kind} {key_of_row(row)} names the {referenced} {named} in {name}, which is not in the file"
        for row in self.original(Label.CHANGE):
            if row["properties"]["seq"] > seq:
                yield f"Change {row['properties']['seq']} is higher than the tenant's last sequence number, {seq}"

    def _end_problems(self) -> Iterator[str]:
        for kind in (EDGE, *LINKS):
            for row in self.original(kind):
                name = row.get(EDGE) or row["link"]
                if problem := self._end_problem(row):
                    yield f"{name} from {row['from']} to {row['to']} {problem}"

    def _end_problem(self, row: Row) -> str | None:
        starts, ends = self._kinds_of(row["from"]), self._kinds_of(row["to"])
        if not starts or not ends:
            return "connects a node that is not in the file"
        if EDGE in row:
            fits = any(allowed(Label(a), row[EDGE], Label(b)) for a in starts & _NODE_KINDS for b in ends & _NODE_KINDS)
        else:
            start, end = _LINK_ENDS[row["link"]]
            fits = start in starts and bool(ends & end)
        return None if fits else "connects nodes of kinds that it cannot connect"

    def _kinds_of(self, key: str) -> set[str]:
        return {kind for (kind,) in self._db.execute("SELECT DISTINCT kind FROM raw WHERE key = ?", (key,))}

    def rewrite(self) -> None:
        """Rewrite all rows for the target tenant, so that errors occur before anything is written elsewhere."""
        self._map_ids()
        self._db.execute("BEGIN")
        for kind in ORDER:
            for row in self.original(kind):
                new = self._rewrite(row)
                line = json.dumps(new, ensure_ascii=False)
                self._db.execute("INSERT INTO rewritten VALUES (?, ?, ?)", (kind, key_of_row(new), line))
        self._db.execute("COMMIT")

    def rewritten(self, *kinds: str) -> Iterator[Row]:
        """Yield the rewritten rows of some kinds, kind by kind, sorted by key."""
        for kind in kinds:
            for (line,) in self._db.execute("SELECT line FROM rewritten WHERE kind = ? ORDER BY key, line", (kind,)):
                yield json.loads(line)

    def original(self, kind: str) -> Iterator[Row]:
        """Yield the rows of a kind as they were added."""
        for (line,) in self._db.execute("SELECT line FROM raw WHERE kind = ?", (kind,)):
            yield json.loads(line)

    def _map_uri(self, kind: str, found: Mapping[str, Any]) -> None:
        uri: str = found["uri"]
        self._add_mapping(
            found["id"], self._rename_rules.by_uri(found["id"], uri), uri if kind == Label.SESSION else None
        )
        if kind in (EDGE, Label.MEMBER_FACT):
            # The id of a claim is that of its first validity period, even if that no longer exists.
            first = first_uri(uri)
            self._add_mapping(memory_id(first), self._rename_rules.by_uri(memory_id(first), first))

    def _add_mapping(self, old: str, new: str, uri: str | None = None) -> None:
        self._db.execute("INSERT OR IGNORE INTO ids VALUES (?, ?, ?)", (old, new, uri))

    def _rewrite(self, row: Row) -> Row:
        if "link" in row:
            return {"link": row["link"], "from": self.new_id(row["from"]), "to": self.new_id(row["to"])}
        found = self._rename_rules.properties(row["properties"], properties_of(kind_of_row(row)))
        if row.get("node") == Label.REJECTED_MERGE:
            found["a_id"], found["b_id"] = sorted((found["a_id"], found["b_id"]))
        if EDGE in row:
            ends = {"from": self.new_id(row["from"]), "to": self.new_id(row["to"])}
            return {EDGE: row[EDGE], **ends, "properties": found}
        return {"node": row["node"], "properties": found}


async def in_batches(rows: Iterator[Row], rows_max: int) -> AsyncIterator[list[Row]]:
    """Yield rows in batches, each read in a thread, because SQLite would block the event loop."""
    while batch := await asyncio.to_thread(lambda: list(islice(rows, rows_max))):
        yield batch


def _session_of(row: Row) -> str | None:
    """Return the id of the session whose memory a row is part of; None for rows of several sessions, and links."""
    match row.get("node"):
        case Label.SESSION | Label.SESSION_LIFECYCLE:
            return str(row["properties"]["id"])
        case Label.MESSAGE | Label.EPISODE | Label.SCENE:
            session: str | None = row["properties"].get("session_id")
            return session
    return None


@contextlib.contextmanager
def temporary_staging(*, source: TenantId, target: TenantId) -> Iterator[Staging]:
    """Yield an empty staging file in the directory for temporary files.

    Raises:
        UnavailableError: the disk is full.
    """
    with tempfile.TemporaryDirectory(prefix="mnemoscene-staging-") as folder:
        try:
            with contextlib.closing(Staging(Path(folder) / "rows.sqlite", source=source, target=target)) as staging:
                yield staging
        except sqlite3.OperationalError as error:
            raise UnavailableError(
                f"the copy of the tenant in {tempfile.gettempdir()} could not be written ({error}): free some space "
                "there, or set TMPDIR to another directory"
            ) from error
