"""All errors of Mnemoscene, in one tree."""

from typing import ClassVar


class MnemosceneError(Exception):
    """An error with a stable code and a message that says what was wrong and what to do.

    Attributes:
        code: stable, upper case; the anchor in the documentation, GraphQL's `extensions.code`.
        http_status: status of HTTP responses.
        exit_code: exit status of commands.
        advice: general remedy, for the documentation; the message has the specific one.
    """

    code: ClassVar[str] = "INTERNAL"
    http_status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1
    advice: ClassVar[str] = "Report it as a bug, with the request id and its log lines."

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InputError(MnemosceneError):
    """The request is invalid.

    Attributes:
        problems: all mistakes found, one sentence each; never empty.
    """

    code = "BAD_INPUT"
    http_status = 400
    exit_code = 2
    advice = "Correct what the message names and send it again; unchanged it is refused again."

    def __init__(self, message: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems or (message,)


class InvalidUriError(InputError):
    """A URI that the caller sent does not have the form of any element's URI."""

    code = "INVALID_URI"
    advice = "Copy the URI from an answer (`recall`, `sessions`, `profile`), or build one of the forms in the message."


class TooCostlyError(InputError):
    """The operation exceeds a limit on its cost."""

    code = "TOO_COSTLY"
    advice = "Ask for less at once: fewer fields, smaller pages, several operations; the message names cost and limit."


class NotFoundError(MnemosceneError):
    """The caller named something that does not exist in their tenant."""

    code = "NOT_FOUND"
    http_status = 404
    exit_code = 3
    advice = "Check the id and the tenant; list what exists (`sessions`, `entities`, `jobs`)."


class UnauthorizedError(MnemosceneError):
    """The credential is missing or invalid; the response does not say which."""

    code = "UNAUTHORIZED"
    http_status = 401
    exit_code = 8
    advice = "Send `Authorization: Bearer KEY` with a key of `mnemoscene keys create`, or sign in to the viewer."


class ForbiddenError(MnemosceneError):
    """The credential is valid but lacks the permission; the response does not say whether the named thing exists."""

    code = "FORBIDDEN"
    http_status = 403
    exit_code = 9
    advice = "Use a credential with the role, or of the tenant, that the message names."


class QuarantinedError(MnemosceneError):
    """An operator has put the tenant into quarantine; its data are kept."""

    code = "QUARANTINED"
    http_status = 423
    exit_code = 14
    advice = "Ask the operator of the service; `mnemoscene quarantine end` allows requests again."


class RateLimitError(MnemosceneError):
    """More requests than the credential may send.

    Attributes:
        retry_after_s: seconds until the next request is served.
    """

    code = "RATE_LIMITED"
    http_status = 429
    exit_code = 10
    advice = "Wait for the seconds in `Retry-After`, or have the key's rate raised (`auth.requests_per_s`)."

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ConflictError(MnemosceneError):
    """The request conflicts with stored data or a running process."""

    code = "CONFLICT"
    http_status = 409
    exit_code = 4
    advice = "Read the current state and decide again: use another id or port, or stop the running process."


class UnavailableError(MnemosceneError):
    """An external service does not answer or is busy.

    Attributes:
        retry_after_s: seconds to wait, if the service said so.
        called: False if no request was sent, because an earlier one failed or asked for a pause.
    """

    code = "UNAVAILABLE"
    http_status = 503
    exit_code = 5
    advice = "Repeat the request after the seconds in `Retry-After`, or in a moment; nothing is stored twice."

    def __init__(self, message: str, retry_after_s: float | None = None, *, called: bool = True) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.called = called


class OverBudgetError(MnemosceneError):
    """A call of a model would exceed the tokens that a tenant may use in a day; no call was made."""

    code = "OVER_BUDGET"
    http_status = 429
    exit_code = 13
    advice = "Raise `llm.tokens_per_day`, or re-extract the scenes tomorrow (`reextractScenes`); rules read them today."


class MisreadError(MnemosceneError):
    """A model's answer does not match its schema.

    Attributes:
        cut: the answer reached its length limit; a smaller request may succeed.
    """

    code = "INVALID_MODEL_OUTPUT"
    http_status = 502
    exit_code = 6
    advice = "Try again or use another model; nothing is lost, rules are used instead of the model."

    def __init__(self, message: str, *, cut: bool = False) -> None:
        super().__init__(message)
        self.cut = cut


class TooSlowError(MnemosceneError):
    """Processing a text exceeded its time limit and was stopped."""

    code = "TOO_SLOW"
    http_status = 503
    exit_code = 12
    advice = "Send a shorter or simpler text; stored messages are safe, and the log names the slow step."


class BrokenDataError(MnemosceneError):
    """Stored data is incomplete, so that a job on it cannot be done."""

    code = "CORRUPT_DATA"
    http_status = 500
    exit_code = 11
    advice = "Repair or forget what the message names, then retry the job (`mnemoscene jobs retry`)."


class InstallError(MnemosceneError):
    """The operator must change the installation or the settings."""

    code = "MISCONFIGURED"
    http_status = 500
    exit_code = 7
    advice = "Run `mnemoscene doctor` and do what it says."
