"""Load and validate the settings; the only module that reads the environment and settings files."""

import functools
import os
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from platformdirs import user_cache_dir, user_config_dir, user_data_dir

from extraction.verified_files import read_bounded
from graph_service.config.folder_trust import CONFIG, CONFIG_BYTES_MAX, FolderTrust, folder_trust
from graph_service.config.sections import (
    SERVICE_URL,
    AnalystSettings,
    AuthSettings,
    AutomationSettings,
    DisplaySettings,
    EmbeddingSettings,
    FactSettings,
    LlmSettings,
    LogSettings,
    McpSettings,
    Name,
    Neo4jSettings,
    ProfileSettings,
    RecallSettings,
    RedisSettings,
    ServiceSettings,
    ServiceUrl,
    SessionSettings,
    SpoolSettings,
    TraceSettings,
    WindowSettings,
    auth_contradictions,
)
from graph_service.config.sources import (
    FOLDER_FILE,
    GIVEN_FILE,
    PREFIX,
    SECRET_ENDINGS,
    USER_FILE,
    SettingValue,
    from_environment,
    from_file,
    misdirected_secrets,
    setting_problem,
)
from schema.errors import InstallError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings.

    Attributes:
        tenant: tenant of commands and requests that name none.
        url: service that commands and `mnemoscene mcp` ask, for example `http://127.0.0.1:7780`; by default the one
            that runs on the data directory.
        api_key: credential of clients of a service.
        data_dir: directory of the local Neo4j, the spool and the audit log.
        cache_dir: directory of downloads (Neo4j, the embedding model); can be deleted at any time.
        read_from: the files that were read, highest precedence first.
        chosen: names (`section.key`) of the settings that are not defaults.
        folder: the trust in the `.mnemoscene` of the working directory.
    """

    tenant: Name = "default"
    url: ServiceUrl | None = None
    api_key: str | None = field(default=None, repr=False)
    data_dir: Path = Path()
    cache_dir: Path = Path()
    sessions: SessionSettings = field(default_factory=SessionSettings)
    automation: AutomationSettings = field(default_factory=AutomationSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    facts: FactSettings = field(default_factory=FactSettings)
    profile: ProfileSettings = field(default_factory=ProfileSettings)
    analyst: AnalystSettings = field(default_factory=AnalystSettings)
    auth: AuthSettings = field(default_factory=AuthSettings)
    service: ServiceSettings = field(default_factory=ServiceSettings)
    neo4j: Neo4jSettings = field(default_factory=Neo4jSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    redis: RedisSettings = field(default_factory=RedisSettings)
    window: WindowSettings = field(default_factory=WindowSettings)
    spool: SpoolSettings = field(default_factory=SpoolSettings)
    mcp: McpSettings = field(default_factory=McpSettings)
    display: DisplaySettings = field(default_factory=DisplaySettings)
    log: LogSettings = field(default_factory=LogSettings)
    traces: TraceSettings = field(default_factory=TraceSettings)
    read_from: tuple[str, ...] = ()
    chosen: frozenset[str] = frozenset()
    folder: FolderTrust = field(default_factory=FolderTrust)


SECTIONS: Mapping[str, type[Any]] = {
    name: section.type
    for name, section in Settings.__dataclass_fields__.items()
    if isinstance(section.type, type) and is_dataclass(section.type) and section.type is not FolderTrust
}
TOP_KEYS = ("tenant", "url", "api_key", "data_dir", "cache_dir")
KNOWN_KEYS: tuple[str, ...] = TOP_KEYS + tuple(
    f"{section}.{key}" for section, shape in SECTIONS.items() for key in shape.__dataclass_fields__
)
# Settings that are valid if they are short texts; pydantic takes longer to import than a service to answer.
_TEXTS = frozenset({*TOP_KEYS, "neo4j.uri", "neo4j.user", "neo4j.password", "neo4j.database"})
# What a command needs of the settings to ask a service; the service itself reads the rest.
CLIENT_SECTIONS = frozenset({"neo4j", "display", "log", "mcp"})


def load_settings(
    *,
    config: Path | None = None,
    options: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    here: Path | None = None,
    user_dir: Path | None = None,
    sections: Collection[str] = SECTIONS,
) -> Settings:
    """Return settings merged from all sources: options > environment > `config` > user directory > `./.mnemoscene`.

    The last one is used only if trusted (graph_service/config/folder_trust.py).

    Args:
        options: command-line options by `section.key`; None values are ignored.
        environ, here, user_dir: replace those of the process, for tests.
        sections: read only these, and the settings outside of sections; the others have their defaults.

    Raises:
        InstallError: lists all errors in all sources, one per line.
    """
    directory, own = here or Path.cwd(), user_dir or user_directory()
    variables = os.environ if environ is None else environ
    trust = folder_trust(directory, own)
    given = {
        key: SettingValue(value, "the command line") for key, value in (options or {}).items() if value is not None
    }
    sources = [given, from_environment(variables, KNOWN_KEYS)]
    read, problems = _files(config, own, trust)
    problems += [f"the command line: {key}: unknown setting" for key in options or {} if key not in KNOWN_KEYS]
    for file, content, rank in read:
        found, errors = from_file(file, content, KNOWN_KEYS, rank)
        sources.append(found)
        problems += errors
    merged: dict[str, SettingValue] = {}
    for source in reversed(sources):
        merged |= source
    problems += [found.value for key, found in merged.items() if key.startswith("!")]
    values = {key: found for key, found in merged.items() if not key.startswith("!")}
    if any(key.endswith("model") for key in values):
        # Not imported by commands that ask a service.
        from graph_service.config.vendors import add_vendors

        values, errors = add_vendors(values, variables)
        problems += errors
    data_dir = trust.folder / "data" if trust.state == "trusted" else _own(user_data_dir)
    defaults = {
        "data_dir": data_dir or Path(),
        "cache_dir": _own(user_cache_dir) or Path(),
        "read_from": tuple(str(file) for file, _, _ in read),
        "folder": trust,
    }
    used = {key: one for key, one in values.items() if key in TOP_KEYS or key.partition(".")[0] in sections}
    settings, errors = _validated(used, defaults)
    problems += errors + (_contradictions(settings) if settings else [])
    problems += misdirected_secrets(values, variables) + _unpinned_keys(values) + _homeless(values, defaults)
    if problems or settings is None:
        problems += [trust.note] if trust.note else []
        raise InstallError("the settings have errors; nothing was started:\n" + "\n".join(f"  {p}" for p in problems))
    return settings


def user_directory() -> Path | None:
    """Return the user's configuration directory; None without a home directory.

    The path would then be relative to the working directory, which is not trusted.
    """
    return _own(user_config_dir)


def _own(directory: Callable[[str], str]) -> Path | None:
    try:
        folder = Path(directory("mnemoscene"))
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Return all secret values, which must not appear in logs."""
    found = {key: attrgetter(key)(settings) for key in KNOWN_KEYS if key.endswith(SECRET_ENDINGS)}
    # The rest of the address is no secret.
    found["redis.url"] = found["redis.url"] and urlsplit(found["redis.url"]).password
    return tuple(secret for secret in found.values() if secret)


def keep_children_safe() -> None:
    """Prevent Python child processes from importing modules from the working directory.

    `multiprocessing` starts children with `python -c`, which searches that directory before the standard library.
    """
    os.environ["PYTHONSAFEPATH"] = "1"


# What a child process needs of the environment to start: no settings, keys or tokens of ours or of others.
_FOR_CHILDREN = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "LANG", "LC_ALL", "LC_CTYPE", "TZ"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)


def child_environment() -> dict[str, str]:
    """Return the environment of a child process that runs foreign code, such as Neo4j."""
    return {name: value for name, value in os.environ.items() if name in _FOR_CHILDREN}


def has_screen() -> bool:
    """Return whether a browser window can open: true on desktops, false on servers and in remote shells."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def has_color() -> bool:
    """Return whether a terminal may get colours (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a service bound to this host."""
    return host in LOOPBACK_NAMES or host.startswith("127.")


def _files(
    config: Path | None, user_dir: Path | None, trust: FolderTrust
) -> tuple[list[tuple[Path, bytes, int]], list[str]]:
    """Return the used files with content and rank, highest precedence first, and read errors."""
    read: list[tuple[Path, bytes, int]] = []
    problems = []
    if config is not None and not config.is_file():
        problems.append(f"{config}: no such file; name a TOML file")
    own = None if user_dir is None else user_dir / CONFIG
    for file, rank in ((config, GIVEN_FILE), (own, USER_FILE)):
        if file is not None and file.is_file():
            try:
                read.append((file, read_bounded(file, bytes_max=CONFIG_BYTES_MAX), rank))
            except OSError as error:
                problems.append(f"{file}: cannot be read: {error.strerror or error}")
    if trust.config is not None:
        read.append((trust.folder / CONFIG, trust.config, FOLDER_FILE))
    return read, problems


def _homeless(found: Mapping[str, SettingValue], defaults: Mapping[str, Any]) -> list[str]:
    """Return an error for each directory that is not set and has no default, because there is no home directory."""
    return [
        f"there is no home directory for {name}: set HOME, or {PREFIX}{name.upper()}"
        for name in ("data_dir", "cache_dir")
        if name not in found and not defaults[name].is_absolute()
    ]


def _unpinned_keys(found: Mapping[str, SettingValue]) -> list[str]:
    """Return an error if the settings of a working directory name a key file, which the trust does not cover."""
    key = found.get("auth.jwt_public_key")
    if key is None or key.rank != FOLDER_FILE or str(key.value).lstrip().startswith("-----BEGIN"):
        return []
    return [f"{key.origin}: in a working directory this must be the PEM itself, because a file could change later"]


def _validated(found: Mapping[str, SettingValue], defaults: dict[str, Any]) -> tuple[Settings | None, list[str]]:
    tree: dict[str, Any] = defaults | {"chosen": frozenset(found)}
    for key, one in found.items():
        section, dot, name = key.partition(".")
        if dot:
            tree.setdefault(section, {})[name] = one.value
        else:
            tree[section] = one.value
    for place in ("data_dir", "cache_dir"):
        tree[place] = Path(tree[place]).expanduser().absolute() if isinstance(tree[place], str | Path) else tree[place]
    short_texts = all(
        key in _TEXTS and isinstance(one.value, str) and 1 <= len(one.value) <= 200 for key, one in found.items()
    )
    if short_texts and ("url" not in tree or SERVICE_URL.fullmatch(tree["url"])):
        return Settings(**tree | {"neo4j": Neo4jSettings(**tree.get("neo4j", {}))}), []
    from pydantic import ValidationError

    try:
        return _adapter().validate_python(tree), []
    except ValidationError as error:
        return None, [setting_problem(problem, found) for problem in error.errors()]


@functools.cache
def _adapter() -> "TypeAdapter[Settings]":
    from pydantic import TypeAdapter

    return TypeAdapter(Settings)


def _contradictions(settings: Settings) -> list[str]:
    """Return errors about combinations of settings."""
    problems = auth_contradictions(settings.auth)
    neo4j, embedding, llm = settings.neo4j, settings.embedding, settings.llm
    if neo4j.uri is not None and neo4j.password is None:
        problems.append(f"NEO4J_URI is {neo4j.uri!r} but NEO4J_PASSWORD is not set: set it, or unset NEO4J_URI")
    if llm.fallback_base_url is not None and llm.fallback_model is None:
        problems.append("llm.fallback_base_url is set but llm.fallback_model is missing: set the name of its model")
    if llm.fallback_api_key is not None and llm.fallback_base_url is None:
        problems.append("llm.fallback_api_key is set but llm.fallback_base_url is missing: set the address it is for")
    if llm.model is None and llm.judge_model is not None:
        problems.append("llm.judge_model is set but llm.model is missing: set LLM_MODEL")
    if embedding.kind == "openai" and embedding.model is None:
        problems.append("embedding.kind is 'openai' but embedding.model is missing: set EMBEDDING_MODEL")
    return problems
