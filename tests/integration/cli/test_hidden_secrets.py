"""Test that commands show no stored secret, in tables and in JSON."""

from pathlib import Path

from tests.conftest import Server
from tests.support.cli_process import Home

KEY = "sk-proj-" + "Zq7" * 9
SAID = f"The OpenAI key is {KEY}, and the tax file is /home/ana/tax/2025.pdf."


def test_the_command_line_shows_no_secret_in_tables_and_json(server: Server, tenant: str, tmp_path: Path) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant, "MNEMOSCENE_EMBEDDING_KIND": "none"})
    stored = home.run("remember", SAID, "--user", "ana")
    assert stored.code == 0, stored.err
    for form in ((), ("--json",)):
        done = home.run("recall", "Which key and tax file?", "--user", "ana", *form)
        assert "[hidden key]" in done.out, done.err
        assert KEY not in done.out
        assert "/home/ana" not in done.out
