"""GraphQL: what every answer of recall says about itself."""

from typing import Any

import strawberry

from graph_service.memory.recall import Answer


@strawberry.type
class AnswerMarks:
    """How an answer came about, beside its hits."""

    degraded: bool = strawberry.field(
        description="Neo4j is away: these are words found in messages that wait on disk and in the last snapshot."
    )
    snapshot_age_s: float | None = strawberry.field(
        description="How old that snapshot is; null when none was searched."
    )


def marks_of(answer: Answer) -> dict[str, Any]:
    """The fields of `AnswerMarks`."""
    return {"degraded": answer.degraded, "snapshot_age_s": answer.snapshot_age_s}
