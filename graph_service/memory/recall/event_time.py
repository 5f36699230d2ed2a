"""Date the event that a question names instead of a time: "before the wedding", 搬家以后. Pure.

The statement `recall/event_times` finds messages with words of the event. Of those with all words, the latest that
names a time dates the event, because plans change. If none names a time, the day of the latest message is taken.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Any, Final

from extraction.query_analysis import QueryAnalysis
from extraction.temporal.question_time import EventAnchor, event_range
from extraction.text.fulltext_words import words_in
from extraction.text.search_terms import both_spellings, word_counts
from extraction.text.sentences import has_cjk
from graph_service.graph.lucene import NOTHING, scoped_query
from graph_service.memory.recall.query import ResolvedQuestion
from schema.ids import scope_token
from schema.timespan import as_utc

# Messages of each full-text index that are compared with the words of the event.
_MESSAGES: Final = 30
# A message about a longer time does not say when an event was.
_EVENT_MAX: Final = timedelta(days=93)
_READ_CHARS: Final = 2_000
# The message is about something related to the event: "shoes for the wedding", 婚礼前.
_RELATED_EN: Final = r"\b(?:for|about|before|after|until|till|since|without)\s+(?:\w+\s+){0,2}?"
_RELATED_ZH: Final = r"(?:前|后|之前|之后|以前|以后|的礼|要用|穿的)"


def event_parameters(asked: ResolvedQuestion, analysis: QueryAnalysis) -> dict[str, Any]:
    """Return the parameters of `recall/event_times` for the first event of the question."""
    scope = scope_token(asked.tenant, asked.question.user_id)
    words = both_spellings(words_in(analysis.anchors[0].words))
    query = scoped_query(words, fields=["text"], scope_user=scope, days=False)
    known_at = asked.moments.known_at
    return {
        "tenant": asked.tenant,
        "user_id": asked.question.user_id,
        "words_query": query,
        "stems_query": NOTHING if any(map(has_cjk, words)) else query,
        "known_at": None if known_at is None else as_utc(known_at).astimezone(UTC),
        "limit": _MESSAGES,
    }


def with_event_time(
    analysis: QueryAnalysis, rows: Sequence[Mapping[str, Any]], question: str, *, zone: tzinfo
) -> tuple[QueryAnalysis, tuple[str, ...]]:
    """Return the analysis with `event_time`, and a note with the date of the event.

    If no message dates the event, the analysis is unchanged, and the note says so.

    Args:
        rows: rows of `recall/event_times`, best first.
        zone: the zone in which days begin and the note is written.
    """
    anchor = analysis.anchors[0]
    event = event_time(anchor, rows, zone=zone)
    if event is None:
        return analysis, (f"no message says when “{anchor.words}” was",)
    start, last = (moment.astimezone(zone) for moment in event)
    day, last_day = start.date(), (last - timedelta(microseconds=1)).date()
    when = f"{day}" if day == last_day else f"{day} to {last_day}"
    around = event_range(anchor, question, start, last)
    return replace(analysis, event_time=around), (f"“{anchor.words}” was or is on {when}, as the memory knows",)


def event_time(
    anchor: EventAnchor, rows: Sequence[Mapping[str, Any]], *, zone: tzinfo
) -> tuple[datetime, datetime] | None:
    """Return start and end of an event; None if no message names it."""
    named = [row for row in rows if _names(row["text"][:_READ_CHARS], anchor.words)]
    if not named:
        return None
    return max((_dated_by(row, anchor.words, zone) for row in named), key=lambda dated: dated[0])[1]


def _dated_by(
    row: Mapping[str, Any], words: str, zone: tzinfo
) -> tuple[tuple[bool, bool, datetime], tuple[datetime, datetime]]:
    """Return a sort key, the most reliable message highest, and start and end of the event according to a message."""
    said_at: datetime = row["said_at"]
    start, end = row["mentioned_start"], row["mentioned_end"]
    about_it = not _is_only_related(row["text"][:_READ_CHARS], words)
    if start is not None and end is not None and end - start <= _EVENT_MAX:
        return (about_it, True, said_at), (start, max(end, start + timedelta(hours=1)))
    day = datetime.combine(said_at.astimezone(zone).date(), time(), zone)
    return (about_it, False, said_at), (day, day + timedelta(days=1))


def _names(text: str, words: str) -> bool:
    """Return whether a text has all words of an event, in any form."""
    wanted, folded = words_in(words), text.casefold()
    chinese = [word for word in wanted if has_cjk(word)]
    stems = word_counts(" ".join(word for word in wanted if not has_cjk(word)), "en").stems.keys()
    found = word_counts(text, "en").stems if stems else ()
    return bool(wanted) and all(stem in found for stem in stems) and all(_has(folded, word) for word in chinese)


def _has(text: str, word: str) -> bool:
    """Return whether a text has a run of Chinese characters, with others between them: 搬家 in 搬了家."""
    return word in text or re.search(".{0,2}".join(map(re.escape, word[:8])), text) is not None


def _is_only_related(text: str, words: str) -> bool:
    wanted = words_in(words)
    last = re.escape(wanted[-1])
    pattern = rf"{last}{_RELATED_ZH}" if has_cjk(wanted[-1]) else rf"{_RELATED_EN}{last}"
    return re.search(pattern, text.casefold()) is not None
