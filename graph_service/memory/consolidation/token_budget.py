"""What reading by a model costs: per scene and per tenant and day, written with the digest that caused it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from extraction.llm.fact_judge import Judging
from extraction.reader import Reader, Reading, SceneText
from extraction.rules.rule_reader import READER_NAME
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.summaries.scene_summary import SceneSummary
from schema.errors import InputError
from schema.ids import TenantId
from schema.timespan import as_utc

DAYS_MAX = 366
_CALLER = "caller"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayUsage:
    """What one tenant's digests of one UTC day cost.

    Attributes:
        scenes_owed: read by the rules although a model is configured, because the budget of the day was spent.
        items_dropped: proposals that were left out: off the whitelist, unproven, not important enough, unreadable.
    """

    day: str
    calls: int
    tokens_in: int
    tokens_out: int
    scenes_by_model: int
    scenes_by_rules: int
    scenes_owed: int
    items_dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """The days with their costs, newest first, and what is left of today's budget.

    Attributes:
        tokens_per_day, tokens_left: None when there is no budget.
    """

    days: tuple[DayUsage, ...]
    tokens_per_day: int | None
    tokens_left: int | None


def day_of(moment: datetime) -> str:
    """Return the UTC day that a moment is counted to."""
    return as_utc(moment).date().isoformat()


def scene_marks(readings: Sequence[Reading]) -> dict[str, Any]:
    """Return who read a scene and how, for its properties; empty when nobody did."""
    own = [reading for reading in readings if reading.reader != _CALLER]
    if own:
        last = own[-1]
        return {"read_by": last.reader, "read_path": list(last.path), "owed": last.path[0] if last.owed else None}
    return {"read_by": _CALLER, "read_path": [], "owed": None} if any(reading.facts for reading in readings) else {}


def scene_cost(readings: Iterable[Reading | Judging], layers: SceneSummary | None) -> dict[str, int]:
    """Return what reading a scene and writing its texts cost this time."""
    told: list[Reading | Judging | SceneSummary] = [*readings, *([layers] if layers else [])]
    return {
        "calls": sum(part.calls for part in told),
        "tokens_in": sum(part.tokens_in for part in told),
        "tokens_out": sum(part.tokens_out for part in told),
    }


def digest_cost(
    scenes: Iterable[tuple[Sequence[Reading], SceneSummary | None]], judging: Judging, *, rejected: int
) -> dict[str, int]:
    """Return what one digest adds to its day.

    Args:
        scenes: the readings of each scene, and its texts if they were made.
        rejected: proposals that the check refused.
    """
    told = list(scenes)
    every = [reading for readings, _ in told for reading in readings if reading.reader != _CALLER]
    costs = [scene_cost([], layers) for _, layers in told] + [scene_cost([*every, judging], None)]
    by_rules = [reading for reading in every if reading.reader == READER_NAME]
    return {
        **{name: sum(cost[name] for cost in costs) for name in ("calls", "tokens_in", "tokens_out")},
        "scenes_by_model": len(every) - len(by_rules),
        "scenes_by_rules": len(by_rules),
        "scenes_owed": sum(reading.owed for reading in every),
        "items_dropped": rejected + sum(len(reading.dropped) for reading in every),
    }


async def tokens_of_day(graph: Graph, tenant: TenantId, now: datetime) -> int:
    """Return tokens that a tenant's digests have cost on the day of `now`."""
    rows = await _days(graph, tenant, now, days=1)
    return sum(row.tokens_in + row.tokens_out for row in rows)


async def usage(graph: Graph, tenant: TenantId, *, days: int, tokens_per_day: int, now: datetime) -> UsageReport:
    """Return what reading cost a tenant on each of the last days on which anything was read.

    Raises:
        InputError: `days` is out of bounds.
    """
    if not 1 <= days <= DAYS_MAX:
        raise InputError(f"days is {days}; use 1 to {DAYS_MAX}")
    rows = await _days(graph, tenant, now, days=days)
    today = sum(row.tokens_in + row.tokens_out for row in rows if row.day == day_of(now))
    return UsageReport(
        days=tuple(rows),
        tokens_per_day=tokens_per_day or None,
        tokens_left=max(tokens_per_day - today, 0) if tokens_per_day else None,
    )


async def _days(graph: Graph, tenant: TenantId, now: datetime, *, days: int) -> list[DayUsage]:
    first = day_of(now - timedelta(days=days - 1))
    rows = await graph.read(
        statement("consolidation/usage_by_day"), {"tenant": tenant, "first": first, "last": day_of(now)}
    )
    return [DayUsage(**row["usage"]) for row in rows]


# Whether a tenant can afford that the model reads: over the day's tokens the rules do, and what they read is owed.

OVER_BUDGET = "over budget"


async def affordable(
    graph: Graph, tenant: TenantId, first: Reader, rules: Reader, *, tokens_per_day: int, now: datetime
) -> Reader:
    """Return the reader for one digest: `first`, or the rules when the tenant has spent the tokens of the day.

    Args:
        tokens_per_day: what the model may cost each tenant on a day (UTC); 0 means no limit.
    """
    if not tokens_per_day or await tokens_of_day(graph, tenant, now) < tokens_per_day:
        return first

    async def read(scene: SceneText) -> Reading:
        return replace(await rules(scene), path=(OVER_BUDGET, "rules"), owed=True)

    return read


# Scenes that the rules read instead of a model, because the day's tokens were spent: asked for once more.

SCENES_MAX = 1_000


async def read_again(graph: Graph, tenant: TenantId, user_id: str, *, scenes_max: int, now_ms: int) -> int:
    """Ask for the reading of scenes that are owed to a model, oldest first; how many there were.

    Facts that the rules found stay; what the model finds is merged with them.

    Raises:
        InputError: `scenes_max` is out of bounds.
    """
    if not 1 <= scenes_max <= SCENES_MAX:
        raise InputError(f"scenes is {scenes_max}; use 1 to {SCENES_MAX}")
    parameters = {"tenant": tenant, "user_id": user_id, "scenes_max": scenes_max, "now_ms": now_ms}

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        return await writing.run(statement("consolidation/enqueue_deferred_scenes"), parameters)

    return sum(row["scenes"] for row in await graph.write(steps))
