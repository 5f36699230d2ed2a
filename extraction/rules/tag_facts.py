"""Turn the tags of a message into draft facts, with the relation names and the wording of the rules. Pure.

A tag is a span of the message with the kind of fact that it is the object of. The model (`tag_model`) finds them; the
names of relations, the words for relatives and the statements are chosen here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from extraction.rules.drafts import Draft, Speaker
from extraction.rules.fact_wordings import (
    COLLECTING,
    DOING,
    EATING,
    FAVOURITE,
    INJURY,
    NAMED_PET,
    RELATION_WORDS,
    STUDYING,
    TEACHING,
    WORDINGS,
    FactKindWording,
)
from extraction.rules.favourites import favourite
from extraction.rules.plain_words import with_plain_words
from extraction.rules.tags import INTENTIONS, KINDS, Tag
from extraction.rules.wording import CHINESE_WORDING, ENGLISH_WORDING, Wording, agree, with_article
from extraction.text.chinese import HAN, is_chinese
from extraction.text.full_names import whole_name
from extraction.text.lexicon_en import ANY_MONTH, CHILD_NAME, KIN_NAME, KIN_PATTERN, KIN_SINGULAR, PETS, word_set
from extraction.text.lexicon_zh import KIN_PATTERN as KIN_PATTERN_ZH
from extraction.text.toml_files import patterns_of, toml_of
from schema.entity import EntityType
from schema.fact import PLAIN_FACT, FactDetail, FactKind

_TABLES: Final = toml_of("extraction.rules", "tag_facts.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], {**_TABLES["parts"], "month": ANY_MONTH, "kin": KIN_PATTERN})
_INJURIES: Final = {"broke": "broken", "tore": "torn"}
# A size without a word for it, by its unit.
_MEASURES: Final = (
    (
        re.compile(r"\d\s*(?:kgs?|kilo(?:gram)?s?|lbs?|pounds?|stone|公斤|千克|斤|克)\b", re.IGNORECASE),
        ("weight", "体重"),
    ),
    (re.compile(r"\d\s*(?:cm|m\d\d|ft|foot|feet|厘米)|\d[.,]\d\d ?m\b|\d'\d", re.IGNORECASE), ("height", "身高")),
)
_VALUES: Final = frozenset(("code", "size", "price"))
# Between a thing and the word for its value, by whether the text is Chinese.
_GAP: Final = {True: "", False: " "}
_HAN_CHAR: Final = re.compile(f"[{HAN}]")
# The word of a relation stands near its value.
_NEAR_CHARS: Final = {True: 14, False: 45}
_CLAUSE_END: Final = re.compile(r"[,.;!?](?=\s)|[，。；！？]")
_EDGE: Final = " \t,.;:!?\"'“”‘’()[]，。！？、；：（）《》…~～"
# Whom a pronoun means, one message alone often does not say.
_PRONOUN_WORDS: Final = """
i me my mine we us our you your he him his she her hers it its they them their theirs this that these those
who someone somebody everyone one both all
我 我们 咱 咱们 俺 你 您 你们 他 她 它 他们 她们 它们 谁 人家 别人 自己 大家 这 那 这个 那个
"""
_PRONOUNS: Final = frozenset(_PRONOUN_WORDS.split())
_STRONG: Final = 0.9
_STRONG_VERBS: Final = {"likes": (" likes ", " loves "), "dislikes": (" does not like ", " hates ")}
_THEY: Final = {"his": "he", "her": "she", "their": "they"}
_PLAIN_ODDS: Final = 1.0
_AGE_MAX: Final = 103
_PHONE_DIGITS_MIN: Final = 4
# Words for a value, which are no subject of one.
_VALUE_WORDS: Final = {
    **{kind: RELATION_WORDS[kind] for kind in ("code", "size", "price")},
    "phone": (r"(?:(?:tele)?phone|mobile|cell|home|work)?(?: ?number)?|landline", "(?:手机|电话)号?码?|号码"),
    "email": (r"(?:e-?mail)(?: address)?", "邮箱"),
    "address": (r"(?:home )?address|home|flat|house|place", "地址"),
}
_BEFORE_CHARS: Final = 60
_PEOPLE: Final = tuple(
    "|".join(RELATION_WORDS[kind][chinese] for kind in ("relative", "friend", "colleague", "boss"))
    for chinese in (False, True)
)
# "My tenant's rent is 640", 外婆的存折号码是.
_OWNER_BEFORE: Final = (
    re.compile(
        r"\b(?:my|our) (?P<who>[a-z][a-z-]{2,20}(?: [a-z-]{3,20})?)['’]s (?:[a-z]+ ){1,3}(?:is|was|at)?[: ]*$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|[，。；！？,;!?\n])(?:[我咱俺]们?)?的?(?P<who>{_PEOPLE[1]})的(?:(?![我咱俺])[{HAN}]){{1,8}}[是：:]? ?$"
    ),
)
# Facts about a person that stand directly behind the person: "my boss lives in Geneva", 我同事不吃香菜.
_OF_PERSONS: Final = word_set(
    "likes dislikes lives_in works_at works_as studies_at from age allergic_to illness takes diet pet has"
)
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
_ABOUT_PEOPLE: Final = frozenset(KINDS) - {"code", "price", "size", "attribute", "because", "has", "named", "age"}
_SECRET_NEAR_CHARS: Final = 30
_PLURALS: Final = tuple(
    word_set(
        "sons daughters kids boys girls sisters brothers siblings friends colleagues workers mates cousins uncles "
        "aunts nephews nieces neighbours neighbors"
    )
)
_HALF_KIN: Final = frozenset("妈爸姐哥弟妹")
# "My younger sister" need not be the sister who was named before.
_WHICH: Final = "older|younger|elder|eldest|oldest|youngest|big|little|middle|twin|half|step"
_WHICH_BEFORE: Final = re.compile(rf"\b(?:my|our) (?P<w>{_WHICH})[ -]$", re.IGNORECASE)
_KIN_WORD: Final = re.compile(
    rf"(?:(?:{_WHICH}) )?(?:{KIN_PATTERN})s?|(?:{KIN_PATTERN_ZH})|[老俺]?[爹娘]", re.IGNORECASE
)


def is_kin(word: str) -> bool:
    return _KIN_WORD.fullmatch(word) is not None


def tag_drafts(text: str, tags: Sequence[Tag], speaker: Speaker) -> Iterator[tuple[Draft, Tag]]:
    """Yield the draft fact of each tag that makes one, with the tag."""
    animals = _animals(text, tags)
    tags = [_with_owner(text, _of_employer(text, tag)) for tag in tags if not _is_no_fact(text, tag)]
    for tag in tags:
        if tag.kind == "attribute" and tag.subject in animals:
            continue
        made = _draft(text, tag, speaker, tags, animals.get(tag.obj) if tag.kind == "pet" else None)
        if made is not None:
            yield made, tag


def _before(text: str, tag: Tag) -> str:
    """Return the words before the object of a tag."""
    return text[max(0, tag.obj[0] - _BEFORE_CHARS) : tag.obj[0]]


def _with_owner(text: str, tag: Tag) -> Tag:
    """Return the tag with whom it is about, as the words before its object say.

    "The rent" that went up is the speaker's, "my tenant's rent" is not; "my colleague hates coriander" says nothing of
    the speaker's dislikes. What is not liked any more is a liking that ended.
    """
    before = _before(text, tag)
    more = f"{before}|{text[tag.obj[1] : tag.obj[1] + _BEFORE_CHARS]}"
    if tag.kind == "dislikes" and _PATTERNS["liked"].search(before) and _PATTERNS["no_more"].search(more):
        tag = replace(tag, kind="likes", ended=True)
    if tag.kind in ("dislikes", "allergic_to") and tag.ended and _PATTERNS["none"].search(before):
        tag = replace(tag, ended=False)
    if tag.kind in _STRONG_VERBS and _PATTERNS["used_to"].search(before):
        tag = replace(tag, ended=True)
    words = _VALUE_WORDS.get(tag.kind)
    if tag.subject is not None and tag.kind in _OF_PERSONS:
        joined = _PATTERNS["speaker_and"].search(text, 0, tag.subject[0]) or _PATTERNS["and_speaker"].match(
            text, tag.subject[1]
        )
        return tag if joined is None else replace(tag, subject=None)
    if tag.subject is not None and words is not None:
        named = _PATTERNS["owners_zh"].sub("", _PATTERNS["owners"].sub("", text[slice(*tag.subject)]))
        tag = replace(tag, subject=None) if re.fullmatch("|".join(words), named, re.IGNORECASE) else tag
    if words is None and tag.kind not in _OF_PERSONS:
        return tag
    begin = tag.obj[0] - len(before)
    people = (one.search(before) for one in (_PERSON_BEFORE if words is None else _OWNER_BEFORE))
    spans = (person.span("who") for person in people if person is not None)
    return next((replace(tag, subject=(begin + start, begin + end)) for start, end in spans), tag)


def _of_employer(text: str, tag: Tag) -> Tag:
    """Return a tag as the end of a job if its words say so: "I'm leaving Acme in June", "I quit Acme"."""
    leaving = _PATTERNS["leaving"].match(text, tag.obj[0]) if tag.kind == "plans" else None
    if leaving is not None:
        return replace(tag, kind="works_at", obj=leaving.span("o"), ended=True, odds=tag.odds + _PLAIN_ODDS)
    before = _before(text, tag)
    quits = tag.ended and tag.kind in ("likes", "has", "hobby") and _PATTERNS["quit"].search(before) is not None
    return replace(tag, kind="works_at", odds=tag.odds + _PLAIN_ODDS) if quits and text[tag.obj[0]].isupper() else tag


def _is_of_others(text: str, tag: Tag, before: str) -> bool:
    """Return whether somebody else intends it: "she decided to leave him"."""
    said = _PATTERNS["by_others"].search(before)
    if said is None or tag.subject is None:
        return said is not None
    # "His wife smokes, so he has decided": "he" is whose wife, or "Tom's" wife, the subject is.
    owner = _PATTERNS["owner"].search(text[: tag.subject[1]])
    pronoun = (said["p"] or said["z"]).lower()
    return owner is not None and pronoun == _THEY.get((owner["o"] or owner["z"]).lower(), pronoun)


def _is_no_fact(text: str, tag: Tag) -> bool:
    """Return whether the words of a tag, or around it, speak against it."""
    before = _before(text, tag)
    return _is_absurd(text, tag) or _is_denied(text, tag, before)


def _is_denied(text: str, tag: Tag, before: str) -> bool:
    """Return whether the words before a tag make it a fact about somebody else, or its opposite."""
    if tag.kind in INTENTIONS and _is_of_others(text, tag, before):
        return True
    if tag.kind in ("lives_in", "works_at") and tag.ended and _PATTERNS["before_it"].search(before):
        return True
    if tag.subject is None and WORDINGS[tag.kind].person and _PATTERNS["whose"].search(before):
        return True
    used_to = _PATTERNS["used_to"].search(before) if tag.kind == "likes" and tag.ended else None
    return used_to is not None and used_to["dislikes"] is not None


def _is_absurd(text: str, tag: Tag) -> bool:
    """Return whether the object of a tag is none of its kind: a joke, no phone number, the place of work."""
    obj = text[slice(*tag.obj)]
    match tag.kind:
        case "dislikes":
            return _PATTERNS["not_disliked"].search(text, 0, tag.obj[0]) is not None
        case "allergic_to":
            return _PATTERNS["no_allergen"].match(obj) is not None
        case "lives_in":
            return (
                "with us" in obj.lower()
                or _PATTERNS["work_moved"].search(text[max(0, tag.obj[0] - 20) : tag.obj[0]]) is not None
            )
        case "decided":
            return obj.lower().startswith("against ")
        case "phone":
            return sum(char.isdigit() for char in obj) < _PHONE_DIGITS_MIN
        case "age":
            years = re.match(r"\d+", obj)
            return years is not None and int(years[0]) > _AGE_MAX
    return False


def _animals(text: str, tags: Sequence[Tag]) -> dict[tuple[int, int] | None, str]:
    """Return what kind of animal each named pet is: "Otis", "a beagle" are one fact."""
    pets = {tag.obj for tag in tags if tag.kind == "pet"}
    told = ((tag.subject, _cleaned(text[slice(*tag.obj)]).lower()) for tag in tags if tag.kind == "attribute")
    return {pet: kind for pet, kind in told if pet in pets and _is_animal(kind)}


def _is_animal(kind: str) -> bool:
    """Return whether what is said of a pet is its kind: "beagle", not what it is like or does."""
    return not _PATTERNS["looks"].fullmatch(kind) and (
        _HAN_CHAR.search(kind) is not None or not kind.endswith("s") or kind in PETS
    )


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
    wording = _wording(text, tag, obj) if animal is None else NAMED_PET
    obj = _named(tag.kind, obj)
    if not obj or obj.lower() in _PRONOUNS or obj.startswith("的"):
        return None
    subject = speaker.me if tag.subject is None else _subject(_subject_words(text, tag.subject), tag.kind, speaker)
    if subject is None or subject.lower() == obj.lower() or (tag.kind == "because" and tag.subject is None):
        return None
    chinese = _HAN_CHAR.search(text) is not None and _is_chinese_around(text, tag.obj)
    if wording.person and not _is_name(obj, chinese):
        return None
    subject, relation = _relation_of(text, tag, wording, subject, speaker, chinese, tags, animal)
    if (wording.words is not None and relation is None) or subject == obj:
        return None
    if tag.kind == "code" and _is_secret(text, tag, relation or ""):
        return None
    says = _says(text, tag, wording, chinese)
    begin = max(0, tag.obj[0] - _NEAR_CHARS[chinese])
    strong = (
        tag.kind in _STRONG_VERBS
        and not tag.ended
        and _PATTERNS["strongly"].search(text[begin : tag.obj[0]]) is not None
    )
    if strong:
        says = says.replace(*_STRONG_VERBS[tag.kind])
    return Draft(
        subject=subject,
        predicate=wording.predicate,
        object=obj,
        statement=_statement(says, subject, obj, relation, speaker, CHINESE_WORDING if chinese else ENGLISH_WORDING),
        start=min(tag.obj[0], tag.subject[0]) if tag.subject else tag.obj[0],
        end=max(tag.obj[1], tag.subject[1]) if tag.subject else tag.obj[1],
        relation=relation,
        subject_type=EntityType.PERSON if not subject.startswith("@") and tag.kind in _ABOUT_PEOPLE else None,
        object_type=wording.object_type,
        strength=_STRONG if strong else wording.strength,
        confidence=0.65 if tag.subject is None else 0.6,
        closes=tag.ended and tag.kind != "ex",
        detail=_decision(text, obj, tags) if tag.kind == "decided" and not tag.ended else PLAIN_FACT,
    )


def _decision(text: str, obj: str, tags: Sequence[Tag]) -> FactDetail:
    """Return the detail of a decision, with its reason if the message has one."""
    because = ((one.subject, one.obj) for one in tags if one.kind == "because" and one.odds >= _REASON_ODDS)
    reasons = (text[slice(*why)] for effect, why in because if effect and same_plan(text[slice(*effect)], obj))
    return FactDetail(kind=FactKind.DECISION, rationale=next((reason.strip(_EDGE) for reason in reasons), None))


def _relation_of(
    text: str,
    tag: Tag,
    wording: FactKindWording,
    subject: str,
    speaker: Speaker,
    chinese: bool,
    tags: Sequence[Tag],
    animal: str | None,
) -> tuple[str, str | None]:
    """Return the subject and the relation of a fact; a thing with a value, such as the alarm code, is the speaker's."""
    if wording.words is None:
        best = favourite(text, tag) if wording is FAVOURITE else None
        return subject, animal or wording.relation or best
    if tag.kind == "size" and tag.subject and (worn := _PATTERNS["worn"].search(subject)):
        return speaker.me, f"{worn[0].lower().removesuffix('s')} size"
    relation = _relation_word(text, tag, wording, chinese, tags)
    if relation and tag.subject and tag.kind in _VALUES and _stands(text, tag.subject, relation, chinese):
        return speaker.me, text[tag.subject[0] : tag.subject[1]].lower() + _GAP[chinese] + relation
    return subject, relation


def _wording(text: str, tag: Tag, obj: str) -> FactKindWording:
    """Return the wording of a fact; what somebody teaches or does for a living has its own."""
    kind = tag.kind
    if kind == "likes" and favourite(text, tag) is not None:
        return FAVOURITE
    if kind == "language" and _PATTERNS["learnt"].search(text[: tag.obj[0]]):
        return STUDYING
    if kind == "works_as" and _PATTERNS["taught"].match(obj):
        return TEACHING
    if kind == "works_as" and _PATTERNS["done"].match(obj):
        return DOING
    if kind == "illness" and _PATTERNS["injured"].match(obj):
        return INJURY
    if kind in ("diet", "attribute") and _PATTERNS["eats"].match(obj):
        return EATING
    if kind == "size":
        measures = (words for unit, words in _MEASURES if unit.search(obj))
        return replace(WORDINGS[kind], fallback=next(measures, WORDINGS[kind].fallback))
    if kind == "hobby" and _PATTERNS["collected"].match(obj):
        return COLLECTING
    return WORDINGS[kind]


def _says(text: str, tag: Tag, wording: FactKindWording, chinese: bool) -> str:
    """Return the statement of a tag; of an intention in English, with its time."""
    says = (wording.ended if tag.ended else wording.says)[chinese]
    if tag.ended and tag.kind == "hobby" and (verb := _PATTERNS["not_done_zh"].search(text[: tag.obj[0]])):
        return says.replace("不再", f"不再{verb['v']}")
    when = _PATTERNS["when"].search(_cleaned(text[slice(*tag.obj)])) if tag.kind in INTENTIONS and not chinese else None
    if when is None or when.start() == 0:
        return says
    return f"{says[:-1]}, {when[0].strip(' ,').translate({ord('{'): None, ord('}'): None})}."


def _named(kind: str, obj: str) -> str:
    """Return the object as a noun and without a time: "Year 4" of "teaches Year 4", "a trip" of "a trip on Friday"."""
    if kind in INTENTIONS:
        return _PATTERNS["when"].sub("", obj) or obj
    if kind == "illness":
        return _PATTERNS["injured"].sub(
            lambda found: f"{_INJURIES.get(found[1].lower(), found[1].lower())} ", obj, count=1
        )
    verb = {
        "works_as": _PATTERNS["taught"],
        "hobby": _PATTERNS["collected"],
        "diet": _PATTERNS["eats"],
        "attribute": _PATTERNS["eats"],
    }.get(kind)
    return verb.sub("", obj, count=1) if verb and verb.match(obj) else obj


def _is_secret(text: str, tag: Tag, relation: str) -> bool:
    """Return whether a code is a password: its relation, its subject or the words around it say so."""
    around = text[max(0, tag.obj[0] - _SECRET_NEAR_CHARS) : tag.obj[1] + _SECRET_NEAR_CHARS]
    subject = text[slice(*tag.subject)] if tag.subject else ""
    return any(_PATTERNS["secret"].search(part) for part in (relation, subject, around))


def _statement(says: str, subject: str, obj: str, relation: str | None, speaker: Speaker, wording: Wording) -> str:
    label = speaker.label(subject, wording.unknown_user)
    if is_kin(subject):
        label = wording.relative.format(owner=speaker.label(speaker.me, wording.unknown_user), kin=label)
    if wording.capitalized and says.startswith("{s}"):
        label = label[:1].upper() + label[1:]
    named = obj[:1].isupper() or obj[:1].isdigit()
    article = obj if named else with_article(obj)
    return agree(subject, says).format(s=label, o=obj, k=relation or "", a=article)


def _subject_words(text: str, span: tuple[int, int]) -> str:
    """Return the words of a subject, with which sister or brother it is."""
    which = _WHICH_BEFORE.search(text, 0, span[0])
    words = text[slice(*span)]
    return f"{which['w']} {words}" if which and is_kin(words) else words


def _subject(words: str, kind: str, speaker: Speaker) -> str | None:
    """Return the subject that a span names, or None for a pronoun."""
    name = _PATTERNS["owners_zh"].sub("", _PATTERNS["owners"].sub("", words.strip(_EDGE))).strip(_EDGE)
    if name.endswith(("'s", "’s")):
        name = name[:-2]
    if not name or name.lower() in _PRONOUNS or "，" in name:
        return None
    if kind != "because" and (is_kin(name) or name in _HALF_KIN):
        which, _, plain = name.lower().rpartition(" ")
        return f"{which} {_kin_name(plain)}".strip()
    return speaker.subject_named(name)


def _cleaned(obj: str) -> str:
    return _PATTERNS["first_zh"].sub("", _PATTERNS["first_words"].sub("", obj.strip(_EDGE))).strip(_EDGE)


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
    if not wording.person and _is_of_another(text, nearest, tag, tags):
        return None
    word = nearest[0].lower().strip()
    return _kin_name(KIN_SINGULAR.get(word, word.removesuffix("s") if word.endswith(_PLURALS) else word))


def _is_of_another(text: str, word: re.Match[str], tag: Tag, tags: Sequence[Tag]) -> bool:
    """Return whether a word in a clause behind an object belongs to the next one: "I earn 5,140, rent eats 1,895"."""
    start, end = word.span()
    if start < tag.obj[1] or _CLAUSE_END.search(text, tag.obj[1], start) is None:
        return False
    other = min((one.obj[0] for one in tags if one.kind == tag.kind and one.obj[0] >= end), default=None)
    return other is not None and _CLAUSE_END.search(text, end, other) is None


def _kin_name(word: str) -> str:
    """Return the usual word for a relative: "mother" for "mum", 妈妈 for 妈."""
    whole = CHILD_NAME.get(word) or KIN_NAME.get(word, word)
    return whole * 2 if whole in _HALF_KIN else whole


# Log odds from which a tag is a fact, in English and in Chinese.
_STATED_ODDS: Final = (1.0, 1.5)
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
# "Apples, pears and plums": what is listed beside something sure needs less.
_LISTED_ODDS: Final = 2.5
_LIST: Final = re.compile(r"\s*(?:,|、|,? (?:and|or|&)|和|跟|以及)\s*(?:the |an? |my )?")
_MORE_ODDS_EN: Final = {
    **_MORE_ODDS,
    "attribute": 3.3,
    **dict.fromkeys(("likes", "lives_in"), 0.0),
    **dict.fromkeys(("because", "hobby"), 2.3),
    **dict.fromkeys(("illness", "diet", "age", "child", "decided", "named", "dislikes"), 1.3),
    "works_as": 0.5,
    "allergic_to": -1.0,
}


def facts_of_tags(text: str, tags: Sequence[Tag], speaker: Speaker) -> list[Draft]:
    """Return the facts of a message by its tags, each once.

    Args:
        tags: all tags of the message, of which some are unlikely.
    """
    chinese = is_chinese(text)
    tags = with_plain_words(text, tags, chinese=chinese)
    stated, more = _STATED_ODDS[chinese], _MORE_ODDS if chinese else _MORE_ODDS_EN
    tagged = list(tag_drafts(text, tags, speaker))
    surplus = [tag.odds - stated - more.get(tag.kind, 0.0) for _, tag in tagged]
    certain = [(made, tag) for (made, tag), odds in zip(tagged, surplus, strict=True) if odds >= 0]
    sure = {(tag.kind, made.subject) for made, tag in certain}
    kept: list[Draft] = []
    for (made, tag), odds in zip(tagged, surplus, strict=True):
        contrasts = any(kind == tag.kind and subject != made.subject for kind, subject in sure)
        listed = any(_is_listed_with(tag, other, text) for _, other in certain)
        likely = odds >= -max(_CONTRAST_ODDS if contrasts else 0.0, _LISTED_ODDS if listed else 0.0)
        if likely and not any(same_fact(made, one) for one in kept):
            kept.append(made)
    return kept


def _is_listed_with(tag: Tag, other: Tag, text: str) -> bool:
    """Return whether two tags are neighbours in a list of the same kind."""
    first, second = sorted((tag.obj, other.obj))
    same = tag.kind == other.kind and tag.ended == other.ended and first[1] < second[0]
    return same and _LIST.fullmatch(text, first[1], second[0]) is not None


def _agree(one: Draft, other: Draft) -> bool:
    """Return whether two drafts are about the same thing in the same state, whatever they say of it."""
    mine, its = one.object.lower(), other.object.lower()
    if one.closes != other.closes:
        return False
    return mine in its or its in mine or (one.relation == other.relation == "plan" and same_plan(mine, its))


# From which a tagged reason is the reason of a decision.
_REASON_ODDS: Final = 0.0
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


def same_fact(one: Draft, other: Draft) -> bool:
    """Return whether two drafts tell the same fact, though perhaps in other words.

    What the model tells of two subjects are two facts: "my brother hates mutton, I love it".
    """
    if one.subject.lower() != other.subject.lower():
        return False
    if one.closes != other.closes or "CAUSED_BY" in (one.predicate, other.predicate):
        return one.predicate == other.predicate and one.object == other.object
    return _agree(one, other)
