"""What an OpenAI-compatible endpoint's failures mean here: retry later, change the settings, or a bad answer."""

import math
from email.utils import parsedate_to_datetime

import openai

from schema.errors import InstallError, MisreadError, MnemographError, UnavailableError


def as_ours(error: openai.OpenAIError, *, model: str, base_url: str) -> MnemographError:
    """Return the error of our tree for an error of the client; says what to do, never repeats key or prompt."""
    where = f"model {model!r} at {base_url}"
    match error:
        case openai.APITimeoutError():
            return UnavailableError(f"{where} did not answer in time; it will be asked again")
        case openai.APIConnectionError():
            return UnavailableError(f"{where} cannot be reached; check that the endpoint runs and base_url is right")
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return InstallError(f"{where} refused the API key ({error.status_code}); set the right api_key")
        case openai.NotFoundError():
            return InstallError(f"{where} was not found (404); check the model's name and base_url")
        case openai.APIStatusError(status_code=code) if code in (408, 409, 429) or code >= 500:
            return UnavailableError(f"{where} is busy or broken ({code}); retry later", _retry_after_s(error))
        case openai.APIStatusError(status_code=code):
            return MisreadError(f"{where} refused the request ({code}); check that it takes inputs of this size")
        case _:
            return MisreadError(f"{where} answered something unreadable ({type(error).__name__})")


def _retry_after_s(error: openai.APIStatusError) -> float | None:
    """Return seconds the endpoint asks us to wait, told as seconds, milliseconds, or a date by its own clock."""
    headers = error.response.headers
    told = _number(headers.get("retry-after-ms"))
    if told is not None:
        return told / 1000
    told = _number(headers.get("retry-after"))
    if told is not None:
        return told
    try:
        until = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, (until - parsedate_to_datetime(headers["date"])).total_seconds())
    except (KeyError, TypeError, ValueError):
        return None


def _number(text: str | None) -> float | None:
    """Return a number that is a time to wait; None for everything else, endless waits included."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
