"""Chinese rules for facts that ended: former tastes, homes, work, habits and possessions."""

from extraction.rules.engine import Rule
from extraction.rules.zh.syntax import SYNTAX
from extraction.text.lexicon_zh import FORMERLY_WITH_VERB
from schema.entity import EntityType

ENDED_RULES: tuple[Rule, ...] = (
    SYNTAX.rule(
        r"(?:(?:不再|再也不)想|(?:不再|再也不|不)(?:喜欢|爱))(?=.+了$)(?:上)?|(?:不再|再也不)(?:喜欢|爱|迷)|"
        r"对(?=[^，]{1,10}(?:完全|已经|彻底)?(?:没(?:有)?感觉|失去(?:了)?兴趣|没(?:有)?兴趣|腻)了$)|"
        r"(?:吃腻了|看腻了|玩腻了|听腻了|厌倦了)(?!$)",
        "PREFERS",
        "{s}不再喜欢{o}。",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:不再|再也不|不)(?:讨厌|害怕|怕|反感|排斥|抗拒)(?=.+了$)|不再(?:讨厌|害怕|怕)|克服了?对?(?=.+的?恐惧)",
        "DISLIKES",
        "{s}不再讨厌{o}。",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:家的?|的|把)(?=[^，]{1,10}(?:卖|送人|处理|(?<![走跑])丢)(?:掉了?|了)$)|(?:没有|不养|没)(?=[^，]{1,6}了$)|"
        r"(?:不再|再也不)养",
        "RELATES_TO",
        "{s}不再有{o}。",
        shape="owned",
        relation="has",
        closes=True,
    ),
    *(
        SYNTAX.rule(
            rf"(?:不再|再也不){verb}|不{verb}(?=[^，]{{1,8}}(?<!年)(?<!月)了$)",
            "PREFERS",
            f"{{s}}不再{verb}{{o}}。",
            closes=True,
        )
        for verb in "吃喝玩抽看买用碰打追学弹踢练养画拉"
    ),
    SYNTAX.rule(
        rf"{FORMERLY_WITH_VERB}(?:也|很|最|特别|非常)?(?:喜欢|爱|热爱|迷|沉迷)",
        "PREFERS",
        "{s}以前喜欢{o}。",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:戒掉了?|戒了|戒(?=[烟酒糖咖奶茶]{1,2}(?:好几|几|[一二两三四五六七八九十\d])?.{0,3}年了?$))",
        "PREFERS",
        "{s}戒了{o}。",
        closes=True,
    ),
    SYNTAX.rule(
        rf"(?:不再|{FORMERLY_WITH_VERB})(?:是)?(?:住在|住)|不住在?(?=.+了$)|(?:搬离了?|搬出了?|"
        r"离开了?(?=[^，]{2,5}(?:了|$)))",
        "RELATES_TO",
        "{s}不再住在{o}。",
        shape="known place",
        relation="lives in",
        closes=True,
    ),
    SYNTAX.rule(
        rf"(?:不再|{FORMERLY_WITH_VERB}|已经不|不)(?:是)?在(?=.+(?:工作|上班|任职|干|做)了?$)|"
        r"从(?=[^，]{2,12}(?:离职|辞职|跳槽|退休|被裁|毕业离开|出来单干))|(?:辞掉了?|辞去了?|"
        r"离开了?)(?=[^，]{2,12}(?:的工作|公司|集团|银行)$)",
        "RELATES_TO",
        "{s}不再在{o}工作。",
        shape="workplace",
        relation="works at",
        kind=EntityType.ORGANIZATION,
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:不再是|不是|不当|不做)(?=[^，]{2,10}了$)|不再(?:当|做)",
        "RELATES_TO",
        "{s}不再是{o}。",
        shape="job",
        relation="works as",
        closes=True,
    ),
)
