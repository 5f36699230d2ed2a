"""Import a Graphiti database: episodes become messages, facts keep their validity periods."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from graph_service.importers.import_batch import Conversation, ImportBatch
from schema.entity import EntityType
from schema.ids import name_key
from schema.message import ProvidedFact

_TYPES: Final = frozenset(one.value for one in EntityType)
Row = Mapping[str, Any]


def from_graphiti(
    episodes: Iterable[Row], facts: Sequence[Row], counts: Mapping[str, int], *, user_id: str | None
) -> ImportBatch:
    """Return episodes and facts as calls of `remember`, one session per group.

    Args:
        episodes, facts: rows of `importers/graphiti_episodes` and `importers/graphiti_facts`.
        counts: numbers of elements that are not imported, by kind.
        user_id: owner of all memories; if None, each group is a user.
    """
    batch = ImportBatch(dropped=+Counter({f"{name} of Graphiti": number for name, number in counts.items()}))
    conversations: dict[str, Conversation] = {}
    message_places: dict[str, tuple[str, int]] = {}
    for row in episodes:
        group = row["group_id"] or "default"
        conversation = _conversation_of(conversations, group, user_id)
        place = conversation.add_message(
            batch,
            row["content"] or "",
            message_id=row["uuid"],
            time=_datetime_or_none(row["valid_at"] or row["created_at"]),
        )
        if place is not None:
            message_places[row["uuid"]] = (group, place)
    for row in facts:
        group = row["group_id"] or "default"
        conversation = _conversation_of(conversations, group, user_id)
        evidence = sorted(
            {message_places[name][1] for name in row["episodes"] or () if message_places.get(name, ("",))[0] == group}
        )
        if not evidence:
            # Without episodes, the text of the fact becomes a message.
            at = _datetime_or_none(row["valid_at"] or row["created_at"])
            place = conversation.add_message(
                batch, row["fact"] or "", message_id=row["uuid"], role="assistant", time=at
            )
            evidence = [] if place is None else [place]
        if evidence and row["source"] and row["target"]:
            conversation.facts.append(_fact(row, evidence))
            batch.kept["facts"] += 1
        else:
            batch.dropped["facts without words or without ends"] += 1
    batch.calls = [call for conversation in conversations.values() for call in conversation.calls()]
    batch.kept["groups"] = len(conversations)
    return batch


def _conversation_of(conversations: dict[str, Conversation], group: str, user_id: str | None) -> Conversation:
    if group not in conversations:
        conversations[group] = Conversation(user_id=user_id or group, session_id=f"graphiti-{group}")
    return conversations[group]


def _fact(row: Row, evidence: list[int]) -> ProvidedFact:
    valid_at, invalid_at = _datetime_or_none(row["valid_at"]), _datetime_or_none(row["invalid_at"] or row["expired_at"])
    return ProvidedFact(
        subject=row["source"],
        predicate="RELATES_TO",
        object=row["target"],
        relation=(row["name"] or "relates to").replace("_", " ").lower(),
        statement=row["fact"] or f"{row['source']} {row['name']} {row['target']}",
        subject_type=_entity_type(row["source_labels"]),
        object_type=_entity_type(row["target_labels"]),
        valid_at=valid_at,
        # Expired before it began: an empty validity period.
        invalid_at=max(invalid_at, valid_at) if invalid_at and valid_at else invalid_at,
        message_indexes=tuple(evidence),
    )


def _entity_type(labels: Sequence[str] | None) -> str | None:
    return next((name_key(label) for label in labels or () if name_key(label) in _TYPES), None)


def _datetime_or_none(value: Any) -> datetime | None:
    return value if isinstance(value, datetime) else None
