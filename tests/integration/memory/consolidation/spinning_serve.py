"""The command line with a rule reader that never returns for marked texts, as a faulty rule would."""

import sys

from extraction.reader import Reading, SceneText
from extraction.rules import scene_reader as scene_rules
from graph_service.cli.main import main

SPIN = "spin for ever"
STARTED = "the reader spins"
_read_scene = scene_rules.read_scene


def read_scene(scene: SceneText, *, reader: str) -> Reading:
    """Loop forever in Python on marked scenes; read others as usual."""
    if any(SPIN in line.text for line in scene.lines):
        sys.stderr.write(f"{STARTED}\n")
        sys.stderr.flush()
        while True:
            sum(range(1_000))
    return _read_scene(scene, reader=reader)


if __name__ == "__main__":
    scene_rules.read_scene = read_scene
    main()
