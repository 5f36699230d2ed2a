"""Check stored rows for inconsistencies. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from extraction.embeddings.embedder import spoken
from extraction.text.chinese import is_chinese
from schema.ids import content_hash
from schema.timespan import iso


class Problem(StrEnum):
    """A kind of inconsistency."""

    TEXT_CHANGED = "text_changed"
    VECTOR_MISSING = "vector_missing"
    VECTOR_SIZE_MISMATCH = "vector_size_mismatch"
    MESSAGE_WITHOUT_SCENE = "message_without_scene"
    MESSAGE_DAMAGED = "message_damaged"
    SCENE_EMPTY = "scene_empty"
    FACT_WITHOUT_EVIDENCE = "fact_without_evidence"
    NODE_ORPHANED = "node_orphaned"
    JOB_MISSING = "job_missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRepair:
    """The repair of one message.

    Attributes:
        content_hash: hash of the stored text.
        embed, extract: the message must be embedded again, or extracted again.
    """

    id: str
    user_id: str
    session: str
    content_hash: str
    embed: bool
    extract: bool
    problems: tuple[Problem, ...]


# Properties without which a message cannot be read, and their types.
_REQUIRED: Final = {"user_id": str, "session": str, "role": str, "text": str, "said_at": datetime, "content_hash": str}


def is_damaged(row: Mapping[str, Any]) -> bool:
    """Return whether a message lacks a required property or has one of another type, so that it cannot be repaired."""
    typed = all(isinstance(row[name], kind) for name, kind in _REQUIRED.items())
    return not typed or not isinstance(row["speaker"], str | None)


def check_message(row: Mapping[str, Any], dim: int | None, *, tokens: bool = False) -> MessageRepair | None:
    """Return the repair of a message; None if it is consistent.

    Args:
        dim: vector dimension; None without an embedder.
        tokens: token vectors are required too, except for mostly Chinese texts.
    """
    problems: list[Problem] = []
    # The hash includes the time only if the caller gave one.
    hashes = [content_hash(row["role"], row["speaker"] or "", s, row["text"]) for s in (iso(row["said_at"]) or "", "")]
    if row["content_hash"] not in hashes:
        problems.append(Problem.TEXT_CHANGED)
    # Blank texts have no vector.
    is_pending = row["unembedded"] or not row["text"].strip()
    problems += _vector_problems([row["vector_dim"]], dim, pending=is_pending)
    if tokens and not problems and not is_pending and not row["has_tokens"]:
        problems += [] if is_chinese(spoken(row["speaker"], row["text"])) else [Problem.VECTOR_MISSING]
    if not row["in_scene"] and not row["unread"] and not row["never_read"]:
        problems.append(Problem.MESSAGE_WITHOUT_SCENE)
    if not problems:
        return None
    return MessageRepair(
        id=row["id"],
        user_id=row["user_id"],
        session=row["session"],
        content_hash=hashes[0] if Problem.TEXT_CHANGED in problems else row["content_hash"],
        embed=dim is not None and bool(set(problems) - {Problem.MESSAGE_WITHOUT_SCENE}),
        extract=bool({Problem.MESSAGE_WITHOUT_SCENE, Problem.TEXT_CHANGED} & set(problems)),
        problems=tuple(problems),
    )


def check_scene(row: Mapping[str, Any], dim: int | None) -> list[Problem]:
    """Return the problems of a scene; only `SCENE_EMPTY` if it has no messages."""
    if not row["messages"]:
        return [Problem.SCENE_EMPTY]
    return _vector_problems([row["abstract_dim"], row["overview_dim"]], dim, pending=row["unembedded"])


def check_fact(row: Mapping[str, Any], dim: int) -> list[Problem]:
    """Return the problems of the vector of a fact that has a statement and is not waiting to be embedded."""
    return _vector_problems([row["dim"]], dim, pending=False)


def check_item(row: Mapping[str, Any], dim: int | None) -> list[Problem]:
    """Return the problems of the vector of an item."""
    return _vector_problems([row["vector_dim"]], dim, pending=row["unembedded"]) if row["has_text"] else []


def _vector_problems(dims: Sequence[int | None], dim: int | None, *, pending: bool) -> list[Problem]:
    if dim is None or pending:
        return []
    if None in dims:
        return [Problem.VECTOR_MISSING]
    return [Problem.VECTOR_SIZE_MISMATCH] if any(one != dim for one in dims) else []
