"""Client of Mnemoscene, long-term memory for AI agents: `Memory`, and `AsyncMemory` for asyncio."""

from mnemoscene.errors import BadInput, Conflict, Denied, MnemosceneError, NotFound, Unavailable
from mnemoscene.memory import AsyncMemory, Memory
from mnemoscene.models import Message, NewFact

__all__ = [
    "AsyncMemory",
    "BadInput",
    "Conflict",
    "Denied",
    "Memory",
    "Message",
    "MnemosceneError",
    "NewFact",
    "NotFound",
    "Unavailable",
]
