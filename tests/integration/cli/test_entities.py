"""Test listing, merging, splitting and suggesting entities on the command line."""

from pathlib import Path
from typing import Any

from tests.support.cli_process import run_here


def listed(*more: str) -> dict[str, Any]:
    """The entities of Ana, by name."""
    told = run_here(*more, "entities", "list", "--user", "ana", "--json").document()
    return {one["name"]: one for one in told["entities"]}


def test_entities_are_listed_merged_and_split_on_the_command_line(home: Path, tenant: str) -> None:
    assert run_here("remember", "My friend Bobby loves tea. 我的朋友小红喜欢茶。", "--user", "ana").code == 0
    assert run_here("remember", "My friend Bob lives in Oslo.", "--user", "ana", "--name", "Ana").code == 0
    before = listed()
    assert {"Bob", "Bobby", "小红"} <= set(before)
    bob, bobby = before["Bob"]["id"], before["Bobby"]["id"]
    assert run_here("--tenant", f"{tenant}-other", "entities", "merge", bob, bobby).code == 3
    (pair,) = run_here("entities", "suggest", "--user", "ana", "--json").document()["suggested"]
    assert {pair["first"]["id"], pair["second"]["id"]} == {bob, bobby}
    assert run_here("--tenant", f"{tenant}-other", "entities", "suggest", "--json").document() == {"suggested": []}
    done = run_here("entities", "merge", bob, bobby, "--reason", "one man", "--json").document()
    assert (done["kept_id"], done["merged_id"]) == (bob, bobby)
    merged = listed()
    assert (merged["Bob"]["merged"], merged["Bob"]["aliases"]) == ([bobby], ["Bobby"])
    assert "Bobby" not in merged
    assert listed("--tenant", f"{tenant}-other") == {}
    assert run_here("entities", "split", done["merge_id"], "--json").document()["merged_id"] == bobby
    assert listed() == before
    again = run_here("entities", "split", bobby)
    assert (again.code, "not merged" in again.err) == (4, True)
    assert "are two" in run_here("entities", "reject", bob, bobby).out
    assert run_here("entities", "suggest", "--json").document() == {"suggested": []}
    assert "小红" in run_here("entities", "list", "--user", "ana").out
