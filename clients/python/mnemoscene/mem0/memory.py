"""`Memory` and `AsyncMemory` with the methods and answers of mem0ai 2.2; the service keeps the memories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mnemoscene.faces import AwaitingClient, BlockingClient, awaiting, blocking
from mnemoscene.mem0.filters import logger
from mnemoscene.mem0.operations import WAIT_S, Mem0Operations
from mnemoscene.transport import Address, AwaitingTransport, BlockingTransport

SECTIONS: Final = ("vector_store", "llm", "embedder", "reranker", "history_db_path", "custom_instructions")


class Memory(BlockingClient):
    """The memories of all users of a tenant, with the methods and answers of `mem0.Memory`.

    The service's key must be one for the whole tenant.

    Args:
        config: a configuration of mem0, whose sections are the service's own business here; see `from_config`.
        url, key, tenant: as of `mnemoscene.Memory`.
        wait_s: how long `add` waits until the service has read the messages.

    Example:
        memory = Memory(url="http://127.0.0.1:7780")
        memory.add("I love hiking in the Alps.", user_id="ana")
        memory.search("What does she do outdoors?", filters={"user_id": "ana"})["results"]
    """

    def __init__(
        self,
        config: Any = None,
        *,
        url: str | None = None,
        key: str | None = None,
        tenant: str | None = None,
        wait_s: float = WAIT_S,
    ) -> None:
        self.config = config
        self._operations = Mem0Operations(wait_s)
        self._transport = BlockingTransport(Address.of(url, key, tenant))

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """Return a memory for a configuration of mem0, with our arguments as its section `mnemoscene`.

        The other sections are ignored: the service chooses models and stores.

        Example:
            Memory.from_config({"mnemoscene": {"url": "http://127.0.0.1:7780"}})
        """
        return cls(config_dict, **_arguments(config_dict))

    add = blocking(Mem0Operations.add)
    get = blocking(Mem0Operations.get)
    get_all = blocking(Mem0Operations.get_all)
    search = blocking(Mem0Operations.search)
    update = blocking(Mem0Operations.update)
    delete = blocking(Mem0Operations.delete)
    delete_all = blocking(Mem0Operations.delete_all)
    history = blocking(Mem0Operations.history)
    reset = blocking(Mem0Operations.reset)


class AsyncMemory(AwaitingClient):
    """As `Memory`, with the methods of `mem0.AsyncMemory`: await each.

    Example:
        memory = AsyncMemory(url="http://127.0.0.1:7780")
        await memory.add("I love hiking in the Alps.", user_id="ana")
    """

    def __init__(
        self,
        config: Any = None,
        *,
        url: str | None = None,
        key: str | None = None,
        tenant: str | None = None,
        wait_s: float = WAIT_S,
    ) -> None:
        self.config = config
        self._operations = Mem0Operations(wait_s)
        self._transport = AwaitingTransport(Address.of(url, key, tenant))

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> AsyncMemory:
        """As `Memory.from_config`."""
        return cls(config_dict, **_arguments(config_dict))

    add = awaiting(Mem0Operations.add)
    get = awaiting(Mem0Operations.get)
    get_all = awaiting(Mem0Operations.get_all)
    search = awaiting(Mem0Operations.search)
    update = awaiting(Mem0Operations.update)
    delete = awaiting(Mem0Operations.delete)
    delete_all = awaiting(Mem0Operations.delete_all)
    history = awaiting(Mem0Operations.history)
    reset = awaiting(Mem0Operations.reset)


def _arguments(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return our arguments in a configuration of mem0."""
    if not isinstance(config, Mapping):
        raise ValueError(f"config must be a dict, got {type(config).__name__}")
    ignored = sorted(set(config) & set(SECTIONS))
    if ignored:
        logger.warning("from_config(): ignored, because the service chooses models and stores: %s", ", ".join(ignored))
    return dict(config.get("mnemoscene") or {})
