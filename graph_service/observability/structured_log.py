"""Structured logging to stderr: what happened and where, never what people said and never a secret."""

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
from schema.errors import MnemographError
from schema.failure import first_of

OUR_LOGGERS: Final = ("mnemograph", "graph_service", "extraction")
REQUEST_ID: Final[ContextVar[str | None]] = ContextVar("request_id", default=None)
# What our own calls may add to a line. Ids of tenants are names that operators gave, not what people said.
_MORE: Final = ("tenant", "work", "loop", "code", "error", "where", "door", "status", "ms")


class PlainFormatter(logging.Formatter):
    """One line an event, as JSON or for people.

    An error's message may quote a conversation, so only messages of our own errors, which are written for that,
    are kept; of all others the class and the places they passed through. What another library logs is told with its
    values when these are only numbers and classes of errors; otherwise not at all, but for the place where it stands:
    any text in it may have been said by somebody, and a pattern without its values helps nobody.
    """

    def __init__(self, *, as_json: bool, secrets: Iterable[str]) -> None:
        super().__init__()
        self._as_json = as_json
        self._secrets = tuple(secret for secret in secrets if secret)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without a line end."""
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


def configure_logging(wanted: LogSettings, *, secrets: Iterable[str | None] = ()) -> None:
    """Send every logger of the process to stderr: ours from the wanted level on, others' warnings.

    Args:
        secrets: values that are replaced wherever they would show up.
    """
    handler = logging.StreamHandler(sys.stderr)
    known = [secret for secret in secrets if secret]
    as_json = wanted.format == "json" or (wanted.format == "auto" and not sys.stderr.isatty())
    handler.setFormatter(PlainFormatter(as_json=as_json, secrets=known))
    # Without a handler of its own a library's warning would be printed as it is, with all that an error quotes.
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    for name in OUR_LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(wanted.level.upper())
        logger.propagate = False
    # The driver warns of each transaction that it repeats, which is its daily work, and quotes the server.
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    # It logs every mistake of a client, with the query; what nobody foresaw is told by our door.
    logging.getLogger("strawberry").setLevel(logging.CRITICAL)
    # The protocol's own words may quote what a client sent; what fails is told by our door.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)


def _event(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in OUR_LOGGERS:
        return record.getMessage()
    place = f"a library logs at {record.filename}:{record.lineno}"
    values = record.args if isinstance(record.args, tuple) else ()
    plain = [_plain(value) for value in values]
    # A message without values may have been put together from them.
    if not plain or None in plain or not isinstance(record.msg, str):
        kinds = [type(value).__name__ for value in values if isinstance(value, BaseException)]
        return place + (f" ({', '.join(kinds)})" if kinds else "")
    try:
        return f"{place}: {record.msg % tuple(plain)}"
    except (TypeError, ValueError):
        return place


def _plain(value: object) -> int | float | str | None:
    """Return a value that no caller chose, as it may be logged; None for any other."""
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
    if isinstance(error, MnemographError):
        row |= {"code": error.code, "why": error.message}
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    row["where"] = " < ".join(f"{frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in frames)
    return row


def _for_people(row: dict[str, object]) -> str:
    more = " ".join(f"{name}={value}" for name, value in row.items() if name not in ("at", "level", "from", "event"))
    line = f"{row['level']}: {row['event']}" + (f" ({more})" if more else "")
    # What came from outside must not look like lines of ours.
    return shown(line.replace("\r", "\\r").replace("\n", "\\n"))
