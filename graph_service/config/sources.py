"""Read settings from the environment and TOML files, with the origin and rank of each value."""

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# Variables shared with other tools; `MNEMOSCENE_<SECTION>_<KEY>` takes precedence.
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
PREFIX = "MNEMOSCENE_"
_KEY_CHARS_MAX: Final = 100
LIST_KEYS = frozenset({"service.allowed_hosts", "service.trusted_proxies"})
# The URL of a Redis contains its password.
SECRET_ENDINGS = ("password", "api_key", "redis.url", "jwt_secret", "traces.authorization")


# Ranks of the sources: the lowest takes precedence.
COMMAND_LINE, ENVIRONMENT, GIVEN_FILE, USER_FILE, FOLDER_FILE = range(5)


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A value and its origin: a variable's name, or a file and key.

    Attributes:
        rank: precedence of its source, `COMMAND_LINE` to `FOLDER_FILE`.
    """

    value: Any
    origin: str
    rank: int = COMMAND_LINE


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretUse:
    """A secret and the address it is sent to.

    Attributes:
        when: the secret is only sent if this setting is set.
        variables: environment variables that a library sends to the same address.
    """

    address: str
    secret: str
    when: str | None = None
    variables: tuple[str, ...] = ()


_OPENAI: Final = ("OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
_OTLP: Final = ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")
SECRET_USES: Final = (
    SecretUse(address="neo4j.uri", secret="neo4j.password"),
    SecretUse(address="llm.base_url", secret="llm.api_key", when="llm.model", variables=_OPENAI),
    SecretUse(
        address="llm.fallback_base_url", secret="llm.fallback_api_key", when="llm.fallback_model", variables=_OPENAI
    ),
    SecretUse(address="embedding.base_url", secret="embedding.api_key", when="embedding.model", variables=_OPENAI),
    SecretUse(address="url", secret="api_key"),
    SecretUse(address="traces.endpoint", secret="traces.authorization", variables=_OTLP),
)
# Secrets without a separate address: the first is never sent, the other contains its address.
SENT_NOWHERE: Final = ("auth.jwt_secret", "redis.url")


def from_environment(environ: Mapping[str, str], known: Sequence[str]) -> dict[str, SettingValue]:
    """Return settings from the environment by `section.key`; errors have keys that start with `!`.

    Empty variables count as not set, because compose files pass unset variables on as empty ones.
    """
    found: dict[str, SettingValue] = {}
    for name, keys in USUAL_NAMES.items():
        if environ.get(name):
            found |= {key: SettingValue(environ[name], name, ENVIRONMENT) for key in keys}
    ours = {PREFIX + key.replace(".", "_").upper(): key for key in known}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or not text:
            continue
        key = ours.get(name)
        if key is None:
            found[f"!{name}"] = SettingValue(
                f"{name}: unknown setting{_suggestion(name, list(ours))}", name, ENVIRONMENT
            )
        else:
            found[key] = SettingValue(_items(text) if key in LIST_KEYS else text, name, ENVIRONMENT)
    return found


def from_file(file: Path, content: bytes, known: Sequence[str], rank: int) -> tuple[dict[str, SettingValue], list[str]]:
    """Return settings of a TOML file by `section.key`, and errors.

    Args:
        file: path of the file, for messages.
    """
    try:
        tree = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return {}, [f"{file}: cannot be read as TOML: {error}"]
    sections = {key.partition(".")[0] for key in known if "." in key}
    found: dict[str, SettingValue] = {}
    mistakes: list[str] = []
    for name, value in tree.items():
        rows = {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
        for key, inner in rows.items():
            if key in known:
                found[key] = SettingValue(inner, f"{file}: {key}", rank)
            elif key in sections:
                mistakes.append(f"{file}: {key} must be a section, [{key}]")
            else:
                mistakes.append(f"{file}: {_printable(key)}: unknown setting{_suggestion(key, known)}")
    return found, mistakes


def misdirected_secrets(found: Mapping[str, SettingValue], environ: Mapping[str, str]) -> list[str]:
    """Return an error for each secret whose address comes from a source of lower precedence.

    Otherwise the author of that source (such as a repository) could choose where the secret is sent.
    """
    problems = []
    for use in SECRET_USES:
        address = found.get(use.address)
        if address is None or (use.when is not None and use.when not in found):
            continue
        secrets = [found[use.secret]] if use.secret in found else []
        secrets += [SettingValue(None, name, ENVIRONMENT) for name in use.variables if environ.get(name)]
        problems += [
            f"{use.address} comes from {address.origin}, but the secret that would be sent there comes from"
            f" {secret.origin}, a source of higher precedence: an address must come from the same source as its secret"
            f" or from a higher one. Set the address there, too"
            f" ({PREFIX}{use.address.replace('.', '_').upper()} in the environment), or unset {secret.origin}"
            for secret in secrets
            if secret.rank < address.rank
        ]
    return problems


def setting_problem(problem: "ErrorDetails", found: Mapping[str, SettingValue]) -> str:
    """Return the error message for an invalid setting: its origin, its value (unless secret) and the expected type."""
    parts = [str(part) for part in problem["loc"]]
    key = next((k for k in (".".join(parts[:2]), parts[0]) if k in found), ".".join(parts))
    origin = found[key].origin if key in found else key
    shown = "that value" if key.endswith(SECRET_ENDINGS) else repr(problem["input"])
    expected = problem["msg"][0].lower() + problem["msg"][1:]
    return f"{origin}: {shown} is invalid: {expected}"


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _printable(key: str) -> str:
    """Return an untrusted key, truncated and without control characters."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in key[:_KEY_CHARS_MAX])


def _suggestion(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name[:_KEY_CHARS_MAX], known, n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else f"; known settings: {', '.join(sorted(known))}"
