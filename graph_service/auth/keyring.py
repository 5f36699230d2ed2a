"""API keys: their format, and all of them, cached in this process, so that no request waits for the database."""

import asyncio
import hashlib
import hmac
import logging
import secrets
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from graph_service.auth.access import Access, Role
from graph_service.auth.disk_copy import DiskCopy
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row
from graph_service.supervision import wait_for_any
from schema.errors import BrokenDataError, ConflictError, InputError, NotFoundError, UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId

PREFIX: Final = "mnk"
KEY_CHARS_MAX: Final = 200
# Maximum length of a key or a signed token.
CREDENTIAL_CHARS_MAX: Final = 8_192
# Used for comparison if there is no such key, so that both cases take equally long.
_NO_HASH: Final = "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A stored key, without its secret.

    Attributes:
        tenant: None means every tenant.
        hash: SHA-256, hexadecimal; without salt, because the key has 256 random bits.
        requests_per_s: rate limit of this key; None means the default.
    """

    id: str
    name: str
    tenant: TenantId | None
    role: Role
    hash: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    requests_per_s: float | None = None

    def is_valid(self, now: datetime) -> bool:
        """Return whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def access(self) -> Access:
        return Access(
            who=f"key:{self.id}",
            tenant=self.tenant,
            role=self.role,
            key_id=self.id,
            until_s=self.expires_at.timestamp() if self.expires_at else None,
            requests_per_s=self.requests_per_s,
        )


def looks_like_key(text: str) -> bool:
    """Return whether a credential has the format of our keys."""
    return text.startswith(f"{PREFIX}_") and len(text) <= KEY_CHARS_MAX


def key_id_of(text: str) -> str:
    return text.split("_", 2)[1] if text.count("_") >= 2 else ""


def key_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


_log = logging.getLogger("mnemoscene.keys")

KEYS_MAX: Final = 10_000
NAME_CHARS_MAX: Final = 100
POLL_S: Final = 2.0
# An unknown key may just have been created by another process: the keys are then reloaded, at most this often.
_UNKNOWN_POLL_S: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKeys:
    """The last loaded keys, as stored on disk.

    Attributes:
        exist: a key exists, even if none could be decoded; then credentials are required.
    """

    exist: bool
    keys: tuple[Key, ...]


_STORED: Final = TypeAdapter(StoredKeys)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A new key.

    Attributes:
        text: the secret key, which cannot be shown again.
    """

    text: str
    key: Key


class Keyring:
    """All API keys.

    While the database is unavailable, the last loaded keys are valid; none can be created or revoked then. Their hashes
    are stored on disk for processes that start while it is down.

    Args:
        file: where the last loaded keys are stored, readable by this user only.
    """

    def __init__(self, graph: Graph, *, file: Path) -> None:
        self._copy = DiskCopy(file, _STORED)
        self._graph = graph
        self._keys: dict[str, Key] | None = None
        self._exist = False
        self._loading = asyncio.Lock()
        self._loaded_s = 0.0
        self._reloaded = asyncio.Event()

    @property
    def any_exist(self) -> bool:
        """True if any key exists, including revoked ones."""
        return self._exist

    @property
    def loaded(self) -> bool:
        """True once the keys were loaded; nobody can authenticate before."""
        return self._keys is not None

    async def ensure_loaded(self) -> None:
        """Load the keys if they were never loaded.

        Raises:
            UnavailableError: the database does not answer, and no keys are stored on disk.
        """
        if self._keys is None:
            async with self._loading:
                if self._keys is None:
                    try:
                        await self._load()
                    except UnavailableError:
                        stored = await asyncio.to_thread(self._copy.get)
                        if stored is None:
                            raise
                        self._keys, self._exist = {key.id: key for key in stored.keys}, stored.exist

    def by_id(self, key_id: str) -> Key | None:
        """Return a key if it is valid now."""
        key = (self._keys or {}).get(key_id)
        return key if key is not None and key.is_valid(datetime.now(UTC)) else None

    async def find(self, text: str, *, reload_unknown: bool = True) -> Key | None:
        """Return the key with this text if it is valid now.

        Args:
            reload_unknown: reload the keys if the id is unknown, which takes up to 0.2 s.
        """
        reload_unknown = reload_unknown and looks_like_key(text)
        key = await self.find_id(key_id_of(text)) if reload_unknown else self.by_id(key_id_of(text))
        # In constant time.
        return key if hmac.compare_digest(key_hash(text), key.hash if key else _NO_HASH) else None

    async def find_id(self, key_id: str) -> Key | None:
        """Return a key if it is valid now; reload the keys if the id is unknown, which takes up to 0.2 s."""
        if key_id not in (self._keys or {}):
            await asyncio.sleep(max(_UNKNOWN_POLL_S - self._age_s(), 0.0))
            await self._refresh(older_than_s=_UNKNOWN_POLL_S)
        return self.by_id(key_id)

    async def list_keys(self) -> list[Key]:
        """Return all keys, valid ones first."""
        return _decode_keys(await self._rows())

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
        """Create a key; valid at once in this process, within seconds in others.

        Raises:
            InputError: the name is empty or too long.
            ConflictError: there are too many keys.
        """
        if not 1 <= len(name.strip()) <= NAME_CHARS_MAX or not name.isprintable():
            raise InputError(
                f"the name {name[:NAME_CHARS_MAX]!r} is invalid: use 1 to {NAME_CHARS_MAX} printable characters"
            )
        if len(await self.list_keys()) >= KEYS_MAX:
            raise ConflictError(
                f"there are already {KEYS_MAX:,} keys; delete revoked ones with `mnemoscene keys delete`"
            )
        key_id, now = secrets.token_urlsafe().replace("_", "").replace("-", "")[:12].lower(), datetime.now(UTC)
        text = f"{PREFIX}_{key_id}_{secrets.token_urlsafe()}"
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
        """Revoke a key, at once in this process, within seconds in others.

        Raises:
            NotFoundError: there is no such key.
        """
        if not await self._write(statement("auth/revoke_key"), {"id": key_id, "at": datetime.now(UTC)}):
            raise NotFoundError(f"there is no key {key_id!r}; `mnemoscene keys` lists them")

    async def delete(self, key_id: str) -> None:
        """Delete a revoked key; without any key, a service on the loopback interface is open again.

        Raises:
            NotFoundError: there is no such revoked key.
        """
        if not await self._write(statement("auth/delete_key"), {"id": key_id}):
            raise NotFoundError(f"there is no revoked key {key_id!r}; `mnemoscene keys` lists them")

    async def run(self, stop: asyncio.Event) -> None:
        """Reload the keys periodically until `stop` is set."""
        while not stop.is_set():
            await self._refresh()
            await wait_for_any(stop, timeout_s=POLL_S)

    async def wait_for_reload(self) -> None:
        await self._reloaded.wait()

    async def _write(self, written: Statement, parameters: dict[str, Any]) -> list[Row]:
        rows = await self._graph.run(written, parameters)
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
        keys = _decode_keys(rows)
        self._keys = {key.id: key for key in keys}
        # Keys that cannot be decoded count, too: credentials stay required.
        self._exist = bool(rows)
        self._loaded_s = time.monotonic()
        await asyncio.to_thread(self._copy.put, StoredKeys(exist=self._exist, keys=tuple(keys)))
        reloaded, self._reloaded = self._reloaded, asyncio.Event()
        reloaded.set()

    def _age_s(self) -> float:
        return time.monotonic() - self._loaded_s


async def plan_reading(graph: Graph) -> None:
    """Run the query for keys once, so that the database has planned it before the first request."""
    await graph.read(statement("auth/list_keys"), {"rows_max": 1})


def _decode_keys(rows: list[Row]) -> list[Key]:
    """Return the keys of rows; malformed ones are left out, so that the others still work."""
    found = []
    for row in rows:
        try:
            key = row["key"]
            tenant = None if key["tenant"] is None else TenantId(key["tenant"])
            found.append(Key(**{**key, "role": Role(key["role"]), "tenant": tenant}))
        except (KeyError, TypeError, ValueError) as error:
            extra = {"code": BrokenDataError.code}
            _log.error("a key in the database cannot be decoded (%s); it is ignored", failure_of(error), extra=extra)
    return found
