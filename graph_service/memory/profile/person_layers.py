"""Compose the layers of a user, agent or entity from its facts: abstract (L0), overview (L1), all of them (L2).

They are composed when they are read, so they are never out of date, and what was forgotten is never in them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final

from extraction.extractive_summary import token_count
from extraction.text.chinese import is_chinese
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.profile.reader import ProfilePart, profile_of
from graph_service.memory.summaries.scene_summary import EXTRACTIVE
from graph_service.memory.summaries.service import LayerText, Level, tokens_of
from schema.ids import MemoryId, TenantId, to_element_id
from schema.profile import Category, category_in, category_uri
from schema.zones import day_in

ABSTRACT_TOKENS_MAX: Final = 100
OVERVIEW_TOKENS_MAX: Final = 2_000
SESSIONS_MAX: Final = 5
# Facts of each category in an overview.
_OVERVIEW_FACTS: Final = 12
_ENTITY_FACTS: Final = 100
_HEADINGS: Final[Mapping[Category, tuple[str, str]]] = {
    Category.PERSONAL: ("Personal", "个人情况"),
    Category.WORK: ("Work", "工作"),
    Category.PREFERENCES: ("Preferences", "偏好"),
    Category.RELATIONSHIPS: ("Relationships", "人际关系"),
    Category.GOALS: ("Goals", "目标"),
}
_SESSIONS: Final = ("Latest conversations", "最近的会话")
_NOTHING: Final = ("Nothing is known about {name} yet.", "目前对{name}一无所知。")


async def person_layer(
    graph: Graph, clock: Callable[[], datetime], tenant: TenantId, uri: str, level: Level
) -> LayerText | None:
    """Return what is known about a user, agent or entity, or one category of a profile; None for other URIs."""
    base, category = category_in(uri)
    node_id = to_element_id(base)
    parameters = {"tenant": tenant, "id": node_id, "sessions_max": SESSIONS_MAX}
    rows = await graph.read(statement("profile/person_by_id"), parameters)
    if not rows:
        return None
    person = rows[0]
    if person["is_entity"] and category is None:
        return await _entity_layer(graph, clock, tenant, node_id, person, level)
    parts = await profile_of(graph, tenant, MemoryId(node_id), AsOf(valid_at=clock()), category=category)
    sessions = person["sessions"] if category is None else []
    match level:
        case Level.L0:
            text = person_abstract(person["name"], parts)
        case Level.L1:
            text = person_overview(person["name"], parts, sessions)
        case Level.L2:
            text = person_detail(person["name"], parts)
    uri = person["uri"] if category is None else category_uri(person["uri"], category)
    return await _layer(uri, level, person["name"], text)


async def _entity_layer(
    graph: Graph, clock: Callable[[], datetime], tenant: TenantId, node_id: str, entity: Mapping[str, Any], level: Level
) -> LayerText:
    """Return the valid facts of an entity, strongest first."""
    parameters = {"tenant": tenant, "id": node_id, "rows_max": _ENTITY_FACTS}
    facts = [row["fact"] for row in await graph.read(statement("mindmap/facts_of_node"), parameters)]
    valid = [fact for fact in facts if fact["statement"] and (fact["invalid_at"] or clock()) >= clock()]
    name = entity["name"]
    if level is Level.L0:
        text = _within([fact["statement"] for fact in valid], ABSTRACT_TOKENS_MAX, " ")
    else:
        lines = [f"# {name}", "", *(f"- {' '.join(fact['statement'].split())}" for fact in valid)]
        text = _within(lines, OVERVIEW_TOKENS_MAX, "\n") if valid else ""
    return await _layer(entity["uri"], level, name, text or _NOTHING[is_chinese(name)].format(name=name))


async def _layer(uri: str, level: Level, title: str, text: str) -> LayerText:
    return LayerText(
        uri=f"{uri}#{level}",
        level=level,
        title=title,
        text=text,
        generated_by=EXTRACTIVE,
        tokens=await tokens_of(text),
    )


def person_abstract(name: str, parts: Sequence[ProfilePart]) -> str:
    """Return the most important facts as sentences, at most 100 tokens.

    Categories take turns, so that one with many facts does not crowd out the others.
    """
    ranked = sorted(
        ((place, -item.importance, item) for part in parts for place, item in enumerate(part.items)),
        key=lambda one: (one[0], one[1], one[2].id),
    )
    return _within([item.statement for _, _, item in ranked], ABSTRACT_TOKENS_MAX, " ") or _nothing(name, parts)


def person_overview(name: str, parts: Sequence[ProfilePart], sessions: Sequence[Mapping[str, Any]]) -> str:
    """Return an overview in Markdown by category, with the latest conversations, at most 2,000 tokens."""
    lines = _sections(name, parts, facts_max=_OVERVIEW_FACTS)
    if not any(part.items for part in parts):
        lines += [_nothing(name, parts), ""]
    if sessions:
        lines += [f"## {_SESSIONS[_is_chinese(parts)]}", ""]
        zone = next((item.zone for part in parts for item in part.items if item.zone), None)
        lines += [f"- {day_in(one['last_at'], zone)} {one['title']}: {one['abstract'] or ''}" for one in sessions]
    return _within(lines, OVERVIEW_TOKENS_MAX, "\n").rstrip()


def person_detail(name: str, parts: Sequence[ProfilePart]) -> str:
    """Return all facts of the profile in Markdown; the limits of its categories bound the length."""
    known = any(part.items for part in parts)
    return "\n".join(_sections(name, parts)).rstrip() if known else _nothing(name, parts)


def _sections(name: str, parts: Sequence[ProfilePart], *, facts_max: int | None = None) -> list[str]:
    lines, chinese = [f"# {name}", ""], _is_chinese(parts)
    for part in (part for part in parts if part.items):
        facts = (f"- {' '.join(one.statement.split())} ({day_in(one.valid_at, one.zone)})" for one in part.items)
        lines += [f"## {_HEADINGS[part.category][chinese]}", "", *islice(facts, facts_max), ""]
    return lines


def _nothing(name: str, parts: Sequence[ProfilePart]) -> str:
    return _NOTHING[is_chinese(name) or _is_chinese(parts)].format(name=name)


def _is_chinese(parts: Sequence[ProfilePart]) -> bool:
    texts = [item.statement for part in parts for item in part.items]
    return sum(map(is_chinese, texts)) * 2 > len(texts)


def _within(texts: Sequence[str], tokens_max: int, separator: str) -> str:
    """Return the first texts that fit together."""
    kept: list[str] = []
    left = tokens_max
    for text in texts:
        left -= token_count(text) + 1
        if left < 0:
            break
        kept.append(text)
    return separator.join(kept)
