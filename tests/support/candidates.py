"""Builders of recall candidates, for tests and benchmarks."""

from typing import Any

from graph_service.memory.recall.candidates import Candidate, CandidateSet
from graph_service.memory.recall.query import HitKind
from tests.support.builders import NOON


def a_candidate(name: str, kind: HitKind = HitKind.MESSAGE, **more: Any) -> Candidate:
    """Return a candidate with defaults for all fields."""
    uri = f"memory://t/{name}"
    return Candidate(
        **{"kind": kind, "id": name, "uri": uri, "text": name, "role": "user", "said_at": NOON, "importance": 5, **more}
    )


def all_found(*messages: Candidate) -> CandidateSet:
    """Return a candidate set of messages, all of which matched."""
    return CandidateSet(candidates=messages, messages=messages)
