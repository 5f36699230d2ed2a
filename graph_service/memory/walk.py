"""How near each thing found is to what the question names, along what ties them: a walk that restarts there. Pure.

Source: Page et al. 1999, personalised PageRank; Gutiérrez et al. 2024, HippoRAG, which restarts it at what is named.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from graph_service.memory.found import Found
from graph_service.memory.lexical import Floats
from graph_service.memory.question import Kind

_RESTART: Final = 0.3
# What is left of a mistake after so many steps: 0.7 to the power of 12, about a hundredth.
_STEPS: Final = 12
# Where the walk begins: beside everything that mentions or concerns what is named.
_NAMED: Final = 0


def closeness(found: Found) -> Floats:
    """For each candidate 0…1, the nearest has 1; all 0 when the question names nothing that is tied to anything.

    A fact is tied to its subject, its object and the messages that prove it, a message to the next of its session. The
    user and the agent are left out: through them everything is tied to everything.
    """
    candidates = found.candidates
    none = np.zeros(len(candidates))
    named = [at for at, one in enumerate(candidates, start=1) if "entity" in one.scores]
    if not named:
        return none
    places = {(one.kind, one.id): at for at, one in enumerate(candidates, start=1)}
    ties = [(_NAMED, at) for at in named]
    ties += [*_of_facts(found, places), *_of_talks(found, places)]
    nodes_n = max(max(pair) for pair in ties) + 1
    one_way = np.array(ties, np.intp).T
    here, there = np.concatenate([one_way, one_way[::-1]], axis=1)
    share = 1.0 / np.bincount(here, minlength=nodes_n)[here]
    start = np.zeros(nodes_n)
    start[_NAMED] = 1.0
    stands = start
    for _ in range(_STEPS):
        stands = _RESTART * start + (1.0 - _RESTART) * np.bincount(there, stands[here] * share, minlength=nodes_n)
    near = np.concatenate([stands, none])[1 : len(candidates) + 1]
    closest = near.max(initial=0.0)
    return near / closest if closest > 0 else none


def ways_to(found: Found) -> dict[int, list[int]]:
    """For each fact two steps from what is named, by its place, the places of the facts that lead to it."""
    leading: dict[str, list[int]] = {}
    for at, one in enumerate(found.candidates):
        for end in one.ends if "entity" in one.scores else ():
            leading.setdefault(end, []).append(at)
    return {
        at: sorted({before for end in one.ends for before in leading.get(end, ())})
        for at, one in enumerate(found.candidates)
        if one.ends and "hop" in one.scores
    }


def _of_facts(found: Found, places: Mapping[tuple[Kind, str], int]) -> Iterator[tuple[int, int]]:
    beings: dict[str, int] = {}
    for fact in (one for one in found.candidates if one.kind is Kind.FACT):
        at = places[Kind.FACT, fact.id]
        for end in fact.ends:
            yield at, beings.setdefault(end, len(found.candidates) + 1 + len(beings))
        for proof in fact.proofs:
            if (told := places.get((Kind.MESSAGE, proof))) is not None:
                yield at, told


def _of_talks(found: Found, places: Mapping[tuple[Kind, str], int]) -> Iterator[tuple[int, int]]:
    for before, line in zip(found.lines, found.lines[1:], strict=False):
        here, there = places.get((Kind.MESSAGE, before.id)), places.get((Kind.MESSAGE, line.id))
        if before.session == line.session and here is not None and there is not None:
            yield here, there
