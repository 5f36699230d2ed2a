"""Validate names of tenants."""

import unicodedata
from typing import Final

from schema.errors import InputError
from schema.ids import TenantId

CHARS_MAX: Final = 64


def tenant_named(text: str) -> TenantId:
    """Return the tenant id for a name.

    Raises:
        InputError: not 1 to 64 letters or digits of any script, `.`, `_` and `-`.
    """
    if 1 <= len(text) <= CHARS_MAX and all(map(_allowed, text)):
        return TenantId(text)
    raise InputError(
        f"the tenant {text[:CHARS_MAX]!r} is not a name: use 1 to {CHARS_MAX} letters, digits, '.', '_' and '-'"
    )


def _allowed(char: str) -> bool:
    # Combining marks (M) are part of letters in many scripts.
    return char in "._-" or unicodedata.category(char)[0] in "LNM"
