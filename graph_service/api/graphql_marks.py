"""GraphQL: what every answer of recall says about itself."""

from typing import Any

import strawberry

from graph_service.memory.recall import Answer


@strawberry.type(description="How much of what was found was left out for one reason.")
class LeftOut:
    """How much was left out for one reason."""

    why: str
    count: int


@strawberry.type
class AnswerMarks:
    """How an answer came about, beside its hits."""

    degraded: bool = strawberry.field(
        description="Neo4j is away: these are words found in messages that wait on disk and in the last snapshot."
    )
    removed: list[LeftOut] = strawberry.field(description="What was found and left out.")
    cursor: str | None = strawberry.field(description="Hand it in as `after` for the next hits; null behind the last.")
    snapshot_age_s: float | None = strawberry.field(
        description="How old that snapshot is; null when none was searched."
    )


def marks_of(answer: Answer) -> dict[str, Any]:
    """The fields of `AnswerMarks`, and how likely the answer is one."""
    return {
        "confidence": answer.confidence,
        "nothing_relevant": answer.nothing_relevant,
        "degraded": answer.degraded,
        "snapshot_age_s": answer.snapshot_age_s,
        "removed": [LeftOut(why=one.why, count=one.count) for one in answer.removed],
        "cursor": answer.cursor,
    }
