"""What a viewer is told of its own access, so that it keeps nothing for anybody else and not for longer."""

import hashlib
from datetime import UTC, datetime

from graph_service.auth.access import ANYBODY, Access
from graph_service.memory.views import moment_text


def told_of(access: Access) -> dict[str, str | None]:
    """The fields `holder` and `until` of `hello_ack`."""
    if access is ANYBODY:
        return {"holder": None, "until": None}
    holder = hashlib.sha256(f"{access.who}\0{access.tenant}".encode()).hexdigest()[:32]
    until = None if access.until_s is None else moment_text(datetime.fromtimestamp(access.until_s, UTC))
    return {"holder": holder, "until": until}
