"""A local HTTP server that implements the OpenAI API with scripted responses."""

import hashlib
import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One HTTP response.

    Attributes:
        waits_for: delay the response until this event is set.
        dribbles_until: send it byte by byte, 20 per second, until this event is set.
    """

    status: int = 200
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    waits_for: threading.Event | None = None
    dribbles_until: threading.Event | None = None


def says(text: str, *, finish: str = "stop", refusal: str | None = None) -> Reply:
    """Return a chat completion with this text; usage is 100 input and 20 output tokens."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return completion([{"index": 0, "finish_reason": finish, "message": message}])


def completion(choices: list[dict[str, Any]]) -> Reply:
    """Return a chat completion with these choices."""
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": "fake"}
    return Reply(body={**head, "choices": choices, "usage": usage})


def fails(status: int, *, param: str | None = None, **headers: str) -> Reply:
    """Return an error response about a parameter; `_` in header names stands for `-`."""
    error = {"error": {"message": f"the fake says {status}", "type": "fake", "code": None, "param": param}}
    return Reply(status=status, body=error, headers={name.replace("_", "-"): told for name, told in headers.items()})


def fake_vector(text: str, dim: int) -> list[float]:
    """Return a deterministic vector that depends on the text; its length is not 1."""
    digest = hashlib.sha512(text.encode()).digest()
    return [float(digest[index % 64]) - 127.5 for index in range(dim)]


class FakeOpenAI:
    """Answers `/v1/chat/completions` from the script, in order, and `/v1/embeddings` by hashing.

    Attributes:
        script: replies to the next requests of any kind; once it is empty, embeddings are computed and chats fail.
        requests: bodies of all requests so far, with their path under `path`.
        knows_schema: if False, requests for structured output are refused with 400, as by older servers.
    """

    def __init__(self, *replies: Reply, knows_schema: bool = True, dim: int = 8) -> None:
        self.script = deque(replies)
        self.requests: list[dict[str, Any]] = []
        self.knows_schema = knows_schema
        self.dim = dim
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="fake-openai")

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply(self, path: str, asked: dict[str, Any]) -> Reply:
        """Return the response to one request."""
        self.requests.append({**asked, "path": path})
        if "response_format" in asked and not self.knows_schema:
            return fails(400)
        if self.script:
            return self.script.popleft()
        return self._embeddings(asked) if path.endswith("/embeddings") else fails(500)

    def _embeddings(self, asked: dict[str, Any]) -> Reply:
        dim = asked.get("dimensions", self.dim)
        rows = [
            {"object": "embedding", "index": index, "embedding": fake_vector(text, dim)}
            for index, text in enumerate(asked["input"])
        ]
        # In reverse: the protocol orders by index, not by position.
        body = {"object": "list", "model": "fake", "data": rows[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        return Reply(body=body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = fake.reply(self.path, asked)
                if reply.waits_for is not None:
                    reply.waits_for.wait(10)
                body = json.dumps(reply.body).encode()
                try:
                    self.send_response(reply.status)
                    for name, told in {"Content-Type": "application/json", **reply.headers}.items():
                        self.send_header(name, told)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    if reply.dribbles_until is None:
                        self.wfile.write(body)
                        return
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        if reply.dribbles_until.wait(0.05):
                            return
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_words: object) -> None:
                """Log nothing."""

        return Handler
