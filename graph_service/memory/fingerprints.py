"""Fingerprints of scenes and of layer texts, which are made of ids, under another tenant. Pure.

One that cannot be made out stays as it is; the worst of that is a text that is made anew once.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from schema.ids import content_hash

Properties = Mapping[str, Any]
Pair = tuple[str, str]


class Said(NamedTuple):
    """A message of a scene, in the order in which a scene holds them.

    Attributes:
        at: when it was said, microseconds since 1970.
    """

    at: int
    position: int
    id: str
    content_hash: str


class Told(NamedTuple):
    """A scene as its session's texts count it."""

    start_ms: int
    id: str
    layers_hash: str


def scene_prints(
    scene: Properties, said: Sequence[Said], brought: Iterable[Properties], new_id: Callable[[str], str]
) -> Iterator[Pair]:
    """Old and new fingerprints of a scene and of its texts, as far as they can be made out.

    Args:
        brought: the episodes its messages came with.
    """
    before = sorted(said)
    after = sorted(one._replace(id=new_id(one.id)) for one in said)
    if content_hash(*_parts(before)) == scene.get("content_hash"):
        yield scene["content_hash"], content_hash(*_parts(after))
    held = scene.get("layers_n") or 0
    for lead in _leads(brought):
        if content_hash(*lead, *_parts(before[:held])) == scene.get("layers_hash"):
            yield scene["layers_hash"], content_hash(*lead, *_parts(after[:held]))
            return


def session_print(life: Properties, scenes: Sequence[Told], new_id: Callable[[str], str]) -> Iterator[Pair]:
    """Old and new fingerprint of a session's texts, if it can be made out."""
    before = content_hash("session", *(one.layers_hash for one in sorted(scenes)))
    if before == life.get("layers_hash"):
        moved = sorted(one._replace(id=new_id(one.id), layers_hash=new_id(one.layers_hash)) for one in scenes)
        yield before, content_hash("session", *(one.layers_hash for one in moved))


def _parts(said: Iterable[Said]) -> Iterator[str]:
    for one in said:
        yield from (one.id, one.content_hash)


def _leads(brought: Iterable[Properties]) -> Iterator[tuple[str, ...]]:
    """What a fingerprint may begin with: whether the scene was read, and what callers brought about it."""
    told: list[tuple[str, tuple[str, ...]]] = [("", ())]
    for episode in brought:
        facts = tuple(str(fact["statement"]) for fact in json.loads(episode.get("facts") or "[]"))
        told.append((episode.get("summary") or "", facts))
    for summary, facts in told:
        for state in ("read", "waits"):
            yield (state, summary, *facts, "")
