"""Test that locks, wheel contents, image and compose file agree with each other."""

import hashlib
import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from hatch_build import NODE

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = {
    "requirements.lock": PROJECT["project"]["dependencies"],
    "requirements-test.lock": PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["test"],
    "requirements-build.lock": [*PROJECT["build-system"]["requires"], NODE],
}


def pinned(lock: str) -> dict[str, str]:
    """Return version and hashes of each package in a lock, by normalised name."""
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


def test_data_files_of_the_packages_are_in_the_wheel() -> None:
    """Hatchling includes everything below the packages; no file that the code reads may be excluded."""
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert (
        set(wheel["only-include"]) == set(wheel["sources"]) == {"schema", "extraction", "graph_service", "web_viewer"}
    )
    for needed in (
        "schema/predicates.toml",
        "graph_service/graph/local_neo4j/jars.lock",
        "extraction/embeddings/models.lock",
    ):
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
    assert services["neo4j"]["image"].startswith("neo4j:2026-community@")
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
    """Return the command of the plugin, or else of the old standalone program."""
    for command in (["docker", "compose"], ["docker-compose"]):
        there = shutil.which(command[0]) is not None
        if there and subprocess.run([*command, "version"], capture_output=True, timeout=20).returncode == 0:
            return command
    return None


def test_the_image_copies_everything_the_build_needs() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    files = {name for line in copied for name in line.split()}
    needed = {"requirements.lock", "requirements-build.lock", "pyproject.toml", "README.md", "hatch_build.py"}
    assert needed <= files
    assert set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]) <= files


def test_build_tools_of_the_image_are_pinned_by_hash() -> None:
    """Regression: without hashes pip fetched the newest hatchling and Node for each build."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    commands = re.findall(r"pip (?:install|wheel)[^&\n\\]*", text)
    assert len(commands) == 4
    assert all("--require-hashes" in one or ("--no-deps" in one and "--no-index" in one) for one in commands)
    assert "--no-build-isolation" in text
    wanted = (ROOT / "requirements-build.in").read_text("utf-8").splitlines()
    assert [line for line in wanted if not line.startswith("#")] == [*PROJECT["build-system"]["requires"], NODE]


def images() -> list[str]:
    """Return every image that is built from or run."""
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"].values()
    built_from = re.findall(r"^ARG PYTHON_IMAGE=(\S+)$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    return built_from + [one["image"] for one in services if "image" in one]


def test_every_image_is_pinned_by_digest() -> None:
    assert set(re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)) == {
        "${PYTHON_IMAGE}"
    }
    found = images()
    assert len(found) == 6
    for image in found:
        assert re.fullmatch(r"[a-z0-9/-]+:[\w.-]+@sha256:[0-9a-f]{64}", image)
    assert len({image for image in found if image.startswith("python:")}) == 1


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
def test_pin_images_script_updates_the_digests_of_all_images(tmp_path: Path) -> None:
    pinned = ("Dockerfile", "docker-compose.yml", "operations/kubernetes/redis.yaml")
    (tmp_path / "operations/kubernetes").mkdir(parents=True)
    for name in pinned:
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "operations" / "pin_images.sh", tmp_path / "operations")
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    # Simulates the registry: returns the digest of the tag's name.
    docker.write_text(
        '#!/bin/sh\nfor tag; do :; done\nprintf \'sha256:%s\\n\' "$(printf %s "$tag" | sha256sum | cut -c1-64)"\n'
    )
    docker.chmod(0o755)
    environ = {"PATH": f"{docker.parent}:/usr/bin:/bin"}
    command = ["bash", str(tmp_path / "operations" / "pin_images.sh")]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for name in pinned:
        before, after = (ROOT / name).read_text("utf-8"), (tmp_path / name).read_text("utf-8")
        named = re.findall(r"^(?:ARG PYTHON_IMAGE=| *image: )(\S+)$", after, re.MULTILINE)
        for image in named:
            tag, _, digest = image.partition("@sha256:")
            assert digest == hashlib.sha256(tag.encode()).hexdigest()
        # Nothing else changes.
        without = re.compile(r"@sha256:[0-9a-f]{64}")
        assert without.sub("", after) == without.sub("", before)
