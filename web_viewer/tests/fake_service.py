"""A fake of the service, to develop the viewer without one; see `web_viewer/README.md`."""

import argparse
import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.staticfiles import StaticFiles
from sample_memory import Row, sample

DIST = Path(__file__).parent.parent / "dist"
CSP = "default-src 'self'; style-src 'self'; img-src 'self' data: blob:"
KINDS = ["User", "Agent", "Entity", "Scene"]
PREDICATES = ["PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO", "MENTIONED", "CAUSED_BY"]
EPOCH = "9c1e"
OVERVIEW = "# What happened\n\nThey talked about **breakfast**.\nIt was sunny.\n\n- pour-over coffee\n- <img src=x>"


class Fake:
    """The state of the fake: its graph, the sequence number of the last change, and the connected sockets."""

    def __init__(self, size: int) -> None:
        self.nodes, self.edges = sample(size)
        self.seq = 100
        self.db = "up"
        self.sockets: dict[WebSocket, str | None] = {}
        self.acks: list[int] = []
        self.refuse: int | None = None

    def part(self, user: str | None) -> tuple[list[Row], list[Row]]:
        """Return the nodes and edges of one user; None means all users."""
        nodes = [node for node in self.nodes.values() if user in (None, node["user_id"])]
        ids = {node["id"] for node in nodes}
        return nodes, [edge for edge in self.edges.values() if edge["source"] in ids and edge["target"] in ids]

    def snapshot(self, user: str | None) -> list[Row]:
        """Return the snapshot in two parts, so that the viewer has to join them."""
        nodes, edges = self.part(user)
        size = {"nodes": len(nodes), "edges": len(edges)}
        head = {
            "t": "graph_snapshot",
            "epoch": EPOCH,
            "seq": self.seq,
            "parts": 2,
            "as_of": now(),
            "stale": self.db == "down",
        }
        return [
            {**head, "part": 0, "shown": size, "total": size, "nodes": nodes, "edges": []},
            {**head, "part": 1, "shown": size, "total": size, "nodes": [], "edges": edges},
        ]

    async def patch(self, ops: list[list[Any]], *, lose: bool = False) -> None:
        """Apply operations and send them to all sockets; with `lose`, send nothing, which leaves a gap."""
        for name, value in ops:
            rows = self.nodes if name.startswith("node") else self.edges
            if name.endswith("+"):
                rows[value["id"]] = {**rows.get(value["id"], {}), **value}
            else:
                rows.pop(value, None)
        before, self.seq = self.seq, self.seq + len(ops)
        frame = {
            "t": "graph_patch",
            "epoch": EPOCH,
            "from": before,
            "to": self.seq,
            "at": now(),
            "changes": len(ops),
            "ops": ops,
        }
        for socket in [] if lose else list(self.sockets):
            await socket.send_json(frame)


def now() -> str:
    """Return the current time in the service's format."""
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def hello(fake: Fake) -> Row:
    """Return the `hello_ack` frame."""
    users = [
        {"user_id": node["user_id"], "label": node["label"]} for node in fake.nodes.values() if node["kind"] == "User"
    ]
    limits = {"msg_bytes": 1048576, "window": 3, "ping_s": 15}
    return {
        "t": "hello_ack",
        "v": 1,
        "epoch": EPOCH,
        "head": fake.seq,
        "version": "0.1.0",
        "read_only": True,
        "db": fake.db,
        "limits": limits,
        "kinds": KINDS,
        "predicates": PREDICATES,
        "users": users,
    }


async def talk(fake: Fake, socket: WebSocket) -> None:
    """Serve one WebSocket until it is closed."""
    await socket.accept(subprotocol="mnemoscene.v1")
    if fake.refuse is not None:
        await socket.close(fake.refuse)
        return
    greeting = await socket.receive_json()
    user = greeting["scope"]["user"]
    await socket.send_json(hello(fake))
    if greeting["resume"] != {"epoch": EPOCH, "seq": fake.seq}:
        for part in fake.snapshot(user):
            await socket.send_json(part)
    fake.sockets[socket] = user
    try:
        while True:
            frame = await socket.receive_json()
            if frame["t"] == "ack":
                fake.acks.append(frame["seq"])
            if frame["t"] == "scope":
                user = fake.sockets[socket] = frame["user"]
            if frame["t"] in ("scope", "resync"):
                for part in fake.snapshot(user):
                    await socket.send_json(part)
    except (WebSocketDisconnect, RuntimeError):
        fake.sockets.pop(socket, None)


def evidence(fake: Fake, element_id: str) -> Row | None:
    """Return the body of `/api/evidence/{id}` for a node or edge; None if it is unknown."""
    item = fake.nodes.get(element_id) or fake.edges.get(element_id)
    if item is None:
        return None
    fact = "source" in item
    said = item.get("said") or "我每天早上一杯手冲咖啡 ☕，没有它就醒不过来。 I drink pour-over coffee every morning."
    start = said.find(item["quote"]) if item.get("quote") else 0
    quote = {
        "message_id": f"m-{element_id}",
        "uri": None,
        "speaker": "Alice",
        "role": "user",
        "said_at": item["first_seen"],
        "text": said,
        "quote_start": start,
        "quote_end": start + len(item.get("quote") or said[:18]),
        "scene_id": "s0" if "s0" in fake.nodes else None,
        "scene_label": "Breakfast talk",
        "tags": [],
    }
    ends = [fake.nodes[item[end]] for end in ("source", "target")] if fact else [None, None]
    subject, other = ({k: end[k] for k in ("id", "label", "kind")} if end else None for end in ends)
    return {
        "id": element_id,
        "kind": "fact" if fact else item["kind"],
        "label": item.get("label", element_id),
        "statement": None,
        "predicate": item.get("predicate"),
        "relation": item.get("relation"),
        "subject": subject,
        "object": other,
        "strength": item.get("strength"),
        "confidence": item.get("confidence"),
        "first_seen": item["first_seen"],
        "last_seen": item["last_seen"],
        "valid_at": item.get("valid_at"),
        "invalid_at": item.get("invalid_at"),
        "recorded_at": item["first_seen"],
        "reader": "rules 1",
        "trigger_emotion": "joy" if fact else None,
        "aliases": item.get("aliases", []),
        "abstract": item.get("summary"),
        "facts": [],
        "evidence": [quote],
        "overview": OVERVIEW if item.get("kind") == "Scene" else None,
    }


def learned(fake: Fake, index: int) -> list[list[Any]]:
    """Return the operations of a patch that adds a preference of the first user."""
    user = next(node for node in fake.nodes.values() if node["kind"] == "User")
    at = now()
    node: Row = {
        "id": f"new{index}",
        "kind": "Entity",
        "label": ["茉莉花茶", "paragliding", "Kyoto", "芝士蛋糕"][index % 4],
        "user_id": user["user_id"],
        "entity_type": "thing",
        "aliases": [],
        "summary": None,
        "importance": None,
        "first_seen": at,
        "last_seen": at,
        "evidence_n": 1,
    }
    edge: Row = {
        "id": f"newe{index}",
        "source": user["id"],
        "target": node["id"],
        "predicate": "PREFERS",
        "relation": None,
        "strength": 0.6,
        "confidence": 0.9,
        "first_seen": at,
        "last_seen": at,
        "valid_at": at,
        "invalid_at": None,
        "evidence_n": 1,
    }
    return [["node+", node], ["edge+", edge]]


def build(size: int) -> FastAPI:
    """Return the application, with routes `/dev/…` that trigger changes and failures."""
    app = FastAPI()
    fake = Fake(size)

    @app.middleware("http")
    async def add_policy(request: Request, call_next: Any) -> Response:
        response: Response = await call_next(request)
        response.headers["Content-Security-Policy"] = CSP
        return response

    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        await talk(fake, socket)

    @app.get("/api/evidence/{element_id}")
    async def one(element_id: str) -> Response:
        found = evidence(fake, element_id)
        body = found or {"error": {"code": "not_found", "message": f"there is no element {element_id!r}"}}
        return Response(json.dumps(body), status_code=200 if found else 404, media_type="application/json")

    @app.post("/dev/{what}")
    async def make(what: str, n: int = 0) -> list[int]:
        if what in ("learn", "lose"):
            await fake.patch(learned(fake, n), lose=what == "lose")
        if what in ("down", "up"):
            fake.db = what
            for socket in fake.sockets:
                serving = "live" if what == "up" else "last snapshot"
                await socket.send_json({"t": "status", "db": what, "serving": serving, "as_of": now()})
        if what in ("kick", "refuse", "welcome"):
            fake.refuse = {"kick": None, "refuse": n, "welcome": None}[what]
            await asyncio.gather(*(socket.close(1012) for socket in list(fake.sockets)))
        return fake.acks

    app.mount("/", StaticFiles(directory=DIST, html=True))
    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=7781)
    parser.add_argument("--size", type=int, default=150, help="about how many nodes; 0 is an empty memory")
    options = parser.parse_args()
    uvicorn.run(build(options.size), host="127.0.0.1", port=options.port, log_level="warning")
