"""Errors of the client; `code` is the service's stable error code."""

from __future__ import annotations


class MnemosceneError(Exception):
    """Base of all errors of the client, and the class of those that no other one describes.

    Attributes:
        code: the service's code, such as `NOT_FOUND`; `UNAVAILABLE` if no service answered.
        message: what was wrong, and what to do.
    """

    def __init__(self, message: str, code: str = "INTERNAL") -> None:
        super().__init__(message)
        self.message, self.code = message, code


class NotFound(MnemosceneError):
    """The named element does not exist."""

    def __init__(self, message: str, code: str = "NOT_FOUND") -> None:
        super().__init__(message, code)


class BadInput(MnemosceneError):
    """The call is invalid; nothing was written."""

    def __init__(self, message: str, code: str = "BAD_INPUT") -> None:
        super().__init__(message, code)


class Conflict(MnemosceneError):
    """The call contradicts what is stored, for example another version of an element."""

    def __init__(self, message: str, code: str = "CONFLICT") -> None:
        super().__init__(message, code)


class Denied(MnemosceneError):
    """The key is missing or wrong, lacks a role or tenant, or the tenant is in quarantine."""

    def __init__(self, message: str, code: str = "FORBIDDEN") -> None:
        super().__init__(message, code)


class Unavailable(MnemosceneError):
    """The service does not answer or is busy; the client has tried again already.

    Attributes:
        retry_after_s: seconds to wait, if the service named them.
        uncertain: the request may have been carried out, because the connection failed after it was sent.
    """

    def __init__(
        self, message: str, code: str = "UNAVAILABLE", *, retry_after_s: float | None = None, uncertain: bool = False
    ) -> None:
        super().__init__(message, code)
        self.retry_after_s, self.uncertain = retry_after_s, uncertain


_CLASSES: dict[str, type[MnemosceneError]] = {
    "NOT_FOUND": NotFound,
    "BAD_INPUT": BadInput,
    "INVALID_URI": BadInput,
    "TOO_COSTLY": BadInput,
    "CONFLICT": Conflict,
    "UNAUTHORIZED": Denied,
    "FORBIDDEN": Denied,
    "QUARANTINED": Denied,
}
_RETRIABLE = ("UNAVAILABLE", "RATE_LIMITED")


def error_of(code: str, message: str, retry_after_s: float | None = None) -> MnemosceneError:
    """Return the error for a code of the service."""
    if code in _RETRIABLE:
        return Unavailable(message, code, retry_after_s=retry_after_s)
    return _CLASSES.get(code, MnemosceneError)(message, code)
