"""Weigh the tags of English facts by the words around them, before they become facts. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from extraction.rules.tags import INTENTIONS, Tag
from extraction.text.sentences import split_sentences

# A sentence that supposes something.
SUPPOSES: Final = re.compile(
    r"\b(?:if (?:i|we|my|only)|would(?! (?:love|like|rather|prefer))|could(?! never)|might|maybe|perhaps|wish i|should|"
    r"unless)\b",
    re.IGNORECASE,
)
# There a tag of what is so needs more.
_UNREAL_ODDS: Final = 1.5
# Words directly before an object that make some kinds surer.
_I_ADVERBS: Final = r"\b(?:i|we) (?:(?:really|also|absolutely|still|just|do|do not|don['’]?t|no longer|try to) )*"
_I_AM: Final = r"\b(?:i|we)(?: am| are|['’]?m|['’]re) (?:really |very |so |still )?"
_SURE_WORDS: Final = tuple(
    (frozenset(kinds.split()), re.compile(rf"(?:{words}) (?:the )?$", re.IGNORECASE))
    for kinds, words in (
        (
            "likes hobby",
            rf"{_I_ADVERBS}(?:like|love|enjoy|adore)|stopped (?:liking|loving|enjoying)|"
            rf"{_I_AM}(?:into|fond of|keen on|interested in)",
        ),
        ("dislikes diet", rf"{_I_ADVERBS}(?:hate|dislike|avoid|detest|(?:can['’]?t|cannot) stand)"),
        (
            "plans hobby",
            rf"{_I_ADVERBS}(?:want|hope|plan) to|{_I_AM}(?:hoping|planning|trying|going) to|"
            r"\b(?:i|we)(?:['’]d| would) like to",
        ),
    )
)
_SURE_ODDS: Final = 2.0
_BEFORE_CHARS: Final = 60


def with_plain_words(text: str, tags: Sequence[Tag]) -> list[Tag]:
    """Return the tags of an English message: surer after plain words, less sure where a sentence supposes something."""
    supposed = [(one.start, one.end) for one in split_sentences(text) if SUPPOSES.search(one.text)]

    def words(tag: Tag) -> float:
        if tag.kind not in INTENTIONS and any(start <= tag.obj[0] < end for start, end in supposed):
            return -_UNREAL_ODDS
        before = text[max(0, tag.obj[0] - _BEFORE_CHARS) : tag.obj[0]]
        return _SURE_ODDS if any(tag.kind in kinds and sure.search(before) for kinds, sure in _SURE_WORDS) else 0.0

    return [replace(tag, odds=tag.odds + words(tag)) for tag in tags]
