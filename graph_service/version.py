"""The version of this installation."""

from importlib import metadata
from typing import Final

UNINSTALLED: Final = "0+checkout"


def version() -> str:
    """As `pyproject.toml` said when the package was installed; `0+checkout` where it only lies on the path."""
    try:
        return metadata.version("mnemograph")
    except metadata.PackageNotFoundError:
        return UNINSTALLED
