"""Names that the user told go with the words that told them, and others who said them may have meant somebody else."""

from collections.abc import Iterable, Sequence

from extraction.name_forms import all_forms
from graph_service.graph.statements import statement
from graph_service.graph.store import Row, Writing
from graph_service.memory.names_said import names_said
from schema.ids import TenantId, UserId, memory_id, user_uri


async def forget_own_names(
    writing: Writing,
    tenant: TenantId,
    user_id: UserId,
    messages: Sequence[Row],
    learned: Iterable[frozenset[str]],
) -> set[str]:
    """Takes from the user what forgotten messages, or what must not be learned again, may have told of their names.

    What is left tells the names anew when it is read again.

    Args:
        learned: spellings of what must not be learned again.

    Returns:
        Ids of the scenes in which such a name is said; they must be read again without what was read from them.
    """
    user = {"tenant": tenant, "user_node_id": memory_id(user_uri(tenant, user_id))}
    rows = await writing.run(statement("read/own_names"), user)
    if not rows:
        return set()
    aliases, called, since = rows[0]["aliases"], rows[0]["called"], rows[0]["called_since"]
    texts, spelled = [row["text"] for row in messages], frozenset[str]().union(*learned)
    gone = names_said(called, texts)
    gone |= {name for name in called if not spelled.isdisjoint({name, *all_forms(name)})}
    if not gone:
        return set()
    left = [(name, at) for name, at in zip(called, since, strict=True) if name not in gone]
    names = {
        "aliases": [name for name in aliases if name not in gone],
        "called": [name for name, _ in left] or None,
        "called_since": [at for _, at in left] or None,
    }
    await writing.run(statement("write/set_own_names"), {**user, "names": names})
    saying = {"tenant": tenant, "user_id": user_id, "names": sorted(name.lower() for name in gone)}
    found = await writing.run(statement("read/scenes_saying"), saying)
    return {row["id"] for row in found}
