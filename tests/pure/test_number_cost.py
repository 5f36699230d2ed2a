"""Twice as many names, facts or scenes cost about twice as much, whatever they are; the counterpart of test_text_cost.

Time is what this thread computed, the best of some tries, so that a loaded machine counts little.
"""

import gc
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from graph_service.memory.beings import ALIASES_MAX, NameSeen, Owner, resolve
from graph_service.memory.look_alikes import Portrait, look_alikes
from schema.ids import MemoryId, TenantId, UserId

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
GROWTH_MAX: Final = 2.4
TRIES: Final = 5
OWNER: Final = Owner(tenant=TenantId("t"), user_id=UserId("u"), user_names=(), agent_id=None)


def cost_s(work: Callable[[], object]) -> float:
    """Processor time of some work."""
    gc.collect()
    gc.disable()
    try:
        started_s = time.thread_time()
        work()
        return time.thread_time() - started_s
    finally:
        gc.enable()


def assert_about_linear(work_of: Callable[[int], Callable[[], object]], n: int) -> None:
    """Refuse work that takes much more than twice as long for twice as many.

    Args:
        work_of: for a number, the work on so many; making it is not measured.
    """
    best_s = {n: float("inf"), 2 * n: float("inf")}
    for _ in range(TRIES):
        for many in best_s:
            best_s[many] = min(best_s[many], cost_s(work_of(many)))
        if best_s[2 * n] <= GROWTH_MAX * best_s[n]:
            return
    raise AssertionError(f"{n}: {best_s[n]:.4f} s, {2 * n}: {best_s[2 * n]:.4f} s")


def spellings(n: int) -> list[str]:
    """So many spellings of one name."""
    return [f"Anna{'.' * (place % 90)}{'!' * (place // 90)}" for place in range(n)]


def seen(names: list[str]) -> list[NameSeen]:
    """The names, said one after another."""
    return [NameSeen(name=name, said_at=NOON + timedelta(seconds=place)) for place, name in enumerate(names)]


def test_many_spellings_of_one_name_cost_about_twice_for_twice_as_many() -> None:
    def work_of(n: int) -> Callable[[], object]:
        names = seen(spellings(n))
        return lambda: resolve(names, [], OWNER)

    assert_about_linear(work_of, 400)


def test_an_entity_keeps_its_first_other_names_and_the_rest_still_mean_it() -> None:
    names = spellings(300)
    beings, touched = resolve(seen(names), [], OWNER)
    assert [known.being.name for known in touched] == ["Anna"]
    assert touched[0].aliases == tuple(sorted(names[1 : ALIASES_MAX + 1]))
    assert {being.id for being in beings.values()} == {touched[0].being.id}
    assert touched[0].last_seen == NOON + timedelta(seconds=299), "what is not kept as a name is still a mention"
    again, _ = resolve(seen(names[-1:]), touched, OWNER)
    assert again[names[-1]].id == touched[0].being.id


def test_look_alikes_of_many_spellings_cost_about_twice_for_twice_as_many() -> None:
    def work_of(n: int) -> Callable[[], object]:
        names = spellings(n)
        portraits = [
            Portrait(id=MemoryId("a"), user_id="u", name="Anna", aliases=tuple(names)),
            Portrait(
                id=MemoryId("b"), user_id="u", name="Anna Smith", aliases=tuple(f"{name} Smith" for name in names)
            ),
        ]
        return lambda: look_alikes(portraits, ())

    assert_about_linear(work_of, 400)
