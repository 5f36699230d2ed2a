"""Chinese slot rules for family, ages and pets."""

from typing import Final

from extraction.rules.zh.slot_cleaners import any_name, person, pet_name, thing, value, years
from extraction.rules.zh.slots import ME, Says, SlotRule, slot_rule
from extraction.rules.zh.statements import (
    ENGAGED,
    HAS_AGE,
    IS_NAMED,
    MARRIED,
    PET_IS_NAMED,
)
from extraction.rules.zh.word_classes import ADV, DURATION, END, KINS, MEASURE, NAME, NUMBER, PET
from schema.entity import EntityType

# Family

_WITH: Final = r"(?:和|跟|与|同)"
_PERSON: Final = EntityType.PERSON
_MARRIED: Final = Says(
    obj="n", relation="married to", says="{s}和{o}结婚了。", clean=person, kind=_PERSON, strength=0.9
)
_ENGAGED: Final = Says(
    obj="n", relation="engaged to", says="{s}和{o}订婚了。", clean=person, kind=_PERSON, strength=0.9
)
_PARTNER: Final = Says(obj="n", relation="partner", says="{s}在和{o}谈恋爱。", clean=person, kind=_PERSON, strength=0.8)
_PARTNER_NAMED: Final = Says(
    obj="n", relation="partner", says="{s}在和{o}谈恋爱。", clean=any_name, kind=_PERSON, strength=0.8
)
_DIVORCED: Final = Says(
    obj="n", relation="divorced from", says="{s}和{o}离婚了。", clean=person, kind=_PERSON, strength=0.9
)
_MARRIAGE_ENDED: Final = Says(
    obj="n", relation="married to", says="{s}和{o}离婚了。", clean=person, kind=_PERSON, strength=0.9, closes=True
)
_PARTED: Final = Says(obj="n", relation="partner", says="{s}和{o}分手了。", clean=person, kind=_PERSON, closes=True)
_DONE: Final = (
    r"(?:已经|正式|刚刚|刚|终于|去年|今年|上周|上个?月|昨天|今天|前年|前几天|早就|都|也|和平|又|"
    r"[\d一二三四五六七八九十]{1,4}年(?:前)?){0,3}"
)
_CHILD: Final = r"(?:闺女|女儿|儿子|宝宝|宝贝|娃|千金|小子|双胞胎|男宝|女宝|男孩|女孩|大胖小子|小公主)"
FAMILY_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "求",
        rf"(?:他|她)?[^，。]{{0,6}}求(?:的|了)?婚(?:了)?，(?:我)?(?:已经|也|就)?(?:答应|同意|说了?好|点头)了?，(?:他|"
        rf"她|对方)"
        rf"(?:名?叫|是)(?P<n>{NAME})(?:，|{END})",
        Says(obj="n", relation="engaged to", says="{s}和{o}订婚了。", clean=person, kind=EntityType.PERSON, subject=ME),
        reads="whole",
    ),
    slot_rule(
        "不",
        rf"(?P<n>{NAME})(?:已经)?(?:不是|不再是)我(?:们)?(?:的)?(?P<k>{KINS})了",
        Says(
            obj="n",
            relation="{k}",
            says="{o}不再是{s}的{k}。",
            clean=any_name,
            kind=EntityType.PERSON,
            subject=ME,
            closes=True,
        ),
        reads="whole",
    ),
    slot_rule(
        "婚",
        rf"(?:我俩|我们|我|刚|已经|终于|正式){{0,2}}(?:订婚|订了婚|定亲)了，(?:他|她|对方|未婚夫|未婚妻|TA)"
        rf"(?:叫|是|名叫)(?P<n>{NAME})(?:，|{END})",
        ENGAGED,
    ),
    slot_rule(
        "婚证",
        rf"(?:我俩|我们|我|刚|已经|终于|正式){{0,2}}(?:结婚|领证|领了证)了，(?:他|她|对方|TA|新郎|新娘)(?:叫|"
        rf"是|名叫)(?P<n>{NAME})(?:，|{END})",
        MARRIED,
    ),
    slot_rule("离", rf"(?:我们?)?{_WITH}?(?P<n>{NAME})(?:{_DONE})(?:离的|离的婚|办的离婚)", _DIVORCED, _MARRIAGE_ENDED),
    slot_rule(
        "处谈交在",
        rf"(?:我们?)?{_WITH}?(?P<n>{NAME})(?:处|谈|在一起|交往|好)了?(?:{DURATION})?，(?:但|可|还是|最后|上周|"
        rf"上个?月|去年|前几天|昨天){{0,2}}(?:分|掰|散|吹|黄|断|分手|分开)了",
        _PARTED,
    ),
    slot_rule(
        "预",
        rf"(?:我)?(?:的)?预产期(?:是|在|：)?(?P<o>[^，。]{{2,8}}?){END}",
        Says(obj="o", relation="预产期", says="{s}的预产期是{o}。", clean=value),
    ),
    slot_rule(
        "叫",
        rf"(?:我)?(?:还|就)?有(?:一|个|一个|[两二三几]个|位)?(?:[^，。我你]{{0,3}}的)?(?P<k>{KINS})，?(?:他|"
        rf"她)?(?:叫|名叫|名字叫)(?P<n>{NAME})(?:，|{END})",
        IS_NAMED,
    ),
    slot_rule(
        "生添",
        rf"(?:{_DONE})生了，(?:是)?(?:个)?(?P<k>{_CHILD})，?(?:小名|取名|大名|名字|起名){{0,2}}(?:叫)?"
        rf"(?P<n>{NAME})(?:，|{END})",
        IS_NAMED,
    ),
    slot_rule(
        "认",
        rf"(?:我)?(?:{_DONE})认(?:了)?(?:个|一个)?(?P<k>干[女儿爹妈亲子]{{1,2}}|师父|师傅)，?(?:叫|名叫)"
        rf"(?P<n>{NAME})(?:，|{END})",
        IS_NAMED,
    ),
    slot_rule(
        "婚证妻偶",
        rf"(?:我们?)?{_WITH}?(?P<n>{NAME})(?:{_DONE})(?:是|成|成为|成了)(?:合法)?(?:夫妻|两口子|一家人)了{END}",
        _MARRIED,
    ),
    slot_rule("婚", rf"(?:我们?)?{_WITH}?(?P<n>{NAME})(?:{_DONE})(?:订婚|订了婚|定亲|订亲)了?{END}", _ENGAGED),
    slot_rule(
        "求",
        rf"(?:我)?(?P<n>{NAME})(?:{_DONE})(?:跟|向|和|对)我求婚了?，?(?:我)?(?:已经)?(?:答应|同意|说了?好|点头|"
        rf"说了愿意)",
        _ENGAGED,
    ),
    slot_rule(
        "求",
        rf"(?:我)?(?:{_DONE})(?:向|跟|对)(?P<n>{NAME})求婚(?:成功|了)，?(?:他|她)?(?:答应|同意|点头|说了?好|说了愿意)",
        _ENGAGED,
    ),
    slot_rule(
        "离分",
        rf"(?:我们?)?{_WITH}?(?P<n>{NAME})(?:的)?(?:{_DONE})(?:离婚|离了婚|离了|办了离婚|领了离婚证|协议离婚)"
        rf"(?:手续|冷静期|证|了|的)?",
        _DIVORCED,
        _MARRIAGE_ENDED,
    ),
    slot_rule(
        "分掰散吹断",
        rf"(?:我们?)?{_WITH}?(?P<n>{NAME})(?:{_DONE})(?:分手|分开|分了|掰了|散了|吹了|断了|黄了|"
        rf"拜拜)(?:了)?(?:快)?(?:{DURATION})?{END}",
        _PARTED,
    ),
    slot_rule(
        "证婚",
        rf"(?:我们?)?{_WITH}(?P<n>{NAME})(?:{_DONE})(?:领证|领了证|领完证|扯证|扯了证|登记结婚|结婚|结了婚|办了?婚礼|"
        rf"登记)(?:了|{DURATION}){{0,4}}{END}",
        _MARRIED,
    ),
    slot_rule("复", rf"(?:我们?)?{_WITH}?(?P<n>{NAME})(?:{_DONE})复合(?:了)?{END}", _PARTNER),
    slot_rule("嫁娶", rf"(?:我)?(?:{_DONE})(?:嫁给|娶)(?:了)?(?P<n>{NAME})(?:了)?{END}", _MARRIED),
    slot_rule(
        "恋对单处朋友",
        rf"(?:我)?(?:{_DONE})(?:谈恋爱|恋爱|脱单|脱单啦|有对象|找到对象|交(?:了)?男朋友|交(?:了)?女朋友|处对象|"
        rf"处(?:了)?(?:个|一个)?对象|谈(?:了)?(?:个|一个)?(?:对象|男朋友|女朋友))(?:了|啦){{0,4}}，(?:他|她|"
        rf"对方|对象|男方|女方|男朋友|女朋友|人|名字|TA|ta){{0,4}}(?:叫|是|名叫)(?P<n>{NAME})(?:，|{END})",
        _PARTNER_NAMED,
    ),
    slot_rule(
        "在谈交恋处",
        rf"(?:我)?(?:{_DONE})(?:在)?{_WITH}(?P<n>{NAME})(?:{_DONE})(?:在一起|交往|谈恋爱|恋爱|处对象|确定关系|"
        rf"确定了关系|好上|谈上|拍拖|处着|约会)(?:了|中|呢|{DURATION}|快){{0,4}}{END}",
        _PARTNER,
    ),
    slot_rule(
        "谈",
        rf"(?:我)?(?:{_DONE})谈(?:了)?(?:个|一个)?(?:对象|男朋友|女朋友|恋爱)，?叫(?P<n>{NAME})(?:，|{END})",
        _PARTNER_NAMED,
    ),
    slot_rule(
        "添生有得",
        rf"(?:我|家|家里|俩|两口子|夫妻){{0,4}}(?:{_DONE})(?:添|生|有|得|迎来)(?:了)?(?:个|一个|一对|二胎|"
        rf"老二)?(?P<k>{_CHILD})(?:了|啦)?(?:，|,)?(?:的)?(?:小名|大名|取名|起名|名字|名|就|给|孩子|"
        rf"宝宝){{0,4}}(?:是|叫|为|取名叫|叫做)?(?!{KINS})(?P<n>{NAME}){END}",
        IS_NAMED,
    ),
    slot_rule(
        "姓",
        rf"(?:我)?(?:的)?(?P<k>{KINS}|先生)姓(?P<n>[\u4e00-\u9fff])(?:，|{END})",
        Says(obj="n", relation="{k}", says="{s}的{k}姓{o}。", clean=any_name, kind=_PERSON),
        reads="whole",
    ),
    slot_rule(
        "叫",
        rf"(?:我)?(?:的)?(?P<k>{KINS})(?:的)?(?:小名|大名|名字|网名)?(?:就)?叫(?:做)?(?P<n>{NAME})(?:，|{END})",
        IS_NAMED,
        reads="whole",
    ),
    slot_rule(
        "前离",
        r"(?:我)?(?:和|跟|与)(?P<n>前夫|前妻)[^，。]{0,12}(?:手续|离|证|法院|孩子|抚养)",
        Says(obj="n", relation="divorced from", says="{s}和{o}离婚了。", clean=value, kind=_PERSON),
        reads="whole",
    ),
    slot_rule(
        "去过离不",
        rf"(?:{ADV})(?:去世|过世|离世|病逝|不在了|不在人世)(?:了)?(?:{DURATION})?(?:了)?{END}",
        Says(obj="=去世", relation="is", says="{s}去世了。", clean=value),
    ),
)


# Ages

AGE_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "岁月",
        rf"(?:今年|快|刚|已经|才|都|马上|虚岁|周岁|满|刚满|才满|现在|也|就|是|要|年龄|个){{0,4}}(?P<o>{NUMBER}"
        rf"(?:周)?岁(?:半|多|零?{NUMBER}个?月)?|{NUMBER}个(?:半)?月)(?:了|啦|大|整|出头|多){{0,3}}(?=$|"
        rf"[，。！,；、])",
        HAS_AGE,
    ),
    slot_rule(
        "今",
        rf"(?:我)?今年(?:都|刚|就|正好|虚岁|已经|整|刚好|快)?(?P<o>"
        rf"(?:[二三四五六七八九]?十[一二三四五六七八九]?|[1-9]\d))(?:了|整)?{END}",
        HAS_AGE,
        reads="dated",
    ),
    slot_rule(
        "年",
        r"(?:我)?(?:是|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]，?){0,2}(?P<o>(?:(?:19|20)?\d\d|"
        r"[五六七八九零〇][〇零一二三四五六七八九])年)(?:的|生的?|出生的?|生人|"
        r"属[鼠牛虎兔龙蛇马羊猴鸡狗猪]的?)(?:$|[，。！])",
        Says(obj="o", relation="born on", says="{s}{o}出生。", clean=value, kind=EntityType.TIME),
    ),
    slot_rule(
        "生",
        r"(?:我)?(?:的)?(?:阳历|阴历|农历|公历)?生日(?:是|在|就是|：){0,2}(?P<o>(?:农历|阴历)?(?:\d{1,2}|"
        r"[一二三四五六七八九十腊正]{1,2})月(?:\d{1,2}|[初一二三四五六七八九十廿]{1,3})[号日]?)",
        Says(obj="o", relation="born on", says="{s}的生日是{o}。", clean=value, kind=EntityType.TIME),
    ),
    slot_rule(
        "满都整刚",
        r"(?:今年|明年|过完年|下个月|这个月|上个月)?(?:我)?(?:刚|也|就)?(?:正好|整|满|都|刚好|刚满)(?P<o>"
        r"(?:[二三四五六七八九]?十[一二三四五六七八九]?|[1-9]\d))(?:岁)?(?:了|整)?" + END,
        HAS_AGE,
        reads="dated",
    ),
    slot_rule(
        "十123456789",
        rf"(?:我)?(?:的)?(?P<k>{KINS})(?:今年|都|也|已经|快|马上|虚岁){{0,2}}"
        rf"(?P<o>[二三四五六七八九]?十[一二三四五六七八九]?|[1-9]\d)(?:多)?(?:了)?{END}",
        Says(obj="o", subject="k", relation="has age", says="{s}{o}岁。", clean=years, kind=EntityType.TIME),
        reads="whole",
    ),
    slot_rule(
        "十",
        r"(?P<o>[二三四五六七八九]十[一二三四五六七八九]?)(?:岁)?了(?:还|也|都|仍)",
        HAS_AGE,
    ),
    slot_rule("生", rf"(?:我)?(?:{ADV})过(?:完|了)?(?P<o>{NUMBER}岁)(?:的)?(?:大寿|生日|寿)", HAS_AGE),
    slot_rule(
        "十123456789",
        rf"我(?:都|也|已经|今年|刚)?(?P<o>[二三四五六七八九]十[一二三四五六七八九]?|[2-9]\d)(?:了|岁|岁了)?{END}",
        HAS_AGE,
        reads="whole",
    ),
)


# Pets

_HAS_PET: Final = Says(obj="o", relation="has", says="{s}养了{o}。", clean=thing, kind=EntityType.ANIMAL)
_NO_LONGER_HAS_PET: Final = Says(
    obj="o", relation="has", says="{s}不再有{o}。", clean=thing, kind=EntityType.ANIMAL, closes=True
)
PET_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "养",
        rf"(?:我)?(?:们)?(?:家)?养了(?:快)?{DURATION}的(?P<o>[\u4e00-\u9fff]{{0,2}}?{PET}){ADV}(?:死|走|没|丢|走丢|"
        rf"跑丢|病死|老死)了(?:，|{END})",
        _NO_LONGER_HAS_PET,
    ),
    slot_rule(
        "走死没丢去",
        rf"(?:我)?(?:们)?(?:家)?(?:里)?(?:的|养的|那[只条])?(?:小|老)?(?P<k>{PET})(?P<n>[\u4e00-\u9fff]{{2,3}}?|"
        rf"[A-Z][a-z]+){ADV}"
        rf"(?:送人|送走|走了|去世|死|没了|跑丢|走丢|丢|老死|病死|去(?:了)?(?:汪|喵)星|回(?:了)?(?:汪|喵)星|"
        rf"安乐死)(?:了)?(?:，|{END})",
        Says(obj="n", relation="{k}", says="{o}以前是{s}的{k}。", clean=pet_name, kind=EntityType.ANIMAL, closes=True),
    ),
    slot_rule(
        "叫",
        rf"(?:我)?(?:家)?(?:里)?(?:的|那只|养的|那条)?(?P<k>{PET})[^，。叫]{{1,10}}，(?:它|名字|大名|小名)?"
        rf"(?:就)?叫(?P<n>{NAME})(?:，|{END})",
        PET_IS_NAMED,
    ),
    slot_rule(
        "被",
        rf"(?:[^，。我你他她]{{0,5}}?)(?P<o>{PET})被我(?:们)?(?:收编|领养|捡回家|捡了|捡|收养|带回家)(?:了)?{END}",
        _HAS_PET,
    ),
    slot_rule(
        "捡领抱买收",
        rf"(?:我)?(?:[^，。我你他她]{{0,6}})?(?:捡|领|领养|抱|买|收养|收编|带)(?:回|到)?(?:了|来|回来|家)"
        rf"(?:{MEASURE})?(?:[^，。我你他她它]{{0,4}}的)?(?P<k>[\u4e00-\u9fff]{{0,2}}?{PET})，(?:我们?|我)?"
        rf"(?:给(?:它|她|他))?(?:取名|起名|命名|名字|叫){{1,2}}(?:叫|为|是)?(?P<n>{NAME})(?:，|{END})",
        PET_IS_NAMED,
    ),
    slot_rule(
        "养",
        rf"(?:我)?(?:家)?(?:那|的)?(?:{MEASURE})?(?P<k>{PET})养了(?:快)?{DURATION}(?:了)?，(?:它|名字|大名)?叫"
        rf"(?P<n>{NAME})(?:，|{END})",
        PET_IS_NAMED,
    ),
    slot_rule(
        "送托寄",
        rf"(?:我)?(?:把)?(?:家里的?|我的|我家的?)?(?P<o>{PET})(?:送|托|寄养|送养)(?:回|到|去|给|"
        rf"在)[^，。]{{1,10}}(?:养)?了{END}",
        _NO_LONGER_HAS_PET,
    ),
    slot_rule(
        "领",
        rf"(?:我)?(?:领|抱)(?:了|回|回了|养了)(?P<o>{MEASURE}?[\u4e00-\u9fff]{{0,3}}?{PET})(?:回家|回来)?{END}",
        _HAS_PET,
    ),
    slot_rule(
        "叫名",
        rf"(?:我)?(?:家)?(?:里)?(?:的)?(?:养的?|领养的?|收养的?|捡的?|接|买|带回|有)?(?:了|着|回来|来|"
        rf"家){{0,4}}(?:那|这|一|两)?(?:{MEASURE})?(?:[^，。我你他她它]{{0,4}}的)?"
        rf"(?P<k>[\u4e00-\u9fff]{{0,2}}?{PET})(?:，|,)?(?:今天|给|它|大名|小名|名字|我们|我|就|起名|取名|"
        rf"起了?个?名字?|取了?个?名字?|名){{0,4}}(?:叫|是叫|叫做|为)(?P<n>{NAME})(?:，|{END})",
        PET_IS_NAMED,
    ),
    slot_rule(
        "养领收捡接带抱",
        rf"(?:我)?(?:家)?(?:里)?(?:刚|新|又|还|前几天|上周|最近|一直){{0,2}}(?:养|领养|收养|捡|接|带|抱|买|救|"
        rf"收编)(?:了|着|的是|回来?|到|来)+(?P<o>(?:{MEASURE})?"
        rf"(?:[^，。我你他她它]{{0,4}}的)?[\u4e00-\u9fff]{{0,3}}?{PET})(?:，|回家|回来|{END})",
        _HAS_PET,
    ),
    slot_rule(
        "送走死没丢",
        rf"(?:我)?(?:家)?(?:里)?(?:的)?(?:把)?(?:那|养的)?(?:{MEASURE})?(?P<o>[\u4e00-\u9fff]{{0,2}}?{PET})"
        rf"{ADV}(?:送人|送走|送给[^，。]{{1,8}}|"
        rf"走了|去世|死|没了|跑丢|走丢|丢|老死|病死|去(?:了)?(?:汪|喵)星|回(?:了)?(?:汪|喵)星|安乐死|离开我)"
        rf"(?:了)?(?:，|{END})",
        _NO_LONGER_HAS_PET,
    ),
    slot_rule(
        "岁",
        rf"(?:我)?(?:家)?(?:里)?(?:的)?(?P<n>{PET})(?:今年|已经|都|快)?(?P<o>{NUMBER}(?:岁|个月)(?:半|多)?)"
        rf"(?:了|大){{0,4}}{END}",
        Says(obj="o", subject="n", relation="has age", says="{s}{o}。", clean=years),
    ),
)
