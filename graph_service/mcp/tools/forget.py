"""The tools `forget` and `update_fact`: delete something with everything derived from it, or correct a fact."""

from enum import StrEnum
from typing import Annotated

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, ToolContext, tool
from graph_service.mcp.tool_schemas import Result, about
from graph_service.mcp.tools.remember import UserId
from graph_service.memory.curation.statements import FactEdit
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


class ForgetAnswer(Result):
    """Counts of what was deleted."""

    messages: int = 0
    scenes: int = 0
    facts: int = 0
    entities: int = 0
    reextracted: Annotated[int, about("Neighbouring messages and scenes that are extracted again.")] = 0
    spooled: Annotated[int, about("Deleted messages that were waiting on disk.")] = 0


class UpdateFactAnswer(Result):
    """The result of a correction."""

    fact_id: Annotated[str | None, about("The fact as corrected; absent while it is being stored.")] = None
    replaced_id: Annotated[str | None, about("The wrong fact.")] = None


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


async def correct_fact(context: ToolContext, caller: Caller, fact_id: str, words: str) -> UpdateFactAnswer:
    """Correct a fact as the person says it, which outranks everything that was extracted."""
    return UpdateFactAnswer.of(
        await context.memory.statements.update(caller.tenant, fact_id, FactEdit(statement=words))
    )


@tool(Effect.DELETES, administers=lambda given: given.kind is Forgettable.USER)
async def forget(
    context: ToolContext,
    caller: Caller,
    kind: Annotated[
        Forgettable,
        about("message, scene, session: deleted as if never said. fact, entity: messages stay. user: everything."),
    ],
    id: Annotated[str, about("Its id or URI from recall; for sessions and users your own id.")],
    user_id: UserId = None,
    confirm: Annotated[bool, about("For kind `user`: true, after a person has agreed.")] = False,
) -> ForgetAnswer:
    """Delete something permanently, with everything derived from it alone, when the user asks to forget it. Find the id
    with recall first.
    """
    if kind is Forgettable.USER and not confirm:
        raise InputError(
            f"this deletes all data of user {id!r} and is irreversible: ask the person, then call again with confirm"
            " = true"
        )
    done = await delete_element(context, caller, kind, id, user_id)
    return ForgetAnswer.of(done)


@tool(Effect.ADDS, "Correct a fact")
async def update_fact(
    context: ToolContext, caller: Caller, id: Annotated[str, about("From recall.")], statement: str
) -> UpdateFactAnswer:
    """Correct a wrong fact. If it was true before, remember the new one instead."""
    return await correct_fact(context, caller, id, statement)
