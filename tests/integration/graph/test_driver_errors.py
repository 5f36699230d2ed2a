"""Test that every error of the driver and the server maps to our error tree."""

import ssl
from pathlib import Path

import pytest
from neo4j import exceptions
from neo4j.exceptions import GqlError, Neo4jError

from graph_service.graph.driver_errors import AWAY, ErrorKind, classify, kind_of
from graph_service.graph.store import Graph, Writing
from graph_service.memory.ingest.spool import Spool
from schema.errors import ConflictError, InputError, MnemosceneError, UnavailableError
from schema.ids import TenantId
from tests.support.builders import a_memory, an_incoming

SAID = "我对花生过敏"

CODES = {
    "Neo.DatabaseError.Transaction.TransactionLogError": ErrorKind.BROKEN,
    "Neo.DatabaseError.Transaction.TransactionStartFailed": ErrorKind.BROKEN,
    "Neo.DatabaseError.Transaction.TransactionCommitFailed": ErrorKind.BROKEN,
    "Neo.DatabaseError.Transaction.TransactionRollbackFailed": ErrorKind.BROKEN,
    "Neo.DatabaseError.Transaction.LinkedTransactionError": ErrorKind.BROKEN,
    "Neo.DatabaseError.General.OutOfMemoryError": ErrorKind.BROKEN,
    "Neo.DatabaseError.General.StorageDamageDetected": ErrorKind.BROKEN,
    "Neo.DatabaseError.Database.UnableToStartDatabase": ErrorKind.BROKEN,
    "Neo.DatabaseError.Database.DatabaseLimitReached": ErrorKind.BROKEN,
    "Neo.DatabaseError.General.UnknownError": ErrorKind.STOPPED,
    "Neo.DatabaseError.General.IndexCorruptionDetected": ErrorKind.STOPPED,
    "Neo.DatabaseError.Statement.ExecutionFailed": ErrorKind.STOPPED,
    "Neo.DatabaseError.Statement.CodeGenerationFailed": ErrorKind.STOPPED,
    "Neo.DatabaseError.Statement.RemoteExecutionFailed": ErrorKind.STOPPED,
    "Neo.DatabaseError.Schema.TokenLimitReached": ErrorKind.STOPPED,
    "Neo.TransientError.Transaction.DeadlockDetected": ErrorKind.BUSY,
    "Neo.TransientError.Transaction.LockAcquisitionTimeout": ErrorKind.BUSY,
    "Neo.TransientError.Transaction.MaximumTransactionLimitReached": ErrorKind.BUSY,
    "Neo.TransientError.Transaction.Outdated": ErrorKind.BUSY,
    "Neo.TransientError.General.MemoryPoolOutOfMemoryError": ErrorKind.BUSY,
    "Neo.TransientError.General.OutOfMemoryError": ErrorKind.BUSY,
    "Neo.TransientError.General.StackOverFlowError": ErrorKind.STOPPED,
    "Neo.TransientError.General.DatabaseUnavailable": ErrorKind.BROKEN,
    "Neo.TransientError.Database.DatabaseUnavailable": ErrorKind.BROKEN,
    "Neo.TransientError.Request.NoThreadsAvailable": ErrorKind.BUSY,
    "Neo.TransientError.Cluster.ReplicationFailure": ErrorKind.LOST,
    "Neo.ClientError.Cluster.NotALeader": ErrorKind.LOST,
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase": ErrorKind.STOPPED,
    "Neo.ClientError.General.TransactionOutOfMemoryError": ErrorKind.STOPPED,
    "Neo.ClientError.Database.DatabaseNotFound": ErrorKind.BROKEN,
    "Neo.ClientError.Security.Unauthorized": ErrorKind.DENIED,
    "Neo.ClientError.Security.TokenExpired": ErrorKind.DENIED,
    "Neo.ClientError.Security.CredentialsExpired": ErrorKind.DENIED,
    "Neo.ClientError.Security.AuthenticationRateLimit": ErrorKind.DENIED,
    "Neo.ClientError.Security.Forbidden": ErrorKind.STOPPED,
    "Neo.ClientError.Security.AuthorizationExpired": ErrorKind.BUSY,
    "Neo.ClientError.Transaction.Terminated": ErrorKind.STOPPED,
    "Neo.TransientError.Transaction.Terminated": ErrorKind.STOPPED,
    "Neo.ClientError.Transaction.TransactionTimedOut": ErrorKind.STOPPED,
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration": ErrorKind.STOPPED,
    "Neo.ClientError.Transaction.LockClientStopped": ErrorKind.STOPPED,
    "Neo.ClientError.Statement.EntityNotFound": ErrorKind.BUSY,
    "Neo.ClientError.Statement.SyntaxError": ErrorKind.REFUSED,
    "Neo.ClientError.Statement.TypeError": ErrorKind.REFUSED,
    "Neo.ClientError.Statement.ParameterMissing": ErrorKind.REFUSED,
    "Neo.ClientError.Statement.AccessMode": ErrorKind.REFUSED,
    "Neo.ClientError.Schema.ConstraintValidationFailed": ErrorKind.REFUSED,
    "Neo.ClientError.Request.Invalid": ErrorKind.REFUSED,
    "Neo.Unheard.Of": ErrorKind.STOPPED,
    "nonsense": ErrorKind.STOPPED,
}
# Errors raised by the driver itself and by connections; server errors without a code are classified by their class.
RAISED = {
    "IncompleteCommit": ErrorKind.UNSURE,
    "ConfigurationError": ErrorKind.DENIED,
    "AuthConfigurationError": ErrorKind.DENIED,
    "CertificateConfigurationError": ErrorKind.DENIED,
    "UnsupportedServerProduct": ErrorKind.DENIED,
    "Forbidden": ErrorKind.STOPPED,
    "ForbiddenOnReadOnlyDatabase": ErrorKind.STOPPED,
}
LOST = {
    *("DriverError", "SessionError", "TransactionError", "TransactionNestingError", "ResultError", "ResultFailedError"),
    *("ResultConsumedError", "ResultNotSingleError", "BrokenRecordError", "SessionExpired", "ServiceUnavailable"),
    *("RoutingServiceUnavailable", "WriteServiceUnavailable", "ReadServiceUnavailable", "ConnectionPoolError"),
    *("ConnectionAcquisitionTimeoutError", "GqlError", "NotALeader"),
}
# Errors that the driver raises only for a code from the server.
BY_CODE = {
    *("Neo4jError", "ClientError", "CypherSyntaxError", "CypherTypeError", "ConstraintError", "AuthError"),
    *("TokenExpired", "DatabaseError", "TransientError", "DatabaseUnavailable"),
}


def test_element_that_a_procedure_no_longer_finds_is_a_reason_to_retry() -> None:
    code = "Neo.ClientError.Procedure.ProcedureCallFailed"
    gone = "Caused by: org.neo4j.internal.kernel.api.exceptions.EntityNotFoundException: Unable to load NODE 4:1."
    assert kind_of(Neo4jError._hydrate_neo4j(code=code, message=gone)) is ErrorKind.BUSY
    assert kind_of(told_by_server(code)) is ErrorKind.REFUSED


def told_by_server(code: str) -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message=f"cannot store {SAID}")


@pytest.mark.parametrize(("code", "kind"), CODES.items())
def test_kind_of_each_server_code(code: str, kind: ErrorKind) -> None:
    error = told_by_server(code)
    ours = classify(error)
    assert kind_of(error) is kind
    assert isinstance(ours, UnavailableError) == (kind is not ErrorKind.REFUSED)
    assert SAID not in ours.message


def test_kind_of_each_driver_exception() -> None:
    classes = {name for name in exceptions.__all__ if isinstance(getattr(exceptions, name), type)}
    assert {
        name for name in classes if issubclass(getattr(exceptions, name), GqlError)
    } == RAISED.keys() | LOST | BY_CODE
    for name in RAISED.keys() | LOST:
        kind = getattr(exceptions, name)
        # Some need the session that raised them, and there is none here.
        error = kind(SAID) if issubclass(kind, Neo4jError) else kind.__new__(kind, SAID)
        assert kind_of(error) is RAISED.get(name, ErrorKind.LOST), name
        assert isinstance(classify(error), UnavailableError)
        assert SAID not in classify(error).message


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ConnectionResetError(SAID), ErrorKind.LOST),
        (OSError(28, SAID), ErrorKind.LOST),
        (ssl.SSLError(SAID), ErrorKind.LOST),
        (TimeoutError(), ErrorKind.UNSURE),
        (ValueError(SAID), None),
        (KeyError("role"), None),
        (InputError("too long"), None),
    ],
)
def test_kind_of_separates_connection_errors_from_bugs(error: Exception, kind: ErrorKind | None) -> None:
    assert kind_of(error) is kind
    assert SAID not in classify(error).message


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("08N00", ErrorKind.LOST),
        ("22N01", ErrorKind.REFUSED),
        ("2DN06", ErrorKind.BROKEN),
        ("40N01", ErrorKind.BUSY),
        ("42N01", ErrorKind.REFUSED),
        ("50N42", ErrorKind.STOPPED),
        ("51N00", ErrorKind.BROKEN),
        ("99X00", ErrorKind.STOPPED),
    ],
)
def test_kind_of_unknown_code_uses_gql_status(status: str, kind: ErrorKind) -> None:
    error = Neo4jError._hydrate_gql(
        gql_status=status, description="error", message=SAID, neo4j_code="Neo.NewKind.Of.Code"
    )
    assert kind_of(error) is kind


def test_classify_keeps_our_own_errors() -> None:
    for error in (InputError("no"), ConflictError("no"), UnavailableError("no"), MnemosceneError("no")):
        assert classify(error) is error


@pytest.mark.parametrize(
    "code",
    [
        "Neo.DatabaseError.Transaction.TransactionCommitFailed",
        "Neo.DatabaseError.Transaction.TransactionLogError",
        "Neo.DatabaseError.General.UnknownError",
        "Neo.DatabaseError.Statement.ExecutionFailed",
        "Neo.TransientError.General.DatabaseUnavailable",
        "Neo.ClientError.Security.Unauthorized",
    ],
)
async def test_remember_spools_the_message_after_any_database_error(
    graph: Graph, tenant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """The driver of a real connection raises what the server would send; the next call works again."""
    spool, failing = Spool(tmp_path / "spool.sqlite3", bytes_max=2**20), True
    run = Writing.run

    async def fails(self: Writing, *given: object) -> object:
        if failing:
            raise told_by_server(code)
        return await run(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Writing, "run", fails)
    told = await a_memory(graph, spool=spool).remember(TenantId(tenant), an_incoming(SAID))
    assert told.spooled
    assert (await spool.depth()).waiting == 1
    # A failed statement does not open the circuit breaker for others.
    assert graph.away == (kind_of(told_by_server(code)) in AWAY)
    failing = False
    assert await graph.answers()
    assert not graph.away
    await spool.close()
