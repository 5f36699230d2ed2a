"""`Memory` and `AsyncMemory`: the same operations, blocking and awaiting."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from mnemoscene.local import LocalService, local_service
from mnemoscene.operations import Listing, MemoryOperations
from mnemoscene.transport import Address, AwaitingTransport, BlockingTransport, Steps

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


class BlockingFace:
    """Runs operations in the calling thread."""

    _transport: BlockingTransport
    _operations: Any


class AwaitingFace:
    """Runs operations in the event loop."""

    _transport: AwaitingTransport
    _operations: Any


def blocking(operation: Callable[Concatenate[S, P], Steps[T]]) -> Callable[Concatenate[BlockingFace, P], T]:
    """Return the blocking method of an operation."""

    def method(self: BlockingFace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._transport.run(operation(self._operations, *args, **kwargs))

    return _documented(method, operation, "{}")


def awaiting(
    operation: Callable[Concatenate[S, P], Steps[T]],
) -> Callable[Concatenate[AwaitingFace, P], Coroutine[Any, Any, T]]:
    """Return the method of an operation that must be awaited."""

    async def method(self: AwaitingFace, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._transport.run(operation(self._operations, *args, **kwargs))

    return _documented(method, operation, "{}")


def iterating(
    operation: Callable[Concatenate[S, P], Listing[T]],
) -> Callable[Concatenate[BlockingFace, P], Iterator[T]]:
    """Return the method that iterates over a list, reading its pages as needed."""

    def method(self: BlockingFace, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        pages, cursor = operation(self._operations, *args, **kwargs), None
        while True:
            page = self._transport.run(pages(cursor))
            yield from page.nodes
            cursor = page.next
            if cursor is None:
                return

    return _documented(method, operation, "Iterator[{}]")


def iterating_async(
    operation: Callable[Concatenate[S, P], Listing[T]],
) -> Callable[Concatenate[AwaitingFace, P], AsyncIterator[T]]:
    """Return the method that iterates over a list with `async for`."""

    async def method(self: AwaitingFace, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        pages, cursor = operation(self._operations, *args, **kwargs), None
        while True:
            page = await self._transport.run(pages(cursor))
            for node in page.nodes:
                yield node
            cursor = page.next
            if cursor is None:
                return

    return _documented(method, operation, "AsyncIterator[{}]")


_C = TypeVar("_C", bound=Callable[..., Any])


def _documented(method: _C, operation: Callable[..., Any], result: str) -> _C:
    """Give a method the name, docstring and signature of its operation, with the type of its own result."""
    told = inspect.signature(operation)
    inner = str(told.return_annotation).partition("[")[2][:-1]
    documented = wraps(operation)(method)
    documented.__signature__ = told.replace(return_annotation=result.format(inner))  # type: ignore[attr-defined]
    return documented  # type: ignore[return-value]


class Memory(BlockingFace):
    """The memory of one user, or of an agent, at a running service. May be shared by threads.

    Args:
        url: address of the service; `MNEMOSCENE_URL`, or port 7780 of this machine by default.
        key: API key; `MNEMOSCENE_API_KEY` by default.
        user_id: your id of the user; None for the agent's own memory.
        agent_id: your id of the agent that talks with the user.
        tenant: `MNEMOSCENE_TENANT`, or that of the key by default.

    Example:
        with Memory(user_id="ana") as memory:
            memory.remember("I moved to Lisbon in May.")
            print(memory.recall("Where does Ana live?")[0].text)
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        user_id: str | None,
        agent_id: str | None = None,
        tenant: str | None = None,
    ) -> None:
        self._operations = MemoryOperations(user_id=user_id, agent_id=agent_id)
        self._transport = BlockingTransport(Address.of(url, key, tenant))
        self._local: LocalService | None = None

    @classmethod
    def local(
        cls,
        *,
        user_id: str | None,
        agent_id: str | None = None,
        tenant: str | None = None,
        key: str | None = None,
        start_s: float = 180.0,
    ) -> Memory:
        """Return a memory of this machine's service; start one if none runs, which `close` stops again.

        Args:
            start_s: how long a start may take; the first one downloads a database.

        Raises:
            Unavailable: none runs, and the command `mnemoscene` is not installed or did not start one.

        Example:
            with Memory.local(user_id="ana") as memory:
                memory.remember("I moved to Lisbon in May.")
        """
        service = local_service(start_s)
        memory = cls(service.url, key, user_id=user_id, agent_id=agent_id, tenant=tenant)
        memory._local = service
        return memory

    remember = blocking(MemoryOperations.remember)
    recall = blocking(MemoryOperations.recall)
    context = blocking(MemoryOperations.context)
    facts = blocking(MemoryOperations.facts)
    fact = blocking(MemoryOperations.fact)
    history = blocking(MemoryOperations.history)
    update = blocking(MemoryOperations.update)
    profile = blocking(MemoryOperations.profile)
    sessions = blocking(MemoryOperations.sessions)
    forget = blocking(MemoryOperations.forget)
    changes = iterating(MemoryOperations.changes)

    def close(self) -> None:
        """Close the connections, and stop the service that `local` started."""
        self._transport.close()
        if self._local is not None:
            self._local.stop()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncMemory(AwaitingFace):
    """As `Memory`, for asyncio: await each call, and use `async for` where `Memory` iterates.

    Example:
        async with AsyncMemory(user_id="ana") as memory:
            await memory.remember("I moved to Lisbon in May.")
            print((await memory.recall("Where does Ana live?"))[0].text)
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        user_id: str | None,
        agent_id: str | None = None,
        tenant: str | None = None,
    ) -> None:
        self._operations = MemoryOperations(user_id=user_id, agent_id=agent_id)
        self._transport = AwaitingTransport(Address.of(url, key, tenant))

    remember = awaiting(MemoryOperations.remember)
    recall = awaiting(MemoryOperations.recall)
    context = awaiting(MemoryOperations.context)
    facts = awaiting(MemoryOperations.facts)
    fact = awaiting(MemoryOperations.fact)
    history = awaiting(MemoryOperations.history)
    update = awaiting(MemoryOperations.update)
    profile = awaiting(MemoryOperations.profile)
    sessions = awaiting(MemoryOperations.sessions)
    forget = awaiting(MemoryOperations.forget)
    changes = iterating_async(MemoryOperations.changes)

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
