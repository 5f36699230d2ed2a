"""Test that logs contain no message texts and no secrets."""

import io
import json
import logging

import pytest

from graph_service.observability.structured_log import OUR_LOGGERS, PlainFormatter
from schema.errors import UnavailableError


@pytest.fixture
def logged() -> tuple[logging.Logger, io.StringIO]:
    """Return a logger and the stream it writes to."""
    logger, text = logging.Logger("graph_service.memory.worker.worker"), io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(PlainFormatter(as_json=True, secrets=["hush-hush"]))
    logger.addHandler(handler)
    return logger, text


def test_error_is_logged_by_class_and_place_only(logged: tuple[logging.Logger, io.StringIO]) -> None:
    logger, text = logged
    try:
        raise ValueError("Ana said: 我对花生过敏")
    except ValueError:
        logger.exception("work failed")
    row = json.loads(text.getvalue())
    assert (row["event"], row["error"], row["level"]) == ("work failed", "ValueError", "error")
    assert "test_log.py" in row["where"]
    assert "花生" not in text.getvalue()


def test_own_errors_are_logged_with_their_advice(logged: tuple[logging.Logger, io.StringIO]) -> None:
    logger, text = logged
    logger.error("work failed", exc_info=UnavailableError("Neo4j does not answer; start it"))
    assert json.loads(text.getvalue())["reason"] == "Neo4j does not answer; start it"


def test_single_error_in_a_group_is_logged_by_itself(logged: tuple[logging.Logger, io.StringIO]) -> None:
    logger, text = logged
    logger.error("work failed", exc_info=ExceptionGroup("tasks", [KeyError("x")]))
    assert json.loads(text.getvalue())["error"] == "KeyError"


def test_secrets_are_masked(logged: tuple[logging.Logger, io.StringIO]) -> None:
    logger, text = logged
    logger.warning("refused for %s", "bolt://neo4j:hush-hush@db")
    assert "hush-hush" not in text.getvalue()
    assert "***" in text.getvalue()


def test_library_messages_are_logged_without_their_texts(logged: tuple[logging.Logger, io.StringIO]) -> None:
    logger, text = logged
    logger.name = "uvicorn.error"
    logger.error("cannot send %s to %d", "我对花生过敏", 7)
    logger.error("Ana said: 我对花生过敏")
    logger.error("[#%04X] _: <CONNECTION> error: %s: %r", 7687, "我对花生过敏", OSError("我对花生过敏"))
    logger.error("[#%04X] _: <CONNECTION> error: %r after %.1f s", 7687, OSError("我对花生过敏"), 2.5)
    logger.error("wants %d", "我对花生过敏")
    logger.error("%d of %d", 1)  # noqa: PLE1206
    events = [json.loads(line)["event"] for line in text.getvalue().splitlines()]
    assert all("test_log.py" in event for event in events)
    assert events[2].endswith("(OSError)")
    assert events[3].endswith(": [#1E07] _: <CONNECTION> error: 'OSError' after 2.5 s")
    assert not any("%" in event for event in events)
    assert "花生" not in text.getvalue()


def test_message_cannot_forge_log_lines() -> None:
    record = logging.LogRecord("mnemoscene.x", logging.WARNING, "x.py", 1, "odd name: %s", ("a\nerror: b",), None)
    assert PlainFormatter(as_json=False, secrets=[]).format(record) == "warning: odd name: a\\nerror: b"


def test_all_packages_that_log_are_configured() -> None:
    assert {"graph_service", "extraction"} <= set(OUR_LOGGERS)


def test_a_short_secret_does_not_garble_the_log() -> None:
    record = logging.LogRecord("mnemoscene", logging.INFO, __file__, 1, "extracted a scene", (), None)
    assert PlainFormatter(as_json=False, secrets=["x", "extract"]).format(record) == "info: extracted a scene"
    assert PlainFormatter(as_json=False, secrets=["extracted"]).format(record) == "info: *** a scene"
