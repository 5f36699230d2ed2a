"""Test that a failed start of the local Neo4j reports the reason given by Java."""

from graph_service.graph.local_neo4j.launcher import _reason


class OfJavaError(Exception):
    """Stand-in for a Java exception of the bridge: it has Java's methods, and its Python cause holds stack frames."""

    def __init__(self, text: str, cause: "OfJavaError | None" = None) -> None:
        super().__init__("Java Exception")
        self._text, self._because = text, cause
        self.__cause__ = Exception("Java Exception")

    def toString(self) -> str:  # noqa: N802  Java's name
        return self._text

    def getCause(self) -> "OfJavaError | None":  # noqa: N802  Java's name
        return self._because


def test_reason_lists_java_causes_in_order() -> None:
    inner = OfJavaError("java.io.IOException: No space left\n on device")
    outer = OfJavaError(
        "java.lang.RuntimeException: Error starting Neo4j", OfJavaError("org.neo4j.LifecycleException: x", inner)
    )
    assert _reason(outer) == (
        "java.lang.RuntimeException: Error starting Neo4j, because of org.neo4j.LifecycleException: x, "
        "because of java.io.IOException: No space left on device"
    )


def test_reason_of_python_errors_and_cyclic_causes_ends() -> None:
    problem = ValueError("bad port")
    problem.__cause__ = OSError("taken")
    assert _reason(problem) == "ValueError: bad port, because of OSError: taken"
    first = OfJavaError("A: a")
    first._because = OfJavaError("B: b", first)
    assert _reason(first) == "A: a, because of B: b"
    assert len(_reason(OfJavaError("x" * 9_000))) == 300
