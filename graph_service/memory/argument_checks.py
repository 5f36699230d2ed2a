"""Check ids, limits, texts and times in requests."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from schema.errors import InputError
from schema.limits import LIMITS
from schema.timespan import as_utc

_PROBLEMS_SHOWN: Final = 20


def text_problem(text: object, chars_max: int) -> str | None:
    """Return why a text cannot be stored, as the end of a sentence; None if it can."""
    if not isinstance(text, str):
        return f"must be a string, not {type(text).__name__}"
    if not text.strip():
        return "is empty; leave it out or write something"
    return content_problem(text, chars_max)


def content_problem(text: str, chars_max: int) -> str | None:
    """Return why the characters of a text cannot be stored, as the end of a sentence; None if they can."""
    if len(text) > chars_max:
        return f"has {len(text):,} characters, at most {chars_max:,} are accepted; shorten or split it"
    if "\x00" in text:
        return f"contains a NUL character at position {text.index(chr(0))}; remove it"
    return None if is_unicode(text) else "contains half of a surrogate pair; send valid UTF-8"


def is_unicode(text: str) -> bool:
    """Return whether a text can be encoded, because it has no half of a surrogate pair."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def check_ids(**ids: str | None) -> None:
    """Raise for malformed ids, which no stored element can have.

    Args:
        ids: ids by their names in the error message; None for one that was not given.

    Raises:
        InputError: lists all invalid ids.
    """
    given = {name: value for name, value in ids.items() if value is not None}
    raise_problems(f"{name} {problem}" for name, value in given.items() if (problem := _id_problem(value)))


def raise_problems(found: Iterable[str], *, before: str = "") -> None:
    """Raise an InputError that lists problems, if there are any, in its message the first 20 of them.

    Args:
        before: beginning of the message.
    """
    if problems := tuple(found):
        more = f"; and {len(problems) - _PROBLEMS_SHOWN} more" if len(problems) > _PROBLEMS_SHOWN else ""
        raise InputError(f"{before}{'; '.join(problems[:_PROBLEMS_SHOWN])}{more}", problems)


def check_limit(limit: int, most: int = LIMITS.results, *, least: int = 1, name: str = "limit") -> None:
    """Raise for a number that is out of bounds.

    Raises:
        InputError: it is not `least` to `most`.
    """
    if not least <= limit <= most:
        raise InputError(f"{name} is {limit}; use {least} to {most:,}")


def _id_problem(value: str) -> str | None:
    """Return why a value is no id, or no URI, as the end of a sentence; None if it may be one."""
    is_uri = isinstance(value, str) and value.lower().startswith("memory://")
    problem = text_problem(value, LIMITS.uri_chars if is_uri else LIMITS.id_chars)
    if problem is None and any(ord(char) < 32 or ord(char) == 127 for char in value):
        return "contains a control character; remove it"
    return problem


_OLDEST_YEAR: Final = 1900
_FAR_YEAR: Final = 9000  # conversion to another zone could exceed the year 9999


def time_problem(moment: datetime) -> str | None:
    """Return why the year of a time is out of bounds, as the end of a sentence; None if it is not."""
    if _OLDEST_YEAR <= moment.year < _FAR_YEAR:
        return None
    return f"is in the year {moment.year}; send a time between {_OLDEST_YEAR} and {_FAR_YEAR} (ISO 8601)"


_TTL_MAX_S: Final = 100 * 366 * 86_400.0


def expiry_problem(expires_at: datetime | None, ttl_s: float | None) -> str | None:
    """Return why an expiry cannot be stored, as a clause that begins with the name of the argument; None if it can."""
    if expires_at is not None and ttl_s is not None:
        return "ttlS and expiresAt exclude each other; send one of them"
    if expires_at is not None and (problem := time_problem(expires_at)):
        return f"expiresAt {problem}"
    if ttl_s is not None and not 0 < ttl_s <= _TTL_MAX_S:
        return f"ttlS is {ttl_s}; use more than 0 and at most {_TTL_MAX_S:.0f} seconds"
    return None


def expiry_of(expires_at: datetime | None, ttl_s: float | None, *, now: datetime) -> datetime | None:
    """Return when something expires; None for never."""
    if ttl_s is not None:
        return now + timedelta(seconds=ttl_s)
    return None if expires_at is None else as_utc(expires_at)


# An agent serves many users, and what one of them says must not reach another. So nothing crosses by itself: the memory
# of each user also holds what the agent said and did there, and the agent's own memory holds only what was stored in it
# on purpose, by a call that names the agent and no user. Its owner id is `agent:` and the agent's id.
AGENT_PREFIX: Final = "agent:"


def owner_of(user_id: str | None, agent_id: str | None) -> str:
    """Return the id of the owner of a memory: the user or, if only an agent is given, the agent's own memory.

    Raises:
        InputError: neither is given.
    """
    if user_id is not None:
        return user_id
    if agent_id is None:
        raise InputError("userId is missing; name a user, or an agentId alone for the agent's own memory")
    return f"{AGENT_PREFIX}{agent_id}"


def agent_in(owner_id: str) -> str | None:
    """Return the id of the agent if the memory is that of an agent, else None."""
    return owner_id.removeprefix(AGENT_PREFIX) or None if owner_id.startswith(AGENT_PREFIX) else None
