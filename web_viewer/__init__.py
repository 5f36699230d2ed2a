"""Location of the built viewer; the viewer itself is TypeScript, in `src/`."""

from pathlib import Path

DIST: Path = Path(__file__).parent / "dist"
