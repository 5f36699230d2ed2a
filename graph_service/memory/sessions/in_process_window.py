"""The short-term window in this process: bounded in talks and bytes, the talk that rested longest leaves first."""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Final

from graph_service.memory.sessions.short_term_window import RecentTurns, SessionKey, Source, Turn, WindowState, merged
from schema.ids import SessionId, TenantId, UserId

TALKS_MAX: Final = 2_000
BYTES_MAX: Final = 32 * 2**20
# What a turn weighs beside its words: ids, numbers, and Python's own.
_TURN_BYTES: Final = 400


class TurnBuffer:
    """The last turns of many talks, in memory.

    Args:
        turns_max: of one talk.
        talks_max, bytes_max: of all talks together; bytes are an estimate.
    """

    def __init__(self, *, turns_max: int, talks_max: int = TALKS_MAX, bytes_max: int = BYTES_MAX) -> None:
        self.turns_max = turns_max
        self._talks_max = talks_max
        self._bytes_max = bytes_max
        self._held: OrderedDict[SessionKey, tuple[Turn, ...]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._held)

    @property
    def size_bytes(self) -> int:
        """About how much memory the turns take."""
        return self._bytes

    def add(self, talk: SessionKey, turns: Sequence[Turn]) -> None:
        """Take turns; the talks that rested longest leave as far as a bound demands."""
        self._put(talk, merged(self._held.get(talk, ()), turns, turns_max=self.turns_max))
        while len(self._held) > self._talks_max or (self._bytes > self._bytes_max and len(self._held) > 1):
            oldest = next(iter(self._held))
            self._put(oldest, ())

    def turns(self, talk: SessionKey) -> tuple[Turn, ...]:
        """Return the last turns of a talk, oldest first."""
        if talk in self._held:
            self._held.move_to_end(talk)
        return self._held.get(talk, ())

    def oldest(self) -> tuple[SessionKey, tuple[Turn, ...]] | None:
        """Return the talk that rested longest, which stays in its place."""
        return next(iter(self._held.items()), None)

    def drop(self, talk: SessionKey, message_ids: Collection[str] | None = None) -> None:
        """Forget a talk, or single turns of it."""
        gone = None if message_ids is None else frozenset(message_ids)
        kept = () if gone is None else tuple(turn for turn in self._held.get(talk, ()) if turn.id not in gone)
        if len(kept) != len(self._held.get(talk, ())):
            self._put(talk, kept, moves=False)

    def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> None:
        """Forget what was said: of a whole user, of one session, or single messages of either."""
        for talk in list(self._held):
            ours = (talk.tenant, talk.user_id) == (tenant, user_id)
            if ours and session_id in (None, talk.session_id):
                self.drop(talk, message_ids)

    def _put(self, talk: SessionKey, turns: tuple[Turn, ...], *, moves: bool = True) -> None:
        self._bytes += _weight(talk, turns) - _weight(talk, self._held.get(talk, ()))
        if not turns:
            self._held.pop(talk, None)
            return
        self._held[talk] = turns
        if moves:
            self._held.move_to_end(talk)


class InProcessWindow:
    """A `ShortTermWindow` that lives and dies with this process."""

    def __init__(self, ring: TurnBuffer) -> None:
        self._ring = ring
        self.turns_max = ring.turns_max
        self.forgotten = 0

    def hear(self, talk: SessionKey, turns: Sequence[Turn]) -> None:
        """Take turns."""
        self._ring.add(talk, turns)

    async def turns(self, talk: SessionKey) -> RecentTurns:
        """Return the last turns that the ring holds."""
        held = self._ring.turns(talk)
        return RecentTurns(turns=held, sources=(Source.RING,) if held else ())

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        *,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> bool:
        """Drop what was said, everywhere at once."""
        self.forgotten += 1
        self._ring.forget(tenant, user_id, session_id, message_ids)
        return True

    def state(self) -> WindowState:
        """Return how it works right now."""
        return WindowState(store=Source.RING)

    async def close(self) -> None:
        """Nothing to let go of."""


def _weight(talk: SessionKey, turns: Sequence[Turn]) -> int:
    if not turns:
        return 0
    texts = [talk.tenant, talk.user_id, talk.session_id, *(turn.text + (turn.speaker or "") for turn in turns)]
    # Python keeps a text in 1, 2 or 4 bytes a character.
    return _TURN_BYTES * len(turns) + sum(len(text) * (1 if text.isascii() else 2) for text in texts)
