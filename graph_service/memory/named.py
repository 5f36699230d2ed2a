"""Whom and what a question names, for the statement that looks for it and for what it is tied to. Pure."""

from collections.abc import Sequence
from typing import Any

from extraction.kin_words import own_ties_in, ties_in
from graph_service.graph.lucene import scoped_query
from graph_service.memory.question import name_keys
from graph_service.memory.signals import Asked
from schema.ids import name_key

# A memory of 100,000 messages has thousands of edges at one name; to look at 3,000 facts takes 50 ms.
_LINKS = 400
# So two facts away at most 20 times 40 are looked at.
_WAYS, _CROWD = 20, 40


def named_parameters(text: str, *, scope_user: str) -> dict[str, Any]:
    """What `read/recall` is told of the names in a question."""
    ties = own_ties_in(text)
    return {
        "entity_keys": name_keys(text),
        "tie_words": ties,
        "tie_query": scoped_query(ties, fields=["relation"], scope_user=scope_user, days=False),
        "links": _LINKS,
        "ways": _WAYS,
        "crowd": _CROWD,
    }


def also_meant(text: str, hints: Sequence[str], asked: Asked) -> list[str]:
    """A hint and "my sister" bring what mentions the name, but do not count as naming a speaker."""
    keys = (*(name_key(hint) for hint in hints), *ties_in(text))
    return [key for key in keys if key and key not in asked.name_keys]
