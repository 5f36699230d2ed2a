"""Test that a result is kept only for its tenant, and only while the change log is at the same settled end."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import cast

from graph_service.memory.change_log.log import FRESH_S, OLD_S, SETTLED_S, ChangeLog, Head, UnchangedCache
from schema.change import Change, NumberedChange, Op
from schema.ids import MemoryId, TenantId

ANA, BO = TenantId("ana"), TenantId("bo")


class FakeLog:
    """Change logs whose heads the test sets."""

    def __init__(self) -> None:
        self.heads: dict[str, Head] = {}
        self.age_s = 0.0

    async def head(self, tenant: str) -> Head:
        return self.heads.get(tenant, Head(epoch="e", seq=1))

    async def since(self, tenant: str, seq: int, *, rows_max: int) -> list[NumberedChange]:
        assert (seq, rows_max) == ((await self.head(tenant)).seq - 1, 1)
        change = Change(op=Op.NODE_DROP, element_id=MemoryId("n"), body={}, reason="")
        at = datetime.now(UTC) - timedelta(seconds=self.age_s)
        return [NumberedChange(seq=seq + 1, at=at.isoformat(), user_id="", change=change)]


class Cached:
    """A cache with a clock of its own, and the number of computations."""

    def __init__(self, *, weight_max: int = 100) -> None:
        self.log = FakeLog()
        self.now_s = 0.0
        self.computed = 0
        self.cache = UnchangedCache[list[str]](cast(ChangeLog, self.log), weigh=len, weight_max=weight_max)
        self.cache._clock_s = lambda: self.now_s

    def computing(self, value: list[str]) -> Callable[[], Awaitable[list[str]]]:
        async def compute() -> list[str]:
            self.computed += 1
            return value

        return compute

    async def get(self, tenant: TenantId = ANA, key: str = "k", value: tuple[str, ...] = ("v",)) -> list[str]:
        return await self.cache.get(tenant, key, self.computing(list(value)))

    async def settle(self, tenant: TenantId = ANA) -> None:
        """See the head of a tenant, and let the time pass after which all of its commit is visible."""
        await self.get(tenant, "seen")
        self.now_s += SETTLED_S
        self.computed = 0


async def test_unchanged_memory_is_computed_once() -> None:
    cached = Cached()
    await cached.settle()
    assert [await cached.get(value=(name,)) for name in "abc"] == [["a"]] * 3
    assert cached.computed == 1


async def test_result_is_not_kept_while_its_commit_may_be_visible_in_part() -> None:
    cached = Cached()
    await cached.get(value=("a part",))
    assert await cached.get(value=("all",)) == ["all"]


async def test_first_result_of_a_memory_that_changed_long_ago_is_kept() -> None:
    cached = Cached()
    cached.log.age_s = OLD_S
    assert [await cached.get(value=(name,)) for name in "ab"] == [["a"]] * 2
    cached.log.heads[ANA] = Head(epoch="e", seq=2)
    assert [await cached.get(value=(name,)) for name in "cd"] == [["c"], ["d"]], "a change was just seen"


async def test_write_and_new_epoch_make_results_invalid() -> None:
    cached = Cached()
    for number, head in enumerate((Head(epoch="e", seq=2), Head(epoch="e", seq=1), Head(epoch="other", seq=1))):
        await cached.settle()
        await cached.get(value=(f"before {number}",))
        cached.log.heads[ANA] = head
        assert await cached.get(value=("after",)) == ["after"]


async def test_write_during_the_computation_makes_its_result_invalid() -> None:
    cached = Cached()
    await cached.settle()

    async def compute() -> list[str]:
        cached.log.heads[ANA] = Head(epoch="e", seq=2)
        return ["old"]

    assert await cached.cache.get(ANA, "k", compute) == ["old"]
    assert await cached.get(value=("new",)) == ["new"]


async def test_tenants_with_equal_heads_share_nothing() -> None:
    cached = Cached()
    await cached.settle(ANA)
    await cached.settle(BO)
    assert await cached.get(ANA, value=("of ana",)) == ["of ana"]
    assert await cached.get(BO, value=("of bo",)) == ["of bo"]
    cached.log.heads[BO] = Head(epoch="e", seq=2)
    assert await cached.get(ANA, value=("again",)) == ["of ana"]


async def test_forgetting_drops_the_tenant_and_what_is_being_computed() -> None:
    cached = Cached()
    await cached.settle(ANA)
    await cached.settle(BO)
    await cached.get(ANA)
    await cached.get(BO)

    async def compute() -> list[str]:
        cached.cache.forget(ANA)
        return ["forgotten"]

    assert await cached.cache.get(ANA, "other", compute) == ["forgotten"]
    cached.computed = 0
    await cached.get(ANA)
    await cached.get(ANA, "other")
    await cached.get(BO)
    assert cached.computed == 2


async def test_weight_is_bounded_and_results_grow_old() -> None:
    cached = Cached(weight_max=10)
    await cached.settle()
    await cached.get(key="large", value=("x",) * 10)
    await cached.get(key="large", value=("x",) * 10)
    assert cached.computed == 2
    for name in "abcdef":
        await cached.get(key=name)
    cached.computed = 0
    await cached.get(key="f")
    await cached.get(key="a")
    assert cached.computed == 1
    cached.now_s += FRESH_S + 1
    await cached.get(key="a")
    assert cached.computed == 2
