"""Names of countries and regions (incomplete): living in France does not contradict living in Paris."""

from functools import cache

from extraction.text.toml_files import toml_of
from schema.ids import name_key


@cache
def _names() -> frozenset[str]:
    listed: str = toml_of("extraction.entities", "words.toml")["regions"]
    found = {name_key(name) for name in listed.strip().replace("\n", "|").split("|")}
    return frozenset(found | {f"{name}{end}" for name in found for end in ("省", "自治区") if not name.isascii()})


def is_region(name: str) -> bool:
    """Return whether a name is a country or region."""
    return name_key(name) in _names()


def other_level(one: str | None, other: str | None) -> bool:
    """Return whether exactly one of two places is a country or region, which may contain the other."""
    regions = [is_region(name) for name in (one, other) if name]
    return len(regions) == 2 and regions[0] != regions[1]
