"""The settings of each section: names, defaults, bounds and descriptions (source of docs/settings.md)."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address, ip_network
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from extraction.text.secrets import SecretKind
from schema.zones import zone_named


class Limits:
    """Limits of a number or of a text's length: `ge`, `gt`, `le`, `min_length`, `max_length`.

    As pydantic's `Field`, but importing pydantic takes as long as asking a service, and settings of a client that are
    all texts are validated without it.
    """

    def __init__(self, **bounds: float) -> None:
        self.bounds = bounds

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """Return the schema of a value within the limits."""
        return handler(source) | self.bounds


class Checked:
    """A function that returns a text, or raises ValueError; as pydantic's `AfterValidator`."""

    def __init__(self, check: Callable[[str], str]) -> None:
        self.check = check

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Return the schema of a text that passes the check."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(self.check, handler(source))


Seconds = Annotated[float, Limits(gt=0, le=3_600)]
Name = Annotated[str, Limits(min_length=1, max_length=200)]
Port = Annotated[int, Limits(ge=0, le=65_535)]
Megabytes = Annotated[int, Limits(ge=16, le=262_144)]


def _network(text: str) -> str:
    """Return the normalized IP address or network.

    Raises:
        ValueError: it is neither; host names are refused, because DNS can be spoofed.
    """
    return str(ip_network(text)) if "/" in text else str(ip_address(text))


Network = Annotated[str, Checked(_network)]


def _zone(name: str) -> str:
    if zone_named(name) is None:
        raise ValueError("is no time zone; use an IANA name such as Asia/Shanghai, or +08:00")
    return name


Zone = Annotated[str, Checked(_zone)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """The address of the service.

    Attributes:
        host: the address to listen on; if other machines can reach it, a credential is required.
        port: 0 for any free port; if the default 7780 is taken, a free port is used.
        open_browser: open the viewer when the service starts, if there is a screen.
        allowed_hosts: host names accepted in requests, in addition to the loopback ones.
        trusted_proxies: addresses or networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto`
            are trusted; none by default, not even on this machine.
        allow_unauthenticated_bind: allow a `host` that other machines can reach without any credential.
        read_only: refuse every write over GraphQL, MCP and the viewer, whatever role the caller has.
        free_disk_mb_min: with less free space in the data directory, `/ready` reports `degraded`; with a tenth of it,
            the service is not ready. 0 means no limit.
        drain_s: after SIGTERM `/ready` responds with 503 for this time, while requests are still served, so that a load
            balancer stops sending them before they are refused; part of the 30 s that a stop takes. 0 refuses at once.
        zone: time zone of the days that are shown where neither the message nor the user has one: `Asia/Shanghai` or
            `+08:00`.
    """

    host: Name = "127.0.0.1"
    port: Port = 7780
    open_browser: bool = True
    allowed_hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[Network, ...] = ()
    allow_unauthenticated_bind: bool = False
    read_only: bool = False
    free_disk_mb_min: Annotated[int, Limits(ge=0, le=1_000_000_000)] = 500
    drain_s: Annotated[float, Limits(ge=0, le=10)] = 0.0
    zone: Zone = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Neo4jSettings:
    """The Neo4j server; without `uri` a local one is started in `data_dir`.

    Attributes:
        uri: address of your own server, 2026.02 or newer, such as `bolt://127.0.0.1:7687` or `neo4j+s://HOST`.
        user: user name on that server.
        password: password of that user.
        database: name of the database; the server's default if not set.
        heap_mb: heap of the local server, in MB.
        page_cache_mb: page cache of the local server, in MB.
        start_timeout_s: maximum start time of the local server.
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
    """The spool, a file in `data_dir` that stores messages while Neo4j is unavailable.

    Attributes:
        mb_max: maximum size in MB, after which messages are refused; one tenant can fill half of it.
    """

    mb_max: Annotated[int, Limits(ge=1, le=1_048_576)] = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """Automatic closing of sessions.

    Attributes:
        idle_s: sessions without a message for this time are closed.
        close_on_shutdown: close the sessions with new messages when the service stops; they are extracted then or after
            the next start.
    """

    idle_s: Annotated[float, Limits(ge=1, le=604_800)] = 1_800.0
    close_on_shutdown: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomationSettings:
    """Background work that can be switched off; `indexMemories` and `generateLayers` do it for a session on request.

    Attributes:
        auto_index: compute vectors; without them recall searches by words.
        auto_extract: extract facts from messages; otherwise only facts that agents send are stored.
        index_on_message: compute the vectors of a message at once; otherwise when its session closes.
        index_on_close: compute missing vectors and the summary of a session when it closes.
        generate_layers_every_n_messages: number of new messages after which the layers (L0, L1) of a scene are updated;
            they are also updated when the scene is complete.
        sync_every_h: hours after which a tenant is checked and repaired (`mnemoscene sync`), which also removes
            orphans; 0 means never.
    """

    auto_index: bool = True
    auto_extract: bool = True
    index_on_message: bool = True
    index_on_close: bool = True
    generate_layers_every_n_messages: Annotated[int, Limits(ge=1, le=1_000)] = 5
    sync_every_h: Annotated[float, Limits(ge=0, le=8_760)] = 168.0


def _redis_url(text: str) -> str:
    """Check the address of a Redis; the error does not repeat it, because it may contain a password."""
    problem = "is no address of a Redis; use redis://HOST:PORT/0, with a number as the path, or unix:///PATH/redis.sock"
    try:
        parts = urlsplit(text)
        port = parts.port if parts.scheme != "unix" else None
    except ValueError:
        raise ValueError(problem) from None
    database = parts.path.strip("/")
    is_network = (
        parts.scheme in ("redis", "rediss") and parts.hostname and port != 0 and re.fullmatch("[0-9]*", database)
    )
    if not (is_network or (parts.scheme == "unix" and parts.path)):
        raise ValueError(problem)
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisSettings:
    """The Redis server of the short-term window and of the rates of credentials; without `url` they are per process.

    Attributes:
        url: `redis://`, `rediss://` or `unix://`, including the password if there is one.
        timeout_s: timeout of each operation; a slower Redis counts as unavailable.
        connections: maximum number of connections.
    """

    url: Annotated[str, Limits(min_length=1, max_length=2_000), Checked(_redis_url)] | None = field(
        default=None, repr=False
    )
    timeout_s: Annotated[float, Limits(ge=0.01, le=10)] = 0.25
    connections: Annotated[int, Limits(ge=1, le=256)] = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """The short-term window: the last turns of each session.

    Attributes:
        turns: number of turns per session.
        ttl_s: expiry of a session in Redis after its last turn.
        process_sessions: maximum number of sessions in the in-process window.
        process_mb: maximum size of the in-process window, in MB.
    """

    turns: Annotated[int, Limits(ge=1, le=200)] = 20
    ttl_s: Annotated[float, Limits(ge=1, le=31 * 86_400)] = 86_400.0
    process_sessions: Annotated[int, Limits(ge=1, le=1_000_000)] = 2_000
    process_mb: Annotated[int, Limits(ge=1, le=16_384)] = 32


Concurrent = Annotated[int, Limits(ge=1, le=256)]
PerMinute = Annotated[int, Limits(ge=0, le=1_000_000_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """The model that extracts facts from scenes; without `model` built-in rules do.

    Attributes:
        base_url: address of an endpoint other than the vendor's, such as `http://127.0.0.1:4000/v1`.
        api_key: for that endpoint; without `model` it has no effect. By default the variable of the vendor.
        model: name of the model at the endpoint. Without `base_url`, its prefix selects a vendor: `groq/…`, `ollama/…`,
            `anthropic/…` (Vendors of models, below); without a known prefix it is OpenAI's.
        vendor: vendor of the endpoint at `base_url`, if it differs from OpenAI in its API: `anthropic`, `voyage`.
        timeout_s: timeout of one request.
        concurrent_calls: maximum number of requests to an endpoint at the same time; others wait.
        requests_per_minute: maximum number of requests to an endpoint in any minute; others wait. 0 means unlimited.
        tokens_per_minute: maximum number of tokens of an endpoint in any minute, prompts and answers together; a
            prompt's tokens are estimated until the endpoint reports its usage. 0 means unlimited.
        output_tokens_max: limit of each answer, sent with every request; a truncated answer is asked for in parts.
        tokens_per_day: token budget per tenant, for the model and an embedding endpoint together; a call that would
            exceed it is not made, and the rules extract for the rest of the day (UTC). 0 means unlimited.
        fallback_model: name of a second model, asked while the first is unavailable.
        fallback_base_url: address of its endpoint, which has the same limits; by default that of `base_url`, with its
            key.
        fallback_api_key: for the endpoint of `fallback_base_url`.
        fallback_vendor: as `vendor`.
        judge_model: name of a smaller model at the endpoint of `base_url` that compares new facts with known ones;
            `model` does by default, and while the smaller one is unavailable.
        judge_facts: let the model also decide whether new facts repeat, complete or replace known ones in other words
            or another language, at one more call per extracted session with such facts, and none without; otherwise
            only the rules decide.
        overviews: let the model write the overviews (L1) of longer scenes, and abstract and overview of sessions with
            several scenes, at one more call each.
    """

    base_url: Name | None = None
    api_key: str | None = field(default=None, repr=False)
    model: Name | None = None
    vendor: Name | None = None
    timeout_s: Seconds = 60.0
    concurrent_calls: Concurrent = 4
    requests_per_minute: PerMinute = 0
    tokens_per_minute: PerMinute = 0
    output_tokens_max: Annotated[int, Limits(ge=256, le=131_072)] = 4_096
    tokens_per_day: Annotated[int, Limits(ge=0)] = 0
    fallback_base_url: Name | None = None
    fallback_api_key: str | None = field(default=None, repr=False)
    fallback_model: Name | None = None
    fallback_vendor: Name | None = None
    judge_model: Name | None = None
    overviews: bool = True
    judge_facts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """The embedding model.

    Attributes:
        kind: `auto` is `openai` if `model` is set, else `local`; `none` means keyword search only.
        base_url: address of an endpoint other than the vendor's.
        api_key: for that endpoint; without `model` it has no effect. By default the variable of the vendor.
        model: name of the model at the endpoint; its prefix selects a vendor, as for `llm.model`.
        vendor: as `llm.vendor`.
        dim: dimension of the endpoint's vectors; determined automatically if not set.
        concurrent_calls: maximum number of requests to the endpoint at the same time; others wait.
        requests_per_minute: maximum number of requests to the endpoint in any minute; others wait. 0 means unlimited.
        tokens_per_minute: maximum number of tokens in any minute, estimated until the endpoint reports its usage. 0
            means unlimited.
        threads: number of threads of the local embedder.
        precision: arithmetic of the local embedder. `int8` is faster. With `float32`, machines with different
            processors compute the same vectors. A change is a change of the embedder.
        answer_scores: rank the best candidates of a question again by how well each answers it, and whether a newer one
            replaces an older one, as small local models judge that read them; takes some 50 ms of processor time per
            question.
        fact_tags: small local models read facts from messages, also with `kind = "none"`; takes some 5 ms of processor
            time per message. Without them hardly any are read: worries, cares, journeys and causes in plain English.
        change_embedder: a service that starts with another embedder than that of the stored vectors deletes these and
            computes all again, if no other process uses the database (`serve --change-embedder`); otherwise it searches
            by words only. Commands never do.
    """

    kind: Literal["auto", "local", "openai", "none"] = "auto"
    base_url: Name | None = None
    api_key: str | None = field(default=None, repr=False)
    model: Name | None = None
    vendor: Name | None = None
    dim: Annotated[int, Limits(ge=1, le=4_096)] | None = None
    concurrent_calls: Concurrent = 4
    requests_per_minute: PerMinute = 0
    tokens_per_minute: PerMinute = 0
    threads: Annotated[int, Limits(ge=1, le=64)] = 2
    precision: Literal["int8", "float32"] = "int8"
    answer_scores: bool = True
    fact_tags: bool = True
    change_embedder: bool = False

    @property
    def resolved_kind(self) -> Literal["local", "openai", "none"]:
        """The kind, with `auto` resolved."""
        if self.kind == "auto":
            return "openai" if self.model else "local"
        return self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalystSettings:
    """Limits of `mnemoscene cypher` and of the GraphQL field `cypher`.

    Attributes:
        timeout_s: maximum duration of a statement.
        rows_max: maximum number of rows in its result.
        mb_max: maximum size of its result, in MB.
    """

    timeout_s: Annotated[float, Limits(ge=0.1, le=600)] = 30.0
    rows_max: Annotated[int, Limits(ge=1, le=1_000_000)] = 10_000
    mb_max: Annotated[int, Limits(ge=1, le=4_096)] = 64


# HTTP path of the MCP endpoint.
MCP_PATH: Final = "/mcp"


class ToolSet(StrEnum):
    """Lists of MCP tools and of their arguments: the usual ones, or all."""

    CORE = "core"
    ALL = "all"


class Aliases(StrEnum):
    """Memory servers whose tools can be offered instead of ours."""

    NONE = "none"
    GRAPHITI = "graphiti"
    MEM0 = "mem0"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """The MCP server.

    Attributes:
        user: default user of calls without a user id; `?user=` in a client's URL takes precedence.
        tools: `core` lists five tools in under 1,500 tokens, `all` every tool and argument; `?tools=` in a client's URL
            takes precedence.
        aliases: offer the tools of another memory server instead, with `tools=all` in addition; `?aliases=` in a
            client's URL takes precedence.
    """

    user: Name | None = None
    tools: ToolSet = ToolSet.CORE
    aliases: Aliases = Aliases.NONE


# Address of a service, without a path.
SERVICE_URL: Final = re.compile(r"https?://[^/?#]+/?")


def _service_url(text: str) -> str:
    if not SERVICE_URL.fullmatch(text):
        raise ValueError("is no address of a service; use http://HOST:PORT")
    return text


ServiceUrl = Annotated[str, Limits(max_length=2_000), Checked(_service_url)]
Cosine = Annotated[float, Limits(ge=0, le=1)]
Factor = Annotated[float, Limits(ge=0, le=10)]
Items = Annotated[int, Limits(ge=1, le=10_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """Defaults of questions.

    Attributes:
        mode: `layered` ranks by the weighted sum of the layers' similarities, `similarity_importance` by 0.7 similarity
            plus 0.3 importance; `best` has the best measured quality.
        layer_threshold: similarity threshold of the layered mode for general questions.
        relational_threshold: the same for questions about how people or things are connected.
        entity_threshold: the same for questions that consist of a name.
        factual_threshold: the same for other questions, such as "What …?".
        layer_floor: lower bound of the thresholds of the layered mode.
        abstract_weight: weight of the abstract (L0) in the layered mode.
        overview_weight: weight of the overview (L1) in the layered mode.
        detail_weight: weight of the messages (L2) in the layered mode.
        similarity_weight: weight of the similarity in the mode `similarity_importance`.
        importance_weight: weight of the importance in that mode.
        words_factor: factor on the weights of word matches in the mode `best`; 1 measures best, 0 ignores them.
        meaning_factor: factor on the weights of similarity of meaning.
        time_factor: factor on the weights of the time that a question names, and of newer and former statements.
        graph_factor: factor on the weights of named entities and their neighbours.
        role_factor: factor on the weights of the speaker.
        recency_factor: factor on the weights of recency, importance and confidence.
        questions_kept: latest questions of each tenant that viewers can watch, kept in this process; 0 keeps none.
        questions_seen_by: the role from which a credential sees the questions of others; every credential sees its own.
    """

    mode: Literal["best", "layered", "similarity_importance"] = "best"
    layer_threshold: Cosine = 0.6
    relational_threshold: Cosine = 0.45
    entity_threshold: Cosine = 0.4
    factual_threshold: Cosine = 0.4
    layer_floor: Cosine = 0.4
    abstract_weight: Cosine = 0.2
    overview_weight: Cosine = 0.3
    detail_weight: Cosine = 0.5
    similarity_weight: Cosine = 0.7
    importance_weight: Cosine = 0.3
    words_factor: Factor = 1.0
    meaning_factor: Factor = 1.0
    time_factor: Factor = 1.0
    graph_factor: Factor = 1.0
    role_factor: Factor = 1.0
    recency_factor: Factor = 1.0
    questions_kept: Annotated[int, Limits(ge=0, le=100)] = 100
    questions_seen_by: Literal["read", "write", "admin"] = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSettings:
    """Thresholds for keeping extracted facts and for treating statements as the same.

    Attributes:
        importance_min: importance, 1 to 10, below which an extracted fact is dropped.
        confidence_min: confidence below which a fact is dropped.
        simhash_bits_max: number of bits in which the 64-bit SimHashes of near-duplicate statements may differ.
        common_part_min: share of the longer of two near-duplicate statements that their longest common part exceeds.
        profile_common_part_min: the same for statements about a user or agent.
    """

    importance_min: Annotated[int, Limits(ge=1, le=10)] = 5
    confidence_min: Cosine = 0.5
    simhash_bits_max: Annotated[int, Limits(ge=0, le=3)] = 3
    common_part_min: Cosine = 0.8
    profile_common_part_min: Cosine = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSettings:
    """Maximum number of facts in each category of a profile; the most important stay.

    Attributes:
        personal_max, work_max, preferences_max, relationships_max, goals_max: maximum in this category.
    """

    personal_max: Items = 50
    work_max: Items = 100
    preferences_max: Items = 200
    relationships_max: Items = 50
    goals_max: Items = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplaySettings:
    """Secrets that are hidden in everything the service and the commands show; stored texts and exports keep them.

    Attributes:
        hide_keys: hide API keys, tokens, private keys and passwords.
        hide_cards: hide numbers of payment cards.
        hide_paths: show only the last name of a file path; switch it off for agents that work with files.
    """

    hide_keys: bool = True
    hide_cards: bool = True
    hide_paths: bool = True

    @property
    def hidden(self) -> frozenset[SecretKind]:
        """The kinds of secrets to hide."""
        return frozenset(kind for kind in SecretKind if getattr(self, f"hide_{kind.value}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """The log on standard error; it contains no message text and no secrets.

    Attributes:
        format: `json` writes one object per line, `text` is for people; `auto` is `text` on a terminal, else `json`.
        level: `warning` logs problems, `info` also requests and connections, `debug` also each step of background
            jobs.
    """

    format: Literal["auto", "json", "text"] = "auto"
    level: Literal["error", "warning", "info", "debug"] = "warning"


def _collector_url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ValueError("is no address of a collector; use http://HOST:PORT")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings:
    """Tracing; needs the extra `otel`: `pip install 'mnemoscene-server[otel]'`.

    Attributes:
        endpoint: base URL of an OTLP/HTTP collector, such as `http://127.0.0.1:4318`; tracing is off without it.
        authorization: value of the header `Authorization` for the collector.
        service_name: name of this service in the traces.
        sample_ratio: fraction of traces that are sampled; the decision of a calling service takes precedence.
    """

    endpoint: Annotated[str, Limits(min_length=1, max_length=2_000), Checked(_collector_url)] | None = None
    authorization: str | None = field(default=None, repr=False)
    service_name: Name = "mnemoscene"
    sample_ratio: Annotated[float, Limits(ge=0, le=1)] = 1.0


Text = Annotated[str, Limits(min_length=1, max_length=10_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthSettings:
    """Authentication and rate limits. API keys are not settings; `mnemoscene keys` creates them.

    Attributes:
        jwt_secret: secret of HS256 tokens, 32 bytes or more.
        jwt_public_key: public key of RS256 tokens: the PEM itself, or the path of its file.
        jwt_audience: required `aud` claim of tokens.
        jwt_issuer: required `iss` claim of tokens, if set.
        jwt_leeway_s: allowed clock difference.
        jwt_tenant_claim: claim with the tenant.
        jwt_role_claim: claim with the role: read, write or admin.
        session_s: duration of a sign-in to the viewer.
        requests_per_s: default rate limit per credential; 0 means unlimited.
        burst: number of requests a credential can send at once.
        audit_mb_max: maximum size of the audit log, in MB; the oldest entries are deleted.
    """

    jwt_secret: Text | None = field(default=None, repr=False)
    jwt_public_key: Text | None = None
    jwt_audience: Name | None = None
    jwt_issuer: Name | None = None
    jwt_leeway_s: Annotated[float, Limits(ge=0, le=300)] = 30.0
    jwt_tenant_claim: Name = "tenant"
    jwt_role_claim: Name = "role"
    session_s: Annotated[float, Limits(ge=60, le=31 * 86_400)] = 43_200.0
    requests_per_s: Annotated[float, Limits(ge=0, le=100_000)] = 50.0
    burst: Annotated[int, Limits(ge=1, le=1_000_000)] = 200
    audit_mb_max: Annotated[int, Limits(ge=1, le=1_048_576)] = 64

    @property
    def takes_tokens(self) -> bool:
        """True if signed tokens are accepted."""
        return self.jwt_secret is not None or self.jwt_public_key is not None


def auth_contradictions(auth: AuthSettings) -> list[str]:
    """Return errors about combinations of settings in this section."""
    problems = []
    if auth.jwt_secret is not None and auth.jwt_public_key is not None:
        problems.append("auth.jwt_secret and auth.jwt_public_key are both set: set only one of them")
    if auth.jwt_secret is not None and len(auth.jwt_secret.encode()) < 32:
        problems.append(
            "auth.jwt_secret is shorter than 32 bytes and could be guessed; `openssl rand -hex 32` creates one"
        )
    if auth.takes_tokens and auth.jwt_audience is None:
        problems.append(
            "auth.jwt_audience is not set: tokens for other services with the same key would be accepted; set it to"
            " your issuer's name for this service"
        )
    return problems
