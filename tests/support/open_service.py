"""Run the whole service in the test process, on the Neo4j of the tests; its keys are deleted at the end."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from graph_service.app.application import create_app
from graph_service.app.services import Services, open_services
from graph_service.auth.access import Role
from graph_service.auth.audit import read_audit_log
from graph_service.auth.keyring import NewKey
from graph_service.cli.http_server import uvicorn_config
from graph_service.config.settings import Settings, load_settings
from graph_service.runtime.connections import ConnectionLimits, Connections
from graph_service.runtime.shutdown import Stopping
from schema.ids import TenantId
from tests.conftest import Server
from tests.support import http_server
from tests.support.live_service import LiveViewer

LIMITS = ConnectionLimits()


@dataclass
class OpenService:
    """A running service and the keys that the test created."""

    parts: Services
    app: FastAPI
    http: str
    folder: Path
    connections: Connections
    made: list[str] = field(default_factory=list)

    async def key(self, tenant: str | None, role: Role = Role.ADMIN, **more: Any) -> NewKey:
        """Create a key; from the first one on, requests need a credential."""
        named = None if tenant is None else TenantId(tenant)
        new = await self.parts.keyring.create(name="for a test", tenant=named, role=role, **more)
        self.made.append(new.key.id)
        return new

    def client(self, credential: str | None = None, **headers: str) -> httpx.AsyncClient:
        """Return a client that sends the credential with every request."""
        shown = {"Authorization": f"Bearer {credential}"} if credential else {}
        return httpx.AsyncClient(base_url=self.http, timeout=60, headers={**shown, **headers})

    def socket(self, **wishes: Any) -> connect:
        """Open a live socket without sending the hello frame."""
        wishes.setdefault("subprotocols", [Subprotocol("mnemoscene.v1")])
        return connect(f"{self.http.replace('http', 'ws')}/live", **wishes)

    async def greeted(self, tenant: str, token: str | None = None, **wishes: Any) -> dict[str, Any]:
        """Send the hello frame and return the first frame received."""
        async with self.socket(**wishes) as socket:
            viewer = LiveViewer(socket)
            # A page of another origin is refused before the hello.
            with contextlib.suppress(ConnectionClosed):
                await viewer.say(t="hello", v=1, client="c-test", token=token, scope={"tenant": tenant})
            return await viewer.next()

    def audit_entries(self) -> list[dict[str, Any]]:
        """Return the entries of the audit log."""
        return read_audit_log(self.folder, tenant=None, rows_max=10_000)

    async def forget_keys(self) -> None:
        """Revoke and delete the test's keys, so that the database is open again."""
        for key_id in self.made:
            with contextlib.suppress(Exception):
                await self.parts.keyring.revoke(key_id)
            with contextlib.suppress(Exception):
                await self.parts.keyring.delete(key_id)
        self.made.clear()


def settings_for(server: Server, folder: Path, more: Mapping[str, str] | None = None) -> Settings:
    """Return settings for the Neo4j of the tests; everything else is default."""
    environ = {**server.environ, "MNEMOSCENE_DATA_DIR": str(folder), **(more or {})}
    return load_settings(environ=environ, here=folder, user_dir=folder / "user")


@contextlib.asynccontextmanager
async def open_service(
    server: Server,
    folder: Path,
    more: Mapping[str, str] | None = None,
    *,
    limits: ConnectionLimits = LIMITS,
    port: int = 0,
) -> AsyncIterator[OpenService]:
    """Run a service inside the block, on any free port by default."""
    parts = await open_services(settings_for(server, folder, more), on_progress=lambda _step: None, starting=None)
    stopping = Stopping()
    app = create_app(parts, stopping)
    connections = Connections(limits)
    config = uvicorn_config(
        app, connections, trusted_proxies=parts.settings.service.trusted_proxies, port=port, backlog=128
    )
    try:
        async with http_server.running(config) as running:
            address = f"http://127.0.0.1:{http_server.port_of(running)}"
            service = OpenService(parts=parts, app=app, http=address, folder=folder, connections=connections)
            try:
                yield service
            finally:
                await service.forget_keys()
    finally:
        await parts.close()
