"""What forgetting some messages touches, and what is left of it. Pure; the same as if they had never been said.

A scene that held one of them is cut again, and so is everything that follows it without a pause, because scenes are cut
from the messages before. Facts that rest on such a scene go together with all that could contradict them, and every
other scene that proves one of these is read again.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from extraction.text.name_forms import fold
from graph_service.memory.entity_resolution.resolver import Owner, form_tokens
from graph_service.memory.forgetting.names_said import NamesSaid
from schema.predicates import holds_one, whitelist
from schema.telling import telling_of

Row = Mapping[str, Any]


def cut_again(spans: Iterable[Row], hit: Collection[str], *, pause_ms: int) -> set[str]:
    """Return the scenes that must be cut again: those that are hit, and those that follow one without a pause.

    Args:
        spans: rows of `forgetting/scene_spans`.
        hit: ids of scenes that held a forgotten message.
    """
    found: set[str] = set()
    by_session: dict[str, list[Row]] = {}
    for span in spans:
        by_session.setdefault(span["session"], []).append(span)
    for scenes in by_session.values():
        for stretch in _stretches(scenes, pause_ms):
            first_ms = min((span["start_ms"] for span in stretch if span["id"] in hit), default=None)
            if first_ms is not None:
                found.update(span["id"] for span in stretch if span["end_ms"] >= first_ms)
    return found


def _stretches(scenes: Iterable[Row], pause_ms: int) -> Iterator[list[Row]]:
    """Yield the scenes of a session, cut where a pause lies between one and all before it."""
    stretch: list[Row] = []
    reach_ms = 0
    for span in sorted(scenes, key=lambda span: (span["start_ms"], span["id"])):
        if stretch and span["start_ms"] > reach_ms + pause_ms:
            yield stretch
            stretch = []
        reach_ms = max(reach_ms, span["end_ms"]) if stretch else span["end_ms"]
        stretch.append(span)
    if stretch:
        yield stretch


def keys_of(facts: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the `$keys` of `facts/related_facts` for everything that some facts can have closed or been closed by."""
    by_subject: dict[str, tuple[set[str], set[str], set[str]]] = {}
    for fact in facts:
        rule = whitelist()[fact["predicate"]]
        objects, predicates, relations = by_subject.setdefault(fact["subject_id"], (set(), set(), set()))
        objects.add(fact["object_id"])
        predicates.update({fact["predicate"], rule.opposite or fact["predicate"]})
        relation, told = fact["properties"].get("relation"), fact["properties"].get("told") or ()
        # Words that something is over mean it whatever the relation.
        over = relation is None and any(telling_of(text).ends for text in told)
        relations.update(rule.one if over else ())
        relations.update({relation} if relation and holds_one(fact["predicate"], relation) else ())
    return [
        {
            "subject_id": subject,
            "object_ids": sorted(objects),
            "predicates": sorted(predicates),
            "one_relations": sorted(relations),
            "near": [],
        }
        for subject, (objects, predicates, relations) in sorted(by_subject.items())
    ]


def scenes_of(facts: Iterable[Row]) -> set[str]:
    """Return the scenes that prove some facts, and those where they were said to be over."""
    found: set[str] = set()
    for fact in facts:
        found.update(fact["properties"]["scenes"])
        found.update(telling_of(text).scene_id for text in fact["properties"].get("told") or ())
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message: what was said, and when."""

    text: str
    said_at: datetime


class Left:
    """What is left of what was said, and which of the names that are asked for it says.

    Args:
        names: every name and value that will be asked for.
        proofs: messages of scenes that stay, by id; cut: what is left of scenes that are cut again.
    """

    def __init__(self, names: Iterable[str], proofs: Mapping[str, Said], cut: Iterable[Said]) -> None:
        sought = NamesSaid(names)
        self._proofs: dict[str, set[str]] = {}
        self._cut: dict[str, tuple[datetime, datetime]] = {}
        for one in cut:
            for key in sought.in_text(one.text):
                first, last = self._cut.get(key, (one.said_at, one.said_at))
                self._cut[key] = min(first, one.said_at), max(last, one.said_at)
        for message, proof in proofs.items():
            for key in sought.in_text(proof.text):
                self._proofs.setdefault(key, set()).add(message)

    def cut_times(self, name: str) -> tuple[datetime, datetime] | None:
        """Return when scenes that are cut again say a name first and last."""
        return self._cut.get(fold(name))

    def says(self, name: str, proofs: Collection[str]) -> bool:
        """Return whether one of some proofs, or a scene that is cut again, says a name."""
        key = fold(name)
        return key in self._cut or not self._proofs.get(key, frozenset()).isdisjoint(proofs)


def names_in(standing: Row) -> list[str]:
    """Return the names of an entity in a row of `forgetting/remaining_support`, and the values of its attributes."""
    return [*_names(standing["properties"]), *_attributes(standing["properties"]).values()]


def _names(stored: Row) -> list[str]:
    return [stored["name"], *(stored.get("aliases") or ())]


def _attributes(stored: Row) -> dict[str, str]:
    told: dict[str, str] = json.loads(stored.get("attributes") or "{}")
    return told


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What becomes of an entity.

    Attributes:
        properties: those that change; None when it goes.
        returns: it goes, and the next reading of what is left makes it again.
        anew: likewise, because its name came from what was forgotten; the scenes that mention it must be read again.
    """

    properties: dict[str, Any] | None
    returns: bool = False
    anew: bool = False


def fate_of(standing: Row, left: Left, *, earliest: datetime, owner: Owner) -> Fate:
    """Return what becomes of an entity: names and attributes stay as far as what is left says them.

    Args:
        standing: a row of `forgetting/remaining_support`.
        earliest: when the first of the forgotten messages was said.
    """
    stored, proofs = standing["properties"], standing["evidence"]
    names = _names(stored)
    if not standing["scenes"]:
        told = [times for name in names if (times := left.cut_times(name))]
        # Made again by the next reading if it is still named; only what was merged must keep itself.
        if not standing["is_held"] or not left.cut_times(stored["name"]):
            return Fate(properties=None, returns=bool(told))
        first_seen, last_seen = min(first for first, _ in told), max(last for _, last in told)
    else:
        first_seen, last_seen = standing["first_seen"], standing["last_seen"]
    if stored["first_seen"] >= earliest and not left.says(stored["name"], proofs):
        return Fate(properties=None, returns=True, anew=True)
    aliases = [name for name in names[1:] if left.says(name, proofs)]
    kept = {name: value for name, value in _attributes(stored).items() if left.says(value, proofs)}
    return Fate(
        properties={
            "aliases": aliases,
            "form_tokens": form_tokens(owner, [stored["name"], *aliases]),
            "attributes": json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else None,
            "first_seen": first_seen,
            "last_seen": last_seen,
        }
    )


def episodes_without(
    episodes: Iterable[Row], gone: Collection[str], again: Collection[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return what callers brought that must be read again, and the ids of what goes.

    A summary may tell what a forgotten message said, so it goes with the first of them; so does a fact that rests on
    all messages of its call.

    Args:
        episodes: rows of `forgetting/episodes_of_sessions`.
        gone: ids of forgotten messages; again: ids of messages that are read again.
    """
    rows: list[dict[str, Any]] = []
    dropped: list[str] = []
    gone, again = frozenset(gone), frozenset(again)
    for episode in episodes:
        names = episode["message_ids"]
        left = [name for name in names if name not in gone]
        facts, summary = json.loads(episode["facts"]), episode["summary"]
        if len(left) < len(names):
            first: dict[str, int] = {}
            for place, name in enumerate(left):
                first.setdefault(name, place)
            places = {index: first[name] for index, name in enumerate(names) if name in first}
            facts = [kept for fact in facts if (kept := _proven(fact, places))]
            summary = None
        elif again.isdisjoint(names):
            continue
        if not left or not (facts or summary):
            dropped.append(episode["id"])
            continue
        text = json.dumps(facts, ensure_ascii=False, sort_keys=True)
        rows.append({"id": episode["id"], "message_ids": left, "facts": text, "summary": summary})
    return rows, dropped


def _proven(fact: dict[str, Any], places: Mapping[int, int]) -> dict[str, Any] | None:
    left = [places[index] for index in fact["message_indexes"] if index in places]
    return {**fact, "message_indexes": left} if left else None
