"""The language-model port: structured answers to prompts, with their cost."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt.

    Attributes:
        name: name of the prompt file.
        hash: hash of the template, for provenance.
    """

    name: str
    hash: str
    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[Shape]):
    """A parsed answer.

    Attributes:
        cut: the answer reached its token limit; the value contains the complete items.
        model: name of the model that answered, if it is not the one that was asked.
    """

    value: Shape
    cut: bool = False
    model: str | None = None


class LanguageModel(Protocol):
    """A model with structured output.

    Attributes:
        name: name of the model, stored as provenance.
    """

    @property
    def name(self) -> str: ...

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Return the model's answer as a value of this type; network failures are not retried.

        Each request to an endpoint is added to `current_spending`.

        Raises:
            UnavailableError: the model is unavailable or busy; the same call may succeed later.
            MisreadError: the answer does not match the type.
            InstallError: the key, address or model name is wrong.
        """
        ...
