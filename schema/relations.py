"""Labels of frequent relations and their synonyms, read from `relations.toml` and checked once."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from schema.errors import InstallError
from schema.ids import name_key
from schema.predicates import whitelist

_DEFAULT_PREDICATE = "RELATES_TO"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationLabel:
    """A label that rules assign and models are told to use.

    Attributes:
        zh: the label in Chinese, for the viewer.
        synonyms: other wordings, in both languages, that mean the same relation.
    """

    label: str
    predicate: str
    zh: str
    synonyms: tuple[str, ...]


@cache
def relation_labels() -> dict[str, RelationLabel]:
    """Return all relation labels in the order of the file, keyed by the label.

    Raises:
        InstallError: the file names an unknown predicate, or a wording twice.
    """
    rows = tomllib.loads(files("schema").joinpath("relations.toml").read_text(encoding="utf-8"))
    labels = {
        label: RelationLabel(
            label=label,
            predicate=row.get("predicate", _DEFAULT_PREDICATE),
            zh=row.get("zh", label),
            synonyms=tuple(row["synonyms"].split("|")) if "synonyms" in row else (),
        )
        for label, row in rows.items()
    }
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
