"""Test the limits of an endpoint with a clock that the test moves."""

import asyncio
from collections.abc import Sequence
from heapq import heappop, heappush

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.openai_api.request_limiter import WINDOW_S, EndpointLimits, MinuteWindow, RequestLimiter


class Clock:
    """A clock that jumps to the end of the shortest sleep once everything waits."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._sleeping: list[tuple[float, int, asyncio.Event]] = []
        self._numbers = 0

    def __call__(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self._numbers += 1
        woken = asyncio.Event()
        heappush(self._sleeping, (self.now_s + seconds, self._numbers, woken))
        await woken.wait()

    async def run(self, *tasks: "asyncio.Task[None]") -> None:
        """Move on until the tasks are done."""
        while not all(task.done() for task in tasks):
            for _ in range(20):
                await asyncio.sleep(0)
            if self._sleeping:
                self.now_s, _, woken = heappop(self._sleeping)
                woken.set()
        await asyncio.gather(*tasks)


async def started_at(
    limits: EndpointLimits, requests: Sequence[int], *, takes_s: float = 1.0, reported: int | None = None
) -> tuple[list[float], int]:
    """Return when each request with these tokens started, and how many ran at the same time at most."""
    clock = Clock()
    limiter = RequestLimiter(limits, clock_s=clock, sleep=clock.sleep)
    started: dict[int, float] = {}
    most = 0

    async def one(number: int, tokens: int) -> None:
        nonlocal most
        async with limiter.request(tokens) as report:
            started[number] = clock.now_s
            most = max(most, limiter.running)
            await clock.sleep(takes_s)
            if reported is not None:
                report(reported)

    await clock.run(*[asyncio.create_task(one(number, tokens)) for number, tokens in enumerate(requests)])
    assert (limiter.running, limiter.waiting) == (0, 0)
    return [started[number] for number in range(len(requests))], most


async def test_requests_over_the_concurrent_ones_wait_in_order() -> None:
    starts, most = await started_at(EndpointLimits(concurrent_calls=2), [1] * 6)
    assert (starts, most) == ([0, 0, 1, 1, 2, 2], 2)


async def test_requests_over_the_minute_wait_for_the_next_one() -> None:
    starts, _ = await started_at(EndpointLimits(concurrent_calls=9, requests_per_minute=3), [1] * 7)
    assert starts == [0, 0, 0, WINDOW_S, WINDOW_S, WINDOW_S, 2 * WINDOW_S]


async def test_tokens_over_the_minute_wait_and_reports_correct_the_estimate() -> None:
    limits = EndpointLimits(concurrent_calls=1, tokens_per_minute=100)
    assert (await started_at(limits, [60, 60]))[0] == [0, WINDOW_S]
    assert (await started_at(limits, [60, 60], reported=10))[0] == [0, 1]
    assert (await started_at(limits, [10, 60], reported=90))[0] == [0, WINDOW_S]


async def test_request_larger_than_the_limit_is_sent_alone() -> None:
    starts, _ = await started_at(EndpointLimits(concurrent_calls=9, tokens_per_minute=100), [1, 500, 1])
    assert starts == [0, WINDOW_S, 2 * WINDOW_S]


async def test_cancelled_request_leaves_its_place() -> None:
    limiter = RequestLimiter(EndpointLimits(concurrent_calls=1, requests_per_minute=1))

    async def one() -> None:
        async with limiter.request(1):
            pass

    await one()
    waits = [asyncio.create_task(one()) for _ in range(2)]
    await asyncio.sleep(0)
    assert limiter.waiting == 2
    for task in waits:
        task.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    assert (limiter.running, limiter.waiting, limiter.last_minute()) == (0, 0, (1, 1))


@given(
    st.lists(st.tuples(st.floats(0, 30), st.integers(0, 60), st.integers(0, 200)), max_size=60),
    st.integers(0, 5),
    st.integers(0, 100),
)
def test_no_minute_exceeds_the_limits(
    requests: list[tuple[float, int, int]], requests_max: int, tokens_max: int
) -> None:
    window = MinuteWindow(requests_max=requests_max, tokens_max=tokens_max)
    now_s, sent = 0.0, []
    for pause_s, tokens, used in requests:
        now_s += pause_s
        rounds = 0
        while (wait_s := window.wait_s(tokens, now_s)) > 0:
            now_s, rounds = now_s + wait_s, rounds + 1
            assert rounds <= len(sent) + 1
        use = window.add(tokens, now_s)
        sent.append((now_s, tokens))
        if used < tokens:
            window.correct(use, used, now_s)
            sent[-1] = (now_s, used)
    for at_s, _ in sent:
        inside = [tokens for when_s, tokens in sent if at_s - WINDOW_S + 1e-6 < when_s <= at_s]
        assert not requests_max or len(inside) <= requests_max
        assert not tokens_max or len(inside) == 1 or sum(inside) <= tokens_max


@pytest.mark.parametrize("late", [False, True])
def test_report_after_the_window_changes_nothing(late: bool) -> None:
    window = MinuteWindow(requests_max=0, tokens_max=100)
    use = window.add(10, 0.0)
    window.correct(use, 70, WINDOW_S + 1 if late else 1.0)
    assert window.usage(2.0 if not late else WINDOW_S + 2) == ((0, 0) if late else (1, 70))
