"""Rewrite URIs and ids for another tenant. Pure.

Ids derive from URIs, and URIs begin with the tenant. Exports are rewritten for `NO_TENANT`, so that export, import
elsewhere and another export give identical bytes. Ids that do not derive from a URI are kept.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from extraction.text.name_forms import all_forms
from graph_service.memory.items.writes import item_tokens
from graph_service.memory.tags import message_tokens
from schema.entity import stored_names
from schema.graph_model import Property
from schema.ids import TenantId, Uri, content_hash, memory_id, scope_token, user_uri

NO_TENANT: Final = TenantId("")
_ID_FIELDS: Final = ("id", "source", "target")
Lookup = Callable[[str], str]
Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantRename:
    """Rewrite values from one tenant to another, one of which is `NO_TENANT`.

    Attributes:
        new_id: returns the new id of an element, and unknown ids unchanged.
    """

    source: TenantId
    target: TenantId
    new_id: Lookup

    def uri(self, uri: str) -> Uri:
        """Return the URI in the target tenant; URIs of other tenants are kept."""
        root = f"memory://{quote(self.source, safe='')}/"
        if not uri.startswith(root):
            return Uri(uri)
        parts = uri.removeprefix(root).split("/")
        for place in _id_indexes(parts):
            parts[place] = self.new_id(parts[place])
        return Uri(f"memory://{quote(self.target, safe='')}/{'/'.join(parts)}")

    def by_uri(self, old: str, uri: str) -> str:
        """Return the new id of an element if its old id derives from its URI, else the old id."""
        return memory_id(self.uri(uri)) if memory_id(uri) == old else old

    def properties(self, stored: Properties, model: Mapping[str, Property]) -> dict[str, Any]:
        """Return the properties of an element in the target tenant, sorted by name, without transient ones."""
        rewritten = {}
        for name in sorted(stored):
            role = model[name].role if name in model else ""
            if role not in ("tenant", "passing"):
                rewritten[name] = self._rewrite(stored[name], role, stored)
        return rewritten

    def _rewrite(self, value: Any, role: str, stored: Properties) -> Any:
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
                return sorted((self._prefixed(one, ":") for one in value), key=lambda one: one.partition(":")[0])
            case "assertions":
                return sorted((self._assertion_text(one) for one in value), key=lambda one: one.partition("|")[0])
            case "provided":
                return self._provided_facts(value)
            case "scope tenant" | "scope user" | "forms" | "tags" | "item tokens":
                return self._tokens(role, stored)
            case "body":
                return _body(value, self.new_id)
            case _:
                return value

    def _prefixed(self, text: str, separator: str) -> str:
        name, found, rest = text.partition(separator)
        return f"{self.new_id(name)}{found}{rest}"

    def _provided_facts(self, text: str) -> str:
        """Rewrite `replaces` in the JSON of provided facts: the ids and URIs of the facts that each one replaces."""
        if '"replaces"' not in text:
            return text
        facts = json.loads(text)
        for fact in facts:
            if fact.get("replaces"):
                fact["replaces"] = [self.uri(self.new_id(one)) for one in fact["replaces"]]
        return json.dumps(facts, default=str, ensure_ascii=False, sort_keys=True)

    def _assertion_text(self, text: str) -> str:
        message, first, rest = text.partition("|")
        scene, second, rest = rest.partition("|")
        rest, mark, replaced = rest.partition(":")
        ids = ",".join(sorted(map(self.new_id, replaced.split(",")))) if replaced else ""
        return f"{self.new_id(message)}{first}{self.new_id(scene)}{second}{rest}{mark}{ids}"

    def _tokens(self, role: str, stored: Properties) -> str | list[str]:
        """Return the tokens of an element in full-text indexes; empty in a file, and computed on import."""
        if self.target == NO_TENANT:
            return "" if role.startswith("scope") else []
        match role:
            case "scope tenant":
                return scope_token(self.target)
            case "scope user":
                return scope_token(self.target, stored["user_id"])
            case "tags":
                return message_tokens(self.target, stored["user_id"], stored.get("tags") or (), stored.get("metadata"))
            case "item tokens":
                return item_tokens(self.target, stored["user_id"], stored["namespace"], json.loads(stored["value"]))
            case _:
                forms = {form for name in stored_names(stored) for form in all_forms(name)}
                return sorted(scope_token(self.target, stored["user_id"], form) for form in forms)


def _id_indexes(parts: list[str]) -> list[int]:
    """Return the indexes of element ids among the parts of a URI after the tenant."""
    if parts[0] == "session" and len(parts) > 3:
        start = 5 if parts[3] == "scene" else len(parts)
        found = [4] if parts[3] == "scene" else []
    else:
        start = 4 if len(parts) > 3 and parts[2] in ("agent", "entity") else 2
        found = [3, 4] if len(parts) == 5 and parts[2] == "apart" else []
    if len(parts) == start + 5 and parts[start] == "profile":
        found.append(start + 3)
    if len(parts) == start + 2 and parts[start] == "merged-into":
        found.append(start + 1)
    return found


def _body(text: str, new_id: Lookup) -> str:
    view = json.loads(text)
    for name in _ID_FIELDS:
        if isinstance(view.get(name), str):
            view[name] = new_id(view[name])
    return json.dumps(view, ensure_ascii=False)


def first_period(uri: str) -> tuple[str, str]:
    """Return id and URI of the first validity period of a fact, which identifies its claim."""
    first = f"{uri.rpartition('/')[0]}/0"
    return memory_id(first), first


def merge_id(rename: TenantRename, entity: Properties) -> tuple[str, str]:
    """Return the old and the new id of a merge."""
    old: str = entity["merge_id"]
    return old, rename.by_uri(old, f"{entity['uri']}/merged-into/{entity['parent_id']}")


def rejection_id(rename: TenantRename, rejection: Properties) -> str:
    """Return the new id of a rejected merge."""
    root = user_uri(rename.source, rejection["user_id"])
    if memory_id(f"{root}/apart/{rejection['a_id']}/{rejection['b_id']}") != rejection["id"]:
        return str(rejection["id"])
    ends = sorted(rename.new_id(rejection[end]) for end in ("a_id", "b_id"))
    return memory_id(f"{user_uri(rename.target, rejection['user_id'])}/apart/{ends[0]}/{ends[1]}")


def episode_id(rename: TenantRename, episode: Properties, session: str) -> str:
    """Return the new id of an episode.

    Args:
        session: URI of its session in the source tenant.
    """
    rest = (episode.get("facts") or "", episode.get("summary") or "")
    old = content_hash(*episode["message_ids"], *rest)
    if memory_id(f"{session}/episode/{old}") != episode["id"]:
        return str(episode["id"])
    new = content_hash(*(rename.new_id(one) for one in episode["message_ids"]), *rest)
    return memory_id(f"{rename.uri(session)}/episode/{new}")
