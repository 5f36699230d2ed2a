"""Cut one page of an answer from the ranked hits: minimum score, cursor and snippets. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from extraction.text.passages import passage
from extraction.text.search_terms import Terms
from graph_service.memory.recall.candidates import Hit, Removed
from graph_service.memory.recall.cursor import CursorState, cursor_of, mark_of
from graph_service.memory.recall.query import ResolvedQuestion


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
    terms: Terms,
) -> ResultPage:
    """Return the requested page of all hits, which are ranked best first.

    Args:
        terms: terms of the question, for the snippets.
    """
    high, low = above(ranked, asked.question.filters.score_min)
    hits, cursor = page_of(high, asked.shown, asked.key, limit=asked.question.limit)
    return ResultPage(
        hits=tuple(replace(hit, snippet=passage(hit.candidate.text, terms)) for hit in hits),
        removed=low,
        next_cursor=cursor,
    )


def above(hits: Sequence[Hit], score_min: float | None) -> tuple[list[Hit], tuple[Removed, ...]]:
    """Return the hits with at least this score, and the number removed."""
    kept = [hit for hit in hits if score_min is None or hit.score >= score_min]
    removed_n = len(hits) - len(kept)
    return kept, (Removed(reason=f"score below {score_min:g}", count=removed_n),) if removed_n else ()


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
