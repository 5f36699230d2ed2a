"""Read promises that the assistant makes to the user, in English and in Chinese: "I'll remind you on Friday".

Most of an assistant's "I'll …" is about its answer ("I'll explain"), depends on the user ("if you like, I'll …") or is
a text that it drafts. A promise is read only if it names a later time, or is a reminder or message about something.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from extraction.reader import THE_AGENT, THE_USER
from extraction.rules.drafts import Draft, Speaker
from extraction.rules.valid_times import TimedText
from extraction.text.sentences import Sentence, has_cjk
from extraction.text.toml_files import patterns_of, toml_of
from schema.entity import EntityType

_TABLES: Final = toml_of("extraction.rules", "agent_promises.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], _TABLES["parts"])
_TIMES_MAX: Final = 20
_WORDS_MAX: Final = 16
_PROMISE_ZH: Final = re.compile(
    "我(?:答应[你您])?[^，。！？；我你您不没别\n]{0,14}?"
    "(?P<o>(?P<remind>(?:提醒|通知|叫醒)[你您]|叫[你您](?=起床)|(?:给|向|跟|和)[你您](?:汇报|回复|反馈|确认|同步|跟进)|"
    "帮[你您](?:盯着?|留意|关注|跟进|记着|看着)|第一时间告诉[你您])|"
    "(?:给|帮|替|为)[你您](?:发|打|寄|准备|整理|做|写|送|订|查|约|买|问|取消|续|更新|安排|列|带|翻译|检查|联系)|"
    "(?:发|打|寄|带|送|交|打电话)给[你您]|联系[你您]|把[^，。]{1,12}(?:发|寄|交|送|传)给[你您]|来(?:接|看|找|叫)[你您])"
    "(?P<more>[^，,。！!？?；;～~\n]{0,24})"
)


def drafts_text(text: str) -> bool:
    """Return whether a message of the assistant contains a text that it wrote for the user, such as a letter."""
    return _PATTERNS["drafts"].search(text) is not None


def read_agent_promises(sentence: Sentence, times_of: Callable[[str], TimedText], speaker: Speaker) -> Iterator[Draft]:
    """Yield the assistant's promises in a sentence with simplified characters and straight apostrophes."""
    text = sentence.text
    if (
        sentence.asks
        or not (_PATTERNS["will"].search(text) or _PROMISE_ZH.search(text))
        or _PATTERNS["depends"].search(text)
    ):
        return
    times = [(one.start, one.end) for one in times_of(text).times]
    if has_cjk(text):
        times += [one.span() for one in islice(_PATTERNS["every_zh"].finditer(text), _TIMES_MAX)]
        promises, says = _chinese(text, sorted(times), speaker), "助手答应{}。"
    else:
        times += [one.span() for one in islice(_PATTERNS["every"].finditer(text), _TIMES_MAX)]
        times = [
            (_opened(text, start), end) for start, end in times if not _PATTERNS["about_time"].search(text, 0, start)
        ]
        promises, says = _english(text, times, speaker), "The assistant promised to {}."
    for name, start, end in promises:
        yield Draft(
            subject=THE_AGENT,
            predicate="CARES_ABOUT",
            object=name,
            statement=says.format(name),
            start=sentence.start + start,
            end=sentence.start + end,
            relation="promise",
            object_type=EntityType.ACTIVITY,
            strength=0.8,
            confidence=0.75,
        )


_Spans = list[tuple[int, int]]


def _opened(text: str, start: int) -> int:
    """Return where a time begins with its preposition."""
    before = _PATTERNS["preposition"].search(text, max(0, start - 12), start)
    return before.start() if before else start


def _english(text: str, times: _Spans, speaker: Speaker) -> Iterator[tuple[str, int, int]]:
    """Yield the words of each English promise and their span."""
    for found in _PATTERNS["will"].finditer(text):
        said = _PATTERNS["cut"].split(found["o"], maxsplit=1)[0].strip(" ,-")
        start, end = found.start("o"), found.start("o") + len(said)
        if not 1 < len(said.split()) <= _WORDS_MAX:
            continue
        # "Tomorrow I'll …"
        opening = next((text[a:b] for a, b in times if 0 < found.start() - b <= len(", ")), "")
        dated = opening or any(start < a < end for a, _ in times)
        reminds = _PATTERNS["remind"].match(said)
        about = reminds is not None and (reminds["topic"] or _PATTERNS["topic"].search(said, reminds.end()))
        if about or (dated and (reminds or _PATTERNS["service"].match(said) or found["vow"])):
            name = f"{said} {opening[:1].lower()}{opening[1:]}" if opening else said
            yield _about_user(name, speaker), start, end


def _chinese(text: str, times: _Spans, speaker: Speaker) -> Iterator[tuple[str, int, int]]:
    """Yield the words of each Chinese promise and their span."""
    begin = 0
    for found in _PROMISE_ZH.finditer(text):
        before = [(a, b) for a, b in times if begin <= a and b <= found.start("o")]
        then = _PATTERNS["then_zh"].match(text, before[-1][1]) if before else None
        when = text[before[0][0] : then.end()].removesuffix("我") if then else ""
        begin = found.end()
        more = found["more"].rstrip("了哦喔啊呀的吧呢哈")
        certain = when or (
            found["remind"] and _PATTERNS["certain_zh"].search(text, max(0, found.start() - 4), found.end())
        )
        if certain and (when or more):
            user = speaker.label(THE_USER, "用户")
            yield re.sub("[你您]", user, f"{when}{found['o']}{more}"), found.start(), found.end()


def _about_user(said: str, speaker: Speaker) -> str:
    """Replace "you" and "your" by the user's name, or by "the user", and "my"."""
    user = speaker.label(THE_USER, "the user")
    words = {"you": user, "your": f"{user}'s", "yours": f"{user}'s", "you're": f"{user} is", "you've": f"{user} has"}
    words["my"] = "the assistant's"
    return _PATTERNS["you"].sub(lambda found: words[found["w"].lower()], said)
