"""Remembered text made safe to stand in a prompt: quoted data inside a block that no text can close. Pure.

A memory is what anybody said, so it may hold orders, role markers, and imitations of the block's own ends. Inside the
block no angle or square bracket survives, every text is one line, and nothing invisible is left; it stays readable.
"""

import re
import unicodedata
from typing import Final

OPEN: Final = "<memory>"
CLOSE: Final = "</memory>"

# What models and parsers read as syntax, in every width, and what stands for it: the same shape to a reader.
_STANDS_FOR: Final = {
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
# Fillers and selectors that are letters or marks by category and yet show nothing.
_BLANK: Final = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
# Turns of a dialogue as prompts write them; with a wide colon they are words again.
_ROLE: Final = re.compile(
    r"(?P<role>\b(?:system|assistant|user|human|developer|tool|function|model|ai)|系统|助手|用户|开发者)"
    r"(?P<gap>[\s*_#|]*):",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"(?<!\S)#{1,6}(?=\s)|(?<!\S)-{3,}(?!\S)|(?<!\S)={3,}(?!\S)")


def fenced(preamble: str, lines: str) -> str:
    """Return a block that says first what it is; `lines` must be made of safe texts."""
    return f"{preamble}\n{OPEN}\n{lines}\n{CLOSE}"


def safe_text(text: str, *, chars_max: int | None = None) -> str:
    """Return a remembered text as one line that cannot end the block, open a turn, or hide anything; safe texts stay
    the same.

    Args:
        chars_max: longer texts are cut there, with an ellipsis.
    """
    shown = "".join(_shown(char) for char in unicodedata.normalize("NFC", text))
    line = " ".join(_BLANK.sub("", shown).split())
    line = _ROLE.sub(lambda role: f"{role['role']}{role['gap']}：", line)
    line = " ".join(_HEADING.sub("", line).split())
    if chars_max is not None and len(line) > chars_max:
        line = line[: max(chars_max - 1, 0)].rstrip() + "…"
    return line


def _shown(char: str) -> str:
    if char.isspace():
        return " "
    if unicodedata.category(char) in _INVISIBLE:
        return ""
    bare = unicodedata.normalize("NFKD", char)
    # Wide, small and crossed forms count too: a reader that folds widths would see the bracket again.
    return next((stand for syntax, stand in _STANDS_FOR.items() if syntax in bare), char)
