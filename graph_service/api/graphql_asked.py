"""What recall understood of a question, as GraphQL shows it: its intent and the time it asks about."""

from datetime import datetime
from typing import Any

import strawberry

from extraction.asked_time import Force
from graph_service.memory.intent import AnswerType, Intent
from graph_service.memory.recall import Answer

strawberry.enum(Intent, name="Intent", description="What a question is after.")
strawberry.enum(AnswerType, name="AnswerType", description="What the answer to a question has to hold.")


@strawberry.type(name="AskedTime", description="A time that the question names.")
class AskedTimeView:
    """A time that the question names."""

    start: datetime | None = strawberry.field(description="Inclusive; open when null.")
    end: datetime | None = strawberry.field(description="Exclusive; open when null.")
    phrase: str = strawberry.field(description="The words of the question.")
    limits: bool = strawberry.field(
        description="Only what was said then is brought; else what was said or happened then comes first."
    )


@strawberry.type
class QuestionUnderstood:
    """What was understood of the question."""

    intent: Intent = strawberry.field(description="What the question is after.")
    answer_type: AnswerType = strawberry.field(description="What its answer has to hold.")
    asked_times: list[AskedTimeView] = strawberry.field(description="The times the question names, in order.")


def understood_of(answer: Answer) -> dict[str, Any]:
    """The fields of `QuestionUnderstood`."""
    times = [
        AskedTimeView(
            start=asked.span.start, end=asked.span.end, phrase=asked.phrase, limits=asked.force is Force.LIMITS
        )
        for asked in answer.asked_times
    ]
    return {"intent": answer.intent, "answer_type": answer.answer_type, "asked_times": times}
