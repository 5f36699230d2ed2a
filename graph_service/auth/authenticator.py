"""Authentication of all requests, with rate limits, session cookies and audit entries."""

import asyncio
import logging
import math
import secrets
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NoReturn

from starlette.requests import HTTPConnection

from graph_service.auth.access import ANONYMOUS, Access, Role, quota_key
from graph_service.auth.audit import AuditEntry, AuditLog
from graph_service.auth.keyring import Keyring, looks_like_key
from graph_service.auth.quarantine import Quarantine
from graph_service.auth.rates import RateLimiter
from graph_service.auth.sign_in import cookie_name, decode_session, encode_session
from graph_service.config.sections import AuthSettings
from schema.errors import MnemosceneError, RateLimitError, UnauthorizedError, UnavailableError
from schema.ids import TenantId

if TYPE_CHECKING:
    from graph_service.auth.signed_token import TokenRules

_log = logging.getLogger("mnemoscene.auth")

_BEARER: Final = "bearer "
# Failed attempts per client address.
_FAILURES_PER_S: Final = 5.0
_FAILURES_BURST: Final = 30
# Log lines about refused credentials, for all addresses together.
_REFUSALS_LOGGED_PER_S: Final = 1.0
_REFUSALS_LOGGED_BURST: Final = 20
# Probes must be answered while the database does not respond.
_PROBE_MAX_S: Final = 1.0
_KEYS_UNKNOWN: Final = "the API keys are known once Neo4j has answered for the first time"
# While the database has never answered, callers of a service that only this machine reaches may fill the spool; they
# can read no more than what such callers spooled.
_BEFORE_CONTACT: Final = Access(who=ANONYMOUS.who, tenant=None, role=Role.WRITE)
_MISSING: Final = (
    "a credential is required: send the header `Authorization: Bearer KEY`, or sign in to the viewer;"
    " `mnemoscene keys create NAME` creates a key"
)
_ENDED: Final = "your credential has expired or was revoked; sign in again"
_SIGNED_OUT: Final = "you are signed out: the session has expired, or its key was revoked; sign in again"
_INVALID: Final = "the credential is wrong, expired or revoked; `mnemoscene keys` lists the valid keys"


class Authenticator:
    """Authenticates callers by API key, signed token or session cookie.

    While no key exists and no tokens are configured, everybody has full access unless `always_locked`.

    Args:
        read_only: no caller has more than the role READ.
        always_locked: require a credential even if none exists; set when other machines can reach the service.
        quarantine: tenants whose requests are refused.
        before_contact: returns True if this data directory holds nothing that came from the database.
        session_secret: signs session cookies; without one, a restart invalidates all sessions.
    """

    def __init__(
        self,
        keyring: Keyring,
        auth: AuthSettings,
        *,
        tokens: "TokenRules | None",
        audit: AuditLog,
        quarantine: Quarantine,
        always_locked: bool,
        read_only: bool = False,
        before_contact: Callable[[], bool] = lambda: False,
        session_secret: bytes | None = None,
    ) -> None:
        self.quarantine = quarantine
        self._before_contact = before_contact
        self.keyring = keyring
        self._tokens = tokens
        self._session_s = auth.session_s
        self._always_locked = always_locked
        self._read_only = read_only
        self._audit = audit
        self.rates = RateLimiter(per_s=auth.requests_per_s, burst=auth.burst)
        self._failures = RateLimiter(per_s=_FAILURES_PER_S, burst=_FAILURES_BURST)
        self._refusals_logged = RateLimiter(per_s=_REFUSALS_LOGGED_PER_S, burst=_REFUSALS_LOGGED_BURST)
        self._secret = session_secret or secrets.token_bytes(32)

    @property
    def audit_problem(self) -> str | None:
        """Return why audit entries are being lost, or None."""
        return self._audit.problem

    @property
    def locked(self) -> bool:
        """True if a credential is required; valid after the keys were loaded."""
        return self._always_locked or self._tokens is not None or self.keyring.any_exist

    async def authenticate(self, connection: HTTPConnection, *, token: str | None = None) -> Access:
        """Return the access of a caller.

        Args:
            token: a credential that was not sent in the Authorization header; the header takes precedence.

        Raises:
            UnauthorizedError: the credential is missing or invalid.
            RateLimitError: too many failed attempts from this address.
            UnavailableError: the keys were never loaded, the database does not answer, and the credential is no signed
                token.
        """
        access = await self._credential_access(connection, token=token)
        return replace(access, role=Role.READ) if self._read_only else access

    async def _credential_access(self, connection: HTTPConnection, *, token: str | None) -> Access:
        header = connection.headers.get("authorization", "")
        credential = header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else token
        try:
            await self.keyring.ensure_loaded()
        except UnavailableError as error:
            # Signed tokens need no key. Nobody else gets in, because the database may have keys.
            if self._tokens is None or not credential or looks_like_key(credential):
                if not self._always_locked and self._tokens is None and await asyncio.to_thread(self._before_contact):
                    return _BEFORE_CONTACT
                raise UnavailableError(f"{_KEYS_UNKNOWN}: {error.message}") from error
        if not self.locked:
            return ANONYMOUS
        cookie = connection.cookies.get(cookie_name(connection.headers.get("host", "")))
        if not credential and not cookie:
            raise UnauthorizedError(_MISSING)
        # Guessing keys must not cause a database read per attempt; valid keys work regardless.
        reload_unknown = not self._failures.would_wait(_address(connection), now_s=time.monotonic())
        try:
            if credential:
                return await self._access_of(credential, reload_unknown=reload_unknown)
            return await self._of_session(cookie or "")
        except UnauthorizedError as error:
            self._count_failure(connection, error)
            raise

    async def is_authenticated(self, connection: HTTPConnection) -> bool:
        """Return whether the caller is authenticated, within a second even if the database does not respond."""
        try:
            async with asyncio.timeout(_PROBE_MAX_S):
                await self.authenticate(connection)
        except (MnemosceneError, TimeoutError):
            return False
        return True

    def check_rate(self, access: Access) -> None:
        """Count one request.

        Raises:
            RateLimitError: the credential exceeds its rate.
        """
        if access.is_anonymous:
            return
        wait_s = self.rates.wait_s(quota_key(access), now_s=time.monotonic(), per_s=access.requests_per_s)
        if wait_s > 0:
            raise RateLimitError(
                f"this credential exceeds its rate; wait {math.ceil(wait_s)} s, or ask its issuer for a higher rate",
                wait_s,
            )

    def charge(self, access: Access, requests: int) -> None:
        """Count extra requests for one that was admitted, such as the root fields of an operation.

        Never refuses; an overdrawn rate makes `check_rate` refuse the next request.
        """
        if not access.is_anonymous:
            self.rates.charge(quota_key(access), requests)

    def new_session(self, access: Access) -> tuple[str, float]:
        """Return the content of a session cookie for this access, and its lifetime in seconds."""
        now_s = time.time()
        until_s = min(now_s + self._session_s, access.until_s or math.inf)
        return encode_session(access, until_s=until_s, secret=self._secret), until_s - now_s

    def endings(self, access: Access, tenant: TenantId, what: str) -> list[Coroutine[Any, Any, NoReturn]]:
        """Return waits for what ends a read of a tenant: each raises the error that says why.

        Args:
            what: for the message.
        """
        return [self.raise_when_invalid(access), self.quarantine.raise_when_closed(tenant, what)]

    async def raise_when_invalid(self, access: Access) -> NoReturn:
        """Wait until the access has expired or was revoked.

        Raises:
            UnauthorizedError: it has.
        """
        while self._is_valid(access):
            left_s = math.inf if access.until_s is None else access.until_s - time.time()
            try:
                async with asyncio.timeout(None if left_s == math.inf else max(left_s, 0.0) + 0.01):
                    await self.keyring.wait_for_reload()
            except TimeoutError:
                continue
        raise UnauthorizedError(_ENDED)

    async def write_audit(
        self,
        access: Access,
        *,
        tenant: TenantId | None,
        interface: str,
        what: tuple[str, ...],
        targets: tuple[str, ...] = (),
        outcome: str = "done",
    ) -> None:
        """Write an entry to the audit log; anonymous access is not logged."""
        if not access.is_anonymous:
            entry = AuditEntry(
                at=datetime.now(UTC),
                who=access.who,
                tenant=tenant,
                interface=interface,
                what=what,
                targets=targets,
                outcome=outcome,
            )
            await self._audit.write(entry)

    async def _access_of(self, credential: str, *, reload_unknown: bool) -> Access:
        if self._tokens is not None and not looks_like_key(credential):
            from graph_service.auth.signed_token import verify_token

            return verify_token(credential, self._tokens)
        key = await self.keyring.find(credential, reload_unknown=reload_unknown)
        if key is None:
            raise UnauthorizedError(_INVALID)
        return key.access()

    async def _of_session(self, cookie: str) -> Access:
        session = decode_session(cookie, now_s=time.time(), secret=self._secret)
        if session is not None and session.key_id is None:
            return session
        key = await self.keyring.find_id(session.key_id) if session is not None and session.key_id else None
        if session is None or key is None:
            raise UnauthorizedError(_SIGNED_OUT)
        return replace(key.access(), until_s=session.until_s)

    def _is_valid(self, access: Access) -> bool:
        if access.is_anonymous:
            return not self.locked
        if access.until_s is not None and access.until_s <= time.time():
            return False
        return access.key_id is None or self.keyring.by_id(access.key_id) is not None

    def _count_failure(self, connection: HTTPConnection, error: UnauthorizedError) -> None:
        now_s = time.monotonic()
        wait_s = self._failures.wait_s(_address(connection), now_s=now_s)
        if self._refusals_logged.wait_s("", now_s=now_s) == 0:
            _log.warning("a credential was refused: %s", error.message)
        if wait_s > 0:
            raise RateLimitError("too many failed sign-in attempts; wait and try again", wait_s)


def _address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""
