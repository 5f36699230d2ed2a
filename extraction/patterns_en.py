"""English words and patterns that state tastes, fears, plans and worries; what ended comes first."""

from extraction.english_rule import english_rule as _rule
from extraction.rule import Rule
from schema.entity import EntityType

_BE = r"(?:am|is|are|was|were|be)"
_BE_NOW = r"(?:am|is|are)"
_VERY = r"(?:so |very |really |quite |pretty |super |absolutely |a bit |terribly |deathly |severely |still |also ){0,2}"
_NOT = r"(?:do|does|did) not "

TASTE_RULES: tuple[Rule, ...] = (
    # What no longer holds comes first, since the words of what holds are part of it.
    _rule(
        _NOT + r"(?:really )?(?:like|love|enjoy)",
        "PREFERS",
        "{s} no longer likes {o}.",
        closes=True,
        end=r"any ?more\b",
    ),
    _rule(
        _NOT + r"live in",
        "RELATES_TO",
        "{s} no longer lives in {o}.",
        shape="place",
        relation="lives in",
        closes=True,
        end=r"any ?more\b",
    ),
    _rule(
        _NOT + r"work (?:at|for)",
        "RELATES_TO",
        "{s} no longer works at {o}.",
        shape="place",
        relation="works at",
        kind=EntityType.ORGANIZATION,
        closes=True,
        end=r"any ?more\b",
    ),
    _rule(
        r"(?:no longer|not anymore) (?:like|likes|love|loves|enjoy|enjoys)",
        "PREFERS",
        "{s} no longer likes {o}.",
        closes=True,
    ),
    _rule(r"used to (?:like|love|enjoy|adore)", "PREFERS", "{s} used to like {o}.", closes=True),
    _rule(r"(?:stopped liking|fell out of love with)", "PREFERS", "{s} no longer likes {o}.", closes=True),
    _rule(r"used to (?:hate|dislike|fear|avoid)", "DISLIKES", "{s} used to dislike {o}.", closes=True),
    _rule(
        r"no longer (?:hate|hates|dislike|dislikes|avoid|avoids)",
        "DISLIKES",
        "{s} no longer dislikes {o}.",
        closes=True,
    ),
    _rule(
        r"(?:no longer|used to) (?:live|lives) in",
        "RELATES_TO",
        "{s} no longer lives in {o}.",
        shape="place",
        relation="lives in",
        closes=True,
    ),
    _rule(
        r"(?:no longer|used to) (?:work|works) (?:at|for)",
        "RELATES_TO",
        "{s} no longer works at {o}.",
        shape="place",
        relation="works at",
        kind=EntityType.ORGANIZATION,
        closes=True,
    ),
    _rule(
        r"(?:kind of|sort of|kinda|sorta) (?:like|likes|enjoy|enjoys)",
        "PREFERS",
        "{s} kind of likes {o}.",
        strength=0.5,
    ),
    _rule(r"not (?:really )?(?:like|enjoy|care for)", "DISLIKES", "{s} does not like {o}."),
    _rule(
        _NOT + r"(?:really )?(?:like|enjoy|care for|love|eat|drink)|can not (?:eat|drink)",
        "DISLIKES",
        "{s} does not like {o}.",
    ),
    _rule(
        _BE_NOW + r" not (?:really )?(?:into|fond of|a (?:big |huge )?fan of|keen on)",
        "DISLIKES",
        "{s} does not like {o}.",
    ),
    _rule(r"(?:hate|hates|detest|detests|despise|despises|loathe|loathes)", "DISLIKES", "{s} hates {o}.", strength=0.9),
    _rule(r"(?:can not|cannot) (?:stand|bear|tolerate)", "DISLIKES", "{s} cannot stand {o}.", strength=0.9),
    _rule(r"(?:dislike|dislikes)", "DISLIKES", "{s} dislikes {o}."),
    _rule(
        r"(?:avoid|avoids|stay away from|stays away from|try to avoid|tries to avoid)", "DISLIKES", "{s} avoids {o}."
    ),
    _rule(_BE_NOW + " " + _VERY + r"allergic to", "DISLIKES", "{s} is allergic to {o}.", strength=0.95),
    _rule(r"have an allergy to", "DISLIKES", "{s} is allergic to {o}.", strength=0.95),
    _rule(
        _BE_NOW + " " + _VERY + r"(?:afraid|scared|terrified|frightened) of",
        "DISLIKES",
        "{s} is afraid of {o}.",
        strength=0.8,
    ),
    _rule(r"(?:fear|fears)", "DISLIKES", "{s} is afraid of {o}.", strength=0.8),
    _rule(r"(?:love|loves|adore|adores)", "PREFERS", "{s} loves {o}.", strength=0.9),
    _rule(r"always (?:loved|adored)", "PREFERS", "{s} loves {o}.", strength=0.9),
    _rule(
        _BE_NOW + " " + _VERY + r"(?:passionate about|crazy about|obsessed with|in love with|addicted to)",
        "PREFERS",
        "{s} loves {o}.",
        strength=0.9,
    ),
    _rule(r"(?:like|likes|enjoy|enjoys)", "PREFERS", "{s} likes {o}."),
    _rule(
        _BE_NOW + " " + _VERY + r"(?:into|fond of|keen on|interested in|a (?:big |huge |great )?(?:fan|lover) of)",
        "PREFERS",
        "{s} likes {o}.",
    ),
    _rule(r"(?:prefer|prefers)", "PREFERS", "{s} prefers {o}."),
    _rule(
        r"(?:want|wants|hope|hopes|plan|plans|intend|intends|aim|aims|aspires|decided|resolved) to",
        "CARES_ABOUT",
        "{s} wants to {o}.",
        shape="goal",
        relation="plan",
    ),
    _rule(
        _BE_NOW + r" (?:planning|hoping|trying|determined|saving up|training) to",
        "CARES_ABOUT",
        "{s} plans to {o}.",
        shape="goal",
        relation="plan",
    ),
    # "I would love to": only what lasts.
    _rule(r"aspire to", "CARES_ABOUT", "{s} would like to {o}.", shape="wish", relation="plan"),
    _rule(r"(?:dream|dreams) (?:of|about)", "CARES_ABOUT", "{s} dreams of {o}.", shape="worry", relation="dream"),
    _rule(
        r"(?:promised|promise|vowed)(?: (?:my|his|her) \w+(?: \w+)?| myself| myself| him| her| them)? to",
        "CARES_ABOUT",
        "{s} promised to {o}.",
        shape="goal",
        relation="promise",
    ),
    _rule(
        _BE_NOW + " " + _VERY + r"(?:worried|concerned|anxious|nervous) about",
        "CARES_ABOUT",
        "{s} worries about {o}.",
        shape="worry",
        relation="worry",
    ),
    _rule(r"(?:worry|worries) about", "CARES_ABOUT", "{s} worries about {o}.", shape="worry", relation="worry"),
    _rule(
        r"(?:care|cares) (?:a lot |deeply |so much |very much )?about",
        "CARES_ABOUT",
        "{s} cares about {o}.",
        shape="worry",
        strength=0.8,
    ),
    _rule(
        _BE_NOW + " " + _VERY + r"looking forward to",
        "CARES_ABOUT",
        "{s} looks forward to {o}.",
        shape="worry",
        relation="looks forward to",
        strength=0.6,
    ),
)
