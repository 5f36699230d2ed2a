"""Methods of the blocking and the awaiting clients, made of the operations that both share."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from mnemoscene.transport import AwaitingTransport, BlockingTransport, Listing, Steps

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


class BlockingFace:
    """Runs operations in the calling thread."""

    _transport: BlockingTransport
    _operations: Any


class BlockingClient(BlockingFace):
    """Owns the connections, and closes them."""

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AwaitingFace:
    """Runs operations in the event loop."""

    _transport: AwaitingTransport
    _operations: Any


class AwaitingClient(AwaitingFace):
    """Owns the connections of an event loop, and closes them."""

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


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
