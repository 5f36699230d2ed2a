"""GraphQL: scenes, sessions, messages, users and agents at three levels of detail (layers L0 to L2)."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, mutation, output
from graph_service.api.graphql.arguments import memory_of, view_of
from graph_service.memory.summaries.service import Level

strawberry.enum(
    Level, name="Level", description="L0: abstract, about 100 tokens; L1: overview in Markdown; L2: full text."
)


@output()
class LayerAnchor:
    """A sentence, and the part of a message that it quotes."""

    text: str = about("The sentence.")
    uri: str = about("The message's URI with `#char=START,END`; `layer` returns that part.")


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
    async def anchors(self, info: Info[Any, None]) -> list[LayerAnchor]:
        """Origins of the sentences of a scene's or session's layer that were said word for word; sentences that a
        model phrased have none.
        """
        found = await memory_of(info).layers.anchors(info.context["tenant"], self.uri, self.text)
        return [view_of(LayerAnchor, one) for one in found]


@output(name="SummariesReport")
class LayersAnswer:
    """Counts of sessions by outcome."""

    sessions: int = about("Number of checked sessions.")
    created: int = about("Sessions with new texts.")
    unchanged: int = about("Sessions without changes.")
    failed: int = about("Sessions whose texts could not be created; try again later.")


@strawberry.type
class LayersQuery:
    """Queries for layers."""

    @field
    async def layer(
        self,
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


@strawberry.type
class LayersMutation:
    """Create layers."""

    @mutation
    async def generate_layers(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, argument("Only this user's sessions.")] = None,
        session_id: Annotated[str | None, argument("Only this session of the user.")] = None,
    ) -> LayersAnswer:
        """Create the missing layers of a session, of a user's sessions, or of all sessions."""
        memory = memory_of(info)
        report = await memory.layers.generate(info.context["tenant"], user_id=user_id, session_id=session_id)
        return view_of(LayersAnswer, report)
