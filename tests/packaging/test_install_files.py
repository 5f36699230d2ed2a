"""What an installation is made from: locks, wheel contents, image and compose file agree with each other."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = {
    "requirements.lock": PROJECT["project"]["dependencies"],
    "requirements-test.lock": PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["test"],
}


def pinned(lock: str) -> dict[str, str]:
    """Version and hashes of each package in a lock, by normalised name."""
    entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text("utf-8"))
    found = {}
    for entry in entries:
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)", entry)
        if match:
            found[normalised(match[1])] = entry
    return found


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_dependency_is_pinned_with_hashes(lock: str) -> None:
    entries = pinned(lock)
    wanted = {normalised(re.split(r"[\[<>=~! ]", line, maxsplit=1)[0]) for line in LOCKS[lock]}
    assert wanted - set(entries) == set()
    assert [name for name, entry in entries.items() if "--hash=sha256:" not in entry] == []


def test_both_locks_pin_the_same_versions() -> None:
    product, tests = pinned("requirements.lock"), pinned("requirements-test.lock")
    assert {name for name in product if product[name].split()[0] != tests[name].split()[0]} == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_host(lock: str) -> None:
    assert "://" not in (ROOT / lock).read_text("utf-8")


def test_data_files_of_the_packages_are_inside_the_wheel() -> None:
    """Hatchling takes everything below the packages; nothing that the code reads may be excluded."""
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(wheel["packages"]) == {"schema", "extraction", "graph_service", "web_viewer"}
    for needed in ("schema/predicates.toml", "graph_service/graph/local/jars.lock", "extraction/models.lock"):
        assert (ROOT / needed).is_file()
        assert not any(needed.startswith(pattern) for pattern in wheel.get("exclude", []))


def test_each_demo_conversation_names_its_licence() -> None:
    files = sorted((ROOT / "graph_service/demo/conversations").glob("*.json"))
    told = (ROOT / "graph_service/demo/LICENCES.md").read_text("utf-8")
    assert len(files) == 4
    for file in files:
        assert json.loads(file.read_text("utf-8"))["licence"].startswith("MIT")
        assert file.name in told


def test_the_compose_file_publishes_to_this_machine_only() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    services = compose["services"]
    published = {service: services[service]["ports"] for service in services if services[service].get("ports")}
    assert set(published) == {"service", "prometheus", "grafana"}
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)
    assert services["neo4j"]["image"] == "neo4j:2026-community"
    assert services["service"]["depends_on"]["neo4j"]["condition"] == "service_healthy"


def test_the_compose_file_holds_no_secret() -> None:
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    values = re.findall(r"^\s*[A-Z_]*(?:PASSWORD|API_KEY): *(\S+)$", text, re.MULTILINE)
    assert values
    assert all(re.fullmatch(r"\$\{[A-Z0-9_]+:-\}", value) for value in values)


def test_docker_accepts_the_compose_file() -> None:
    command = _compose_command()
    if command is None:
        pytest.skip("no docker compose on this machine")
    done = subprocess.run([*command, "config", "--quiet"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def _compose_command() -> list[str] | None:
    """The plugin of today, or the program of old."""
    for command in (["docker", "compose"], ["docker-compose"]):
        there = shutil.which(command[0]) is not None
        if there and subprocess.run([*command, "version"], capture_output=True, timeout=20).returncode == 0:
            return command
    return None


def test_the_image_copies_everything_the_build_needs() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    files = {name for line in copied for name in line.split()}
    assert {"requirements.lock", "pyproject.toml", "README.md", "hatch_build.py"} <= files
    assert set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) <= files
