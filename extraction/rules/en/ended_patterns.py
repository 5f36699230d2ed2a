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
        _NOT + r"(?:hate|dislike|fear|mind|avoid)|"
        r"(?:am|is|are) not (?:really )?(?:afraid of|scared of|terrified of|allergic to|bothered by)",
        "DISLIKES",
        "{s} no longer dislikes {o}.",
        closes=True,
        end=_NOW,
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
        r"(?:no longer (?:have|has|own|owns)|used to (?:have|own)|sold|got rid of|had to give away)",
        "RELATES_TO",
        "{s} no longer has {o}.",
        shape="pet",
        relation="has",
        closes=True,
    ),
)
