"""The predicates of facts and the groups of the viewer, read from two TOML files and checked once."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from schema.entity import EntityType
from schema.errors import InstallError
from schema.labels import Label
from schema.profile import Category

SECTORS: Final = ("likes", "cares", "linked", "dislikes")
# Predicates of this sector say little: relation, category and type decide.
OTHER_SECTOR: Final = "linked"
_LINES: Final = frozenset({"solid", "dotted", "dashed"})
_LOOK: Final = frozenset({"line", "arrow", "light", "dark"})
# Looks of predicates that name none: each differs from all others by line or arrow, and by colour to all kinds of
# colour blindness (web_viewer/tests/palette.test.ts).
_SPARE_LOOKS: Final = (
    ("solid", "circle", "#6511FF", "#9C05F7"),
    ("solid", "square", "#741A01", "#905D3D"),
    ("dashed", "triangle", "#AC62FD", "#B1FFA8"),
)
_PLAIN_LOOK: Final = ("dashed", "square", "#6B7280", "#9AA0A6")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A text of the viewer in both languages."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Line, arrow and colours of a predicate on the map.

    Attributes:
        line, arrow: names of styles of Cytoscape.js.
        light, dark: colour in each theme.
    """

    line: str
    arrow: str
    light: str
    dark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """One allowed relationship type.

    Attributes:
        en, zh: description for prompts and documentation.
        opposite: a predicate that cannot be valid for the same subject and object at the same time.
        category: the profile category of all its facts; None if relation and kind decide.
        synonyms: other wordings, in both languages, by which callers and models name it.
        label, inverse: words of the viewer, from subject to object and back.
        sector: where the map places its objects around a user, one of `SECTORS`.
    """

    name: str
    subjects: frozenset[Label]
    objects: frozenset[Label]
    en: str
    zh: str
    opposite: str | None
    category: Category | None
    synonyms: tuple[str, ...]
    label: Words
    inverse: Words
    look: Look
    sector: str


@cache
def whitelist() -> dict[str, Predicate]:
    """Return all predicates by name, in the order of the file.

    Raises:
        InstallError: the file names an unknown label, category or sector, or an opposite that is not listed.
    """
    rows = tomllib.loads(files("schema").joinpath("predicates.toml").read_text(encoding="utf-8"))
    return predicates_of(rows)


def predicates_of(rows: Mapping[str, Any]) -> dict[str, Predicate]:
    """Return the predicates that the tables of a vocabulary file define.

    Raises:
        InstallError: as `whitelist`.
    """
    spare = list(reversed(_SPARE_LOOKS))
    predicates: dict[str, Predicate] = {}
    for name, row in rows.items():
        try:
            predicates[name] = _predicate(name, row, spare)
        except (KeyError, TypeError, ValueError) as error:
            raise InstallError(
                f"schema/predicates.toml: {name} is incomplete or names a wrong label: {error}"
            ) from error
    for predicate in predicates.values():
        if predicate.opposite is not None and predicate.opposite not in predicates:
            raise InstallError(
                f"schema/predicates.toml: {predicate.name} has the unknown opposite {predicate.opposite!r}"
            )
    return predicates


def _predicate(name: str, row: Mapping[str, Any], spare: list[tuple[str, str, str, str]]) -> Predicate:
    if not (name.isascii() and name.replace("_", "").isalpha() and name.isupper()):
        raise ValueError(f"{name!r} is not in capital letters and underscores")
    plain = name.lower().replace("_", " ")
    label = Words(**row.get("label", {"en": plain, "zh": plain}))
    if (look := row.get("look")) is None:
        line, arrow, light, dark = spare.pop() if spare else _PLAIN_LOOK
        look = {"line": line, "arrow": arrow, "light": light, "dark": dark}
    if set(look) != _LOOK or look["line"] not in _LINES:
        raise ValueError(f"look needs {', '.join(sorted(_LOOK))}; line is one of {', '.join(sorted(_LINES))}")
    if (sector := row.get("sector", "linked")) not in SECTORS:
        raise ValueError(f"{sector!r} is not one of {', '.join(SECTORS)}")
    return Predicate(
        name=name,
        subjects=frozenset(Label(one) for one in row["subject"]),
        objects=frozenset(Label(one) for one in row["object"]),
        en=row["en"],
        zh=row["zh"],
        opposite=row.get("opposite"),
        category=Category(row["category"]) if "category" in row else None,
        synonyms=tuple(row["synonyms"].split("|")) if "synonyms" in row else (),
        label=label,
        inverse=Words(**row["inverse"]) if "inverse" in row else Words(en=f"← {label.en}", zh=f"← {label.zh}"),
        look=Look(**look),
        sector=sector,
    )


def fact_predicates() -> tuple[str, ...]:
    """Return the predicates of facts, in the order of the file: all but those that only a scene has (MENTIONED)."""
    return tuple(name for name, rule in whitelist().items() if rule.subjects != {Label.SCENE})


def scene_predicates() -> frozenset[str]:
    """Return the predicates that a scene may have as subject."""
    return frozenset(name for name, rule in whitelist().items() if Label.SCENE in rule.subjects)


def predicate_choice() -> str:
    """Return the predicates of facts as a sentence names them: `PREFERS, DISLIKES or CAUSED_BY`."""
    *most, last = fact_predicates()
    return f"{', '.join(most)} or {last}" if most else last


def allowed(subject: Label, predicate: str, obj: Label) -> bool:
    """Return True if a relationship of this type may connect nodes with these labels."""
    rule = whitelist().get(predicate)
    return rule is not None and subject in rule.subjects and obj in rule.objects


# Predicates of likes and dislikes, whose facts all belong to the preferences.
TASTES: Final = frozenset(name for name, one in whitelist().items() if one.category is Category.PREFERENCES)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactGroup:
    """A group of facts.

    Attributes:
        light, dark: colour of its sector in each theme.
        relations, categories, types: what puts a fact here, in this order.
        said: parts of the statement that move a disliked thing here.
    """

    name: str
    label: Words
    light: str
    dark: str
    relations: tuple[str, ...]
    categories: tuple[str, ...]
    types: tuple[str, ...]
    said: tuple[str, ...]


@cache
def fact_groups() -> dict[str, FactGroup]:
    """Return all groups by name, clockwise.

    Raises:
        InstallError: as `groups_of`.
    """
    return groups_of(tomllib.loads(files("schema").joinpath("groups.toml").read_text(encoding="utf-8")))


def groups_of(rows: Mapping[str, Any]) -> dict[str, FactGroup]:
    """Return the groups that the tables of a file define.

    Raises:
        InstallError: a sector of a predicate has no group, one phrase has two groups, or a category or type is unknown.
    """
    groups = {
        name: FactGroup(
            name=name,
            label=Words(**row["label"]),
            light=row["look"]["light"],
            dark=row["look"]["dark"],
            **{
                key: tuple(row[key].split("|")) if key in row else ()
                for key in ("relations", "categories", "types", "said")
            },
        )
        for name, row in rows.items()
    }
    known = {"relations": None, "categories": set(Category), "types": set(EntityType)}
    for key, allowed in known.items():
        phrases = [phrase for group in groups.values() for phrase in getattr(group, key)]
        wrong = {
            phrase for phrase in phrases if phrases.count(phrase) > 1 or (allowed is not None and phrase not in allowed)
        }
        if wrong:
            raise InstallError(f"schema/groups.toml: {key} has unknown or repeated entries: {', '.join(sorted(wrong))}")
    if missing := set(SECTORS) - {OTHER_SECTOR} - set(groups):
        raise InstallError(f"schema/groups.toml: no group for the sector {', '.join(sorted(missing))}")
    return groups
