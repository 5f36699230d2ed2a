"""The version of this package; the wheel takes it from here, by a pattern that knows no annotation."""

__version__ = "0.1.0"


def version() -> str:
    """Return the version of this package."""
    return __version__
