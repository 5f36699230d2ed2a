"""Read promises that the assistant makes to the user from Chinese sentences: `我周五提醒你`.

As in English, only what names a later time or is a reminder is read; see `extraction.rules.en.agent_promises`.
"""

import re
from collections.abc import Iterator
from typing import Final

from extraction.reader import THE_AGENT
from extraction.rules.drafts import Draft, Speaker
from extraction.text.sentences import Sentence
from schema.entity import EntityType

# A day, and an hour.
_DAY: Final = (
    r"(?:大后天|明天|后天|明晚|明早|今晚|下下?个?(?:周|星期|礼拜|月|学期|季度)(?:[一二三四五六日天末底初]|中旬)?|"
    r"[这本]个?(?:周|星期|礼拜)[一二三四五六日天末]|[这本]个?月(?:底|末)|(?:周|星期|礼拜)[一二三四五六日天]|"
    r"过完(?:[春夏秋冬]天|年|节|春节|国庆|暑假|寒假)|下半年|(?:明年|后年|来年|今年)[春夏秋冬]天|(?:今年|明年|"
    r"后年)(?=[\d一二三四五六七八九十]{1,2}月)|明年|后年|年底|年后|节后|开春|入冬|月底|月中|国庆|五一|十一"
    r"(?!月)|元旦|春节|过年|中秋|端午|清明|寒假|暑假|"
    r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:(?:\d{1,2}|[一二三四五六七八九十]{1,3})[号日]?|初|底|中旬|份)?|"
    r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})[号日]|(?:正月|腊月)(?:[初一二三四五六七八九十]{1,3})?|"
    r"过(?:两|几|[一二三])(?:天|周|个月)|再过[一二两三几][天周年])"
)
_HOUR: Final = (
    r"(?:早上|上午|中午|下午|傍晚|晚上|夜里|凌晨|一早|晚|早|"
    r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点|:)(?:半|一刻|\d{2}分?|[一二三四五]?十[五分]?)?)"
)
# A day that may be in the future, with the hour.
_DATE: Final = rf"(?:{_DAY}(?:的)?{_DAY}?(?:{_HOUR}){{0,2}}(?:之?前|之?后|左右|那天|开始|起)?)"
_WHEN: Final = (
    rf"(?:{_DATE}|每[天周月年晚早](?:[一二三四五六日天])?(?:早上|上午|中午|下午|晚上)?|(?:这个?|下个?)?周末|今天(?:晚上|下午|傍晚)|"
    r"晚上|下午|[一二两三几\d]{1,2}(?:天|周|个?小时|个月)后)"
)
_CERTAIN: Final = (
    r"(?:会|将会|将|一定会?|肯定会?|保证会?|答应(?:您|你)?(?:会)?|到时候?|届时|再|就|先|也|准时|按时|提前|定时|继续|都)"
)
_REMIND: Final = (
    r"(?:提醒[你您]|通知[你您]|叫醒[你您]|叫[你您](?=起床)|告知[你您]|(?:给|向|跟|和)[你您](?:汇报|回复|反馈|确认|同步|跟进)|"
    r"帮[你您](?:盯着?|留意|关注|跟进|记着|看着)|第一时间告诉[你您])"
)
_SERVICE: Final = (
    r"(?:(?:给|帮|替|为)[你您](?:发|打|寄|准备|整理|做|写|送|订|预订|查|约|买|问|预约|取消|续|更新|安排|列|带|翻译|检查|联系)|"
    r"(?:发|打|寄|带|送|交)(?:电话)?给[你您]|联系[你您]|回复[你您]|告诉[你您]|把[^，。]{1,12}(?:发|寄|交|送|传)给[你您]|"
    r"来(?:接|看|找|叫)[你您])"
)
_PROMISE: Final = re.compile(
    rf"(?:^|[，,；、。！!～~ ]|那|好的|没问题|行|嗯|到时候?|届时)"
    rf"(?P<first>{_WHEN})?(?P<me>我)(?:{_CERTAIN}){{0,3}}(?:在)?(?P<w>{_WHEN})?(?:的时候)?"
    rf"(?P<sure>{_CERTAIN}){{0,3}}(?P<o>(?P<remind>{_REMIND})|{_SERVICE})(?P<more>[^，,。！!？?；;～~\n]{{0,24}})"
)
_CERTAIN_HINT: Final = re.compile(r"我[^，。]{0,8}(?:会|将|一定|肯定|保证|答应|到时|届时|准时|按时|提前)")
_DEPENDS: Final = re.compile(
    r"如果|要是|假如|假设|的话|要不要|需要我|想让我|要我|可以|能够|能帮|是否|吗|么[？?]|告诉我|发给我|只要|一旦[你您]|除非|也许|"
    r"可能|或许|尽量|争取|试着|比如|例如|假装|等[你您]|[你您](?:先|确认|准备好|说|提供|发|给我)[^，。]{0,8}(?:之?后|了)?[，,]|[“”\"「」『』`*|>]"
)
_DRAFTS: Final = re.compile(
    r"(?:亲爱的|尊敬的|此致|敬上|敬礼|祝好)|(?:草稿|模板|范文|示例|台词|剧本|歌词|邮件内容|信如下|写好了|拟好了)|"
    r"^[ \t]{0,9}(?:>|```)",
    re.MULTILINE,
)


def drafts_text(text: str) -> bool:
    """Return whether a message of the assistant contains a text that it wrote for the user, such as a letter."""
    return _DRAFTS.search(text) is not None


def read_agent_promises(sentence: Sentence, speaker: Speaker) -> Iterator[Draft]:
    """Yield the assistant's promises in a sentence of simplified characters."""
    text = sentence.text
    if sentence.asks or _DEPENDS.search(text):
        return
    for found in _PROMISE.finditer(text):
        when = found["first"] or found["w"] or ""
        certain = when or (found["remind"] and _CERTAIN_HINT.search(text[found.start() : found.end()]))
        more = found["more"].rstrip("了哦喔啊呀的吧呢哈")
        topic = when or more
        if not (certain and topic):
            continue
        user = speaker.user_names[0] if speaker.user_names else "用户"
        name = re.sub("[你您]", user, f"{when}{found['o']}{more}")
        yield Draft(
            subject=THE_AGENT,
            predicate="CARES_ABOUT",
            object=name,
            statement=f"助手答应{name}。",
            start=sentence.start + found.start("first" if found["first"] else "me"),
            end=sentence.start + found.end(),
            relation="promise",
            object_type=EntityType.ACTIVITY,
            strength=0.8,
            confidence=0.75,
        )
