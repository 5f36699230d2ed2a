"""Run Neo4j in this child process: a standalone script, reached only over Bolt.

Neo4j Community is GPLv3, so this file imports only the standard library and `jpype`, nothing of this project.
Protocol: one JSON line with the settings on stdin; JSON lines with an `event` on stdout (`ready`, `failed`, `stopped`).
It ends on `stop` on stdin, the end of stdin, or a change of the parent process.
"""

import json
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final, TextIO

# Environment variables that could make Java load code from outside the given class path.
JAVA_VARIABLES: Final = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JDK_AOT_VM_OPTIONS", "CLASSPATH")
PARENT_CHECK_S: Final = 1.0
# Neo4j stops in under a second; a hanging shutdown must not lock the data directory.
SHUTDOWN_MAX_S: Final = 20.0
# Shorter after the parent died: the next process waits for the data directory, and can recover it after a kill.
ORPHAN_SHUTDOWN_MAX_S: Final = 5.0
JAVA_END_MAX_S: Final = 120.0
# Limits of the error report when it does not start.
CAUSES_MAX: Final = 8
REASON_CHARS_MAX: Final = 300


def main() -> None:
    """Run Neo4j with the settings on stdin until `stop` or the death of the parent."""
    parent_pid = os.getppid()
    reports = _reserve_stdout()
    settings: dict[str, Any] = json.loads(sys.stdin.readline())
    _log_to(Path(settings["log_dir"]))
    is_ready = threading.Event()
    commands = _listen(is_ready, parent_pid)
    try:
        _start_java(settings)
        dbms = _start_dbms(settings)
        ready = {"event": "ready", "port": _bolt_port(dbms), "archive_used": _archive_used()}
    except Exception as problem:
        _report(reports, {"event": "failed", "reason": _reason(problem)})
        os._exit(1)
    is_ready.set()
    _report(reports, ready)
    stop_requested = commands.get() == "stop"
    limit = _exit_after(SHUTDOWN_MAX_S if stop_requested else ORPHAN_SHUTDOWN_MAX_S)
    if not _works(dbms):
        # The database stopped after a failed write (a full disk). A shutdown would append its buffer to a truncated
        # transaction once there is room, and Neo4j would never start again, because its log "cannot be read". After a
        # kill it recovers.
        _report(reports, {"event": "stopped"})
        os._exit(4)
    dbms.shutdown()
    limit.cancel()
    _report(reports, {"event": "stopped"})
    if stop_requested and settings["end_java"]:
        _end_java()
    # The store is closed; do not wait for threads of Java and netty.
    os._exit(0)


def _reserve_stdout() -> TextIO:
    """Reserve stdout for reports, and ignore Ctrl-C, which the parent handles."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    reports = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    return reports


def _log_to(log_dir: Path) -> None:
    """Redirect the JVM's output to a file in the data directory."""
    log_dir.mkdir(parents=True, exist_ok=True)
    with open(log_dir / "launcher.log", "wb") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)


def _listen(is_ready: threading.Event, parent_pid: int) -> "queue.Queue[str]":
    """Return a queue of stdin lines; an empty string means that the parent closed stdin or died.

    Args:
        is_ready: not set while Neo4j starts; the process then exits at once if the parent is gone, because no data was
            accepted yet.
    """
    commands: queue.Queue[str] = queue.Queue()

    def end() -> None:
        if not is_ready.is_set():
            os._exit(4)
        commands.put("")

    def read() -> None:
        for line in sys.stdin:
            commands.put(line.strip())
        end()

    def watch_parent() -> None:
        # A forked sibling may keep our stdin open after the parent died.
        while os.getppid() == parent_pid:
            time.sleep(PARENT_CHECK_S)
        end()

    for run in (read, watch_parent):
        threading.Thread(target=run, name=run.__name__, daemon=True).start()
    return commands


def _exit_after(limit_s: float) -> threading.Timer:
    timer = threading.Timer(limit_s, os._exit, args=(3,))
    timer.daemon = True
    timer.start()
    return timer


def _works(dbms: Any) -> bool:
    """Return True if a transaction can be started."""
    try:
        dbms.database("neo4j").beginTx().close()
    except Exception:
        return False
    return True


def _end_java() -> None:
    """Shut Java down normally, so that it writes the class-data archive."""
    import jpype

    _exit_after(JAVA_END_MAX_S)
    jpype.shutdownJVM()


def _start_java(settings: dict[str, Any]) -> None:
    # jpype would import numpy for arrays, which are not used here; it costs 0.2 s.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    import jpype

    for name in JAVA_VARIABLES:
        os.environ.pop(name, None)
    # Java refuses file names outside the locale's character set; all paths must work in all locales.
    os.environ["LC_ALL"] = "C.UTF-8"
    # Relative class path: the path may have non-ASCII characters, for which jpype switches class archives off.
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
    """Start Neo4j with the parent's settings, and set a new password if there is one."""
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
    """Return True if Java uses the class archive; it ignores a rejected one silently."""
    from jpype import JClass

    return "sharing" in str(JClass("java.lang.System").getProperty("java.vm.info"))


def _report(reports: TextIO, event: dict[str, Any]) -> None:
    """Send an event to the parent; ignore a dead parent."""
    try:
        reports.write(json.dumps(event) + "\n")
        reports.flush()
    except OSError:
        return


def _reason(problem: BaseException) -> str:
    """Return the error and its chain of causes in one line, innermost last, from Java or Python."""
    causes: list[str] = []
    cause: Any = problem
    while cause is not None and len(causes) < CAUSES_MAX:
        causes.append(_describe(cause))
        cause = _cause_of(cause)
    return ", because of ".join(dict.fromkeys(causes))


def _describe(problem: Any) -> str:
    """Return name and message as Java formats them."""
    of_java = getattr(problem, "toString", None)
    text = str(of_java()) if of_java is not None else f"{type(problem).__name__}: {problem}"
    return " ".join(text.split())[:REASON_CHARS_MAX]


def _cause_of(problem: Any) -> Any:
    """Return the cause; for Java not `__cause__`, which has only frames and the text "Java Exception"."""
    of_java = getattr(problem, "getCause", None)
    return of_java() if of_java is not None else problem.__cause__


if __name__ == "__main__":
    main()
