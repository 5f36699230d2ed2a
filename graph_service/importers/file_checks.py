"""Check files from outside, and report all problems at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from schema.errors import InputError

PROBLEMS_SHOWN = 20
# A file is read into memory whole, and an archive of a few megabytes may unpack to as many gigabytes.
FILE_BYTES_MAX: Final = 512 * 2**20


def text_of(file: Path) -> str:
    """Return the text of a file.

    Raises:
        InputError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        check_size(file, file.stat().st_size)
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 at byte {error.start}; convert it first") from error


def check_size(file: Path, size: int) -> None:
    """Refuse a file, or a file in an archive, whose text is too large.

    Raises:
        InputError: it is.
    """
    if size > FILE_BYTES_MAX:
        raise InputError(
            f"{file}: has {size:,} bytes of text, more than the {FILE_BYTES_MAX:,} allowed for one file; split it;"
            " nothing was stored"
        )


def problems_of(error: ValidationError, place: str) -> list[str]:
    """Return one line for each problem: the place, the field and the message."""
    return [
        f"{place}: {'.'.join(map(str, one['loc']))}: {one['msg']}" if one["loc"] else f"{place}: {one['msg']}"
        for one in error.errors()
    ]


def refusal(problems: Sequence[str], *advice: str, outcome: str = "nothing was stored") -> InputError:
    """Return the error that lists the first `PROBLEMS_SHOWN` problems."""
    return InputError("\n".join([f"{outcome}:", *listed(problems), *advice]), tuple(problems))


def listed(problems: Sequence[str]) -> list[str]:
    """Return one line for each of the first problems."""
    more = [f"  and {len(problems) - PROBLEMS_SHOWN} more"] if len(problems) > PROBLEMS_SHOWN else []
    return [*(f"  {one}" for one in problems[:PROBLEMS_SHOWN]), *more]
