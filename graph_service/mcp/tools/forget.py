"""The tool `forget`: deletes something with everything derived from it."""

from enum import StrEnum

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.mcp.tools.remember import UserId
from graph_service.memory.forgetting.commit import ForgetResult
from schema.errors import InputError


class Forgettable(StrEnum):
    """Kinds of elements that can be deleted."""

    MESSAGE = "message"
    SCENE = "scene"
    SESSION = "session"
    FACT = "fact"
    ENTITY = "entity"
    USER = "user"


class ForgetArguments(Arguments):
    """Arguments of `forget`."""

    kind: Forgettable = Field(
        description="message, scene, session: deleted as if never said. fact, entity: deleted, but messages stay."
        " user: everything."
    )
    id: str = Field(description="Its id or URI from recall or search_nodes; for sessions and users your own id.")
    user_id: UserId = None
    confirm: bool = Field(False, description="Must be true for kind `user`, after a person has agreed.")


class ForgetAnswer(Result):
    """Counts of what was deleted."""

    messages: int = 0
    scenes: int = 0
    facts: int = 0
    entities: int = 0
    reextracted: int = Field(0, description="Neighbouring messages and scenes that are extracted again.")
    spooled: int = Field(0, description="Deleted messages that were waiting on disk.")


async def delete_element(
    context: ToolContext, caller: Caller, kind: Forgettable, name: str, user_id: str | None
) -> ForgetResult:
    """Delete one element by kind and id."""
    forgetting, tenant = context.memory.forgetting, caller.tenant
    match kind:
        case Forgettable.MESSAGE:
            return await forgetting.message(tenant, name)
        case Forgettable.SCENE:
            return await forgetting.scene(tenant, name)
        case Forgettable.SESSION:
            return await forgetting.session(tenant, caller.user_of(user_id), name)
        case Forgettable.FACT:
            return await forgetting.fact(tenant, name)
        case Forgettable.ENTITY:
            return await forgetting.entity(tenant, name)
        case Forgettable.USER:
            return await forgetting.user(tenant, name)


async def _forget(context: ToolContext, caller: Caller, given: ForgetArguments) -> ForgetAnswer:
    if given.kind is Forgettable.USER and not given.confirm:
        raise InputError(
            f"this deletes all data of user {given.id!r} and is irreversible: ask the person, then call"
            " again with confirm = true"
        )
    done = await delete_element(context, caller, given.kind, given.id, given.user_id)
    return ForgetAnswer.model_validate(done, from_attributes=True)


FORGET = Tool(
    name="forget",
    title="Forget",
    description=(
        "Delete something from memory permanently, with everything derived from it alone (facts, scenes). Call it"
        " when the user asks you to forget something, or to reject a wrong fact so that it is never extracted again."
        " Find the id with recall or search_nodes first. For changed facts, remember the new fact instead."
    ),
    arguments=ForgetArguments,
    answer=ForgetAnswer,
    effect=Effect.DELETES,
    act=_forget,
    administers=lambda given: given.kind is Forgettable.USER,
)
