"""`Memory` and `AsyncMemory`: the same operations, blocking and awaiting."""

from __future__ import annotations

from mnemoscene.faces import AwaitingClient, BlockingClient, awaiting, blocking, iterating, iterating_async
from mnemoscene.items import AsyncItems, Items
from mnemoscene.local import LocalService, local_service
from mnemoscene.operations import MemoryOperations
from mnemoscene.transport import Address, AwaitingTransport, BlockingTransport


class Memory(BlockingClient):
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
        self.items = Items(self._transport, self._operations.owner)
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
    wait = blocking(MemoryOperations.wait)
    recall = blocking(MemoryOperations.recall)
    context = blocking(MemoryOperations.context)
    facts = blocking(MemoryOperations.facts)
    fact = blocking(MemoryOperations.fact)
    history = blocking(MemoryOperations.history)
    update = blocking(MemoryOperations.update)
    profile = blocking(MemoryOperations.profile)
    messages = iterating(MemoryOperations.messages)
    message = blocking(MemoryOperations.message)
    set_message = blocking(MemoryOperations.set_message)
    sessions = blocking(MemoryOperations.sessions)
    users = blocking(MemoryOperations.users)
    forget = blocking(MemoryOperations.forget)
    changes = iterating(MemoryOperations.changes)

    def close(self) -> None:
        """Close the connections, and stop the service that `local` started."""
        super().close()
        if self._local is not None:
            self._local.stop()


class AsyncMemory(AwaitingClient):
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
        self.items = AsyncItems(self._transport, self._operations.owner)

    remember = awaiting(MemoryOperations.remember)
    wait = awaiting(MemoryOperations.wait)
    recall = awaiting(MemoryOperations.recall)
    context = awaiting(MemoryOperations.context)
    facts = awaiting(MemoryOperations.facts)
    fact = awaiting(MemoryOperations.fact)
    history = awaiting(MemoryOperations.history)
    update = awaiting(MemoryOperations.update)
    profile = awaiting(MemoryOperations.profile)
    messages = iterating_async(MemoryOperations.messages)
    message = awaiting(MemoryOperations.message)
    set_message = awaiting(MemoryOperations.set_message)
    sessions = awaiting(MemoryOperations.sessions)
    users = awaiting(MemoryOperations.users)
    forget = awaiting(MemoryOperations.forget)
    changes = iterating_async(MemoryOperations.changes)
