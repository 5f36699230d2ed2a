"""Test commands that ask a service by its address, with an API key."""

import asyncio
from pathlib import Path

from graph_service.auth.access import Role
from tests.conftest import Server
from tests.support.cli_process import Done, Home
from tests.support.open_service import open_service


async def test_commands_reach_a_service_by_its_url_and_see_only_the_tenant_of_their_key(
    server: Server, tenant: str, tmp_path: Path
) -> None:
    async with open_service(server, tmp_path / "service", {"MNEMOSCENE_EMBEDDING_KIND": "none"}) as service:
        key, other = [await service.key(name, Role.WRITE) for name in (tenant, f"{tenant}-other")]

        async def run(*words: str, text: str = key.text, named: str = tenant) -> Done:
            # Nothing says where the database is.
            home = Home(tmp_path, {"MNEMOSCENE_URL": service.http, "MNEMOSCENE_API_KEY": text})
            return await asyncio.to_thread(home.run, *words, "--tenant", named)

        told = await run("remember", "The code of my safe is 4711. 我的保险箱是红色的。", "--user", "ana", "--json")
        assert (told.document()["stored"], told.document()["extracted"]) == (1, True)
        question = ("recall", "What is the code of the safe?", "--user", "ana", "--json")
        assert "4711" in (await run(*question)).document()["hits"][0]["text"]
        assert (await run(*question, text=other.text, named=f"{tenant}-other")).document()["hits"] == []
        for text in (other.text, ""):
            refused = await run(*question, text=text)
            assert (refused.code, "4711" in refused.out + refused.err) == (9 if text else 8, False)
        (session,) = (await run("sessions", "list", "--user", "ana", "--json")).document()["sessions"]
        assert (session["session_id"], session["messages"]) == ("cli", 1)
        (message,) = told.document()["message_ids"]
        assert (await run("forget", "message", message, text=other.text, named=f"{tenant}-other")).code == 3
        assert (await run("forget", "message", message, "--json")).document()["messages"] == 1
        assert (await run(*question)).document()["hits"] == []
        assert (await run("export")).code == 2
        assert not (tmp_path / "data").exists()
