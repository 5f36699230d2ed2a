"""Arguments and filters of mem0, checked as mem0 does and in the words of the service."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

logger = logging.getLogger("mnemoscene.mem0")

SCOPES: Final = ("user_id", "agent_id", "run_id")
OPERATORS: Final = {"eq", "gt", "gte", "lt", "lte", "in", "contains"}


def checked_ids(ids: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids that are given, as texts.

    Raises:
        ValueError: one is empty or contains white space.
    """
    given = {name: str(value).strip() for name, value in ids.items() if value is not None}
    for name, value in given.items():
        if not value or len(value.split()) > 1:
            raise ValueError(f"Invalid {name}: cannot be empty or contain whitespace. Provide a valid identifier.")
    return given


def expiration_day(value: Any) -> str | None:
    """Return an expiration date as YYYY-MM-DD.

    Raises:
        ValueError: it is none.
    """
    if isinstance(value, datetime):
        return value.date().isoformat()
    if value is None:
        return None
    if isinstance(value, date):
        return value.isoformat()
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError) as error:
        raise ValueError("expiration_date must be a valid date in YYYY-MM-DD format.") from error


def checked_count(top_k: Any) -> int:
    if not isinstance(top_k, int) or isinstance(top_k, bool):
        raise ValueError("top_k must be a valid integer")
    if top_k < 0:
        raise ValueError(f"Invalid top_k: {top_k}. Must be a non-negative integer.")
    return top_k


def check_arguments(arguments: Mapping[str, Any], method: str) -> None:
    told = sorted(set(SCOPES) & set(arguments))
    if told:
        raise ValueError(
            f"Top-level entity parameters {told} are not supported in {method}(). Use filters={{'user_id': '...'}}"
            " instead."
        )
    unknown = sorted(set(arguments) - {"limit"})
    if unknown:
        logger.warning("%s(): ignored arguments: %s", method, ", ".join(unknown))


def selection(filters: Mapping[str, Any] | None, *, show_expired: bool) -> tuple[str | None, dict[str, Any]]:
    """Return the user of filters, if they name one, and the other conditions in the words of the service.

    Raises:
        ValueError: they name no id, or something is unknown.
    """
    given = dict(filters or {})
    ids = checked_ids({name: given.pop(name) for name in SCOPES if name in given})
    if not ids:
        raise ValueError(
            "filters must contain at least one of: user_id, agent_id, run_id. Example: filters={'user_id': 'u1'}"
        )
    user_id = ids.pop("user_id", None)
    parts: list[dict[str, Any]] = [{name: value} for name, value in ids.items()] + _conditions(given)
    if not show_expired:
        parts.append({"NOT": {"expiration_date": {"lt": datetime.now(UTC).date().isoformat()}}})
    return user_id, {} if not parts else parts[0] if len(parts) == 1 else {"AND": parts}


def _conditions(filters: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [condition for key, value in filters.items() for condition in _condition(key, value)]


def _condition(key: str, value: Any) -> list[dict[str, Any]]:
    """Return one condition of mem0 as conditions of the service."""
    if key in ("AND", "OR", "NOT"):
        if not isinstance(value, list) or not value or not all(isinstance(part, Mapping) and part for part in value):
            raise ValueError(f"{key} operator requires a non-empty list of conditions")
        parts = [{"AND": _conditions(part)} for part in value]
        return [{"NOT": {"OR": parts}}] if key == "NOT" else [{key: parts}]
    if value == "*":
        return [{key: {"ne": None}}]
    if isinstance(value, list):
        return [{key: {"in": value}}]
    if not isinstance(value, Mapping):
        return [{key: {"eq": value}}]
    conditions: list[dict[str, Any]] = []
    for operator, operand in value.items():
        if operator in ("ne", "nin"):
            inner = "eq" if operator == "ne" else "in"
            # In mem0's default store they match only what has the key.
            conditions += [{key: {"ne": None}}, {"NOT": {key: {inner: operand}}}]
        elif operator in OPERATORS or operator == "icontains":
            conditions.append({key: {operator.replace("icontains", "contains"): operand}})
        else:
            raise ValueError(f"Unsupported metadata filter operator: {operator}")
    return conditions
