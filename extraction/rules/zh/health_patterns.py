"""Chinese slot rules for health and medication."""

from typing import Final

from extraction.rules.zh.slot_cleaners import allergen, illness, known_drug, taste, thing, value
from extraction.rules.zh.slots import Says, SlotRule, slot_rule
from extraction.rules.zh.statements import (
    ALLERGIC,
    CANNOT_HAVE,
    HAS_ILLNESS,
    STOPPED,
    TAKES,
    TAKES_NOW,
    TOOK_BEFORE,
)
from extraction.rules.zh.word_classes import ADV, DOSE, DRUG, DURATION, END, NOUN, NUMBER, OFTEN, REACTION, SURE_DRUG
from extraction.text.lexicon_zh import CHRONIC
from schema.entity import EntityType

# Health

_CONDITION: Final = Says(obj="o", relation="has", says="{s}有{o}。", clean=value, kind=EntityType.TOPIC, strength=0.8)
_CHRONIC: Final = "(?:" + "|".join(CHRONIC) + ")"
# As HAS_ILLNESS, with the strength of what was said in passing.
SUFFERS_FROM: Final = Says(obj="o", relation="has", says="{s}有{o}。", clean=illness, kind=EntityType.TOPIC)
_NO_LONGER_ALLERGIC: Final = Says(obj="o", predicate="DISLIKES", says="{s}对{o}不再过敏。", clean=allergen, closes=True)
HEALTH_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "戴坐拄",
        rf"(?:我)?(?:{ADV})(?:得|要|需要|开始)?(?:戴|佩戴|坐|拄|用)(?:上|着)?(?P<o>眼镜|助听器|牙套|隐形眼镜|老花镜|轮椅|"
        rf"拐杖|呼吸机){END}",
        Says(obj="o", relation="has", says="{s}需要{o}。", clean=value),
    ),
    slot_rule(
        "敏",
        rf"(?:我)?(?:现在|已经|早就|也)?不(?:再)?对(?P<o>{NOUN})过敏了?",
        _NO_LONGER_ALLERGIC,
    ),
    slot_rule(
        "检",
        rf"(?:我)?(?:{ADV})(?:体检出|检出|查出|检查出|体检查出)(?:来)?(?:了|有)?(?P<o>[^，。我你]{{2,9}}?)(?:，|{END})",
        HAS_ILLNESS,
    ),
    slot_rule(
        "过敏",
        rf"(?:我)?(?:现在|已经|早就|也)?对(?P<o>{NOUN})(?:现在|已经|早就|也|好像|终于){{0,2}}不(?:再)?过敏了?",
        _NO_LONGER_ALLERGIC,
    ),
    slot_rule("皮", rf"(?P<o>{NOUN})(?:的)?(?:皮试|过敏原)?(?:结果)?(?:是|呈|显示)?阳性", ALLERGIC),
    slot_rule("敏", rf"(?:我)?(?:过敏|过敏源|过敏原)(?:的)?(?:是|就是|：|查出来是|有)(?P<o>{NOUN}){END}", ALLERGIC),
    slot_rule(
        "敏",
        r"(?:我)?(?:有|查出|查出来|确诊|是){0,2}(?P<o>[^，。！？；：、\s我你您他她它对不没有]{1,6}?)"
        r"(?:蛋白)?(?:严重|轻度|重度)?过敏(?:得|很|了|，|$|。|的人)",
        ALLERGIC,
    ),
    slot_rule(
        "吃喝碰沾闻接用摸戴",
        rf"(?:我)?(?:一)?(?:吃|喝|碰|沾|闻|接触|用|摸|戴)(?:了|到|过|点|一点|一口|一下){{0,4}}(?P<o>{NOUN})"
        rf"(?:，)?(?:我)?(?:就|会|就会|都会|马上|立马|准|必|总){{0,4}}{REACTION}",
        ALLERGIC,
    ),
    slot_rule(
        "吃喝碰沾闻接一点用摸",
        rf"(?!对)(?P<o>{NOUN})(?:我)?(?:是|真|绝对|都|也|万万|千万|坚决|一口|一点){{0,4}}(?:吃不得|碰不得|"
        rf"沾不得|不行|不能[吃碰沾喝]|吃不了|喝不得|碰都不能碰|一点都?不能[吃碰沾]|也不能[吃碰]|不可以吃)?，?"
        rf"(?:我)?(?:会|就)?(?:一|只要|稍微)?(?:吃|喝|碰|沾|闻|接触|用|摸|戴)(?:了|到|过|点|一点点?|一口|一下|"
        rf"就|上|着){{0,4}}(?:，|就|便)?(?:我)?(?:就|会|就会|都会|马上|立马|准|必|总|整个|要|"
        rf"全){{0,4}}{REACTION}",
        ALLERGIC,
    ),
    slot_rule(
        "吃碰",
        rf"(?:我)?(?:吃不得|碰不得|沾不得|喝不得|不能碰|不能吃|不可以吃|碰不了|闻不得)(?P<o>{NOUN})(?:，|{END})",
        CANNOT_HAVE,
    ),
    slot_rule(
        "吃碰不",
        rf"(?!对)(?P<o>{NOUN})(?:我)?(?:是|真|绝对|都|也|万万|千万|坚决|一口|一点){{0,4}}(?:吃不得|碰不得|"
        rf"沾不得|喝不得|碰都不能碰|一点都?不能[吃碰沾]|不能[吃碰沾]|都不能吃|也不能[吃碰]|不可以吃)(?:，|"
        rf"{END})",
        CANNOT_HAVE,
    ),
    slot_rule(
        "怀",
        rf"(?:我)?(?:已经|刚)?(?P<o>怀孕|怀上|怀(?:了)?二胎|有身孕|有喜|怀了二胎|怀(?=(?:了)?{NUMBER}个?"
        rf"(?:多)?[月周]))(?:了|"
        rf"快|已经|有){{0,4}}(?:{NUMBER}个?(?:多)?[月周])?(?:半|多|了){{0,4}}{END}",
        Says(obj="=怀孕", relation="is", says="{s}怀孕了。", clean=value, strength=0.8),
    ),
    slot_rule(
        "有查确得患诊是犯",
        rf"(?:我)?(?:一直|从小|就|也|还|又|去年|今年|上周|最近|前年|体检|医院|刚|被|老){{0,4}}(?:有|查出|"
        rf"查出来|确诊|得|患|患有|患上|诊断(?:出|为|是)?|检查出|是|犯|落下)(?:了|来|有|是|为|的是|点|轻度|轻微|"
        rf"严重|慢性){{0,4}}(?P<o>(?:[一二12]型|慢性|过敏性|先天性|轻度|重度|妊娠|急性|桥本|老|季节性|"
        rf"乳糖)?{_CHRONIC})",
        _CONDITION,
    ),
    slot_rule(
        "高压糖脂酸",
        r"(?:我)?(?:的)?(?P<o>血压|血糖|血脂|尿酸|胆固醇)(?:一直|有点|偏|太|老|比较|很|常年|查出来|也|就|又|还|"
        r"总){0,3}(?:高|偏高|超标|超了|高了)",
        Says(
            obj="o",
            relation="has",
            says="{s}{o}。",
            clean=lambda text: {"血压": "高血压", "血糖": "高血糖", "血脂": "高血脂"}.get(text, f"{text}高"),
            strength=0.7,
        ),
    ),
    slot_rule(
        "素",
        rf"(?:我)?(?:从[^，。]{{1,8}}(?:开始|起)|现在|已经|一直|是|也|都|改|开始|全家|长期|{DURATION}|坚持|"
        rf"在){{0,4}}(?P<o>吃素|吃全素|吃纯素|素食|蛋奶素|吃斋|纯素|全素)(?:了|的|主义者?|者|{DURATION}|快|好|"
        rf"多|很多年|好几年|已经|都){{0,4}}{END}",
        Says(
            obj="o",
            relation="is",
            says="{s}{o}。",
            clean=lambda text: "吃素" if text.startswith("吃") or len(text) == 2 else text,
            strength=0.8,
        ),
    ),
    slot_rule(
        "手",
        r"(?:我)?(?:刚刚?|才|已经|曾经?|还|也|又|都|就|因为|以前|之前|当时|那年|最近|小时候|[前去今]年|前阵子|[前昨今]天|"
        r"上个?[周月]|年[初底]|月[初底]|寒假|暑假|春节|[\d一二两三四五六七八九十]{1,4}[年月岁]|的时候|"
        r"[左右双两]?(?:膝盖?|眼睛?|腰|肩膀?|手腕?|腿|脚踝?|髋|心脏|鼻子?|牙|胃|肺|肾|颈椎|背)){0,3}"
        r"(?:做|动)(?:过|了)(?P<o>[^，。]{1,8}手术)",
        Says(obj="o", relation="had", says="{s}做过{o}。", clean=thing),
    ),
    slot_rule(
        "病压糖脂喘炎眠症风疹甲贫癫结多",
        rf"(?:我)?(?P<o>(?!失眠){_CHRONIC})(?:都|已经|也|有)?(?:{DURATION}|多年|很久|又犯|犯|挺严重|很严重)?(?:了)?{END}",
        _CONDITION,
    ),
    slot_rule(
        "伤折出石息肿瘤节生炎症病衰征全损流劳液脱裂血压糖敏癌风喘疹眠鸣光视亢减肝张足塞搏颤泻",
        r"(?:我)?(?:[^，。我你]{0,3})?(?:一直|从小|去年|今年|上周|最近|体检|医院|又|还|刚){0,3}(?:有|查出来?|"
        r"确诊(?:为|了|是)?|是|得了?|患有?|患上|诊断(?:出|为)|检查出|犯了?|落下)(?:了|来|是|点){0,2}"
        r"(?P<o>[^，。我你]{2,9}?)(?:，|很多年|好多年|多年|了|$)",
        HAS_ILLNESS,
    ),
    slot_rule(
        "伤折出石息肿瘤生劳液脱裂",
        r"(?:我)?(?P<o>[^，。我你有查得是把]{2,8}(?:损伤|骨折|突出|结石|息肉|囊肿|肌瘤|增生|劳损|积液|滑脱|"
        r"撕裂))(?:，|了|$)",
        SUFFERS_FROM,
    ),
    slot_rule(
        "忌",
        rf"(?:我)?(?:家里?|全家)?(?:要)?忌(?:口)?(?!讳|日|惮)(?P<o>{NOUN}){END}",
        Says(obj="o", predicate="DISLIKES", says="{s}忌{o}。", clean=taste),
    ),
    slot_rule(
        "炎",
        r"(?:我)?(?P<o>[^，。我你有查得是]{2,7}炎)(?:，|了|$)",
        SUFFERS_FROM,
    ),
)


# Medication

_NEW_DOSE: Final = Says(obj="b", subject="o", relation="dose", says="{s}的剂量是{o}。", clean=value, strength=0.8)
_OLD_DOSE: Final = Says(
    obj="a", subject="o", relation="dose", says="{s}的剂量不再是{o}。", clean=value, closes=True, needed=False
)
_FREQUENCY: Final = rf"(?:(?:一天|每天|隔天|一周|每周|早晚|每次)?(?:各)?(?:{NUMBER}次|{DOSE})|{DOSE})"
_EAT: Final = r"(?:吃|服|服用|用|打|喷|抹|涂|贴|吸|喝|补|含|滴|注射|敷)"
_GIVES: Final = (
    r"(?:医生|大夫|医院|主任|他|她|[^，。]{1,4}医生)(?:又|就|先)?(?:给)?(?:我)?(?:又|新)?(?:开|加|配|推荐|让吃|"
    r"让我吃|换)"
)
_DOSES: Final = rf"(?:{OFTEN}|{DOSE}|{NUMBER}|，|的量|的|了|吃|服|打|喷|是|各|和){{0,7}}"
_SHIFT: Final = r"(?:加|减|改|降|调|涨|增|换|升|提|翻)(?:量|剂量|大|少|高|低|整|加|药)?"
_TAKES_KNOWN: Final = Says(obj="o", relation="takes", says="{s}服用{o}。", clean=known_drug)
MEDICATION_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "吃用打",
        rf"(?:我)?(?:{ADV})(?:吃|打|喷)的(?:药)?(?:就)?是(?P<o>[^，。]{{2,8}}?)(?:，|{END})",
        _TAKES_KNOWN,
    ),
    slot_rule(
        "药",
        rf"(?:我)?(?:的)?(?P<k>[^，。]{{0,4}}药)(?:也|又|已经|给|刚){{0,2}}(?:换|改)(?:成|为|吃|用|到|了)"
        rf"(?:了)?(?P<b>[^，。]{{2,8}}?)(?:，|{END})",
        TAKES_NOW,
    ),
    slot_rule(
        "加减改降调涨增换升提",
        rf"(?:医生|大夫)?(?:把)?(?:我)?(?:的)?(?P<o>{DRUG}|[^，。！？\s我你您从到把]{{2,6}}?)(?:的)?(?:剂量|"
        rf"用量|量)?(?:这周|上周|今天|昨天|也|又|已经|给我){{0,2}}"
        rf"{_SHIFT}(?:到|成|为|至)(?:了)?(?P<b>{_FREQUENCY})",
        _NEW_DOSE,
    ),
    slot_rule(
        "改换",
        rf"(?:我)?(?:把)?(?:的)?(?P<a>{DRUG})(?:已经|现在)?(?:不{_EAT}|停)了，(?:现在|医生|大夫)?(?:给)?"
        rf"(?:我)?(?:换|改)(?:成|吃|用|打|为){{0,2}}(?:了)?(?P<b>[^，。]{{2,8}}?)(?:，|{END})",
        TAKES_NOW,
        TOOK_BEFORE,
    ),
    slot_rule(
        "靠",
        r"(?:我)?(?:现在|一直|全|得|只能){0,2}靠(?:吃)?(?P<o>[^，。]{2,8}?)(?:压|控制|维持|顶|撑|吊|治|"
        r"助眠|降|入睡)[^，。]{0,6}",
        _TAKES_KNOWN,
    ),
    slot_rule(
        "吃服用打喝",
        rf"(?:我)?(?P<o>{DRUG})(?:我)?(?:已经|一直|都|断断续续)?{_EAT}(?:了)?(?:快|有)?{DURATION}(?:多)?了",
        TAKES,
    ),
    # Changes of the dose.
    slot_rule(
        "加减改降调涨增换升提",
        rf"(?:我)?(?:把)?(?:的)?(?P<o>{DRUG})(?:的)?(?:剂量|用量|量)?(?:也|又|已经|给我)?(?:从|由)"
        rf"(?:{OFTEN}){{0,2}}(?P<a>{_FREQUENCY}|{NUMBER}个?){_SHIFT}(?:到|成|为|至)?(?:了)?(?:{OFTEN}){{0,2}}"
        rf"(?P<b>{_FREQUENCY}|{NUMBER}个?)(?:了)?",
        _NEW_DOSE,
        _OLD_DOSE,
    ),
    slot_rule(
        "加减改降调涨增换升提",
        rf"(?:我)?(?:把)?(?:的)?(?P<o>{DRUG})(?:的)?(?:剂量|用量|量)?(?:也|又|已经|给我|医生让){{0,4}}{_SHIFT}"
        rf"(?:了)?(?:到|成|为|至|，|现在|变成|改成){{0,4}}(?:{OFTEN}){{0,2}}(?P<b>{_FREQUENCY})(?:了)?",
        _NEW_DOSE,
    ),
    slot_rule("开", rf"(?:我)?(?:最近|昨天|今天|上周|又|刚){{0,2}}开始{_EAT}(?P<o>{DRUG})了?(?:，|{END})", TAKES),
    # Another drug.
    slot_rule(
        "换改",
        rf"(?:我)?(?P<a>{DRUG}){_EAT}(?:了|着|完)?[^，。]{{1,8}}，(?:就|又|所以|现在|医生|大夫|给|让|我|后来){{0,4}}(?:换|改)"
        rf"(?:成|为|吃|用|服|到){{1,2}}(?:了)?(?P<b>{DRUG})(?:，|{DOSE}|{OFTEN}|{END})",
        TAKES_NOW,
        TOOK_BEFORE,
    ),
    slot_rule(
        "换改",
        rf"(?:我)?(?:把)?(?:的)?(?P<a>[^，。从]{{1,10}}?)(?:也|又|已经|吃了没用|不管用|副作用大|"
        rf"停了){{0,2}}，?(?:给我|让我)?(?:换|改|换吃|改吃|换用|改用)(?:成|为|吃|用|到|打)(?:了)?(?P<b>{DRUG})"
        rf"(?:，|{DOSE}|{OFTEN}|{END})",
        TAKES_NOW,
        TOOK_BEFORE,
    ),
    slot_rule(
        "停",
        rf"(?:我)?(?:把)?(?P<a>{DRUG})停了，(?:现在|医生|大夫)?(?:给)?(?:我)?(?:换|改)(?:成|吃|用|打|"
        rf"为){{0,4}}(?:了)?(?P<b>[^，。]{{2,8}}?)(?:，|{END})",
        TAKES_NOW,
        TOOK_BEFORE,
    ),
    slot_rule(
        "换改",
        rf"(?:我)?(?:现在|医生|大夫|上周|今天){{0,4}}(?:给)?(?:我)?(?:让我)?(?:改|换)(?:成|吃|用|为|打|服)+"
        rf"(?:了)?(?P<b>{DRUG})(?:，|{DOSE}|{OFTEN}|{END})",
        TAKES_NOW,
    ),
    # Stopped.
    slot_rule(
        "停",
        rf"(?:我)?(?:把)?(?P<o>{DRUG})(?:我)?(?:昨天|昨晚|上周|医生|大夫|已经|也|都|让|叫|给我|可以|终于|今天|"
        rf"这周|上个?月){{0,3}}(?:吃完[^，。]{{0,6}}，)?(?:就)?(?:停|断)(?:掉|药)?了",
        STOPPED,
    ),
    slot_rule(
        "不",
        rf"(?:我)?(?P<o>{DRUG})(?:我)?(?:已经|早就|现在|也|都|医生说|可以){{0,3}}不(?:再|用)?{_EAT}了",
        STOPPED,
    ),
    slot_rule(
        "停不",
        rf"(?:我)?(?:已经|早就|现在|医生让|医生让我|让我|可以|这周|上周){{0,3}}(?:停|停掉|停用|不用|不再|"
        rf"不){_EAT}?(?:了)?(?P<o>{DRUG})了?(?:，|{END})",
        STOPPED,
    ),
    # In use.
    slot_rule(
        "吃服用打喷抹涂贴吸补滴",
        rf"(?:我)?(?:一直|现在|还|要|得|长期|常年|最近|目前|又|开始|都|在|靠|晚上|早上|睡前|饭后|{OFTEN}|"
        rf"{DURATION}|{DOSE}){{0,5}}{_EAT}(?:着|的是|了|上了)?(?:{DURATION})?(?:的)?(?:{DOSE})?(?:的)?"
        rf"(?P<o>{DRUG})(?:，|{_DOSES}{END}|控制|维持|治|降|了|$)",
        TAKES,
    ),
    slot_rule(
        "片粒颗单克滴支喷包袋勺针贴丸mMuμU",
        rf"(?:我)?(?:现在|还|要|得|{OFTEN}){{1,3}}(?:要|得|都|都要|一)?{_EAT}?(?:{DOSE})(?:的)?"
        rf"(?P<o>[^，。！？\s]{{2,8}}?)(?:，|{END}|控制|维持)",
        TAKES,
    ),
    slot_rule(
        "片粒颗单克滴支喷包袋勺针贴丸mMuμU次天",
        rf"(?:我)?(?:现在)?{_EAT}?(?:的)?(?:是)?(?P<o>{DRUG})(?:，)?(?:我)?(?:要|得|现在|还是|就)?"
        rf"(?:{OFTEN}){{1,2}}(?:{_EAT})?(?:{DOSE}|{NUMBER}次)",
        TAKES,
    ),
    slot_rule(
        "开加配",
        rf"(?:我)?(?:[^，。]{{0,6}}，)?{_GIVES}(?:了|的|的是)+(?P<o>(?:{DRUG}|[^，。！？\s我你她]{{2,6}}?))"
        rf"(?:，|{_DOSES}{END})",
        TAKES,
    ),
    slot_rule(
        "吃服用打开靠天早晚睡片粒克针喷减加换",
        rf"(?=[^，。]{{0,24}}(?:吃|服|用|打|开|靠|一天|每天|睡前|片|粒|毫克|微克|针|喷|减到|加到))"
        rf"(?:[^，。你您不停断没吗怎给]{{0,14}}?[吃服用打开靠是了的着把喷换改])?"
        rf"(?P<o>{SURE_DRUG})(?![^。]{{0,14}}(?:停|断|不吃|不用|没再|忘))",
        TAKES,
    ),
    slot_rule(
        "停断",
        rf"(?:[^，。你您不]{{0,6}}?的)?(?P<o>{SURE_DRUG}|"
        rf"[^，。我你他她]{{0,3}}药)[^，。]{{0,8}}，[^，。]{{0,4}}(?:停|断)(?:掉)?了",
        STOPPED,
    ),
    slot_rule(
        "吃服用打喝",
        rf"(?:我)?(?P<o>{DRUG})(?:我)?(?:还|一直|仍|照样){{1,2}}(?:在)?{_EAT}(?:着|呢)?(?:，|{END})",
        TAKES,
    ),
)
