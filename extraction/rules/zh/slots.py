"""Read Chinese sentences of topic and comment with slot rules: `手机从苹果换成一加了`, `咖啡戒了，换成了大麦茶`.

A slot rule matches from the beginning of a clause, after its subject, and may continue into the following clauses. Its
named groups are the parts of the facts that it states.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from extraction.rules.engine import Clause, DiscourseState, Draft, draft
from extraction.rules.zh.clauses import ends_later
from extraction.rules.zh.word_classes import HE, KINS, PET, SECRET
from schema.entity import EntityType

# Subject of facts about the speaker in clauses about others: 奶奶留给我….
ME: Final = "=me"
# Returns the cleaned text of a group, or None if it is unclear.
Cleaner = Callable[[str], str | None]
# Optional words between subject and topic: 我(现在)手机换了.
_FILLERS: Final = re.compile(
    r"(?:已经|他们一家|一家人?|全家|现在|最近|刚刚|刚|终于|早就|早已|又|也|都(?!市)|就(?![诊业医读])|还"
    r"(?![款贷钱债])|才|其实|"
    r"今天|昨天|前天|昨晚|上个?(?:周|月|星期|礼拜|学期)[一二三四五六日天末底初]?|去年[年春夏秋冬]?[底初天]?|"
    r"今年[年春夏秋冬]?[底初天]?|前年|"
    r"这个?(?:周|月|星期|礼拜|学期)|前几天|这几天|这两天|前阵子|前两年|这两年|这些年|如今|目前|后来|总算|正式|"
    r"一直|平时|平常|平日|日常|真的|好不容易|"
    r"[一二两三四五六七八九十\d]{1,3}(?:年|个月|天|周)前|[这本]?周[一二三四五六日天]|"
    r"[一二三四五六七八九十\d]{1,3}月(?:份|底|初)|年初|月初|"
    r"晚上|早上|中午|下午|周末|"
    r"本来|不小心|顺便|干脆|直接|临时|暂时|一共|自己|给自己|给家里|咬牙|狠心|差不多|基本上?|主要|专门|特意|"
    r"顺利|成功|被迫|每[天周晚月年次]|天天|"
    r"[^，。我你他她的]{0,4}(?:毕业|结婚|离婚|退休|回国|辞职|离职|生完?孩子|生了孩子)(?:以后|之后|后)(?:就|一直)?|"
    r"经常|常年|长期|通常|一般|打心底里?|打心眼里|从小|小时候|跟着|终于|毕业(?:以?后)?(?:就)?|婚后|离婚后|退休后|"
    r"退休(?=[搬回去])|目前为止|的|[，, ]){0,5}"
)
# Words about people whose facts are not read.
_SOMEBODY: Final = re.compile(
    rf"[你您她牠]|{HE}|大家|别人|人家|人们|他人|有人|某人|一个人(?!住)|谁|很多人|不少人|陌生|路人|网友|明星|艺人|"
    r"楼上|楼下|隔壁|对门|现在的|"
    r"邻居|前台|店员|服务员|司机师傅|中介|租客|客户|顾客|大叔|大妈|老李|老王家|主角|男主|女主|编剧|剧里|书里|"
    r"电影里|小说里|小朋友的"
)
# 我家老大八岁 is the age of a child.
_CHILD_FIRST: Final = re.compile(r"老[大二三四幺]|大的|小的|双胞胎|俩孩子")
# Without a subject, an age is that of the speaker only with such a word.
_OWN_AGE: Final = re.compile("[我咱俺]|今年|虚岁|周岁|本人")
# Without a subject, an age below ten years is not that of the speaker: 叫麻薯，今年三岁了.
_SMALL_AGE: Final = re.compile(
    r"(?:[一二两三四五六七八九]|\d)(?:周?岁|个半?月)|十?[一二三四五六七八九]?个半?月|1\d个月"
)
_TASTES: Final = frozenset(("PREFERS", "DISLIKES"))
# Adverbials before a verb: how often, when, with whom; the first pattern tells habits.
_HOW_OFTEN: Final = re.compile(
    r"(?:一般|通常|平时|平常|经常|常常|常(?!务|驻|住)|总是|总(?![结监部经之])|基本上?|天天|每晚|每早|每次(?:去)?|"
    r"每回|没事就|有空就|一有空就|闲下来就|"
    r"每(?:天|日)(?:早上|上午|中午|下午|傍晚|晚上|睡前|下班后?)?|每个?(?:周|星期|"
    r"礼拜)(?:[一二三四五六日天末])?(?:早上|上午|中午|下午|晚上)?|"
    r"每个?月|每年(?:[春夏秋冬]天)?|(?:周|星期|礼拜)[一二三四五六日天末](?:早上|上午|中午|下午|晚上)?(?=我?们?(?:都|"
    r"一般|总|会))|"
    r"一(?:周|个?星期|个?礼拜|个?月|天)(?=[^，]{0,3}[一二两三四五六七八九十几\d]次)|"
    r"(?:早上|早晨|中午|晚上|睡前|饭后|下班后?|周末|早餐|早饭|午饭|晚饭|冬天|夏天)(?=我?们?(?:一般|通常|都|总|就|"
    r"基本)))"
)
_CIRCUMSTANCE: Final = re.compile(
    r"(?:从[^，。我]{2,8}?(?:起|开始|以来)|(?:早上|早晨|上午|中午|下午|傍晚|晚上|睡前|周末|最近|现在|目前|如今|今年|"
    r"去年|这(?:几|两)[年天]|"
    r"这(?:个月|学期|段时间|阵子)|上(?:个月|周|学期)|[^，我你他她]{1,6}(?:之前|以前)|工作日|在家里?|家里|一直|已经|"
    r"还是|还|也|都(?!市)|就(?![诊业医读])|又|"
    r"才|只(?!有)|正(?!在)|刚(?:刚|好)?|终于|其实|真的|主要|自己|亲自|我们家?|咱们?|俺|我|先|会(?=去|做|吃|喝|练)|"
    r"的时候|[，, ])|"
    rf"(?:跟|和|与|陪|带)(?:着|我|我的|老|小|几个|一帮)?(?:{KINS}|[\u4e00-\u9fffA-Za-z]{{1,5}}?)(?:们)?(?:一起|"
    rf"一块儿?|俩|(?=去|打|踢|跳|爬|跑|练|游|逛|学)))"
)
_ADVERBIALS_MAX: Final = 8
_ADVISED: Final = re.compile("建议|让|叫|劝|要求|嘱咐")
# A plan that a later clause drops is not read.
_DROPPED_LATER: Final = re.compile(
    r"[，。][^。]{0,8}(?:取消|不[去考办搞做买养学想报约]了|算了|黄了|泡汤|作罢|没戏|没成|退了|推掉|推了|吹了|"
    r"放弃|改主意)"
)
# 我家猫墨墨有糖尿病 is about the cat, and so is what follows.
_ILL_PET: Final = re.compile(
    rf"我?们?家?[里的]?[那这]?[只条]?{PET}(?![毛粮砂屎尿])[^，。]{{0,8}}(?:有|得了|患|查出|吃|打|过敏|怕|"
    rf"喜欢|爱)(?!人|家)[^，。叫]*$"
)
_MINE: Final = re.compile("[我咱俺]")
# 老大确诊坚果过敏 is about a child; 猎头说岗位在苏州 about somebody's offer, and so is what follows.
_CHILD_SUBJECT: Final = re.compile(
    r"老[大二三幺](?=确诊|对|爱|喜欢|讨厌|怕|不|有|得|查|学|上|考|在|要|想|也|最|刚|住|去)"
)
_SAID_BY_OTHERS: Final = re.compile(
    r"(?![^，。]{0,40}[我咱俺])[^，。]{0,4}(?:猎头|中介|HR|人事|面试官|领导|老板|房东|邻居|客服|店员|卖家|网上|网友|新闻|专家|广告|星座|算命的?|"
    r"他们|人家|同事|同学|推销的?)(?:都|也|老|总|一直|跟我)?(?:说|讲|宣传|吹)"
)
_NAMES_SOMEBODY: Final = re.compile(
    rf"(?![^，。]{{0,8}}?{PET})[^我咱俺叫姓]{{2,10}}(?:姓(?![氏名])|名?叫(?![我做好醒停]))[\u4e00-\u9fffA-Z]|"
    r"叫(?:小|阿|老)[\u4e00-\u9fff]$"
)
_ASKED: Final = re.compile("[?？]|吗")
_GENERIC_SUBJECT: Final = re.compile(
    r"^(?:这(?![台辆把只条件部双块张套])(?!周|个?月|个?礼拜|个?星期|两天|几天|次|学期|年|阵|些年)|那"
    r"(?![天年时台辆把只条件部双块张本套])|它|人家|有些|有的|很多|"
    r"不少|大多|一般人|每个人|所有)"
)


Reads = Literal["rest", "dated", "verb", "whole"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """A fact that a slot rule states.

    Attributes:
        obj: group of the object, or a fixed text after "=".
        relation: relation label, with `{k}` for group `k`.
        says: statement, with `{s}` for the subject, `{o}` for the object and `{k}` for group `k`.
        subject: group of the subject, or `ME` for the speaker; None for the person whom the clause is about.
        needed: the rule states nothing if the object of this fact is unclear.
    """

    obj: str
    says: str
    clean: Cleaner
    predicate: str = "RELATES_TO"
    relation: str | None = None
    subject: str | None = None
    closes: bool = False
    needed: bool = True
    kind: EntityType | None = None
    strength: float = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRule:
    """A wording with slots.

    Attributes:
        cue: characters of which the text contains at least one; a quick check.
        reads: text that the pattern matches: the clause after its subject ("rest"), that text with leading words such
            as a time ("dated"), the text from the verb on ("verb"), or the clause from its subject on, for facts about
            the speaker ("whole").
        often: the rule reads habits, so the clause must say how often.
    """

    cue: frozenset[str]
    pattern: re.Pattern[str]
    facts: tuple[Says, ...]
    reads: Reads = "rest"
    often: bool = False


def slot_rule(cue: str, pattern: str, *facts: Says, reads: Reads = "rest", often: bool = False) -> SlotRule:
    """Return a slot rule, with its cue and pattern given as text."""
    return SlotRule(cue=frozenset(cue), pattern=re.compile(pattern), facts=facts, reads=reads, often=often)


def adverbials(text: str) -> tuple[int, bool]:
    """Return the offset of the verb, after time, frequency and company, and whether the clause says how often."""
    start, often = 0, False
    for _ in range(_ADVERBIALS_MAX):
        if found := _HOW_OFTEN.match(text, start):
            often = True
        elif (found := _CIRCUMSTANCE.match(text, start)) is None:
            break
        start = found.end()
    return start, often


def read_by_slots(rules: Sequence[SlotRule], clause: Clause, state: DiscourseState) -> list[Draft] | None:
    """Return the facts of the first slot rule that reads the clause; None if none does."""
    if clause.start < state.read_until:
        return []
    person = person_of(clause, state)
    if SECRET.search(clause.text):
        return None
    said = clause.rest + clause.following
    verb, often = adverbials(said)
    often = often or adverbials(clause.lead + clause.text)[1]
    texts = {
        "rest": said[_end_of(_FILLERS, said) :],
        "dated": clause.lead + said,
        "verb": said[verb:],
        "whole": clause.text + clause.following,
    }
    letters = frozenset(clause.lead + texts["whole"])
    for rule in rules:
        about = state.speaker.me if rule.reads == "whole" else person
        if about is None or rule.cue.isdisjoint(letters) or not _fits(rule, clause, often=often):
            continue
        for reads in ("dated", "rest") if rule.reads == "dated" else (rule.reads,):
            found = rule.pattern.match(texts[reads])
            if found is None:
                continue
            beyond = found.end() - (len(texts[reads]) - len(clause.following))
            end = clause.end + max(beyond, 0)
            drafts = list(_drafts(rule, found, about, replace(clause, end=end), state))
            if drafts:
                state.read_until = end if beyond > 0 else state.read_until
                return drafts if rule.reads == "whole" else drafts + _relative(clause, state)
    return None


def _fits(rule: SlotRule, clause: Clause, *, often: bool) -> bool:
    """Return whether a rule may read a clause: none takes a habit for a plan, or one day for a habit."""
    if any(says.relation == "plan" for says in rule.facts):
        return not (often and rule.reads == "dated")
    if rule.reads == "verb" and clause.momentary:
        return False
    # 医生建议我每周游三次泳 is advice.
    return not rule.often or (often and _ADVISED.search(clause.lead) is None)


def _relative(clause: Clause, state: DiscourseState) -> list[Draft]:
    """Return the fact that the speaker has the unnamed relative who is the subject of a clause."""
    if clause.kin is None:
        return []
    says = state.pack.wording.has_relative(clause.kin)
    kind = EntityType.PERSON
    return [draft(clause, state, state.speaker.me, "RELATES_TO", clause.kin, says, relation=clause.kin, kind=kind)]


def person_of(clause: Clause, state: DiscourseState) -> str | None:
    """Return the person whom a clause is about, by default the speaker; None if that is unclear."""
    if clause.subject is not None:
        return clause.subject
    if child := _CHILD_SUBJECT.match(clause.text):
        return child[0]
    if _SAID_BY_OTHERS.match(clause.text):
        state.stranger = True
        return None
    unnamed = clause.rest != clause.text
    if _ILL_PET.match(clause.text):
        state.stranger = True
        return None
    if unnamed or _GENERIC_SUBJECT.match(clause.text) or _SOMEBODY.search(clause.text):
        state.stranger = True
        return None
    mine = _MINE.search(clause.text) is not None
    if not mine and (state.stranger or _ASKED.search(clause.following)):
        return None
    # Somebody who is named is what the next clauses are about: 书法老师姓吴，以前是校长.
    state.stranger = state.stranger or _NAMES_SOMEBODY.match(clause.text) is not None
    return state.speaker.me


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _drafts(
    rule: SlotRule, found: re.Match[str], person: str, clause: Clause, state: DiscourseState
) -> Iterator[Draft]:
    groups = {name: text for name, text in found.groupdict().items() if text}
    parts = [(says, _part(says.obj, groups, says.clean)) for says in rule.facts]
    if any(says.needed and obj is None for says, obj in parts):
        return
    if clause.momentary and any(says.predicate in _TASTES and not says.closes for says in rule.facts):
        return
    if rule.facts[0].relation == "has age":
        owner = _owner_of_age(found["o"], person, clause, state)
        if owner is None:
            return
        person = owner
    if any(says.relation in ("plan", "promise") for says in rule.facts) and _DROPPED_LATER.search(clause.following):
        return
    for says, obj in parts:
        subject = (
            person if says.subject is None else state.speaker.me if says.subject == ME else groups.get(says.subject)
        )
        if obj is None or subject is None or subject == obj:
            continue
        ended = not says.closes and _ended(says, clause, state)
        one = draft(
            clause,
            state,
            subject,
            says.predicate,
            obj,
            formerly(_filled(says.says, groups)) if ended else _filled(says.says, groups),
            relation=says.relation and _filled(says.relation, groups),
            kind=says.kind,
            strength=says.strength,
            closes=says.closes or ended,
        )
        yield one if says.subject is None else replace(one, subject_type=None)


def _owner_of_age(age: str, person: str, clause: Clause, state: DiscourseState) -> str | None:
    """Return the subject of an age, or None if it is unclear.

    Without a subject, an age below ten years is that of the animal named before, never that of the speaker.
    """
    if _CHILD_FIRST.match(clause.rest):
        return None
    if clause.subject is not None and (clause.rest != clause.text or clause.kin is not None):
        return person
    said = clause.lead + clause.text
    if person == state.speaker.me and _SMALL_AGE.match(age) and not _MINE.search(said):
        return state.animal
    return person if _OWN_AGE.search(said) else None


def _ended(says: Says, clause: Clause, state: DiscourseState) -> bool:
    """Return whether past tense or the next clause ends a fact; not if the rule also states a newer value."""
    lasting = says.predicate in _TASTES or says.relation in state.pack.states
    over = clause.past or ends_later(says.relation, clause)
    return lasting and says.obj in ("o", "n") and over


def formerly(says: str) -> str:
    """Return a statement about a former state: {s}以前…"""
    return says.replace("{s}", "{s}以前", 1)


def _part(name: str, groups: dict[str, str], clean: Cleaner) -> str | None:
    if name.startswith("="):
        return name[1:]
    text = groups.get(name)
    return clean(text) if text else None


def _filled(says: str, groups: dict[str, str]) -> str:
    """Fill all slots except `{s}` and `{o}`; braces in the text are escaped."""
    for name, text in groups.items():
        if name not in ("s", "o"):
            says = says.replace("{" + name + "}", text.replace("{", "{{").replace("}", "}}"))
    return says
