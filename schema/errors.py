"""Every error of Mnemograph, split by who must act.

MnemographError
├── InputError        the caller sent something wrong; nothing was written
│   └── TooCostlyError   the caller asked for too much at once
├── UnauthorizedError the caller must show a credential that is good
├── ForbiddenError    the caller's credential is good, but not for this
├── RateLimitError    the caller must come less often
├── NotFoundError     the caller named something that is not there
├── ConflictError     the caller's wish contradicts what is stored or running
├── UnavailableError  something outside is away; the same call may work later
├── MisreadError      a model's answer broke the agreed shape
├── TooSlowError      computing on a text was stopped; the plain way is taken instead
├── BrokenDataError   something that is stored lacks what belongs to it
└── InstallError      the operator must change the installation or the settings
"""

from typing import ClassVar


class MnemographError(Exception):
    """An error with a stable code, a message that says what was wrong and what to do.

    Attributes:
        code: stable, upper case; the anchor in the documentation, GraphQL's `extensions.code`.
        http_status: what the HTTP doors answer.
        exit_code: what the command line exits with.
        advice: what to do about errors of this kind; the message says it for the one that happened.
    """

    code: ClassVar[str] = "INTERNAL"
    http_status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1
    advice: ClassVar[str] = "Report it as a bug, with the request id and the lines of the log that carry it."

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InputError(MnemographError):
    """The caller sent something wrong.

    Attributes:
        problems: every mistake found, one sentence each; never empty.
    """

    code = "BAD_INPUT"
    http_status = 400
    exit_code = 2
    advice = "Correct what the message names and send it again; sent again unchanged it is refused again."

    def __init__(self, message: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems or (message,)


class TooCostlyError(InputError):
    """The caller asked for too much in one operation: ask for less of it, or in several steps."""

    code = "TOO_COSTLY"
    advice = "Ask for less at once: fewer fields, smaller pages, several operations; the message names cost and limit."


class NotFoundError(MnemographError):
    """The caller named something that is not there (or not in their tenant: the answer is the same)."""

    code = "NOT_FOUND"
    http_status = 404
    exit_code = 3
    advice = "Check the id and the tenant; list what there is (`sessions`, `entities`, `jobs`)."


class UnauthorizedError(MnemographError):
    """No credential was shown, or one that is good for nothing; which of these is not told."""

    code = "UNAUTHORIZED"
    http_status = 401
    exit_code = 8
    advice = "Send `Authorization: Bearer KEY` with a key of `mnemograph keys create`, or sign in to the viewer."


class ForbiddenError(MnemographError):
    """The credential is good, but not for this; it is not told whether what was named exists."""

    code = "FORBIDDEN"
    http_status = 403
    exit_code = 9
    advice = "Use a credential with the role, or of the tenant, that the message names."


class RateLimitError(MnemographError):
    """More requests than the credential may send.

    Attributes:
        retry_after_s: when the next one will be served.
    """

    code = "RATE_LIMITED"
    http_status = 429
    exit_code = 10
    advice = "Wait for the seconds in `Retry-After`, or have the key's rate raised (`auth.requests_per_s`)."

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ConflictError(MnemographError):
    """The caller's wish contradicts what is stored or running."""

    code = "CONFLICT"
    http_status = 409
    exit_code = 4
    advice = "Read what is there and decide again: another id for other words, another port, or end what runs."


class UnavailableError(MnemographError):
    """Something outside is away or busy.

    Attributes:
        retry_after_s: when the other side told us, seconds to wait; else None.
    """

    code = "UNAVAILABLE"
    http_status = 503
    exit_code = 5
    advice = "Send the same again after the seconds in `Retry-After`, or in a moment; repeating stores nothing twice."

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class MisreadError(MnemographError):
    """A model's answer broke the agreed shape.

    Attributes:
        cut: the answer had come to its limit; a smaller question may be answered.
        calls, tokens_in, tokens_out: what the useless answers cost.
    """

    code = "MISREAD"
    http_status = 502
    exit_code = 6
    advice = "Try again or use another model; nothing was lost, rules have read what the model could not."

    def __init__(
        self, message: str, *, cut: bool = False, calls: int = 0, tokens_in: int = 0, tokens_out: int = 0
    ) -> None:
        super().__init__(message)
        self.cut = cut
        self.calls, self.tokens_in, self.tokens_out = calls, tokens_in, tokens_out


class TooSlowError(MnemographError):
    """Computing on a text took longer than it may and was stopped."""

    code = "TOO_SLOW"
    http_status = 503
    exit_code = 12
    advice = "Send a shorter or plainer text; the stored messages are safe, and the log names what took so long."


class BrokenDataError(MnemographError):
    """Something that is stored lacks what belongs to it, so that the work about it cannot be done."""

    code = "BROKEN_DATA"
    http_status = 500
    exit_code = 11
    advice = "Set right or forget what the message names, then try the work again (`mnemograph jobs retry`)."


class InstallError(MnemographError):
    """The operator must change the installation or the settings."""

    code = "INSTALL"
    http_status = 500
    exit_code = 7
    advice = "Run `mnemograph doctor` and do what it says."
