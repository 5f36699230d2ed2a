"""Test signed tokens and open addresses over HTTP, and what the command line says about them."""

import asyncio
import json
import logging
import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from typer.testing import CliRunner

from graph_service.auth.access import Role
from graph_service.auth.audit import AuditEntry, AuditLog, read_audit_log
from graph_service.cli.main import app
from graph_service.observability.structured_log import OUR_LOGGERS
from schema.errors import InstallError, NotFoundError
from tests.conftest import Server
from tests.support.builders import NOON
from tests.support.live_service import LiveViewer
from tests.support.open_service import open_service

SECRET = "an issuer's secret of more than 32 bytes"
BY_TOKEN = {
    "MNEMOSCENE_AUTH_JWT_SECRET": SECRET,
    "MNEMOSCENE_AUTH_JWT_AUDIENCE": "mnemoscene",
    "MNEMOSCENE_AUTH_JWT_LEEWAY_S": "0",
    "MNEMOSCENE_AUTH_JWT_TENANT_CLAIM": "https://acme.example/tenant",
}
SECURITY = (Path(__file__).parents[3] / "docs/security.md").read_text("utf-8")


def a_token(tenant: str, role: str = "read", lasts_s: float = 60) -> str:
    claims = {"sub": "ana", "aud": "mnemoscene", "exp": time.time() + lasts_s, "role": role}
    return jwt.encode({**claims, "https://acme.example/tenant": tenant}, SECRET, "HS256")


async def test_the_first_key_closes_the_viewers_of_a_read_only_service(
    server: Server, tenant: str, tmp_path: Path
) -> None:
    async with open_service(server, tmp_path, {"MNEMOSCENE_SERVICE_READ_ONLY": "true"}) as service:
        async with service.socket() as socket:
            viewer = LiveViewer(socket)
            await viewer.say(t="hello", v=1, client="c", scope={"tenant": tenant})
            assert (await viewer.next())["t"] == "hello_ack"
            await service.key(tenant)
            closing, _ = await viewer.closed()
        await service.forget_keys()
    assert closing == 4401


async def test_token_gives_access_to_its_tenant_until_it_expires(server: Server, tenant: str, tmp_path: Path) -> None:
    async with open_service(server, tmp_path, BY_TOKEN) as service:
        async with service.client() as nobody, service.client(a_token(tenant)) as reader:
            assert (await nobody.get("/api/snapshot")).status_code == 401
            assert (await reader.get("/api/snapshot")).status_code == 200
            told = await reader.post("/graphql", json={"query": "{ deadLetters { nodes { id } } }"})
            assert told.json()["errors"][0]["extensions"]["code"] == "FORBIDDEN"
            elsewhere = await reader.get("/api/snapshot", headers={"Mnemoscene-Tenant": f"{tenant}-other"})
            assert elsewhere.status_code == 403
            forged = jwt.encode({"sub": "x"}, "another secret of more than 32 bytes!", "HS256")
            for text in (forged, "mnk_a_b", a_token(tenant, lasts_s=-1)):
                wrong = await nobody.get("/api/snapshot", headers={"Authorization": f"Bearer {text}"})
                assert wrong.status_code == 401
        for lasts_s in (1.5, 6.0, 24.0):
            async with service.socket() as socket:
                viewer = LiveViewer(socket)
                token = a_token(tenant, lasts_s=lasts_s)
                await viewer.say(t="hello", v=1, client="c", token=token, scope={"tenant": tenant})
                closing, frames = await viewer.closed()
            # On a slow machine the shortest one expires before it is read.
            if frames[0]["t"] == "hello_ack":
                break
        assert (frames[0]["t"], closing) == ("hello_ack", 4401)
        async with service.client() as browser:
            signed = await browser.post("/api/sign-in", json={"key": a_token(tenant)})
            assert int(re.findall(r"max-age=(\d+)", signed.headers["set-cookie"].lower())[0]) <= 60
            assert (await browser.get("/api/snapshot")).status_code == 200


async def test_same_subject_in_two_tenants_has_two_rate_limits(server: Server, tenant: str, tmp_path: Path) -> None:
    slow = {**BY_TOKEN, "MNEMOSCENE_AUTH_REQUESTS_PER_S": "0.001", "MNEMOSCENE_AUTH_BURST": "1"}
    async with open_service(server, tmp_path, slow) as service, service.client() as client:
        told = []
        for whose in (tenant, tenant, f"{tenant}-other"):
            shown = {"Authorization": f"Bearer {a_token(whose)}"}
            told.append((await client.get("/api/snapshot", headers=shown)).status_code)
    assert told == [200, 429, 200]


async def test_non_loopback_address_is_locked_without_any_key(server: Server, tmp_path: Path) -> None:
    reached = {"MNEMOSCENE_SERVICE_HOST": "0.0.0.0"}
    async with open_service(server, tmp_path, reached) as service, service.client() as nobody:
        assert (await nobody.get("/api/snapshot")).status_code == 401
        ready = (await nobody.get("/ready")).json()
        assert ready == {"ready": True}, "whoever shows nothing is told nothing"
        every = await service.key(None, Role.READ)
        told = await nobody.get("/ready", headers={"Authorization": f"Bearer {every.text}"})
        assert told.json()["neo4j"] == "up"


@pytest.fixture
def command(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Run a command in this process; delete the keys it created at the end."""
    given = {
        **server.environ,
        "MNEMOSCENE_DATA_DIR": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    for name in ("MNEMOSCENE_TEST_URI", "MNEMOSCENE_TEST_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> Any:
        done = CliRunner().invoke(app, ["--json", *arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return json.loads(done.stdout)

    loggers = [logging.getLogger(name) for name in (*OUR_LOGGERS, "neo4j")]
    states = [(logger.handlers, logger.level, logger.propagate) for logger in loggers]
    before = {key["id"] for key in run("keys")["keys"]}
    yield run
    for key in run("keys")["keys"]:
        if key["id"] not in before:
            run("keys", "revoke", key["id"])
            run("keys", "delete", key["id"])
    for logger, state in zip(loggers, states, strict=True):
        logger.handlers, logger.level, logger.propagate = state


def test_every_command_of_the_security_page_runs(command: Any, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", SECURITY, re.MULTILINE | re.DOTALL)
    lines = [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]
    assert len(lines) >= 8
    made: list[dict[str, Any]] = []
    for line in lines:
        told = command(*(made[0]["id"] if word == "ID" else word for word in line if word != "--json"))
        if line[-1:] != ["keys"] and "create" in line:
            made.append(told)
    assert [(key["tenant"], key["role"], key["requests_per_s"]) for key in made] == [
        ("default", "write", None),
        ("acme", "read", 5.0),
        (None, "admin", None),
    ]
    assert (made[1]["expires_at"] or "") > made[1]["created_at"]
    assert made[0]["key"].startswith(f"mnk_{made[0]['id']}_")
    listed = json.dumps(command("keys"))
    assert made[0]["id"] not in listed, "it was dropped"
    assert not any(key["key"] in listed for key in made), "a key is shown once"
    deeds = [(deed["what"], deed["targets"]) for deed in command("audit", "--limit", "100")["entries"]]
    assert (["keys revoke"], [made[0]["id"]]) in deeds
    assert not any(key["key"] in (tmp_path / "audit.jsonl").read_text("utf-8") for key in made)
    assert {deed["tenant"] for deed in command("--tenant", "acme", "audit")["entries"]} == {"acme"}
    with pytest.raises(NotFoundError):
        command("keys", "delete", made[1]["id"])
    with pytest.raises(NotFoundError):
        command("keys", "revoke", "nothing")


def test_serve_on_a_non_loopback_address_requires_a_credential(command: Any) -> None:
    with pytest.raises(InstallError, match="mnemoscene keys create"):
        command("serve", "--host", "0.0.0.0", "--port", "0", "--no-browser")


def test_audit_log_stays_within_its_bounds_and_keeps_whole_lines(tmp_path: Path) -> None:
    log = AuditLog(tmp_path, bytes_max=20_000)

    async def noted() -> None:
        deeds = [
            AuditEntry(at=NOON, who=f"key:{n}", tenant="a" if n % 2 else None, interface="cli", what=("x",))
            for n in range(400)
        ]
        await asyncio.gather(*map(log.write, deeds))

    asyncio.run(noted())
    rows = read_audit_log(tmp_path, tenant=None, rows_max=10_000)
    assert 70 < len(rows) < 400
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 22_000
    assert len(read_audit_log(tmp_path, tenant="a", rows_max=7)) == 7
    with (tmp_path / "audit.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"at": "cut')
    assert read_audit_log(tmp_path, tenant=None, rows_max=10_000) == rows
