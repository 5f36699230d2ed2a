"""GraphQL: what reading by a model costs."""

from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.consolidation.token_budget import DayUsage, UsageReport


@strawberry.type(name="DayUsage", description="What reading cost on one day (UTC).")
class DayUsageView:
    """What reading cost on one day."""

    day: str = strawberry.field(description="YYYY-MM-DD.")
    calls: int = strawberry.field(description="Model calls, vain ones too.")
    tokens_in: int
    tokens_out: int
    scenes_by_model: int = strawberry.field(description="Scenes that the model read.")
    scenes_by_rules: int = strawberry.field(description="Scenes that the rules read, small talk too.")
    scenes_owed: int = strawberry.field(description="Of those, the ones that were over the budget of the day.")
    items_dropped: int = strawberry.field(
        description="Proposals left out: off the whitelist, unproven, unimportant, unreadable."
    )


@strawberry.type(description="What reading cost, and what is left of the budget.")
class Usage:
    """What reading cost, and what is left of the budget."""

    days: list[DayUsageView] = strawberry.field(description="Newest first; days without reading are left out.")
    tokens_per_day: int | None = strawberry.field(description="The budget; null when there is none.")
    tokens_left: int | None = strawberry.field(description="Of today's budget; null when there is none.")


@strawberry.type
class UsageQuery:
    """What can be asked about costs."""

    @strawberry.field(description="What reading by a model cost the tenant, day by day.")
    async def usage(
        self,
        info: Info[Any, None],
        days: Annotated[int, strawberry.argument(description="So many days back, 1 to 366.")] = 30,
    ) -> Usage:
        """Return what reading by a model cost."""
        memory = memory_of(info)
        return _view(await memory.usage(info.context["tenant"], days=days))


@strawberry.type
class UsageMutation:
    """What can be done about costs."""

    @strawberry.mutation(
        description="Has the model read scenes that the rules read because the day's tokens were spent, oldest first; "
        "says how many. They are read in the background, when they grow no more."
    )
    async def read_again(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Whose scenes.")],
        scenes: Annotated[int, strawberry.argument(description="At most so many, 1 to 1,000.")] = 100,
    ) -> int:
        """Have the model read scenes that are owed to it."""
        memory = memory_of(info)
        return await memory.read_again(info.context["tenant"], user_id, scenes=scenes)


def _view(report: UsageReport) -> Usage:
    days = [_day_view(day) for day in report.days]
    return Usage(days=days, tokens_per_day=report.tokens_per_day, tokens_left=report.tokens_left)


def _day_view(day: DayUsage) -> DayUsageView:
    return DayUsageView(
        day=day.day,
        calls=day.calls,
        tokens_in=day.tokens_in,
        tokens_out=day.tokens_out,
        scenes_by_model=day.scenes_by_model,
        scenes_by_rules=day.scenes_by_rules,
        scenes_owed=day.scenes_owed,
        items_dropped=day.items_dropped,
    )
