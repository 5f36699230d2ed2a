"""Map errors of the Neo4j driver and server to our own errors (pure).

Problems of the server (a full disk, a failed commit, no memory, a restart) become `UnavailableError`: a retry may work,
and `remember` writes to the spool meanwhile. Only a statement refused for its content is a bug of ours. Messages of the
server are not passed on, because they may quote parameters.

Codes: https://neo4j.com/docs/status-codes/current/errors/ (Neo4j codes and GQLSTATUS).
"""

from enum import StrEnum
from typing import Final

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    Forbidden,
    ForbiddenOnReadOnlyDatabase,
    GqlError,
    IncompleteCommit,
    Neo4jError,
    NotALeader,
)

from schema.errors import MnemosceneError, UnavailableError


class ErrorKind(StrEnum):
    """Class of an error, which determines retries and the circuit breaker.

    Attributes:
        BUSY: the server asks for a retry (a deadlock, a memory pool is full).
        STOPPED: the server ended or refuses this statement; others may succeed.
        REFUSED: the statement is wrong: a bug of ours.
        LOST: the connection or the server is gone; a new connection may succeed.
        UNSURE: lost after the commit was sent, or timed out: the commit may have happened.
        BROKEN: the server answers, but the database does not work: its disk is full, its log failed, it has stopped.
        DENIED: the server rejects our credentials.
    """

    BUSY = "busy"
    STOPPED = "stopped"
    REFUSED = "refused"
    LOST = "lost"
    UNSURE = "unsure"
    BROKEN = "broken"
    DENIED = "denied"


# Errors that affect all calls; they open the circuit breaker.
AWAY: Final = frozenset({ErrorKind.LOST, ErrorKind.UNSURE, ErrorKind.BROKEN, ErrorKind.DENIED})

# The longest matching prefix wins. Neo.DatabaseError concerns the whole database, except for the codes that a single
# statement can cause: one odd statement must not open the breaker for all.
_CODES: Final = {
    "Neo.TransientError.": ErrorKind.BUSY,
    "Neo.TransientError.Cluster.": ErrorKind.LOST,
    "Neo.TransientError.Database.": ErrorKind.BROKEN,
    "Neo.TransientError.General.DatabaseUnavailable": ErrorKind.BROKEN,
    "Neo.TransientError.General.StackOverFlowError": ErrorKind.STOPPED,
    "Neo.TransientError.Statement.": ErrorKind.STOPPED,
    "Neo.DatabaseError.": ErrorKind.BROKEN,
    "Neo.DatabaseError.Fabric.": ErrorKind.STOPPED,
    "Neo.DatabaseError.General.IndexCorruptionDetected": ErrorKind.STOPPED,
    "Neo.DatabaseError.General.UnknownError": ErrorKind.STOPPED,
    "Neo.DatabaseError.Procedure.": ErrorKind.STOPPED,
    "Neo.DatabaseError.Schema.": ErrorKind.STOPPED,
    "Neo.DatabaseError.Statement.": ErrorKind.STOPPED,
    "Neo.ClientError.": ErrorKind.REFUSED,
    "Neo.ClientError.Cluster.": ErrorKind.LOST,
    "Neo.ClientError.Database.": ErrorKind.BROKEN,
    "Neo.ClientError.General.": ErrorKind.STOPPED,
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase": ErrorKind.STOPPED,
    "Neo.ClientError.Security.": ErrorKind.DENIED,
    "Neo.ClientError.Security.AuthorizationExpired": ErrorKind.BUSY,
    "Neo.ClientError.Security.Forbidden": ErrorKind.STOPPED,
    # A node was deleted by another transaction while it was read.
    "Neo.ClientError.Statement.EntityNotFound": ErrorKind.BUSY,
    "Neo.ClientError.Transaction.": ErrorKind.STOPPED,
}
# Also from a procedure: `setNodeVectorProperty` of a message that another transaction deletes.
_OF_PROCEDURE: Final = "Neo.ClientError.Procedure.ProcedureCallFailed"
_DELETED: Final = "EntityNotFoundException"
# GQLSTATUS classes, for servers whose codes this version of the driver does not know.
_GQL_CLASSES: Final = {
    "08": ErrorKind.LOST,
    "22": ErrorKind.REFUSED,
    "25": ErrorKind.STOPPED,
    "2D": ErrorKind.BROKEN,
    "40": ErrorKind.BUSY,
    "42": ErrorKind.REFUSED,
    "50": ErrorKind.STOPPED,
    "51": ErrorKind.BROKEN,
    "52": ErrorKind.STOPPED,
    "53": ErrorKind.STOPPED,
    "G1": ErrorKind.REFUSED,
}
_MESSAGES: Final = {
    ErrorKind.BUSY: "Neo4j is busy ({code}); try again in a moment",
    ErrorKind.STOPPED: "Neo4j stopped a statement ({code}); try again in a moment",
    ErrorKind.BROKEN: "Neo4j answers but its database does not work ({code}); the service retries by itself. Check"
    " whether the disk of the database is full: `mnemoscene doctor`",
    ErrorKind.DENIED: "Neo4j rejects the service's credentials ({code}): set NEO4J_USER and NEO4J_PASSWORD to what"
    " it expects",
}
_UNAVAILABLE: Final = (
    "Neo4j does not answer ({code}); the service retries by itself. Check that the server runs: `mnemoscene doctor`"
)


def kind_of(error: BaseException) -> ErrorKind | None:
    """Return the kind of an error of the driver, the server or the connection; None for any other error."""
    match error:
        case IncompleteCommit() | TimeoutError():
            return ErrorKind.UNSURE
        case ConfigurationError():
            return ErrorKind.DENIED
        case ForbiddenOnReadOnlyDatabase() | Forbidden():
            return ErrorKind.STOPPED
        case NotALeader():
            return ErrorKind.LOST
        case Neo4jError():
            return _kind_of_code(error)
        case GqlError() | OSError():
            return ErrorKind.LOST
        case _:
            # Internal errors of the driver; errors of our own code have other modules.
            return ErrorKind.LOST if type(error).__module__.partition(".")[0] == "neo4j" else None


def classify(error: BaseException) -> MnemosceneError:
    """Return our error for an error of the driver, the server or the connection."""
    if isinstance(error, MnemosceneError):
        return error
    kind, code = kind_of(error), error_code(error)
    if kind is None:
        return MnemosceneError(f"the database could not be used ({code}); this is a bug, please report it")
    if kind is ErrorKind.REFUSED:
        return MnemosceneError(f"Neo4j rejected a statement of Mnemoscene ({code}); this is a bug, please report it")
    return UnavailableError(_MESSAGES.get(kind, _UNAVAILABLE).format(code=code))


def away(code: str, retry_after_s: float | None = None) -> UnavailableError:
    return UnavailableError(_UNAVAILABLE.format(code=code), retry_after_s)


def error_code(error: BaseException) -> str:
    """Return the server's error code, or the class name; never the message."""
    if isinstance(error, Neo4jError) and not isinstance(error, AuthError):
        return str(error.code or type(error).__name__)
    return type(error).__name__


def _kind_of_code(error: Neo4jError) -> ErrorKind:
    code = error.code or ""
    if code == _OF_PROCEDURE and _DELETED in (error.message or ""):
        return ErrorKind.BUSY
    matching = [prefix for prefix in _CODES if code.startswith(prefix)]
    if matching:
        return _CODES[max(matching, key=len)]
    return _GQL_CLASSES.get((error.gql_status or "")[:2], ErrorKind.STOPPED)
