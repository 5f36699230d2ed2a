"""Same-origin check."""

from urllib.parse import urlsplit


def same_origin(origin: str, host: str | None) -> bool:
    """Return whether an Origin header names the host of the request.

    Args:
        origin: `scheme://name:port`.
        host: the Host header: `name` or `name:port`.
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.casefold() == (host or "").casefold()
