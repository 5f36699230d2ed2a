"""What an OpenAI-compatible endpoint's failures mean here: retry later, change the settings, or a bad answer."""

import openai

from schema.errors import InstallError, MisreadError, MnemographError, UnavailableError


def as_ours(error: openai.OpenAIError, *, model: str, base_url: str) -> MnemographError:
    """The error of our tree for an error of the client; says what to do, never repeats key or prompt."""
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
    """Seconds the endpoint asks us to wait; dates instead of seconds count as not told."""
    told = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(told))
    except ValueError:
        return None
