"""Language model for OpenAI-compatible endpoints, with the libraries instructor and openai."""

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic

import instructor
import openai
from instructor.core.exceptions import InstructorError
from instructor.core.hooks import Hooks
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from pydantic import ValidationError

from extraction.llm.language_model import Answer, Prompt, Shape
from extraction.openai_api.errors import as_ours
from extraction.openai_api.request_limiter import RequestLimiter
from extraction.text.token_estimate import estimated_tokens_in
from schema.errors import MisreadError, UnavailableError

# JSON in answers that also contain prose, code fences or reasoning

# Maximum number of opening braces to try.
_TRIES_MAX: Final = 100
_PARTS_MAX: Final = 10


def shape_in_text(text: str, shape: type[Shape]) -> Shape:
    """Return the first JSON object in the text that validates as this type.

    Raises:
        ValueError: there is none; the message names the invalid fields of the first object, never their values.
    """
    problem: str | None = None
    for found in _objects(_strip_thoughts(text)):
        try:
            return shape.model_validate(found)
        except ValidationError as error:
            problem = problem or _invalid_fields(error)
    raise ValueError(problem or "the answer contains no JSON object")


def shape_in_cut_text(text: str, shape: type[Shape]) -> Shape:
    """Parse a truncated answer; keep only complete items.

    Raises:
        ValueError: no complete part validates.
    """
    answer = _strip_thoughts(text)
    start = answer.find("{")
    if start < 0:
        raise ValueError("the answer was truncated before its JSON began")
    by_field, by_item = _closed_json(answer[start:])
    try:
        return shape_in_text(by_field, shape)
    except ValueError:
        return shape_in_text(by_item, shape)


def _closed_json(text: str) -> tuple[str, str]:
    """Repair truncated JSON in two ways: end it after its last complete field, or after its last complete item."""
    open_marks: list[str] = []
    field = item = (0, "")
    quoted = escaped = False
    for at, char in enumerate(text):
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = char == "\\", char != '"'
        elif char == '"':
            quoted = True
        elif char in "{[":
            open_marks.append("}" if char == "{" else "]")
        elif char in "}]":
            if not open_marks or open_marks.pop() != char:
                break
            field = item = (at + 1, "".join(reversed(open_marks)))
        elif char == ",":
            field = (at, "".join(reversed(open_marks)))
    return text[: field[0]] + field[1], text[: item[0]] + item[1]


def _strip_thoughts(text: str) -> str:
    return re.sub(r"<think>.*?(</think>|\Z)", "", text, flags=re.DOTALL)


def _invalid_fields(error: ValidationError) -> str:
    wrong = error.errors(include_url=False, include_context=False, include_input=False)[:_PARTS_MAX]
    return "; ".join(f"{'.'.join(map(str, part['loc']))}: {part['msg']}" for part in wrong)


def _objects(text: str) -> Iterator[object]:
    decoder = json.JSONDecoder()
    at = 0
    for _ in range(_TRIES_MAX):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, at = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at += 1
            continue
        yield found


_ASKS_MAX: Final = 2
OUTPUT_TOKENS_MAX: Final = 4_096
# Maximum lengths of the error and of the invalid answer in a repeated request.
_PROBLEM_CHARS_MAX: Final = 1_000
_ANSWER_CHARS_MAX: Final = 8_000


async def connect_openai_model(
    *,
    model: str,
    base_url: str | None,
    api_key: str | None,
    timeout_s: float = 60.0,
    output_tokens_max: int = OUTPUT_TOKENS_MAX,
    limiter: RequestLimiter | None = None,
) -> "OpenAIModel":
    """Return a model for an endpoint, without connecting; endpoints that need no key accept any.

    Args:
        output_tokens_max: limit of each answer, sent with every request.
        limiter: limits of the endpoint, shared by its models.
    """

    def connected() -> OpenAIModel:
        client = openai.AsyncOpenAI(api_key=api_key or "none", base_url=base_url, max_retries=0, timeout=timeout_s)
        return OpenAIModel(
            client=client,
            model=model,
            timeout_s=timeout_s,
            output_tokens_max=output_tokens_max,
            limiter=limiter or RequestLimiter(),
        )

    # instructor logs invalid answers, which contain text of the conversation.
    logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)
    # In a thread, because the first use imports most of both libraries, which takes seconds.
    return await asyncio.to_thread(connected)


@dataclass(frozen=True, slots=True)
class _Reply(Generic[Shape]):
    """One completion, and its value if instructor could parse it."""

    completion: ChatCompletion
    value: Shape | None


class OpenAIModel:
    """Request structured output, or JSON in text after the endpoint refused schemas.

    After an invalid answer, repeat the request once with the errors; other failures are not retried. Every request
    sends temperature 0 and a limit of the answer, unless the endpoint refused one of them by name.
    """

    def __init__(
        self,
        *,
        client: openai.AsyncOpenAI,
        model: str,
        timeout_s: float,
        output_tokens_max: int,
        limiter: RequestLimiter,
    ) -> None:
        self.name = model
        self._client = client
        self._limiter = limiter
        self._options: dict[str, Any] = {"temperature": 0, "max_tokens": output_tokens_max}
        self._timeout_s = timeout_s
        self._by_schema = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)
        self._by_text = instructor.from_openai(client, mode=instructor.Mode.MD_JSON)
        self._knows_schema = True

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Return the parsed answer; its cost includes a repeated request."""
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ]
        paid = _RequestCost()
        problem = ""
        for ask in range(_ASKS_MAX):
            # The second request asks for JSON in text, in case the endpoint's structured output does not work.
            reply = await self._request(messages, shape, in_words=ask > 0)
            paid.add(reply.completion, messages)
            text = _text(reply.completion, paid)
            cut = reply.completion.choices[0].finish_reason == "length"
            try:
                value = reply.value or (shape_in_cut_text(text, shape) if cut else shape_in_text(text, shape))
                return Answer(
                    value=value, calls=paid.calls, tokens_in=paid.tokens_in, tokens_out=paid.tokens_out, cut=cut
                )
            except ValueError as error:
                if cut:
                    raise paid.error(
                        f"the answer of model {self.name!r} was truncated; raise its output limit", cut=True
                    ) from error
                problem = str(error)[:_PROBLEM_CHARS_MAX]
            messages += [
                {"role": "assistant", "content": text[:_ANSWER_CHARS_MAX]},
                {"role": "user", "content": f"That answer was not accepted: {problem}\nGive the JSON object only."},
            ]
        raise paid.error(f"model {self.name!r} gave two answers that are not a valid {shape.__name__}: {problem}")

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _request(
        self, messages: list[ChatCompletionMessageParam], shape: type[Shape], *, in_words: bool
    ) -> _Reply[Shape]:
        try:
            if self._knows_schema and not in_words:
                try:
                    return await self._request_with_options(self._by_schema, messages, shape)
                except (openai.BadRequestError, openai.UnprocessableEntityError):
                    reply = await self._request_with_options(self._by_text, messages, shape)
                    # The endpoint accepted the prompt without a schema, so the schema was the problem.
                    self._knows_schema = False
                    return reply
            return await self._request_with_options(self._by_text, messages, shape)
        except openai.OpenAIError as error:
            raise as_ours(error, model=self.name, base_url=str(self._client.base_url)) from error
        except TimeoutError as error:
            raise UnavailableError(
                f"model {self.name!r} did not answer in time ({self._timeout_s:g} s); it will be asked again"
            ) from error

    async def _request_with_options(
        self, client: instructor.AsyncInstructor, messages: list[ChatCompletionMessageParam], shape: type[Shape]
    ) -> _Reply[Shape]:
        """Send one request, again after each option that the endpoint refuses by name."""
        while True:
            try:
                return await self._limited_request(client, messages, shape)
            except openai.BadRequestError as error:
                if not self._drop_option(error.param):
                    raise

    def _drop_option(self, refused: str | None) -> bool:
        """Leave out or rename an option that this model does not take; False if it was not sent."""
        if refused not in self._options:
            return False
        value = self._options.pop(refused)
        if refused == "max_tokens":
            self._options["max_completion_tokens"] = value
        return True

    async def _limited_request(
        self, client: instructor.AsyncInstructor, messages: list[ChatCompletionMessageParam], shape: type[Shape]
    ) -> _Reply[Shape]:
        async with self._limiter.request(_prompt_tokens(messages)) as report:
            async with asyncio.timeout(self._timeout_s):
                reply = await self._request_by(client, messages, shape)
            if (usage := reply.completion.usage) is not None:
                report(usage.prompt_tokens + usage.completion_tokens)
            return reply

    async def _request_by(
        self, client: instructor.AsyncInstructor, messages: list[ChatCompletionMessageParam], shape: type[Shape]
    ) -> _Reply[Shape]:
        """Send one request; raise the errors of the openai client instead of instructor's wrappers."""
        completions: list[ChatCompletion] = []
        hooks = Hooks()
        hooks.on("completion:response", completions.append)
        try:
            value = await client.create(
                response_model=shape,
                messages=list(messages),
                model=self.name,
                max_retries=0,
                hooks=hooks,
                **self._options,
            )
        # instructor raises various errors for invalid answers; `answer` then parses the text itself.
        except (InstructorError, ValidationError, ValueError, TypeError, LookupError, AttributeError) as error:
            cause = _openai_cause(error)
            if cause is not None:
                raise cause from error
            if not completions:
                raise MisreadError(f"model {self.name!r} did not return a chat completion; check base_url") from error
            return _Reply(completions[-1], None)
        # instructor returns an instance of its own subclass.
        return _Reply(completions[-1], shape.model_validate(value.model_dump()))


def _openai_cause(error: BaseException | None) -> openai.OpenAIError | None:
    while error is not None and not isinstance(error, openai.OpenAIError):
        error = error.__cause__ or error.__context__
    return error


@dataclass(slots=True)
class _RequestCost:
    """Total cost of the requests for one prompt."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, completion: ChatCompletion, messages: list[ChatCompletionMessageParam]) -> None:
        """Add one request; its tokens are estimated if the endpoint does not report them."""
        self.calls += 1
        if completion.usage is not None:
            self.tokens_in += completion.usage.prompt_tokens
            self.tokens_out += completion.usage.completion_tokens
            return
        self.tokens_in += _prompt_tokens(messages)
        self.tokens_out += sum(estimated_tokens_in(choice.message.content or "") for choice in completion.choices or ())

    def error(self, message: str, *, cut: bool = False) -> MisreadError:
        return MisreadError(message, cut=cut, calls=self.calls, tokens_in=self.tokens_in, tokens_out=self.tokens_out)


def _prompt_tokens(messages: list[ChatCompletionMessageParam]) -> int:
    return sum(estimated_tokens_in(str(message.get("content") or "")) for message in messages)


def _text(completion: ChatCompletion, paid: _RequestCost) -> str:
    """Return the text of a completion, complete or truncated.

    Raises:
        MisreadError: there is no text, or the model refused.
    """
    if not completion.choices:
        raise paid.error(f"model {completion.model!r} answered without choices; check the endpoint")
    choice = completion.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise paid.error(f"model {completion.model!r} refused to read this text; the built-in rules can read it")
    return choice.message.content or ""
