"""Where the built viewer lies; the viewer itself is TypeScript, in `src/`."""

from pathlib import Path

DIST: Path = Path(__file__).parent / "dist"
