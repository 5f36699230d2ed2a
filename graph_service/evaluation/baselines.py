"""Baseline rankings: BM25 over words, and dense search by cosine."""

import logging
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from extraction.embeddings.embedder import Embedder, embed_with_tokens
from extraction.text.chinese import character_pairs
from extraction.text.stems import stem
from extraction.text.stop_words import BASELINE
from graph_service.evaluation.dataset import Message
from graph_service.memory.recall.lexical_scores import bm25, term_rarity

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_BATCH: Final = 256


def terms(text: str, lang: str) -> list[str]:
    """Return the index terms of a text: stemmed words; for Chinese, words and character bigrams."""
    text = text.casefold().replace("’", "'")
    if lang != "zh":
        words = (word.removesuffix("'s").replace("'", "") for word in _WORD.findall(text))
        return [stem(word) for word in words if word not in BASELINE]
    import jieba

    jieba.setLogLevel(logging.WARNING)
    words_zh = [word for word in jieba.lcut(text) if _WORD.search(word) and word not in BASELINE]
    return [*words_zh, *character_pairs(text)]


def line_of(turn: Message) -> str:
    """Return a turn prefixed with its speaker, as both baselines index it."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def bm25_scores(texts: Sequence[Sequence[str]], question: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return BM25 of the terms of each text; 0 without a term of the question, whose repeated terms count twice."""
    asked = Counter(question)
    table = np.array([[text.count(term) for term in asked] for text in texts], dtype=np.float64)
    table = table.reshape(len(texts), len(asked))
    rarity = term_rarity(table) * np.array([*asked.values()], dtype=np.float64)
    return bm25(table, np.array([len(text) for text in texts], dtype=np.float64), rarity)


def best_first(turns: Sequence[Message], scores: npt.NDArray[np.float64], *, limit: int) -> list[str]:
    """Return the ids of the best turns, best score first; ties in the order of the turns."""
    return [turns[index].id for index in np.argsort(-scores, kind="stable")[:limit]]


def by_words(turns: Sequence[Message], questions: Sequence[str], lang: str, *, limit: int) -> list[list[str]]:
    """Return the ids of the turns ranked by BM25, for each question."""
    texts = [terms(line_of(turn), lang) for turn in turns]
    return [best_first(turns, bm25_scores(texts, terms(question, lang)), limit=limit) for question in questions]


async def by_vectors(
    embedder: Embedder, turns: Sequence[Message], questions: Sequence[str], *, limit: int
) -> list[list[str]]:
    """Return the ids of the turns ranked by cosine, for each question; turns are embedded with their speakers.

    Raises:
        UnavailableError: the embedder does not answer.
    """
    turn_vectors = await _vectors(embedder, [line_of(turn) for turn in turns])
    asked = await _vectors(embedder, questions, asked=True)
    return [best_first(turns, turn_vectors @ vector, limit=limit) for vector in asked]


async def _vectors(embedder: Embedder, texts: Sequence[str], *, asked: bool = False) -> npt.NDArray[np.float64]:
    known: dict[str, list[float]] = {}
    unique = list(dict.fromkeys(texts))
    for start in range(0, len(unique), _BATCH):
        part = unique[start : start + _BATCH]
        embedded = await embed_with_tokens(embedder, part, asked=asked)
        known |= {text: one.vector for text, one in zip(part, embedded, strict=True)}
    return np.array([known[text] for text in texts], dtype=np.float64).reshape(len(texts), embedder.dim)
