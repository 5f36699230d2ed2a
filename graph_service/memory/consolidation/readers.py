"""The readers and writers that extraction uses, and the tokens that they spend: by scene, and by tenant and day."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from cachetools import LRUCache

from extraction.llm.answer_writer import AnswerWriter
from extraction.llm.fact_judge import FactJudge
from extraction.llm.reader_chain import OVER_BUDGET
from extraction.llm.summary_writer import LayerWriter, SessionWriter
from extraction.reader import Reader, Reading, SceneText
from extraction.rules.rule_reader import READER_NAME
from extraction.token_spending import DayTotal, TokenSpending, spending
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.consolidation.proposal_check import CALLER
from graph_service.memory.summaries.scene_summary import LAYERS_EVERY
from schema.errors import UnavailableError
from schema.ids import TenantId
from schema.timespan import as_utc

# Reader of scenes that wait until their extraction is requested.
DEFERRED: Final = "deferred"
DAYS_MAX: Final = 366
SCENES_MAX: Final = 1_000
_SCENE_COUNTS: Final = ("scenes_by_model", "scenes_by_rules", "scenes_over_budget", "items_dropped")
# Tenants whose running total of the day is kept in this process.
_TENANTS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DayUsage:
    """Token usage of one day (UTC).

    Attributes:
        day: YYYY-MM-DD.
        calls: number of model calls, including failed ones.
        embedding_tokens: tokens of texts embedded by an endpoint; they count towards the budget.
        scenes_by_model: scenes extracted by the model.
        scenes_by_rules: scenes extracted by rules, including small talk.
        scenes_over_budget: scenes extracted by rules because the day's budget was spent.
        items_dropped: rejected proposals: unknown predicate, no evidence, unimportant or malformed.
    """

    day: str
    calls: int
    tokens_in: int
    tokens_out: int
    embedding_tokens: int = 0
    scenes_by_model: int
    scenes_by_rules: int
    scenes_over_budget: int
    items_dropped: int

    @property
    def tokens(self) -> int:
        """All tokens, which count towards the budget."""
        return self.tokens_in + self.tokens_out + self.embedding_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """Token usage and the remaining budget.

    Attributes:
        days: newest first; days without usage are left out.
        tokens_per_day: the budget per day; None if unlimited.
        tokens_left: today's remaining budget; None if unlimited.
    """

    days: tuple[DayUsage, ...]
    tokens_per_day: int | None
    tokens_left: int | None


def day_of(moment: datetime) -> str:
    """Return the UTC day of a moment, as ISO 8601."""
    return as_utc(moment).date().isoformat()


def reader_properties(readings: Sequence[Reading]) -> dict[str, Any]:
    """Return the scene properties that record its reader and the readers tried; empty for an unread scene."""
    readings_here = [reading for reading in readings if reading.reader != CALLER]
    if readings_here:
        last = readings_here[-1]
        return {
            "read_by": last.reader,
            "read_path": list(last.path),
            "fallback_reason": last.path[0] if last.needs_model else None,
        }
    return (
        {"read_by": CALLER, "read_path": [], "fallback_reason": None}
        if any(reading.facts for reading in readings)
        else {}
    )


def scene_counts(readings: Sequence[Reading], *, rejected: int) -> dict[str, int]:
    """Return what one digest adds to the counts of its day; `rejected` is the number of rejected proposals."""
    every = [reading for reading in readings if reading.reader not in (CALLER, DEFERRED)]
    by_rules = [reading for reading in every if reading.reader == READER_NAME]
    return {
        "scenes_by_model": len(every) - len(by_rules),
        "scenes_by_rules": len(by_rules),
        "scenes_over_budget": sum(reading.needs_model for reading in every),
        "items_dropped": rejected + sum(len(reading.dropped) for reading in every),
    }


async def usage(graph: Graph, tenant: TenantId, *, days: int, tokens_per_day: int, now: datetime) -> UsageReport:
    """Return the usage of a tenant on those of the last `days` days that have any."""
    check_limit(days, DAYS_MAX, name="days")
    rows = await _days(graph, tenant, now, days=days)
    today = sum(row.tokens for row in rows if row.day == day_of(now))
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


def is_over_budget(tokens: TokenSpending) -> bool:
    """Return whether the tokens of the day are spent."""
    return bool(tokens.day.limit) and tokens.day.used >= tokens.day.limit


def cost_of(tokens: TokenSpending, counts: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return `$cost` of `consolidation/add_usage`: the tokens of a job, and the counts of the scenes that it wrote."""
    counts = counts or dict.fromkeys(_SCENE_COUNTS, 0)
    return {**counts, **tokens.model_cost, "embedding_tokens": tokens.embedding_tokens}


def over_budget_reader(rules: Reader) -> Reader:
    """Return the rules as a reader that marks scenes as deferred, so that the model can read them later."""

    async def read(scene: SceneText) -> Reading:
        return replace(await rules(scene), path=(OVER_BUDGET, "rules"), needs_model=True)

    return read


def deferred_reading() -> Reading:
    """Return the empty reading of a scene that is read only on request, because automatic extraction is off."""
    return Reading(reader=DEFERRED, path=(DEFERRED,), needs_model=True)


async def reopen_deferred(graph: Graph, tenant: TenantId, session: str, *, reason: str | None = None) -> int:
    """Mark the deferred scenes of a session (node id), so that the next extraction reads them; return their number.

    Args:
        reason: why they were not read; None for any reason.
    """
    parameters = {"tenant": tenant, "session": session, "reason": reason}
    rows = await graph.run(statement("consolidation/reopen_deferred_of_session"), parameters)
    return int(rows[0]["scenes"])


async def reextract_scenes(graph: Graph, tenant: TenantId, user_id: str, *, scenes_max: int, now_ms: int) -> int:
    """Request that a model reads deferred scenes, oldest first, and return their number.

    Facts that the rules found stay; those of the model are merged with them.
    """
    check_limit(scenes_max, SCENES_MAX, name="scenes")
    parameters = {"tenant": tenant, "user_id": user_id, "scenes_max": scenes_max, "now_ms": now_ms}
    return sum(row["scenes"] for row in await graph.run(statement("consolidation/enqueue_deferred_scenes"), parameters))


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers, summary writer and judge that extraction uses.

    Attributes:
        first: a model, or the local reader when none is configured.
        fallback: the local reader; it reads every scene at once, and the model refines what it found.
        tokens_per_day: budget of the model for each tenant; 0 means no limit.
        writer: writes overviews; None keeps extractive ones.
        session_writer: writes the layers of sessions; None keeps extractive ones.
        answer_writer: answers questions; None quotes the best sentences instead.
        judge: decides about new facts that may restate or contradict known ones; None leaves that to the rules.
        waits_for_ripe: the model reads a scene only when it is complete, so that it reads each scene once.
        extracts: False defers the extraction of new messages until it is requested.
        layers_every: number of new messages after which the layers of a scene are updated.
        totals: tokens used by tenant and day, including those of jobs of this process that are not committed yet.
        note_usefulness: called with whether an answer of the model could be used.
    """

    first: Reader
    fallback: Reader
    tokens_per_day: int = 0
    writer: LayerWriter | None = None
    session_writer: SessionWriter | None = None
    answer_writer: AnswerWriter | None = None
    judge: FactJudge | None = None
    waits_for_ripe: bool = False
    extracts: bool = True
    layers_every: int = LAYERS_EVERY
    totals: LRUCache[tuple[TenantId, str], DayTotal] = field(default_factory=lambda: LRUCache(_TENANTS_MAX))
    note_usefulness: Callable[[bool], None] = lambda _useful: None

    @property
    def with_model(self) -> bool:
        """True if a model refines what the local reader reads, or judges facts."""
        return self.first is not self.fallback or self.judge is not None

    @contextlib.asynccontextmanager
    async def accounted(
        self, graph: Graph, tenant: TenantId, *, now: datetime, commits_usage: bool = False
    ) -> AsyncIterator[TokenSpending]:
        """Count the model's tokens inside the block towards the tenant's day, within its budget.

        Args:
            commits_usage: the block records them itself if it succeeds; otherwise they are recorded here, because they
                are paid for.
        """
        tokens, day, recorded = TokenSpending(), day_of(now), False
        if self.tokens_per_day:
            total = self.totals[tenant, day] = self.totals.get((tenant, day)) or DayTotal()
            total.limit = self.tokens_per_day
            # Other processes may have spent more.
            total.used = max(total.used, sum(row.tokens for row in await _days(graph, tenant, now, days=1)))
            tokens = TokenSpending(day=total)
        with spending(tokens):
            try:
                yield tokens
                recorded = commits_usage
            finally:
                cost = cost_of(tokens)
                if not recorded and any(cost.values()):
                    with contextlib.suppress(UnavailableError):
                        parameters = {"tenant": tenant, "day": day, "cost": cost}
                        await graph.run(statement("consolidation/add_usage"), parameters)
