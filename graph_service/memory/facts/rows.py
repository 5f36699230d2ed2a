"""Convert facts between relationship properties and `Fact`. Pure."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from pydantic import TypeAdapter

from extraction.text.near_duplicates import bands, simhash
from graph_service.graph.rows import from_row, to_row
from graph_service.memory.facts.claims import PlannedFact
from graph_service.memory.facts.conflict_resolution import content_of
from schema.assertion import Closing, assertion_text, parse_assertion
from schema.fact import ExtractedValues, Fact, FactDetail, FactKind
from schema.ids import TenantId, scope_token

_EXTRACTED_VALUES: Final = TypeAdapter(ExtractedValues)
# Fields of a fact that are stored as they are.
_PROPERTIES: Final = (
    *("uri", "relation", "statement", "base_strength", "strength", "confidence", "importance", "reader", "slot"),
    *("first_seen", "last_seen", "valid_at", "invalid_at", "closed_by", "closing_reason", "known_at"),
    *("closing_known_at", "trigger_emotion", "evidence", "scenes", "ignored_closings", "corrections", "wordings"),
)
# Neo4j stores no nulls.
_NOT_STORED: Final = dict.fromkeys(("relation", "invalid_at", "closed_by", "trigger_emotion"))


def fact_from_row(row: Mapping[str, Any]) -> Fact:
    """Return the fact in a row with the columns `subject_id`, `object_id`, `predicate` and `properties`."""
    stored = row["properties"]
    return from_row(
        Fact,
        _NOT_STORED | stored,
        subject_id=row["subject_id"],
        object_id=row["object_id"],
        predicate=row["predicate"],
        detail=from_row(FactDetail, stored, kind=FactKind(stored["kind"])),
        closing_reason=Closing(stored["closing_reason"]) if stored.get("closing_reason") else None,
        assertions=tuple(parse_assertion(text) for text in stored.get("assertions") or ()),
        object_name=row.get("object_name"),
        extracted=_EXTRACTED_VALUES.validate_json(stored["extracted"]) if stored.get("extracted") else None,
    )


def fact_row(planned: PlannedFact, *, tenant: TenantId, user_id: str, recorded_at: datetime) -> dict[str, Any]:
    """Return the row of `facts/put_facts` for a planned fact; `recorded_at` is set only when the fact is new."""
    fact = planned.fact
    content = content_of(fact)
    properties: dict[str, Any] = {
        **to_row(fact, _PROPERTIES),
        **to_row(fact.detail, FactDetail.__dataclass_fields__),
        "user_id": user_id,
        "attribute": content.attribute,
        "replaces": sorted(content.replaces) or None,
        "quotes": list(fact.quotes),
        "assertions": [assertion_text(assertion) for assertion in fact.assertions] or None,
        "extracted": json.dumps(asdict(fact.extracted), default=str, ensure_ascii=False) if fact.extracted else None,
        "similarity_keys": bands(simhash(fact.statement)) if fact.statement else None,
        "scope_tenant": scope_token(tenant),
        "scope_user": scope_token(tenant, user_id),
    }
    if planned.before is None:
        properties["recorded_at"] = recorded_at
    return {**to_row(fact, ("id", "subject_id", "object_id", "predicate")), "properties": properties}
