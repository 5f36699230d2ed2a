"""Detect questions that ask for all of a kind, and texts that add one more to a list. Pure.

"Which books have I finished?" has several answers, given at different times, so neither the newest nor the most similar
statement alone is the answer. Texts are English or Chinese.
"""

import re
from typing import Final

from extraction.temporal.phrases import plain_apostrophes
from extraction.text.lexicon_en import word_set
from extraction.text.toml_files import patterns_of, toml_of

_QUESTION_CHARS_MAX: Final = 400
_CHARS_MAX: Final = 4_000
# Words that the plural noun after "which" may follow.
_HEAD_WORDS_MAX: Final = 4
_WHICH: Final = re.compile(r"\b(?:what|which)\b((?: [a-z][a-z'-]*){1,5})")
_WHAT_ARE: Final = re.compile(
    r"\b(?:what|who)(?: all)? (?:are|were) (?:all )?(?:my|our|the|his|her|their|[a-z]+'s)((?: [a-z][a-z'-]*){1,3})"
)
_TABLES: Final = toml_of("extraction", "list_questions.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], {})
_WORDS: Final = {key: word_set(words) for key, words in _TABLES["words"].items()}


def asks_list(question: str) -> bool:
    """Return whether a question asks for all of a kind: "which books …", "what are my hobbies?", 有哪些.

    "Which shoes should I buy?" asks for advice.
    """
    text = plain_apostrophes(question[:_QUESTION_CHARS_MAX])
    if _PATTERNS["advice"].search(text):
        return False
    if _PATTERNS["all"].search(text):
        return True
    if any(_leads_with_plural(found[1].split()) for found in _WHICH.finditer(text)):
        return True
    return any(any(map(_is_plural, found[1].split())) for found in _WHAT_ARE.finditer(text))


def adds_item(plain_text: str) -> bool:
    """Return whether a text, plain and in lower case, adds one more of a kind: "another", "third", 又, 第二."""
    return _PATTERNS["more"].search(plain_text, 0, _CHARS_MAX) is not None


def _leads_with_plural(words: list[str]) -> bool:
    """Return whether a plural noun comes before the verb; "which nut makes her throat tight" has none."""
    start = next((at for at, word in enumerate(words) if word not in _WORDS["before_head"]), len(words))
    for at, word in enumerate(words[start:_HEAD_WORDS_MAX], start=start):
        if word in _WORDS["stops"]:
            return False
        if _is_plural(word):
            after = words[at + 1] if at + 1 < len(words) else ""
            return not (after in _WORDS["determiners"] or after.endswith("'s"))
    return False


def _is_plural(word: str) -> bool:
    if word in _WORDS["plurals"]:
        return True
    return (
        len(word) > 3
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is", "'s"))
        and word not in _WORDS["no_list"]
    )
