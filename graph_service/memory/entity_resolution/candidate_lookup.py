"""Load the stored entities that mentioned names may refer to."""

from collections.abc import Iterable
from typing import Any

from graph_service.graph.lucene import forms_query, name_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.entity_resolution.resolver import EntityRecord, NameMention, Owner, form_tokens, speaker_in
from schema.entity import EntityRef, EntityType
from schema.ids import name_key, scope_token
from schema.labels import Label


async def load_candidates(graph: Graph, owner: Owner, names: Iterable[NameMention]) -> list[EntityRecord]:
    """Return stored entities that any of the names may refer to, ordered by id."""
    scope = scope_token(owner.tenant, owner.user_id)
    keys = {name_key(mention.name): mention.name for mention in names if not speaker_in(mention.name, owner)}
    searches = [
        {"key": key, "query": name_query(name, scope_user=scope), "forms": forms_query(form_tokens(owner, [name]))}
        for key, name in sorted(keys.items())
        if key
    ]
    if not searches:
        return []
    parameters = {"tenant": owner.tenant, "user_id": owner.user_id, "names": searches}
    rows = await graph.read(statement("entity_resolution/candidates"), parameters)
    return [_record_from_row(row) for row in rows]


def _record_from_row(row: dict[str, Any]) -> EntityRecord:
    kind = EntityType(row["entity_type"]) if row["entity_type"] else None
    entity = from_row(EntityRef, row, label=Label.ENTITY, entity_type=kind)
    return from_row(EntityRecord, row, entity=entity, changed=False, attributes=row["attributes"] or "")
