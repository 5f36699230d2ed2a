"""Words on the command line that must be one of a few."""

from enum import StrEnum
from typing import TypeVar

from schema.errors import InputError

E = TypeVar("E", bound=StrEnum)


def one_of(choices: type[E], word: str, option: str) -> E:
    """The choice that a word names.

    Raises:
        InputError: it names none; the message lists them.
    """
    try:
        return choices(word.casefold())
    except ValueError as error:
        raise InputError(f"{option} is {word!r}: use one of {', '.join(choices)}") from error
