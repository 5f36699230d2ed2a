"""What questions and readings leave in the measures of the process."""

from collections.abc import Sequence
from typing import Final

from extraction.reading import Reading
from extraction.rule_reader import READER_NAME, TOO_SLOW
from graph_service.measures import FACTS, MODEL_TOKENS, READINGS, RECALL_SIMILARITY, REJECTED
from graph_service.memory.digest_plan import DigestPlan, SceneRead
from graph_service.memory.found import Found

_CALLER: Final = "caller"


def noted(found: Found) -> Found:
    """The same; how near the nearest thing of it is was noted, when vectors were compared."""
    nearest = max((one.cosine for one in found.candidates if one.cosine is not None), default=None)
    if nearest is not None:
        RECALL_SIMILARITY.note(nearest)
    return found


def count_digest(scenes: Sequence[SceneRead], plan: DigestPlan) -> None:
    """Counts what one digest read and wrote; to be called after its commit."""
    for reading in (reading for scene in scenes for reading in scene.readings if reading.reader != _CALLER):
        READINGS.add(_outcome(reading))
    FACTS.add(n=len(plan.facts))
    for rejected in plan.rejected:
        REJECTED.add(rejected.reason)
    MODEL_TOKENS.add("in", n=plan.cost["tokens_in"])
    MODEL_TOKENS.add("out", n=plan.cost["tokens_out"])


def _outcome(reading: Reading) -> str:
    if reading.owed:
        return "budget spent"
    if TOO_SLOW in reading.path:
        return "too slow"
    if reading.reader != READER_NAME:
        return "model" if reading.path in ((), ("model",)) else "model retried"
    return "fell back" if "model" in reading.path else "rules"
