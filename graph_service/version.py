"""The version of this installation."""

from importlib import metadata
from typing import Final

UNINSTALLED: Final = "0+checkout"


def version() -> str:
    """Return the version of the installed package; `0+checkout` if it runs from a checkout that is not installed."""
    try:
        return metadata.version("mnemoscene-server")
    except metadata.PackageNotFoundError:
        return UNINSTALLED
