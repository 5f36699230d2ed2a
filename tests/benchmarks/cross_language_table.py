"""Measure questions asked in the other language, on conversations that exist in both: recall@10 and nDCG@10.

    python -m tests.benchmarks.cross_language_table ENGLISH_FILE CHINESE_FILE

Both files tell the same conversation, with the same ids of turns and questions (LoCoMo and LoCoMo-zh). Without a
database: all messages are ranked with the service's features and weights. Three memories are asked in both languages:
all told in English, all in Chinese, and every other session in each; of the last, figures are also given by the
language of the messages that answer. Captions are left out, because those of LoCoMo-zh are English. Prints a table.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import platformdirs

from extraction.embeddings.embedder import Embedder, embed_question, embed_with_tokens, spoken
from extraction.embeddings.local_embedder import load_local_embedder
from extraction.query_analysis import analyse
from graph_service.evaluation.dataset import Conversation, Question, read_all
from graph_service.evaluation.report import ranking_measures
from graph_service.memory.recall.candidates import CandidateSet
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.ranking import rank, weights_for
from graph_service.memory.recall.retrieval import candidates_in
from schema.timespan import millis

SHOWN = ("recall@10", "ndcg@10")


async def candidates_of(conversation: Conversation, embedder: Embedder) -> Callable[..., CandidateSet]:
    """Return a function from the analysis of a question to all messages, as if the statement had found them."""
    turns = [
        (session.id, place, turn) for session in conversation.sessions for place, turn in enumerate(session.messages)
    ]
    vectors = await embed_with_tokens(embedder, [spoken(turn.speaker or None, turn.text) for *_, turn in turns])
    rows: list[list[object]] = [
        [
            [
                *(turn.id, session, millis(turn.time), place, turn.speaker or None, turn.text),
                *("memory://t", "user", 5, False, None, None, None),
            ],
            *([None, None], None, None, [], one.tokens),
        ]
        for (session, place, turn), one in zip(turns, vectors, strict=True)
    ]
    return lambda analysis: candidates_in({"messages": rows, "rows": [], "named": []}, tuple(HitKind), analysis)


async def figures(
    conversation: Conversation, questions: Sequence[Question], embedder: Embedder
) -> dict[str, dict[str, float]]:
    """Return the measures of each question, by its id."""
    found_for = await candidates_of(conversation, embedder)
    now = max(turn.time for turn in conversation.messages) + timedelta(days=1)
    rows = {}
    for question in questions:
        seen = await embed_question(embedder, question.question)
        asked = analyse(question.question, reference=now, embedded=seen)
        weights = weights_for(chinese=asked.chinese, vectors=True, tokens=True, chars=asked.chars)
        hits = rank(found_for(asked), weights, analysis=asked, now=now)[:50]
        rows[question.id] = ranking_measures([hit.candidate.id for hit in hits], question.gold)
    return rows


def mixed(english: Conversation, chinese: Conversation) -> Conversation:
    """Return the conversation with every other session in Chinese."""
    pairs = zip(english.sessions, chinese.sessions, strict=True)
    return english.model_copy(update={"sessions": [pair[place % 2] for place, pair in enumerate(pairs)]})


def mean(rows: Sequence[dict[str, float]]) -> str:
    """Return the mean measures as a cell."""
    return " / ".join(f"{np.mean([row[name] for row in rows]):.3f}" for name in SHOWN) + f" ({len(rows)})"


async def main(paths: Sequence[Path]) -> str:
    """Return the table."""
    embedder = await load_local_embedder(cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")))
    english, chinese = read_all(paths, captions=False).conversations
    both = mixed(english, chinese)
    in_chinese = {turn.id for place, session in enumerate(both.sessions) if place % 2 for turn in session.messages}
    lines = ["| told in | asked in English | asked in Chinese |", "| --- | --- | --- |"]
    for name, told in (("English", english), ("Chinese", chinese), ("both", both)):
        tables = [await figures(told, one.answerable, embedder) for one in (english, chinese)]
        lines.append(f"| {name} | {' | '.join(mean([*table.values()]) for table in tables)} |")
        if told is both:
            for lang, ids in (("Chinese", in_chinese), ("English", {turn.id for turn in both.messages} - in_chinese)):
                theirs = {one.id for one in english.answerable if one.gold <= ids}
                cells = [mean([row for name, row in table.items() if name in theirs]) for table in tables]
                lines.append(f"| both, answers in {lang} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", type=Path, nargs=2)
    sys.stdout.write(asyncio.run(main(parser.parse_args().paths)) + "\n")
