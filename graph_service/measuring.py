"""Counters, levels and histograms as plain numbers: counting costs a microsecond and loads nothing.

They stand for the whole process. Labels are closed sets, told beforehand: what is not in them counts as `other`, so
that nobody's names, and nobody's inventions, become series.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

OTHER: Final = "other"
Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a measure is called and means.

    Attributes:
        labels: the values that each label may have.
    """

    name: str
    help: str
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def series(self) -> list[Labels]:
        """Every combination of values."""
        return list(product(*self.labels.values()))

    def known(self, values: Labels) -> Labels:
        """The values, each that is not in its set replaced by `other`."""
        sets = zip(values, self.labels.values(), strict=True)
        return tuple(value if value in allowed else OTHER for value, allowed in sets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How something stands at one moment.

    Attributes:
        values: by the values of the labels.
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()
    values: Mapping[Labels, float]


class Counter:
    """What only grows."""

    def __init__(self, name: str, about: str, **labels: Iterable[str]) -> None:
        self.about = About(name=name, help=about, labels=_with_other(labels))
        self.values: dict[Labels, float] = dict.fromkeys(self.about.series(), 0.0)

    def add(self, *labels: str, n: float = 1.0) -> None:
        """Counts `n` more."""
        key = labels if labels in self.values else self.about.known(labels)
        self.values[key] += n


class Histogram:
    """How often values lay where.

    Args:
        bounds: upper ends of the buckets, ascending; above the last lies one more.
    """

    def __init__(self, name: str, about: str, bounds: Sequence[float], **labels: Iterable[str]) -> None:
        self.about = About(name=name, help=about, labels=_with_other(labels))
        self.bounds = tuple(bounds)
        empty = len(self.bounds) + 1
        self.counts: dict[Labels, list[int]] = {key: [0] * empty for key in self.about.series()}
        self.sums: dict[Labels, float] = dict.fromkeys(self.about.series(), 0.0)

    def note(self, value: float, *labels: str) -> None:
        """Counts one value."""
        key = labels if labels in self.counts else self.about.known(labels)
        self.counts[key][bisect_left(self.bounds, value)] += 1
        self.sums[key] += value


def _with_other(labels: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(dict.fromkeys((*values, OTHER))) for name, values in labels.items()}
