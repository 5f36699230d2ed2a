"""A language model with scripted answers, for tests and demonstrations."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from extraction.llm.language_model import Answer, Prompt, Shape
from schema.errors import MisreadError, MnemosceneError


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAnswer:
    """An answer or error for prompts with a given name and text.

    Attributes:
        prompt: the prompt's name; None for any.
        words: substring of the filled user part; empty for any.
    """

    says: BaseModel | MnemosceneError
    prompt: str | None = None
    words: str = ""


class ScriptedModel:
    """A language model that returns each scripted answer once: the first unused one that matches the prompt."""

    name = "scripted"

    def __init__(self, answers: Sequence[ScriptedAnswer]) -> None:
        self._left = list(answers)

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Return the first unused answer that fits."""
        for scripted in self._left:
            if scripted.prompt in (None, prompt.name) and scripted.words in prompt.user:
                self._left.remove(scripted)
                return _given(scripted.says, shape)
        raise MisreadError(f"no scripted answer is left for the prompt {prompt.name!r}; write one more")


def _given(says: BaseModel | MnemosceneError, shape: type[Shape]) -> Answer[Shape]:
    if isinstance(says, MnemosceneError):
        raise says
    if not isinstance(says, shape):
        raise MisreadError(f"the scripted answer is a {type(says).__name__}, the prompt asks for a {shape.__name__}")
    return Answer(value=says)
