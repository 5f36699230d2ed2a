"""Measure the effect of each ranking feature, with weights fitted on all conversations but one.

    python -m tests.benchmarks.ranking_table FOLDER_OR_FILE...

Without a database: the first stage is computed here (nearest by vector, best by words, those of the requested time, and
their neighbours), everything after it is the service's own code. Entities are not simulated. The fit is a listwise
softmax loss with a small penalty, by Newton's method. Prints a table.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt
import platformdirs

from extraction.embeddings.embedder import Embedded, Embedder, embed_question, embed_with_tokens, spoken
from extraction.embeddings.local_embedder import load_local_embedder
from extraction.query_analysis import QueryAnalysis, analyse
from graph_service.evaluation.dataset import Conversation, Question, read_all
from graph_service.evaluation.report import MEASURES, ranking_measures
from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.features import Features, features_of
from graph_service.memory.recall.lexical_scores import lexical_scores
from graph_service.memory.recall.ranking import SPREADS, Weights
from tests.support.candidates import a_candidate, all_found

Floats = npt.NDArray[np.float64]
WIDE, AROUND, PENALTY, STEPS_MAX = 50, 2, 3.0, 25
# Without a database there are neither facts nor roles.
KNOWLEDGE = {"entity_match", "multi_hop", "role", "importance", "recency"}
ADDED = (
    ("words", ("lexical",)),
    ("the message before", ("lexical_previous",)),
    ("the best window of six", ("lexical_window",)),
    ("speaker", ("speaker",)),
    ("time", ("time_range",)),
    ("length", ("length",)),
    ("how rare its words are", ("specificity",)),
    ("kind of answer", ("contains_time", "contains_number")),
    ("vector", ("similarity", "similarity_window")),
    ("late interaction", ("token_similarity",)),
    ("the same with neighbours", ("token_similarity_window",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question with the features of its candidates.

    Attributes:
        columns: features by name, in the ranking's units.
        gold: 1 for candidates that are gold.
    """

    columns: Mapping[str, Floats]
    gold: Floats
    ids: Sequence[str]
    question: Question


def lines_of(conversation: Conversation, vectors: Sequence[Embedded]) -> list[Candidate]:
    """Return the messages in the order of their sessions, without cosines."""
    turns = [
        (session.id, place, turn) for session in conversation.sessions for place, turn in enumerate(session.messages)
    ]
    return [
        a_candidate(
            turn.id,
            session=session,
            said_at=turn.time,
            position=place,
            speaker=turn.speaker or None,
            text=turn.text,
            tokens=embedded.tokens,
        )
        for (session, place, turn), embedded in zip(turns, vectors, strict=True)
    ]


def first_stage(lines: Sequence[Candidate], cosines: Floats, asked: QueryAnalysis) -> list[int]:
    """Return the indexes of the candidates, in the order of the conversation."""
    words = lexical_scores(asked.terms, [line.text for line in lines], [line.session for line in lines], window=6).own
    kept = set(np.argsort(-cosines)[:WIDE].tolist())
    kept |= {place for place in np.argsort(-words)[:WIDE].tolist() if words[place] > 0}
    if asked.time is not None:
        inside = [place for place in range(len(lines)) if asked.time.contains(lines[place].said_at)]
        kept |= set(sorted(inside, key=lambda place: -cosines[place])[:WIDE])
    near = {
        place + step
        for place in kept
        for step in range(-AROUND, AROUND + 1)
        if 0 <= place + step < len(lines) and lines[place + step].session == lines[place].session
    }
    return sorted(near)


def case_of(
    lines: Sequence[Candidate], cosines: Floats, question: Question, asked: QueryAnalysis, now: datetime
) -> Case:
    """Return the features of a question's candidates."""
    places = first_stage(lines, cosines, asked)
    held = [replace(lines[place], cosine=float(cosines[place])) for place in places]
    raw = features_of(all_found(*held), asked, now=now)
    gold = np.array([line.id in question.gold for line in held], np.float64)
    return Case(columns=case_columns(raw), gold=gold, ids=[line.id for line in held], question=question)


def case_columns(raw: Features) -> dict[str, Floats]:
    """Return the features of messages as the ranking uses them."""
    # Only differences matter, so the mean is subtracted.
    columns = {
        name: np.nan_to_num(values - np.nanmean(values)) / SPREADS[name]
        for name, values in raw.scaled.items()
        if not np.isnan(values).all()
    }
    return columns | {name: values for name, values in raw.plain.items() if name not in KNOWLEDGE}


def scored(columns: Mapping[str, Floats], weights: Weights, *, without: str | None = None) -> Floats:
    """Return the scores of messages with the default weights, without one feature."""
    counted = {**weights.scaled, **weights.plain}
    parts = [weight * columns[name] for name, weight in counted.items() if name in columns and name != without]
    total: Floats = np.sum(parts, axis=0)
    return total


async def cases_of(conversation: Conversation, embedder: Embedder) -> list[Case]:
    """Return all answerable questions of a conversation."""
    told = [spoken(turn.speaker or None, turn.text) for turn in conversation.messages]
    vectors = await embed_with_tokens(embedder, told)
    lines = lines_of(conversation, vectors)
    table = np.array([embedded.vector for embedded in vectors], np.float64)
    now = max(line.said_at for line in lines) + timedelta(days=1)
    cases = []
    for question in conversation.answerable:
        embedded = await embed_question(embedder, question.question)
        asked = analyse(question.question, reference=now, embedded=embedded)
        cases.append(case_of(lines, table @ np.array(embedded.vector), question, asked, now))
    return cases


def fitted(cases: Sequence[Case], names: Sequence[str]) -> Floats:
    """Fit the weights of features by Newton's method with step halving on the listwise softmax loss."""
    data = [(_matrix(case, names), case.gold / case.gold.sum()) for case in cases if case.gold.any()]
    weights = np.zeros(len(names))
    best = _loss(data, weights)
    for _ in range(STEPS_MAX):
        slope, curve = PENALTY * weights, PENALTY * np.eye(len(names))
        for matrix, gold in data:
            share = _softmax(matrix @ weights)
            mean = share @ matrix
            slope += matrix.T @ (share - gold)
            curve += (matrix * share[:, None]).T @ matrix - np.outer(mean, mean)
        step, size = np.linalg.solve(curve, slope), 1.0
        while _loss(data, weights - size * step) > best and size > 1e-4:
            size /= 2
        weights = weights - size * step
        before, best = best, _loss(data, weights)
        if before - best < 1e-3:
            break
    return weights


def _loss(data: Sequence[tuple[Floats, Floats]], weights: Floats) -> float:
    total = 0.5 * PENALTY * float(weights @ weights)
    for matrix, gold in data:
        scores = matrix @ weights
        top = scores.max()
        total += float(top + np.log(np.exp(scores - top).sum()) - gold @ scores)
    return total


def _softmax(scores: Floats) -> Floats:
    share: Floats = np.exp(scores - scores.max())
    return share / share.sum()


def _matrix(case: Case, names: Sequence[str]) -> Floats:
    return np.stack([case.columns.get(name, np.zeros(len(case.ids))) for name in names], axis=1)


def left_out(groups: Sequence[Sequence[Case]], names: Sequence[str]) -> tuple[dict[str, dict[str, float]], Floats]:
    """Return means by category with weights of the other conversations, and the weights of all."""
    rows: list[tuple[str, dict[str, float]]] = []
    for place, group in enumerate(groups):
        others = [case for other, cases in enumerate(groups) if other != place or len(groups) == 1 for case in cases]
        weights = fitted(others, names)
        for case in group:
            order = np.argsort(-(_matrix(case, names) @ weights), kind="stable")
            row = ranking_measures([case.ids[at] for at in order], case.question.gold)
            rows += [("all", row), (case.question.category, row)]
    categories = sorted({category for category, _ in rows}, key=lambda name: (name != "all", name))
    means = {
        category: {name: float(np.mean([row[name] for key, row in rows if key == category])) for name in MEASURES}
        for category in categories
    }
    return means, fitted([case for group in groups for case in group], names)


async def main(paths: Sequence[Path]) -> str:
    """Print the table."""
    embedder = await load_local_embedder(cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")))
    groups = []
    for conversation in read_all(paths).conversations:
        groups.append(await cases_of(conversation, embedder))
        sys.stderr.write(f"{conversation.id}: {len(groups[-1])} questions\n")
    cases = [case for group in groups for case in group]
    held = np.mean([case.gold.sum() / len(case.question.gold) for case in cases])
    size = np.mean([len(case.ids) for case in cases])
    lines = [f"{len(cases)} questions; the first stage of {size:.0f} messages holds {held:.3f} of gold", ""]
    head = ("recall@5", "recall@10", "recall@20", "recall@50", "ndcg@10")
    lines += [f"| signals | {' | '.join(head)} |", "| --- |" + " --- |" * len(head)]
    names: list[str] = []
    means: dict[str, dict[str, float]] = {}
    weights = np.zeros(0)
    for label, more in ADDED:
        names += more
        means, weights = left_out(groups, names)
        lines.append(_row(f"+ {label}", [means["all"][key] for key in head]))
    lines += [_row(name, [row[key] for key in head]) for name, row in means.items()]
    lines += ["", ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, weights, strict=True))]
    return "\n".join(lines)


def _row(label: str, figures: Sequence[float]) -> str:
    return f"| {label} | {' | '.join(f'{figure:.3f}' for figure in figures)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+", help="files or folders of data sets")
    sys.stdout.write(asyncio.run(main(parser.parse_args().paths)) + "\n")
