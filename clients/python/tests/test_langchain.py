"""Test the retriever for LangChain with the suite of langchain-tests."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from mnemoscene import Memory
from mnemoscene.langchain import MnemosceneRetriever

SAID = [
    "I live in Lisbon.",
    "I take the tram to work in Lisbon.",
    "My sister lives in Porto.",
    "Lisbon is sunny in May.",
]


@pytest.fixture(scope="module")
def known_user(url: str, key: str | None) -> str:
    """Return a user with some messages."""
    owner = f"u-{uuid.uuid4().hex[:12]}"
    with Memory(url, key, user_id=owner) as memory:
        memory.remember(SAID, metadata={"project": "move"}, tags=["home"])
        memory.remember("The weather in Lisbon is none of our business.", metadata={"project": "other"})
    return owner


class TestMnemosceneRetriever(RetrieversIntegrationTests):
    """The suite of LangChain."""

    @pytest.fixture(autouse=True)
    def _service(self, url: str, key: str | None, known_user: str) -> None:
        self.told = {"url": url, "key": key, "user_id": known_user, "kinds": ["message"]}

    @property
    def retriever_constructor(self) -> type[MnemosceneRetriever]:
        return MnemosceneRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return self.told

    @property
    def retriever_query_example(self) -> str:
        return "What about Lisbon?"


@pytest.fixture
def retriever(url: str, key: str | None, known_user: str) -> MnemosceneRetriever:
    return MnemosceneRetriever(url=url, key=key, user_id=known_user, k=2, where={"project": "move"})


def test_documents_carry_metadata_and_score(retriever: MnemosceneRetriever) -> None:
    documents = retriever.invoke("Where does the sister live?")
    assert documents[0].page_content == "My sister lives in Porto."
    assert documents[0].metadata["project"] == "move"
    assert documents[0].metadata["kind"] == "message"
    assert documents[0].metadata["score"] >= documents[-1].metadata["score"]
    assert documents[0].id
    assert len(documents) == 2


def test_filters_of_the_retriever_and_the_call(retriever: MnemosceneRetriever) -> None:
    shown = [document.page_content for document in retriever.invoke("the weather in Lisbon", k=10)]
    assert not any("none of our business" in text for text in shown)
    (document,) = retriever.invoke("the weather in Lisbon", where={"project": "other"}, kinds=["message"])
    assert "none of our business" in document.page_content
    assert retriever.invoke("the weather in Lisbon", tags=["work"]) == []


def test_key_is_not_shown(url: str) -> None:
    assert "secret-key" not in repr(MnemosceneRetriever(url=url, key="secret-key", user_id="ana"))


def test_block_of_the_readme_runs(url: str, known_user: str) -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n(from mnemoscene.langchain .*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(text.replace("http://127.0.0.1:7780", url).replace('"ana"', f'"{known_user}"'), names)
    assert any("Lisbon" in document.page_content for document in names["found"])
