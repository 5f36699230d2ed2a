"""The circuit breaker: 5 failures, 60 s, one probe."""

from hypothesis import given
from hypothesis import strategies as st

from graph_service.circuit_breaker import FAILURES_MAX, OPEN_S, Breaker, BreakerState


def opened(at_s: float = 0.0) -> Breaker:
    breaker = Breaker()
    for _ in range(FAILURES_MAX):
        assert breaker.allows(at_s)
        breaker.failed(at_s)
    return breaker


def test_breaker_opens_after_five_consecutive_failures() -> None:
    breaker = opened()
    assert breaker.state(0.0) is BreakerState.OPEN
    assert not breaker.allows(OPEN_S - 0.001)


def test_success_resets_the_failure_count() -> None:
    breaker = Breaker()
    for _ in range(20):
        for _ in range(FAILURES_MAX - 1):
            breaker.failed(0.0)
        breaker.succeeded()
    assert breaker.state(0.0) is BreakerState.CLOSED


def test_half_open_breaker_allows_one_probe() -> None:
    breaker = opened()
    assert breaker.state(OPEN_S) is BreakerState.HALF_OPEN
    assert [breaker.allows(OPEN_S) for _ in range(3)] == [True, False, False]


def test_successful_probe_closes_the_breaker() -> None:
    breaker = opened()
    assert breaker.allows(OPEN_S)
    breaker.succeeded()
    assert breaker.state(OPEN_S) is BreakerState.CLOSED
    assert breaker.allows(OPEN_S)


def test_failed_probe_opens_the_breaker_again() -> None:
    breaker = opened()
    assert breaker.allows(OPEN_S)
    breaker.failed(OPEN_S + 1)
    assert not breaker.allows(OPEN_S * 2)
    assert breaker.allows(OPEN_S * 2 + 1)


def test_probe_without_report_expires() -> None:
    breaker = opened()
    assert breaker.allows(OPEN_S)
    assert breaker.allows(OPEN_S * 2)


@given(st.lists(st.tuples(st.booleans(), st.floats(min_value=0, max_value=30)), max_size=60))
def test_breaker_never_stays_open_longer_than_its_time(story: list[tuple[bool, float]]) -> None:
    breaker, now_s = Breaker(), 0.0
    for works, pause_s in story:
        now_s += pause_s
        if breaker.allows(now_s):
            breaker.succeeded() if works else breaker.failed(now_s)
    assert breaker.allows(now_s + OPEN_S)
