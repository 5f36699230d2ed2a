"""Remove the words around statements and questions that say nothing: "Well,", "remember that", 嗯，, 请问. Pure.

The tagger has seldom seen them, and takes what stands beside them for a joke or for talk: it reads "I'm allergic to
nuts", but of "Remember that I'm allergic to nuts" nothing. The models that score answers are misled likewise.
"""

import re
import unicodedata
from typing import Final

from extraction.text.chinese import HAN_OR_KANA
from extraction.text.toml_files import patterns_of, toml_of

_TABLES: Final = toml_of("extraction.text", "fillers.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], _TABLES["parts"])


def without_fillers(text: str) -> str:
    """Return a text of the same length with spaces for the words around its statements."""
    if _PATTERNS["irony"].search(text):
        return text
    for filler in (_PATTERNS["markup"], _PATTERNS["before"], _PATTERNS["behind"]):
        text = filler.sub(lambda found: " " * len(found[0]), text)
    return text


_SHOUTED: Final = re.compile(r"(?:[^\W\d_]{1,20}['’?]?\s{1,3}){2}[^\W\d_]")
_ENDED: Final = re.compile(r"[?？!！.。…]['\"”’」』)）]?\s{0,9}$")
_EAST_ASIAN: Final = re.compile(f"[{HAN_OR_KANA}]")


def plain_question(text: str) -> str:
    """Return a question as the models have learnt questions: composed, with its mark, without "do you remember".

    A question all in capitals loses them. Where nothing is left, the whole question is returned.
    """
    text = unicodedata.normalize("NFC", text)
    if text.isupper() and _SHOUTED.search(text) and _PATTERNS["question"].search(text):
        text = text.lower()
    topic = _PATTERNS["opening"].sub("", text.strip()).strip()
    text = topic if re.search(r"\w", topic) else text
    if _ENDED.search(text) or not _PATTERNS["question"].search(text):
        return text
    return f"{text.rstrip()}{'？' if _EAST_ASIAN.search(text) else '?'}"
