"""Decide whether a scene is worth a model call, or is only small talk. Pure, linear time.

Everything not recognised as small talk is read: a needless call only costs money, a missing one loses facts.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from extraction.reader import SceneLine, SceneText
from extraction.text.chinese import CJK, HAN
from extraction.text.other_languages import FIRST_PERSON
from extraction.text.sentences import has_cjk, split_sentences
from schema.labels import Role

# Longer messages are not small talk.
_TALK_CHARS_MAX: Final = 1_000
# Shorter impersonal statements count as small talk.
_WORDS_MIN: Final = 3
_CJK_MIN: Final = 4
# Longer clauses are not small talk; this also bounds the input of the patterns.
_CLAUSE_CHARS_MAX: Final = 120
_CLAUSES: Final = re.compile(rf"[,，;；:：。！？!?…~～\n()（）]+|\.(?:\s|$)|[-–—]{{2,}}| - |(?<=[{HAN}]) (?=[{HAN}])")
_EDGES: Final = " \t\"'“”‘’.。,，!！?？…-–—~～*_#`"
_CHARACTERS: Final = re.compile(rf"[{CJK}]")
_WORD: Final = re.compile(rf"[^\W_{CJK}](?:[^\W{CJK}]|['’-])*")
_NOT_WORDS: Final = re.compile(r"[^\w\s'’“”\"%.,;:!?\u3000-\u303f\uff00-\uffef…~-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallTalkPatterns:
    """Patterns of small talk in one language.

    Attributes:
        small_talk: matches whole clauses without lasting content.
        asks_for: matches the beginning of a request.
        about_us: matches wording about the person who asks, which makes a question or request worth reading.
        speaks_of_self: matches the first person.
    """

    small_talk: re.Pattern[str]
    asks_for: re.Pattern[str]
    about_us: re.Pattern[str]
    speaks_of_self: re.Pattern[str]


def worth_reading(scene: SceneText) -> bool:
    """Return whether the fresh lines of a scene may contain facts, so that a model should read it."""
    return any(_line_has_content(line) for line in scene.lines if line.fresh)


def is_small_talk(text: str) -> bool:
    """Return whether a message consists of greetings, thanks and the like."""
    return len(text) <= _TALK_CHARS_MAX and next(_content_clauses(text), None) is None


def _line_has_content(line: SceneLine) -> bool:
    match line.role:
        case Role.SYSTEM:
            return False
        case Role.TOOL:
            return bool(line.text.strip())
        case Role.USER | Role.EVENT:
            return len(line.text) > _TALK_CHARS_MAX or any(
                _user_has_content(*sentence) for sentence in _content_clauses(line.text)
            )
        case Role.ASSISTANT:
            # What the assistant did or will do is worth reading; its explanations are general knowledge.
            return any(
                not asks and _speaks_of_self(clauses) for clauses, asks in _content_clauses(line.text[:_TALK_CHARS_MAX])
            )


def _content_clauses(text: str) -> Iterator[tuple[list[str], bool]]:
    """Yield each sentence's clauses that are not small talk, and whether it is a question."""
    for sentence in split_sentences(text):
        clauses = [_bare(piece) for piece in _CLAUSES.split(sentence.text)]
        content = [clause for clause in clauses if clause and not _is_small(clause)]
        if content:
            yield content, sentence.asks


def _bare(clause: str) -> str:
    """Strip punctuation and emoji from a clause."""
    return " ".join(_NOT_WORDS.sub(" ", clause).replace("’", "'").strip(_EDGES).split())


def _patterns_for(clause: str) -> SmallTalkPatterns:
    # Imported on first use, because compiling the patterns would slow the start of the service.
    if has_cjk(clause):
        from extraction.rules.zh import small_talk as small_talk_zh

        return small_talk_zh.PATTERNS
    from extraction.rules.en import small_talk as small_talk_en

    return small_talk_en.PATTERNS


def _is_small(clause: str) -> bool:
    return len(clause) <= _CLAUSE_CHARS_MAX and _patterns_for(clause).small_talk.fullmatch(clause) is not None


def _user_has_content(clauses: list[str], asks: bool) -> bool:
    if asks or any(_patterns_for(clause).asks_for.match(clause) for clause in clauses[:1]):
        return any(_patterns_for(clause).about_us.search(clause) for clause in clauses)
    return _speaks_of_self(clauses) or _has_substance(clauses)


def _speaks_of_self(clauses: Iterable[str]) -> bool:
    return any(_patterns_for(clause).speaks_of_self.search(clause) or FIRST_PERSON.search(clause) for clause in clauses)


def _has_substance(clauses: Iterable[str]) -> bool:
    text = " ".join(clauses)
    # Chinese, kana and Hangul are counted by characters, all other scripts by words.
    return len(_CHARACTERS.findall(text)) >= _CJK_MIN or len(_WORD.findall(text)) >= _WORDS_MIN
