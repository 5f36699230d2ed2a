"""Jars of a Maven repository: coordinates and checksum, and the retries after a failed download.

Two modules download jars, each with its own transfer, because they stop in different ways: `model_download.py` runs in
the event loop, where a stop cancels the task at its next await; the threads of `jar_fetch.py` (local_neo4j) cannot be
cancelled, so they look for a stop at each chunk. Both decide by `failed_attempt` whether to try again.
"""

from dataclasses import dataclass
from typing import Final

# Seconds before the second, third and fourth attempt; a download that fails again has failed.
RETRY_PAUSES_S: Final = (1.0, 2.0, 4.0)


class WrongContentError(Exception):
    """A downloaded file is not the one that the lock names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """One line of a lock file.

    Attributes:
        coordinate: `group:artifact:version[:classifier]`.
    """

    coordinate: str
    sha256: str
    size_bytes: int

    @property
    def file_name(self) -> str:
        """File name with the group, because artifacts of two groups may share name and version."""
        return self.coordinate.replace(":", "-") + ".jar"

    @property
    def version(self) -> str:
        return self.coordinate.split(":")[2]

    @property
    def repository_path(self) -> str:
        """Path below the repository URL."""
        group, artifact, version, *classifier = self.coordinate.split(":")
        file_name = "-".join([artifact, version, *classifier])
        return f"{group.replace('.', '/')}/{artifact}/{version}/{file_name}.jar"

    def check(self, sha256: str, size_bytes: int) -> None:
        """Compare a downloaded file with the lock.

        Raises:
            WrongContentError: it is another file.
        """
        if sha256 != self.sha256:
            raise WrongContentError(
                f"its {size_bytes} bytes are not the {self.size_bytes} that the lock names"
                f" (sha256 {sha256} instead of {self.sha256})"
            )


def failed_attempt(error: Exception, attempt: int) -> tuple[str, float | None]:
    """Decide whether to download again: not if the repository refuses the request (4xx). Pure.

    Args:
        error: an `httpx.HTTPError` or a `WrongContentError`.
        attempt: the number of failed attempts before this one.

    Returns:
        The problem as a clause about the repository or the file, and the seconds until the next attempt; None to give
        up.
    """
    # Slow to import, and not needed when all files are in place.
    from httpx import HTTPStatusError

    pause_s = RETRY_PAUSES_S[attempt] if attempt < len(RETRY_PAUSES_S) else None
    match error:
        case HTTPStatusError():
            problem = f"the repository answered {error.response.status_code}"
            return problem, None if error.response.is_client_error else pause_s
        case WrongContentError():
            return str(error), pause_s
        case _:
            return f"{type(error).__name__}: {error}", pause_s
