"""Test `mnemoscene eval` in real processes with their own database."""

import json
from pathlib import Path

import pytest

from tests.support.cli_process import Home

OWN = Path(__file__).parents[2] / "everyday_sets" / "plain" / "own_plain_01.json"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("cli"), {"MNEMOSCENE_EMBEDDING_KIND": "none"})


def test_option_errors_are_reported_before_the_start(home: Home, tmp_path: Path) -> None:
    broken, strange = tmp_path / "broken.json", tmp_path / "strange.json"
    broken.write_text("{", encoding="utf-8")
    document = json.loads(OWN.read_text(encoding="utf-8"))
    document["questions"][0]["gold_messages"] = ["m77"]
    strange.write_text(json.dumps(document), encoding="utf-8")
    done = home.run("eval", str(tmp_path / "none.json"), str(broken), str(strange))
    assert (done.code, done.out) == (2, "")
    for part in ("none.json: cannot be read", "broken.json line 1: not JSON", "not in the file: ['m77']"):
        assert part in done.err
    assert "Traceback" not in done.err
    assert not (home.folder / "data").exists()


def test_a_tenant_or_a_place_without_a_folder_is_refused(home: Home, tmp_path: Path) -> None:
    done = home.run("eval", str(OWN), "--tenant", "mine")
    assert (done.code, "leave out --tenant" in done.err) == (2, True)
    done = home.run("eval", str(OWN), "--output", str(tmp_path / "nowhere" / "f.json"))
    assert (done.code, "choose another --output" in done.err) == (2, True)
    document = json.loads(OWN.read_text(encoding="utf-8")) | {"questions": []}
    (tmp_path / "unasked.json").write_text(json.dumps(document), encoding="utf-8")
    done = home.run("eval", str(tmp_path / "unasked.json"))
    assert (done.code, "nothing to measure" in done.err) == (2, True)


@pytest.mark.slow
def test_bundled_memory_is_measured_into_one_document(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = home.run("eval", str(OWN), "--json", "--limit", "1", "--output", str(file))
    document = done.document()
    assert document == json.loads(file.read_text(encoding="utf-8"))
    assert document["everyday"]["memories"] == 1
    assert document["everyday"]["groups"]["all"]["answer@3"] >= 0.5
    # Its temporary database was deleted, and the user's own was never created.
    assert not (home.folder / "data").exists()
