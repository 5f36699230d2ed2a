"""Reading settings from the environment and from TOML files, with the place each value came from and its rank."""

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

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
_KEY_CHARS_MAX: Final = 100
LIST_KEYS = frozenset({"service.allowed_hosts", "service.trusted_proxies"})
# The address of a Redis holds its password.
SECRET_ENDINGS = ("password", "api_key", "redis.url", "jwt_secret", "traces.authorization")


# The order of the sources: the lower number wins.
COMMAND_LINE, ENVIRONMENT, GIVEN_FILE, USER_FILE, FOLDER_FILE = range(5)


@dataclass(frozen=True, slots=True)
class Found:
    """A value and who said it, for people: a variable's name, or a file and its key.

    Attributes:
        rank: of its source, one of `COMMAND_LINE` to `FOLDER_FILE`.
    """

    value: Any
    origin: str
    rank: int = COMMAND_LINE


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretUse:
    """A secret, and the address it is sent to.

    Attributes:
        when: the secret is sent only while this setting is set.
        variables: of the environment; a library reads them by itself and sends them to the same address.
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
    SecretUse(address="embedding.base_url", secret="embedding.api_key", when="embedding.model", variables=_OPENAI),
    SecretUse(address="mcp.url", secret="mcp.api_key"),
    SecretUse(address="traces.endpoint", secret="traces.authorization", variables=_OTLP),
)
# The first is compared and never sent; the other holds its own address, so both have one source.
SENT_NOWHERE: Final = ("auth.jwt_secret", "redis.url")


def from_environment(environ: Mapping[str, str], known: Sequence[str]) -> dict[str, Found]:
    """Return settings in the environment, by `section.key`; a mistake stands under a key that starts with `!`.

    An empty variable counts as not set, as in a compose file that passes it through.
    """
    found: dict[str, Found] = {}
    for name, keys in USUAL_NAMES.items():
        if environ.get(name):
            found |= {key: Found(environ[name], name, ENVIRONMENT) for key in keys}
    ours = {PREFIX + key.replace(".", "_").upper(): key for key in known}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or not text:
            continue
        key = ours.get(name)
        if key is None:
            found[f"!{name}"] = Found(f"{name}: there is no such setting{_meant(name, list(ours))}", name, ENVIRONMENT)
        else:
            found[key] = Found(_items(text) if key in LIST_KEYS else text, name, ENVIRONMENT)
    return found


def from_file(file: Path, content: bytes, known: Sequence[str], rank: int) -> tuple[dict[str, Found], list[str]]:
    """Return settings of a TOML file by `section.key`, and its mistakes.

    Args:
        file: where `content` was read, for messages.
    """
    try:
        tree = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return {}, [f"{file}: cannot be read as TOML: {error}"]
    sections = {key.partition(".")[0] for key in known if "." in key}
    found: dict[str, Found] = {}
    mistakes: list[str] = []
    for name, value in tree.items():
        rows = {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, dict) else {name: value}
        for key, inner in rows.items():
            if key in known:
                found[key] = Found(inner, f"{file}: {key}", rank)
            elif key in sections:
                mistakes.append(f"{file}: {key} must be a section, [{key}]")
            else:
                mistakes.append(f"{file}: {_printable(key)}: there is no such setting{_meant(key, known)}")
    return found, mistakes


def misdirected_secrets(found: Mapping[str, Found], environ: Mapping[str, str]) -> list[str]:
    """Tell each secret that an address of a lower source would draw to itself.

    Whoever may write the lower source (a repository's folder, a file for everybody) would else choose where a secret
    goes that another source holds.
    """
    problems = []
    for use in SECRET_USES:
        address = found.get(use.address)
        if address is None or (use.when is not None and use.when not in found):
            continue
        secrets = [found[use.secret]] if use.secret in found else []
        secrets += [Found(None, name, ENVIRONMENT) for name in use.variables if environ.get(name)]
        problems += [
            f"{use.address} comes from {address.origin}, but the secret that would be sent there comes from"
            f" {secret.origin}, which ranks higher: only a source of the same or a higher rank may say where a secret"
            f" goes. Set the address there too ({PREFIX}{use.address.replace('.', '_').upper()} in the environment),"
            f" or unset {secret.origin}"
            for secret in secrets
            if secret.rank < address.rank
        ]
    return problems


def read_as_problem(problem: ErrorDetails, found: Mapping[str, Found]) -> str:
    """Return one mistake in words: who said it, what it was, what is expected."""
    parts = [str(part) for part in problem["loc"]]
    key = next((k for k in (".".join(parts[:2]), parts[0]) if k in found), ".".join(parts))
    origin = found[key].origin if key in found else key
    shown = "that value" if key.endswith(SECRET_ENDINGS) else repr(problem["input"])
    expected = problem["msg"][0].lower() + problem["msg"][1:]
    return f"{origin}: {shown} does not fit: {expected}"


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _printable(key: str) -> str:
    """Return a key that may be anybody's, without what a terminal would obey."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in key[:_KEY_CHARS_MAX])


def _meant(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name[:_KEY_CHARS_MAX], known, n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else f"; known are: {', '.join(sorted(known))}"
