"""Chinese slot rules for plans, promises and tastes."""

from typing import Final

from extraction.rules.zh.slot_cleaners import event, kept, liked, plan, promise, thing, town, work
from extraction.rules.zh.slots import Says, SlotRule, slot_rule
from extraction.rules.zh.word_classes import ADV, DATE, DISGUST, END, KINS, NOUN
from schema.entity import EntityType

# Plans and promises

_PLANS: Final = Says(
    obj="o", predicate="CARES_ABOUT", relation="plan", says="{s}打算{o}。", clean=plan, kind=EntityType.ACTIVITY
)
_BOOKED: Final = Says(
    obj="o", predicate="CARES_ABOUT", relation="plan", says="{s}的计划：{o}。", clean=event, kind=EntityType.ACTIVITY
)
_PROMISES: Final = Says(
    obj="o",
    predicate="CARES_ABOUT",
    relation="promise",
    says="{s}答应{o}。",
    clean=promise,
    kind=EntityType.ACTIVITY,
    strength=0.8,
)
_VOW: Final = (
    r"(?:答应|保证|承诺|发誓|许诺|拉过?勾|拍过?胸脯|拍着胸脯|说好|约好|约定|立过?军令状|打过?包票|打包票|约法三章|"
    r"拉钩|拉了勾|许过?愿|说定|讲好|下了?保证|发过誓)"
)
PLAN_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule("说", r"我(?:以前|早就|也)?说过(?:要|会|一定|以后)(?P<o>[^，。]{2,14})", _PROMISES, reads="whole"),
    slot_rule(
        "票",
        r"(?:我)?(?:的)?(?P<o>[^，。我你]{2,10}?)(?:的)?(?:门|机|车)?票(?:已经|都|终于)?(?:抢到|买好|订好|"
        r"买到|到手|出票|买|订|抢)了",
        _BOOKED,
    ),
    slot_rule(
        "答保承发许拉拍说约立打讲下",
        rf"(?:我们?)?(?:(?:跟|和|对|向|给|同)(?:我)?(?P<w>[^，。]{{1,8}}?))?(?:已经|都)?{_VOW}(?:了|过(?!年|节)|的)?"
        rf"(?:，|,|：|:)?(?:说)?(?P<o>[^，。]{{2,18}})(?=$|[，。！])",
        _PROMISES,
    ),
    slot_rule(
        "答保承许",
        rf"(?:我)?(?:已经)?(?:答应|保证|承诺|许诺|许)(?:过|了)?(?:给)?(?:我)?(?:的)?(?P<w>{KINS}|老婆|孩子|"
        rf"儿子|闺女|女儿|[爸妈哥姐弟妹]|自己|他|她|他们|大家|客户|领导|[\u4e00-\u9fff]{{2,3}})?(?:们)?(?:，|"
        rf"：)?(?:了)?(?P<o>(?:要|每|以后|一定|周末|暑假|寒假|下|明|今|月底|年底|带|陪|给|帮|不|再也|去|请|买|"
        rf"教|把|戒|早|少|多)[^，。]{{1,16}})",
        _PROMISES,
    ),
    slot_rule(
        "欠",
        r"(?:我)?(?:还)?欠(?P<w>[^，。一]{1,4})(?P<o>一?[顿次个杯](?:[^，。]{1,8}?))(?:，|$)",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="promise",
            says="{s}欠{w}{o}。",
            clean=thing,
            kind=EntityType.ACTIVITY,
        ),
    ),
    slot_rule(
        "抢约订预报",
        rf"(?:我们?)?(?:已经)?(?:订|买|抢|定)(?:好|到|了|上){{0,4}}(?:{DATE})?(?:早上|下午|晚上|上午|中午)?"
        rf"(?:的)?(?:高铁|飞机|机票|火车|航班|动车|船票|车票|票|卧铺)?(?:去|飞|到|回)(?P<o>[^，。的]{{2,8}}?)"
        rf"(?:的(?:机票|高铁票?|票|车票|火车票|航班|酒店|民宿|船票|飞机))?(?:，|{END})",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="plan",
            says="{s}打算去{o}。",
            clean=town,
            kind=EntityType.ACTIVITY,
        ),
    ),
    slot_rule(
        "报",
        rf"(?:我们?)?(?:刚|已经|也|给自己){{0,4}}报(?:了名?|名了?|上|名参加了?|考了?)(?P<o>(?:{DATE})?"
        rf"(?:的)?[^，。]{{2,14}}?)(?:的名)?(?:，|{END})",
        _BOOKED,
    ),
    slot_rule(
        "约预挂",
        rf"(?:我们?)?(?:已经)?(?:约|预约|挂)(?:好|到|上|了)+(?:{DATE})?(?:的)?(?P<o>(?!人|朋友|会|"
        rf"时间)[^，。]{{2,12}}?)(?:的号)?(?:，|{END})",
        _BOOKED,
    ),
    slot_rule(
        "定约安排改订",
        rf"(?:我)?(?:的)?(?P<o>[^，。我你]{{2,10}}?)(?:已经|就|给|也)?(?:定|约|安排|排|订|挂|改|推迟|提前|延)"
        rf"(?:好)?(?:在|到|了|的是|是)+(?P<d>{DATE}[^，。]{{0,8}}?){END}",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="plan",
            says="{s}的计划：{d}{o}。",
            clean=event,
            kind=EntityType.ACTIVITY,
        ),
    ),
    slot_rule(
        "天月周号期年末半后底节前国五十元春中端清寒暑",
        rf"(?:我们?|全家|一家人|我和[^，。]{{1,6}}|我跟[^，。]{{1,6}})?(?:打算|计划|准备|约了|决定)?(?:在)?"
        rf"(?P<d>{DATE})[，, ]?(?:我们?|全家|我和[^，。]{{1,6}}|我跟[^，。]{{1,6}})?(?P<o>[^，。！？]{{2,22}})"
        rf"(?=$|[，。！])",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="plan",
            says="{s}打算{d}{o}。",
            clean=plan,
            kind=EntityType.ACTIVITY,
        ),
        reads="dated",
    ),
    slot_rule(
        "订定抢约",
        rf"(?:我们?)?(?:{ADV})(?:预订|预定|订|定|抢|约)(?:了|好了|到了|上了|好|到|上)"
        rf"(?P<o>{DATE}[^，。]{{0,4}}?的[^，。的]{{2,10}}?|[^，。的我你]{{2,10}}?的(?:票|位子|座位|座|包间|"
        rf"房间|门票|演唱会))(?:，|{END})",
        _BOOKED,
    ),
)


# Tastes and values

_LIKES: Final = Says(obj="o", predicate="PREFERS", says="{s}喜欢{o}。", clean=liked)
_HATES: Final = Says(obj="o", predicate="DISLIKES", says="{s}不喜欢{o}。", clean=liked)
_VALUES: Final = Says(obj="o", predicate="CARES_ABOUT", says="{s}看重{o}。", clean=liked)
TASTE_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "爱馋喜",
        rf"(?P<o>{NOUN})(?:我)(?:真|太|是|可|简直|真的|一直|最){{0,2}}(?:爱到|爱死|爱得|超爱|巨爱|最爱|爱了|馋|"
        rf"好爱|狂爱|爱吃|爱喝|爱看|爱听|百吃不厌|百看不厌|百听不厌|吃不腻|吃不够|喝不腻|看不腻|"
        rf"心头好)[^，。]{{0,2}}{END}",
        _LIKES,
    ),
    slot_rule(
        "离",
        rf"(?:我)?(?:这辈子|一辈子|每天|一天|真的|完全|根本|顿顿|吃饭|出门|早上){{0,2}}(?:都|也|就)?(?:离不开|"
        rf"少不了|不能没有|断不了)(?P<o>{NOUN}){END}",
        _LIKES,
    ),
    slot_rule("比", rf"(?:我)?(?:觉得)?没有?(?:什么|啥|谁)?比(?P<o>{NOUN})(?:更|还|再)[^，。]{{1,6}}", _LIKES),
    slot_rule(
        "选站投",
        rf"(?:我)?(?:坚定|永远|果断|一定|只)?(?:选|站|投)"
        rf"(?P<o>[^，。！？；：、\s我你他她了择举拔队手课票资诉降稿]{{2,6}}?)(?:派|党|一票)?{END}",
        _LIKES,
    ),
    slot_rule(
        "烦讨恨怵嫌",
        rf"(?:我)?(?:打心底里?|打心眼里|骨子里|最|特别|很|真的|超|巨|挺|一直|就){{0,2}}(?:烦(?!恼|死|请|心|躁|"
        rf"人)|讨厌|恨(?!不)|怵|嫌(?!弃))(?P<o>{NOUN}){END}",
        _HATES,
    ),
    slot_rule(
        "闻看听吃喝",
        rf"(?P<o>{NOUN})(?:那个?味儿?|的味道|这味儿?|的声音)?(?:我)?(?:真|实在|真的|完全|根本|就|一点都?|最|"
        rf"是){{0,3}}(?:闻不得|闻不了|闻不惯|看不得|听不得|吃不惯|喝不惯|睡不惯|住不惯|听不惯|看不惯|玩不来|"
        rf"学不来){END}",
        _HATES,
    ),
    slot_rule(
        "缘",
        r"(?P<o>[^，。！？；：、\s我你您他她它]{1,8}?)(?:这种事|这事|这种东西|这玩意)?(?:跟|和)我(?:没缘分|"
        r"无缘|八字不合|绝缘|没关系|不对付)",
        _HATES,
    ),
    slot_rule(
        "最",
        rf"(?:我)?最(?:放心不下|担心|牵挂|惦记|操心|愁|挂念)的(?:就|还)?是(?P<o>{NOUN}){END}",
        Says(obj="o", predicate="CARES_ABOUT", relation="worry", says="{s}惦记{o}。", clean=kept),
    ),
    slot_rule("好", rf"(?:我)?(?:就|最|只|偏|独|专)?好(?:这|那)(?:一)?口(?:儿)?(?P<o>{NOUN}){END}", _LIKES),
    slot_rule("好", rf"(?P<o>{NOUN})(?:这|那)口(?:儿)?(?:我)?(?:就|最|好|爱|离不开|放不下|戒不掉){{1,2}}{END}", _LIKES),
    slot_rule(
        "是",
        rf"(?P<o>{NOUN})(?:绝对|真|简直|就|才|一直|永远|可|真的){{0,4}}是我(?:的)?(?:一?辈子的?|永远的?|"
        rf"最大的?)?(?:噩梦|死穴|克星|雷点|天敌|软肋|梦魇|阴影)",
        _HATES,
    ),
    slot_rule(
        "是",
        rf"(?P<o>{NOUN})(?:绝对|真|简直|就|才|一直|永远|可|真的){{0,4}}是我(?:的)?(?:一?辈子的?|永远的?|"
        rf"最大的?)?(?:命|快乐源泉|最爱|心头好|续命水?|本命|白月光|精神支柱|充电方式|解压方式|解压神器|避风港|"
        rf"快乐水|信仰)",
        _LIKES,
    ),
    slot_rule(
        "吐晕恶反头疼慌烦难崩抓怵怕软鸡",
        rf"(?P<o>{NOUN})(?:我)?(?:一)?(?:闻|看|听|吃|喝|碰|坐|见|尝|沾|提)?(?:到|起|见|上)?(?:就|了)?"
        rf"(?:会)?{DISGUST}{END}",
        _HATES,
    ),
    slot_rule(
        "吐晕恶反头疼慌烦难崩抓怵怕软鸡",
        rf"(?:我)?(?:一)(?:闻|看|听|吃|喝|碰|坐|见|尝|沾|提)(?:到|起|见|上)?(?P<o>{NOUN})(?:我)?(?:就|便)"
        rf"(?:会)?{DISGUST}{END}",
        _HATES,
    ),
    slot_rule(
        "最",
        rf"(?:做人|过日子|交朋友|找工作|生活里|我|对我来说)?最(?:看重|在意|在乎|要紧|重要|讲究)的(?:还|就|"
        rf"永远)?是(?P<o>{NOUN}){END}",
        _VALUES,
    ),
    slot_rule(
        "惦牵挂",
        r"(?:我)?(?:一直|还|总|老|最|心里){0,4}(?:惦记|牵挂|挂念|放不下|惦念|挂记)(?:着|的是|的)?"
        r"(?P<o>[^，。你您]{2,10}?)" + END,
        Says(obj="o", predicate="CARES_ABOUT", relation="worry", says="{s}惦记{o}。", clean=liked),
    ),
    slot_rule(
        "必得配离认非",
        rf"[^，。我不]{{1,6}}(?:必须|一定要|一定得|必|非得|就得|得)(?:配|加|放|蘸|就着|来点|撒)(?:点|着|上)?"
        rf"(?P<o>{NOUN}){END}",
        _LIKES,
    ),
    slot_rule("认", rf"(?:[^，。]{{0,6}})?(?:我)?(?:就|只)认(?:准)?(?P<o>{NOUN}){END}", _LIKES),
    slot_rule("无", r"(?:我)?(?:是)?(?:个)?(?:顿顿|天天)?无(?P<o>[\u4e00-\u9fff]{1,3})不(?:欢|成|行|香)", _LIKES),
    slot_rule("非", rf"(?:[^，。]{{0,5}})?(?:我)?非(?P<o>{NOUN})不(?:可|喝|吃|穿|看|买|用)", _LIKES),
    slot_rule("离", rf"(?:我)?(?:一天|一刻|根本|完全|真)?(?:也|都)?离不开(?P<o>{NOUN}){END}", _LIKES),
    slot_rule(
        "沉迷上入痴追粉",
        rf"(?:我)?(?:在)?(?:沉迷(?:于)?|痴迷(?:于)?|迷上|上头|入坑|爱上|喜欢上|着迷于|粉上|入迷|热衷(?:于)?)"
        rf"(?:了|着)?(?P<o>[^，。]{{2,10}}?)(?:这部剧|这剧)?{END}",
        _LIKES,
    ),
    slot_rule(
        "比更",
        rf"比起(?P<f>{NOUN})，?(?:我)?(?:还是|更|宁愿|宁可|倒|反而){{1,2}}(?:爱|喜欢|愿意|想|选|偏爱)?(?:吃|喝|"
        rf"看|听|用)?(?P<o>{NOUN}){END}",
        _LIKES,
    ),
    slot_rule(
        "不受忍接",
        rf"(?P<o>{NOUN})(?:我)?(?:真|实在|真的|完全|根本|一点|一口|都|也|就|从来|是|最){{0,4}}(?:受不了|忍不了|"
        rf"接受不了|接受无能|无感|吃不来|喝不来|欣赏不来|不碰|不沾|不吃|不喝|不看|不爱吃|不爱喝|不感冒|"
        rf"无法接受|敬而远之|敬谢不敏){END}",
        _HATES,
    ),
    slot_rule(
        "底禁红雷",
        rf"(?P<o>{NOUN})(?:绝对|真|简直|就|一直|永远|可|真的){{0,3}}是我(?:的)?(?:饮食|口味|社交|人生)?(?:底线|"
        rf"禁区|红线|雷区)",
        _HATES,
    ),
    slot_rule(
        "党控星重脑狂粉死",
        rf"(?:我)?(?:是)?(?:个|一个|一名|资深|忠实|十年|多年|铁杆){{0,3}}"
        rf"(?P<o>[^，。！？；：、\s我你他她它是]{{1,8}}?)(?:党|控|星人|重度(?:爱好者|患者|依赖|用户)|脑袋|狂魔|"
        rf"十级学者|爱好者|死忠粉?|铁粉|老粉|忠粉){END}",
        _LIKES,
    ),
    slot_rule(
        "最爱喜",
        rf"[^，。我你他她是]{{2,6}}(?:我)(?:就|最|特别|很|都|总){{0,2}}(?:爱|喜欢)(?!的)(?P<o>{NOUN}){END}",
        _LIKES,
    ),
    slot_rule(
        "只",
        rf"(?:我)?(?:[^，。我你他她]{{1,5}})?(?:我)?(?:一般|向来|从来|都|永远|平时)?只(?:点|要|认|选|挑|订|喝|"
        rf"吃|买|听|看|穿|坐|住|用)(?P<o>{NOUN}){END}",
        _LIKES,
    ),
    slot_rule(
        "趣兴",
        rf"(?:我)?对(?P<o>{NOUN})(?:真|实在)?(?:一点|一丁点|半点|毫|完全|根本|压根)(?:儿)?(?:都|也)?(?:(?:没|"
        rf"没有|无|提不起)(?:什么|啥)?(?:兴趣|感觉|好感)|(?:兴趣|感觉|好感)(?:都|也)(?:没有|没|"
        rf"提不起来))了?{END}",
        _HATES,
    ),
    slot_rule(
        "追刷看听",
        r"(?:我)?(?:在|又在|正在|一直在|天天)?(?:追|刷|循环|二刷|三刷|狂刷|追完|补)(?:着|了|完了|完)?"
        r"(?P<o>《[^》]{1,20}》)",
        Says(obj="o", predicate="PREFERS", says="{s}喜欢{o}。", clean=work, kind=EntityType.WORK),
    ),
    slot_rule(
        "不",
        rf"(?:我)?(?:最|真|实在|根本)?(?:听|看|闻|睡|坐|住|穿|用)(?:不了|不得|不惯|不来)(?P<o>{NOUN}){END}",
        _HATES,
    ),
    slot_rule(
        "上",
        rf"(?:我)?对(?P<o>{NOUN})(?:真的|彻底|越来越|特别|有点|很)?(?:上头|上瘾|入迷|痴迷|没有抵抗力|没抵抗力|"
        rf"毫无抵抗力|欲罢不能)(?:了)?{END}",
        _LIKES,
    ),
    slot_rule(
        "稀馋独偏钟酷",
        rf"(?:我)?(?:就|最|特别|特|很|是真)?(?:稀罕|馋(?!猫)|独爱|偏爱|钟爱|酷爱|独宠)(?P<o>{NOUN}){END}",
        _LIKES,
    ),
    slot_rule(
        "蘸加配放撒",
        rf"[^，。我不]{{1,5}}我(?:都|一般|总)?(?:要|得|必须|一定要|喜欢)(?:蘸|加|配|放|撒)(?:点|着|上)?"
        rf"(?P<o>{NOUN}){END}",
        _LIKES,
    ),
)
