"""The last turns of talks in a Redis: a list for each talk, trimmed and mortal, and an index of each user's talks."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, RedisError

from graph_service.memory.window import Talk, Turn, merged, talk_key, turn_from, turn_json, user_key
from schema.errors import UnavailableError
from schema.ids import SessionId, TenantId, UserId

_NO_ENTRY = re.compile("authentication|password", re.IGNORECASE)
_LUA = Path(__file__).parent / "lua"
# A connection that rested so long is asked for a PING before it is used.
_HEALTH_CHECK_S: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisRules:
    """How Redis is used.

    Attributes:
        timeout_s: of each use, connecting and waiting for a free connection included.
        connections: at most so many at a time.
        ttl_s: how long a talk stays after its last turn.
    """

    timeout_s: float = 0.25
    connections: int = 8
    turns_max: int = 20
    ttl_s: float = 86_400.0


class RedisTurns:
    """What `RedisWindow` keeps in Redis. Every method raises UnavailableError when Redis does not do it in time.

    Keys hold the user in braces, so that a cluster keeps a user's lists and index together.
    """

    def __init__(self, url: str, rules: RedisRules) -> None:
        self._rules = rules
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=rules.connections,
            timeout=rules.timeout_s,
            socket_timeout=rules.timeout_s,
            socket_connect_timeout=rules.timeout_s,
            health_check_interval=_HEALTH_CHECK_S,
            # Trying again is the breaker's decision.
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
        # The client's stubs describe waiting and not waiting clients in one; we only have the waiting one.
        self._redis: Any = Redis.from_pool(pool)
        self._merge = self._redis.register_script((_LUA / "merge_turns.lua").read_text("utf-8"))
        self._drop = self._redis.register_script((_LUA / "drop_turns.lua").read_text("utf-8"))

    async def add(self, talk: Talk, turns: Sequence[Turn]) -> None:
        """Merges turns into the list: in the order of their time, each id once."""
        rules = self._rules
        arguments: list[bytes | str | int] = [
            rules.turns_max,
            round(rules.ttl_s * 1000),
            talk.session_id,
            *map(turn_json, turns),
        ]
        async with self._in_time():
            await self._merge(keys=[_list_key(talk), _index_key(talk.tenant, talk.user_id)], args=arguments)

    async def turns(self, talk: Talk) -> tuple[Turn, ...]:
        """The last turns, oldest first; whatever else stands in the list is passed over."""
        async with self._in_time():
            texts = cast(list[bytes], await self._redis.lrange(_list_key(talk), 0, -1))
        found = (turn_from(text) for text in texts)
        return merged((turn for turn in found if turn is not None), turns_max=self._rules.turns_max)

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> None:
        """Drops what was said: of a whole user, of one session, or single messages of either."""
        async with self._in_time():
            index = _index_key(tenant, user_id)
            lists = [_list_key(talk) for talk in await self._talks(tenant, user_id, session_id)]
            if message_ids is not None:
                if lists and message_ids:
                    await self._drop(keys=lists, args=sorted(message_ids))
                return
            await self._redis.delete(*lists, *([index] if session_id is None else []))
            if session_id is not None:
                await self._redis.zrem(index, session_id)

    async def answers(self) -> None:
        """Asks for a sign of life."""
        async with self._in_time():
            await self._redis.ping()

    async def close(self) -> None:
        """Closes all connections."""
        with contextlib.suppress(RedisError, OSError, TimeoutError):
            await self._redis.aclose()

    async def _talks(self, tenant: TenantId, user_id: UserId, session_id: SessionId | None) -> list[Talk]:
        sessions = [session_id] if session_id is not None else await self._sessions(tenant, user_id)
        return [Talk(tenant=tenant, user_id=user_id, session_id=SessionId(session)) for session in sessions]

    async def _sessions(self, tenant: TenantId, user_id: UserId) -> list[str]:
        found = cast(list[bytes], await self._redis.zrange(_index_key(tenant, user_id), 0, -1))
        return [session.decode("utf-8", errors="replace") for session in found]

    @contextlib.asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._rules.timeout_s):
                yield
        except TimeoutError as error:
            raise UnavailableError(f"Redis did not answer within {self._rules.timeout_s:g} s") from error
        except (RedisError, OSError) as error:
            # The client calls some of these a ConnectionError.
            if isinstance(error, AuthenticationError) or _NO_ENTRY.search(str(error)):
                raise UnavailableError("Redis refuses the user or the password; mend redis.url (REDIS_URL)") from error
            # Its words may quote what was sent to it.
            why = type(error).__name__
            raise UnavailableError(f"Redis does not work ({why}); is it running at redis.url?") from error


def _list_key(talk: Talk) -> str:
    user, _, session = talk_key(talk).rpartition("/")
    return f"mnemograph:turns:{{{user}}}/{session}"


def _index_key(tenant: str, user_id: str) -> str:
    return f"mnemograph:talks:{{{user_key(tenant, user_id)}}}"
