"""Chinese rules for home, work, study, age, health, possessions and pastimes."""

from extraction.rules.engine import Rule
from extraction.rules.zh.syntax import SYNTAX
from extraction.text.lexicon_zh import LANGUAGES, OWNED, PASTIMES, PETS, TRAITS
from schema.entity import EntityType

LIFE_RULES: tuple[Rule, ...] = (
    SYNTAX.rule(
        r"(?:从[^，。]{2,6})?(?:住在|居住在|租住?在|现居(?:住)?(?:在|于)?|常驻|坐标|搬到了?|搬去了?|搬来了?|"
        r"搬回了?|搬家到了?|"
        r"定居在?|搬进了?|落户在?|"
        r"移民到?了?|迁到了?|在(?=[^，。]{2,8}(?:定居|安家|落户|生活)))",
        "RELATES_TO",
        "{s}住在{o}。",
        shape="place",
        relation="lives in",
    ),
    SYNTAX.rule(
        r"住(?![院宿不过得了着的在]|[一两二三四五六七八九十\d]+[楼层])",
        "RELATES_TO",
        "{s}住在{o}。",
        shape="known place",
        relation="lives in",
    ),
    SYNTAX.rule(
        r"(?:的)?(?:家|房子|公寓|住处|住的地方|出租屋)(?:就|是|住)?在(?!$)|家住",
        "RELATES_TO",
        "{s}住在{o}。",
        shape="known place",
        relation="lives in",
    ),
    SYNTAX.rule(
        r"(?:的)?(?:家庭|收货|家里|新|邮寄|现在的|常用)?(?:地址|住址)(?:是|在)",
        "RELATES_TO",
        "{s}的地址是{o}。",
        shape="address",
        relation="lives in",
    ),
    SYNTAX.rule(
        r"(?:从[^，。来]{2,6})?来(?:到)?了?(?=[^，。]{2,6}(?:[\d一二两三四五六七八九十]+年|好几年|很多年|工作|打工|"
        r"发展|打拼|定居|了$))",
        "RELATES_TO",
        "{s}住在{o}。",
        shape="known place",
        relation="lives in",
    ),
    SYNTAX.rule(
        r"(?:来自(?!我)|老家在|家乡在|的?(?:老家|家乡|籍贯)(?:在|是)|祖籍是?)",
        "RELATES_TO",
        "{s}来自{o}。",
        shape="place",
        relation="is from",
    ),
    SYNTAX.rule(
        r"是(?:土生土长的|地道的|地地道道的)?(?=[^，]{2,6}人$)",
        "RELATES_TO",
        "{s}来自{o}。",
        shape="known place",
        relation="is from",
    ),
    SYNTAX.rule(r"(?:出生在|出生于|生于)(?!\d)", "RELATES_TO", "{s}出生在{o}。", shape="place", relation="born in"),
    SYNTAX.rule(r"在(?=[^，。]{2,10}长大)", "RELATES_TO", "{s}在{o}长大。", shape="place", relation="is from"),
    SYNTAX.rule(
        r"(?:出生于|生于|的生日是在?|生日是在?|过生日是在?)(?=.*[\d一二三四五六七八九十])",
        "RELATES_TO",
        "{s}的生日是{o}。",
        shape="birthday",
        relation="born on",
    ),
    SYNTAX.rule(
        r"在(?=[^，。]{2,16}(?:工作(?!坊|日|压力|量|效率|中)|上班|任职|(?:当|担任|做)(?!出|饭)))",
        "RELATES_TO",
        "{s}在{o}工作。",
        shape="workplace",
        relation="works at",
        kind=EntityType.ORGANIZATION,
    ),
    SYNTAX.rule(
        r"(?:就职于|任职于|供职于|入职了?|加入了|跳槽到了?|跳槽去了?|被(?=[^，。]{2,8}录用))",
        "RELATES_TO",
        "{s}在{o}工作。",
        shape="workplace",
        relation="works at",
        kind=EntityType.ORGANIZATION,
    ),
    SYNTAX.rule(
        r"在(?=[^，。]{2,14}(?:上学|读书|念书|读大学|读研|上大学|就读|学习$)|读(?=[^，。]{2,10}(?:大学|中学|学院)))",
        "RELATES_TO",
        "{s}在{o}上学。",
        shape="school",
        relation="studies at",
        kind=EntityType.ORGANIZATION,
    ),
    SYNTAX.rule(
        r"在(?=[^，。]{2,10}教[^，。]{2})",
        "RELATES_TO",
        "{s}教{o}。",
        shape="taught",
        relation="teaches",
    ),
    SYNTAX.rule(
        r"(?:(?:现在|目前|一直|主要|平时|毕业后)(?:是|就)?在?(?:做|干)(?![了饭个一])|升职?(?:成|为|到)了?|"
        r"晋升(?:成|为|到)了?|升任|转岗(?:成|做|到)了?|转行(?:成|做|当)了?|"
        r"当上了?|成为了?|被(?:聘|提拔|任命)(?:为|成)|"
        r"应聘上了?|考上了?(?=公务员|教师|老师))",
        "RELATES_TO",
        "{s}的职业是{o}。",
        shape="title",
        relation="works as",
        strength=0.8,
    ),
    SYNTAX.rule(
        r"(?:的职业是|的工作是|是干|是做|是一?[名位个]?|当了?|从事|她是干|做的?是?|干的?是?)",
        "RELATES_TO",
        "{s}的职业是{o}。",
        shape="job",
        relation="works as",
        strength=0.8,
    ),
    SYNTAX.rule(
        r"(?:的年龄是|年龄是|年纪是|今年|刚?满了?|快满?|马上就?|已经|都|快)?(?=\d{1,3}岁|"
        r"[一二三四五六七八九十]{1,3}岁)|今年(?=(?:[二三四五六七八九]?十[一二三四五六七八九]?|\d\d)了?$)",
        "RELATES_TO",
        "{s}{o}。",
        shape="age",
        relation="has age",
    ),
    SYNTAX.rule(
        r"(?:养了?|领养了?|收养了?|家里?有|有|养着|还有|还养了?|"
        r"家里?(?=[一二两三四五六七八九十\d]+[只条]))(?=[^，]{0,12}(?:" + "|".join(PETS) + r"))",
        "RELATES_TO",
        "{s}养了{o}。",
        shape="pet",
        relation="has",
        kind=EntityType.ANIMAL,
    ),
    SYNTAX.rule(
        r"(?:有|家里?有|还有|买了|开着?(?=一?辆)|(?:[跟和与][^，。]{1,4})?(?:合伙?)?开了|"
        r"(?:在[^，。]{1,5})?经营着?|自己开了?|创办了|换了|入手了|生了)"
        r"(?=[^，]{0,8}(?:" + "|".join(OWNED) + r"))",
        "RELATES_TO",
        "{s}有{o}。",
        shape="owned",
        relation="has",
    ),
    SYNTAX.rule(
        r"(?:有|患有|患上了?|得了|查出(?:了|来)?|确诊了?|被诊断出?(?:患有|为)?|一直有)(?:很|比较|点|轻度|"
        r"轻微|严重|重度|慢性)?的?",
        "RELATES_TO",
        "{s}有{o}。",
        shape="condition",
        relation="has",
        strength=0.8,
    ),
    SYNTAX.rule(
        r"(?:会(?:说|讲)?|能说|精通|母语是)(?:一口|一点点?|流利的|点)?(?=.{0,8}(?:" + "|".join(LANGUAGES) + r"))",
        "RELATES_TO",
        "{s}会说{o}。",
        shape="language",
        relation="speaks",
    ),
    SYNTAX.rule(
        r"(?:会|在[^，。]{2,8})?(?:弹|拉|吹|打|踢|下|敲|玩)(?:了?[\d一二两三四五六七八九十]+年)?(?:的)?(?=(?:"
        + "|".join(PASTIMES)
        + r"))",
        "RELATES_TO",
        "{s}玩{o}。",
        shape="pastime",
        relation="plays",
    ),
    SYNTAX.rule(
        r"(?:是(?:个|一个|一名|位)?|属于|自己)?(?=(?:" + "|".join(TRAITS) + r"))",
        "RELATES_TO",
        "{s}是{o}。",
        shape="trait",
        relation="is",
    ),
    SYNTAX.rule(
        r"(?:(?:在|正在|现在在)?(?:读|念|攻读|主修)|(?:大学|本科|研究生|的?专业)(?:学的|读的|念的)?是?|"
        r"学的是|(?:大学|本科)?学(?:的是)?)"
        r"(?!书|完|了|校|生|会(?!计)|习|历|到|好)",
        "RELATES_TO",
        "{s}学{o}。",
        shape="subject",
        relation="studies",
    ),
    SYNTAX.rule(
        r"(?:(?:开始|正在|在)学习?|学习)(?!比|很|真|最|使|让|会|生|校|到|期|的|好|起|得|着|上|中|能)",
        "RELATES_TO",
        "{s}在学{o}。",
        relation="studies",
        kind=EntityType.TOPIC,
    ),
)
