"""How the files of weights are made; not part of the wheel."""
