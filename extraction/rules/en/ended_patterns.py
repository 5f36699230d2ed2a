"""English rules for facts that ended: former tastes, homes, work, habits and possessions."""

from extraction.rules.en.syntax import SYNTAX
from extraction.rules.engine import Rule
from schema.entity import EntityType

_NOT = r"(?:do|does|did) not "
_NOW = r"any ?(?:more|longer)\b"
_LIKE = r"(?:like|likes|love|loves|enjoy|enjoys|eat|eats|drink|drinks|smoke|smokes|play|plays|watch|watches|use|uses)"

ENDED_RULES: tuple[Rule, ...] = (
    SYNTAX.rule(
        _NOT + r"(?:really )?(?:like|love|enjoy|eat|drink|smoke|watch|use)",
        "PREFERS",
        "{s} no longer likes {o}.",
        closes=True,
        end=_NOW,
    ),
    SYNTAX.rule(
        _NOT + r"live in",
        "RELATES_TO",
        "{s} no longer lives in {o}.",
        shape="place",
        relation="lives in",
        closes=True,
        end=_NOW,
    ),
    SYNTAX.rule(
        _NOT + r"work (?:at|for)",
        "RELATES_TO",
        "{s} no longer works at {o}.",
        shape="workplace",
        relation="works at",
        kind=EntityType.ORGANIZATION,
        closes=True,
        end=_NOW,
    ),
    SYNTAX.rule(
        _NOT + r"(?:have|own)",
        "RELATES_TO",
        "{s} no longer has {o}.",
        shape="pet",
        relation="has",
        closes=True,
        end=_NOW,
    ),
    SYNTAX.rule(
        _NOT + r"(?:hate|dislike|fear|mind|avoid)|"
        r"(?:am|is|are) not (?:really )?(?:afraid of|scared of|terrified of|allergic to|bothered by)",
        "DISLIKES",
        "{s} no longer dislikes {o}.",
        closes=True,
        end=_NOW,
    ),
    SYNTAX.rule(
        r"(?:am|is|are) not (?:really )?(?:into|a fan of|fond of|interested in)",
        "PREFERS",
        "{s} no longer likes {o}.",
        closes=True,
        end=_NOW,
    ),
    SYNTAX.rule(
        r"(?:am|is|are) not",
        "RELATES_TO",
        "{s} is no longer {o}.",
        shape="trait",
        relation="is",
        closes=True,
        end=_NOW,
    ),
    SYNTAX.rule(
        r"(?:am|is|are) not",
        "RELATES_TO",
        "{s} no longer works as {o}.",
        shape="job",
        relation="works as",
        closes=True,
        end=_NOW,
    ),
    SYNTAX.rule(
        r"(?:am|is|are) no longer (?:afraid of|scared of|allergic to)|(?:got|am|is) over (?:my|his|her) fear of|"
        r"(?:overcame|conquered|lost) (?:my|his|her) fear of|"
        r"no longer (?:hate|hates|dislike|dislikes|avoid|avoids|fear|fears|mind|minds)",
        "DISLIKES",
        "{s} no longer dislikes {o}.",
        closes=True,
    ),
    SYNTAX.rule(
        r"used to (?:really |absolutely )?(?:like|love|enjoy|adore|be (?:really |so |totally )?(?:into|obsessed with|"
        r"crazy about|addicted to|a (?:big |huge )?fan of))",
        "PREFERS",
        "{s} used to like {o}.",
        closes=True,
    ),
    SYNTAX.rule(
        rf"(?:(?:no longer|not anymore) {_LIKE}|"
        r"stopped (?:liking|eating|drinking|enjoying|using|watching|smoking|playing|buying|listening to)|"
        r"fell out of love with|(?:have |has )?(?:gone|went) off|lost (?:all |my |his |her )?interest in|grew out of|"
        r"outgrew|(?:got|have gotten|grew|am|is) (?:so )?(?:tired|bored|sick) of|(?:am|is) (?:so |totally )?over|"
        r"cut out|(?:swore|sworn) off|(?:gave|given|have given) up(?! (?:on|my|the)\b)|am done with|kicked|"
        r"quit(?! (?:my|the|his|her|our|a|at|in|on|to|working)\b))",
        "PREFERS",
        "{s} no longer likes {o}.",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:used to|once) (?:really |absolutely )?(?:hate|hated|dislike|fear|feared|avoid|detest|be (?:afraid|"
        r"scared|"
        r"terrified) of|be allergic to)",
        "DISLIKES",
        "{s} used to dislike {o}.",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:moved (?:away from|out of)|left)(?= (?-i:[A-Z]))",
        "RELATES_TO",
        "{s} no longer lives in {o}.",
        shape="known place",
        relation="lives in",
        closes=True,
    ),
    SYNTAX.rule(
        r"moved (?:away from|out of)|(?:no longer|used to) (?:live|lives) (?:in|near|at)",
        "RELATES_TO",
        "{s} no longer lives in {o}.",
        shape="place",
        relation="lives in",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:no longer|used to) (?:work|works) (?:at|for)|(?:left|quit|lost) (?:my|his|her) (?:old )?(?:job|"
        r"position|role)"
        r" (?:at|with)|(?:resigned|retired) from|(?:got|was) (?:laid off|fired|let go) (?:from|by)|"
        r"stopped working (?:at|for)|quit working (?:at|for)",
        "RELATES_TO",
        "{s} no longer works at {o}.",
        shape="workplace",
        relation="works at",
        kind=EntityType.ORGANIZATION,
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:left|quit)(?= (?-i:[A-Z]))",
        "RELATES_TO",
        "{s} no longer works at {o}.",
        shape="firm",
        relation="works at",
        kind=EntityType.ORGANIZATION,
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:used to|once) (?:be|work as)|was once|stopped (?:being|working as)|quit (?:being|working as)|"
        r"(?:am|is|are) no longer",
        "RELATES_TO",
        "{s} no longer works as {o}.",
        shape="job",
        relation="works as",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:used to be|(?:am|is|are) no longer|stopped being)",
        "RELATES_TO",
        "{s} is no longer {o}.",
        shape="trait",
        relation="is",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:used to|no longer) study(?: [a-z]+)? at",
        "RELATES_TO",
        "{s} no longer studies at {o}.",
        shape="place",
        relation="studies at",
        kind=EntityType.ORGANIZATION,
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:no longer (?:have|has|own|owns)|used to (?:have|own)|sold|got rid of|had to give away)",
        "RELATES_TO",
        "{s} no longer has {o}.",
        shape="pet",
        relation="has",
        closes=True,
    ),
    SYNTAX.rule(
        r"(?:used to|no longer) play(?:s)?",
        "RELATES_TO",
        "{s} no longer plays {o}.",
        shape="pastime",
        relation="plays",
        closes=True,
    ),
)
