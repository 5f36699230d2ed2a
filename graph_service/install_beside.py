"""What a sound installation needs beside itself: one clock, a database of its version, Redis, nothing left undone."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from graph_service.check import Check
from graph_service.graph.look import clock_apart_s, looking, written_by_newer
from graph_service.local_neo4j import KnownServer
from graph_service.memory.standing import work_standing
from graph_service.service_record import running_service
from graph_service.settings import Settings
from graph_service.spool_file import open_spool
from schema.errors import MnemographError

# Further apart, what was said seems to have been said in another order than it was.
_CLOCKS_APART_MAX_S: Final = 2.0
_ANSWER_MAX_S: Final = 8.0


async def examine_database(settings: Settings, server: KnownServer) -> list[Check]:
    """The database that answers: its clock, the version of its data, work that was given up."""
    database = settings.neo4j.database
    try:
        async with looking(uri=server.uri, user=server.user, password=server.password, database=database) as graph:
            apart_s, newer = await clock_apart_s(graph), await written_by_newer(graph)
            standing = await work_standing(graph, now=datetime.now(UTC))
    except MnemographError as error:
        return [Check(name="database", ok=False, finding=error.message, mend="see above")]
    given_up = sum(jobs for (_, state), jobs in standing.jobs.items() if state == "dead")
    left = sum(standing.jobs.values()) - given_up
    checks = [_clock(apart_s), _data_version(newer), _work(left, given_up)]
    return [*checks, _plans()] if settings.neo4j.uri is not None else checks


def _clock(apart_s: float) -> Check:
    if abs(apart_s) <= _CLOCKS_APART_MAX_S:
        return Check(name="clock", ok=True, finding=f"{abs(apart_s):.1f} s apart from Neo4j's")
    way = "ahead of" if apart_s > 0 else "behind"
    mend = "have both machines set their clocks by the network (NTP): times of messages and leases lean on them"
    return Check(name="clock", ok=False, finding=f"Neo4j's is {abs(apart_s):.0f} s {way} this machine's", mend=mend)


def _data_version(newer: list[str]) -> Check:
    if not newer:
        return Check(name="data version", ok=True, finding="known to this version")
    mend = "install the version that wrote it or a newer one, or restore a backup from before its upgrade"
    return Check(name="data version", ok=False, finding=f"written by a newer Mnemograph ({newer[-1]})", mend=mend)


def _work(left: int, given_up: int) -> Check:
    if given_up:
        mend = "`mnemograph jobs` tells why, for each tenant; `mnemograph jobs retry` does it again"
        return Check(name="work", ok=False, finding=f"{given_up} pieces were given up, {left} wait", mend=mend)
    return Check(name="work", ok=True, finding=f"{left} pieces wait, none was given up")


def _plans() -> Check:
    finding = (
        "cannot be asked for: that server should have internal.cypher.use_parameter_size=false in neo4j.conf, or it"
        " plans statements anew for every length of a text"
    )
    return Check(name="Neo4j's plans", ok=None, finding=finding)


async def examine_service(settings: Settings) -> list[Check]:
    """Return how the running service of this data directory says it does; nothing when none runs."""
    address = await asyncio.to_thread(running_service, settings)
    if address is None:
        return []
    import httpx

    key = settings.mcp.api_key
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with httpx.AsyncClient(timeout=_ANSWER_MAX_S, trust_env=False, headers=headers) as client:
            told = (await client.get(f"{address}/ready")).json()
    except (httpx.HTTPError, ValueError) as error:
        mend = "look at its log; it may be stopping, or busy for longer than it should be"
        return [
            Check(name="service", ok=False, finding=f"{address} gives no answer: {type(error).__name__}", mend=mend)
        ]
    return service_checks(address, told)


def service_checks(address: str, told: Mapping[str, Any]) -> list[Check]:
    """Return what `/ready` of a running service means."""
    checks = []
    if not told.get("ready"):
        finding = (
            f"{address} is not ready: Neo4j is {told.get('neo4j', 'away')} {told.get('neo4j_problem') or ''}".rstrip()
        )
        mend = "the service starts its own Neo4j again by itself when there is room on the disk; otherwise start Neo4j"
        checks.append(Check(name="service", ok=False, finding=finding, mend=mend))
    elif "loops" not in told:
        finding = f"{address} is ready; how its parts do it tells only to who has a key (mcp.api_key)"
        checks.append(Check(name="service", ok=True, finding=finding))
    else:
        checks.append(Check(name="service", ok=True, finding=f"{address} is ready"))
    for name, loop in told.get("loops", {}).items():
        if loop["state"] == "failing":
            last = loop["last_failure"] or {}
            finding = (
                f"{name} fails since {loop['since']}: {last.get('code')} ({last.get('error')}) in {last.get('where')}"
            )
            mend = (
                f"it is started again by itself ({loop['restarts']} times so far); the log says more, look for its code"
            )
            checks.append(Check(name="background work", ok=False, finding=finding, mend=mend))
    if told.get("audit_problem"):
        mend = "free some space in the data directory; what was done meanwhile stands in the graph, but in no audit log"
        checks.append(Check(name="audit log", ok=False, finding=str(told["audit_problem"]), mend=mend))
    return checks


async def examine_redis(settings: Settings) -> Check:
    """Whether the Redis that was given answers."""
    url = settings.redis.url
    if url is None:
        return Check(name="Redis", ok=None, finding="none; each process keeps the last turns by itself")
    from graph_service.memory.redis_turns import RedisRules, RedisTurns

    redis = RedisTurns(url, RedisRules(timeout_s=max(settings.redis.timeout_s, 1.0)))
    try:
        await redis.answers()
    except MnemographError as error:
        mend = "start it, or correct REDIS_URL, or unset it; until then each process keeps the last turns by itself"
        return Check(name="Redis", ok=False, finding=error.message, mend=mend)
    finally:
        await redis.close()
    return Check(name="Redis", ok=True, finding="answers")


async def examine_spool(settings: Settings) -> Check:
    """What waits on this machine's disk."""
    spool = open_spool(settings)
    try:
        depth, paused = await spool.depth(), await spool.paused()
    except MnemographError as error:
        return Check(name="spool", ok=False, finding=error.message, mend="see to the disk and the rights of the file")
    finally:
        await spool.close()
    if depth.refused:
        mend = "`mnemograph spool list` tells why; `mnemograph spool retry` or `mnemograph spool drop`"
        return Check(name="spool", ok=False, finding=f"Neo4j refused {depth.refused} episodes", mend=mend)
    if paused:
        mend = "`mnemograph spool resume` lets what waits go to Neo4j"
        return Check(name="spool", ok=False, finding=f"paused; {depth.waiting} episodes wait", mend=mend)
    return Check(name="spool", ok=True, finding=f"{depth.waiting} episodes wait for Neo4j")
