"""Print progress bars of rich, without control characters. Loaded only when they are shown."""

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from graph_service.observability.progress import Step
from graph_service.observability.terminal_text import shown


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
            console=Console(stderr=True, highlight=False, emoji=False),
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
        description = escape(shown(f"{step.part}: {step.doing}"))
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
