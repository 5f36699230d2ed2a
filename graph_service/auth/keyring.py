"""The API keys as this process knows them: read every two seconds, so that no request waits for the database."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from extraction.verified_files import write_private
from graph_service.auth.access import Role
from graph_service.auth.keys import Key, format_key, key_hash, key_id_of, looks_like_key, matches_key
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row, Writing
from schema.errors import BrokenDataError, ConflictError, InputError, NotFoundError, UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId

_log = logging.getLogger("mnemograph.keys")

KEYS_MAX: Final = 10_000
NAME_CHARS_MAX: Final = 100
POLL_S: Final = 2.0
# A key that is not known may have been made a moment ago by another process; at most so often that is looked up, and
# whoever shows one waits for it.
_UNKNOWN_POLL_S: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKeys:
    """The keys as they were known last, as they are kept on disk.

    Attributes:
        exist: there was a key, even if none of them could be understood; it locks the doors.
    """

    exist: bool
    keys: tuple[Key, ...]


_KEPT: Final = TypeAdapter(StoredKeys)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key that was made.

    Attributes:
        text: the key itself; nobody can tell it again.
    """

    text: str
    key: Key


class Keyring:
    """All API keys.

    While the database is away the keys that were known last count: nobody can make or revoke one then. They are kept on
    disk, without their texts, for a process that starts while it is away.

    Args:
        clock: aware UTC now.
        word: an unguessable word, 256 random bits, for URLs.
        kept: the file with the keys known last, readable by this user only; None keeps none.
    """

    def __init__(
        self, graph: Graph, *, clock: Callable[[], datetime], word: Callable[[], str], kept: Path | None = None
    ) -> None:
        self._kept = kept
        self._kept_text = ""
        self._graph = graph
        self._clock = clock
        self._word = word
        self._keys: dict[str, Key] | None = None
        self._exist = False
        self._loading = asyncio.Lock()
        self._loaded_s = 0.0
        self._news = asyncio.Event()

    @property
    def any_exist(self) -> bool:
        """True if any key was ever made and not dropped; one that was revoked still locks the door."""
        return self._exist

    @property
    def loaded(self) -> bool:
        """Return whether the keys were read once; until then nobody is let in."""
        return self._keys is not None

    async def ensure_loaded(self) -> None:
        """Return when the keys were read once.

        Raises:
            UnavailableError: they were never read, and the database does not answer.
        """
        if self._keys is None:
            async with self._loading:
                if self._keys is None:
                    try:
                        await self._load()
                    except UnavailableError:
                        kept = await asyncio.to_thread(self._read_kept)
                        if kept is None:
                            raise
                        self._keys, self._exist = {key.id: key for key in kept.keys}, kept.exist

    def by_id(self, key_id: str) -> Key | None:
        """Return a key that is good now."""
        key = (self._keys or {}).get(key_id)
        return key if key is not None and key.is_valid(self._clock()) else None

    async def find(self, text: str, *, look_again: bool = True) -> Key | None:
        """Return the key with this text, if it is good now.

        Args:
            look_again: read the keys from the database for an id that is not known, which takes up to 0.2 s.
        """
        key = self.by_id(key_id_of(text))
        if look_again and key is None and looks_like_key(text) and key_id_of(text) not in (self._keys or {}):
            await asyncio.sleep(max(_UNKNOWN_POLL_S - self._age_s(), 0.0))
            await self._refresh(older_than_s=_UNKNOWN_POLL_S)
            key = self.by_id(key_id_of(text))
        return key if matches_key(text, key) else None

    async def list_keys(self) -> list[Key]:
        """Return all keys, good ones first.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        return _understood_of(await self._rows())

    async def _rows(self) -> list[Row]:
        return await self._graph.read(statement("auth/list_keys"), {"rows_max": KEYS_MAX})

    async def create(
        self,
        *,
        name: str,
        tenant: TenantId | None,
        role: Role,
        lasts: timedelta | None = None,
        requests_per_s: float | None = None,
    ) -> NewKey:
        """Make a key; good at once in this process, within seconds in others.

        Raises:
            InputError: the name is empty or too long.
            ConflictError: there are too many keys.
            UnavailableError: Neo4j does not answer.
        """
        if not 1 <= len(name.strip()) <= NAME_CHARS_MAX or not name.isprintable():
            raise InputError(
                f"the name {name[:NAME_CHARS_MAX]!r} does not fit: use 1 to {NAME_CHARS_MAX} printable signs"
            )
        if len(await self.list_keys()) >= KEYS_MAX:
            raise ConflictError(f"there are {KEYS_MAX:,} keys already; drop revoked ones with `mnemograph keys drop`")
        key_id, now = self._word().replace("_", "").replace("-", "")[:12].lower(), self._clock()
        text = format_key(key_id, self._word())
        key = Key(
            id=key_id,
            name=name.strip(),
            tenant=tenant,
            role=role,
            hash=key_hash(text),
            created_at=now,
            expires_at=now + lasts if lasts is not None else None,
            requests_per_s=requests_per_s,
        )
        row = {field: value for field, value in asdict(key).items() if field not in ("id", "tenant", "revoked_at")}
        await self._write(statement("auth/add_key"), {"id": key_id, "tenant": tenant, "row": row})
        return NewKey(text=text, key=key)

    async def revoke(self, key_id: str) -> None:
        """Make a key good for nothing, at once in this process, within seconds in others.

        Raises:
            NotFoundError: there is no such key.
            UnavailableError: Neo4j does not answer.
        """
        if not await self._write(statement("auth/revoke_key"), {"id": key_id, "at": self._clock()}):
            raise NotFoundError(f"there is no key {key_id!r}; `mnemograph keys` lists them")

    async def delete(self, key_id: str) -> None:
        """Take a revoked key out of the list; without any key a service for this machine alone is open again.

        Raises:
            NotFoundError: there is no such key, or it was not revoked.
            UnavailableError: Neo4j does not answer.
        """
        if not await self._write(statement("auth/delete_key"), {"id": key_id}):
            raise NotFoundError(f"there is no revoked key {key_id!r}; `mnemograph keys` lists them")

    async def run(self, stop: asyncio.Event) -> None:
        """Read the keys again and again until `stop` is set."""
        while not stop.is_set():
            await self._refresh()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await stop.wait()

    async def wait_for_reload(self) -> None:
        """Return when the keys were read the next time."""
        await self._news.wait()

    async def _write(self, written: Statement, parameters: dict[str, Any]) -> list[Row]:
        async def steps(writing: Writing) -> list[Row]:
            return await writing.run(written, parameters)

        rows = await self._graph.write(steps)
        async with self._loading:
            await self._load()
        return rows

    async def _refresh(self, *, older_than_s: float = 0.0) -> None:
        try:
            async with self._loading:
                if self._age_s() >= older_than_s:
                    await self._load()
        except UnavailableError:
            self._loaded_s = time.monotonic()

    async def _load(self) -> None:
        rows = await self._rows()
        keys = _understood_of(rows)
        self._keys = {key.id: key for key in keys}
        # Also one that cannot be understood locks the door.
        self._exist = bool(rows)
        self._loaded_s = time.monotonic()
        await asyncio.to_thread(self._keep, StoredKeys(exist=self._exist, keys=tuple(keys)))
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _keep(self, kept: StoredKeys) -> None:
        """Write the keys down when they have changed; a disk that does not take them delays a later start, no more."""
        text = _KEPT.dump_json(kept).decode()
        if self._kept is None or text == self._kept_text:
            return
        try:
            self._kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._kept, text)
        except OSError as error:
            # What stands there may open a door to a key that was revoked since.
            with contextlib.suppress(OSError):
                self._kept.unlink(missing_ok=True)
            _log.warning("the keys could not be kept on disk (%s)", type(error).__name__)
        else:
            self._kept_text = text

    def _read_kept(self) -> StoredKeys | None:
        if self._kept is None:
            return None
        try:
            return _KEPT.validate_json(self._kept.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def _age_s(self) -> float:
        return time.monotonic() - self._loaded_s


async def plan_reading(graph: Graph) -> None:
    """Have the database plan how keys are read, while it is asked something else: the first request waits for them."""
    await graph.read(statement("auth/list_keys"), {"rows_max": 1})


def _understood_of(rows: list[Row]) -> list[Key]:
    return [key for row in rows if (key := _understood(row["key"])) is not None]


def _understood(row: Row) -> Key | None:
    """Return the key of a row; None for one that lacks something: it opens nothing, and keeps no other from opening."""
    try:
        return _key(row)
    except (KeyError, TypeError, ValueError) as error:
        failure = failure_of(error)
        _log.error(
            "a key in the database cannot be understood (%s); it opens nothing",
            failure,
            extra={"code": BrokenDataError.code},
        )
        return None


def _key(row: Row) -> Key:
    tenant = row["tenant"]
    return Key(**{**row, "role": Role(row["role"]), "tenant": None if tenant is None else TenantId(tenant)})
