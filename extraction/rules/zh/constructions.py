"""Chinese constructions that need their own code: favourites, names, relatives, opinions, experiences, causes."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from extraction.reader import THE_USER
from extraction.rules.engine import Clause, DiscourseState, Draft, draft
from extraction.rules.zh.clauses import (
    FICTION,
    HYPOTHETICAL,
    WISH,
    given_name_at,
    mask_quoted_speech,
    may_name_person,
    name_at,
)
from extraction.rules.zh.clauses import owner as owner_of
from extraction.rules.zh.objects import is_job, object_type, visited_place
from extraction.rules.zh.phrases import noun_phrase, things, title, titles, without_category
from extraction.text.lexicon_zh import (
    EMOTIONS,
    EVENTS,
    KIN,
    KIN_PATTERN,
    LANGUAGES,
    NOT_NAMES,
    PETS,
    PLEASANT,
    SOLE_KIN,
    SURNAMES,
    SYMPTOMS,
)
from extraction.text.name_spotting import chinese_name_at, word_tag
from extraction.text.sentences import Sentence
from schema.entity import EntityType

# Causes of symptoms and life events

_SYMPTOM = "(?:" + "|".join(SYMPTOMS) + ")"
_MINE = r"(?:我们?的?|这个|这次|那个|最近的?|老|这种|这|他的|她的){0,3}"
_MAINLY = r"(?:主要|其实|多半|大概率|基本|都|应该|就|全|八成){0,2}"
_REASON_HINT: Final = re.compile("因为|由于|为了|所以|因此|于是|只好|干脆|索性|果断|这才|图|冲着|原因|主要|说白了")
_HINT: Final = re.compile("因为|由于|引起|造成|导致|引发|诱发|害|让|就|都|会|使")
_PATTERNS: Final = (
    # "我腰疼是久坐造成的"
    re.compile(
        r"(?:^|[，,]|说|发现)"
        + _MINE
        + r"(?P<o>[^我你他她这那说，。]{2,8}?)"
        + _MAINLY
        + r"是(?:由|由于|因为|被)?(?P<c>[\u4e00-\u9fff]{1,10}?)(?:引起|造成|导致|引发|诱发|闹|弄|害|搞|惹|"
        r"熬|憋)(?:出来)?的?$"
    ),
    # "我失眠主要是因为上夜班"
    re.compile(
        r"(?:^|[，,])"
        + _MINE
        + r"(?P<o>"
        + _SYMPTOM
        + r")"
        + _MAINLY
        + r"(?:是)?(?:因为|由于|源于|来自于?)(?P<c>[\u4e00-\u9fff]{1,10}?)(?:$|[，,])"
    ),
    # "因为工作压力，我经常失眠"
    re.compile(
        r"(?:因为|由于)(?P<c>[\u4e00-\u9fff]{2,8}?)(?:的原因|的关系|的缘故)?(?:，|,)?(?:我们?|他|"
        r"她)?(?:所以|才|就|而|导致|总是|经常|常常|"
        r"一直|最后|最终|老|老是|已经|天天|又){0,2}(?:我们?)?(?:会|有点|开始)?(?P<o>"
        + _SYMPTOM
        + r")(?:了|的|很|得|越来越|严重|加重|$)"
    ),
    # "喝红酒会让我头疼", "花粉都会引发我的哮喘"
    re.compile(
        r"(?:^|[，,])(?:每年春天|每到春天|每年|每次|每到|一到|"
        r"只要)?(?P<c>[^我你他她这那，。]{1,8}?)(?:一直|老是?|总是?|经常|容易|都|就|很|特别)*(?:会|能|老|总)?"
        r"(?:引发|引起|导致|造成|加重|诱发|触发|让|使|令|害|害得|搞得|弄得)(?:我(?:的)?|人)?(?:一直|老|"
        r"总是?|经常|很|特别|容易|会|就)*(?:犯|得|发作|长|起)?(?P<o>" + _SYMPTOM + r")(?:$|[，,了发犯加])"
    ),
    # "一不吃早饭我就偏头痛", "每次熬夜我都头疼", "压力一大我的湿疹就犯"
    re.compile(
        r"(?:^|[，,])我?(?:每次|每回|只要|每当)?(?:一)(?P<c>(?!直|般|个|些|起|样|点|共|定|切|下|"
        r"边)[^我你他她这那，。一]{1,8}?)(?:，|,)?(?:我的?)?(?:就|都|便|准)(?:会|要|得|容易|开始|又)?"
        r"(?:犯|长|起)?(?P<o>" + _SYMPTOM + r")(?:$|[，,了发])"
    ),
    re.compile(
        r"(?:^|[，,])我?(?:每次|每回|只要|每当)(?P<c>[^我你他她这那，。]{1,8}?)(?:之后|后|完)?(?:，|"
        r",)?(?:我的?)?(?:就|都|便|准)(?:会|要|得|容易|开始|又)?"
        r"(?:犯|长|起)?(?P<o>" + _SYMPTOM + r")(?:$|[，,了发])"
    ),
    re.compile(
        r"(?:^|[，,])(?P<c>[^我你他她这那，。]{2,6}?)(?:一[大多重上来紧张久忙少冷热高])(?:了)?(?:，|,)?我?的?(?P<o>"
        + _SYMPTOM
        + r")(?:就|都|便)"
    ),
)
# Decisions and their reasons: 离职是因为天天加班, 因为房租涨了，所以搬家了.
_DECIDED = (
    r"(?:辞职|辞了|离职|离婚|离开|搬|换|买|卖|戒|退|选|转行|转学|转专业|转岗|放弃|停|取消|改|分手|结婚|生二胎|"
    r"学(?![校生期历者])|报名|报了|报的|考研|考公|考编|回老家|回国|"
    r"留在|留学|养(?!成)|租|装修|关店|关了|开店|开公司|拒绝|推了|删|卸|开始|不[^，]{1,4}了|把[^，]{1,6}了|"
    r"没[要买养考签]|不[要买养]|"
    r"决定|定居|移民|创业|吃素|减肥|跳槽|裸辞|剪)"
)
_REASONS: Final = (
    re.compile(
        r"^(?:我们?|我家|其实|说实话|，)*(?:之所以|当初|当时|去年|今年|最后|后来|这次)?(?:我们?|会|要)?(?P<o>"
        r"(?=[^，。]{0,3}?"
        + _DECIDED
        + r")[^你您他她，。]{2,16}?)(?:，?(?:我)?(?:主要|其实|就|纯粹|完全|也|都|多半|全)?(?:是)?(?:因为|由于|"
        r"为了|冲着|图(?:的)?(?:就)?(?:是)?)|(?:纯粹|无非|说到底|多半|完全|主要|纯属)(?:就)?是|"
        r"，(?:主要(?:原因)?(?:就)?是|原因(?:就|很简单)?(?:是|，)|说白了(?:就)?是|还不是因为)|(?:的)?"
        r"(?:主要)?原因(?:就)?是|主要(?:就)?是(?:因为)?)"
        r"(?P<c>[^，。]{2,18})"
    ),
    re.compile(
        r"^(?:我们?|其实)?(?:因为|由于|就因为|为了|考虑到|看在)(?P<c>[^，。]{2,18}?)(?:，(?:所以)?(?:我们?)?|"
        r"(?=我)我们?)(?P<o>(?=[^，。]{0,3}?" + _DECIDED + r")[^你您他她，。]{2,16})"
    ),
    re.compile(
        r"^(?:我们?|其实)?(?P<c>[^，。]{2,18})，(?:所以|因此|于是|只好|干脆|索性|果断|就只好)(?:我们?)?(?P<o>"
        r"(?=[^，。]{0,3}?" + _DECIDED + r")[^你您他她，。]{2,16})"
    ),
)
# A decision, then a complaint: 鹦鹉送人了，太吵.
_COMPLAINT: Final = re.compile(
    r"^(?:我们?|我家|，)*(?P<o>(?:没|不|退|卖|辞|关|取消|放弃|给[^，]{1,4}|把)?[^你您他她，。]{1,12}?(?:了|"
    r"的)?)，(?:主要是?|实在是?|因为)?"
    r"(?P<c>[^，。我]{0,8}(?:太|老是|总是|老(?![家师板公婆人头乡])|总(?!结|监)|实在)[^，。]{1,8}|"
    r"[^，。我]{2,8}(?:扛不住|受不了|吃不消|"
    r"不方便|不合适|没下来|没批|撑不住|太贵了?|涨了))$"
)
_GAVE_UP: Final = re.compile(
    r"^(?:我们?|我家)?(?:没[买去养要生考接签答]|不[去买养要续租用干做][^，]*了|[^，]{1,8}(?:退|卖|辞|关|取消|"
    r"放弃|转学|搬走|送人|离婚|分手|删|卸|停)(?:掉)?了|给[^，]{1,4}(?:转学|退)了)"
)
# A doubled verb names the cause: 嗓子哑是唱歌唱的.
_DOUBLED_CAUSE: Final = re.compile(
    _MINE
    + r"(?P<o>[^我你他她这那说，。]{2,8}?)"
    + _MAINLY
    + r"是(?P<c>(?:[^，。]{0,4}?)(?P<v>[\u4e00-\u9fff])[^，。]{1,6}?)(?P=v)(?:出来)?的$"
)
_PLAIN_LEAD: Final = re.compile(
    r"^(?:我们?|咱们?|家里|最后|终于|还是|就|才|所以|之所以|当初|当时|后来|最近|今年|去年|现在|已经|刚|说实话|"
    r"其实|也|都|一直|这次|的|没办法|，)+"
)
_TAIL: Final = re.compile(r"(?:了|啦|喇|啊|呢|吧|呀|哦|嘛|耶|的|来着|而已)+$")
_EDGE: Final = " ，。！？；：、…!?;:,.\"“”'‘’「」『』~～-"
_NO_CAUSE = re.compile(r"(?:感到|觉得|感觉|什么|[你这那]|一下|知道)$|^(?:什么|这|那|你|不知道|可能)")


def read_causes(sentence: Sentence, state: DiscourseState) -> Iterator[Draft]:
    """Yield at most one effect with its cause, often in two clauses: `因为工作压力，我经常失眠`."""
    text = mask_quoted_speech(sentence.text).rstrip("。！.! ~～")
    if HYPOTHETICAL.search(text) or WISH.search(text) or FICTION.search(text):
        return
    if found := _DOUBLED_CAUSE.match(text.removeprefix("我")):
        yield _caused(found["o"], found["c"], "{s}是由{o}引起的。", sentence, state)
        return
    for pattern in _REASONS if _REASON_HINT.search(text) else ():
        found = pattern.match(text)
        effect, cause = (_reason(found["o"]), _reason(found["c"])) if found else (None, None)
        if effect and cause:
            yield _caused(effect, cause, "{s}，是因为{o}。", sentence, state)
            return
    found = _COMPLAINT.match(text) if _GAVE_UP.match(text) else None
    effect, cause = (_reason(found["o"]), _reason(found["c"])) if found else (None, None)
    if effect and cause:
        yield _caused(effect, cause, "{s}，是因为{o}。", sentence, state)
        return
    if _HINT.search(text) is None:
        return
    for pattern in _PATTERNS:
        found = pattern.search(text)
        if found is None:
            continue
        effect, cause = noun_phrase(found["o"]), _cause(found["c"])
        if effect and cause and effect != cause and effect not in PETS:
            yield _caused(effect, cause, "{s}是由{o}引起的。", sentence, state)
            return


def _caused(effect: str, cause: str, says: str, sentence: Sentence, state: DiscourseState) -> Draft:
    clause = Clause(text="", rest="", subject=None, third=None, start=sentence.start, end=sentence.end)
    return draft(clause, state, effect, "CAUSED_BY", cause, says)


def _cause(said: str) -> str | None:
    """Return the normalized cause; it may be a negated action such as 不吃早饭."""
    said = re.sub(r"^(?:到|每到|我|我的|最近|总是|长期|天天|经常)+|(?:太多|的事|的问题|的原因)$", "", said)
    if _NO_CAUSE.search(said):
        return None
    if said.startswith(("不", "没")):
        return said if 3 <= len(said) <= 8 else None
    return noun_phrase(said)


# Patterns

_PET_WORDS = "|".join(sorted(PETS, key=len, reverse=True))
_CALLED = r"名?叫做?|的?名字是|的?名字叫|是叫|取名叫?|起名叫?|大名叫?|姓名是"
_NAME = r"[\u4e00-\u9fff]{2,3}|[A-Z][a-z]+"
# A name with a form of address: 张阿姨, 老周, 李老师.
TITLED = re.compile(
    "[" + "".join(sorted(SURNAMES)) + "]"
    r"(?:阿姨|叔叔|大爷|大妈|大哥|大姐|奶奶|爷爷|老师|哥|姐|总|医生|大夫|师傅|先生|女士|太太|教练|教授|"
    r"主任|姨|叔|婶|伯|嫂|经理)"
    r"|[老小阿](?!师|板|公|婆|家|人|学|姐|哥|妈|爸|时|孩|心|区|组|说|吃|名|店|狗|"
    r"猫)[\u4e00-\u9fff](?![\u4e00-\u9fff]?的)"
)
KIN_NAMED = re.compile(
    r"(?P<p>我|他|她|自己|[A-Za-z]{2,15})?们?的?(?:一个|一位|那个|家的?|合租的|大学的?|高中的?|公司的?|"
    r"单位的?)?(?P<k>" + KIN_PATTERN + r")(?:的名字)?(?P<v>" + _CALLED + r"|就?是)?(?=(?P<n>" + _NAME + r"))"
)
_KIN_BEFORE = re.compile(r"(?P<k>" + KIN_PATTERN + r")的$")
PET_NAMED = re.compile(
    r"(?P<p>我|他|她)(?:们)?家?里?的?(?:那只|这只|一只|养的)?(?P<k>"
    + _PET_WORDS
    + r")(?:"
    + _CALLED
    + r"|为)(?P<n>[\u4e00-\u9fff]{2,4}|[A-Z][a-z]+)$"
)
_PET_GONE = re.compile("走丢|跑丢|丢了|死|没了|走了|去世|送人|送走|安乐")
PET_BESIDE = re.compile(r"(?P<p>我)(?:们?家的?|们?的)(?:那|这)?[只条]?(?P<k>" + _PET_WORDS + r")")
PET_CALLED = re.compile(
    r"[养买有捡]了?一?[只条个匹]?名?叫做?(?P<n>[\u4e00-\u9fff]{2,4}?|[A-Z][a-z]+)的(?:小|大|公|母)?(?P<k>"
    + _PET_WORDS
    + r")$"
)
IS_KIN = re.compile(
    r"^(?P<n>" + _NAME + r")是(?P<p>我|他|她)们?的?(?:一个|一位|[\u4e00-\u9fff]{1,3}的)?(?P<k>" + KIN_PATTERN + r")$"
)
# 皮皮（我们家的比格）
KIN_ASIDE = re.compile(
    r"^(?P<n>" + _NAME + r")[（(](?P<p>我|他|她)们?家?的?(?P<k>" + KIN_PATTERN + "|" + _PET_WORDS + r")[）)]"
)
# A word for several relatives, then each with a name: 两个孩子，大的叫乐乐.
SEVERAL = re.compile(
    r"(?:有|生了|养了|领养了|家|家里)(?:[两二三四五六七八九十几\d]+|一对)(?:个|只|条|位|"
    r"头)?(?:[\u4e00-\u9fff]{1,2}的)?(?P<k>孩子|儿子|女儿|闺女|双胞胎|娃|妹妹|弟弟|姐姐|"
    r"哥哥|室友|闺蜜|" + _PET_WORDS + r")"
)
EACH = re.compile(
    r"^(?:大的|小的|老大|老二|老三|老幺|一个|另一个|一只|另一只|大儿子|小儿子|大女儿|小女儿|儿子|女儿|"
    r"弟弟|妹妹|姐姐|哥哥)(?:的)?(?:叫做?|名叫|是)"
    r"(?P<n>[\u4e00-\u9fff]{2,3}|[A-Z][a-z]+)$"
)
MARRIED = re.compile(
    r"(?:和|跟|与)(?P<n>[\u4e00-\u9fff]{2,3}|[A-Z][a-z]+)(?:已经|去年|今年|昨天|上周|上个月|刚刚?)?(?:结婚|领证)"
)
NAME_IS = re.compile(
    r"(?:我(?:的名字)?(?:名字)?(?:叫做?|是叫)|我的?(?:名字|大名|小名|昵称)(?:是|叫)|(?:大家|朋友们?|同事|"
    r"别人)都?(?:叫|喊)我|"
    r"^请?(?:你|您)?(?:可以|就)?(?:叫|喊|称呼)我)(?![了他她它你您别我不这那人过一])"
    r"(?P<n>[\u4e00-\u9fff]{2,4}?|[A-Z][A-Za-z]+)(?:吧|就好|就行|好了|就可以|即可)?了?$"
)
FAVORITE = re.compile(
    r"(?P<p>他们?|她们?|自己|我们?|了|着|到|见|吃|看|玩|读|听|做|买|画|是|^)(?P<m>最)?(?:喜欢|喜爱|爱|"
    r"心爱)(?P<v>吃|喝|看|听|玩|读|去)?的(?P<o>[^，。！？；：]{1,40})"
)
FAVORITE_IS = re.compile(
    r"^(?P<p>其中|他|她|我)?(?:的|现在|如今|目前){0,2}最(?:喜欢|喜爱|爱)(?P<v>吃|喝|看|听|玩|读|"
    r"去)?(?:的|(?<=的最爱)(?=[是换变改]))(?P<c>[^，。是]{0,8}?)(?P<no>(?:已经|早就)?不再|(?:已经|早就)?不(?=是.+了))?(?:是|[换变改]成了?)(?P<o>.+)"
)
_IS_FAVORITE = re.compile(
    r"^(?P<o>[^，。是的]{1,12}?)(?:现在|如今|目前|还|就|才)?(?P<no>(?:已经|早就)?不再|(?:已经|早就)?不(?=是.+了$))?"
    r"是(?P<p>[我他她])(?:现在|目前)?最(?:喜欢|喜爱|爱)(?:吃|喝|看|听|玩|读|去)?的(?P<c>[^，。了]{1,6}?)了?$"
)
EMOTION = re.compile(
    r"^(?P<c>每次|一)?(?:听到|看到|遇到)?(?P<o>[\u4e00-\u9fff]{2,8}?)(?:总是?|都会|总会|就会|就|"
    r"一直)(?:让|令|使)?(?:我|他|她)?(?:感到|觉得|很|非常|特别)?(?P<e>害怕|恐惧|紧张|焦虑|不安|心慌|生气|"
    r"烦躁|难过|伤心|想哭|开心|高兴|快乐|放松|平静|安心)"
)
GIFT = re.compile(
    r"(?:收到|得到|获得|兑换得到)了?(?:[^，。]{1,8}送的)?(?P<o>[^，。]{2,24}?)(?:作为[^，。]{0,6}(?:礼物|奖励))"
)
TOOK_PART = re.compile(
    r"(?:参加|参与)(?:了|过)?(?:一次|一场|一个|期待的|重要的|学校的|学校组织的)?(?P<o>[^，。]{2,16})"
)
WON = re.compile(
    r"在(?P<o>[^，。在]{2,16}(?:比赛|大赛|竞赛|运动会|体育节))[上中里]?(?:获得|取得|赢得|拿到|"
    r"得)了?(?P<w>[^，。]{2,12})"
)
SAW = re.compile(r"(?P<v>看过?|读过?|观看|欣赏)(?:了|完|着|过|到)?[^，。！？《]{0,16}(?P<o>《[^《》]{1,40}》)")
VISITED = re.compile(
    r"(?:去(?!年)[过了]?(?:一?[趟次])?|飞到|游览|参观|来到)(?:了|过|的是)?(?:一次|"
    r"一趟)?(?P<o>[\u4e00-\u9fff]{2,8}?)(?=[，。！？旅玩出爬参看散附开度]|$)"
)


# Favourites and experiences

_WISHED = re.compile(r"希望|想|找|没有|应该")
_NOT_DONE = re.compile(r"想|打算|计划|准备|要|会|可以|能|希望|应该|没|未|不|下次|下一次")


def favorites(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield favourites: `我最喜欢的颜色是蓝色`, `看到了他喜欢的大象`."""
    found = FAVORITE_IS.match(clause.text)
    if found:
        yield from _favorites_of_category(found, clause, state)
        return
    found = FAVORITE.search(clause.text)
    if found and _WISHED.search(clause.text[: found.start()]):
        return
    whose = owner_of(found["p"], clause, state) if found else None
    if found is None or whose is None:
        return
    work = title(found["o"])
    for name in [work] if work else things(without_category(found["o"])):
        if len(name) > 1 and name not in KIN:
            kind = EntityType.WORK if work else object_type(name, name)
            strength = 0.9 if found["m"] else 0.7
            yield draft(clause, state, whose, "PREFERS", name, "{s}喜欢{o}。", kind=kind, strength=strength)


def _favorites_of_category(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    category = re.sub(r"(?:还|就|也|当然|一直|永远|现在|如今|目前)+$", "", found["c"])
    pronoun = found["p"] if found["p"] != "其中" else None
    owner = owner_of(pronoun, clause, state)
    if owner is None and found[0].startswith("最"):
        owner = state.speaker.me
    if owner is None or (found["no"] and not category):
        return
    relation = f"最喜欢的{category}" if category else None
    says = f"{{s}}{relation or '最喜欢的'}{'不再' if found['no'] else ''}是{{o}}。"
    for name in things(found["o"].removesuffix("了") if found["no"] else found["o"])[:3]:
        kind = object_type(name, found["o"])
        yield draft(
            clause,
            state,
            owner,
            "PREFERS",
            name,
            says,
            relation=relation,
            kind=kind,
            strength=0.9,
            closes=bool(found["no"]),
        )


def experiences(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield experiences: read, watched, visited, took part in, won, received."""
    assert clause.subject is not None
    subject, rest = clause.subject, clause.rest
    if _NOT_DONE.search(rest) or rest.startswith(("让我", "叫我", "派我", "劝我", "要我", "请我")):
        return
    if found := SAW.search(rest):
        relation, verb = ("read", "读") if "读" in found["v"] or "书" in rest or "小说" in rest else ("watched", "看")
        says = f"{{s}}{verb}过{{o}}。"
        kind = EntityType.WORK
        for name in titles(rest[found.start("o") :])[:4]:
            yield draft(clause, state, subject, "RELATES_TO", name, says, relation=relation, kind=kind, strength=0.6)
    for pattern, relation, says in _EXPERIENCES:
        matched = pattern.search(rest)
        what = noun_phrase(matched["o"]) if matched else None
        if matched is None or what is None or (relation != "has" and not what.endswith(tuple(EVENTS))):
            continue
        if relation == "won" and not re.search(r"[奖名军胜]", matched["w"]):
            continue
        kind = EntityType.THING if relation == "has" else EntityType.ACTIVITY
        yield draft(clause, state, subject, "RELATES_TO", what, says, relation=relation, kind=kind, strength=0.6)
        return
    moved = re.search(r"搬|住在|来自|调[去到]|派[去到]|嫁", rest) is not None
    # Without 了 or 过, a trip is a plan: 旅行结婚去冰岛.
    done = re.search(r"[了过]|来到|游览|参观|飞到|去的", rest) is not None or clause.past
    if not moved and done and (found := VISITED.search(rest)) and (place := visited_place(found["o"])):
        kind = EntityType.PLACE
        yield draft(
            clause, state, subject, "RELATES_TO", place, "{s}去过{o}。", relation="visited", kind=kind, strength=0.6
        )


_EXPERIENCES = (
    (WON, "won", "{s}在{o}中获奖。"),
    (TOOK_PART, "took part in", "{s}参加过{o}。"),
    (GIFT, "has", "{s}有{o}。"),
)


_THING: Final = r"^(?:这次|这个|那个|最近的?)?(?P<o>[^我你您他她它这那谁，。]{1,12}?)"
_VERY: Final = (
    r"(?:真的|实在|一直|都|从来|是|就|完全|根本|最|特别|很|超级?|非常|永远|总是|简直|"
    r"真|太|比什么都|也|还|始终|绝对){0,3}"
)
# (pattern, predicate, statement, relation); the first match wins.
_OPINIONS: Final = (
    (
        # The thing comes first: 恐怖片我看不了, 胡萝卜一口都不吃.
        re.compile(
            _THING
            + r"(?:我|本人)"
            + _VERY
            + r"(?:受不了|吃不了|喝不了|看不了|听不了|闻不了|玩不来|接受不了|不吃|不喝|不碰|不沾|"
            r"不喜欢|不爱(?:吃|喝|看|听)?|讨厌|没(?:什么|啥)?兴趣|怕|不行|"
            r"敬谢不敏|一口都?不(?:吃|喝|碰)|一点都?不(?:吃|喝|碰|喜欢)|吃不惯|喝不惯|看不惯|欣赏不来|无感)了?$"
        ),
        "DISLIKES",
        "{s}不喜欢{o}。",
        None,
    ),
    (
        re.compile(
            _THING
            + r"(?:对我来说|对于我来说|在我看来|于我而言|对我而言)?"
            + _VERY
            + r"(?:折磨|煎熬|噩梦|酷刑|灾难|我的噩梦|受罪|让我(?:很|特别|非常|最)?(?:头疼|崩溃|抓狂|"
            r"反感|难受|恶心|不舒服|紧张|讨厌))$"
        ),
        "DISLIKES",
        "{s}受不了{o}。",
        None,
    ),
    (
        re.compile(
            _THING
            + r"(?:(?:对我(?:来说|而言)?|在我(?:心里|这里|看来|眼里)|于我而言)"
            + _VERY
            + r"(?:重要|关键|要紧|宝贵|第一位|排(?:在)?第一(?:位)?)|是我(?:最在乎|最在意|最看重|最重要)的.{0,3}|"
            + _VERY
            + r"(?:排(?:在)?第一位?|放在?第一位?|高于一切|大于一切|第一位))的?$"
        ),
        "CARES_ABOUT",
        "{s}看重{o}。",
        None,
    ),
    (
        re.compile(
            _THING + r"(?:一直|总|老是?)?(?:让|令|使|搞得|弄得|害)我(?:一直|很|特别)?(?:焦虑|担心|失眠|睡不着|"
            r"发愁|头疼|心烦|寝食难安|压力很?大)了?"
            r"(?:好?[几多一两二三四五六七八九十\d]+(?:个)?(?:天|周|月|年|星期|晚上)了?|很久了?|好久了?)$"
        ),
        "CARES_ABOUT",
        "{s}担心{o}。",
        "worry",
    ),
    (
        re.compile(
            _THING
            + _VERY
            + r"(?:是|算是)"
            + _VERY
            + r"我(?:的)?(?:最爱|心头好|本命|最喜欢的[^，。]{0,6}|最爱的[^，。]{0,6}|(?:一大|最大的?)?爱好|"
            r"(?:最大的)?乐趣|快乐源泉|精神食粮|命)$"
        ),
        "PREFERS",
        "{s}最喜欢{o}。",
        None,
    ),
    (
        re.compile(
            _THING
            + r"我"
            + _VERY
            + r"(?:喜欢(?:吃|喝|看|听|玩)?|爱(?:吃|喝|看|听|玩)?|百吃不厌|百看不厌|可以天天(?:吃|"
            r"喝|看|听)|吃不腻|看不腻)的?了?$"
        ),
        "PREFERS",
        "{s}喜欢{o}。",
        None,
    ),
    (
        re.compile(
            r"^(?:我)?(?:觉得|感觉|认为)?没有(?:什么|啥)?比(?P<o>[^我你他她这那，。]{1,10}?)更(?:好|棒|爽|"
            r"治愈|幸福|可爱|解压|享受|让我).{0,8}$"
        ),
        "PREFERS",
        "{s}最喜欢{o}。",
        None,
    ),
    (
        re.compile(r"^(?:我)?(?:的)?口味" + _VERY + r"(?:偏|比较|喜欢|重|爱)+(?P<o>[辣甜咸酸淡麻]|清淡|重口|鲜)$"),
        "PREFERS",
        "{s}口味偏{o}。",
        None,
    ),
)
_TALK: Final = re.compile(
    r"^(?:[^，]{0,3})(?:早上|晚上|今天|昨天|明天|现在|刚才|后来|所以|但是|有|没|不|一|是|说|为了|上|下|去|来|在)"
)
_NOT_ONE: Final = re.compile(
    r"文件$|视频$|图片?$|链接$|网页$|音频$|消息$|内容$|文档$|附件$|邮件$|页面$|(?:时候|地方(?=$)|这|那|"
    r"样子|之后|以后|之前|以前)$"
)
_MOST_DISLIKED: Final = re.compile(
    r"^(?:我|本人)?(?:平时|这辈子|其实|一直|个人)?最(?:怕|讨厌|烦|反感|受不了|恨|不喜欢)的(?:事情?|"
    r"东西|人|食物|天气)?(?:就|还)?是(?P<o>.+)"
)
_AS_A: Final = re.compile(
    r"^(?:作为|身为)(?:一[名个位])?(?P<o>[^，。我你]{2,12}?)(?:的我)?$|^我的?(?:职业|工作|"
    r"本职工作)是(?:一[名个位])?(?P<o2>[^，。我你]{2,12})$"
)
_SPEAKS: Final = re.compile(r"^(?P<o>" + "|".join(LANGUAGES) + r")(?:我)?(?:也|还|只)?(?:会|懂|能说|能听懂|说得|略懂)")


def read_judgements(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield the speaker's opinions of things, triggers of emotions, languages and job."""
    if _speaks_of_others(clause, state):
        return
    yield from _triggers(clause, state)
    me, text = state.speaker.me, clause.text
    for pattern, predicate, says, relation in _OPINIONS if "我" in text or "第一" in text or "口味" in text else ():
        found = pattern.match(text)
        name = (
            noun_phrase(re.sub(r"的(?:事情?|问题)$|^(?:这次|这个|那个|滴(?=酒)|任何|所有|一切)", "", found["o"]))
            if found
            else None
        )
        if name and not _TALK.match(name) and not _NOT_ONE.search(name):
            predicate_ended = clause.past
            yield draft(
                clause,
                state,
                me,
                predicate,
                name,
                says,
                relation=relation,
                kind=object_type(name, name),
                closes=predicate_ended,
            )
            return
    if clause.subject in (me, None) and (found := _MOST_DISLIKED.match(text)) and (name := noun_phrase(found["o"])):
        says, kind = "{s}最讨厌{o}。", object_type(name, name)
        yield draft(clause, state, me, "DISLIKES", name, says, kind=kind, strength=0.9, closes=clause.past)
        return
    if clause.subject == me and (found := _SPEAKS.match(text)):
        yield draft(clause, state, me, "RELATES_TO", found["o"], "{s}会说{o}。", relation="speaks")
    if found := _AS_A.match(text):
        name = found["o"] or found["o2"]
        if is_job(name):
            yield draft(clause, state, me, "RELATES_TO", name, "{s}的职业是{o}。", relation="works as", strength=0.8)


def _speaks_of_others(clause: Clause, state: DiscourseState) -> bool:
    return clause.subject not in (None, state.speaker.me, THE_USER) and "我" not in clause.text


def _triggers(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield triggers of emotions."""
    found = EMOTION.match(clause.text)
    if found and (found["c"] or re.search(r"总|都会|一直", found[0])):
        emotion = EMOTIONS[found["e"]]
        name = noun_phrase(re.sub(r"^(?:每次|一)?(?:听到|看到|遇到)?", "", found["o"]))
        if name:
            predicate = "PREFERS" if emotion in PLEASANT else "DISLIKES"
            says = f"{{o}}总是让{{s}}感到{found['e']}。"
            yield draft(clause, state, state.speaker.me, predicate, name, says, emotion=emotion)


def _reason(text: str) -> str | None:
    """Return a decision, or the reason for one, without leading words such as 我 and 所以; None if it is unclear."""
    text = _TAIL.sub("", _PLAIN_LEAD.sub("", text.strip(_EDGE)).strip(_EDGE))
    if re.search(r"^[A-Z]|^看到|^感到|^觉得|肯定|应该", text):
        return None
    return (
        text if 2 <= len(text) <= 18 and not re.search(r"[你您]|什么|怎么|为啥|知道|[这那]个?$|^[这那]", text) else None
    )


# Relatives and pets

# The name of a relative in a later clause: 我对象是东北人，叫于洋.
_THEN_CALLED: Final = re.compile(
    r"(?:的)?(?:名字|小名|大名)?(?:就)?(?:叫|名叫|取名叫?|起名叫?)(?P<n>[\u4e00-\u9fff]{2,3}|[A-Z][a-z]+)$"
)

_KIN_MAX = 6


def read_relatives(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield relatives and pets with their names."""
    text = clause.text
    found = [
        (match, match["n"])
        for match in IS_KIN.finditer(text)
        if match["n"] not in NOT_NAMES | {"这位", "那位", "这个", "那个"} and may_name_person(match["n"])
    ]
    if not found:
        for match in islice(KIN_NAMED.finditer(text), _KIN_MAX):
            if name := _kin_name(match, text):
                found.append((match, name))
    found += [(match, match["n"]) for pattern in (PET_NAMED, KIN_ASIDE) for match in pattern.finditer(text)]
    found += _pets_beside(text)
    for match, name in found:
        if first := _KIN_BEFORE.search(text, 0, match.start("k")):
            # 我妹妹的男朋友小张 is the sister's, not the user's.
            yield from _of_relative(clause, state, first["k"], name, match["k"])
            continue
        owner = _owner(match["p"], name, clause, state, first=match.start("k") == 0)
        if owner is not None and owner != name and owner != match["p"]:
            state.third = name
            yield from _belongs(clause, state, owner, name, match["k"])
    if (pet := PET_CALLED.search(text)) and clause.subject is not None:
        yield from _belongs(clause, state, clause.subject, pet["n"], pet["k"])
    yield from _each(clause, state)
    if clause.subject in SOLE_KIN and (called := _THEN_CALLED.match(clause.rest)):
        yield from _belongs(clause, state, state.speaker.me, called["n"], clause.subject)
    married = MARRIED.search(text)
    if married and clause.subject is not None and _is_name(married["n"], text, married.start("n")):
        says = "{s}和{o}结婚。"
        kind = EntityType.PERSON
        relation = "married to"
        yield draft(clause, state, clause.subject, "RELATES_TO", married["n"], says, relation=relation, kind=kind)


def _pets_beside(text: str) -> list[tuple[re.Match[str], str]]:
    """Return animals with the names that stand beside them, 我家狗狗布鲁老偷吃袜子; not those that are gone."""
    if _PET_GONE.search(text):
        return []
    found = [(match, name_at(text, match.end()) or "") for match in PET_BESIDE.finditer(text)]
    return [(match, name.rstrip("老又在也还都就把特很最")) for match, name in found if len(name) > 1]


def _of_relative(clause: Clause, state: DiscourseState, first: str, name: str, word: str) -> Iterator[Draft]:
    owner = state.named.get(first, first)
    if first in SOLE_KIN and owner != name:
        says = f"{{o}}是{{s}}的{word}。"
        kind = EntityType.PERSON
        yield draft(clause, state, owner, "RELATES_TO", name, says, relation=word, kind=kind, strength=0.8)


def _owner(pronoun: str | None, name: str, clause: Clause, state: DiscourseState, *, first: bool) -> str | None:
    if pronoun not in ("我", "他", "她", "自己", None):
        return state.speaker.subject_named(pronoun)
    if pronoun is None and clause.subject in SOLE_KIN and clause.rest.startswith("的"):
        # 我女儿的钢琴老师叫李薇
        return state.named.get(clause.subject, clause.subject)
    mine = clause.kin is not None or "我" in clause.text or clause.text.startswith("邻居")
    # 男朋友阿哲是程序员 is about the speaker's boyfriend.
    if pronoun is None and (mine or (first and state.third in (None, name))):
        return state.speaker.me
    return owner_of(pronoun, clause, state)


def _belongs(clause: Clause, state: DiscourseState, owner: str, name: str, word: str) -> Iterator[Draft]:
    state.named[word] = name
    says = f"{{o}}是{{s}}的{word}。"
    kind = EntityType.ANIMAL if word in PETS else EntityType.PERSON
    yield draft(clause, state, owner, "RELATES_TO", name, says, relation=word, kind=kind, strength=0.8)


def _each(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield a fact for each of several relatives or pets that has a name: `两个孩子，大的叫乐乐，小的叫甜甜`."""
    if several := SEVERAL.search(clause.text):
        state.many = several["k"] if clause.subject == state.speaker.me else None
    elif state.many and (each := EACH.match(clause.text)):
        yield from _belongs(clause, state, state.speaker.me, each["n"], state.many)


def _kin_name(match: re.Match[str], text: str) -> str | None:
    """Return the name after a kinship term, or None."""
    name, start = match["n"], match.start("n")
    if name in KIN or name[:2] in KIN:
        # 公公婆婆, 岳父岳母
        return None
    if name[0] == "老" and name[1] not in SURNAMES:
        return None
    titled = TITLED.match(text, start)
    if titled and (titled[0][0] in SURNAMES or titled[0][1] in SURNAMES or word_tag(titled[0]) in (None, "nr")):
        return titled[0]
    if name in NOT_NAMES:
        return None
    if name[0].isascii():
        return name
    verb = match["v"] or "是"
    if not verb.endswith("是") and match.end("n") == len(text) and ("叫" in verb or may_name_person(name)):
        return name
    name = name_at(text, start) or given_name_at(text, start) or ""
    # 我奶奶是伊兹密尔人 names no grandmother.
    return None if not name or text[start + len(name) :].startswith(("人", "族")) else name


def _is_name(name: str, text: str, start: int) -> bool:
    return (
        name[0].isascii()
        or TITLED.match(name) is not None
        or chinese_name_at(text, start) is not None
        or name[0] == name[-1]
    )


# Values of people, by the words for them and their relation.
_VALUES: Final = {
    "体重": "weight",
    "身高": "height",
    "(?:手机|电话|联系)(?:号码?|方式)?|号码": "phone number",
    "(?:电子)?(?:邮箱|邮件)(?:地址)?": "email",
    "鞋码|鞋号": "shoe size",
    "血型": "blood type",
    "车牌号?": "license plate",
    "房租|月租": "房租",
    "工资|月薪": "工资",
    "微信号?": "微信号",
}
_VALUE: Final = re.compile(
    r"(?:的|现在|目前|新|这个月|个月)*(?:(?P<k>"
    + "|".join(f"(?:{words})" for words in _VALUES)
    + r")(?:现在|已经|每个?月|一个?月|换成了?|改成了?|涨到了?|降到了?|减到了?|改|了|到|是|为|有|：|:|，| )*"
    r"|(?P<w>瘦到|减到|胖到|涨到|重达)了?)"
    r"(?P<o>[A-Za-z\d@._+-]*[\d@][A-Za-z\d@._+-]*(?: ?(?:公斤|千克|斤|厘米|公分|块钱?|元|万|千|米))?|"
    r"[一二两]米[一二三四五六七八九]{1,2}|[一二两三四五六七八九十百千万半点零]{2,8}(?:公斤|千克|斤|厘米|公分|块钱?|元|米)?|(?:A|B|AB|O)型)了?$"
)
_OF_WEIGHT: Final = re.compile("公斤|千克|斤|kg", re.IGNORECASE)


def read_values(clause: Clause, state: DiscourseState) -> Iterable[Draft] | None:
    """Read a number or address of somebody, `我体重82公斤`, `瘦到七十一公斤了`; None for other clauses."""
    found = _VALUE.match(clause.rest)
    subject = clause.subject or (state.speaker.me if clause.rest == clause.text else None)
    if found is None or subject is None or (found["w"] and not _OF_WEIGHT.search(found["o"])):
        return None
    relation = next((name for words, name in _VALUES.items() if re.fullmatch(words, found["k"] or "体重")), "weight")
    says = f"{{s}}的{found['k'] or '体重'}是{{o}}。"
    return [draft(clause, state, subject, "RELATES_TO", found["o"], says, relation=relation, strength=0.8)]


def own_name(clause: Clause, state: DiscourseState) -> Iterable[Draft] | None:
    """Read `我叫周凯`; None for other clauses."""
    named = NAME_IS.search(clause.text)
    if named is None:
        return None
    me, says = state.speaker.me, "{s}的名字是{o}。"
    return [draft(clause, state, me, "RELATES_TO", named["n"], says, relation="is named", strength=0.9)]


def judgement_or_favorite(clause: Clause, state: DiscourseState) -> Iterable[Draft] | None:
    """Read an opinion of a thing, or else a favourite; None if there is neither."""
    is_favorite = _IS_FAVORITE.match(clause.text)
    of_category = list(_favorites_of_category(is_favorite, clause, state)) if is_favorite else []
    return of_category or list(read_judgements(clause, state)) or list(favorites(clause, state)) or None


_REACTION = re.compile(r"过敏了|起了?(?:红?疹|一身)|再也不(?:吃|用|敢)|吃了就(?:吐|痒|晕)|反应(?:很大|严重)|吃吐了")


def reports_reaction(text: str) -> bool:
    """Return whether a sentence reports a bad reaction: 吃了就吐."""
    return _REACTION.search(text) is not None
