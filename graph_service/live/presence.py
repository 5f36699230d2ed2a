"""Presence: the viewers of one tenant, the selection of each, and the questions and messages shown to them.

Nothing is stored. Each member queues at most the latest frame of each other member, so slow readers skip outdated
frames and cost no memory. Frames are encoded once for all; in large groups each member gets a few at a time.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from graph_service.memory.mindmap.snapshot import frame_json
from schema.frames import Presence, QuestionAsked, QuestionsRemoved, Said, SelectionSync, SelectionUpdate

COLOURS = 6
# Questions and messages that wait for a slow viewer; older ones are dropped, and can be fetched.
_SHOWN_MAX = 100


@dataclass(slots=True, eq=False)
class Member:
    """One viewer of the group.

    Attributes:
        name: assigned by the service, so that nobody can impersonate another viewer.
        wake: set when there is something to send.
        sees: whether it may see what this caller asked.
    """

    name: str
    colour: int
    sees: Callable[[str], bool] = lambda _who: True
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _shown: deque[bytes] = field(default_factory=lambda: deque(maxlen=_SHOWN_MAX))
    _clock: int = -1
    _pending: dict[str, bytes] = field(default_factory=dict)
    _others: int = 0
    _sent_others: int = 0

    def take(self, *, frames_max: int) -> list[bytes]:
        """Return the frames to send now: the number of other viewers if it changed, then their latest frames.

        Args:
            frames_max: limit for the whole group, divided equally among its members.
        """
        texts = [] if self._others == self._sent_others else [frame_json(Presence(others=self._others))]
        self._sent_others = self._others
        share = max(frames_max // (self._others + 1), 1)
        for by in list(islice(self._pending, share)):
            texts.append(self._pending.pop(by))
        while self._shown and len(texts) < share + 1:
            texts.append(self._shown.popleft())
        if not self._pending and not self._shown:
            self.wake.clear()
        return texts


class ViewerGroup:
    """The viewers of one tenant."""

    def __init__(self) -> None:
        self._numbers = 0
        self._members: dict[str, Member] = {}
        self._last: dict[str, bytes] = {}

    def join(self, sees: Callable[[str], bool] = lambda _who: True) -> Member:
        """Add a viewer, and queue the others' latest frames for it."""
        self._numbers += 1
        member = Member(name=f"v{self._numbers}", colour=self._numbers % COLOURS, sees=sees)
        member._pending.update(self._last)
        self._members[member.name] = member
        self._count()
        return member

    def leave(self, member: Member) -> None:
        """Remove a viewer, and tell the others that its selection has ended."""
        del self._members[member.name]
        if self._last.pop(member.name, None) is not None:
            self._broadcast(SelectionSync(viewer=member.name, clock=member._clock + 1, ids=None, colour=member.colour))
        self._count()

    def point(self, member: Member, pointing: SelectionUpdate) -> None:
        """Broadcast a viewer's selection, unless it is older than the last one."""
        if pointing.clock <= member._clock:
            return
        member._clock = pointing.clock
        frame = SelectionSync(
            viewer=member.name, clock=pointing.clock, ids=pointing.ids, focus=pointing.focus, colour=member.colour
        )
        self._last[member.name] = self._broadcast(frame)

    def show(self, frame: QuestionAsked | QuestionsRemoved | Said, *, asked_by: str | None = None) -> None:
        """Send a frame to the viewers that may see it.

        Args:
            asked_by: the caller who asked the question; None for frames that everybody may see.
        """
        readers = [one for one in self._members.values() if asked_by is None or one.sees(asked_by)]
        if not readers:
            return
        text = frame_json(frame)
        for one in readers:
            one._shown.append(text)
            one.wake.set()

    def _broadcast(self, frame: SelectionSync) -> bytes:
        text = frame_json(frame)
        for other in self._members.values():
            if other.name != frame.viewer:
                other._pending[frame.viewer] = text
                other.wake.set()
        return text

    def _count(self) -> None:
        for member in self._members.values():
            member._others = len(self._members) - 1
            member.wake.set()
