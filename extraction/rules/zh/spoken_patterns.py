"""Chinese slot rules for spoken and elliptical wordings: `说错了，我住的是杭州`, `香菜退散`."""

from typing import Final

from extraction.rules.zh.slot_cleaners import (
    allergen,
    any_name,
    job,
    swapped,
    taste,
    thing,
    town,
    value,
)
from extraction.rules.zh.slots import Says, SlotRule, slot_rule
from extraction.rules.zh.statements import (
    ALLERGIC,
    ATTRIBUTE_IS,
    ATTRIBUTE_WAS,
    ENGAGED,
    ENJOYS,
    HAS_AGE,
    HAS_EVENT,
    HAS_ILLNESS,
    HAS_THING,
    IS_NAMED,
    LIVES,
    LIVES_TOWN,
    MARRIED,
    NO_LONGER_USES,
    NO_LONGER_WORKS_SHIFT,
    PET_IS_NAMED,
    PLANS,
    PROMISES,
    STOPPED,
    STUDIES_AT,
    TAKES,
    TAKES_NOW,
    TOOK_BEFORE,
    WORKS_AS_BESIDE,
    WORKS_AT,
    WORKS_SHIFT,
)
from extraction.rules.zh.word_classes import (
    DATE,
    DEVICE,
    DRUG,
    END,
    KINS,
    MEASURE,
    NAME,
    NOUN,
    NUMBER,
    OFTEN,
    PET,
    PLACE,
    ROLE,
    SURE_DRUG,
)
from extraction.text.lexicon_zh import FORMERLY_CHARACTERS, FORMERLY_WITH_VERB
from schema.entity import EntityType

_PERSON: Final = EntityType.PERSON
_LEFT: Final = Says(
    obj="f", relation="lives in", says="{s}不再住在{o}。", clean=town, kind=EntityType.PLACE, closes=True, needed=False
)
_ADDRESS: Final = Says(obj="o", relation="address", says="{s}的地址是{o}。", clean=value, kind=EntityType.PLACE)
_STREET: Final = (
    r"[^，。：:]{0,20}(?:路|街|区|巷|弄|大道|村|镇|小区|花园|公寓)[^，。]{0,24}(?:号|室|栋|楼|\d|座|单元|户)"
)
_WORKS_AS: Final = Says(obj="j", relation="works as", says="{s}的职业是{o}。", clean=job, strength=0.8)
_PETS: Final = (
    r"(?:猫咪|狗狗|猫猫|猫|狗|兔子|仓鼠|鹦鹉|乌龟|金鱼|柯基|柴犬|哈士奇|金毛|拉布拉多|边牧|泰迪|博美|"
    r"比熊|萨摩耶|阿拉斯加|"
    r"法斗|英斗|德牧|雪纳瑞|吉娃娃|腊肠|贵宾|巨贵|中华田园[犬猫]|土狗|串串|橘猫|三花|狸花|奶牛猫|"
    r"布偶|英短|美短|蓝猫|"
    r"暹罗|缅因|加菲|黑猫|白猫|奶猫|小猫|小狗|龙猫|荷兰猪|豚鼠|刺猬|守宫|蜥蜴|玄凤|虎皮|鸽子|羊驼|小鸭子)"
)
_NOT_HAS: Final = Says(obj="o", relation="has", says="{s}不再有{o}。", clean=thing, closes=True)
_LIKES: Final = Says(obj="o", predicate="PREFERS", says="{s}喜欢{o}。", clean=taste)
_NOT_LIKES: Final = Says(obj="o", predicate="DISLIKES", says="{s}不喜欢{o}。", clean=taste)
_NO_MORE: Final = Says(obj="o", predicate="PREFERS", says="{s}不再喜欢{o}。", clean=taste, closes=True)
_USES: Final = Says(obj="b", relation="uses", says="{s}用{o}。", clean=swapped)
_OOPS: Final = r"(?:说错了|打错了|写错了|记错了|不对|不是|更正(?:一下)?|纠正(?:一下)?|哦不|啊不)(?:，|,|。)?"
_KIND: Final = (
    r"(?:手机号?|电话号?码?|鞋码|鞋号|房间号|房号|门牌号|座位号|车牌号?|工号|学号|尺码|身高|体重|"
    r"微信号?|邮箱|QQ号?|生日|地址|工位|柜号)"
)
_WHO: Final = (
    rf"(?:{KINS}|媳妇儿?|对象|老伴儿?|爱人|男票|女票|未婚夫|未婚妻|前夫|前妻|前男友|前女友|干妈|"
    rf"干爹|闺女|儿媳妇?|女婿|亲家|小姨子|小舅子|大姨子|大舅子|外甥女|侄女|"
    r"侄子|外甥|发小|闺蜜|师父|师傅|徒弟|室友|同桌|导师|班主任|老板|领导|房东|邻居|同事|教练|保姆|阿姨)"
)

_IS_NOT: Final = Says(obj="a", relation="{k}", says="{s}的{k}不是{o}。", clean=value, closes=True, needed=False)
_IS_NOW: Final = Says(obj="b", relation="{k}", says="{s}的{k}是{o}。", clean=value, strength=0.9)
# Rules before all others: corrections, whose wording contains that of plain statements.
SPOKEN_FIRST: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "住",
        rf"(?:我们?)?(?:全家)?(?:[一二三四五六七八九十\d]{{1,3}}月|去年|今年|年初|春节后|上个?月|上周)"
        rf"(?:起|开始|以来)就?(?:一直)?(?:都)?住在?(?:了)?(?P<o>{PLACE}){END}",
        LIVES,
        reads="dated",
    ),
    slot_rule(
        "从",
        rf"我们(?:公司|团队|小?组|部门|学校|单位|实验室)(?:也|都|已经|刚)?从(?P<a>{NOUN})(?:换|迁移?|切换?|改|转)(?:到|成|为)了?"
        rf"(?P<b>{NOUN}){END}",
        _USES,
        NO_LONGER_USES,
        reads="whole",
    ),
    slot_rule(
        "不",
        rf"(?:我)?(?:的)?(?P<k>{_KIND})(?:应该)?(?:是|：)(?P<b>[^，。是不]{{1,14}}?)，?(?:不是|"
        rf"而不是|没有)(?P<a>[^，。]{{1,14}}?){END}",
        _IS_NOW,
        _IS_NOT,
    ),
    slot_rule(
        "不",
        rf"不是(?P<a>[A-Za-z\d\-]{{1,10}})(?:，)?(?:而)?是(?P<b>[A-Za-z\d\-]{{1,10}})，(?:我)?"
        rf"(?:的|说的)?(?P<k>{_KIND}){END}",
        _IS_NOW,
        _IS_NOT,
    ),
    slot_rule(
        "住",
        rf"(?:{_OOPS})?(?:我)?(?:现在)?住的?(?:地方)?(?:是|在)(?P<o>[^，。不]{{2,10}}?)，?(?:不是|"
        rf"而不是)(?P<f>[^，。]{{2,10}}?){END}",
        LIVES,
        _LEFT,
    ),
    slot_rule(
        "叫",
        rf"(?:我)?(?:家|的)?(?P<k>{_WHO}|{PET})(?:名字|小名|大名)?叫(?P<a>{NAME})，?(?:哦不|不对|啊不|不|错了|"
        rf"说错了)(?:，)?(?:是)?叫?(?P<n>{NAME}){END}",
        IS_NAMED,
    ),
    slot_rule(
        "敏",
        rf"对(?P<o>{NOUN})过敏的(?:人)?是我?(?:的)?(?P<w>{_WHO}|[爸妈哥姐弟妹])(?:，不是我)?{END}",
        Says(obj="o", predicate="DISLIKES", subject="w", says="{s}对{o}过敏。", clean=allergen, strength=0.95),
        reads="whole",
    ),
    slot_rule(
        "地址",
        rf"(?:收货|快递|家庭|我的|家里|新)?地址(?:换|改|更新|变|改成|换成)(?:一下|了|啦|"
        rf"为)?[：:，, ]+(?:现在|以后|新的)?(?:是|改成|换成)?(?P<o>{_STREET})",
        _ADDRESS,
    ),
    slot_rule(
        "药换改",
        rf"(?:我)?(?:的)?(?:降压|降糖|降脂|胃|止痛|助眠|过敏)?药(?:也|"
        rf"已经)?从(?P<a>[^，。]{{2,8}}?)(?:换|改)(?:成|为|到|"
        rf"吃)(?:了)?(?P<b>[^，。]{{2,8}}?){END}",
        TAKES_NOW,
        TOOK_BEFORE,
    ),
    slot_rule(
        "停",
        rf"(?:我)?(?P<o>{DRUG})(?:我)?(?:一)?(?:吃|用|打)(?:了|完|着|"
        rf"得)[^，。]{{0,8}}，(?:医生|大夫|后来|就|所以|我|已经)*(?:让|叫|给|"
        rf"把|自己)?(?:我)?(?:就)?(?:停|断)(?:掉|药)?了",
        STOPPED,
    ),
    slot_rule(
        "换改",
        rf"(?P<k>[^，。我你他她]{{0,4}}?{ROLE})不是(?P<a>{NOUN})了?，(?:现在|已经)?(?:换|改)?(?:成|"
        rf"是|为)(?:了)?(?P<b>{NOUN}){END}",
        ATTRIBUTE_IS,
        ATTRIBUTE_WAS,
    ),
    slot_rule(
        "换",
        rf"(?:我)?(?:的|家的)?(?P<k>[^，。我你他她]{{0,4}}?{ROLE})换人?了，(?:(?:原来的?|"
        rf"之前的?)?(?P<a>[^，。现]{{2,6}}?)(?:调走|走|离职|退休|不干|"
        rf"辞职|搬走|休产假)[^，。]{{0,3}}，)?"
        rf"(?:现在|新的|以后)(?:的)?(?:是|叫|去|用|在|跟|找|归){{1,2}}(?P<b>{NOUN})(?:了|负责|带|教)?{END}",
        ATTRIBUTE_IS,
        ATTRIBUTE_WAS,
    ),
    slot_rule(
        "用",
        rf"(?:我)?(?:现在|目前|已经|改)?(?:都)?用(?P<b>[A-Za-z][A-Za-z+.]{{1,14}}|[\u4e00-\u9fff]{{2,8}}?)(?:记账|"
        rf"写|办公|聊天|上网|开会|做|存|画|看|听|写代码|"
        rf"做笔记|记笔记|管理)?[^，。]{{0,4}}，(?:已经|早就)?不(?:再)?用(?P<a>{NOUN})了",
        _USES,
        NO_LONGER_USES,
    ),
    slot_rule(
        "班",
        r"(?:我)?(?:现在|"
        r"已经)?(?:改)?上(?P<b>[早中晚夜白小大]班)，?(?:已经)?不(?:再)?上(?P<a>[早中晚夜白小大]班)了",
        WORKS_SHIFT,
        NO_LONGER_WORKS_SHIFT,
    ),
)

SPOKEN_RULES: Final[tuple[SlotRule, ...]] = (
    # Homes
    slot_rule(
        "回搬",
        rf"(?:我们?)?(?:已经|刚|全家)?从(?P<f>[^，。回搬到]{{2,8}}?)(?:又)?(?:回|搬回|搬到|搬来|"
        rf"搬去|来到|到)(?:了)?(?:老家|"
        rf"娘家)?(?P<o>{PLACE})(?:来|去|住|发展|定居)?了{END}",
        LIVES,
        _LEFT,
    ),
    slot_rule(
        "住",
        rf"(?:我们?)?(?:全家)?(?:[一二三四五六七八九十\d]{{1,3}}月|去年|今年|年初|春节后|上个?月|"
        rf"上周)?(?:起|开始|以来|份)?(?:就|一直|"
        rf"都)?住在?(?:了)?(?P<o>{PLACE}){END}",
        LIVES,
    ),
    slot_rule(
        "bB常",
        r"(?:我)?(?:现在|目前|长期)?(?:[Bb]ase|坐标|常驻|人在|蜗居|漂在|定居|扎根|安家)(?:在|：|:|"
        r" )?(?P<o>[^，。]{2,8}?)(?:，|$|。)",
        LIVES_TOWN,
    ),
    slot_rule(
        "人",
        r"(?:我)?(?:现在|如今)?(?:已经)?(?:是|算|成了)(?:个|一个|一名|"
        r"半个)?(?:新)?(?P<o>[\u4e00-\u9fff]{2,4}?)人(?:了|"
        r"啦)[^，。]{0,4}(?:，|$|。)",
        LIVES_TOWN,
    ),
    slot_rule(
        "买租换",
        rf"(?:我们?)?(?:已经|终于|刚)?在(?P<o>[^，。]{{2,10}}?)(?:买|租|换|整租|合租|分)(?:了|到|"
        rf"下|上)*(?:{MEASURE})?(?:新|小|大|"
        rf"二手)?(?:[两一三四]室[^，。]{{0,3}}|[两一三四]居|房子?|公寓|小户型|单间|学区房|别墅|"
        rf"loft|房|商品房)(?:，|{END})",
        LIVES_TOWN,
    ),
    slot_rule(
        "落入",
        rf"(?:我们?)?(?:已经|终于|刚)?(?:落户|入住|住进|搬进|租进|安顿在|定居)(?:到|了|"
        rf"在)?(?P<o>{PLACE})(?:了)?{END}",
        LIVES,
    ),
    slot_rule("快地寄", rf"(?:新)?(?:地址|收货地址)[：:是为 ]+(?P<o>{_STREET})", _ADDRESS),
    slot_rule(
        "同",
        r"(?:我)?(?:跟|和|与)(?P<o>男朋友|女朋友|男友|女友|对象|未婚夫|未婚妻|男票|女票)(?:已经|"
        r"现在)?(?:同居|住一起|住到一起|搬到一起)(?:了)?",
        Says(obj="o", relation="lives with", says="{s}和{o}住在一起。", clean=value, kind=_PERSON),
    ),
    # Work and study
    slot_rule(
        "跳入进考加",
        rf"(?:我)?(?:已经|刚|去年|今年|上周|上个?月)?(?:跳槽|跳|入职|进|转|加入|签约?|考进|应聘上|"
        rf"调|去|转岗|转行)(?:到|去|进|来)?(?:了)(?P<o>{NOUN})，(?:做|"
        rf"当|干|负责|搞)(?:的是)?(?P<j>{NOUN}){END}",
        WORKS_AT,
        WORKS_AS_BESIDE,
    ),
    slot_rule(
        "拿收",
        r"(?:我)?(?:已经|终于|刚)?(?:拿到|收到|接了|"
        r"签了)(?:了)?(?P<o>[^，。的]{2,10}?)(?:的)?(?:offer|Offer|OFFER|录用通知|聘书)",
        WORKS_AT,
    ),
    slot_rule(
        "o报入",
        r"(?:拿到|收到)(?:了)?(?:offer|Offer|录用)[^，。]{0,3}，(?:下|明|后|这|月|周|"
        r"\d)[^，。]{0,6}(?:去|到|在)(?P<o>[^，。]{2,10}?)(?:报到|入职|上班)",
        WORKS_AT,
    ),
    slot_rule(
        "本职干是",
        rf"(?:本人|我|在下|鄙人|咱)(?:是|就是|就)?(?:个|一个|一名|"
        rf"名)?(?P<j>[^，。我你是个名]{{2,8}}?)(?:一枚|一名|出身)(?:{END})?",
        _WORKS_AS,
        reads="whole",
    ),
    slot_rule(
        "跑开教",
        r"(?:我)?(?:是)?跑(?:长途)?货车(?:的|为生)?",
        Says(obj="=货车司机", relation="works as", says="{s}是{o}。", clean=job),
    ),
    slot_rule(
        "跑开教",
        r"(?:我)?(?:是)?(?:跑|开)(?:滴滴|网约车|出租车?|的士)(?:的|为生)?",
        Says(obj="=司机", relation="works as", says="{s}是{o}。", clean=job),
    ),
    slot_rule(
        "跑送",
        r"(?:我)?(?:是)?(?:跑|送)外卖(?:的|为生)?",
        Says(obj="=外卖员", relation="works as", says="{s}是{o}。", clean=job),
    ),
    slot_rule(
        "做当",
        r"(?:我)?(?:现在|目前)?(?:在|join|加入|进)(?:了)?(?:在)?(?P<o>一家[^，。做当干]{2,12}?|"
        r"[A-Za-z][A-Za-z ]{1,12}?)(?:做|当|干|担任|"
        r"as)(?P<j>[A-Za-z]{2,12}|[\u4e00-\u9fff]{2,8}?)(?:，|$|。)",
        Says(obj="o", relation="works at", says="{s}在{o}工作。", clean=thing, kind=EntityType.ORGANIZATION),
        Says(obj="j", relation="works as", says="{s}的职业是{o}。", clean=value, needed=False),
    ),
    slot_rule(
        "专",
        r"(?:我)?(?:[^，。]{0,6}，)?(?:的)?(?:专业|学的|念的|读的)(?:是|：)(?P<o>[^，。]{2,8}?)(?:，|$|。|专业)",
        Says(obj="o", relation="studies", says="{s}学{o}。", clean=value),
    ),
    slot_rule(
        FORMERLY_CHARACTERS,
        rf"(?:我)?(?:已经)?(?:退休|退下来|退)(?:了|[一二两三四五六七八九十\d]+年){{1,3}}，(?:{FORMERLY_WITH_VERB}|"
        rf"退休前)(?:我)?(?:是)?在(?P<o>[^，。]{{2,8}}?)(?:上|里|干|工作|上班)?{END}",
        Says(
            obj="o",
            relation="works at",
            says="{s}不再在{o}工作。",
            clean=thing,
            kind=EntityType.ORGANIZATION,
            closes=True,
        ),
    ),
    slot_rule(
        "考",
        r"(?:我)?(?:已经|终于)?(?:考上|考进|录取到|被)(?:了)?(?P<o>[^，。]{2,10}?(?:大学|学院|大|"
        r"一中|二中|中学|附中|师大|医大|理工|交大))(?:录取)?(?:了|"
        r"，|$|。)",
        STUDIES_AT,
    ),
    # People
    slot_rule(
        "有",
        rf"(?:我)?有(?:俩|两个|[二三四]个)(?P<k>[姐妹哥弟]{{1,2}}|闺女|女儿|儿子|孩子|娃)，(?:一个|"
        rf"大的|老大|姐姐|哥哥)叫(?P<n>{NAME})，?(?:一个|小的|老二|"
        rf"妹妹|弟弟|另一个)叫(?P<m>{NAME}){END}",
        Says(obj="n", relation="{k}", says="{o}是{s}的{k}。", clean=any_name, kind=_PERSON),
        Says(obj="m", relation="{k}", says="{o}是{s}的{k}。", clean=any_name, kind=_PERSON, needed=False),
    ),
    slot_rule(
        "婚证",
        rf"(?:我们|我俩|咱们?)?(?:已经|终于|昨天|今天|刚刚?)?(?:订婚|定亲)(?:了|"
        rf"啦)[，！!]?(?:我)?(?:跟|和|与)(?P<n>{NAME}){END}",
        ENGAGED,
    ),
    slot_rule(
        "婚证",
        rf"(?:我们|我俩|咱们?)?(?:已经|终于|昨天|今天|刚刚?)?(?:领证|结婚|扯证|登记)(?:了|"
        rf"啦)[，！!]?(?:我)?(?:跟|和|与)(?P<n>{NAME}){END}",
        MARRIED,
    ),
    slot_rule(
        "新这",
        rf"(?:这是|介绍一下|来认识一下)?(?:，)?(?:我们?)?(?:家)?(?:的)?(?:新成员|新宠|主子|毛孩子|"
        rf"小祖宗)，?(?:是)?(?:{MEASURE})?(?P<k>{_PETS})，?(?:名字|小名)?(?:叫|取名|名叫)(?P<n>{NAME}){END}",
        PET_IS_NAMED,
    ),
    slot_rule(
        "家",
        rf"(?:我)?(?:们)?家(?:的)?(?P<k>{_PETS})(?:叫)?(?P<n>[\u4e00-\u9fff]{{2,3}}?)(?:又|今天|"
        rf"昨天|最近|老|总|还|已经|刚|现在|特别|"
        rf"也)[^，。]{{1,14}}",
        PET_IS_NAMED,
    ),
    slot_rule(
        "走没死离",
        rf"(?:我)?(?:们)?(?:家)?(?:的|养的)?(?P<o>{_PETS})(?:上周|昨天|去年|前几天|上个?月|今年|"
        rf"[^，。]{{0,4}}){{0,1}}(?:走了|没了|死了|去世了|"
        rf"去汪星了|去喵星了|跑丢了|走丢了|丢了|离开了|养死了)",
        _NOT_HAS,
    ),
    # Ages
    slot_rule(
        "老",
        rf"(?:我)?(?:家)?老[大二三](?:才|刚|今年|快|已经|都)?(?P<x>[^，。]{{0,0}})(?P<o>{NUMBER}岁半?)",
        HAS_AGE,
    ),
    # Belongings
    slot_rule(
        "开骑",
        rf"(?:我)?(?:平时|现在|一直)?(?:开|骑|用)的(?:就|还)?是(?:{MEASURE})?(?P<o>[^，。]{{2,12}}?)(?:，|{END})",
        HAS_THING,
    ),
    slot_rule(
        "换入买提收到",
        rf"(?:我)?(?:终于|刚|最近|昨天|又)?(?:换|入手|入|买|提|收|收了|剁手|搞)(?:了|到)+(?:{MEASURE})?(?:新|"
        rf"二手)?(?:的)?(?P<o>[A-Z][A-Za-z\d]*(?: [A-Z\d][A-Za-z\d]*){{0,3}})",
        HAS_THING,
    ),
    slot_rule(
        "送给留",
        rf"(?P<w>{_WHO}|[爸妈哥姐弟妹]|朋友)(?:送|给|留给|传给|"
        rf"买给)(?:了)?我(?:买)?(?:了)?(?:{MEASURE})(?P<o>[^，。]{{1,8}}?)(?:，|{END})",
        Says(obj="o", relation="has", says="{s}有{o}。", clean=lambda text: text or None, subject="=me"),
    ),
    slot_rule(
        "这手",
        rf"(?:我)?(?:手上|现在)?(?:的)?这(?:个|台|部|块|辆)(?P<k>{DEVICE}|pad|ipad|本子?)(?:是|"
        rf"就是)(?P<b>[^，。]{{2,10}}?)(?:的)?{END}",
        ATTRIBUTE_IS,
    ),
    slot_rule(
        "送给卖扔丢",
        r"(?:我)?(?:把)?(?:家里的?|我的|旧|"
        r"那[个台辆])?(?P<o>[^，。我你他她把从没有]{2,8}?)(?:已经|早就|都|全)?(?:送|捐|转|卖|处理|给|"
        r"转手)(?:给)?(?:了)?(?:邻居|朋友|同事|人|别人|收废品的|二手|闲鱼|亲戚|学弟|学妹|楼上|"
        r"楼下|表弟|表妹|回收站)(?:了|，|$)",
        _NOT_HAS,
    ),
    slot_rule("没", rf"家里?(?:已经|早就)?没(?:有)?(?P<o>{_PETS}|车|{DEVICE})了", _NOT_HAS),
    # Numbers
    slot_rule(
        "座打",
        r"(?:有急事|急事|有事|可以|直接)?(?:打|拨|call|联系)(?:我)?(?:的)?(?P<k>座机|电话|手机|"
        r"办公室电话|固话|家里电话)(?:吧|"
        r"就行)?[：:，, ]*(?P<b>[\d\- ]{7,16}\d)",
        Says(obj="b", relation="phone number", says="{s}的电话是{o}。", clean=value, strength=0.9),
    ),
    slot_rule(
        "身体",
        r"(?:我)?身高(?:是|有|大概)?(?P<o>[一二]米[一二三四五六七八九零\d]{1,3}|\d\.\d{1,2}米?|"
        r"1\d\d(?:cm|厘米|公分)?)，?(?:体重|重)(?:是|有|"
        r"大概)?(?P<p>[\d.一二三四五六七八九十百]{1,6}(?:公斤|斤|kg|千克|KG))",
        Says(obj="o", relation="height", says="{s}身高{o}。", clean=value),
        Says(obj="p", relation="weight", says="{s}体重{o}。", clean=value, needed=False),
    ),
    # Health
    slot_rule("花粉", r"(?P<o>花粉)(?:季|期)?[^，。]{0,8}，?(?:我)?(?:又|就|会|老)?过敏", ALLERGIC),
    slot_rule(
        "老",
        rf"(?:我)?(?:的)?(?P<o>[^，。我你是]{{2,8}}?)(?:是|算|这)(?:我的)?(?:老毛病|老病根|遗传|"
        rf"家族遗传|职业病)(?:了|，|{END})",
        HAS_ILLNESS,
    ),
    # Medication
    slot_rule(
        "开",
        rf"(?:医生|大夫|医院|主任)(?:又|刚|今天|昨天)?(?:给)?我?(?:新)?开(?:了|的是)(?P<o>{SURE_DRUG}|{DRUG})",
        TAKES,
    ),
    slot_rule(
        "吃服",
        rf"(?:我)?(?P<o>{SURE_DRUG})(?:和|跟|加|、)(?P<b>{SURE_DRUG})(?:都|一直)?(?:{OFTEN}|天天|"
        rf"每天)(?:都|在)?(?:吃|服|补)",
        TAKES,
        TAKES_NOW,
    ),
    slot_rule(
        "不",
        rf"(?:我)?(?:早就|早|已经|现在)?不(?:再)?(?:吃|用|打|服)(?P<o>{SURE_DRUG}|{DRUG})了",
        STOPPED,
    ),
    # Tastes
    slot_rule(
        "退拜滚再",
        r"(?P<o>[^，。我你]{2,6}?)(?:退散|走开|滚蛋|滚开|达咩|一生之敌|是我的一生之敌|NO|no)(?:[！!。]|$)",
        _NOT_LIKES,
    ),
    slot_rule("无欢", r"(?:本人|我)?(?:是)?无(?P<o>[辣肉酒茶咖甜面])不欢", _LIKES),
    slot_rule(
        "坑迷沉",
        rf"(?:我)?(?:最近|刚|又)?(?:入|掉进|跳进|栽进)(?:了)?(?P<o>[^，。]{{2,8}}?)(?:的)?(?:大)?坑(?:了|，|{END})",
        _LIKES,
    ),
    slot_rule(
        "抵", r"(?:我)?对(?P<o>[^，。]{1,8}?)(?:真的|完全|实在|根本)?(?:没有?|毫无)(?:什么)?(?:抵抗力|免疫力)", _LIKES
    ),
    slot_rule(
        "抵兴无",
        r"(?:我)?对(?P<o>[^，。]{1,8}?)(?:真的|完全|实在|一点)?(?:都)?(?:没有?|毫无|"
        r"提不起)(?:什么|任何)?(?:兴趣|好感|感觉)",
        _NOT_LIKES,
    ),
    slot_rule(
        "比选",
        rf"(?:比起|相比|跟|和)(?P<a>[^，。]{{1,8}}?)(?:相比|比)?，?(?:我)?(?:还是|肯定|永远|宁愿|"
        rf"宁可|当然|会)?(?:选|更喜欢|更爱|偏爱|站)(?P<o>{NOUN}){END}",
        _LIKES,
    ),
    slot_rule(
        "一辈永",
        r"(?P<o>[^，。我]{2,6}?)(?:我)?(?:可以|能)(?:[吃喝看听玩爬跑打做]?)(?:一辈子|一整天|到地老天荒|到老)",
        ENJOYS,
    ),
    slot_rule(
        "别",
        r"(?:回我话?|回复我?|跟我说话|聊天|以后|请|麻烦|给我|写的时候)?(?:都|就)?(?:别|不要|少|"
        r"禁止)(?:再)?(?:用|发|加|放|带)(?P<o>表情包?|emoji|颜文字|感叹号|列表|长句|语音|链接|"
        r"英文|敬语|网络用语|术语)",
        _NOT_LIKES,
    ),
    slot_rule(
        "简详",
        r"(?:请|麻烦|以后|你的)?(?:答案|回答|回复|说话|解释|内容|消息)(?:请|尽量|最好|都|"
        r"要)?(?P<o>简短|简洁|精简|直接|详细|口语化|短)(?:一?[点些]|就行|就好)",
        Says(obj="o", predicate="PREFERS", says="{s}喜欢{o}的回答。", clean=value),
    ),
    slot_rule(
        "只",
        rf"(?:我)?(?:坐飞机|坐车|坐高铁|坐火车|早餐|早上|晚上|出门|平时)?(?:我)?(?:永远|一般|从来|一直|都)?只(?P<o>(?:坐|喝|吃|看|听|穿|用|买|"
        rf"读|住)[^，。]{{1,8}}?)(?:，|{END})",
        ENJOYS,
    ),
    slot_rule(
        "抽喝",
        r"(?:我)?(?:早|早就|已经|再也|从此|现在)不(?P<o>抽烟|喝酒|喝奶茶|喝咖啡|熬夜|喝可乐|"
        r"吃夜宵|打游戏|刷抖音|刷短视频)了",
        _NO_MORE,
    ),
    slot_rule(
        "吃喝惯",
        rf"(?:我)?(?:是)?(?:真的|实在|一直|从小)?(?:吃|喝|用|穿|住|听|看)不(?:惯|来|下去)(?P<o>{NOUN}){END}",
        _NOT_LIKES,
    ),
    # Changes
    slot_rule(
        "名",
        rf"(?:我)?(?:已经|正式)?(?:改名字?|换名字?|改姓)了，?(?:我)?(?:现在|以后|新名字?)?(?:叫|"
        rf"是)(?P<n>{NAME}){END}",
        Says(obj="n", relation="is named", says="{s}的名字是{o}。", clean=any_name, strength=0.9),
    ),
    slot_rule(
        "转换切迁",
        rf"(?:我)?(?:的|把)?(?P<k>[^，。我从]{{1,6}}?)从(?P<a>{NOUN})(?:转|换|切|迁|携号转网|升级|"
        rf"改)(?:移)?(?:到|成|为|"
        rf"去)(?:了)?(?P<b>{NOUN}){END}",
        _USES,
        NO_LONGER_USES,
    ),
    slot_rule(
        "换迁",
        rf"(?:顺手|已经|今天|昨天|刚)?把(?P<a>{NOUN})(?:换|迁移?|切|替换|升级)(?:成|到|"
        rf"为)(?:了)?(?P<b>{NOUN})(?:，|{END})",
        _USES,
        NO_LONGER_USES,
    ),
    slot_rule(
        "换现",
        rf"(?:我)?(?:的|家)?(?P<k>[^，。我你他她]{{0,4}}?{ROLE})(?:现在|已经|最近)?(?:归|是|改由|"
        rf"由|换|换成|交给)(?P<b>{NAME})(?:了|负责|管|带|"
        rf"接手){{1,2}}",
        ATTRIBUTE_IS,
    ),
    # Plans and promises
    slot_rule(
        "拔体面考手复检看",
        rf"(?:{DATE})(?:我)?(?:要|得|约了|有个?|有)?(?P<o>面试|体检|复查|拔智?牙|拔智齿|手术|"
        rf"做手术|考试|答辩|产检|补牙|洗牙|开庭|打疫苗|做核磁|做胃镜|家长会|搬家|婚礼|出差|开学|"
        rf"报到|聚餐|团建){END}",
        HAS_EVENT,
        reads="dated",
    ),
    slot_rule(
        "去回到",
        rf"(?:{DATE})(?:我们?|咱们?)?(?:要|准备|打算|想)?(?P<o>(?:带[^，。]{{1,4}})?(?:去|回|"
        rf"到)[^，。了过吗呢]{{2,12}}?)(?:，|{END})",
        PLANS,
        reads="dated",
    ),
    slot_rule(
        "考学买",
        r"(?:我)?(?:今年|明年|年内|下半年|最近)?(?:想|要|打算)(?P<o>(?:考|学|练|读|跑)(?:个|一个|"
        r"下|完)?[^，。了吗今明]{2,10}?)(?:，|$|。|今年|明年|下半年)",
        PLANS,
    ),
    slot_rule(
        "答",
        rf"(?:我)?(?:已经)?答应(?:了|过)?(?P<w>{_WHO}|[爸妈哥姐弟妹]|"
        rf"[\u4e00-\u9fff]{{2,3}}?)(?:说)?(?P<o>(?:过年|周末|暑假|寒假|下|明|今|月|"
        rf"要|会|每|带|陪|给|帮|不|去|请|买|教|回|一起|国庆|五一|元旦|中秋)[^，。]{{1,16}})",
        PROMISES,
    ),
    slot_rule(
        "欠",
        r"(?:我)?(?:还)?欠(?P<w>[\u4e00-\u9fff]{2,4}?)(?P<o>[一二两三四五六七八九十\d]{1,3}(?:顿饭|顿|杯奶茶|个人情))"
        r"(?:，|$|。)",
        Says(obj="o", predicate="CARES_ABOUT", relation="promise", says="{s}欠{w}{o}。", clean=value),
    ),
)
