"""Test that a service with many errors logs neither message texts nor secrets.

Every line has its origin and the id of its request.
"""

import itertools
import json
import threading
import time
from pathlib import Path
from typing import Any

import httpx
from neo4j import GraphDatabase
from websockets.sync.client import connect

from tests.conftest import Server
from tests.support.cli_process import Home
from tests.support.fake_openai import FakeOpenAI, Reply, says

WORDS = ("xylophagous", "quetzalcoatl", "饕餮", "魑魅")
SECRETS = ("mnk-secret-canary-0001", "sk-canary-0002", "canary-redis-0003")
SAID = "My sister Quetzalcoatl loves xylophagous beetles and I moved to Lisbon. 我妹妹饕餮喜欢魑魅。"


class RepeatingModel(FakeOpenAI):
    """A model whose invalid answers repeat the prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = threading.Semaphore(0)
        self._turns = itertools.cycle(range(5))

    def reply(self, path: str, asked: dict[str, Any]) -> Reply:
        self.heard.release()
        told = f"I heard: {SAID} with {SECRETS[1]}"
        wrong = next(self._turns)
        if wrong == 0:
            return says(told)
        if wrong == 1:
            return says(json.dumps({"facts": [{"statement": told}], "summary": [told]}))
        return Reply(status=(400, 500, 429)[wrong - 2], body={"error": {"message": told, "type": told}})


def send_invalid_requests(http: httpx.Client, tenant: str) -> None:
    """Send invalid requests of every kind, with words that must not be logged."""
    for query in (f"{{ {SAID} }}", f'{{ recall(userId: "a", query: "{SAID}", limit: 9999) {{ hits {{ text }} }} }}'):
        http.post("/graphql", json={"query": query})
    http.post("/graphql", content=SAID.encode())
    http.post("/graphql", json={"query": "query ($a: Int!) { usage(days: $a) { day } }", "variables": {"a": SAID}})
    http.get(f"/api/evidence/{SAID}")
    http.get("/api/explore/search", params={"text": SAID, "q": SAID})
    http.get("/graphql", headers={"Authorization": f"Bearer {SECRETS[0]}", "X-Request-Id": "a b"})
    http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": SAID}})
    http.post("/mcp", content=SAID.encode(), headers={"Accept": "application/json, text/event-stream"})
    address = str(http.base_url).replace("http", "ws")
    for frame in ({"t": "hello", "v": 1, "client": SAID, "scope": {"tenant": tenant, "user": SAID}}, {"t": SAID}):
        with connect(f"{address}/live", subprotocols=["mnemoscene.v1"]) as socket:  # type: ignore[list-item]
            socket.send(json.dumps(frame))
            socket.recv(10)


def store_malformed_message(server: Server, tenant: str) -> None:
    """Store a message without a valid role and with a text as its time, as an import may leave it, and a job for it.

    It is a message of its own, so that a digest which already runs neither has read it nor marks it as read.
    """
    text = """
    MATCH (said:Message {tenant: $t}) WITH said LIMIT 1
    WITH said {
      .*, id: randomUUID(), uri: said.uri + '-malformed', role: $said, said_at: $said, unread: true
    } AS malformed
    CREATE (m:Message) SET m = malformed
    WITH m MATCH (j:Job {tenant: $t, session: m.session_id}) WHERE j.kind = 'extract'
    SET j.open = true, j.state = 'open', j.due_ms = 0, j.enqueue_count = j.enqueue_count + 1
    """
    with GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        driver.execute_query(text, t=tenant, said=SAID)


def delete_tenants_of_other_tests(server: Server) -> None:
    """Delete what other tests left: the service would embed and read all of it, with the model of this test."""
    text = "MATCH (n) WHERE n.tenant STARTS WITH 't-' CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS"
    with GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver, driver.session() as session:
        session.run(text).consume()


def test_log_contains_nothing_of_the_messages(server: Server, tmp_path: Path, tenant: str) -> None:
    delete_tenants_of_other_tests(server)
    with RepeatingModel() as model:
        more = {
            **server.environ,
            "OPENAI_BASE_URL": model.base_url,
            "OPENAI_API_KEY": SECRETS[1],
            "LLM_MODEL": "babbler",
            "REDIS_URL": f"redis://:{SECRETS[2]}@127.0.0.1:1/0",
            "MNEMOSCENE_LOG_LEVEL": "debug",
            "MNEMOSCENE_LOG_FORMAT": "json",
            "MNEMOSCENE_SESSIONS_IDLE_S": "1",
        }
        with Home(tmp_path, more).running("serve", "--port", "0", "--no-browser", "--json") as service:
            address = service.document()["viewer"].rstrip("/")
            headers = {"Mnemoscene-Tenant": tenant, "X-Request-Id": "canary-request"}
            with httpx.Client(base_url=address, headers=headers, timeout=60) as http:
                for turn in range(6):
                    said = {"role": "USER", "text": SAID, "id": f"m{turn}"}
                    given = {"userId": "ana", "sessionId": f"s{turn}", "messages": [said]}
                    query = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"
                    assert (
                        "errors" not in http.post("/graphql", json={"query": query, "variables": {"i": given}}).json()
                    )
                # The same id with another text is refused, and the refusal reported.
                given["messages"] = [{"role": "USER", "text": SAID + WORDS[0], "id": "m5"}]
                http.post("/graphql", json={"query": query, "variables": {"i": given}})
                http.post("/graphql", json={"query": f'{{ context(userId: "ana", query: "{SAID}") {{ text }} }}'})
                send_invalid_requests(http, tenant)
                # A malformed message fails its job, whose dead letter does not contain the text.
                store_malformed_message(server, tenant)
                letters = "{ deadLetters(first: 100) { nodes { id kind error } } }"
                deadline_s = time.monotonic() + 120
                while "CORRUPT_DATA" not in (dead := http.post("/graphql", json={"query": letters}).text):
                    assert time.monotonic() < deadline_s, dead
                    time.sleep(0.1)
                told = [dead, http.get("/ready").text, http.get("/metrics").text]
                # Scenes are read when their session closes, a second after the last message.
                assert all(model.heard.acquire(timeout=60) for _ in range(6))
            service.stop()
            log = service.err.read_text("utf-8")
    hidden = (*WORDS, *SECRETS, server.password)
    for text in (log, *told):
        assert [word for word in hidden if word.casefold() in text.casefold()] == []
    rows = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert {row["level"] for row in rows} >= {"warning", "info", "debug"}
    assert all({"at", "level", "from", "event"} <= set(row) for row in rows)
    assert [row["status"] for row in rows if row.get("request") == "canary-request" and row["event"] == "request"]
    assert "Traceback" not in log
