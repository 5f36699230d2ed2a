"""What belongs to what a question names, when the question is about that: "what does my sister's employer sell?". Pure.

The employer has no name in it, so what answers it is said of somebody else than the one who is named. What a person
simply has (a name, a birthday) is told of the person.
"""

import re
from typing import Final

from extraction.time_phrases import plain

_READ_CHARS_MAX: Final = 400
# What somebody has that is told of themselves.
_OWN_TEXT: Final = """
name names surname nickname birthday age job work profession occupation hobby hobbies opinion email address phone number
favorite favourite best first last new plan plans goal goals health identity personality feelings relationship attitude
experience interests interest reaction reason reasons view views advice degree major home
"""
_OWN_EN: Final = frozenset(_OWN_TEXT.split())
_OWN_ZH = (
    r"(?:名字|姓名|生日|年龄|年纪|岁数|电话|手机|号码|邮箱|地址|住址|工作|职业|学历|专业|爱好|兴趣|身高|体重|性格|老家|家乡|"
    r"计划|目标|心情|看法|建议|意见|经历|感受|联系方式)"
)
# "What's", "let's": no possessive.
_NO_OWNER: Final = frozenset(
    ("what", "who", "where", "when", "how", "that", "it", "he", "she", "there", "here", "let", "why")
)
_OF_SOMEBODY = re.compile(r"\b([\w-]+)(?:'s|(?<=s)') ([a-z-]+)(.*)$")
_AUXILIARY = re.compile(r"\b(?:do|does|did|has|have|had|can|could|will|would|should)\b")
_PLACE_OR_WAY = re.compile(r"\b(?:where|how)(?: \w+)? (?:is|are|was|were)\b")
_WHO_DOES = re.compile(rf"^(?:who|what|which \w+) (?!(?:is|are|was|were)\b|{_AUXILIARY.pattern})[a-z]+\b")
_GOES_ON = re.compile(r"[a-z0-9]")
_OF_SOMEBODY_ZH = re.compile(rf"[^的，。？！,?!\s](?<![你我他她它您谁这那])的(?!{_OWN_ZH})([^，。！,!]*)")
_ASKED_ZH = re.compile(r"什么|谁|哪|多少|几|怎|吗|啥|多[大久长高远]")
_IS_ZH = re.compile(r"^[^，。]{1,8}?(?:是|叫)(?:什么|谁|哪|啥|多少|几|怎)")


def asked_beyond(question: str) -> str | None:
    """What the question is about, in lower case up to its end, if it belongs to what is named: "employer sell?"."""
    text = plain(question[:_READ_CHARS_MAX]).replace("’", "'")
    return _in_english(text) or _in_chinese(text)


def begins_with(beyond: str, key: str) -> bool:
    """Whether what `asked_beyond` tells is the name itself that has this key, or several of it."""
    rest = beyond.removeprefix(key)
    return rest != beyond and not _GOES_ON.match(rest.removeprefix("s"))


def _in_english(text: str) -> str | None:
    found = _OF_SOMEBODY.search(text)
    if found is None or found[1] in _NO_OWNER or found[2] in _OWN_EN:
        return None
    before, more = text[: found.start()], re.search(r"\w", found[3]) is not None
    asks = _AUXILIARY.search(before) is not None or _PLACE_OR_WAY.search(before) is not None
    return found[2] + found[3] if _WHO_DOES.search(before) or (more and asks) else None


def _in_chinese(text: str) -> str | None:
    found = _OF_SOMEBODY_ZH.search(text)
    if found is None or _ASKED_ZH.search(found[1]) is None or _IS_ZH.search(found[1]) is not None:
        return None
    return found[1]
