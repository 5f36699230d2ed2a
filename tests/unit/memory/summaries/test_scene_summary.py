"""Test which messages a scene summary is made from, and when it is renewed."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from extraction.reader import Mention, ProposedFact, Quote, Reading
from graph_service.memory.consolidation.segmentation import assign
from graph_service.memory.summaries.scene_summary import LAYERS_EVERY, LayerBasis, basis_of, within
from schema.scene import Scene
from tests.unit.memory.consolidation.test_segmentation import SESSION, messages_at

NOBODY = Reading(reader="caller")


def a_scene(size: int) -> Scene:
    """Return a scene with this number of messages."""
    return assign(SESSION, messages_at(list(range(size))), [])[0]


def stored_after(basis: LayerBasis) -> dict[str, Any]:
    return {"layers_n": basis.messages, "layers_hash": basis.key}


def test_texts_of_a_growing_scene_are_renewed_every_fifth_message() -> None:
    stored: dict[str, Any] = {}
    made = []
    for size in range(1, 18):
        basis = basis_of(a_scene(size), stored, NOBODY, whole=False)
        if not basis.fresh:
            made.append((size, basis.messages))
            stored = stored_after(basis)
        assert basis.behind == (basis.messages < size)
    assert made == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (10, 10), (15, 15)]


@given(st.integers(1, 30), st.integers(1, 30))
def test_texts_depend_on_the_messages_and_not_on_the_calls(first: int, then: int) -> None:
    size = min(first + then, 30)
    stored = stored_after(basis_of(a_scene(min(first, size)), {}, NOBODY, whole=False))
    grown, at_once = (basis_of(a_scene(size), before, NOBODY, whole=False) for before in (stored, {}))
    assert (grown.messages, grown.key) == (at_once.messages, at_once.key)


@given(st.integers(1, 30))
def test_finished_scene_is_summarised_whole_and_only_once(size: int) -> None:
    whole = basis_of(a_scene(size), {}, NOBODY, whole=True)
    assert (whole.messages, whole.behind) == (size, False)
    assert basis_of(a_scene(size), stored_after(whole), NOBODY, whole=True).fresh
    # A text generated on request is current until five more messages arrive.
    assert basis_of(a_scene(size), stored_after(whole), NOBODY, whole=False).fresh


def test_changed_text_provided_facts_and_new_readings_renew_the_texts() -> None:
    scene = a_scene(LAYERS_EVERY)
    stored = stored_after(basis_of(scene, {}, NOBODY, whole=False, pending=True))
    assert basis_of(scene, stored, NOBODY, whole=False, pending=True).fresh
    assert not basis_of(scene, stored, NOBODY, whole=False).fresh
    assert not basis_of(scene, stored, replace(NOBODY, summary="Mine."), whole=False, pending=True).fresh
    late = replace(scene.messages[0], id=scene.messages[1].id, content_hash="other")
    other = replace(scene, messages=(late, *scene.messages[1:]))
    assert not basis_of(other, stored, NOBODY, whole=False, pending=True).fresh


def test_texts_contain_only_facts_proved_by_the_lines() -> None:
    facts = tuple(
        ProposedFact(subject="user", predicate="PREFERS", object=name, statement=name, quotes=(Quote(line=line),))
        for name, line in (("tea", 0), ("rum", 6))
    )
    mentions = (Mention(name="tea", line=0), Mention(name="rum", line=6))
    basis = basis_of(a_scene(7), {}, NOBODY, whole=False)
    (left,) = within([Reading(reader="rules", facts=facts, mentions=mentions)], basis)
    assert [fact.object for fact in left.facts] == [mention.name for mention in left.mentions] == ["tea"]
