"""Guard the calls of jobs to embedder and language model: circuit breakers, Retry-After, an answer cache."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar, cast

from cachetools import LRUCache

from extraction.embeddings.cache import CachedEmbedder
from extraction.embeddings.embedder import Embedded, Embedder
from extraction.llm.language_model import Answer, LanguageModel, Prompt, Shape
from extraction.text.token_estimate import estimated_tokens_in
from extraction.token_spending import current_spending
from graph_service.circuit_breaker import OPEN_S, Breaker, BreakerState
from graph_service.memory.jobs.outbox import RETRY_AFTER_MAX_S
from graph_service.observability.metrics import EXTERNAL_CALL_SECONDS
from graph_service.observability.spans import span
from schema.errors import InstallError, MnemosceneError, OverBudgetError, UnavailableError

T = TypeVar("T")

EMBEDDER: Final = "embedder"
MODEL: Final = "model"
# The endpoints behind the model, if there is more than one; each has its own circuit breaker.
FIRST_MODEL: Final = "first model"
FALLBACK_MODEL: Final = "fallback model"
JUDGE_MODEL: Final = "judge model"
# Useless answers in a row that are reported.
_USELESS_MAX: Final = 3
# Answers that are kept for a job that runs again.
_ANSWERS_MAX: Final = 64


class ExternalServiceAwayError(UnavailableError):
    """An external service did not answer; jobs that failed for this reason are retried when it answers.

    Attributes:
        service: name of the service.
    """

    def __init__(self, message: str, *, service: str, called: bool, retry_after_s: float | None = None) -> None:
        super().__init__(message, retry_after_s, called=called)
        self.service = service


class ExternalService:
    """One external service behind a circuit breaker: five failures in a row open it for a minute, then one call probes.

    Args:
        clock_s: seconds of a monotonic clock.

    Attributes:
        answered: whether it answered since the last `note_dead_letter`.
        problem: why it must not be used, although it may answer; None if it may.
    """

    def __init__(self, name: str, *, clock_s: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.answered = False
        self.problem: str | None = None
        self._failure: str | None = None
        self._useless_n = 0
        self._clock_s = clock_s
        self._breaker = Breaker()
        # There may be dead letters from before this process started.
        self._has_dead_letters = True
        self._next_reopen_s = clock_s()

    @property
    def state(self) -> BreakerState:
        """State of its circuit breaker."""
        return self._breaker.state(self._clock_s())

    @property
    def is_open(self) -> bool:
        """True while no calls are made."""
        return self.problem is not None or self.state is BreakerState.OPEN

    def check(self) -> None:
        """Raise ExternalServiceAwayError if the service must not be used."""
        if self.problem is not None:
            raise ExternalServiceAwayError(self.problem, service=self.name, called=False, retry_after_s=OPEN_S)

    @property
    def current_failure(self) -> str | None:
        """Return why the last call failed, or that its answers are useless; None if nothing is wrong."""
        if self._failure is None and self._useless_n >= _USELESS_MAX:
            return f"the last {self._useless_n} answers of the {self.name} could not be used"
        return self._failure

    def note_usefulness(self, useful: bool) -> None:
        """Record whether an answer could be used."""
        self._useless_n = 0 if useful else self._useless_n + 1

    def note_dead_letter(self) -> None:
        """Record that a job became a dead letter because this service was unavailable."""
        self._has_dead_letters, self.answered = True, False
        self._next_reopen_s = self._clock_s() + OPEN_S

    @property
    def reopens_now(self) -> bool:
        """True if dead letters can be reopened now: there may be some, and it has answered, or the next try is due."""
        tries = self._clock_s() >= self._next_reopen_s and not self.is_open
        return self._has_dead_letters and (self.answered or tries)

    def dead_letters_to_reopen(self, jobs_max: int) -> int:
        """Return how many dead letters to reopen now: `jobs_max` once it has answered, until then one a minute."""
        if not self.reopens_now:
            return 0
        if self.answered:
            self._has_dead_letters = False
            return jobs_max
        self._next_reopen_s = self._clock_s() + OPEN_S
        return 1

    async def call(self, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request and return its result.

        Raises:
            ExternalServiceAwayError: it is unavailable or misconfigured, or the breaker is open.
        """
        if not self._breaker.allows(self._clock_s()):
            EXTERNAL_CALL_SECONDS.note(0.0, self.name, "skipped")
            raise ExternalServiceAwayError(
                f"the {self.name} was unavailable a moment ago; it is called again within {OPEN_S:g} s",
                service=self.name,
                called=False,
                retry_after_s=OPEN_S,
            )
        started_s, outcome = time.perf_counter(), "ok"
        try:
            with span(f"ask {self.name}"):
                result = await request()
        except (UnavailableError, InstallError) as error:
            wait_s, called = None, True
            if isinstance(error, UnavailableError):
                wait_s, called = error.retry_after_s, error.called
            outcome = "unavailable" if called else "skipped"
            if called:
                self._failure = error.message
                self._breaker.failed(self._clock_s())
            raise ExternalServiceAwayError(
                error.message, service=self.name, called=called, retry_after_s=wait_s
            ) from error
        except OverBudgetError:
            outcome = "skipped"
            raise
        except MnemosceneError:
            self._note_answer()
            raise
        finally:
            EXTERNAL_CALL_SECONDS.note(time.perf_counter() - started_s, self.name, outcome)
        self._note_answer()
        return result

    def _note_answer(self) -> None:
        self._breaker.succeeded()
        self.answered, self._failure = True, None


@dataclass(frozen=True, slots=True)
class ExternalServices:
    """The external services that jobs use."""

    embedder: ExternalService = field(default_factory=lambda: ExternalService(EMBEDDER))
    model: ExternalService = field(default_factory=lambda: ExternalService(MODEL))
    endpoints: dict[str, ExternalService] = field(default_factory=dict)

    def configured(self) -> dict[str, ExternalService]:
        """Return all services by name: embedder, model, and the endpoints behind the model."""
        return {EMBEDDER: self.embedder, MODEL: self.model, **self.endpoints}

    def endpoint(self, name: str) -> ExternalService:
        """Return the service of one of the endpoints behind the model, created by the first call."""
        return self.endpoints.setdefault(name, ExternalService(name))

    def named(self, name: str) -> ExternalService:
        """Return the embedder or the model by its name."""
        return self.embedder if name == EMBEDDER else self.model


class GuardedEmbedder:
    """An embedder behind a circuit breaker."""

    def __init__(self, inner: Embedder, service: ExternalService) -> None:
        self._inner = inner
        self._service = service

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dim(self) -> int:
        return self._inner.dim

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Return the vectors of some texts; see `Embedder.embed`."""
        if not texts:
            return []
        return await self._service.call(lambda: self._inner.embed(texts, asked=asked))


class StoreEmbedder(CachedEmbedder):
    """An embedder whose vectors are compared with those of a database; unavailable while that has another one's.

    Args:
        service: its `problem` says why.
    """

    def __init__(self, inner: Embedder, service: ExternalService) -> None:
        super().__init__(inner)
        self._service = service

    async def embed_with_tokens(self, texts: Sequence[str], *, asked: bool = False) -> list[Embedded]:
        """Embed texts; see `TokenEmbedder.embed_with_tokens`."""
        self._service.check()
        return await super().embed_with_tokens(texts, asked=asked)


class GuardedModel:
    """A language model behind a circuit breaker."""

    def __init__(self, inner: LanguageModel, service: ExternalService) -> None:
        self._inner = inner
        self._service = service

    @property
    def name(self) -> str:
        return self._inner.name

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Answer a prompt; see `LanguageModel.answer`."""
        return await self._service.call(lambda: self._inner.answer(prompt, shape))


class FallbackModel:
    """A language model that asks a second one while the first is unavailable or its circuit breaker is open."""

    def __init__(self, first: LanguageModel, second: LanguageModel) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        return self._first.name

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Answer a prompt with the first model that is available; the answer names the second one."""
        try:
            return await self._first.answer(prompt, shape)
        except (UnavailableError, InstallError):
            answer = await self._second.answer(prompt, shape)
            return replace(answer, model=answer.model or self._second.name)


class ThrottledModel:
    """A language model that keeps to the day's budget, honours Retry-After and caches answers by the whole prompt.

    When extraction from one of several scenes fails, the job runs again; the answers for the other scenes then come
    from the cache and cost nothing.

    Args:
        clock_s: seconds of a monotonic clock.
    """

    def __init__(self, inner: LanguageModel, *, clock_s: Callable[[], float]) -> None:
        self._inner = inner
        self._clock_s = clock_s
        self._retry_at_s = float("-inf")
        self._failure = ""
        self._answers: LRUCache[tuple[str, str, str], Answer[Any]] = LRUCache(_ANSWERS_MAX)

    @property
    def name(self) -> str:
        return self._inner.name

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Answer a prompt, from the cache if possible, which costs nothing; see `LanguageModel.answer`.

        Raises:
            OverBudgetError: the estimated tokens of the prompt would exceed the budget of the day.
        """
        key = (prompt.system, prompt.user, shape.__name__)
        if (known := self._answers.get(key)) is not None:
            return cast("Answer[Shape]", known)
        pause_s = self._retry_at_s - self._clock_s()
        if pause_s > 0:
            raise UnavailableError(f"{self._failure}; not before another {pause_s:.0f} s", pause_s, called=False)
        estimated = estimated_tokens_in(prompt.system) + estimated_tokens_in(prompt.user)
        try:
            with current_spending().reserved(estimated):
                answer = await self._inner.answer(prompt, shape)
        except UnavailableError as error:
            if error.called and error.retry_after_s is not None:
                wait_s = min(error.retry_after_s, RETRY_AFTER_MAX_S)
                self._retry_at_s = max(self._retry_at_s, self._clock_s() + wait_s)
                self._failure = error.message
            raise
        self._answers[key] = answer
        return answer
