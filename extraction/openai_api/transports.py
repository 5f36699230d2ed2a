"""HTTP transports that translate OpenAI's API for the `openai` client, so that all vendors share one model class.

Limits, retries in other answer formats, time limits and errors thus work alike for all. The SDK of Anthropic would need
the same translation, of its answers and of its errors; any-llm gives OpenAI's types, and only its calls are translated.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx2

from schema.errors import InstallError

_ANTHROPIC_VERSION: Final = "2023-06-01"
# Anthropic requires a limit.
_OUTPUT_TOKENS: Final = 4_096
_FINISH_REASONS: Final = {"max_tokens": "length", "refusal": "content_filter", "tool_use": "tool_calls"}
# Constraints of JSON schemas that Anthropic's structured output refuses; our types check them.
_CONSTRAINTS: Final = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "pattern"),
    }
)


class AnthropicTransport(httpx2.AsyncBaseTransport):
    """Send chat completions as Anthropic's messages."""

    def __init__(self) -> None:
        self._inner = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Translate a request and its answer; failures keep their status."""
        asked = json.loads(await request.aread())
        if not request.url.path.endswith("/chat/completions"):
            return _error(404, "Anthropic has no embeddings; use the local embedder or another vendor")
        if asked.get("response_format", {}).get("type") == "json_object":
            return _error(400, "json_object is not supported", param="response_format")
        headers = {
            "x-api-key": request.headers.get("authorization", "").removeprefix("Bearer "),
            "anthropic-version": _ANTHROPIC_VERSION,
            "user-agent": request.headers.get("user-agent", ""),
        }
        url = request.url.copy_with(path=request.url.path.replace("/chat/completions", "/messages"))
        sent = httpx2.Request(
            "POST", url, headers=headers, json=_anthropic_request(asked), extensions=request.extensions
        )
        answer = await self._inner.handle_async_request(sent)
        try:
            body = json.loads(await answer.aread())
        except ValueError:
            body = None
        finally:
            await answer.aclose()
        kept = {name: value for name, value in answer.headers.items() if name.startswith(("retry-after", "date"))}
        if answer.is_error or not isinstance(body, dict) or not isinstance(body.get("content"), list):
            message = str((body or {}).get("error", {}).get("message", "")) if isinstance(body, dict) else ""
            # The message begins with the refused field: "temperature: …".
            field, colon, _ = message.partition(":")
            status = answer.status_code if answer.is_error else 502
            return _error(status, message, param=field if colon else None, headers=kept)
        return httpx2.Response(200, json=_completion(body), headers=kept)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _anthropic_request(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of Anthropic's request for that of a chat completion."""
    messages: Sequence[Mapping[str, Any]] = asked["messages"]
    # An empty text is refused.
    turns = [{"role": turn["role"], "content": turn["content"] or " "} for turn in messages if turn["role"] != "system"]
    body: dict[str, Any] = {
        "model": asked["model"],
        "system": "\n\n".join(str(turn["content"]) for turn in messages if turn["role"] == "system"),
        "messages": turns,
        "max_tokens": asked.get("max_completion_tokens") or asked.get("max_tokens") or _OUTPUT_TOKENS,
    }
    if "temperature" in asked:
        body["temperature"] = asked["temperature"]
    if (form := asked.get("response_format")) is not None:
        schema = _without_constraints(form["json_schema"]["schema"])
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    if tools := asked.get("tools"):
        functions = [tool["function"] for tool in tools]
        body["tools"] = [
            {
                "name": function["name"],
                "description": function.get("description", "Give the answer."),
                "input_schema": function["parameters"],
            }
            for function in functions
        ]
        body["tool_choice"] = {"type": "tool", "name": functions[0]["name"]}
    return body


def _without_constraints(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_constraints(item) for item in node]
    if not isinstance(node, dict):
        return node
    # Below `properties`, keys are names of fields.
    return {
        key: {name: _without_constraints(part) for name, part in value.items()}
        if key in ("properties", "$defs")
        else _without_constraints(value)
        for key, value in node.items()
        if key not in _CONSTRAINTS
    }


def _completion(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat completion for Anthropic's message."""
    parts = [part for part in body["content"] if isinstance(part, dict)]
    text = "".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")
    calls = [
        {
            "id": str(part.get("id", "")),
            "type": "function",
            "function": {"name": str(part.get("name", "")), "arguments": json.dumps(part.get("input", {}))},
        }
        for part in parts
        if part.get("type") == "tool_use"
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = calls
    usage = body.get("usage") or {}
    tokens_in = sum(
        usage.get(name) or 0 for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    tokens_out = usage.get("output_tokens") or 0
    return {
        "id": str(body.get("id", "")),
        "object": "chat.completion",
        "created": 0,
        "model": str(body.get("model", "")),
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": _FINISH_REASONS.get(str(body.get("stop_reason")), "stop"),
            }
        ],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


def _error(
    status: int, message: str, *, param: str | None = None, headers: Mapping[str, str] | None = None
) -> httpx2.Response:
    return httpx2.Response(status, json={"error": {"message": message, "param": param}}, headers=headers)


# By the class of any-llm's error, for those without a status of the vendor.
_STATUS: Final = {
    "RateLimitError": 429,
    "AuthenticationError": 401,
    "MissingApiKeyError": 401,
    "ModelNotFoundError": 404,
    "UnsupportedProviderError": 404,
    "InvalidRequestError": 400,
    "UnsupportedParameterError": 400,
    "ContextLengthExceededError": 413,
    "GatewayTimeoutError": 504,
}


# Stands for the address of a vendor that any-llm knows itself.
UNKNOWN_HOST: Final = "any-llm.invalid"


class AnyLlmTransport(httpx2.AsyncBaseTransport):
    """Ask any vendor through the library any-llm; a model's name is `bedrock/…`, `gemini/…`.

    Raises:
        InstallError: the library is not installed.
    """

    def __init__(self) -> None:
        try:
            import any_llm
            from any_llm.exceptions import AnyLLMError
        except ImportError as error:
            raise InstallError(
                "models named `any-llm/…` need the library any-llm: pip install 'mnemoscene-server[any-llm]'"
            ) from error
        self._library = any_llm
        self._failure = AnyLLMError

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Call the library with the fields of a request; failures have the vendor's status, or that of their kind."""
        asked = json.loads(await request.aread())
        provider, _, asked["model"] = str(asked["model"]).partition("/")
        # The library reads the vendor's own variables, when the settings have no key.
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        path = request.url.path
        own = None if request.url.host == UNKNOWN_HOST else str(request.url.copy_with(path=_base(path)))
        asked |= {"provider": provider, "api_key": None if key == "none" else key, "api_base": own}
        try:
            answer: Any = (
                await self._library.aembedding(inputs=asked.pop("input"), **asked)
                if path.endswith("/embeddings")
                else await self._library.acompletion(**asked)
            )
        except self._failure as error:
            status = error.status_code or 0
            return _error(
                status if status >= 400 else _STATUS.get(type(error).__name__, 502), str(error), param=error.param
            )
        except ImportError as error:
            return _error(404, str(error))
        return httpx2.Response(200, content=answer.model_dump_json(), headers={"content-type": "application/json"})


def _base(path: str) -> str:
    return path.removesuffix("/chat/completions").removesuffix("/embeddings")
