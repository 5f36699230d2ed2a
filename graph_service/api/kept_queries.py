"""Texts of GraphQL that clients name by their hash; the longest unused go first."""

import sys
from collections import OrderedDict
from typing import Final

TEXTS_MAX: Final = 2_000
BYTES_MAX: Final = 8 * 2**20
TEXT_CHARS_MAX: Final = 40_000


class KeptQueries:
    """Texts by tenant and hash, so that nobody learns what another tenant asks; bounded in number and in bytes."""

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._bytes = 0

    @property
    def bytes(self) -> int:
        """The memory that all texts take; a character takes one to four bytes."""
        return self._bytes

    def get(self, tenant: str, name: str) -> str | None:
        """Return the text of a hash; None when it is not kept, or not any more."""
        text = self._texts.get((tenant, name))
        if text is not None:
            self._texts.move_to_end((tenant, name))
        return text

    def put(self, tenant: str, name: str, text: str) -> None:
        """Keep a text; one that is too long is not kept, and its client sends it each time."""
        if len(text) > TEXT_CHARS_MAX or (tenant, name) in self._texts:
            return
        self._texts[tenant, name] = text
        self._bytes += sys.getsizeof(text)
        while len(self._texts) > TEXTS_MAX or self._bytes > BYTES_MAX:
            self._bytes -= sys.getsizeof(self._texts.popitem(last=False)[1])

    def __len__(self) -> int:
        return len(self._texts)
