"""Cut a long text to the sentences or lines that answer a question. Pure."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Final

from extraction.text.fulltext_words import CJK_RUN
from extraction.text.search_terms import Terms, occurrences
from extraction.text.sentences import Sentence, split_sentences

SNIPPET_CHARS: Final = 100
# Sentences that match the question at least half as well as the best one come before the neighbours of that one.
_MATCH_MIN: Final = 0.5
_ROUNDING: Final = 1e-9
_GAP: Final = " … "
# How much of a long text is split on each side of a word.
_SENTENCE_CHARS: Final = 1_000


def passage(text: str, terms: Terms, *, chars_max: int = SNIPPET_CHARS) -> str:
    """Return a text as one line, cut to the sentences that match the question best if it is long, with ellipses.

    Sentences, and lines of code, logs and tables, count by the terms in them, those that are rare in the text more.
    The rest of the length goes to what follows the best sentence, then to what precedes it. Without any term, the
    beginning is returned.
    """
    flat = " ".join(text.split())
    if len(flat) <= chars_max:
        return flat
    sentences = split_sentences(text)
    found = _found(text, terms, sentences)
    frequency = Counter(chain.from_iterable({term for _, term in one} for one in found))
    weights = {term: math.log1p(len(sentences) / count) for term, count in frequency.items()}
    scores = [sum(weights[term] for term in {term for _, term in one}) for one in found]
    best = max(range(len(sentences)), key=lambda at: (scores[at], -at))
    room = chars_max - 2 * len("…")
    parts = {best: _around(sentences[best], found[best], weights, chars_max=room)}
    room -= len(parts[best])
    matching = [at for at, score in enumerate(scores) if at != best and score >= max(_MATCH_MIN * scores[best], 0.1)]
    for at in sorted(matching, key=lambda at: (-scores[at], at)):
        if (cost := len(sentences[at].text) + len(_GAP)) <= room:
            parts[at], room = sentences[at].text, room - cost
    for neighbours in (range(best + 1, len(sentences)), range(best - 1, -1, -1)):
        for at in neighbours:
            if at not in parts:
                if (cost := len(sentences[at].text) + len(_GAP)) > room:
                    break
                parts[at], room = sentences[at].text, room - cost
    return _joined(parts, len(sentences))


def sentence_with(text: str, words: Sequence[str], *, chars_max: int) -> str:
    """Return the sentence with the first of some words, or the beginning of one, cut around it if it is long.

    Chinese words match anywhere, others at the beginning of a word, as `graph.lucene.prefix_query` searches them.
    """
    starts = [re.escape(one) if CJK_RUN.fullmatch(one) else rf"(?<![^\W_]){re.escape(one)}" for one in words]
    match = re.search("|".join(starts), text, re.IGNORECASE) if starts else None
    at = match.start() if match else 0
    begin = max(at - _SENTENCE_CHARS, 0)
    sentences = split_sentences(text[begin : at + _SENTENCE_CHARS])
    places = [one for one in sentences if begin + one.start <= at]
    if not places:
        return passage(text[:_SENTENCE_CHARS], Terms(), chars_max=chars_max)
    chosen = places[-1]
    return " ".join(_around(chosen, [(at - begin - chosen.start, 0)], {0: 1.0}, chars_max=chars_max).split())


def _found(text: str, terms: Terms, sentences: Sequence[Sentence]) -> list[list[tuple[int, int]]]:
    """Return for each sentence the terms in it, each as its position in the sentence and its index."""
    starts = [one.start for one in sentences]
    found: list[list[tuple[int, int]]] = [[] for _ in sentences]
    for position, term in occurrences(terms, text):
        at = max(bisect_right(starts, position) - 1, 0)
        found[at].append((position - starts[at], term))
    return found


def _around(sentence: Sentence, found: Sequence[tuple[int, int]], weights: dict[int, float], *, chars_max: int) -> str:
    """Return a sentence, cut at word boundaries to the part with the most weight of terms if it is long."""
    text = sentence.text
    if len(text) <= chars_max:
        return text
    best, begin, weight, first = 0.0, 0, 0.0, 0
    places, inside = sorted(found), Counter[int]()
    for position, term in places:
        weight += 0.0 if inside[term] else weights[term]
        inside[term] += 1
        while places[first][0] + chars_max * 3 // 4 <= position:
            inside[left := places[first][1]] -= 1
            weight -= 0.0 if inside[left] else weights[left]
            first += 1
        if weight > best + _ROUNDING:
            best, begin = weight, places[first][0]
    # A quarter of the length is for the words before the first term.
    begin = max(min(begin - chars_max // 4, len(text) - chars_max + 2), 0)
    if begin and (space := text.find(" ", begin, begin + chars_max // 4)) >= 0:
        begin = space + 1
    end = min(begin + chars_max - 2, len(text))
    if end < len(text) and (space := text.rfind(" ", end - chars_max // 4, end + 1)) > begin:
        end = space
    return f"{'…' if begin else ''}{text[begin:end].strip()}{'…' if end < len(text) else ''}"


def _joined(parts: dict[int, str], sentences_n: int) -> str:
    """Return the chosen sentences in the order of the text, with an ellipsis where others are left out."""
    places = sorted(parts)
    line = "…" if places[0] else ""
    for before, at in zip([None, *places], places, strict=False):
        gap = "" if before is None else " " if at == before + 1 else _GAP
        line += gap + " ".join(parts[at].split())
    return line + ("…" if places[-1] < sentences_n - 1 else "")
