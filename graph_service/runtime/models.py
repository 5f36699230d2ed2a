"""The models of the settings: the local reader, the endpoints, and whether these answer."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

from extraction.reader import Reader
from graph_service.config.sections import EmbeddingSettings, LlmSettings
from graph_service.config.settings import Settings
from schema.errors import InstallError, MnemosceneError

if TYPE_CHECKING:
    from extraction.openai_api.embedder import OpenAIEmbedder
    from extraction.openai_api.endpoint import Endpoint
    from extraction.openai_api.language_model import OpenAIModel
    from extraction.openai_api.request_limiter import RequestLimiter

_log = logging.getLogger("mnemoscene.models")

# Asks one endpoint; raises MnemosceneError if it does not answer.
Probe = Callable[[], Awaitable[None]]
# Every request costs tokens.
_CACHED_S: Final = 60.0
ANSWER_MAX_S: Final = 20.0
_EMBEDDING_MAX_S: Final = 30.0


async def open_local_reader(settings: Settings, closing: AsyncExitStack) -> Reader:
    """Return the reader with the local models that tag facts; without them, it reads hardly any.

    Args:
        closing: ends the reader's threads.
    """
    from extraction.rules.rule_reader import read_by_rules, rules_with_tags

    embedding = settings.embedding
    if not embedding.fact_tags:
        return read_by_rules
    from extraction.tagging.local_tagger import load_local_tagger

    try:
        tagger = await load_local_tagger(
            cache_dir=settings.cache_dir, threads=embedding.threads, precision=embedding.precision
        )
    except InstallError as error:
        _log.warning("hardly any facts are read: %s", error.message)
        return read_by_rules
    closing.callback(tagger.close)
    return rules_with_tags(tagger)


def request_limiter(section: LlmSettings | EmbeddingSettings) -> "RequestLimiter":
    from extraction.openai_api.request_limiter import EndpointLimits, RequestLimiter

    names = ("concurrent_calls", "requests_per_minute", "tokens_per_minute")
    return RequestLimiter(EndpointLimits(**{name: getattr(section, name) for name in names}))


async def connect_model(llm: LlmSettings, limiter: "RequestLimiter | None" = None) -> "OpenAIModel":
    """Return the language model that the settings name, without connecting.

    Raises:
        InstallError: a library that its vendor needs is not installed.
    """
    from extraction.openai_api.language_model import OpenAIModel

    # In a thread, because the first use imports most of the libraries, which takes seconds.
    return await asyncio.to_thread(
        lambda: OpenAIModel(_endpoint(llm, limiter, llm.timeout_s), output_tokens_max=llm.output_tokens_max)
    )


async def connect_embedder(embedding: EmbeddingSettings, limiter: "RequestLimiter | None" = None) -> "OpenAIEmbedder":
    """Return the embedder of an endpoint, which is asked for a vector to learn their dimension, if that is not set.

    Raises:
        InstallError: key, address or name are wrong, or a library that its vendor needs is not installed.
    """
    from extraction.openai_api.embedder import OpenAIEmbedder

    embedder = await asyncio.to_thread(
        lambda: OpenAIEmbedder(_endpoint(embedding, limiter, _EMBEDDING_MAX_S), dimensions=embedding.dim)
    )
    await embedder.learn_dim()
    return embedder


def _endpoint(
    section: LlmSettings | EmbeddingSettings, limiter: "RequestLimiter | None", timeout_s: float
) -> "Endpoint":
    from extraction.openai_api.endpoint import Endpoint

    assert section.model is not None, "the settings refuse an endpoint without a model"
    return Endpoint(
        model=section.model,
        base_url=section.base_url,
        api_key=section.api_key,
        vendor=section.vendor,
        timeout_s=timeout_s,
        limiter=limiter,
    )


class EndpointHealth:
    """The health of the configured endpoints.

    Args:
        probes: by name of the endpoint.
        answer_max_s: after this time an endpoint counts as not answering.
    """

    def __init__(self, probes: Mapping[str, Probe], *, answer_max_s: float = ANSWER_MAX_S) -> None:
        self._probes = probes
        self._answer_max_s = answer_max_s
        self._asking = asyncio.Lock()
        self._asked_s: float | None = None
        self._found: dict[str, Any] = {}

    async def check(self) -> dict[str, Any]:
        """Return, for each endpoint, whether it answers and its latency, or the reason; cached for a minute."""
        async with self._asking:
            if self._asked_s is None or time.monotonic() - self._asked_s >= _CACHED_S:
                names = sorted(self._probes)
                states = await asyncio.gather(*(self._ask(self._probes[name]) for name in names))
                self._found, self._asked_s = dict(zip(names, states, strict=True)), time.monotonic()
            return {name: dict(state) for name, state in self._found.items()}

    async def _ask(self, probe: Probe) -> dict[str, Any]:
        started_s = time.monotonic()
        try:
            async with asyncio.timeout(self._answer_max_s):
                await probe()
        except TimeoutError:
            return {"answers": False, "problem": f"no answer within {self._answer_max_s:g} s"}
        except MnemosceneError as error:
            return {"answers": False, "problem": error.message}
        return {"answers": True, "seconds": round(time.monotonic() - started_s, 3)}
