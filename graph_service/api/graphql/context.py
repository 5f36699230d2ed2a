"""GraphQL: `context`, memory formatted for an agent's prompt."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, output
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
from schema.filters import parse_filter

strawberry.enum(Language, name="Language", description="The language of a context's headings and phrases.")


@output(name="ContextLine")
class ContextLineView:
    """One line of a context, structured."""

    number: int = about("Its number in brackets in the text.")
    kind: str = about("profile, preference, trigger, earlier, fact, scene or message.")
    id: str
    uri: str = about("Its address; `layer` returns its full text.")
    text: str = about("The line, escaped for use in a prompt.")
    at: datetime = about("When it was said, started, or became true.")
    until: datetime | None = about("When it stopped being true.")
    parent: int | None = about("The number of the scene it belongs to, if that is in the context.")


@output(name="Context")
class ContextView:
    """Memory formatted for a prompt, and the lines it consists of."""

    text: str = about("An introduction, and the memory as a quoted block, escaped so that it cannot be ended early.")
    tokens: int = about("Estimated length of the text; more likely too high than too low.")
    max_tokens: int
    language: Language
    core: list[ContextLineView] = about(
        "Core memory, independent of the query: profile, stable preferences, emotional triggers."
    )
    recalled: list[ContextLineView] = about("Results for the query: scenes with their messages, and facts.")
    confidence: float | None = about("0 to 1: probability that the memory contains an answer; null if not estimated.")
    nothing_relevant: bool = about("The memory probably contains no answer.")
    degraded: bool = about("The database is unavailable; the result may be incomplete.")
    notes: list[str] = about("What is missing or was left out, and why.")


@strawberry.type
class ContextQuery:
    """Queries for prompts."""

    @field
    async def context(
        self,
        info: Info[Any, None],
        query: Annotated[str, argument("The user's message. Default: the profile alone.")] = "",
        user_id: OwnerArgument = None,
        agent_id: AgentOwnerArgument = None,
        max_tokens: Annotated[int, argument("Maximum length of the text in tokens, 1 to 100,000.")] = 1000,
        session_id: Annotated[str | None, argument("The current session; pronouns are resolved in it.")] = None,
        valid_at: Annotated[datetime | None, argument("Valid time: facts that were valid then. Default: now.")] = None,
        as_of: Annotated[
            datetime | None, argument("Transaction time: the memory as it was then. Default: now.")
        ] = None,
        tags: Annotated[
            list[str] | None, argument("Recall only what has one of these tags; the profile is not filtered.")
        ] = None,
        where: WhereArgument = None,
        language: Annotated[Language | None, argument("Language of the headings. Default: that of the query.")] = None,
        uris: Annotated[
            bool, argument("Put full URIs into the text (about 45 tokens each) instead of numbers.")
        ] = False,
    ) -> ContextView:
        """Knowledge about a user that an agent needs before it replies, formatted for its prompt."""
        memory = memory_of(info)
        request = ContextRequest(
            user_id=owner_of(user_id, agent_id),
            query=query,
            tokens_max=max_tokens,
            session_id=session_id,
            valid_at=valid_at,
            as_of=as_of,
            tags=tuple(tags or ()),
            where=parse_filter(where),
            language=language,
            with_uris=uris,
        )
        return _view(await memory.context(info.context["tenant"], request, asker=asker_of(info)))


def _view(found: Context) -> ContextView:
    core, recalled = ([view_of(ContextLineView, line) for line in lines] for lines in (found.core, found.recalled))
    return view_of(ContextView, found, max_tokens=found.tokens_max, core=core, recalled=recalled)
