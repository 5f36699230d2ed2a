"""Telling several listeners in this process that something happened to a tenant."""

from collections.abc import Callable


class Bell:
    """Tells whoever listens that something happened to a tenant."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[str], None]] = []

    def __call__(self, tenant: str) -> None:
        """Rings; listeners must not wait."""
        for listener in self._listeners:
            listener(tenant)

    def listen(self, listener: Callable[[str], None]) -> None:
        """From now on, the listener hears every ring."""
        self._listeners.append(listener)
