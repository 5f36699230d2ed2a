"""Names that the user goes by: told in their own words, and meant by others who say them from then on. Pure.

Only what is said after the name was told counts, so that one call with a conversation and many calls with its messages
give the same. Who says "Bob" of themselves may still have a friend of that name: their own lines stay as they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from extraction.entities.kinship_terms import tie
from extraction.entities.matching import person_words
from extraction.reader import THE_USER, Mention, ProposedFact, Reading
from graph_service.memory.argument_checks import text_problem
from graph_service.memory.consolidation.plan import SceneExtraction
from graph_service.memory.entity_resolution.resolver import Owner
from schema.ids import name_key
from schema.labels import Role
from schema.limits import LIMITS
from schema.message import Message

RELATION: Final = "is named"
NAMES_MAX: Final = 20
Told = Mapping[str, datetime]


def stored_aliases(stored: Mapping[str, Any]) -> dict[str, datetime]:
    """Return the names that are stored with a user, and since when each is told."""
    return dict(zip(stored.get("called") or (), stored.get("called_since") or (), strict=True))


def add_declared_aliases(stored: Mapping[str, Any], scenes: Sequence[SceneExtraction], owner: Owner) -> dict[str, Any]:
    """Return the properties of the user with the names that the readings tell; equal to `stored` when they tell no new
    one.
    """
    told = stored_aliases(stored)
    by_key = {name_key(name): name for name in told}
    found = ((name, at) for read in scenes for reading in read.readings for name, at in _tells(read, reading, owner))
    for name, at in sorted(found, key=lambda pair: (pair[1], pair[0])):
        known = by_key.setdefault(name_key(name), name)
        if known in told or len(told) < NAMES_MAX:
            told[known] = min(told.get(known, at), at)
    if told == stored_aliases(stored):
        return dict(stored)
    aliases = sorted({*(stored.get("aliases") or ()), *(name for name in told if name != stored.get("name"))})
    order = sorted(told)
    return {**stored, "aliases": aliases, "called": order, "called_since": [told[name] for name in order]}


def changed_alias_properties(stored: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of the user's properties must be written; empty when no new name was told."""
    if stored == told:
        return {}
    return {name: told[name] for name in ("aliases", "called", "called_since")}


def replace_user_aliases(scenes: Sequence[SceneExtraction], told: Told, owner: Owner) -> list[SceneExtraction]:
    """Return the scenes with the user in place of a name that others say after the user told it."""
    since = {name_key(name): at for name, at in told.items()}
    return [_met(read, since, owner) for read in scenes] if since else list(scenes)


def _met(read: SceneExtraction, since: Told, owner: Owner) -> SceneExtraction:
    lines = read.scene.messages

    def who(name: str, numbers: Iterable[int]) -> str:
        at = since.get(name_key(name))
        if at is None:
            return name
        said = [lines[number] for number in numbers if 0 <= number < len(lines)]
        by_others = all(line.said_at >= at and not _by_user(line, owner) for line in said)
        return THE_USER if said and by_others else name

    def mention(one: Mention) -> Mention:
        return replace(one, name=who(one.name, (one.line,)))

    def fact(one: ProposedFact) -> ProposedFact:
        numbers = [quote.line for quote in one.quotes]
        return replace(one, subject=who(one.subject, numbers), object=who(one.object, numbers))

    readings = tuple(
        replace(reading, mentions=tuple(map(mention, reading.mentions)), facts=tuple(map(fact, reading.facts)))
        for reading in read.readings
    )
    return replace(read, readings=readings)


def _tells(read: SceneExtraction, reading: Reading, owner: Owner) -> list[tuple[str, datetime]]:
    lines = read.scene.messages
    return [
        (fact.object.strip(), lines[quote.line].said_at)
        for fact in reading.facts
        if fact.relation == RELATION and fact.subject == THE_USER and not fact.closes and _usable(fact.object, owner)
        for quote in fact.quotes
        if 0 <= quote.line < len(lines) and _by_user(lines[quote.line], owner)
    ]


def _by_user(line: Message, owner: Owner) -> bool:
    names = {name_key(owner.user_id), *map(name_key, owner.user_names)}
    return line.role is Role.USER and (line.speaker is None or name_key(line.speaker) in names)


def _usable(name: str, owner: Owner) -> bool:
    key = name_key(name)
    if text_problem(name, LIMITS.name_chars) or len(key) < 2:
        return False
    known = {name_key(owner.user_id), *map(name_key, owner.user_names), name_key(owner.agent_id or "")}
    return key not in known and tie(name) is None and person_words(name) is None
