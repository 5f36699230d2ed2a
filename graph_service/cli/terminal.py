"""Print progress on stderr and results on stdout, as tables for people or as JSON."""

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from extraction.text.secrets import ALL_KINDS, SecretKind, without_secrets
from graph_service.config.settings import has_color
from graph_service.observability.columns import Columns
from graph_service.observability.progress import Step
from graph_service.observability.terminal_text import shown, shown_json

if TYPE_CHECKING:
    from graph_service.cli.rich_output import TerminalBars

# What a command shows to people.
Shown: TypeAlias = str | Columns | Sequence[Columns]

# Tables are cut to the width of a terminal, but not when a program reads them.
_PIPE_CELLS = 120


class Terminal:
    """The output of one command.

    Args:
        as_json: print the result as one JSON document instead of a table.

    Attributes:
        hidden: kinds of secrets to hide in results; set when the settings are known.
    """

    hidden: ClassVar[frozenset[SecretKind]] = ALL_KINDS

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def say(self, text: str) -> None:
        """Print a remark for people on stderr."""
        sys.stderr.write(f"{shown(text)}\n")
        sys.stderr.flush()

    def answer(self, document: Any, table: Callable[[], Shown]) -> None:
        """Print what a memory contains, without secrets: `document` as JSON, or the result of `table` for people."""
        self._print(document, table, self.hidden)

    def report(self, document: Any, table: Callable[[], Shown]) -> None:
        """Print what concerns the installation, such as the paths of its files; otherwise as `answer`."""
        self._print(document, table, frozenset())

    def _print(self, document: Any, table: Callable[[], Shown], hidden: frozenset[SecretKind]) -> None:
        if self.as_json:
            text = shown_json(without_secrets(json.dumps(document, ensure_ascii=False, indent=1, default=str), hidden))
        else:
            is_terminal, view = sys.stdout.isatty(), table()
            width = shutil.get_terminal_size().columns if is_terminal else _PIPE_CELLS

            def clean(text: str) -> str:
                return shown(without_secrets(text, hidden))

            text = (
                clean(view)
                if isinstance(view, str)
                else "\n\n".join(
                    one.text(clean, width=width, is_colored=is_terminal and has_color())
                    for one in ([view] if isinstance(view, Columns) else view)
                )
            )
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


class ProgressBars:
    """Progress of concurrent tasks: bars if stderr is a terminal, plain lines otherwise.

    Use as a context manager, and call it with each step.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._printed: set[tuple[str, str]] = set()
        self._bars: TerminalBars | None = None
        if sys.stderr.isatty():
            from graph_service.cli import rich_output

            self._bars = rich_output.TerminalBars()

    def __enter__(self) -> "ProgressBars":
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._bars is not None:
            self._bars.stop(is_done=exc[0] is None)

    def __call__(self, step: Step) -> None:
        if self._bars is not None:
            self._bars.show(step)
        elif (step.part, step.doing) not in self._printed:
            self._printed.add((step.part, step.doing))
            self._terminal.say(f"{step.part}: {step.doing}")

    def counted(self, part: str, unit: str = "rows") -> Callable[[str, int, int], None]:
        """Return a function that shows the progress of a task: what it does, and the numbers done and in total."""
        return lambda doing, done, total: self(Step(part=part, doing=doing, done=done, total=total or None, unit=unit))
