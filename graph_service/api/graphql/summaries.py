"""GraphQL: the texts of scenes, sessions and messages, shorter and longer."""

from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.summaries.service import LayersReport, LayerText, Level

strawberry.enum(
    Level, name="Level", description="L0: about 100 tokens; L1: an overview in markdown; L2: all that was said."
)


@strawberry.type(name="Layer", description="One text of one memory.")
class LayerAnswer:
    """One text of one memory."""

    uri: str = strawberry.field(description="Of the memory, with the level as its fragment.")
    level: Level = strawberry.field(description="How much is told.")
    title: str | None = strawberry.field(description="What the scene or session is called.")
    text: str = strawberry.field(description="The text; L2 tells at most 1,000 messages, 200,000 characters.")
    made_by: str = strawberry.field(description="`extractive`, `caller`, a model's name, or `said`.")
    tokens: int = strawberry.field(description="About how many tokens a model counts.")
    after: str | None = strawberry.field(description="Hand it in as `after`; null when L2 told all.")


@strawberry.type(name="LayersReport", description="Of how many sessions texts were made.")
class LayersAnswer:
    """Of how many sessions texts were made."""

    sessions: int = strawberry.field(description="Sessions looked at.")
    made: int = strawberry.field(description="Sessions whose texts were made.")
    kept: int = strawberry.field(description="Sessions in which nothing changed.")
    failed: int = strawberry.field(description="Sessions whose texts could not be made; ask again later.")


@strawberry.type
class LayersQuery:
    """What can be asked about layers."""

    @strawberry.field(description="The text of a scene, session or message; a missing one is made and stored.")
    async def layer(
        self,
        info: Info[Any, None],
        uri: Annotated[str, strawberry.argument(description="As hits and sessions tell it; may end in `#L0`.")],
        level: Annotated[
            Level | None, strawberry.argument(description="As the URI says when left out, else L1.")
        ] = None,
        after: Annotated[
            str | None, strawberry.argument(description="`after` of the L2 text before: what was said behind it.")
        ] = None,
    ) -> LayerAnswer:
        """Return one layer of one memory."""
        memory = memory_of(info)
        found = await memory.layers.layer(info.context["tenant"], uri, level, after=after)
        return LayerAnswer(**{name: getattr(found, name) for name in LayerText.__dataclass_fields__})


@strawberry.type
class LayersMutation:
    """What can be done with layers."""

    @strawberry.mutation(description="Makes the missing texts of a session, a user's sessions, or all; nothing else.")
    async def generate_layers(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="Only this user's sessions.")] = None,
        session_id: Annotated[str | None, strawberry.argument(description="Only this session of the user.")] = None,
    ) -> LayersAnswer:
        """Make missing texts."""
        memory = memory_of(info)
        report = await memory.layers.generate(info.context["tenant"], user_id=user_id, session_id=session_id)
        return LayersAnswer(**{name: getattr(report, name) for name in LayersReport.__dataclass_fields__})
