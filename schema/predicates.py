"""The predicates that facts may have, read from `predicates.toml` and checked once."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from schema.errors import InstallError
from schema.labels import Label

# Predicates of likes and dislikes.
TASTES: Final = frozenset({"PREFERS", "DISLIKES"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """One allowed relationship type.

    Attributes:
        en, zh: description for prompts and documentation.
        opposite: a predicate that cannot be valid for the same subject and object at the same time.
    """

    name: str
    subjects: frozenset[Label]
    objects: frozenset[Label]
    en: str
    zh: str
    opposite: str | None


@cache
def whitelist() -> dict[str, Predicate]:
    """Return all predicates by name, in the order of the file.

    Raises:
        InstallError: the file names an unknown label or an opposite that is not listed.
    """
    rows = tomllib.loads(files("schema").joinpath("predicates.toml").read_text(encoding="utf-8"))
    predicates: dict[str, Predicate] = {}
    for name, row in rows.items():
        try:
            predicates[name] = Predicate(
                name=name,
                subjects=frozenset(Label(label) for label in row["subject"]),
                objects=frozenset(Label(label) for label in row["object"]),
                en=row["en"],
                zh=row["zh"],
                opposite=row.get("opposite"),
            )
        except (KeyError, ValueError) as error:
            raise InstallError(
                f"schema/predicates.toml: {name} is incomplete or names a wrong label: {error}"
            ) from error
    for predicate in predicates.values():
        if predicate.opposite is not None and predicate.opposite not in predicates:
            raise InstallError(
                f"schema/predicates.toml: {predicate.name} has the unknown opposite {predicate.opposite!r}"
            )
    return predicates


def fact_predicates() -> tuple[str, ...]:
    """Return the predicates of facts, in the order of the file: all but those that only a scene has (MENTIONED)."""
    return tuple(name for name, rule in whitelist().items() if rule.subjects != {Label.SCENE})


def allowed(subject: Label, predicate: str, obj: Label) -> bool:
    """Return True if a relationship of this type may connect nodes with these labels."""
    rule = whitelist().get(predicate)
    return rule is not None and subject in rule.subjects and obj in rule.objects
