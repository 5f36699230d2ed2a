"""Embedder for OpenAI-compatible endpoints."""

import asyncio
from collections.abc import Sequence
from typing import Final

import openai
from openai.types import CreateEmbeddingResponse

from extraction.embeddings.embedder import check_vectors, unit
from extraction.openai_api.client import connect
from extraction.openai_api.errors import as_ours
from extraction.openai_api.request_limiter import RequestLimiter
from extraction.openai_api.vendors import Vendor, embedding_prefixes, vendor_named
from extraction.text.token_estimate import estimated_tokens_in
from extraction.token_spending import current_spending
from schema.errors import MisreadError, UnavailableError

BATCH_SIZE: Final = 100
DIM_DEFAULT: Final = 1536
# Most endpoints refuse empty input.
_BLANK: Final = " "


async def connect_openai_embedder(
    *,
    model: str,
    base_url: str | None,
    api_key: str | None,
    vendor: str | None = None,
    dimensions: int | None = None,
    timeout_s: float = 30.0,
    limiter: RequestLimiter | None = None,
) -> "OpenAIEmbedder":
    """Return an embedder; its dimension is as given, or that of a test request, or 1536 if the endpoint is unavailable.

    Args:
        vendor: its name in `vendors.py`; without it, the endpoint has OpenAI's API and knows the model by `model`.
        dimensions: dimension of the vectors; also sent to the endpoint, for models that can shorten theirs.
        limiter: limits of the endpoint; 4 concurrent requests by default.

    Raises:
        InstallError: the key, address or model name is wrong, or a library that this vendor needs is not installed.
    """
    seller = vendor_named(vendor)

    def connected() -> OpenAIEmbedder:
        return OpenAIEmbedder(
            client=connect(seller, base_url=base_url, api_key=api_key, timeout_s=timeout_s),
            vendor=seller,
            model=model,
            dimensions=dimensions,
            timeout_s=timeout_s,
            limiter=limiter or RequestLimiter(),
        )

    # In a thread, because the first use imports most of the library, which takes seconds.
    embedder = await asyncio.to_thread(connected)
    if dimensions is None:
        try:
            (probe,) = await embedder.raw_vectors(["dimension"])
        except (UnavailableError, MisreadError):
            return embedder
        embedder.dim, embedder.dim_guessed = len(probe), False
    return embedder


class OpenAIEmbedder:
    """Embed in batches of at most 100 texts, within the limits of the endpoint and without retries.

    Attributes:
        dim_guessed: `dim` is the default, because the endpoint was unavailable.
    """

    def __init__(
        self,
        *,
        client: openai.AsyncOpenAI,
        vendor: Vendor,
        model: str,
        dimensions: int | None,
        timeout_s: float,
        limiter: RequestLimiter,
    ) -> None:
        self.name = model
        self._vendor = vendor
        self._sent_name = vendor.model_name(model)
        self._question_prefix, self._text_prefix = embedding_prefixes(model)
        self.dim = dimensions or DIM_DEFAULT
        self.dim_guessed = dimensions is None
        self._client = client
        self._embeddings = client.embeddings
        self._dimensions = dimensions
        self._timeout_s = timeout_s
        self._limiter = limiter

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Return one unit vector per text, in order."""
        batches = [texts[start : start + BATCH_SIZE] for start in range(0, len(texts), BATCH_SIZE)]
        answers = await asyncio.gather(*(self.raw_vectors(batch, asked=asked) for batch in batches))
        vectors = [unit(vector) for answer in answers for vector in answer]
        check_vectors(vectors, count=len(texts), dim=self.dim)
        return vectors

    async def raw_vectors(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        """Return the vectors of one request, in the order of the texts; check only their number."""
        estimated = sum(map(estimated_tokens_in, texts))
        prefix = self._question_prefix if asked else self._text_prefix
        try:
            async with self._limiter.request(estimated) as report:
                async with asyncio.timeout(self._timeout_s):
                    answer = await self._embeddings.create(
                        model=self._sent_name,
                        input=[prefix + (text or _BLANK) for text in texts],
                        # Without it, the client asks for base64.
                        encoding_format="float",
                        extra_body=self._vendor_fields(asked),
                    )
                used = _reported_tokens(answer) or estimated
                report(used)
                current_spending().add_embedding(used)
        except openai.OpenAIError as error:
            raise as_ours(error, model=self.name, base_url=str(self._client.base_url), vendor=self._vendor) from error
        except TimeoutError as error:
            raise UnavailableError(
                f"model {self.name!r} returned no vectors within {self._timeout_s:g} s; retry later"
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
        fields = self._vendor.embedding
        body: dict[str, object] = dict(fields.for_question if asked else fields.for_text)
        if self._dimensions:
            body[fields.dimensions] = self._dimensions
        if not fields.encoding:
            body["encoding_format"] = None
        return body

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _reported_tokens(answer: CreateEmbeddingResponse) -> int | None:
    """Return the tokens in the endpoint's usage; None if it reports none or nonsense."""
    usage = getattr(answer, "usage", None)
    tokens = getattr(usage, "total_tokens", None)
    return tokens if isinstance(tokens, int) and tokens > 0 else None
