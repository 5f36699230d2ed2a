"""Texts of GraphQL that clients name by their hash; the longest unused go first."""

from collections import OrderedDict
from typing import Final

TEXTS_MAX: Final = 2_000
CHARS_MAX: Final = 4_000_000
TEXT_CHARS_MAX: Final = 40_000


class KeptQueries:
    """Texts by tenant and hash, so that nobody learns what another tenant asks. Bounded in number and length."""

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._chars = 0

    def get(self, tenant: str, name: str) -> str | None:
        """The text of that hash; None when it is not kept, or not any more."""
        text = self._texts.get((tenant, name))
        if text is not None:
            self._texts.move_to_end((tenant, name))
        return text

    def put(self, tenant: str, name: str, text: str) -> None:
        """Keeps a text; one that is too long is not kept, and its client sends it each time."""
        if len(text) > TEXT_CHARS_MAX or (tenant, name) in self._texts:
            return
        self._texts[tenant, name] = text
        self._chars += len(text)
        while len(self._texts) > TEXTS_MAX or self._chars > CHARS_MAX:
            self._chars -= len(self._texts.popitem(last=False)[1])

    def __len__(self) -> int:
        return len(self._texts)
