"""GraphQL: delete messages, facts, entities and users with everything derived from them."""

from datetime import datetime
from typing import Annotated, Any

from strawberry.types import Info

from graph_service.api.descriptions import argument, expose, mutation
from graph_service.api.graphql.arguments import WhereArgument
from graph_service.memory.forgetting.commit import ForgetResult
from graph_service.memory.forgetting.service import Forgetting
from graph_service.memory.messages.log import MessageFilter
from schema.filters import parse_filter

expose(ForgetResult, "ForgetReceipt")


@mutation
async def forget_message(info: Info[Any, None], id: Annotated[str, argument("Its id or its URI.")]) -> ForgetResult:
    """Delete a message and everything derived from it, as if never sent. It can be stored again."""
    return await _forgetting(info).message(info.context["tenant"], id)


@mutation
async def forget_scene(info: Info[Any, None], id: Annotated[str, argument("Its id or its URI.")]) -> ForgetResult:
    """Delete a scene with its messages and everything derived from them."""
    return await _forgetting(info).scene(info.context["tenant"], id)


@mutation
async def forget_session(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    session_id: Annotated[str, argument("The session's id.")],
) -> ForgetResult:
    """Delete a session with its messages and everything derived from them."""
    return await _forgetting(info).session(info.context["tenant"], user_id, session_id)


@mutation
async def forget(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    where: WhereArgument = None,
    before: Annotated[datetime | None, argument("Only messages said before this time.")] = None,
    session_id: Annotated[str | None, argument("Only this session.")] = None,
    tags: Annotated[list[str] | None, argument("Only messages with one of these tags.")] = None,
    dry_run: Annotated[bool, argument("Delete nothing.")] = False,
) -> ForgetResult:
    """Delete the messages of a user that pass all conditions, of which at least one is given, and everything
    derived from them; `dryRun` only counts the messages.
    """
    wanted = MessageFilter(user_id=user_id, session_id=session_id, tags=tuple(tags or ()), where=parse_filter(where))
    return await _forgetting(info).matching(info.context["tenant"], wanted, before=before, dry_run=dry_run)


@mutation
async def forget_fact(info: Info[Any, None], id: Annotated[str, argument("Its id.")]) -> ForgetResult:
    """Delete a fact: facts it had closed are reopened, and it is never extracted again. Its messages stay."""
    return await _forgetting(info).fact(info.context["tenant"], id)


@mutation
async def forget_entity(
    info: Info[Any, None], id: Annotated[str, argument("Its id; `entities` lists them.")]
) -> ForgetResult:
    """Delete an entity with its facts. Existing messages stay, but are not linked to it again."""
    return await _forgetting(info).entity(info.context["tenant"], id)


@mutation
async def forget_user(info: Info[Any, None], user_id: Annotated[str, argument("The user's id.")]) -> ForgetResult:
    """Delete a user with all messages and everything derived from them. Irreversible; resumes automatically if the
    service stops meanwhile.
    """
    return await _forgetting(info).user(info.context["tenant"], user_id)


def _forgetting(info: Info[Any, None]) -> Forgetting:
    forgetting: Forgetting = info.context["memory"].forgetting
    return forgetting
