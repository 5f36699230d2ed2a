"""What is told of an entity besides facts: a small map of words, kept as JSON text on its node. Pure."""

import json
from collections.abc import Iterable
from typing import Final

from graph_service.memory.incoming import text_problem

ATTRIBUTES_MAX: Final = 16
NAME_CHARS_MAX: Final = 60
VALUE_CHARS_MAX: Final = 300


def with_attributes(known: str, told: Iterable[tuple[str, str]], *, newer: bool) -> str:
    """The map with what was told added; where both name the same, what was said later stays.

    Args:
        known: JSON text as stored; empty for none.
        newer: what was told was said after what is known. Names and values that cannot be stored are left out, and
            names beyond the bound too.
    """
    before: dict[str, str] = json.loads(known) if known else {}
    usable = {
        name.strip().casefold(): value.strip()
        for name, value in told
        if not text_problem(name, NAME_CHARS_MAX) and not text_problem(value, VALUE_CHARS_MAX)
    }
    merged = before | usable if newer else usable | before
    # What was known first keeps its place when there are too many.
    order = list(dict.fromkeys([*before, *usable]))[:ATTRIBUTES_MAX]
    kept = {name: merged[name] for name in sorted(order)}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else ""
