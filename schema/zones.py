"""Time zones of messages: an IANA name or a UTC offset. Pure."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schema.result_cache import cached_by_chars
from schema.timespan import as_utc

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


def moment_in(moment: datetime, zone: str | None) -> datetime:
    """Return the time in a zone; in UTC without a known zone, and at the ends of the range of `datetime`."""
    named = zone_named(zone) if zone else None
    try:
        return as_utc(moment).astimezone(named or UTC)
    except OverflowError:
        return as_utc(moment)


def day_in(moment: datetime, zone: str | None) -> str:
    """Return the day of a time in a zone, in ISO 8601."""
    return moment_in(moment, zone).date().isoformat()


def zone_name_of(moment: datetime | None) -> str | None:
    """Return the UTC offset of a time as `+08:00`; None for UTC or a naive time."""
    offset = moment.utcoffset() if moment is not None else None
    if not offset:
        return None
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
