"""GraphQL: a tenant's use of models, and its quarantine."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of, view_of
from graph_service.auth.quarantine import Quarantine, QuarantineMode
from schema.errors import UnavailableError


@strawberry.type(name="DayUsage", description="Token usage of one day (UTC).")
class DayUsageView:
    """Token usage of one day."""

    day: str = strawberry.field(description="YYYY-MM-DD.")
    calls: int = strawberry.field(description="Number of model calls, including failed ones.")
    tokens_in: int
    tokens_out: int
    embedding_tokens: int = strawberry.field(
        description="Tokens of texts embedded by an endpoint; they count towards the budget."
    )
    scenes_by_model: int = strawberry.field(description="Scenes extracted by the model.")
    scenes_by_rules: int = strawberry.field(description="Scenes extracted by rules, including small talk.")
    scenes_over_budget: int = strawberry.field(
        description="Scenes extracted by rules because the day's budget was spent."
    )
    items_dropped: int = strawberry.field(
        description="Rejected proposals: unknown predicate, no evidence, unimportant or malformed."
    )


@strawberry.type(description="Token usage and the remaining budget.")
class Usage:
    """Token usage and the remaining budget."""

    days: list[DayUsageView] = strawberry.field(description="Newest first; days without usage are left out.")
    tokens_per_day: int | None = strawberry.field(description="The budget per day; null if unlimited.")
    tokens_left: int | None = strawberry.field(description="Today's remaining budget; null if unlimited.")


@strawberry.type
class UsageQuery:
    """Queries for token usage."""

    @strawberry.field(description="The tenant's token usage per day.")
    async def usage(
        self,
        info: Info[Any, None],
        days: Annotated[int, strawberry.argument(description="Number of days, 1 to 366.")] = 30,
    ) -> Usage:
        """Return the token usage per day."""
        memory = memory_of(info)
        report = await memory.usage(info.context["tenant"], days=days)
        return view_of(Usage, report, days=[view_of(DayUsageView, day) for day in report.days])


@strawberry.type
class UsageMutation:
    """Extract scenes again that were skipped over budget."""

    @strawberry.mutation(
        description="Re-extract with the model scenes that were extracted by rules because the budget was spent, "
        "oldest first, in the background; returns their number."
    )
    async def reextract_scenes(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        scenes: Annotated[int, strawberry.argument(description="Maximum number of scenes, 1 to 1,000.")] = 100,
    ) -> int:
        """Re-extract scenes that were skipped over budget."""
        memory = memory_of(info)
        return await memory.reextract_scenes(info.context["tenant"], user_id, scenes=scenes)


strawberry.enum(
    QuarantineMode,
    name="QuarantineMode",
    description="READ_ONLY: writes are refused; CLOSED: reads and writes are refused; EMBEDDING: no request is "
    "refused, only the computation of vectors waits.",
)


@strawberry.type(name="Quarantine", description="The quarantine of a tenant; its background jobs wait.")
class QuarantineView:
    """The quarantine of a tenant."""

    tenant: str = strawberry.field(description="The tenant.")
    mode: QuarantineMode = strawberry.field(description="Which requests are refused.")
    reason: str = strawberry.field(description="Why, as free text.")
    since: datetime = strawberry.field(description="When it began.")


@strawberry.type
class QuarantineQuery:
    """Queries for the quarantine."""

    @strawberry.field(description="The quarantine of the tenant; null if there is none. Requires admin.")
    async def quarantine(self, info: Info[Any, None]) -> QuarantineView | None:
        """Return the quarantine of the tenant."""
        state = _quarantine(info).of(info.context["tenant"])
        return None if state is None else view_of(QuarantineView, state)


@strawberry.type
class QuarantineMutation:
    """Begin and end a quarantine."""

    @strawberry.mutation(
        description="Put the tenant into quarantine: requests are refused with QUARANTINED, and its background jobs "
        "wait; or pause only its embedding. Nothing is deleted. Requires admin of every tenant."
    )
    async def begin_quarantine(
        self,
        info: Info[Any, None],
        mode: Annotated[QuarantineMode, strawberry.argument(description="Which requests are refused.")],
        reason: Annotated[str, strawberry.argument(description="Why, as free text.")],
    ) -> QuarantineView:
        """Put the tenant into quarantine."""
        return view_of(QuarantineView, await _quarantine(info).begin(info.context["tenant"], mode, reason))

    @strawberry.mutation(
        description="End the quarantine of the tenant; false if there was none. Requires admin of every tenant."
    )
    async def end_quarantine(self, info: Info[Any, None]) -> bool:
        """End the quarantine of the tenant."""
        return await _quarantine(info).end(info.context["tenant"])


def _quarantine(info: Info[Any, None]) -> Quarantine:
    auth = info.context.get("auth")
    found: Quarantine | None = None if auth is None else auth.quarantine
    if found is None:
        raise UnavailableError("this server has no quarantine; connect to a running service")
    return found
