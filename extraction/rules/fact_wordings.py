"""The predicate, the relation and the statements of each kind of fact, in English and in Chinese."""

from dataclasses import dataclass, replace
from typing import Any, Final

from extraction.rules.tags import KINDS
from extraction.text.lexicon_en import KIN_PATTERN
from extraction.text.lexicon_zh import KIN_PATTERN as KIN_PATTERN_ZH
from extraction.text.toml_files import toml_of
from schema.entity import EntityType


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKindWording:
    """A row of `fact_wordings.toml`; pairs are in English and in Chinese.

    Attributes:
        says, ended: statements of a fact, and of one that ended.
        words: patterns of the words for the relation, of which the one nearest to the object counts.
        fallback: relations of messages without such a word.
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
_HELPERS: Final = (
    rf"\b(?:{KIN_PATTERN}|GP|surgeon|nurse|midwife|plumber|electrician|builder|cleaner|gardener|solicitor|"
    r"mechanic|optician|psychiatrist|psychologist|counsellor|counselor|physiotherapist|chiropractor|"
    r"cardiologist|dermatologist|neurologist|oncologist|pediatrician|paediatrician|consultant|specialist|"
    r"recruiter|agent|broker|instructor|driver|super|caseworker|social worker|personal trainer|walker)\b",
    f"(?:家庭医生|主治医生|主治|中医|{KIN_PATTERN_ZH}|大夫|护士|中介|司机|师傅|物业|管家|阿姨|钟点工|教授|顾问)",
)
_CODES: Final = (
    r"\b(?:(?:door|gate|alarm|wifi|wi-fi|bike|garage|entry|safe|post|zip|gym|locker|order|membership|booking|"
    r"member|account|policy|passport|reference|customer|license|licence|number|student|staff|employee|case) ?)?"
    r"(?:code|password|passcode|pin|plate|plates|number|reg|registration|combination)\b",
    "(?:(?:WiFi|wifi|门禁|开机|支付|储物柜|快递柜|手机|电脑|银行卡|邮箱|保险箱|会员|订单|取件|快递|学|工|卡|房间|"
    "准考证|护照|身份证|社保|案件|预约)?(?:密码|号码|单号|卡号|码|号)|车牌号?|口令|暗号|尾号)",
)
_SIZES: Final = (
    r"\b(?:shoe|ring|shirt|dress|boot|trainer|glove|hat|trouser|jacket|bra|frame|bike|waist|suit|inside leg|"
    r"clothes|clothing|pants|jeans|sneaker|helmet|collar|belt|coat|skate|ski|wetsuit)?s? ?"
    r"(?:size|height|weight|waist|inseam)\b",
    "(?:鞋码|尺码|码数|上衣|裤子|裤码|腰围|戒指|手围|胸围|身高|体重|帽围|衣服|衬衫|西装|内衣|圈口|头围|鞋)",
)
_PRICES: Final = (
    r"\b(?:rent|salary|price|mortgage|budget|fee|fees|bill|pay|wage|deposit|pension|allowance|cost|rate|"
    r"subscription|loan|income|insurance|premium|tuition|service charge)\b",
    "(?:房租|租金|月租|工资|薪水|年薪|月薪|价格|房贷|月供|车贷|预算|学费|费用|物业费|押金|退休金|零花钱|生活费|"
    "保费|底薪|定金)",
)


def _read() -> dict[str, FactKindWording]:
    rows: dict[str, dict[str, Any]] = toml_of("extraction.rules", "fact_wordings.toml")
    wordings = {}
    for kind, row in rows.items():
        says, ended = zip(row.pop("en"), row.pop("zh"), strict=True)
        object_type = EntityType(row.pop("object_type")) if "object_type" in row else None
        wordings[kind] = FactKindWording(says=says, ended=ended, object_type=object_type, **row)
    return wordings


_ROWS: Final = _read()


def _named_by(row: str, **words: tuple[tuple[str, str], tuple[str, str] | None]) -> dict[str, FactKindWording]:
    """Return the wordings of kinds whose relation is a word of the message, by their words and fallback."""
    return {kind: replace(_ROWS[row], words=own, fallback=fallback) for kind, (own, fallback) in words.items()}


COLLECTING, DOING, EATING, FAVOURITE, INJURY, NAMED_PET, STUDYING, TEACHING = (
    _ROWS[row] for row in ("collecting", "doing", "eating", "favourite", "injury", "named_pet", "studying", "teaching")
)
WORDINGS: Final = {
    **{kind: row for kind, row in _ROWS.items() if kind in KINDS},
    **_named_by(
        "person",
        child=(_CHILDREN, ("child", "孩子")),
        parent=(_PARENTS, ("parent", "父母")),
        sibling=(_SIBLINGS, ("sibling", "兄弟姐妹")),
        relative=(KIN, ("relative", "亲戚")),
        friend=(FRIENDS, ("friend", "朋友")),
        colleague=(COLLEAGUES, ("colleague", "同事")),
        boss=(BOSSES, ("boss", "老板")),
        helper=(_HELPERS, None),
    ),
    **_named_by(
        "value", code=(_CODES, ("code", "号码")), size=(_SIZES, ("size", "尺码")), price=(_PRICES, ("price", "价格"))
    ),
}
