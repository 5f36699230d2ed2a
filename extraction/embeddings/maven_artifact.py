"""Coordinates and checksum of a jar in a Maven repository."""

from dataclasses import dataclass


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
