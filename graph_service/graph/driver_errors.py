"""Find the place of every error of the Neo4j driver and server in our own error tree (pure).

What the server itself cannot do (a full disk, a failed commit, no memory, a restart) is `UnavailableError`: it may work
later, `remember` keeps the message on disk meanwhile, and nothing is lost. Only a statement that the server refuses for
what it says is a mistake of ours. The server's own words are never repeated: they may quote parameters.

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

from schema.errors import MnemographError, UnavailableError


class ErrorKind(StrEnum):
    """What an error means for the call that met it, and for those after it.

    Attributes:
        BUSY: the server answers and asks to try the same again (a deadlock, no memory left in a pool).
        STOPPED: the server ended this one statement or will not run it now; others may go through.
        REFUSED: the statement itself is wrong: a mistake of ours.
        LOST: the connection or the server is gone; a new connection may find it again.
        UNSURE: lost after the commit was sent, or silent: whether it was committed is unknown.
        BROKEN: the server answers, and the database cannot work: its disk is full, its log failed, it has stopped.
        DENIED: the server does not let us in any more.
    """

    BUSY = "busy"
    STOPPED = "stopped"
    REFUSED = "refused"
    LOST = "lost"
    UNSURE = "unsure"
    BROKEN = "broken"
    DENIED = "denied"


# After these everybody meets the same: calls fail at once until the server was asked again.
AWAY: Final = frozenset({ErrorKind.LOST, ErrorKind.UNSURE, ErrorKind.BROKEN, ErrorKind.DENIED})

# The longest that fits counts. What stands under Neo.DatabaseError is about the whole database, but for what one
# statement runs into: nobody's odd statement may close the database to all others.
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
    # A node that another transaction removes while it is read.
    "Neo.ClientError.Statement.EntityNotFound": ErrorKind.BUSY,
    "Neo.ClientError.Transaction.": ErrorKind.STOPPED,
}
# For servers that send no code this version of the driver knows: classes of GQLSTATUS.
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
    ErrorKind.BUSY: "Neo4j is busy ({why}); try again in a moment",
    ErrorKind.STOPPED: "Neo4j stopped a statement ({why}); try again in a moment",
    ErrorKind.BROKEN: "Neo4j answers but its database does not work ({why}); it is tried again by itself. See whether"
    " the disk of the database is full: `mnemograph doctor`",
    ErrorKind.DENIED: "Neo4j does not let the service in ({why}): set NEO4J_USER and NEO4J_PASSWORD to what it expects",
}
_GONE: Final = (
    "Neo4j does not answer ({why}); it is tried again by itself. Check that the server runs: `mnemograph doctor`"
)


def kind_of(error: BaseException) -> ErrorKind | None:
    """Return what an error of the driver, the server or the connection means; None for any other error."""
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
            # Errors of the driver's inside that it lets through; a mistake in our own steps is not among them.
            return ErrorKind.LOST if type(error).__module__.partition(".")[0] == "neo4j" else None


def classify(error: BaseException) -> MnemographError:
    """Return the error of ours that stands for an error of the driver, the server or the connection."""
    if isinstance(error, MnemographError):
        return error
    kind, why = kind_of(error), why_of(error)
    if kind is None:
        return MnemographError(f"the database could not be used ({why}); this is a bug, please report it")
    if kind is ErrorKind.REFUSED:
        return MnemographError(f"Neo4j refused a statement of ours ({why}); this is a bug, please report it")
    return UnavailableError(_MESSAGES.get(kind, _GONE).format(why=why))


def away(why: str, retry_after_s: float | None = None) -> UnavailableError:
    """Return the error for a server that does not answer."""
    return UnavailableError(_GONE.format(why=why), retry_after_s)


def why_of(error: BaseException) -> str:
    """Return the stable code of the server, or the class of the error; never its message."""
    if isinstance(error, Neo4jError) and not isinstance(error, AuthError):
        return str(error.code or type(error).__name__)
    return type(error).__name__


def _kind_of_code(error: Neo4jError) -> ErrorKind:
    code = error.code or ""
    fitting = [prefix for prefix in _CODES if code.startswith(prefix)]
    if fitting:
        return _CODES[max(fitting, key=len)]
    return _GQL_CLASSES.get((error.gql_status or "")[:2], ErrorKind.STOPPED)
