"""Measure rankings and refusals, and summarise them by data set and category, as a JSON document and as tables. Pure.

Gold is the non-empty set of relevant ids; an order lists each id once, best first. The measures equal those of
ir-measures (R@k, Success@k, nDCG@k, RR), which is not used because it requires scipy.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from graph_service.evaluation.dataset import Conversation
from graph_service.evaluation.everyday_memories import CONTEXT_TOKENS, summarise
from graph_service.evaluation.run import (
    BM25,
    DENSE,
    HITS_MAX,
    HITS_READ,
    OURS,
    EvaluationRun,
    EverydayRun,
)
from graph_service.observability.columns import Columns

RECALL_DEPTHS: Final = (5, 10, 20, 50)
TOP: Final = 10
# Names of the measures of each question.
MEASURES: Final = (*(f"recall@{depth}" for depth in RECALL_DEPTHS), f"hit@{TOP}", f"ndcg@{TOP}", "mrr")
_RESAMPLES: Final = 1_000
_SEED: Final = 20_240_401


def ranking_measures(order: Sequence[str], gold: AbstractSet[str]) -> dict[str, float]:
    """Return all measures of one question, by name; nDCG with binary relevance."""
    hits = [item in gold for item in order]
    gains = [1 / math.log2(rank + 1) for rank in range(1, TOP + 1)]
    gained = sum(gain for gain, is_hit in zip(gains, hits, strict=False) if is_hit)
    return {
        **{f"recall@{depth}": sum(hits[:depth]) / len(gold) for depth in RECALL_DEPTHS},
        f"hit@{TOP}": float(any(hits[:TOP])),
        f"ndcg@{TOP}": gained / sum(gains[: len(gold)]),
        "mrr": 1 / (hits.index(True) + 1) if any(hits) else 0.0,
    }


def means(by_conversation: Mapping[str, Sequence[Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """Return the mean (`value`) of each measure over all questions, equally weighted, and its 95 % interval.

    The intervals, `low` to `high`, come from a two-stage bootstrap: conversations are drawn with replacement, then
    questions within each. They are reproducible.

    Args:
        by_conversation: measures of the questions by conversation; at least one question.
    """
    groups = [
        np.array([[row[name] for name in MEASURES] for row in by_conversation[key]], dtype=np.float64)
        for key in sorted(by_conversation)
        if by_conversation[key]
    ]
    random = np.random.default_rng(_SEED)
    chosen = random.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=_RESAMPLES)
    sums, questions_n = np.zeros((_RESAMPLES, len(MEASURES))), np.zeros((_RESAMPLES, 1))
    for place, group in enumerate(groups):
        # Counts of draws by question instead of the draws themselves, to bound memory.
        draws = chosen[:, place] * len(group)
        sums += random.multinomial(draws, np.full(len(group), 1 / len(group))) @ group
        questions_n[:, 0] += draws
    low, high = np.percentile(sums / questions_n, (2.5, 97.5), axis=0)
    middle = np.concatenate(groups).mean(axis=0)
    return {
        name: {"value": float(middle[place]), "low": float(low[place]), "high": float(high[place])}
        for place, name in enumerate(MEASURES)
    }


def refusal_scores(refused: Sequence[bool], unanswerable: Sequence[bool]) -> dict[str, float]:
    """Return `precision`, `recall` and `f1` of refusing as a classifier of unanswerable questions; 0 for 0 of 0."""
    both = sum(1 for is_refused, true in zip(refused, unanswerable, strict=True) if is_refused and true)
    precision = both / sum(refused) if any(refused) else 0.0
    recall = both / sum(unanswerable) if any(unanswerable) else 0.0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def percentile(values: Sequence[float], share: float) -> float:
    """Return the quantile by linear interpolation; 0 for no values."""
    return float(np.percentile(values, share * 100)) if values else 0.0


FORMAT: Final = 2
ALL: Final = "all"
_NAMES: Final = {OURS: "Mnemoscene", BM25: "BM25", DENSE: "dense"}
_HEADS: Final = ("R@5", "R@10", "R@20", "R@50", "hit@10", "nDCG@10", "MRR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The measures of a system on a category of a data set; `all` means every category or data set."""

    dataset: str
    category: str
    system: str
    questions: int
    measures: Mapping[str, Mapping[str, float]]


def lines_of(run: EvaluationRun) -> list[Line]:
    """Return one line for each data set, category and system, in this order."""
    datasets = sorted({conversation.dataset for conversation in run.conversations})
    lines = []
    for dataset in [*datasets, *([ALL] if len(datasets) > 1 else [])]:
        mine = {n: one for n, one in enumerate(run.conversations) if dataset in (ALL, one.dataset)}
        categories = sorted({question.category for one in mine.values() for question in one.answerable})
        for category in [*(categories if dataset != ALL and len(categories) > 1 else []), ALL]:
            for system, orders in run.orders.items():
                rows = {
                    f"{n:06}": [
                        ranking_measures(order, question.gold)
                        for order, question in zip(orders[n], conversation.answerable, strict=True)
                        if category in (ALL, question.category)
                    ]
                    for n, conversation in mine.items()
                }
                if questions_n := sum(map(len, rows.values())):
                    lines.append(
                        Line(
                            dataset=dataset,
                            category=category,
                            system=system,
                            questions=questions_n,
                            measures=means(rows),
                        )
                    )
    return lines


def document_of(run: EvaluationRun, *, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report as plain values; keys change only with `format`.

    Args:
        about: further top-level entries, such as version and embedder.
    """
    return {
        "format": FORMAT,
        **about,
        "facts": run.plan.facts.value,
        "captions": run.plan.captions,
        "facts_dropped": run.facts_dropped,
        "concurrency": run.plan.concurrency,
        "hits": HITS_MAX,
        "data": list(_data(run.conversations)),
        "lines": [
            asdict(line)
            | {
                "measures": {
                    name: {key: round(n, 4) for key, n in mean.items()} for name, mean in line.measures.items()
                }
            }
            for line in lines_of(run)
        ],
        "cost": cost_of(run),
        "abstention": abstention_of(run),
        "seconds": run.seconds,
    }


def cost_of(run: EvaluationRun) -> dict[str, Any]:
    """Return throughput of indexing, and latency, round trips and tokens of recalls."""
    took_ms = [one.took_ms for one in run.recalled]
    trips = [one.round_trips for one in run.recalled]
    tokens = [one.tokens for one in run.recalled]
    messages_n = sum(len(one.messages) for one in run.conversations)
    indexing_s = run.seconds.get("indexing", 0.0)
    return {
        "messages": messages_n,
        "messages_per_s": round(messages_n / indexing_s, 1) if indexing_s else 0.0,
        "recalls": len(took_ms),
        "recall_p50_ms": round(percentile(took_ms, 0.5), 1),
        "recall_p95_ms": round(percentile(took_ms, 0.95), 1),
        "round_trips_p50": percentile(trips, 0.5),
        "round_trips_most": max(trips, default=0),
        f"tokens_of_{HITS_READ}_hits": round(sum(tokens) / len(tokens)) if tokens else 0,
    }


def abstention_of(run: EvaluationRun) -> list[dict[str, Any]]:
    """Return how well the service's `nothingRelevant` tells unanswerable questions, for each data set.

    Unanswerable questions: `foreign` are those of other conversations; `own` are marked so by the data set.
    """
    rows = []
    answerable = [pair for pair in run.asked if not pair[0].foreign]
    for without, pairs in (("foreign", run.asked), ("own", [*answerable, *run.unanswerable])):
        by_dataset: dict[str, list[tuple[bool, bool]]] = {}
        for trial, recalled in pairs:
            dataset = run.conversations[trial.conversation].dataset
            by_dataset.setdefault(dataset, []).append((recalled.refused, trial.foreign))
        for dataset, outcomes in sorted(by_dataset.items()):
            refused, foreign = zip(*outcomes, strict=True)
            if any(foreign):
                scores = refusal_scores(refused, foreign)
                rows.append(
                    {
                        "dataset": dataset,
                        "without_answer": without,
                        "questions": len(foreign),
                        "of_these_without": sum(foreign),
                        **{name: round(value, 4) for name, value in scores.items()},
                    }
                )
    return rows


def tables_of(document: Mapping[str, Any]) -> list[Columns]:
    parts = [
        _quality(dataset, [line for line in document["lines"] if line["dataset"] == dataset])
        for dataset in dict.fromkeys(line["dataset"] for line in document["lines"])
    ]
    if document["abstention"]:
        parts.append(_abstention(document["abstention"]))
    cost = {**document["cost"], **{f"seconds: {name}": value for name, value in document["seconds"].items()}}
    return [*parts, Columns(title="cost", rows=[("", [name.replace("_", " "), f"{n:,}"]) for name, n in cost.items()])]


def _quality(dataset: str, lines: Sequence[Mapping[str, Any]]) -> Columns:
    header = ("category", "system", "asked", *_HEADS, "R@10, 95 %")
    rows = [
        (
            "",
            [
                line["category"],
                _NAMES[line["system"]],
                str(line["questions"]),
                *(f"{line['measures'][name]['value']:.3f}" for name in MEASURES),
                "{low:.3f}-{high:.3f}".format(**line["measures"]["recall@10"]),
            ],
        )
        for line in lines
    ]
    return Columns(title=dataset, header=header, rows=rows, right=range(2, len(header)))


def _abstention(rows: Sequence[Mapping[str, Any]]) -> Columns:
    names = ("dataset", "without_answer", "questions", "of_these_without", "precision", "recall", "f1")
    return Columns(
        title="questions without an answer in this memory",
        header=[name.replace("_", " ") for name in names],
        rows=[
            ("", [f"{row[name]:.3f}" if isinstance(row[name], float) else str(row[name]) for name in names])
            for row in rows
        ],
        right=range(3, len(names)),
    )


def _data(conversations: Sequence[Conversation]) -> Iterator[dict[str, Any]]:
    for dataset in sorted({one.dataset for one in conversations}):
        mine = [one for one in conversations if one.dataset == dataset]
        yield {
            "dataset": dataset,
            "lang": mine[0].lang,
            "licence": mine[0].licence,
            "conversations": len(mine),
            "messages": sum(len(one.messages) for one in mine),
            "questions": sum(len(one.answerable) for one in mine),
        }


def everyday_document_of(run: EverydayRun) -> dict[str, Any]:
    took_ms = [answer.took_ms for answer in run.answers]
    return {
        "facts": run.facts.value,
        "facts_dropped": run.facts_dropped,
        **summarise(run.answers),
        "recall_and_context_p50_ms": round(percentile(took_ms, 0.5), 1),
        "recall_and_context_p95_ms": round(percentile(took_ms, 0.95), 1),
        "seconds": run.seconds,
    }


_EVERYDAY_COLUMNS: Final = {
    "answer@1": "@1",
    "answer@3": "@3",
    "answer@5": "@5",
    "stale@1": "stale@1",
    "mrr": "MRR",
    "doubt": "doubt",
    "context": f"ctx@{CONTEXT_TOKENS}",
    "not told": "not told",
    "tempted": "tempted",
}


def everyday_table(document: dict[str, Any]) -> Columns:
    """Return the figures as a table: all questions, then each category, then each language."""
    rows = [
        (
            "",
            [
                name.removeprefix("category "),
                str(scores["questions"]),
                *(f"{scores[one]:.2f}" if one in scores else "" for one in _EVERYDAY_COLUMNS),
            ],
        )
        for name, scores in document["groups"].items()
    ]
    header = ("questions", "asked", *_EVERYDAY_COLUMNS.values())
    title = f"everyday memories ({document['memories']}), facts: {document['facts']}"
    return Columns(title=title, header=header, rows=rows, right=range(1, len(header)))
