"""Graphiti's memory: episodes as messages, its facts with the times in which they held."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from graph_service.importers.import_batch import Conversation, ImportBatch
from schema.entity import EntityType
from schema.ids import name_key
from schema.message import ProvidedFact

_NAME: Final = "Graphiti"
_TYPES: Final = frozenset(one.value for one in EntityType)
Row = Mapping[str, Any]


def from_graphiti(
    episodes: Iterable[Row], facts: Sequence[Row], counts: Mapping[str, int], *, user_id: str | None
) -> ImportBatch:
    """Return episodes and facts as calls of `remember`, one session for each group.

    Args:
        episodes, facts: rows of `importers/graphiti_episodes` and `importers/graphiti_facts`.
        counts: of what is left out, by name.
        user_id: whose memory it is; else each group is a user.
    """
    found = ImportBatch(dropped=_counted(counts))
    talks: dict[str, Conversation] = {}
    places: dict[str, tuple[str, int]] = {}
    for row in episodes:
        group = row["group_id"] or "default"
        talk = _talk(talks, group, user_id)
        place = talk.say(
            found, row["content"] or "", message_id=row["uuid"], time=_moment(row["valid_at"] or row["created_at"])
        )
        if place is not None:
            places[row["uuid"]] = (group, place)
    for row in facts:
        group = row["group_id"] or "default"
        talk = _talk(talks, group, user_id)
        proofs = sorted({places[name][1] for name in row["episodes"] or () if places.get(name, ("",))[0] == group})
        if not proofs:
            # Its episodes are gone; the fact itself is what was said.
            at = _moment(row["valid_at"] or row["created_at"])
            place = talk.say(found, row["fact"] or "", message_id=row["uuid"], role="assistant", time=at)
            proofs = [] if place is None else [place]
        if proofs and row["source"] and row["target"]:
            talk.facts.append(_fact(row, proofs))
            found.kept["facts"] += 1
        else:
            found.dropped["facts without words or without ends"] += 1
    found.calls = [call for talk in talks.values() for call in talk.calls()]
    found.kept["groups"] = len(talks)
    return found


def _talk(talks: dict[str, Conversation], group: str, user_id: str | None) -> Conversation:
    if group not in talks:
        talks[group] = Conversation(user_id=user_id or group, session_id=f"graphiti-{group}")
    return talks[group]


def _fact(row: Row, proofs: list[int]) -> ProvidedFact:
    begins, ends = _moment(row["valid_at"]), _moment(row["invalid_at"] or row["expired_at"])
    return ProvidedFact(
        subject=row["source"],
        predicate="RELATES_TO",
        object=row["target"],
        relation=(row["name"] or "relates to").replace("_", " ").lower(),
        statement=row["fact"] or f"{row['source']} {row['name']} {row['target']}",
        subject_type=_type(row["source_labels"]),
        object_type=_type(row["target_labels"]),
        valid_at=begins,
        # A fact that was taken back before it began never held at all.
        invalid_at=max(ends, begins) if ends and begins else ends,
        message_indexes=tuple(proofs),
    )


def _type(labels: Sequence[str] | None) -> str | None:
    return next((name_key(label) for label in labels or () if name_key(label) in _TYPES), None)


def _moment(value: Any) -> datetime | None:
    return value if isinstance(value, datetime) else None


def _counted(counts: Mapping[str, int]) -> Counter[str]:
    return +Counter({f"{name} of {_NAME}": number for name, number in counts.items()})
