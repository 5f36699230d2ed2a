"""Cypher statements: one `.cypher` file each, with a header that says what goes in and what comes out."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from schema.errors import InstallError

_PARAMETER = re.compile(r"^// \$(\w+): ", re.MULTILINE)
_COLUMNS = re.compile(r"^// -> (.+)$", re.MULTILINE)
_LANGUAGE = "CYPHER 25"  # a server's default may still be Cypher 5, which has no filters inside vector indexes
# Hot ones go by their indexes whatever the statistics say: planned once, not again whenever the database has grown.
_PLANNED_ONCE = " replan=skip"
_HOT = re.compile(r"^// hot\b", re.MULTILINE)
# Neo4j reads every character it is sent, each time, before it looks for a plan: a fiftieth of the time of a recall.
_FOR_READERS = re.compile(r"^(?:[ \t]*//.*\n|[ \t]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One Cypher statement.

    Attributes:
        name: folder and file, `recall/recall`.
        parameters: names of the `$parameters` its header declares.
        columns: what it returns, in order; empty when it returns nothing.
        hot: on the path of every remember, recall or digest: its plan must not scan.
    """

    name: str
    text: str
    parameters: frozenset[str]
    columns: tuple[str, ...]
    hot: bool


@cache
def statement(name: str) -> Statement:
    """Return the statement in `cypher/{name}.cypher`.

    Raises:
        InstallError: there is no such file; the installation is incomplete.
    """
    path = _root().joinpath(f"{name}.cypher")
    if not path.is_file():
        raise InstallError(f"the Cypher statement {name!r} is missing from the installation; install the package again")
    text = path.read_text(encoding="utf-8")
    columns = _COLUMNS.search(text)
    hot = _HOT.search(text) is not None
    return Statement(
        name=name,
        text=f"{_LANGUAGE}{_PLANNED_ONCE if hot else ''}\n{_FOR_READERS.sub('', text)}",
        parameters=frozenset(_PARAMETER.findall(text)),
        columns=tuple(part.strip() for part in columns.group(1).split(",")) if columns else (),
        hot=hot,
    )


def statement_names() -> list[str]:
    """Return names of all shipped statements, sorted."""
    return sorted(
        f"{folder.name}/{file.name.removesuffix('.cypher')}"
        for folder in _root().iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".cypher")
    )


def _root() -> Traversable:
    return files("graph_service.graph").joinpath("cypher")
