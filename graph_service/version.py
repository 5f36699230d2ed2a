"""The version of this package; the wheel takes it from here."""

from typing import Final

__version__: Final = "0.1.0"


def version() -> str:
    """Return the version of this package."""
    return __version__
