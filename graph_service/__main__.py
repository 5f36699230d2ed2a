"""`python -m graph_service` is the same as `mnemograph`."""

from graph_service.cli.main import main

if __name__ == "__main__":
    main()
