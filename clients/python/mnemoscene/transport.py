"""Requests to the service: what is sent, how answers are read, when to try again; by httpx, blocking or awaiting.

The operations are generators (`Steps`) that yield requests and pauses and are sent the responses, so that everything
but the sending itself is written once for both clients.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar
from urllib.parse import quote, urlsplit
from weakref import WeakKeyDictionary

import httpx
from pydantic import BaseModel, ValidationError

from mnemoscene.documents import Operation, Repeated
from mnemoscene.errors import BadInput, MnemosceneError, Unavailable, error_of

T = TypeVar("T")
R = TypeVar("R")
Answer = TypeVar("Answer", covariant=True)

DEFAULT_URL: Final = "http://127.0.0.1:7780"
ANSWER_MAX_S: Final = 60.0
CONNECT_MAX_S: Final = 5.0
# Shorter than the service keeps idle connections, so that no request is sent on one that is being closed.
KEEP_ALIVE_S: Final = 10.0
# Before the second, third and fourth try, unless the service names a time.
PAUSES_S: Final = (0.2, 0.8, 2.5)
PAUSE_MAX_S: Final = 10.0
# The service's limit of aliases in a request.
REPEATED_MAX: Final = 15


@dataclass(frozen=True)
class Request:
    """A GraphQL request.

    Attributes:
        timeout_s: how long to wait for the response.
    """

    body: bytes
    timeout_s: float


@dataclass(frozen=True)
class Pause:
    """Time to wait before the next step."""

    seconds: float


Steps: TypeAlias = Generator[Request | Pause, Any, T]


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list.

    Attributes:
        next: where the next page begins; None at the end.
    """

    nodes: Sequence[T]
    next: str | None


Listing: TypeAlias = Callable[[str | None], Steps[Page[T]]]
"""A list that is read page by page: the steps that read the page at a cursor."""


class Document(Protocol[Answer]):
    """An operation, or several, for `ask` to send."""

    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def repeatable(self) -> bool: ...
    def parse(self, data: Any) -> Answer: ...


def ask(
    operation: Document[R],
    variables: Mapping[str, Any],
    *,
    timeout_s: float = ANSWER_MAX_S,
    pauses_s: Sequence[float] = PAUSES_S,
) -> Steps[R]:
    """Send an operation and return its answer; send it again while the service is unavailable.

    Args:
        variables: values of the arguments; those that are None are left to the service's defaults.
        pauses_s: seconds before each further try.

    Raises:
        MnemosceneError: the service refused it, or did not answer any of the tries.
    """
    given = {name: value for name, value in variables.items() if value is not None}
    request = Request(encode({"query": operation.text, "variables": given}), timeout_s)
    for pause_s in (*pauses_s, None):
        try:
            response: httpx.Response = yield request
            return _parsed(operation, data_of(response))
        except Unavailable as error:
            if pause_s is None or (error.uncertain and not operation.repeatable):
                raise
            wait_s = min(error.retry_after_s or pause_s, PAUSE_MAX_S)
        yield Pause(wait_s * random.uniform(1.0, 1.3))  # Callers that failed together do not return together.
    raise AssertionError("the last try returns or raises")


def ask_each(operation: Operation[R], calls: Sequence[Mapping[str, Any]]) -> Steps[list[R]]:
    """Send an operation with each of these variables, in as few requests as possible, and return the answers in order.

    Raises:
        MnemosceneError: as `ask`.
    """
    answers: list[R] = []
    for start in range(0, len(calls), REPEATED_MAX):
        part = calls[start : start + REPEATED_MAX]
        variables = {f"{name}{number}": value for number, call in enumerate(part) for name, value in call.items()}
        answers += yield from ask(Repeated(operation, len(part)), variables)
    return answers


def encode(document: Any) -> bytes:
    """Return JSON; times are written as ISO 8601.

    Raises:
        BadInput: a value is not JSON.
    """
    try:
        return json.dumps(document, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"a value cannot be sent as JSON: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_unset=True)
    raise TypeError(f"{type(value).__name__} is not JSON")


def data_of(response: httpx.Response) -> Any:
    """Return the data of a response.

    Raises:
        MnemosceneError: the response reports an error.
    """
    try:
        tree = response.json()
        problem = tree.get("error") or next(iter(tree.get("errors") or ()), None)
    except (ValueError, AttributeError):
        tree, problem = {}, None
    if problem is None and response.status_code == httpx.codes.OK and isinstance(tree.get("data"), dict):
        return tree["data"]
    if problem is None:
        told = f"{response.url.copy_with(path='/')} answered {response.status_code} without a GraphQL response"
        if response.status_code in (429, 502, 503, 504):
            raise Unavailable(f"{told}; try again later", retry_after_s=_seconds(response.headers.get("Retry-After")))
        raise MnemosceneError(f"{told}; check that a Mnemoscene service runs at this address")
    extensions = problem.get("extensions") or {}
    retry_after = extensions.get("retryAfterS") or response.headers.get("Retry-After")
    raise error_of(extensions.get("code") or problem.get("code", "INTERNAL"), problem["message"], _seconds(retry_after))


def _parsed(operation: Document[R], data: Any) -> R:
    try:
        return operation.parse(data)
    except ValidationError as error:
        raise MnemosceneError(f"the answer to {operation.name} has another form than this client expects") from error


def _seconds(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


@dataclass(frozen=True)
class Address:
    """Where the service is, and what is sent with every request."""

    url: str
    headers: Mapping[str, str]

    @classmethod
    def of(cls, url: str | None, key: str | None, tenant: str | None) -> Address:
        """Return the given address, completed from the environment.

        Raises:
            BadInput: the URL is not one of HTTP.
        """
        url = (url or os.environ.get("MNEMOSCENE_URL") or DEFAULT_URL).rstrip("/").removesuffix("/graphql")
        key = key or os.environ.get("MNEMOSCENE_API_KEY")
        tenant = tenant or os.environ.get("MNEMOSCENE_TENANT")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(f"{url!r} is no address of a service; use one such as {DEFAULT_URL}")
        headers = {"Content-Type": "application/json", "User-Agent": f"mnemoscene-python/{_version()}"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        if tenant:
            headers["Mnemoscene-Tenant"] = quote(tenant)
        return cls(url=url, headers=headers)

    def client_options(self) -> dict[str, Any]:
        """Return the options of an httpx client; loading certificates and proxies is saved where none is used."""
        parts = urlsplit(self.url)
        return {
            "base_url": self.url,
            "headers": dict(self.headers),
            "limits": httpx.Limits(keepalive_expiry=KEEP_ALIVE_S),
            "verify": parts.scheme == "https",
            "trust_env": parts.hostname not in ("127.0.0.1", "localhost", "::1"),
        }


def _version() -> str:
    try:
        return version("mnemoscene")
    except PackageNotFoundError:  # Imported from a checkout.
        return "0"


@contextlib.contextmanager
def _converted_errors(url: str) -> Iterator[None]:
    """Raise errors of httpx as `Unavailable`."""
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        hint = "start it with `mnemoscene serve`, or pass its address as url or in MNEMOSCENE_URL"
        raise Unavailable(f"no service answers at {url}: {hint}") from error
    except httpx.TransportError as error:
        told = str(error) or type(error).__name__
        raise Unavailable(f"the connection to {url} failed: {told}", uncertain=True) from error


class BlockingTransport:
    """Runs steps in the calling thread; may be shared by threads."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._client = httpx.Client(**address.client_options())

    def run(self, steps: Steps[T]) -> T:
        """Run the steps to their end and return their result."""
        try:
            step = next(steps)
            while True:
                try:
                    answer = self._perform(step)
                except MnemosceneError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    def _perform(self, step: Request | Pause) -> httpx.Response | None:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        with _converted_errors(self.address.url):
            return self._client.post("/graphql", content=step.body, timeout=_timeout(step))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class AwaitingTransport:
    """Runs steps in the running event loop; each loop has its own connections."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def run(self, steps: Steps[T]) -> T:
        """Run the steps to their end and return their result."""
        try:
            step = next(steps)
            while True:
                try:
                    answer = await self._perform(step)
                except MnemosceneError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _perform(self, step: Request | Pause) -> httpx.Response | None:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = httpx.AsyncClient(**self.address.client_options())
        with _converted_errors(self.address.url):
            return await self._clients[loop].post("/graphql", content=step.body, timeout=_timeout(step))

    async def close(self) -> None:
        """Close the connections of the running loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()


def _timeout(request: Request) -> httpx.Timeout:
    return httpx.Timeout(request.timeout_s, connect=CONNECT_MAX_S)
