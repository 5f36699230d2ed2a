"""Print tables and progress bars of rich, without secrets and control characters. Loaded only when one is shown."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, Group, RenderableType, RenderHook, RenderResult
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table

from extraction.text.secrets import SecretKind, without_secrets
from graph_service.observability.terminal_text import shown
from graph_service.runtime.progress import Step


def print_rich(view: RenderableType, hidden: frozenset[SecretKind], *, width: int) -> None:
    """Print a table or group on stdout; its markup is interpreted, so the caller escapes each cell."""
    _console(width=width).print(_without(view, hidden))


def listing(header: Sequence[str], rows: Iterable[Sequence[str]], *, title: str | None = None) -> Table:
    """Return a table without lines, in which markup is not interpreted."""
    table = Table(title=title, title_justify="left", box=None)
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def _without(renderable: RenderableType, hidden: frozenset[SecretKind]) -> RenderableType:
    """Return a result without secrets; tables are filtered by cell, because rich breaks long words when it prints."""
    match renderable:
        case str():
            return without_secrets(renderable, hidden)
        case Table():
            for column in renderable.columns:
                # Markup is interpreted in cells, so the brackets of a replacement are escaped.
                column._cells = [
                    escape_replacements(without_secrets(cell, hidden)) if isinstance(cell, str) else cell
                    for cell in column._cells
                ]
        case Group():
            return Group(*(_without(one, hidden) for one in renderable.renderables))
    return renderable


def escape_replacements(text: str) -> str:
    """Return the text of a cell with the brackets of what replaces secrets escaped for rich."""
    return text.replace("[hidden ", r"\[hidden ")


class _EscapeHook(RenderHook):
    """Replaces control characters in everything that is printed, because rich does not remove escape sequences."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Escaped(one) for one in renderables]


class _Escaped:
    def __init__(self, inner: ConsoleRenderable) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._inner, options):
            # Control segments are rich's own, such as the cursor movements of progress bars.
            yield segment if segment.control else Segment(shown(segment.text), segment.style)


def _console(**options: Any) -> Console:
    # Without `emoji=False` rich would replace `:tea:` in stored text.
    console = Console(highlight=False, emoji=False, **options)
    console.push_render_hook(_EscapeHook())
    return console


class TerminalBars:
    """One progress bar for each concurrent task, on stderr."""

    def __init__(self) -> None:
        self._tasks: dict[str, TaskID] = {}
        self._bars = Progress(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[amount]}"),
            TimeElapsedColumn(),
            console=_console(stderr=True),
        )

    def start(self) -> None:
        """Show the bars; what is written to stderr appears above them."""
        self._bars.start()

    def stop(self, *, is_done: bool) -> None:
        """Leave the bars as they are, or full if everything is done."""
        for task in self._tasks.values():
            total = self._bars.tasks[self._bars.task_ids.index(task)].total or 1
            if is_done:
                self._bars.update(task, total=total, completed=total)
        self._bars.stop()

    def show(self, step: Step) -> None:
        """Show the progress of one task."""
        description = f"{step.part}: {step.doing}"
        if step.part not in self._tasks:
            self._tasks[step.part] = self._bars.add_task(description, total=step.total, amount="")
        self._bars.update(
            self._tasks[step.part],
            description=description,
            total=step.total,
            completed=step.done,
            amount=_amount(step),
        )


def _amount(step: Step) -> str:
    if step.total is None or step.total <= 1:
        return ""
    if step.unit == "bytes":
        return f"{step.done / 1e6:.0f}/{step.total / 1e6:.0f} MB"
    return f"{step.done}/{step.total} {step.unit}"
