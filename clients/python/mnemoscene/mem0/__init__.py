"""mem0: a replacement for `mem0.Memory` of mem0ai 2.2; the service keeps the memories. Needs no other library."""

from mnemoscene.mem0.conversions import ValidationError
from mnemoscene.mem0.memory import AsyncMemory, Memory

__all__ = ["AsyncMemory", "Memory", "ValidationError"]
