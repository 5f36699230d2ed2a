"""Run the service with a scripted model endpoint, and use it over GraphQL."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from tests.conftest import Server
from tests.support.fake_openai import FakeOpenAI, Reply, fails, says
from tests.support.open_service import OpenService, open_service

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored sessionUri } }"
CLOSE = "mutation ($u: String!, $s: String!) { closeSession(userId: $u, sessionId: $s) { state } }"

# Jobs that wait longer than this for an endpoint that fails would wait for its circuit breaker.
JOBS_S = 60.0

# The answer to a request, given its prompt; None fails with 500.
Answer = Callable[[str], str | Reply | None]


class AnsweringEndpoint(FakeOpenAI):
    """An endpoint whose chat completions are a function of the prompt.

    Attributes:
        errors: raised by the function; such requests fail with 500.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer
        self.errors: list[Exception] = []

    def reply(self, path: str, asked: dict[str, Any]) -> Reply:
        """Return the response to one request."""
        if path.endswith("/embeddings") or self.script:
            return super().reply(path, asked)
        self.requests.append({**asked, "path": path})
        try:
            answer = self.answer("\n".join(str(message["content"]) for message in asked["messages"]))
        except Exception as error:
            self.errors.append(error)
            answer = None
        return answer if isinstance(answer, Reply) else fails(500) if answer is None else says(answer)


class ModelService:
    """A running service and its GraphQL API for one tenant."""

    def __init__(self, service: OpenService, tenant: str) -> None:
        self.service = service
        self.tenant = tenant

    async def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """Return the data of an operation; fail on errors."""
        async with self.service.client(**{"Mnemoscene-Tenant": self.tenant}) as client:
            answer = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
        assert "errors" not in answer, answer
        data: dict[str, Any] = answer["data"]
        return data

    async def remember(self, *messages: Mapping[str, Any], user: str = "alice", session: str = "s1") -> None:
        """Store messages, close their session, and run all jobs."""
        given = {"userId": user, "sessionId": session, "messages": [dict(one) for one in messages]}
        await self.ask(REMEMBER, i=given)
        await self.ask(CLOSE, u=user, s=session)
        async with asyncio.timeout(JOBS_S):
            await self.service.parts.worker.drain()

    async def text(self, path: str) -> str:
        """Return the body of a GET request."""
        async with self.service.client() as client:
            return (await client.get(path)).text


def said(text: str, time: str = "2026-03-04T12:00:00Z", role: str = "USER", **more: Any) -> dict[str, Any]:
    """Return a message as GraphQL takes it."""
    return {"role": role, "text": text, "time": time, **more}


def a_reading(*facts: Mapping[str, Any], **more: Any) -> str:
    """Return a model's reading of a scene, with defaults for the fields of a fact."""
    full = [{"subject": "user", "messages": ["m1"], "importance": "high", **fact} for fact in facts]
    return json.dumps({"title": "t", "summary": "s", "facts": full, **more}, ensure_ascii=False)


@contextlib.asynccontextmanager
async def model_service(
    server: Server, folder: Path, tenant: str, endpoint: FakeOpenAI, **more: str
) -> AsyncIterator[ModelService]:
    """Run a service whose scenes the endpoint reads; without an embedder."""
    environ = {
        "LLM_MODEL": "first",
        "MNEMOSCENE_LLM_BASE_URL": endpoint.base_url,
        "MNEMOSCENE_LLM_OVERVIEWS": "false",
        "MNEMOSCENE_EMBEDDING_KIND": "none",
        **more,
    }
    async with open_service(server, folder, environ) as service:
        yield ModelService(service, tenant)
