"""GraphQL: forgetting what was said or learned, with all that follows from it."""

from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.memory.forgetting.commit import ForgetResult
from graph_service.memory.forgetting.service import Forgetting


@strawberry.type(name="ForgetReceipt", description="What a forgetting took away.")
class ForgetReceipt:
    """What a forgetting took away."""

    messages: int = strawberry.field(description="Messages, with their vectors.")
    scenes: int = strawberry.field(description="Scenes that held them.")
    facts: int = strawberry.field(description="Facts without any evidence left.")
    entities: int = strawberry.field(description="Entities that nothing names any more.")
    read_again: int = strawberry.field(description="Messages and scenes near them that are read again; see `work`.")
    spooled: int = strawberry.field(description="Messages that waited on the service's disk.")


@strawberry.type
class ForgettingMutation:
    """What can be forgotten."""

    @strawberry.mutation(
        description="Forgets a message and all that follows from it: as if it had never been said. It may be told anew."
    )
    async def forget_message(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Its id or its URI.")],  # noqa: A002  the API's word
    ) -> ForgetReceipt:
        """Forget a message."""
        return _receipt(await _forgetting(info).message(info.context["tenant"], id))

    @strawberry.mutation(description="Forgets a scene, everything said in it, and all that follows from that.")
    async def forget_scene(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Its id or its URI.")],  # noqa: A002  the API's word
    ) -> ForgetReceipt:
        """Forget a scene."""
        return _receipt(await _forgetting(info).scene(info.context["tenant"], id))

    @strawberry.mutation(
        description="Forgets a session: everything that was said in it, and all that follows from that."
    )
    async def forget_session(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Whose session.")],
        session_id: Annotated[str, strawberry.argument(description="Which session.")],
    ) -> ForgetReceipt:
        """Forget a session."""
        return _receipt(await _forgetting(info).session(info.context["tenant"], user_id, session_id))

    @strawberry.mutation(
        description="Rejects a fact: it goes, what it had closed is open again, and the same is never learned again. "
        "What was said stays."
    )
    async def forget_fact(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Its id.")],  # noqa: A002  the API's word
    ) -> ForgetReceipt:
        """Reject a fact."""
        return _receipt(await _forgetting(info).fact(info.context["tenant"], id))

    @strawberry.mutation(
        description="Forgets an entity with its facts. What was said until now stays, and does not name it again."
    )
    async def forget_entity(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Its id; `entities` lists them.")],  # noqa: A002  the API's word
    ) -> ForgetReceipt:
        """Forget an entity."""
        return _receipt(await _forgetting(info).entity(info.context["tenant"], id))

    @strawberry.mutation(
        description="Forgets a user: everything they said and everything that was learned of them. "
        "It cannot be taken back, and goes on by itself if the service dies meanwhile."
    )
    async def forget_user(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Who is forgotten.")],
    ) -> ForgetReceipt:
        """Forget a user."""
        return _receipt(await _forgetting(info).user(info.context["tenant"], user_id))


def _forgetting(info: Info[Any, None]) -> Forgetting:
    forgetting: Forgetting = info.context["memory"].forgetting
    return forgetting


def _receipt(done: ForgetResult) -> ForgetReceipt:
    return ForgetReceipt(
        messages=done.messages,
        scenes=done.scenes,
        facts=done.facts,
        entities=done.entities,
        read_again=done.read_again,
        spooled=done.spooled,
    )
