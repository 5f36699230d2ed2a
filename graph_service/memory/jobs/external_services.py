"""What work needs from outside, an embedder or a model: asked through a circuit breaker, its absence told apart."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from extraction.embeddings.embedder import Embedder
from extraction.llm.language_model import Answer, LanguageModel, Prompt, Shape
from graph_service.circuit_breaker import OPEN_S, Breaker, BreakerState
from graph_service.observability.metrics import OUTSIDE_SECONDS
from graph_service.observability.spans import span
from schema.errors import InstallError, MnemographError, UnavailableError

# A language model that is left alone for as long as it asked, and that is not paid twice for one answer.

# An endpoint that wants more patience than this is asked again all the same.
PATIENCE_MAX_S: Final = 3_600.0


class ThrottledModel:
    """A model that nobody asks before the time at which it wanted to be asked again.

    Answers are kept for a while: when one scene of several could not be read, the work is done anew, and what was paid
    for comes from here, at no cost. They are kept by the whole question: no answer reaches a scene with other words.

    Args:
        clock_s: seconds of a monotonic clock.
    """

    def __init__(self, inner: LanguageModel, *, clock_s: Callable[[], float], answers_max: int = 64) -> None:
        self._inner = inner
        self._clock_s = clock_s
        self._answers_max = answers_max
        self._quiet_until_s = float("-inf")
        self._answers: OrderedDict[tuple[str, str, str], Answer[Any]] = OrderedDict()

    @property
    def name(self) -> str:
        return self._inner.name

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """As the port says; one that was given before costs nothing."""
        key = (prompt.system, prompt.user, shape.__name__)
        if key in self._answers:
            known = cast("Answer[Shape]", self._answers[key])
            return Answer(value=known.value, calls=0, tokens_in=0, tokens_out=0, cut=known.cut)
        left_s = self._quiet_until_s - self._clock_s()
        if left_s > 0:
            raise UnavailableError(
                f"model {self.name!r} asked to be left alone for another {left_s:.0f} s; it is asked again then", left_s
            )
        try:
            answer = await self._inner.answer(prompt, shape)
        except UnavailableError as error:
            if error.retry_after_s is not None:
                wait_s = min(error.retry_after_s, PATIENCE_MAX_S)
                self._quiet_until_s = max(self._quiet_until_s, self._clock_s() + wait_s)
            raise
        self._answers[key] = answer
        while len(self._answers) > self._answers_max:
            self._answers.popitem(last=False)
        return answer


T = TypeVar("T")

EMBEDDER: Final = "embedder"
MODEL: Final = "model"


class ExternalServiceAwayError(UnavailableError):
    """Something outside did not answer; work that fails by it is done when it answers again.

    Attributes:
        outside: its name.
        asked: whether it was asked at all; False while its circuit breaker is open.
    """

    def __init__(self, message: str, *, outside: str, asked: bool, retry_after_s: float | None = None) -> None:
        super().__init__(message, retry_after_s)
        self.outside = outside
        self.asked = asked


class ExternalService:
    """One thing outside: five failures in a row, and it is left alone for a minute; then one call may probe.

    Args:
        clock_s: seconds of a monotonic clock.

    Attributes:
        answered: whether it answered since `parked` was told.
    """

    def __init__(self, name: str, *, clock_s: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.answered = False
        self._clock_s = clock_s
        self._breaker = Breaker()
        # Work may be parked from before this process began.
        self._parked = True
        self._probe_s = clock_s()

    @property
    def state(self) -> BreakerState:
        """Of its circuit breaker."""
        return self._breaker.state(self._clock_s())

    @property
    def is_open(self) -> bool:
        """True if it is being left alone."""
        return self.state is BreakerState.OPEN

    def parked(self) -> None:
        """Say that work was parked because it is away."""
        self._parked, self.answered = True, False
        self._probe_s = self._clock_s() + OPEN_S

    def to_reopen(self, jobs_max: int) -> int:
        """Return how much parked work to reopen now: all of it when it answered, one piece a minute until then."""
        if not self._parked:
            return 0
        if self.answered:
            self._parked = False
            return jobs_max
        if self._clock_s() < self._probe_s or self.is_open:
            return 0
        self._probe_s = self._clock_s() + OPEN_S
        return 1

    async def ask(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what the call gives.

        Raises:
            OutsideAwayError: it is away, misconfigured, or left alone for now.
        """
        if not self._breaker.allows(self._clock_s()):
            OUTSIDE_SECONDS.note(0.0, self.name, "skipped")
            raise ExternalServiceAwayError(
                f"the {self.name} was away a moment ago; it is asked again within {OPEN_S:g} s",
                outside=self.name,
                asked=False,
                retry_after_s=OPEN_S,
            )
        started_s, outcome = time.perf_counter(), "answered"
        try:
            with span(f"ask {self.name}"):
                answer = await call()
        except (UnavailableError, InstallError) as error:
            outcome = "away"
            self._breaker.failed(self._clock_s())
            wait_s = error.retry_after_s if isinstance(error, UnavailableError) else None
            raise ExternalServiceAwayError(
                error.message, outside=self.name, asked=True, retry_after_s=wait_s
            ) from error
        except MnemographError:
            self._told()
            raise
        finally:
            OUTSIDE_SECONDS.note(time.perf_counter() - started_s, self.name, outcome)
        self._told()
        return answer

    def _told(self) -> None:
        self._breaker.succeeded()
        self.answered = True


@dataclass(frozen=True, slots=True)
class ExternalServices:
    """Everything outside that work needs."""

    embedder: ExternalService = field(default_factory=lambda: ExternalService(EMBEDDER))
    model: ExternalService = field(default_factory=lambda: ExternalService(MODEL))

    def named(self, name: str) -> ExternalService:
        """Return the one with this name."""
        return self.embedder if name == EMBEDDER else self.model


class GuardedEmbedder:
    """An embedder that is asked through its circuit breaker."""

    def __init__(self, inner: Embedder, outside: ExternalService) -> None:
        self._inner = inner
        self._outside = outside

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dim(self) -> int:
        return self._inner.dim

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """As the port says; an embedder that is away is asked no more for a while."""
        if not texts:
            return []
        return await self._outside.ask(lambda: self._inner.embed(texts))


class GuardedModel:
    """A language model that is asked through its circuit breaker."""

    def __init__(self, inner: LanguageModel, outside: ExternalService) -> None:
        self._inner = inner
        self._outside = outside

    @property
    def name(self) -> str:
        return self._inner.name

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """As the port says; a model that is away is asked no more for a while."""
        return await self._outside.ask(lambda: self._inner.answer(prompt, shape))
