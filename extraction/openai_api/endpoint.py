"""A model at the endpoint of any vendor, asked with the library `openai`."""

import math
from email.utils import parsedate_to_datetime

import httpx2
import openai

from extraction.openai_api.request_limiter import RequestLimiter
from extraction.openai_api.transports import UNKNOWN_HOST, AnthropicTransport, AnyLlmTransport
from extraction.openai_api.vendors import Api, vendor_named
from schema.errors import InstallError, MisreadError, MnemosceneError, UnavailableError


class Endpoint:
    """A model at an endpoint; nothing is sent before it is asked.

    Args:
        base_url: address of the endpoint; that of the vendor by default.
        api_key: endpoints that need no key accept any.
        vendor: its name in `vendors.py`; without it, the endpoint has OpenAI's API and knows the model by `model`.
        limiter: limits of the endpoint, shared by its models; 4 concurrent requests by default.

    Attributes:
        sent_name: name of the model that is sent: without the vendor's prefix.

    Raises:
        InstallError: a library that this vendor needs is not installed.
    """

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None,
        api_key: str | None,
        vendor: str | None = None,
        timeout_s: float = 60.0,
        limiter: RequestLimiter | None = None,
    ) -> None:
        seller = vendor_named(vendor)
        transport = {Api.ANTHROPIC: AnthropicTransport, Api.ANY_LLM: AnyLlmTransport}.get(seller.api)
        unknown = f"https://{UNKNOWN_HOST}/v1" if seller.api is Api.ANY_LLM else None
        self.model = model
        self.sent_name = seller.model_name(model)
        self.vendor = seller
        self.timeout_s = timeout_s
        self.limiter = limiter or RequestLimiter()
        self.client = openai.AsyncOpenAI(
            api_key=api_key or "none",
            base_url=base_url or seller.address or unknown,
            max_retries=0,
            # The library would send the ids of an OpenAI account to every vendor.
            organization="" if seller.name else None,
            project="" if seller.name else None,
            timeout=timeout_s,
            http_client=None if transport is None else httpx2.AsyncClient(transport=transport()),
        )

    def error(self, error: openai.OpenAIError) -> MnemosceneError:
        """Return our error for a client's error: retry later, change the settings, or unusable answer.

        Its message says what to do, and never contains key or prompt.
        """
        where = f"model {self.model!r} at {self.client.base_url}"
        vendor = self.vendor
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
