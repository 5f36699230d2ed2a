"""Measure the effect of each feature on Chinese questions, by data set: recall@10 and nDCG@10 with the default weights.

    python -m tests.benchmarks.chinese_table FOLDER_OR_FILE...

Without a database: all messages of a conversation are ranked with the service's features and Chinese weights; with
`--words` with those for no embedder. The weights were chosen by hand among a few for all data sets; nothing is fitted
here. Prints a table with one row per left-out feature.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import platformdirs

from extraction.embeddings.embedder import Embedded, Embedder, embed_question, embed_with_tokens, spoken
from extraction.embeddings.local_embedder import load_local_embedder
from extraction.query_analysis import analyse
from graph_service.evaluation.dataset import Conversation, read_all
from graph_service.evaluation.report import ranking_measures
from graph_service.memory.recall.features import Features, features_of
from graph_service.memory.recall.ranking import weights_for
from tests.benchmarks.ranking_table import Case, case_columns, lines_of, scored
from tests.support.candidates import all_found

SHOWN = ("recall@10", "ndcg@10")


async def cases_of(conversation: Conversation, embedder: Embedder | None) -> list[Case]:
    """Return all answerable questions of a conversation."""
    told = [spoken(turn.speaker or None, turn.text) for turn in conversation.messages]
    vectors = await embed_with_tokens(embedder, told) if embedder else [Embedded(vector=[])] * len(told)
    lines = lines_of(conversation, vectors)
    now = max(line.said_at for line in lines) + timedelta(days=1)
    cases = []
    for question in conversation.answerable:
        seen = await embed_question(embedder, question.question) if embedder else None
        asked = analyse(question.question, reference=now, embedded=seen)
        cosines = [None if seen is None else float(np.dot(one.vector, seen.vector)) for one in vectors]
        near = [replace(line, cosine=cosine) for line, cosine in zip(lines, cosines, strict=True)]
        raw: Features = features_of(all_found(*near), asked, now=now)
        gold = np.array([line.id in question.gold for line in lines], np.float64)
        cases.append(Case(columns=case_columns(raw), gold=gold, ids=[line.id for line in lines], question=question))
    return cases


def figures(cases: Sequence[Case], left_out: str | None, vectors: bool) -> Mapping[str, float]:
    """Return the mean figures with the default weights, without one feature."""
    rows = []
    for case in cases:
        weights = weights_for(chinese=True, vectors=vectors, tokens=vectors, chars=len(case.question.question))
        order = np.argsort(-scored(case.columns, weights, without=left_out), kind="stable")
        rows.append(ranking_measures([case.ids[at] for at in order], case.question.gold))
    return {name: float(np.mean([row[name] for row in rows])) for name in SHOWN}


async def main(paths: Sequence[Path], *, words: bool) -> str:
    """Print the table."""
    cache = Path(platformdirs.user_cache_dir("mnemoscene"))
    embedder = None if words else await load_local_embedder(cache_dir=cache)
    sets: dict[str, list[Case]] = {}
    for conversation in read_all(paths).conversations:
        sets.setdefault(conversation.dataset, []).extend(await cases_of(conversation, embedder))
    weights = weights_for(chinese=True, vectors=not words, tokens=not words)
    names = [
        name for name in (*weights.scaled, *weights.plain) if any(name in case.columns for case in sets[min(sets)])
    ]
    lines = [f"| recall@10 / nDCG@10 | {' | '.join(sets)} |", "| --- |" + " --- |" * len(sets)]
    for left_out in (None, *names):
        means = [figures(cases, left_out, not words) for cases in sets.values()]
        shown = [" / ".join(f"{one[name]:.3f}" for name in SHOWN) for one in means]
        lines.append(f"| {'all' if left_out is None else f'without {left_out}'} | {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+", help="files or folders of data sets")
    parser.add_argument("--words", action="store_true", help="use the weights for no embedder")
    given = parser.parse_args()
    sys.stdout.write(asyncio.run(main(given.paths, words=given.words)) + "\n")
