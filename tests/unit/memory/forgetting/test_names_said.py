"""Names are found in texts as if each were sought alone; what is left of forgotten messages. Requirement C10."""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.text.name_forms import fold
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.forgetting.names_said import names_said
from graph_service.memory.forgetting.plan import Fate, Left, Said, cut_again, episodes_without, fate_of, names_in
from schema.ids import TenantId, UserId

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
OWNER = Owner(tenant=TenantId("t"), user_id=UserId("u"), user_names=(), agent_id=None)
TEXTS = st.lists(st.text(alphabet="ab AB.'-_1茶T王é!", max_size=14), max_size=5)
NAMES = st.lists(st.text(alphabet="ab AB.'-_1茶T王é!", max_size=5), max_size=5)


def said_alone(name: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts says a name, each folded and searched by itself."""
    key = fold(name)
    if not key.isascii():
        return any(key in fold(text) for text in texts)
    pattern = re.compile(rf"(?<!\w){re.escape(key)}(?!\w)", re.ASCII)
    return any(pattern.search(fold(text)) for text in texts)


@settings(max_examples=500)
@given(NAMES, TEXTS)
def test_names_are_found_as_if_each_were_sought_alone(names: list[str], texts: list[str]) -> None:
    assert names_said(names, texts) == {name for name in names if said_alone(name, texts)}


def fate_alone(standing: dict[str, Any], rest: list[Said], cut: list[Said], earliest: datetime) -> tuple[Any, ...]:
    """What becomes of an entity, each name sought in each text by itself."""
    stored = standing["properties"]
    names = [stored["name"], *stored["aliases"]]
    if not standing["scenes"]:
        told = [one for one in cut if any(said_alone(name, [one.text]) for name in names)]
        if not standing["is_held"] or not told or not said_alone(stored["name"], [one.text for one in told]):
            return None, bool(told), False
        times = min(one.said_at for one in told), max(one.said_at for one in told)
    else:
        times = standing["first_seen"], standing["last_seen"]
    texts = [one.text for one in (*rest, *cut)]
    if stored["first_seen"] >= earliest and not said_alone(stored["name"], texts):
        return None, True, True
    aliases = [name for name in names[1:] if said_alone(name, texts)]
    kept = {key: value for key, value in json.loads(stored["attributes"]).items() if said_alone(value, texts)}
    return (aliases, kept, *times), False, False


def told(fate: Fate) -> tuple[Any, ...]:
    """What `fate_alone` says of a fate."""
    new = fate.properties
    what = new and (new["aliases"], json.loads(new["attributes"] or "{}"), new["first_seen"], new["last_seen"])
    return what, fate.returns, fate.anew


@settings(max_examples=300)
@given(NAMES.filter(bool), NAMES, TEXTS, TEXTS, st.booleans(), st.booleans(), st.integers(0, 2))
def test_what_becomes_of_an_entity_is_as_if_each_name_were_sought_alone(
    names: list[str], values: list[str], proofs: list[str], cut: list[str], held: bool, stays: bool, earliest: int
) -> None:
    said = [Said(text=text, said_at=NOON + timedelta(hours=place)) for place, text in enumerate(cut)]
    rest = {f"m{place}": Said(text=text, said_at=NOON) for place, text in enumerate(proofs)} if stays else {}
    known = {"name": names[0], "aliases": names[1:], "first_seen": NOON + timedelta(hours=1)}
    standing = {
        "properties": {**known, "attributes": json.dumps(dict(enumerate(values)))},
        "scenes": ["s"] if stays else [],
        "evidence": [*rest, "gone"],
        "is_held": held,
        "first_seen": NOON,
        "last_seen": NOON,
    }
    since = NOON + timedelta(hours=earliest)
    others = {**rest, "other": Said(text="a b 茶", said_at=NOON)}
    fate = fate_of(standing, Left(names_in(standing), others, said), earliest=since, owner=OWNER)
    assert told(fate) == fate_alone(standing, list(rest.values()), said, since)


def cut_one_by_one(spans: list[dict[str, Any]], hit: set[str], pause_ms: int) -> set[str]:
    """The scenes that are cut again, found for each that is hit by going through all."""
    found = set()
    ordered = sorted(spans, key=lambda span: (span["start_ms"], span["id"]))
    for first in (span for span in ordered if span["id"] in hit):
        reach_ms = first["end_ms"]
        for span in ordered:
            if span["end_ms"] >= first["start_ms"] and span["start_ms"] <= reach_ms + pause_ms:
                found.add(span["id"])
                reach_ms = max(reach_ms, span["end_ms"])
    return found


@settings(max_examples=400)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12), st.booleans()), max_size=12), st.integers(0, 4))
def test_the_same_scenes_are_cut_again(scenes: list[tuple[int, int, bool]], pause_ms: int) -> None:
    spans = [
        {"id": f"s{place}", "session": "one", "start_ms": start, "end_ms": start + length}
        for place, (start, length, _) in enumerate(scenes)
    ]
    hit = {f"s{place}" for place, (_, _, is_hit) in enumerate(scenes) if is_hit}
    elsewhere = [{**span, "id": f"{span['id']} there", "session": "two"} for span in spans]
    assert cut_again([*spans, *elsewhere], hit, pause_ms=pause_ms) == cut_one_by_one(spans, hit, pause_ms)


def test_facts_keep_the_places_of_the_messages_that_are_left() -> None:
    facts = json.dumps([{"message_indexes": [0, 2]}, {"message_indexes": [1]}])
    episode = {"id": "e", "message_ids": ["a", "b", "c", "a"], "facts": facts, "summary": "all"}
    rows, dropped = episodes_without([episode], {"b"}, set())
    assert (rows[0]["message_ids"], json.loads(rows[0]["facts"])) == (["a", "c", "a"], [{"message_indexes": [0, 1]}])
    assert (rows[0]["summary"], dropped) == (None, [])
    assert episodes_without([episode], {"x"}, {"y"}) == ([], [])
