"""GraphQL: `context` for a prompt, profiles, and texts at three levels of detail (layers L0 to L2)."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, expose, field, mutation, output
from graph_service.api.graphql.arguments import (
    AgentOwnerArgument,
    AsOfArgument,
    OwnerArgument,
    ValidAtArgument,
    WhereArgument,
    asker_of,
    memory_of,
    view_of,
)
from graph_service.memory.argument_checks import owner_of
from graph_service.memory.context_builder.builder import Context, ContextLine, ContextRequest
from graph_service.memory.context_builder.phrasing import Language
from graph_service.memory.profile.reader import ProfilePart
from graph_service.memory.summaries.anchors import Anchor
from graph_service.memory.summaries.service import Level, SummariesReport
from schema.filters import parse_filter
from schema.predicates import predicate_choice
from schema.profile import Category

strawberry.enum(Language, name="Language", description="The language of a context's headings and phrases.")
expose(ContextLine)
expose(Anchor, "LayerAnchor")
expose(SummariesReport)


@output(name="Context")
class ContextView:
    """Memory formatted for a prompt, and the lines it consists of."""

    text: str = about("An introduction, and the memory as a quoted block, escaped so that it cannot be ended early.")
    tokens: int = about("Estimated length of the text; more likely too high than too low.")
    max_tokens: int
    language: Language
    core: list[ContextLine] = about(
        "Core memory, independent of the query: profile, stable preferences, emotional triggers."
    )
    recalled: list[ContextLine] = about("Results for the query: scenes with their messages, and facts.")
    confidence: float | None = about("0 to 1: probability that the memory contains an answer; null if not estimated.")
    nothing_relevant: bool = about("The memory probably contains no answer.")
    degraded: bool = about("The database is unavailable; the result may be incomplete.")
    notes: list[str] = about("What is missing or was left out, and why.")


@field
async def context(
    info: Info[Any, None],
    query: Annotated[str, argument("The user's message. Default: the profile alone.")] = "",
    user_id: OwnerArgument = None,
    agent_id: AgentOwnerArgument = None,
    max_tokens: Annotated[int, argument("Maximum length of the text in tokens, 1 to 100,000.")] = 1000,
    session_id: Annotated[str | None, argument("The current session; pronouns are resolved in it.")] = None,
    valid_at: Annotated[datetime | None, argument("Valid time: facts that were valid then. Default: now.")] = None,
    as_of: Annotated[datetime | None, argument("Transaction time: the memory as it was then. Default: now.")] = None,
    tags: Annotated[
        list[str] | None, argument("Recall only what has one of these tags; the profile is not filtered.")
    ] = None,
    where: WhereArgument = None,
    language: Annotated[Language | None, argument("Language of the headings. Default: that of the query.")] = None,
    uris: Annotated[bool, argument("Put full URIs into the text (about 45 tokens each) instead of numbers.")] = False,
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
    return view_of(ContextView, found, max_tokens=found.tokens_max)


@output(name="ProfileItem")
class ProfileItemView:
    """A fact of a profile."""

    id: str = about("Id of the fact.")
    uri: str = about("Its URI in the profile.")
    statement: str = about("The fact as a sentence.")
    predicate: str = about(f"Relation type: {predicate_choice()}.")
    relation: str | None = about("The relation in free text.")
    object: str = about("The object of the fact.")
    importance: int = about("1 to 10.")
    confidence: float = about("0 to 1.")
    valid_at: datetime = about("When it became true.")
    last_seen: datetime = about("When it was last mentioned.")
    zone: str | None = about("Time zone of a message that proves it; null if unknown.")


@output(name="ProfilePart")
class ProfilePartView:
    """One category of a profile."""

    category: Category = about("The category.")
    limit: int = about("Maximum number of items.")
    omitted: int = about("Number of facts left out because the category is full or another fact says the same.")
    items: list[ProfileItemView] = about("Its items, the most important first.")


@field
async def profile(
    info: Info[Any, None],
    user_id: OwnerArgument = None,
    agent_id: Annotated[
        str | None, argument("With `userId`: this agent in the user's memory; without: the agent's own memory.")
    ] = None,
    category: Annotated[Category | None, argument("Only this category.")] = None,
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
) -> list[ProfilePartView]:
    """The profile of a user, or of an agent that serves the user."""
    memory = memory_of(info)
    tenant = info.context["tenant"]
    parts = await memory.facts.profile(
        tenant,
        owner_of(user_id, agent_id),
        agent_id=None if user_id is None else agent_id,
        category=category,
        valid_at=valid_at,
        as_of=as_of,
    )
    return [_part_view(part) for part in parts]


def _part_view(part: ProfilePart) -> ProfilePartView:
    items = [view_of(ProfileItemView, one) for one in part.items]
    return view_of(ProfilePartView, part, limit=part.items_max, items=items)


strawberry.enum(
    Level, name="Level", description="L0: abstract, about 100 tokens; L1: overview in Markdown; L2: full text."
)


@output(name="Layer")
class LayerAnswer:
    """A scene, session, message, user or agent at one level of detail."""

    uri: str = about("Its URI, with the level as the fragment.")
    level: Level = about("The level of detail.")
    title: str | None = about("The title of the scene or session, or the name.")
    text: str = about("The text; L2 contains at most 1,000 messages or 200,000 characters.")
    generated_by: str = about("The author: `extractive`, `caller`, a model's name, or `said`.")
    tokens: int = about("Estimated number of tokens.")
    next_cursor: str | None = about("Cursor to pass as `after`; null if L2 is complete.")
    start: datetime | None = about("When the scene began, or the message was said.")
    end: datetime | None = about("When the scene ended.")
    mentioned_start: datetime | None = about(
        "Start of the time that the scene, message or fact is about, if it names one."
    )
    mentioned_end: datetime | None = about("End of that time, exclusive.")
    zone: str | None = about("Messages: the time zone.")
    emotion: str | None = about("Messages: the speaker's emotion, if known.")
    participants: list[str] = about("Scenes: who spoke or took part, in order.")

    @field
    async def anchors(self, info: Info[Any, None]) -> list[Anchor]:
        """Origins of the sentences of a scene's or session's layer that were said word for word; sentences that a
        model phrased have none.
        """
        return await memory_of(info).layers.anchors(info.context["tenant"], self.uri, self.text)


@field
async def layer(
    info: Info[Any, None],
    uri: Annotated[
        str, argument("The URI or id of the element; may end in `#L0`, that of a message in `#char=START,END`.")
    ],
    level: Annotated[Level | None, argument("The level. Default: that of the URI, or L1.")] = None,
    after: Annotated[str | None, argument("`nextCursor` of the previous L2 text, to continue.")] = None,
) -> LayerAnswer:
    """A scene, session or message, a day or month of a user (`…/user/ID/timeline/2026-05`), or what is known of a
    user, agent, entity or one category of a profile, at one level of detail; missing texts are created and stored.
    """
    memory = memory_of(info)
    found = await memory.layers.layer(info.context["tenant"], uri, level, after=after)
    return view_of(LayerAnswer, found)


@mutation
async def generate_layers(
    info: Info[Any, None],
    user_id: Annotated[str | None, argument("Only this user's sessions.")] = None,
    session_id: Annotated[str | None, argument("Only this session of the user.")] = None,
) -> SummariesReport:
    """Create the missing layers of a session, of a user's sessions, or of all sessions."""
    tenant = info.context["tenant"]
    return await memory_of(info).layers.generate(tenant, user_id=user_id, session_id=session_id)
