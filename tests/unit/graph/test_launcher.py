"""Why a local Neo4j did not start is told with everything that Java says of it. Requirement F6."""

from graph_service.graph.local.launcher import _reason


class OfJavaError(Exception):
    """A throwable as the bridge hands it over: with Java's methods, and frames as the Python cause."""

    def __init__(self, text: str, cause: "OfJavaError | None" = None) -> None:
        super().__init__("Java Exception")
        self._text, self._because = text, cause
        self.__cause__ = Exception("Java Exception")

    def toString(self) -> str:  # noqa: N802  Java's name
        return self._text

    def getCause(self) -> "OfJavaError | None":  # noqa: N802  Java's name
        return self._because


def test_what_java_says_and_its_causes_are_told_in_order() -> None:
    inner = OfJavaError("java.io.IOException: No space left\n on device")
    outer = OfJavaError(
        "java.lang.RuntimeException: Error starting Neo4j", OfJavaError("org.neo4j.LifecycleException: x", inner)
    )
    assert _reason(outer) == (
        "java.lang.RuntimeException: Error starting Neo4j, because of org.neo4j.LifecycleException: x, "
        "because of java.io.IOException: No space left on device"
    )


def test_a_problem_of_python_and_a_ring_of_causes_end() -> None:
    problem = ValueError("bad port")
    problem.__cause__ = OSError("taken")
    assert _reason(problem) == "ValueError: bad port, because of OSError: taken"
    first = OfJavaError("A: a")
    first._because = OfJavaError("B: b", first)
    assert _reason(first) == "A: a, because of B: b"
    assert len(_reason(OfJavaError("x" * 9_000))) == 300
