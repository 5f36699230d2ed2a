"""The language-model port: structured answers to prompts, with their cost."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt.

    Attributes:
        name: of the prompt file.
        hash: of the template, for provenance.
    """

    name: str
    hash: str
    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[Shape]):
    """A parsed answer and its cost, including repeated requests.

    Attributes:
        cut: the answer reached its token limit; the value holds the complete items.
    """

    value: Shape
    calls: int
    tokens_in: int
    tokens_out: int
    cut: bool = False


class LanguageModel(Protocol):
    """A model with structured output.

    Attributes:
        name: recorded as provenance.
    """

    @property
    def name(self) -> str: ...

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Return the model's answer as this type. Network failures are not retried here.

        Raises:
            UnavailableError: the model is away or busy; the same call may work later.
            MisreadError: the answer does not match the type; carries its cost.
            InstallError: key, address or model name are wrong.
        """
        ...
