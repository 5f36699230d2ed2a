"""Chinese slot rules for what people mention in passing: shifts, ambitions, debts, former jobs, devices at home."""

from typing import Final

from extraction.rules.zh.slot_cleaners import (
    any_name,
    employer,
    job,
    known_drug,
    listed_town,
    value,
)
from extraction.rules.zh.slots import Says, SlotRule, slot_rule
from extraction.rules.zh.statements import (
    EMPLOYER_OF_JOB,
    ENJOYS,
    HAS_OWNED,
    STUDIES,
    WORKS_AT,
)
from extraction.rules.zh.word_classes import AMOUNT, DATE, DURATION, END, NAME
from extraction.text.lexicon_zh import FORMERLY_WITH_VERB, WHEN_YOUNG
from schema.entity import EntityType

_JOB: Final = r"(?:一?[名个位])?(?P<o>[^，。！？我你的了]{2,8}?)"

# Before the rules for belongings, which would take 双 for a measure word.
TWIN_RULES: Final[tuple[SlotRule, ...]] = (
    # 家里有对双胞胎，叫诺诺和扎扎
    slot_rule(
        "双",
        r"(?:我)?(?:们)?(?:家里?)?(?:有|生了)(?:一?对)?(?P<k>双胞胎|龙凤胎)，(?:一个|大的|老大|姐姐|哥哥)?(?:叫|是)"
        r"(?P<a>[\u4e00-\u9fff]{2,3}?)(?:和|跟|、|，(?:一个|小的|老二|妹妹|弟弟)(?:叫|是))(?P<b>[\u4e00-\u9fff]{2,3}?)(?=，|。|$)",
        Says(obj="a", relation="孩子", says="{o}是{s}的孩子。", clean=any_name, kind=EntityType.PERSON),
        Says(obj="b", relation="孩子", says="{o}是{s}的孩子。", clean=any_name, kind=EntityType.PERSON),
    ),
)

HOUSEHOLD_RULES: Final[tuple[SlotRule, ...]] = (
    # 我在药房上夜班
    slot_rule(
        "班",
        rf"(?:我)?(?:现在|一直|还)?在(?P<o>[^，。我你]{{2,8}}?)(?:上|值|倒)(?:大|小)?(?:夜|白|早|晚|中|三)班(?:倒)?{END}",
        WORKS_AT,
    ),
    # 我弟在大连当急救员
    slot_rule(
        "当",
        rf"(?:我)?(?:现在|一直|还)?在(?P<w>[^，。我你]{{2,8}}?)当{_JOB}(?:{DURATION})?{END}",
        Says(obj="o", relation="works as", says="{s}的职业是{o}。", clean=job, kind=EntityType.TOPIC),
        Says(
            obj="w",
            relation="works in",
            says="{s}在{o}工作。",
            clean=listed_town,
            kind=EntityType.PLACE,
            needed=False,
        ),
        EMPLOYER_OF_JOB,
    ),
    # 我当过二十年海军
    slot_rule(
        "当做干",
        rf"(?:我)?(?:{FORMERLY_WITH_VERB}|{WHEN_YOUNG})?(?:当|做|干)过(?:好?{DURATION})?(?:的)?{_JOB}{END}",
        Says(obj="o", relation="works as", says="{s}以前是{o}。", clean=job, kind=EntityType.TOPIC, closes=True),
    ),
    # 闺女说要当兽医
    slot_rule(
        "当做成",
        rf"(?:我)?(?:从小|一直|将来|以后|长大(?:了|后|以后)?|说|就|都){{0,3}}(?:想|要|梦想|立志)(?:着|去)?(?:当|做|成为)"
        rf"{_JOB}{END}",
        Says(
            obj="o",
            predicate="CARES_ABOUT",
            relation="goal",
            says="{s}想当{o}。",
            clean=lambda text: f"当{name}" if (name := job(text)) else None,
            kind=EntityType.ACTIVITY,
        ),
    ),
    # 不在街道办了
    slot_rule(
        "不",
        rf"(?:我)?(?:已经|早就|早|现在)?不在(?P<o>[^，。我你他她这那家]{{2,8}}?)(?:上班|干|工作|做)?了{END}",
        Says(
            obj="o",
            relation="works at",
            says="{s}不再在{o}工作。",
            # Whoever is no longer in hospital need not have worked there.
            clean=lambda text: employer(text) if len(text) > 2 else None,
            kind=EntityType.ORGANIZATION,
            closes=True,
        ),
    ),
    # 我欠我哥四千块钱
    slot_rule(
        "欠",
        rf"(?:我)?(?:还|现在)?欠(?:着|了)?(?P<w>[^，。一二两三四五六七八九十百千万几\d]{{1,6}}?)(?P<o>{AMOUNT})(?:没还)?{END}",
        Says(obj="o", relation="owes", says="{s}欠{w}{o}。", clean=value),
    ),
    # 到手一个月两万四
    slot_rule(
        "手税",
        rf"(?:我)?(?:税后|到手)(?:工资)?(?:一个月|每个?月|每月|差不多|大概|有){{0,3}}(?P<o>{AMOUNT})(?:左右|出头)?{END}",
        Says(obj="o", relation="工资", says="{s}的工资是{o}。", clean=value),
    ),
    # 奶奶只会说闽南话
    slot_rule(
        "说讲",
        rf"(?:我)?(?:只|就|从小|也)?(?:会|能)(?:说|讲)(?:一点|点|一口)?(?P<o>[\u4e00-\u9fff]{{1,4}}(?:话|语|文)){END}",
        Says(obj="o", relation="speaks", says="{s}会说{o}。", clean=value, kind=EntityType.TOPIC),
    ),
    # 舍曲林六月停的
    slot_rule(
        "停",
        rf"(?:我)?(?P<o>[^，。我你]{{2,6}}?)(?:{DATE}|[一二三四五六七八九十\d]{{1,3}}月份?|去年|今年|上周|刚|早就|已经){{1,2}}停的{END}",
        Says(obj="o", relation="takes", says="{s}不再服用{o}。", clean=known_drug, kind=EntityType.TOPIC, closes=True),
    ),
    # 家里用Linux，公司配的Mac
    slot_rule(
        "用配",
        rf"(?:我)?(?:家里|公司|单位|办公室|工作|平时)(?:都|就|给)?(?:用|配|使|装)(?:的|了|着)?(?:是)?"
        rf"(?P<o>[A-Z][A-Za-z0-9]*(?: [A-Z0-9][A-Za-z0-9]*){{0,2}}){END}",
        Says(obj="o", relation="uses", says="{s}用{o}。", clean=value, kind=EntityType.THING),
    ),
    # 我养蜂
    slot_rule(
        "养",
        rf"(?:我)?(?:家里?)?(?:一直|还|在)?养(?:着|了)?(?:点)?(?P<o>蜂|蜜蜂|鸡|鸭|鹅|鱼|羊|猪|牛|蚕|兔子?|鸽子|多肉){END}",
        Says(obj="o", relation="has", says="{s}养{o}。", clean=value, kind=EntityType.ANIMAL),
    ),
    # 饺子我能顿顿吃
    slot_rule(
        "顿天",
        rf"(?P<o>[^，。我你]{{1,6}})我(?:都)?(?:能|可以)(?:顿顿|天天|一直|每天)(?:吃|喝|看){END}",
        ENJOYS,
    ),
    # 儿子刚被武大历史系录了
    slot_rule(
        "录",
        rf"(?:刚|已经|终于)?被(?P<o>[^，。我你]{{1,8}}(?:大学?|学院|附?中|系|专业|班))(?:给)?(?:提前)?录(?:取|了|走)+{END}",
        Says(obj="o", relation="studies at", says="{s}考上了{o}。", clean=value, kind=EntityType.ORGANIZATION),
    ),
    # 在app上学荷兰语
    slot_rule(
        "学",
        rf"(?:我)?(?:还|正|一直)?在(?:app|APP|网|线|手机|B站|多邻国)上学(?P<o>[\u4e00-\u9fff]{{1,4}}(?:话|语|文)){END}",
        STUDIES,
    ),
    # 嘉里路的房子终于拿到钥匙了
    slot_rule(
        "钥",
        rf"(?:我们?)?(?P<o>[^，。我你]{{2,10}}?的?(?:房子|房|公寓|新家))(?:终于|总算|今天|昨天)?(?:拿到|交|到手)(?:了)?"
        rf"钥匙(?:了)?{END}",
        HAS_OWNED,
    ),
    # 家里那只惠比特叫饼干
    slot_rule(
        "只条",
        rf"(?:我)?(?:们)?家里?(?:的)?(?:那|这)(?:只|条)(?P<k>[^，。叫]{{1,5}})(?:名字)?叫(?P<o>{NAME}|[\u4e00-\u9fff]{{2,3}}){END}",
        Says(obj="o", relation="{k}", says="{s}的{k}叫{o}。", clean=any_name, kind=EntityType.ANIMAL),
    ),
)
