"""Detect which attribute of a person a question asks for, and whether a text states a value of it. Pure.

"Where does Ana live?" and "we moved again, Madrid this time" share no word, but both are about a home. Statements
about one attribute of one person replace each other, so the latest of them counts. Other attributes (partner, adviser,
what somebody learns) were read too, and raised no answer. Texts are English or Chinese; questions for the home are also
German, French, Spanish or Japanese.
"""

import re
from enum import StrEnum
from typing import Final

from extraction.entities.kinship_terms import tie_words
from extraction.temporal.phrases import plain_apostrophes

_QUESTION_CHARS_MAX: Final = 400
_CHARS_MAX: Final = 2_000


class Attribute(StrEnum):
    """An attribute of which a person has one value at a time."""

    NUMBER = "number"
    WORK = "work"
    HOME = "home"
    VEHICLE = "vehicle"
    MEDICINE = "medicine"
    DIET = "diet"


_VEHICLES: Final = (
    r"(?:cars?|vans?|truck|vehicle|motorbike|scooter|suv|pickup|lorry|tesla|volkswagen|vw|toyota|honda|ford|bmw|audi|"
    r"mercedes|kia|hyundai|nissan|mazda|subaru|volvo|skoda|renault|peugeot|fiat|citro[eë]n|byd|polestar|jeep|chevy|"
    r"chevrolet|lexus|porsche|suzuki|dacia|opel|vauxhall|yaris|corolla|civic|golf|prius)"
)
_WHAT_ZH: Final = "(?:哪|什么|啥)"
_FOODS: Final = r"(?:foods?|ingredients?|dish(?:es)?|fruits?|meats?|vegetables?|spices?|seafood)"
_BAD: Final = (
    r"(?:avoid|allerg|not|never|can't|cannot|banned|off limits|kept? out|leave out|left out|upset|sick|stomach|"
    r"hospital|stand|react|refuse|hate|dislike)"
)
_BAD_ZH: Final = "(?:不能|不吃|不碰|不要|忌|过敏|受不了|千万别|避开|反感|讨厌)"
# Patterns of questions, in the order in which they are tried.
_ASKED: Final[tuple[tuple[Attribute, re.Pattern[str]], ...]] = (
    (
        Attribute.NUMBER,
        re.compile(r"\b(?:phone|mobile|cell) number\b|\bwhat(?:'s| is) my number\b|电话(?:号|是)|手机号|号码"),
    ),
    (
        Attribute.WORK,
        re.compile(
            r"\bwhere\b.{0,60}\b(?:work|works|working|employed|job)\b|\bwho\b.{0,60}\bworks? (?:for|with)\b|"
            # Not "What does my employer sell?", which asks about it.
            r"\bemployer\b(?:'s name)?(?=\s*(?:[?.!,]|$|now\b|these days\b|at the moment\b))|\bfor a living\b|"
            r"\b(?:what|which)\b.{0,30}\b(?:job|profession|occupation|company|workplace)\b|\bwork as\b|"
            r"\bjob (?:now|at the moment)\b|\b(?:doing|do|does) for work\b|\bline of work\b|"
            rf"{_WHAT_ZH}.{{0,8}}(?:上班|工作|公司|单位|职业)|(?:工作|职业|单位)(?:是|在){_WHAT_ZH}|做什么(?:的|工作)"
        ),
    ),
    (
        Attribute.HOME,
        re.compile(
            r"\bwhere\b.{0,60}\b(?:live|lives|living|based|home|reside)\b|\b(?:address|suburb)\b|"
            r"\b(?:city|town|country|street|neighbou?rhood|place)\b.{0,40}\b(?:live|lives|living|home|based)\b|"
            rf"住在?(?:{_WHAT_ZH}|几)|{_WHAT_ZH}.{{0,8}}住|住址|地址|家在哪|"
            r"\b(?:wo|stadt|ort|straße)\b.{0,40}\b(?:wohn(?:e|st|en|t)|lebe|leben|zu ?hause|daheim)\b|"
            r"\b(?:où|ville|rue|quartier)\b.{0,40}\b(?:habit\w+|vis|vivons|maison|chez (?:moi|nous))\b|"
            r"\bhabit\w+.{0,20}\b(?:où|ville|rue|quartier)\b|"
            r"\b(?:d[oó]nde|ciudad|pueblo|calle|barrio)\b.{0,40}\b(?:viv[oei]\w*|casa)\b|"
            r"どこ.{0,4}(?:住|家)|(?:家|自宅|住まい)は?どこ|住んで"
        ),
    ),
    (
        Attribute.VEHICLE,
        re.compile(
            r"\bwhat\b.{0,30}\b(?:do|does|did) .{1,20} drive\b|\bwhat (?:am|are|is|was) .{1,20} driving\b|"
            r"\b(?:what|which)\b.{0,30}\b(?:car|vehicle|van|truck)\b|"
            rf"{_WHAT_ZH}.{{0,5}}车|车是{_WHAT_ZH}|开{_WHAT_ZH}"
        ),
    ),
    (
        Attribute.MEDICINE,
        re.compile(
            r"\b(?:dose|dosage|medication|medicine|tablets?|pills?|inhaler|prescribed|prescription)\b|剂量|"
            rf"{_WHAT_ZH}.{{0,8}}药|药.{{0,6}}(?:多少|几)"
        ),
    ),
    (
        Attribute.DIET,
        re.compile(
            r"\bdiet\b|\b(?:can|can't|does|do|will) .{1,30} eat\b|\b(?:vegetarian|vegan)\b|"
            rf"\b{_FOODS}\b.{{0,50}}\b{_BAD}|饮食|忌口|吃素|能吃什么|不吃什么|"
            rf"(?:吃|食物|水果|蔬菜|海鲜|肉|菜).{{0,10}}{_BAD_ZH}|{_BAD_ZH}.{{0,6}}(?:吃|食物|水果|蔬菜|海鲜|肉|菜)"
        ),
    ),
)
_STATED: Final = {
    Attribute.NUMBER: re.compile(r"\d[\d -]{5,20}\d"),
    Attribute.WORK: re.compile(
        r"\bwork(?:s|ing|ed)? (?:at|for|as|with|from)\b|\bjobs?\b|\b(?:hired|joined|joining|promoted|resigned|quit|"
        r"fired|laid off|freelance|employed|retired)\b|\bnotice in\b|\bhanded in\b|"
        r"\bstart(?:ed|s|ing)? (?:at|as|with)\b|\bshifts?\b|"
        r"\b(?:i'm|i am|he's|she's|is|am) an? [a-z]{1,20}(?:er|or|ist|se|ian|ant|ect)\b|"
        r"入职|跳槽|离职|辞职|上班|工作|公司|升[了职为]|退休|单位"
    ),
    Attribute.HOME: re.compile(
        r"\b(?:live|lives|living|lived|moved?|moving|moves|settled|relocated?|staying) (?:in|to|into|at|back|out|here|"
        r"near|with|again|over|on|up|down|house|home|from)\b|\bmoved\b|\b(?:i'm|we're|i am|we are|he's|she's|they're) "
        r"(?:now |back |still |living )?in (?:[a-z]{1,20} )?(?:now|since|these days)\b|\b(?:new|my|our|own) "
        r"(?:place|flat|apartment|house|room|studio|address|home)\b|\b(?:lease|rented|renting|got the keys)\b|"
        r"搬[到去家进了]|住[在进到了]|租了|新家|还在|定居|新房"
    ),
    Attribute.VEHICLE: re.compile(
        rf"\b{_VEHICLES}\b|\b(?:drive|drives|drove|driving)\b|[买卖换开提]了?[^，。]{{0,6}}车|车[卖换]"
    ),
    Attribute.MEDICINE: re.compile(
        r"\b\d{1,5} ?(?:mg|mcg|µg|micrograms?|milligrams?|ml|units?)\b|"
        r"\b(?:dose|tablets?|pills?|medication|prescribed|prescription)\b|毫克|药|[片粒]|单位"
    ),
    Attribute.DIET: re.compile(
        r"\b(?:vegetarian|vegan|pescatarian|keto|halal|kosher|gluten|dairy|diet|meat|lactose|intolerant|allergic|"
        r"epipen|anaphyla\w+)\b|\beats?\b|\b(?:don't|doesn't|can't|never|not|cannot|stopped) eat|"
        r"\b(?:makes?|made) (?:me|him|her) (?:sick|ill|gag)|"
        r"\b(?:food|recipe|meal)s?\b.{0,30}\b(?:no|without|leave out|don't)\b|"
        r"\b(?:don't|no|without|leave out)\b.{0,40}\b(?:food|recipe|meal|dish)|"
        r"吃素|素食|忌口|不吃|只吃|过敏|别放|不要放|不能吃|吃不了|一闻|受不了|恶心|想吐"
    ),
}
_KIN: Final = "|".join(word for word in tie_words() if word.isascii())
# One character, such as 姐, is part of too many words.
_KIN_ZH: Final = "|".join(
    sorted((word for word in tie_words() if not word.isascii() and len(word) > 1), key=lambda word: (-len(word), word))
)
_OF_RELATIVE: Final = re.compile(
    rf"\b(?:my|our) (?:[a-z]{{1,20}} )?(?:{_KIN})s?(?:'s|,)? (?:[a-z]{{1,20}} )?(?:is|was|has|had|got|works|lives|"
    rf"moved|drives|eats|takes|started|says|can't|won't|loves|hates|bought|sold|goes)\b|我们?的?(?:{_KIN_ZH}|[爸妈哥姐弟妹])"
)


def attribute_asked(question: str) -> Attribute | None:
    """Return the attribute that a question asks for ("where do I live?", 我开什么车), or None."""
    text = plain_apostrophes(question[:_QUESTION_CHARS_MAX])
    return next((attribute for attribute, pattern in _ASKED if pattern.search(text)), None)


def states_attribute(text: str, attribute: Attribute) -> bool:
    """Return whether a text may state a value of an attribute."""
    return _STATED[attribute].search(plain_apostrophes(text[:_CHARS_MAX])) is not None


def is_about_relative(text: str) -> bool:
    """Return whether a relative of the speaker is the subject: "my sister Clara is a vegetarian", 我姐姐在上海."""
    return _OF_RELATIVE.search(plain_apostrophes(text[:_CHARS_MAX])) is not None
