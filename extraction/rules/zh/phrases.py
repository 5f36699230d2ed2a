"""Normalize Chinese noun and verb phrases."""

import re

from extraction.text.lexicon_zh import CATEGORIES, LASTING_GOALS, TRIVIAL_GOALS, VAGUE
from extraction.text.name_spotting import word_tag

PHRASE_CHARS_MAX = 12
_THINGS_MAX = 6
# Titles, except in phrases such as 《Perfect》这样的歌, which is about songs.
_TITLE = re.compile(r"《([^《》]{1,40})》(?!这样|这种|这类|那样|那种|里|中)")
_QUOTED = re.compile(r"[“\"「『]([^”\"」』]{2,40})[”\"」』]")
# Words at which the name of a thing ends.
_STOP = re.compile(
    r"(?:[，。！？；：…!?;~～（(]|的时候|的地方|因为|但是|不过|可是|一起|感到|感觉|觉得|并且|并|而且|所以|"
    r"之类|有些|有点(?=[难复])|等等|等(?=$|[^待级]|，)|什么的|"
    r"来(?:放松|缓解|表达|锻炼|打发|度过)|这样|那样|了解|能让|会让|让我|使我|给我|带给我|非常|特别|真的|"
    r"很|是因为|，).*",
    re.DOTALL,
)
_LEAD = re.compile(
    r"^(?:(?:和|跟|与)[^，。、]{1,6}一起|(?:在|到)[^，。、]{1,8}(?:里|上|中|边|家)|(?:一些|一个|一只|一本|"
    r"一部|一首|一种|一款|一条|一道|一位|一名|一家|一张|一座|"
    r"一件|一场|一门|一份|几本|几个|几部|一套|一支|一盆|一片|各种各样的|各种|所有的|所有|许多|很多|自己的|"
    r"他的|她的|我的|去|能|可以)){1,2}"
)
_TAIL = re.compile(
    r"(?:了|啊|呢|(?<![泡网酒贴])吧|呀|哦|啦|哈|嘛|的|喔|噢|呗|而已|来着|本身|的感觉|的味道|的歌|的书|的电影)+$"
)
_MODEL = re.compile(r"^(.{2,}?)(?:这|那)(?:款|部|本|个|首|种|家|位|座|道|只|门).*$")
_EAT = re.compile(r"^(?:吃|喝)(?=..|[茶酒辣鱼肉葱姜蒜虾蟹面糖])(?!饭|东西|亏|醋|苦)")
# Doubled verbs: 逛逛菜市场 means 逛菜市场.
_DOUBLED = re.compile(r"^([逛看听聊走跑玩做写画唱跳种养])\1(?=..)")
# A verb said again after its object, with how long or how: 起名起到头大, 怕水怕了二十年.
_COPIED = re.compile(r"([\u4e00-\u9fff])((?!一)[\u4e00-\u9fff]{1,3})\1(?:了[一二两三四五六七八九十几多半\d].*)?$")
FOR_LONG = re.compile(r"(?<=.)[\u4e00-\u9fff]了[一二两三四五六七八九十几多半\d]+(?:个?[年月天周次遍回].*)?$")
_AND = re.compile(
    r"、|还有|以及|(?<![温暖饱共总柔缓平附])和(?![平谐服解睦气尚蔼好])|(?<![参赠给])与(?![其否众])|"
    r"及(?=[^时格其])(?<![普涉以提埃])|或者|或|跟(?!随|踪|着)"
)
# Things known only by their taste or quality: 太甜的东西.
_TASTE = re.compile(
    r"(?:太|很|过于|特别)?(?:甜|辣|酸|苦|咸|油|油腻|凉|冷|冰|烫|生|硬|软|腥|清淡|重口|麻|新鲜|热闹|吵|"
    r"复杂|安静)的(?:东西|食物|菜|味道|地方|环境|饮料)"
)
# Durations, which are not part of the thing: 戒酒好几年了.
_DURATION = re.compile(
    r"(?:已经)?(?:快)?(?:好几|[几多数半]|[一二两三四五六七八九十\d]+)多?个?(?:年|月|星期|周|天)(?:多|了|来)*$"
)
_EDGE = " ，。！？；：、…!?;:,.\"“”'‘’「」『』（）()~～-"
_UNCLEAR = re.compile(
    r"^(?:吃饭|睡觉|说话|动弹?|出门)$|[我你您他她它这那哪谁]|^第[一二三四五六七八九十\d]|^[前后上下]面|^刚才|什么|"
    r"怎么|如何|不|没|自己|"
    r"里面|之一|照片|图片|几[幅个本只次张]|、|[吗呢]|"
    r"知道|时候|很|非常|了$|过$|^的|^上|^得|^就|^也|^都|^是|^有|^会|^要|^在|^被|^把|着$|起来|下去"
)


def title(text: str) -> str | None:
    """Return the first title in 《》, if any."""
    found = _TITLE.search(text)
    return found.group(1).strip() if found else None


def titles(text: str) -> list[str]:
    """Return every title in 《》, in order."""
    return [name.strip() for name in _TITLE.findall(text)]


def things(text: str) -> list[str]:
    """Return the normalized items of a list, without long or unclear ones."""
    if named := titles(_TAIL_CLAUSE.sub("", text)):
        return named[:_THINGS_MAX]
    if quoted := _QUOTED.match(text):
        return [quoted.group(1)]
    text = _TITLE.sub("", text)
    text = _LEAD.sub("", text)
    text = _DURATION.sub("", _STOP.sub("", text))
    pieces = split_list(text)
    # In 晴朗、温暖的天气 the pieces are adjectives of one thing.
    if len(pieces) > 1 and "的" not in pieces[0] and any("的" in piece for piece in pieces[1:]):
        return []
    found: list[str] = []
    for piece in pieces:
        phrase = noun_phrase(piece)
        if phrase and phrase not in found:
            found.append(phrase)
    return found[:_THINGS_MAX]


_TAIL_CLAUSE = re.compile(r"[，。！？；].*", re.DOTALL)


def split_list(text: str) -> list[str]:
    """Split a list: three items in `绘画、弹钢琴和品茶`.

    Without 、 a list with an item of one character is not split, because 和 is also a part of words.
    """
    pieces = [piece.strip(_EDGE) for piece in _AND.split(text)]
    return pieces if all(len(piece) > 1 for piece in pieces) or "、" in text else [text]


def noun_phrase(text: str) -> str | None:
    """Return one thing without measure words and particles; None if it is vague or longer than twelve characters."""
    text = re.sub(r"^(?:习惯(?:于|了)?|愿意|倾向于?|宅在家)(?=..)", "", text.strip(_EDGE))
    model = _MODEL.match(text)
    if model:
        text = model.group(1)
    text = _TAIL.sub("", _LEAD.sub("", text)).strip(_EDGE)
    text = FOR_LONG.sub("", text)
    text = _COPIED.sub(r"\1\2", _DOUBLED.sub(r"\1", _EAT.sub("", text)))
    text = re.sub(r"^(?:看到|看见|听到|去)(?=..)|一些|一下", "", text)
    if _TASTE.fullmatch(text):
        return text
    if not text or len(text) > PHRASE_CHARS_MAX or text in VAGUE or _UNCLEAR.search(text):
        return None
    if text.count("的") > 1 or any(
        text.endswith(word) and len(text) - len(word) <= 3 and "的" in text for word in VAGUE
    ):
        return None
    if len(text) == 1 and text not in "猫狗茶酒花书鱼蛇鬼雨雪海辣甜肉葱姜蒜虾蟹面黑糖烟虫鸟马毛":
        return None
    return text


def without_category(text: str) -> str:
    """Drop the category before a name: `狗狗阿拉斯加` → `阿拉斯加`."""
    for word in sorted(CATEGORIES, key=len, reverse=True):
        rest = text[len(word) :]
        if (
            text.startswith(word)
            and len(rest) >= 2
            and not rest.startswith(
                ("的", "和", "之", "类", "视频", "片", "书", "馆", "园", "星", "剧", "粉", "生", "茶", "椒", "菜", "卷")
            )
        ):
            return re.sub(r"^[—是：:]+", "", rest)
    return text


_GOAL_STOP = re.compile(
    r"(?:[，。！？；：…!?;~～（(]|因为|但是|不过|所以|来|，|并|然后|吗|呢|的时候|等等|以及|而且).*", re.DOTALL
)
_GOAL_TIME = re.compile(
    r"^(?:(?:明天|后天|今天|今晚|下周[一二三四五六日天末]?|下个月|明年|今年|这个?周末|周末|以后|将来|未来|"
    r"最近|暑假|寒假|年底|年内|有一天|有朝一日|一直|尽快|早点|下半年|上半年|年后|年前|下学期|下周|过几年|"
    r"过两年|等退休后?|退休后|毕业后|开始|先|去(?=学|参加|旅|报|考))){0,3}"
)
# Time and place before a goal: 在四十岁之前跑一次半马, 在乡下买个小院子.
_GOAL_PLACE = re.compile(
    r"^(?:在[^，]{1,8}?(?:之前|以前|之后|以内|之内|前|里|内|上)|[^，]{1,6}(?:之前|以前|之内))(?=[\u4e00-\u9fff]{2})"
)


def goal(text: str, *, weak: bool, any_verb: bool = False) -> str | None:
    """Return a goal; None if it is trivial, long or unclear.

    Args:
        weak: the words before it (想) also introduce small wishes, so only lasting goals count.
        any_verb: the words before it (我的梦想是) introduce goals only, so any verb counts.
    """
    text = _TAIL.sub("", _GOAL_STOP.sub("", text)).strip(_EDGE)
    text = _GOAL_TIME.sub("", text)
    if len(text) > PHRASE_CHARS_MAX or not text.startswith(tuple(LASTING_GOALS)):
        text = _GOAL_PLACE.sub("", text)
    text = re.sub(r"(?<=[少多早][吃喝抽睡运])点(?!心)", "", text)
    text = re.sub(r"(?<=^[换找学考])个(?=..)", "", text)
    text = re.sub(r"(?:一些|一下|几本|几个|一点|一个|一门|一名|一位|一家|一份|一只|一条)", "", text)
    if not 2 <= len(text) <= PHRASE_CHARS_MAX or re.search(
        r"[年月天]$|[我你您他她它这那哪谁]|什么|怎么|如何|(?<![一两优重要])点(?!心|[单餐菜])|东西|事(?!业)|"
        r"几[幅个本只次张]$|技能|方法|自己",
        text,
    ):
        return None
    if any_verb:
        return text
    if re.match(r"嫁给|娶|(?:和|跟)[^，]{1,8}(?:私奔|结婚|过一辈子)", text):
        return None
    if text.startswith("不再") and len(text) > 3:
        return text
    if text.startswith("去") and "ns" in (word_tag(text[1:3]), word_tag(text[1:4])):
        return text
    if text.startswith("去"):
        return text if re.search(r"旅|游|留学|徒步|攀|爬|登|滑雪|潜水|看.*(?:展|演唱会)|生活|定居", text) else None
    if text.startswith(tuple(LASTING_GOALS)):
        return text if len(text) > 2 or text in LASTING_GOALS else None
    return None if weak or text.startswith(tuple(TRIVIAL_GOALS)) or len(text) < 3 else text
