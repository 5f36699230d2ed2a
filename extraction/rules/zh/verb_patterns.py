"""Chinese slot rules for a verb after its adverbials: `周一晚上我都跟小伊去攀岩`, `公司给我配了台MacBook`.

They match the text after time, frequency and company (`adverbials`); some require that the clause says how often.
"""

import re
from typing import Final

from extraction.rules.zh.health_patterns import SUFFERS_FROM
from extraction.rules.zh.slot_cleaners import (
    any_employer,
    any_name,
    illness,
    liked,
    listed_town,
    owned,
    plan,
    school,
    taste,
    value,
    verb_first,
)
from extraction.rules.zh.slots import ME, Says, SlotRule, slot_rule
from extraction.rules.zh.statements import IS_NAMED, STUDIES, VALUE_IS
from extraction.rules.zh.word_classes import AMOUNT, DATE, DEVICE, DURATION, END, KINS, MAKE, MEASURE, NAME, NUMBER
from extraction.text.lexicon_zh import SUBJECTS
from schema.entity import EntityType

# Habits

# Activities that people choose; what they must do, such as 加班 or 接孩子, says nothing about their tastes.
_ACTIVITY_WORDS: Final = (
    "瑜伽 普拉提 游泳 跑步 夜跑 晨跑 慢跑 健身 撸铁 攀岩 爬山 登山 徒步 露营 骑车 骑行 打球 打篮球 打羽毛球 打乒乓球 "
    "打网球 打排球 "
    "打台球 打高尔夫 打麻将 打扑克 打牌 打太极 打坐 打游戏 踢球 踢足球 踢毽子 踢五人制 钓鱼 画画 写字 练字 书法 "
    "写日记 写作 唱歌 "
    "唱K 跳舞 跳绳 跳操 跳广场舞 广场舞 下棋 下象棋 下围棋 太极 太极拳 八段锦 冥想 烘焙 烤面包 烤饼干 做蛋糕 做甜点 "
    "做陶艺 陶艺 "
    "做手工 做手账 做木工 种花 种菜 养花 做义工 做志愿者 当志愿者 看书 看电影 看展 看话剧 看脱口秀 听播客 听书 "
    "听音乐 听相声 "
    "泡澡 泡脚 泡温泉 汗蒸 逛公园 逛菜市场 逛书店 滑雪 滑冰 滑板 轮滑 冲浪 潜水 划船 射箭 击剑 拳击 柔道 跆拳道 飞盘 "
    "桌游 "
    "剧本杀 摄影 拍照 观鸟 织毛衣 刺绣 弹琴 弹钢琴 弹吉他 拉小提琴 拉二胡 吹笛子"
)
_ACTIVITY: Final = "(?:" + "|".join(sorted(_ACTIVITY_WORDS.split(), key=len, reverse=True)) + ")"
# 游两次泳, 跑三次步
_SPLIT_VERBS: Final = ("游泳", "跑步", "健身", "爬山", "打球", "踢球", "跳舞", "钓鱼", "骑车", "攀岩")
_ENJOYS_OFTEN: Final = Says(obj="o", predicate="PREFERS", says="{s}经常{o}。", clean=liked, strength=0.6)
_NO_FOOD: Final = re.compile(
    r"药|片$|粒|胶囊|饭$|顿|水$|外卖|食堂|泡面|剩|亏|苦|力|醋|惊|完|掉|那|这|什么|点东西|东西$|早餐$|午餐$|晚餐$|"
    r"早点$|宵夜$|"
    r"素$|奶粉|一口|不"
)


def _food(text: str) -> str | None:
    """Return food or a drink that somebody has as a habit; None for medicine and meals."""
    name = taste(text)
    return name if name and len(name) <= 8 and not _NO_FOOD.search(name) else None


_NO_VENUE: Final = re.compile(r"家$|家里|外面|公园|小区|楼下|学校|公司|单位|线上|网上|附近|门口|操场|哪|[我你他她这那]")


def _venue(text: str) -> str | None:
    """Return the name of a place that somebody goes to regularly."""
    name = value(text)
    return name if name and 2 <= len(name) <= 12 and not _NO_VENUE.search(name) else None


HABIT_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "义志",
        r"(?:去|在|给|到)(?P<o>[^，。]{2,12}?)(?:做|当)(?:义工|志愿者|志愿服务)" + END,
        Says(obj="o", relation="volunteers at", says="{s}在{o}做义工。", clean=_venue, kind=EntityType.ORGANIZATION),
        reads="verb",
    ),
    slot_rule(
        "健锻撸",
        rf"在(?P<o>[^，。]{{2,10}}?)(?:健身|锻炼|撸铁)(?:了)?(?:{DURATION})?{END}",
        Says(obj="o", relation="works out at", says="{s}在{o}健身。", clean=_venue, kind=EntityType.ORGANIZATION),
        reads="verb",
    ),
    slot_rule(
        "队",
        rf"(?:在|给|替)(?P<o>[^，。]{{1,8}}队)(?:踢|打|效力)[^，。]{{0,6}}{END}",
        Says(obj="o", relation="plays for", says="{s}为{o}打球。", clean=any_name, kind=EntityType.ORGANIZATION),
        reads="verb",
    ),
    *(
        slot_rule(
            word[0],
            rf"{word[0]}(?:个|上)?{NUMBER}[次回趟个][^，。]{{0,2}}{word[1:]}{END}",
            Says(obj=f"={word}", predicate="PREFERS", says="{s}经常{o}。", clean=liked, strength=0.6),
            reads="verb",
            often=True,
        )
        for word in _SPLIT_VERBS
    ),
    slot_rule(
        "".join(dict.fromkeys(_ACTIVITY_WORDS.replace(" ", ""))),
        rf"(?:去|来|做|练|打|学|到[^，。]{{1,6}}|在[^，。]{{1,8}}?)?(?:一?会儿?|半个?小时|{NUMBER}个?(?:小时|分钟)|"
        rf"[个点])?(?P<o>{_ACTIVITY})"
        rf"(?:一?会儿?|半个?小时|{NUMBER}个?(?:小时|分钟))?{END}",
        _ENJOYS_OFTEN,
        reads="verb",
        often=True,
    ),
    slot_rule(
        "菜",
        r"(?:做|炒|烧)(?P<o>[\u4e00-\u9fff]{1,4}菜)" + END,
        _ENJOYS_OFTEN,
        reads="verb",
        often=True,
    ),
    slot_rule(
        "吃喝点",
        rf"(?:会|要|爱|来|先|习惯)?(?P<v>吃|喝|点)(?:一?[杯碗份个盘根块]|"
        rf"半[杯碗份个])?(?P<o>[^，。！？；：、\s我你您他她它]{{1,8}}?){END}",
        Says(obj="o", predicate="PREFERS", says="{s}经常{v}{o}。", clean=_food, strength=0.6),
        reads="verb",
        often=True,
    ),
    slot_rule(
        "多主",
        rf"(?:听|看|玩|吃|喝|穿|用)(?P<o>[^，。！？；：、\s我你您他她它]{{1,8}}?)(?:的时候)?(?:比较多|更多|居多|"
        rf"为主){END}",
        Says(obj="o", predicate="PREFERS", says="{s}喜欢{o}。", clean=liked, strength=0.6),
        reads="verb",
    ),
    slot_rule(
        "起",
        r"(?P<o>(?:凌晨|早上|清晨)?[一二三四五六七八九十\d]{1,2}(?:点(?:半|一刻|\d{1,2}分?|[一二三四五]?十[五分]?)?|"
        r":\d\d))"
        r"(?:就|才|左右|多)*(?:起床?|起来)" + END,
        Says(obj="o", relation="wakes up at", says="{s}{o}起床。", clean=value, kind=EntityType.TIME),
        reads="verb",
        often=True,
    ),
    slot_rule(
        "睡",
        r"(?P<o>(?:凌晨|晚上|夜里|半夜)?[一二三四五六七八九十\d]{1,2}(?:点(?:半|一刻|\d{1,2}分?|"
        r"[一二三四五]?十[五分]?)?|:\d\d))"
        r"(?:就|才|左右|多|准时)*(?:睡觉?|上床)" + END,
        Says(obj="o", relation="goes to bed at", says="{s}{o}睡觉。", clean=value, kind=EntityType.TIME),
        reads="verb",
        often=True,
    ),
    slot_rule(
        "班学勤",
        r"(?P<o>坐(?:地铁|公交车?|班车|高铁|轻轨|校车)|骑(?:车|电动车|电瓶车|自行车|共享单车|摩托车?)|开车|走路|走着|"
        r"步行|打车|拼车)"
        r"(?:去)?(?:上下班|上班|上学|通勤)" + END,
        Says(obj="o", relation="commutes by", says="{s}{o}上班。", clean=value),
        reads="verb",
    ),
)


# People and what they have

_BONDS: Final = (
    r"(?:大学同学|高中同学|初中同学|小学同学|大学室友|研究生同学|前同事|老同学|老朋友|好朋友|好姐妹|好兄弟|"
    r"最好的朋友|同学|同事|朋友|"
    r"闺蜜|发小|死党|老乡|邻居|室友|舍友|战友|队友|球友|同桌|搭档|合伙人|师兄弟|师姐妹|表兄弟|堂兄弟|双胞胎)"
)
_OF_BOND: Final = rf"(?:{DURATION}的|多年的?|以前的?|从小的?)?(?P<k>{_BONDS}){END}"
_ZODIAC: Final = r"(?:白羊|牡羊|金牛|双子|巨蟹|狮子|处女|天秤|天平|天蝎|射手|人马|摩羯|魔羯|水瓶|双鱼)座"
_AIDS: Final = (
    r"(?:助听器|眼镜|近视镜|老花镜|隐形眼镜|牙套|假牙|轮椅|心脏起搏器|起搏器|"
    r"护腰|护膝|拐杖|呼吸机|假肢|支架|心脏支架|人工耳蜗|OK镜)"
)
_GIVERS: Final = rf"(?:我(?:的|们)?)?(?:{KINS}|[爸妈哥姐弟妹]|公司|单位|学校|部门|朋友们?|同事们?|老板|领导)"
_BIG_MEASURE: Final = r"(?:一|两|三|那|这)?(?:台|辆|部|把|张|块|副|双|件|套|架|条|只|支|款)"
_GIFT: Final = rf"(?:{_BIG_MEASURE}[^，。]{{1,12}}?|[^，。]{{0,6}}?{DEVICE})"
_NO_GIFT: Final = re.compile(r"照片|图片?$|截图|红包|短信|信$|链接|名片|纸条?$|发票|假条|票$|表$|碗|桌")


def _gift(text: str) -> str | None:
    """Return a lasting thing that somebody was given."""
    name = owned(text)
    return name if name and not _NO_GIFT.search(name) else None


_HAS_GIFT: Final = Says(obj="o", subject=ME, relation="has", says="{s}有{o}。", clean=_gift, kind=EntityType.THING)
_GRADE: Final = (
    r"(?:(?:小学)?[一二三四五六]年级|小学|初中|高中|初[一二三]|高[一二三]|大[一二三四]|研[一二三]|博[一二三四]|"
    r"幼儿园(?:[小中大]班)?|"
    r"[小中大]班|学前班|托班|托儿所|毕业班)"
)
_USES_DEVICE: Final = Says(obj="o", relation="has", says="{s}用{o}。", clean=value, kind=EntityType.THING)
LIFE_SLOT_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "是",
        rf"我(?:们俩)?(?:跟|和|与)(?P<n>{NAME})(?:就|都|算)?是{_OF_BOND}",
        IS_NAMED,
        reads="whole",
    ),
    slot_rule(
        "是",
        rf"(?P<n>{NAME})(?:跟|和|与)我(?:就|都|算)?是{_OF_BOND}",
        IS_NAMED,
        reads="whole",
    ),
    slot_rule(
        "纪",
        r"(?:的)?(?P<k>(?:结婚|恋爱|相识)?纪念日)(?:是|在|就是|"
        r"就在)+(?P<o>(?:农历)?[\d一二三四五六七八九十]{1,3}月[\d初一二三四五六七八九十廿]{1,3}[号日]?)",
        Says(obj="o", relation="{k}", says="{s}的{k}是{o}。", clean=value, kind=EntityType.TIME),
        reads="verb",
    ),
    slot_rule(
        "给",
        rf"{_GIVERS}[^，。我你给]{{0,6}}给我(?:新|重新)?(?:配|发|买|换|装|织|寄|送|留)(?:回|来|"
        rf"下)?了(?P<o>{_GIFT}){END}",
        _HAS_GIFT,
        reads="whole",
    ),
    slot_rule(
        "把",
        rf"{_GIVERS}[^，。我你把]{{0,6}}把(?:她|他|自己|家里)?(?:的)?(?:以前)?(?P<o>{_GIFT})(?:都|也)?(?:送|给|留|传|"
        rf"让|转)给?我(?:用|开|骑|穿|戴)?了{END}",
        _HAS_GIFT,
        reads="whole",
    ),
    slot_rule(
        "戴配装用坐拄",
        rf"(?:要|得|开始|需要)?(?:戴|配|装|用|坐|拄)(?:了|着|上)?{MEASURE}?(?P<o>{_AIDS}){END}",
        _USES_DEVICE,
        reads="verb",
    ),
    slot_rule(
        "座",
        rf"(?:是)?(?:个|典型的?)?(?P<o>{_ZODIAC})(?:的)?{END}",
        Says(obj="o", relation="星座", says="{s}是{o}。", clean=value),
        reads="verb",
    ),
    slot_rule(
        "属",
        r"(?:是)?属(?P<o>[鼠牛虎兔龙蛇马羊猴鸡狗猪])(?:的)?" + END,
        Says(obj="o", relation="属相", says="{s}属{o}。", clean=value),
        reads="verb",
    ),
    slot_rule(
        "用",
        rf"用(?:的是)?(?:{MEASURE})?(?P<o>{MAKE}[A-Za-z\d ]{{0,12}}[^，。的拍充打写付看]{{0,4}}?)(?:手机|电脑|"
        rf"笔记本)?{END}",
        _USES_DEVICE,
        reads="verb",
    ),
    slot_rule(
        "资薪租供贷",
        rf"(?:一个月|每个?月|每月)?(?:的)?(?P<k>工资|月薪|年薪|薪水|房租|月租|月供|房贷|车贷|退休金|生活费|零花钱)"
        rf"(?:是|一个月|每个?月|每月|一年|大概|差不多|才|要|有|只有|现在|到手|又?涨到了?|又?降到了?){{0,3}}"
        rf"(?P<o>{AMOUNT}(?:一个?月|一年)?)(?:左右|出头|多)?{END}",
        VALUE_IS,
        reads="verb",
    ),
    slot_rule(
        "住在",
        rf"(?:住(?:在|的是)?|(?:的)?(?:家|房子|新房|新家)(?:就)?在)(?P<o>第?[\d一二三四五六七八九十]{{1,3}}[楼层]|"
        rf"[顶底]楼|顶层){END}",
        Says(obj="o", relation="lives on", says="{s}住{o}。", clean=value),
        reads="verb",
    ),
    slot_rule(
        "是",
        rf"是(?P<o>[^，。我你的]{{2,6}})的{END}",
        Says(obj="o", relation="is from", says="{s}来自{o}。", clean=listed_town, kind=EntityType.PLACE),
        reads="verb",
    ),
    slot_rule(
        "宽网WwF卡",
        rf"(?:我)?(?:们)?(?:家)?(?:里)?(?:的)?(?P<k>宽带|[Ww]i-?[Ff]i|网络?|手机卡|电话卡)(?:用的|办的)?(?:是|"
        rf"换成了?)(?P<o>(?:中国)?(?:电信|移动|联通|广电))(?:的)?{END}",
        VALUE_IS,
        reads="verb",
    ),
    slot_rule(
        "名号",
        r"(?:的)?(?P<k>英文名字?|外号|绰号|艺名|笔名)(?:就|一直)?(?:叫|是)(?P<o>[A-Za-z][A-Za-z ]{1,15}|"
        r"[\u4e00-\u9fff]{2,6})" + END,
        Says(obj="o", relation="{k}", says="{s}的{k}叫{o}。", clean=any_name),
        reads="verb",
    ),
    # Health
    slot_rule(
        "年月",
        rf"(?:的)?(?P<o>[^，。我你是的]{{2,8}}?)(?:已经|都|快|有){{0,2}}{DURATION}(?:了)?{END}",
        SUFFERS_FROM,
        reads="verb",
    ),
    *(
        slot_rule(
            "高",
            rf"(?:的)?{word}(?:有点|有些|偏|一直|比较|特别|很|挺|总|老){{0,2}}高{END}",
            Says(obj=f"=高{word}", relation="has", says="{s}有{o}。", clean=illness, kind=EntityType.TOPIC),
            reads="verb",
        )
        for word in ("血压", "血脂", "血糖", "尿酸")
    ),
    slot_rule(
        "犯",
        rf"(?:的)?(?:老毛病)?(?P<o>[^，。我你是的]{{2,8}}?)(?:老是?|经常|总是?|又|时不时)?犯(?:了|病)?{END}",
        SUFFERS_FROM,
        reads="verb",
    ),
    slot_rule(
        "素",
        rf"(?P<o>吃(?:全|纯|长)?素)(?:{DURATION})?{END}",
        Says(obj="o", relation="is", says="{s}{o}。", clean=value, kind=EntityType.TOPIC),
        reads="verb",
    ),
    # School and work
    slot_rule(
        "上读念",
        rf"(?:在(?P<w>[^，。我你]{{2,10}}?))?在?(?:上|读|念|就读)(?P<o>{_GRADE}){END}",
        Says(obj="o", relation="grade", says="{s}上{o}。", clean=value),
        Says(
            obj="w",
            relation="studies at",
            says="{s}在{o}上学。",
            clean=school,
            kind=EntityType.ORGANIZATION,
            needed=False,
        ),
        reads="verb",
    ),
    slot_rule(
        "带教",
        rf"(?:带|教)(?:的是)?{_GRADE}(?:的)?(?:班|语文|数学|英语|物理|化学|生物|历史|地理|政治)?(?:{DURATION})?{END}",
        Says(obj="=老师", relation="works as", says="{s}是{o}。", clean=value),
        reads="verb",
    ),
    slot_rule(
        "学",
        rf"在(?P<w>[^，。我你]{{2,8}}?)(?<![上放开大同入留小中文科数化教自])学(?P<o>会计|(?![到了过得完的])[^，。我你校习会]{{2,6}}?)(?:{DURATION})?{END}",
        STUDIES,
        reads="verb",
    ),
    slot_rule(
        "学",
        rf"(?:在|正在|开始|刚开始|想着)学(?P<o>会计|[^，。我你校习会着]{{2,6}}?)(?:了)?(?:{DURATION})?{END}",
        STUDIES,
        reads="verb",
    ),
    slot_rule(
        "读念学",
        rf"(?:在|正在)(?:读|念|学|修)(?P<o>{'(?:' + '|'.join(SUBJECTS) + ')'})(?:专业|硕士|博士|本科|的)?{END}",
        STUDIES,
        reads="verb",
    ),
    slot_rule(
        "开",
        rf"(?:在(?P<w>[^，。我你]{{2,8}}?))?(?:自己)?开(?:了)?(?:一?[家个间])?(?P<o>[^，。我你]{{0,6}}(?:店|馆|厂|"
        rf"公司|工作室|民宿|诊所|铺子?|餐厅|超市|网店|"
        rf"画室|琴行|修车厂|理发店|农家乐)){END}",
        Says(obj="o", relation="runs", says="{s}开{o}。", clean=any_employer, kind=EntityType.ORGANIZATION),
        reads="verb",
    ),
)


# Plans

_AHEAD: Final = r"(?:高考|中考|考研|小升初|上小学|上初中|上高中|上大学|上幼儿园)"
_LATER: Final = r"(?:毕业|结婚|退休|出国|留学|生孩子|生二胎)"
INTENTION_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "考学毕结退国孩胎园中",
        rf"(?:我们?)?(?:(?:今年|下半年|明年|后年|下个?月|下学期|马上|快)(?:就|要|也|该){{0,2}}(?P<o>{_AHEAD})|"
        rf"(?:明年|后年|下个?月|下半年)(?:就|要|也|该|打算){{0,2}}(?P<o2>{_LATER}))(?:了)?{END}",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="plan",
            says="{s}将要{o}。",
            clean=value,
            kind=EntityType.ACTIVITY,
            needed=False,
        ),
        Says(
            obj="o2",
            predicate="CARES_ABOUT",
            relation="plan",
            says="{s}将要{o}。",
            clean=value,
            kind=EntityType.ACTIVITY,
            needed=False,
        ),
        reads="dated",
    ),
    slot_rule(
        "把",
        r"(?:打算|决定|准备|计划|想|要|准备要)(?P<o>把[^，。！？你您]{1,8}?(?:卖|换|租|送|捐|退|扔|改|装|拆|还|处理|"
        r"辞|交|戒)[^，。！？我你您]{0,6}?)" + END,
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="plan",
            says="{s}打算{o}。",
            clean=verb_first,
            kind=EntityType.ACTIVITY,
        ),
        reads="verb",
    ),
    slot_rule(
        "得要须",
        rf"(?:{DATE})(?:之前|前|以前|之内)?(?:我们?)?(?:得|要|必须|一定要|需要)(?:赶紧|尽快|抓紧|"
        rf"先)?(?P<o>[^，。！？我你您]{{2,12}}?){END}",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="plan",
            says="{s}要{o}。",
            clean=plan,
            kind=EntityType.ACTIVITY,
        ),
        reads="dated",
    ),
)
VERB_RULES: Final = LIFE_SLOT_RULES + INTENTION_RULES + HABIT_RULES
