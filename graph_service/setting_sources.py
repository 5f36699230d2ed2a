"""Reading settings from the environment and from TOML files, with the place each value came from."""

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import ErrorDetails

# Names that other tools use for the same thing. Ours, `MNEMOGRAPH_<SECTION>_<KEY>`, win over them.
USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "NEO4J_URI": ("neo4j.uri",),
    "NEO4J_USERNAME": ("neo4j.user",),
    "NEO4J_USER": ("neo4j.user",),
    "NEO4J_PASSWORD": ("neo4j.password",),
    "NEO4J_DATABASE": ("neo4j.database",),
    "OPENAI_API_KEY": ("llm.api_key", "embedding.api_key"),
    "OPENAI_BASE_URL": ("llm.base_url", "embedding.base_url"),
    "LLM_MODEL": ("llm.model",),
    "EMBEDDING_MODEL": ("embedding.model",),
    "REDIS_URL": ("redis.url",),
    "OTEL_EXPORTER_OTLP_ENDPOINT": ("traces.endpoint",),
    "OTEL_SERVICE_NAME": ("traces.service_name",),
}
PREFIX = "MNEMOGRAPH_"
LIST_KEYS = frozenset({"service.allowed_hosts", "service.trusted_proxies"})
# The address of a Redis holds its password.
SECRET_ENDINGS = ("password", "api_key", "redis.url", "jwt_secret", "traces.authorization")


@dataclass(frozen=True, slots=True)
class Found:
    """A value and who said it, for people: a variable's name, or a file and its key."""

    value: Any
    origin: str


def from_environment(environ: Mapping[str, str], known: Sequence[str]) -> dict[str, Found]:
    """Settings in the environment, by `section.key`; a mistake stands under a key that starts with `!`.

    An empty variable counts as not set, as in a compose file that passes it through.
    """
    found: dict[str, Found] = {}
    for name, keys in USUAL_NAMES.items():
        if environ.get(name):
            found |= {key: Found(environ[name], name) for key in keys}
    ours = {PREFIX + key.replace(".", "_").upper(): key for key in known}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or not text:
            continue
        key = ours.get(name)
        if key is None:
            found[f"!{name}"] = Found(f"{name}: there is no such setting{_meant(name, list(ours))}", name)
        else:
            found[key] = Found(_items(text) if key in LIST_KEYS else text, name)
    return found


def from_file(file: Path, known: Sequence[str]) -> tuple[dict[str, Found], list[str]]:
    """Settings of a TOML file by `section.key`, and its mistakes."""
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return {}, [f"{file}: cannot be read as TOML: {error}"]
    sections = {key.partition(".")[0] for key in known if "." in key}
    found: dict[str, Found] = {}
    mistakes: list[str] = []
    for name, value in tree.items():
        rows = {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
        for key, inner in rows.items():
            if key in known:
                found[key] = Found(inner, f"{file}: {key}")
            elif key in sections:
                mistakes.append(f"{file}: {key} must be a section, [{key}]")
            else:
                mistakes.append(f"{file}: {key}: there is no such setting{_meant(key, known)}")
    return found, mistakes


def read_as_problem(problem: ErrorDetails, found: Mapping[str, Found]) -> str:
    """One mistake in words: who said it, what it was, what is expected."""
    parts = [str(part) for part in problem["loc"]]
    key = next((k for k in (".".join(parts[:2]), parts[0]) if k in found), ".".join(parts))
    origin = found[key].origin if key in found else key
    shown = "that value" if key.endswith(SECRET_ENDINGS) else repr(problem["input"])
    expected = problem["msg"][0].lower() + problem["msg"][1:]
    return f"{origin}: {shown} does not fit: {expected}"


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _meant(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else f"; known are: {', '.join(sorted(known))}"
