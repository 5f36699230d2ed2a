"""Test how a program finds the service of its data directory."""

import json
from pathlib import Path

import pytest

from graph_service.config.settings import Settings, load_settings
from graph_service.runtime.service_registry import recorded, running_service
from schema.errors import InstallError

ADDRESS = "http://127.0.0.1:7780"


def of(folder: Path, **environ: str) -> Settings:
    more = {"MNEMOSCENE_DATA_DIR": str(folder / "data"), **environ}
    return load_settings(environ=more, here=folder, user_dir=folder)


def test_service_is_found_while_it_runs(tmp_path: Path) -> None:
    assert running_service(of(tmp_path)) is None
    with recorded(of(tmp_path), ADDRESS):
        assert running_service(of(tmp_path)) == ADDRESS
    assert running_service(of(tmp_path)) is None


def test_service_on_another_database_is_ignored(tmp_path: Path) -> None:
    with recorded(of(tmp_path), ADDRESS):
        assert running_service(of(tmp_path, NEO4J_URI="bolt://127.0.0.1:1", NEO4J_PASSWORD="x")) is None


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"process": {"pid": "x"}}', "dead"])
def test_record_of_a_crashed_service_is_ignored(tmp_path: Path, text: str) -> None:
    with recorded(of(tmp_path), ADDRESS):
        record = json.loads((tmp_path / "data/service.json").read_text())
    record["process"]["started_s"] -= 1000
    (tmp_path / "data/service.json").write_text(json.dumps(record) if text == "dead" else text)
    assert running_service(of(tmp_path)) is None


@pytest.mark.parametrize(
    "address", ["http://203.0.113.7:80", "http://evil.example", "http://u@127.0.0.1:1", "https://127.0.0.1:1", "x"]
)
def test_record_with_a_remote_address_is_ignored(tmp_path: Path, address: str) -> None:
    """It may have come with the directory; keys and memories would be sent to the service that it names."""
    with recorded(of(tmp_path), address):
        assert running_service(of(tmp_path)) is None


def test_a_data_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(InstallError, match=r"data' cannot be used"), recorded(of(tmp_path), ADDRESS):
        pass
