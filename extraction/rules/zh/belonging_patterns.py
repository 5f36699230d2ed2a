"""Chinese slot rules for numbers and belongings."""

from typing import Final

from extraction.rules.zh.slot_cleaners import owned, thing, value
from extraction.rules.zh.slots import ME, Says, SlotRule, slot_rule
from extraction.rules.zh.statements import VALUE_IS
from extraction.rules.zh.word_classes import ADV, CAR, DEVICE, END, KINS, MEASURE, NOUN, NUMBER_KINDS, OTHER_NUMBERS
from extraction.text.lexicon_zh import FORMERLY_CHARACTERS, FORMERLY_WITH_VERB
from schema.entity import EntityType

# Numbers

_KIND: Final = "(?:" + "|".join(sorted(NUMBER_KINDS, key=len, reverse=True)) + ")"
_IS: Final = r"(?:号码?|是|就是|为|换成|换到|换|改成|改为|改到|改|变成|变|现在是|还是|穿|戴|圈|坐|了|[：:，, ]){0,4}"
_CODE: Final = r"[A-Za-z\d\u4eac\u6caa\u7ca4\u6d59\u82cf][A-Za-z\d·@._+#-]{0,29}"
_PLATE: Final = r"[京沪粤浙苏鲁豫川渝鄂湘皖赣闽冀晋辽吉黑陕甘宁青新藏桂琼云贵津蒙][A-Z][·\s]?[A-Z0-9]{4,6}"
_HEIGHT_IS: Final = Says(obj="o", relation="height", says="{s}的身高是{o}。", clean=value)
_PHONE_IS: Final = Says(obj="o", relation="phone number", says="{s}的电话是{o}。", clean=value)
_SHOE_SIZE_IS: Final = Says(obj="o", relation="shoe size", says="{s}的鞋码是{o}。", clean=value)
NUMBER_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        "码",
        rf"(?:我)?(?:{ADV})穿(?P<o>[34]\d(?:\.5)?)码(?:的)?(?:鞋|{END})",
        _SHOE_SIZE_IS,
    ),
    slot_rule(
        "0123456789",
        rf"(?:我)?(?:的)?(?:新)?(?:办公|家里|公司|家庭|单位)?(?:座机|固话|电话|分机){_IS}(?P<o>0\d{{2,3}}-?\d{{7,8}})",
        _PHONE_IS,
    ),
    slot_rule(
        "微Q",
        rf"(?:我)?(?:的)?(?:新)?(?P<k>微信号?|QQ号?|抖音号|小红书号|用户名|游戏ID|ID){_IS}"
        rf"(?P<o>[A-Za-z\d][\w.-]{{3,29}})",
        VALUE_IS,
    ),
    # 手机换号了，新的是13980042617
    slot_rule(
        "1",
        r"(?:我)?(?:的)?(?:手机|电话)?(?:号码?)?(?:换|改)(?:号|了)[^，。]{0,4}，(?:新的?|现在|以后|新号码?|是|[：:]){0,3}"
        r"(?P<o>1[3-9]\d{9})(?!\d)",
        _PHONE_IS,
    ),
    slot_rule(
        "1",
        r"(?=[^，。]{0,24}(?:号|电话|手机|打|联系|新的|换成))[^，。不]{0,12}?(?P<o>1[3-9]\d{9})(?!\d)",
        _PHONE_IS,
    ),
    slot_rule(
        "码",
        r"(?P<o>[34]\d(?:\.5)?)码(?:的)?(?:脚|鞋)",
        _SHOE_SIZE_IS,
    ),
    slot_rule(
        "停",
        rf"(?:我)?(?:的)?车(?:就|一直)?停(?:在)?(?P<o>[A-Z负\dBb][^，。]{{1,12}}?){END}",
        Says(obj="o", relation="车位", says="{s}的车停在{o}。", clean=value),
    ),
    slot_rule(
        "米",
        r"(?:我)?(?:的)?(?:身高|净身高|个子)(?:是|有)?(?P<o>[一二][米米][一二三四五六七八九十\d]{1,2})",
        _HEIGHT_IS,
    ),
    slot_rule(
        "0123456789",
        rf"(?:我)?(?:的)?(?:新|现在的)?(?!尾号)(?P<k>手机号码?|手机|电话号码?|电话|联系电话|联系方式|号码|"
        rf"号){_IS}(?P<o>\+?\d[\d -]{{4,18}}\d)",
        _PHONE_IS,
    ),
    slot_rule(
        "0123456789",
        rf"(?:[^，。]{{0,8}})?(?:打|拨|联系|找)(?:我)?(?:的)?(?P<p>{KINS})(?:的)?(?:电话|手机)?"
        rf"(?:号码)?[：:，, 是]{{0,2}}(?P<o>\+?\d[\d -]{{4,18}}\d)",
        Says(obj="o", subject="p", relation="phone number", says="{s}的电话是{o}。", clean=value),
        reads="whole",
    ),
    slot_rule(
        "0123456789",
        r"(?:[^，。]{0,8})?(?:打|拨|联系)(?:我)?(?:的)?(?:新)?(?:电话|手机|号码)[：:，, ]*"
        r"(?P<o>\+?\d[\d -]{4,18}\d)",
        _PHONE_IS,
    ),
    slot_rule(
        "车",
        rf"(?:我)?(?:的)?(?:新)?车牌(?:号)?{_IS}(?P<o>{_PLATE})",
        Says(obj="o", relation="license plate", says="{s}的车牌是{o}。", clean=value),
    ),
    slot_rule(
        "鞋脚",
        rf"(?:我)?(?:的)?(?:买)?(?:鞋码|鞋号|鞋子?|球鞋|跑鞋|脚)(?:大小|尺码)?{_IS}(?P<o>[34]\d(?:\.5|码半)?)"
        rf"(?:码|号)?(?:的)?{END}",
        _SHOE_SIZE_IS,
    ),
    slot_rule(
        "上衣裤T裙衬外短内文",
        rf"(?:我)?(?:的)?(?P<k>上衣|衣服|裤子|牛仔裤|T恤|裙子|衬衫|外套|短袖|内衣|文胸|校服|工服|西装){_IS}"
        rf"(?P<o>(?:\d?X{{0,3}}[SML]|\d{{2,3}}(?:[A-F])?|均)(?:码|号)?)"
        rf"(?:的腰|的)?(?:，?(?P<k2>上衣|衣服|裤子|牛仔裤|裙子|衬衫|外套){_IS}(?P<o2>(?:\d?X{{0,3}}[SML]|"
        rf"\d{{2,3}})(?:码|号)?)(?:的腰|的)?)?{END}",
        Says(obj="o", relation="{k}尺码", says="{s}的{k}尺码是{o}。", clean=value),
        Says(obj="o2", relation="{k2}尺码", says="{s}的{k2}尺码是{o}。", clean=value, needed=False),
    ),
    slot_rule(
        "身高",
        rf"(?:我)?(?:的)?身高{_IS}(?P<o>1?[\d.米]{{2,5}}(?:cm|厘米|公分)?)",
        _HEIGHT_IS,
    ),
    slot_rule(
        "体重斤",
        rf"(?:我)?(?:的)?体重{_IS}(?P<o>\d{{2,3}}(?:\.\d)?(?:kg|公斤|斤|千克))",
        Says(obj="o", relation="weight", says="{s}的体重是{o}。", clean=value),
    ),
    slot_rule(
        "瘦胖减降重涨",
        rf"(?:我)?(?:的)?(?:体重)?(?:{ADV})[瘦胖减降重涨]回?到了?"
        rf"(?P<o>[\d.一二两三四五六七八九十百]{{1,6}}(?:公斤|斤|kg|千克))[了啦]{END}",
        Says(obj="o", relation="weight", says="{s}的体重是{o}。", clean=value),
    ),
    slot_rule(
        "血",
        rf"(?:我)?(?:的)?(?:血型)?(?:是)?(?P<o>(?:RH阴性)?(?:A|B|O|AB)型)血?{END}",
        Says(obj="o", relation="blood type", says="{s}的血型是{o}。", clean=value),
    ),
    slot_rule(
        "邮箱",
        rf"(?:我)?(?:的)?(?:新|工作|公司|私人|常用)?邮箱(?:地址)?{_IS}(?P<o>[\w.+-]{{2,40}}@[\w.-]{{3,40}})",
        Says(obj="o", relation="email", says="{s}的邮箱是{o}。", clean=value),
    ),
    slot_rule(
        "号位柜微Q编围指近度眼分宿班楼",
        rf"(?:我)?(?:的)?(?:新)?(?P<k>[\u4e00-\u9fff]{{0,4}}?{OTHER_NUMBERS})(?:已经)?{_IS}(?:在|到|成)?(?P<o>"
        rf"(?=[^，。]{{0,6}}[A-Za-z\d一二三四五六七八九十])[A-Za-z\d楼号室层排座区栋单元度厘米cm一二三四五六七八九十零百-]{{1,20}}){END}",
        VALUE_IS,
    ),
    slot_rule(
        "搬换改调挪",
        rf"(?:我)?(?:的)?(?:新)?(?P<k>工位|座位|办公室|教室|宿舍|床位|车位|摊位|柜子)(?:已经|又)?(?:搬|换|改|"
        rf"调|挪)(?:到|去|成|为|至)(?:了)?(?P<o>[^，。]{{2,14}}?){END}",
        Says(obj="o", relation="{k}", says="{s}的{k}在{o}。", clean=value),
    ),
    slot_rule(
        "穿",
        r"(?:我)?(?:一般|平时|都)?穿(?P<o>1[4-9]\d|[2-4]\d|\d?X{0,3}[SML])(?:码|号)?的?" + END,
        Says(obj="o", relation="size", says="{s}穿{o}。", clean=value),
    ),
    slot_rule(
        "尾",
        r"(?:[^，。]{0,6})?(?:手机|电话)尾号(?:是|为)?(?P<o>\d{3,4})(?![^，。]{0,3}不用)",
        Says(obj="o", relation="phone number", says="{s}的手机尾号是{o}。", clean=value),
    ),
)


# Belongings

_HAS: Final = Says(obj="o", relation="has", says="{s}有{o}。", clean=owned, kind=EntityType.THING)
_HAD: Final = Says(obj="o", relation="has", says="{s}不再有{o}。", clean=owned, kind=EntityType.THING, closes=True)
_GOT: Final = (
    r"(?:买|入手|入|添|添置|提|收|淘|配|整|置办|抢|换|网购|团购|下单|装|攒|败|拿下|抱回|淘到|抢到|买到|添了|组装|"
    r"安装|租|办|申请|开通|定制|订做)"
)
_GIVEN: Final = r"(?:留给|送给|送|传给|给|奖励|寄给)"
_GONE: Final = (
    r"(?:卖|走丢|跑丢|(?<![走跑])丢|扔|捐|退|(?<![考搞演办谈面])砸|摔坏|摔碎|报废|被偷|被盗|弄丢|搞丢|送人|送走|处理|"
    r"出|转手|退货|(?:骑|用|穿|戴|压|"
    r"磕|搞|烧|泡)坏|摔|碎|淘汰|转让|"
    r"盘出去|关|拆|拔|退租)"
)
_SPEAKER_HAS: Final = Says(obj="o", subject=ME, relation="has", says="{s}有{o}。", clean=owned, kind=EntityType.THING)
BELONGING_RULES: Final[tuple[SlotRule, ...]] = (
    slot_rule(
        FORMERLY_CHARACTERS + "上",
        rf"(?:我)?(?:{FORMERLY_WITH_VERB}|上一)的?那?(?:{MEASURE})?(?P<o>{NOUN})(?:我)?(?:开|骑|用|养|穿|戴)了(?:好多|好几|"
        rf"很多|"
        rf"[一二三四五六七八九十两\d]{{1,3}})(?:年|个?月){END}",
        _HAD,
    ),
    slot_rule(
        "被",
        rf"(?:我)?(?:{ADV})在[^，。我你]{{2,8}}?(?:门口|里|外|上|旁边|附近|楼下)(?P<o>{NOUN})(?:{ADV})(?:被|"
        rf"让人)(?:人)?"
        rf"(?:偷|盗|抢|顺走|拖走)(?:走)?了?{END}",
        _HAD,
    ),
    slot_rule(
        "让被",
        rf"(?:我)?(?:的)?(?P<o>{NOUN})(?:{ADV})(?:让|被)(?:人|[^，。]{{1,6}})?(?:收走|偷走|偷|拿走|没收|顺走|"
        rf"撞坏|撞了|摔坏|踩坏|咬坏|弄坏|弄丢|拖走)(?:了)?{END}",
        _HAD,
    ),
    slot_rule("用", r"(?:我)?(?:现在|一直|平时)?用的?是? ?(?P<o>[A-Z][A-Za-z]+(?: ?[A-Za-z\d]+){0,3})" + END, _HAS),
    slot_rule(
        "考",
        rf"(?:我)?(?:{ADV})(?:考到|考下|考出|拿到|考取)(?:了|来了)?(?P<o>[^，。我你]{{2,10}}(?:证|资格|执照|"
        rf"驾照|会计师|建造师)){END}",
        _HAS,
    ),
    slot_rule(
        "把",
        r"(?:我)?把(?P<o>驾照|驾驶证|[^，。我你把]{1,6}(?:证|执照|资格))(?:给)?"
        r"(?:考|拿)(?:下来|下|到手|出来|到)了" + END,
        Says(obj="o", relation="has", says="{s}有{o}。", clean=value, kind=EntityType.THING),
    ),
    slot_rule(
        "家屋",
        rf"(?:我)?(?:家里?|屋里)(?:刚|新|已经|又|也|都){{0,2}}(?:装|添|买|换|配|通|置办|铺|接)了(?P<o>{NOUN}){END}",
        _HAS,
    ),
    slot_rule(
        "换买入",
        rf"(?:我)?(?:{ADV})(?:换|买|入|入手|添)了(?P<o>[^，。！？；：、\s我你您他她它]{{0,6}}?{DEVICE}){END}",
        _HAS,
    ),
    slot_rule(
        "新",
        r"(?:我)?(?:的)?新(?:买|入手|入|换|配|订|下单)的(?P<o>[^，。！？；：、\s我你您他她它是]{2,8}?)(?:是|"
        r"到|送|用|真|很|太|特别|挺|还行|不错|，|$)",
        _HAS,
    ),
    slot_rule(
        "买",
        rf"(?:我们?)?(?:{ADV})买(?P<o>房子?|车)了{END}",
        Says(obj="o", relation="has", says="{s}有{o}。", clean=value),
    ),
    slot_rule(
        "车提订",
        rf"(?:我)?(?:提|买|换|订|换新)车(?:啦|了|喽)[！!，,。 ]*(?:是|买的是|换的是|选的是|终于)?"
        rf"(?:{MEASURE})?(?P<o>[^，。！]{{2,16}}?){END}",
        _HAS,
    ),
    slot_rule(
        "买入添提收淘配整置抢换装攒败拿抱",
        rf"(?:我)?(?:家里?|屋里|办公室)?(?:又|刚|新|刚刚|终于|咬牙|狠心){{0,4}}{_GOT}(?:到|回|了|回来|好)+"
        rf"(?:个|一)?(?P<o>{MEASURE}[^，。！]{{1,14}}?){END}",
        _HAS,
    ),
    slot_rule(
        "买入",
        rf"(?:我)?(?:家里?)?(?:刚|新)(?:买|入手|换|配|添|入)(?:了|的|到)?(?P<o>(?:{MEASURE})?{NOUN}{DEVICE}|"
        rf"{MEASURE}[^，。！]{{1,14}}?){END}",
        _HAS,
    ),
    slot_rule(
        "新",
        rf"(?:我)?(?:的)?新(?:买|入手|换|配|订|下单)的(?P<o>{NOUN})(?:到货|到|送到|装好|寄到|用着|真|很|太|"
        rf"特别|挺|还行|不错)",
        _HAS,
    ),
    slot_rule(
        "留送给传",
        rf"(?:我)?(?:的)?(?:{KINS}|[^，。]{{1,4}})(?:生前|以前|去年|过生日|生日|结婚|走的时候)?{_GIVEN}"
        rf"(?:了)?我(?:的)?(?:了)?(?P<o>{MEASURE}[^，。]{{1,12}}?){END}",
        _SPEAKER_HAS,
        reads="whole",
    ),
    slot_rule(
        "店馆厂司室",
        r"(?:的)?(?P<o>(?:[^，。我]{0,4})(?:店|馆|厂|公司|工作室|民宿|摊子|铺子))是我(?:们)?(?:(?:跟|和|"
        r"与)[^，。]{1,6})?(?:一起|合伙|自己|俩)?(?:开|盘|办|接|创办|顶)",
        _HAS,
    ),
    slot_rule(
        "收",
        rf"(?:我)?收到(?:了)?[^，。]{{1,6}}(?:送|寄|给)(?:我|来)?的(?:生日礼物|礼物)?[，：:]?(?:是)?"
        rf"(?P<o>{MEASURE}[^，。]{{1,12}}?){END}",
        _HAS,
    ),
    slot_rule(
        "开骑用弹",
        rf"(?:我)?(?:平时|上下班|通勤|现在|日常|一直|还){{0,4}}(?:开|骑)(?:的)?(?:是|着)?(?:{MEASURE})?(?P<o>"
        rf"(?:[\u4e00-\u9fff]{{0,6}}的)?(?:[\u4e00-\u9fff]{{0,3}}{CAR}[A-Za-z\d\u4e00-\u9fff ]{{0,14}}?|"
        rf"[\u4e00-\u9fff]{{0,4}}(?:电动车|摩托车?|自行车|电瓶车|皮卡|面包车|越野车|SUV|小电驴|踏板)))(?:上班|"
        rf"通勤|上下班)?{END}",
        _HAS,
    ),
    slot_rule(
        "用",
        rf"(?:我)?(?:平时|现在|日常|一直|还|都){{0,4}}用(?:的)?(?:是|着)?(?:{MEASURE})?"
        rf"(?P<o>[^，。！]{{1,12}}?{DEVICE}){END}",
        _HAS,
    ),
    slot_rule(
        "是",
        rf"(?:我)?(?:们)?(?:家)?(?:的)?(?:新)?(?P<k>{DEVICE})(?:用的)?(?:还)?(?:是|买的是|换的是|选的是)"
        rf"(?:{MEASURE})?(?P<o>[^，。！]{{2,14}}?)(?:的)?{END}",
        _HAS,
    ),
    slot_rule(
        "有",
        rf"(?:我)?(?:家里?|屋里|手里|手上|名下|阳台上?|车库里|院子里|书房里?|厨房里?|老家)?(?:还|也|就|只|"
        rf"现在)?有(?P<o>{MEASURE}[^，。！]{{1,10}}?)(?P<p>(?<=.)[一二两三四五六][只条台辆匹][^，。！]{{1,8}}?)?(?:，|{END})",
        _HAS,
        Says(obj="p", relation="has", says="{s}有{o}。", clean=owned, kind=EntityType.THING, needed=False),
    ),
    slot_rule(
        "养种",
        rf"(?:我)?(?:家)?(?:鱼缸|阳台|院子|家)?(?:里|上)?(?:养|种)(?:了|着|的是)"
        rf"(?P<o>{MEASURE}?[^，。！]{{1,8}}?)(?:，|{END})",
        _HAS,
    ),
    slot_rule(
        "是",
        rf"(?:厨房|家里|阳台|客厅|卧室)(?:用的|装的)?是(?P<o>[^，。]{{2,8}}?)(?:，(?:没有|没)"
        rf"(?P<f>[^，。]{{2,8}}?))?{END}",
        _HAS,
        Says(
            obj="f", relation="has", says="{s}没有{o}。", clean=thing, kind=EntityType.THING, closes=True, needed=False
        ),
    ),
    slot_rule(
        "卖丢扔捐送退砸坏报被偷弄搞处出转用摔碎淘让盘关倒拆拔",
        rf"(?:我)?(?:把)?(?:我)?(?:的|家的|那[台辆部把个只条架套]|这[台辆部把个]|旧的?|老){{0,2}}(?P<o>{NOUN})"
        rf"(?:我)?{ADV}(?:挂闲鱼|在闲鱼|挂网上|便宜|低价|二手|半价|原价){{0,2}}{_GONE}(?:掉|出去|"
        rf"给[^，。]{{1,6}}|了人|人){{0,4}}了{END}",
        _HAD,
    ),
    slot_rule(
        "送给",
        rf"(?:我)?(?:把)?(?P<o>{NOUN})(?:我)?(?:已经|也|都)?(?:送(?![去到回])|(?<![借租发寄打交写说教还])给(?!力|"
        rf"我[了用开骑穿看玩])|转给|留给|让给)(?:给|了)?(?:我)?(?:{KINS}|"
        rf"[爸妈哥姐弟妹]|[\u4e00-\u9fff]{{1,3}})(?:追剧|开|用|玩|骑|穿|看)?(?:了|去了){END}",
        _HAD,
    ),
    slot_rule(
        "卖", rf"(?:我)?(?:卖|卖掉|转手|处理掉)(?:了)(?P<o>(?:{MEASURE})?(?:我的|自己的|那[台辆部])?{NOUN}){END}", _HAD
    ),
    slot_rule(
        "摆放停挂装供存架",
        rf"(?:我)?(?:的)?(?:家|书房|客厅|卧室|阳台|厨房|院子|车库|办公室|店|楼下|墙|桌|床头|柜子)(?:里|上)?"
        rf"(?:还|一直)?(?:摆|放|停|挂|装|供|存|架)(?:着|了)(?P<o>{MEASURE}[^，。！]{{1,10}}?)(?:，|{END})",
        _HAS,
    ),
    slot_rule(
        "新",
        rf"(?:我)?(?:的)?新(?:的)?(?P<k>{DEVICE})(?:到货|到手|到|买|提|装好|换好|拿到|入手)了，(?:是|选的|买的|"
        rf"换的){{0,2}}(?P<o>[^，。！]{{2,14}}?)(?:的)?{END}",
        _HAS,
    ),
    slot_rule(
        "骑开",
        rf"(?:我)?(?:平时|现在|每天|都|一直){{0,3}}(?:骑|开)(?:着|的是)?(?:{MEASURE})?"
        rf"(?P<o>(?!车)[^，。！我]{{0,6}}?{DEVICE})(?:去)?(?:上下班|上班|通勤|上学|买菜|接孩子|接送孩子)(?:的)?{END}",
        _HAS,
    ),
    slot_rule(
        "留送给传",
        rf"(?:我)?(?:的)?(?:这|那)?(?:{MEASURE})?(?P<o>{NOUN})是(?:我)?(?:{KINS}|[爸妈哥姐弟妹])(?:留|送|给|"
        rf"传)(?:下|下来|给我|我)?的{END}",
        _SPEAKER_HAS,
    ),
)
