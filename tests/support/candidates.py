"""Builders of recall candidates, as the recall statement returns them."""

from graph_service.memory.recall.candidates import Candidate, CandidateSet, MessageInContext
from graph_service.memory.recall.query import HitKind
from tests.support.builders import NOON


def a_candidate(name: str, kind: HitKind = HitKind.MESSAGE, **more: object) -> Candidate:
    """Return a candidate with defaults for all other fields."""
    values: dict[str, object] = {
        "kind": kind,
        "id": name,
        "scores": {},
        "cosine": None,
        "uri": f"memory://t/{name}",
        "text": name,
        "title": None,
        "role": "user",
        "speaker": None,
        "said_at": NOON,
        "importance": 5,
        "unread": False,
    }
    return Candidate(**{**values, **more})  # type: ignore[arg-type]


def told(line: MessageInContext) -> Candidate:
    """Return the candidate of a message."""
    return a_candidate(line.id, cosine=line.cosine, text=line.text, speaker=line.speaker, said_at=line.said_at)


def all_found(*lines: MessageInContext) -> CandidateSet:
    """Return a candidate set in which every message is a candidate."""
    return CandidateSet(candidates=tuple(map(told, lines)), lines=lines)
