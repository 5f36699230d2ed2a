"""Where planning is computed: on the event loop while it is small, else in a thread that has a deadline."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from extraction.bounded_threads import THREADS
from graph_service.memory.consolidation.plan import SceneExtraction
from schema.fact import KnownFact

T = TypeVar("T")

# Planning reads the words for time of each message; of more text than this, away from the event loop.
PLANNED_HERE_CHARS: Final = 20_000
# A fact, brought or known, costs about as much as so many characters; so does each telling of it, or place it was said.
FACT_CHARS: Final = 200
TOLD_CHARS: Final = 10


def planned_chars(scenes: Sequence[SceneExtraction], known: Sequence[KnownFact]) -> int:
    """Return about how much there is to plan: text, facts with the messages that say them, and facts known before."""
    text = sum(len(message.text) for read in scenes for message in read.scene.messages)
    quotes = sum(len(fact.quotes) for read in scenes for reading in read.readings for fact in reading.facts)
    told = sum(len(fact.told) for fact in known)
    return text + FACT_CHARS * (facts_in(scenes) + len(known)) + TOLD_CHARS * (quotes + told)


def facts_in(scenes: Sequence[SceneExtraction]) -> int:
    """Return how many facts were read from some scenes or brought with them."""
    return sum(len(reading.facts) for read in scenes for reading in read.readings)


async def computed(work: Callable[[], T], chars: int) -> T:
    """Return what the work returns; away from the event loop when it is about more than a few characters.

    Raises:
        TooSlowError: it took longer than it may, and was stopped.
    """
    return work() if chars <= PLANNED_HERE_CHARS else await THREADS.run(work)
