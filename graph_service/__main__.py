"""Run `mnemoscene` as `python -m graph_service`."""

import os
import sys

# `python -m` puts the working directory first on the import path. Take it off, so that files there cannot shadow
# libraries, unless it is the checkout that this file is in.
if not sys.flags.safe_path and not os.path.samefile(sys.path[0] or ".", os.path.dirname(os.path.dirname(__file__))):
    del sys.path[0]

from graph_service.cli.main import main

if __name__ == "__main__":
    main()
