"""The vectors of a question, or why there are none."""

from extraction.embedding import Embedder
from extraction.token_embedding import EmbeddedQuestion, embed_question
from schema.errors import UnavailableError


async def embedded_question(embedder: Embedder | None, text: str) -> tuple[EmbeddedQuestion | None, tuple[str, ...]]:
    """The question in vectors, or None and why there are none: recall then works by words and names."""
    if embedder is None:
        return None, ("no embedder is configured: searched by words and names only",)
    try:
        return await embed_question(embedder, text), ()
    except UnavailableError as error:
        return None, (f"the embedder is away ({error.message}): searched by words and names only",)
