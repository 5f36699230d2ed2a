"""The tools `forget` and `update_fact`: delete something with everything derived from it, or correct a fact."""

from enum import StrEnum

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
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


class UpdateFactArguments(Arguments):
    """Arguments of `update_fact`."""

    id: str
    statement: str


class UpdateFactAnswer(Result):
    """The result of a correction."""

    fact_id: str | None = Field(None, description="The fact as corrected; absent while it is being stored.")
    replaced_id: str | None = Field(None, description="The wrong fact.")


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


async def correct_fact(context: ToolContext, caller: Caller, fact_id: str, words: str) -> UpdateFactAnswer:
    """Correct a fact as the person says it, which outranks everything that was extracted."""
    done = await context.memory.statements.update(caller.tenant, fact_id, FactEdit(statement=words))
    return UpdateFactAnswer(fact_id=done.fact_id, replaced_id=done.replaced_id)


async def _update_fact(context: ToolContext, caller: Caller, given: UpdateFactArguments) -> UpdateFactAnswer:
    return await correct_fact(context, caller, given.id, given.statement)


FORGET = Tool(
    name="forget",
    title="Forget",
    description=(
        "Delete something permanently, with everything derived from it alone. Call it when the user asks to forget"
        " something. Find the id with recall or search_nodes first."
    ),
    arguments=ForgetArguments,
    answer=ForgetAnswer,
    effect=Effect.DELETES,
    act=_forget,
    administers=lambda given: given.kind is Forgettable.USER,
)
UPDATE_FACT = Tool(
    name="update_fact",
    title="Correct a fact",
    description="Correct a wrong fact. If it was true before, remember the new one instead.",
    arguments=UpdateFactArguments,
    answer=UpdateFactAnswer,
    effect=Effect.ADDS,
    act=_update_fact,
)
