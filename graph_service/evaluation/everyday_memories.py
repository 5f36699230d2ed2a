"""Score the answers to the questions of everyday memories. Pure.

Unlike in published conversations, the *text* of a hit is judged: it is right if it matches an answer pattern, and stale
if it matches only patterns of outdated or wrong values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph_service.evaluation.dataset import Conversation, Question, compiled

CONTEXT_TOKENS: Final = 300
ALL: Final = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The service's answer to one question.

    Attributes:
        hits: texts of the hits, best first.
        nothing_relevant: the service reported that the memory probably contains no answer.
        context: text of a context of at most `CONTEXT_TOKENS` tokens.
    """

    memory: Conversation
    question: Question
    hits: tuple[str, ...]
    nothing_relevant: bool
    context: str
    took_ms: float


def answer_scores(answer: Answer) -> dict[str, float]:
    """Return the scores of one question by name, each 0 or 1 (`mrr`: 0 to 1).

    Answerable: `answer@1`, `answer@3`, `answer@5`, `mrr`, `doubt` (the service reported `nothingRelevant`), `context`,
    and `stale@1` if it has stale patterns. Unanswerable: `not told` (the service did not report `nothingRelevant`) and
    `tempted` (likewise, and the first hit is stale).
    """
    question = answer.question
    first = answer.hits[:1]
    if not question.answerable:
        tempted = bool(first) and not answer.nothing_relevant and _matches_any(question.stale, first[0])
        return {"not told": float(not answer.nothing_relevant), "tempted": float(tempted)}
    ranks = (place for place, text in enumerate(answer.hits, start=1) if _matches_any(question.answer, text))
    scores = {
        **{f"answer@{depth}": float(_contains_answer(question, answer.hits[:depth])) for depth in (1, 3, 5)},
        "mrr": next((1 / place for place in ranks), 0.0),
        "doubt": float(answer.nothing_relevant),
        "context": float(_contains_answer(question, (answer.context,))),
    }
    if question.stale:
        stale = bool(first) and _matches_any(question.stale, first[0]) and not _matches_any(question.answer, first[0])
        scores["stale@1"] = float(stale)
    return scores


def _contains_answer(question: Question, texts: Sequence[str]) -> bool:
    """Return whether the texts together contain the answer; for a list, every item."""
    items = question.all_of or [question.answer]
    return all(any(_matches_any(item, text) for text in texts) for item in items)


def _matches_any(patterns: Sequence[str], text: str) -> bool:
    return any(compiled(pattern).search(text) for pattern in patterns)


def summarise(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the mean scores overall, by category and by language, and the details of wrong answers."""
    rows = [(answer, answer_scores(answer)) for answer in answers]
    groups: dict[str, list[dict[str, float]]] = {}
    for answer, row in rows:
        # Answerable and unanswerable questions have different scores, so their means do not mix.
        for name in (ALL, f"category {answer.question.category}", f"language {answer.memory.lang}"):
            groups.setdefault(name, []).append(row)
    return {
        "questions": len(rows),
        "memories": len({answer.memory.id for answer in answers}),
        "context_tokens": CONTEXT_TOKENS,
        "groups": {name: _means(groups[name]) for name in sorted(groups, key=lambda one: (one != ALL, one))},
        "wrong": [
            _miss_details(answer, row) for answer, row in rows if row.get("answer@1", 1.0) < 1 or row.get("doubt")
        ],
    }


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row)
    means: dict[str, float] = {"questions": len(rows)}
    for name in names:
        values = [row[name] for row in rows if name in row]
        means[name] = round(sum(values) / len(values), 4)
    return means


def _miss_details(answer: Answer, row: Mapping[str, float]) -> dict[str, Any]:
    """Return the details of a question whose first hit was wrong or that got `nothingRelevant`, for debugging."""
    return {
        "id": answer.question.id,
        "category": answer.question.category,
        "question": answer.question.question,
        "answer": answer.question.answer,
        "figures": {name: value for name, value in row.items() if name != "mrr"},
        "hits": [text[:160] for text in answer.hits[:5]],
    }
