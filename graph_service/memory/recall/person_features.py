"""Compute the ranking features of questions for an attribute of a person, of which later values replace earlier ones.

"Sold the Tesla, got a VW" is the latest statement about the user's car, and "my sister has a Volvo" is none. Pure.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from extraction.attribute_questions import Attribute, is_about_relative, states_attribute
from extraction.entities.kinship_terms import mentions_tie, tie_words
from extraction.query_analysis import QueryAnalysis, TimeReference
from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.lexical_scores import Floats
from graph_service.memory.recall.query import HitKind
from schema.ids import name_key
from schema.labels import Role
from schema.result_cache import cached_by_chars

# Only this beginning of a text is read, because a recall ranks two hundred texts.
_CHARS_MAX: Final = 2_000
_CACHED_TEXTS: Final = 8_192
_CACHED_CHARS: Final = 4_000_000


def person_features(
    candidates: Sequence[Candidate], analysis: QueryAnalysis, changes: Sequence[bool]
) -> dict[str, Floats]:
    """Return the features of all candidates, each 0 or 1.

    `attribute`: states a value of the attribute asked for. `newest_now`, `newest_dated`: is the user's last statement
    of it that reports a change; for a named time, the last before its end. `of_relative`: is about a relative, and the
    question is not. `second_tie`: names the relative of somebody else that the question is about. `other_tie`: names
    only other relatives than the question.

    Args:
        changes: for each candidate, whether its text reports a change.
    """
    return {**_of_attribute(candidates, analysis, changes), **_of_relatives(candidates, analysis)}


def _of_attribute(
    candidates: Sequence[Candidate], analysis: QueryAnalysis, changes: Sequence[bool]
) -> dict[str, Floats]:
    attribute = analysis.attribute
    if attribute is None:
        return {}
    texts = [one.text[:_CHARS_MAX] for one in candidates]
    states = [_states(text, attribute) for text in texts]
    of_user = not analysis.kinship_words and not analysis.second_ties
    of_relative = [of_user and _about_relative(text) for text in texts]
    features = {"attribute": _column(states), "of_relative": _column(of_relative)}
    if analysis.time_reference is TimeReference.FORMER:
        return features
    dated = analysis.time_reference is TimeReference.DATED
    end = analysis.time.end if dated and analysis.time else None
    reported = [
        one.kind is HitKind.MESSAGE
        and one.role == Role.USER
        and says
        and not other
        and (end is None or one.said_at < end)
        and change
        for one, says, other, change in zip(candidates, states, of_relative, changes, strict=True)
    ]
    last = max((one.said_at for one, found in zip(candidates, reported, strict=True) if found), default=None)
    newest = _column(says and one.said_at == last for one, says in zip(candidates, states, strict=True))
    return {**features, "newest_dated" if dated else "newest_now": newest}


def _of_relatives(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> dict[str, Floats]:
    asked = frozenset((*analysis.kinship_words, *analysis.second_ties))
    if not asked:
        return {}
    texts = [one.text[:_CHARS_MAX] for one in candidates]
    second = frozenset(analysis.second_ties)
    return {
        "second_tie": _column(_mentions(text, second) for text in texts),
        "other_tie": _column(not _mentions(text, asked) and _mentions(text, _ALL_TIES) for text in texts),
    }


_ALL_TIES: Final = frozenset(tie_words())


@cached_by_chars(chars_max=_CACHED_CHARS, entries_max=_CACHED_TEXTS)
def _states(text: str, attribute: Attribute) -> bool:
    return states_attribute(text, attribute)


@cached_by_chars(chars_max=_CACHED_CHARS, entries_max=_CACHED_TEXTS)
def _about_relative(text: str) -> bool:
    return is_about_relative(text)


@cached_by_chars(chars_max=_CACHED_CHARS, entries_max=_CACHED_TEXTS)
def _mentions(text: str, words: frozenset[str]) -> bool:
    return bool(words) and mentions_tie(name_key(text), words)


def _column(values: Iterable[float]) -> Floats:
    return np.fromiter(values, np.float64)
