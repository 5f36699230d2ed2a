"""The port of the language models: a prompt and a shape in, the filled shape and its price out."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is asked.

    Attributes:
        name: of the prompt file; `hash`: of its text before filling, for provenance.
    """

    name: str
    hash: str
    system: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[Shape]):
    """A filled shape and what it cost, re-asking included.

    Attributes:
        cut: the answer came to its limit; the shape holds the items that were whole.
    """

    value: Shape
    calls: int
    tokens_in: int
    tokens_out: int
    cut: bool = False


class LanguageModel(Protocol):
    """A model that fills shapes.

    Attributes:
        name: goes into provenance.
    """

    @property
    def name(self) -> str: ...

    async def answer(self, prompt: Prompt, shape: type[Shape]) -> Answer[Shape]:
        """Return the model's answer in this shape. Network failures are not retried here: the caller decides when.

        Raises:
            UnavailableError: the model is away or busy; the same call may work later.
            MisreadError: it answered something else than the shape; says what that cost.
            InstallError: key, address or model name are wrong.
        """
        ...
