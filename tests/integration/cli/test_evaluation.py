"""Test `mnemoscene eval` in real processes with their own database."""

import json
from pathlib import Path

import pytest

from tests.support.cli_process import Home

OWN = Path(__file__).parents[2] / "evaluation_sets"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("cli"), {"MNEMOSCENE_EMBEDDING_KIND": "none"})


def test_option_errors_are_reported_before_the_start(home: Home, tmp_path: Path) -> None:
    broken, strange = tmp_path / "broken.json", tmp_path / "strange.json"
    broken.write_text("{", encoding="utf-8")
    document = json.loads((OWN / "wulei.json").read_text(encoding="utf-8"))
    document["questions"][0]["gold"] = ["7.7"]
    strange.write_text(json.dumps(document), encoding="utf-8")
    done = home.run("eval", str(tmp_path / "none.json"), str(broken), str(strange))
    assert (done.code, done.out) == (2, "")
    for part in ("none.json: cannot be read", "broken.json line 1: not JSON", "names the message '7.7'"):
        assert part in done.err
    assert "Traceback" not in done.err
    assert not (home.folder / "data").exists()


def test_a_tenant_or_a_place_without_a_folder_is_refused(home: Home, tmp_path: Path) -> None:
    done = home.run("eval", str(OWN), "--tenant", "mine")
    assert (done.code, "leave out --tenant" in done.err) == (2, True)
    done = home.run("eval", str(OWN), "--output", str(tmp_path / "nowhere" / "f.json"))
    assert (done.code, "choose another --output" in done.err) == (2, True)
    document = json.loads((OWN / "wulei.json").read_text(encoding="utf-8")) | {"questions": []}
    (tmp_path / "unasked.json").write_text(json.dumps(document), encoding="utf-8")
    done = home.run("eval", str(tmp_path / "unasked.json"))
    assert (done.code, "nothing to measure" in done.err) == (2, True)


@pytest.mark.slow
def test_bundled_sets_are_measured_into_one_document(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = home.run(
        "eval", str(OWN), "--json", "--limit-conversations", "1", "--concurrency", "2", "--output", str(file)
    )
    document = done.document()
    assert document == json.loads(file.read_text(encoding="utf-8"))
    assert {one["dataset"]: one["conversations"] for one in document["data"]} == {"own-en": 1, "own-zh": 1}
    assert {line["system"] for line in document["lines"]} == {"mnemoscene", "bm25"}
    assert document["cost"]["round_trips_most"] == 1
    assert document["cost"]["recalls"] == 11
    # Its temporary database was deleted, and the user's own was never created.
    assert not (home.folder / "data").exists()
