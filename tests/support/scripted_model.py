"""A language model that gives written answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from extraction.llm.language_model import Answer, Prompt, Shape
from schema.errors import MisreadError, MnemographError


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAnswer:
    """What to say, or which error to raise, when a prompt of this name holds these words.

    Attributes:
        prompt: the prompt's name; None for any.
        words: found in the filled user part; empty for any.
    """

    says: BaseModel | MnemographError
    prompt: str | None = None
    words: str = ""


class ScriptedModel:
    """Gives each written answer once: of those that fit the prompt, the first not yet given."""

    name = "scripted"

    def __init__(self, answers: Sequence[ScriptedAnswer]) -> None:
        self._left = list(answers)

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Return the first answer left that fits; tokens are counted as words."""
        for scripted in self._left:
            if scripted.prompt in (None, prompt.name) and scripted.words in prompt.user:
                self._left.remove(scripted)
                return _given(scripted.says, prompt, shape)
        raise MisreadError(f"no scripted answer is left for the prompt {prompt.name!r}; write one more")


def _given(says: BaseModel | MnemographError, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
    if isinstance(says, MnemographError):
        raise says
    if not isinstance(says, shape):
        raise MisreadError(f"the scripted answer is a {type(says).__name__}, the prompt asks for a {shape.__name__}")
    words_in = len(f"{prompt.system} {prompt.user}".split())
    return Answer(value=says, calls=1, tokens_in=words_in, tokens_out=len(says.model_dump_json().split()))
