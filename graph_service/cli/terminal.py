"""Print progress on stderr and results on stdout, as tables for people or as JSON."""

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Console, ConsoleOptions, ConsoleRenderable, Group, RenderableType, RenderHook, RenderResult
from rich.segment import Segment
from rich.table import Table

from extraction.text.secrets import ALL_KINDS, SecretKind, without_secrets
from graph_service.observability.terminal_text import shown, shown_json
from graph_service.runtime.progress import Step

if TYPE_CHECKING:
    from rich.progress import TaskID


class Terminal:
    """The output of one command.

    Args:
        as_json: print the result as one JSON document instead of a table.

    Attributes:
        stderr: for progress and remarks.
        hidden: kinds of secrets to hide in results; set when the settings are known.
    """

    hidden: ClassVar[frozenset[SecretKind]] = ALL_KINDS

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.stderr = _console(stderr=True)
        # Tables are cut to the width of a terminal, but not when a program reads them.
        self._stdout = _console(width=None if sys.stdout.isatty() else 120)

    def say(self, text: str) -> None:
        """Print a remark for people on stderr."""
        self.stderr.print(text, markup=False, soft_wrap=True)

    def answer(self, document: Any, table: Callable[[], RenderableType]) -> None:
        """Print what a memory contains, without secrets: `document` as JSON, or the return value of `table` for people.

        Rich markup is interpreted in tables and groups, where the caller escapes each cell, but not in plain text.
        """
        self._print(document, table, self.hidden)

    def report(self, document: Any, table: Callable[[], RenderableType]) -> None:
        """Print what concerns the installation, such as the paths of its files; otherwise as `answer`."""
        self._print(document, table, frozenset())

    def _print(self, document: Any, table: Callable[[], RenderableType], hidden: frozenset[SecretKind]) -> None:
        if self.as_json:
            text = json.dumps(document, ensure_ascii=False, indent=1, default=str)
            sys.stdout.write(shown_json(without_secrets(text, hidden)) + "\n")
            sys.stdout.flush()
        else:
            shown_table = _without(table(), hidden)
            self._stdout.print(shown_table, markup=not isinstance(shown_table, str))


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


class ProgressBars:
    """One progress bar for each concurrent task; plain lines if stderr is not a terminal.

    Use as a context manager, and call it with each step.
    """

    def __init__(self, terminal: Terminal) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._terminal = terminal
        self._printed: set[tuple[str, str]] = set()
        self._tasks: dict[str, TaskID] = {}
        self._bars = Progress(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[amount]}"),
            TimeElapsedColumn(),
            console=terminal.stderr,
            disable=not terminal.stderr.is_terminal,
        )

    def __enter__(self) -> "ProgressBars":
        self._bars.start()
        return self

    def __exit__(self, *exc: object) -> None:
        for task in self._tasks.values():
            total = self._bars.tasks[self._bars.task_ids.index(task)].total or 1
            if exc[0] is None:
                self._bars.update(task, total=total, completed=total)
        self._bars.stop()

    def __call__(self, step: Step) -> None:
        """Show the progress of one task."""
        if not self._terminal.stderr.is_terminal:
            if (step.part, step.doing) not in self._printed:
                self._printed.add((step.part, step.doing))
                self._terminal.say(f"{step.part}: {step.doing}")
            return
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
