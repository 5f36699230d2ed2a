"""Collect aliases that users declare for themselves, and replace them by the user in later lines of others. Pure.

An alias is valid only in lines after its declaration, so the result does not depend on how a conversation is split into
calls. The user's own lines are not changed: a user called Bob may have a friend called Bob.
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


def with_declared_aliases(
    stored: Mapping[str, Any], scenes: Sequence[SceneExtraction], owner: Owner
) -> tuple[dict[str, Any], list[SceneExtraction]]:
    """Add the aliases declared in the readings to the user's properties, and replace them by the user in the scenes.

    The properties equal `stored` without new aliases. Names are replaced only in later lines of other speakers.
    """
    before = dict(zip(stored.get("declared_names") or (), stored.get("declared_since") or (), strict=True))
    declared = dict(before)
    by_key = {name_key(name): name for name in declared}
    found = (
        pair for scene in scenes for reading in scene.readings for pair in _declared_aliases(scene, reading, owner)
    )
    for name, at in sorted(found, key=lambda pair: (pair[1], pair[0])):
        known = by_key.setdefault(name_key(name), name)
        if known in declared or len(declared) < NAMES_MAX:
            declared[known] = min(declared.get(known, at), at)
    properties = dict(stored)
    if declared != before:
        order = sorted(declared)
        aliases = {*(stored.get("aliases") or ()), *(name for name in declared if name != stored.get("name"))}
        properties |= {"aliases": sorted(aliases), "declared_names": order}
        properties["declared_since"] = [declared[name] for name in order]
    since = {name_key(name): at for name, at in declared.items()}
    return properties, [_replace_in(scene, since, owner) for scene in scenes] if since else list(scenes)


def changed_alias_properties(stored: Mapping[str, Any], updated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of the user to write; empty without a new alias."""
    if stored == updated:
        return {}
    return {name: updated[name] for name in ("aliases", "declared_names", "declared_since")}


def _replace_in(extraction: SceneExtraction, since: Mapping[str, datetime], owner: Owner) -> SceneExtraction:
    lines = extraction.scene.messages

    def resolve(name: str, numbers: Iterable[int]) -> str:
        at = since.get(name_key(name))
        if at is None:
            return name
        said = [lines[number] for number in numbers if 0 <= number < len(lines)]
        by_others = all(line.said_at >= at and not _by_user(line, owner) for line in said)
        return THE_USER if said and by_others else name

    def mention(one: Mention) -> Mention:
        return replace(one, name=resolve(one.name, (one.line,)))

    def fact(one: ProposedFact) -> ProposedFact:
        numbers = [quote.line for quote in one.quotes]
        return replace(one, subject=resolve(one.subject, numbers), object=resolve(one.object, numbers))

    readings = tuple(
        replace(reading, mentions=tuple(map(mention, reading.mentions)), facts=tuple(map(fact, reading.facts)))
        for reading in extraction.readings
    )
    return replace(extraction, readings=readings)


def _declared_aliases(extraction: SceneExtraction, reading: Reading, owner: Owner) -> list[tuple[str, datetime]]:
    """Return the aliases in statements of the user about themselves, with the time of each statement."""
    lines = extraction.scene.messages
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
