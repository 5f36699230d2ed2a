"""Clean the parts of slot rules: things, places, employers, jobs, names, times, plans."""

import re
from typing import Final

from extraction.rules.zh.clauses import name_at
from extraction.rules.zh.objects import NO_PLACE, is_job, transliterated
from extraction.rules.zh.phrases import FOR_LONG, noun_phrase
from extraction.rules.zh.word_classes import DATE, DRUG, DURATION, HE, MAKE, MEASURE, NUMBER, TIME_LIMIT
from extraction.text.lexicon_zh import KIN, KIN_PATTERN, VAGUE
from extraction.text.name_spotting import is_nominal, word_tag

_EDGE: Final = " ，。！？；：、…!?;:,.\"“”'‘’「」『』~～-"
_TAIL: Final = re.compile(r"(?:了|啦|喇|啊|呢|吧|呀|哦|嘛|耶|的|来着|而已)+$")
_COUNT: Final = re.compile(
    rf"^(?:[那这](?={MEASURE}))?{MEASURE}(?<![匹片面本根份口堂样])(?=.{{1}})|^(?:{NUMBER}){MEASURE}(?=.{{1}})"
)
_ADDED: Final = re.compile(
    r"^(?:家里的|里的|我们的|个(?!人|体|性)|刚|新(?!闻|鲜|娘|郎|生|疆|加坡|西兰|华|冠)|旧|自己|一直|着|了|的|又|还|再|也|都|就)+(?=.{1})"
)
_LOOKS: Final = re.compile(
    r"^(?:二手|[\u4e00-\u9fff]色|全新|[一二两三四五六七八九十几\d]+年|最新款?|国产|进口|便宜|普通|同款|老|旧|"
    r"新)的(?=..)"
)
_BOUGHT: Final = re.compile(r"^[^，]{0,4}(?:买|换|租|借|捡|领养|收养|抽到)(?:来|回来)?的(?=..)")
_PEOPLE: Final = re.compile("|".join(word for word in sorted(KIN, key=len, reverse=True) if len(word) > 1))
_NO_THING: Final = re.compile(
    rf"[我你您她它谁]|{HE}|^(?:这|那|什么|怎么|不|没|别(?!克|墅)|很|太|更|最|几|多少|哪)|什么|怎么|为啥|一下$|^(?:人|"
    rf"起来|"
    r"下来|出来|过来|主意|话题|"
    r"心情|状态|样子|回来|下去|个话题|别的|新的|旧的|心态|想法|个人|人家)$"
)
THING_CHARS_MAX: Final = 16


# 金卡明年不续了
_LATER: Final = re.compile(r"(?<=..)(?:明年|今年|下个?月|下周|年底|月底|到期)$")
_CALLED: Final = re.compile(r"名?叫.+的")
# Words of clauses, which are no part of the name of a thing: 眼镜戴着头晕, 仓鼠今天死, iPad借.
_SAID_OR_DONE: Final = re.compile(
    r"说|觉得|以为|一下|怎么|(?<=.)着(?!装|陆)|今天|昨天|前天|上周|(?<=.)[死借租寄]$"
    # How it was obtained: 我的电脑是五年前买的.
    r"|(?:[年月天]前|[去前今]年|上个?月|刚刚?|自己|网上|店里)[买换修做弄]$"
)


def thing(text: str) -> str | None:
    """Return a thing without measure words and particles, such as `小米SU7` in `一辆小米SU7了`."""
    text = _TAIL.sub("", text.strip(_EDGE))
    text = _COUNT.sub("", _ADDED.sub("", _COUNT.sub("", text))).strip(_EDGE)
    text = _LATER.sub("", _LOOKS.sub("", _BOUGHT.sub("", text)))
    if _CALLED.match(text):
        # The name is read with its owner (`constructions.PET_CALLED`).
        return None
    if _PEOPLE.search(text) or _SAID_OR_DONE.search(text):
        return None
    if not 1 <= len(text) <= THING_CHARS_MAX or text in VAGUE or text in KIN or _NO_THING.search(text):
        return None
    return text


_ABSTRACT: Final = re.compile(
    r"色$|^(?:叫|些|点|更|让|帮|关于|来|想|会)|(?:烦恼|问题|想法|困惑|机会|打算|计划|建议|感觉|事|消息|办法|秘密|"
    r"好处|缺点|优点|预感|疑问|压力|经历|时间|课|比赛|"
    r"会议?|活动|习惯|爱好|兴趣|目标|梦想|愿望|请求|任务|工作|项目|难题|挑战|要求|原因|理由|特点|地方|方面|年|"
    r"月|天|小时|分钟|次|遍|朋友|人|周|话|场景|念头|心愿|收获|"
    r"体会|感受|期待|惊喜|误会|矛盾|交情|缘分|假期|约会|聚会|演出|展览|讲座|培训|考试|面试|手术|检查|味道|气质|"
    r"优惠|折扣|道理|意思|好感|说法|传统|规定|难懂|发型|名字|头像|环境|方式|身份|角度|座位|位置|姿势|口福|眼福|福气)$"
)


def owned(text: str) -> str | None:
    """Return a thing that somebody may own: a noun phrase of two characters or more."""
    name = thing(text)
    if name is None or _ABSTRACT.search(name) or (len(name) < 2 and name not in "车房琴猫狗鱼表床包鞋店"):
        return None
    if re.search(r"[借租寄送]$|有|可以|终于|吃|了|那|和|、|超级|可爱|过户|^[一二两三四五六七八九十\d]+[座门厢]$", name):
        return None
    return name if re.search(r"[A-Za-z]", name) or re.match(MAKE, name) or _names_a_thing(name) else None


_NOT_NOUN: Final = re.compile(r"[把让给在说来去被对跟就都也还想骑过有能了吃喝那]|终于|可以|原[先来]")


def _names_a_thing(name: str) -> bool:
    """Return whether a phrase is a noun phrase.

    The tagger often splits unknown words wrongly, so a phrase that it rejects still counts if no character of it is
    typical of verbs and its last two characters are no verb, adverb or pronoun.
    """
    return is_nominal(name) or not (_NOT_NOUN.search(name) or word_tag(name[-2:]) in ("v", "d", "r"))


_NO_ALLERGEN: Final = re.compile(r"^(?:有|嘴|脸|喉|嗓|皮肤|手|眼|身|胃|肚|舌|鼻|胳膊|脖子)|人$|登记|检测|严重")


def allergen(text: str) -> str | None:
    """Return food or a substance that harms somebody."""
    name = taste(re.sub(r"^(?:还是|就是|是|连|还|对)", "", text.strip(_EDGE)))
    return name if name and len(name) <= 8 and not _NO_ALLERGEN.search(name) and is_nominal(name) else None


def drug(text: str) -> str | None:
    """Return the name of a drug, or None; unlike other pronouns, 他 may be part of it: 他汀."""
    name = _COUNT.sub("", re.sub(r"^(?:的|了|着|上|靠|是)+", "", _TAIL.sub("", text.strip(_EDGE)))).strip(_EDGE)
    return (
        name
        if 2 <= len(name) <= 12
        and not re.search(r"什么|[这那哪几两三]种|[针次个片]$|[早晚]上|医生|大夫|^(?:药|别的)$|[我你她您]", name)
        else None
    )


def known_drug(text: str) -> str | None:
    """Return a drug that is recognised by its name, or a longer word that the dictionary does not list."""
    name = drug(text)
    return name if name and (re.fullmatch(DRUG, name) or (len(name) >= 3 and word_tag(name) is None)) else None


_ILLNESS: Final = re.compile(
    r"(?:损伤|骨折|突出|结石|息肉|囊肿|肌瘤|结节|增生|炎|症|病|衰竭?|综合征|综合症|不全|缺损|反流|劳损|积液|"
    r"滑脱|撕裂|贫血|偏头痛|高血压|低血压|"
    r"低血糖|过敏|癌|瘤|痛风|哮喘|湿疹|失眠|耳鸣|散光|近视|远视|甲亢|甲减|脂肪肝|静脉曲张|狐臭|脊柱侧弯|扁平足|"
    r"阻塞|早搏|房颤|心衰|中风|乳糜泻|痴呆|帕金森|抑郁)$"
)


def illness(text: str) -> str | None:
    """Return the name of a lasting illness, such as `半月板损伤`; None for passing ones and other text."""
    name = re.sub(
        r"^(?:的|了|点|个|很|比较|严重|轻微|轻度|重度|老(?!年)|是|有|来|出|为|得|一点|一些)+",
        "",
        _TAIL.sub("", text.strip(_EDGE)),
    )
    wrong = re.search(
        r"[我你您他她]|毛病$|看病|生病|什么|这|那|不|没|通病|公主病|强迫症似|心病|职业病|拖延症|选择困难|恋爱|"
        r"相思|治|感冒|咳嗽|发炎$",
        name,
    )
    return name if 2 <= len(name) <= 10 and name != "过敏" and _ILLNESS.search(name) and not wrong else None


def taste(text: str) -> str | None:
    """Return food, drink or an activity that somebody likes or has given up."""
    text = re.sub(r"^(?:吃|喝|抽|看|玩|听|打|用|穿)(?=[^，]{1,})", "", thing(text) or "") or text
    name = thing(re.sub(r"^滴(?=酒)|^(?:任何|所有|一切)", "", text))
    if name and re.search(r"^[一二两三四五几半\d]+[顿次口杯碗]$|\d年(?!代)|(?<!过)[去今前]年(?!代)", name):
        return None
    return name if name and (len(name) > 1 or name in "茶酒烟肉糖盐辣奶面葱蒜姜鱼虾蟹") else None


def liked(text: str) -> str | None:
    """Return a liked thing or activity, with its verb."""
    text = re.sub(
        r"^连|(?:打|就算|就是)死$|^一?(?:看见|看到|听见|听到|闻到|想到|遇到|碰到)|^[一二两三四五几半\d]+[顿次口杯碗]$",
        "",
        text,
    )
    if re.search(
        r"真的|被|那样|^过(?!年|节|冬|生日|家家)|^(?:会|有点|有些|感到|逐)|感到|^[闻看听吃喝碰见]到|人$|^(?:可惜|"
        r"家里|他们|孩子|是|这|那|"
        r"但|每次|天天|"
        r"一直)|[说觉]|，|^(?:膝盖|腰|背|胃|眼睛|身体|脑子|耳朵|钱包|心脏|头|腿|脚|嗓子|皮肤)",
        text,
    ):
        return None
    text = FOR_LONG.sub("", text)
    name = noun_phrase(_TAIL.sub("", text)) or thing(text)
    return None if name is not None and len(name) == 1 and noun_phrase(name) is None else name


def value(text: str) -> str | None:
    """Return a value as written, without particles at its end."""
    text = _TAIL.sub("", text.strip(_EDGE)).strip(_EDGE)
    return text if 1 <= len(text) <= 30 and not re.search(rf"[我你您她它]|{HE}|什么|哪|怎么|^不|^没", text) else None


_PLACE_LEAD: Final = re.compile(r"^(?:在|到|去|了|进|回|来|的是|位于)+")
_PLACE_TAIL: Final = re.compile(
    r"(?:了|啦|喇|去|来|那边|这边|那儿|这儿|那块|附近|一带|旁边|边上|那里|这里|躺平|定居|生活|住|上班|这座城市|租的|"
    r"买的|自己|的)+$"
)
_PLACE_SUFFIX: Final = re.compile(
    r"(?:[省市区县镇村乡路街巷弄屯城湾岛寺里苑园庄堡桥坊港州洲浦江川口岭坡沟店门营塘坝埠山湖河海乡郊]|宿舍|"
    r"公寓|小区|大厦|花园|"
    r"家属院|家园|新村|广场|别墅|单间|合租房|出租屋|阁楼|平房|四合院|学区房|公租房|廉租房|人才房|民宿|老家|"
    r"父母家|爸妈家|"
    r"儿子家|女儿家|婆家|娘家|丈母娘家|\d{1,2}楼|\d+号楼.{0,8}|\d+单元.{0,5}|[一二三四五六七八九十]{1,3}[楼层]|"
    r"号楼|单元|[室户]|国|studio|loft)$",
    re.IGNORECASE,
)
# What follows a move: 搬到杭州以后天天吃面.
_AFTER_MOVE: Final = re.compile(r"(?<=..)(?:以后|之后|的时候|那会儿).*")
_NO_HOME: Final = re.compile(
    rf"{TIME_LIMIT}|"
    r"一下|改|^[跟和]|自己|[租买]的|房子|医院|酒店$|宾馆|旅馆|青旅|公司$|学校$|单位$|群|网上|线上|路上|门口|"
    r"手上|身上|心里|一起|对面|楼上|"
    r"楼下|隔壁|哪|什么|怎么|"
    r"一个人|朋友|[她他你您它]|不|没|这|那(?!边)|外面|外地|两|几|很|最|新家$|新房|^家里?$|^院$|得|着|过$|"
    r"[吃喝睡干做看]|里头|办公"
)


# Where in a building somebody lives: 六楼 is no home of its own.
_FLOOR: Final = re.compile(r"第?[\d一二三四五六七八九十]{1,3}[楼层]|[顶底]楼|顶层")


def home(text: str) -> str | None:
    """Return the home in a phrase: a town, an address or a kind of home; None if it names none."""
    text = _AFTER_MOVE.sub("", text.strip(_EDGE))
    name = _PLACE_TAIL.sub("", _PLACE_LEAD.sub("", text).strip(_EDGE)).strip(_EDGE)
    name = re.sub(
        rf"(?:已经|快|都|有){{0,2}}{DURATION}$|(?<=..)(?:带孩子|照顾|陪|(?:跟|和|与).{{1,8}}住|跟.{{1,4}}$|上班|工作|"
        rf"读书|上学|打工|创业|干活).*",
        "",
        name,
    )
    name = re.sub(r"^(?:一?[个间套家栋]|一处)|(?<=..)的(?:一个|一处|一栋|一间|一套).*", "", name)
    if not 2 <= len(name) <= 24 or _NO_HOME.search(name) or _FLOOR.fullmatch(name):
        return None
    if any(word_tag(name[:size]) == "ns" for size in (len(name), 4, 3, 2)) or _PLACE_SUFFIX.search(name):
        return name
    latin = re.fullmatch(r"[A-Z][A-Za-zÀ-ÿ .'-]+", name)
    return (
        name
        if latin or transliterated(name) or (len(name) <= 5 and NO_PLACE.search(name) is None and is_nominal(name))
        else None
    )


def town(text: str) -> str | None:
    """Return a home that the dictionary lists as a place, or whose last character marks a town, such as 市 or 县."""
    name = home(text)
    known = name and (
        word_tag(name) == "ns"
        or word_tag(name[:2]) == "ns"
        or re.search(r"[省市区县镇村]$", name)
        or transliterated(name)
    )
    return name if known else None


def listed_town(text: str) -> str | None:
    """Return a place that the dictionary lists as such, or a foreign one."""
    name = text.strip(_EDGE)
    return name if word_tag(name) == "ns" or (transliterated(name) and NO_PLACE.search(name) is None) else None


_ORGANIZATION: Final = re.compile(
    r"(?:公司|律所|医院|学校|大学|中学|小学|学院|银行|[一二三四]?院|局|所|厂|店|集团|中心|部门|社|馆|团队|"
    r"工作室|科技|台|机构|"
    r"幼儿园|餐厅|企业|超市|基金|证券|行业|大厂|外企|国企|私企|央企|体制内|投行|事务所|出版社|报社|杂志社|酒店|"
    r"机场|车队|剧团|"
    r"乐团|书店|咖啡馆|咖啡店|门诊|诊所|药房|工地|仓库|托班|培训班|街道办|居委会|派出所|公安局|法院|检察院|站|队|组)$"
)
_FIRMS: Final = frozenset(
    [
        "美团",
        "字节",
        "字节跳动",
        "腾讯",
        "阿里",
        "阿里巴巴",
        "百度",
        "京东",
        "华为",
        "小米",
        "网易",
        "滴滴",
        "拼多多",
        "快手",
        "抖音",
        "微博",
        "知乎",
        "携程",
        "蚂蚁",
        "米哈游",
        "比亚迪",
        "宁德时代",
        "特斯拉",
        "大疆",
        "苹果",
        "谷歌",
        "微软",
        "亚马逊",
        "英特尔",
        "顺丰",
        "中通",
        "圆通",
        "海底捞",
        "星巴克",
        "麦当劳",
        "肯德基",
        "宜家",
        "优衣库",
        "平安",
        "招行",
        "工行",
        "建行",
        "农行",
        "中行",
        "四大",
        "普华永道",
        "毕马威",
        "德勤",
        "安永",
        "万科",
        "碧桂园",
        "格力",
        "美的",
        "海尔",
        "联想",
        "中兴",
        "商汤",
        "旷视",
        "蔚来",
        "理想",
        "小鹏",
        "新东方",
        "好未来",
        "学而思",
        "瑞幸",
        "喜茶",
        "盒马",
        "叮咚",
        "哔哩哔哩",
        "B站",
        "小红书",
        "饿了么",
        "闪送",
        "货拉拉",
        "贝壳",
        "链家",
        "自如",
    ]
)
_NO_EMPLOYER: Final = re.compile(
    r"当前|老地方|我|[你您他她它]|^(?:家|家里|这|那|线上|网上|床上|路上|外面|电脑|群里|心里|原来的公司|新公司|老公司|"
    r"公司|学校|单位)$|什么|哪|现在|"
    r"周末|晚上|白天|努力|认真|一起|[吃喝睡玩]|不|没|自己家|很|压力|班$|课|周[一二三四五六日末]|\d点|线$"
)


def employer(text: str) -> str | None:
    """Return an employer: a known firm, a word for an organisation, a Latin name, or one that the dictionary lists."""
    name = re.sub(
        r"^(?:一[家所个间]|那[家个]|这[家个]|现在的|原来的|之前的|以前的|前)", "", _TAIL.sub("", text.strip(_EDGE))
    )
    name = re.sub(r"(?:那边|这边|那里|里面|里头|里)$", "", name)
    if not 2 <= len(name) <= 16 or _NO_EMPLOYER.search(name):
        return None
    if name in _FIRMS or _ORGANIZATION.search(name) or re.fullmatch(r"[A-Z][A-Za-z0-9 .&'-]+", name):
        return name
    return name if word_tag(name) == "nt" else None


def any_employer(text: str) -> str | None:
    """Return an employer after words that only an employer follows, such as 跳槽到."""
    known = employer(text)
    name = _TAIL.sub("", text.strip(_EDGE))
    plausible = 2 <= len(name) <= 10 and not _NO_EMPLOYER.search(name) and is_nominal(name)
    return known or (name if plausible else None)


_SCHOOL: Final = re.compile(
    r"(?:大学|中学|小学|学院|高中|初中|学校|幼儿园|职高|技校|卫校|党校|附中|附小|实验班|"
    r"^[\u4e00-\u9fff]{1,3}大|^(?:北|南|东|西|上|华|哈|西北|国)[\u4e00-\u9fff]{0,3}(?:工|师|理|财|航|交|政|农|"
    r"外)|[一二三四五六七八九十\d]+中)$"
)


def school(text: str) -> str | None:
    """Return the name of a school; 加拿大 ends like that of a university, and is a place."""
    name = re.sub(r"^一[所家个]|(?:的|了)+$", "", text.strip(_EDGE))
    named = _SCHOOL.search(name) and (len(name) < 3 or word_tag(name) != "ns")
    return name if named and not re.search(r"[我你他她]|这|那", name) else None


_JOB_SUFFIX: Final = re.compile(
    r"(?:[员师长手工匠家者警]|主任|经理|总监|主管|助理|代表|教练|会计|出纳|翻译|编剧|导演|保姆|月嫂|司机|医生|"
    r"大夫|护士|老板|店主|"
    r"博主|up主|UP主|UP|顾问|秘书|中介|保安|保洁|销售|客服|运营|策划|产品|开发|测试|设计|前端|后端|算法|运维|"
    r"采购|财务|行政|人事|"
    r"法务|市场|品牌|公关|编辑|记者|主播|模特|演员|歌手|学徒|合伙人|骑手|外卖|快递|网约车|公交|出租车|滴滴|"
    r"货拉拉|自媒体|电商|外贸|"
    r"保险|主妇|军人|海军|空军|陆军|武警|特警|消防|志愿兵|助教|助理|农民|支书|书记|护工|教授|法官|渔民|HR|PM|leader|TL|CEO|CTO|CFO|总|副高|正高|职称)$"
)
_NO_JOB: Final = re.compile(
    r"(?:党|会|团|成|伤|学|队)员$|之家$|患者$|爱好者$|依赖|[你您他她它我]|什么|怎么|这|那(?!边)|大家|^(?:国家|人家|"
    r"自家|全家|大家|小家|"
    r"自己|班长大人|成长|生长|"
    r"校长大人|加班长|作者|患者|爱好者|"
    r"志愿者家|专家说|老家|回家|搬家|买家|卖家|赢家|独家|管家婆|手工|打工|分手|对手|上手|动手|新手|左手|右手|"
    r"选手|二手|洗手|老手|一把手)$"
)


def job(text: str) -> str | None:
    """Return an occupation or position, such as `年级主任`."""
    text = re.sub(rf"^[了过]?{DURATION}(?:的)?|^过", "", text)
    if re.fullmatch(r"[\u4e00-\u9fff](?:大夫|医生|老师|师傅|经理|教练|护士|律师|教授|主任|会计)", text.strip(_EDGE)):
        # 帕大夫 is somebody's name.
        return None
    name = re.sub(r"^(?:一[名个位]|了|个|名|是|做|干|当|为|的)+", "", _TAIL.sub("", text.strip(_EDGE)))
    name = re.sub(r"(?:工作|岗位|岗|这行|这一行|方向|方面)$", "", name)
    fits = 2 <= len(name) <= 12 and not re.search("[的或和]|^(?:修|守|看|跑|搬)", name) and not _NO_JOB.search(name)
    # 作家 is listed in the dictionary, 岳父岳母家 is somebody's home.
    if name.endswith("家") and not any(word_tag(name[-size:]) for size in (2, 3, 4) if size <= len(name)):
        return None
    return name if fits and (is_job(name) or _JOB_SUFFIX.search(name)) else None


_EX: Final = frozenset(
    ("前任", "前男友", "前女友", "男朋友", "女朋友", "男友", "女友", "对象", "未婚夫", "未婚妻", "初恋", "老公", "老婆")
)
_NOT_PERSON: Final = re.compile(
    r"[我你他她的了是在有没不就也都很太会要给把被从]|一|什么|自己|大家|朋友|同事|同学|家人|妈|爸|公司"
)


def person(text: str) -> str | None:
    """Return the name of a person."""
    text = text.strip(_EDGE)
    if name_at(text, 0) == text or text in _EX:
        return text
    return text if 2 <= len(text) <= 3 and not _NOT_PERSON.search(text) and word_tag(text) in (None, "nr") else None


def any_name(text: str) -> str | None:
    """Return a name after 叫 or 取名, which may be any word: 年糕, 闪电."""
    text = _TAIL.sub("", text.strip(_EDGE))
    named = 1 <= len(text) <= 12 and not re.search(r"[我你他她，。]|什么|^(?:不|没|做)", text)
    return text if named else None


_NO_PET_NAME: Final = re.compile(r"[上下昨今前这那去周月天年已也都就刚又被给让把的了在不没自突忽最终]|后来")


def pet_name(text: str) -> str | None:
    """Return the name of an animal that stands beside its kind: 豆豆 in 我的猫豆豆; not 上周 in 仓鼠上周死了."""
    doubled = len(text) == 2 and text[0] == text[1]
    fits = doubled or (_NO_PET_NAME.search(text) is None and word_tag(text) in (None, "n", "nr", "nrt", "nrfg", "nz"))
    return any_name(text) if fits else None


def years(text: str) -> str | None:
    """Return an age as written: `三岁半`, `4个月`."""
    text = re.sub(r"[了啦整大]+$", "", text)
    return text if len(text) <= 8 else None


_GOES: Final = (
    r"(?:把|要|去|回|飞|到|考|参加|办|做|开|交|搬|打|跑|见|面|谈|动|出|报|跟|和|陪|带|接|请|搞|学|入职|体检|答辩|"
    r"结婚|领证|订婚|出差|旅|聚|复|"
    r"手术|开课|开学|开工|值班|上班|上课|上台|上岗|上学|比赛|拔|看|住|签|拿|取|送|送|参|演|录|办理|装修|生|休|休假|"
    r"拍|试|试镜|种|验收|"
    r"过户|提车|交房|"
    r"还款|转正|离职|退休|毕业|产检|打疫苗|补牙|洗牙|种牙|爬|徒步|露营|滑雪|潜水|约|吃|买|换|"
    r"述职|汇报|发|上线|交付)"
)
_NO_PLAN: Final = re.compile(
    r"^[\u4e00-\u9fff]{1,2}[了过]|提醒|叫我|帮我|记得|告诉|[你您]|什么|怎么|吗|呢$|了$|过$|再说|下雨|降温|台风|"
    r"[热冷]|多少|哪|是不是|来得及|见$|^上(?!班|课|台|学|线|任)|"
    r"^打(?!疫|针|比赛|球|官司)|^发(?!布|版|言|行)|^看(?!牙|病|演唱会|展|房|医|中医|电影|话剧|眼|球|比赛|车|"
    r"孩子|日出|外婆|奶奶)|^吃(?!饭局)|的$|"
    r"(?:年|周年|个月|天)$|^到(?!期|[\u4e00-\u9fff]{2,5}(?:出差|报到|旅|开会|玩))|抽的|买的|就是|^学(?!车|开|游|画|"
    r"琴|钢琴|吉他|"
    r"[\u4e00-\u9fff])"
)


# 把摩托车卖了
_DISPOSED: Final = re.compile(
    r"把(?P<o>[^，。]{1,8}?)(?P<v>卖|换|租|送|捐|退|扔|改|装修|装|拆|还清|还|处理|辞|交|戒)(?:掉|出去|了){0,2}$"
)


def verb_first(text: str) -> str | None:
    """Return a clause with 把 as verb and object: 卖摩托车 for 把摩托车卖了; None for other clauses."""
    found = _DISPOSED.match(text)
    return found["v"] + re.sub(r"^我们?的", "", found["o"]) if found else None


def plan(text: str) -> str | None:
    """Return what somebody will do, from the verb on; None for requests and things that happen."""
    said = text
    if said.endswith("的"):
        return None
    text = re.sub(
        rf"^(?:就|正式|开始|要|得|准备|打算|会|还|又|一起|有|可能|,|，|先|再|都|全家|想|{DATE}|{NUMBER}点)+",
        "",
        text.strip(_EDGE),
    )
    soon = re.match(r"[^，]{0,8}(?:就|要|快)", said) is not None
    text = _TAIL.sub("", text) if soon or not text.endswith("了") else text
    text = re.sub(r"不(?:走|回来|去)$", "", text)
    text = re.sub(r"(?<=^[去回见吃看拍买办跑打约做要])(?:一?[趟次场顿个下])(?=..)", "", text)
    if re.fullmatch(
        rf"(?:{MEASURE})?[^，]{{0,4}}(?:面试|考试|会议|体检|手术|婚礼|聚会|聚餐|答辩|演出|比赛|约会|培训|复查|"
        rf"复诊|出差|讲座|家长会|团建|年会|演唱会|生日会|视频会|例会)",
        text,
    ):
        return re.sub(rf"^{MEASURE}", "", text)
    if not 2 <= len(text) <= 16 or _NO_PLAN.search(text) or not re.match(_GOES, text):
        return None
    return text


def event(text: str) -> str | None:
    """Return an appointment or event, such as `体检` or `厦门半马`."""
    text = re.sub(rf"^(?:{DATE})?(?:的)?(?:{MEASURE})?", "", _TAIL.sub("", text.strip(_EDGE)))
    vague = text in VAGUE or re.search(r"[我你您他她它谁]|什么|怎么|^(?:跟|和|与|给|这|那|不|没|时间|朋友|人)", text)
    return text if 2 <= len(text) <= 16 and not vague and not _NO_PLAN.search(text) else None


_TO_WHOM: Final = re.compile(r"^(?:我们?的?)?(?:" + KIN_PATTERN + r")(?:们)?(?=.{2})")


def promise(text: str) -> str | None:
    """Return the content of a promise, without its addressee and leading words such as 会 or 一定."""
    text = re.sub(r"^(?:跟|和|对|向)[^，。]{1,6}?(?:保证|说|承诺|答应)", "", text.strip(_EDGE))
    if re.match(r"[他她它](?:们)?(?:叫|是|也|说|很|就|在|姓)", text):
        return None
    text = _TO_WHOM.sub("", text)
    if text.rstrip("的了们") in KIN:
        return None
    text = _TAIL.sub(
        "", re.sub(r"^(?:我们?|自己|的|，|,|：|:|要|会|以后|今后|一定|说|过(?![年节])|了|好)+", "", text.strip(_EDGE))
    )
    return text if 2 <= len(text) <= 18 and not re.search(r"[你您]|什么|怎么|这件?事|那件?事|吗", text) else None


_PLAIN_LEAD: Final = re.compile(
    r"^(?:我们?|咱们?|家里|最后|终于|还是|就|才|所以|之所以|当初|当时|后来|最近|今年|去年|现在|已经|刚|说实话|"
    r"其实|也|都|一直|这次|的|没办法|，)+"
)


def reason(text: str) -> str | None:
    """Return a decision, or the reason for one, without leading words such as 我 and 所以; None if it is unclear."""
    text = _TAIL.sub("", _PLAIN_LEAD.sub("", text.strip(_EDGE)).strip(_EDGE))
    if re.search(r"^[A-Z]|^看到|^感到|^觉得|肯定|应该", text):
        return None
    return (
        text if 2 <= len(text) <= 18 and not re.search(r"[你您]|什么|怎么|为啥|知道|[这那]个?$|^[这那]", text) else None
    )


def hair(text: str) -> str:
    """Return a hairstyle: `短` is 短发."""
    return text if text.endswith(("发", "头", "波浪")) else f"{text}发"


def kept(text: str) -> str | None:
    """Return the person or thing that somebody misses or lives with; None if it is vague or too long."""
    text = _TAIL.sub("", text.strip(_EDGE))
    return text if 1 < len(text) <= 10 and not re.search(r"[你您他她它]|什么|这|那", text) else None


def trade(text: str) -> str | None:
    """Return what somebody does for a living as a phrase, such as `卖豆腐`; a named occupation is read by `job`."""
    return None if job(text) else value(text)


def work(text: str) -> str | None:
    """Return the title of a work without its marks."""
    return text.strip("《》 ") or None


def swapped(text: str) -> str | None:
    """Return the thing, such as a brand, that replaced another; None if it is short or no thing: 新款的, 租的."""
    name = thing(text)
    return name if name and len(name) > 1 and not re.fullmatch("[新旧老]?款|[租借]的?|[新旧大小]的", name) else None


_EXAM: Final = re.compile(
    r"(?:考试|比赛|面试|论文|答辩|婚礼|四六级|四级|六级|雅思|托福|考研|高考|中考|公务员|教资|法考|司考|注会|"
    r"CPA|证|资格|期末|期中|演讲|汇报|展览|马拉松|专升本|国考|省考|JLPT|N[1-5]|GRE)$"
)


def exam(text: str) -> str | None:
    """Return an exam or event that somebody prepares for."""
    name = _TAIL.sub("", text.strip(_EDGE))
    return name if _EXAM.search(name) and "的" not in name else None
