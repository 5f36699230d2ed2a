"""Test that provided facts found by message equal those found by searching all calls."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from extraction.reader import Quote
from graph_service.memory.consolidation.session_input import ProvidedByMessage, ProvidedEpisode
from schema.ids import MemoryId, Uri
from schema.labels import Role
from schema.message import Message, ProvidedFact
from schema.scene import Scene
from tests.support.builders import NOON

_NAMES = [MemoryId(f"m{n}") for n in range(6)]


def a_scene(names: list[MemoryId]) -> Scene:
    messages = tuple(
        Message(
            id=name,
            uri=Uri(f"memory://t/message/{name}"),
            role=Role.USER,
            text="Hello.",
            said_at=NOON + timedelta(minutes=n),
            content_hash="h",
            position=n,
        )
        for n, name in enumerate(names)
    )
    return Scene(id=MemoryId("scene"), uri=Uri("memory://t/scene/x"), messages=messages, content_hash="h")


def a_fact(number: int, indexes: list[int]) -> ProvidedFact:
    words = {"subject": "user", "predicate": "PREFERS", "object": f"thing {number}", "statement": f"{number}"}
    return ProvidedFact(**words, message_indexes=tuple(indexes))


@st.composite
def calls(draw: st.DrawFn) -> ProvidedEpisode:
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=5))
    indexes = st.lists(st.integers(0, len(names) - 1), max_size=3)
    rows = tuple(a_fact(n, draw(indexes)) for n in range(draw(st.integers(0, 3))))
    summary = draw(st.sampled_from([None, "short", "long"]))
    return ProvidedEpisode(id="e", message_ids=tuple(names), facts=rows, summary=summary)


def quotes_of(fact: ProvidedFact, call: ProvidedEpisode, scene: Scene) -> tuple[Quote, ...]:
    lines = {message.id: line for line, message in enumerate(scene.messages)}
    chosen = fact.message_indexes or range(len(call.message_ids))
    return tuple(Quote(line=lines[name]) for i in chosen if (name := call.message_ids[i]) in lines)


@given(st.lists(calls(), max_size=4), st.lists(st.sampled_from(_NAMES), min_size=1, unique=True))
def test_index_by_message_finds_what_a_full_search_finds(brought: list[ProvidedEpisode], names: list[MemoryId]) -> None:
    scene = a_scene(names)
    found = ProvidedByMessage("memory://t/session/x", brought).reading(scene)
    every = [(fact.object, quotes_of(fact, call, scene)) for call in brought for fact in call.facts]
    assert [(fact.object, fact.quotes) for fact in found.facts] == [pair for pair in every if pair[1]]
    summaries = [call.summary for call in brought if call.summary and set(call.message_ids) & set(names)]
    assert found.summary == (summaries[-1] if summaries else None)
