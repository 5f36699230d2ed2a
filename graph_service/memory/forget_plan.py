"""What forgetting some messages touches, and what is left of it. Pure; the same as if they had never been said.

A scene that held one of them is cut again, and so is everything that follows it without a pause, because scenes are cut
from the messages before. Facts that rest on such a scene go together with all that could contradict them, and every
other scene that proves one of these is read again.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from extraction.name_forms import fold
from graph_service.memory.beings import Owner, form_tokens
from schema.predicates import holds_one, whitelist
from schema.telling import telling_of

Row = Mapping[str, Any]


def cut_again(spans: Iterable[Row], hit: Collection[str], *, pause_ms: int) -> set[str]:
    """The scenes that must be cut again: those that are hit, and those that follow one without a pause.

    Args:
        spans: rows of `read/scene_spans`.
        hit: ids of scenes that held a forgotten message.
    """
    found: set[str] = set()
    by_session: dict[str, list[Row]] = {}
    for span in spans:
        by_session.setdefault(span["session"], []).append(span)
    for scenes in by_session.values():
        ordered = sorted(scenes, key=lambda span: (span["start_ms"], span["id"]))
        for first in (span for span in ordered if span["id"] in hit):
            reach_ms = first["end_ms"]
            for span in ordered:
                if span["end_ms"] >= first["start_ms"] and span["start_ms"] <= reach_ms + pause_ms:
                    found.add(span["id"])
                    reach_ms = max(reach_ms, span["end_ms"])
    return found


def keys_of(facts: Iterable[Row]) -> list[dict[str, Any]]:
    """The `$keys` of `read/known_facts` for everything that some facts can have closed or been closed by."""
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
    """The scenes that prove some facts, and those where they were said to be over."""
    found: set[str] = set()
    for fact in facts:
        found.update(fact["properties"]["scenes"])
        found.update(telling_of(text).scene_id for text in fact["properties"].get("told") or ())
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was said when, for asking whether a name is in it."""

    text: str
    said_at: datetime


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


def fate_of(standing: Row, rest: Sequence[Said], cut: Sequence[Said], *, earliest: datetime, owner: Owner) -> Fate:
    """What becomes of an entity: names and attributes stay as far as what is left says them.

    Args:
        standing: a row of `read/standing`.
        rest: messages that still prove it; cut: what is left of scenes that are cut again.
        earliest: when the first of the forgotten messages was said.
    """
    stored = standing["properties"]
    names = [stored["name"], *(stored.get("aliases") or ())]
    if not standing["scenes"]:
        told = [one for one in cut if any(is_said(name, [one.text]) for name in names)]
        # Made again by the next reading if it is still named; only what was merged must keep itself.
        if not standing["is_held"] or not told or not is_said(stored["name"], [one.text for one in told]):
            return Fate(properties=None, returns=bool(told))
        first_seen, last_seen = min(one.said_at for one in told), max(one.said_at for one in told)
    else:
        first_seen, last_seen = standing["first_seen"], standing["last_seen"]
    texts = [one.text for one in (*rest, *cut)]
    if stored["first_seen"] >= earliest and not is_said(stored["name"], texts):
        return Fate(properties=None, returns=True, anew=True)
    aliases = [name for name in names[1:] if is_said(name, texts)]
    told_of = json.loads(stored.get("attributes") or "{}")
    kept = {name: value for name, value in told_of.items() if is_said(value, texts)}
    return Fate(
        properties={
            "aliases": aliases,
            "form_tokens": form_tokens(owner, [stored["name"], *aliases]),
            "attributes": json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else None,
            "first_seen": first_seen,
            "last_seen": last_seen,
        }
    )


def is_said(name: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts says the name, in any case, width and script."""
    key = fold(name)
    if not key.isascii():
        return any(key in fold(text) for text in texts)
    pattern = re.compile(rf"(?<!\w){re.escape(key)}(?!\w)", re.ASCII)
    return any(pattern.search(fold(text)) for text in texts)


def episodes_without(
    episodes: Iterable[Row], gone: Collection[str], again: Collection[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """What callers brought that must be read again, and the ids of what goes.

    A summary may tell what a forgotten message said, so it goes with the first of them; so does a fact that rests on
    all messages of its call.

    Args:
        episodes: rows of `read/episodes_of_sessions`.
        gone: ids of forgotten messages; again: ids of messages that are read again.
    """
    rows: list[dict[str, Any]] = []
    dropped: list[str] = []
    for episode in episodes:
        names = episode["message_ids"]
        left = [name for name in names if name not in gone]
        facts, summary = json.loads(episode["facts"]), episode["summary"]
        if len(left) < len(names):
            places = {index: left.index(name) for index, name in enumerate(names) if name not in gone}
            facts = [kept for fact in facts if (kept := _proven(fact, places))]
            summary = None
        elif not set(names) & set(again):
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
