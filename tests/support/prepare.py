"""Fetch what the tests download, and build the class archive, without which each start of a Neo4j takes twice as long.

`.ci/run` runs `python -m tests.support.prepare` while the viewer is built. Without it the tests do the same.
"""

import asyncio
import json
import sys
from pathlib import Path

import platformdirs

from extraction.embeddings.local_models import ALL_MODELS
from extraction.embeddings.model_download import fetched_models
from graph_service.graph.local_neo4j import class_archive
from graph_service.graph.local_neo4j.jar_cache import ensure_jars


def main() -> None:
    """Fill the user's cache."""
    cache_dir = Path(platformdirs.user_cache_dir("mnemoscene"))
    jars = ensure_jars(cache_dir / "jars")
    asyncio.run(fetched_models(ALL_MODELS, cache_dir=cache_dir))
    archive = class_archive.class_archive(cache_dir, jars)
    archive.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The build of a service takes its arguments from its command line.
    sys.argv = ["", json.dumps({"path": str(archive.path), "jars": [str(jar) for jar in jars]})]
    class_archive.main()


if __name__ == "__main__":
    main()
