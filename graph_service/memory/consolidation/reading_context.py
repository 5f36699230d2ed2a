"""Load what a model is told about a user before it reads a scene: known names, the profile and the scene before."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from itertools import islice
from typing import Any, Final

from extraction.reader import KnownName, SceneContext, SceneLine, SceneText
from extraction.text.fulltext_words import words_in
from graph_service.graph.lucene import scoped_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.session_input import SessionInput
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.profile.core_memory import CoreKind, core_memory
from schema.ids import name_key, scope_token
from schema.labels import Role
from schema.message import Message
from schema.scene import Scene
from schema.timespan import millis

# Bounds of what each prompt carries besides the scene: about 1,500 tokens in all.
NAMES_MAX: Final = 40
ALIASES_MAX: Final = 3
NAMES_CHARS_MAX: Final = 1_600
PROFILE_MAX: Final = 30
PROFILE_CHARS_MAX: Final = 2_400
LINES_MAX: Final = 4
LINE_CHARS_MAX: Final = 300
SUMMARY_CHARS_MAX: Final = 600
_INSTANT: Final = timedelta(microseconds=1)


async def load_context(
    graph: Graph, session_input: SessionInput, session: str, scene: Scene, text: SceneText
) -> SceneContext:
    """Return the known names, the profile and the scene before for one scene of a digest, in two round trips."""
    owner = session_input.owner
    start_ms = millis(scene.episode_start)
    words = words_in("\n".join(line.text for line in text.lines if line.fresh))
    parameters = {
        "tenant": owner.tenant,
        "user_id": owner.user_id,
        "session": session,
        "start_ms": start_ms,
        "start": scene.episode_start,
        "query": scoped_query(
            words, fields=("name", "aliases"), scope_user=scope_token(owner.tenant, owner.user_id), days=False
        ),
        "names_max": NAMES_MAX,
        "aliases_max": ALIASES_MAX,
        "lines_max": LINES_MAX,
        "chars_max": LINE_CHARS_MAX,
    }
    (row,) = await graph.read(statement("consolidation/reading_context"), parameters)
    # Not what the local reader has found in this scene: the model would take it for known and leave it out.
    heard = min((one.received_at for one in scene.messages if one.received_at is not None), default=None)
    moments = AsOf(valid_at=scene.episode_end, known_at=heard - _INSTANT if heard else None)
    profile = await core_memory(graph, owner.tenant, owner.user_id, moments=moments, now=False)
    current = sorted((fact for fact in profile if fact.kind is not CoreKind.EARLIER), key=lambda fact: -fact.worth)
    lines, summary = _scene_before(row["before"], session_input, scene)
    return SceneContext(
        names=tuple(
            known_names((*row["matching"], *row["recent"]), (*owner.user_names, owner.user_id, owner.agent_id or ""))
        ),
        profile=tuple(
            within_chars(dict.fromkeys(fact.statement for fact in current), PROFILE_MAX, chars_max=PROFILE_CHARS_MAX)
        ),
        before=lines,
        before_summary=summary,
    )


def known_names(rows: Iterable[Mapping[str, Any]], ignore: Iterable[str]) -> Iterator[KnownName]:
    """Yield distinct names in order, at most `NAMES_MAX` with `NAMES_CHARS_MAX` characters; leave out `ignore`."""
    seen = set(map(name_key, ignore))
    left, count = NAMES_CHARS_MAX, 0
    for row in rows:
        key = name_key(row["name"])
        chars = len(row["name"]) + sum(map(len, row["aliases"]))
        if key in seen or chars > left:
            continue
        if count == NAMES_MAX:
            return
        seen.add(key)
        left, count = left - chars, count + 1
        yield KnownName(name=row["name"], entity_type=row["entity_type"], aliases=tuple(row["aliases"]))


def within_chars(texts: Iterable[str], texts_max: int, *, chars_max: int) -> Iterator[str]:
    """Yield the first texts, leaving out those that would exceed the characters."""
    left = chars_max
    for text in islice(texts, texts_max):
        if len(text) <= left:
            left -= len(text)
            yield text


def _scene_before(
    stored: Mapping[str, Any] | None, session_input: SessionInput, scene: Scene
) -> tuple[tuple[SceneLine, ...], str | None]:
    """Return the last lines and the abstract of the previous scene, which may belong to this digest."""
    earlier = [one for one in session_input.scenes if one.episode_start < scene.episode_start]
    newest = max(earlier, key=lambda one: (one.episode_start, one.id), default=None)
    if newest is not None and (stored is None or millis(newest.episode_start) >= stored["start_ms"]):
        summary = session_input.stored.get(newest.id, {}).get("abstract")
        return tuple(map(_line_of_message, newest.messages[-LINES_MAX:])), _cut(summary)
    if stored is None:
        return (), None
    return tuple(map(_line_of_row, stored["lines"])), _cut(stored["abstract"])


def _line_of_message(message: Message) -> SceneLine:
    text = message.text[:LINE_CHARS_MAX]
    return SceneLine(
        message_id=message.id,
        role=message.role,
        speaker=message.speaker,
        text=text,
        said_at=message.said_local,
        fresh=False,
    )


def _line_of_row(row: Mapping[str, Any]) -> SceneLine:
    return from_row(SceneLine, row, message_id=row["id"], role=Role(row["role"]), text=row["text"] or "", fresh=False)


def _cut(summary: str | None) -> str | None:
    return summary[:SUMMARY_CHARS_MAX] if summary else None
