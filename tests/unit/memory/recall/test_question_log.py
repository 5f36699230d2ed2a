"""Test the ring of questions: bounded for each tenant and in all, and without what was forgotten."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from graph_service.auth.access import ANONYMOUS, Access, Role, quota_key, sees_questions_of
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.question_log import (
    AskedQuestion,
    Asker,
    Door,
    FoundElement,
    QuestionKind,
    QuestionLog,
)
from schema.ids import TenantId

AT = datetime(2026, 11, 25, tzinfo=UTC)


def a_question(
    text: str = "Where?", *, tenant: str = "t", user: str = "ana", hits: tuple[FoundElement, ...] = ()
) -> AskedQuestion:
    return AskedQuestion(
        tenant=TenantId(tenant),
        user_id=user,
        text=text,
        kind=QuestionKind.RECALL,
        asker=Asker(door=Door.MCP),
        asked_at=AT,
        hits=hits,
        found_n=len(hits),
    )


def a_hit(name: str, **changes: object) -> FoundElement:
    return FoundElement(kind=HitKind.MESSAGE, id=name, score=0.5, **changes)  # type: ignore[arg-type]


def ask(log: QuestionLog, question: AskedQuestion) -> None:
    log.note(question, generation=log.generation(question.tenant))


def test_ring_keeps_the_latest_questions_of_each_tenant() -> None:
    log = QuestionLog(kept_max=3)
    for number in range(5):
        ask(log, a_question(str(number)))
        ask(log, a_question(f"other {number}", tenant="u"))
    assert [one.text for one in log.of("t")] == ["2", "3", "4"]
    assert [one.text for one in log.of("u")] == ["other 2", "other 3", "other 4"]
    assert log.of("nobody") == ()


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 30), st.integers(0, 500)), max_size=60))
def test_ring_stays_within_its_memory_and_drops_the_tenant_that_asked_longest_ago(
    asked: list[tuple[str, int, int]],
) -> None:
    log, last = QuestionLog(bytes_max=40_000), dict[str, int]()
    for number, (tenant, hits_n, chars) in enumerate(asked):
        question = a_question("x" * chars, tenant=tenant, hits=tuple(a_hit(f"{number}-{n}") for n in range(hits_n)))
        ask(log, question)
        last[tenant] = number
        assert log.of(tenant)[-1] is question
        kept = {name for name in last if log.of(name)}
        assert log.size_bytes == sum(one.size_bytes for name in kept for one in log.of(name))
        assert log.size_bytes <= 40_000 or len(log.of(tenant)) == 1
        dropped = last.keys() - kept
        assert not dropped or max(last[name] for name in dropped) < min(last[name] for name in kept)


def test_forgetting_removes_the_questions_that_found_it_and_tells_the_viewers() -> None:
    log, removed = QuestionLog(), list[tuple[str, frozenset[str]]]()
    log.listen(lambda _question: None, lambda tenant, ids: removed.append((tenant, ids)))
    by_message = a_question(hits=(a_hit("m"),))
    by_scene = a_question(hits=(a_hit("m2", scene="s"),))
    by_proof = a_question(hits=(FoundElement(kind=HitKind.FACT, id="f", score=1.0, proofs=("m",), ends=("e",)),))
    other = a_question(hits=(a_hit("m3"),))
    for one in (by_message, by_scene, by_proof, other):
        ask(log, one)
    log.forget_elements("t", ["m"])
    assert log.of("t") == (by_scene, other)
    log.forget_elements("t", ["s"])
    assert log.of("t") == (other,)
    log.forget_elements("other tenant", ["m3"])
    assert log.of("t") == (other,)
    assert removed == [("t", frozenset((by_message.id, by_proof.id))), ("t", frozenset((by_scene.id,)))]
    log.forget_user("t", "ana")
    assert log.of("t") == ()
    assert log.size_bytes == 0


def test_question_that_was_being_answered_while_something_was_forgotten_is_not_kept() -> None:
    log = QuestionLog()
    before = log.generation("t")
    log.forget_elements("t", ["m"])
    log.note(a_question(hits=(a_hit("m"),)), generation=before)
    assert log.of("t") == ()


def test_question_is_kept_while_another_tenant_forgets() -> None:
    log = QuestionLog()
    before = log.generation("t")
    log.forget_elements("other tenant", ["m"])
    log.note(a_question(), generation=before)
    assert len(log.of("t")) == 1


def test_switched_off_log_keeps_and_reports_nothing() -> None:
    log, seen = QuestionLog(kept_max=0), list[AskedQuestion]()
    log.listen(seen.append, lambda _tenant, _ids: None)
    ask(log, a_question())
    assert log.of("t") == ()
    assert seen == []


def test_questions_of_others_are_visible_from_the_configured_role_only() -> None:
    def access(who: str, role: Role) -> Access:
        return Access(who=who, tenant=TenantId("t"), role=role)

    agent = quota_key(access("key:agent", Role.WRITE))
    assert sees_questions_of(access("key:boss", Role.ADMIN), agent, Role.ADMIN)
    assert not sees_questions_of(access("key:reader", Role.READ), agent, Role.ADMIN)
    assert not sees_questions_of(access("key:writer", Role.WRITE), agent, Role.ADMIN)
    assert sees_questions_of(access("key:agent", Role.WRITE), agent, Role.ADMIN)
    assert sees_questions_of(access("key:reader", Role.READ), agent, Role.READ)
    assert sees_questions_of(ANONYMOUS, agent, Role.ADMIN)
