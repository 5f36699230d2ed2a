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
from schema.entity import EntityType

# The assistant drafts or quotes a text, in which "I" is somebody else.
_DRAFTS: Final = re.compile(
    r"\b(?:subject:|dear \w+|hi \w+,$|(?:best|kind) regards|sincerely|yours truly|once upon a time|lyrics|"
    r"here(?:'s| is) (?:an?|the|your|my) (?:\w+ ){0,2}(?:draft|email|letter|message|text|poem|story|script|speech))|"
    r"亲爱的|尊敬的|此致|敬礼|祝好|草稿|模板|范文|台词|剧本|歌词|写好了|拟好了|^[ \t]{0,9}(?:>|```|\[)",
    re.IGNORECASE | re.MULTILINE,
)
# The promise depends on the user, is an offer or a guess.
_DEPENDS: Final = re.compile(
    r"\b(?:if|unless|would you like|do you want|shall I|(?:want|like) me to|let me know|tell me|send me|give me|"
    r"share (?:your|the|it)|whenever you|(?:once|when|as soon as|after) you|"
    r"I (?:can|could|might|may|would|cannot|can't|won't)|I'd|probably|maybe|perhaps|try to|"
    r"pretend|imagine|for example|e\.g)\b|[\"“”«»「」『』`*|>]|"
    "如果|要是|假如|的话|要不要|需要我|想让我|要我|可以|能够|能帮|是否|吗|么[？?]|告诉我|发给我|只要|一旦|除非|也许|可能|或许|"
    "尽量|争取|试着|比如|例如|假装|等[你您]|[你您](?:先|确认|准备好|说|提供|发|给我)[^，。]{0,8}[，,]",
    re.IGNORECASE,
)
_ADVERBS: Final = "(?: (?:also|definitely|certainly|then|personally|gladly|always|make sure to|be sure to))*"
_WILL: Final = re.compile(
    rf"\b(?:(?P<vow>I promise(?: you)?(?: that)?(?: I(?:'ll| will)| to))|I'll|I will|I'm going to){_ADVERBS} "
    r"(?P<o>[a-z][^.!?;:()\n—]{2,160})",
    re.IGNORECASE,
)
# Reminders and messages to the user, and care for something over time; they need a time or a topic.
_REMIND: Final = re.compile(
    r"(?:(?:remind|notify|alert|ping|nudge|wake) you|check (?:back|in)|follow up|get back to you|report back|"
    r"keep you (?:posted|updated|informed)|"
    r"(?P<topic>let you know (?:as soon as|when|once|the moment|by|on|about)|keep (?:an eye on|track of)|"
    r"watch out for))\b",
    re.IGNORECASE,
)
_TOPIC: Final = re.compile(r" (?:about|to|when|once|as soon as|the moment|before|after|on|of) \w", re.IGNORECASE)
# Other services, which need a time.
_SERVICE: Final = re.compile(
    r"(?:send|call|e-?mail|text|message|phone|bring|write|prepare|draft|finish|book|order|reserve|schedule|renew|"
    r"cancel|submit|check|review|look|ask|have|update|deliver|forward|share|post|pay|buy|pick up|set up|get|run|"
    r"research|visit|meet)\b",
    re.IGNORECASE,
)
# A time that the service is about, and not when it is done.
_ABOUT_TIME: Final = re.compile(r"\b(?:about|of|for) (?:the )?$", re.IGNORECASE)
_EVERY: Final = re.compile(
    r"\b(?:every|each) (?:other )?(?:\w*day|week|weekend|month|morning|evening|night|hour)\b|"
    r"\ba (?:day|week|hour) before\b|\bat \d{1,2}(?:[:.]\d\d)? ?[ap]m\b",
    re.IGNORECASE,
)
_TIMES_MAX: Final = 20
_CUT: Final = re.compile(
    r", (?:so|but|and|which|then|because|okay|ok|too|as well|just)\b| - |"
    r" (?:so that|so you|because|but|and (?:I|then|you|we|let|please))\b",
    re.IGNORECASE,
)
_WORDS_MAX: Final = 16
_PROMISE_ZH: Final = re.compile(
    "我(?:答应[你您])?[^，。！？；我你您不没别\n]{0,14}?"
    "(?P<o>(?P<remind>(?:提醒|通知|叫醒)[你您]|叫[你您](?=起床)|(?:给|向|跟|和)[你您](?:汇报|回复|反馈|确认|同步|跟进)|"
    "帮[你您](?:盯着?|留意|关注|跟进|记着|看着)|第一时间告诉[你您])|"
    "(?:给|帮|替|为)[你您](?:发|打|寄|准备|整理|做|写|送|订|查|约|买|问|取消|续|更新|安排|列|带|翻译|检查|联系)|"
    "(?:发|打|寄|带|送|交|打电话)给[你您]|联系[你您]|把[^，。]{1,12}(?:发|寄|交|送|传)给[你您]|来(?:接|看|找|叫)[你您])"
    "(?P<more>[^，,。！!？?；;～~\n]{0,24})"
)
_CERTAIN_ZH: Final = re.compile("会|将|一定|肯定|保证|答应|到时|届时|准时|按时|提前")
# Words that belong to a time: "on Monday", 周五之前.
_PREPOSITION: Final = re.compile(r"(?:\b(?:on|by|in|at|before|until|from) (?:the )?)?$", re.IGNORECASE)
_THEN_ZH: Final = re.compile("(?:之?[前后]|左右|那天|开始|起)?")
_EVERY_ZH: Final = re.compile("每[天周月年晚早][一二三四五六日天]?(?:早上|上午|中午|下午|晚上)?")
_YOU: Final = re.compile(r"\b(?P<w>you're|you've|yours?|you|my)\b", re.IGNORECASE)


def drafts_text(text: str) -> bool:
    """Return whether a message of the assistant contains a text that it wrote for the user, such as a letter."""
    return _DRAFTS.search(text) is not None


def read_agent_promises(sentence: Sentence, times_of: Callable[[str], TimedText], speaker: Speaker) -> Iterator[Draft]:
    """Yield the assistant's promises in a sentence with simplified characters and straight apostrophes."""
    text = sentence.text
    if sentence.asks or not (_WILL.search(text) or _PROMISE_ZH.search(text)) or _DEPENDS.search(text):
        return
    times = [(one.start, one.end) for one in times_of(text).times]
    if has_cjk(text):
        times += [one.span() for one in islice(_EVERY_ZH.finditer(text), _TIMES_MAX)]
        promises, says = _chinese(text, sorted(times), speaker), "助手答应{}。"
    else:
        times += [one.span() for one in islice(_EVERY.finditer(text), _TIMES_MAX)]
        times = [(_opened(text, start), end) for start, end in times if not _ABOUT_TIME.search(text, 0, start)]
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
    before = _PREPOSITION.search(text, max(0, start - 12), start)
    return before.start() if before else start


def _english(text: str, times: _Spans, speaker: Speaker) -> Iterator[tuple[str, int, int]]:
    """Yield the words of each English promise and their span."""
    for found in _WILL.finditer(text):
        said = _CUT.split(found["o"], maxsplit=1)[0].strip(" ,-")
        start, end = found.start("o"), found.start("o") + len(said)
        if not 1 < len(said.split()) <= _WORDS_MAX:
            continue
        # "Tomorrow I'll …"
        opening = next((text[a:b] for a, b in times if 0 < found.start() - b <= len(", ")), "")
        dated = opening or any(start < a < end for a, _ in times)
        reminds = _REMIND.match(said)
        about = reminds is not None and (reminds["topic"] or _TOPIC.search(said, reminds.end()))
        if about or (dated and (reminds or _SERVICE.match(said) or found["vow"])):
            name = f"{said} {opening[:1].lower()}{opening[1:]}" if opening else said
            yield _about_user(name, speaker), start, end


def _chinese(text: str, times: _Spans, speaker: Speaker) -> Iterator[tuple[str, int, int]]:
    """Yield the words of each Chinese promise and their span."""
    begin = 0
    for found in _PROMISE_ZH.finditer(text):
        before = [(a, b) for a, b in times if begin <= a and b <= found.start("o")]
        then = _THEN_ZH.match(text, before[-1][1]) if before else None
        when = text[before[0][0] : then.end()].removesuffix("我") if then else ""
        begin = found.end()
        more = found["more"].rstrip("了哦喔啊呀的吧呢哈")
        certain = when or (found["remind"] and _CERTAIN_ZH.search(text, max(0, found.start() - 4), found.end()))
        if certain and (when or more):
            user = speaker.label(THE_USER, "用户")
            yield re.sub("[你您]", user, f"{when}{found['o']}{more}"), found.start(), found.end()


def _about_user(said: str, speaker: Speaker) -> str:
    """Replace "you" and "your" by the user's name, or by "the user", and "my"."""
    user = speaker.label(THE_USER, "the user")
    words = {"you": user, "your": f"{user}'s", "yours": f"{user}'s", "you're": f"{user} is", "you've": f"{user} has"}
    words["my"] = "the assistant's"
    return _YOU.sub(lambda found: words[found["w"].lower()], said)
