"""The settings of the short-term window: where the last turns of each session are held."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisSettings:
    """Which Redis holds the short-term window; without `url` this process holds it.

    Attributes:
        url: `redis://`, `rediss://` or `unix://`, with the password in it if there is one.
        timeout_s: of each use; a Redis that takes longer counts as away.
        connections: at most so many at a time.
    """

    url: Annotated[str, Field(min_length=1, max_length=2_000)] | None = field(default=None, repr=False)
    timeout_s: Annotated[float, Field(ge=0.01, le=10)] = 0.25
    connections: Annotated[int, Field(ge=1, le=256)] = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """The short-term window: the last turns of each session.

    Attributes:
        turns: how many of each session are held.
        ttl_s: how long Redis keeps a session after its last turn.
        ring_sessions: how many sessions the window in this process holds.
        ring_mb: how much it holds, in MB.
    """

    turns: Annotated[int, Field(ge=1, le=200)] = 20
    ttl_s: Annotated[float, Field(ge=1, le=31 * 86_400)] = 86_400.0
    ring_sessions: Annotated[int, Field(ge=1, le=1_000_000)] = 2_000
    ring_mb: Annotated[int, Field(ge=1, le=16_384)] = 32
