"""GraphQL: put a tenant into quarantine, and end it."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.auth.quarantine import Quarantine, QuarantineMode, QuarantineState
from schema.errors import UnavailableError

strawberry.enum(
    QuarantineMode,
    name="QuarantineMode",
    description="READ_ONLY: writes are refused; CLOSED: reads and writes are refused.",
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
        return None if state is None else _view(state)


@strawberry.type
class QuarantineMutation:
    """Begin and end a quarantine."""

    @strawberry.mutation(
        description="Put the tenant into quarantine: requests are refused with QUARANTINED, and its background jobs "
        "wait. Nothing is deleted. Requires admin of every tenant."
    )
    async def begin_quarantine(
        self,
        info: Info[Any, None],
        mode: Annotated[QuarantineMode, strawberry.argument(description="Which requests are refused.")],
        reason: Annotated[str, strawberry.argument(description="Why, as free text.")],
    ) -> QuarantineView:
        """Put the tenant into quarantine."""
        return _view(await _quarantine(info).begin(info.context["tenant"], mode, reason))

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


def _view(state: QuarantineState) -> QuarantineView:
    return QuarantineView(tenant=state.tenant, mode=state.mode, reason=state.reason, since=state.since)
