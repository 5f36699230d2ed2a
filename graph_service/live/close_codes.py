"""Close codes of the viewer's WebSocket; an error frame with the reason is sent before closing."""

from enum import IntEnum

from schema.errors import MnemosceneError
from schema.frames import ErrorFrame


class CloseCode(IntEnum):
    """Reasons to close a viewer's connection, with their close codes; error frames have the name."""

    INTERNAL = 1011
    TRY_LATER = 1013
    BAD_FRAME = 4400
    UNAUTHORIZED = 4401
    FORBIDDEN = 4403
    NO_TENANT = 4404
    SUB_PROTOCOL = 4406
    TIMEOUT = 4408
    TOO_BIG = 4413
    QUARANTINED = 4423
    TOO_FAST = 4429


class RefusedError(MnemosceneError):
    """Raised to close a viewer's connection.

    Attributes:
        close_code: the code to close it with.
        retry_s: seconds to wait before reconnecting; None if reconnecting alone does not help.
    """

    def __init__(self, close_code: CloseCode, message: str, *, retry_s: float | None = None) -> None:
        super().__init__(message)
        self.close_code = close_code
        self.retry_s = retry_s

    def frame(self) -> ErrorFrame:
        """Return the error frame to send before closing."""
        return ErrorFrame(code=self.close_code.name, message=self.message, retry_s=self.retry_s)
