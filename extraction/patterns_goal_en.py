"""English words and patterns that state plans, goals, promises, worries and values."""

from extraction.english_rule import english_rule as _rule
from extraction.rule import Rule

_BE_OR_NOT = r"(?:(?:am|is|are) )?"
_VERY = (
    r"(?:so |very |really |quite |pretty |super |a bit |a little |deeply |extremely |still |also |terribly |mostly |"
    r"constantly |always ){0,2}"
)
_THEM = r"(?: (?:my|his|her|our) \w+(?: \w+)?| (?:to )?(?:myself|himself|herself|him|her|them|[A-Z]\w+))?"

GOAL_RULES: tuple[Rule, ...] = (
    _rule(
        r"(?:promised?|promises|vow(?:ed)?|swore|swear|pledged?|gave (?:\w+ )?(?:my|his|her) word|made a promise|"
        r"(?:have )?given my word|committed|guaranteed)" + _THEM + r" to",
        "CARES_ABOUT",
        "{s} promised to {o}.",
        shape="promise",
        relation="promise",
        strength=0.8,
    ),
    _rule(
        r"(?:want|wants|hope|hopes|plan|plans|intend|intends|aim|aims|aspires|decided|resolved|made up my mind|vowed|"
        r"expect|would really like|am looking|mean) to",
        "CARES_ABOUT",
        "{s} wants to {o}.",
        shape="goal",
        relation="plan",
    ),
    _rule(
        _BE_OR_NOT
        + r"(?:planning|hoping|trying|determined|aiming|aspiring|working hard|on a mission|saving up|training|"
        r"preparing) to",
        "CARES_ABOUT",
        "{s} plans to {o}.",
        shape="goal",
        relation="plan",
    ),
    _rule(
        _BE_OR_NOT + r"going to|will|(?:need|needs|have|has) to|must",
        "CARES_ABOUT",
        "{s} plans to {o}.",
        shape="aim",
        relation="plan",
    ),
    _rule(
        _BE_OR_NOT + r"(?:planning|organi[sz]ing|arranging|booking|in the middle of planning)(?! on\b)",
        "CARES_ABOUT",
        "{s} plans {o}.",
        shape="worry",
        relation="plan",
    ),
    _rule(
        _BE_OR_NOT
        + r"(?:saving(?: up)?|training|preparing|prepping|studying|cramming|practi[sc]ing|revising|getting ready) for",
        "CARES_ABOUT",
        "{s} works for {o}.",
        shape="worry",
        relation="goal",
    ),
    _rule(
        _BE_OR_NOT + r"working (?:towards?|on getting|on becoming)",
        "CARES_ABOUT",
        "{s} works towards {o}.",
        shape="worry",
        relation="goal",
    ),
    # "I would love to": only what lasts.
    _rule(r"aspire to", "CARES_ABOUT", "{s} would like to {o}.", shape="wish", relation="plan"),
    _rule(
        r"(?:dream|dreams|dreaming) (?:of|about)",
        "CARES_ABOUT",
        "{s} dreams of {o}.",
        shape="worry",
        relation="dream",
    ),
    _rule(
        _BE_OR_NOT
        + _VERY
        + r"(?:worried|concerned|anxious|nervous|stressed|stressing|worrying|panicking|freaking out|losing sleep|"
        r"stressed out|agonising|agonizing) (?:about|over)",
        "CARES_ABOUT",
        "{s} worries about {o}.",
        shape="worry",
        relation="worry",
    ),
    _rule(
        r"(?:worry|worries|stress|stresses)(?: a lot| constantly| so much| all the time)? (?:about|over)",
        "CARES_ABOUT",
        "{s} worries about {o}.",
        shape="worry",
        relation="worry",
    ),
    _rule(
        r"(?:care|cares) (?:a lot |deeply |so much |very much |a great deal |passionately |more )?(?:about|for)",
        "CARES_ABOUT",
        "{s} cares about {o}.",
        shape="worry",
        strength=0.8,
    ),
    _rule(
        r"(?:value|values|treasure|prioriti[sz]e|prioriti[sz]es|believe in|believes in|stand for|place great "
        r"value on)",
        "CARES_ABOUT",
        "{s} values {o}.",
        shape="worry",
        strength=0.8,
    ),
    _rule(
        _BE_OR_NOT + _VERY + r"looking forward to",
        "CARES_ABOUT",
        "{s} looks forward to {o}.",
        shape="worry",
        relation="looks forward to",
        strength=0.6,
    ),
)
