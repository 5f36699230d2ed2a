"""Test recall without the database, from the spool and the last snapshot."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph_service.memory.ingest.validation import check_request
from graph_service.memory.mindmap.snapshot import snapshot_of
from graph_service.memory.recall.offline_recall import SNAPSHOT, SPOOL, _Search
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, Question
from schema.errors import TooSlowError
from schema.frames import Count, EdgeView, GraphSnapshot, NodeView
from schema.ids import TenantId
from schema.message import Episode
from tests.support.builders import NOON, an_incoming

NOW = NOON + timedelta(days=1)
AT = "2026-03-01T12:00:00Z"


def offline_answer(
    question: Question, episodes: Iterable[Episode], snapshot: GraphSnapshot | None, *, now: datetime
) -> Answer:
    """Return the answer of a complete search over the spooled episodes and the last snapshot."""
    search = _Search(question, now=now)
    search.run(episodes, snapshot)
    return search.answer()


def an_episode(*texts: str, user: str = "alice") -> Episode:
    return check_request(TenantId("t"), an_incoming(*texts, user=user), now=NOW).episode


def a_node(name: str, kind: str, *, user: str = "alice", **more: Any) -> NodeView:
    return NodeView(id=name, kind=kind, label=name, user_id=user, first_seen=AT, last_seen=AT, **more)  # type: ignore[arg-type]


def an_edge(source: str, target: str, *, user: str = "alice", **more: Any) -> EdgeView:
    values: dict[str, Any] = {"strength": 0.5, "confidence": 0.9, "first_seen": AT, "last_seen": AT, "valid_at": AT}
    named = {"id": f"{source}-{target}", "source": source, "target": target, "user_id": user}
    return EdgeView(**{**values, **named, "predicate": "RELATES_TO", **more})


def a_snapshot(nodes: list[NodeView], edges: list[EdgeView]) -> GraphSnapshot:
    return snapshot_of(epoch="e", seq=1, as_of=AT, total=Count(nodes=9, edges=9), nodes=nodes, edges=edges)


def asked(text: str, **more: Any) -> Question:
    return Question(user_id="alice", text=text, **more)


@pytest.mark.parametrize(
    ("texts", "question", "best"),
    [
        (("I bought a red bicycle.", "The weather is fine.", "My bicycle is red and fast."), "fast bicycles", 2),
        (("我买了一辆红色自行车。", "今天天气很好。", "我的自行车是蓝色的。"), "蓝色的自行车", 2),
    ],
    ids=["en", "zh"],
)
def test_spooled_words_are_found_rarest_first(texts: tuple[str, ...], question: str, best: int) -> None:
    answer = offline_answer(asked(question), [an_episode(*texts)], None, now=NOW)
    assert (answer.degraded, answer.search_path, answer.snapshot_age_s) == (True, (SPOOL,), None)
    assert answer.hits[0].candidate.text == texts[best]
    assert texts[1] not in [hit.candidate.text for hit in answer.hits]
    assert all(hit.candidate.pending and hit.score == sum(hit.parts.values()) <= 1 for hit in answer.hits)


def test_snapshot_answers_with_valid_facts_and_scene_titles() -> None:
    nodes = [
        a_node("Ana", "User"),
        a_node("Berlin", "Entity"),
        a_node("Lisbon", "Entity", aliases=["里斯本"]),
        a_node("Moving", "Scene", summary="Ana packs for Lisbon."),
    ]
    moved = "2026-03-01T18:00:00Z"
    edges = [
        an_edge("Ana", "Berlin", relation="lives in", invalid_at=moved),
        an_edge("Ana", "Lisbon", relation="lives in", valid_at=moved),
        an_edge("Moving", "Lisbon", predicate="MENTIONED"),
    ]
    snapshot = a_snapshot(nodes, edges)
    now = offline_answer(asked("Does Ana live in Berlin or Lisbon?"), [], snapshot, now=NOW)
    assert (now.search_path, now.snapshot_age_s) == ((SNAPSHOT,), 86_400.0)
    assert {(hit.candidate.kind, hit.candidate.object or hit.candidate.title) for hit in now.hits} == {
        (HitKind.FACT, "Lisbon"),
        (HitKind.SCENE, "Moving"),
    }
    then = offline_answer(asked("Berlin", valid_at=NOON + timedelta(hours=1)), [], snapshot, now=NOW)
    assert [hit.candidate.object for hit in then.hits] == ["Berlin"]
    named = offline_answer(asked("里斯本", kinds=(HitKind.FACT,)), [], snapshot, now=NOW)
    assert [hit.candidate.text for hit in named.hits] == ["Ana lives in Lisbon"]


def test_words_and_facts_of_another_user_are_not_returned() -> None:
    nodes = [a_node("Ana", "User"), a_node("Bob", "User", user="bob"), a_node("tea", "Entity", user="bob")]
    snapshot = a_snapshot(nodes, [an_edge("Bob", "tea", user="bob"), an_edge("Ana", "tea")])
    answer = offline_answer(asked("tea"), [an_episode("I love tea.", user="bob")], snapshot, now=NOW)
    assert answer.hits == ()


def test_time_kinds_and_limit_apply_to_an_offline_answer() -> None:
    episode = an_episode("Tea one.", "Tea two.", "Tea three.")
    late = offline_answer(asked("tea", start=NOON + timedelta(minutes=1), limit=1), [episode], None, now=NOW)
    assert [hit.candidate.text for hit in late.hits] == ["Tea three."]
    assert offline_answer(asked("tea", kinds=(HitKind.FACT,)), [episode], None, now=NOW).hits == ()
    assert offline_answer(asked("tea", as_of=NOON), [episode], None, now=NOW).hits == ()


def test_as_of_question_is_not_answered_from_a_snapshot() -> None:
    snapshot = a_snapshot([a_node("Ana", "User"), a_node("tea", "Entity")], [an_edge("Ana", "tea")])
    answer = offline_answer(asked("tea", as_of=datetime(2026, 1, 1, tzinfo=UTC)), [], snapshot, now=NOW)
    assert (answer.hits, answer.search_path, answer.degraded) == ((), (), True)
    assert "snapshot" in answer.notes[0]


def test_stopped_search_returns_its_hits_so_far() -> None:
    def episodes() -> Iterator[Episode]:
        yield an_episode("Tea one.", "A drum.")
        yield an_episode("Tea two.")
        raise TooSlowError("it was stopped")

    search = _Search(asked("tea"), now=NOW)
    with pytest.raises(TooSlowError):
        search.run(episodes(), None)
    search.complete = False
    answer = search.answer()
    assert ({hit.candidate.text for hit in answer.hits}, answer.degraded) == ({"Tea one.", "Tea two."}, True)
    assert answer.notes == ("Neo4j is unavailable: searched 3 messages waiting on disk; older ones were left out",)


@pytest.mark.parametrize(
    ("question", "text"),
    [("Where did I go hiking?", "We hike in the Tatras."), ("favourite colours", "My color is red.")],
)
def test_words_match_in_other_forms_and_spellings(question: str, text: str) -> None:
    answer = offline_answer(asked(question), [an_episode(text, "Nothing else.")], None, now=NOW)
    assert [hit.candidate.text for hit in answer.hits] == [text]
