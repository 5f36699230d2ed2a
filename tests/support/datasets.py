"""The evaluation's own data sets, for tests and benchmarks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from graph_service.evaluation.dataset import Conversation, read_all

OWN: Final = Path(__file__).parents[1] / "evaluation_sets"


def read_datasets(
    paths: Sequence[Path], *, conversations_max: int | None = None, captions: bool = True
) -> list[Conversation]:
    """Return the benchmark conversations among the files and folders, without the everyday memories."""
    return read_all(paths, conversations_max=conversations_max, captions=captions).conversations
