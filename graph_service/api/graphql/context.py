"""GraphQL: `context`, memory formatted for an agent's prompt."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import (
    AgentOwnerArgument,
    OwnerArgument,
    WhereArgument,
    asker_of,
    memory_of,
    view_of,
)
from graph_service.memory.argument_checks import owner_of
from graph_service.memory.context_builder.builder import Context, ContextRequest
from graph_service.memory.context_builder.phrasing import Language
from graph_service.memory.messages.metadata_filter import where_text

strawberry.enum(Language, name="Language", description="The language of a context's headings and phrases.")


@strawberry.type(name="ContextLine", description="One line of a context, structured.")
class ContextLineView:
    """One line of a context, structured."""

    number: int = strawberry.field(description="Its number in brackets in the text.")
    kind: str = strawberry.field(description="profile, preference, trigger, earlier, fact, scene or message.")
    id: str
    uri: str = strawberry.field(description="Its address; `layer` returns its full text.")
    text: str = strawberry.field(description="The line, escaped for use in a prompt.")
    at: datetime = strawberry.field(description="When it was said, started, or became true.")
    until: datetime | None = strawberry.field(description="When it stopped being true.")
    parent: int | None = strawberry.field(
        description="The number of the scene it belongs to, if that is in the context."
    )


@strawberry.type(name="Context", description="Memory formatted for a prompt, and the lines it consists of.")
class ContextView:
    """Memory formatted for a prompt."""

    text: str = strawberry.field(
        description="An introduction, and the memory as a quoted block, escaped so that it cannot be ended early."
    )
    tokens: int = strawberry.field(description="Estimated length of the text; more likely too high than too low.")
    max_tokens: int
    language: Language
    core: list[ContextLineView] = strawberry.field(
        description="Core memory, independent of the query: profile, stable preferences, emotional triggers."
    )
    recalled: list[ContextLineView] = strawberry.field(
        description="Results for the query: scenes with their messages, and facts."
    )
    confidence: float | None = strawberry.field(
        description="0 to 1: probability that the memory contains an answer; null if not estimated."
    )
    nothing_relevant: bool = strawberry.field(description="The memory probably contains no answer.")
    degraded: bool = strawberry.field(description="The database is unavailable; the result may be incomplete.")
    notes: list[str] = strawberry.field(description="What is missing or was left out, and why.")


@strawberry.type
class ContextQuery:
    """Queries for prompts."""

    @strawberry.field(description="What an agent should know about a user before it replies, formatted for its prompt.")
    async def context(
        self,
        info: Info[Any, None],
        query: Annotated[str, strawberry.argument(description="The user's message. Default: the profile alone.")] = "",
        user_id: OwnerArgument = None,
        agent_id: AgentOwnerArgument = None,
        max_tokens: Annotated[
            int, strawberry.argument(description="Maximum length of the text in tokens, 1 to 100,000.")
        ] = 1000,
        session_id: Annotated[
            str | None, strawberry.argument(description="The current session; pronouns are resolved in it.")
        ] = None,
        valid_at: Annotated[
            datetime | None, strawberry.argument(description="Valid time: facts that were valid then. Default: now.")
        ] = None,
        as_of: Annotated[
            datetime | None,
            strawberry.argument(description="Transaction time: the memory as it was then. Default: now."),
        ] = None,
        tags: Annotated[
            list[str] | None,
            strawberry.argument(description="Recall only what has one of these tags; the profile is not filtered."),
        ] = None,
        where: WhereArgument = None,
        language: Annotated[
            Language | None, strawberry.argument(description="Language of the headings. Default: that of the query.")
        ] = None,
        uris: Annotated[
            bool,
            strawberry.argument(description="Put full URIs into the text (about 45 tokens each) instead of numbers."),
        ] = False,
    ) -> ContextView:
        """Return memory formatted for an agent's prompt."""
        memory = memory_of(info)
        request = ContextRequest(
            user_id=owner_of(user_id, agent_id),
            query=query,
            tokens_max=max_tokens,
            session_id=session_id,
            valid_at=valid_at,
            as_of=as_of,
            tags=tuple(tags or ()),
            where=where_text(where),
            language=language,
            with_uris=uris,
        )
        return _view(await memory.context(info.context["tenant"], request, asker=asker_of(info)))


def _view(found: Context) -> ContextView:
    core, recalled = ([view_of(ContextLineView, line) for line in lines] for lines in (found.core, found.recalled))
    return view_of(ContextView, found, max_tokens=found.tokens_max, core=core, recalled=recalled)
