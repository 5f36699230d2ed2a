"""Words for time that stand together become one phrase with one stretch of time. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import normalize

from extraction.name_forms import simplified_characters
from extraction.stretches import Stretch
from extraction.time_marks import Frame, Mark, bare_only, resolve

TEXT_CHARS_MAX = 20_000
PHRASES_MAX = 20
_CJK = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[a-z0-9]")
# What may stand between two words of one phrase.
_JOINT = re.compile(r"\s*(?:,|['’]s)?\s*(?:(?:of|in|on|at|during)\s+)?(?:the\s+)?|\s*[的,，]?\s*(?:那个|这个)?(?:在)?")
_RANGE_JOINT = re.compile(r"\s*(?:and|to|or|until|till|through|-|–|—|~|到|至|直到|和|与|跟|、)\s*(?:the\s+)?")
_EVERY = re.compile(r"(?:\b(?:every|each)(?:\s+\w+)?\s+(?:\w+\s+)?|每(?:个|逢|一|到|年|月|周|次|当)*(?:的|在)?)$")
_CONTEXT_CHARS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Words that name one stretch of time, at `text[start:end]`.

    Attributes:
        bare: the words come true again and again ("on Friday", "in summer"); which one is meant was guessed.
        vague: "recently".
    """

    marks: tuple[Mark, ...]
    stretch: Stretch
    start: int
    end: int

    @property
    def bare(self) -> bool:
        """Whether no word says which one is meant."""
        return bare_only(self.marks)

    @property
    def vague(self) -> bool:
        """Whether it is a rough time only."""
        return any(mark.vague for mark in self.marks)


def plain(text: str) -> str:
    """The text in lower case, half width and simplified characters, each character in its place."""
    text = text[:TEXT_CHARS_MAX]
    if text.isascii():
        return text.lower()
    return "".join(_plain_character(character) for character in text).translate(simplified_characters())


def _plain_character(character: str) -> str:
    simple = normalize("NFKC", character).lower()
    return simple if len(simple) == 1 else character


def phrases_in(text: str, frame: Frame) -> list[Phrase]:
    """The phrases for time in a text made `plain`, in order."""
    marks = _marks_in(text)
    phrases: list[Phrase] = []
    groups = _groups(text, marks)
    for i, group in enumerate(groups):
        following = groups[i + 1] if i + 1 < len(groups) else None
        phrases += _phrases_of(text, group, following, phrases[-1] if phrases else None, frame)
    return phrases[:PHRASES_MAX]


def _marks_in(text: str) -> list[Mark]:
    """What either language finds; where both do, the Chinese words count."""
    # Loaded with the first text of their language: their patterns take longer to compile than a start has.
    marks: list[Mark] = []
    if _LATIN.search(text):
        from extraction import time_marks_en

        marks += time_marks_en.marks_in(text)
    if _CJK.search(text):
        from extraction import time_marks_zh

        chinese = time_marks_zh.marks_in(text)
        marks = [m for m in marks if not any(m.start < c.end and c.start < m.end for c in chinese)] + chinese
    return sorted(marks, key=lambda mark: (mark.start, mark.end))


def _groups(text: str, marks: Sequence[Mark]) -> list[list[Mark]]:
    groups: list[list[Mark]] = []
    for mark in marks:
        if groups and _JOINT.fullmatch(text, groups[-1][-1].end, max(mark.start, groups[-1][-1].end)):
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return groups


def _phrases_of(
    text: str, group: list[Mark], following: list[Mark] | None, before: Phrase | None, frame: Frame
) -> list[Phrase]:
    """One phrase of a group; where its words contradict each other, the first that agree and then the rest."""
    if _EVERY.search(text, max(group[0].start - _CONTEXT_CHARS, 0), group[0].start):
        return []
    stretch = resolve(group, frame)
    if stretch is None and len(group) > 1:
        split = next((n for n in range(len(group) - 1, 1, -1) if resolve(group[:n], frame)), 1)
        first = _phrases_of(text, group[:split], group[split:], before, frame) if resolve(group[:split], frame) else []
        return first + _phrases_of(text, group[split:], following, first[-1] if first else before, frame)
    if stretch is None or not _stands(text, group, following, before):
        return []
    return [Phrase(marks=tuple(group), stretch=stretch, start=group[0].start, end=group[-1].end)]


def _stands(text: str, group: Sequence[Mark], following: list[Mark] | None, before: Phrase | None) -> bool:
    """Whether what stands around the words lets them mean time."""
    distinct = len({(mark.start, mark.end) for mark in group}) > 1 or len(group) > 1
    mark = group[0]
    if distinct:
        return not all(mark.never_alone for mark in group)
    if mark.never_alone:
        return False
    if mark.alone is None or mark.alone.search(text, max(mark.start - _CONTEXT_CHARS, 0), mark.start):
        return True
    if before is not None and _RANGE_JOINT.fullmatch(text, before.end, mark.start):
        return True
    opens = re.search(r"\b(?:from|between)\s+(?:the\s+)?$", text[max(mark.start - _CONTEXT_CHARS, 0) : mark.start])
    return bool(opens and following and _RANGE_JOINT.fullmatch(text, mark.end, following[0].start))
