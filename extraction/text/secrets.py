"""Hide secrets in text that is shown: keys, tokens and passwords, card numbers, and the directories of file paths.

Works on plain text and on JSON text, which stays valid: replacements need no escaping, and no pattern takes a part of
an escape sequence or of the ids and URIs of a memory. Pure, linear time.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum
from typing import Final

from extraction.text.toml_files import toml_of


class SecretKind(StrEnum):
    """Kinds of text that can be hidden."""

    KEYS = "keys"  # also tokens and passwords
    CARDS = "cards"
    PATHS = "paths"


ALL_KINDS: Final = frozenset(SecretKind)
HIDDEN_KEY: Final = "[hidden key]"
HIDDEN_PASSWORD: Final = "[hidden password]"
HIDDEN_CARD: Final = "[hidden card number]"

_TABLES: Final = toml_of("extraction.text", "secrets.toml")


def _rows(kind: str) -> list[tuple[Sequence[str], re.Pattern[str]]]:
    return [(row["near"], re.compile(row["pattern"])) for row in _TABLES[kind]]


_KEYS: Final = _rows("keys")
_PASSWORDS: Final = _rows("passwords")
# 16 to 19 digits, alone or in the groups of a printed card; the checksum decides.
# The first digit stands before the look-behind, because Python searches for it ten times faster.
_CARD: Final = re.compile(
    r"[2-6](?<![\w.-].)(?:\d{15,18}|\d{3}([ -])\d{4}\1\d{4}\1\d{4}|(?<=3)[47]\d{13}|(?<=3)[47]\d{2}([ -])\d{6}\2\d{5})"
    r"(?![\w-])"
)
# Sum of the digits of each digit's double, for the checksum.
_DOUBLED: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
# Length of the parts in which a long text is read: Python's other threads run between two parts only.
_PART_CHARS: Final = 32_000
_ROOTS: Final = "home|Users|root|etc|var|tmp|opt|srv|usr|mnt|media|Volumes|private"
_PATH_TRIGGERS: Final = (*(f"/{root}/" for root in _ROOTS.split("|")), "~/", ":\\")
_PART: Final = r"[^\s\"'<>|,;:*?()/\\，。；：（）「」]{1,255}"
_PATH: Final = re.compile(
    rf"(?<![\w:/.~\\-])(?:(?:/(?:{_ROOTS})|~)(?:/{_PART}){{1,40}}|[A-Za-z]:(?:\\{{1,2}}{_PART}){{1,40}})"
)


def without_secrets(text: str, kinds: Collection[SecretKind] = ALL_KINDS) -> str:
    """Return a text with the secrets of these kinds replaced; of file paths the last name stays."""
    return "".join(_part_without_secrets(part, kinds) for part in _parts(text))


def _parts(text: str) -> Iterator[str]:
    """Split a long text after quotation marks, which no secret contains."""
    start = 0
    while len(text) - start > _PART_CHARS and (end := text.find('"', start + _PART_CHARS)) >= 0:
        yield text[start : end + 1]
        start = end + 1
    yield text[start:]


def _part_without_secrets(text: str, kinds: Collection[SecretKind]) -> str:
    if SecretKind.KEYS in kinds:
        for triggers, pattern in _KEYS:
            text = _replaced(text, triggers, pattern, lambda _found: HIDDEN_KEY)
        for triggers, pattern in _PASSWORDS:
            text = _replaced(text, triggers, pattern, lambda found: f"{found.group(1)}{HIDDEN_PASSWORD}")
    if SecretKind.CARDS in kinds:
        text = _CARD.sub(_card, text)
    if SecretKind.PATHS in kinds:
        text = _replaced(text, _PATH_TRIGGERS, _PATH, _path)
    return text


def _replaced(
    text: str, triggers: Collection[str], pattern: re.Pattern[str], by: Callable[[re.Match[str]], str]
) -> str:
    return pattern.sub(by, text) if any(trigger in text for trigger in triggers) else text


def _card(found: re.Match[str]) -> str:
    return HIDDEN_CARD if passes_luhn(found.group(0)) else found.group(0)


def passes_luhn(number: str) -> bool:
    """Return whether the last digit of a number is its checksum, as that of every payment card."""
    digits = [int(char) for char in reversed(number) if char in "0123456789"]
    return bool(digits) and (sum(digits[::2]) + sum(_DOUBLED[digit] for digit in digits[1::2])) % 10 == 0


def _path(found: re.Match[str]) -> str:
    *_, name = re.split(r"[/\\]", found.group(0))
    return f"…/{name}"
