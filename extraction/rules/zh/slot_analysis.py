"""Read Chinese clauses that match no whole wording: subject, verb group, and the slot that the verb fills.

A verb group is a verb with the adverbs and the negation before it. A table says which slot a verb fills; a cleaner for
each slot accepts only values of its kind. Applies to clauses that the other rules do not read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from extraction.rules.engine import Clause, DiscourseState, Draft, draft
from extraction.rules.zh.clauses import ends_later, may_name_person
from extraction.rules.zh.slot_cleaners import (
    any_name,
    drug,
    employer,
    home,
    illness,
    liked,
    owned,
    school,
    taste,
    thing,
    town,
    value,
    years,
)
from extraction.rules.zh.slots import Cleaner, formerly, person_of
from extraction.rules.zh.word_classes import DEVICE, END, KINS, MEASURE, NAME, SECRET, SURE_DRUG
from schema.entity import EntityType


def _verbs(words: str) -> str:
    return "(?:" + "|".join(sorted(words.split(), key=len, reverse=True)) + ")"


_BEFORE_VERB: Final = (
    r"(?:[，, ]|已经|也|都|就|还是|还|最后|终于|刚刚|刚|早就|现在|目前|如今|一直|平时|特别|超级?|很|最|更|挺|蛮|"
    r"真的|真心|其实|一向|向来|从小|坚决|绝对|只|就是|完全|实在|有点|比较|非常|十分|尤其|天生|打小|周末|每天|每周|晚上|"
    r"早上|中午|夏天|冬天|在外面|出门|一般|通常|基本上?|始终|依然|仍然|全家|一家人?|我们|我|自己|个人|真是|可|太|"
    r"这辈子|"
    r"这两年|这几年|今年|最近){0,5}?"
)
_NOT: Final = r"(?P<not>再也不|不再|早就不|已经不|从来不|从不|不太|不大|不怎么|不是很|不|没怎么|没有?)?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot of facts: statement, relation and cleaner of its values.

    Attributes:
        negated: slot of a negated clause; None if that states nothing.
        ended: slot of a clause that says that it has ended: `不…了`, `再也不`.
    """

    says: str
    clean: Cleaner
    relation: str | None = None
    predicate: str = "RELATES_TO"
    kind: EntityType | None = None
    closes: bool = False
    negated: str | None = None
    ended: str | None = None


def _food(text: str) -> str | None:
    """Return what `吃` or `喝` is about, without its amount."""
    name = taste(text)
    return name if name and len(name) <= 8 and not re.search(r"饭|亏|苦|力|醋|惊|药|片|粒|顿|完|掉", name) else None


def _device(text: str) -> str | None:
    """Return a thing that was bought, with a measure word or a make."""
    if not re.match(MEASURE, text) and not re.search(rf"[A-Za-z]|{DEVICE}$", text):
        return None
    return owned(text) or (thing(text) if re.match(r"(?:一|两|三)?[台辆部架把条](?=..)", text) else None)


def _medicine(text: str) -> str | None:
    found = re.search(SURE_DRUG, text)
    return (
        drug(text) if found or re.fullmatch(r"[^，]{1,6}(?:片|胶囊|颗粒|口服液|素|汀|唑|林|平|坦|普利)", text) else None
    )


_SLOTS: Final[dict[str, Slot]] = {
    "likes": Slot(predicate="PREFERS", says="{s}喜欢{o}。", clean=liked, negated="dislikes", ended="no longer likes"),
    "no longer likes": Slot(predicate="PREFERS", says="{s}不再喜欢{o}。", clean=liked, closes=True),
    "dislikes": Slot(predicate="DISLIKES", says="{s}不喜欢{o}。", clean=liked, ended="no longer dislikes"),
    "no longer dislikes": Slot(predicate="DISLIKES", says="{s}不再讨厌{o}。", clean=liked, closes=True),
    "eats": Slot(predicate="PREFERS", says="{s}吃{o}。", clean=_food, negated="does not eat", ended="no longer likes"),
    "does not eat": Slot(predicate="DISLIKES", says="{s}不吃{o}。", clean=_food),
    "lives": Slot(
        relation="lives in", says="{s}住在{o}。", clean=home, kind=EntityType.PLACE, negated=None, ended="left"
    ),
    "left": Slot(relation="lives in", says="{s}不再住在{o}。", clean=town, kind=EntityType.PLACE, closes=True),
    "works at": Slot(
        relation="works at",
        says="{s}在{o}工作。",
        clean=employer,
        kind=EntityType.ORGANIZATION,
        ended="left work",
    ),
    "left work": Slot(
        relation="works at", says="{s}不再在{o}工作。", clean=employer, kind=EntityType.ORGANIZATION, closes=True
    ),
    "studies at": Slot(relation="studies at", says="{s}在{o}上学。", clean=school, kind=EntityType.ORGANIZATION),
    "takes": Slot(relation="takes", says="{s}服用{o}。", clean=_medicine),
    "stopped": Slot(relation="takes", says="{s}不再服用{o}。", clean=_medicine, closes=True),
    "has": Slot(relation="has", says="{s}有{o}。", clean=_device, ended="lost"),
    "lost": Slot(relation="has", says="{s}不再有{o}。", clean=owned, closes=True),
    "ill": Slot(relation="has", says="{s}有{o}。", clean=illness),
    "uses": Slot(relation="uses", says="{s}用{o}。", clean=thing, ended="used"),
    "used": Slot(relation="uses", says="{s}不再用{o}。", clean=thing, closes=True),
    "role": Slot(relation="=k", says="{o}是{s}的{k}。", clean=any_name, kind=EntityType.PERSON),
    "role ended": Slot(relation="=k", says="{o}不再是{s}的{k}。", clean=any_name, kind=EntityType.PERSON, closes=True),
    "aged": Slot(relation="has age", says="{s}{o}。", clean=years, kind=EntityType.TIME),
    "number": Slot(relation="=k", says="{s}的{k}是{o}。", clean=value),
}
# Verbs by slot; the object follows.
_VERBS: Final = {
    "likes": _verbs(
        "喜欢 超爱 热爱 酷爱 爱死了 钟爱 偏爱 痴迷于? 沉迷于? 热衷于? 迷恋 迷上了? 爱上了? 离不开 少不了 "
        "认准了? 只认 "
        "更习惯 更愿意 宁愿 宁可 最馋 就馋 馋 只选 必选 必点 每次都点 最看重 好这口 推崇 独宠 "
        "喜爱 中意 "
        "乐于 着迷于? 爱吃 爱喝 爱看 爱听 爱玩 爱逛 爱穿 爱用"
    ),
    "dislikes": _verbs(
        "讨厌 反感 受不了 接受不了 忍不了 忍受不了 看不惯 吃不惯 喝不惯 用不惯 住不惯 听不得 见不得 闻不得 碰不得 "
        "最烦 最怕 "
        "害怕 恐惧 嫌弃 抗拒 排斥 厌恶 痛恨 憎恨 不待见 吃不了 喝不了 吃不来 喝不来 吃不得 喝不得 欣赏不来 懒得看 "
        "懒得碰 拒绝 "
        "避开 怕 烦 恨"
    ),
    "lives": _verbs(
        "住在 定居在? 落脚在? 漂在 租在 租住在? 搬去了? 搬到了? 搬进了? 搬回了? 搬来了? 迁到了? 移居到? 安家在? "
        "扎根在? "
        "寄住在? 借住在? 暂住在?"
    ),
    "left work": _verbs("离开了? 辞掉了? 从 告别了?") + r"(?=.{2,12}(?:离职|辞职|辞了|退休|跳槽|走人|被裁|下岗))",
    "has": _verbs(
        "入手了? 买了 新买了 添了 添置了 置办了 提了 换了 换上了 收了 淘了 淘到了? 攒钱买了 抢到了? 有 养了? "
        "领养了? 收养了? 捡了 "
        "继承了? 分到了? 开的是 骑的是 开着 骑着"
    ),
    "uses": _verbs("改用了? 改刷 转用 转投 换用 一直用"),
    "ill": _verbs("有 得了 患有 患上了? 查出来?是? 查出来?有? 查出了? 确诊了?是? 确诊为?"),
    "takes": _verbs("在吃 吃着 每天吃 改吃了? 服用 在服 开始吃 换吃 打着 在打 注射 在用 每天用 抹 外用"),
    "studies at": _verbs("考上了? 考进了? 考取了? 就读于 保送到?了? 录取到?了? 转学到了?"),
    "works at": _verbs(
        "入职了? 加入了? 跳槽到了? 跳槽去了? 调到了? 供职于 任职于 就职于 受聘于 签了 成为(?=.{2,10}的一员)"
    ),
}
_OBJECT: Final = r"(?P<o>[^，。！？；]{1,18}?)"
_BY_VERB: Final = tuple(
    (slot, re.compile(rf"{_BEFORE_VERB}{_NOT}{verbs}(?P<done>了|着|过|上)?{_OBJECT}(?:的一员)?(?P<over>了)?{END}"))
    for slot, verbs in _VERBS.items()
)
# The object comes first: `咖啡戒了`, `对甜食没什么兴趣`, `香菜坚决不要`
_O: Final = r"(?P<o>[^，。！？；我你您他她它]{1,14}?)"
_PRESCRIBED: Final = re.compile(
    rf"(?:医生|大夫|医院|诊所)(?:又|重新)?(?:给|帮)我(?:又|新|重新)?(?:开|换成|改成|配|加)(?:了|"
    rf"上)?(?:[一两三]?[盒瓶种])?{_O}{END}"
)
_LOST_VERBS: Final = _verbs(
    "被偷 被盗 丢 弄丢 搞丢 (?<!开)卖 卖掉 转手 送人 送出去 报废 报销 扔 扔掉 捐 捐掉 退货 "
    "(?<![考搞演办谈面])砸 摔坏 摔碎 退掉"
)
_BY_OBJECT: Final = tuple(
    (slot, re.compile(pattern))
    for slot, pattern in (
        (
            "dislikes",
            rf"(?:我)?(?:真的|一直|从来|确实)?对{_O}(?:真的|实在|一点|完全|都|确实|向来)?(?:没(?:有)?(?:什么|啥|"
            rf"多大|半点)?(?:兴趣|感觉|胃口)|无感|不感冒|不感兴趣|提不起兴趣|敬而远之|反感|敏感)",
        ),
        (
            "likes",
            rf"(?:我)?(?:真的|一直)?对{_O}(?:真的|特别|很|非常|最|有点)?(?:情有独钟|感兴趣|上瘾|上头|着迷|"
            rf"没有?抵抗力|毫无抵抗力)",
        ),
        (
            "dislikes",
            rf"(?:我)?{_O}(?:这种东西|这东西|什么的|之类的)?(?:我)?(?:坚决|绝对|千万|一概|一律|通通|统统|真的|"
            rf"实在)(?:不要|不吃|不碰|不行|不能放|别放|别加|吃不下|喝不下|免了)",
        ),
        (
            "stopped",
            rf"(?:我)?{_O}(?:上周|上个?月|昨天|早就|已经|也|都|最近|医生让)?(?:停了|断了|不吃了|停药了|停用了|减停了)",
        ),
        (
            "lost",
            rf"(?:我)?(?:把)?(?:的)?{_O}(?:昨晚|昨天|前天|上周|上个?月|刚刚|刚|也|都|已经|就这么|给|"
            rf"让人){{0,2}}{_LOST_VERBS}(?:掉)?(?:了|在[^，。]{{1,8}}|[^，。了]{{1,6}}[上里]了)",
        ),
        (
            "works at",
            r"(?:我)?(?:现在|目前|一直)?在(?P<o>[^，。我你他她]{2,14}?)(?:里)?(?:修|教|开(?!会|车|玩笑)|管|"
            r"跑(?!步)|搞|带(?!孩子)|负责|值班|轮班|站岗|搬砖|打工|跑腿|打杂|实习)[^，。]{0,8}",
        ),
    )
)
_ROLE: Final = _verbs(
    "主管 领导 老板 经理 组长 导师 班主任 老师 教练 私教 保洁 保姆 阿姨 钟点工 月嫂 房东 室友 合租室友 舍友 同桌 "
    "家庭医生 主治医生 "
    "牙医 医生 大夫 中介 律师 会计 司机 编辑 经纪人 助理 秘书 搭档 合伙人 对接人 客户经理 发小 闺蜜 死党 师父 师傅 "
    "徒弟 邻居"
)
_ROLE_IS: Final = re.compile(
    rf"(?:我)?(?:家里?|们家|们)?(?:的)?(?:新)?(?P<k>{_ROLE})(?:现在|目前|如今|已经|又)?(?:就)?(?P<v>是|叫|换成了?|"
    rf"换了|改成了?)(?P<o>{NAME}){END}"
)
_ROLE_FROM: Final = re.compile(
    rf"(?:我)?(?:们)?(?:的)?(?P<k>{_ROLE})(?:已经)?(?:从|由)(?P<old>{NAME})(?:换|改|变)(?:成|为|"
    rf"到)了?(?P<o>{NAME}){END}"
)
_ROLE_NAME: Final = re.compile(
    rf"我(?:们|家)?(?:的)?(?P<k>{_ROLE})(?P<o>(?:小|老|阿|大)[\u4e00-\u9fffA-Z]|[A-Z][a-z]+)(?=[，。是要说在给把也]|$)"
)
_AGE: Final = re.compile(
    rf"(?:我)?(?:们)?(?:家)?(?:的)?(?P<k>老大|老二|老三|老幺|大的|小的|{KINS})(?:今年|现在|刚|都|已经|快|才|就要|"
    rf"明年){{0,2}}(?:满)?"
    r"(?P<o>[一二两三四五六七八九十百\d]{1,4}(?:岁半?|个半?月|周岁)|(?:[二三四五六七八九]?十[一二三四五六七八九]|"
    r"[二三四五六七八九]十)(?=了|$|，))(?:了|大)?(?![从在去来离考出上结进开才就起\d一二两三四五六七八九十百千万几])"
)
_CHILD_NAMED: Final = re.compile(
    r"(?P<k>大的|小的|老大|老二|老三|老幺)(?:就)?(?:叫|是)(?P<o>[\u4e00-\u9fff]{2,3})(?=$|，|。)"
)


# Requests to the assistant say what it should do, not what somebody does.
_REQUEST: Final = re.compile(
    r"^(?:请|帮|麻烦|劳驾|给我|替我|推荐|写|翻译|总结|列出?|查|告诉我|回答|输出|尽量|记得|"
    r"别|不要|不用)|(?:吧|一下)$|推荐|帮我|请|求"
)


def analyse_slots(clause: Clause, state: DiscourseState, found: list[Draft]) -> Iterator[Draft]:
    """Yield the facts that the verb of a clause states, if the other rules found none."""
    if clause.start < state.read_until or SECRET.search(clause.text):
        return
    yield from _people(clause, state, found)
    if found:
        return
    if drafts := _filled("takes", _PRESCRIBED.match(clause.text), clause, state, state.speaker.me):
        yield from drafts
    person = person_of(clause, state)
    if person is None or _REQUEST.search(clause.text + clause.following):
        return
    for slot, pattern in _BY_OBJECT:
        if drafts := _filled(slot, pattern.match(clause.rest), clause, state, person):
            yield from drafts
            return
    for slot, pattern in _BY_VERB:
        matched = pattern.match(clause.rest)
        if drafts := _filled(_in_mood(slot, matched), matched, clause, state, person):
            yield from drafts
            return


def _in_mood(name: str, found: re.Match[str] | None) -> str | None:
    """Return the slot that a verb fills with its negation; None if the clause states nothing."""
    if found is None:
        return name
    if found["not"] is None:
        # 养过, 住过 and 用过 are about the past.
        return _SLOTS[name].ended if found["done"] == "过" else name
    over = found["over"] is not None or found["not"] in ("再也不", "不再", "早就不", "已经不")
    return _SLOTS[name].ended if over else _SLOTS[name].negated


def _filled(
    name: str | None, found: re.Match[str] | None, clause: Clause, state: DiscourseState, person: str
) -> list[Draft]:
    if name is None or found is None:
        return []
    slot = _SLOTS[name]
    obj = slot.clean(found["o"])
    if obj is None or obj == person or (clause.momentary and slot.predicate != "RELATES_TO"):
        return []
    return [_fact(slot, obj, "", clause, state, person)]


def _people(clause: Clause, state: DiscourseState, found: list[Draft]) -> Iterator[Draft]:
    """Yield roles with their names, and ages and names of children: `我的主管从老周换成了陈琳`, `老大八岁`."""
    me, text, known = state.speaker.me, clause.text, {one.object for one in found}
    if not found and (role := _ROLE_FROM.match(text) or _ROLE_IS.match(text)):
        groups = role.groupdict()
        called = groups.get("v") == "叫"
        for slot, group in (("role", "o"), ("role ended", "old")):
            name = any_name(groups.get(group) or "")
            if name and name not in known and (called or may_name_person(name)):
                yield _fact(_SLOTS[slot], name, role["k"], clause, state, me)
    elif (role := _ROLE_NAME.match(text)) and role["o"] not in known:
        yield _fact(_SLOTS["role"], role["o"], role["k"], clause, state, me)
    if not found and (aged := _AGE.match(text)) and (age := years(aged["o"])):
        yield _fact(_SLOTS["aged"], age, "", clause, state, aged["k"])
    if not found and (child := _CHILD_NAMED.match(text)):
        yield _fact(_SLOTS["role"], child["o"], "孩子", clause, state, me)


def _fact(slot: Slot, obj: str, noun: str, clause: Clause, state: DiscourseState, person: str) -> Draft:
    over = slot.relation in state.pack.states and (clause.past or ends_later(slot.relation, clause))
    says = slot.says.replace("{k}", noun)
    return draft(
        clause,
        state,
        person,
        slot.predicate,
        obj,
        formerly(says) if over and not slot.closes else says,
        relation=noun if slot.relation == "=k" else slot.relation,
        kind=slot.kind,
        strength=0.65,
        closes=slot.closes or over,
    )
