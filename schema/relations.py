"""Labels of frequent relations and their synonyms, read from `relations.toml` and checked once."""

import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Final

from pydantic import TypeAdapter

from schema.errors import InstallError
from schema.ids import name_key
from schema.predicates import Phrases, fact_predicates, validated, whitelist

_DEFAULT_PREDICATE = "RELATES_TO"
# Characters of an unknown predicate that are compared with the known ones.
_WORDING_CHARS_MAX: Final = 100
_TASTES: Final = ("PREFERS", "DISLIKES")
_FAVORITE: Final = re.compile(
    r"\s*(?:(?:my|his|her|their|has|user'?s)[ _])*favou?rite[ _]|最(?:喜欢|爱)的", re.IGNORECASE
)
# A boundary between two words of `livesIn`.
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationLabel:
    """A label that rules assign and models are told to use.

    Attributes:
        zh: the label in Chinese, for the viewer.
        synonyms: other wordings, in both languages, that mean the same relation.
    """

    label: str
    predicate: str = _DEFAULT_PREDICATE
    zh: str
    synonyms: Phrases = ()


_LABELS: Final = TypeAdapter(dict[str, RelationLabel])


@cache
def relation_labels() -> dict[str, RelationLabel]:
    """Return all relation labels in the order of the file, keyed by the label.

    Raises:
        InstallError: the file names an unknown predicate, or a wording twice.
    """
    rows = tomllib.loads(files("schema").joinpath("relations.toml").read_text(encoding="utf-8"))
    complete = {label: {"label": label, "zh": label, **row} for label, row in rows.items()}
    labels = validated(_LABELS, complete, "relations.toml")
    meaning: dict[str, str] = {}
    for one in labels.values():
        if one.predicate not in whitelist():
            raise InstallError(
                f"schema/relations.toml: {one.label!r} names the unknown predicate {one.predicate!r}; use one of"
                f" {', '.join(whitelist())}"
            )
        for wording in {name_key(text) for text in (one.label, *one.synonyms)}:
            if meaning.setdefault(wording, one.label) != one.label:
                raise InstallError(
                    f"schema/relations.toml: {wording!r} stands at {meaning[wording]!r} and at {one.label!r}; keep one"
                )
    return labels


def labels_of(predicate: str) -> list[str]:
    """Return the relation labels of a predicate in alphabetical order, as in prompts."""
    return sorted(one.label for one in relation_labels().values() if one.predicate == predicate)


@cache
def _canonical() -> dict[str, str]:
    return {
        name_key(word): one.label
        for one in relation_labels().values()
        if one.synonyms
        for word in (one.label, *one.synonyms)
    }


def canonical_relation(relation: str | None) -> str | None:
    """Return the canonical label of a relation; the text itself if it has no synonyms, None if it is empty."""
    cleaned = (relation or "").strip()
    if not cleaned:
        return None
    return _canonical().get(name_key(cleaned.replace("_", " ")), cleaned)


def predicate_and_relation(predicate: str, relation: str | None) -> tuple[str, str | None] | None:
    """Return the predicate of facts that a caller or a model means, with its relation; None if it means none.

    Spelling variants (`relates to`, `relates-to`, `RelatesTo`), synonyms (`likes`, `讨厌`) and relation labels in place
    of a predicate (`lives_in` means RELATES_TO with the relation `lives in`) are all understood. A relation that only
    repeats a liking (PREFERS or RELATES_TO with `loves`) is dropped, and a favorite is a liking, so that one liking has
    one wording.
    """
    wording = _wording(predicate)
    name = predicate if predicate in fact_predicates() else _predicate_names().get(wording)
    if name is not None:
        means = _predicate_names().get(_wording(relation or ""))
        if means in _TASTES and name in (means, _DEFAULT_PREDICATE):
            return means, None
        is_favorite = name == _DEFAULT_PREDICATE and _FAVORITE.match(relation or "") is not None
        return ("PREFERS" if is_favorite else name), relation
    if (label := _relation_names().get(wording)) is None:
        return None
    own = canonical_relation(relation)
    return relation_labels()[label].predicate, own if own in relation_labels() else label


def nearest_predicate(predicate: str) -> str:
    """Return the predicate whose name or synonym is spelled most like an unknown one; RELATES_TO if none is alike."""
    close = get_close_matches(_wording(predicate), _predicate_names(), n=1, cutoff=0.7)
    return _predicate_names()[close[0]] if close else _DEFAULT_PREDICATE


def _wording(predicate: str) -> str:
    return name_key(re.sub(r"[-_]", " ", _CAMEL.sub(" ", predicate[:_WORDING_CHARS_MAX])))


@cache
def _predicate_names() -> dict[str, str]:
    rules = [whitelist()[name] for name in fact_predicates()]
    return {_wording(word): one.name for one in rules for word in (one.name, one.label.en, one.label.zh, *one.synonyms)}


@cache
def _relation_names() -> dict[str, str]:
    return {_wording(word): one.label for one in relation_labels().values() for word in (one.label, *one.synonyms)}
