"""The local embedder with its real models, which are downloaded once into the user's cache."""

from collections.abc import AsyncIterator
from pathlib import Path

import platformdirs
import pytest
import pytest_asyncio

from extraction.embeddings.local_embedder import LocalEmbedder, load_local_embedder
from schema.errors import InstallError


@pytest_asyncio.fixture(scope="module")
async def embedder() -> AsyncIterator[LocalEmbedder]:
    """Yield the embedder of this machine."""
    try:
        loaded = await load_local_embedder(cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")))
    except InstallError as error:
        pytest.skip(f"the embedding models cannot be fetched here: {error}")
    yield loaded
    loaded.close()
