"""Structured logging to stderr, without texts of conversations and without secrets."""

import json
import logging
import sys
import traceback
from collections.abc import Iterable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final

from graph_service.config.sections import LogSettings
from graph_service.observability.terminal_text import shown, shown_json
from schema.errors import MnemosceneError
from schema.failure import first_of

OUR_LOGGERS: Final = ("mnemoscene", "graph_service", "extraction")
REQUEST_ID: Final[ContextVar[str | None]] = ContextVar("request_id", default=None)
# Shorter secrets are parts of ordinary words: masking them would garble every line.
_SECRET_CHARS_MIN: Final = 8
# Extra fields of our log calls. Tenant ids are chosen by operators.
_MORE: Final = ("tenant", "job", "loop", "code", "error", "where", "interface", "status", "ms")


class PlainFormatter(logging.Formatter):
    """Format an event as one line, as JSON or for people.

    Exceptions of other libraries may quote conversations, so their class and last stack frames are written, but not
    their message; our own errors are written with it. A log message of another library is written only if its arguments
    are numbers and error classes, otherwise only its file and line.
    """

    def __init__(self, *, as_json: bool, secrets: Iterable[str]) -> None:
        super().__init__()
        self._as_json = as_json
        self._secrets = tuple(secret for secret in secrets if len(secret) >= _SECRET_CHARS_MIN)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without a newline."""
        row: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": _event(record),
        }
        if (request_id := REQUEST_ID.get()) is not None:
            row["request"] = request_id
        row |= {name: getattr(record, name) for name in _MORE if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            row |= _described(record.exc_info[1])
        line = shown_json(json.dumps(row, ensure_ascii=False, default=str)) if self._as_json else _for_people(row)
        for secret in self._secrets:
            line = line.replace(secret, "***")
        return line


def configure_logging(settings: LogSettings, *, secrets: Iterable[str | None] = ()) -> None:
    """Send all loggers to stderr: ours from the configured level, others from WARNING.

    Args:
        secrets: values to mask in every line; those shorter than eight characters are not.
    """
    handler = logging.StreamHandler(sys.stderr)
    known = [secret for secret in secrets if secret]
    as_json = settings.format == "json" or (settings.format == "auto" and not sys.stderr.isatty())
    handler.setFormatter(PlainFormatter(as_json=as_json, secrets=known))
    # Without a root handler Python prints warnings of libraries unformatted, with what they quote.
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    for name in OUR_LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(settings.level.upper())
        logger.propagate = False
    # The driver logs a warning for each retried transaction and quotes the server.
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    # Strawberry logs every client error with the query; our API logs unexpected errors.
    logging.getLogger("strawberry").setLevel(logging.CRITICAL)
    # The MCP SDK's messages may quote a client's input; our API logs failures.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)


def _event(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in OUR_LOGGERS:
        return record.getMessage()
    place = f"a library logs at {record.filename}:{record.lineno}"
    values = record.args if isinstance(record.args, tuple) else ()
    plain = [_plain(value) for value in values]
    # A message without arguments may have been formatted from user input.
    if not plain or None in plain or not isinstance(record.msg, str):
        kinds = [type(value).__name__ for value in values if isinstance(value, BaseException)]
        return place + (f" ({', '.join(kinds)})" if kinds else "")
    try:
        return f"{place}: {record.msg % tuple(plain)}"
    except (TypeError, ValueError):
        return place


def _plain(value: object) -> int | float | str | None:
    """Return a log argument if it cannot contain user text, an exception as its class; None for any other."""
    match value:
        case bool() | int() | float():
            return value
        case BaseException():
            return type(value).__name__
        case type():
            return value.__name__
        case _:
            return None


def _described(error: BaseException) -> dict[str, str]:
    error = first_of(error)
    row = {"error": type(error).__name__}
    if isinstance(error, MnemosceneError):
        row |= {"code": error.code, "reason": error.message}
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    row["where"] = " < ".join(f"{frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in frames)
    return row


def _for_people(row: dict[str, object]) -> str:
    more = " ".join(f"{name}={value}" for name, value in row.items() if name not in ("at", "level", "from", "event"))
    line = f"{row['level']}: {row['event']}" + (f" ({more})" if more else "")
    # Text from outside must not be able to forge log lines.
    return shown(line.replace("\r", "\\r").replace("\n", "\\n"))
