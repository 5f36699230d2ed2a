"""Those who watch one tenant together: how many they are, and what each points at.

Nothing of this is stored. Each member holds at most one word of each other, the latest, so that whoever reads slowly
costs no memory and skips what is over. A word is encoded once, for all; in a large company each is told few at a time.
"""

import asyncio
from dataclasses import dataclass, field
from itertools import islice

from graph_service.memory.mindmap.snapshot import frame_json
from schema.frames import Pointing, Presence, SelectionSync

COLOURS = 6


@dataclass(slots=True, eq=False)
class Member:
    """One viewer among the others.

    Attributes:
        name: what the others know it by; told by the service, so that nobody speaks for somebody else.
        wake: set when there is something to send.
    """

    name: str
    colour: int
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _clock: int = -1
    _heard: dict[str, bytes] = field(default_factory=dict)
    _others: int = 0
    _told: int = 0

    def take(self, *, words_together: int) -> list[bytes]:
        """Return what is to be sent now: the number of others if it changed, then the latest word of each.

        Args:
            words_together: of all members at a time; this one takes its share, what waited longest first.
        """
        texts = [] if self._others == self._told else [frame_json(Presence(others=self._others))]
        self._told = self._others
        for by in list(islice(self._heard, max(words_together // (self._others + 1), 1))):
            texts.append(self._heard.pop(by))
        if not self._heard:
            self.wake.clear()
        return texts


class ViewerGroup:
    """The members of one tenant."""

    def __init__(self) -> None:
        self._numbers = 0
        self._members: dict[str, Member] = {}
        self._last: dict[str, bytes] = {}

    def join(self) -> Member:
        """Somebody comes, and hears of everybody at once."""
        self._numbers += 1
        member = Member(name=f"v{self._numbers}", colour=self._numbers % COLOURS)
        member._heard.update(self._last)
        self._members[member.name] = member
        self._count()
        return member

    def leave(self, member: Member) -> None:
        """Somebody goes; what it pointed at is pointed at no more."""
        del self._members[member.name]
        if self._last.pop(member.name, None) is not None:
            self._tell(SelectionSync(by=member.name, clock=member._clock + 1, ids=None, colour=member.colour))
        self._count()

    def point(self, member: Member, told: Pointing) -> None:
        """Somebody points at something; what is older than its last word is passed over."""
        if told.clock <= member._clock:
            return
        member._clock = told.clock
        word = SelectionSync(by=member.name, clock=told.clock, ids=told.ids, focus=told.focus, colour=member.colour)
        self._last[member.name] = self._tell(word)

    def _tell(self, word: SelectionSync) -> bytes:
        text = frame_json(word)
        for other in self._members.values():
            if other.name != word.by:
                other._heard[word.by] = text
                other.wake.set()
        return text

    def _count(self) -> None:
        for member in self._members.values():
            member._others = len(self._members) - 1
            member.wake.set()
