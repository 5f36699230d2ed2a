"""Map errors of OpenAI-compatible endpoints to ours: retry later, change the settings, or unusable answer."""

import math
from email.utils import parsedate_to_datetime

import openai

from extraction.openai_api.vendors import UNNAMED, Vendor
from schema.errors import InstallError, MisreadError, MnemosceneError, UnavailableError


def as_ours(error: openai.OpenAIError, *, model: str, base_url: str, vendor: Vendor = UNNAMED) -> MnemosceneError:
    """Return our error for a client's error; its message says what to do, and never contains key or prompt."""
    where = f"model {model!r} at {base_url}"
    key = f"the right {vendor.key_variable}" if vendor.name and vendor.key_variable else "the right api_key"
    start = f" (`{vendor.start}`)" if vendor.start else ""
    match error:
        case openai.APITimeoutError():
            return UnavailableError(f"{where} did not answer in time; the request is retried later")
        case openai.APIConnectionError():
            return UnavailableError(
                f"{where} cannot be reached; check that the endpoint runs{start} and base_url is right"
            )
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return InstallError(f"{where} refused the API key ({error.status_code}); set {key}")
        case openai.NotFoundError():
            return InstallError(f"{where} was not found (404); check the model's name and base_url")
        case openai.APIStatusError(status_code=code) if code in (408, 409, 429) or code >= 500:
            return UnavailableError(f"{where} is busy or failing ({code}); retry later", _retry_after_s(error))
        case openai.APIStatusError(status_code=code):
            return MisreadError(f"{where} rejected the request ({code}); check that it accepts inputs of this size")
        case _:
            return MisreadError(f"{where} gave an answer that cannot be parsed ({type(error).__name__})")


def _retry_after_s(error: openai.APIStatusError) -> float | None:
    """Return the seconds to wait by a Retry-After header: seconds, milliseconds, or a date by the server's clock."""
    headers = error.response.headers
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = _number(headers.get("retry-after"))
    if seconds is not None:
        return seconds
    try:
        until = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (until - parsedate_to_datetime(headers["date"])).total_seconds())
    except (KeyError, TypeError, ValueError):
        return None


def _number(text: str | None) -> float | None:
    """Parse a finite number of seconds; None otherwise."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
