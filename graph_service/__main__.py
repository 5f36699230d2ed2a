"""`python -m graph_service` is the same as `mnemograph`."""

import os
import sys

# `python -m` looks into the working directory first: what lies there must not be loaded in place of a library, unless
# the working directory is the checkout that this file is in.
if not sys.flags.safe_path and not os.path.samefile(sys.path[0] or ".", os.path.dirname(os.path.dirname(__file__))):
    del sys.path[0]

from graph_service.cli.main import main

if __name__ == "__main__":
    main()
