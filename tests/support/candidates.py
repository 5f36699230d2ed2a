"""Candidates of a ranking as the recall statement would have found them, for tests and benches."""

from graph_service.memory.recall.candidates import Candidate, CandidateSet, MessageInContext
from graph_service.memory.recall.query import HitKind
from tests.support.builders import NOON


def a_candidate(name: str, kind: HitKind = HitKind.MESSAGE, **more: object) -> Candidate:
    """Something found, with a default for all that does not matter."""
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
    """A message of a conversation as a candidate."""
    return a_candidate(line.id, cosine=line.cosine, text=line.text, speaker=line.speaker, said_at=line.said_at)


def all_found(*lines: MessageInContext) -> CandidateSet:
    """Messages of conversations, each of them a candidate."""
    return CandidateSet(candidates=tuple(map(told, lines)), lines=lines)
