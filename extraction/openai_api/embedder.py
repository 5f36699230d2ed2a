"""Embedder for OpenAI-compatible endpoints."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

import openai
from openai.types import CreateEmbeddingResponse

from extraction.embeddings.embedder import check_vectors, unit
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.vendors import embedding_prefixes
from extraction.text.token_estimate import estimated_tokens_in
from extraction.token_spending import current_spending
from schema.errors import MisreadError, UnavailableError

BATCH_SIZE: Final = 100
DIM_DEFAULT: Final = 1536
# Most endpoints refuse empty input.
_BLANK: Final = " "


class OpenAIEmbedder:
    """Embed in batches of at most 100 texts, within the limits of the endpoint and without retries.

    Args:
        dimensions: dimension of the vectors; also sent to the endpoint, for models that can shorten theirs.

    Attributes:
        dim_guessed: `dim` is the default, because the endpoint was not asked, or was unavailable.
    """

    def __init__(self, endpoint: Endpoint, *, dimensions: int | None = None) -> None:
        self.name = endpoint.model
        self._endpoint = endpoint
        self._question_prefix, self._text_prefix = embedding_prefixes(endpoint.model)
        self.dim = dimensions or DIM_DEFAULT
        self.dim_guessed = dimensions is None
        self._dimensions = dimensions

    async def learn_dim(self) -> None:
        """Ask for a vector to learn their dimension, if that was not given; keep 1536 if the endpoint is unavailable.

        Raises:
            InstallError: the key, address or model name is wrong.
        """
        if self.dim_guessed:
            with contextlib.suppress(UnavailableError, MisreadError):
                (probe,) = await self.raw_vectors(["dimension"])
                self.dim, self.dim_guessed = len(probe), False

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Return one unit vector per text, in order."""
        batches = [texts[start : start + BATCH_SIZE] for start in range(0, len(texts), BATCH_SIZE)]
        answers = await asyncio.gather(*(self.raw_vectors(batch, asked=asked) for batch in batches))
        vectors = [unit(vector) for answer in answers for vector in answer]
        check_vectors(vectors, count=len(texts), dim=self.dim)
        return vectors

    async def raw_vectors(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Return the vectors of one request, in the order of the texts; check only their number."""
        endpoint, estimated = self._endpoint, sum(map(estimated_tokens_in, texts))
        prefix = self._question_prefix if asked else self._text_prefix
        try:
            async with endpoint.limiter.request(estimated) as report:
                async with asyncio.timeout(endpoint.timeout_s):
                    answer = await endpoint.client.embeddings.create(
                        model=endpoint.sent_name,
                        input=[prefix + (text or _BLANK) for text in texts],
                        # Without it, the client asks for base64.
                        encoding_format="float",
                        extra_body=self._vendor_fields(asked),
                    )
                used = _reported_tokens(answer) or estimated
                report(used)
                current_spending().add_embedding(used)
        except openai.OpenAIError as error:
            raise endpoint.error(error) from error
        except TimeoutError as error:
            raise UnavailableError(
                f"model {self.name!r} returned no vectors within {endpoint.timeout_s:g} s; retry later"
            ) from error
        except (ValueError, TypeError) as error:
            raise MisreadError(
                f"model {self.name!r} did not return embeddings ({type(error).__name__}); check base_url"
            ) from error
        rows = sorted(answer.data or (), key=lambda row: row.index)
        if len(rows) != len(texts):
            raise MisreadError(f"model {self.name!r} returned {len(rows)} vectors for {len(texts)} texts; retry later")
        return [row.embedding for row in rows]

    def _vendor_fields(self, asked: bool) -> dict[str, object]:
        """Return the fields of a request that differ between vendors."""
        fields = self._endpoint.vendor.embedding
        body: dict[str, object] = dict(fields.for_question if asked else fields.for_text)
        if self._dimensions:
            body[fields.dimensions] = self._dimensions
        if not fields.encoding:
            body["encoding_format"] = None
        return body

    async def close(self) -> None:
        await self._endpoint.client.close()


def _reported_tokens(answer: CreateEmbeddingResponse) -> int | None:
    """Return the tokens in the endpoint's usage; None if it reports none or nonsense."""
    usage = getattr(answer, "usage", None)
    tokens = getattr(usage, "total_tokens", None)
    return tokens if isinstance(tokens, int) and tokens > 0 else None
