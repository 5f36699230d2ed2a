"""A jar that is fetched from a Maven repository, and by what it is known to be the right one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """One line of a lock.

    Attributes:
        coordinate: `group:artifact:version`, or with a classifier behind it.
    """

    coordinate: str
    sha256: str
    size_bytes: int

    @property
    def file_name(self) -> str:
        """Unique among the lock: artifacts of two groups may share name and version."""
        return self.coordinate.replace(":", "-") + ".jar"

    @property
    def version(self) -> str:
        """The part of the coordinate that another release changes."""
        return self.coordinate.split(":")[2]

    @property
    def repository_path(self) -> str:
        """Path below the repository address, as Maven lays it out."""
        group, artifact, version, *classifier = self.coordinate.split(":")
        file_name = "-".join([artifact, version, *classifier])
        return f"{group.replace('.', '/')}/{artifact}/{version}/{file_name}.jar"
