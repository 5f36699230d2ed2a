"""Call the GraphQL API of the service under test, and control the service outside of the API."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import quote

import httpx

from graph_service.api.request_gate import HEADER as TENANT_HEADER
from graph_service.app.middleware import HEADER as ROUND_TRIP_HEADER
from schema.errors import MnemosceneError, UnavailableError

# Longer than a recall takes on a busy machine; ends an evaluation when the service hangs.
_TIMEOUT_S: Final = 120.0
# Shorter than servers and proxies keep idle connections, so that no request is sent on one that is being closed.
_KEEP_ALIVE_S: Final = 2.0
_POLL_S: Final = 0.2
_SPOOLED: Final = "{ jobStatus { spooled } }"
# Extraction from a hundred scenes by rules takes seconds, minutes on a loaded machine; a worker without progress for
# this long is stuck.
_NO_PROGRESS_MAX_S: Final = 900.0


class ServiceControl(Protocol):
    """Operations on the service outside of its API."""

    async def work_left(self, tenant: str) -> int:
        """Return the number of pending extraction and embedding jobs."""
        ...

    async def forget(self, tenant: str, user_id: str) -> None:
        """Forget a user; durable when it returns, finished in the background."""
        ...


async def wait_until_idle(control: ServiceControl, tenant: str) -> None:
    """Return when no job of the tenant is left.

    Raises:
        UnavailableError: no job was finished for `_NO_PROGRESS_MAX_S`.
    """
    await _wait_until_none(partial(control.work_left, tenant), "jobs wait and none is done; see `mnemoscene jobs`")


async def _wait_until_none(count: Callable[[], Awaitable[int]], problem: str) -> None:
    last, since_s = -1, time.monotonic()
    while left := await count():
        if left != last:
            last, since_s = left, time.monotonic()
        elif time.monotonic() - since_s > _NO_PROGRESS_MAX_S:
            raise UnavailableError(f"{left} {problem} and the log")
        await asyncio.sleep(_POLL_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphqlAnswer:
    """An answer of the service.

    Attributes:
        round_trips: number of database round trips of the service.
    """

    data: Mapping[str, Any]
    round_trips: int


class GraphqlClient:
    """Send GraphQL documents over HTTP; an async context manager.

    Args:
        address: base URL of the service.
    """

    def __init__(self, address: str) -> None:
        limits = httpx.Limits(keepalive_expiry=_KEEP_ALIVE_S)
        self._http = httpx.AsyncClient(base_url=address, timeout=_TIMEOUT_S, limits=limits, trust_env=False)

    async def __aenter__(self) -> "GraphqlClient":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._http.aclose()

    async def ask(self, tenant: str, document: str, variables: Mapping[str, Any]) -> GraphqlAnswer:
        """Execute one document and return its answer.

        Raises:
            UnavailableError: the service or its database does not answer.
            MnemosceneError: it refused the document.
        """
        body = {"query": document, "variables": dict(variables)}
        try:
            answer = await self._http.post("/graphql", json=body, headers={TENANT_HEADER: quote(tenant)})
        except httpx.HTTPError as error:
            raise UnavailableError(f"the service does not answer ({type(error).__name__}); start again") from error
        if answer.status_code != httpx.codes.OK:
            raise UnavailableError(f"the service answered {answer.status_code}: {answer.text[:200]}")
        tree = answer.json()
        for problem in tree.get("errors") or ():
            if problem.get("extensions", {}).get("code") == UnavailableError.code:
                raise UnavailableError(problem["message"])
            raise MnemosceneError(f"the service rejected a call: {problem['message']}")
        return GraphqlAnswer(data=tree["data"], round_trips=int(answer.headers[ROUND_TRIP_HEADER]))


async def wait_until_stored(client: GraphqlClient, tenant: str) -> None:
    """Return when no message of the tenant waits on disk.

    On a busy machine a commit may exceed its time limit; the messages then wait in the spool, and their session does
    not exist yet.

    Raises:
        UnavailableError: the service does not answer, or no episode was stored for `_NO_PROGRESS_MAX_S`.
    """

    async def spooled() -> int:
        return int((await client.ask(tenant, _SPOOLED, {})).data["jobStatus"]["spooled"])

    await _wait_until_none(spooled, "episodes wait on disk; see `mnemoscene spool`")
