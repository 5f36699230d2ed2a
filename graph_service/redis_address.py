"""What a Redis address must look like, known without loading the client. Pure."""

from urllib.parse import urlsplit

_SCHEMES = ("redis", "rediss", "unix")


def redis_url_problem(url: str) -> str | None:
    """What is wrong with an address, as the end of a sentence that does not repeat it: it may hold a password."""
    try:
        parts = urlsplit(url)
        port = parts.port if parts.scheme != "unix" else None
    except ValueError:
        return "is no address: the host or the port cannot be read; write redis://HOST:PORT/0"
    if parts.scheme not in _SCHEMES:
        return f"must start with {', '.join(f'{scheme}://' for scheme in _SCHEMES)}; write redis://HOST:PORT/0"
    if parts.scheme == "unix":
        return None if parts.path else "names no socket file; write unix:///PATH/redis.sock"
    if not parts.hostname:
        return "names no host; write redis://HOST:PORT/0"
    if port == 0:
        return "has port 0; write redis://HOST:PORT/0"
    database = parts.path.strip("/")
    if database and not (database.isascii() and database.isdigit()):
        return "has something other than a number after the host; write the database's number, redis://HOST:PORT/0"
    return None
