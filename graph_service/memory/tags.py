"""Tags of messages: a caller's labels for topics, projects or sources, by which answers can be filtered. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from schema.errors import InputError
from schema.filters import equality_text
from schema.ids import name_key, scope_token
from schema.limits import LIMITS


def normalized_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags without a leading `#`, in lower case and one width, sorted, each once: "#Trip " and "trip" are equal.

    Tags without any letter or digit are left out.
    """
    keys = (name_key(tag.strip().removeprefix("#")) for tag in tags)
    return tuple(sorted({key for key in keys if any(char.isalnum() for char in key)}))


def tag_problems(tags: Sequence[str]) -> list[str]:
    """Return the problems of a caller's tags, each as the end of a sentence about their owner."""
    if len(tags) > LIMITS.tags:
        return [f".tags has {len(tags):,} tags; use at most {LIMITS.tags}"]
    problems = []
    for index, tag in enumerate(tags):
        if len(tag) > LIMITS.tag_chars:
            problems.append(f".tags[{index}] has {len(tag):,} characters; use at most {LIMITS.tag_chars}")
        elif not tag.isprintable() or not normalized_tags([tag]):
            problems.append(f".tags[{index}] is {tag!r}; use letters or digits, without control characters")
    return problems


def check_tags(tags: Sequence[str]) -> None:
    """Raise for tags that no message can have.

    Raises:
        InputError: lists their problems.
    """
    if problems := tag_problems(tags):
        raise InputError("; ".join(problem.removeprefix(".") for problem in problems), tuple(problems))


def tag_tokens(tenant: str, user_id: str, tags: Iterable[str]) -> list[str]:
    """Return one token of the full-text index for each normalised tag of a user's message."""
    return sorted(scope_token(tenant, user_id, _KIND, tag) for tag in tags)


def message_tokens(tenant: str, user_id: str, tags: Iterable[str], metadata: str | None) -> list[str]:
    """Return the tokens of a message in the index of tags: of its tags, and of its metadata.

    Args:
        metadata: JSON object, as stored.
    """
    values = {} if metadata is None else json.loads(metadata)
    return sorted({*tag_tokens(tenant, user_id, tags), *metadata_tokens(tenant, user_id, values)})


def metadata_tokens(tenant: str, user_id: str, values: Mapping[str, object]) -> list[str]:
    """Return a token that all messages with metadata have, if there are values, and one for each single value."""
    if not values:
        return []
    single = {key: value for key, value in values.items() if isinstance(value, str | bool | int | float)}
    tokens = [scope_token(tenant, user_id, _METADATA, key, equality_text(value)) for key, value in single.items()]
    return sorted([metadata_marker(tenant, user_id), *tokens])


def metadata_marker(tenant: str, user_id: str) -> str:
    """Return the token of all messages of a user that have metadata."""
    return scope_token(tenant, user_id, _METADATA)


_KIND: Final = "tag"
_METADATA: Final = "metadata"
