"""Make stored text safe for a prompt: quoted data inside a block that no text can close. Pure.

Stored text is untrusted: it may contain instructions, role markers, and imitations of the block's tags.
Inside the block there are no angle or square brackets and no invisible characters, and every text is one line.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

OPEN: Final = "<memory>"
CLOSE: Final = "</memory>"

# Characters that models and parsers read as syntax, in every width, and their lookalikes.
_LOOKALIKES: Final = {
    "<": "‹",
    ">": "›",
    "[": "⟦",
    "]": "⟧",
    '"': "'",
    "“": "‘",
    "”": "’",
    "`": "'",
}
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Fillers and variation selectors, which are invisible although their Unicode category is letter or mark.
_BLANK: Final = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
# Role markers of a dialogue, as in prompts; a full-width colon turns them into plain words.
_ROLES: Final = (
    r"(?:\b(?:system|assistant|user|human|developer|tool|function|model|ai)|系统|系統|助手|用户|用戶|开发者|開發者)"
    r"[\s*_#|]*"
)
_ROLE: Final = re.compile(rf"{_ROLES}:")
_ENDS_AS_ROLE: Final = re.compile(rf"{_ROLES}$")
# Cyrillic, Greek and small capital letters that look like Latin ones, and lookalikes of the colon.
_LIKE: Final = str.maketrans(
    "авсԁеһіјкӏмнорԛѕтԝхуНαβενικορτυχΗΜΝΥıᴀᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠʏ꞉∶ː׃",
    "abcdehijklmhopqstwxyhabevikoptuxhmnyiacdefghijklmnoprstuvy::::",
)
_HEADING: Final = re.compile(r"(?<!\S)#{1,6}(?=\s)|(?<!\S)-{3,}(?!\S)|(?<!\S)={3,}(?!\S)")


def fenced(preamble: str, lines: str) -> str:
    """Return the block, with a preamble that explains it; `lines` must be safe texts."""
    return f"{preamble}\n{OPEN}\n{lines}\n{CLOSE}"


def safe_text(text: str, *, chars_max: int | None = None) -> str:
    """Return a text as one line that cannot close the block, imitate a role or hide text; idempotent.

    Args:
        chars_max: longer texts are cut, with an ellipsis.
    """
    shown = "".join(_shown(char) for char in unicodedata.normalize("NFC", text))
    line = " ".join(_BLANK.sub("", shown).split())
    line = _without_markers(line)
    line = " ".join(_HEADING.sub("", line).split())
    if chars_max is not None and len(line) > chars_max:
        line = line[: max(chars_max - 1, 0)].rstrip() + "…"
    return line


def safe_name(name: str, who: str, *, chars_max: int) -> str:
    """Return the safe name of a speaker or title; one that reads as another role than `who` is quoted after it.

    A colon follows it in the context, and "SYSTEM:" would begin a turn of the system.
    """
    safe = safe_text(name, chars_max=chars_max)
    latin = _latin(safe)[0]
    if not _ENDS_AS_ROLE.search(latin):
        return safe
    return who if latin and latin in who else f"{who} ‘{safe}’".strip()


def _without_markers(line: str) -> str:
    """Return the line with a full-width colon in each role marker, whatever its letters are written in."""
    latin, places = _latin(line)
    chars = list(line)
    for marker in _ROLE.finditer(latin):
        chars[places[marker.end() - 1]] = "："
    return "".join(chars)


def _latin(line: str) -> tuple[str, Sequence[int]]:
    """Return the line as the lower-case Latin letters that it looks like, and the position of each in the line."""
    if line.isascii():
        return line.lower(), range(len(line))
    pairs = [
        (base.translate(_LIKE).lower()[:1].translate(_LIKE), place)
        for place, char in enumerate(line)
        for base in unicodedata.normalize("NFKD", char)
        if not unicodedata.combining(base)
    ]
    return "".join(base for base, _ in pairs), [place for _, place in pairs]


def _shown(char: str) -> str:
    if char.isspace():
        return " "
    if unicodedata.category(char) in _INVISIBLE:
        return ""
    bare = unicodedata.normalize("NFKD", char)
    # Also full-width, small and crossed-out forms, which software that normalises text would turn into brackets.
    return next((lookalike for syntax, lookalike in _LOOKALIKES.items() if syntax in bare), char)
