"""GraphQL: `context` for a prompt, profiles, and texts at three levels of detail (layers L0 to L2)."""

from datetime import datetime
from typing import Annotated

import strawberry

from graph_service.api.graphql.fields import (
    AgentOwnerArgument,
    AsOfArgument,
    Call,
    OwnerArgument,
    ValidAtArgument,
    WhereArgument,
    argument,
    expose,
    field,
    mutation,
)
from graph_service.memory.argument_checks import owner_of
from graph_service.memory.context_builder.builder import Context, ContextRequest
from graph_service.memory.context_builder.packing import ContextLine
from graph_service.memory.context_builder.phrasing import Language
from graph_service.memory.profile.reader import ProfileItem, ProfilePart
from graph_service.memory.summaries.service import Anchor, LayerText, Level, SummariesReport
from schema.filters import parse_filter
from schema.predicates import predicate_choice
from schema.profile import Category

strawberry.enum(Language, name="Language", description="The language of a context's headings and phrases.")
expose(ContextLine, fields="number kind id uri text at until parent")
expose(Anchor, "LayerAnchor")
expose(SummariesReport)


expose(
    Context,
    fields="text tokens max_tokens=tokens_max language core recalled confidence nothing_relevant degraded notes",
)


@field
async def context(
    info: Call,
    query: Annotated[str, argument("The user's message. Default: the profile alone.")] = "",
    user_id: OwnerArgument = None,
    agent_id: AgentOwnerArgument = None,
    max_tokens: Annotated[int, argument("Maximum length of the text in tokens, 1 to 100,000.")] = 1000,
    session_id: Annotated[str | None, argument("The current session; pronouns are resolved in it.")] = None,
    valid_at: Annotated[datetime | None, argument("Valid time: facts that were valid then. Default: now.")] = None,
    as_of: AsOfArgument = None,
    tags: Annotated[
        list[str] | None, argument("Recall only what has one of these tags; the profile is not filtered.")
    ] = None,
    where: WhereArgument = None,
    language: Annotated[Language | None, argument("Language of the headings. Default: that of the query.")] = None,
    uris: Annotated[bool, argument("Put full URIs into the text (about 45 tokens each) instead of numbers.")] = False,
) -> Context:
    """Knowledge about a user that an agent needs before it replies, formatted for its prompt."""
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
    return await info.memory.context(info.tenant, request, asker=info.asker)


expose(ProfileItem, texts={"predicate": f"Relation type: {predicate_choice()}."})
expose(ProfilePart, fields="category limit=items_max omitted items")


@field
async def profile(
    info: Call,
    user_id: OwnerArgument = None,
    agent_id: Annotated[
        str | None, argument("With `userId`: this agent in the user's memory; without: the agent's own memory.")
    ] = None,
    category: Annotated[Category | None, argument("Only this category.")] = None,
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
) -> list[ProfilePart]:
    """The profile of a user, or of an agent that serves the user."""
    return await info.memory.facts.profile(
        info.tenant,
        owner_of(user_id, agent_id),
        agent_id=None if user_id is None else agent_id,
        category=category,
        valid_at=valid_at,
        as_of=as_of,
    )


strawberry.enum(
    Level, name="Level", description="L0: abstract, about 100 tokens; L1: overview in Markdown; L2: full text."
)


async def anchors(root: LayerText, info: Call) -> list[Anchor]:
    """Origins of the sentences of a scene's or session's layer that were said word for word; sentences that a
    model phrased have none.
    """
    return await info.memory.layers.anchors(info.tenant, root.uri, root.text)


expose(
    LayerText,
    "Layer",
    "uri level title text generated_by tokens next_cursor start end mentioned_start mentioned_end zone emotion"
    " participants anchors",
    resolved=[anchors],
)


@field
async def layer(
    info: Call,
    uri: Annotated[
        str, argument("The URI or id of the element; may end in `#L0`, that of a message in `#char=START,END`.")
    ],
    level: Annotated[Level | None, argument("The level. Default: that of the URI, or L1.")] = None,
    after: Annotated[str | None, argument("`nextCursor` of the previous L2 text, to continue.")] = None,
) -> LayerText:
    """A scene, session or message, a day or month of a user (`…/user/ID/timeline/2026-05`), or what is known of a
    user, agent, entity or one category of a profile, at one level of detail; missing texts are created and stored.
    """
    return await info.memory.layers.layer(info.tenant, uri, level, after=after)


@mutation
async def generate_layers(
    info: Call,
    user_id: Annotated[str | None, argument("Only this user's sessions.")] = None,
    session_id: Annotated[str | None, argument("Only this session of the user.")] = None,
) -> SummariesReport:
    """Create the missing layers of a session, of a user's sessions, or of all sessions."""
    return await info.memory.layers.generate(info.tenant, user_id=user_id, session_id=session_id)
