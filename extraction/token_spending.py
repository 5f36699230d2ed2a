"""Account for the tokens that a job's calls of models and embedders use, within the budget of its tenant's day.

The job is found by a context variable, as in tracing, because the readers, writers and embedders between the job and
the endpoint are shared by all tenants.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from schema.errors import OverBudgetError


@dataclass(slots=True, kw_only=True)
class DayTotal:
    """Tokens of one tenant on one day, shared by the jobs that run at the same time.

    Attributes:
        limit: the budget; 0 means no limit.
        used: tokens used and reserved.
    """

    limit: int = 0
    used: int = 0


@dataclass(slots=True, kw_only=True)
class TokenSpending:
    """Tokens used by the calls of one job.

    Attributes:
        calls, tokens_in, tokens_out: calls of a language model.
        embedding_tokens: tokens of embedded texts.
    """

    day: DayTotal = field(default_factory=DayTotal)
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    embedding_tokens: int = 0

    @property
    def model_cost(self) -> dict[str, int]:
        """Return the calls of a language model and their tokens."""
        return {"calls": self.calls, "tokens_in": self.tokens_in, "tokens_out": self.tokens_out}

    @contextmanager
    def reserved(self, tokens: int) -> Iterator[None]:
        """Reserve the estimated tokens of a prompt inside the block, in which its calls are added.

        Raises:
            OverBudgetError: they would exceed the budget of the day.
        """
        if self.day.limit and self.day.used + tokens > self.day.limit:
            raise OverBudgetError(
                f"the call needs about {tokens} tokens, and {max(self.day.limit - self.day.used, 0)} of today's"
                f" {self.day.limit} are left; raise llm.tokens_per_day"
            )
        self.day.used += tokens
        try:
            yield
        finally:
            self.day.used -= tokens

    def add_call(self, *, tokens_in: int, tokens_out: int) -> None:
        """Add a call of a language model."""
        self.day.used += tokens_in + tokens_out
        self.calls += 1
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def add_embedding(self, tokens: int) -> None:
        """Add the tokens of embedded texts, which count towards the budget but are never refused."""
        self.day.used += tokens
        self.embedding_tokens += tokens


_CURRENT: ContextVar[TokenSpending | None] = ContextVar("token_spending", default=None)


def current_spending() -> TokenSpending:
    """Return the spending of the job that runs; one without a limit outside of jobs."""
    return _CURRENT.get() or TokenSpending()


@contextmanager
def spending(tokens: TokenSpending) -> Iterator[TokenSpending]:
    """Account the calls made inside the block, and by tasks started there, to this spending."""
    token = _CURRENT.set(tokens)
    try:
        yield tokens
    finally:
        _CURRENT.reset(token)


@contextmanager
def spending_apart() -> Iterator[TokenSpending]:
    """Count the calls made inside the block, such as those for one scene, apart and for the job."""
    job = current_spending()
    with spending(TokenSpending(day=job.day)) as part:
        try:
            yield part
        finally:
            job.calls += part.calls
            job.tokens_in += part.tokens_in
            job.tokens_out += part.tokens_out
            job.embedding_tokens += part.embedding_tokens
