"""GraphQL: delete messages, facts, entities and users with everything derived from them."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import WhereArgument, view_of
from graph_service.memory.forgetting.service import Forgetting
from graph_service.memory.messages.log import MessageFilter
from graph_service.memory.messages.metadata_filter import where_text


@strawberry.type(name="ForgetReceipt", description="Counts of what was deleted.")
class ForgetReceipt:
    """Counts of what was deleted."""

    messages: int = strawberry.field(description="Deleted messages, with their vectors.")
    scenes: int = strawberry.field(description="Deleted scenes.")
    facts: int = strawberry.field(description="Deleted facts, which had no evidence left.")
    entities: int = strawberry.field(description="Deleted entities, which nothing mentions any more.")
    reextracted: int = strawberry.field(
        description="Neighbouring messages and scenes that are extracted again; see `jobStatus`."
    )
    spooled: int = strawberry.field(description="Deleted messages that were waiting on disk.")


@strawberry.type
class ForgettingMutation:
    """Delete messages, scenes, sessions, facts, entities and users."""

    @strawberry.mutation(
        description="Delete a message and everything derived from it, as if never sent. It can be stored again."
    )
    async def forget_message(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Its id or its URI.")],  # noqa: A002  the API's word
    ) -> ForgetReceipt:
        """Delete a message."""
        return view_of(ForgetReceipt, await _forgetting(info).message(info.context["tenant"], id))

    @strawberry.mutation(description="Delete a scene with its messages and everything derived from them.")
    async def forget_scene(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Its id or its URI.")],  # noqa: A002  the API's word
    ) -> ForgetReceipt:
        """Delete a scene."""
        return view_of(ForgetReceipt, await _forgetting(info).scene(info.context["tenant"], id))

    @strawberry.mutation(description="Delete a session with its messages and everything derived from them.")
    async def forget_session(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        session_id: Annotated[str, strawberry.argument(description="The session's id.")],
    ) -> ForgetReceipt:
        """Delete a session."""
        return view_of(ForgetReceipt, await _forgetting(info).session(info.context["tenant"], user_id, session_id))

    @strawberry.mutation(
        description="Delete the messages of a user that pass all conditions, of which at least one is given, and "
        "everything derived from them; `dryRun` only counts the messages."
    )
    async def forget(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        where: WhereArgument = None,
        before: Annotated[
            datetime | None, strawberry.argument(description="Only messages said before this time.")
        ] = None,
        session_id: Annotated[str | None, strawberry.argument(description="Only this session.")] = None,
        tags: Annotated[
            list[str] | None, strawberry.argument(description="Only messages with one of these tags.")
        ] = None,
        dry_run: Annotated[bool, strawberry.argument(description="Delete nothing.")] = False,
    ) -> ForgetReceipt:
        """Delete messages by conditions."""
        wanted = MessageFilter(
            user_id=user_id, session_id=session_id, tags=tuple(tags or ()), where=where_text(where) if where else None
        )
        return view_of(
            ForgetReceipt,
            await _forgetting(info).matching(info.context["tenant"], wanted, before=before, dry_run=dry_run),
        )

    @strawberry.mutation(
        description="Delete a fact: facts it had closed are reopened, and it is never extracted again. Its messages "
        "stay."
    )
    async def forget_fact(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Its id.")],  # noqa: A002  the API's word
    ) -> ForgetReceipt:
        """Delete a fact."""
        return view_of(ForgetReceipt, await _forgetting(info).fact(info.context["tenant"], id))

    @strawberry.mutation(
        description="Delete an entity with its facts. Existing messages stay, but are not linked to it again."
    )
    async def forget_entity(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Its id; `entities` lists them.")],  # noqa: A002  the API's word
    ) -> ForgetReceipt:
        """Delete an entity."""
        return view_of(ForgetReceipt, await _forgetting(info).entity(info.context["tenant"], id))

    @strawberry.mutation(
        description="Delete a user with all messages and everything derived from them. Irreversible; resumes "
        "automatically if the service stops meanwhile."
    )
    async def forget_user(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
    ) -> ForgetReceipt:
        """Delete a user."""
        return view_of(ForgetReceipt, await _forgetting(info).user(info.context["tenant"], user_id))


def _forgetting(info: Info[Any, None]) -> Forgetting:
    forgetting: Forgetting = info.context["memory"].forgetting
    return forgetting
