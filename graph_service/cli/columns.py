"""Lay out rows in columns for a terminal, with their width in cells: Chinese characters take two.

Tables of rich do more, but importing it takes a sixth of the time of a command that asks a service.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

BOLD: Final = "1"
DIM: Final = "2"
CYAN: Final = "36"
_LAST_CELLS_MIN: Final = 20
_WORD: Final = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Rows below a title, and notes behind them; the last column is folded, the others are not.

    Attributes:
        header: names of the columns; the first column is aligned to the right.
        rows: style (`DIM`, or '' for none) and cells of each row.
        styles: style of the cells of each column but the last.
        notes: style and text of each note.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
    styles: Sequence[str]
    notes: Sequence[tuple[str, str]] = ()

    def text(self, clean: Callable[[str], str] = str, *, width: int, is_colored: bool = False) -> str:
        """Return the lines, joined.

        Args:
            clean: called with each cell and note before it is measured and styled.
            width: in cells of the terminal.
        """

        def styled(style: str, text: str) -> str:
            return f"\x1b[{style}m{text}\x1b[0m" if is_colored and style and text.strip() else text

        lines = [styled(BOLD, clean(self.title))]
        if self.rows:
            table = [(BOLD, self.header), *self.rows]
            cells = [(style, [clean(cell).expandtabs(1) for cell in row]) for style, row in table]
            widths = [max(_cells(row[at]) for _, row in cells) for at in range(len(self.header) - 1)]
            left = max(width - sum(widths) - 2 * len(widths) - 2, _LAST_CELLS_MIN)
            for style, row in cells:
                for at, part in enumerate(_folded(row[-1], left)):
                    *first, last = [*(row[:-1] if at == 0 else [""] * len(widths)), part]
                    padded = [
                        _padded(cell, size, right=n == 0)
                        for n, (cell, size) in enumerate(zip(first, widths, strict=True))
                    ]
                    shown = [styled(style or own, cell) for own, cell in zip(self.styles, padded, strict=True)]
                    lines.append(" " + "  ".join([*shown, styled(style, last)]).rstrip())
        return "\n".join([*lines, *(styled(style, clean(note)) for style, note in self.notes)])


def _cells(text: str) -> int:
    return sum(0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in text)


def _padded(text: str, width: int, *, right: bool) -> str:
    blank = " " * (width - _cells(text))
    return blank + text if right else text + blank


def _folded(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a text, broken between words, and in words that are longer than a line."""
    for paragraph in text.splitlines() or [""]:
        line, taken = "", 0
        for word in _WORD.findall(paragraph):
            if line and taken + _cells(word.rstrip()) > width:
                yield line.rstrip()
                line, taken = "", 0
            for char in word:
                size = _cells(char)
                if taken + size > width and not char.isspace():
                    yield line.rstrip()
                    line, taken = "", 0
                line, taken = line + char, taken + size
        yield line.rstrip()
