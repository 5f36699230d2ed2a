"""The settings of what the service tells its operator: the log and traces."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field


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
