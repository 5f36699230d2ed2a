"""Test how long an endpoint may take to answer."""

import asyncio

from graph_service.runtime.models import EndpointHealth


async def test_endpoint_that_does_not_answer_is_named_after_the_given_time() -> None:
    async def hangs() -> None:
        await asyncio.Event().wait()

    async def answers() -> None:
        return

    found = await EndpointHealth({"slow": hangs, "quick": answers}, answer_max_s=0.01).check()
    assert found["slow"] == {"answers": False, "problem": "no answer within 0.01 s"}
    assert found["quick"]["answers"] is True
