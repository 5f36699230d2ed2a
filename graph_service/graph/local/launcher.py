"""The child process that is Neo4j: a standalone script beside the product, reached only over Bolt.

Neo4j Community is GPLv3, so this file imports nothing of ours: the standard library and `jpype`.
Protocol: one JSON line with the settings on stdin; JSON lines with an `event` on stdout (`ready`, `failed`, `stopped`);
`stop` on stdin, the end of stdin, or another parent process than at the start, ends it.
"""

import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Final, TextIO

# Each could have Java load something else than the class path that it is given.
JAVA_VARIABLES: Final = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JDK_AOT_VM_OPTIONS", "CLASSPATH")
PARENT_CHECK_S: Final = 1.0
# Neo4j stops in under a second; a hanging shutdown must not keep the data directory.
SHUTDOWN_MAX_S: Final = 20.0
# Whoever comes after a dead parent wants the data directory now, and recovers what a sudden end leaves.
LEFT_ALONE_MAX_S: Final = 5.0
JAVA_END_MAX_S: Final = 120.0
# Of what is told when it does not start.
CAUSES_MAX: Final = 8
REASON_CHARS_MAX: Final = 300


def main() -> None:
    """Run one Neo4j from the first line of stdin until told to stop or left alone."""
    parent_pid = os.getppid()
    reports = _take_terminal()
    settings: dict[str, Any] = json.loads(sys.stdin.readline())
    _log_to(Path(settings["log_dir"]))
    answers = threading.Event()
    orders = _listen(answers)
    threading.Thread(target=_end_with_parent, args=(parent_pid, answers), name="parent", daemon=True).start()
    try:
        _start_java(settings)
        dbms = _start_dbms(settings)
        ready = {"event": "ready", "port": _bolt_port(dbms), "archive_used": _archive_used()}
    except Exception as problem:
        _report(reports, {"event": "failed", "reason": _reason(problem)})
        os._exit(1)
    answers.set()
    _report(reports, ready)
    told_to_stop = _wait_for_end(orders, parent_pid)
    limit = _exit_after(SHUTDOWN_MAX_S if told_to_stop else LEFT_ALONE_MAX_S)
    if not _works(dbms):
        # Closing a database that stopped after a failed write (a full disk) writes what is left of its buffer behind a
        # transaction that was cut, once there is room: Neo4j then never starts again, because its log "cannot be read".
        # A plain cut, as a crash leaves it, is recovered from.
        _report(reports, {"event": "stopped"})
        os._exit(4)
    dbms.shutdown()
    limit.cancel()
    _report(reports, {"event": "stopped"})
    if told_to_stop and settings["end_java"]:
        _end_java()
    # Waiting for threads of Java and netty would only delay the end; the store is closed.
    os._exit(0)


def _take_terminal() -> TextIO:
    """Keep stdout for reports only and leave Ctrl-C of the terminal to the parent."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    return reports


def _log_to(log_dir: Path) -> None:
    """Send what the JVM prints into a file of the data directory."""
    log_dir.mkdir(parents=True, exist_ok=True)
    with open(log_dir / "launcher.log", "wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)


def _listen(answers: threading.Event) -> "queue.Queue[str]":
    """Return lines of stdin as they come; an empty string says that the parent closed it or died.

    Args:
        answers: not set while Neo4j starts; nobody waits for a database then whose parent is gone.
    """
    orders: queue.Queue[str] = queue.Queue()

    def read() -> None:
        for line in sys.stdin:
            orders.put(line.strip())
        if not answers.is_set():
            os._exit(4)
        orders.put("")

    threading.Thread(target=read, name="orders", daemon=True).start()
    return orders


def _wait_for_end(orders: "queue.Queue[str]", parent_pid: int) -> bool:
    """Block until the parent asks to stop (True) or is gone (False)."""
    while True:
        try:
            return orders.get(timeout=PARENT_CHECK_S) == "stop"
        except queue.Empty:
            # A forked sibling may hold the other end of our stdin open after the parent died.
            if os.getppid() != parent_pid:
                return False


def _end_with_parent(parent_pid: int, answers: threading.Event) -> None:
    """End this process at once when its parent dies while Neo4j starts: nothing was promised to anybody yet."""
    while not answers.wait(PARENT_CHECK_S):
        if os.getppid() != parent_pid:
            os._exit(4)


def _exit_after(limit_s: float) -> threading.Timer:
    """End this process by force when it is still there after `limit_s` seconds."""
    timer = threading.Timer(limit_s, os._exit, args=(3,))
    timer.daemon = True
    timer.start()
    return timer


def _works(dbms: Any) -> bool:
    """Return whether a transaction can be begun."""
    try:
        dbms.database("neo4j").beginTx().close()
    except Exception:
        return False
    return True


def _end_java() -> None:
    """Let Java end in order, which writes the classes it recorded."""
    import jpype

    _exit_after(JAVA_END_MAX_S)
    jpype.shutdownJVM()


def _start_java(settings: dict[str, Any]) -> None:
    # The bridge would load it for arrays, which nobody passes here, and Java would run a fifth of a second later.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    import jpype

    for name in JAVA_VARIABLES:
        os.environ.pop(name, None)
    # Java refuses file names outside the locale's character set; every path has to work in every locale.
    os.environ["LC_ALL"] = "C.UTF-8"
    # Class path entries relative to the working directory: the path itself may be outside ASCII, which jpype
    # answers by switching class archives off.
    os.chdir(settings["jar_dir"])
    jpype.startJVM(
        *settings["java_options"],
        jvmpath=_jvm_library(Path(settings["java_home"])),
        classpath=settings["jars"],
        interrupt=False,
    )


def _jvm_library(java_home: Path) -> str:
    for name in ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll"):
        if (java_home / name).exists():
            return str(java_home / name)
    raise FileNotFoundError(f"no JVM library under {java_home}")


def _start_dbms(settings: dict[str, Any]) -> Any:
    """Start Neo4j as the parent configured it and set the password when a new one is given."""
    from jpype import JClass

    path = JClass("java.nio.file.Path").of
    builder = JClass("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(path(settings["home_dir"]))
    dbms = builder.loadPropertiesFromFile(path(settings["conf_path"])).build()
    if settings["new_password"]:
        parameters = JClass("java.util.HashMap")()
        parameters.put("password", settings["new_password"])
        dbms.database("system").executeTransactionally(
            "ALTER USER neo4j SET PLAINTEXT PASSWORD $password CHANGE NOT REQUIRED", parameters
        )
    return dbms


def _bolt_port(dbms: Any) -> int:
    from jpype import JClass

    ports = JClass("org.neo4j.configuration.connectors.ConnectorPortRegister")
    bolt = JClass("org.neo4j.configuration.connectors.ConnectorType").BOLT
    resolver = dbms.database("system").getDependencyResolver()
    return int(resolver.resolveDependency(ports).getLocalAddress(bolt).getPort())


def _archive_used() -> bool:
    """Return whether Java runs on a class archive; it starts without a word when it refuses one."""
    from jpype import JClass

    return "sharing" in str(JClass("java.lang.System").getProperty("java.vm.info"))


def _report(reports: TextIO, event: dict[str, Any]) -> None:
    """Tell the parent; a dead parent is no reason to stop halfway."""
    try:
        reports.write(json.dumps(event) + "\n")
        reports.flush()
    except OSError:
        return


def _reason(problem: BaseException) -> str:
    """Return the problem and what caused it in one line, the innermost cause last, Java's or Python's."""
    told: list[str] = []
    cause: Any = problem
    while cause is not None and len(told) < CAUSES_MAX:
        told.append(_in_words(cause))
        cause = _cause_of(cause)
    return ", because of ".join(dict.fromkeys(told))


def _in_words(problem: Any) -> str:
    """Name and message, as Java writes them."""
    of_java = getattr(problem, "toString", None)
    text = str(of_java()) if of_java is not None else f"{type(problem).__name__}: {problem}"
    return " ".join(text.split())[:REASON_CHARS_MAX]


def _cause_of(problem: Any) -> Any:
    """Return what caused it; the `__cause__` of a problem of Java holds frames, and says nothing but "Java
    Exception".
    """
    of_java = getattr(problem, "getCause", None)
    return of_java() if of_java is not None else problem.__cause__


if __name__ == "__main__":
    main()
