"""Test that jobs of one memory run one at a time within a process."""

import asyncio

from graph_service.memory.jobs.job_context import KeyedLock


async def test_second_caller_of_a_key_waits() -> None:
    locks, steps = KeyedLock(), list[tuple[str, str]]()

    async def work(name: str, key: str) -> None:
        async with locks.hold(key):
            steps.append((name, "begins"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            steps.append((name, "ends"))

    await asyncio.gather(work("first", "ann"), work("second", "ann"), work("other", "bob"))
    of_ann = [step for step in steps if step[0] != "other"]
    assert of_ann == [("first", "begins"), ("first", "ends"), ("second", "begins"), ("second", "ends")]
    assert steps.index(("other", "begins")) < steps.index(("first", "ends"))


async def test_failed_or_cancelled_holder_releases_the_lock() -> None:
    locks = KeyedLock()

    async def work(seconds: float) -> None:
        async with locks.hold("ann"):
            await asyncio.sleep(seconds)
            if seconds == 0:
                raise ValueError("went wrong")

    holding, queued = asyncio.create_task(work(60)), asyncio.create_task(work(60))
    await asyncio.sleep(0)
    queued.cancel()
    holding.cancel()
    await asyncio.gather(holding, queued, return_exceptions=True)
    assert isinstance((await asyncio.gather(work(0), return_exceptions=True))[0], ValueError)
    await asyncio.wait_for(work(0.001), 30)
