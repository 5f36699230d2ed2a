"""Time zones of messages: an IANA name or a UTC offset. Pure."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schema.result_cache import cached_by_chars
from schema.timespan import as_utc
from schema.tuning import tuning

_OFFSET = re.compile(r"(?P<sign>[+-])(?P<h>\d{2}):(?P<m>\d{2})")
_NAME = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")


@cached_by_chars(chars_max=50_000, entries_max=512)
def zone_named(name: str) -> tzinfo | None:
    """Return the zone with this name (`Asia/Shanghai`, `+08:00`, `UTC`); None if there is none."""
    if name == "UTC":
        return UTC
    if match := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(match["h"]), minutes=int(match["m"]))
        if offset >= timedelta(days=1) or int(match["m"]) > 59:
            return None
        return timezone(-offset if match["sign"] == "-" else offset)
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def moment_in(moment: datetime, *zones: str | None) -> datetime:
    """Return a time as it is shown to people and models: in the first known zone, else that of the service.

    Args:
        zones: that of the message, then that of the user, as far as they are known.
    """
    found = (zone_named(zone) for zone in (*zones, tuning().zone) if zone)
    try:
        return as_utc(moment).astimezone(next((zone for zone in found if zone is not None), UTC))
    except OverflowError:
        return as_utc(moment)


def day_in(moment: datetime, *zones: str | None) -> str:
    """Return the day of a time as `moment_in` shows it, in ISO 8601."""
    return moment_in(moment, *zones).date().isoformat()


def minute_in(moment: datetime, *zones: str | None) -> str:
    """Return the day and minute of a time as `moment_in` shows it."""
    return f"{moment_in(moment, *zones):%Y-%m-%d %H:%M}"


def newest_zone(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the zone of the last of some rows, oldest first, that has one: that of their user, for those without."""
    return next((row["zone"] for row in reversed(rows) if row["zone"]), None)


def zone_name_of(moment: datetime | None) -> str | None:
    """Return the UTC offset of a time as `+08:00`; None for UTC or a naive time."""
    offset = moment.utcoffset() if moment is not None else None
    if not offset:
        return None
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
