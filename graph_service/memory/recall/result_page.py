"""Cut one page of an answer from the ranked hits: recent access, minimum score, cursor and snippets. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import exp, log
from typing import Final

from graph_service.memory.recall.candidates import Candidate, Hit, Removed
from graph_service.memory.recall.cursor import CursorState, cursor_of, mark_of
from graph_service.memory.recall.query import ResolvedQuestion

_FRESH_HALF_LIFE_DAYS: Final = 30.0
_SNIPPET_CHARS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """One page of an answer.

    Attributes:
        removed: number of hits with too low a score.
        next_cursor: cursor of the next page; None on the last.
    """

    hits: tuple[Hit, ...]
    removed: tuple[Removed, ...]
    next_cursor: str | None


def page(
    ranked: Sequence[Hit],
    asked: ResolvedQuestion,
    *,
    words: Sequence[str],
    used_at: Mapping[str, datetime],
    access_weight: float,
) -> ResultPage:
    """Return the requested page of all hits, which are ranked best first.

    Args:
        words: words of the question, for the snippets.
        used_at: last access by id of message or scene.
        access_weight: weight of recent access; 0 ignores it.
    """
    fresh = with_access(ranked, used_at, access_weight, now=asked.now)
    high, low = above(fresh, asked.question.filters.score_min)
    hits, cursor = page_of(high, asked.shown, asked.key, limit=asked.question.limit)
    return ResultPage(
        hits=tuple(replace(hit, snippet=snippet(hit.candidate.text, words)) for hit in hits),
        removed=low,
        next_cursor=cursor,
    )


def above(hits: Sequence[Hit], score_min: float | None) -> tuple[list[Hit], tuple[Removed, ...]]:
    """Return the hits with at least this score, and the number removed."""
    kept = [hit for hit in hits if score_min is None or hit.score >= score_min]
    removed_n = len(hits) - len(kept)
    return kept, (Removed(reason=f"score below {score_min:g}", count=removed_n),) if removed_n else ()


# Recent access


def with_access(hits: Sequence[Hit], used_at: Mapping[str, datetime], weight: float, *, now: datetime) -> list[Hit]:
    """Return the hits, ranked again by their scores plus a part for recent access."""
    if weight <= 0:
        return list(hits)
    fresh = [_with_part(hit, round(weight * _freshness(hit.candidate, used_at, now), 6)) for hit in hits]
    return sorted(fresh, key=lambda hit: (-hit.score, hit.candidate.kind, hit.candidate.id))


def _with_part(hit: Hit, part: float) -> Hit:
    return replace(hit, score=round(hit.score + part, 6), parts={**hit.parts, "access": part})


def _freshness(one: Candidate, used_at: Mapping[str, datetime], now: datetime) -> float:
    age_days = max((now - last_touched(one.said_at, used_at.get(one.id))).total_seconds() / 86_400, 0.0)
    return exp(-log(2) * age_days / _FRESH_HALF_LIFE_DAYS)


def last_touched(said_at: datetime, last_accessed: datetime | None) -> datetime:
    """Return when an element was said or last accessed, whichever is later."""
    return said_at if last_accessed is None else max(said_at, last_accessed)


# Pages


def page_of(hits: Sequence[Hit], shown: CursorState, key: str, *, limit: int) -> tuple[list[Hit], str | None]:
    """Return the next hits that were not shown, and the cursor of the following page; None if there is none."""
    # On the first page compute no marks, because those of all hits would take as long as ranking.
    left = [hit for hit in hits if _mark(hit) not in shown.marks] if shown.marks else hits
    page = list(left[:limit])
    if len(left) <= limit:
        return page, None
    marks = shown.marks.union(_mark(hit) for hit in page)
    return page, cursor_of(CursorState(asked_at=shown.asked_at, marks=marks), key)


def _mark(hit: Hit) -> bytes:
    return mark_of(hit.candidate.kind, hit.candidate.id)


# Snippets


def snippet(text: str, words: Sequence[str], *, chars_max: int = _SNIPPET_CHARS, before: int = 30) -> str:
    """Return a text, cut to the part around the first of the words if it is long, with ellipses.

    Args:
        before: number of characters before that word.
    """
    flat = " ".join(text.split())
    if len(flat) <= chars_max:
        return flat
    folded = flat.casefold()
    places = [place for word in words if (place := folded.find(word)) >= 0]
    start = max(min(min(places, default=0) - before, len(flat) - chars_max + 2), 0)
    cut = flat[start : start + chars_max - 2]
    return f"{'…' if start else ''}{cut}{'…' if start + len(cut) < len(flat) else ''}"
