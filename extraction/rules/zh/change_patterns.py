"""Chinese slot rules for things and habits that changed."""

from typing import Final

from extraction.rules.zh.slot_cleaners import hair, owned, swapped, taste, thing, town, value
from extraction.rules.zh.slots import Says, SlotRule, slot_rule
from extraction.rules.zh.statements import (
    ATTRIBUTE_IS,
    ATTRIBUTE_WAS,
    NO_LONGER_USES,
    NO_LONGER_WORKS_SHIFT,
    WORKS_SHIFT,
)
from extraction.rules.zh.word_classes import ADV, DEVICE, DURATION, END, NOUN, NUMBER, PLACE, ROLE
from extraction.text.lexicon_zh import FORMERLY_CHARACTERS, FORMERLY_WITH_VERB, WHEN_YOUNG
from schema.entity import EntityType

# Changes

_OWNS: Final = Says(obj="b", relation="has", says="{s}有{o}。", clean=swapped, strength=0.8)
_OWNED: Final = Says(obj="a", relation="has", says="{s}不再有{o}。", clean=thing, closes=True, needed=False)
_TURNS: Final = (
    r"(?:换|改|挪|调|转|迁|变|升|升级|搬|移|降|涨|加|减|提|缩|调整|切|改签|提前|推迟|延|延期|改约|更新|更换|替换|"
    r"迁移|切换|挪动)"
)
_INTO: Final = r"(?:成|到|为|至|回|去|用|喝|吃|走|穿|在)"
_MY: Final = (
    rf"{FORMERLY_WITH_VERB}?的?(?:那[辆台部个把])?(?:我)?(?:家里|公司|办公室|手上|手里)?(?:家(?![庭教长装具电]))?"
    r"(?:的)?(?:把)?(?:我)?(?:的|家的|"
    r"那)?(?:新|旧)?"
)
_MOVES: Final = r"(?:公司|单位|学校|幼儿园|工厂|店|总部|实验室|工作室)"
# The new value of an attribute follows 搬, except for what has a place instead: 公司搬到昆山了.
_NO_MOVE: Final = rf"(?![^，。]{{0,6}}{_MOVES}[^，。]{{0,6}}[搬迁])"
_LEARNS: Final = Says(obj="b", relation="studies", says="{s}在学{o}。", clean=value, kind=EntityType.TOPIC)
_LEARNED: Final = Says(obj="a", relation="studies", says="{s}不再学{o}。", clean=value, closes=True, needed=False)
_STOPS_LEARNING: Final = r"不(?:想|愿意|打算|肯)?(?:再|继续)?学"
_LEARNS_NOW: Final = r"(?:现在|然后|今年|就|又|最近|已经){0,3}(?:改|换|转)(?:成|去|为)?学(?:了|习)?"
_MOVED: Final = rf"(?:{ADV})(?:已经)?(?:搬|迁|搬迁)(?:到|去|往|回|至)(?:了)?(?P<o>{PLACE})(?:去|来)?(?:了)?"
_NO_LONGER_DOES: Final = Says(obj="a", predicate="PREFERS", says="{s}不再{o}。", clean=value, closes=True)
_HAIR_IS: Final = Says(obj="b", relation="头发", says="{s}的头发是{o}。", clean=hair)
_USES_NOW: Final = Says(obj="b", relation="uses", says="{s}改用{o}。", clean=thing)
_NO_LONGER_HAS: Final = Says(obj="a", relation="has", says="{s}不再有{o}。", clean=thing, closes=True)
_GAVE_UP: Final = Says(obj="a", predicate="PREFERS", says="{s}戒了{o}。", clean=taste, closes=True)
_NO_LONGER_LIKES: Final = Says(obj="a", predicate="PREFERS", says="{s}不再喜欢{o}。", clean=taste, closes=True)
CHANGE_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "搬迁",
        rf"{_MY}(?P<k>{_MOVES}){_MOVED}(?:以后|之后|后|{END})",
        Says(obj="o", relation="{k}地址", says="{s}的{k}在{o}。", clean=town, kind=EntityType.PLACE),
    ),
    slot_rule(
        "学",
        rf"(?:我)?(?:把)?(?P<a>{NOUN})(?:他|她|我|也|又)?{_STOPS_LEARNING}了，{_LEARNS_NOW}(?P<b>{NOUN}){END}",
        _LEARNS,
        _LEARNED,
    ),
    slot_rule(
        "学",
        rf"(?:我)?{_STOPS_LEARNING}(?P<a>{NOUN})了，{_LEARNS_NOW}(?P<b>{NOUN}){END}",
        _LEARNS,
        _LEARNED,
    ),
    slot_rule(
        FORMERLY_CHARACTERS,
        rf"(?:我)?(?:{FORMERLY_WITH_VERB}|{WHEN_YOUNG}|本来)?(?:一直|是|在)?学(?!了)(?:的是|过)?(?P<a>{NOUN})，{_LEARNS_NOW}(?P<b>{NOUN}){END}",
        _LEARNS,
        _LEARNED,
    ),
    slot_rule("学", rf"(?:我)?{_LEARNS_NOW}(?P<b>{NOUN}){END}", _LEARNS),
    slot_rule(
        FORMERLY_CHARACTERS,
        rf"(?:我)?{FORMERLY_WITH_VERB}?(?:老|天天|每天|一直|都|总|是)?(?P<v>喝|吃|看|玩|抽|买|打|追|"
        rf"练)(?P<a>{NOUN})，[^，。]{{0,10}}?(?:戒|掐|断|不[喝吃看玩抽买打追练碰])(?:掉)?了",
        _NO_LONGER_LIKES,
    ),
    slot_rule(
        "再拜",
        rf"(?:我)?(?:跟|和|与)(?P<a>{NOUN})说(?:了)?(?:再见|拜拜|永别)",
        Says(obj="a", predicate="PREFERS", says="{s}不再用{o}。", clean=taste, closes=True),
    ),
    slot_rule(
        "戒",
        rf"(?P<a>{NOUN})(?:已经)?(?:戒断|戒)(?:第|到第|快|有)?(?:{NUMBER})(?:个)?(?:天|月|周|年|星期)",
        _GAVE_UP,
    ),
    slot_rule(
        "不",
        rf"(?P<a>{NOUN})(?:我)?(?:{ADV})不(?:碰|沾|吃|喝|抽|玩|追|看|练|买|打)了{END}",
        _NO_LONGER_LIKES,
    ),
    slot_rule(
        "换改挪调转迁变升搬移降涨加减提缩切",
        rf"{_NO_MOVE}(?:我)?(?:的)?(?!全家|一家|爸妈|父母|家里人)(?P<k>[^，。！？；：、\s我你您他她它从由把]{{2,6}}?)(?:也|又|终于|已经|都)?从"
        rf"(?P<a>{NOUN}){_TURNS}{_INTO}(?:了)?(?P<b>{NOUN}){END}",
        ATTRIBUTE_IS,
        ATTRIBUTE_WAS,
        reads="dated",
    ),
    slot_rule(
        "换改",
        rf"{_MY}(?P<k>[^，。我你他她它从由把]{{0,6}}?{ROLE})(?:也|又|终于|已经|都|给)?(?:换|改)(?:人|新的|"
        rf"新人)?了，(?:新来的|新的|现在|这个)(?:是|姓|叫)(?P<b>{NOUN}){END}",
        ATTRIBUTE_IS,
    ),
    slot_rule(
        "剪烫染留",
        rf"(?:我)?(?:把)?(?:头发)?(?:{ADV})(?:剪|烫|染|留)(?:成|回)(?:了)?(?P<b>[灰黑金红棕粉紫蓝银白绿])(?:的|"
        rf"色)?{END}",
        Says(obj="b", relation="头发", says="{s}的头发是{o}。", clean=value),
    ),
    slot_rule(
        "换改变升",
        rf"{_MY}(?P<k>{DEVICE})(?:也|又|终于)?从(?P<a>{NOUN}){_TURNS}{_INTO}(?:了)?(?P<b>{NOUN}){END}",
        _OWNS,
        _OWNED,
    ),
    slot_rule(
        "换改",
        rf"{_MY}(?P<k>{DEVICE})(?:也|又|终于|已经|都)?(?:{_TURNS}{_INTO}|换)(?:了)?(?P<b>{NOUN})(?:，(?:旧的?|"
        rf"老的?|原来的?|以前的?)?(?P<a>[^，。我]{{0,4}}{DEVICE})[^，。]{{0,4}}(?:给|送|卖|退|丢|"
        rf"扔)[^，。]{{0,8}})?{END}",
        _OWNS,
        _OWNED,
    ),
    slot_rule(
        "换改挪调转迁变升搬移降涨加减提缩切",
        rf"{_NO_MOVE}{_MY}(?P<k>[^，。我你他她它从由把]{{0,6}}?{ROLE})(?:也|又|终于|已经|都|要)?(?:从|由)"
        rf"(?P<a>{NOUN}){_TURNS}{_INTO}(?:了)?(?P<b>{NOUN}){END}",
        ATTRIBUTE_IS,
        ATTRIBUTE_WAS,
        reads="dated",
    ),
    slot_rule(
        "换改挪调转迁变升搬移降涨加减提缩切",
        rf"{_NO_MOVE}{_MY}(?P<k>[^，。我你他她它从由把]{{0,6}}?{ROLE})(?:也|又|终于|已经|都|全|全都)?{_TURNS}{_INTO}"
        rf"(?:了)?(?P<b>{NOUN}){END}",
        ATTRIBUTE_IS,
    ),
    slot_rule(
        "换改变调挪涨",
        rf"{_MY}(?P<k>[^，。我你他她它从由把]{{0,6}}?(?:{ROLE}|{DEVICE}))(?:也|又|终于|已经|都|给)?(?:换|改|变|"
        rf"调|挪|更新|更换|调整|涨|换人|换号|换了人)(?:了|过了|啦)，(?:现在|以后|目前|新的|今后|如今|改|"
        rf"换){{0,4}}(?:我)?(?:的)?(?:是|成|走|用|都是|为|在|叫|找|跟|选){{0,4}}(?P<b>{NOUN}){END}",
        ATTRIBUTE_IS,
    ),
    slot_rule(
        "不",
        rf"{_MY}(?P<k>[^，。我你他她它从由把]{{0,6}}?{ROLE})不再?(?:是|用|走|选|找)(?P<a>{NOUN})了，(?:现在|"
        rf"以后|改|换){{0,4}}(?:是|成|用|走|找|选){{0,4}}(?P<b>{NOUN}){END}",
        ATTRIBUTE_IS,
        ATTRIBUTE_WAS,
    ),
    slot_rule(
        "戒",
        rf"(?P<a>{NOUN})是(?:为了|因为)(?P<c>[^，。]{{2,10}}?)(?:才)?戒(?:掉)?的{END}",
        _GAVE_UP,
    ),
    slot_rule(
        "戒",
        rf"(?:我)?(?:把)?(?P<a>{NOUN})(?:我)?(?:已经|早就|都|彻底|给|总算|终于|全){{0,4}}(?:戒|断|掐)"
        rf"(?:掉)?了?(?:快|有|整整|都)?(?:{DURATION})?(?:了|多了)?"
        rf"(?:，(?:现在|以后|平时){{0,4}}(?:都|就)?(?:换成|改成|换|改|只|喝|吃)(?:了|成|喝|吃|用|为){{0,4}}"
        rf"(?P<b>{NOUN}))?{END}",
        _GAVE_UP,
        Says(obj="b", predicate="PREFERS", says="{s}改用{o}。", clean=taste, needed=False),
    ),
    slot_rule(
        "戒",
        rf"(?:我)?(?:为了[^，。]{{1,8}})?(?:戒|断)(?:掉|了|掉了)?(?P<a>{NOUN})(?:已经|快|都|有){{0,4}}"
        rf"(?:{DURATION})?(?:多)?了{END}",
        _GAVE_UP,
    ),
    slot_rule(
        "用",
        rf"(?:我)?(?:{FORMERLY_WITH_VERB}|一直)?(?:我)?(?:都|一直)?(?:是)?用(?:的)?(?:是)?(?P<a>{NOUN})(?:的)?，(?:但|可|不过)?"
        rf"(?:现在|如今|后来|最近|今年|去年)(?:我)?(?:都|就|才)?(?:改|换|改用|换用|用)(?:成|了|上|用|的是){{0,3}}(?P<b>{NOUN}){END}",
        Says(obj="b", relation="uses", says="{s}用{o}。", clean=thing),
        NO_LONGER_USES,
    ),
    slot_rule(
        FORMERLY_CHARACTERS,
        rf"(?:我)?(?:{FORMERLY_WITH_VERB}|{WHEN_YOUNG}|本来)?(?:我)?(?:很|特别|最|可|"
        rf"超|天天|每天|老|总|一直|都|是|只|挺|非常|也){{0,2}}"
        rf"(?:爱|喜欢|迷|离不开|只)?(?P<v>喝|吃|看|玩|听|抽|买|打|穿|练)(?:的是)?(?P<a>{NOUN})(?:的)?，"
        rf"(?:但|可|不过)?(?:现在|如今|后来|这两年|最近|今年|慢慢)(?:我)?"
        rf"(?:都|改|换|只|就|爱|喜欢|更|反而|倒|全|成|基本|天天|每天|开始|迷上){{1,4}}(?:喝|吃|看|玩|听|用|打|"
        rf"抽|买|穿|练)?(?:成|了){{0,4}}(?P<b>{NOUN}){END}",
        Says(obj="a", predicate="PREFERS", says="{s}以前喜欢{o}。", clean=taste, closes=True),
        Says(obj="b", predicate="PREFERS", says="{s}现在喜欢{o}。", clean=taste),
    ),
    slot_rule(
        "不",
        rf"(?:我)?(?:已经|现在|早就)?不(?:再)?(?P<v>喝|吃|看|玩|听|用|抽|打|穿|练|追)(?P<a>{NOUN})了，(?:现在|"
        rf"以后)?(?:都|就)?(?:改|换|只|改成|换成|开始)(?:喝|吃|看|玩|听|用|打|抽|穿|练|成|了){{0,4}}"
        rf"(?P<b>{NOUN}){END}",
        _NO_LONGER_LIKES,
        Says(obj="b", predicate="PREFERS", says="{s}改用{o}。", clean=taste),
    ),
    slot_rule(
        "续退消停卸注",
        rf"(?:我)?(?:把)?(?:我)?(?P<a>{NOUN}(?:会员|卡|订阅|套餐|月卡|年卡|APP|App|app|账号|课|号))(?:也|都|"
        rf"已经|就)?(?:没续费?|不续费?|没续上|退|取消|停|卸载|注销|卸|退订|到期)(?:掉)?(?:了)?"
        rf"(?:，(?:现在|目前|以后)?(?:只|就)?(?:留|剩|用|换成|改用|改成|换)(?:下|了|着|的是){{0,4}}"
        rf"(?P<b>{NOUN}))?{END}",
        _NO_LONGER_HAS,
        Says(obj="b", relation="has", says="{s}有{o}。", clean=owned, needed=False),
    ),
    slot_rule(
        "换改替",
        rf"(?:我)?(?:们)?(?:把)(?P<a>{NOUN})(?:都|全)?(?:换|改|替换|迁|切|迁移|升级|切换)(?:成|为|到)(?:了)?"
        rf"(?P<b>{NOUN}){END}",
        _USES_NOW,
        NO_LONGER_USES,
    ),
    slot_rule(
        "剪烫染留",
        rf"{_MY}(?:头发)?(?:已经)?(?:剪|烫|染|留)(?:成)?(?:了)?(?P<b>短|短发|长发|寸头|卷发|波浪|"
        rf"[\u4e00-\u9fff]色|光头|齐耳短发|锁骨发|板寸)了?{END}",
        _HAIR_IS,
    ),
    slot_rule(
        "换",
        rf"(?:我)?(?:又|刚|最近)?换(?:了)?(?:个|一个|一位|新|家)?(?:的)?(?P<k>{ROLE})(?:了)?，(?:新的?|这个|"
        rf"现在)?(?:姓|叫|是|在|名叫|去|改去)(?P<b>{NOUN}){END}",
        ATTRIBUTE_IS,
    ),
    slot_rule(
        "夜早白晚中",
        r"(?:我)?(?:们)?(?:从|由)(?P<a>[早中晚夜白小大]班|[^，。]{1,4}班)(?:调|换|改|转|倒)(?:到|成|为|上)"
        r"(?:了)?(?P<b>[早中晚夜白小大]班|[^，。]{1,4}班)" + END,
        WORKS_SHIFT,
        NO_LONGER_WORKS_SHIFT,
    ),
    slot_rule(
        "不改换用",
        rf"(?:我)?(?:已经|现在|早就)?不(?:再)?用(?P<a>{NOUN})了，(?:现在|以后)?(?:都|就)?(?:改|换|只|开始)?"
        rf"(?:用|成|上|到)(?:了|成)?(?P<b>{NOUN}){END}",
        NO_LONGER_USES,
        _USES_NOW,
    ),
    slot_rule(
        "改换",
        rf"(?:我)?(?:现在|已经|全|都|最近|也)?(?:改|换)(?P<v>用|喝|吃|走|骑|坐|练|学|打|穿|看|听)(?:了|上|成)?"
        rf"(?P<b>{NOUN}){END}",
        Says(obj="b", relation="uses", says="{s}改{v}{o}。", clean=thing),
    ),
    slot_rule(
        "改换",
        rf"(?:我)?(?P<a>[^，。！？；：、\s我你他她它从把]{{2,4}}?)(?:全|都)?(?:改|换)(?:成|为|了)?"
        rf"(?P<b>(?![到在去期天])[^，。！？；：、\s我你他她它成为了用喝吃]{{2,5}}?)了{END}",
        Says(obj="b", relation="uses", says="{s}改成{o}。", clean=thing),
        Says(obj="a", relation="uses", says="{s}不再{o}。", clean=thing, closes=True),
    ),
    slot_rule(
        "卸删注取拉",
        rf"(?:我)?(?:把)?(?P<a>{NOUN})(?:我)?(?:{ADV})(?:卸|卸载|删|注销|退订|取关|解约)(?:掉)?了{END}",
        NO_LONGER_USES,
    ),
    slot_rule(
        "续",
        rf"(?:我)?(?!房)(?P<a>{NOUN})(?:上个?月|昨天|已经|今年)?(?:到期|期满)?(?:，)?(?:就|我)?(?:没续|不续|没有续|"
        rf"没再续)(?:费|租|约|上)?(?:了)?{END}",
        _NO_LONGER_HAS,
    ),
    slot_rule(
        "不",
        rf"(?:我)?不(?:再)?(?P<a>[追打玩练跳跑][^，。！？；：、\s我你您他她它]{{1,4}})了{END}",
        _NO_LONGER_DOES,
    ),
    slot_rule(
        "剪烫染留",
        rf"(?:我)?(?:把)?(?:的)?头发(?:{ADV})(?:剪|烫|染|留)(?P<b>短|长|卷|直)(?:了)?(?:很多|点|一点)?{END}",
        _HAIR_IS,
    ),
    slot_rule(
        "从",
        rf"(?:我)?从(?P<a>{NOUN})换(?:回|成|到)(?:了)?(?P<b>{NOUN}){END}",
        _USES_NOW,
        NO_LONGER_USES,
    ),
    slot_rule(
        "不",
        rf"(?:我)?(?:已经|现在|决定)?(?:不再|再也不)(?!喜欢|爱|养|喝|吃|玩|抽|看|买|用|碰|打|追|是|在|住|做|当|"
        rf"讨厌|害怕|怕|想|有|迷)(?P<a>[^，。！？；：、\s我你您他她它是在]{{2,6}}?)了?{END}",
        _NO_LONGER_DOES,
    ),
    slot_rule(
        "戒",
        rf"(?:我)?戒(?P<a>{NOUN})(?:已经|都|到?今天)?(?:第|到第|快|有|整|满|整整)(?:{NUMBER})(?:个)?(?:天|月|周|年|星期)",
        _GAVE_UP,
    ),
    slot_rule(
        "不取",
        rf"(?:我)?(?P<a>{NOUN})(?:我)?(?:{ADV})(?:不[打弹练跳跑学喝吃看玩用做](?:了)|取消了)，(?:现在|以后)?"
        rf"(?:都|就)?(?:改|换)(?:成|为)?(?:[打弹练跳跑学喝吃看玩用做写])?(?:了)?(?P<b>{NOUN}){END}",
        Says(obj="a", predicate="PREFERS", says="{s}不再{o}。", clean=taste, closes=True),
        Says(obj="b", predicate="PREFERS", says="{s}改成{o}。", clean=taste),
    ),
)
