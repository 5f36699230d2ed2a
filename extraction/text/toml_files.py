"""Read the TOML files beside modules: tables and word lists."""

import tomllib
from importlib.resources import files
from typing import Any


def toml_of(package: str, name: str) -> dict[str, Any]:
    """Return the tables of the file `name` of a package."""
    return tomllib.loads(files(package).joinpath(name).read_text("utf-8"))
