"""Test traces of requests, jobs and statements, without message texts."""

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from graph_service.app.services import traced
from graph_service.config.settings import load_settings
from graph_service.observability import spans
from schema.errors import InstallError
from tests.conftest import Server
from tests.support.open_service import open_service

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TEXT = "I love xylophagous beetles. 我喜欢饕餮。"


class Collector:
    """An HTTP server that receives what an exporter sends to `/v1/traces`."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.headers: list[tuple[str, str | None]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                packed = self.headers.get("Content-Encoding") == "gzip"
                collector.bodies.append(gzip.decompress(body) if packed else body)
                collector.headers.append((self.path, self.headers.get("Authorization")))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_said: object) -> None:
                """Log nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def spans(self) -> list[Span]:
        """Return all spans received so far."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for one in requests for resource in one.resource_spans for scope in resource.scope_spans]
        return [span for scope in scopes for span in scope.spans]


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.server.shutdown()
    made.server.server_close()
    made.thread.join()


async def test_request_is_traced_down_to_its_statements(
    server: Server, tmp_path: Path, tenant: str, collector: Collector
) -> None:
    more = {"MNEMOSCENE_TRACES_ENDPOINT": collector.address, "MNEMOSCENE_TRACES_AUTHORIZATION": "Bearer of-traces"}
    async with open_service(server, tmp_path, more) as service:
        headers = {"Mnemoscene-Tenant": tenant, "traceparent": f"00-{TRACE}-{CALLER}-01"}
        async with service.client(**headers) as client:
            said = {"userId": "quixotic-ana", "sessionId": "s", "messages": [{"role": "USER", "text": TEXT}]}
            query = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"
            assert (
                "errors" not in (await client.post("/graphql", json={"query": query, "variables": {"i": said}})).json()
            )
            asked = '{ recall(userId: "quixotic-ana", query: "Which beetles?") { hits { text } } }'
            await client.post("/graphql", json={"query": asked})
            bad = '{ recall(userId: "quixotic-ana", query: "", limit: 5) { hits { text } } }'
            await client.post("/graphql", json={"query": bad})
        await service.parts.worker.drain()
    found = collector.spans()
    by_id = {span.span_id: span for span in found}
    ours = [span for span in found if span.trace_id.hex() == TRACE]

    def above(span: Span) -> list[str]:
        parent = by_id.get(span.parent_span_id)
        return [span.name, *(above(parent) if parent else [span.parent_span_id.hex()])]

    paths = [above(span) for span in ours]
    assert ["neo4j recall/recall", "recall", "request graphql", CALLER] in paths
    assert ["neo4j ingest/add_messages", "remember", "request graphql", CALLER] in paths
    assert [span.status.message for span in ours if span.name == "recall" and span.status.code == 2] == ["InputError"]
    work = [span for span in found if span.name == "job extract"]
    assert work
    assert any(by_id.get(span.parent_span_id) in work for span in found if span.name.startswith("neo4j "))
    told = b"".join(collector.bodies)
    assert [word for word in (tenant, "quixotic", "xylophagous", "饕餮") if word.encode() in told] == []
    assert set(collector.headers) == {("/v1/traces", "Bearer of-traces")}


async def test_nothing_is_traced_without_a_collector(tmp_path: Path) -> None:
    async with traced(load_settings(environ={}, here=tmp_path, user_dir=tmp_path)):
        assert spans.span("recall") is spans.span("remember")


async def test_missing_extra_is_reported_with_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "graph_service.observability.otel", None)
    environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    with pytest.raises(InstallError, match=r"mnemoscene-server\[otel\]"):
        async with traced(load_settings(environ=environ, here=tmp_path, user_dir=tmp_path)):
            pass
