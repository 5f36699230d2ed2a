"""Chinese as people type it, made plain: short words for relatives, and words that are not the writer's own."""

import re
from typing import Final

from schema.kept_results import kept_by_chars

_SPEECH = re.compile(r"[“\"「『][^”\"」』]{2,200}[”\"」』]")
_SPEAKER = re.compile(r"[我你您他她它咱俺]")
_RELAYED: Final = (
    r"(?:^(?:请|麻烦|帮我|帮忙|再|以[^：:，。]{1,10}|用[^：:，。]{1,10}|把[^：:，。]{1,10}){0,2}(?:读|"
    r"翻译|改写|润色|校对|总结|修改|改|缩写|扩写|看看?|朗读|念|编|写|"
    r"生成|起草|检查|评价|分析|续写|仿写)[^：:。]{0,30}|"
    r"(?:说|写道|写着|写的是|留言说?|评论说?|回复说?|唱的是|原文是?|原话是?|内容是?|如下|这句话?|这段话?|"
    r"翻译成(?:英文|中文|英语|日语)))[：:]"
)
_AFTER_RELAY = re.compile(_RELAYED + r"(?P<words>.+)", re.DOTALL)
# After such a sentence the writer speaks as somebody else, or shows somebody's words.
RELAYS: Final = re.compile(
    _RELAYED
    + r"|^(?:请你?)?(?:假装|假设|想象一下|想象|扮演|你来?扮演|你现在是|从现在开始你是|角色扮演|比如说?我[叫是])"
)
# "我可真喜欢排队": praise of what nobody likes.
IRONIC: Final = re.compile(
    r"可真是?(?:喜欢|爱|享受|谢谢)|^(?:太好了|真好|好极了|真棒|是啊是啊|可不是嘛|好家伙|"
    r"真是谢谢)[，,！!].{0,12}(?:喜欢|爱|享受)|"
    r"呵呵|谁不(?:喜欢|爱|想)|(?:喜欢|享受|爱)被(?:骂|坑|催|骗|吼|打)|简直爱死|我谢谢(?:你|您)|"
    r"(?:我的最爱|最爱了)[，,]?(?:呵|哈|呢$)"
)
_SHORT_KIN: Final = {
    "爸": "爸爸",
    "妈": "妈妈",
    "哥": "哥哥",
    "姐": "姐姐",
    "弟": "弟弟",
    "妹": "妹妹",
    "奶": "奶奶",
    "先生": "丈夫",
}
_MY_KIN = re.compile(r"我(?:家|们家|亲)?(?P<k>先生|[爸妈哥姐弟妹奶])(?![爸妈哥姐弟妹奶奶们夫媳子儿油茶粉])")
_OUR = re.compile(r"俺们?|咱们?家?(?=[爸妈哥姐弟妹])")


@kept_by_chars(chars_max=1_000_000, entries_max=512)
def readable(text: str) -> str:
    """A sentence of the same length in which the words of others are blanked out."""
    text = _SPEECH.sub(lambda found: "　" * len(found[0]) if _SPEAKER.search(found[0]) else found[0], text)
    relayed = _AFTER_RELAY.search(text)
    if relayed is None:
        return text
    return text[: relayed.start("words")] + "　" * len(relayed["words"])


def spelled(text: str) -> str:
    """`我妈` → `我妈妈`: short words for relatives written out; the length changes."""
    text = _OUR.sub("我", text)
    return _MY_KIN.sub(lambda found: "我" + _SHORT_KIN[found["k"]], text)
