"""Language model for OpenAI-compatible endpoints, with the libraries instructor and openai."""

import asyncio
import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final, Generic

import instructor
import openai
from instructor.core.exceptions import InstructorError
from instructor.core.hooks import Hooks
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from pydantic import BaseModel, ValidationError

from extraction.llm.language_model import Answer, Prompt, Shape
from extraction.openai_api.endpoint import Endpoint
from extraction.text.token_estimate import estimated_tokens_in
from extraction.token_spending import current_spending
from schema.errors import MisreadError, UnavailableError

# JSON in answers that also contain prose, code fences or reasoning

# Maximum number of opening brackets to try.
_TRIES_MAX: Final = 100
_PARTS_MAX: Final = 10
_THOUGHT: Final = r"think|thinking|thought|thoughts|reasoning|analysis"
_OPENS_THOUGHT: Final = re.compile(rf"<({_THOUGHT})>")
_CLOSES_THOUGHT: Final = re.compile(rf"</(?:{_THOUGHT})>")


def shape_in_text(text: str, shape: type[Shape]) -> Shape:
    """Return the JSON value in the text that validates as this type; of several, the one that says most.

    Raises:
        ValueError: there is none; the message names the invalid fields of the first object, never their values.
    """
    problem: str | None = None
    valid: list[Shape] = []
    for found in _values(_strip_thoughts(text)):
        try:
            valid.append(shape.model_validate(found))
        except ValidationError as error:
            problem = problem or _invalid_fields(error)
    if valid:
        return max(valid, key=lambda value: len(value.model_dump_json(exclude_defaults=True)))
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
    """Return the text without reasoning; some templates open it in the prompt, and some models never close it."""
    kept: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for opening in _OPENS_THOUGHT.finditer(text):
        if opening.start() < at or opening[1] in unclosed:
            continue
        closing = f"</{opening[1]}>"
        if (end := text.find(closing, opening.end())) < 0:
            unclosed.add(opening[1])
            continue
        kept.append(text[at : opening.start()])
        at = end + len(closing)
    return _CLOSES_THOUGHT.split("".join([*kept, text[at:]]))[-1]


def _invalid_fields(error: ValidationError) -> str:
    wrong = error.errors(include_url=False, include_context=False, include_input=False)[:_PARTS_MAX]
    return "; ".join(f"{'.'.join(map(str, part['loc']))}: {part['msg']}" for part in wrong)


def _values(text: str) -> Iterator[object]:
    """Yield the outermost JSON objects and arrays in a text; commas before a closing bracket are forgiven."""
    decoder = json.JSONDecoder(strict=False)
    text = re.sub(r",(?=\s{0,100}[}\]])", "", text)
    at = 0
    for _ in range(_TRIES_MAX):
        starts = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
        if not starts:
            return
        at = min(starts)
        try:
            found, at = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at += 1
            continue
        yield found


# Forms of requests


class AnswerFormat(StrEnum):
    """Ways to request JSON, best first."""

    JSON_SCHEMA = "json_schema"
    TOOLS = "tools"
    JSON_OBJECT = "json_object"
    TEXT = "text"


_FORMATS: Final = tuple(AnswerFormat)
# Words in an error that show that the form of a request was refused, whatever the status.
_REFUSES_FORMAT: Final = re.compile(
    r"response_format|json_schema|json_object|grammar|schema|tool|function|literal_error|validation|not.support|unsupport",
    re.IGNORECASE,
)
# Statuses of a server that fails or is busy whatever the form.
_BUSY: Final = frozenset({502, 503, 504, 529})


def format_options(shape: type[BaseModel], form: AnswerFormat) -> dict[str, Any]:
    """Return the options of a request in this form."""
    match form:
        case AnswerFormat.JSON_SCHEMA:
            schema = {"name": shape.__name__, "strict": True, "schema": strict_schema(shape)}
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        case AnswerFormat.TOOLS:
            function = {"name": shape.__name__, "strict": True, "parameters": strict_schema(shape)}
            choice = {"type": "function", "function": {"name": shape.__name__}}
            return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
        case AnswerFormat.JSON_OBJECT:
            return {"response_format": {"type": "json_object"}}
    return {}


@cache
def strict_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a type as strict modes require it: all fields required, no others allowed."""
    schema: dict[str, Any] = _strict(shape.model_json_schema())
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _strict(value) for key, value in node.items() if key != "default"}
    if isinstance(kept.get("properties"), dict):
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    return kept


@cache
def outline(shape: type[BaseModel]) -> str:
    """Return a short form of a type's JSON schema for prompts: an object whose values say what belongs there."""
    schema = shape.model_json_schema()

    def sketch(node: dict[str, Any]) -> Any:
        if "$ref" in node:
            return sketch(schema["$defs"][node["$ref"].rpartition("/")[2]])
        if "anyOf" in node:
            return sketch(node["anyOf"][0])
        if "properties" in node:
            return {name: sketch(field) for name, field in node["properties"].items()}
        if node.get("type") == "array":
            return [sketch(node["items"])]
        return "|".join(map(str, node["enum"])) if "enum" in node else node.get("type", "string")

    return json.dumps(sketch(schema), ensure_ascii=False)


_ASKS_MAX: Final = 2
OUTPUT_TOKENS_MAX: Final = 4_096
# Enough for the facts of a short scene.
_OUTPUT_TOKENS_MIN: Final = 256
# Maximum lengths of the error and of the invalid answer in a repeated request.
_PROBLEM_CHARS_MAX: Final = 1_000
_ANSWER_CHARS_MAX: Final = 4_000
# Longest time limit of a call to an endpoint that is known to be slow.
TIMEOUT_MAX_S: Final = 900.0
# An endpoint that takes longer for an answer is asked one thing at a time.
_SLOW_S: Final = 10.0
# After this time, a form that the endpoint refused is tried again.
_FORMAT_RETRY_S: Final = 3_600.0
# Answers in a form that had to be requested again in text, after which text is requested at once.
_UNUSABLE_MAX: Final = 2


@dataclass(frozen=True, slots=True)
class _Reply(Generic[Shape]):
    """One completion, and its value if instructor could parse it."""

    completion: ChatCompletion
    value: Shape | None = None


class OpenAIModel:
    """Request JSON in the best form that the endpoint accepts, and adapt to its speed.

    The first form that works is remembered; refused ones are tried again after an hour. After an invalid answer, repeat
    the request once in text with the errors; other failures are not retried. Every request sends temperature 0 and a
    limit of the answer, unless the endpoint refused one of them by name.

    The time limit grows with the endpoint's measured tokens a second, and doubles after each call that was given up;
    for as long as such a call took, the endpoint is not asked, because it may still compute the answer. An answer may
    have as many tokens as fit in half of that time, and half as many after each call that was given up at the longest
    limit or at an unknown speed: whole items of a cut answer are used, those of one given up are lost.

    Args:
        output_tokens_max: limit of each answer, sent with every request.
        clock_s: seconds of a monotonic clock.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        output_tokens_max: int = OUTPUT_TOKENS_MAX,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = endpoint.model
        self._endpoint = endpoint
        self.tokens_per_s: float | None = None
        # instructor logs invalid answers, which contain text of the conversation.
        logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)
        # Schemas and tools are requested and parsed by instructor; for JSON in text it would append the whole schema.
        self._structured = {
            AnswerFormat.JSON_SCHEMA: instructor.from_openai(endpoint.client, mode=instructor.Mode.JSON_SCHEMA),
            AnswerFormat.TOOLS: instructor.from_openai(endpoint.client, mode=instructor.Mode.TOOLS),
        }
        # Until its speed is known.
        endpoint.limiter.one_at_a_time = True
        self._options: dict[str, Any] = {"temperature": 0, "max_tokens": output_tokens_max}
        self._output_tokens_max = output_tokens_max
        self._clock_s = clock_s
        self._patience = 1.0
        self._given_up_until_s = float("-inf")
        # Index in `_FORMATS` of the form to request, the last one that worked, and when better ones are tried again.
        self._level = 0
        self._proven_level: int | None = None
        self._retry_at_s = float("inf")
        self._unusable = 0

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Return the parsed answer, of a repeated request if the first answer is invalid."""
        messages = _messages(prompt)
        problem = ""
        for ask in range(_ASKS_MAX):
            # The second request asks for JSON in text, in case the endpoint's structured output does not work.
            reply = await self._request(messages, shape, in_words=ask > 0)
            _count(reply.completion, messages)
            text = _text(reply.completion)
            cut = reply.completion.choices[0].finish_reason == "length"
            try:
                value, cut = _value(reply, text, shape, cut=cut)
            except ValueError as error:
                if cut:
                    raise MisreadError(
                        f"the answer of model {self.name!r} was truncated; raise its output limit", cut=True
                    ) from error
                problem = str(error)[:_PROBLEM_CHARS_MAX]
            else:
                self._note_usable(first=ask == 0)
                return Answer(value=value, cut=cut)
            messages += [
                {"role": "assistant", "content": text[:_ANSWER_CHARS_MAX]},
                {"role": "user", "content": f"That answer was not accepted: {problem}\nGive the JSON object only."},
            ]
        raise MisreadError(f"model {self.name!r} gave two answers that are not a valid {shape.__name__}: {problem}")

    async def working_formats(self, prompt: Prompt, shape: type[BaseModel]) -> list[AnswerFormat]:
        """Return the forms in which the endpoint answers this prompt with a valid value; one request for each.

        Raises:
            UnavailableError, InstallError: see `answer`.
        """
        messages = _messages(prompt)
        working = []
        for level, form in enumerate(_FORMATS):
            try:
                reply = await self._request_with_options(messages, shape, form)
                _value(reply, _text(reply.completion), shape, cut=False)
                working.append(form)
            except (ValueError, MisreadError):
                continue
            except openai.OpenAIError as error:
                if not self._refuses_format(error, level):
                    raise self._endpoint.error(error) from error
        return working

    async def close(self) -> None:
        await self._endpoint.client.close()

    async def _request(
        self, messages: list[ChatCompletionMessageParam], shape: type[Shape], *, in_words: bool
    ) -> _Reply[Shape]:
        """Send a request in the best form that works; a refused one is replaced by the next."""
        if self._level and self._clock_s() >= self._retry_at_s:
            self._level, self._proven_level = 0, None
        last = len(_FORMATS) - 1
        for level in range(last if in_words else self._level, len(_FORMATS)):
            try:
                reply = await self._request_with_options(messages, shape, _FORMATS[level])
            except openai.OpenAIError as error:
                if level == last or not self._refuses_format(error, level):
                    raise self._endpoint.error(error) from error
                continue
            if not in_words:
                self._proven_level = level
                self._lower_to(level)
            return reply
        raise AssertionError("the last form returns or raises")

    def _lower_to(self, level: int) -> None:
        if level > self._level:
            self._level, self._retry_at_s = level, self._clock_s() + _FORMAT_RETRY_S

    def _note_usable(self, *, first: bool) -> None:
        """Request text at once from an endpoint that accepts a form but does not keep to it."""
        self._unusable = 0 if first else self._unusable + 1
        if self._unusable >= _UNUSABLE_MAX:
            self._lower_to(len(_FORMATS) - 1)

    def _refuses_format(self, error: openai.OpenAIError, level: int) -> bool:
        """Return whether another form may help: also for a 5xx, with which some servers report invalid requests."""
        if not isinstance(error, openai.APIStatusError):
            return False
        code = error.status_code
        if code in (400, 405, 415, 422, 501):
            return True
        if code < 500 or code in _BUSY:
            return False
        return self._proven_level != level or _REFUSES_FORMAT.search(error.response.text[:2_000]) is not None

    async def _request_with_options(
        self, messages: list[ChatCompletionMessageParam], shape: type[Shape], form: AnswerFormat
    ) -> _Reply[Shape]:
        """Send one request, again after each option that the endpoint refuses by name."""
        if form in (AnswerFormat.JSON_OBJECT, AnswerFormat.TEXT):
            system = f"{messages[0].get('content')}\n\nAnswer with one JSON object like this, and nothing else:\n"
            messages = [{"role": "system", "content": system + outline(shape)}, *messages[1:]]
        while True:
            try:
                return await self._limited_request(messages, shape, form)
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
        self, messages: list[ChatCompletionMessageParam], shape: type[Shape], form: AnswerFormat
    ) -> _Reply[Shape]:
        async with self._endpoint.limiter.request(_prompt_tokens(messages)) as report:
            # Checked after the wait, because a call before this one may have been given up.
            pause_s = self._given_up_until_s - self._clock_s()
            if pause_s > 0:
                raise UnavailableError(
                    f"model {self.name!r} may still compute an answer that was given up", pause_s, called=False
                )
            started_s, limit_s = self._clock_s(), self._time_limit_s()
            try:
                async with asyncio.timeout(limit_s):
                    reply = await self._send(messages, shape, form, limit_s)
            except (TimeoutError, openai.APITimeoutError) as error:
                self._endpoint.limiter.one_at_a_time = True
                self._patience *= 2
                self._given_up_until_s = self._clock_s() + limit_s
                raise UnavailableError(
                    f"model {self.name!r} did not answer in time ({limit_s:g} s); it will be asked again", limit_s
                ) from error
            took_s = max(self._clock_s() - started_s, 1e-3)
            self._endpoint.limiter.one_at_a_time = took_s > _SLOW_S
            self._patience = 1.0
            if (usage := reply.completion.usage) is not None:
                report(usage.prompt_tokens + usage.completion_tokens)
                speed = usage.completion_tokens / took_s
                self.tokens_per_s = speed if self.tokens_per_s is None else (self.tokens_per_s + speed) / 2
            return reply

    async def _send(
        self, messages: list[ChatCompletionMessageParam], shape: type[Shape], form: AnswerFormat, limit_s: float
    ) -> _Reply[Shape]:
        """Send one request; raise the errors of the openai client instead of instructor's wrappers."""
        endpoint, options, limits = self._endpoint, format_options(shape, form), self._request_options(limit_s)
        if form not in self._structured:
            completion = await endpoint.client.chat.completions.create(
                model=endpoint.sent_name,
                messages=messages,
                timeout=limit_s,
                **options,
                **limits,
            )
            return _Reply(self._checked(completion))
        completions: list[ChatCompletion] = []
        hooks = Hooks()
        hooks.on("completion:response", completions.append)
        try:
            # `extra_body` replaces instructor's schema by the strict one.
            parsed = await self._structured[form].create(
                response_model=shape,
                messages=list(messages),
                model=endpoint.sent_name,
                max_retries=0,
                hooks=hooks,
                timeout=limit_s,
                extra_body=options,
                **limits,
            )
        # instructor raises various errors for invalid answers; `_value` then reads the text item by item.
        except (InstructorError, ValidationError, ValueError, TypeError, LookupError, AttributeError) as error:
            if (cause := _openai_cause(error)) is not None:
                raise cause from error
            return _Reply(self._checked(completions[-1] if completions else None))
        # instructor returns an instance of its own subclass.
        return _Reply(self._checked(completions[-1]), shape.model_validate(parsed.model_dump()))

    def _checked(self, completion: object) -> ChatCompletion:
        if not isinstance(completion, ChatCompletion):
            raise MisreadError(f"model {self.name!r} did not return a chat completion; check base_url")
        return completion

    def _request_options(self, limit_s: float) -> dict[str, Any]:
        """Return the options of a request with this time limit."""
        fits = self.tokens_per_s * limit_s / 2 if self.tokens_per_s else self._output_tokens_max
        tokens = min(self._output_tokens_max, max(round(fits / self._patience), _OUTPUT_TOKENS_MIN))
        limits = {"max_tokens", "max_completion_tokens"} & self._options.keys()
        return self._options | dict.fromkeys(limits, tokens)

    def _time_limit_s(self) -> float:
        """Return the time limit of the next call: twice what its longest answer takes at the measured speed."""
        longest_s = 2 * self._output_tokens_max / self.tokens_per_s if self.tokens_per_s else 0.0
        usual_s = self._endpoint.timeout_s
        return min(max(usual_s, longest_s) * self._patience, max(usual_s, TIMEOUT_MAX_S))


def _count(completion: ChatCompletion, messages: list[ChatCompletionMessageParam]) -> None:
    """Count a request; its tokens are estimated if the endpoint does not report them."""
    if completion.usage is not None:
        tokens_in, tokens_out = completion.usage.prompt_tokens, completion.usage.completion_tokens
    else:
        tokens_in = _prompt_tokens(messages)
        tokens_out = sum(estimated_tokens_in(choice.message.content or "") for choice in completion.choices or ())
    current_spending().add_call(tokens_in=tokens_in, tokens_out=tokens_out)


def _messages(prompt: Prompt) -> list[ChatCompletionMessageParam]:
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]


def _prompt_tokens(messages: list[ChatCompletionMessageParam]) -> int:
    return sum(estimated_tokens_in(str(message.get("content") or "")) for message in messages)


def _openai_cause(error: BaseException | None) -> openai.OpenAIError | None:
    while error is not None and not isinstance(error, openai.OpenAIError):
        error = error.__cause__ or error.__context__
    return error


def _value(reply: _Reply[Shape], text: str, shape: type[Shape], *, cut: bool) -> tuple[Shape, bool]:
    """Return the value in an answer, and whether it was cut; some endpoints do not report that.

    That of instructor counts if the answer is nothing but JSON: with thoughts before it, there may be several values.

    Raises:
        ValueError: there is none.
    """
    if cut:
        return shape_in_cut_text(text, shape), True
    if reply.value is not None and text.startswith("{"):
        return reply.value, False
    try:
        return shape_in_text(text, shape), False
    except ValueError:
        # Nothing invalid is repaired: only an answer that ends within its JSON.
        if text.count("{") <= text.count("}"):
            raise
        return shape_in_cut_text(text, shape), True


def _text(completion: ChatCompletion) -> str:
    """Return the text of a completion or of its tool call, complete or truncated.

    Raises:
        MisreadError: there is no text, or the model refused.
    """
    if not completion.choices:
        raise MisreadError(f"model {completion.model!r} answered without choices; check the endpoint")
    choice = completion.choices[0]
    message = choice.message
    if message.refusal or choice.finish_reason == "content_filter":
        raise MisreadError(f"model {completion.model!r} refused to read this text; the built-in rules can read it")
    called = [call.function.arguments for call in message.tool_calls or () if call.type == "function"]
    # Some servers put the whole answer of a reasoning model there.
    reasoning = getattr(message, "reasoning_content", None)
    return "\n".join([*called, message.content or ""]).strip() or str(reasoning or "")
