"""The only top-level package of the wheel, `mnemoscene_server`, whose `__init__` this file becomes.

The wheel holds `schema`, `extraction`, `graph_service` and `web_viewer` inside that package, because a program may have
libraries of these names in the same environment. Within our own process they come first on the import path. An editable
installation has nothing inside the package and imports them from the checkout.
"""

import sys
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parent)


def main() -> None:
    """Run the `mnemoscene` command."""
    # A process that `multiprocessing` starts has the path of this one already, and does not call this.
    sys.path.insert(0, _ROOT)
    from graph_service.cli.main import main as run

    run()
