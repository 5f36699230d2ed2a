"""Short forms of first names, for suggesting duplicate entities; people decide whether to merge them."""

from collections.abc import Mapping
from functools import cache

from extraction.text.toml_files import toml_of


@cache
def full_names() -> Mapping[str, frozenset[str]]:
    """Return the full names that a name may be short for; a full name includes itself."""
    found: dict[str, set[str]] = {}
    for line in toml_of("extraction.entities", "words.toml")["nicknames"].splitlines():
        names = line.split()
        for name in names:
            found.setdefault(name, set()).add(names[0])
    return {name: frozenset(of) for name, of in found.items()}
