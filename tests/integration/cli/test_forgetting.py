"""Test deletion on the command line."""

from pathlib import Path

from tests.support.cli_process import run_here


def test_each_kind_is_forgotten_on_the_command_line(home: Path, tenant: str) -> None:
    told = run_here("remember", "My friend Bobby loves tea.", "--user", "ana", "--json").document()
    assert run_here("remember", "我对花生过敏。", "--user", "ana", "--session", "clinic").code == 0
    (name,) = told["message_ids"]
    assert run_here("--tenant", f"{tenant}-other", "forget", "message", name).code == 3
    done = run_here("forget", "message", name, "--json").document()
    assert (done["messages"], done["spooled"]) == (1, 0)
    assert run_here("forget", "message", name).code == 3
    assert "Bobby" not in run_here("recall", "Bobby?", "--user", "ana", "--json").out.replace("Bobby?", "")
    assert "1 messages" in run_here("forget", "session", "clinic", "--user", "ana").out
    assert run_here("remember", "I love tea.", "--user", "ana").code == 0
    assert run_here("forget", "user", "ana").code == 1
    assert run_here("forget", "user", "ana", "--yes", "--json").document()["messages"] == 1
    assert run_here("forget", "user", "ana", "--yes").code == 3
    for kind in ("scene", "fact", "entity"):
        assert run_here("forget", kind, "nothing-of-that-name").code == 3
