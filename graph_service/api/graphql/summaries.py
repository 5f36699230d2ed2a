"""GraphQL: scenes, sessions, messages, users and agents at three levels of detail (layers L0 to L2)."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of, view_of
from graph_service.memory.summaries.service import Level

strawberry.enum(
    Level, name="Level", description="L0: abstract, about 100 tokens; L1: overview in Markdown; L2: full text."
)


@strawberry.type(description="A sentence, and the part of a message that it quotes.")
class LayerAnchor:
    """A sentence, and the part of a message that it quotes."""

    text: str = strawberry.field(description="The sentence.")
    uri: str = strawberry.field(description="The message's URI with `#char=START,END`; `layer` returns that part.")


@strawberry.type(name="Layer", description="A scene, session, message, user or agent at one level of detail.")
class LayerAnswer:
    """A scene, session or message at one level of detail."""

    uri: str = strawberry.field(description="Its URI, with the level as the fragment.")
    level: Level = strawberry.field(description="The level of detail.")
    title: str | None = strawberry.field(description="The title of the scene or session, or the name.")
    text: str = strawberry.field(description="The text; L2 contains at most 1,000 messages or 200,000 characters.")
    generated_by: str = strawberry.field(description="The author: `extractive`, `caller`, a model's name, or `said`.")
    tokens: int = strawberry.field(description="Estimated number of tokens.")
    next_cursor: str | None = strawberry.field(description="Cursor to pass as `after`; null if L2 is complete.")
    start: datetime | None = strawberry.field(description="When the scene began, or the message was said.")
    end: datetime | None = strawberry.field(description="When the scene ended.")
    mentioned_start: datetime | None = strawberry.field(
        description="Start of the time that the scene, message or fact is about, if it names one."
    )
    mentioned_end: datetime | None = strawberry.field(description="End of that time, exclusive.")
    zone: str | None = strawberry.field(description="Messages: the time zone.")
    emotion: str | None = strawberry.field(description="Messages: the speaker's emotion, if known.")
    participants: list[str] = strawberry.field(description="Scenes: who spoke or took part, in order.")

    @strawberry.field(
        description="Where sentences of a scene's or session's layer were said word for word; those that a model"
        " phrased have no anchor."
    )
    async def anchors(self, info: Info[Any, None]) -> list[LayerAnchor]:
        """Return where its sentences were said."""
        found = await memory_of(info).layers.anchors(info.context["tenant"], self.uri, self.text)
        return [view_of(LayerAnchor, one) for one in found]


@strawberry.type(name="SummariesReport", description="Counts of sessions by outcome.")
class LayersAnswer:
    """Counts of sessions by outcome."""

    sessions: int = strawberry.field(description="Number of checked sessions.")
    created: int = strawberry.field(description="Sessions with new texts.")
    unchanged: int = strawberry.field(description="Sessions without changes.")
    failed: int = strawberry.field(description="Sessions whose texts could not be created; try again later.")


@strawberry.type
class LayersQuery:
    """Queries for layers."""

    @strawberry.field(
        description="A scene, session or message, a day or month of a user (`…/user/ID/timeline/2026-05`), or what is"
        " known of a user, agent, entity or one category of a profile, at one level of detail; missing texts are"
        " created and stored."
    )
    async def layer(
        self,
        info: Info[Any, None],
        uri: Annotated[
            str,
            strawberry.argument(
                description="The URI or id of the element; may end in `#L0`, that of a message in `#char=START,END`."
            ),
        ],
        level: Annotated[
            Level | None, strawberry.argument(description="The level. Default: that of the URI, or L1.")
        ] = None,
        after: Annotated[
            str | None, strawberry.argument(description="`nextCursor` of the previous L2 text, to continue.")
        ] = None,
    ) -> LayerAnswer:
        """Return a text at one level of detail."""
        memory = memory_of(info)
        found = await memory.layers.layer(info.context["tenant"], uri, level, after=after)
        return view_of(LayerAnswer, found)


@strawberry.type
class LayersMutation:
    """Create layers."""

    @strawberry.mutation(
        description="Create the missing layers of a session, of a user's sessions, or of all sessions."
    )
    async def generate_layers(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="Only this user's sessions.")] = None,
        session_id: Annotated[str | None, strawberry.argument(description="Only this session of the user.")] = None,
    ) -> LayersAnswer:
        """Create missing layers."""
        memory = memory_of(info)
        report = await memory.layers.generate(info.context["tenant"], user_id=user_id, session_id=session_id)
        return view_of(LayersAnswer, report)
