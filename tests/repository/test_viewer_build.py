"""Test the viewer's build: when it runs, what it ships with, and what its sources may not contain."""

import gzip
import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
VIEWER = ROOT / "web_viewer"
# Compressed: the first load by gzip, as the tools of browsers measure it, and all files by Brotli, as they are sent.
FIRST_LOAD_MAX_BYTES = 225_000
FILES_MAX_BYTES = 260_000


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    pytest.importorskip("hatchling", reason="the hook's base class comes with the build tool")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path: Path, hook: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the viewer's sources with a finished build."""
    monkeypatch.delenv("MNEMOSCENE_SKIP_VIEWER", raising=False)
    for name in hook.SOURCES:
        here, there = VIEWER / name, tmp_path / name
        if here.is_dir():
            shutil.copytree(here, there)
        else:
            shutil.copy(here, there)
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "index.html").write_text("<!doctype html>", "utf-8")
    (tmp_path / "dist" / ".stamp").write_text(hook.source_stamp(tmp_path) + "\n", "utf-8")
    return tmp_path


def test_finished_build_is_reused(hook: ModuleType, copy: Path) -> None:
    assert hook.must_build(copy) is False


def test_changed_source_is_rebuilt(hook: ModuleType, copy: Path) -> None:
    path = copy / "src" / "main.ts"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    assert hook.must_build(copy) is True


def test_renamed_source_is_rebuilt(hook: ModuleType, copy: Path) -> None:
    (copy / "src" / "main.ts").rename(copy / "src" / "start.ts")
    assert hook.must_build(copy) is True


@pytest.mark.parametrize("missing", ["index.html", ".stamp"])
def test_incomplete_build_is_rebuilt(hook: ModuleType, copy: Path, missing: str) -> None:
    (copy / "dist" / missing).unlink()
    assert hook.must_build(copy) is True


def test_packages_fetched_for_the_build_do_not_invalidate_it(hook: ModuleType, copy: Path) -> None:
    (copy / "node_modules").mkdir()
    (copy / "node_modules" / "x.js").write_text("1", "utf-8")
    (copy / "tests").mkdir()
    (copy / "tests" / "x.test.ts").write_text("1", "utf-8")
    assert hook.must_build(copy) is False


def test_build_can_be_skipped_on_request(hook: ModuleType, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(copy / "dist")
    monkeypatch.setenv("MNEMOSCENE_SKIP_VIEWER", "1")
    assert hook.must_build(copy) is False


def test_missing_npm_fails_the_install_with_a_remedy(
    hook: ModuleType, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(copy))
    with pytest.raises(RuntimeError, match="MNEMOSCENE_SKIP_VIEWER=1"):
        hook.build_viewer(copy)


def test_lock_names_no_registry() -> None:
    packages = json.loads((VIEWER / "package-lock.json").read_text("utf-8"))["packages"]
    assert [name for name, one in packages.items() if "resolved" in one] == []
    assert [
        name for name, one in packages.items() if name and not str(one.get("integrity", "")).startswith("sha512-")
    ] == []


def test_page_ships_only_vue_cytoscape_and_the_force_layout() -> None:
    wanted = json.loads((VIEWER / "package.json").read_text("utf-8"))
    assert sorted(wanted["dependencies"]) == ["cytoscape", "d3-force", "vue"]


def test_no_template_renders_text_as_html() -> None:
    unsafe = re.compile(r"v-html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
    found = [path for path in (VIEWER / "src").rglob("*.*") if unsafe.search(path.read_text("utf-8"))]
    assert found == []


def test_both_languages_have_the_same_messages() -> None:
    text = (VIEWER / "src" / "i18n" / "messages.ts").read_text("utf-8")
    english, chinese = text.split("export const zh")
    keys = re.compile(r'^  "([\w.]+)":', re.MULTILINE)
    assert keys.findall(english) == keys.findall(chinese)
    assert len(keys.findall(english)) > 100


def test_built_page_is_small_and_names_no_other_host() -> None:
    page = VIEWER / "dist" / "index.html"
    if not page.is_file():
        pytest.skip("the viewer is not built here")
    text = page.read_text("utf-8")
    # What is fetched when the page is idle is no part of its first load.
    named = re.findall(r'<(?:script|link)(?![^>]*prefetch)[^>]*(?:src|href)="\./(assets/[^"]+)"', text)
    assert len(named) >= 2
    loaded = [page, *(VIEWER / "dist" / name for name in named)]
    assert sum(len(gzip.compress(path.read_bytes())) for path in loaded) <= FIRST_LOAD_MAX_BYTES
    assert sum(path.stat().st_size for path in (VIEWER / "dist").rglob("*.br")) <= FILES_MAX_BYTES
    # The service worker keeps what the page names, so that each part opens without the service too.
    named_all = set(re.findall(r'"\./(assets/[^"]+)"', text))
    files = {f"assets/{path.name}" for path in (VIEWER / "dist" / "assets").iterdir()}
    assert named_all == {name for name in files if not name.endswith((".br", ".gz"))}
    # Each is sent compressed by either encoding.
    assert files - named_all == {f"{name}{ending}" for name in named_all for ending in (".br", ".gz")}
    html = page.read_text("utf-8")
    assert re.findall(r'(?:src|href)="(?!\./)', html) == []
    assert re.findall(r"<script(?![^>]*src=)", html) == []


def test_scripts_of_the_first_load_ask_to_be_compiled_beside_the_main_thread() -> None:
    page = VIEWER / "dist" / "index.html"
    if not page.is_file():
        pytest.skip("the viewer is not built here")
    named = re.findall(
        r'<(?:script|link rel="modulepreload")[^>]*(?:src|href)="\./(assets/[^"]+)"', page.read_text("utf-8")
    )
    assert len(named) >= 2
    begins = {(VIEWER / "dist" / name).read_text("utf-8").split("\n")[0] for name in named}
    assert begins == {"//# allFunctionsCalledOnLoad"}
