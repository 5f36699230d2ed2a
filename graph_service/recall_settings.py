"""The settings of recall: how what was found is ranked."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

Cosine = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """How questions are answered that do not say it themselves.

    Attributes:
        mode: `layered` is the weighted sum of the layers' similarities, `similarity_importance` 0.7 and 0.3 of these.
        layer_threshold: of the layered mode, for questions that ask for nothing in particular.
        layer_floor: as low as thresholds of the layered mode are lowered.
        access_weight: how much it counts that a memory was part of an answer lately.
    """

    mode: Literal["best", "layered", "similarity_importance"] = "best"
    layer_threshold: Cosine = 0.6
    layer_floor: Cosine = 0.4
    access_weight: Cosine = 0.0
