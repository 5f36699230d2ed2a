"""Run the viewer's WebSocket on a real uvicorn, with a client for its protocol."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from graph_service.api.errors import install_error_handlers
from graph_service.api.rest import explore_router, rest_router
from graph_service.cli.http_server import uvicorn_config
from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from graph_service.live.hub import Hub
from graph_service.live.websocket import live_router
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.mindmap.community_cache import CommunityMaps
from graph_service.memory.mindmap.reader import Explorer, MindMap
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from graph_service.runtime.connections import ConnectionLimits, Connections
from graph_service.supervision import Supervisor
from tests.support import http_server
from tests.support.reducer import ViewerState, apply, show

ANSWER_S = 30.0
ABOUT_OTHERS = ("presence", "selection_sync")


class ServiceAddress:
    """The address of a running service."""

    def __init__(self, port: int) -> None:
        self.port = port

    @property
    def http(self) -> str:
        """Return the base URL of the REST routes."""
        return f"http://127.0.0.1:{self.port}"

    def connect(self, **wishes: Any) -> connect:
        """Open a socket without sending the hello frame."""
        wishes.setdefault("subprotocols", [Subprotocol("mnemoscene.v1")])
        return connect(f"ws://127.0.0.1:{self.port}/live", **wishes)

    @contextlib.asynccontextmanager
    async def viewer(self, tenant: str, **hello: Any) -> AsyncIterator["LiveViewer"]:
        """Connect a viewer and exchange the hello frames."""
        async with self.connect() as socket:
            viewer = LiveViewer(socket)
            scope = {"tenant": tenant, **hello.pop("scope", {})}
            await viewer.say(t="hello", v=1, client="c-test", scope=scope, **hello)
            viewer.hello_ack = await viewer.next()
            yield viewer


class Service(ServiceAddress):
    """A service in this process."""

    def __init__(self, hub: Hub, port: int) -> None:
        super().__init__(port)
        self.hub = hub


class LiveViewer:
    """A client that applies snapshots and patches as the browser's viewer does."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.hello_ack: dict[str, Any] = {}
        self.shown = ViewerState()
        # Frames about other viewers, received in between.
        self.others: list[dict[str, Any]] = []

    async def say(self, **frame: Any) -> None:
        """Send one frame."""
        await self.socket.send(json.dumps(frame))

    async def next(self) -> dict[str, Any]:
        """Return the next frame that is not about other viewers; append skipped ones to `others`."""
        while (frame := await self._any())["t"] in ABOUT_OTHERS:
            self.others.append(frame)
        return frame

    async def of_others(self) -> dict[str, Any]:
        """Return the next frame about other viewers."""
        while not self.others:
            frame = await self._any()
            if frame["t"] in ABOUT_OTHERS:
                self.others.append(frame)
        return self.others.pop(0)

    async def _any(self) -> dict[str, Any]:
        # Not `wait_for`: in Python 3.11 it can swallow a cancellation, and a caller's timeout with it.
        async with asyncio.timeout(ANSWER_S):
            frame: dict[str, Any] = json.loads(await self.socket.recv())
        return frame

    async def take(self, *, ack: bool = True) -> dict[str, Any]:
        """Receive the next frame, apply it and acknowledge it."""
        frame = await self.next()
        if frame["t"] == "graph_snapshot":
            parts = [frame]
            while len(parts) < frame["parts"]:
                parts.append(await self.next())
            self.shown = show(parts)
        elif frame["t"] == "graph_patch":
            assert apply(self.shown, frame), f"gap: {frame['from']} after {self.shown.seq}"
        elif frame["t"] == "bookmark":
            self.shown.seq = max(self.shown.seq, frame["seq"])
        if ack and frame["t"] in ("graph_snapshot", "graph_patch"):
            await self.say(t="ack", seq=self.shown.seq)
        return frame

    async def until(self, seq: int) -> list[dict[str, Any]]:
        """Receive and apply frames up to the sequence number; return them."""
        frames = []
        while self.shown.seq < seq:
            frames.append(await self.take())
        return frames

    async def closed(self) -> tuple[int | None, list[dict[str, Any]]]:
        """Wait until the socket is closed; return the close code and the frames before it."""
        frames = []
        try:
            while True:
                frames.append(await self.next())
        except ConnectionClosed as closed:
            return (closed.rcvd.code if closed.rcvd else None), frames


@contextlib.asynccontextmanager
async def serving(graph: Graph, limits: LiveLimits) -> AsyncIterator[Service]:
    """Serve the viewer's WebSocket and the REST routes inside the block."""
    mindmap, change_log = MindMap(graph), ChangeLog(graph)
    kept = MapSnapshotCache()
    hub = Hub(change_log, mindmap, version="0.0-test", limits=limits, snapshot_cache=kept)
    explorer = Explorer(graph)
    app = FastAPI()
    install_error_handlers(app)
    app.include_router(live_router(hub))
    app.include_router(rest_router(mindmap, change_log, kept))
    app.include_router(explore_router(explorer, CommunityMaps(graph=graph, explorer=explorer, supervisor=Supervisor())))
    config = uvicorn_config(
        app, Connections(ConnectionLimits()), port=0, backlog=128, log_level="warning", lifespan="off"
    )
    try:
        async with http_server.running(config) as server:
            yield Service(hub, http_server.port_of(server))
    finally:
        await hub.close()
