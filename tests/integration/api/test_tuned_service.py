"""Test over GraphQL that limits and thresholds of the settings take effect in a running service."""

import asyncio
from pathlib import Path
from typing import Any

from schema.tuning import tuning
from tests.conftest import Server
from tests.support.open_service import open_service
from tests.support.tuning import tuned

PROFILE = '{ profile(userId: "ana") { category limit omitted items { statement } } }'
REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"


def given(*things: str) -> dict[str, Any]:
    facts = [
        {"subject": "user", "predicate": "PREFERS", "object": thing, "statement": f"Ana loves {thing}."}
        for thing in things
    ]
    messages = [{"role": "USER", "text": f"I love {', '.join(things)}."}]
    return {"userId": "ana", "sessionId": "s1", "messages": messages, "facts": facts}


async def test_a_smaller_category_limit_leaves_facts_out_of_the_profile(
    server: Server, tenant: str, tmp_path: Path
) -> None:
    more = {"MNEMOSCENE_EMBEDDING_KIND": "none", "MNEMOSCENE_PROFILE_PREFERENCES_MAX": "2"}
    with tuned(tuning()):
        async with (
            open_service(server, tmp_path, more) as service,
            service.client(**{"Mnemoscene-Tenant": tenant}) as client,
        ):
            stored = {"query": REMEMBER, "variables": {"i": given("tea", "rain", "figs")}}
            answer = await client.post("/graphql", json=stored)
            assert "errors" not in answer.json(), answer.text
            async with asyncio.timeout(120):
                await service.parts.worker.drain()
            said = (await client.post("/graphql", json={"query": PROFILE})).json()
            [preferences] = [one for one in said["data"]["profile"] if one["category"] == "PREFERENCES"]
            assert (preferences["limit"], preferences["omitted"], len(preferences["items"])) == (2, 1, 2)
