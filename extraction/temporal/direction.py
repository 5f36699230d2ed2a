"""Decide whether a recurring time ("on 12 June", 周五) lies before or after the moment of speaking. Pure.

Tense, aspect and the verb decide: plans and appointments look forward, memories look back. Of several verbs the nearest
one that governs the time counts. `expressions.recurring` and the like then choose the occurrence.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from extraction.temporal.expressions_by_table import TimeTable, table_of
from extraction.text.lexicon_en import word_set
from extraction.text.sentences import has_cjk
from extraction.text.toml_files import patterns_of, toml_of

# Characters read on either side of a time.
_READ_CHARS: Final = 160
_TABLES: Final = toml_of("extraction.temporal", "direction.toml")
_WORDS: Final = {key: word_set(words) for key, words in _TABLES["words"].items()}
_EN: Final = patterns_of(_TABLES["english"], {})
_ZH: Final = patterns_of(_TABLES["chinese"], {})


class Direction(StrEnum):
    """Position of a recurring time relative to the moment of speaking.

    OPEN if the words allow both: the nearest occurrence is meant. REPEATED if every occurrence is meant.
    """

    PAST = "past"
    FUTURE = "future"
    OPEN = "open"
    REPEATED = "repeated"


def direction_of(text: str, start: int, end: int) -> Direction:
    """Return the direction of the recurring time at `text[start:end]`.

    Args:
        text: normalized by `phrases.plain`.
    """
    before, after = text[max(start - _READ_CHARS, 0) : start], text[end : end + _READ_CHARS]
    if (table := table_of(text)) is not None:
        return _by_table(table, before, after)
    if has_cjk(text[start:end]) or (has_cjk(before[-8:]) or has_cjk(after[:8])):
        return _chinese(before, after)
    return _english(before.replace("’", "'"), after.replace("’", "'"))


@dataclass(frozen=True, slots=True)
class _Around:
    """The text around a time: the rest of its clause and of its sentence, on either side."""

    sentence_before: str
    clause_before: str
    clause_after: str
    sentence_after: str


def _around(before: str, after: str, sentence_end: re.Pattern[str], clause_end: re.Pattern[str]) -> _Around:
    sentence_before, sentence_after = _last_piece(before, sentence_end), _first_piece(after, sentence_end)
    return _Around(
        sentence_before=sentence_before,
        clause_before=_last_piece(sentence_before, clause_end),
        clause_after=_first_piece(sentence_after, clause_end),
        sentence_after=sentence_after,
    )


def _last_piece(text: str, ends: re.Pattern[str]) -> str:
    content_end = len(text.rstrip(" \"'“”("))
    cuts = [match.end() for match in ends.finditer(text) if match.end() < content_end]
    return text[cuts[-1] :] if cuts else text


def _first_piece(text: str, ends: re.Pattern[str]) -> str:
    cut = ends.search(text)
    return text[: cut.start()] if cut else text


# By table


def _by_table(table: TimeTable, before: str, after: str) -> Direction:
    """Return the direction by words of the clause, or else of the sentence."""
    if table.since.search(before):
        return Direction.PAST
    around = _around(before, after, _SENTENCE_END, _CLAUSE_END)
    for words in (f"{around.clause_before};{around.clause_after}", f"{around.sentence_before};{around.sentence_after}"):
        if table.habit.search(words):
            return Direction.REPEATED
        ahead, behind = table.future.search(words) is not None, table.past.search(words) is not None
        if found := _one_of(ahead=ahead, behind=behind):
            return found
    return Direction.OPEN


# English

_SENTENCE_END: Final = re.compile(r"[.!?;:\n。！？；](?:\s|$)|\s[-–—]+\s|—")
_CLAUSE_END: Final = re.compile(r",\s|\s(?=(?:but|so|because|although|though|which|before|after)\s)")
_WORD: Final = re.compile(r"'(?:s|re|m|ve|ll|d)\b|[a-z]+n't\b|[a-z]+(?:-[a-z]+)*")


def _english(before: str, after: str) -> Direction:
    around = _around(before, after, _SENTENCE_END, _CLAUSE_END)
    return (
        _by_phrase_en(around)
        or _by_governing_verb(around)
        or (Direction.FUTURE if _EN["pending"].search(f"{around.sentence_before};{around.clause_after}") else None)
        or _tense(around.sentence_before, backwards=True)
        or _tense(around.sentence_after)
        or _tense(before, backwards=True)
        or _tense(after)
        or Direction.OPEN
    )


def _by_phrase_en(around: _Around) -> Direction | None:
    """Return the direction by fixed phrases, which take precedence over the verb; None without one."""
    first = next(iter(_WORD.findall(around.clause_after)), "")
    if _EN["habit"].search(f"{around.clause_before};{around.clause_after}"):
        return Direction.REPEATED
    # The time belongs to the subject: "Dinner on Friday was a disaster".
    if (
        first in _WORDS["past_be"]
        or _EN["since"].search(around.clause_before)
        or _EN["looking_back"].search(around.sentence_before)
    ):
        return Direction.PAST
    if first in ("is", "are", "will") or _EN["moved_to"].search(around.sentence_before):
        return Direction.FUTURE
    if _EN["would_have"].search(f"{around.sentence_before};{around.clause_after}"):
        return Direction.PAST
    if _EN["ahead"].search(around.sentence_before) and not _EN["called_off"].search(around.sentence_before):
        return Direction.FUTURE
    return None


def _by_governing_verb(around: _Around) -> Direction | None:
    """Return the direction by the nearest verb of the clause: the last before the time, or else the first after it."""
    before = _tense(around.clause_before, backwards=True)
    if _EN["for"].search(around.clause_before):
        # "Tickets for 9 November", but "they came for Thanksgiving".
        return Direction.PAST if before is Direction.PAST else Direction.FUTURE
    if before is Direction.PAST and _EN["until"].search(around.clause_before):
        # "She lent it to me till June", but "it was valid until June".
        return Direction.PAST if _WORDS["past_be"] & {*_WORD.findall(around.clause_before)} else Direction.OPEN
    return before or _tense(around.clause_after)


def _tense(text: str, *, backwards: bool = False) -> Direction | None:
    """Return the direction by the verb nearest to the time, or None without a verb."""
    words = _WORD.findall(text)
    for at in reversed(range(len(words))) if backwards else range(len(words)):
        if found := _tense_of_word(words, at):
            return found
    return None


def _tense_of_word(words: list[str], at: int) -> Direction | None:
    """Return the direction by the tense of one verb; None if the word is no verb, or a participle after "be"."""
    word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
    lead = [
        other for other in words[max(at - 3, 0) : at] if other not in _WORDS["skipped"] and not other.endswith("ly")
    ]
    before = lead[-1] if lead else ""
    if word in _WORDS["reported_plan"]:
        return Direction.FUTURE if following in ("like", "love") else Direction.OPEN
    if word in _WORDS["intended"] and following == "to" and (word != "going" or {"was", "were"} & set(lead)):
        return Direction.OPEN
    if word == "got" and before in _WORDS["have"]:
        return Direction.FUTURE
    if word in _WORDS["past"] or (word.endswith("ed") and len(word) > 3 and word not in _WORDS["no_past"]):
        # After "is" or "be" the auxiliary decides: "should be finished", "is deployed".
        return None if before in _WORDS["determiners"] or before in _WORDS["be"] else Direction.PAST
    if word in _WORDS["have"] and following in ("been", "had"):
        return Direction.PAST
    return Direction.FUTURE if _is_present(word, before, following, first=at == 0) else None


def _is_present(word: str, before: str, following: str, *, first: bool) -> bool:
    if word.endswith("ing") and word not in _WORDS["no_gerunds"]:
        return first or (before in _WORDS["be"] and before not in ("be", "get", "gets"))
    if word == "'s":
        return (
            not following
            or following in _WORDS["after_is"]
            or (following.endswith("ing") and following not in _WORDS["no_gerunds"])
        )
    if word in _WORDS["base_forms"]:
        return first or before in _WORDS["subjects"] or (before.endswith("s") and before not in _WORDS["be"])
    return word in _WORDS["future"] and before not in _WORDS["determiners"] and before not in ("to", "of", "been")


# Chinese

_CLAUSE_END_ZH: Final = re.compile(r"[，,；;：:\s]|——")
_SENTENCE_END_ZH: Final = re.compile(r"[。！？!?\n]")


def _chinese(before: str, after: str) -> Direction:
    around = _around(before, after, _SENTENCE_END_ZH, _CLAUSE_END_ZH)
    found = _by_phrase_zh(around.clause_before, around.clause_after) or _by_aspect(around)
    if found is not None and found is not Direction.OPEN:
        return found
    return _by_other_clauses(around)


def _by_phrase_zh(clause_before: str, clause_after: str) -> Direction | None:
    """Return the direction by fixed phrases, which take precedence over the aspect; None without one."""
    if _ZH["repeated"].match(clause_after) or _ZH["counted"].search(clause_before):
        return Direction.REPEATED
    if _ZH["former_plan"].search(clause_before):
        return Direction.OPEN
    if _ZH["ahead_before"].search(clause_before):
        return Direction.FUTURE
    if _ZH["last"].search(clause_before):
        return Direction.PAST
    if _ZH["ticket"].match(clause_after) and not _ZH["happened"].search(clause_after):
        return Direction.FUTURE
    return None


def _by_aspect(around: _Around) -> Direction | None:
    """Return the direction by modal verbs and aspect markers after the time in its clause; None without one."""
    before, after = around.clause_before, around.clause_after
    ahead, behind = _ZH["future"].search(after), _ZH["past"].search(_ZH["no_perfect"].sub(" ", after))
    if _ZH["since"].search(before) and _ZH["since_after"].match(after) and not ahead:
        return Direction.PAST
    found = _one_of(ahead=ahead is not None, behind=behind is not None)
    if found is Direction.PAST and _ZH["reached"].search(after) and not _ZH["done"].search(after):
        return Direction.OPEN
    return Direction.FUTURE if found is None and _ZH["ahead_in"].search(before) else found


def _by_other_clauses(around: _Around) -> Direction:
    earlier = around.sentence_before.removesuffix(around.clause_before)
    aside = f"{earlier}，{around.sentence_after.removeprefix(around.clause_after)}"
    ahead, behind = _ZH["aside_future"].search(aside), _ZH["aside_past"].search(aside)
    return _one_of(ahead=ahead is not None, behind=behind is not None) or Direction.OPEN


def _one_of(*, ahead: bool, behind: bool) -> Direction | None:
    """Return the direction of a future or past cue; OPEN with both, None without any."""
    if ahead and behind:
        return Direction.OPEN
    return Direction.FUTURE if ahead else Direction.PAST if behind else None
