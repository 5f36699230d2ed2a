"""Find the earlier message that a message of the same speaker corrects: "Sorry, typo: 16:40", 说错了，是周日. Pure.

`corrections.toml` has the words for it in six languages, which are read at once. A message corrects an earlier one if

- it says that the speaker was wrong, and names another value or something short;
- an exclamation ("no wait", ごめん) or "I checked" stands beside a clause that is nothing but another value;
- it denies a value or words of the earlier message ("Friday, not Thursday", 山田さんじゃなくて山本さん);
- it says that the speaker was wrong, and has a number that the earlier message misspells, also days later;
- it follows directly and is nothing but another value of the same kind;
- it follows directly and a clause of it is nothing but a number with the digits of an earlier one in another order.

Two messages of one shape are no correction, but a list.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from extraction.text.chinese import HAN, HAN_OR_KANA
from extraction.text.toml_files import toml_of
from extraction.unreadable import read_or
from schema.result_cache import cached_by_chars

# Earlier messages of the speaker that a message may correct.
EARLIER_MAX: Final = 3
# Messages of the conversation to look back, and how long.
_LINES_MAX: Final = 12
_WITHIN: Final = timedelta(hours=1)
# Of a message that shows which of them it means: "not Pine St, Spruce St", "5591, I swapped the digits".
_NAMED_LINES_MAX: Final = 60
_NAMED_WITHIN: Final = timedelta(days=30)
# Longer messages tell something new.
_CORRECTION_CHARS_MAX: Final = 300
_EARLIER_CHARS_MAX: Final = 2_000
# A value alone corrects another one that is not like it only within minutes.
_RECENT: Final = timedelta(minutes=5)
_VALUES_MAX: Final = 12
# Longer messages may correct themselves, and begin with words of error if they correct another.
_SHORT_CHARS: Final = 80
# Of words that stand in place of others.
_PHRASE_CHARS_MAX: Final = 40
_TOLD_CHARS_MAX_ZH: Final = 8
# 打错了，是我妈 tells whose.
_PRONOUNS_ZH: Final = "我你您他她它咱俺私僕"
_SIMILAR_MIN: Final = 0.7
# Digits of a number that another one with the same digits corrects, whatever else is said.
_PERMUTED_MIN: Final = 4
# Of two codes of one length: one of six characters may differ.
_MISSPELLED_MIN: Final = 0.9
# Of names of two or three characters one is another: 张伟, 张玮.
_SIMILAR_NAME_MIN_ZH: Final = 0.6

_CJK: Final = re.compile(rf"[{HAN_OR_KANA}]+")
_TOKEN: Final = re.compile(rf"{_CJK.pattern}|[^\W\d_]+")
_CLAUSE_END: Final = r"\s*＊※,.;:!?…—–，。！？；：、～~\U0001f300-\U0001faff"
_CLAUSE: Final = re.compile(
    rf"[^{_CLAUSE_END}](?:[^{_CLAUSE_END}]|(?<=[^\W{HAN}])[.,:](?=[^\W{HAN}])|"
    rf"(?<=\d)(?<!\d\d\d)(?<![4-9]\d)\.(?=,| [^\Wa-z]|\s*$)|"
    rf"(?<![{HAN_OR_KANA}]) (?=[^{_CLAUSE_END}])| (?=[^{_CLAUSE_END}{HAN_OR_KANA}]))*"
)
_MARKED: Final = re.compile(r"(?:^\s*[*※＊]\s*|(?<=\s)[*※＊])(?=\w)|(?<=\w)[*＊](?=\s|$)")
_ASKS: Final = re.compile(r"[?？]")
_UNIT: Final = re.compile(r"\s?([^\W\d]+|[%€$£])")
_BEFORE_MONTH: Final = re.compile(r"\.? (?:de )?")
_KINDS: Final = ("address", "clock", "code", "weekday", "month", "day", "number")
_NAME: Final = re.compile(r"[A-ZÀ-ÞŠ][\w’'-]+(?: (?:[A-ZÀ-ÞŠ][\w’'-]+|&|[a-z]{1,3}(?= [A-Z])))*")
_NAMES: Final = re.compile(rf"{_NAME.pattern}|(?:(?<=名字是)|(?<=名叫)|(?<=[叫姓是]))[{HAN}]{{2,4}}(?![{HAN}])")
_NOUN: Final = r"[^\W\d_][\w-]*(?: (?:de|du|del|of|von) [^\W\d_][\w-]*)?"

_Span = tuple[int, int]


class Correction(NamedTuple):
    """The text that a message corrects, and the right one.

    Attributes:
        earlier: index of the text that it corrects.
        text: that text as corrected; None if it cannot be told which words were wrong.
        told: then the Chinese or Japanese words beside "is" that it tells instead of them, if any.
    """

    earlier: int
    text: str | None
    told: str | None = None


class _Value(NamedTuple):
    kind: str
    start: int
    end: int
    text: str
    unit: str = ""

    @property
    def key(self) -> str:
        """The value without case, spaces and punctuation; of a day, its number."""
        key = re.sub(r"[\W_]+", "", self.text).lower()
        return (re.match(r"\d+", key) or [key])[0] if self.kind == "day" else key


_Changes = list[tuple[_Value, str]]


class _Words(NamedTuple):
    """`corrections.toml`: patterns of all languages by key, of values, words that tell nothing, and equal units."""

    like: dict[str, re.Pattern[str]]
    value: re.Pattern[str]
    plain: frozenset[str]
    plain_cjk: re.Pattern[str]
    units: tuple[frozenset[str], ...]


@cache
def _words() -> _Words:
    read = toml_of("extraction.text", "corrections.toml")
    plain = {word for language in read.values() for word in language.pop("plain", "").split()}
    units = tuple(frozenset(names.split()) for names in read["any"].pop("units"))
    joined: dict[str, str] = {}
    for key, pattern in ((key, "|".join(language[key])) for language in read.values() for key in language):
        joined[key] = f"{joined[key]}|{pattern}" if key in joined else pattern
    exclaimed = r"(?:\s*(?:{})(?![^\W\d_\u2e80-\u9fff])[\s,.!…—–:;，。！、：；-]*)"
    forms = {
        **dict.fromkeys(("opening", "lead"), exclaimed),
        "no": exclaimed + "+",
        "behind": r"(?<![a-zß-ÿ’])(?:{})\W*$",
        "swapped": r"(?:{})\W*$",
        "last": r"(?:{}|…|\.\.\.?)\s*",
        "copula": "(?:{})$",
        "before": r"\b((?:{})(?: (?:{}))?) $",
    }
    joined["opening"] += "|" + joined["no"]
    cjk = sorted(filter(_CJK.match, plain), key=len, reverse=True)
    return _Words(
        like={key: re.compile(forms.get(key, "(?:{})").replace("{}", joined[key])) for key in joined},
        value=re.compile("|".join(f"(?P<{kind}>{joined[kind]})" for kind in _KINDS), re.I),
        plain=frozenset(part for word in plain for part in word.split("’")),
        plain_cjk=re.compile("|".join(cjk)),
        units=units,
    )


def corrections_of(numbers: Iterable[int], said: Sequence[tuple[object, str, datetime]]) -> dict[int, Correction]:
    """Return what each of some messages corrects, by its index.

    A message that corrects another is meant as that one with the right words, which a third may correct again.

    Args:
        numbers: indexes of the messages, in order.
        said: speaker, text and time of the messages of one conversation, in order.
    """
    meant, corrections = [*said], dict[int, Correction]()
    for number in numbers:
        correction = read_or(None, correction_in, number, meant)
        if correction is None:
            continue
        corrections[number] = correction
        if correction.text:
            speaker, _, at = said[number]
            meant[number] = (speaker, correction.text, at)
    return corrections


def correction_in(index: int, said: Sequence[tuple[object, str, datetime]]) -> Correction | None:
    """Return the message that a message of the same speaker corrects, and its text as corrected.

    Args:
        index: index of the later message.
        said: speaker, text and time of the messages of one conversation, in order.
    """
    speaker, text, at = said[index]
    if len(text) > _CORRECTION_CHARS_MAX:
        return None

    def own(lines_max: int, within: timedelta) -> list[int]:
        numbers = range(index - 1, max(index - lines_max, -1), -1)
        return [number for number in numbers if said[number][0] == speaker and at - said[number][2] <= within]

    correction = None
    if earlier := own(_LINES_MAX, _WITHIN):
        asked = said[index - 1][0] != speaker and _ASKS.search(said[index - 1][1][-_CORRECTION_CHARS_MAX:]) is not None
        recent = at - said[earlier[0]][2] <= _RECENT
        texts = [said[number][1] for number in earlier[:EARLIER_MAX]]
        correction = correction_of(text, texts, recent=recent, asked=asked)
    if correction is None and (later := _read(text)) is not None and not later.asks:
        earlier = own(_NAMED_LINES_MAX, _NAMED_WITHIN)
        correction = _named_by(later, [said[number][1] for number in earlier])
    return correction and correction._replace(earlier=earlier[correction.earlier])


def _named_by(later: "_Later", earlier: Sequence[str]) -> Correction | None:
    """Return the latest of earlier texts that has what a message denies, or misspells a number that it corrects."""
    if not later.denials and not later.is_wrong:
        return None
    for index, before in enumerate(earlier):
        start = before[:_EARLIER_CHARS_MAX].replace("'", "’")
        changes = _by_denials(later, start)
        if not changes and later.is_wrong:
            changes = [pair for pair in _changes(later.text, later.values, _values(start)) if _is_misspelled(*pair)]
        if changes:
            return Correction(index, _with(before[:_EARLIER_CHARS_MAX], changes))
    return None


def _is_misspelled(old: "_Value", new: str) -> bool:
    """Return whether two numbers or codes of four and more digits differ in the order of digits or little else."""
    one, other = old.key, old._replace(text=new).key
    long = min(sum(map(str.isdigit, key)) for key in (one, other)) >= _PERMUTED_MIN
    return long and (
        sorted(one) == sorted(other) or (len(one) == len(other) and _likeness(one, other) >= _MISSPELLED_MIN)
    )


def correction_of(text: str, earlier: Sequence[str], *, recent: bool = True, asked: bool = False) -> Correction | None:
    """Return which text a message corrects, and that text with the corrected values.

    Args:
        text: the message.
        earlier: earlier messages of the same speaker, latest first; at most `EARLIER_MAX` are compared.
        recent: the latest was said a few minutes ago.
        asked: somebody else asked something since, so that "no, 5" or "5" may be an answer.

    Returns:
        None if the message corrects none of them.
    """
    if len(text) > _CORRECTION_CHARS_MAX or not earlier or (later := _read(text)) is None:
        return None
    befores = [before[:_EARLIER_CHARS_MAX].replace("'", "’") for before in earlier[:EARLIER_MAX]]
    for index, before in enumerate(befores):
        changes = _by_words(later, before, is_next=not index, asked=asked)
        if not changes and not index and not asked:
            changes = _alone(later, before, recent=recent)
        if changes:
            return Correction(index, _with(earlier[index][:_EARLIER_CHARS_MAX], changes))
    return Correction(0, None, _told_instead(later)) if _is_told(later, befores[0]) else None


class _Clause(NamedTuple):
    """A clause with the words of error at its edges, and without them.

    `sign` is "wrong", "swapped", "doubt", "no" (which may answer a question), "checked", or empty.
    """

    whole: _Span
    rest: _Span
    sign: str


# Number of a clause, what it denies, and what else it says.
_Denial = tuple[int, _Span, _Span]


class _Later(NamedTuple):
    """The signs of a correction in a message.

    Attributes:
        sign_at: first clause with words of error.
        is_wrong: they say that the speaker was wrong; otherwise perhaps.
        answers: they are "no", perhaps to a question.
        lone: values in clauses that say nothing else.
        is_alone: the message is nothing but values, or a name.
        asks: it asks something, or tells that something changed.
    """

    text: str
    clauses: Sequence[_Clause]
    values: Sequence[_Value]
    denials: Sequence[_Denial]
    sign_at: int | None
    is_wrong: bool
    answers: bool
    lone: Sequence[_Value]
    is_alone: bool
    asks: bool


@cached_by_chars(chars_max=2_000_000, entries_max=8_192)
def _read(text: str) -> _Later | None:
    """Return the signs of a correction; None without any. Cached, because every recall reads the same messages."""
    like = _words().like
    text = text.replace("'", "’")
    lower = text.lower() if len(text.lower()) == len(text) else text
    marked = _MARKED.search(text)
    spans = [match.span() for match in islice(_CLAUSE.finditer(text), _VALUES_MAX)]
    is_short = _is_short(text)
    clauses = [_clause(lower, *span, marked) for span in spans]
    wrong_at = next((at for at, clause in enumerate(clauses) if clause.sign in ("wrong", "swapped")), None)
    # "8, sorry" at most.
    doubt_at = next((at for at, clause in enumerate(clauses[:2]) if clause.sign), None)
    denials = list(_denials(lower, clauses)) if is_short else []
    if wrong_at is None and doubt_at is None and not is_short:
        return None
    others = [at for at, clause in enumerate(clauses) if like["others"].search(lower, *clause.whole)]
    if others:
        # Beside words of somebody else's error, only those of the speaker's own count.
        is_own = wrong_at is not None and like["own"].search(lower, *clauses[wrong_at].whole) is not None
        wrong_at = wrong_at if is_own and wrong_at not in others else None
        doubt_at, denials = wrong_at, [denial for denial in denials if denial[0] < others[0]]
    values = _values(text)
    spans = [clause.rest for clause in clauses]
    is_wrong = wrong_at is not None and (is_short or not _residue(text, spans[:wrong_at], values))
    names = [] if values or not is_short else _names(text)
    plain = [] if others else [span for span in spans if not _residue(_without_last(text), [span], values or names)]
    # "Dad: 4471" is a value of somebody else.
    unnamed = [(start, end) for start, end in plain if not text[:start].rstrip().endswith((":", "："))]
    lone = [value for value in values or names if any(start <= value.start < end for start, end in unnamed)]
    is_alone = len(plain) == len(spans) and (bool(values) or len(names) == 1)
    if not (is_wrong or doubt_at is not None or denials or is_alone or lone):
        return None
    return _Later(
        text=text,
        clauses=clauses,
        values=values,
        denials=denials,
        sign_at=wrong_at if is_wrong else doubt_at,
        is_wrong=is_wrong,
        answers={clause.sign for clause in clauses} <= {"", "no"},
        lone=lone,
        is_alone=is_alone,
        asks=_ASKS.search(text) is not None or like["changed"].search(lower) is not None,
    )


def _clause(lower: str, start: int, end: int, marked: re.Match[str] | None) -> _Clause:
    like = _words().like
    whole, sign = (start, end), ""
    if marked and (start == marked.end() or end == marked.start()):
        sign = "doubt"
    for _ in range(4):
        if opening := like["opening"].match(lower, start, end):
            is_answer = sign in ("", "no") and like["no"].fullmatch(opening[0]) is not None
            sign, start = "no" if is_answer else "doubt", opening.end()
        elif (lead := like["lead"].match(lower, start, end)) and like["mistaken"].match(lower, lead.end(), end):
            start = lead.end()
        else:
            break
    for key in ("swapped", "mistaken", "checked"):
        if words := like[key].match(lower, start, end):
            sign, start = "wrong" if key == "mistaken" else key, words.end()
            break
    if words := like["behind"].search(lower, max(start, end - _PHRASE_CHARS_MAX), end):
        sign, end = "wrong", words.start()
    return _Clause(whole, (start, end), sign)


def _denials(lower: str, clauses: Sequence[_Clause]) -> Iterator[_Denial]:
    like = _words().like
    for at, (whole, rest, sign) in enumerate(clauses):
        # "It's 16, no 8": a "no" in the middle denies as much as it answers.
        start, end = whole if at and sign == "no" else rest
        for match in islice(like["denied"].finditer(lower, start, end), _VALUES_MAX):
            yield at, (match.end(), end), (start, match.start())
        for match in islice(like["denied_after"].finditer(lower, start, end), _VALUES_MAX):
            yield at, (start, match.start()), (match.end(), end)


@cached_by_chars(chars_max=2_000_000, entries_max=8_192)
def _values(text: str) -> tuple[_Value, ...]:
    """Return the first values in a text; a number beside a month is a day."""
    words, values = _words(), list[_Value]()
    for match in islice(words.value.finditer(text), _VALUES_MAX):
        kind, unit = match.lastgroup or "number", ""
        if kind == "number":
            last = values[-1] if values else None
            gap = _BEFORE_MONTH.match(text, match.end())
            month = words.value.match(text, gap.end()) if gap else None
            is_after = last is not None and last.kind == "month" and match.start() - last.end == 1
            if is_after or (month is not None and month.lastgroup == "month"):
                kind = "day"
            elif beside := _UNIT.match(text, match.end()):
                unit = words.plain_cjk.sub("", beside[1].lower())
                unit = "" if unit in words.plain else unit.rstrip("s")
        values.append(_Value(kind, *match.span(), match[0], unit))
    return tuple(values)


def _names(text: str, span: _Span | None = None) -> list[_Value]:
    matches = islice(_NAMES.finditer(text, *(span or (0, len(text)))), _VALUES_MAX)
    return [_Value("name", *match.span(), match[0]) for match in matches if not _is_plain(match[0])]


def _residue(
    text: str, spans: Sequence[_Span], apart: Sequence[_Value] = (), known: frozenset[str] = frozenset()
) -> list[str]:
    """Return the words of a text within the spans that are neither values, nor plain or known words."""
    words, rest = _words(), list[str]()
    for value in apart:
        unit = _UNIT.match(text, value.end) if value.unit else None
        end = unit.end() if unit else value.end
        text = text[: value.start] + " " * (end - value.start) + text[end:]
    for token in (match[0].lower() for span in spans for match in _TOKEN.finditer(text, *span)):
        if _CJK.match(token):
            rest += [character for character in words.plain_cjk.sub("", token) if character not in known]
        elif len(token) > 1 and token not in words.plain and token not in known:
            rest.append(token)
    return rest


def _without_last(text: str) -> str:
    """Blank "it ends in", which tells where a value stands."""
    return _words().like["last"].sub(lambda match: " " * len(match[0]), text.lower())


def _is_plain(token: str) -> bool:
    return re.search(r"\d", token) is None and not _residue(token, [(0, len(token))])


def _is_short(text: str) -> bool:
    """Return whether a text has few characters; Chinese and Japanese ones count twice."""
    return len(text) + sum(map(len, _CJK.findall(text))) <= _SHORT_CHARS


@cached_by_chars(chars_max=1_000_000, entries_max=4_096)
def _known(text: str) -> frozenset[str]:
    """Return the words of an earlier text, and its Chinese and Japanese characters."""
    tokens = [match[0].lower() for match in _TOKEN.finditer(text)]
    return frozenset(tokens).union(*filter(_CJK.match, tokens))


def _by_words(later: _Later, before: str, *, is_next: bool, asked: bool) -> _Changes:
    """Return what words of error or denial replace of an earlier text, with what they put in its place."""
    text, olds = later.text, _values(before)
    changes: _Changes = []
    if later.is_wrong and not _is_inner(later, olds):
        changes = _changes(text, later.values, olds) or _renamed(text, (0, len(text)), before)
        if not changes and any(clause.sign == "swapped" for clause in later.clauses):
            changes = _exchanged(later.values, olds)
        if not changes and is_next:
            changes = next(
                filter(None, (_replaced(text, clause.rest, before, is_wrong=True) for clause in later.clauses)), []
            )
    elif later.sign_at is not None and not later.is_wrong and not later.asks and not (asked and later.answers):
        changes = _beside(later, later.sign_at, before)
    return changes or _by_denials(later, before)


def _by_denials(later: _Later, before: str) -> _Changes:
    """Return the first changes of what the earlier text has of what a message denies."""
    return next(filter(None, (_denied(later, denial, before) for denial in later.denials)), [])


def _alone(later: _Later, before: str, *, recent: bool) -> _Changes:
    """Return the changes by a message that is nothing but values or a name, or has a clause that is such a value."""
    olds = _values(before)
    if later.asks or not _residue(before, [(0, len(before))], olds):
        return []
    if not later.values:
        # "Torben without an h, he told me", of Thorben.
        span = later.clauses[0].whole
        return _renamed(later.text, span, before) if any(name.start < span[1] for name in later.lone) else []
    changes = _changes(later.text, later.lone, olds)
    for old, new in changes:
        is_permuted = sorted(new) == sorted(old.text)
        if not later.is_alone and not (is_permuted and sum(map(str.isdigit, new)) >= _PERMUTED_MIN):
            return []
        alike = is_permuted or (len(new) > 2 and _likeness(new, old.text) >= _SIMILAR_MIN)
        if not alike and not (recent and sum(value.kind == old.kind for value in olds) == 1):
            return []
    return changes


def _is_inner(later: _Later, olds: Sequence[_Value]) -> bool:
    """Return whether a message corrects itself: new values of a kind stand before its words of error and behind."""
    at = later.clauses[later.sign_at or 0].whole[0]
    new = [value for value in later.values if value.key not in {old.key for old in olds}]
    return any(value.kind == other.kind and value.start < at <= other.start for value in new for other in new)


def _beside(later: _Later, at: int, before: str) -> _Changes:
    """Return the changes by the clause next to words of error, which is nothing but a value.

    "Sorry, 8", "8, sorry", and "I checked. It's 8" at the beginning of the message.
    """
    text, clauses, olds = later.text, later.clauses, _values(before)
    while at + 1 < len(clauses) and clauses[at].rest[0] >= clauses[at].rest[1] and clauses[at + 1].sign:
        at += 1
    first = at if clauses[at].sign == "checked" and _is_short(text) else 0
    plain, known, keys = _without_last(text), _known(before), {old.key for old in olds}
    has_doubt = any(clause.sign == "doubt" for clause in clauses[first : at + 2])
    for clause in sorted(clauses[first : at + 2], key=lambda clause: not _values_in(later, clause.rest)):
        span, values, names = clause.rest, _values_in(later, clause.rest), _names(text, clause.rest)
        if values:
            # "Sorry, 92 was before, final is 97".
            is_old = has_doubt and any(value.key in keys for value in values)
            return _changes(text, later.values, olds) if is_old or not _residue(plain, [span], values, known) else []
        if _residue(plain, [span]):
            is_name = bool(names) and not _residue(text, [span], names, known)
            changes = _renamed(text, span, before) if is_name else []
            return (changes or _replaced(text, span, before, is_name=is_name)) if _is_short(text) else []
    return []


def _values_in(later: _Later, span: _Span) -> list[_Value]:
    return [value for value in later.values if span[0] <= value.start < span[1]]


def _changes(text: str, values: Sequence[_Value], olds: Sequence[_Value]) -> _Changes:
    """Return the old values that the message replaces, each with the new value."""
    like, lower = _words().like, text.lower()
    denied = [match.end() for match in like["denied"].finditer(lower)]
    new = [value for value in values if value.key not in {old.key for old in olds}]
    new = [value for value in new if not any(0 <= value.start - at <= 4 for at in denied)] or new
    changes = []
    for kind in _KINDS:
        pairs = [(a, b) for a in olds for b in new if a.kind == b.kind == kind and _same_unit(a.unit, b.unit)]
        if pairs:
            old, told = max(pairs, key=lambda pair: _likeness(pair[0].key, pair[1].key))
            ends = (match.end() for match in like["last"].finditer(lower))
            tail = len(told.key) < len(old.key) and (told.start in ends or _is_permuted_tail(told.key, old.key))
            changes.append((old, old.text[: -len(told.text)] + told.text if tail else told.text))
    if changes or len(new) != 1 or new[0].kind != "number" or new[0].unit or not new[0].text.isdigit():
        return changes
    # "At 7pm", "sorry, 8": a number without a unit may be of any kind that has digits, or the end of a code.
    digits = [old for old in olds if old.kind in ("clock", "day", "number") and old.text[0].isdigit() and not old.unit]
    size = len(new[0].text)
    codes = [old for old in olds if old.kind == "code" and re.search(rf"\d{{{size}}}$", old.text)]
    if codes:
        return [(codes[0], codes[0].text[:-size] + new[0].text)]
    return [(digits[0], new[0].text)] if len(digits) == 1 else []


def _is_permuted_tail(new: str, old: str) -> bool:
    """Return whether a number has the last digits of a longer one in another order: 4409 of 0571-8823 4490."""
    tail = old[-len(new) :]
    return len(new) >= _PERMUTED_MIN and new.isdigit() and new != tail and sorted(new) == sorted(tail)


def _exchanged(values: Sequence[_Value], olds: Sequence[_Value]) -> _Changes:
    """Return the two old values of a kind, each with the other, unless the message has new ones."""
    if {value.key for value in values} - {old.key for old in olds}:
        return []
    groups = [[old for old in olds if old.kind == kind] for kind in dict.fromkeys(old.kind for old in olds)]
    return next(([(a, b.text), (b, a.text)] for a, b in (group for group in groups if len(group) == 2)), [])


def _denied(later: _Later, denial: _Denial, before: str) -> _Changes:
    """Return what the earlier text has of what a message denies, with what it says instead."""
    text, olds, (number, wrong, rest) = later.text, _values(before), denial
    keys = {old.key for old in olds}
    if value := next((value for value in _values_in(later, wrong) if value.key in keys), None):
        new = [other for other in later.values if other.key not in keys and other.kind == value.kind]
        return _changes(text, new, [old for old in olds if old.key == value.key])
    start, end = _core(text, wrong)
    if name := _NAME.match(text, start, end):
        # "Not Priya I'm meeting" denies Priya, as much of it as was said.
        words = name[0].split(" ")
        parts = (" ".join(words[:size]) for size in range(len(words), 0, -1))
        end = next((start + len(part) for part in parts if part in before), end)
    old, is_cjk = text[start:end], _CJK.match(text, start) is not None
    match = re.search(re.escape(old) if is_cjk else rf"(?<![a-z\d]){re.escape(old)}(?![a-z\d])", before, re.I)
    if match is None or not old or not _is_short(text):
        return []
    old = match[0]
    others = (clause.rest for at, clause in enumerate(later.clauses) if at != number)
    for span in (rest, (end, max(end, wrong[1])), *others):
        first, last = _core(text, span)
        told = text[first:last]
        if not told or told in before:
            continue
        if told[0].isupper() and old[0].islower() and re.search(r"(?:^|[.!?…] )$", text[:first]):
            told = told[0].lower() + told[1:]
        # 我不是李雷，我开玩笑的 tells nothing instead.
        is_instead = not is_cjk or span[0] in (rest[0], end) or _likeness(told, old) >= _SIMILAR_MIN - 0.2
        is_instead = is_instead or _words().like["copula"].search(text[span[0] : first]) is not None
        more = len(told) - len(old) - 2 if is_cjk else len(told.split()) - len(old.split()) - 1
        is_instead = is_instead and told[0].isupper() == old[0].isupper() and more <= 0
        if is_instead:
            return [(_Value("name", *match.span(), old), told)]
    return []


def _core(text: str, span: _Span) -> _Span:
    """Return the span without plain words and punctuation at its edges."""
    tokens = [match.span() for match in re.compile(r"[\w’-]+").finditer(text, *span)]
    while tokens and _is_plain(text[slice(*tokens[0])]):
        del tokens[0]
    while tokens and _is_plain(text[slice(*tokens[-1])]):
        del tokens[-1]
    if not tokens:
        return span[0], span[0]
    start, end = tokens[0][0], tokens[-1][1]
    if _CJK.match(text, start):
        plain = _words().plain_cjk.pattern
        edges = re.fullmatch(rf"(?:{plain})*(?P<core>.+?)(?:{plain})*", text[start:end])
        start, end = (start + edges.start("core"), start + edges.end("core")) if edges else (start, end)
    return start, end


def _renamed(text: str, span: _Span, before: str) -> _Changes:
    """Return the name of the earlier text, or a word of it, that a message spells differently, with the new one."""
    spans = [name[1:3] for name in _names(before)]
    words = [match.span() for start, end in spans for match in re.compile(r"[^ ]+").finditer(before, start, end)]
    return max((_nearest(name.text, before, [*spans, *words]) for name in _names(text, span)), key=len, default=[])


def _replaced(text: str, span: _Span, before: str, *, is_name: bool = True, is_wrong: bool = False) -> _Changes:
    """Return the word of the earlier text in whose place a short clause has another.

    Both stand after the same words, or are the names of the messages, or share most Chinese or Japanese characters.
    """
    start, end = _core(text, span)
    told = text[start:end]
    if not told or len(told) > _PHRASE_CHARS_MAX or len(told.split()) > 3 or told in before:
        return []
    if _CJK.match(told):
        sizes = range(max(len(told) - 2, 2), len(told) + 3)
        spans = [(at, at + size) for size in sizes for at in range(min(len(before), _CORRECTION_CHARS_MAX) - size + 1)]
        spans = [part for part in spans if before[slice(*part)] not in told and _CJK.fullmatch(before, *part)]
        return _nearest(told, before, spans)
    if beside := _words().like["before"].search(text[span[0] : start].lower()):
        noun = _NAME.pattern if told[0].isupper() else _NOUN
        olds = list(re.finditer(rf"(?<!\w)(?i:{beside[1]}) (?P<old>{noun})", before))
        if len(olds) == 1:
            return [(_Value("name", *olds[0].span("old"), olds[0]["old"]), told)]
    if is_wrong and " " in told:
        # "Vietnamese food" in place of "Thai food".
        noun = re.escape(told.rpartition(" ")[2])
        olds = list(re.finditer(rf"(?<!\w)(?:[^\W\d_][\w-]+ ){{{told.count(' ')}}}{noun}(?!\w)", before))
        if len(olds) == 1 and told[0].isupper() == olds[0][0][0].isupper():
            return [(_Value("name", *olds[0].span(), olds[0][0]), told)]
    names = [name for name in _names(before) if name.start and not _is_plain(name.text.split()[0])]
    return [(names[0], told)] if is_name and _NAME.fullmatch(told) and len(names) == 1 else []


def _nearest(told: str, before: str, spans: Sequence[_Span]) -> _Changes:
    """Return the span of the earlier text that is most like a new name or phrase, with that, if they are alike."""
    span = max(spans, key=lambda span: _likeness(told, before[slice(*span)]), default=(0, 0))
    old = before[slice(*span)]
    is_alike = _likeness(told, old) >= (_SIMILAR_MIN if told.isascii() else _SIMILAR_NAME_MIN_ZH) and told != old
    return [(_Value("name", *span, old), told)] if is_alike else []


def _is_told(later: _Later, before: str) -> bool:
    """Return whether a message says that the one before it was wrong, and something short in its place."""
    olds = _values(before)
    if not later.is_wrong or later.asks or _is_inner(later, olds):
        return False
    if later.values and {value.kind for value in later.values}.isdisjoint(old.kind for old in olds):
        return False
    spans = [clause.rest for clause in later.clauses]
    first, last = spans[later.sign_at or 0]
    size = sum(end - start for start, end in spans) / (1 if first < last else 2)
    return bool(_residue(later.text, spans, (), _known(before))) and size <= _PHRASE_CHARS_MAX


def _told_instead(later: _Later) -> str | None:
    """Return the words behind 是 or before です that are all that the first clause with others than of error says."""
    for clause in later.clauses:
        start, end = _core(later.text, clause.rest)
        told = later.text[start:end]
        if not told:
            continue
        like = _words().like
        is_told = like["copula"].search(later.text[clause.rest[0] : start]) or like["copula_after"].match(
            later.text, end
        )
        is_name = _CJK.fullmatch(told) is not None and len(told) <= _TOLD_CHARS_MAX_ZH and told[0] not in _PRONOUNS_ZH
        return told if is_name and is_told else None
    return None


def _with(text: str, changes: _Changes) -> str:
    for value, new in sorted(changes, key=lambda change: -change[0].start):
        text = text[: value.start] + new + text[value.end :]
    return text


def _same_unit(one: str, other: str) -> bool:
    same = one.startswith(other) or (one and other.startswith(one))
    return bool(same) or any({one, other} <= units for units in _words().units)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio() + (len(one) == len(other)) * 0.1
