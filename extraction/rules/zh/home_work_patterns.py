"""Chinese slot rules for homes, work and study."""

from typing import Final

from extraction.rules.zh.slot_cleaners import (
    any_employer,
    employer,
    exam,
    job,
    kept,
    school,
    town,
    trade,
    value,
)
from extraction.rules.zh.slots import Says, SlotRule, slot_rule
from extraction.rules.zh.statements import (
    EMPLOYER_OF_JOB,
    HAS_THING,
    LIVES,
    LIVES_TOWN,
    STUDIES,
    STUDIES_AT,
    WORKS_AS_BESIDE,
    WORKS_AT,
)
from extraction.rules.zh.word_classes import ADV, DURATION, END, KINS, MEASURE, PLACE, TIME
from extraction.text.lexicon_zh import FORMERLY_CHARACTERS, FORMERLY_WITH_VERB, SUBJECTS
from schema.entity import EntityType

# Homes

_LEFT_TOWN: Final = Says(
    obj="o", relation="lives in", says="{s}不再住在{o}。", clean=town, kind=EntityType.PLACE, closes=True
)
_STAYS: Final = (
    r"(?:打拼|闯荡|发展|安置|合租|租房|租了|租着|租的|租住|落脚|安顿|安家|定居|躺平|漂着|生活|待着|常住|买了房|"
    r"买房|买的房|落户|住(?!院))"
)
_LIVES_AT: Final = Says(obj="o", relation="lives in", says="{s}住在{o}。", clean=value, kind=EntityType.PLACE)
_REGISTERED_IN: Final = Says(obj="o", relation="户口", says="{s}的户口在{o}。", clean=town, kind=EntityType.PLACE)
_ADDRESS_IS: Final = Says(obj="o", relation="address", says="{s}的收件地址是{o}。", clean=value, kind=EntityType.PLACE)
_LIVES_WITH: Final = Says(obj="o", relation="lives with", says="{s}和{o}一起住。", clean=kept)
HOME_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "住",
        rf"(?:我)?(?:{ADV})?(?:搬|回|搬到|搬去|搬回)(?:到|去|了)?(?P<a>{PLACE})(?:跟|和|"
        rf"与)(?P<o>{KINS})(?:们)?(?:一起)?住(?:在一起)?{END}",
        Says(obj="a", relation="lives in", says="{s}住在{o}。", clean=town, kind=EntityType.PLACE),
        _LIVES_WITH,
    ),
    slot_rule(
        "住",
        rf"我(?:还|一直|现在|就|目前)?(?:跟|和|与)(?:我)?(?P<o>{KINS}|[爸妈哥姐弟妹])(?:俩|们)?(?:一起|合|"
        rf"同)?住(?:在一起)?{END}",
        _LIVES_WITH,
        reads="whole",
    ),
    slot_rule(
        "寄",
        r"(?:给我)?寄(?:东西|快递|件)?(?:的话)?[^，。：:]{0,6}[：:](?P<o>[^，。]{0,20}(?:路|街|区|巷|弄|"
        r"大道)[^，。]{0,24}(?:号|室|栋|楼|\d|座))",
        _ADDRESS_IS,
    ),
    slot_rule("家", rf"家(?:已经|又|刚)?搬(?:到|去|进|回)(?:了)?(?P<o>{PLACE}){END}", LIVES),
    slot_rule("不", rf"(?:我)?不在(?P<o>{PLACE})(?:混|待|呆|漂|干|住)了", _LEFT_TOWN),
    slot_rule(
        "回",
        rf"(?:我)?(?:已经|人)?回(?:了)?(?:老家|娘家)?(?P<o>{PLACE})(?:发展|定居|生活|长住|住)了?{END}",
        LIVES_TOWN,
    ),
    slot_rule(
        "寄送发",
        r"(?:快递|包裹|东西|以后|货){0,3}(?:都|就)?(?:寄|送|发)到(?:公司|家|家里|单位)?(?:吧)?[：:，]?"
        r"(?P<o>[^，。]{0,20}(?:路|街|区|巷|弄|大道)[^，。]{0,24}(?:号|室|栋|楼|\d|座))",
        _ADDRESS_IS,
    ),
    slot_rule(
        "住",
        rf"(?:{TIME}|工作日|平日)?(?:我们?)?(?:和[^，。]{{1,8}}|跟[^，。]{{1,8}})?(?:一起|还|现在|就|都|是|"
        rf"临时|暂时){{0,2}}"
        rf"(?:住|居住)(?!院|的|得|不|过|校|宿|户|处|址|客|民|房|酒店|宾馆)(?:在|到|进|的是|回|着|了)?"
        rf"(?P<o>{PLACE}){END}",
        LIVES,
    ),
    slot_rule(
        "在",
        rf"(?:我们?)?(?:(?:和|跟|与)[^，。在]{{1,10}})?(?:人)?(?:现)?在(?P<o>{PLACE}){_STAYS}.{{0,10}}?{END}",
        LIVES,
    ),
    slot_rule(
        "户",
        rf"户口(?:还|一直|现在|就)?在(?P<o>{PLACE}){END}",
        _REGISTERED_IN,
    ),
    slot_rule("在", rf"(?:人|家)(?:现在|已经|就)?(?:在|住)(?P<o>{PLACE}){END}", LIVES),
    slot_rule("租", rf"(?:我们?)?租(?:住)?(?:在|到|的是)(?P<o>{PLACE}){END}", LIVES),
    slot_rule(
        "搬挪迁",
        rf"(?:我们?)?(?:全家|一家人|一家|又|都)?(?:从(?P<f>{PLACE}))?(?:又|刚)?(?:搬|迁|挪)(?:家)?"
        rf"(?:到|去|进|来|回|至|过来|出来住)(?:了|的)?(?P<o>{PLACE})(?:去了|来了|住了|住)?{END}",
        LIVES,
    ),
    slot_rule(
        "搬换",
        rf"(?:搬家?|换房子?|换地方)了，?(?:这次|现在|如今)?(?:是)?(?:住|搬|租)?(?:在|到|进|去)(?P<o>{PLACE}){END}",
        LIVES,
    ),
    slot_rule(
        "家房",
        r"(?:的)?(?:(?:现在)?(?:租|买|住)的(?:房子|房|公寓|地方)|新家|新房|新房子|新租的房子|房子|住处|"
        r"住的地方)(?:就|是|租|买)?在(?P<o>" + PLACE + rf"){END}",
        LIVES,
    ),
    slot_rule(
        "地址",
        r"(?:的)?(?:新)?(?:收货|家庭|快递|邮寄|寄件|收件|现在的|常用|家里的?|公司)?(?:地址|住址)"
        r"(?:已经|也|都|我)?(?:改|换|变|更新|是|就是|填|写)?(?:成|为|到|在|了)?(?:[：:，]|现在是|是)?"
        r"(?P<o>[^，。；！？]{3,40})",
        Says(obj="o", relation="lives in", says="{s}的地址是{o}。", clean=value, kind=EntityType.PLACE),
    ),
    slot_rule(
        "移定",
        rf"(?:移民|移居|定居)(?:去|到|在)?(?:了)?(?P<o>{PLACE})(?:，(?:现在)?(?:住)?在[^，。]{{2,8}})?{END}",
        LIVES,
    ),
    slot_rule(
        "在住", rf"(?:我)?不(?:再|住|在)(?:在|住)?(?P<o>{PLACE})(?:那边|住|待|呆|漂)?了(?=$|[，。！])", _LEFT_TOWN
    ),
    slot_rule("离", rf"(?:我)?(?:离开|告别|逃离|撤离)(?:了)?(?P<o>{PLACE}){END}", _LEFT_TOWN),
    slot_rule(
        "退租卖",
        rf"(?:把)?(?P<o>{PLACE})(?:那边|那套|这边)?(?:的)?(?:房子|房|公寓|单间|出租屋)(?:已经|也|都|我)?(?:退|"
        rf"卖|转租)(?:掉)?了{END}",
        _LEFT_TOWN,
    ),
    slot_rule(
        "嫁",
        rf"(?:{ADV})嫁(?:到|去)(?:了)?(?P<o>{PLACE})(?:去)?(?:了)?{END}",
        LIVES,
    ),
    slot_rule(
        "留待扎落派驻调",
        rf"(?:[^，。我]{{0,6}})?(?:我)?(?:就|一直|先|还)?(?:留在|待在|扎根|落脚在?|被?(?:公司)?(?:把我)?派到|"
        rf"派驻|外派到?|常驻|驻扎在?|漂在|长住|久居|寄住在?|借住在?)(?:了)?(?P<o>{PLACE})(?:快|都|已经)?"
        rf"(?:{DURATION})?(?:了)?{END}",
        LIVES_TOWN,
    ),
    slot_rule(
        "小栋",
        r"(?:我们?|我家)?(?:住的)?小区(?:就)?(?:叫|是)(?P<o>[^，。]{2,10}?)(?:，|$)",
        _LIVES_AT,
    ),
    slot_rule(
        "住", rf"(?:我们?)?(?:{ADV})(?:住进|住到|住回|搬进|借住在?|寄住在?|暂住在?)(?:了)?(?P<o>{PLACE}){END}", LIVES
    ),
    slot_rule(
        "户",
        rf"(?:我)?(?:把)?户口(?:{ADV})(?:迁|落|转)(?:回|到|去|在|进)(?:了)?(?P<o>{PLACE}){END}",
        _REGISTERED_IN,
    ),
    slot_rule(
        "回",
        rf"(?:我)?(?:已经|人)?回(?:到)?(?:了)?(?P<o>{PLACE})了?{END}",
        LIVES_TOWN,
    ),
    slot_rule(
        "住叫",
        r"(?:我)?(?:们)?住的(?:地方|小区|楼|村子|那个小区)(?:就)?(?:叫|是)(?P<o>[^，。]{2,10}?)" + END,
        _LIVES_AT,
    ),
)


# Work and study

_WORKS: Final = Says(
    obj="o", relation="works at", says="{s}在{o}工作。", clean=employer, kind=EntityType.ORGANIZATION, strength=0.8
)
_QUIT: Final = Says(
    obj="o",
    relation="works at",
    says="{s}不再在{o}工作。",
    clean=any_employer,
    kind=EntityType.ORGANIZATION,
    closes=True,
)
_QUIT_KNOWN: Final = Says(
    obj="o", relation="works at", says="{s}不再在{o}工作。", clean=employer, kind=EntityType.ORGANIZATION, closes=True
)
_QUIT_ANY: Final = Says(
    obj="o",
    relation="works at",
    says="{s}以前在{o}工作。",
    clean=any_employer,
    kind=EntityType.ORGANIZATION,
    closes=True,
)
_JOB: Final = Says(obj="o", relation="works as", says="{s}的职业是{o}。", clean=job, strength=0.8)
_NO_JOB: Final = Says(obj="o", relation="works as", says="{s}不再是{o}。", clean=job, closes=True)
_FORMER_JOB: Final = Says(obj="f", relation="works as", says="{s}不再是{o}。", clean=job, closes=True, needed=False)
_FORMER_EMPLOYER: Final = Says(
    obj="f",
    relation="works at",
    says="{s}不再在{o}工作。",
    clean=any_employer,
    kind=EntityType.ORGANIZATION,
    closes=True,
    needed=False,
)
_WORKING: Final = r"(?:上班|工作|干活|打工|搬砖|实习|任职|坐班|打杂|就职|供职|当|做|干|教|跑|管|带|开|写|修|卖|值|搞)"
_SUBJECT: Final = "(?:" + "|".join(SUBJECTS) + ")"
_ORG: Final = r"[^，。！？；：、你您他她它]{2,16}?"
WORK_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "过",
        rf"(?:我)?(?:和|跟|与)?[^，。在我你您他她]{{0,6}}?{FORMERLY_WITH_VERB}?在(?P<o>{_ORG})(?:一起|里)?(?:上过班|"
        rf"打过[^，。]{{0,3}}工|做过事|"
        rf"做过兼职|干过活|当过[^，。]{{1,6}}|做过[^，。]{{1,6}}){END}",
        _QUIT_ANY,
    ),
    slot_rule(
        "是",
        rf"(?:我)?(?:{FORMERLY_WITH_VERB}|现在|目前|还|"
        rf"就)?是(?P<o>[^，。的我你您他她它]{{2,8}})的(?P<n>[^，。的我你]{{2,6}}?){END}",
        Says(obj="n", relation="works as", says="{s}的职业是{o}。", clean=job, strength=0.8),
        _WORKS,
    ),
    slot_rule(
        FORMERLY_CHARACTERS,
        rf"我{FORMERLY_WITH_VERB}(?:一直|都)?在(?P<o>{_ORG}){END}",
        _QUIT_KNOWN,
        reads="whole",
    ),
    slot_rule(
        "学",
        rf"(?:我)?(?:大学)?是学(?P<o>[^，。我你的]{{2,8}}?)(?:专业)?(?:的|出身){END}",
        Says(obj="o", relation="studies", says="{s}学{o}。", clean=value, kind=EntityType.TOPIC),
    ),
    slot_rule(
        "团队社部",
        rf"在(?:一[个家]|我们)?(?:[^，。我你]{{0,4}}的)?(?P<o>[^，。我你是]{{0,6}}(?:团|队|社|俱乐部|"
        rf"剧社))(?:里)?(?:唱|打|踢|跳|拉|吹|弹|演|敲)"
        rf"(?:了)(?:快|将近)?{DURATION}(?:多)?，(?:但|可|后来|现在|去年|今年)*(?:就|已经)?(?:没时间|"
        rf"不[唱打踢跳拉吹弹演敲去]|退)[^，。]{{0,3}}了",
        Says(obj="o", relation="is in", says="{s}以前在{o}。", clean=value, kind=EntityType.ORGANIZATION, closes=True),
    ),
    slot_rule(
        "毕",
        rf"(?:我)?(?:是)?(?:大学)?(?P<o>[^，。我]{{2,6}}?)(?:系|专业)毕业(?:的)?{END}",
        Says(obj="o", relation="studies", says="{s}学过{o}。", clean=value, kind=EntityType.TOPIC, closes=True),
    ),
    slot_rule(
        "聘面申",
        rf"(?:我)?(?:在|正在|去|刚|打算|准备)?(?:应聘|申请|竞聘)(?:了)?(?P<o>[^，。我你]{{2,10}}?)(?:的)?(?:工作|"
        rf"岗位|职位|岗){END}",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="plan",
            says="{s}在应聘{o}。",
            clean=value,
            kind=EntityType.ACTIVITY,
        ),
    ),
    slot_rule(
        "岗职头工",
        rf"(?:我)?(?:的)?(?:新)?(?:岗位|职位|职务|头衔|工种|title)(?:是|叫|变成|升成|改成)(?:了)?"
        rf"(?P<o>[^，。]{{2,10}}?){END}",
        _JOB,
    ),
    slot_rule(
        "干做当",
        rf"(?:我)?(?:干|做|当)(?:了)?(?P<d>{DURATION})(?:的)?(?P<o>[^，。]{{2,8}}?)，(?:现在|如今|去年|今年|"
        rf"后来)?[^，。]{{0,3}}(?:改|转|换|退休|退了|不干|不做|辞|下岗|离开)(?:行)?(?:去)?(?:做|当|干|成)?"
        rf"(?:了)?(?P<j>[^，。]{{2,8}}?)?{END}",
        _NO_JOB,
        WORKS_AS_BESIDE,
    ),
    slot_rule("单公东雇", rf"(?:的)?(?:新)?(?:公司|单位|东家|雇主)(?:是|叫|换成了?)(?P<o>{_ORG}){END}", WORKS_AT),
    slot_rule(
        "干做",
        rf"(?P<w>{_ORG})的(?P<o>[^，。的]{{2,8}}?)，(?:干|做|当)了{DURATION}",
        _JOB,
        EMPLOYER_OF_JOB,
    ),
    slot_rule(
        "在",
        rf"(?:我)?在(?P<w>{_ORG})(?P<o>卖[^，。]{{1,5}}?|摆[^，。]{{0,2}}摊|修[^，。]{{1,4}}?|"
        rf"拍[^，。]{{1,4}}?)(?:的)?{END}",
        Says(obj="o", relation="works as", says="{s}{o}。", clean=value),
    ),
    slot_rule(
        "是",
        rf"是(?P<o>(?:做|搞|卖|修|种|养|拍|画|写)[^，的我]{{1,4}})的{END}",
        Says(obj="o", relation="works as", says="{s}{o}。", clean=trade),
    ),
    slot_rule("在大研博", rf"(?P<o>{_ORG})(?:在读|大[一二三四](?![的小])|研[一二三](?!究)|博[一二三四])", STUDIES_AT),
    slot_rule("考", rf"(?:我)?(?:{ADV})考进(?:了)?(?P<o>{_ORG}){END}", WORKS_AT),
    slot_rule(
        "开盘经承接办",
        rf"(?:我)?(?:{ADV})(?:自己)?(?:开|盘|经营|接手|承包|办|顶|合开|合伙开|创办)(?:了|着|下|下来|起){{1,2}}"
        rf"(?P<o>{MEASURE}?[^，。我你]{{0,6}}(?:店|馆|厂|公司|工作室|民宿|农场|诊所|铺子?|餐厅|超市|网店|摊子?|"
        rf"律所|培训班|农家乐|茶室|画室|琴行|鱼塘|果园)){END}",
        HAS_THING,
    ),
    slot_rule(
        "开跑送卖种修搞",
        rf"(?:我)?(?:是|现在|一直|就|主要|平时|在){{0,3}}(?P<o>(?:开(?:出租|网约车|滴滴|公交|大货车|货车|大车|大货|"
        rf"地铁|卡车|校车|高铁|挖机|塔吊)|跑(?:外卖|快递|长途|货运|滴滴|代驾|业务|销售|网约车|货拉拉|闪送|"
        rf"保险)|送(?:外卖|快递|奶|水|货)|"
        r"卖(?:保险|房|房子|车|水果|菜|鱼|衣服|早点|早餐|奶茶|手机|花|煎饼)|种(?:地|菜|果树|橙子|草莓|茶|水稻)|"
        r"修(?:车|手机|鞋|表|电脑|空调)|搞(?:装修|工程|科研|技术|IT|养殖|建筑)))(?:长途|货车|车)?(?:的)?(?:了)?"
        rf"(?:快|有)?(?:{DURATION})?(?:了)?{END}",
        Says(obj="o", relation="works as", says="{s}的工作是{o}。", clean=value, strength=0.8),
    ),
    slot_rule(
        "教",
        rf"(?:我)?(?:是|现在|一直){{0,2}}(?:在(?:一[家所个])?(?P<w>[^，。]{{2,10}}?))?教(?:的是)?(?:小学|初中|"
        rf"高中|[初高][一二三]|大学|"
        rf"[一二三四五六]年级)?(?P<o>{_SUBJECT})(?:的)?(?:{DURATION})?(?:了)?{END}",
        Says(obj="o", relation="teaches", says="{s}教{o}。", clean=value),
        EMPLOYER_OF_JOB,
    ),
    slot_rule(
        "退待失业全",
        rf"(?:我)?(?:已经|去年|今年|刚|早就|正式|现在|都|办完|办了){{0,3}}(?P<o>退休|待业|失业|全职写作|"
        rf"自由职业|全职带娃|全职妈妈|全职太太|半退休|内退|退伍(?=了)|gap)(?:了|在家|中|的状态|快|手续){{0,3}}"
        rf"(?:{DURATION})?(?:多)?(?:了)?{END}",
        Says(obj="o", relation="is", says="{s}{o}。", clean=value),
    ),
    slot_rule(
        "从",
        rf"(?:我)?(?:从(?P<f>{_ORG}))(?:去|到|来)了(?P<o>{_ORG}){END}",
        _WORKS,
        _FORMER_EMPLOYER,
    ),
    slot_rule("副兼", rf"(?:我)?(?:的)?(?:副业|兼职)(?:是)?(?:做|当|在做|搞)?(?P<o>[^，。]{{2,8}}?)(?:的)?{END}", _JOB),
    slot_rule("最", rf"是我在(?P<o>{_ORG})(?:上班|工作)?的最后一(?:天|周|个?月|个星期|节课|次课|个?班)", _QUIT),
    slot_rule(
        "从",
        rf"(?:我)?从(?P<o>{_ORG})(?:正式|裸|主动|被|已经)?(?:离职|辞职|辞了|出来|走人|跑路|退休|退了|撤了|裁员|"
        rf"裁|毕业离开|裸辞|跳槽(?!到|去)|离开)",
        _QUIT,
    ),
    slot_rule(
        "从跳转调",
        rf"(?:我)?(?:从(?P<f>{_ORG}))?(?:跳槽?|转|换|调)(?:到|去|进|来)(?:了)?(?P<o>{_ORG})(?:上班|工作|当|做|"
        rf"干)?(?:了)?{END}",
        WORKS_AT,
        _FORMER_EMPLOYER,
    ),
    slot_rule(
        "不",
        rf"(?:我)?不(?:再)?在(?P<o>{_ORG})(?:干|做|上班|工作|待|混|呆|教书|教)了?{END}",
        _QUIT,
    ),
    slot_rule(
        "辞离裁",
        rf"(?:我)?(?:辞|辞掉|辞去|离开|告别|跳出|裸辞)(?:了)?(?P<o>{_ORG})(?:的(?:工作|活儿?|职位|职务|班))?"
        rf"(?:了)?{END}",
        _QUIT_KNOWN,
    ),
    slot_rule("裁优开辞", rf"(?:我)?被(?P<o>{_ORG})(?:裁|优化|开除|辞退|劝退|炒|裁员)(?:了|掉)", _QUIT),
    slot_rule(
        "辞干做离",
        rf"(?P<o>{_ORG})(?:的(?:工作|活儿?|班|职)|那边|那份工作?|那份)?(?:我)?(?:已经|昨天|上周|正式|也)?(?:辞|"
        rf"不干|不做|离职|裸辞|辞职)(?:掉)?了{END}",
        _QUIT_KNOWN,
    ),
    slot_rule(
        "入加进签调",
        rf"(?:我)?(?:入职|加入|加盟|签约|空降|考进|考上|进了|去了|换到|跳到|应聘上|面上|转正|拿下)(?:了|到)?"
        rf"(?P<o>{_ORG})"
        rf"(?:上班|工作|报到|当[^，。]{{2,6}}|做[^，。]{{2,6}}|了|的工作|的岗位|实习){{0,2}}{END}",
        _WORKS,
    ),
    slot_rule("去", rf"(?:我)?去(?:了)?(?P<o>{_ORG})(?:上班|工作|报到|打工|实习|任职)了{END}", WORKS_AT),
    slot_rule(
        "是",
        rf"(?:以后|现在|今后)?(?:我)?(?:就)?是(?P<o>{_ORG})的(?:人|员工|一员|正式工|正式员工|编外|在编人员)了?{END}",
        _WORKS,
    ),
    slot_rule(
        "在",
        rf"(?:我)?(?:还|现|就|一直|目前)?在(?P<o>{_ORG})(?:工地|那边|里|店里)?{_WORKING}(?:(?:了)?"
        rf"(?P<j>[^，。]{{2,10}}?))?(?:{DURATION})?{END}",
        _WORKS,
        WORKS_AS_BESIDE,
    ),
    slot_rule("班职", rf"(?:的)?(?:新)?(?:公司|单位|东家|雇主)(?:是|叫|换成了?|改成了?)(?P<o>{_ORG}){END}", WORKS_AT),
    slot_rule(
        "转换改",
        r"(?:我)?(?:转岗|换岗|调岗|内部转岗|转行|改行|换工作|跳槽|调动)(?:了)?(?:，|：|—+)?(?:现在|这次)?"
        r"(?:是)?(?:从|由)"
        rf"(?P<f>[^，。]{{2,8}}?)(?:转|换|调|改|跳)(?:行|岗)?(?:到|成|做|去|为|当)(?:了)?"
        rf"(?P<o>[^，。]{{2,10}}?)(?:岗)?{END}",
        _JOB,
        _FORMER_JOB,
    ),
    slot_rule(
        "从由",
        r"(?:我)?(?:从|由)(?P<f>[^，。]{2,8}?)(?:转|换|调|改|升|提|晋升|转行|改行|转岗)(?:行|岗)?(?:到|成|做|"
        r"去|为|当|任)(?:了)?"
        rf"(?P<o>[^，。]{{2,10}}?)(?:岗)?{END}",
        _JOB,
        _FORMER_JOB,
    ),
    slot_rule(
        "当升提转改荣晋评聘做干",
        r"(?:我)?(?:当上|当选|升职?|升任|荣升|晋升|提拔|提|转正|转行|改行|转岗|聘|评上|竞聘上|被聘|被提拔|选上|"
        r"成|改做|改当|转做|转|做起|干起)"
        rf"(?:做|当|成|为|到|上|了|干|去){{0,4}}(?P<o>[^，。]{{2,12}}?)(?:了)?{END}",
        _JOB,
    ),
    slot_rule(
        "干做当教开跑",
        rf"(?:我)?(?:干|做|当)(?:了)?(?:快|近|整整|大半辈子|半辈子|一辈子|{DURATION})+(?:的)?(?P<o>[^，。]{{2,8}}?)，"
        r"?[^，。]{0,8}(?:退休|退了|不干|不做|转行|改行|辞|下岗|离开)",
        _NO_JOB,
    ),
    slot_rule("退", r"(?:我)?退休(?:之前|以前|前)(?:是|当|做|干)(?:个|一名|一个)?(?P<o>[^，。]{2,10}?)" + END, _NO_JOB),
    slot_rule(
        FORMERLY_CHARACTERS,
        rf"(?:我)?{FORMERLY_WITH_VERB}(?:是|当过|做过|干过|当|做|干)(?:个|一名|一个)?"
        r"(?P<o>[^，。]{2,10}?)" + END,
        _NO_JOB,
    ),
    slot_rule(
        "是在当做干", r"(?:我)?(?:现在|目前)?(?:是|当|做|干)(?:一?[名个位])?(?P<o>[^，。的]{2,10}?)(?:的)?" + END, _JOB
    ),
    slot_rule(
        "在",
        rf"(?:我)?(?:还|正|现)?在(?P<o>{_ORG})(?:读|念|上|学)(?:研|书|博|大[一二三四]|高[一二三]|初[一二三]|"
        rf"本科|硕士|博士|MBA|[一二三四五六]年级)",
        STUDIES_AT,
    ),
    slot_rule(
        "在",
        rf"(?:我)?(?:还|正|现)?在(?P<o>[^，。我你]{{2,6}}?)(?:读书|上学|留学|读研|读博|念书|上大学|读大学|"
        rf"念大学|读高中)(?:了)?{END}",
        Says(obj="o", relation="studies in", says="{s}在{o}上学。", clean=town, kind=EntityType.PLACE),
    ),
    slot_rule(
        "考录保进上读",
        rf"(?:我)?(?:考上|考进|考取|考到|录到|录取到|被(?=[^，。]{{2,10}}录取)|保研到|保送|保送到|保研去|升入|"
        rf"进|上|转学到|就读于?|读)(?:了)?(?P<o>{_ORG})(?:录取|的研究生|的研|的博士|了)?{END}",
        STUDIES_AT,
    ),
    slot_rule(
        "轮调借",
        rf"(?:我)?(?:被)?(?:轮岗|调动|调|借调|派|转正|分配|下放|调任)(?:到|去|至)(?:了)?(?P<o>{_ORG}){END}",
        _WORKS,
    ),
    slot_rule(
        "读",
        rf"(?:我)?(?:本科|研究生|硕士|博士|大学|高中)(?:是)?在(?P<o>{_ORG})(?:读|念|上)的?{END}",
        Says(
            obj="o",
            relation="studies at",
            says="{s}在{o}读过书。",
            clean=school,
            kind=EntityType.ORGANIZATION,
            closes=True,
        ),
    ),
    slot_rule(
        "备准",
        rf"(?:我)?(?:在|正在)(?:准备|备战|备考)(?P<o>[^，。我你]{{2,8}}?)(?:考试)?{END}",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="goal",
            says="{s}在准备{o}。",
            clean=exam,
            kind=EntityType.ACTIVITY,
        ),
    ),
    slot_rule(
        "自跟",
        rf"(?:我)?(?:在|正在|开始|一直)?(?:自学|跟[^，。]{{1,14}}学)(?P<o>[^，。我你他她]{{2,6}}?)"
        rf"(?:{DURATION})?(?:的)?(?:了)?{END}",
        STUDIES,
    ),
    slot_rule(
        "给",
        rf"(?:我)?(?:现在)?(?:在)?给(?:一[家个])?(?P<w>{_ORG})(?:做|当|干)(?P<o>[^，。]{{2,8}}?){END}",
        _JOB,
        Says(
            obj="w",
            relation="works at",
            says="{s}在{o}工作。",
            clean=any_employer,
            kind=EntityType.ORGANIZATION,
            needed=False,
        ),
    ),
)
