"""Measure how well recall's confidence separates answerable from unanswerable questions, and fit its weights.

    python -m tests.benchmarks.abstention_table DATASET… [--keep features.json]
    python -m tests.benchmarks.abstention_table --signs features.json

The first form starts its own local Neo4j, stores every conversation, lets the worker read it, and asks each memory its
own questions, as many questions of other conversations, and those again with the speaker names of this conversation.
With --keep the features are saved; the second form reads them. Both fit a logistic regression per language, leaving one
conversation out at a time, and print its weights, F1 and calibration error.
"""

import argparse
import asyncio
import json
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from extraction.embeddings.local_embedder import load_local_embedder
from graph_service.evaluation.dataset import Conversation, read_all
from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.confidence import RELEVANT_MIN
from graph_service.memory.recall.query import Question
from graph_service.memory.service import Memory
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker
from tests.support.neo4j_server import start_local_server

OWN, FOREIGN, RENAMED = "own", "foreign", "renamed"
QUESTIONS_OF_EACH = 100
RIDGE = 1.0
# Features weighted for each language, and their replacements without vectors.
FEATURES = {
    "en": ("known", "best", "meaning", "joint", "stranger", "words"),
    "en, no vectors": ("known", "best", "stranger", "words"),
    "zh": ("joint",),
    "zh, no vectors": ("best",),
}
Rows = list[dict[str, Any]]


def main() -> None:
    """Print the table and the weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("datasets", nargs="*", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--signs", type=Path)
    given = parser.parse_args()
    rows = json.loads(given.signs.read_text("utf-8")) if given.signs else asyncio.run(asked_of_all(given.datasets))
    if given.keep:
        given.keep.write_text(json.dumps(rows), "utf-8")
    for name, features in FEATURES.items():
        mine = [row for row in rows if row["lang"] == name[:2]]
        if mine:
            tell(name, mine, features)


def tell(name: str, rows: Rows, features: Sequence[str]) -> None:
    """Print the table of one language."""
    x = np.array([[row["signs"][feature] or 0.0 for feature in features] for row in rows])
    y = np.array([row["set"] == OWN for row in rows], float)
    # Give the own questions as much weight in total as the unanswerable ones.
    weight = np.where(y == 1, (y == 0).sum() / max(y.sum(), 1), 1.0)
    groups = np.array([f"{row['dataset']} {row['conversation']}" for row in rows])
    sure = np.zeros(len(y))
    for group in sorted(set(groups)):
        out = groups == group
        sure[out] = confidence(x[out], fitted(x[~out], y[~out], weight[~out]))
    print(f"\n{name}: {len(rows)} questions of {len(set(groups))} memories, leave one conversation out")
    print("data set        unanswerable   own    F1  precision  recall  off by")
    for dataset in sorted({row["dataset"] for row in rows}):
        for sort in (FOREIGN, RENAMED):
            chosen = np.array([row["dataset"] == dataset and row["set"] in (OWN, sort) for row in rows])
            if (y[chosen] == 0).any():
                print(f"{dataset:15} {sort:12} {figures(sure[chosen], y[chosen])}")
    base, *each = fitted(x, y, weight)
    print(
        f"weights: base={base:.2f}",
        *(f"{key}={value:.2f}" for key, value in zip(features, each, strict=True)),
        sep=", ",
    )


def figures(sure: np.ndarray, y: np.ndarray) -> str:
    """Return F1 of refusing, and the calibration error in ten bins."""
    refused, none = sure < RELEVANT_MIN, y == 0
    right = int((refused & none).sum())
    precision, recall = right / max(refused.sum(), 1), right / max(none.sum(), 1)
    bins = [sure.round(9) // 0.1 == place for place in range(11)]
    off = sum(abs(sure[bin_].mean() - y[bin_].mean()) * bin_.mean() for bin_ in bins if bin_.any())
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return f"{none.sum():6} {int(y.sum()):6}  {f1:.3f}  {precision:.3f}      {recall:.3f}   {off:.3f}"


def confidence(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the confidence as `memory/confidence.py` computes it."""
    return 1 / (1 + np.exp(-(weights[0] + x @ weights[1:])))


def fitted(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Fit a ridge logistic regression on standardised features by Newton's method; return its base and weights."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.c_[np.ones(len(x)), (x - mean) / spread]
    ridge = np.diag([0.0, *[RIDGE] * x.shape[1]])
    w = np.zeros(z.shape[1])
    for _ in range(40):
        p = 1 / (1 + np.exp(-z @ w))
        slope = z.T @ ((p - y) * weight) + ridge @ w
        w -= np.linalg.solve((z * (p * (1 - p) * weight)[:, None]).T @ z + ridge, slope)
    each = w[1:] / spread
    return np.array([w[0] - mean @ each, *each])


async def asked_of_all(paths: Sequence[Path]) -> Rows:
    """Return the features of every question, measured on a new Neo4j."""
    conversations = read_all(paths).conversations
    cache = Path(platformdirs.user_cache_dir("mnemoscene"))
    embedder = await load_local_embedder(cache_dir=cache)
    rows: Rows = []
    with tempfile.TemporaryDirectory() as folder:
        server = await start_local_server(data_dir=Path(folder), cache_dir=cache)
        graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
        await prepare_vectors(graph, model=embedder.name, dim=embedder.dim)
        memory, worker = a_memory(graph, embedder=embedder), a_worker(graph, embedder=embedder)
        for place, one in enumerate(conversations):
            for call in calls_of(one):
                await memory.remember(TenantId(f"bench-{place}"), call)
            await worker.drain()
            rows += [
                await asked(memory, f"bench-{place}", one, sort, text) for sort, text in questions(one, conversations)
            ]
        await graph.close()
        await server.stop()
    return rows


def calls_of(one: Conversation) -> Iterator[RememberRequest]:
    """Return a conversation as an agent would send it."""
    for session in one.sessions:
        messages = tuple(
            IncomingMessage(
                role="user" if turn.speaker in ("", one.user_id) else "assistant",
                text=turn.text,
                time=turn.time,
                speaker=turn.speaker or None,
                id=turn.id,
            )
            for turn in session.messages
        )
        yield RememberRequest(user_id=one.user_id, session_id=session.id, messages=messages)


def questions(one: Conversation, conversations: Sequence[Conversation]) -> Iterator[tuple[str, str]]:
    """Return its own questions, as many foreign ones, and those with the speaker names of this conversation."""
    chance = random.Random(one.id)
    own = [question.question for question in one.answerable]
    others = [other for other in conversations if other is not one and other.dataset == one.dataset]
    others = others or [other for other in conversations if other.dataset != one.dataset and other.lang == one.lang]
    pairs = [
        (question.question, other) for other in others for question in other.answerable if question.question not in own
    ]
    n = min(QUESTIONS_OF_EACH, len(own), len(pairs))
    yield from ((OWN, text) for text in chance.sample(own, n))
    for text, other in chance.sample(pairs, n):
        yield FOREIGN, text
        if other.speakers and one.speakers:
            yield RENAMED, renamed(text, other, one)


def renamed(text: str, other: Conversation, one: Conversation) -> str:
    """Replace the speaker names of one conversation by those of another."""
    for theirs, ours in zip(other.speakers, one.speakers, strict=False):
        text = re.sub(rf"(?<![A-Za-z]){re.escape(theirs)}(?![A-Za-z])", ours, text)
    return text


async def asked(memory: Memory, tenant: str, one: Conversation, sort: str, text: str) -> dict[str, Any]:
    """Return the features of one question, as recall computed them."""
    answer = await memory.recall(TenantId(tenant), Question(user_id=one.user_id, text=text, limit=1))
    signs = {} if answer.features is None else asdict(answer.features)
    return {"dataset": one.dataset, "lang": one.lang, "conversation": one.id, "set": sort, "signs": signs}


if __name__ == "__main__":
    main()
