"""Jars of a Maven repository: coordinates and checksum, and their download by threads, which look for a stop."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from threading import Event
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from httpx import Client

_CHUNK_BYTES: Final = 256 * 1024
# Seconds before the second, third and fourth attempt; a download that fails again has failed.
RETRY_PAUSES_S: Final = (1.0, 2.0, 4.0)


class WrongContentError(Exception):
    """A downloaded file is not the one that the lock names."""


class NotFetchedError(Exception):
    """A jar could not be downloaded; the message is a clause about the repository or the file."""


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
        """Version from the coordinate."""
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


def fetch_jar(
    client: "Client", jar: Jar, repository_url: str, file: IO[bytes], *, count: Callable[[int], None], stopped: Event
) -> None:
    """Download a jar into an open file; try again after a failure that may pass.

    Args:
        count: called with the bytes of each chunk, and with the negative number of those that are received again.
        stopped: set to end the download.

    Raises:
        NotFetchedError: the repository does not answer, refuses, or sends another file, or the download was stopped.
        OSError: the file cannot be written.
    """
    # Slow to import, and not needed when all files are in place.
    from httpx import HTTPError

    for attempt in itertools.count():
        if stopped.is_set():
            raise NotFetchedError("it was stopped")
        digest, size = sha256(), 0
        file.seek(0)
        file.truncate()
        try:
            with client.stream("GET", f"{repository_url.rstrip('/')}/{jar.repository_path}") as response:
                response.raise_for_status()
                for chunk in response.iter_bytes(_CHUNK_BYTES):
                    if stopped.is_set() or size > jar.size_bytes:
                        break
                    file.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                    count(len(chunk))
            jar.check(digest.hexdigest(), size)
        except (HTTPError, WrongContentError) as error:
            count(-size)
            problem, pause_s = failed_attempt(error, attempt)
        else:
            return
        if pause_s is None:
            raise NotFetchedError(problem)
        stopped.wait(pause_s)


def failed_attempt(error: Exception, attempt: int) -> tuple[str, float | None]:
    """Return a clause about the repository or the file, and the seconds until the next attempt; None to give up.

    A repository that refuses the request (4xx) is not asked again.

    Args:
        error: an `httpx.HTTPError` or a `WrongContentError`.
        attempt: the number of failed attempts before this one.
    """
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
