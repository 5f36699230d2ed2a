"""Tell a favourite of some kind, such as the favourite colour, from other likings. Pure.

Of two favourites of one kind the newer one holds, so the kind is the relation of the fact.
"""

import re
from typing import Final

from extraction.rules.tags import Tag

_NEAR_CHARS: Final = 60
# "My favourite colour is blue", "the food I like best is ramen", "blue is my favourite colour", by language.
_BEFORE: Final = (
    re.compile(
        r"\bfavou?rite (?P<w>[a-z]+(?: [a-z]+){0,2}?)(?:['’]s| (?:is|are|was|were|used to be|has always been|would be))"
        r"(?: now| still| currently| definitely| no longer| not)* (?:the |an? )?[\"“]?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bthe (?P<w>[a-z]+(?: [a-z]+)?) (?:that )?I (?:like|love|enjoy) (?:the )?(?:best|most) (?:is|are) $",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<w>最(?:喜欢|爱)的[^，。！？的是还就]{1,6}?)(?:现在|已经|就|还)*(?:不再)?(?:是|变成|换成)了?《?$"),
)
_AFTER: Final = (
    re.compile(
        r"[\"”]? (?:is|are|has always been|is now|is no longer|isn['’]t|aren['’]t) (?:my|his|her) "
        r"(?:all[- ]time |absolute |new |current )?favou?rite (?P<w>[a-z]+(?: [a-z]+)?)"
        r"(?=$|[,.;!?]| (?:now|any|of|ever|by|and|but|these)\b)",
        re.IGNORECASE,
    ),
    re.compile(
        r"[\"”]? is the (?P<w>[a-z]+(?: [a-z]+)?) (?:that )?I (?:like|love|enjoy) (?:the )?(?:best|most)\b",
        re.IGNORECASE,
    ),
    re.compile(r"》?[^，。！？]{0,4}是我(?:现在)?(?P<w>最(?:喜欢|爱)的[^，。！？的了]{1,6})"),
)
_NO_KIND: Final = frozenset({"thing", "things", "one", "part", "way", "bit"})


def favourite(text: str, tag: Tag) -> str | None:
    """Return the relation of a favourite of some kind, such as "favorite color"; None for another liking."""
    before, after = text[max(0, tag.obj[0] - _NEAR_CHARS) : tag.obj[0]], text[tag.obj[1] : tag.obj[1] + _NEAR_CHARS]
    found = next((one for pattern in _BEFORE if (one := pattern.search(before))), None)
    found = found or next((one for pattern in _AFTER if (one := pattern.match(after))), None)
    if found is None or found["w"].lower() in _NO_KIND:
        return None
    return f"favorite {found['w'].lower()}" if found["w"].isascii() else found["w"]
