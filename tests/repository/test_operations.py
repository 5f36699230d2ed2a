"""Test that board and alerts use existing metrics, and that the operator's page names commands that run."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from graph_service.cli.main import app
from graph_service.config.settings import load_settings
from graph_service.observability.metrics import COUNTERS, HISTOGRAMS
from tests.support.cli_process import Home

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operators.md").read_text("utf-8")
BOARD = json.loads((ROOT / "operations/grafana/boards/mnemoscene.json").read_text("utf-8"))
ALERTS = yaml.safe_load((ROOT / "operations/alerts.yml").read_text("utf-8"))["groups"][0]["rules"]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]
_SELECTOR = re.compile(r"(mnemoscene_\w+)(?:\{([^}]*)\})?")


def queries() -> list[str]:
    return [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]] + [
        rule["expr"] for rule in ALERTS
    ]


def counted() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return every series with its labels and their values."""
    found = {f"{one.about.name}_total": {k: tuple(v) for k, v in one.about.labels.items()} for one in COUNTERS}
    for one in HISTOGRAMS:
        found[f"{one.about.name}_bucket"] = {name: tuple(values) for name, values in one.about.labels.items()}
    return found


def levels() -> set[str]:
    """Return the metric names that are computed at a scrape."""
    text = (ROOT / "graph_service/app/metrics_page.py").read_text("utf-8")
    added = re.findall(r'\.add(?:_by)?\(\s*"(\w+)"', text)
    return {f"mnemoscene_{name}" for name in added} | set(re.findall(r'name="(mnemoscene_\w+)"', text))


def test_board_and_alerts_use_existing_metrics() -> None:
    there, looked_up = counted(), levels()
    asked = [match for query in queries() for match in _SELECTOR.findall(query)]
    assert len(asked) > 20
    for name, selector in asked:
        assert name in there or name in looked_up, name
        for label, value in re.findall(r'(\w+)=~?"([^"]*)"', selector):
            if name in there:
                assert set(value.split("|")) <= set(there[name][label]), (name, label, value)


def test_page_names_existing_metrics() -> None:
    names = set(re.findall(r"`(mnemoscene_\w+)`", PAGE))
    there = {name.removesuffix("_bucket") for name in counted()} | levels()
    assert len(names) > 15
    assert names - there == set()


def test_prometheus_and_grafana_configuration_names_existing_files() -> None:
    scraped = yaml.safe_load((ROOT / "operations/prometheus.yml").read_text("utf-8"))
    (target,) = scraped["scrape_configs"][0]["static_configs"][0]["targets"]
    assert target == "service:7780"
    for service in ("prometheus", "grafana"):
        assert COMPOSE[service]["profiles"] == ["watch"]
        for volume in COMPOSE[service]["volumes"]:
            source = volume.split(":")[0]
            assert not source.startswith("./") or (ROOT / source).exists(), source
    folder = ROOT / "operations/grafana/provisioning"
    (source,) = yaml.safe_load((folder / "datasources/prometheus.yml").read_text("utf-8"))["datasources"]
    assert {panel["datasource"]["uid"] for panel in BOARD["panels"]} == {source["uid"]}
    (provider,) = yaml.safe_load((folder / "dashboards/boards.yml").read_text("utf-8"))["providers"]
    assert any(volume.split(":")[1] == provider["options"]["path"] for volume in COMPOSE["grafana"]["volumes"])


def test_service_accepts_the_host_name_used_by_prometheus(tmp_path: Path) -> None:
    hosts = COMPOSE["service"]["environment"]["MNEMOSCENE_SERVICE_ALLOWED_HOSTS"].replace(
        "${MNEMOSCENE_SERVICE_ALLOWED_HOSTS:-}", ""
    )
    settings = load_settings(environ={"MNEMOSCENE_SERVICE_ALLOWED_HOSTS": hosts}, here=tmp_path, user_dir=tmp_path)
    assert settings.service.allowed_hosts == ("service",)


@pytest.mark.parametrize("name", sorted(COMPOSE))
def test_a_container_has_no_needless_rights_and_limits(name: str) -> None:
    service = COMPOSE[name]
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert "privileged" not in service
    assert re.fullmatch(r"(\$\{\w+:-)?\d+[mg]\}?", str(service["mem_limit"]))
    assert 0 < service["pids_limit"] <= 1024
    # Neo4j's start script writes its configuration into the image and changes the user.
    assert service.get("read_only", False) is (name != "neo4j")
    assert bool(service.get("cap_add")) is (name == "neo4j")
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_the_service_may_finish_before_it_is_killed() -> None:
    """`graph_service/runtime/shutdown.py` takes 30 s in total."""
    assert int(COMPOSE["service"]["stop_grace_period"].removesuffix("s")) > 30
    assert int(COMPOSE["neo4j"]["stop_grace_period"].removesuffix("s")) > 30


@pytest.mark.skipif(shutil.which("sh") is None, reason="no sh on this machine")
@pytest.mark.parametrize("password", ["", "admin"])
def test_grafana_does_not_start_without_a_password(password: str) -> None:
    *shell, script = COMPOSE["grafana"]["entrypoint"]
    environ = {"PATH": os.defpath, "GF_SECURITY_ADMIN_PASSWORD": password}
    done = subprocess.run([*shell, script.replace("$$", "$")], env=environ, capture_output=True, text=True, timeout=30)
    assert (done.returncode, "set GRAFANA_PASSWORD" in done.stderr) == (1, True)


@pytest.mark.slow
def test_every_command_of_the_operators_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none", "MNEMOSCENE_SERVICE_PORT": "0"})
    home.move_in(monkeypatch)
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if "mnemoscene " in line and "pip" not in line]
    while_it_runs = [line for line in lines if "backup" not in line and "restore" not in line]
    assert (len(lines), len(while_it_runs)) == (7, 5)
    with home.running("serve", "--no-browser", "--json") as service:
        service.document()
        for line in while_it_runs:
            # The doctor exits with 7 if the viewer is not built.
            assert typed(line, monkeypatch) in ((0, 7) if "doctor" in line else (0,)), line
        assert typed("mnemoscene backup early.tar.gz", monkeypatch) == 4
    for line in lines[5:]:
        assert typed(line, monkeypatch) == 0, line
    assert (tmp_path / "restored/password").read_bytes() == (tmp_path / "data/password").read_bytes()


def typed(line: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the exit code of a command, run in this process."""
    words = shlex.split(line)
    with monkeypatch.context() as around:
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            around.setenv(name, value)
        done = CliRunner().invoke(app, words[1:])
    return getattr(done.exception, "exit_code", done.exit_code)
