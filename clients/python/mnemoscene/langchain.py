"""LangChain: a retriever of what the memory knows. Needs langchain-core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, PrivateAttr, SecretStr

from mnemoscene.memory import AsyncMemory, Memory
from mnemoscene.models import Hit, HitKindName


class MnemosceneRetriever(BaseRetriever):
    """Returns messages, scenes and facts that answer a question, the best first, as documents.

    A document has the metadata of the messages, and `kind`, `score`, `uri`, `said_at` and `speaker`.

    Args:
        user_id, agent_id, url, key, tenant: as of `mnemoscene.Memory`.
        k: number of documents, 1 to 100; also an argument of `invoke`.
        kinds, where, message_tags: `kinds`, `where` and `tags` of `Memory.recall`.

    Example:
        retriever = MnemosceneRetriever(user_id="ana", url="http://127.0.0.1:7780", k=3)
        [document.page_content for document in retriever.invoke("Where does she live?")]
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    user_id: str | None = None
    agent_id: str | None = None
    url: str | None = None
    key: SecretStr | None = None
    tenant: str | None = None
    k: int = 4
    kinds: Sequence[HitKindName] | None = None
    where: Mapping[str, Any] | None = None
    message_tags: Sequence[str] = ()

    _memory: Memory = PrivateAttr()
    _async_memory: AsyncMemory = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Open the connections."""
        key = self.key.get_secret_value() if self.key else None
        owner = {"user_id": self.user_id, "agent_id": self.agent_id, "tenant": self.tenant}
        self._memory = Memory(self.url, key, **owner)
        self._async_memory = AsyncMemory(self.url, key, **owner)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return [_document(hit) for hit in self._memory.recall(query, **self._arguments(kwargs))]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return [_document(hit) for hit in await self._async_memory.recall(query, **self._arguments(kwargs))]

    def _arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of `recall`; those of the call come first."""
        own = {"k": self.k, "kinds": self.kinds, "where": self.where, "tags": self.message_tags}
        told = {**own, "evidence": 0, **given}
        return {"limit": told.pop("k"), **told}


def _document(hit: Hit) -> Document:
    about = {
        "kind": hit.kind,
        "score": hit.score,
        "uri": hit.uri,
        "said_at": hit.said_at.isoformat(),
        "speaker": hit.speaker,
    }
    return Document(hit.text, id=hit.id, metadata={**hit.metadata, **about})
