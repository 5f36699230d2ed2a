"""Which pages may open a socket: those that this very service delivered (cross-site hijacking, DNS rebinding)."""

from collections.abc import Set
from typing import Final
from urllib.parse import urlsplit

from graph_service.auth.origin import same_origin

LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def origin_allowed(origin: str | None, host: str | None, allowed_hosts: Set[str]) -> bool:
    """Whether a connection with these headers is welcome.

    Args:
        origin: absent for programs that are no browser.
        host: `name` or `name:port`; the name must be allowed, or a name that an attacker's DNS answers would do.
        allowed_hosts: names; `*` allows every name, and still only pages of that very name.
    """
    name = _name(host)
    if name is None or not ("*" in allowed_hosts or name in allowed_hosts):
        return False
    return origin is None or same_origin(origin, host)


def _name(host: str | None) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname if host else None
    except ValueError:
        return None
