"""Detect what a message does: report a change, give a reason, instruct the assistant, tell what is brief. Pure.

The ranking compares these cues with the kind of a question. Texts are English, or Chinese in simplified characters,
in lower case, unless a function says otherwise.
"""

import re
from functools import cache
from typing import Final

from extraction.text.chinese import HAN_OR_KANA
from extraction.text.lexicon_en import ANY_MONTH
from extraction.text.other_languages import FIRST_PERSON
from extraction.text.toml_files import patterns_of, toml_of

# Only the beginning is searched, because longer messages contain many cues.
_CHARS_MAX: Final = 4_000
# Of `cues.toml`: longer messages are texts to work on, and their beginning tells what they are.
_WORDS_CHARS_MAX: Final = 300
_TABLES: Final = toml_of("extraction.text", "cues.toml")
_PATTERNS: Final = patterns_of(_TABLES.pop("patterns"), {"month": ANY_MONTH})
_HAN_OR_KANA: Final = re.compile(f"[{HAN_OR_KANA}]")


def reports_change(plain_text: str) -> bool:
    """Return whether a text has wording of change: "we moved", "from now on", 换成."""
    return _PATTERNS["change"].search(plain_text, 0, _CHARS_MAX) is not None


def gives_reason(plain_text: str) -> bool:
    """Return whether a text has wording of a reason: "because", "couldn't", 因为."""
    return _PATTERNS["reason"].search(plain_text, 0, _CHARS_MAX) is not None


def speaks_of_user(text: str) -> bool:
    """Return whether a text, of any language and case, has a word for its speaker: "my", 我, "ich"."""
    patterns = (_PATTERNS["first_person"], FIRST_PERSON)
    return any(pattern.search(text, 0, _CHARS_MAX) is not None for pattern in patterns)


def names_somebody(text: str) -> bool:
    """Return whether a text has words for somebody near its speaker: "my mate", 我教练, "meine Kollegin"."""
    return _PATTERNS["somebody"].search(text, 0, _CHARS_MAX) is not None


def tells_of_other(text: str) -> bool:
    """Return whether a text, as it is written, tells of somebody else and not of its speaker: "my mate is at level 4".

    "My mate says I'm at level 4" tells of both.
    """
    text = text[:_CHARS_MAX]
    named = any(_is_subject(text, found) for found in _PATTERNS["somebody"].finditer(text))
    names_other = named or _PATTERNS["third_person"].search(text) is not None
    return names_other and not speaks_of_user(_PATTERNS["somebody"].sub(" ", text))


def _is_subject(text: str, found: re.Match[str]) -> bool:
    """Return whether somebody stands at the beginning of a sentence, or before a verb or particle, as in Chinese."""
    before = text[: found.start()].rstrip(" ")
    return not before or before[-1] in ".!?\n" or _HAN_OR_KANA.search(found[0]) is not None


def without_chat_lines(text: str) -> str:
    """Return a text without the lines of a chat that it quotes, if two names or more stand before such lines.

    In "Owen: no prawns near me" another one speaks of himself. Labels, as in "Phone: 555 0199", stay.
    """
    lines = [match for match in _PATTERNS["chat_line"].finditer(text[:_CHARS_MAX])]
    is_chat = any(speaks_of_user(match["said"]) for match in lines)
    if not is_chat or len({match["name"] for match in lines}) == 1:
        return text
    return "\n".join(line for line in text.splitlines() if _PATTERNS["chat_line"].match(line) is None)


def gives_text(plain_text: str) -> bool:
    """Return whether a message gives a text to translate, correct or rewrite, which tells nothing by itself."""
    return _PATTERNS["given_text"].search(plain_text, 0, _CHARS_MAX) is not None


def instructs(text: str) -> bool:
    """Return whether a message, of six languages, says how the assistant shall answer from then on.

    "Always include version numbers when I ask about libraries", 以后帮我看作文的时候直接改语法. An assistant needs them
    before it explains, writes or plans something.
    """
    return _says("instructs", text)


def asks_for_work(question: str) -> bool:
    """Return whether a question, of six languages, asks the assistant to explain, write, plan or recommend."""
    return _says("asks", question)


def asks_usual(question: str) -> bool:
    """Return whether a question, of six languages, asks for what is so most of the time: "usually", 平时."""
    return _says("usual", question)


def asks_choice(question: str) -> bool:
    """Return whether a question, of six languages, asks what somebody chose: "did we go for", 最后选了哪个."""
    return _says("chosen", question)


def tells_brief(text: str) -> bool:
    """Return whether a message, of six languages, tells only what is so for some days: "this week", 暂时."""
    return _says("brief", text) and not _says("usual", text)


def _says(key: str, text: str) -> bool:
    text = text[:_WORDS_CHARS_MAX].lower().replace("'", "’")
    return any(pattern.search(text) is not None for pattern in _patterns(key, _HAN_OR_KANA.search(text) is not None))


@cache
def _patterns(key: str, is_cjk: bool) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a key of `cues.toml`; without Chinese or Japanese characters, those of the other four."""
    wanted = [words[key] for code, words in _TABLES.items() if is_cjk or code not in ("zh", "ja")]
    return tuple(re.compile("|".join([one] if isinstance(one, str) else one)) for one in wanted)
