"""Tell which of listed options somebody chooses: "the second one, please", "dann das Mittlere", 就第三个吧. Pure.

The assistant lists them, or the speaker, who asks which to choose (`options.py`).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Final, NamedTuple

from extraction.text.chinese import HAN_OR_KANA
from extraction.text.languages import written_language
from extraction.text.options import list_items, options_in, options_in_sentence
from extraction.text.toml_files import toml_of
from schema.labels import Role

# The relation of a choice to who made it.
CHOSE: Final = "chose"
# Messages after a list, and the time, in which somebody chooses from it.
_LINES_MAX: Final = 6
_WITHIN: Final = timedelta(days=2)
_REPLY_CHARS_MAX: Final = 240
_OPTION_CHARS_MAX: Final = 60
_WHY_CHARS_MAX: Final = 100
# Of the heading of a list that says what its options are for.
_HEADING_WORDS_MIN: Final = 4
# A clause that names an option and little else chooses it.
_FEW_WORDS: Final = 3
_FEW_CHARS_CJK: Final = 6
_WORD_MIN: Final = 4
# A longer clause has the whole name of what it chooses, of two words or more; a longer question chooses nothing.
_MANY_WORDS: Final = 8

# What follows the name of an option: its details.
_DETAILS: Final = re.compile(
    rf"[,，、:：;；(（\n]|(?<!\d)[.。](?!\d)| [-–—] |(?<=[{HAN_OR_KANA}》」]) (?=[\d{HAN_OR_KANA}])|(?<=》)"
)
_MARKS: Final = " \t\n*_\"'“”‘’«»《》「」.,;，。；、!?！？¡¿"
_ENDS: Final = r"\n.!?…。！？;；,，、(（)）"
# Not within a number: "2,900".
_CLAUSE: Final = re.compile(rf"(?:[^{_ENDS}]|(?<=\d)[.,](?=\d))*[^{_ENDS}\s][.!?…。！？;；,，、\n]*")
_CJK_GAP: Final = re.compile(rf"(?<=[{HAN_OR_KANA}]) +(?=[{HAN_OR_KANA}])")
_WORDS: Final = re.compile(rf"[^\W\d_{HAN_OR_KANA}]{{{_WORD_MIN},}}")
# "ZWO" tells an option that has small letters too, unlike other short words.
_CAPITALS: Final = re.compile(r"(?<!\w)[A-Z]{3}(?!\w)")
_SHORT: Final = re.compile(r"(?<!\w)[a-z]{3}(?!\w)")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…。！？])\s*(?=.)", re.DOTALL)
_WHY: Final = re.compile(r" ?[(（]\{why\}[)）]")
_RUN: Final = re.compile(rf"[{HAN_OR_KANA}]+")


class Choice(NamedTuple):
    """An option that a message chooses.

    Attributes:
        told: indexes of the messages that tell it: what the options are for, the list, and the choice.
        option: its name, without details.
        why: what the options are for, as the speaker asked.
        user: what a user without a name is called in the language of the reply.
        says: template of a statement in that language, with `{s}`, `{o}` and `{why}`.
    """

    told: tuple[int, ...]
    option: str
    why: str
    user: str
    says: str


class _Language(NamedTuple):
    nth: re.Pattern[str]
    numbers: tuple[re.Pattern[str], ...]
    last: re.Pattern[str]
    middle: re.Pattern[str]
    instead: re.Pattern[str]
    chosen: re.Pattern[str]
    refused: re.Pattern[str]
    parted: re.Pattern[str]
    plain: frozenset[str]
    user: str
    says: str


def choice_in(at: int, said: Sequence[tuple[Role, str, datetime]]) -> Choice | None:
    """Return what a message of a user chooses from the list of options before it; None if that cannot be told.

    Args:
        at: index of the message.
        said: role, text and time of the messages of a conversation, in order.
    """
    role, reply, now = said[at]
    before = range(at - 1, max(at - 1 - _LINES_MAX, -1), -1)
    if role is not Role.USER or len(reply) > _REPLY_CHARS_MAX:
        return None
    for listed in before:
        if now - said[listed][2] > _WITHIN:
            return None
        options = _options(*said[listed][:2])
        is_next = all(said[index][0] is not Role.USER for index in range(listed + 1, at))
        chosen = _chosen(reply, options, is_next=is_next) if options else None
        if chosen is not None:
            break
    else:
        return None
    name = _name_of(options[chosen])
    if name is None:
        return None
    language = _languages()[written_language(f"{reply} {said[listed][1]}")]
    asked, why = _request(listed, said)
    says = language.says if why else _WHY.sub("", language.says)
    told = (listed, at) if asked is None else (asked, listed, at)
    return Choice(told=told, option=name, why=why, user=language.user, says=says)


def _options(role: Role, text: str) -> list[str]:
    is_agent = role is Role.ASSISTANT
    return (options_in(text) if is_agent else []) or options_in_sentence(text, asked=not is_agent)


@cache
def _languages() -> dict[str, _Language]:
    return {
        code: _Language(
            nth=re.compile("|".join(re.sub(r"\?P<n>", f"?P<n{at}>", one) for at, one in enumerate(words["nth"]))),
            numbers=tuple(map(re.compile, words["numbers"])),
            last=re.compile(words["last"]),
            middle=re.compile(words["middle"]),
            instead=re.compile(words["instead"]),
            chosen=re.compile(words["chosen"]),
            refused=re.compile(words["refused"]),
            parted=re.compile(words["parted"]),
            plain=frozenset(words["plain"].split()),
            user=words["user"],
            says=words["says"],
        )
        for code, words in toml_of("extraction.text", "choices.toml").items()
    }


def _name_of(option: str) -> str | None:
    cut = next((mark.start() for mark in _DETAILS.finditer(option) if mark.start() > 1), len(option))
    name = option[:cut].strip(_MARKS)
    return name if 0 < len(name) <= _OPTION_CHARS_MAX else None


def _chosen(reply: str, options: Sequence[str], *, is_next: bool) -> int | None:
    """Return the index of the option that a reply chooses; None if it chooses none or several.

    Args:
        is_next: it is the next message of the user; later ones must say that they choose.
    """
    marks = _marks_of(options)
    surely: dict[int, bool] = {}
    perhaps: dict[int, bool] = {}
    reply = reply.lower().replace("'", "’")
    for language in _of_script(reply):
        reply = language.instead.split(reply)[-1] or reply
    for clause in _clauses(reply):
        if clause.endswith(("?", "？")):
            continue
        named = _named_in(clause, options, marks)
        if _is_refused(clause, [mark for index in named for mark in marks[index]]):
            continue
        if any(language.chosen.search(clause) for language in _of_script(clause)):
            surely |= named
        elif is_next and (any(named.values()) or _is_short(clause, [options[index] for index in named])):
            perhaps |= named
    told = surely or perhaps
    numbered = [index for index, by_number in told.items() if by_number]
    found = numbered or [*told]
    return found[0] if len(found) == 1 else None


def _is_refused(clause: str, names: Sequence[str]) -> bool:
    """Return whether a clause refuses what it names; the 太 of 小太阳 does not."""
    within = [found.span() for name in names for found in re.finditer(re.escape(name), clause)]
    refusals = [found.span() for language in _of_script(clause) for found in language.refused.finditer(clause)]
    return any(not any(a <= start and end <= b and b - a > end - start for a, b in within) for start, end in refusals)


def _of_script(text: str) -> list[_Language]:
    """Return the languages that write as a text does."""
    cjk = _RUN.search(text) is not None
    return [one for code, one in _languages().items() if (code in ("zh", "ja")) == cjk]


def _clauses(reply: str) -> Iterator[str]:
    sentences = _SENTENCE_END.split(reply)
    told = " ".join(one for one in sentences if not one.endswith("?") or len(one.split()) <= _MANY_WORDS)
    for found in _CLAUSE.finditer(_CJK_GAP.sub("，", told)):
        clauses = [found[0].strip()]
        for language in _of_script(found[0]):
            clauses = [part for clause in clauses for part in language.parted.split(clause)]
        yield from (clause.strip() for clause in clauses if clause.strip())


def _named_in(clause: str, options: Sequence[str], marks: Sequence[frozenset[str]]) -> dict[int, bool]:
    """Return the options that a clause names, each with whether by its number."""
    named: dict[int, bool] = {}
    for language in _of_script(clause):
        for found in language.nth.finditer(clause):
            index = _number(found[found.lastgroup or 0], language, len(options))
            if index is not None:
                named[index] = True
    if not named:
        said = _parts(clause) | {*_SHORT.findall(clause)}
        named = dict.fromkeys((at for at, own in enumerate(marks) if own & said), False)
        names = {at: _parts((_name_of(options[at]) or "").lower().replace("'", "’")) for at in named}
        if len(clause.split()) > _MANY_WORDS:
            named = dict.fromkeys((at for at, name in names.items() if len(name) > 1 and name <= said), False)
        elif len(named) > 1:
            # "The Phonak pair it is": another one is "3,100 a pair".
            named = dict.fromkeys((at for at, name in names.items() if name & marks[at] & said), False) or named
    return named


def _number(text: str, language: _Language, n: int) -> int | None:
    """Return the index of an option by its number; None if there is none of it."""
    if language.last.match(text):
        return n - 1
    if language.middle.match(text):
        return n // 2 if n % 2 else None
    value = int(text) if text.isdecimal() else ord(text) - ord("a") + 1 if re.fullmatch("[a-f]", text) else 0
    value = value or next((at for at, word in enumerate(language.numbers, 1) if word.match(text)), 0)
    return value - 1 if 0 < value <= n else None


def _marks_of(options: Sequence[str]) -> list[frozenset[str]]:
    """Return the words, or pairs of characters, of each option that no other has."""
    own = [
        _parts(option.lower().replace("'", "’")) | {word.lower() for word in _capitals(option)} or _short_of(option)
        for option in options
    ]
    counts = Counter(part for parts in own for part in parts)
    return [frozenset(part for part in parts if counts[part] == 1) for parts in own]


def _short_of(option: str) -> frozenset[str]:
    """Return the last word of an option that has only short ones: "a ham"."""
    return frozenset(_SHORT.findall(option.lower())[-1:])


def _capitals(option: str) -> list[str]:
    return [] if option.isupper() else _CAPITALS.findall(option)


def _parts(text: str) -> frozenset[str]:
    pairs = {run[at : at + 2] for run in _RUN.findall(text) for at in range(len(run) - 1)}
    return frozenset({word.removesuffix("s") for word in _WORDS.findall(text)} | pairs) - _plain()


@cache
def _plain() -> frozenset[str]:
    return frozenset().union(*(language.plain for language in _languages().values()))


def _is_short(clause: str, named: Sequence[str]) -> bool:
    """Return whether a clause has few characters, or few words beside the names of options."""
    runs = "".join(_RUN.findall(clause))
    words = {word for option in named for word in (_name_of(option) or "").lower().split()}
    return len(runs) <= _FEW_CHARS_CJK if runs else sum(word not in words for word in clause.split()) <= _FEW_WORDS


def _request(listed: int, said: Sequence[tuple[Role, str, datetime]]) -> tuple[int | None, str]:
    """Return the message for which options are listed, and what it says: behind the question that it answers,
    and before the heading of the list, unless it asks itself. None with what a list of the user says.
    """
    if said[listed][0] is Role.USER:
        return None, " ".join(said[listed][1].split())[:_WHY_CHARS_MAX].strip().rstrip(".。")
    before = range(listed - 1, max(listed - 1 - _LINES_MAX, -1), -1)
    asked = next((index for index in before if said[index][0] is Role.USER), None)
    if asked is None:
        return None, ""
    question = said[asked - 1][1].strip() if asked and said[asked - 1][0] is Role.ASSISTANT else ""
    lead = _SENTENCE_END.split(question)[-1] + " " if question.endswith(("?", "？")) else ""
    request = (lead + " ".join(said[asked][1].split()))[:_WHY_CHARS_MAX].strip().rstrip(".。")
    items = list_items(said[listed][1])
    heading = said[listed][1][: items[0].start()].strip(_MARKS + ":：") if items else ""
    tells = "?" not in request and "？" not in request and len(heading.split()) >= _HEADING_WORDS_MIN
    return asked, f"{request}: {heading[-_WHY_CHARS_MAX:]}" if tells else request
