"""A process that forgets and kills itself (kill -9) at one named point. Run by test_forgetting_crash.py."""

import asyncio
import os
import signal
import sys

from graph_service.graph.database import connect
from graph_service.graph.statements import Statement
from schema.ids import TenantId
from tests.support.builders import a_job_context, a_memory, a_worker


def _die_at(wanted: str, reached: str) -> None:
    if wanted == reached:
        os.kill(os.getpid(), signal.SIGKILL)


async def _main(uri: str, user: str, password: str, tenant: str, point: str, kind: str, name: str) -> None:
    graph = await connect(uri=uri, user=user, password=password, database=None)

    def sent(statement: Statement) -> None:
        _die_at(point, statement.name)

    graph.observer = sent
    forgetting = a_memory(graph).forgetting
    await (forgetting.user if kind == "user" else forgetting.message)(TenantId(tenant), name)
    await a_worker(graph, job_context=a_job_context(on_step=lambda step: _die_at(point, step))).drain()
    await graph.close()


asyncio.run(_main(*sys.argv[1:]))
