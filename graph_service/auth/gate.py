"""The gate of all doors: who comes with which credential, how often, and until when."""

import asyncio
import logging
import math
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from starlette.requests import HTTPConnection

from graph_service.auth.access import ANYBODY, Access, holder_of
from graph_service.auth.audit import AuditLog, Deed
from graph_service.auth.keyring import Keyring
from graph_service.auth.keys import looks_like_key
from graph_service.auth.rates import RateLimiter
from graph_service.auth.sign_in import cookie_name, session_in, session_text
from graph_service.config.sections import AuthSettings
from schema.errors import MnemographError, RateLimitError, UnauthorizedError
from schema.ids import TenantId

if TYPE_CHECKING:
    from graph_service.auth.signed_token import TokenRules

_log = logging.getLogger("mnemograph.auth")

_BEARER: Final = "bearer "
# Of one address; whoever tries keys out gets no further with more.
_FAILURES_PER_S: Final = 5.0
_FAILURES_BURST: Final = 30
# Lines of the log about refused credentials, of all addresses together.
_REFUSALS_TOLD_PER_S: Final = 1.0
_REFUSALS_TOLD_BURST: Final = 20
# A probe must be answered although the database is silent.
_KNOWN_MAX_S: Final = 1.0
_WHO: Final = (
    "who is asking? Send the header `Authorization: Bearer KEY`, or sign in to the viewer;"
    " `mnemograph keys create NAME` makes a key"
)
_SIGNED_OUT: Final = "you are signed out: the sign-in is over, or its key was revoked; sign in again"
_NO_GOOD: Final = "this credential is not good: it is wrong, revoked or over; `mnemograph keys` lists the good ones"


class Gate:
    """Lets people and programs in.

    While there is no credential at all, anybody may do anything, unless `always_locked`.

    Args:
        always_locked: other machines reach this service.
        clock: aware UTC now.
    """

    def __init__(
        self,
        keyring: Keyring,
        auth: AuthSettings,
        *,
        tokens: "TokenRules | None",
        audit: AuditLog,
        always_locked: bool,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.keyring = keyring
        self._tokens = tokens
        self._session_s = auth.session_s
        self._always_locked = always_locked
        self._clock = clock
        self._audit = audit
        self._rates = RateLimiter(per_s=auth.requests_per_s, burst=auth.burst)
        self._failures = RateLimiter(per_s=_FAILURES_PER_S, burst=_FAILURES_BURST)
        self._refusals_told = RateLimiter(per_s=_REFUSALS_TOLD_PER_S, burst=_REFUSALS_TOLD_BURST)
        # Of this process alone: after a restart people sign in again.
        self._secret = secrets.token_bytes(32)

    @property
    def audit_problem(self) -> str | None:
        """Return why lines of the audit log are being lost; None while they are written."""
        return self._audit.problem

    @property
    def locked(self) -> bool:
        """True if a credential is needed; known once the keys were read."""
        return self._always_locked or self._tokens is not None or self.keyring.exist

    async def admit(self, connection: HTTPConnection, *, token: str | None = None) -> Access:
        """Return who is coming.

        Args:
            token: a credential that came otherwise than by a header.

        Raises:
            UnauthorizedError: no credential, or none that is good.
            RateLimitError: too many that were not good came from that address.
            UnavailableError: the keys are not known yet and the database does not answer.
        """
        await self.keyring.know()
        if not self.locked:
            return ANYBODY
        header = connection.headers.get("authorization", "")
        shown = header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else token
        cookie = connection.cookies.get(cookie_name(connection.headers.get("host", "")))
        if not shown and not cookie:
            raise UnauthorizedError(_WHO)
        # Whoever tries keys out must not have the database read for each; good keys are let in as ever.
        look_again = not self._failures.spent(_address(connection), now_s=time.monotonic())
        try:
            return await self._access_of(shown, look_again=look_again) if shown else self._of_session(cookie or "")
        except UnauthorizedError as error:
            self._count_failure(connection, error)
            raise

    async def knows(self, connection: HTTPConnection) -> bool:
        """Return whether whoever comes may be told how the service does; also while the database is away."""
        try:
            async with asyncio.timeout(_KNOWN_MAX_S):
                await self.admit(connection)
        except (MnemographError, TimeoutError):
            return False
        return True

    def spend(self, access: Access) -> None:
        """Count one request.

        Raises:
            RateLimitError: the credential was used too often.
        """
        if access is ANYBODY:
            return
        wait_s = self._rates.wait_s(holder_of(access), now_s=time.monotonic(), per_s=access.requests_per_s)
        if wait_s > 0:
            raise RateLimitError(
                f"more requests than this credential may send; wait {math.ceil(wait_s)} s, or ask whoever made it for a"
                " higher rate",
                wait_s,
            )

    def charge(self, access: Access, requests: int) -> None:
        """Count further requests that came inside one that was let in, such as the root fields of an operation.

        Refuses nothing; while more was used than there was, `spend` refuses what comes next.
        """
        if access is not ANYBODY:
            self._rates.charge(holder_of(access), requests)

    def session(self, access: Access) -> tuple[str, float]:
        """Return what a cookie holds that stands for this access, and for how many seconds."""
        now_s = self._clock().timestamp()
        until_s = min(now_s + self._session_s, access.until_s or math.inf)
        return session_text(access, until_s=until_s, secret=self._secret), until_s - now_s

    async def ended(self, access: Access) -> None:
        """Return when the access is not good any more: over, revoked, or changed."""
        while self._still(access):
            left_s = math.inf if access.until_s is None else access.until_s - self._clock().timestamp()
            try:
                async with asyncio.timeout(None if left_s == math.inf else max(left_s, 0.0) + 0.01):
                    await self.keyring.news()
            except TimeoutError:
                continue

    async def note(
        self,
        access: Access,
        *,
        tenant: TenantId | None,
        door: str,
        what: tuple[str, ...],
        targets: tuple[str, ...] = (),
        outcome: str = "done",
    ) -> None:
        """Write what somebody did to the audit log; what anybody does while no credential exists is not logged."""
        if access is not ANYBODY:
            deed = Deed(
                at=self._clock(),
                who=access.who,
                tenant=tenant,
                door=door,
                what=what,
                targets=targets,
                outcome=outcome,
            )
            await self._audit.note(deed)

    async def _access_of(self, shown: str, *, look_again: bool) -> Access:
        if self._tokens is not None and not looks_like_key(shown):
            from graph_service.auth.signed_token import read_token

            return read_token(shown, self._tokens)
        key = await self.keyring.find(shown, look_again=look_again)
        if key is None:
            raise UnauthorizedError(_NO_GOOD)
        return key.access()

    def _of_session(self, cookie: str) -> Access:
        told = session_in(cookie, now_s=self._clock().timestamp(), secret=self._secret)
        if told is not None and told.key_id is None:
            return told
        key = self.keyring.by_id(told.key_id) if told is not None and told.key_id else None
        if told is None or key is None:
            raise UnauthorizedError(_SIGNED_OUT)
        return replace(key.access(), until_s=told.until_s)

    def _still(self, access: Access) -> bool:
        if access is ANYBODY:
            return not self.locked
        if access.until_s is not None and access.until_s <= self._clock().timestamp():
            return False
        return access.key_id is None or self.keyring.by_id(access.key_id) is not None

    def _count_failure(self, connection: HTTPConnection, error: UnauthorizedError) -> None:
        now_s = time.monotonic()
        wait_s = self._failures.wait_s(_address(connection), now_s=now_s)
        if self._refusals_told.wait_s("", now_s=now_s) == 0:
            _log.warning("a credential was refused: %s", error.message)
        if wait_s > 0:
            raise RateLimitError("too many credentials that are not good; wait a little", wait_s)


def _address(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""
