"""Send traces to an OpenTelemetry collector over OTLP/HTTP; loaded only when `traces.endpoint` is set."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from graph_service.config.sections import TraceSettings
from graph_service.observability.spans import Attribute, open_spans_by
from graph_service.version import version

_PATH: Final = "/v1/traces"
_FLUSH_MAX_MS: Final = 5_000
_EXPORT_MAX_S: Final = 5.0


def start_tracing(settings: TraceSettings) -> Callable[[], None]:
    """Start sending spans; return a function that stops tracing and flushes.

    Spans are sent by a thread and dropped while the collector is unavailable.
    """
    assert settings.endpoint is not None, "only called with an endpoint"
    base = settings.endpoint.rstrip("/")
    exporter = OTLPSpanExporter(
        endpoint=base if base.endswith(_PATH) else base + _PATH,
        headers={"Authorization": settings.authorization} if settings.authorization else None,
        timeout=_EXPORT_MAX_S,
    )
    provider = TracerProvider(
        sampler=ParentBased(TraceIdRatioBased(settings.sample_ratio)),
        resource=Resource({"service.name": settings.service_name, "service.version": version()}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer, propagator = provider.get_tracer("mnemoscene", version()), TraceContextTextMapPropagator()

    @contextmanager
    def open_span(name: str, attributes: Mapping[str, Attribute], parent: str | None) -> Iterator[None]:
        with tracer.start_as_current_span(
            name,
            context=None if parent is None else propagator.extract({"traceparent": parent}),
            kind=SpanKind.SERVER if name.startswith("request ") else SpanKind.INTERNAL,
            attributes=dict(attributes),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                # Only the class of an error, because its message may quote conversations.
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    open_spans_by(open_span)

    def stop() -> None:
        open_spans_by(None)
        provider.force_flush(_FLUSH_MAX_MS)
        provider.shutdown()

    return stop
