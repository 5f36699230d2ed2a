"""GraphQL: what an agent should know of a user before it answers, ready for its prompt."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.context_builder.builder import Context, ContextLine, Wanted
from graph_service.memory.context_builder.phrasing import Language

strawberry.enum(Language, name="Language", description="The languages a context can be told in.")


@strawberry.type(name="ContextLine", description="A line of a context, as a program reads it.")
class ContextLineView:
    """A line of a context."""

    mark: int = strawberry.field(description="The number in brackets behind it in the text.")
    kind: str = strawberry.field(description="profile, preference, trigger, earlier, fact, scene or message.")
    id: str
    uri: str = strawberry.field(description="Where to ask for more.")
    text: str = strawberry.field(description="Safe to stand in a prompt.")
    at: datetime = strawberry.field(description="When it was said, began, or began to hold.")
    until: datetime | None = strawberry.field(description="When it ceased to hold.")
    under: int | None = strawberry.field(description="The mark of the scene it was said in, when that is told too.")


@strawberry.type(name="Context", description="A text for a prompt, and what it consists of.")
class ContextView:
    """A text for a prompt."""

    text: str = strawberry.field(
        description="A sentence that says what it is, and the memory as quoted data that cannot end its own block."
    )
    tokens: int = strawberry.field(description="How long the text is; an estimate that leans to too many.")
    max_tokens: int
    language: Language
    core: list[ContextLineView] = strawberry.field(
        description="Core Memory, whatever is asked: the profile, stable preferences, lasting triggers."
    )
    recalled: list[ContextLineView] = strawberry.field(
        description="Recall Memory, found for the question: scenes with the words said in them, and facts."
    )
    confidence: float | None = strawberry.field(
        description="0 to 1: how likely memory holds an answer; null when that was not judged."
    )
    nothing_relevant: bool = strawberry.field(description="Memory probably holds no answer.")
    degraded: bool = strawberry.field(description="The database is away; this is what is at hand without it.")
    notes: list[str] = strawberry.field(description="What was missing or left out.")


@strawberry.type
class ContextQuery:
    """What can be asked for a prompt."""

    @strawberry.field(description="What an agent should know of a user before it answers. Two round trips at once.")
    async def context(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Whose memory is asked.")],
        query: Annotated[str, strawberry.argument(description="What the user said or asked.")],
        max_tokens: Annotated[int, strawberry.argument(description="How long the text may be, 1 to 100,000.")] = 1000,
        session_id: Annotated[
            str | None, strawberry.argument(description="The conversation it is for: `she` is looked up there.")
        ] = None,
        valid_at: Annotated[
            datetime | None, strawberry.argument(description="What was true then; now if left out.")
        ] = None,
        as_of: Annotated[datetime | None, strawberry.argument(description="By what was known then.")] = None,
        language: Annotated[
            Language | None, strawberry.argument(description="Of the headings; that of the question if left out.")
        ] = None,
        uris: Annotated[
            bool, strawberry.argument(description="Full URIs in the text, about 45 tokens each; marks otherwise.")
        ] = False,
    ) -> ContextView:
        """Return what an agent should know of a user before it answers."""
        memory = memory_of(info)
        wanted = Wanted(
            user_id=user_id,
            query=query,
            tokens_max=max_tokens,
            session_id=session_id,
            valid_at=valid_at,
            as_of=as_of,
            language=language,
            with_uris=uris,
        )
        return _view(await memory.context(info.context["tenant"], wanted))


def _view(found: Context) -> ContextView:
    return ContextView(
        text=found.text,
        tokens=found.tokens,
        max_tokens=found.tokens_max,
        language=found.language,
        core=[_line(line) for line in found.core],
        recalled=[_line(line) for line in found.recalled],
        confidence=found.confidence,
        nothing_relevant=found.nothing_relevant,
        degraded=found.degraded,
        notes=list(found.notes),
    )


def _line(line: ContextLine) -> ContextLineView:
    return ContextLineView(
        mark=line.mark,
        kind=line.kind,
        id=line.id,
        uri=line.uri,
        text=line.text,
        at=line.at,
        until=line.until,
        under=line.under,
    )
