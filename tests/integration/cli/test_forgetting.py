"""Test deletion on the command line."""

from pathlib import Path

import pytest

from tests.conftest import Server
from tests.support.cli_process import Home


@pytest.mark.slow
def test_each_kind_is_forgotten_on_the_command_line(server: Server, tenant: str, tmp_path: Path) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant})
    told = home.run("remember", "My friend Bobby loves tea.", "--user", "ana", "--json").document()
    assert home.run("remember", "我对花生过敏。", "--user", "ana", "--session", "clinic").code == 0
    (name,) = told["message_ids"]
    assert home.run("--tenant", f"{tenant}-other", "forget", "message", name).code == 3
    done = home.run("forget", "message", name, "--json").document()
    assert (done["messages"], done["spooled"]) == (1, 0)
    assert home.run("forget", "message", name).code == 3
    assert "Bobby" not in home.run("recall", "Bobby?", "--user", "ana", "--json").out.replace("Bobby?", "")
    assert "1 messages" in home.run("forget", "session", "clinic", "--user", "ana").out
    assert home.run("remember", "I love tea.", "--user", "ana").code == 0
    assert home.run("forget", "user", "ana").code == 1
    assert home.run("forget", "user", "ana", "--yes", "--json").document()["messages"] == 1
    assert home.run("forget", "user", "ana", "--yes").code == 3
    for kind in ("scene", "fact", "entity"):
        assert home.run("forget", kind, "nothing-of-that-name").code == 3
