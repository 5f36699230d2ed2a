"""Close codes of the viewer's WebSocket; an error frame with the reason is sent before closing."""

from typing import Final

from schema.errors import MnemosceneError
from schema.frames import ErrorFrame

BAD_FRAME: Final = 4400
UNAUTHORIZED: Final = 4401
FORBIDDEN: Final = 4403
NO_TENANT: Final = 4404
SUB_PROTOCOL: Final = 4406
TIMEOUT: Final = 4408
TOO_BIG: Final = 4413
QUARANTINED: Final = 4423
TOO_FAST: Final = 4429
TRY_LATER: Final = 1013
INTERNAL_ERROR: Final = 1011

_NAMES: Final = {
    BAD_FRAME: "BAD_FRAME",
    UNAUTHORIZED: "UNAUTHORIZED",
    FORBIDDEN: "FORBIDDEN",
    NO_TENANT: "NO_TENANT",
    SUB_PROTOCOL: "SUB_PROTOCOL",
    TIMEOUT: "TIMEOUT",
    TOO_BIG: "TOO_BIG",
    QUARANTINED: "QUARANTINED",
    TOO_FAST: "TOO_FAST",
    TRY_LATER: "TRY_LATER",
    INTERNAL_ERROR: "INTERNAL",
}


class RefusedError(MnemosceneError):
    """Raised to close a viewer's connection.

    Attributes:
        close_code: one of the codes above.
        retry_s: seconds to wait before reconnecting; None if reconnecting alone does not help.
    """

    def __init__(self, close_code: int, message: str, *, retry_s: float | None = None) -> None:
        super().__init__(message)
        self.close_code = close_code
        self.retry_s = retry_s

    def frame(self) -> ErrorFrame:
        """Return the error frame to send before closing."""
        return ErrorFrame(code=_NAMES[self.close_code], message=self.message, retry_s=self.retry_s)
