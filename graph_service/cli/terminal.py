"""Talking to people and programs: progress on stderr, the answer on stdout."""

import json
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook, RenderResult
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.segment import Segment

from graph_service.observability.terminal_text import shown, shown_json
from graph_service.runtime.progress import Step


class Terminal:
    """One command's output.

    Args:
        as_json: the answer is one JSON document instead of a table.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.side = _console(stderr=True)
        # Tables are cut to a terminal's width, but never when they are read by a program.
        self._front = _console(width=None if sys.stdout.isatty() else 120)

    def say(self, text: str) -> None:
        """A line for people, beside the answer."""
        self.side.print(text, markup=False, soft_wrap=True)

    def answer(self, document: Any, table: Callable[[], RenderableType]) -> None:
        """Write the answer: the document for programs, or what `table` makes of it for people.

        Markup is read in tables and groups, whose cells are escaped, and never in a plain text.
        """
        if self.as_json:
            sys.stdout.write(shown_json(json.dumps(document, ensure_ascii=False, indent=1, default=str)) + "\n")
            sys.stdout.flush()
        else:
            self._front.print(table(), markup=False)


class _Harmless(RenderHook):
    """Shows what was stored without letting it act on the terminal: rich lets escape sequences in texts through."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_HarmlessRenderable(one) for one in renderables]


class _HarmlessRenderable:
    def __init__(self, inner: ConsoleRenderable) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._inner, options):
            # Control segments are rich's own, such as the cursor movements of progress bars.
            yield segment if segment.control else Segment(shown(segment.text), segment.style)


def _console(**more: Any) -> Console:
    console = Console(highlight=False, **more)
    console.push_render_hook(_Harmless())
    return console


class Steps:
    """Progress bars for what goes on at the same time; single lines where nobody watches.

    Use as a context manager; call it with each step.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._told: set[tuple[str, str]] = set()
        self._tasks: dict[str, TaskID] = {}
        self._bars = Progress(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[amount]}"),
            TimeElapsedColumn(),
            console=terminal.side,
            disable=not terminal.side.is_terminal,
        )

    def __enter__(self) -> "Steps":
        self._bars.start()
        return self

    def __exit__(self, *exc: object) -> None:
        for task in self._tasks.values():
            total = self._bars.tasks[self._bars.task_ids.index(task)].total or 1
            if exc[0] is None:
                self._bars.update(task, total=total, completed=total)
        self._bars.stop()

    def __call__(self, step: Step) -> None:
        """Show where a part stands."""
        if not self._terminal.side.is_terminal:
            if (step.part, step.doing) not in self._told:
                self._told.add((step.part, step.doing))
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
