"""Fast conversion of datetimes and vectors between Python and the Neo4j driver.

The driver converts each datetime through its own nanosecond type and pytz: 65 µs each way, a third of the time of
indexing a message. Here it is one subtraction of native values, 1 µs. Nanoseconds, years beyond 9999 and named zones
still use the driver's conversion.
"""

import sys
from array import array
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

from neo4j.time import DateTime
from neo4j.vector import Vector


def vector_parameter(values: Sequence[float]) -> Vector:
    """Return a statement parameter in the driver's binary form: four bytes per number instead of nine.

    Measured: 1,900 instead of 530 rows of 384 numbers per second.
    """
    return Vector(array("f", values).tobytes(), "f32", byteorder=sys.byteorder)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# 0001-01-02 and 9999-12-30: a day within the range of datetime, so that no zone offset leaves it.
_FIRST_S: Final = -62_135_510_400
_LAST_S: Final = 253_402_128_000
Hydrate = Callable[[int, int, Any], Any]
Dehydrate = Callable[[Any], Any]


def install() -> bool:
    """Patch the driver's datetime conversion; return False if this version of the driver has another structure."""
    try:
        from neo4j._codec.hydration.bolt.v2 import temporal
        from neo4j._codec.packstream import Structure
    except ImportError:
        return False
    if not hasattr(temporal.hydrate_datetime, "slow"):
        temporal.hydrate_datetime = _hydration(temporal.hydrate_datetime)  # type: ignore[assignment]
        temporal.dehydrate_datetime = _dehydration(temporal.dehydrate_datetime, Structure)
    return True


def _hydration(slow: Hydrate) -> Hydrate:
    def hydrate(seconds: int, nanoseconds: int, tz: Any = None) -> Any:
        if type(tz) is not int or nanoseconds % 1000 or not _FIRST_S < seconds < _LAST_S:
            return slow(seconds, nanoseconds, tz)
        moment = _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
        return moment.astimezone(timezone(timedelta(seconds=tz))) if tz else moment

    hydrate.slow = slow  # type: ignore[attr-defined]
    return hydrate


def _dehydration(slow: Dehydrate, structure: Any) -> Dehydrate:
    def dehydrate(moment: Any) -> Any:
        if isinstance(moment, DateTime) or type(moment.tzinfo) is not timezone:
            return slow(moment)
        offset = moment.utcoffset()
        if offset.microseconds:
            return slow(moment)
        since = moment - _EPOCH
        seconds = since.days * 86_400 + since.seconds
        return structure(b"I", seconds, since.microseconds * 1000, offset.days * 86_400 + offset.seconds)

    dehydrate.slow = slow  # type: ignore[attr-defined]
    return dehydrate
