"""Clients of the `openai` library for the endpoint of any vendor."""

import httpx2
import openai

from extraction.openai_api.transports import UNKNOWN_HOST, AnthropicTransport, AnyLlmTransport
from extraction.openai_api.vendors import Api, Vendor


def connect(vendor: Vendor, *, base_url: str | None, api_key: str | None, timeout_s: float) -> openai.AsyncOpenAI:
    """Return a client without connecting; endpoints that need no key accept any.

    Args:
        base_url: address of the endpoint; that of the vendor by default.

    Raises:
        InstallError: a library that this vendor needs is not installed.
    """
    transport = {Api.ANTHROPIC: AnthropicTransport, Api.ANY_LLM: AnyLlmTransport}.get(vendor.api)
    return openai.AsyncOpenAI(
        api_key=api_key or "none",
        base_url=base_url or vendor.address or (f"https://{UNKNOWN_HOST}/v1" if vendor.api is Api.ANY_LLM else None),
        max_retries=0,
        # The library would send the ids of an OpenAI account to every vendor.
        organization="" if vendor.name else None,
        project="" if vendor.name else None,
        timeout=timeout_s,
        http_client=None if transport is None else httpx2.AsyncClient(transport=transport()),
    )
