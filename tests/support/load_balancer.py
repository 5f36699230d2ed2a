"""Balance connections among services that are ready, as a load balancer does that knows nothing of HTTP."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable

import httpx

from tests.support.polling import reached
from tests.support.tcp_proxy import TcpProxy


class LoadBalancer(TcpProxy):
    """Forwards each connection to the next of the `ports` whose `/ready` answers 200, asked ten times a second."""

    def __init__(self, ports: Iterable[int]) -> None:
        super().__init__()
        self.ports = set(ports)
        self.ready: list[int] = []

    async def check(self) -> None:
        """Ask all services until cancelled."""
        async with httpx.AsyncClient(timeout=2.0) as client:

            async def is_ready(port: int) -> bool:
                with contextlib.suppress(httpx.HTTPError):
                    return (await client.get(f"http://127.0.0.1:{port}/ready")).status_code == 200
                return False

            while True:
                ports = sorted(self.ports)
                ready = await asyncio.gather(*map(is_ready, ports))
                # In the order of their last use.
                kept = [port for port in self.ready if port in self.ports]
                order = kept + [port for port in ports if port not in kept]
                self.ready = [port for port in order if ready[ports.index(port)]]
                await asyncio.sleep(0.1)

    def _next_target(self) -> int:
        if not self.ready:
            raise ConnectionRefusedError("no service is ready")
        self.ready.append(self.ready.pop(0))
        return self.ready[-1]


@contextlib.asynccontextmanager
async def load_balancer(ports: Iterable[int]) -> AsyncIterator[LoadBalancer]:
    """Balance among these ports inside the block; `port` is the balancer's own."""
    balancer = LoadBalancer(ports)
    checking = asyncio.create_task(balancer.check())
    try:
        await reached(lambda: len(balancer.ready) == len(balancer.ports))
        await balancer.mend(0)
        yield balancer
    finally:
        checking.cancel()
        await asyncio.gather(checking, return_exceptions=True)
        await balancer.cut()
