"""Read the TOML files beside modules: tables and word lists."""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def toml_of(package: str, name: str) -> dict[str, Any]:
    """Return the tables of the file `name` of a package."""
    return tomllib.loads(files(package).joinpath(name).read_text("utf-8"))


def filled(pattern: str | list[str], parts: Mapping[str, str | list[str]]) -> str:
    """Return a pattern with parts in the place of their names, such as `{number}`; lists are alternatives."""
    whole = _joined(pattern)
    for name, part in parts.items():
        whole = whole.replace(f"{{{name}}}", _joined(part))
    return whole


def _joined(pattern: str | list[str]) -> str:
    return pattern if isinstance(pattern, str) else "|".join(pattern)


def patterns_of(
    table: Mapping[str, str | list[str]], parts: Mapping[str, str | list[str]]
) -> dict[str, re.Pattern[str]]:
    """Return the patterns of a table, with `parts` filled in; `(?i)` before the first alternative holds for all."""
    return {key: re.compile(filled(pattern, parts)) for key, pattern in table.items()}
