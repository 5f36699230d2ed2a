"""Lay out rows in columns for a terminal, with their width in cells: Chinese characters take two.

Tables of rich do more, but importing it takes a sixth of the time of a command that asks a service.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final, TypeAlias

BOLD: Final = "1"
DIM: Final = "2"
RED: Final = "31"
GREEN: Final = "32"
YELLOW: Final = "33"
CYAN: Final = "36"
# Of each header, the key of its cells in a row, or a function of the row that returns them.
Fields: TypeAlias = Mapping[str, str | Callable[[Any], Any]]
_CELLS_MIN: Final = 12
_WORD: Final = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Rows below a title, and notes behind them; the widest columns are folded until all fit.

    Attributes:
        header: names of the columns; empty for none.
        rows: style (`DIM`, or '' for none) and cells of each row.
        styles: style of the cells of each column, in rows without one of their own; none for further columns.
        right: indexes of the columns that are aligned to the right.
        notes: style and text of each note.
    """

    title: str = ""
    header: Sequence[str] = ()
    rows: Sequence[tuple[str, Sequence[str]]]
    styles: Sequence[str] = ()
    right: Collection[int] = ()
    notes: Sequence[tuple[str, str]] = ()

    def text(self, clean: Callable[[str], str] = str, *, width: int, is_colored: bool = False) -> str:
        """Return the lines, joined.

        Args:
            clean: called with each cell and note before it is measured and styled.
            width: in cells of the terminal.
        """

        def styled(style: str, text: str) -> str:
            bare = text.rstrip()
            return f"\x1b[{style}m{bare}\x1b[0m{text[len(bare) :]}" if is_colored and style and bare else text

        lines = [styled(BOLD, clean(self.title))] if self.title else []
        if table := [*([(BOLD, self.header)] if self.header else []), *self.rows]:
            cells = [(style, [clean(cell).expandtabs(1) for cell in row]) for style, row in table]
            widths = _widths([row for _, row in cells], width)
            for style, row in cells:
                folded = (_folded(cell, size) for cell, size in zip(row, widths, strict=True))
                for parts in zip_longest(*folded, fillvalue=""):
                    sized = enumerate(zip(parts, widths, strict=True))
                    padded = (_padded(part, size, right=n in self.right) for n, (part, size) in sized)
                    shown = (styled(style or own, part) for own, part in zip_longest(self.styles, padded, fillvalue=""))
                    lines.append(" " + "  ".join(shown).rstrip())
        return "\n".join([*lines, *(styled(style, clean(note)) for style, note in self.notes)])


def listing(rows: Iterable[Mapping[str, Any]], columns: Fields, *, title: str = "") -> Columns:
    """Return a table of rows; a list in a cell is joined by commas, and None is empty."""
    values = [[row[key] if isinstance(key, str) else key(row) for key in columns.values()] for row in rows]
    return Columns(title=title, header=tuple(columns), rows=[("", list(map(_cell, row))) for row in values])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the width of each column: that of its longest line, less in the widest until all fit."""
    free = width - 2 * len(rows[0])
    lines = ([_cells(line) for cell in column for line in cell.splitlines()] for column in zip(*rows, strict=True))
    widths = [min(max(sizes, default=0), free) for sizes in lines]
    while sum(widths) > free and max(widths) > _CELLS_MIN:
        widths[widths.index(max(widths))] -= 1
    return [max(size, 1) for size in widths]


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
