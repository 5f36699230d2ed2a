"""Test listing, merging, splitting and suggesting entities on the command line."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Server
from tests.support.cli_process import Home


def entities_by_name(home: Home, *more: str) -> dict[str, Any]:
    """Return the entities of Ana by name."""
    told = home.run(*more, "entities", "list", "--user", "ana", "--json").document()
    return {one["name"]: one for one in told["entities"]}


@pytest.mark.slow
def test_entities_are_listed_merged_and_split_on_the_command_line(server: Server, tenant: str, tmp_path: Path) -> None:
    home, other = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant}), f"{tenant}-other"
    assert home.run("remember", "My friend Bobby loves tea. 我的朋友小红喜欢茶。", "--user", "ana").code == 0
    assert home.run("remember", "My friend Bob lives in Oslo.", "--user", "ana", "--name", "Ana").code == 0
    before = entities_by_name(home)
    assert {"Bob", "Bobby", "小红"} <= set(before)
    bob, bobby = before["Bob"]["id"], before["Bobby"]["id"]
    assert home.run("--tenant", other, "entities", "merge", bob, bobby).code == 3
    (pair,) = home.run("entities", "suggest", "--user", "ana", "--json").document()["suggested"]
    assert {pair["first"]["id"], pair["second"]["id"]} == {bob, bobby}
    assert home.run("--tenant", other, "entities", "suggest", "--json").document() == {"suggested": []}
    done = home.run("entities", "merge", bob, bobby, "--reason", "one man", "--json").document()
    assert (done["kept_id"], done["merged_id"]) == (bob, bobby)
    merged = entities_by_name(home)
    assert (merged["Bob"]["merged"], merged["Bob"]["aliases"]) == ([bobby], ["Bobby"])
    assert "Bobby" not in merged
    assert entities_by_name(home, "--tenant", other) == {}
    assert home.run("entities", "split", done["merge_id"], "--json").document()["merged_id"] == bobby
    assert entities_by_name(home) == before
    again = home.run("entities", "split", bobby)
    assert (again.code, "not merged" in again.err) == (4, True)
    assert "differ" in home.run("entities", "reject", bob, bobby).out
    assert home.run("entities", "suggest", "--json").document() == {"suggested": []}
    assert "小红" in home.run("entities", "list", "--user", "ana").out
