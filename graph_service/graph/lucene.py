"""Queries for full-text indexes, built so that no text of a user can be read as query syntax. Pure."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from schema.timespan import day_token

# A word is what the `cjk` analyzer keeps: letters and digits of any script; what Lucene reads as syntax falls out.
_WORD = re.compile(r"[^\W_]+")
# "Bart's" asks for Bart, "what's" for nothing.
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+")
_OPERATORS = frozenset({"AND", "OR", "NOT", "TO"})
_WORDS_MAX = 64
# Lucene refuses a query of more than 1,024 terms (`IndexSearcher.getMaxClauseCount`), in all fields together; a query
# of ours names at most three fields. The analyzer makes a term of each pair of characters of scripts without spaces.
_TERMS_MAX = 320
_NAME_TERMS_MAX = 120
# Of one word of other scripts; the analyzer cuts longer ones.
_WORD_CHARS_MAX = 255
_FAINT = "^0.2"
_SOUGHT_MAX = 8
# A query that finds nothing.
NOTHING = "scope_user:nothing"
# Words so common that they only cost time; the analyzer drops most of them too.
_STOP_TEXT = """
a an and are as at be been but by did do does for from had has have he her his how i in is it its me my of on or our she
so that the their them they this to us was we were what when where which who whom whose why will with would you your
about ever any
"""
_STOP = frozenset(_STOP_TEXT.split())
_STOP_ZH = (
    "什么",
    "怎么",
    "哪些",
    "哪个",
    "哪里",
    "为什么",
    "是不是",
    "有没有",
    "我",
    "你",
    "他",
    "她",
    "的",
    "了",
    "吗",
    "呢",
    "是",
    "在",
    "和",
)


def words_in(text: str) -> list[str]:
    """Words worth searching for, each once, in order; Chinese stays in runs, of which the analyzer makes pairs."""
    return _words(_POSSESSIVE.sub("", text))


def _words(text: str) -> list[str]:
    found: dict[str, None] = {}
    for word in _WORD.findall(text.replace("'", "").replace("’", "")):
        for part in _by_script(word):
            if part.casefold() not in _STOP:
                found[part.casefold()] = None
    return _within(list(found)[:_WORDS_MAX], terms_max=_TERMS_MAX)


def _within(words: Sequence[str], *, terms_max: int) -> list[str]:
    """Return the first words, the last one cut, of which the analyzer makes at most so many terms."""
    kept: list[str] = []
    left = terms_max
    for word in words:
        if left <= 0:
            break
        # From U+2E80 on characters may become terms of their own or pairs; all other words are one term.
        by_characters = any(ord(character) >= 0x2E80 for character in word)
        kept.append(word[: left if by_characters else _WORD_CHARS_MAX])
        left -= len(kept[-1]) if by_characters else 1
    return kept


def _by_script(word: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for run in _CJK.finditer(word):
        parts += [word[end : run.start()], *_zh_pieces(run.group())]
        end = run.end()
    parts.append(word[end:])
    return [part for part in parts if part]


def _zh_pieces(run: str) -> list[str]:
    for stop in _STOP_ZH:
        run = run.replace(stop, " ")
    return run.split()


def scoped_query(
    words: Sequence[str],
    *,
    fields: Sequence[str],
    scope_user: str,
    start: datetime | None = None,
    end: datetime | None = None,
    days: bool = True,
    faint: Collection[str] = (),
) -> str:
    """A query for any of the words in any of the fields, of one user, in a range of days.

    Without words it is a valid query that finds nothing. Scope and days are clauses of the index query with boost 0:
    they filter inside the index and do not score.

    Args:
        words: as `words_in` gives them.
        fields: names of indexed text properties.
        scope_user: `schema.ids.scope_token(tenant, user_id)`.
        days: whether the index has the field `said_day`.
        faint: words that count a fifth: names of speakers stand in texts they say nothing about.
    """
    if not words:
        return NOTHING
    terms = " ".join(f"{field}:{_term(word)}{_FAINT if word in faint else ''}" for field in fields for word in words)
    query = f"+scope_user:{scope_user}^0 +({terms})"
    if days and (start is not None or end is not None):
        first = day_token(start) if start else "00000000"
        last = day_token(end) if end else "99999999"
        query += f" +said_day:[{first} TO {last}]^0"
    return query


def name_query(name: str, *, scope_user: str) -> str:
    """A query for entities with a name or alias like `name`: every word; long Latin ones may differ by a letter."""
    words = _within((_words(name) or _WORD.findall(name.casefold()))[:8], terms_max=_NAME_TERMS_MAX)
    if not words:
        return NOTHING
    clauses = " ".join(f"+(name:{term} aliases:{term})" for term in map(_tolerant, words))
    return f"+scope_user:{scope_user}^0 {clauses}"


def sought_query(text: str, *, fields: Sequence[str], scopes: Sequence[str]) -> str:
    """A query for names that somebody is typing: every word, from the beginning of a word; Chinese at any place.

    Args:
        scopes: `schema.ids.scope_token`s of the users whose names are wanted.
    """
    parts = [part for word in _WORD.findall(text.casefold()) for part in _runs(word)]
    words = _within(parts[:_SOUGHT_MAX], terms_max=_NAME_TERMS_MAX)
    if not words or not scopes:
        return NOTHING
    clauses = " ".join(f"+({' '.join(f'{field}:{_begun(word)}' for field in fields)})" for word in words)
    return f"+({' '.join(f'scope_user:{scope}' for scope in scopes)})^0 {clauses}"


def _runs(word: str) -> list[str]:
    """A word cut where the script changes, as the analyzer does."""
    return [part for part in re.split(f"({_CJK.pattern})", word) if part]


def _begun(word: str) -> str:
    if not _CJK.fullmatch(word):
        return f"{word}*"
    # The index holds pairs of characters, of which a single one is a part.
    return f"*{word}*" if len(word) == 1 else f'"{word}"'


def forms_query(tokens: Sequence[str]) -> str:
    """A query for entities that share one of the tokens of a name; no token means it finds nothing."""
    return " ".join(f"form_tokens:{token}" for token in tokens) or NOTHING


def _tolerant(word: str) -> str:
    return f"{word}~1" if len(word) > 3 and word.isascii() else _term(word)


def _term(word: str) -> str:
    return f'"{word}"' if word.upper() in _OPERATORS else word
