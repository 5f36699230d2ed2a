"""Chinese words and patterns that state lasting facts; read by `rules_zh`."""

import re

from extraction.rule import Rule, Shape
from extraction.words_zh import CONDITIONS, KIN, PETS
from schema.entity import EntityType

# Between subject and verb; bounded, and no two of them can match the same characters in two ways.
_ADVERB = (
    r"(?:(?:从[\d一二三四五六七八九十]{1,4}年(?:开始|起|就)|[\d一二两三四五六七八九十]{1,3}年前(?:就|"
    r"开始)?|真的|确实|其实|平时|从小|一直|现在|目前|最近|已经|特别|非常|比较|尤其|总是|一般|通常|本来|也|"
    r"都|还|很|最|挺|更|超级|超|太|就|可|真|好|正|又|"
    r"极其|十分|向来|始终|有点|有些|稍微|今年|去年|上个月|上周|如今|后来|终于|刚刚|刚|才|开始|蛮|越来越|"
    r"特|打小|是真的|是)){0,4}"
)


def _rule(
    pattern: str,
    predicate: str,
    says: str,
    *,
    shape: Shape = "things",
    relation: str | None = None,
    kind: EntityType | None = None,
    strength: float = 0.7,
    closes: bool = False,
) -> Rule:
    return Rule(
        pattern=re.compile(_ADVERB + f"(?:{pattern})" + r"(?P<o>.+)", re.DOTALL),
        opening=pattern,
        predicate=predicate,
        says=says,
        shape=shape,
        relation=relation,
        object_type=kind,
        strength=strength,
        closes=closes,
    )


RULES: tuple[Rule, ...] = (
    _rule(r"(?:不再|再也不|不)(?:喜欢|爱|想)(?=.+了$)(?:上)?", "PREFERS", "{s}不再喜欢{o}。", closes=True),
    _rule(r"(?:不再|再也不)(?:喜欢|爱|迷|吃|喝|玩)", "PREFERS", "{s}不再喜欢{o}。", closes=True),
    _rule(r"(?:以前|曾经|曾|过去)(?:也|很|最|特别|非常)?(?:喜欢|爱|热爱)", "PREFERS", "{s}以前喜欢{o}。", closes=True),
    _rule(
        r"(?:不再|以前|曾经|过去)(?:是)?(?:住在|住)",
        "RELATES_TO",
        "{s}不再住在{o}。",
        shape="place",
        relation="lives in",
        closes=True,
    ),
    _rule(
        r"(?:不再|以前|曾经|过去)(?:是)?在(?=.+(?:工作|上班|任职))",
        "RELATES_TO",
        "{s}不再在{o}工作。",
        shape="place",
        relation="works at",
        kind=EntityType.ORGANIZATION,
        closes=True,
    ),
    _rule(r"(?:不太|不怎么|不大|不)(?:喜欢|爱(?!好)|习惯)", "DISLIKES", "{s}不喜欢{o}。"),
    _rule(r"(?:(?:不能|不太能|不|从不|从来不)(?:吃|喝)(?!饱|完|了)|(?:吃|喝)不了)", "DISLIKES", "{s}不吃{o}。"),
    _rule(r"(?:讨厌|厌恶|反感|痛恨|受不了|忍受不了|嫌弃)", "DISLIKES", "{s}讨厌{o}。", strength=0.9),
    _rule(r"(?:害怕|怕|恐惧|畏惧)(?!不|是)", "DISLIKES", "{s}害怕{o}。", strength=0.8),
    _rule(r"对(?=.{1,12}过敏)", "DISLIKES", "{s}对{o}过敏。", strength=0.95),
    _rule(
        r"对(?=.{1,12}(?:感兴趣|情有独钟|着迷|有兴趣|充满热情))(?!.{0,12}(?:不感|没有|没兴))",
        "PREFERS",
        "{s}对{o}感兴趣。",
    ),
    _rule(r"(?:热爱|酷爱|钟爱|挚爱|迷恋|沉迷于|痴迷于|着迷于|爱上了?)", "PREFERS", "{s}热爱{o}。", strength=0.9),
    _rule(
        r"(?:偏爱|偏好|喜爱|享受|迷上了?|喜欢上了?|喜欢|爱(?!好|人|情|心|我|你|上|国|护))", "PREFERS", "{s}喜欢{o}。"
    ),
    _rule(r"是(?=[^，]{1,12}的?(?:粉丝|影迷|歌迷|球迷|书迷))", "PREFERS", "{s}喜欢{o}。", strength=0.8),
    _rule(r"(?:的)?(?:爱好|兴趣爱好|兴趣)(?:是|有|包括)", "PREFERS", "{s}喜欢{o}。"),
    _rule(
        r"(?:打算|计划|决定|立志|下定决心|决心|准备|正在准备)(?!地|性|好)",
        "CARES_ABOUT",
        "{s}打算{o}。",
        shape="goal",
        relation="plan",
    ),
    _rule(
        r"(?:的)?(?:目标|梦想|理想|愿望|心愿|计划)是",
        "CARES_ABOUT",
        "{s}的目标是{o}。",
        shape="goal",
        relation="goal",
        strength=0.8,
    ),
    _rule(
        r"(?:梦想着?|希望(?:以后|将来|未来|有一天)?(?:能够|能|可以))",
        "CARES_ABOUT",
        "{s}希望{o}。",
        shape="goal",
        relation="goal",
    ),
    _rule(
        r"(?:答应|承诺|保证|发誓)(?:过|了)?",
        "CARES_ABOUT",
        "{s}答应{o}。",
        shape="promise",
        relation="promise",
        strength=0.8,
    ),
    _rule(r"(?:担心|担忧|发愁|忧虑|操心)", "CARES_ABOUT", "{s}担心{o}。", shape="worry", relation="worry"),
    _rule(r"(?:在乎|在意|关心|看重|重视|珍惜)", "CARES_ABOUT", "{s}在意{o}。", shape="worry"),
    _rule(
        r"想要?(?!想|念|起|到|法|象|必|不)", "CARES_ABOUT", "{s}想{o}。", shape="wish", relation="plan", strength=0.6
    ),
    _rule(
        r"(?:住在|居住在|搬到了?|搬去了?|搬家到了?|定居在?|搬进了?)",
        "RELATES_TO",
        "{s}住在{o}。",
        shape="place",
        relation="lives in",
    ),
    _rule(
        r"(?:来自|老家在|家乡在|的老家在|的家乡在|的老家是|的家乡是|是(?=[^，]{2,6}人$))",
        "RELATES_TO",
        "{s}来自{o}。",
        shape="place",
        relation="is from",
    ),
    _rule(r"(?:出生在|出生于|生于)(?!\d)", "RELATES_TO", "{s}出生在{o}。", shape="place", relation="born in"),
    _rule(r"在(?=[^，。]{2,10}长大)", "RELATES_TO", "{s}在{o}长大。", shape="place", relation="is from"),
    _rule(
        r"(?:出生于|生于|的生日是在?|生日是在?|过生日是在?)(?=.*[\d一二三四五六七八九十])",
        "RELATES_TO",
        "{s}的生日是{o}。",
        shape="birthday",
        relation="born on",
    ),
    _rule(
        r"在(?=[^，。]{2,16}(?:工作(?!坊|日|压力|量|效率|中)|上班|任职|(?:当|担任|做)(?!出|饭)))",
        "RELATES_TO",
        "{s}在{o}工作。",
        shape="workplace",
        relation="works at",
        kind=EntityType.ORGANIZATION,
    ),
    _rule(
        r"(?:就职于|任职于|供职于|入职了?)",
        "RELATES_TO",
        "{s}在{o}工作。",
        shape="workplace",
        relation="works at",
        kind=EntityType.ORGANIZATION,
    ),
    _rule(
        r"在(?=[^，。]{2,14}(?:上学|读书|念书|读大学|读研|上大学|就读|学习$)|读(?=[^，。]{2,10}(?:大学|中学|学院)))",
        "RELATES_TO",
        "{s}在{o}上学。",
        shape="school",
        relation="studies at",
        kind=EntityType.ORGANIZATION,
    ),
    _rule(
        r"(?:的职业是|的工作是|是干|是做|是一?[名位个]?|当|从事|她是干|做)",
        "RELATES_TO",
        "{s}的职业是{o}。",
        shape="job",
        relation="works as",
        strength=0.8,
    ),
    _rule(
        r"(?:的年龄是|年龄是|年纪是|今年)?(?=\d{1,3}岁|[一二三四五六七八九十]{1,3}岁)",
        "RELATES_TO",
        "{s}{o}。",
        shape="age",
        relation="has age",
    ),
    _rule(
        r"(?:养了?|领养了?|收养了?|家里?有|有|养着)(?=.{0,6}(?:" + "|".join(PETS) + r"))",
        "RELATES_TO",
        "{s}养了{o}。",
        shape="pet",
        relation="has",
        kind=EntityType.ANIMAL,
    ),
    _rule(
        r"(?:(?:开始|正在|在)学习?|学习)(?!会|生|校|到|期|的|好|起|得|着|上|中|能)",
        "RELATES_TO",
        "{s}在学{o}。",
        relation="studies",
        kind=EntityType.TOPIC,
    ),
)

# Matches where any of the rules may: one look instead of one for each, since most clauses state nothing.
OPENS = re.compile(_ADVERB + "(?:" + "|".join(rule.opening for rule in RULES) + ")", re.DOTALL)
_KINS = "|".join(sorted(KIN, key=len, reverse=True))
KIN_NAMED = re.compile(
    r"(?P<p>我|他|她|自己|[A-Za-z]{2,15})?们?的?(?:一个|一位|那个)?(?P<k>"
    + _KINS
    + r")(?:的名字)?(?P<v>名?叫做?|的名字是|名字叫|是叫)?(?P<n>[\u4e00-\u9fff]{2,3}|[A-Z][a-z]+)(?P<t>.?)"
)
IS_KIN = re.compile(r"^(?P<n>[\u4e00-\u9fff]{2,3}|[A-Z][a-z]+)是(?P<p>我|他|她)的?(?:一个|一位)?(?P<k>" + _KINS + r")$")
NAME_IS = re.compile(
    r"(?:我(?:的名字)?(?:名字)?(?:叫做?|是叫)(?![他她它你])|我的名字(?:是|叫)|(?:大家都?|^请?你?(?:可以|就)?|请)叫我)"
    r"(?P<n>[\u4e00-\u9fff]{2,4}?|[A-Z][A-Za-z]+)(?:吧|就好|就行|好了|就可以)?$"
)
FAVORITE = re.compile(
    r"(?P<p>他们?|她们?|自己|我们?|了|着|到|见|吃|看|玩|读|听|做|买|画|是|^)(?P<m>最)?(?:喜欢|喜爱|爱|"
    r"心爱)(?P<v>吃|喝|看|听|玩|读|去)?的(?P<o>[^，。！？；：]{1,40})"
)
FAVORITE_IS = re.compile(
    r"^(?:其中|他|她|我)?(?:的)?最(?:喜欢|喜爱|爱)(?P<v>吃|喝|看|听|玩|读|"
    r"去)?的(?P<c>[^，。是]{0,8})(?:是|就是|还是|当然是)(?P<o>.+)"
)
EMOTION = re.compile(
    r"^(?P<c>每次|一)?(?:听到|看到|遇到)?(?P<o>[\u4e00-\u9fff]{2,8}?)(?:总是?|都会|总会|就会|就|"
    r"一直)(?:让|令|使)?(?:我|他|她)?(?:感到|觉得|很|非常|特别)?(?P<e>害怕|恐惧|紧张|焦虑|不安|心慌|生气|"
    r"烦躁|难过|伤心|想哭|开心|高兴|快乐|放松|平静|安心)"
)
CAUSE = re.compile(
    r"(?:因为|由于)(?P<c>[\u4e00-\u9fff]{2,8}?)(?:，|,)?(?:我|他|她)?(?:所以|才|就|而|导致|总是|经常|常常|"
    r"一直){0,2}(?:我)?(?:会|有点|开始)?(?P<o>" + "|".join(CONDITIONS) + r")(?:了|的|$)"
)
CAUSED = re.compile(
    r"^(?:我的|他的|她的)?(?P<o>[\u4e00-\u9fff]{2,8}?)(?:主要)?是(?:由|"
    r"因为)?(?P<c>[\u4e00-\u9fff]{2,8}?)(?:引起|造成|导致)的?$"
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
    r"(?:去(?!年)过?|飞到|游览|参观|来到)(?:了|过|的是)?(?:一次|"
    r"一趟)?(?P<o>[\u4e00-\u9fff]{2,8}?)(?=[，。！？旅玩出爬参看散附开度]|$)"
)
