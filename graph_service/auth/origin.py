"""Whether a page is one that this very service delivered."""

from urllib.parse import urlsplit


def same_origin(origin: str, host: str | None) -> bool:
    """Return whether a page of this origin lives at the address that the request was sent to.

    Args:
        origin: as browsers tell it: `scheme://name:port`.
        host: of the request: `name` or `name:port`.
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.casefold() == (host or "").casefold()
