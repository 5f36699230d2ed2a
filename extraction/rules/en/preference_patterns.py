"""English rules for tastes, fears, plans, goals, promises and values."""

from extraction.rules.en.syntax import SYNTAX
from extraction.rules.engine import Rule

# Plans, goals, promises, worries and values

_BE_OR_NOT = r"(?:(?:am|is|are) )?"
_VERY = (
    r"(?:so |very |really |quite |pretty |super |a bit |a little |deeply |extremely |still |also |terribly |mostly |"
    r"constantly |always ){0,2}"
)
_THEM = r"(?: (?:my|his|her|our) \w+(?: \w+)?| (?:to )?(?:myself|himself|herself|him|her|them|[A-Z]\w+))?"

GOAL_RULES: tuple[Rule, ...] = (
    SYNTAX.rule(
        r"(?:promised?|promises|vow(?:ed)?|swore|swear|pledged?|gave (?:\w+ )?(?:my|his|her) word|made a promise|"
        r"(?:have )?given my word|committed|guaranteed)" + _THEM + r" to",
        "CARES_ABOUT",
        "{s} promised to {o}.",
        shape="promise",
        relation="promise",
        strength=0.8,
    ),
    SYNTAX.rule(
        r"(?:want|wants|hope|hopes|plan|plans|intend|intends|aim|aims|aspires|decided|resolved|made up my mind|vowed|"
        r"expect|would really like|am looking|mean) to",
        "CARES_ABOUT",
        "{s} wants to {o}.",
        shape="goal",
        relation="plan",
    ),
    SYNTAX.rule(
        _BE_OR_NOT
        + r"(?:planning|hoping|trying|determined|aiming|aspiring|working hard|on a mission|saving up|training|"
        r"preparing) to",
        "CARES_ABOUT",
        "{s} plans to {o}.",
        shape="goal",
        relation="plan",
    ),
    SYNTAX.rule(
        _BE_OR_NOT + r"going to|will|(?:need|needs|have|has) to|must",
        "CARES_ABOUT",
        "{s} plans to {o}.",
        shape="aim",
        relation="plan",
    ),
    SYNTAX.rule(
        _BE_OR_NOT + r"(?:planning|organi[sz]ing|arranging|booking|in the middle of planning)(?! on\b)",
        "CARES_ABOUT",
        "{s} plans {o}.",
        shape="worry",
        relation="plan",
    ),
    *(
        SYNTAX.rule(_BE_OR_NOT + rf"{words} for", "CARES_ABOUT", says, shape="worry", relation="goal")
        for words, says in (
            (r"saving(?: up)?", "{s} is saving up for {o}."),
            (r"(?:training|practi[sc]ing)", "{s} is training for {o}."),
            (r"(?:studying|cramming|revising)", "{s} is studying for {o}."),
            (r"(?:preparing|prepping|getting ready)", "{s} is preparing for {o}."),
        )
    ),
    # "I would love to" also introduces small wishes; the shape "wish" accepts only lasting goals.
    SYNTAX.rule(r"aspire to", "CARES_ABOUT", "{s} would like to {o}.", shape="wish", relation="plan"),
    SYNTAX.rule(
        r"(?:dream|dreams|dreaming) (?:of|about)",
        "CARES_ABOUT",
        "{s} dreams of {o}.",
        shape="worry",
        relation="dream",
    ),
    SYNTAX.rule(
        _BE_OR_NOT
        + _VERY
        + r"(?:worried|concerned|anxious|nervous|stressed|stressing|worrying|panicking|freaking out|losing sleep|"
        r"stressed out|agonising|agonizing) (?:about|over)",
        "CARES_ABOUT",
        "{s} worries about {o}.",
        shape="worry",
        relation="worry",
    ),
    SYNTAX.rule(
        r"(?:care|cares) (?:a lot |deeply |so much |very much |a great deal |passionately |more )?(?:about|for)",
        "CARES_ABOUT",
        "{s} cares about {o}.",
        shape="worry",
        strength=0.8,
    ),
    SYNTAX.rule(
        _BE_OR_NOT + _VERY + r"looking forward to",
        "CARES_ABOUT",
        "{s} looks forward to {o}.",
        shape="worry",
        relation="looks forward to",
        strength=0.6,
    ),
)


# Optional: in "have always been" the verb is one of the adverbs, and "am" is often left out together with "I".
_IS_OR_IS_NOT = r"(?:(?:am|is|are) )?"
_FAN = r"(?:fan|lover|admirer|devotee) of"
_VERY_MUCH = (
    r"(?:so |very |really |quite |pretty |super |absolutely |a bit |a little |terribly |deathly |severely |"
    r"still |also |"
    r"completely |totally |utterly |extremely |deeply |truly |badly |mildly |highly |incredibly |mostly |more ){0,2}"
)
_NOT = r"(?:do|does|did) not "


TASTE_RULES: tuple[Rule, ...] = (
    SYNTAX.rule(
        r"(?:kind of|sort of|kinda|sorta) (?:like|likes|enjoy|enjoys)",
        "PREFERS",
        "{s} kind of likes {o}.",
        strength=0.5,
    ),
    SYNTAX.rule(
        _NOT + r"(?:really |particularly |even |ever |actually |much )?(?:like|enjoy|care for|love|eat|drink|trust|do|"
        r"want to eat|tolerate)|(?:can not|could never|will not) (?:really |ever )?(?:eat|drink|have|do|handle|"
        r"tolerate)",
        "DISLIKES",
        "{s} does not like {o}.",
    ),
    SYNTAX.rule(
        r"never (?:really |much |actually )?(?:liked|enjoyed|cared for|understood the appeal of|got into|eat|"
        r"drink|touch|"
        r"warmed to|been into|been a fan of)",
        "DISLIKES",
        "{s} does not like {o}.",
    ),
    SYNTAX.rule(
        r"(?:hates?(?! to (?:ask|say|admit|bother|break|interrupt|nag|rush|be (?:that|the)))|"
        r"detest|detests|despise|despises|loathe|loathes|abhor|abhors|absolutely can not with)",
        "DISLIKES",
        "{s} hates {o}.",
        strength=0.9,
    ),
    SYNTAX.rule(
        r"(?:can not|could never|can hardly|can barely) (?:stand|bear|tolerate|stomach|deal with|do with|"
        r"handle|abide)",
        "DISLIKES",
        "{s} cannot stand {o}.",
        strength=0.9,
    ),
    SYNTAX.rule(
        r"(?:avoid|avoids|stay away from|stays away from|steer clear of|steers clear of|try to avoid|tries to avoid|"
        r"keep away from|have an aversion to|have no patience for|have no interest in)",
        "DISLIKES",
        "{s} avoids {o}.",
    ),
    SYNTAX.rule(r"(?:love|loves|adore|adores)", "PREFERS", "{s} loves {o}.", strength=0.9),
    SYNTAX.rule(
        r"(?:like|likes|enjoy|enjoys|cherish|cherishes|dig|relish)",
        "PREFERS",
        "{s} "
        r"likes {o}.",
    ),
    SYNTAX.rule(
        _IS_OR_IS_NOT
        + _VERY_MUCH
        + r"(?:into|fond of|keen on|partial to|interested in|big on|an? (?:\w+ )?"
        + _FAN
        + r")",
        "PREFERS",
        "{s} likes {o}.",
    ),
    SYNTAX.rule(r"(?:prefer|prefers|favou?r|favou?rs|tend to prefer)", "PREFERS", "{s} prefers {o}."),
    *GOAL_RULES,
)
