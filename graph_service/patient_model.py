"""A language model that is left alone for as long as it asked, and that is not paid twice for one answer."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, cast

from extraction.language_model import Answer, LanguageModel, Prompt, Shape
from schema.errors import UnavailableError

# An endpoint that wants more patience than this is asked again all the same.
PATIENCE_MAX_S: Final = 3_600.0


class PatientModel:
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
