"""The short-term window in this process: limited in sessions and bytes, least recently used sessions are evicted."""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Final

from graph_service.memory.sessions.short_term_window import RecentTurns, SessionKey, Source, Turn, WindowState, merged
from schema.ids import SessionId, TenantId, UserId

SESSIONS_MAX: Final = 2_000
BYTES_MAX: Final = 32 * 2**20
# Estimated memory of a turn without its texts: ids, numbers and Python objects.
_TURN_BYTES: Final = 400


class TurnBuffer:
    """The last turns of many sessions, in memory.

    Args:
        turns_max: maximum turns of one session.
        sessions_max, bytes_max: maximum sessions, and estimated bytes of all sessions.
    """

    def __init__(self, *, turns_max: int, sessions_max: int = SESSIONS_MAX, bytes_max: int = BYTES_MAX) -> None:
        self.turns_max = turns_max
        self._sessions_max = sessions_max
        self._bytes_max = bytes_max
        # Not a cachetools cache, because there are two limits, and dropping turns must not renew a session.
        self._turns: OrderedDict[SessionKey, tuple[Turn, ...]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._turns)

    @property
    def size_bytes(self) -> int:
        """Estimated memory of the turns."""
        return self._bytes

    def add(self, session: SessionKey, turns: Sequence[Turn]) -> None:
        """Merge turns into a session; evict the least recently used sessions beyond the bounds."""
        self._put(session, merged(self._turns.get(session, ()), turns, turns_max=self.turns_max))
        while len(self._turns) > self._sessions_max or (self._bytes > self._bytes_max and len(self._turns) > 1):
            oldest = next(iter(self._turns))
            self._put(oldest, ())

    def turns(self, session: SessionKey) -> tuple[Turn, ...]:
        """Return the last turns of a session, oldest first."""
        if session in self._turns:
            self._turns.move_to_end(session)
        return self._turns.get(session, ())

    def oldest(self) -> tuple[SessionKey, tuple[Turn, ...]] | None:
        """Return the least recently used session without renewing it."""
        return next(iter(self._turns.items()), None)

    def drop(self, session: SessionKey, message_ids: Collection[str] | None = None) -> None:
        """Drop a session, or some of its turns."""
        dropped_ids = None if message_ids is None else frozenset(message_ids)
        kept = (
            ()
            if dropped_ids is None
            else tuple(turn for turn in self._turns.get(session, ()) if turn.id not in dropped_ids)
        )
        if len(kept) != len(self._turns.get(session, ())):
            self._put(session, kept, renew=False)

    def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> None:
        """Drop the turns of a user or of one session, or only those of the given messages."""
        for session in list(self._turns):
            of_user = (session.tenant, session.user_id) == (tenant, user_id)
            if of_user and session_id in (None, session.session_id):
                self.drop(session, message_ids)

    def _put(self, session: SessionKey, turns: tuple[Turn, ...], *, renew: bool = True) -> None:
        self._bytes += _estimated_bytes(session, turns) - _estimated_bytes(session, self._turns.get(session, ()))
        if not turns:
            self._turns.pop(session, None)
            return
        self._turns[session] = turns
        if renew:
            self._turns.move_to_end(session)


class ShortTermWindow:
    """The last turns of each session in this process; methods neither fail nor wait beyond a timeout.

    Attributes:
        turns_max: maximum turns kept for a session.
        complete: True if it also holds the turns that other processes received, or no other uses the database.
        forgotten: number of deletions; if it changed while turns were read elsewhere, do not add these.
    """

    def __init__(self, buffer: TurnBuffer, *, complete: bool = True) -> None:
        self._buffer = buffer
        self.complete = complete
        self.turns_max = buffer.turns_max
        self.forgotten = 0

    def add(self, session: SessionKey, turns: Sequence[Turn]) -> None:
        """Add turns that are already durable, each id once; never waits."""
        self._buffer.add(session, turns)

    async def turns(self, session: SessionKey) -> RecentTurns:
        """Return the last turns, at most `turns_max`."""
        turns = self._buffer.turns(session)
        return RecentTurns(turns=turns, sources=(Source.PROCESS,) if turns else ())

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        *,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> bool:
        """Drop the turns of a user or of one session, or only those of the given messages.

        Returns:
            False if Redis is unavailable; the turns are then dropped before Redis is read again.
        """
        self.forgotten += 1
        self._buffer.forget(tenant, user_id, session_id, message_ids)
        return True

    def state(self) -> WindowState:
        """Return the current state."""
        return WindowState(store=Source.PROCESS)

    async def close(self) -> None:
        """Write pending turns, for a short time at most, and close connections; none in this process."""


def _estimated_bytes(session: SessionKey, turns: Sequence[Turn]) -> int:
    if not turns:
        return 0
    texts = [session.tenant, session.user_id, session.session_id, *(turn.text + (turn.speaker or "") for turn in turns)]
    # CPython stores strings with 1, 2 or 4 bytes a character.
    return _TURN_BYTES * len(turns) + sum(len(text) * (1 if text.isascii() else 2) for text in texts)
