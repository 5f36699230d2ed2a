"""What an evaluation found: counted by data set and category, as one JSON document and as tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table

from graph_service.evaluation.abstention import Asking, refusing
from graph_service.evaluation.dataset import Conversation
from graph_service.evaluation.metrics import MEASURES, Judged, Mean, judged, means, measured, percentile
from graph_service.evaluation.questions import HITS_MAX, HITS_READ, Recalled
from graph_service.evaluation.run import BM25, DENSE, OURS, Figures

FORMAT: Final = 1
ALL: Final = "all"
_NAMES: Final = {OURS: "Mnemograph", BM25: "BM25", DENSE: "dense"}
_HEADS: Final = ("R@5", "R@10", "R@20", "R@50", "hit@10", "nDCG@10", "MRR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One system on one category of one data set; `all` stands for every category, and for all data sets together."""

    dataset: str
    category: str
    system: str
    questions: int
    measures: Mapping[str, Mean]


def lines_of(figures: Figures) -> list[Line]:
    """Return every line, data sets by name with their categories, the systems beside each other."""
    datasets = sorted({one.dataset for one in figures.conversations})
    return [
        line
        for dataset in [*datasets, *([ALL] if len(datasets) > 1 else [])]
        for category in _categories(figures.conversations, dataset)
        for line in _lines(figures, dataset, category)
    ]


def document_of(figures: Figures, *, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return everything as plain values, its keys stable under one `format`.

    Args:
        about: the version, the embedder and so on.
    """
    return {
        "format": FORMAT,
        **about,
        "facts": figures.plan.facts.value,
        "captions": figures.plan.captions,
        "facts_dropped": figures.facts_dropped,
        "concurrency": figures.plan.concurrency,
        "hits": HITS_MAX,
        "data": list(_data(figures.conversations)),
        "lines": [
            {**asdict(line), "measures": {name: _rounded(mean) for name, mean in line.measures.items()}}
            for line in lines_of(figures)
        ],
        "cost": cost_of(figures),
        "abstention": abstention_of(figures),
        "seconds": figures.seconds,
    }


def cost_of(figures: Figures) -> dict[str, Any]:
    """Return what indexing and recalls cost."""
    took_ms = [one.took_ms for one in figures.recalled]
    trips = [one.round_trips for one in figures.recalled]
    tokens = [one.tokens for one in figures.recalled]
    indexing_s = figures.seconds.get("indexing", 0.0)
    return {
        "messages": figures.messages_n,
        "messages_per_s": round(figures.messages_n / indexing_s, 1) if indexing_s else 0.0,
        "recalls": len(took_ms),
        "recall_p50_ms": round(percentile(took_ms, 0.5), 1),
        "recall_p95_ms": round(percentile(took_ms, 0.95), 1),
        "round_trips_p50": percentile(trips, 0.5),
        "round_trips_most": max(trips, default=0),
        f"tokens_of_{HITS_READ}_hits": round(sum(tokens) / len(tokens)) if tokens else 0,
    }


def abstention_of(figures: Figures) -> list[dict[str, Any]]:
    """Return how well questions without an answer are told, for each data set.

    The service tells them itself where it can; beside it the first hit's score does, by the threshold that is best
    elsewhere. `foreign` are questions of other conversations, `own` those that the data set knows to have no answer.
    """
    answerable = [pair for pair in figures.asked if not pair[0].foreign]
    rows = []
    for without, pairs in (("foreign", figures.asked), ("own", [*answerable, *figures.unanswerable])):
        for dataset, mine in _by_dataset(figures.conversations, pairs):
            foreign = [asking.foreign for asking, _ in mine]
            if any(foreign):
                rows += [_abstention_row(dataset, without, by, foreign, found) for by, found in _told(mine, foreign)]
    return rows


def _told(pairs: Sequence[tuple[Asking, Recalled]], foreign: Sequence[bool]) -> Iterator[tuple[str, Judged]]:
    refused = [recalled.refused for _, recalled in pairs]
    if None not in refused:
        yield "service", judged([bool(one) for one in refused], foreign)
    scores = [recalled.top_score for _, recalled in pairs]
    yield "score", refusing(scores, foreign, [asking.conversation for asking, _ in pairs])


def _abstention_row(dataset: str, without: str, by: str, foreign: Sequence[bool], found: Judged) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "without_answer": without,
        "told_by": by,
        "questions": len(foreign),
        "of_these_without": sum(foreign),
        **{name: round(value, 4) for name, value in asdict(found).items()},
    }


def tables_of(document: Mapping[str, Any]) -> RenderableType:
    """Return the document for people."""
    parts: list[RenderableType] = []
    for dataset in dict.fromkeys(line["dataset"] for line in document["lines"]):
        parts.append(_quality(dataset, [line for line in document["lines"] if line["dataset"] == dataset]))
    if document["abstention"]:
        parts.append(_abstention(document["abstention"]))
    cost = Table(title="cost", title_justify="left", show_header=False)
    for name, value in [*document["cost"].items(), *((f"seconds: {k}", v) for k, v in document["seconds"].items())]:
        cost.add_row(name.replace("_", " "), f"{value:,}")
    return Group(*parts, cost)


def _quality(dataset: str, lines: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title=dataset, title_justify="left")
    table.add_column("category", no_wrap=True)
    table.add_column("system", no_wrap=True)
    for head in ("asked", *_HEADS, "R@10, 95 %"):
        table.add_column(head, justify="right", no_wrap=True)
    for line in lines:
        sure = line["measures"]["recall@10"]
        table.add_row(
            line["category"],
            _NAMES[line["system"]],
            str(line["questions"]),
            *(f"{line['measures'][name]['value']:.3f}" for name in MEASURES),
            f"{sure['low']:.3f}-{sure['high']:.3f}",
            end_section=line["system"] == lines[-1]["system"],
        )
    return table


def _abstention(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(title="questions without an answer in this memory", title_justify="left")
    words, counts = ("dataset", "without_answer", "told_by"), ("questions", "of_these_without")
    shares = ("precision", "recall", "f1")
    for name in (*words, *counts, *shares):
        table.add_column(name.replace("_", " "), justify="left" if name in words else "right")
    for row in rows:
        cells = [*(row[name] for name in words), *(str(row[name]) for name in counts)]
        table.add_row(*cells, *(f"{row[name]:.3f}" for name in shares))
    return table


def _categories(conversations: Sequence[Conversation], dataset: str) -> list[str]:
    found = {q.category for one in conversations if dataset in (ALL, one.dataset) for q in one.answerable}
    alone = dataset == ALL or len(found) < 2
    return [*([] if alone else sorted(found)), ALL]


def _lines(figures: Figures, dataset: str, category: str) -> Iterator[Line]:
    for system, orders in figures.orders.items():
        rows: dict[str, list[dict[str, float]]] = {}
        for place, conversation in enumerate(figures.conversations):
            if dataset in (ALL, conversation.dataset):
                rows[f"{place:06}"] = [
                    measured(order, question.gold)
                    for order, question in zip(orders[place], conversation.answerable, strict=True)
                    if category in (ALL, question.category)
                ]
        questions_n = sum(len(part) for part in rows.values())
        if questions_n:
            yield Line(dataset=dataset, category=category, system=system, questions=questions_n, measures=means(rows))


def _data(conversations: Sequence[Conversation]) -> Iterator[dict[str, Any]]:
    for dataset in sorted({one.dataset for one in conversations}):
        mine = [one for one in conversations if one.dataset == dataset]
        yield {
            "dataset": dataset,
            "lang": mine[0].lang,
            "licence": mine[0].licence,
            "conversations": len(mine),
            "messages": sum(len(one.turns) for one in mine),
            "questions": sum(len(one.answerable) for one in mine),
        }


def _by_dataset(
    conversations: Sequence[Conversation], pairs: Sequence[tuple[Asking, Recalled]]
) -> Iterator[tuple[str, list[tuple[Asking, Recalled]]]]:
    of = [conversations[asking.conversation].dataset for asking, _ in pairs]
    for dataset in sorted(set(of)):
        yield dataset, [pair for pair, name in zip(pairs, of, strict=True) if name == dataset]


def _rounded(mean: Mean) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(mean).items()}
