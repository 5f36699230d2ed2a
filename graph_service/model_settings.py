"""The settings of models: what reads, and what makes vectors."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

Seconds = Annotated[float, Field(gt=0, le=3_600)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Which OpenAI-compatible model reads scenes; without `model` the built-in rules read them.

    Attributes:
        base_url: of an endpoint other than the vendor's own, such as `http://127.0.0.1:11434/v1`.
        api_key: for that endpoint; by itself it switches nothing on.
        model: the name of the model, as the endpoint knows it.
        timeout_s: of one call.
        tokens_per_day: of each tenant; when they are spent, the rules read for the rest of the day (UTC). 0: no limit.
        judges_facts: the model also judges new facts that may repeat or replace known ones in other words, at one more
            call for each reading of a session that has any; else the rules alone do.
        overviews: the model also writes the overview (L1) of longer scenes, at one more call each.
    """

    base_url: Name | None = None
    api_key: str | None = field(default=None, repr=False)
    model: Name | None = None
    timeout_s: Seconds = 60.0
    tokens_per_day: Annotated[int, Field(ge=0)] = 0
    overviews: bool = True
    judges_facts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """Where vectors come from.

    Attributes:
        kind: `auto` is `openai` when `model` is set, else `local`; `none` means keyword search only.
        base_url: of an endpoint other than the vendor's own.
        api_key: for that endpoint; by itself it switches nothing on.
        model: the name of the model, as the endpoint knows it.
        dim: length of the endpoint's vectors; asked of it when not given.
        threads: of the local embedder.
    """

    kind: Literal["auto", "local", "openai", "none"] = "auto"
    base_url: Name | None = None
    api_key: str | None = field(default=None, repr=False)
    model: Name | None = None
    dim: Annotated[int, Field(ge=1, le=4_096)] | None = None
    threads: Annotated[int, Field(ge=1, le=64)] = 2

    @property
    def wanted(self) -> Literal["local", "openai", "none"]:
        """The kind after `auto` was decided."""
        if self.kind == "auto":
            return "openai" if self.model else "local"
        return self.kind
