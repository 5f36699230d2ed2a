"""Ask a memory by GraphQL: the running service over HTTP, or without one the same schema in this process.

A command is a GraphQL document and the formatting of its answer. This module and what it imports are loaded by each
such command: beside a running service neither the database driver nor a model or web framework is imported
(tests/repository/test_start.py).
"""

import contextlib
import http.client
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from graph_service.cli.options import Invocation
from graph_service.cli.signals import event_loop
from graph_service.cli.terminal import ProgressBars, Terminal
from graph_service.config.settings import Settings
from graph_service.observability.progress import Step
from graph_service.version import version
from schema.error_codes import error_kinds
from schema.errors import (
    ConflictError,
    InputError,
    MnemosceneError,
    RateLimitError,
    UnauthorizedError,
    UnavailableError,
)
from schema.ids import TenantId

if TYPE_CHECKING:
    import asyncio

    from graph_service.app.services import Services

CONNECT_MAX_S: Final = 5.0
# A summary may wait for a model, the first recall for its statement's plan, and a sync reads a whole memory.
ANSWER_MAX_S: Final = 600.0
ANSWER_BYTES_MAX: Final = 256 * 2**20
PAGE_MAX: Final = 100
POLL_S: Final = 0.2
# Stop waiting for jobs of which none is done for so long, or of which none is even begun: vectors may be paused.
JOB_MAX_S: Final = 300.0
BEGUN_MAX_S: Final = 10.0
# Fields whose values are names of an enumeration.
_ENUMERATIONS: Final = frozenset(
    {"kind", "fact_kind", "state", "close_reason", "reason", "intent", "answer_type", "category", "language"}
)
# Fields with JSON of a user, whose names are kept.
_VERBATIM: Final = frozenset({"metadata", "raw", "value"})
_NAME: Final = re.compile("[A-Z][A-Z_]*")
_UPPER: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _documents() -> dict[str, str]:
    """Return the operations of `documents.graphql` by name, each with the fragments that it uses."""
    text = files("graph_service.cli").joinpath("documents.graphql").read_text("utf-8")
    named = re.compile(r"^(?:query|mutation|fragment) (\w+)", re.MULTILINE)
    parts = {found[1]: part for part in text.split("\n\n") if (found := named.search(part))}
    uses = {name: sorted(set(re.findall(r"\.\.\.(\w+)", part))) for name, part in parts.items()}
    return {name: "\n".join([part, *(parts[used] for used in uses[name])]) for name, part in parts.items()}


# All documents of commands, by the name of the operation.
DOCUMENTS: Final = _documents()

# Sends a document with its variables, and returns the body of the response.
_Send = Callable[[str, Mapping[str, Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class ServiceClient:
    """A client of a service, or of the services in this process."""

    _send: _Send
    # Runs all jobs, where no service does.
    _run_jobs: Callable[[], Coroutine[Any, Any, None]] | None = None

    async def ask(self, document: str, **variables: Any) -> dict[str, Any]:
        """Execute one GraphQL document, and return its data with names in snake case.

        Raises:
            MnemosceneError: the service refused it; the class is that of the error's code.
            UnavailableError: the service or its database does not answer.
        """
        response = await self._send(document, variables)
        if response.get("errors"):
            raise _error(response["errors"][0])
        data: dict[str, Any] = _plain(response["data"])
        return data

    async def nodes(self, document: str, *, limit: int, **variables: Any) -> list[dict[str, Any]]:
        """Return the first nodes of the connection that a document selects, page by page.

        Args:
            document: takes `$first` and `$after`, and selects one field with `nodes` and `pageInfo`.
        """
        found: list[dict[str, Any]] = []
        after = None
        while True:
            first = min(limit - len(found), PAGE_MAX)
            (page,) = (await self.ask(document, first=first, after=after, **variables)).values()
            found += page["nodes"]
            after = page["page_info"]["end_cursor"]
            if len(found) >= limit or not page["page_info"]["has_next_page"]:
                return found

    async def finish_jobs(self, terminal: Terminal) -> None:
        """Show how many jobs the tenant has, until none is left; without a service, run them here."""
        work: asyncio.Task[None] | None = None
        if self._run_jobs is not None:
            from asyncio import create_task

            work = create_task(self._run_jobs())
        most, last, since_s = 1, None, time.monotonic()
        try:
            with ProgressBars(terminal) as bars:
                while True:
                    is_over = work is not None and work.done()
                    jobs = (await self.ask("{ jobStatus { waiting leased dead } }"))["job_status"]
                    left = jobs["waiting"] + jobs["leased"]
                    most = max(most, left)
                    bars(Step(part="reading", doing="scenes and facts", done=most - left, total=most, unit="jobs"))
                    if jobs != last:
                        last, since_s = jobs, time.monotonic()
                    patience_s = JOB_MAX_S if jobs["leased"] else 0 if is_over else BEGUN_MAX_S
                    if not left or time.monotonic() - since_s > patience_s:
                        break
                    await _pause(work)
        finally:
            if work is not None:
                from graph_service.supervision import cancel

                await cancel(work)
        if left:
            terminal.say(f"{left} jobs are not done yet; a running service does them (see `mnemoscene jobs`)")
        if jobs["dead"]:
            terminal.say(f"{jobs['dead']} jobs failed too often and were given up (see `mnemoscene jobs`)")


async def _pause(work: "asyncio.Task[None] | None") -> None:
    """Wait for `POLL_S`; without work in this process no event loop runs."""
    if work is None:
        time.sleep(POLL_S)  # noqa: ASYNC251
        return
    import asyncio

    await asyncio.sleep(POLL_S)


@contextlib.asynccontextmanager
async def service_of(call: Invocation) -> AsyncIterator[ServiceClient]:
    """Yield the service of `url`, or the one that runs on this data directory; else open the memory for the block."""
    settings = call.client_settings
    address = settings.url
    if address is None:
        # Loads psutil.
        from graph_service.runtime.service_registry import running_service

        address = running_service(settings)
    if address is not None:
        yield client_over_http(address, request_headers(settings, call.tenant))
        return
    await event_loop()
    from graph_service.cli.open_services import open_for

    async with open_for(call, preload="graph_service.api.graphql.schema") as services:
        yield client_in_process(services, call.tenant, run_jobs=True)


async def ask_service(call: Invocation, document: str, **variables: Any) -> dict[str, Any]:
    """Execute one GraphQL document on the service of the call; see `ServiceClient.ask`."""
    async with service_of(call) as service:
        return await service.ask(document, **variables)


def client_in_process(services: "Services", tenant: TenantId, *, run_jobs: bool) -> ServiceClient:
    """Return a client of services in this process; whoever can open the database may do everything.

    Args:
        run_jobs: run jobs while waiting for them; False in a service, whose worker does.
    """
    from graph_service.api.graphql.schema import execute_command

    async def send(document: str, variables: Mapping[str, Any]) -> Any:
        return await execute_command(services.memory, tenant, document, variables)

    return ServiceClient(send, services.worker.drain if run_jobs else None)


def request_headers(settings: Settings, tenant: str) -> dict[str, str]:
    """Return the headers of all requests of this machine's commands to a service."""
    headers = {"Mnemoscene-Tenant": quote(tenant), "User-Agent": f"mnemoscene-command/{version()}"}
    if settings.api_key:
        headers["Authorization"] = f"Bearer {settings.api_key}"
    return headers


def client_over_http(address: str, headers: Mapping[str, str], *, answer_max_s: float = ANSWER_MAX_S) -> ServiceClient:
    """Return a client of a running service.

    Args:
        answer_max_s: how long an answer may take.
    """

    async def send(document: str, variables: Mapping[str, Any]) -> Any:
        body = json.dumps({"query": document, "variables": variables}).encode()
        status, content = _request(address, "POST", "/graphql", headers, body, answer_max_s)
        try:
            response = json.loads(content)
            refusal = response.get("error")
            problem = next(iter(response.get("errors") or ()), None)
        except (ValueError, AttributeError):
            raise UnavailableError(
                f"{address} answers like no Mnemoscene service (HTTP {status}): check --url or MNEMOSCENE_URL"
            ) from None
        if refusal is not None:
            raise _error({"message": refusal.get("message"), "extensions": refusal})
        if problem is not None and "locations" in problem and "path" not in problem:
            # Not valid in the service's schema.
            _require_version(address, headers)
        return response

    return ServiceClient(send)


def _require_version(address: str, headers: Mapping[str, str]) -> None:
    _, content = _request(address, "GET", "/health", headers)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        if (theirs := json.loads(content)["version"]) != version():
            raise ConflictError(
                f"the service at {address} is version {theirs}, this command {version()}: install the same version"
            )


def _request(
    address: str,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes | None = None,
    answer_max_s: float = ANSWER_MAX_S,
) -> tuple[int, bytes]:
    """Send a request and return status and body; neither proxies nor redirects are followed, for the key's sake."""
    try:
        parts = urlsplit(address)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        with contextlib.closing(
            kind(parts.hostname or "", parts.port, timeout=min(CONNECT_MAX_S, answer_max_s))
        ) as connection:
            connection.connect()
            connection.sock.settimeout(answer_max_s)
            connection.request(method, path, body, {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            return answer.status, answer.read(ANSWER_BYTES_MAX)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnavailableError(
            f"the service at {address} does not answer ({str(error) or type(error).__name__}): start it, or correct"
            " --url or MNEMOSCENE_URL"
        ) from error


def _error(problem: Mapping[str, Any]) -> MnemosceneError:
    """Return the error of a response; one with a code that this version does not know is internal."""
    extensions = problem.get("extensions") or {}
    kind = next((kind for kind in error_kinds() if kind.code == extensions.get("code")), MnemosceneError)
    message = str(problem.get("message"))
    if kind is UnauthorizedError:
        return kind(f"{message} (a command sends that of MNEMOSCENE_API_KEY)")
    if issubclass(kind, RateLimitError):
        return kind(message, float(extensions.get("retryAfterS") or 1))
    if issubclass(kind, InputError):
        return kind(message, tuple(extensions.get("problems") or ()))
    return kind(message)


def _plain(value: Any, name: str = "") -> Any:
    """Return data with names in snake case and enumeration values in lower case."""
    match value:
        case dict():
            pairs = [(_UPPER.sub("_", key).lower(), inner) for key, inner in value.items()]
            return {key: inner if key in _VERBATIM else _plain(inner, key) for key, inner in pairs}
        case list():
            return [_plain(inner, name) for inner in value]
        case str() if name in _ENUMERATIONS and _NAME.fullmatch(value):
            return value.lower()
        case _:
            return value
