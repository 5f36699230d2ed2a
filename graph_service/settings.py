"""Every setting: its name, default and bounds; the only place that reads the environment or a settings file."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from platformdirs import user_cache_dir, user_config_dir, user_data_dir
from pydantic import Field, TypeAdapter, ValidationError

from graph_service.analyst_settings import AnalystSettings
from graph_service.auth_settings import AuthSettings, auth_contradictions
from graph_service.mcp_settings import McpSettings
from graph_service.model_settings import EmbeddingSettings, LlmSettings
from graph_service.recall_settings import RecallSettings
from graph_service.redis_address import redis_url_problem
from graph_service.setting_sources import Found, from_environment, from_file, read_as_problem
from graph_service.telling_settings import LogSettings, TraceSettings
from graph_service.window_settings import RedisSettings, WindowSettings
from schema.errors import InstallError

Port = Annotated[int, Field(ge=0, le=65_535)]
Megabytes = Annotated[int, Field(ge=16, le=262_144)]
Seconds = Annotated[float, Field(gt=0, le=3_600)]
Name = Annotated[str, Field(min_length=1, max_length=200)]

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Where the service listens.

    Attributes:
        host: the address to listen on; one that other machines reach needs a credential.
        port: 0 lets the system choose; a taken 7780 that nobody asked for gives way to a free one.
        open_browser: shows the viewer when the service starts, where there is a screen.
        allowed_hosts: names beyond the loopback ones that a request's Host header may carry.
        allow_unauthenticated_bind: permits a `host` that other machines reach, although there is no credential.
    """

    host: Name = "127.0.0.1"
    port: Port = 7780
    open_browser: bool = True
    allowed_hosts: tuple[str, ...] = ()
    allow_unauthenticated_bind: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Neo4jSettings:
    """Which Neo4j; without `uri` a local one is started in `data_dir`.

    Attributes:
        uri: of a server of your own, 2026.02 or newer, such as `bolt://127.0.0.1:7687` or `neo4j+s://HOST`.
        user: who logs in to there.
        password: of that user.
        database: the one to use there; the server's usual one without it.
        heap_mb: heap of the local one, in MB.
        page_cache_mb: what the local one keeps of its files in memory, in MB.
        start_timeout_s: how long the local one may take to start.
    """

    uri: Name | None = None
    user: Name = "neo4j"
    password: str | None = field(default=None, repr=False)
    database: Name | None = None
    heap_mb: Megabytes = 512
    page_cache_mb: Megabytes = 64
    start_timeout_s: Seconds = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolSettings:
    """Where messages wait while Neo4j is away: a file in `data_dir`.

    Attributes:
        mb_max: when it holds so much, messages are refused until Neo4j is back; one tenant may fill half of it.
    """

    mb_max: Annotated[int, Field(ge=1, le=1_048_576)] = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """When sessions end by themselves.

    Attributes:
        idle_s: a session without a message for so long is closed.
        close_on_shutdown: the service ends by closing the sessions it took messages of; what waits in them is read
            then or at the next start.
    """

    idle_s: Annotated[float, Field(ge=1, le=604_800)] = 1_800.0
    close_on_shutdown: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything the composition root needs.

    Attributes:
        tenant: whose memories commands and requests mean that do not say it.
        data_dir: where the local Neo4j, the spool and the audit log are kept.
        cache_dir: where what was fetched is kept: Neo4j, the embedding model; may be deleted at any time.
        read_from: the files that were read, highest precedence first.
        chosen: names of the settings that somebody set, as `section.key`.
    """

    tenant: Name = "default"
    data_dir: Path = Path()
    cache_dir: Path = Path()
    service: ServiceSettings = ServiceSettings()
    neo4j: Neo4jSettings = Neo4jSettings()
    llm: LlmSettings = field(default_factory=LlmSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    redis: RedisSettings = field(default_factory=RedisSettings)
    window: WindowSettings = field(default_factory=WindowSettings)
    spool: SpoolSettings = SpoolSettings()
    sessions: SessionSettings = SessionSettings()
    recall: RecallSettings = field(default_factory=RecallSettings)
    mcp: McpSettings = field(default_factory=McpSettings)
    analyst: AnalystSettings = field(default_factory=AnalystSettings)
    auth: AuthSettings = field(default_factory=AuthSettings)
    log: LogSettings = field(default_factory=LogSettings)
    traces: TraceSettings = field(default_factory=TraceSettings)
    read_from: tuple[str, ...] = ()
    chosen: frozenset[str] = frozenset()


SECTIONS: Mapping[str, type[Any]] = {
    "sessions": SessionSettings,
    "recall": RecallSettings,
    "analyst": AnalystSettings,
    "auth": AuthSettings,
    "service": ServiceSettings,
    "neo4j": Neo4jSettings,
    "llm": LlmSettings,
    "embedding": EmbeddingSettings,
    "redis": RedisSettings,
    "window": WindowSettings,
    "spool": SpoolSettings,
    "mcp": McpSettings,
    "log": LogSettings,
    "traces": TraceSettings,
}
TOP_KEYS = ("tenant", "data_dir", "cache_dir")
KNOWN_KEYS: tuple[str, ...] = TOP_KEYS + tuple(
    f"{section}.{key}" for section, shape in SECTIONS.items() for key in shape.__dataclass_fields__
)
_SETTINGS = TypeAdapter(Settings)


def load_settings(
    *,
    config: Path | None = None,
    options: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    here: Path | None = None,
    user_dir: Path | None = None,
) -> Settings:
    """Settings merged from all sources: options > environment > `config` > user directory > `./.mnemograph`.

    Args:
        options: what the command line said, by `section.key`; None values are left out.
        environ, here, user_dir: other than this process' own, for tests.

    Raises:
        InstallError: names every mistake of every source, one per line.
    """
    folder = here or Path.cwd()
    said = {key: Found(value, "the command line") for key, value in (options or {}).items() if value is not None}
    files = _files(config, folder, user_dir or Path(user_config_dir("mnemograph")))
    sources = [said, from_environment(os.environ if environ is None else environ, KNOWN_KEYS)]
    problems = [f"{config}: there is no such file; name a TOML file"] if config and not config.is_file() else []
    for file in files:
        found, mistakes = from_file(file, KNOWN_KEYS)
        sources.append(found)
        problems += mistakes
    merged: dict[str, Found] = {}
    for source in reversed(sources):
        merged |= source
    problems += [found.value for key, found in merged.items() if key.startswith("!")]
    values = {key: found for key, found in merged.items() if not key.startswith("!")}
    settings, mistakes = _validated(values, _defaults(folder), tuple(map(str, files)))
    problems += mistakes + (_contradictions(settings) if settings else [])
    if problems or settings is None:
        raise InstallError("the settings have mistakes; nothing was started:\n" + "\n".join(f"  {p}" for p in problems))
    return settings


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """What must stand in no log."""
    redis = settings.redis.url and urlsplit(settings.redis.url).password
    told = (
        settings.neo4j.password,
        settings.llm.api_key,
        settings.embedding.api_key,
        settings.mcp.api_key,
        settings.auth.jwt_secret,
        settings.traces.authorization,
        redis,
    )
    return tuple(secret for secret in told if secret)


def has_screen() -> bool:
    """Whether a browser window could open: true on desktops, false on servers and over a plain remote shell."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a service bound to it."""
    return host in LOOPBACK_NAMES or host.startswith("127.")


def _files(config: Path | None, folder: Path, user_dir: Path) -> list[Path]:
    wanted = [config] if config else []
    wanted += [user_dir / "config.toml", folder / ".mnemograph" / "config.toml"]
    return [file for file in wanted if file.is_file()]


def _defaults(folder: Path) -> dict[str, Any]:
    own = folder / ".mnemograph"
    data_dir = own / "data" if own.is_dir() else Path(user_data_dir("mnemograph"))
    return {"data_dir": data_dir, "cache_dir": Path(user_cache_dir("mnemograph"))}


def _validated(
    found: Mapping[str, Found], defaults: dict[str, Any], files: tuple[str, ...]
) -> tuple[Settings | None, list[str]]:
    tree: dict[str, Any] = defaults | {"read_from": files, "chosen": frozenset(found)}
    for key, one in found.items():
        section, dot, name = key.partition(".")
        if dot:
            tree.setdefault(section, {})[name] = one.value
        else:
            tree[section] = one.value
    for place in ("data_dir", "cache_dir"):
        tree[place] = Path(tree[place]).expanduser().absolute() if isinstance(tree[place], str | Path) else tree[place]
    try:
        return _SETTINGS.validate_python(tree), []
    except ValidationError as error:
        return None, [read_as_problem(problem, found) for problem in error.errors()]


def _contradictions(settings: Settings) -> list[str]:
    """Settings that are fine alone but not together."""
    problems = auth_contradictions(settings.auth)
    neo4j, embedding = settings.neo4j, settings.embedding
    if neo4j.uri is not None and neo4j.password is None:
        problems.append(f"NEO4J_URI is {neo4j.uri!r} but NEO4J_PASSWORD is not set: set it, or unset NEO4J_URI")
    problem = redis_url_problem(settings.redis.url) if settings.redis.url is not None else None
    problems += [f"redis.url (REDIS_URL) {problem}"] if problem else []
    if embedding.kind == "openai" and embedding.model is None:
        problems.append("embedding.kind is 'openai' but no model is named: set EMBEDDING_MODEL")
    return problems
