"""GraphQL: a tenant's use of models, and its quarantine."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, mutation, output
from graph_service.api.graphql.arguments import memory_of, view_of
from graph_service.auth.quarantine import Quarantine, QuarantineMode
from schema.errors import UnavailableError


@output(name="DayUsage")
class DayUsageView:
    """Token usage of one day (UTC)."""

    day: str = about("YYYY-MM-DD.")
    calls: int = about("Number of model calls, including failed ones.")
    tokens_in: int
    tokens_out: int
    embedding_tokens: int = about("Tokens of texts embedded by an endpoint; they count towards the budget.")
    scenes_by_model: int = about("Scenes extracted by the model.")
    scenes_by_rules: int = about("Scenes extracted by rules, including small talk.")
    scenes_over_budget: int = about("Scenes extracted by rules because the day's budget was spent.")
    items_dropped: int = about("Rejected proposals: unknown predicate, no evidence, unimportant or malformed.")


@output()
class Usage:
    """Token usage and the remaining budget."""

    days: list[DayUsageView] = about("Newest first; days without usage are left out.")
    tokens_per_day: int | None = about("The budget per day; null if unlimited.")
    tokens_left: int | None = about("Today's remaining budget; null if unlimited.")


@strawberry.type
class UsageQuery:
    """Queries for token usage."""

    @field
    async def usage(
        self, info: Info[Any, None], days: Annotated[int, argument("Number of days, 1 to 366.")] = 30
    ) -> Usage:
        """The tenant's token usage per day."""
        memory = memory_of(info)
        report = await memory.usage(info.context["tenant"], days=days)
        return view_of(Usage, report, days=[view_of(DayUsageView, day) for day in report.days])


@strawberry.type
class UsageMutation:
    """Extract scenes again that were skipped over budget."""

    @mutation
    async def reextract_scenes(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, argument("The user's id.")],
        scenes: Annotated[int, argument("Maximum number of scenes, 1 to 1,000.")] = 100,
    ) -> int:
        """Re-extract with the model scenes that were extracted by rules because the budget was spent, oldest first, in
        the background; returns their number.
        """
        memory = memory_of(info)
        return await memory.reextract_scenes(info.context["tenant"], user_id, scenes=scenes)


strawberry.enum(
    QuarantineMode,
    name="QuarantineMode",
    description="READ_ONLY: writes are refused; CLOSED: reads and writes are refused; EMBEDDING: no request is "
    "refused, only the computation of vectors waits.",
)


@output(name="Quarantine")
class QuarantineView:
    """The quarantine of a tenant; its background jobs wait."""

    tenant: str = about("The tenant.")
    mode: QuarantineMode = about("Which requests are refused.")
    reason: str = about("Why, as free text.")
    since: datetime = about("When it began.")


@strawberry.type
class QuarantineQuery:
    """Queries for the quarantine."""

    @field
    async def quarantine(self, info: Info[Any, None]) -> QuarantineView | None:
        """The quarantine of the tenant; null if there is none. Requires admin."""
        state = _quarantine(info).of(info.context["tenant"])
        return None if state is None else view_of(QuarantineView, state)


@strawberry.type
class QuarantineMutation:
    """Begin and end a quarantine."""

    @mutation
    async def begin_quarantine(
        self,
        info: Info[Any, None],
        mode: Annotated[QuarantineMode, argument("Which requests are refused.")],
        reason: Annotated[str, argument("Why, as free text.")],
    ) -> QuarantineView:
        """Put the tenant into quarantine: requests are refused with QUARANTINED, and its background jobs wait; or pause
        only its embedding. Nothing is deleted. Requires admin of every tenant.
        """
        return view_of(QuarantineView, await _quarantine(info).begin(info.context["tenant"], mode, reason))

    @mutation
    async def end_quarantine(self, info: Info[Any, None]) -> bool:
        """End the quarantine of the tenant; false if there was none. Requires admin of every tenant."""
        return await _quarantine(info).end(info.context["tenant"])


def _quarantine(info: Info[Any, None]) -> Quarantine:
    auth = info.context.get("auth")
    found: Quarantine | None = None if auth is None else auth.quarantine
    if found is None:
        raise UnavailableError("this server has no quarantine; connect to a running service")
    return found
