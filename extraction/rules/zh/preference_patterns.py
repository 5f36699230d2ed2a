"""Chinese rules for tastes, fears, plans, goals, promises and values."""

from extraction.rules.engine import Rule
from extraction.rules.zh.syntax import SYNTAX


def _takes_no(verb: str, says: str, others: str = "") -> Rule:
    """Return the rule for what somebody does not eat, drink or smoke: `不喝酒`, `喝不了牛奶`.

    Args:
        others: further alternatives of the pattern.
    """
    return SYNTAX.rule(
        rf"(?:(?:不能|不太能|不可以|不敢|不|从不|从来不|从来都不|一口都?不|一点都?不){verb}(?!饱|完|了|亏|到)|"
        rf"{verb}(?:不了|不得|不惯|不来){others})",
        "DISLIKES",
        says,
    )


TASTE_RULES: tuple[Rule, ...] = (
    SYNTAX.rule(
        r"(?:不太|不怎么|不大|不是很|从来不|从不|不)(?:喜欢|爱(?!好)|习惯|待见|感冒)", "DISLIKES", "{s}不喜欢{o}。"
    ),
    _takes_no("喝", "{s}不喝{o}。"),
    _takes_no("抽", "{s}不抽{o}。"),
    _takes_no(
        "[吃碰沾]", "{s}不吃{o}。", r"|闻(?:不了|不得|不惯|不来)|(?:听|看|住|玩)(?:不惯|不得|不来|不下去)|忌口?(?!讳)"
    ),
    SYNTAX.rule(
        r"(?:讨厌|厌恶|反感|痛恨|受不了|忍受不了|嫌弃|烦(?!恼|请|劳|人|躁|了)|恨(?!不)|看不惯|接受不了|"
        r"不能接受|无法接受|"
        r"无法忍受|不能忍|见不得|排斥|抗拒|抵触|抵制|鄙视|鄙夷|不爽)",
        "DISLIKES",
        "{s}讨厌{o}。",
        strength=0.9,
    ),
    SYNTAX.rule(r"(?:害怕|怕|恐惧|畏惧|恐)(?!不|是|慌|龙|怖|高)", "DISLIKES", "{s}害怕{o}。", strength=0.8),
    SYNTAX.rule(r"对(?=.{1,12}过敏)", "DISLIKES", "{s}对{o}过敏。", strength=0.95),
    SYNTAX.rule(
        r"对(?=.{1,12}(?:不感兴趣|没(?:什么|啥|有|多大|太大)?兴趣|无感|不感冒|没(?:什么|啥)?(?:好感|感觉)(?!了)|反感|"
        r"有阴影|恐惧|有恐惧))",
        "DISLIKES",
        "{s}对{o}没有兴趣。",
    ),
    SYNTAX.rule(r"(?:尽量|一般|总是)?(?:避免|避开|远离|回避)(?!$)", "DISLIKES", "{s}避开{o}。", strength=0.6),
    SYNTAX.rule(
        r"对(?=.{1,12}(?:感兴趣|情有独钟|着迷|有兴趣|充满热情|上瘾|痴迷|入迷|很有感情))(?!.{0,12}(?:不感|没有|没兴))",
        "PREFERS",
        "{s}对{o}感兴趣。",
    ),
    SYNTAX.rule(
        r"(?:热爱|酷爱|钟爱|挚爱|迷恋|沉迷于?|痴迷于?|着迷于|醉心于|爱上了?|离不开|不能没有|戒不掉|看不腻|"
        r"吃不腻|听不腻|嗜)",
        "PREFERS",
        "{s}热爱{o}。",
        strength=0.9,
    ),
    SYNTAX.rule(
        r"(?:偏爱|偏好|喜爱|享受|迷上了?|喜欢上了?|喜欢|喜好|钟情于?|青睐|中意|独爱|入坑了?|爱(?!好|人|情|"
        r"心|我|你|上|国|护|"
        r"了|的))",
        "PREFERS",
        "{s}喜欢{o}。",
    ),
    SYNTAX.rule(
        r"迷(?!路|茫|糊|失|信|惑|恋|上|你|死|人)(?=[^，]{1,8}(?:迷得|好多年|很多年|好久|$))", "PREFERS", "{s}喜欢{o}。"
    ),
    SYNTAX.rule(
        r"(?:更倾向于?|倾向于|宁愿|宁可|更愿意|更想|偏向于?)(?!知道|说|问)", "PREFERS", "{s}更喜欢{o}。", strength=0.6
    ),
    SYNTAX.rule(
        r"(?:只|一直只|向来只|永远只)(?:喝|吃|用|穿|看|听|买|住|坐|玩|认)(?!了|过|有|好|见|到|是)",
        "PREFERS",
        "{s}只选{o}。",
        strength=0.6,
    ),
    SYNTAX.rule(r"习惯(?:了)?(?!于|上|性|养成|了$|$)(?:用|喝|坐|吃|听)?", "PREFERS", "{s}习惯{o}。", strength=0.6),
    SYNTAX.rule(
        r"是(?=[^，]{1,12}的?(?:忠实|铁杆|死忠|资深|老|铁|骨灰级|头号)?(?:粉丝?|影迷|歌迷|球迷|书迷|迷|"
        r"爱好者|控|发烧友|重度用户)了?$)",
        "PREFERS",
        "{s}喜欢{o}。",
        strength=0.8,
    ),
    SYNTAX.rule(
        r"(?:的)?(?:业余|兴趣|最大的|唯一的)?(?:爱好|兴趣爱好|兴趣|嗜好|癖好|口味)(?:就)?(?:是|有|包括|比较|偏|很)+",
        "PREFERS",
        "{s}喜欢{o}。",
    ),
)


# Plans, goals, promises, worries and values

GOAL_RULES: tuple[Rule, ...] = (
    SYNTAX.rule(
        r"(?:打算|计划|决定|立志|下定决心|决心|准备|正在准备|下决心|琢磨着|盘算着|考虑好了?|定下来)(?!地|"
        r"性|好|表|书|中)",
        "CARES_ABOUT",
        "{s}打算{o}。",
        shape="goal",
        relation="plan",
    ),
    SYNTAX.rule(
        r"(?:的)?(?:(?:最大|今年|明年|长期|短期|小|近期|人生|唯一)(?:的)?)?(?:目标|梦想|理想|愿望|心愿|"
        r"计划|打算|志向|追求)"
        r"(?:一直|就)?是(?!先|把这|今天)",
        "CARES_ABOUT",
        "{s}的目标是{o}。",
        shape="aim",
        relation="goal",
        strength=0.8,
    ),
    SYNTAX.rule(
        r"(?:梦想着?|(?:一直)?(?:希望|盼着|盼望|渴望|期望)(?:以后|将来|未来|有一天|明年|今年|早日|"
        r"能早日)?(?:自己)?(?:能够|能|可以))",
        "CARES_ABOUT",
        "{s}希望{o}。",
        shape="goal",
        relation="goal",
    ),
    SYNTAX.rule(
        r"(?:(?:和|跟|向|对|给)[^，。]{1,6}?)?(?:答应|承诺|保证|发誓|约好(?=了)|(?<=[^，。])说好(?=了)|"
        r"许诺|立誓|打包票|"
        r"立下?(?:了)?(?:个)?(?:规矩|"
        r"flag|誓言))(?:过|了)?",
        "CARES_ABOUT",
        "{s}答应{o}。",
        shape="promise",
        relation="promise",
        strength=0.8,
    ),
    SYNTAX.rule(
        r"(?:担心|担忧|发愁|忧虑|操心|放心不下|惦记着?|牵挂着?|愁着?)(?!$)",
        "CARES_ABOUT",
        "{s}担心{o}。",
        shape="worry",
        relation="worry",
    ),
    SYNTAX.rule(
        r"(?:在)?(?:为|对)(?=[^，。]{1,14}?(?:而)?(?:发愁|操心|担心|烦恼|焦虑|犯愁|发慌|操碎了心|"
        r"愁得|担忧|不安|睡不着))",
        "CARES_ABOUT",
        "{s}担心{o}。",
        shape="worry",
        relation="worry",
    ),
    SYNTAX.rule(
        r"(?:怕|害怕)(?=(?:爸|妈|父母|孩子|儿子|女儿|家人|老人|家里)[^，]{2,})",
        "CARES_ABOUT",
        "{s}担心{o}。",
        shape="worry",
        relation="worry",
    ),
    SYNTAX.rule(
        r"(?:在乎|在意|关心|看重|重视|珍惜|注重|讲究|信奉|崇尚)(?!$)",
        "CARES_ABOUT",
        "{s}在意{o}。",
        shape="worry",
    ),
    SYNTAX.rule(
        r"对(?=[^，]{1,12}?(?:关心|在意|重视|上心|看重|有要求))",
        "CARES_ABOUT",
        "{s}在意{o}。",
        shape="worry",
    ),
    SYNTAX.rule(
        r"(?:正?在|为了)?(?=(?:备考|备战|攒钱|存钱|减肥(?!药|餐|操)|减脂(?!餐)|减重|戒[烟酒糖]|健身(?!房|"
        r"卡|教|器)|考驾照|考研(?!上岸|成功|失败|没|过了)|考公(?!上岸|成功|失败|没|过了)|考证|找工作|"
        r"办(?:移民|签证)|学车))",
        "CARES_ABOUT",
        "{s}正在{o}。",
        shape="aim",
        relation="goal",
    ),
    SYNTAX.rule(
        r"(?:必须|一定要|得|要|非得|会努力|争取|努力|想办法)(?=(?:减肥|减重|减脂|瘦|戒|存钱|存够|攒|还清|"
        r"还完|学(?!生|校|习资料|期)|考(?!虑|核|试院)|"
        r"写一?[本部]|买房|买车|开一?家|创业|辞职|跳槽|转行|结婚|生孩子|搬(?:去|到|家|回)|移民|留学|读研|"
        r"读博|健身|早睡|跑(?:半马|全马|"
        r"马拉松|一次|完)|升职|坚持|把[^，]{1,8}(?:还清|考过|学会|戒掉|减下)))",
        "CARES_ABOUT",
        "{s}要{o}。",
        shape="aim",
        relation="plan",
    ),
    SYNTAX.rule(
        r"想要?(?!当初|当年|当时|想|念|起|到|法|象|必|不)",
        "CARES_ABOUT",
        "{s}想{o}。",
        shape="wish",
        relation="plan",
        strength=0.6,
    ),
)
