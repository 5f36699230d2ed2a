"""Those who watch one tenant together: how many they are, and what each points at.

Nothing of this is stored. Each member holds at most one word of each other, the latest, so that whoever reads slowly
costs no memory and skips what is over.
"""

import asyncio
from dataclasses import dataclass, field

from schema.frames import Frame, Pointing, Presence, SelectionSync

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
    _heard: dict[str, SelectionSync] = field(default_factory=dict)
    _others: int = 0
    _told: int = 0

    def take(self) -> list[Frame]:
        """What is to be sent now: the number of others if it changed, then the latest word of each."""
        self.wake.clear()
        frames: list[Frame] = [] if self._others == self._told else [Presence(others=self._others)]
        frames += self._heard.values()
        self._told = self._others
        self._heard.clear()
        return frames


class Company:
    """The members of one tenant."""

    def __init__(self) -> None:
        self._numbers = 0
        self._members: dict[str, Member] = {}
        self._last: dict[str, SelectionSync] = {}

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
        self._last[member.name] = word
        self._tell(word)

    def _tell(self, word: SelectionSync) -> None:
        for other in self._members.values():
            if other.name != word.by:
                other._heard[word.by] = word
                other.wake.set()

    def _count(self) -> None:
        for member in self._members.values():
            member._others = len(self._members) - 1
            member.wake.set()
