"""Thresholds and limits that an operator may change; set once, when a process has read its settings.

A value of its own for each part would have to be passed through every pure function between the settings and the
comparison of two facts; as they never change while a process runs, they are kept here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schema.profile import ITEMS_MAX, Category


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The values in force; the defaults are those that measure best.

    Attributes:
        importance_min: importance, 1 to 10, below which an extracted fact is dropped.
        confidence_min: confidence below which a fact is dropped.
        simhash_bits_max: bits in which the SimHashes of near-duplicate statements may differ, 0 to 3.
        common_part_min: share of the longer of two statements that their longest common part must exceed.
        profile_common_part_min: the same for statements about a user or agent.
        items_max: facts of each category of a profile.
        zone: time zone of the days that are shown where neither the message nor the user has one.
    """

    importance_min: int = 5
    confidence_min: float = 0.5
    simhash_bits_max: int = 3
    common_part_min: float = 0.8
    profile_common_part_min: float = 0.85
    items_max: Mapping[Category, int] = field(default_factory=lambda: dict(ITEMS_MAX))
    zone: str = "UTC"


_in_force = Tuning()


def tuning() -> Tuning:
    """Return the values in force."""
    return _in_force


def set_tuning(values: Tuning) -> None:
    """Put values in force, for the whole process."""
    global _in_force
    _in_force = values
