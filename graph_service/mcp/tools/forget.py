"""The tool `forget`: takes something out of a memory, with all that follows from it."""

from enum import StrEnum

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.mcp.tools.remember import UserId
from graph_service.memory.forgetting.commit import ForgetResult
from schema.errors import InputError


class Forgettable(StrEnum):
    """What can be forgotten."""

    MESSAGE = "message"
    SCENE = "scene"
    SESSION = "session"
    FACT = "fact"
    ENTITY = "entity"
    USER = "user"


class ForgetArguments(Arguments):
    """What `forget` takes."""

    kind: Forgettable = Field(
        description="message, scene, session: as if never said. fact, entity: unlearned, what was said stays."
        " user: everything."
    )
    id: str = Field(description="Its id or URI, as recall and search_nodes tell it; your own id of a session or user.")
    user_id: UserId = None
    confirm: bool = Field(False, description="Must be true for kind `user`, after a person agreed.")


class ForgetAnswer(Result):
    """What was taken away."""

    messages: int = 0
    scenes: int = 0
    facts: int = 0
    entities: int = 0
    read_again: int = Field(0, description="Messages and scenes near them that are read again in the background.")
    spooled: int = Field(0, description="Messages that waited on disk.")


async def forgotten(
    context: ToolContext, caller: Caller, kind: Forgettable, name: str, user_id: str | None
) -> ForgetResult:
    """Forget one thing."""
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
            f"this would forget everything of user {given.id!r} and cannot be taken back: ask the person, then call"
            " again with confirm = true"
        )
    done = await forgotten(context, caller, given.kind, given.id, given.user_id)
    return ForgetAnswer.model_validate(done, from_attributes=True)


FORGET = Tool(
    name="forget",
    title="Forget",
    description=(
        "Take something out of memory for good, with everything that rests on it alone (facts, scenes). Call it"
        " when the user asks you to forget something, or to reject a wrong fact so that it is never learned again."
        " Find the id with recall or search_nodes first. Not for things that changed: remember the new fact instead."
    ),
    arguments=ForgetArguments,
    answer=ForgetAnswer,
    effect=Effect.DELETES,
    act=_forget,
    administers=lambda given: given.kind is Forgettable.USER,
)
