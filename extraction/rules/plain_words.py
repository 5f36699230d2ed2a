"""Weigh the tags of English and Chinese facts by the words around them, before they become facts. Pure.

The messages that the tagger was trained on say most facts in less plain words, so it is least sure of what is said most
plainly: "I love tea", 我养了一只猫. Rules that read such sentences by themselves (2,400 lines) gave no more than this.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from extraction.rules.tags import INTENTIONS, Tag
from extraction.text.sentences import split_sentences
from extraction.text.toml_files import filled, toml_of

# A sentence that supposes something: there a tag of what is so needs more.
SUPPOSES: Final = re.compile(
    r"\b(?:if (?:i|we|my|only)|would(?! (?:love|like|rather|prefer))|could(?! never)|might|maybe|perhaps|wish i|should|"
    r"unless)\b",
    re.IGNORECASE,
)
_UNREAL_ODDS: Final = 1.5
_WORDS: Final = toml_of("extraction.rules", "plain_words.toml")


def _rows(language: str, gap: str) -> list[tuple[frozenset[str], re.Pattern[str], re.Pattern[str]]]:
    """Return the kinds of each row of a language, and the patterns before and after an object that a gap precedes."""
    rows = []
    for row in _WORDS[language]:
        before = filled(row.get("before", ""), _WORDS["parts"])
        pattern = re.compile(f"(?:{before}){gap}$", re.IGNORECASE)
        rows.append((frozenset(row["kinds"].split()), pattern, re.compile(row.get("after", ""))))
    return rows


# By whether the text is Chinese.
_PLAIN: Final = {False: _rows("english", " (?:the )?"), True: _rows("chinese", "")}
_PLAIN_ODDS: Final = 2.0
# 我没养宠物 and 我不住在上海 tell of none; the model sees what is denied.
_DENIED_ZH: Final = re.compile(
    "(?:没|不|未|[从并]无)(?:有|再|曾|得)?(?:养|住|用|当|做|是|学|来自)?[过着]?在?(?:任何)?$"
)
_DENIABLE: Final = frozenset(
    ("lives_in", "works_at", "works_as", "studies_at", "from", "has", "pet", "partner", "spouse", "illness", "takes")
)
# 我叫他小明 names somebody else.
_CALLED_ZH: Final = re.compile("[叫管](?:[他她它]们?|[你您])[叫做作]?$")
_NEVER_ODDS: Final = -9.0
_BEFORE_CHARS: Final = 60
_AFTER_CHARS: Final = 12


def with_plain_words(text: str, tags: Sequence[Tag], *, chinese: bool) -> list[Tag]:
    """Return the tags of a message: surer after plain words, less sure where a sentence supposes or denies it."""
    supposed = [] if chinese else [(one.start, one.end) for one in split_sentences(text) if SUPPOSES.search(one.text)]

    def odds(tag: Tag) -> float:
        start, end = tag.obj
        before, after = text[max(0, start - _BEFORE_CHARS) : start], text[end : end + _AFTER_CHARS]
        if chinese and tag.kind in _DENIABLE and not tag.ended and _DENIED_ZH.search(before):
            return _NEVER_ODDS
        if tag.kind == "named" and _CALLED_ZH.search(before):
            return _NEVER_ODDS
        if tag.kind not in INTENTIONS and any(first <= start < last for first, last in supposed):
            return tag.odds - _UNREAL_ODDS
        plain = (words for kinds, *words in _PLAIN[chinese] if tag.kind in kinds)
        is_plain = any(first.search(before) and then.match(after) for first, then in plain)
        return tag.odds + _PLAIN_ODDS if is_plain else tag.odds

    return [replace(tag, odds=odds(tag)) for tag in tags]
