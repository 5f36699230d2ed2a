"""Extractive summaries of scenes and sessions: title, abstract (L0, about 100 tokens), overview in Markdown (L1)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from extraction.reader import SceneLine
from extraction.temporal.phrases import spans_in
from extraction.text.chinese import CJK
from extraction.text.languages import main_language
from extraction.text.sentences import has_cjk, split_sentences
from extraction.text.text_rank import keywords, ranked, words_of
from extraction.text.toml_files import patterns_of, toml_of
from schema.ids import MemoryId
from schema.labels import Role

OVERVIEW_TOKENS_MAX = 2_000
TITLE_CHARS_CJK_MAX = 24
TITLE_CHARS_MAX = 60
# Only the first sentences are ranked, because ranking takes quadratic time.
SENTENCES_MAX = 150
_SENTENCE_CHARS_MAX = 220
_CHARACTERS = re.compile(rf"[{CJK}]+")
# Longer runs, as in languages without spaces, are several words.
_WORD = re.compile(rf"[^\W_{CJK}](?:[^\W{CJK}]|['’-]){{0,15}}")
_TABLES: Final = toml_of("extraction", "extractive_summary.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], {})


# Author of a summary that no caller and no model wrote.
EXTRACTIVE: Final = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Title, abstract (L0, about 100 tokens) and overview (L1, at most 2,000 tokens of Markdown).

    Attributes:
        made_by: `extractive`, `caller`, or the name of the model that wrote title and abstract.
    """

    title: str
    abstract: str
    overview: str
    made_by: str = EXTRACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class _SceneSentence:
    text: str
    by: str


def token_count(text: str) -> int:
    """Estimate tokens: one per Chinese, Japanese or Korean character, 1.3 per word."""
    # Count with iterators: a list of all words takes ten times the memory of the text.
    characters = sum(found.end() - found.start() for found in _CHARACTERS.finditer(text))
    return characters + round(1.3 * sum(1 for _ in _WORD.finditer(text)))


def abstract_l0(lines: Sequence[SceneLine], *, tokens_max: int = 100) -> str:
    """Return the most central sentences of a scene in text order; empty for a scene without text."""
    sentences = _sentences(lines)
    chosen: list[int] = []
    left = tokens_max
    for number in _ranks(sentences):
        cost = token_count(sentences[number].text)
        if cost <= left:
            chosen.append(number)
            left -= cost
        if left < tokens_max // 5:
            break
    if not chosen and sentences:
        return _cut_tokens(sentences[0].text, tokens_max)
    return _joined([sentences[number].text for number in sorted(chosen)])


def overview_l1(
    lines: Sequence[SceneLine],
    *,
    statements: Sequence[str] = (),
    names: Sequence[str] = (),
    abstract: str | None = None,
) -> str:
    """Return a Markdown overview in the language of the scene, without empty sections.

    Args:
        statements: facts of the scene, one sentence each.
        abstract: opening summary; `abstract_l0` by default.
    """
    sentences = _sentences(lines)
    head = headings_of(item.text for item in sentences)
    ranks = _ranks(sentences)
    points = sorted(ranks[: min(12, max(3, len(sentences) // 3))])
    plans = [item.text for item in sentences if item.by != "assistant" and _PATTERNS["plan"].search(item.text)]
    separator = "、" if has_cjk(head["summary"]) else ", "
    sections = [
        (head["summary"], abstract if abstract is not None else abstract_l0(lines)),
        (head["topics"], separator.join(keywords(_texts_of_people(sentences), 8))),
        (head["points"], _bullets(_unique([*statements, *(sentences[number].text for number in points)])[:24])),
        (head["names"], separator.join(_unique(names)[:30])),
        (head["plans"], _bullets(_unique(plans)[:8])),
        (head["times"], _bullets(_times(lines))),
    ]
    text = ""
    for title, body in sections:
        section = f"## {title}\n{body}\n\n"
        if body and token_count(text) + token_count(section) <= OVERVIEW_TOKENS_MAX:
            text += section
    return text.strip()


def headings_of(texts: Iterable[str]) -> Mapping[str, str]:
    """Return the headings by their names in the table, in the language in which most texts are written."""
    headings: Mapping[str, str] = _TABLES["headings"][main_language(texts)]
    return headings


def scene_title(lines: Sequence[SceneLine], *, statements: Sequence[str] = ()) -> str:
    """Return a title of at most 24 characters in Chinese and Japanese, 60 in other languages.

    Args:
        statements: facts of the scene; the first one that fits is the title, else the most central sentence.
    """
    sentences = _sentences(lines)
    with_cjk = sum(has_cjk(item.text) for item in sentences)
    limit = TITLE_CHARS_CJK_MAX if 2 * with_cjk > len(sentences) else TITLE_CHARS_MAX
    for statement in statements[:3]:
        plain = statement.rstrip("。. ")
        if len(plain) <= limit:
            return plain
    ranks = _ranks(sentences)
    # Prefer a sentence of a person: their concern matters more than an assistant's advice.
    best = next((number for number in ranks if sentences[number].by != "assistant"), ranks[0] if ranks else None)
    return "" if best is None else _headline(sentences[best].text, limit)


def _headline(sentence: str, limit: int) -> str:
    """Truncate a sentence to whole clauses, or else to whole words."""
    plain = sentence.rstrip("。.!！ ")
    if len(plain) <= limit:
        return plain
    ends = [match.start() for match in _PATTERNS["clause_end"].finditer(plain) if limit // 3 <= match.start() <= limit]
    return plain[: ends[-1]] if ends else _cut_words(plain, limit)


def _sentences(lines: Sequence[SceneLine]) -> list[_SceneSentence]:
    """Return the distinct sentences without greetings, questions and short ones, or all if none remain."""
    every: list[_SceneSentence] = []
    informative: list[_SceneSentence] = []
    seen: set[str] = set()
    for line in lines:
        by = "assistant" if line.role is Role.ASSISTANT else line.speaker or "user"
        for sentence in split_sentences(line.text[:20_000]):
            if len(every) >= SENTENCES_MAX:
                return informative or every
            if sentence.text in seen:
                continue
            seen.add(sentence.text)
            text = _cut_words(sentence.text, _SENTENCE_CHARS_MAX)
            item = _SceneSentence(text=text, by=by)
            every.append(item)
            short = len(words_of(text)) < 3
            if not (sentence.asks or short or (_PATTERNS["filler"].match(text) and token_count(text) < 16)):
                informative.append(item)
    return informative or every


def _texts_of_people(sentences: Sequence[_SceneSentence]) -> list[str]:
    """Return the sentences of people, or those of the assistant if there are no others."""
    return [item.text for item in sentences if item.by != "assistant"] or [item.text for item in sentences]


def _ranks(sentences: Sequence[_SceneSentence]) -> list[int]:
    """Return indexes of the sentences by rank; those of an assistant rank lower."""
    order = ranked([item.text for item in sentences])
    place = {number: index * (2 if sentences[number].by == "assistant" else 1) for index, number in enumerate(order)}
    return sorted(order, key=lambda number: (place[number], number))


def _times(lines: Sequence[SceneLine]) -> list[str]:
    moments = [line.said_at.isoformat().replace("+00:00", "Z") for line in lines[:1]]
    for line in lines[:SENTENCES_MAX]:
        for found in spans_in(line.text, line.said_at)[:3]:
            start = found.span.start
            day = start.astimezone(line.said_at.tzinfo).date().isoformat() if start else ""
            moments.append(f"{line.text[found.start : found.end]}: {day}")
    return _unique(moments)[:10]


def _unique(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _joined(texts: Sequence[str]) -> str:
    joined = ""
    for text in texts:
        joined += text if not joined or has_cjk(joined[-2:]) or joined[-1] in "。！？…" else f" {text}"
    return joined


def _cut_words(text: str, limit: int) -> str:
    """Truncate a text to whole words, with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    return (head[:space] if space > limit // 2 else head).rstrip(" ，,、") + "…"


def _cut_tokens(text: str, tokens_max: int) -> str:
    cut = text
    while cut and token_count(cut) > tokens_max:
        cut = _cut_words(cut, max(2, len(cut) * 3 // 4))
        if len(cut) <= 2:
            break
    return cut


# Summaries of sessions, from those of their scenes

_POINTS_MAX: Final = 6
_BULLET: Final = "- "


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizedScene(Summary):
    """Summary of one scene.

    Attributes:
        messages: number of messages; the scene with the most gives the session its title.
    """

    start: datetime
    messages: int


def summarize_session(scenes: Sequence[SummarizedScene]) -> Summary:
    """Return the summary of a session from those of its scenes, that of a single one as it is; empty without scenes."""
    if len(scenes) < 2:
        return scenes[0] if scenes else Summary(title="", abstract="", overview="")
    abstract = abstract_l0([_line(scene) for scene in scenes])
    title = max(scenes, key=lambda scene: scene.messages).title
    return Summary(title=title, abstract=abstract, overview=_overview(scenes, abstract))


def _line(scene: SummarizedScene) -> SceneLine:
    return SceneLine(
        message_id=MemoryId(""), role=Role.USER, speaker=None, text=scene.abstract or scene.title, said_at=scene.start
    )


def _overview(scenes: Sequence[SummarizedScene], abstract: str) -> str:
    """Return the summary, then each scene with as many key points as fit its share of the tokens."""
    headings = headings_of(scene.abstract or scene.title for scene in scenes)
    text = f"## {headings['summary']}\n{abstract}\n\n## {headings['scenes']}\n"
    left = OVERVIEW_TOKENS_MAX - token_count(text)
    for place, scene in enumerate(scenes):
        share = left // (len(scenes) - place)
        head = f"### {scene.start:%Y-%m-%d} {scene.title}\n"
        cost = token_count(head)
        if cost > left:
            break
        body = ""
        points = [line for line in scene.overview.splitlines() if line.startswith(_BULLET)][:_POINTS_MAX]
        for part in [scene.abstract, *points]:
            # Skip key points that repeat a sentence of the abstract.
            if part and part.removeprefix(_BULLET) not in body and cost + token_count(part) <= share:
                body += f"{part}\n"
                cost += token_count(part)
        text += f"{head}{body}\n"
        left -= cost
    return text.strip()
