"""English rules for home, work, study, age, possessions and experiences."""

from extraction.rules.en.syntax import SYNTAX
from extraction.rules.engine import Rule
from schema.entity import EntityType

_BE = r"(?:am|is|are|was|were|be)"
_BE_NOW = r"(?:am|is|are)"


LIFE_RULES: tuple[Rule, ...] = (
    SYNTAX.rule(
        r"(?:live|lives|living|am living|is living|are living|(?:have|has) lived|settled|am settled|"
        r"reside|resides|am based|is based|"
        r"are based|based|am located|am staying) (?:just |right )?(?:in|near|outside|at)",
        "RELATES_TO",
        "{s} lives in {o}.",
        shape="place",
        relation="lives in",
    ),
    SYNTAX.rule(
        r"(?:moved|relocated|emigrated|immigrated)(?: back| over| here| out| in)? ?(?:from "
        r".{1,40}? )?to",
        "RELATES_TO",
        "{s} lives in {o}.",
        shape="place",
        relation="lives in",
    ),
    SYNTAX.rule(
        r"(?:work|works|working|am working|is working|are working|(?:have|has) worked|got a job|"
        r"landed a job|started working|start working|started (?:a|my) (?:new )?(?:job|position|role)|"
        r"(?:have|has|got) a (?:new )?job|am employed|is employed|(?:was|got|been) hired|intern|"
        r"interns|interning|am interning|freelance|volunteer|volunteers|"
        r"(?:do|does) [a-z ]{3,30}?) (?:at|for|by)",
        "RELATES_TO",
        "{s} works at {o}.",
        shape="workplace",
        relation="works at",
        kind=EntityType.ORGANIZATION,
    ),
    SYNTAX.rule(
        r"(?:study|studies|am studying|is studying|studying|major in|majors in|am learning|is learning|learning|"
        r"started learning|started studying|am majoring in|majoring in|am (?:doing|getting|finishing|pursuing) "
        r"(?:my|an?) "
        r"(?:phd|ph\.d\.?|master'?s?|bachelor'?s?|degree|doctorate|mba)(?: degree)? in|"
        r"take (?:classes|lessons|courses) in)(?! for\b)",
        "RELATES_TO",
        "{s} studies {o}.",
        relation="studies",
        kind=EntityType.TOPIC,
    ),
    SYNTAX.rule(
        r"(?:play|plays)",
        "RELATES_TO",
        "{s} plays {o}.",
        shape="pastime",
        relation="plays",
        kind=EntityType.ACTIVITY,
    ),
    SYNTAX.rule(
        r"(?:am|is|are|have been|has been)",
        "RELATES_TO",
        "{s} is {o}.",
        shape="trait",
        relation="is",
    ),
    SYNTAX.rule(
        r"(?:have|has|own|owns|got|have got|has got|adopted|bought|raise|raises|raised|keep|keeps|rescued|"
        r"drive|drives|"
        r"run|runs|co-own|opened|founded|co-founded|started|manage|foster|am raising|are raising)",
        "RELATES_TO",
        "{s} has {o}.",
        shape="pet",
        relation="has",
    ),
    SYNTAX.rule(
        r"(?:visited|traveled to|travelled to|took a trip to|went on a trip to|toured|went to|been to)",
        "RELATES_TO",
        "{s} visited {o}.",
        shape="named",
        relation="visited",
        kind=EntityType.PLACE,
        strength=0.6,
    ),
    SYNTAX.rule(
        r"(?:participated|took part|competed|performed) (?:in|at)",
        "RELATES_TO",
        "{s} took part in {o}.",
        shape="event",
        relation="took part in",
        kind=EntityType.ACTIVITY,
        strength=0.6,
    ),
    SYNTAX.rule(_BE_NOW, "RELATES_TO", "{s} works as {o}.", shape="job", relation="works as", strength=0.8),
)
