"""Switches tracing on for as long as a command runs, when a collector is named."""

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator
from typing import Final

from graph_service.settings import Settings
from schema.errors import InstallError

_MISSING: Final = (
    "traces.endpoint is set, but OpenTelemetry is not installed: `pip install 'mnemograph[otel]'`, or unset"
    " MNEMOGRAPH_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT"
)


@contextlib.asynccontextmanager
async def traced(settings: Settings) -> AsyncIterator[None]:
    """Traces what happens inside the block; without a collector it loads nothing.

    Raises:
        InstallError: a collector is named, and the extra `otel` is not installed.
    """
    if settings.traces.endpoint is None:
        yield
        return
    try:
        module = await asyncio.to_thread(importlib.import_module, "graph_service.tracing")
    except ImportError as error:
        raise InstallError(_MISSING) from error
    stop = module.start_tracing(settings.traces)
    try:
        yield
    finally:
        await asyncio.to_thread(stop)
