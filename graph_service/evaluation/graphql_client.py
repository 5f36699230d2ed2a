"""The GraphQL door of a service, used as an agent in another program uses it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import httpx

from graph_service.api.tenant import HEADER as TENANT_HEADER
from graph_service.app.middleware import HEADER as ROUND_TRIP_HEADER
from schema.errors import MnemographError, UnavailableError

# Above what a recall may take on a busy machine; ends an evaluation whose service hangs.
_SILENCE_MAX_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the service answered.

    Attributes:
        round_trips: how often it asked its database for that.
    """

    data: Mapping[str, Any]
    round_trips: int


class Door:
    """Sends GraphQL documents over HTTP; use as a context manager.

    Args:
        address: of the service, without a path.
    """

    def __init__(self, address: str) -> None:
        self._http = httpx.AsyncClient(base_url=address, timeout=_SILENCE_MAX_S, trust_env=False)

    async def __aenter__(self) -> "Door":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._http.aclose()

    async def ask(self, tenant: str, document: str, variables: Mapping[str, Any]) -> Said:
        """Return the answer to one document.

        Raises:
            UnavailableError: the service does not answer, or its database does not.
            MnemographError: it refused the document.
        """
        body = {"query": document, "variables": dict(variables)}
        try:
            answer = await self._http.post("/graphql", json=body, headers={TENANT_HEADER: quote(tenant)})
        except httpx.HTTPError as error:
            raise UnavailableError(f"the service does not answer ({type(error).__name__}); start again") from error
        if answer.status_code != httpx.codes.OK:
            raise UnavailableError(f"the service answered {answer.status_code}: {answer.text[:200]}")
        tree = answer.json()
        for wrong in tree.get("errors") or ():
            if wrong.get("extensions", {}).get("code") == UnavailableError.code:
                raise UnavailableError(wrong["message"])
            raise MnemographError(f"the service refused a call of ours: {wrong['message']}")
        return Said(data=tree["data"], round_trips=int(answer.headers[ROUND_TRIP_HEADER]))
