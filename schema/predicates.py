"""The predicates of facts and the groups of the viewer, read from two TOML files and checked once."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

from pydantic import AliasPath, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from schema.entity import EntityType
from schema.errors import InstallError
from schema.labels import Label
from schema.profile import Category

T = TypeVar("T")
Sector = Literal["likes", "cares", "linked", "dislikes"]
SECTORS: Final = get_args(Sector)
# Predicates of this sector say little: relation, category and type decide.
OTHER_SECTOR: Final[Sector] = "linked"
_LOOK: Final = ("line", "arrow", "light", "dark")
# Looks of predicates that name none: each differs from all others by line or arrow, and by colour to all kinds of
# colour blindness (web_viewer/tests/palette.test.ts).
_SPARE_LOOKS: Final = (
    ("solid", "circle", "#6511FF", "#9C05F7"),
    ("solid", "square", "#741A01", "#905D3D"),
    ("dashed", "triangle", "#AC62FD", "#B1FFA8"),
)
_PLAIN_LOOK: Final = ("dashed", "square", "#6B7280", "#9AA0A6")
_Split: Final = BeforeValidator(lambda text: text.split("|") if isinstance(text, str) else text)
Phrases = Annotated[tuple[str, ...], _Split]


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

    __pydantic_config__ = ConfigDict(extra="forbid")

    line: Literal["solid", "dotted", "dashed"]
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
    subjects: Annotated[frozenset[Label], Field(validation_alias="subject")]
    objects: Annotated[frozenset[Label], Field(validation_alias="object")]
    en: str
    zh: str
    opposite: str | None = None
    category: Category | None = None
    synonyms: Phrases = ()
    label: Words
    inverse: Words
    look: Look
    sector: Sector = OTHER_SECTOR


_PREDICATES: Final = TypeAdapter(dict[str, Predicate])


def validated(adapter: TypeAdapter[T], rows: Mapping[str, Any], file: str) -> T:
    """Return the rows of a file of the vocabulary as their types.

    Raises:
        InstallError: names each wrong or missing field.
    """
    try:
        return adapter.validate_python(rows)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise InstallError(f"schema/{file}: {problems}") from error


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
    spare = iter(_SPARE_LOOKS)
    complete = {}
    for name, row in rows.items():
        if not (name.isascii() and name.replace("_", "").isalpha() and name.isupper()):
            raise InstallError(f"schema/predicates.toml: {name!r} is not in capital letters and underscores")
        plain = name.lower().replace("_", " ")
        label = row.get("label", {"en": plain, "zh": plain})
        inverse = {language: f"← {word}" for language, word in label.items()}
        look = row.get("look") or dict(zip(_LOOK, next(spare, _PLAIN_LOOK), strict=True))
        complete[name] = {"name": name, "label": label, "inverse": inverse, **row, "look": look}
    predicates = validated(_PREDICATES, complete, "predicates.toml")
    for predicate in predicates.values():
        if predicate.opposite is not None and predicate.opposite not in predicates:
            raise InstallError(
                f"schema/predicates.toml: {predicate.name} has the unknown opposite {predicate.opposite!r}"
            )
    return predicates


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
    light: Annotated[str, Field(validation_alias=AliasPath("look", "light"))]
    dark: Annotated[str, Field(validation_alias=AliasPath("look", "dark"))]
    relations: Phrases = ()
    categories: Annotated[tuple[Category, ...], _Split] = ()
    types: Annotated[tuple[EntityType, ...], _Split] = ()
    said: Phrases = ()


_GROUPS: Final = TypeAdapter(dict[str, FactGroup])


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
    groups = validated(_GROUPS, {name: {"name": name, **row} for name, row in rows.items()}, "groups.toml")
    for key in ("relations", "categories", "types"):
        phrases = [phrase for group in groups.values() for phrase in getattr(group, key)]
        if repeated := {phrase for phrase in phrases if phrases.count(phrase) > 1}:
            raise InstallError(f"schema/groups.toml: {key} has repeated entries: {', '.join(sorted(repeated))}")
    if missing := set(SECTORS) - {OTHER_SECTOR} - set(groups):
        raise InstallError(f"schema/groups.toml: no group for the sector {', '.join(sorted(missing))}")
    return groups
