"""Metrics of this process: counters and histograms; gauges are read at each scrape (`app/metrics_page.py`).

Plain numbers, because `prometheus_client` takes 65 to 90 ms to import and 1.3 to 1.8 µs per observation instead of
0.3 to 0.6 µs (measured). The first scrape loads it to write the page.

Each label has a fixed set of values; any other value counts as `other`, so that no name or input from outside becomes a
time series.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from typing import Final

OTHER: Final = "other"
Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricInfo:
    """Name, help text and labels of a metric.

    Attributes:
        labels: allowed values by label.
    """

    name: str
    help: str
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def series(self) -> list[Labels]:
        return list(product(*self.labels.values()))

    def known(self, values: Labels) -> Labels:
        sets = zip(values, self.labels.values(), strict=True)
        return tuple(value if value in allowed else OTHER for value, allowed in sets)


class Counter:
    def __init__(self, name: str, about: str, **labels: Iterable[str]) -> None:
        self.about = MetricInfo(name=name, help=about, labels=_with_other(labels))
        self.values: dict[Labels, float] = dict.fromkeys(self.about.series(), 0.0)

    def add(self, *labels: str, n: float = 1.0) -> None:
        key = labels if labels in self.values else self.about.known(labels)
        self.values[key] += n


class Histogram:
    """A histogram.

    Args:
        bounds: upper bounds of the buckets, ascending, without +Inf.
    """

    def __init__(self, name: str, about: str, bounds: Sequence[float], **labels: Iterable[str]) -> None:
        self.about = MetricInfo(name=name, help=about, labels=_with_other(labels))
        self.bounds = tuple(bounds)
        empty = len(self.bounds) + 1
        self.counts: dict[Labels, list[int]] = {key: [0] * empty for key in self.about.series()}
        self.sums: dict[Labels, float] = dict.fromkeys(self.about.series(), 0.0)

    def note(self, value: float, *labels: str) -> None:
        key = labels if labels in self.counts else self.about.known(labels)
        self.counts[key][bisect_left(self.bounds, value)] += 1
        self.sums[key] += value


def _with_other(labels: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(dict.fromkeys((*values, OTHER))) for name, values in labels.items()}


# Bucket bounds in seconds; 0.2 s and 0.5 s are the latency targets of recall.
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SLOW_SECONDS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
_TENTHS: Final = tuple(number / 10 for number in range(1, 10))


class Interface(StrEnum):
    """The API of a request."""

    GRAPHQL = "graphql"
    REST = "rest"
    MCP = "mcp"
    LIVE = "live"
    VIEWER = "viewer"
    PROBE = "probe"


class Operation(StrEnum):
    """Operations whose duration is measured, whichever API requested them."""

    REMEMBER = "remember"
    RECALL = "recall"
    CONTEXT = "context"


class Loop(StrEnum):
    """Background loops, each restarted by `supervision.Supervisor`."""

    ACCESS = "access"
    COMMUNITIES = "communities"
    DATABASE_WATCH = "database watch"
    EXPIRY = "expiry"
    FORGETTINGS = "forgettings"
    GRAPHQL = "graphql"
    ITEMS = "items"
    KEYS = "keys"
    LIVE_FEED = "live feed"
    MCP = "mcp"
    QUARANTINE = "quarantine"
    RATES = "shared rates"
    REPLAY = "replay"
    SNAPSHOTS = "snapshots"
    SYNC = "scheduled sync"
    WARM_UP = "warm-up"
    WINDOW = "short-term window"
    WORKER_REEXTRACT = "worker reextract"
    WORKER_CLOSE = "worker close"
    WORKER_DUE = "worker due jobs"
    WORKER_EMBED = "worker embed"
    WORKER_FORGET = "worker forget"
    WORKER_IDLE = "worker idle sessions"
    WORKER_MALFORMED = "worker malformed jobs"
    WORKER_EXTRACT = "worker extract"
    WORKER_REFINE = "worker refine"


_JOBS: Final = ("embed", "extract", "close", "refine", "reextract", "forget")
_EXTERNAL_SERVICES: Final = ("embedder", "model", "first model", "fallback model", "judge model")
_STATUS: Final = ("1xx", "2xx", "3xx", "4xx", "5xx")

REQUESTS: Final = Counter(
    "mnemoscene_requests", "Answered requests, by interface and class of status.", interface=Interface, status=_STATUS
)
REQUEST_SECONDS: Final = Histogram(
    "mnemoscene_request_seconds", "Duration of a request, until the end of its response.", _SECONDS, interface=Interface
)
OPERATION_SECONDS: Final = Histogram(
    "mnemoscene_operation_seconds",
    "Duration of remember, recall and context.",
    _SECONDS,
    operation=Operation,
    outcome=("done", "refused", "failed"),
)
MESSAGES: Final = Counter(
    "mnemoscene_messages", "Stored messages, by store: Neo4j or the spool.", store=("neo4j", "spool")
)
RECALL_SIMILARITY: Final = Histogram(
    "mnemoscene_recall_similarity", "Highest cosine similarity among the candidates of a recall.", _TENTHS
)
RECALL_CONFIDENCE: Final = Histogram(
    "mnemoscene_recall_confidence", "Confidence of recall that its results contain the answer.", _TENTHS
)
RECALLS: Final = Counter("mnemoscene_recalls", "Recalls, by result.", result=("relevant", "none", "degraded"))
EXTRACTIONS: Final = Counter(
    "mnemoscene_extractions",
    "Extracted scenes, by method: the model in its first attempt, the model in another attempt, the rules as "
    "configured, the rules after the model failed, the rules over budget; `too_slow` if extraction timed out.",
    outcome=("model", "model_retried", "rules", "rules_fallback", "over_budget", "too_slow"),
)
FACTS: Final = Counter("mnemoscene_facts", "Facts that were created or closed.")
REJECTED: Final = Counter(
    "mnemoscene_rejected_facts",
    "Facts of readers and callers that were rejected, by reason.",
    reason=(
        "predicate not on the whitelist",
        "subject or object has no usable name",
        "the whitelist does not allow this predicate between these kinds",
        "subject and object are the same",
        "no message proves it",
        "the statement is empty or too long",
        "not confident enough",
        "not important enough",
        "too many facts in one scene",
        "unreadable in the reader's answer",
        "invalid in the call",
    ),
)
CORRECTIONS: Final = Counter(
    "mnemoscene_corrections",
    "Facts that people added, updated, confirmed, pinned or rejected; confirmed beside rejected and updated ones "
    "measures the accuracy of extraction.",
    kind=("add", "update", "confirm", "pin", "reject"),
)
MODEL_TOKENS: Final = Counter("mnemoscene_model_tokens", "Model tokens used by extraction.", direction=("in", "out"))
EMBEDDING_TOKENS: Final = Counter(
    "mnemoscene_embedding_tokens", "Tokens of texts that an embedding endpoint embedded, without questions."
)
EMBEDDINGS: Final = Counter("mnemoscene_embeddings", "Embedded texts.", element=("message", "scene", "fact", "item"))
JOB_RUNS: Final = Counter(
    "mnemoscene_job_runs",
    "Runs of background jobs, by outcome.",
    kind=_JOBS,
    outcome=("done", "retried", "dead_letter", "lease_lost"),
)
JOB_SECONDS: Final = Histogram(
    "mnemoscene_job_seconds", "Duration of a run of a background job.", _SLOW_SECONDS, kind=_JOBS
)
EXTERNAL_CALL_SECONDS: Final = Histogram(
    "mnemoscene_external_call_seconds",
    "Duration of a call to an external embedder or model, by outcome; `skipped` while its circuit breaker is open.",
    _SLOW_SECONDS,
    service=_EXTERNAL_SERVICES,
    outcome=("ok", "unavailable", "skipped"),
)
DATABASE_SECONDS: Final = Histogram(
    "mnemoscene_database_seconds",
    "Duration of a statement, until its last row.",
    _SECONDS,
    access=("read", "write"),
)
CONNECTIONS_CLOSED: Final = Counter(
    "mnemoscene_connections_closed",
    "Connections closed by the service: timed out, not reading, malformed data, or evicted for new connections.",
    reason=("timeout", "not_reading", "malformed", "evicted"),
)
DATABASE_FAILURES: Final = Counter(
    "mnemoscene_database_failures", "Reads and transactions that failed after all retries."
)
LOOP_FAILURES: Final = Counter(
    "mnemoscene_loop_failures",
    "Failures of background loops; each is restarted.",
    loop=Loop,
)
AUDIT_ENTRIES_LOST: Final = Counter(
    "mnemoscene_audit_entries_lost",
    "Entries of the audit log that could not be written, for example because the disk was full.",
)

# In the order of their definitions.
COUNTERS: Final = tuple(metric for metric in [*globals().values()] if isinstance(metric, Counter))
HISTOGRAMS: Final = tuple(metric for metric in [*globals().values()] if isinstance(metric, Histogram))
