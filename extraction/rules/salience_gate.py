"""Decide whether a scene is worth a model call, or is only small talk. Pure, linear time.

A clause is small talk if small talk has all its words. Everything else is read: a needless call only costs money, a
missing one loses facts.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from extraction.reader import SceneLine, SceneText
from extraction.text.chinese import CJK, HAN
from extraction.text.lexicon_en import word_set
from extraction.text.other_languages import FIRST_PERSON
from extraction.text.sentences import has_cjk, split_sentences
from extraction.text.toml_files import patterns_of, toml_of
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
_TABLES: Final = toml_of("extraction.rules", "salience_gate.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], _TABLES["parts"])
_SMALL_TALK: Final = _TABLES["small_talk"]
_TALK: Final = word_set(_SMALL_TALK["english"])
# Longest first, and possessive, so that each text matches in one way at most.
_TALK_ZH: Final = re.compile(
    rf"(?:{'|'.join(sorted(_SMALL_TALK['chinese'].split(), key=len, reverse=True))}|[、 ])++", re.IGNORECASE
)


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


def _is_small(clause: str) -> bool:
    if len(clause) > _CLAUSE_CHARS_MAX:
        return False
    if has_cjk(clause):
        return _TALK_ZH.fullmatch(clause) is not None
    return all(word.replace("'", "") in _TALK for word in clause.lower().split())


def _user_has_content(clauses: list[str], asks: bool) -> bool:
    if asks or _PATTERNS["asks_for"].match(clauses[0]):
        return any(_PATTERNS["about_us"].search(clause) for clause in clauses)
    return _speaks_of_self(clauses) or _has_substance(clauses)


def _speaks_of_self(clauses: Iterable[str]) -> bool:
    return any(_PATTERNS["speaks_of_self"].search(clause) or FIRST_PERSON.search(clause) for clause in clauses)


def _has_substance(clauses: Iterable[str]) -> bool:
    text = " ".join(clauses)
    # Chinese, kana and Hangul are counted by characters, all other scripts by words.
    return len(_CHARACTERS.findall(text)) >= _CJK_MIN or len(_WORD.findall(text)) >= _WORDS_MIN
