"""Test that jobs of one memory run one at a time within a process."""

import asyncio

from graph_service.memory.jobs.keyed_lock import KeyedLock


async def test_second_caller_waits_and_is_told_of_the_change() -> None:
    turns, told = KeyedLock(), list[tuple[str, str, bool]]()

    async def work(name: str, key: str) -> None:
        async with turns.hold(key) as waited:
            told.append((name, "begins", waited))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            told.append((name, "ends", waited))

    await asyncio.gather(work("first", "ann"), work("second", "ann"), work("other", "bob"))
    of_ann = [step for step in told if step[0] != "other"]
    assert of_ann == [
        ("first", "begins", False),
        ("first", "ends", False),
        ("second", "begins", True),
        ("second", "ends", True),
    ]
    assert told.index(("other", "begins", False)) < told.index(("first", "ends", False))


async def test_failed_or_cancelled_holder_releases_the_lock() -> None:
    turns = KeyedLock()

    async def work(seconds: float) -> bool:
        async with turns.hold("ann") as waited:
            await asyncio.sleep(seconds)
            if seconds == 0:
                raise ValueError("went wrong")
            return waited

    holding, queued = asyncio.create_task(work(60)), asyncio.create_task(work(60))
    await asyncio.sleep(0)
    queued.cancel()
    holding.cancel()
    await asyncio.gather(holding, queued, return_exceptions=True)
    assert isinstance((await asyncio.gather(work(0), return_exceptions=True))[0], ValueError)
    assert await work(0.001) is False
