"""Test that matching many names at once, and the plan of a deletion, agree with naive searches."""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from extraction.text.name_forms import fold
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.forgetting.plan import (
    EntityOutcome,
    RemainingText,
    entity_outcome,
    episodes_without,
    names_and_values,
    names_mentioned,
    scenes_to_resegment,
)
from schema.ids import TenantId, UserId

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
OWNER = Owner(tenant=TenantId("t"), user_id=UserId("u"), user_names=(), agent_id=None)
TEXTS = st.lists(st.text(alphabet="ab AB.'-_1茶T王é!", max_size=14), max_size=5)
NAMES = st.lists(st.text(alphabet="ab AB.'-_1茶T王é!", max_size=5), max_size=5)


def mentions(name: str, texts: Iterable[str]) -> bool:
    """Return whether a text contains the name, by a search in each folded text."""
    key = fold(name)
    if not key.isascii():
        return any(key in fold(text) for text in texts)
    pattern = re.compile(rf"(?<!\w){re.escape(key)}(?!\w)", re.ASCII)
    return any(pattern.search(fold(text)) for text in texts)


@given(NAMES, TEXTS)
def test_names_mentioned_agrees_with_searching_each_name(names: list[str], texts: list[str]) -> None:
    assert names_mentioned(names, texts) == {name for name in names if mentions(name, texts)}


def expected_outcome(
    row: dict[str, Any], evidence: list[dict[str, Any]], resegmented: list[dict[str, Any]], earliest: datetime
) -> tuple[Any, ...]:
    """Return the outcome for an entity by searching each name in each text."""
    stored = row["properties"]
    names = [stored["name"], *stored["aliases"]]
    if not row["scenes"]:
        summary = [one for one in resegmented if any(mentions(name, [one["text"]]) for name in names)]
        if not row["is_member"] or not summary or not mentions(stored["name"], [one["text"] for one in summary]):
            return None, bool(summary), False
        times = min(one["said_at"] for one in summary), max(one["said_at"] for one in summary)
    else:
        times = row["first_seen"], row["last_seen"]
    texts = [one["text"] for one in (*evidence, *resegmented)]
    if stored["first_seen"] >= earliest and not mentions(stored["name"], texts):
        return None, True, True
    aliases = [name for name in names[1:] if mentions(name, texts)]
    attributes = {key: value for key, value in json.loads(stored["attributes"]).items() if mentions(value, texts)}
    return (aliases, attributes, *times), False, False


def summary(outcome: EntityOutcome) -> tuple[Any, ...]:
    """Return an outcome in the form of `expected_outcome`."""
    new = outcome.properties
    what = new and (new["aliases"], json.loads(new["attributes"] or "{}"), new["first_seen"], new["last_seen"])
    return what, outcome.is_recreated, outcome.renamed


@given(NAMES.filter(bool), NAMES, TEXTS, TEXTS, st.booleans(), st.booleans(), st.integers(0, 2))
def test_entity_outcome_agrees_with_searching_each_name(
    names: list[str],
    values: list[str],
    proofs: list[str],
    resegmented: list[str],
    member: bool,
    stays: bool,
    earliest: int,
) -> None:
    said = [{"text": text, "said_at": NOON + timedelta(hours=place)} for place, text in enumerate(resegmented)]
    evidence = [{"id": f"m{place}", "text": text} for place, text in enumerate(proofs)] if stays else []
    known = {"name": names[0], "aliases": names[1:], "first_seen": NOON + timedelta(hours=1)}
    row = {
        "properties": {**known, "attributes": json.dumps(dict(enumerate(values)))},
        "scenes": ["s"] if stays else [],
        "evidence": [*(one["id"] for one in evidence), "gone"],
        "is_member": member,
        "first_seen": NOON,
        "last_seen": NOON,
    }
    since = NOON + timedelta(hours=earliest)
    others = [*evidence, {"id": "other", "text": "a b 茶"}]
    outcome = entity_outcome(row, RemainingText(names_and_values(row), others, said), earliest=since, owner=OWNER)
    assert summary(outcome) == expected_outcome(row, evidence, said, since)


def scenes_by_search(spans: list[dict[str, Any]], affected: set[str], pause_ms: int) -> set[str]:
    """Return the scenes to resegment by comparing every affected scene with all others."""
    found = set()
    ordered = sorted(spans, key=lambda span: (span["start_ms"], span["id"]))
    for first in (span for span in ordered if span["id"] in affected):
        reach_ms = first["end_ms"]
        for span in ordered:
            if span["end_ms"] >= first["start_ms"] and span["start_ms"] <= reach_ms + pause_ms:
                found.add(span["id"])
                reach_ms = max(reach_ms, span["end_ms"])
    return found


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12), st.booleans()), max_size=12), st.integers(0, 4))
def test_scenes_to_resegment_agrees_with_comparing_all_scenes(
    scenes: list[tuple[int, int, bool]], pause_ms: int
) -> None:
    spans = [
        {"id": f"s{place}", "session": "one", "start_ms": start, "end_ms": start + length}
        for place, (start, length, _) in enumerate(scenes)
    ]
    affected = {f"s{place}" for place, (_, _, is_hit) in enumerate(scenes) if is_hit}
    elsewhere = [{**span, "id": f"{span['id']} there", "session": "two"} for span in spans]
    assert scenes_to_resegment([*spans, *elsewhere], affected, pause_ms=pause_ms) == scenes_by_search(
        spans, affected, pause_ms
    )


def test_episode_facts_keep_the_indexes_of_remaining_messages() -> None:
    facts = json.dumps([{"message_indexes": [0, 2]}, {"message_indexes": [1]}])
    episode = {"id": "e", "message_ids": ["a", "b", "c", "a"], "facts": facts, "summary": "all"}
    rows, dropped = episodes_without([episode], {"b"}, set())
    assert (rows[0]["message_ids"], json.loads(rows[0]["facts"])) == (["a", "c", "a"], [{"message_indexes": [0, 1]}])
    assert (rows[0]["summary"], dropped) == (None, [])
    assert episodes_without([episode], {"x"}, {"y"}) == ([], [])
