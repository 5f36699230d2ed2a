"""Turn the tags of a message into draft facts, with the relation names and the wording of the rules. Pure.

A tag is a span of the message with the kind of fact that it is the object of. The model (`tag_model`) finds them; the
names of relations, the words for relatives and the statements are chosen here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from extraction.rules.en.clauses import with_article
from extraction.rules.en.language_pack import ENGLISH
from extraction.rules.en.phrases import CATEGORY
from extraction.rules.engine import Draft, Speaker, Wording
from extraction.rules.tags import KINDS, Tag
from extraction.rules.zh.plain_words import favourite, with_plain_words
from extraction.text.chinese import HAN, is_chinese
from extraction.text.english_stems import gerund
from extraction.text.full_names import whole_name
from extraction.text.lexicon_en import CHILD_NAME, KIN_NAME, KIN_PATTERN, word_set
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
    r"\b(?:(?:step|god|grand|foster )-?)?(?:daughter|son|kid|child|boy|girl|baby|newborn|toddler|twins?)\b|"
    r"\b(?:youngest|eldest|oldest|middle one|little one)\b",
    "(?:[大小二三]|双胞胎|养|干|继)?(?:女儿|儿子|闺女|孩子)|[大二三小]宝|老[大二三幺]|宝宝|娃",
)
_PARENTS: Final = (
    r"\b(?:(?:step|foster |god)-?)?(?:mother|mum|mom|mama|father|dad|parents?)\b",
    "[继养干老]?(?:妈妈?|爸爸?|母亲?|父亲?|爹|娘)",
)
_SIBLINGS: Final = (
    r"\b(?:(?:step|half|twin|foster|older|younger|big|little|baby)[- ]?)?(?:sister|brother|sibling|sis|bro|twin)\b",
    "(?:双胞胎|亲|大|二|小|老)?(?:姐姐?|妹妹?|哥哥?|弟弟?)",
)
_KIN: Final = (rf"\b(?:{KIN_PATTERN})\b", f"(?:{KIN_PATTERN_ZH})")
_FRIENDS: Final = (
    r"\b(?:best |old |school |childhood |good )?(?:friend|mate|bestie|pal|buddy)\b|"
    r"\b(?:flatmate|roommate|housemate|neighbou?r|classmate|bandmate|teammate|penpal)\b",
    "(?:[男女]性?|好|老|最好的)?朋友|闺蜜|发小|死党|哥们儿?|室友|舍友|(?:大学|高中|初中|小学|老)?同学|同桌|邻居|老乡|网友|"
    "笔友|球友|队友|驴友|战友|牌友",
)
_COLLEAGUES: Final = (
    r"\b(?:colleague|co-?worker|workmate|teammate|business partner|co-?founder|assistant|deskmate|intern|partner)\b",
    "(?:前|老)?同事|搭档|合伙人|下属|徒弟|助理|同门|实习生|师[兄姐弟妹]",
)
_BOSSES: Final = (
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
    "relative": _of(_KIN, ("relative", "亲戚")),
    "friend": _of(_FRIENDS, ("friend", "朋友")),
    "colleague": _of(_COLLEAGUES, ("colleague", "同事")),
    "boss": _of(_BOSSES, ("boss", "老板")),
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

_NAMED_PET: Final = FactKindWording(
    says=("{o} is {s}'s {k}.", "{o}是{s}的{k}。"),
    ended=("{o} is no longer {s}'s {k}.", "{o}不再是{s}的{k}。"),
    object_type=EntityType.ANIMAL,
    strength=0.8,
)
_FAVOURITE: Final = replace(
    WORDINGS["likes"],
    says=("{s}'s {k} is {o}.", "{s}{k}是{o}。"),
    ended=("{s}'s {k} is no longer {o}.", "{s}{k}不再是{o}。"),
)
# What a pet is like, and not what kind of animal.
_LOOKS: Final = re.compile(
    r"(?:(?:all|mostly|half|light|dark|very|so|really|pretty|quite|a bit) )?"
    r"(?:gr[ea]y|black|white|brown|orange|ginger|cream|golden|spotted|striped|fluffy|small|tiny|big|fat|old|young|"
    r"male|female|boy|girl|blind|deaf|shy|lazy|cute|cuddly|friendly|naughty|spoiled|neutered|spayed|chipped|adopted)"
    r"|.*[色岁胖瘦懒凶乖]|[灰黑白橘黄花公母]+的?",
    re.IGNORECASE,
)
# Work told as what somebody does: "teaches Year 4", "drives the night bus".
_TAUGHT: Final = re.compile(r"(?:teach(?:es|ing)?|taught) (?=\S)|教(?!练|授|师|员|育|务|官|书|学$)(?=.)", re.IGNORECASE)
_TEACHING: Final = _relation(
    "teaches",
    ("{s} teaches {o}.", "{s}教{o}。"),
    ("{s} no longer teaches {o}.", "{s}不再教{o}。"),
    kind=_TOPIC,
    strength=0.8,
)
_DONE: Final = re.compile(
    r"(?:answer|build|clean|coach|cook|deliver|design|drive|fix|fly|freelance|grow|head|lead|look|make|manage|nurse|"
    r"paint|play|repair|run|sell|serve|sew|supervise|train|translate|weld|work|write)(?:e?s|ing)?"
    r"(?= (?:the|an?|my|our|his|her|their|people|[a-z]{3,}s)\b)",
    re.IGNORECASE,
)
_DOING: Final = _relation(
    "works as",
    ("{s}'s work: {o}.", "{s}的工作是{o}。"),
    ("{s}'s former work: {o}.", "{s}以前的工作是{o}。"),
    kind=_TOPIC,
    strength=0.8,
)
# "Broke my leg" is a broken leg.
_INJURED: Final = re.compile(
    r"(broke|tore|sprained|fractured|twisted|dislocated|pulled|bruised|burn(?:ed|t)|strained|ruptured) "
    r"(?:my|our|his|her|their|an?|the) (?=\S)",
    re.IGNORECASE,
)
_INJURIES: Final = {"broke": "broken", "tore": "torn"}
_INJURY: Final = replace(WORDINGS["illness"], says=WORDINGS["has"].says, ended=WORDINGS["has"].ended)
# 不学钢琴了, of which the object is 钢琴.
_NOT_DONE_ZH: Final = re.compile("不再?(?P<v>[学弹打踢练养画玩做上跳唱写看听喝吃抽拉去])$")
# "Eat fish on Fridays" is a habit, told as what somebody does.
_EATS: Final = re.compile(r"(?:eats?|eating|drinks?|drinking) (?=\S)", re.IGNORECASE)
_EATING: Final = _relation(
    "eats",
    ("{s} eats {o}.", "{s}吃{o}。"),
    ("{s} no longer eats {o}.", "{s}不再吃{o}。"),
    kind=_TOPIC,
    strength=0.8,
)
# A size without a word for it, by its unit.
_WEIGHT: Final = re.compile(r"\d\s*(?:kgs?|kilo(?:gram)?s?|lbs?|pounds?|stone|公斤|千克|斤|克)\b", re.IGNORECASE)
_WEIGHT_WORDS: Final = ("weight", "体重")
_VALUES: Final = frozenset(("code", "size", "price"))
# Between a thing and the word for its value, by whether the text is Chinese.
_GAP: Final = {True: "", False: " "}
_HAN_CHAR: Final = re.compile(f"[{HAN}]")
# The word of a relation stands near its value.
_NEAR_CHARS: Final = {True: 14, False: 45}
_FIRST_WORDS: Final = re.compile(
    r"^(?:the|an?|my|our|some|his|her|their|its|this|that|these|those|new) (?=\S)", re.IGNORECASE
)
_FIRST_ZH: Final = re.compile("^(?:我们?的?|咱们?的?|俺们?的?|一[只条个台辆部套间份](?=..)|那?[只条个台辆](?=..))")
_EDGE: Final = " \t,.;:!?\"'“”‘’()[]，。！？、；：（）《》…~～"
_OWNERS: Final = re.compile(r"^(?:my|our|the|me|old|dear|own) ", re.IGNORECASE)
# Before a verb in its basic form, and signs of a clause.
_AUXILIARY: Final = re.compile(
    r"\b(?:to|can|can't|cannot|could|couldn't|must|will|won't|would|wouldn't|didn't) \Z", re.IGNORECASE
)
_FINITE: Final = re.compile(
    r"\w (?:was|were|is|are|isn't|wasn't|got|had|has|have|did|didn't|couldn't|can't|won't)\b|^\w+ed\b"
)
_OWNERS_ZH: Final = re.compile("^(?:我们?|咱们?|俺们?)(?:家)?的?(?=.)")
# Whom a pronoun means, one message alone often does not say.
_PRONOUN_WORDS: Final = """
i me my mine we us our you your he him his she her hers it its they them their theirs this that these those
who someone somebody everyone one both all
我 我们 咱 咱们 俺 你 您 你们 他 她 它 他们 她们 它们 谁 人家 别人 自己 大家 这 那 这个 那个
"""
_PRONOUNS: Final = frozenset(_PRONOUN_WORDS.split())
# "She decided to leave him": not the speaker's own, though the model names no subject.
_INTENTIONS: Final = frozenset({"plans", "promised", "decided"})
_BY_OTHERS: Final = re.compile(
    r"\b(?P<p>he|she|they|who)(?:['’](?:s|ve|d|re|ll))?(?: (?!(?:i|we|me|us|my|our)\b)[a-z’'-]+){0,4} $|"
    "(?P<z>[他她]们?|人家)[^，。；！？我咱]{0,6}$",
    re.IGNORECASE,
)
_OWNER: Final = re.compile(r"(?:(?P<o>\b(?:his|her|their)|['’]s) [\w -]{2,20}|(?P<z>[他她])的?\w{1,3})$", re.IGNORECASE)
_THEY: Final = {"his": "he", "her": "she", "their": "they"}
_BEFORE_CHARS: Final = 60
# Facts about a person that stand directly behind the person: "my boss lives in Geneva", 我同事不吃香菜.
_OF_PERSONS: Final = frozenset(
    (
        "likes",
        "dislikes",
        "lives_in",
        "works_at",
        "works_as",
        "studies_at",
        "from",
        "age",
        "allergic_to",
        "illness",
        "takes",
        "diet",
        "pet",
        "has",
    )
)
_PEOPLE: Final = tuple("|".join(words) for words in zip(_KIN, _FRIENDS, _COLLEAGUES, _BOSSES, strict=True))
_PERSON_BEFORE: Final = (
    re.compile(
        rf"(?:^|[.,;:!?\n] ?|\b(?:and|but|so|while|because) )(?:my|our) (?P<who>{_PEOPLE[0]}) "
        r"(?:(?!(?:i|me|my|we|us|our|mine|made|makes|cooks?|baked?|recommend(?:s|ed)|told|says?|said|thinks|gave|wants?|"
        r"lets?|and|or|that|who)\b)[a-z’'-]+ ){1,4}(?:an? |the )?$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|[，。；！？,;!?\n]|但是?|可是?|不过)(?:[我咱俺]们?)?的?(?P<who>{_PEOPLE[1]}|(?:楼[上下]|隔壁|对[门面])[^，。我]{{0,4}}家)"
        r"(?:(?![我咱俺的做给让送说教推帮带叫和跟])[\u4e00-\u9fff]){1,6}$"
    ),
)
# "My tenant's rent is 640", 外婆的存折号码是.
_OWNED: Final = frozenset({*_VALUES, "phone", "email", "address"})
_OWNER_BEFORE: Final = (
    re.compile(
        r"\b(?:my|our) (?P<who>[a-z][a-z-]{2,20}(?: [a-z-]{3,20})?)['’]s (?:[a-z]+ ){1,3}(?:is|was|at)?[: ]*$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|[，。；！？,;!?\n])(?:[我咱俺]们?)?的?(?P<who>{_PEOPLE[1]})的(?:(?![我咱俺])[{HAN}]){{1,8}}[是：:]? ?$"
    ),
)
# "Me and my wife live in Porto" and "my kids and I" tell of the speaker too.
_SPEAKER_AND: Final = re.compile(
    r"(?:\b(?:me|i) and (?:my |our )?|[我咱俺]们?[和跟同与](?:[我咱俺]们?)?)$", re.IGNORECASE
)
_AND_SPEAKER: Final = re.compile(r" and (?:i|me)\b|[和跟同与][我咱俺]们?(?=[都也一住在])", re.IGNORECASE)
# 公司搬到昆山 moves no home.
_WORK_MOVED: Final = re.compile(
    "(?:公司|单位|学校|工厂|厂|店|办公室|总部|工作室|诊所|健身房)[^，。我]{0,4}[搬迁][到去往]?了?$"
)
_ABOUT_PEOPLE: Final = frozenset(KINDS) - {"code", "price", "size", "attribute", "because", "has", "named", "age"}
# As in the rules: no fact is a password.
_SECRET: Final = re.compile(r"pass(?:word|code|phrase|key)?s?\b|\bpin\b|密码|口令|验证码", re.IGNORECASE)
_SECRET_NEAR_CHARS: Final = 30
_HALF_KIN: Final = frozenset("妈爸姐哥弟妹")
_KIN_WORD: Final = re.compile(rf"(?:{KIN_PATTERN})s?|(?:{KIN_PATTERN_ZH})|[老俺]?[爹娘]", re.IGNORECASE)


def is_kin(word: str) -> bool:
    return _KIN_WORD.fullmatch(word) is not None


def tag_drafts(text: str, tags: Sequence[Tag], speaker: Speaker) -> Iterator[tuple[Draft, Tag]]:
    """Yield the draft fact of each tag that makes one, with the tag."""
    animals = _animals(text, tags)
    tags = [told for tag in tags if (told := _with_owner(text, tag)) is not None]
    for tag in tags:
        if tag.kind == "attribute" and tag.subject in animals:
            continue
        made = _draft(text, tag, speaker, tags, animals.get(tag.obj) if tag.kind == "pet" else None)
        if made is not None:
            yield made, tag


def _with_owner(text: str, tag: Tag) -> Tag | None:
    """Return the tag with whom it is about, as the words before it say; None if these are about nobody that it names.

    "The rent" that went up is the speaker's, "my tenant's rent" is not. "My colleague hates coriander, I love it" says
    nothing of the speaker's dislikes, and "she decided to leave him" nothing of the speaker's plans.
    """
    begin = max(0, tag.obj[0] - _BEFORE_CHARS)
    before = text[begin : tag.obj[0]]
    if tag.kind == "lives_in" and _WORK_MOVED.search(before):
        return None
    if tag.kind in _INTENTIONS and (said := _BY_OTHERS.search(before)):
        # "His wife smokes, so he has decided": "he" is whose wife, or "Tom's" wife, the subject is.
        owner = _OWNER.search(text[: tag.subject[1]]) if tag.subject else None
        pronoun = (said["p"] or said["z"]).lower()
        is_owner = owner is not None and pronoun == _THEY.get((owner["o"] or owner["z"]).lower(), pronoun)
        return None if tag.subject is None or is_owner else tag
    words = WORDINGS[tag.kind].words
    if tag.subject is not None and tag.kind in _VALUES and words is not None:
        named = _OWNERS_ZH.sub("", _OWNERS.sub("", text[slice(*tag.subject)]))
        tag = replace(tag, subject=None) if re.fullmatch("|".join(words), named, re.IGNORECASE) else tag
    if tag.kind in _OWNED or (tag.kind in _OF_PERSONS and tag.subject is None):
        people = (pattern.search(before) for pattern in (_OWNER_BEFORE if tag.kind in _OWNED else _PERSON_BEFORE))
        spans = (person.span("who") for person in people if person is not None)
        tag = next((replace(tag, subject=(begin + start, begin + end)) for start, end in spans), tag)
    if tag.subject is not None and tag.kind in _OF_PERSONS:
        joined = _SPEAKER_AND.search(text, 0, tag.subject[0]) or _AND_SPEAKER.match(text, tag.subject[1])
        return tag if joined is None else replace(tag, subject=None)
    return tag


def _animals(text: str, tags: Sequence[Tag]) -> dict[tuple[int, int] | None, str]:
    """Return what kind of animal each named pet is: "Otis", "a beagle" are one fact, as the rules read it."""
    pets = {tag.obj for tag in tags if tag.kind == "pet"}
    told = ((tag.subject, _cleaned(text[slice(*tag.obj)]).lower()) for tag in tags if tag.kind == "attribute")
    return {pet: kind for pet, kind in told if pet in pets and not _LOOKS.fullmatch(kind)}


def _draft(text: str, tag: Tag, speaker: Speaker, tags: Sequence[Tag], animal: str | None) -> Draft | None:
    """Return the draft of a tag, or None if it makes no fact.

    Args:
        tags: all tags of the message.
        animal: what kind of animal the named pet is; None if it is not known.
    """
    if WORDINGS[tag.kind].person:
        tag = replace(tag, obj=whole_name(text, tag.obj))
    if tag.subject is not None and text[tag.subject[0]].isupper():
        tag = replace(tag, subject=whole_name(text, tag.subject))
    obj = _cleaned(text[slice(*tag.obj)])
    wording = _wording(tag.kind, obj) if animal is None else _NAMED_PET
    obj = _named(tag.kind, obj)
    if not obj or obj.lower() in _PRONOUNS or obj.startswith("的"):
        return None
    subject = speaker.me if tag.subject is None else _subject(_subject_words(text, tag), tag.kind, speaker)
    if subject is None or subject.lower() == obj.lower() or (tag.kind == "because" and tag.subject is None):
        return None
    chinese = _HAN_CHAR.search(text) is not None and _is_chinese_around(text, tag.obj)
    if wording.person and not _is_name(obj, chinese):
        return None
    best = favourite(text, tag) if tag.kind == "likes" else None
    wording = wording if best is None else _FAVOURITE
    relation = animal or wording.relation or best
    if wording.words is not None:
        relation = _relation_word(text, tag, wording, chinese, tags)
        if relation and tag.subject and tag.kind in _VALUES and _stands(text, tag.subject, relation, chinese):
            # "The alarm code" is a thing of the speaker's, not a code of the alarm.
            subject, relation = speaker.me, text[tag.subject[0] : tag.subject[1]].lower() + _GAP[chinese] + relation
    if wording.words is not None and relation is None:
        return None
    if tag.kind == "code" and _is_secret(text, tag, relation or ""):
        return None
    says = _says(text, tag, wording)[chinese]
    return Draft(
        subject=subject,
        predicate=wording.predicate,
        object=obj,
        statement=_statement(says, subject, obj, relation, speaker, CHINESE_WORDING if chinese else ENGLISH.wording),
        start=min(tag.obj[0], tag.subject[0]) if tag.subject else tag.obj[0],
        end=max(tag.obj[1], tag.subject[1]) if tag.subject else tag.obj[1],
        relation=relation,
        subject_type=EntityType.PERSON if not subject.startswith("@") and tag.kind in _ABOUT_PEOPLE else None,
        object_type=wording.object_type,
        strength=wording.strength,
        confidence=0.65 if tag.subject is None else 0.6,
        closes=tag.ended and tag.kind != "ex",
    )


def _wording(kind: str, obj: str) -> FactKindWording:
    """Return the wording of a fact; what somebody teaches or does for a living has its own."""
    if kind == "works_as" and _TAUGHT.match(obj):
        return _TEACHING
    if kind == "works_as" and _DONE.match(obj):
        return _DOING
    if kind == "illness" and _INJURED.match(obj):
        return _INJURY
    if kind in ("diet", "attribute") and _EATS.match(obj):
        return _EATING
    if kind == "size" and _WEIGHT.search(obj):
        return replace(WORDINGS[kind], fallback=_WEIGHT_WORDS)
    return WORDINGS[kind]


def _says(text: str, tag: Tag, wording: FactKindWording) -> tuple[str, str]:
    """Return the statements of a tag, with the verb of a pastime that ended, or of an effect that is a clause."""
    if tag.kind == "because" and not tag.ended and tag.subject and _FINITE.search(text[slice(*tag.subject)]):
        return "{s}; the reason: {o}.", wording.says[1]
    verb = _NOT_DONE_ZH.search(text[: tag.obj[0]]) if tag.ended and tag.kind == "hobby" else None
    english, chinese = wording.ended if tag.ended else wording.says
    return english, chinese.replace("不再", f"不再{verb['v']}") if verb else chinese


def _named(kind: str, obj: str) -> str:
    """Return the object as a noun: "Year 4" of "teaches Year 4", "broken leg" of "broke my leg"."""
    if kind == "works_as":
        return _TAUGHT.sub("", obj, count=1) if _TAUGHT.match(obj) else obj
    if kind in ("diet", "attribute"):
        return _EATS.sub("", obj, count=1)
    if kind == "illness":
        return _INJURED.sub(lambda found: f"{_INJURIES.get(found[1].lower(), found[1].lower())} ", obj, count=1)
    return obj


def _is_secret(text: str, tag: Tag, relation: str) -> bool:
    """Return whether a code is a password: its relation, its subject or the words around it say so."""
    around = text[max(0, tag.obj[0] - _SECRET_NEAR_CHARS) : tag.obj[1] + _SECRET_NEAR_CHARS]
    subject = text[slice(*tag.subject)] if tag.subject else ""
    return any(_SECRET.search(part) for part in (relation, subject, around))


def _statement(says: str, subject: str, obj: str, relation: str | None, speaker: Speaker, wording: Wording) -> str:
    label = speaker.label(subject, wording.unknown_user)
    if is_kin(subject):
        label = wording.relative.format(owner=speaker.label(speaker.me, wording.unknown_user), kin=label)
    if wording.capitalized and says.startswith("{s}"):
        label = label[:1].upper() + label[1:]
    named = obj[:1].isupper() or obj[:1].isdigit()
    article = obj if named else with_article(obj).format(o=obj)
    agreed: str = wording.agree(subject, says)
    return agreed.format(s=label, o=obj, k=relation or "", a=article)


def _subject_words(text: str, tag: Tag) -> str:
    """Return the words of a subject; an effect after an auxiliary is named: `had to postpone` → `postponing`."""
    assert tag.subject is not None, "asked for a subject only"
    words = text[slice(*tag.subject)]
    if tag.kind != "because" or not _AUXILIARY.search(text, 0, tag.subject[0]):
        return words
    verb, space, rest = words.partition(" ")
    return f"{gerund(verb)}{space}{rest}"


def _subject(words: str, kind: str, speaker: Speaker) -> str | None:
    """Return the subject that a span names, or None for a pronoun."""
    name = _OWNERS_ZH.sub("", _OWNERS.sub("", words.strip(_EDGE))).strip(_EDGE)
    if name.endswith(("'s", "’s")):
        name = name[:-2]
    if not name or name.lower() in _PRONOUNS or "，" in name:
        return None
    if kind != "because" and (is_kin(name) or name in _HALF_KIN):
        return _kin_name(name.lower())
    return speaker.subject_named(name)


def _cleaned(obj: str) -> str:
    cleaned = obj.strip(_EDGE)
    return CATEGORY.sub("", _FIRST_ZH.sub("", _FIRST_WORDS.sub("", cleaned)).strip(_EDGE))


def _is_chinese_around(text: str, span: tuple[int, int]) -> bool:
    """Return whether the words around a span are Chinese rather than English."""
    near = text[max(0, span[0] - 20) : span[1] + 20]
    return len(_HAN_CHAR.findall(near)) * 2 > len(re.findall(r"[A-Za-z]+", near))


def _is_name(name: str, chinese: bool) -> bool:
    return chinese or _HAN_CHAR.search(name) is not None or any(part[:1].isupper() for part in name.split())


def _stands(text: str, subject: tuple[int, int], relation: str, chinese: bool) -> bool:
    """Return whether the word of a relation follows its subject."""
    return text[subject[1] :].lower().startswith(_GAP[chinese] + relation)


def _relation_word(text: str, tag: Tag, wording: FactKindWording, chinese: bool, tags: Sequence[Tag]) -> str | None:
    """Return the word for the relation that is nearest to the object; the fallback if there is none."""
    assert wording.words is not None
    start, end = tag.obj
    near = _NEAR_CHARS[chinese]
    begin = max(0, start - near)
    found = list(re.compile(wording.words[chinese], re.IGNORECASE).finditer(text, begin, min(len(text), end + near)))
    # No part of an object, such as the title in 孙老师, nor the subject: "my sister's son Theo" is the sister's son.
    taken = [*(one.obj for one in tags), *([tag.subject] if tag.subject else [])]
    free = [one for one in found if all(one.end() <= a or one.start() >= b for a, b in taken)]
    if not free:
        return None if wording.fallback is None else wording.fallback[chinese]
    nearest = min(free, key=lambda one: start - one.end() if one.end() <= start else one.start() - end + 3)
    return _kin_name(nearest[0].lower().strip())


def _kin_name(word: str) -> str:
    """Return the usual word for a relative: "mother" for "mum", 妈妈 for 妈."""
    whole = CHILD_NAME.get(word) or KIN_NAME.get(word, word)
    return whole * 2 if whole in _HALF_KIN else whole


# Log odds from which a tag is a fact, in English and other languages and in Chinese.
_STATED_ODDS: Final = (2.3, 1.5)
# What some kinds need more: the model is right about relatives earlier than about reasons or other properties.
_MORE_ODDS: Final = {
    "attribute": 0.5,
    **dict.fromkeys(("likes", "lives_in"), -0.5),
    **dict.fromkeys(("because", "hobby", "code"), 1.0),
    **dict.fromkeys(("sibling", "parent", "relative", "spouse", "engaged_to", "friend", "boss"), -1.0),
    **dict.fromkeys(("from", "born_on", "promised"), -1.0),
}
# "My tenant's rent is 640, I pay 910": what is told beside the same of somebody else needs less.
_CONTRAST_ODDS: Final = 1.0
# Of facts of the rules that the model sees with less, most are wrong; with more, most are right.
_SEEN_ODDS: Final = -2.0
# Facts of these relations, read by the rules, mostly are none where the model sees nothing like them.
_TAGGED_RELATIONS: Final = frozenset(
    {*(one.relation for one in WORDINGS.values() if one.relation), "uses", "drives", "owns", "works in"}
)
_TAGGED_PREDICATES: Final = frozenset({"PREFERS", "DISLIKES", "CAUSED_BY"})


def with_tags(drafts: Sequence[Draft], text: str, tags: Sequence[Tag], speaker: Speaker) -> list[Draft]:
    """Return the facts of a message by the rules and by the model, each once.

    Facts of the rules of which the model knows the kind count if it sees them too, though it need not be as sure of
    them.

    Args:
        tags: all tags of the message, of which some are unlikely.
    """
    if is_chinese(text):
        tags = with_plain_words(text, tags)
    tagged = list(tag_drafts(text, tags, speaker))
    kept = [one for one in drafts if not _is_tagged(one) or _is_seen(one, tagged)]
    stated = _STATED_ODDS[is_chinese(text)]
    surplus = [tag.odds - stated - _MORE_ODDS.get(tag.kind, 0.0) for _, tag in tagged]
    sure = {(tag.kind, made.subject) for (made, tag), odds in zip(tagged, surplus, strict=True) if odds >= 0}
    for (made, tag), odds in zip(tagged, surplus, strict=True):
        contrasts = any(kind == tag.kind and subject != made.subject for kind, subject in sure)
        if odds >= (-_CONTRAST_ODDS if contrasts else 0.0) and not any(_same(made, one) for one in kept):
            kept.append(made)
    return kept


def _is_seen(one: Draft, tagged: Sequence[tuple[Draft, Tag]]) -> bool:
    """Return whether the model sees a fact of the rules: the same subject and predicate, an object that overlaps."""
    return any(
        tag.odds >= _SEEN_ODDS
        and (made.subject.lower() == one.subject.lower() or one.predicate == "CAUSED_BY")
        # "I'm leaving Acme in June" is tagged as a plan.
        and (_agree(one, made) if made.predicate == one.predicate else one.closes and _plans(made, one.object))
        for made, tag in tagged
    )


def _plans(made: Draft, obj: str) -> bool:
    return made.relation == "plan" and obj.lower() in made.object.lower()


def _is_tagged(one: Draft) -> bool:
    """Return whether the model knows the kind of a fact."""
    return one.predicate in _TAGGED_PREDICATES or one.relation in _TAGGED_RELATIONS


def _agree(one: Draft, other: Draft) -> bool:
    """Return whether two drafts are about the same thing in the same state, whatever they say of it."""
    mine, its = one.object.lower(), other.object.lower()
    if one.closes != other.closes:
        return False
    return mine in its or its in mine or (one.relation == other.relation == "plan" and same_plan(mine, its))


# Words that plans for the same thing need not share: "trip to Hamburg", "going to Hamburg with Mia".
_PLAN_WORD: Final = re.compile(rf"[a-z0-9]+|[{HAN}]")
_NO_PLAN_WORDS: Final = word_set(
    "a an the my our his her their this next to of in on at with and for from trip going go get getting travel "
    "travelling traveling flying fly heading visit visiting see seeing buy buying "
    "了 把 要 去 和 跟 的 个 到 给 飞 看 买"
)


def same_plan(one: str, other: str) -> bool:
    """Return whether two objects of plans are the same thing: they share two thirds of the words of the shorter."""
    mine, its = ({*_PLAN_WORD.findall(text.lower())} - _NO_PLAN_WORDS for text in (one, other))
    return bool(mine and its) and 3 * len(mine & its) >= 2 * min(len(mine), len(its))


def _same(one: Draft, other: Draft) -> bool:
    """Return whether two drafts tell the same fact, though perhaps in other words.

    What the model tells of two subjects are two facts: "my brother hates mutton, I love it".
    """
    if one.subject.lower() != other.subject.lower() and _is_tagged(other):
        return False
    if one.closes != other.closes or "CAUSED_BY" in (one.predicate, other.predicate):
        return one.predicate == other.predicate and one.object == other.object
    return _agree(one, other)
