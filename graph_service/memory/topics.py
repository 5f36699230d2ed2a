"""What messages are about, as far as scenes need it: by words, and by vectors where those tell something."""

import logging
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from extraction.embedding import Embedder
from extraction.topic import Topic, terms_of
from graph_service.memory.embedding_job import spoken
from schema.errors import MnemographError
from schema.ids import MemoryId
from schema.message import Message

_log = logging.getLogger("mnemograph.scenes")


async def topics_of(messages: Sequence[Message], embedder: Embedder | None) -> dict[MemoryId, Topic]:
    """The topic of each message; by words alone while the embedder is away, because scenes do not wait for it.

    The same texts are embedded for search, so with a cache around the embedder nothing is computed twice.
    """
    vectors: dict[MemoryId, NDArray[np.float64]] = {}
    if embedder and messages:
        try:
            found = await embedder.embed([spoken(message.speaker, message.text) for message in messages])
            vectors = {message.id: np.asarray(vector) for message, vector in zip(messages, found, strict=True)}
        except MnemographError as error:
            _log.warning("scenes are cut by words alone: %s", error)
    return {message.id: Topic(terms=terms_of(message.text), vector=vectors.get(message.id)) for message in messages}
