"""Decide what is deleted, kept and extracted again when messages are forgotten. Pure.

The result is the graph that would exist if the messages had never been stored. A scene with a forgotten message is
segmented again, and so is every scene that follows it without a pause, because scene boundaries depend on the messages
before. Facts extracted from such scenes are deleted with all facts that may contradict them, and every other scene that
supports one of these is extracted again.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from extraction.text.name_forms import fold
from graph_service.memory.entity_resolution.resolver import Owner, form_tokens
from graph_service.memory.facts.conflict_resolution import SubjectKey, content_of_row
from schema.assertion import parse_assertion
from schema.entity import stored_names

_WORD: Final = re.compile(r"\w", re.ASCII)
_EMPTY_WORD: Final = re.compile(r"(?<!\w)(?!\w)", re.ASCII)


class NameMatcher:
    """Find names in texts, regardless of case, width and script; ASCII names match whole words only.

    Args:
        names: duplicates are ignored.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._keys = frozenset(map(fold, names))
        # Lengths of the names that begin with a character.
        self._lengths: dict[str, set[int]] = {}
        for key in self._keys - {""}:
            self._lengths.setdefault(key[0], set()).add(len(key))

    def find_in(self, text: str) -> set[str]:
        """Return the folded names that a text contains."""
        folded = fold(text)
        found = {""} if "" in self._keys and _EMPTY_WORD.search(folded) else set()
        for start, char in enumerate(folded):
            for length in self._lengths.get(char, ()):
                key = folded[start : start + length]
                if key in self._keys and (not key.isascii() or _is_whole_word(folded, start, start + len(key))):
                    found.add(key)
        return found


def _is_whole_word(text: str, start: int, end: int) -> bool:
    return not (start and _WORD.match(text, start - 1)) and not _WORD.match(text, end)


def names_mentioned(names: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Return the names that at least one text contains."""
    name_list = list(names)
    matcher = NameMatcher(name_list)
    found = {key for text in texts for key in matcher.find_in(text)}
    return {name for name in name_list if fold(name) in found}


Row = Mapping[str, Any]


def scenes_to_resegment(spans: Iterable[Row], affected: Collection[str], *, pause_ms: int) -> set[str]:
    """Return the ids of affected scenes and of those that follow one without a pause.

    Args:
        spans: rows of `forgetting/scene_spans`.
        affected: ids of scenes with a forgotten message.
    """
    found: set[str] = set()
    by_session: dict[str, list[Row]] = {}
    for span in spans:
        by_session.setdefault(span["session"], []).append(span)
    for scenes in by_session.values():
        for run in _unbroken_runs(scenes, pause_ms):
            first_ms = min((span["start_ms"] for span in run if span["id"] in affected), default=None)
            if first_ms is not None:
                found.update(span["id"] for span in run if span["end_ms"] >= first_ms)
    return found


def _unbroken_runs(scenes: Iterable[Row], pause_ms: int) -> Iterator[list[Row]]:
    """Yield the scenes of a session in runs separated by pauses."""
    run: list[Row] = []
    reach_ms = 0
    for span in sorted(scenes, key=lambda span: (span["start_ms"], span["id"])):
        if run and span["start_ms"] > reach_ms + pause_ms:
            yield run
            run = []
        reach_ms = max(reach_ms, span["end_ms"]) if run else span["end_ms"]
        run.append(span)
    if run:
        yield run


def keys_of(facts: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the `$keys` of `facts/related_facts` for all facts that may have closed these, or been closed by them."""
    keys: dict[str, SubjectKey] = {}
    for fact in facts:
        content = content_of_row(fact)
        key = keys.get(fact["subject_id"], SubjectKey()).with_content(content)
        if content.attribute is not None:
            # Extraction decides again whether the value replaced others (`?`: it did not), so both labels are searched.
            plain = content.attribute.removeprefix("?")
            key = replace(key, attributes=key.attributes | {plain, f"?{plain}"})
        keys[fact["subject_id"]] = key
    return [keys[subject].row(subject) for subject in sorted(keys)]


def scenes_of(facts: Iterable[Row]) -> set[str]:
    """Return the scenes that support the facts, and those that assert their end."""
    found: set[str] = set()
    for fact in facts:
        found.update(fact["properties"]["scenes"])
        found.update(parse_assertion(text).scene_id for text in fact["properties"].get("assertions") or ())
    return found


class RemainingText:
    """The remaining messages, indexed by the names that they contain.

    Args:
        names: every name and value that will be looked up.
        evidence: messages of unaffected scenes: rows with `id` and `text`.
        resegmented: remaining messages of scenes that are segmented again: rows with `text` and `said_at`.
    """

    def __init__(self, names: Iterable[str], evidence: Iterable[Row], resegmented: Iterable[Row]) -> None:
        matcher = NameMatcher(names)
        self._evidence_of: dict[str, set[str]] = {}
        self._resegmented_times: dict[str, tuple[datetime, datetime]] = {}
        for one in resegmented:
            for key in matcher.find_in(one["text"]):
                first, last = self._resegmented_times.get(key, (one["said_at"], one["said_at"]))
                self._resegmented_times[key] = min(first, one["said_at"]), max(last, one["said_at"])
        for proof in evidence:
            for key in matcher.find_in(proof["text"]):
                self._evidence_of.setdefault(key, set()).add(proof["id"])

    def resegmented_times(self, name: str) -> tuple[datetime, datetime] | None:
        """Return the times of the first and last message of resegmented scenes that contains a name."""
        return self._resegmented_times.get(fold(name))

    def contains(self, name: str, evidence: Collection[str]) -> bool:
        """Return whether one of the evidence messages, or a resegmented scene, contains a name."""
        key = fold(name)
        return key in self._resegmented_times or not self._evidence_of.get(key, frozenset()).isdisjoint(evidence)


def names_and_values(row: Row) -> list[str]:
    """Return the names and attribute values of an entity in a row of `forgetting/remaining_support`."""
    return [*stored_names(row["properties"]), *_attributes(row["properties"]).values()]


def _attributes(stored: Row) -> dict[str, str]:
    attributes: dict[str, str] = json.loads(stored.get("attributes") or "{}")
    return attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityOutcome:
    """The effect of a request to forget on one entity.

    Attributes:
        properties: the changed properties; None if the entity is deleted.
        is_recreated: deleted, but the next extraction from the remaining messages creates it again.
        renamed: likewise, but its name came from a forgotten message, so scenes that mention it are extracted again.
    """

    properties: dict[str, Any] | None
    is_recreated: bool = False
    renamed: bool = False


def entity_outcome(row: Row, remaining: RemainingText, *, earliest: datetime, owner: Owner) -> EntityOutcome:
    """Return the outcome for an entity; it keeps the names and attributes that remaining messages contain.

    Args:
        row: of `forgetting/remaining_support`.
        earliest: time of the first forgotten message.
    """
    stored, evidence = row["properties"], row["evidence"]
    names = stored_names(stored)
    if not row["scenes"]:
        spans = [times for name in names if (times := remaining.resegmented_times(name))]
        # The next extraction creates it again if it is still named; a member is kept, or its merge would be lost.
        if not row["is_member"] or not remaining.resegmented_times(stored["name"]):
            return EntityOutcome(properties=None, is_recreated=bool(spans))
        first_seen, last_seen = min(first for first, _ in spans), max(last for _, last in spans)
    else:
        first_seen, last_seen = row["first_seen"], row["last_seen"]
    if stored["first_seen"] >= earliest and not remaining.contains(stored["name"], evidence):
        return EntityOutcome(properties=None, is_recreated=True, renamed=True)
    aliases = [name for name in names[1:] if remaining.contains(name, evidence)]
    kept = {name: value for name, value in _attributes(stored).items() if remaining.contains(value, evidence)}
    return EntityOutcome(
        properties={
            "aliases": aliases,
            "form_tokens": form_tokens(owner, [stored["name"], *aliases]),
            "attributes": json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else None,
            "first_seen": first_seen,
            "last_seen": last_seen,
        }
    )


def episodes_without(
    episodes: Iterable[Row], forgotten: Collection[str], reread: Collection[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the remaining content of the episodes to process again, and the ids of those to delete.

    A summary may repeat a forgotten message, so it is dropped if any message was forgotten. A fact keeps its remaining
    messages, and is dropped if none is left.

    Args:
        episodes: rows of `forgetting/episodes_of_sessions`.
        reread: ids of messages that are extracted again.
    """
    rows: list[dict[str, Any]] = []
    dropped: list[str] = []
    forgotten, reread = frozenset(forgotten), frozenset(reread)
    for episode in episodes:
        names = episode["message_ids"]
        remaining = [name for name in names if name not in forgotten]
        facts, summary = json.loads(episode["facts"]), episode["summary"]
        if len(remaining) < len(names):
            first: dict[str, int] = {}
            for index, name in enumerate(remaining):
                first.setdefault(name, index)
            new_index = {index: first[name] for index, name in enumerate(names) if name in first}
            facts = [kept for fact in facts if (kept := _with_remaining_messages(fact, new_index))]
            summary = None
        elif reread.isdisjoint(names):
            continue
        if not remaining or not (facts or summary):
            dropped.append(episode["id"])
            continue
        text = json.dumps(facts, ensure_ascii=False, sort_keys=True)
        rows.append({"id": episode["id"], "message_ids": remaining, "facts": text, "summary": summary})
    return rows, dropped


def _with_remaining_messages(fact: dict[str, Any], new_index: Mapping[int, int]) -> dict[str, Any] | None:
    remaining = [new_index[index] for index in fact["message_indexes"] if index in new_index]
    return {**fact, "message_indexes": remaining} if remaining else None
