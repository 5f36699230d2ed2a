"""Moving memories to another tenant: ids follow from addresses, addresses begin with the tenant. Pure.

An export belongs to no tenant: it is written as if the tenant had no name, so that what is exported, imported elsewhere
and exported again is the same to the byte. What does not follow from an address stays as it is.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from extraction.text.name_forms import all_forms
from schema.graph_model import Property
from schema.ids import BegunHash, TenantId, Uri, content_hash, memory_id, scope_token, user_uri

NOBODY: Final = TenantId("")
_ENDS_OF_VIEWS: Final = ("id", "source", "target")
Lookup = Callable[[str], str]
Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """From one tenant to another; one of the two is `NOBODY`.

    Attributes:
        new_id: the new id of an element, or the same when it is not known.
    """

    source: TenantId
    target: TenantId
    new_id: Lookup

    def uri(self, uri: str) -> Uri:
        """Return an address under the other tenant; another's address stays as it is."""
        root = f"memory://{quote(self.source, safe='')}/"
        if not uri.startswith(root):
            return Uri(uri)
        parts = uri.removeprefix(root).split("/")
        for place in _places_of_ids(parts):
            parts[place] = self.new_id(parts[place])
        return Uri(f"memory://{quote(self.target, safe='')}/{'/'.join(parts)}")

    def by_uri(self, old: str, uri: str) -> str:
        """Return the new id of what had an id of its address."""
        return memory_id(self.uri(uri)) if memory_id(uri) == old else old

    def properties(self, stored: Properties, model: Mapping[str, Property]) -> dict[str, Any]:
        """Return the properties of an element under the other tenant, sorted by name; what is of this minute is left
        out.
        """
        moved = {}
        for name in sorted(stored):
            role = model[name].role if name in model else ""
            if role not in ("tenant", "passing"):
                moved[name] = self._moved(stored[name], role, stored)
        return moved

    def _moved(self, value: Any, role: str, stored: Properties) -> Any:
        match role:
            case "id" | "ref":
                return self.new_id(value)
            case "uri":
                return self.uri(value)
            case "refs":
                return [self.new_id(one) for one in value]
            case "refs sorted":
                return sorted(self.new_id(one) for one in value)
            case "marked":
                return sorted((self._marked(one, ":") for one in value), key=lambda one: one.partition(":")[0])
            case "told":
                return sorted((self._told(one) for one in value), key=lambda one: one.partition("|")[0])
            case "scope tenant" | "scope user":
                return self._scope(role, stored)
            case "forms":
                return self._forms(stored)
            case "body":
                return _body(value, self.new_id)
            case _:
                return value

    def _marked(self, text: str, separator: str) -> str:
        name, found, rest = text.partition(separator)
        return f"{self.new_id(name)}{found}{rest}"

    def _told(self, text: str) -> str:
        message, first, rest = text.partition("|")
        scene, second, rest = rest.partition("|")
        return f"{self.new_id(message)}{first}{self.new_id(scene)}{second}{rest}"

    def _scope(self, role: str, stored: Properties) -> str:
        # A file only says that there is one: who it names is known where it is imported.
        if self.target == NOBODY:
            return ""
        return scope_token(self.target) if role == "scope tenant" else scope_token(self.target, stored["user_id"])

    def _forms(self, stored: Properties) -> list[str]:
        if self.target == NOBODY:
            return []
        forms = {form for name in (stored["name"], *(stored.get("aliases") or ())) for form in all_forms(name)}
        return sorted(scope_token(self.target, stored["user_id"], form) for form in forms)


def _places_of_ids(parts: list[str]) -> list[int]:
    """Return where an address, cut at its slashes and without the tenant, names other elements by their ids."""
    if parts[0] == "session" and len(parts) > 3:
        inside = 5 if parts[3] == "scene" else len(parts)
        found = [4] if parts[3] == "scene" else []
    else:
        inside = 4 if len(parts) > 3 and parts[2] in ("agent", "entity") else 2
        found = [3, 4] if len(parts) == 5 and parts[2] == "apart" else []
    if len(parts) == inside + 5 and parts[inside] == "profile":
        found.append(inside + 3)
    if len(parts) == inside + 2 and parts[inside] == "merged-into":
        found.append(inside + 1)
    return found


def _body(text: str, new_id: Lookup) -> str:
    view = json.loads(text)
    for name in _ENDS_OF_VIEWS:
        if isinstance(view.get(name), str):
            view[name] = new_id(view[name])
    return json.dumps(view, ensure_ascii=False)


def first_spell(uri: str) -> tuple[str, str]:
    """Return id and address of the first spell of a fact's claim, which names the claim."""
    first = f"{uri.rpartition('/')[0]}/0"
    return memory_id(first), first


def merge_id(move: Move, held: Properties) -> tuple[str, str]:
    """Old and new id of a merge."""
    old: str = held["merge_id"]
    return old, move.by_uri(old, f"{held['uri']}/merged-into/{held['parent_id']}")


def apart_id(move: Move, kept: Properties) -> str:
    """Return the new id of two that were said to be two."""
    root = user_uri(move.source, kept["user_id"])
    if memory_id(f"{root}/apart/{kept['a_id']}/{kept['b_id']}") != kept["id"]:
        return str(kept["id"])
    ends = sorted(move.new_id(kept[end]) for end in ("a_id", "b_id"))
    return memory_id(f"{user_uri(move.target, kept['user_id'])}/apart/{ends[0]}/{ends[1]}")


def episode_id(move: Move, episode: Properties, session: str) -> str:
    """Return the new id of what a caller brought.

    Args:
        session: address of its session under the source.
    """
    rest = (episode.get("facts") or "", episode.get("summary") or "")
    old = content_hash(*episode["message_ids"], *rest)
    if memory_id(f"{session}/episode/{old}") != episode["id"]:
        return str(episode["id"])
    new = content_hash(*(move.new_id(one) for one in episode["message_ids"]), *rest)
    return memory_id(f"{move.uri(session)}/episode/{new}")


# Fingerprints of scenes and of layer texts, which are made of ids, under another tenant. Pure.
#
# One that cannot be made out stays as it is; the worst of that is a text that is made anew once.

PropertyMap = Mapping[str, Any]
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
    scene: PropertyMap, said: Sequence[Said], brought: Iterable[Leads], new_id: Callable[[str], str]
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


def session_print(life: PropertyMap, scenes: Sequence[Told], new_id: Callable[[str], str]) -> Iterator[Pair]:
    """Old and new fingerprint of a session's texts, if it can be made out."""
    before = content_hash("session", *(one.layers_hash for one in sorted(scenes)))
    if before == life.get("layers_hash"):
        moved = sorted(one._replace(id=new_id(one.id), layers_hash=new_id(one.layers_hash)) for one in scenes)
        yield before, content_hash("session", *(one.layers_hash for one in moved))


def _parts(said: Iterable[Said]) -> Iterator[str]:
    for one in said:
        yield from (one.id, one.content_hash)


def leads_of(episode: PropertyMap) -> Leads:
    """Return what a scene's fingerprint may begin with: whether it was read, and what an episode brought about it."""
    facts = [str(fact["statement"]) for fact in json.loads(episode.get("facts") or "[]")]
    return _leads(episode.get("summary") or "", *facts)


def _leads(*brought: str) -> Leads:
    return BegunHash("read", *brought, ""), BegunHash("waits", *brought, "")


_NOTHING_BROUGHT: Final = _leads("")
