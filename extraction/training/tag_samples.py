"""Read the labelled messages of `tag_messages`, and vary them, so that the tagger learns how facts are told.

Each epoch sees other messages than the one before: objects are exchanged for objects of the same kind, messages stand
behind others of the same speaker or are cut into a context and a message, and values are corrected. Pure but for the
files that it reads.
"""

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from extraction.rules.fact_wordings import WORDINGS
from extraction.rules.tags import KINDS
from extraction.text.chinese import HAN
from extraction.text.sentences import split_sentences

MESSAGES: Final = Path(__file__).with_name("tag_messages")
CORRECTIONS: Final = Path(__file__).with_name("tag_corrections.txt")
SPEAKER: Final = "user"
# The object, a new value, stands in the place of the subject, which mostly is in an earlier message.
REPLACES: Final = "replaces"
STATES: Final = ("now", "past", "brief")
# Outputs of the model: kinds of facts, the replaced values, and two that are not in use yet.
OUTPUTS: Final = (*KINDS, REPLACES, "", "")
# Share of the objects that are exchanged, and the kinds whose objects fit into each other's sentences.
EXCHANGED: Final = 0.35
EXCHANGEABLE: Final = frozenset(KINDS) - {"born_on", "diet", "plans", "promised", "decided", "because", "attribute"}
# Shares of the messages that stand behind another one, are cut in two, are joined with the next, and are corrected.
BEHIND, CUT, JOINED, CORRECTED = 0.15, 0.5, 0.12, 0.12
# Of the corrections, those in the same message, and those that correct nothing.
AT_ONCE, NO_CORRECTION = 0.2, 0.25

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One fact of a message, in the words of the message.

    Attributes:
        word: the word for the relation ("daughter", "door code"); empty without one, None if nobody labelled it.
    """

    subject: str
    kind: str
    obj: str
    state: str
    word: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A message with its facts.

    Attributes:
        context: earlier messages of the speaker, whose own facts are not labelled.
    """

    language: str
    text: str
    labels: tuple[Label, ...]
    context: tuple[str, ...] = ()


# Reading


def labelled_messages(language: str, folder: Path = MESSAGES) -> tuple[list[Labelled], list[Labelled]]:
    """Return the messages of a language for training, and every tenth, which is kept aside."""
    own: list[Labelled] = []
    aside: list[Labelled] = []
    for file in sorted(folder.glob(f"{language}-*.txt"), key=lambda path: (len(path.stem), path.stem)):
        for number, block in enumerate(file.read_text("utf-8").strip().split("\n\n")):
            (aside if number % 10 == 9 else own).append(_labelled(block, language))
    return own, aside


def _labelled(block: str, language: str) -> Labelled:
    lines = block.splitlines()
    context = tuple(line[2:] for line in lines if line.startswith("C "))
    (text,) = (line[2:] for line in lines if line.startswith("M "))
    written = [[part.strip() for part in line[2:].split("|")] for line in lines if line.startswith("F ")]
    labels = [
        Label(subject=subject, kind=kind, obj=obj, state=state, word=word[0] if word else None)
        for subject, kind, obj, state, *word in written
    ]
    return Labelled(
        language=language,
        text=text,
        labels=tuple(_with_word(label, text, labels) for label in labels),
        context=context,
    )


# Kinds whose relation is the word of the message.
WORDED: Final = frozenset(kind for kind, wording in WORDINGS.items() if wording.words is not None)
_NEAR_CHARS: Final = {"en": 45, "zh": 14}


def _with_word(label: Label, text: str, labels: Sequence[Label]) -> Label:
    """Return a label with the word for its relation, which is nearest to the object; English and Chinese only."""
    if label.kind not in WORDED or label.word is not None:
        return label
    words, chinese = WORDINGS[label.kind].words, re.search(f"[{HAN}]", text) is not None
    found = spans_of(text, label.subject, label.obj)
    if words is None or found is None:
        return label
    start, end = found[1]
    near = _NEAR_CHARS["zh" if chinese else "en"]
    taken = [span for one in labels for span in standing(text, one.obj)]
    free = [
        word
        for word in re.compile(words[chinese], re.IGNORECASE).finditer(text, max(0, start - near), end + near)
        if all(word.end() <= a or word.start() >= b for a, b in taken) and word[0] != label.subject
    ]
    if not free:
        return replace(label, word="")
    nearest = min(free, key=lambda word: start - word.end() if word.end() <= start else word.start() - end + 3)
    return replace(label, word=nearest[0])


def spans_of(text: str, subject: str, obj: str) -> tuple[Span | None, Span] | None:
    """Return the character spans of a subject and an object, those nearest to each other; None without them."""
    objects = standing(text, obj)
    subjects = [None] if subject == SPEAKER else standing(text, subject)
    return min(((a, b) for a in subjects for b in objects), key=lambda pair: _distance(*pair), default=None)


def _distance(subject: Span | None, obj: Span) -> int:
    if subject is None:
        return 0
    overlap = subject[0] < obj[1] and obj[0] < subject[1]
    return abs(obj[0] - subject[0]) + (1000 if overlap and subject != obj else 0)


def standing(text: str, part: str) -> list[Span]:
    """Return the spans of a part of a text, those that are whole words if there are any."""
    spans, start = [], text.find(part) if part else -1
    while start >= 0:
        end = start + len(part)
        spans.append((is_inside_word(text, start, end), (start, end)))
        start = text.find(part, start + 1)
    return [span for inside, span in spans if not inside] or [span for _, span in spans]


def is_inside_word(text: str, start: int, end: int) -> bool:
    """Return whether a span begins or ends within a word of Latin letters or digits."""
    joined = r"[^\W\u3040-\u30ff\u3400-\u9fff]{2}"
    before, after = text[max(0, start - 1) : start + 1], text[end - 1 : end + 1]
    return re.fullmatch(joined, before) is not None or re.fullmatch(joined, after) is not None


# Varying


class Variation:
    """Varies labelled messages at random."""

    def __init__(self, messages: Iterable[Labelled], draw: random.Random) -> None:
        self._draw = draw
        self._objects: dict[tuple[object, ...], list[str]] = {}
        for message in messages:
            for label in message.labels:
                if label.kind in EXCHANGEABLE:
                    self._objects.setdefault(_shape(label, message.language), []).append(label.obj)

    def varied(self, messages: Sequence[Labelled]) -> list[Labelled]:
        """Return one variant of each message, and some corrections."""
        variants: list[Labelled] = []
        for number, message in enumerate(messages):
            other = messages[number - 1]
            changed = self._with_other_objects(message)
            if self._draw.random() < CORRECTED and not changed.context:
                variants += filter(None, [self._corrected(changed)])
            variants.append(self._placed(changed, other))
        return variants

    def _placed(self, message: Labelled, other: Labelled) -> Labelled:
        """Return a message alone, cut into a context and a message, behind another one, or joined with it."""
        if message.context:
            return message
        if self._draw.random() < CUT and (cut := self._cut(message)) is not None:
            return cut
        chance = self._draw.random()
        if other.language != message.language or _share_words(message, other):
            return message
        if chance < JOINED:
            between = "" if message.language in ("zh", "ja") and other.text[-1] in "。！？…~" else " "
            text = other.text + self._draw.choice((between, "\n", between)) + message.text
            return replace(message, text=text, context=other.context, labels=(*other.labels, *message.labels))
        return replace(message, context=(other.text,)) if chance < JOINED + BEHIND else message

    def _cut(self, message: Labelled) -> Labelled | None:
        """Return the end of a message with its beginning as the context; None for a single sentence."""
        sentences = list(split_sentences(message.text))
        if len(sentences) < 2:
            return None
        place = self._draw.choice(sentences[1:]).start
        kept = []
        for label in message.labels:
            spans = spans_of(message.text, label.subject, label.obj)
            if spans is None or spans[1][0] < place < spans[1][1]:
                return None
            if spans[1][0] >= place:
                word = label.word
                kept.append(replace(label, word="" if word and word not in message.text[place:] else word))
        return replace(
            message, context=(message.text[:place].strip(),), text=message.text[place:].strip(), labels=tuple(kept)
        )

    def _with_other_objects(self, message: Labelled) -> Labelled:
        """Return the message with other objects in a part of its facts."""
        text, labels = message.text, list(message.labels)
        for number, label in enumerate(labels):
            if label.kind not in EXCHANGEABLE or self._draw.random() >= EXCHANGED or text.count(label.obj) != 1:
                continue
            rest = (*labels[:number], *labels[number + 1 :])
            others = [part for one in rest for part in (one.subject, one.obj, one.word or "")]
            others = [part for part in (*others, label.subject, label.word or "") if part not in ("", SPEAKER)]
            other = self._draw.choice(self._objects[_shape(label, message.language)])
            if other in text or any(new in part or part in new for new in (label.obj, other) for part in others):
                continue
            start = text.find(label.obj)
            if is_inside_word(text, start, start + len(label.obj)):
                continue
            text = text[:start] + other + text[start + len(label.obj) :]
            labels[number] = replace(label, obj=other)
        return replace(message, text=text, labels=tuple(labels))

    # Corrections

    def _corrected(self, message: Labelled) -> Labelled | None:
        """Return a message that corrects a value of another one, or only seems to; None if it has no value."""
        value = self._value(message)
        if value is None:
            return None
        old, new, label = value
        wording = corrections()[message.language]
        if self._draw.random() < NO_CORRECTION:
            text = self._draw.choice(wording.none).format(old=old, new=new)
            return Labelled(language=message.language, text=text, labels=(), context=(message.text,))
        says = self._draw.choice(wording.some)
        given = new
        tail = _common_start(old, new)
        if self._draw.random() < 0.4 and tail and len(new) - tail >= 2 and new[-1].isdigit():
            says, given = self._draw.choice(wording.tails), new[tail:]
        text = says.format(old=old, new=given)
        replaced = Label(subject=old, kind=REPLACES, obj=given, state="now")
        if given == new and self._draw.random() < AT_ONCE:
            # Only what names the value anew is a fact.
            if text.count(new) != 1 or any(old in one.obj for one in message.labels if one is not label):
                return None
            kept = [one for one in message.labels if one is not label]
            kept += [] if label is None else [replace(label, obj=new)]
            joined = f"{message.text}{'，' if message.language == 'zh' else ' '}{text}"
            return replace(message, text=joined, labels=(*kept, replaced))
        return Labelled(language=message.language, text=text, labels=(replaced,), context=(message.text,))

    def _value(self, message: Labelled) -> tuple[str, str, Label | None] | None:
        """Return a value of a message, another one of its kind, and the fact of which it is the object, if any."""
        if message.language not in corrections():
            return None
        facts = [one for one in message.labels if one.kind in EXCHANGEABLE and message.text.count(one.obj) == 1]
        values = [found[0] for found in _VALUE.finditer(message.text) if message.text.count(found[0]) == 1]
        if facts and (not values or self._draw.random() < 0.6):
            label = self._draw.choice(facts)
            other = self._other_number(label.obj) or self._draw.choice(self._objects[_shape(label, message.language)])
            return (label.obj, other, label) if other not in message.text and label.obj not in other else None
        if not values:
            return None
        old = self._draw.choice(values)
        new = self._other_number(old) or self._other_day(old)
        return (old, new, None) if new and new not in message.text else None

    def _other_number(self, old: str) -> str | None:
        """Return a value with two digits exchanged or other digits at its end; None without digits."""
        digits = [place for place, character in enumerate(old) if character in "0123456789"]
        if not digits or len(digits) * 3 < len(old):
            return None
        changed = list(old)
        first = self._draw.choice(digits[-3:])
        if len(digits) > 1 and self._draw.random() < 0.5:
            second = self._draw.choice(digits[-4:])
            changed[first], changed[second] = changed[second], changed[first]
        else:
            changed[first] = self._draw.choice("123456789")
        other = "".join(changed)
        return other if other != old else None

    def _other_day(self, old: str) -> str | None:
        days = next((days for days in _DAYS if old.lower() in days), None)
        if days is None:
            return None
        other = self._draw.choice([day for day in days if day != old.lower()])
        return other.capitalize() if old[0].isupper() else other


_DAYS: Final = (
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    tuple(f"周{day}" for day in "一二三四五六日"),
    tuple(f"星期{day}" for day in "一二三四五六日天"),
)
_VALUE: Final = re.compile(
    r"(?<![\w.])\d[\d:.,/-]*\d(?![\w])|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|(?:周|星期)[一二三四五六日天]|"
    r"\d+(?=[号日点元块岁楼])",
    re.IGNORECASE,
)


def _shape(label: Label, language: str) -> tuple[object, ...]:
    """Return what two objects must share to stand in each other's place."""
    obj = label.obj
    chinese = re.search(f"[{HAN}]", obj) is not None
    latin = obj[:1].isupper() or obj[:1].isdigit()
    return (
        label.kind,
        chinese,
        "" if latin else language,
        obj[:1].isupper(),
        obj[:1].isdigit(),
        obj.endswith("ing"),
        min(len(obj.split()), 3),
    )


def _share_words(message: Labelled, other: Labelled) -> bool:
    """Return whether the words of one message's facts are in the other message."""
    return any(
        part != SPEAKER and part in text
        for labels, text in ((message.labels, other.text), (other.labels, message.text))
        for label in labels
        for part in (label.subject, label.obj)
    )


def _common_start(one: str, other: str) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionWording:
    """Corrections of values in a language, with `{old}` and `{new}`.

    Attributes:
        some: corrections.
        tails: corrections of the last characters only.
        none: what only seems to be one.
    """

    some: list[str]
    tails: list[str]
    none: list[str]


@cache
def corrections() -> dict[str, CorrectionWording]:
    """Return the wording of corrections by language."""
    wordings: dict[str, CorrectionWording] = {}
    for block in CORRECTIONS.read_text("utf-8").strip().split("\n\n"):
        language, *lines = block.splitlines()
        some, tails, none = ([line[2:] for line in lines if line.startswith(mark)] for mark in ("+ ", "t ", "- "))
        wordings[language] = CorrectionWording(some=some, tails=tails, none=none)
    return wordings
