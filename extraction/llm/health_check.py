"""Ask a language model for a minimal structured answer, to learn whether its endpoint, key and name are right."""

from pydantic import BaseModel, Field

from extraction.llm.language_model import LanguageModel, Prompt
from extraction.llm.prompts import filled_prompt


class HealthAnswer(BaseModel):
    """The answer to a health check."""

    number: int = Field(description="The given number.")


def health_prompt() -> Prompt:
    return filled_prompt("check_health", number="7")


async def ask_model(model: LanguageModel) -> None:
    """Return if the model answers in the required form.

    Raises:
        UnavailableError: it is unavailable or busy.
        MisreadError: its answer does not have the form.
        InstallError: the key, address or model name is wrong.
    """
    await model.answer(health_prompt(), HealthAnswer)
