"""Fingerprints of scenes and of layer texts, which are made of ids, under another tenant. Pure.

One that cannot be made out stays as it is; the worst of that is a text that is made anew once.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from schema.ids import BegunHash, content_hash

Properties = Mapping[str, Any]
Pair = tuple[str, str]
Leads = tuple[BegunHash, BegunHash]


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
    scene: Properties, said: Sequence[Said], brought: Iterable[Leads], new_id: Callable[[str], str]
) -> Iterator[Pair]:
    """Old and new fingerprints of a scene and of its texts, as far as they can be made out.

    Args:
        brought: what `leads_of` gave for the episodes its messages came with.
    """
    before = sorted(said)
    after = sorted(one._replace(id=new_id(one.id)) for one in said)
    if content_hash(*_parts(before)) == scene.get("content_hash"):
        yield scene["content_hash"], content_hash(*_parts(after))
    held = scene.get("layers_n") or 0
    parts = list(_parts(before[:held]))
    for lead in (lead for leads in (_NOTHING_BROUGHT, *brought) for lead in leads):
        if lead.with_rest(*parts) == scene.get("layers_hash"):
            yield scene["layers_hash"], lead.with_rest(*_parts(after[:held]))
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


def leads_of(episode: Properties) -> Leads:
    """What a scene's fingerprint may begin with: whether it was read, and what an episode brought about it."""
    facts = [str(fact["statement"]) for fact in json.loads(episode.get("facts") or "[]")]
    return _leads(episode.get("summary") or "", *facts)


def _leads(*brought: str) -> Leads:
    return BegunHash("read", *brought, ""), BegunHash("waits", *brought, "")


_NOTHING_BROUGHT: Final = _leads("")
