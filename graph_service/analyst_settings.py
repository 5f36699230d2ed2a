"""The settings of analysts: how much a Cypher statement of theirs may cost."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalystSettings:
    """Bounds of `mnemograph cypher`, and of the field `cypher` of GraphQL.

    Attributes:
        timeout_s: how long one statement may take.
        rows_max: how many rows it may answer.
        mb_max: how much its answer may hold, in MB.
    """

    timeout_s: Annotated[float, Field(ge=0.1, le=600)] = 30.0
    rows_max: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    mb_max: Annotated[int, Field(ge=1, le=4_096)] = 64
