"""Report the questions of commands to the running service, whose viewers show what was recalled."""

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import httpx2

from graph_service.config.settings import Settings
from graph_service.runtime.service_registry import running_service

if TYPE_CHECKING:
    from graph_service.memory.recall.question_log import AskedQuestion, Asker
    from graph_service.memory.service import Memory

_log = logging.getLogger("mnemoscene.cli")
# The answer is printed after it.
_REPORT_MAX_S: Final = 2.0
_NOTE: Final = "mutation($input: NotedQuestionInput!) { noteQuestion(input: $input) }"


def by_command() -> "Asker":
    """Return this command as the asker of a question."""
    from graph_service.memory.recall.question_log import Asker, Door

    return Asker(door=Door.COMMAND)


async def report_question(settings: Settings, memory: "Memory", tenant: str) -> None:
    """Report the last question of this process to the service of this data directory, if one is running.

    A service that refuses or does not answer is no problem of the command: the answer matters, not who watches.
    """
    asked = memory.questions.of(tenant)
    address = await asyncio.to_thread(running_service, settings) if asked else None
    if address is None:
        return
    headers = {"Mnemoscene-Tenant": quote(tenant)}
    if settings.api_key:
        headers["Authorization"] = f"Bearer {settings.api_key}"
    body = {"query": _NOTE, "variables": {"input": _note(asked[-1])}}
    try:
        async with httpx2.AsyncClient(headers=headers, timeout=_REPORT_MAX_S) as client:
            answer = await client.post(f"{address}/graphql", json=body)
        if answer.is_error or "errors" in answer.json():
            _log.debug("the service at %s does not show the question: HTTP %d", address, answer.status_code)
    except (httpx2.HTTPError, ValueError) as error:
        _log.debug("the service at %s was not told of the question: %s", address, type(error).__name__)


def _note(asked: "AskedQuestion") -> dict[str, Any]:
    return {
        "userId": asked.user_id,
        "kind": asked.kind.name,
        "text": asked.text,
        "found": asked.found_n,
        "confidence": asked.confidence,
        "nothingRelevant": asked.nothing_relevant,
        "hits": [
            {
                "kind": hit.kind.name,
                "id": hit.id,
                "score": hit.score,
                "scene": hit.scene,
                "used": hit.used,
                "proofs": list(hit.proofs),
                "ends": list(hit.ends),
            }
            for hit in asked.hits
        ],
    }
