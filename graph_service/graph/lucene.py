"""Build Lucene queries for full-text indexes, safe against query syntax in user text. Pure."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from extraction.text.fulltext_words import CJK_RUN, WORD, plain_words, within_terms
from schema.timespan import day_token

_OPERATORS = frozenset({"AND", "OR", "NOT", "TO"})
_NAME_TERMS_MAX = 120
_FAINT_BOOST = "^0.2"
_PREFIX_WORDS_MAX = 8
# A valid query without hits.
NOTHING = "scope_user:nothing"


def scoped_query(
    words: Sequence[str],
    *,
    fields: Sequence[str],
    scope_user: str,
    start: datetime | None = None,
    end: datetime | None = None,
    days: bool = True,
    faint: Collection[str] = (),
    fuzzy: Sequence[str] = (),
) -> str:
    """Return a query for any of the words in any of the fields, limited to one user and a range of days.

    Without words the query has no hits. Scope and days are clauses with boost 0: they filter inside the index and do
    not change the score.

    Args:
        words: from `words_in`.
        fields: names of indexed text properties.
        scope_user: `schema.ids.scope_token(tenant, user_id)`.
        days: True if the index has the field `said_day`.
        faint: words with a boost of 0.2: names of speakers occur in texts that are not about them.
        fuzzy: words that also match, with a boost of 0.2, words that differ in one letter, such as an accent.
    """
    if not words:
        return NOTHING
    terms = " ".join(
        f"{field}:{_term(word)}{_FAINT_BOOST if word in faint else ''}" for field in fields for word in words
    )
    near = "".join(f" {field}:{word}~1{_FAINT_BOOST}" for field in fields for word in fuzzy if word.isalpha())
    query = f"+scope_user:{scope_user}^0 +({terms}{near})"
    if days and (start is not None or end is not None):
        first = day_token(start) if start else "00000000"
        last = day_token(end) if end else "99999999"
        query += f" +said_day:[{first} TO {last}]^0"
    return query


def name_query(name: str, *, scope_user: str) -> str:
    """Return a query for entities with all words of `name` in a name or alias; long Latin words match fuzzily."""
    words = within_terms((plain_words(name) or WORD.findall(name.casefold()))[:8], terms_max=_NAME_TERMS_MAX)
    if not words:
        return NOTHING
    clauses = " ".join(f"+(name:{term} aliases:{term})" for term in map(_fuzzy_term, words))
    return f"+scope_user:{scope_user}^0 {clauses}"


def prefix_query(text: str, *, fields: Sequence[str], scopes: Sequence[str]) -> str:
    """Return a query for search as you type: every word as a prefix, Chinese at any position.

    Args:
        scopes: `schema.ids.scope_token`s of the users to search.
    """
    words = prefix_words(text)
    if not words or not scopes:
        return NOTHING
    clauses = " ".join(f"+({' '.join(f'{field}:{_prefix_term(word)}' for field in fields)})" for word in words)
    return f"+({' '.join(f'scope_user:{scope}' for scope in scopes)})^0 {clauses}"


def prefix_words(text: str) -> list[str]:
    # The analyzer splits words where the script changes, too.
    parts = [part for word in WORD.findall(text.casefold()) for part in re.split(f"({CJK_RUN.pattern})", word) if part]
    return within_terms(parts[:_PREFIX_WORDS_MAX], terms_max=_NAME_TERMS_MAX)


def _prefix_term(word: str) -> str:
    if not CJK_RUN.fullmatch(word):
        return f"{word}*"
    # The index has pairs of characters; a single one needs a wildcard.
    return f"*{word}*" if len(word) == 1 else f'"{word}"'


def items_query(tokens: Sequence[Collection[str]], words: Sequence[str] = ()) -> str:
    """Return a query for items that have one token of each group; words only add to the score.

    Args:
        words: from `words_in`.
    """
    groups = " ".join(f"+({' '.join(f'scopes:{token}' for token in group)})^0" for group in tokens)
    return " ".join([groups, *(f"text:{_term(word)}" for word in words)])


def forms_query(tokens: Sequence[str]) -> str:
    """Return a query for entities that share a spelling token; without tokens it has no hits."""
    return " ".join(f"form_tokens:{token}" for token in tokens) or NOTHING


def tags_query(tokens: Sequence[str]) -> str:
    """Return a query for messages with one of some tags, given as their tokens; without tokens it has no hits."""
    return " ".join(f"tag_tokens:{token}" for token in tokens) or NOTHING


def all_tags_query(tokens: Sequence[str]) -> str:
    """Return a query for messages that have all of some tokens."""
    return " ".join(f"+tag_tokens:{token}" for token in tokens) or NOTHING


def _fuzzy_term(word: str) -> str:
    return f"{word}~1" if len(word) > 3 and word.isascii() else _term(word)


def _term(word: str) -> str:
    return f'"{word}"' if word.upper() in _OPERATORS else word
