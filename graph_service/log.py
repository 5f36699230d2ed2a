"""Structured logging to stderr: what happened and where, never what people said and never a secret."""

import json
import logging
import sys
import traceback
from collections.abc import Iterable
from datetime import UTC, datetime

from schema.errors import MnemographError

OUR_LOGGERS = ("mnemograph", "graph_service", "extraction")


class PlainFormatter(logging.Formatter):
    """One line an event, as JSON or for people.

    An error's message may quote a conversation, so only messages of our own errors, which are written for that,
    are kept; of all others the class and the places they passed through.
    """

    def __init__(self, *, as_json: bool, secrets: Iterable[str]) -> None:
        super().__init__()
        self._as_json = as_json
        self._secrets = tuple(secret for secret in secrets if secret)

    def format(self, record: logging.LogRecord) -> str:
        """The line, without a line end."""
        row = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
        }
        if record.exc_info and record.exc_info[1] is not None:
            row |= _described(record.exc_info[1])
        line = json.dumps(row, ensure_ascii=False) if self._as_json else _for_people(row)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line


def configure_logging(*, secrets: Iterable[str | None] = (), verbose: bool = False) -> None:
    """Sends our loggers to stderr; JSON unless a person watches.

    Args:
        secrets: values that are replaced wherever they would show up.
    """
    handler = logging.StreamHandler(sys.stderr)
    known = [secret for secret in secrets if secret]
    handler.setFormatter(PlainFormatter(as_json=not sys.stderr.isatty(), secrets=known))
    for name in OUR_LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO if verbose else logging.WARNING)
        logger.propagate = False
    # The driver warns of each transaction that it repeats, which is its daily work, and quotes the server.
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    # The protocol's own words may quote what a client sent; what fails is told by our door.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)


def _described(error: BaseException) -> dict[str, str]:
    if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        return _described(error.exceptions[0])
    row = {"error": type(error).__name__}
    if isinstance(error, MnemographError):
        row["why"] = error.message
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    row["where"] = " < ".join(f"{frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in frames)
    return row


def _for_people(row: dict[str, str]) -> str:
    more = " ".join(f"{name}={value}" for name, value in row.items() if name not in ("at", "level", "from", "event"))
    return f"{row['level']}: {row['event']}" + (f" ({more})" if more else "")
