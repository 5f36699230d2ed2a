"""Test pages, the minimum score and the second check of the scope."""

import base64
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import QueryAnalysis
from graph_service.memory.recall.candidates import Candidate, CandidateSet, Hit
from graph_service.memory.recall.cursor import CursorState, cursor_of, shown_in
from graph_service.memory.recall.final_order import above, page_of
from graph_service.memory.recall.query import (
    HitKind,
    Mode,
    QueryFilters,
    Question,
    check_question,
    fingerprint,
    held_at,
    resolve_question,
    uri_prefixes,
)
from graph_service.memory.recall.retrieval import filtered
from schema.errors import InputError
from schema.filters import parse_filter
from schema.ids import TenantId, agent_uri, entity_uri, fact_uri, message_uri, session_uri, user_uri
from schema.labels import Role
from tests.support.builders import NOON
from tests.support.candidates import a_candidate

ASKED = "a question"


def ranked(*names: str) -> list[Hit]:
    return [Hit(candidate=a_candidate(name), score=1 - place / 1000) for place, name in enumerate(names)]


def all_pages(everything: list[Hit], limit: int) -> list[list[str]]:
    """Return the ids of each page, following the cursors."""
    shown, pages = CursorState(asked_at=NOON), []
    while True:
        page, cursor = page_of(everything, shown, ASKED, limit=limit)
        pages.append([one.candidate.id for one in page])
        if cursor is None:
            return pages
        shown = shown_in(cursor, ASKED, now=NOON)


@given(st.integers(0, 60), st.integers(1, 100))
def test_pages_together_are_the_whole_answer_in_order(count: int, limit: int) -> None:
    names = [f"m{number}" for number in range(count)]
    pages = all_pages(ranked(*names), limit)
    assert [name for page in pages for name in page] == names
    assert all(len(page) == limit for page in pages[:-1])


@given(st.lists(st.integers(0, 30), unique=True, min_size=6), st.lists(st.integers(40, 60), unique=True), st.randoms())
def test_no_page_repeats_a_hit_after_the_memory_changed(
    first: list[int], new: list[int], chance: "st.DataObject"
) -> None:
    names = [f"m{number}" for number in first]
    page, cursor = page_of(ranked(*names), CursorState(asked_at=NOON), ASKED, limit=5)
    assert cursor is not None
    later = [*names, *(f"m{number}" for number in new)]
    chance.shuffle(later)  # type: ignore[attr-defined]
    next_page, _ = page_of(ranked(*later), shown_in(cursor, ASKED, now=NOON), ASKED, limit=100)
    seen = {one.candidate.id for one in page}
    assert seen.isdisjoint(one.candidate.id for one in next_page)
    assert seen | {one.candidate.id for one in next_page} == set(later)


@given(st.integers(0, 200), st.integers(1, 255))
def test_tampered_cursor_is_refused(place: int, change: int) -> None:
    _, cursor = page_of(ranked(*"abcdef"), CursorState(asked_at=NOON), ASKED, limit=3)
    assert cursor is not None
    raw = bytearray(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    raw[place % len(raw)] ^= change
    with pytest.raises(InputError, match="after"):
        shown_in(base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("="), ASKED, now=NOON)


@pytest.mark.parametrize("text", ["", "abc", "….", "x" * 50, "你好", "AAAA"])
def test_invalid_cursor_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="cursor"):
        shown_in(text, ASKED, now=NOON)


def test_cursor_is_refused_for_another_question_and_after_an_hour() -> None:
    cursor = cursor_of(CursorState(asked_at=NOON), ASKED)
    assert shown_in(cursor, ASKED, now=NOON + timedelta(minutes=59)).asked_at == NOON
    with pytest.raises(InputError, match="another question"):
        shown_in(cursor, "another", now=NOON)
    for now in (NOON + timedelta(minutes=61), NOON - timedelta(minutes=1)):
        with pytest.raises(InputError, match="stale"):
            shown_in(cursor, ASKED, now=now)


def test_cursor_is_valid_for_the_same_question_with_other_page_options() -> None:
    one = Question(user_id="a", text="tea", limit=5, filters=QueryFilters(roles=(Role.USER,)))
    same = Question(user_id="a", text="tea", limit=9, evidence=3, filters=QueryFilters(roles=(Role.USER,), after="x"))
    assert fingerprint("t", one) == fingerprint("t", same)
    others = [
        Question(user_id="b", text="tea", filters=one.filters),
        Question(user_id="a", text="teas", filters=one.filters),
        Question(user_id="a", text="tea"),
        Question(user_id="a", text="tea", filters=one.filters, mode=Mode.LAYERED),
        *(
            Question(user_id="a", text="tea", filters=QueryFilters(where=parse_filter({name: [{"x": 1}, {"y": 2}]})))
            for name in ("AND", "OR")
        ),
    ]
    assert len({fingerprint("t", other) for other in others} | {fingerprint("t", one)}) == 7
    assert fingerprint("t", one) != fingerprint("u", one)


def test_next_page_is_asked_at_the_time_of_the_first() -> None:
    """ "Yesterday" means the same day on every page."""
    one = Question(user_id="a", text="tea", zone="Asia/Shanghai")
    first = resolve_question(TenantId("t"), one, now=NOON)
    assert (first.now, first.reference, first.shown.marks) == (NOON, NOON, frozenset())
    assert first.reference.utcoffset() == timedelta(hours=8)
    after = cursor_of(CursorState(asked_at=NOON, marks=frozenset({b"12345"})), first.key)
    later = NOON + timedelta(minutes=50)
    second = resolve_question(TenantId("t"), replace(one, filters=QueryFilters(after=after)), now=later)
    assert (second.now, second.reference, second.moments.valid_at) == (NOON, NOON, NOON)
    assert second.shown.marks == {b"12345"}


def test_uris_name_user_and_session() -> None:
    mine = session_uri("t", "ann", "s1")
    told = message_uri(mine, "m1")
    being = entity_uri("t", "ann", "tea")
    facts = [
        fact_uri(uri, "PREFERS", None, "o", 0) for uri in (user_uri("t", "ann"), agent_uri("t", "ann", "x"), being)
    ]
    assert all(uri.startswith(uri_prefixes("t", "ann")) for uri in (told, *facts))
    assert told.startswith(uri_prefixes("t", "ann", session_id="s1"))
    assert not told.startswith(uri_prefixes("t", "ann", session_id="s"))
    for tenant, user in (("u", "ann"), ("t", "an"), ("t", "ann2"), ("t", "bob")):
        assert not any(uri.startswith(uri_prefixes(tenant, user)) for uri in (told, *facts))


def test_hits_outside_the_scope_are_dropped_and_counted() -> None:
    """The database never returns such rows; if it did, no caller would see them."""
    mine = session_uri("t", "ann", "s1")
    rows: list[Candidate] = [
        a_candidate("mine", uri=message_uri(mine, "1")),
        a_candidate("other tenant", uri=message_uri(session_uri("u", "ann", "s1"), "1")),
        a_candidate("other user", uri=message_uri(session_uri("t", "bob", "s1"), "1")),
        a_candidate("other session", uri=message_uri(session_uri("t", "ann", "s2"), "1")),
        a_candidate("other role", uri=message_uri(mine, "2"), role="assistant"),
        a_candidate("other kind", HitKind.FACT, uri=fact_uri(user_uri("t", "ann"), "PREFERS", None, "o", 0)),
    ]
    narrow = QueryFilters(session_id="s1", roles=(Role.USER,))
    question = Question(user_id="ann", text="x", kinds=(HitKind.MESSAGE,), filters=narrow)
    asked = resolve_question(TenantId("t"), question, now=NOON)
    left, removed = filtered(CandidateSet(candidates=tuple(rows), messages=()), asked, QueryAnalysis())
    assert [one.id for one in left.candidates] == ["mine"]
    assert {one.reason: one.count for one in removed} == {"outside the scope": 3, "another kind": 1, "another role": 1}


@given(st.floats(0, 1))
def test_hits_below_the_minimum_score_are_dropped_and_counted(score_min: float) -> None:
    everything = ranked(*"abcdefgh")
    left, removed = above(everything, score_min)
    assert all(one.score >= score_min for one in left)
    assert len(left) + sum(one.count for one in removed) == len(everything)
    assert above(everything, None) == (everything, ())


def test_every_error_of_a_filter_is_reported_at_once() -> None:
    wrong = QueryFilters(session_id="", agent_id="x" * 999, entities=("",))
    with pytest.raises(InputError) as caught:
        check_question(Question(user_id="a", text="tea", filters=wrong))
    assert len(caught.value.problems) == 3


def test_question_asked_then_is_about_what_held_then_or_on_that_day() -> None:
    then, day = NOON - timedelta(days=9), (NOON - timedelta(days=9)).replace(tzinfo=None)
    assert held_at(None, now=NOON) is None
    assert held_at(then, now=NOON) == then
    assert held_at(day, now=NOON) == then + timedelta(days=1)
    assert held_at(NOON.replace(tzinfo=None), now=NOON) == NOON
