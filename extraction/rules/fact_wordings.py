"""The predicate, the relation and the statements of each kind of fact, in English and in Chinese."""

from dataclasses import dataclass, replace
from typing import Final

from extraction.rules.drafts import Wording
from extraction.text.lexicon_en import KIN_PATTERN
from extraction.text.lexicon_zh import KIN_PATTERN as KIN_PATTERN_ZH
from schema.entity import EntityType


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKindWording:
    """Predicate, relation and statements of a kind of fact.

    Attributes:
        relation: None if it is the word of the message that `words` matches.
        words: pattern of such words by language, English first; the one nearest to the object counts.
        says, ended: statements in English and in Chinese, with `{s}`, `{o}` and `{k}` for the relation.
        person: the object is somebody's name, which has a capital letter in English.
    """

    predicate: str = "RELATES_TO"
    relation: str | None = None
    words: tuple[str, str] | None = None
    fallback: tuple[str, str] | None = None
    says: tuple[str, str]
    ended: tuple[str, str]
    object_type: EntityType | None = None
    strength: float = 0.7
    person: bool = False


def _of(words: tuple[str, str], fallback: tuple[str, str] | None) -> FactKindWording:
    """Return the wording of a relative or helper whose name is the object."""
    return FactKindWording(
        words=words,
        fallback=fallback,
        says=("{o} is {s}'s {k}.", "{o}是{s}的{k}。"),
        ended=("{o} is no longer {s}'s {k}.", "{o}不再是{s}的{k}。"),
        object_type=EntityType.PERSON,
        strength=0.8,
        person=True,
    )


def _value(words: tuple[str, str], fallback: tuple[str, str]) -> FactKindWording:
    """Return the wording of a number or another value of something that the message names."""
    return FactKindWording(
        words=words,
        fallback=fallback,
        says=("{s}'s {k} is {o}.", "{s}的{k}是{o}。"),
        ended=("{s}'s {k} is no longer {o}.", "{s}的{k}不再是{o}。"),
        strength=0.8,
    )


def _relation(
    relation: str | None,
    says: tuple[str, str],
    ended: tuple[str, str],
    *,
    predicate: str = "RELATES_TO",
    kind: EntityType | None = None,
    strength: float = 0.7,
    person: bool = False,
) -> FactKindWording:
    return FactKindWording(
        predicate=predicate,
        relation=relation,
        says=says,
        ended=ended,
        object_type=kind,
        strength=strength,
        person=person,
    )


CHINESE_WORDING: Final = Wording(
    unknown_user="用户", relative="{owner}的{kin}", has_relative=lambda kin: f"{{s}}有{kin}。"
)

# Words for people, by kind of fact: English and Chinese.
_CHILDREN: Final = (
    r"\b(?:(?:step|god|grand|foster )-?)?(?:daughters?|sons?|kids?|child|children|boys?|girls?|"
    r"baby|newborn|toddler|twins?)\b|"
    r"\b(?:youngest|eldest|oldest|middle one|little one)\b",
    "(?:[大小二三]|双胞胎|养|干|继)?(?:女儿|儿子|闺女|孩子)|[大二三小]宝|老[大二三幺]|宝宝|娃",
)
_PARENTS: Final = (
    r"\b(?:(?:step|foster |god)-?)?(?:mother|mum|mom|mama|father|dad|parents?)\b",
    "[继养干老]?(?:妈妈?|爸爸?|母亲?|父亲?|爹|娘)",
)
_SIBLINGS: Final = (
    r"\b(?:(?:step|half|twin|foster|older|younger|big|little|baby)[- ]?)?"
    r"(?:sisters?|brothers?|siblings?|sis|bro|twin)\b",
    "(?:双胞胎|亲|大|二|小|老)?(?:姐姐?|妹妹?|哥哥?|弟弟?)",
)
KIN: Final = (rf"\b(?:{KIN_PATTERN})s?\b", f"(?:{KIN_PATTERN_ZH})")
FRIENDS: Final = (
    r"\b(?:best |old |school |childhood |good )?(?:friends?|mate|bestie|pal|buddy)\b|"
    r"\b(?:flatmate|roommate|housemate|neighbou?r|classmate|bandmate|teammate|penpal)s?\b",
    "(?:[男女]性?|好|老|最好的)?朋友|闺蜜|发小|死党|哥们儿?|室友|舍友|(?:大学|高中|初中|小学|老)?同学|同桌|邻居|老乡|网友|"
    "笔友|球友|队友|驴友|战友|牌友",
)
COLLEAGUES: Final = (
    r"\b(?:colleagues?|co-?workers?|workmate|teammate|business partner|co-?founder|assistant|deskmate|intern|"
    r"partner)\b",
    "(?:前|老)?同事|搭档|合伙人|下属|徒弟|助理|同门|实习生|师[兄姐弟妹]",
)
BOSSES: Final = (
    r"\b(?:(?:line|team|shift|branch|store|project) )?(?:boss|manager|supervisor|lead|director|head|foreman|gaffer|"
    r"advisor|adviser|professor|CEO|editor|principal|headteacher)\b",
    "(?:前|大|新|直属)?(?:老板|领导|上司|主管|经理|总监|组长|导师|店长|厂长|主任|老总|队长|校长|工头|班长)",
)
_PERSON, _PLACE, _ORG = EntityType.PERSON, EntityType.PLACE, EntityType.ORGANIZATION
_TOPIC, _ACTIVITY, _TIME = EntityType.TOPIC, EntityType.ACTIVITY, EntityType.TIME

WORDINGS: Final[dict[str, FactKindWording]] = {
    "lives_in": _relation(
        "lives in",
        ("{s} lives in {o}.", "{s}住在{o}。"),
        ("{s} no longer lives in {o}.", "{s}不再住在{o}。"),
        kind=_PLACE,
    ),
    "works_at": _relation(
        "works at",
        ("{s} works at {o}.", "{s}在{o}工作。"),
        ("{s} no longer works at {o}.", "{s}不再在{o}工作。"),
        kind=_ORG,
        strength=0.8,
    ),
    "works_as": _relation(
        "works as",
        ("{s} works as {o}.", "{s}的职业是{o}。"),
        ("{s} no longer works as {o}.", "{s}不再是{o}。"),
        kind=_TOPIC,
        strength=0.8,
    ),
    "studies_at": _relation(
        "studies at",
        ("{s} studies at {o}.", "{s}在{o}上学。"),
        ("{s} no longer studies at {o}.", "{s}不再在{o}上学。"),
        kind=_ORG,
    ),
    "from": _relation(
        "is from", ("{s} is from {o}.", "{s}来自{o}。"), ("{s} is not from {o}.", "{s}不是{o}人。"), kind=_PLACE
    ),
    "born_on": _relation(
        "born on",
        ("{s} was born on {o}.", "{s}{o}出生。"),
        ("{s} was not born on {o}.", "{s}不是{o}出生。"),
        kind=_TIME,
    ),
    "age": _relation(
        "has age", ("{s} is {o}.", "{s}{o}。"), ("{s} is no longer {o}.", "{s}不再是{o}。"), kind=_TIME, strength=0.8
    ),
    "named": _relation(
        "is named", ("{s} is named {o}.", "{s}叫{o}。"), ("{s} is no longer named {o}.", "{s}不再叫{o}。"), strength=0.9
    ),
    "has": _relation("has", ("{s} has {a}.", "{s}有{o}。"), ("{s} no longer has {a}.", "{s}不再有{o}。")),
    "pet": _relation(
        "has",
        ("{s} has {a}.", "{s}养{o}。"),
        ("{s} no longer has {a}.", "{s}不再养{o}。"),
        kind=EntityType.ANIMAL,
        strength=0.8,
    ),
    "partner": _relation(
        "partner",
        ("{o} is {s}'s partner.", "{o}是{s}的对象。"),
        ("{o} is no longer {s}'s partner.", "{o}不再是{s}的对象。"),
        kind=_PERSON,
        strength=0.8,
        person=True,
    ),
    "spouse": _relation(
        "married to",
        ("{s} is married to {o}.", "{s}和{o}是夫妻。"),
        ("{s} is no longer married to {o}.", "{s}和{o}不再是夫妻。"),
        kind=_PERSON,
        strength=0.9,
        person=True,
    ),
    "engaged_to": _relation(
        "engaged to",
        ("{s} is engaged to {o}.", "{s}和{o}订婚了。"),
        ("{s} is no longer engaged to {o}.", "{s}和{o}不再订婚。"),
        kind=_PERSON,
        strength=0.9,
        person=True,
    ),
    "ex": _relation(
        "ex",
        ("{o} is {s}'s ex.", "{o}是{s}的前任。"),
        ("{o} is {s}'s ex.", "{o}是{s}的前任。"),
        kind=_PERSON,
        person=True,
    ),
    "child": _of(_CHILDREN, ("child", "孩子")),
    "parent": _of(_PARENTS, ("parent", "父母")),
    "sibling": _of(_SIBLINGS, ("sibling", "兄弟姐妹")),
    "relative": _of(KIN, ("relative", "亲戚")),
    "friend": _of(FRIENDS, ("friend", "朋友")),
    "colleague": _of(COLLEAGUES, ("colleague", "同事")),
    "boss": _of(BOSSES, ("boss", "老板")),
    "helper": _of(
        (
            rf"\b(?:{KIN_PATTERN}|GP|surgeon|nurse|midwife|plumber|electrician|builder|cleaner|gardener|solicitor|"
            r"mechanic|optician|psychiatrist|psychologist|counsellor|counselor|physiotherapist|chiropractor|"
            r"cardiologist|dermatologist|neurologist|oncologist|pediatrician|paediatrician|consultant|specialist|"
            r"recruiter|agent|broker|instructor|driver|super|caseworker|social worker|personal trainer|walker)\b",
            f"(?:家庭医生|主治医生|主治|中医|{KIN_PATTERN_ZH}|大夫|护士|中介|司机|师傅|物业|管家|阿姨|钟点工|教授|顾问)",
        ),
        None,
    ),
    "allergic_to": _relation(
        None,
        ("{s} is allergic to {o}.", "{s}对{o}过敏。"),
        ("{s} is no longer allergic to {o}.", "{s}对{o}不再过敏。"),
        predicate="DISLIKES",
        strength=0.95,
    ),
    "illness": _relation(
        "has", ("{s} has {o}.", "{s}有{o}。"), ("{s} no longer has {o}.", "{s}不再有{o}。"), kind=_TOPIC, strength=0.8
    ),
    "takes": _relation(
        "takes",
        ("{s} takes {o}.", "{s}服用{o}。"),
        ("{s} no longer takes {o}.", "{s}不再服用{o}。"),
        kind=_TOPIC,
        strength=0.8,
    ),
    "diet": _relation(
        "is",
        ("{s} is {o}.", "{s}的饮食：{o}。"),
        ("{s} is no longer {o}.", "{s}的饮食不再是{o}。"),
        kind=_TOPIC,
        strength=0.8,
    ),
    "likes": _relation(
        None, ("{s} likes {o}.", "{s}喜欢{o}。"), ("{s} no longer likes {o}.", "{s}不再喜欢{o}。"), predicate="PREFERS"
    ),
    "dislikes": _relation(
        None,
        ("{s} does not like {o}.", "{s}不喜欢{o}。"),
        ("{s} no longer dislikes {o}.", "{s}不再讨厌{o}。"),
        predicate="DISLIKES",
    ),
    "plans": _relation(
        "plan",
        ("{s} plans: {o}.", "{s}的计划：{o}。"),
        ("{s} no longer plans: {o}.", "{s}不再打算：{o}。"),
        predicate="CARES_ABOUT",
        kind=_ACTIVITY,
    ),
    "promised": _relation(
        "promise",
        ("{s} promised: {o}.", "{s}答应：{o}。"),
        ("{s} no longer promises: {o}.", "{s}不再答应：{o}。"),
        predicate="CARES_ABOUT",
        kind=_ACTIVITY,
        strength=0.8,
    ),
    "decided": _relation(
        "plan",
        ("{s} decided: {o}.", "{s}决定：{o}。"),
        ("{s} no longer plans: {o}.", "{s}不再打算：{o}。"),
        predicate="CARES_ABOUT",
        kind=_ACTIVITY,
    ),
    "because": _relation(
        None,
        ("The reason for {s} was {o}.", "{s}，是因为{o}。"),
        ("The reason for {s} was not {o}.", "{s}，不是因为{o}。"),
        predicate="CAUSED_BY",
    ),
    "phone": _relation(
        "phone number",
        ("{s}'s phone number is {o}.", "{s}的电话是{o}。"),
        ("{s}'s phone number is no longer {o}.", "{s}的电话不再是{o}。"),
        strength=0.9,
    ),
    "email": _relation(
        "email",
        ("{s}'s email is {o}.", "{s}的邮箱是{o}。"),
        ("{s}'s email is no longer {o}.", "{s}的邮箱不再是{o}。"),
        strength=0.9,
    ),
    "code": _value(
        (
            r"\b(?:(?:door|gate|alarm|wifi|wi-fi|bike|garage|entry|safe|post|zip|gym|locker|order|membership|booking|"
            r"member|account|policy|passport|reference|customer|license|licence|number|student|staff|employee|case) ?)?"
            r"(?:code|password|passcode|pin|plate|plates|number|reg|registration|combination)\b",
            "(?:(?:WiFi|wifi|门禁|开机|支付|储物柜|快递柜|手机|电脑|银行卡|邮箱|保险箱|会员|订单|取件|快递|学|工|卡|房间|"
            "准考证|护照|身份证|社保|案件|预约)?(?:密码|号码|单号|卡号|码|号)|车牌号?|口令|暗号|尾号)",
        ),
        ("code", "号码"),
    ),
    "address": _relation(
        "address",
        ("{s}'s address is {o}.", "{s}的地址是{o}。"),
        ("{s}'s address is no longer {o}.", "{s}的地址不再是{o}。"),
        kind=_PLACE,
        strength=0.9,
    ),
    "size": _value(
        (
            r"\b(?:shoe|ring|shirt|dress|boot|trainer|glove|hat|trouser|jacket|bra|frame|bike|waist|suit|inside leg|"
            r"clothes|clothing|pants|jeans|sneaker|helmet|collar|belt|coat|skate|ski|wetsuit)?s? ?"
            r"(?:size|height|weight|waist|inseam)\b",
            "(?:鞋码|尺码|码数|上衣|裤子|裤码|腰围|戒指|手围|胸围|身高|体重|帽围|衣服|衬衫|西装|内衣|圈口|头围|鞋)",
        ),
        ("size", "尺码"),
    ),
    "price": _value(
        (
            r"\b(?:rent|salary|price|mortgage|budget|fee|fees|bill|pay|wage|deposit|pension|allowance|cost|rate|"
            r"subscription|loan|income|insurance|premium|tuition|service charge)\b",
            "(?:房租|租金|月租|工资|薪水|年薪|月薪|价格|房贷|月供|车贷|预算|学费|费用|物业费|押金|退休金|零花钱|生活费|"
            "保费|底薪|定金)",
        ),
        ("price", "价格"),
    ),
    "language": _relation(
        "speaks", ("{s} speaks {o}.", "{s}会说{o}。"), ("{s} no longer speaks {o}.", "{s}不再说{o}。"), kind=_TOPIC
    ),
    "hobby": _relation(
        None,
        ("{s} likes {o}.", "{s}喜欢{o}。"),
        ("{s} no longer does {o}.", "{s}不再{o}。"),
        predicate="PREFERS",
        kind=_ACTIVITY,
    ),
    "attribute": _relation(
        "is", ("{s} is {o}.", "{s}是{o}。"), ("{s} is no longer {o}.", "{s}不再是{o}。"), kind=_TOPIC
    ),
}

NAMED_PET: Final = FactKindWording(
    says=("{o} is {s}'s {k}.", "{o}是{s}的{k}。"),
    ended=("{o} is no longer {s}'s {k}.", "{o}不再是{s}的{k}。"),
    object_type=EntityType.ANIMAL,
    strength=0.8,
)
FAVOURITE: Final = replace(
    WORDINGS["likes"],
    says=("{s}'s {k} is {o}.", "{s}{k}是{o}。"),
    ended=("{s}'s {k} is no longer {o}.", "{s}{k}不再是{o}。"),
)
TEACHING: Final = _relation(
    "teaches",
    ("{s} teaches {o}.", "{s}教{o}。"),
    ("{s} no longer teaches {o}.", "{s}不再教{o}。"),
    kind=_TOPIC,
    strength=0.8,
)
DOING: Final = _relation(
    "works as",
    ("{s}'s work: {o}.", "{s}的工作是{o}。"),
    ("{s}'s former work: {o}.", "{s}以前的工作是{o}。"),
    kind=_TOPIC,
    strength=0.8,
)
EATING: Final = _relation(
    "eats",
    ("{s} eats {o}.", "{s}吃{o}。"),
    ("{s} no longer eats {o}.", "{s}不再吃{o}。"),
    kind=_TOPIC,
    strength=0.8,
)
COLLECTING: Final = _relation("has", ("{s} has {o}.", "{s}有{o}。"), ("{s} no longer has {o}.", "{s}不再有{o}。"))
LIVING_WITH: Final = _relation(
    "lives with",
    ("{s} lives with {o}.", "{s}和{o}住在一起。"),
    ("{s} no longer lives with {o}.", "{s}不再和{o}住在一起。"),
    kind=_PERSON,
)
STUDYING: Final = _relation(
    "studies", ("{s} studies {o}.", "{s}在学{o}。"), ("{s} no longer studies {o}.", "{s}不再学{o}。"), kind=_TOPIC
)
INJURY: Final = replace(WORDINGS["illness"], says=WORDINGS["has"].says, ended=WORDINGS["has"].ended)
