"""Register the address of the running service in its data directory, for other processes on this machine."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import asdict
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from extraction.verified_files import write_private
from graph_service.config.settings import Settings
from graph_service.graph.local_neo4j.owner import ProcessMark
from schema.errors import InstallError

_NAME: Final = "service.json"


@contextlib.contextmanager
def recorded(settings: Settings, address: str) -> Iterator[None]:
    """Register the service of this process within the block; a later registration replaces an earlier one.

    Args:
        address: `http://host:port`.

    Raises:
        InstallError: the data directory cannot be written.
    """
    file, mine = settings.data_dir / _NAME, ProcessMark.of(os.getpid())
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(file, json.dumps({"process": asdict(mine), "address": address, "neo4j": settings.neo4j.uri}))
    except OSError as error:
        raise InstallError(
            f"the data directory {str(settings.data_dir)!r} cannot be used: {error.strerror}; make it writable, free"
            " some space, or name another directory"
        ) from error
    try:
        yield
    finally:
        if _read(settings) == (mine, address, settings.neo4j.uri):
            file.unlink(missing_ok=True)


def running_service(settings: Settings) -> str | None:
    """Return the address of the running service of this data directory and database; None if there is none."""
    found = _read(settings)
    if found is None:
        return None
    process, address, neo4j = found
    if neo4j != settings.neo4j.uri or process.process() is None or not _of_this_machine(address):
        return None
    return address


def _of_this_machine(address: str) -> bool:
    """Return True if the address is local; otherwise a record in a copied directory could send keys to another host."""
    try:
        parts = urlsplit(address)
        host = ip_address(parts.hostname or "")
        with socket.socket(socket.AF_INET6 if host.version == 6 else socket.AF_INET) as own:
            # Only addresses of this machine can be bound.
            own.bind((str(host), 0))
    except (OSError, ValueError):
        return False
    return parts.scheme == "http" and parts.username is None


def _read(settings: Settings) -> tuple[ProcessMark, str, str | None] | None:
    try:
        record = json.loads((settings.data_dir / _NAME).read_text(encoding="utf-8"))
        return ProcessMark(**record["process"]), str(record["address"]), record["neo4j"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
