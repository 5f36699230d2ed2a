"""The settings of who gets in: signed tokens, rates, the audit log."""

from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address, ip_network
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

Seconds = Annotated[float, Field(gt=0, le=3_600)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Port = Annotated[int, Field(ge=0, le=65_535)]
Megabytes = Annotated[int, Field(ge=16, le=262_144)]


def _network(text: str) -> str:
    """Return the address or network, as the server compares it.

    Raises:
        ValueError: it is neither; a name is not, since whoever answers for it would be believed.
    """
    return str(ip_network(text)) if "/" in text else str(ip_address(text))


Network = Annotated[str, AfterValidator(_network)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Where the service listens.

    Attributes:
        host: the address to listen on; one that other machines reach needs a credential.
        port: 0 lets the system choose; a taken 7780 that nobody asked for gives way to a free one.
        open_browser: shows the viewer when the service starts, where there is a screen.
        allowed_hosts: names beyond the loopback ones that a request's Host header may carry.
        trusted_proxies: addresses or networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto`
            are believed; nobody's by default, not even of this machine.
        allow_unauthenticated_bind: permits a `host` that other machines reach, although there is no credential.
    """

    host: Name = "127.0.0.1"
    port: Port = 7780
    open_browser: bool = True
    allowed_hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[Network, ...] = ()
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
class RedisSettings:
    """Which Redis holds the short-term window; without `url` this process holds it.

    Attributes:
        url: `redis://`, `rediss://` or `unix://`, with the password in it if there is one.
        timeout_s: of each use; a Redis that takes longer counts as away.
        connections: at most so many at a time.
    """

    url: Annotated[str, Field(min_length=1, max_length=2_000)] | None = field(default=None, repr=False)
    timeout_s: Annotated[float, Field(ge=0.01, le=10)] = 0.25
    connections: Annotated[int, Field(ge=1, le=256)] = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """The short-term window: the last turns of each session.

    Attributes:
        turns: how many of each session are held.
        ttl_s: how long Redis keeps a session after its last turn.
        ring_sessions: how many sessions the window in this process holds.
        ring_mb: how much it holds, in MB.
    """

    turns: Annotated[int, Field(ge=1, le=200)] = 20
    ttl_s: Annotated[float, Field(ge=1, le=31 * 86_400)] = 86_400.0
    ring_sessions: Annotated[int, Field(ge=1, le=1_000_000)] = 2_000
    ring_mb: Annotated[int, Field(ge=1, le=16_384)] = 32


# The settings of models: what reads, and what makes vectors.


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Which OpenAI-compatible model reads scenes; without `model` the built-in rules read them.

    Attributes:
        base_url: of an endpoint other than the vendor's own, such as `http://127.0.0.1:11434/v1`.
        api_key: for that endpoint; by itself it switches nothing on.
        model: the name of the model, as the endpoint knows it.
        timeout_s: of one call.
        tokens_per_day: of each tenant; when they are spent, the rules read for the rest of the day (UTC). 0: no limit.
        judges_facts: the model also judges new facts that may repeat or replace known ones in other words, at one more
            call for each reading of a session that has any; else the rules alone do.
        overviews: the model also writes the overview (L1) of longer scenes, at one more call each.
    """

    base_url: Name | None = None
    api_key: str | None = field(default=None, repr=False)
    model: Name | None = None
    timeout_s: Seconds = 60.0
    tokens_per_day: Annotated[int, Field(ge=0)] = 0
    overviews: bool = True
    judges_facts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """Where vectors come from.

    Attributes:
        kind: `auto` is `openai` when `model` is set, else `local`; `none` means keyword search only.
        base_url: of an endpoint other than the vendor's own.
        api_key: for that endpoint; by itself it switches nothing on.
        model: the name of the model, as the endpoint knows it.
        dim: length of the endpoint's vectors; asked of it when not given.
        threads: of the local embedder.
    """

    kind: Literal["auto", "local", "openai", "none"] = "auto"
    base_url: Name | None = None
    api_key: str | None = field(default=None, repr=False)
    model: Name | None = None
    dim: Annotated[int, Field(ge=1, le=4_096)] | None = None
    threads: Annotated[int, Field(ge=1, le=64)] = 2

    @property
    def wanted(self) -> Literal["local", "openai", "none"]:
        """The kind after `auto` was decided."""
        if self.kind == "auto":
            return "openai" if self.model else "local"
        return self.kind


# The settings of analysts: how much a Cypher statement of theirs may cost.


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalystSettings:
    """Bounds of `mnemograph cypher`, and of the field `cypher` of GraphQL.

    Attributes:
        timeout_s: how long one statement may take.
        rows_max: how many rows it may answer.
        mb_max: how much its answer may hold, in MB.
    """

    timeout_s: Annotated[float, Field(ge=0.1, le=600)] = 30.0
    rows_max: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    mb_max: Annotated[int, Field(ge=1, le=4_096)] = 64


# The settings of the MCP door.

# Where the service speaks it.
MCP_PATH: Final = "/mcp"
Id = Annotated[str, Field(min_length=1, max_length=200)]


class Aliases(StrEnum):
    """Whose tool names are offered beside our own."""

    NONE = "none"
    GRAPHITI = "graphiti"
    MEM0 = "mem0"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """What MCP clients find.

    Attributes:
        user: whose memory is meant when a call does not say it; `?user=` in the address of a client wins.
        aliases: tool names of another memory server that are offered too; `?aliases=` in the address of a client wins.
        url: of a service that `mnemograph mcp` passes everything on to, for example `http://127.0.0.1:7780`.
        api_key: what `mnemograph mcp` shows that service.
    """

    user: Id | None = None
    aliases: Aliases = Aliases.NONE
    url: Annotated[str, Field(pattern=r"^https?://[^/?#]+/?$", max_length=2_000)] | None = None
    api_key: str | None = field(default=None, repr=False)


# The settings of recall: how what was found is ranked.

Cosine = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """How questions are answered that do not say it themselves.

    Attributes:
        mode: `layered` is the weighted sum of the layers' similarities, `similarity_importance` 0.7 and 0.3 of these.
        layer_threshold: of the layered mode, for questions that ask for nothing in particular.
        layer_floor: as low as thresholds of the layered mode are lowered.
        access_weight: how much it counts that a memory was part of an answer lately.
    """

    mode: Literal["best", "layered", "similarity_importance"] = "best"
    layer_threshold: Cosine = 0.6
    layer_floor: Cosine = 0.4
    access_weight: Cosine = 0.0


# The settings of what the service tells its operator: the log and traces.


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """What stands in the log, which goes to standard error; never what people said, and no secret.

    Attributes:
        format: `json` is one document a line, `text` is for people; `auto` is JSON unless standard error is a terminal.
        level: `warning` tells what somebody should look at, `info` also each request and what came and went, `debug`
            also each step of the background work.
    """

    format: Literal["auto", "json", "text"] = "auto"
    level: Literal["error", "warning", "info", "debug"] = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings:
    """Where traces go; they need the extra `otel`: `pip install 'mnemograph[otel]'`.

    Attributes:
        endpoint: the base address of a collector that speaks OTLP over HTTP, such as `http://127.0.0.1:4318`; traces
            are off without it.
        authorization: the header `Authorization` for the collector.
        service_name: what the collector shows this service as.
        share: of all traces, how many are sent; what a caller has begun is sent as the caller decided.
    """

    endpoint: Annotated[str, Field(min_length=1, max_length=2_000, pattern="^https?://")] | None = None
    authorization: str | None = field(default=None, repr=False)
    service_name: Annotated[str, Field(min_length=1, max_length=200)] = "mnemograph"
    share: Annotated[float, Field(ge=0, le=1)] = 1.0


# What a Redis address must look like, known without loading the client. Pure.

_SCHEMES = ("redis", "rediss", "unix")


def redis_url_problem(url: str) -> str | None:
    """Return what is wrong with an address, as the end of a sentence that does not repeat it: it may hold a
    password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port if parts.scheme != "unix" else None
    except ValueError:
        return "is no address: the host or the port cannot be read; write redis://HOST:PORT/0"
    if parts.scheme not in _SCHEMES:
        return f"must start with {', '.join(f'{scheme}://' for scheme in _SCHEMES)}; write redis://HOST:PORT/0"
    if parts.scheme == "unix":
        return None if parts.path else "names no socket file; write unix:///PATH/redis.sock"
    if not parts.hostname:
        return "names no host; write redis://HOST:PORT/0"
    if port == 0:
        return "has port 0; write redis://HOST:PORT/0"
    database = parts.path.strip("/")
    if database and not (database.isascii() and database.isdigit()):
        return "has something other than a number after the host; write the database's number, redis://HOST:PORT/0"
    return None


Text = Annotated[str, Field(min_length=1, max_length=10_000)]
Claim = Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthSettings:
    """Who gets in; API keys are no settings, `mnemograph keys` makes them.

    Attributes:
        jwt_secret: of tokens signed by HS256, 32 bytes or more.
        jwt_public_key: of tokens signed by RS256: the PEM itself, or the path of a file that holds it.
        jwt_audience: must stand in each token's `aud`.
        jwt_issuer: must be each token's `iss` when set.
        jwt_leeway_s: by how much clocks may differ.
        jwt_tenant_claim: where tokens say which tenant they open.
        jwt_role_claim: where tokens say as what: read, write or admin.
        session_s: how long signing in to the viewer lasts.
        requests_per_s: of each credential that has no rate of its own; 0 means no limit.
        burst: how many such a credential may send at once.
        audit_mb_max: the oldest entries go when the audit log has so much.
    """

    jwt_secret: Annotated[str, Field(min_length=1, max_length=10_000)] | None = field(default=None, repr=False)
    jwt_public_key: Text | None = None
    jwt_audience: Claim | None = None
    jwt_issuer: Claim | None = None
    jwt_leeway_s: Annotated[float, Field(ge=0, le=300)] = 30.0
    jwt_tenant_claim: Claim = "tenant"
    jwt_role_claim: Claim = "role"
    session_s: Annotated[float, Field(ge=60, le=31 * 86_400)] = 43_200.0
    requests_per_s: Annotated[float, Field(ge=0, le=100_000)] = 50.0
    burst: Annotated[int, Field(ge=1, le=1_000_000)] = 200
    audit_mb_max: Annotated[int, Field(ge=1, le=1_048_576)] = 64

    @property
    def takes_tokens(self) -> bool:
        """True if signed tokens open anything."""
        return self.jwt_secret is not None or self.jwt_public_key is not None


def auth_contradictions(auth: AuthSettings) -> list[str]:
    """Return settings of this section that are fine alone but not together."""
    problems = []
    if auth.jwt_secret is not None and auth.jwt_public_key is not None:
        problems.append("auth.jwt_secret and auth.jwt_public_key are both set: tokens have one kind of signature")
    if auth.jwt_secret is not None and len(auth.jwt_secret.encode()) < 32:
        problems.append(
            "auth.jwt_secret is shorter than 32 bytes: it could be guessed; `openssl rand -hex 32` makes one"
        )
    if auth.takes_tokens and auth.jwt_audience is None:
        problems.append(
            "auth.jwt_audience is not set: a token made for another service with the same key would open this one;"
            " set it to the name by which your issuer knows this service"
        )
    return problems
