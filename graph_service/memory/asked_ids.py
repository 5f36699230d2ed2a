"""Checks of the ids and limits that come with a wish, for every door alike."""

from graph_service.memory.incoming import text_problem
from schema.errors import InputError
from schema.limits import LIMITS


def check_ids(**ids: str) -> None:
    """Refuses ids that no stored thing can have.

    Args:
        ids: by the name that the message uses.

    Raises:
        InputError: naming every one.
    """
    problems = [f"{name} {problem}" for name, value in ids.items() if (problem := _problem(value))]
    if problems:
        raise InputError("; ".join(problems), tuple(problems))


def check_limit(limit: int) -> None:
    """Refuses a number of results that is out of bounds.

    Raises:
        InputError: it is not 1 to 100.
    """
    if not 1 <= limit <= LIMITS.results:
        raise InputError(f"limit is {limit}; use 1 to {LIMITS.results}")


def _problem(value: str) -> str | None:
    problem = text_problem(value, LIMITS.id_chars)
    if problem is None and any(ord(char) < 32 or ord(char) == 127 for char in value):
        return "contains a control character; remove it"
    return problem
