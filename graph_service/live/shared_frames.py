"""Patches as they travel, made once for all viewers that stand at the same place."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graph_service.live.patches import patch_of
from graph_service.memory.snapshot import frame_json
from schema.change import NumberedChange

_HELD_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class Encoded:
    """A patch as JSON.

    Attributes:
        to: number of the last change in it.
        empty: whether nothing in it concerns the viewer.
    """

    text: bytes
    to: int
    empty: bool


class SharedFrames:
    """The last patches; viewers at the same number, with the same lens, get the same bytes."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._held: OrderedDict[tuple[str, int, int, str | None], Encoded] = OrderedDict()

    def patch(self, changes: Sequence[NumberedChange], *, epoch: str, seq: int, user: str | None) -> Encoded:
        """All changes after `seq`, for a viewer of this user or of everybody."""
        key = (epoch, seq, changes[-1].seq, user)
        known = self._held.get(key)
        if known is not None:
            return known
        patch = patch_of(changes, epoch=epoch, seq=seq, user=user)
        made = Encoded(text=frame_json(patch), to=patch.to, empty=not patch.ops)
        self._held[key] = made
        self._bytes += len(made.text)
        while len(self._held) > _HELD_MAX or (self._bytes > self._bytes_max and len(self._held) > 1):
            self._bytes -= len(self._held.popitem(last=False)[1].text)
        return made

    def clear(self) -> None:
        """Lets go of everything, because something in it was forgotten."""
        self._held.clear()
        self._bytes = 0
