"""English words and patterns that state lasting facts; read by `rules_en`."""

import re

from extraction.rule import Rule, Shape
from schema.entity import EntityType

# Bounded and separated by single spaces: nothing here can be matched in two ways.
_ADVERB = (
    r"(?:(?:really|also|just|absolutely|still|always|particularly|especially|truly|totally|definitely|actually|"
    r"personally|do|does|both|all|have|has|had|been|simply|honestly|generally|usually|often|now|currently|recently|"
    r"finally|already|even|so|eventually|secretly|deeply|genuinely|happily|since|originally|very|much|once) ){0,4}"
)


def _rule(
    pattern: str,
    predicate: str,
    says: str,
    *,
    shape: Shape = "things",
    relation: str | None = None,
    kind: EntityType | None = None,
    strength: float = 0.7,
    closes: bool = False,
    end: str = "",
) -> Rule:
    return Rule(
        pattern=re.compile(_ADVERB + pattern + (rf" (?P<o>.+?) {end}" if end else " (?P<o>.+)"), re.IGNORECASE),
        predicate=predicate,
        says=says,
        shape=shape,
        relation=relation,
        object_type=kind,
        strength=strength,
        closes=closes,
    )


_BE = r"(?:am|is|are|was|were|be)"
_BE_NOW = r"(?:am|is|are)"
_VERY = r"(?:so |very |really |quite |pretty |super |absolutely |a bit |terribly |deathly |severely |still |also ){0,2}"
_NOT = r"(?:do|does|did) not "

RULES: tuple[Rule, ...] = (
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
    _rule(_NOT + r"(?:really )?(?:like|enjoy|care for|love|eat|drink)", "DISLIKES", "{s} does not like {o}."),
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
    _rule(
        r"(?:live|lives|living|am living|is living|settled) in",
        "RELATES_TO",
        "{s} lives in {o}.",
        shape="place",
        relation="lives in",
    ),
    _rule(
        r"(?:moved|relocated)(?: back| over| here)? (?:from .{1,40}? )?to",
        "RELATES_TO",
        "{s} lives in {o}.",
        shape="place",
        relation="lives in",
    ),
    _rule(
        _BE_NOW + r" (?:originally )?from|comes? from|grew up in",
        "RELATES_TO",
        "{s} is from {o}.",
        shape="place",
        relation="is from",
    ),
    _rule(_BE + r" born on", "RELATES_TO", "{s} was born on {o}.", shape="birthday", relation="born on"),
    _rule(_BE + r" born in", "RELATES_TO", "{s} was born in {o}.", shape="place", relation="born in"),
    _rule(
        r"(?:work|works|working|am working|is working|got a job|started working|start working) (?:at|for)",
        "RELATES_TO",
        "{s} works at {o}.",
        shape="place",
        relation="works at",
        kind=EntityType.ORGANIZATION,
    ),
    _rule(
        r"(?:work|works|working|am working|is working|started working|got a job) as",
        "RELATES_TO",
        "{s} works as {o}.",
        shape="job",
        relation="works as",
    ),
    _rule(
        r"(?:study|studies|am studying|is studying|go to school|goes to school)(?: \w+(?: \w+)?)? at",
        "RELATES_TO",
        "{s} studies at {o}.",
        shape="place",
        relation="studies at",
        kind=EntityType.ORGANIZATION,
    ),
    _rule(
        r"(?:study|studies|am studying|is studying|major in|majors in|am learning|is learning|am majoring in)",
        "RELATES_TO",
        "{s} studies {o}.",
        relation="studies",
        kind=EntityType.TOPIC,
    ),
    _rule(
        r"(?:am|is|got) (?:married|engaged) to",
        "RELATES_TO",
        "{s} is married to {o}.",
        shape="person",
        relation="married to",
    ),
    _rule(r"married", "RELATES_TO", "{s} is married to {o}.", shape="person", relation="married to"),
    _rule(r"(?:am|is|just turned|turned)(?= \d{1,3}\b)", "RELATES_TO", "{s} is {o}.", shape="age", relation="has age"),
    _rule(r"(?:am|is) (?:called|named)", "RELATES_TO", "{s} is named {o}.", shape="named", relation="is named"),
    _rule(
        r"(?:have|has|own|owns|got|adopted|bought|raise|raises|raised|keep|keeps|rescued)",
        "RELATES_TO",
        "{s} has {o}.",
        shape="pet",
        relation="has",
    ),
    _rule(
        r"(?:received|got|was given|was gifted|redeemed)",
        "RELATES_TO",
        "{s} has {o}.",
        shape="gift",
        relation="has",
        strength=0.6,
    ),
    _rule(
        r"(?:watched|saw|seen|finished watching|am watching|is watching)",
        "RELATES_TO",
        "{s} watched {o}.",
        shape="named",
        relation="watched",
        kind=EntityType.WORK,
        strength=0.6,
    ),
    _rule(
        r"(?:read|reads|am reading|is reading|finished reading|finished)",
        "RELATES_TO",
        "{s} read {o}.",
        shape="named",
        relation="read",
        kind=EntityType.WORK,
        strength=0.6,
    ),
    _rule(
        r"(?:visited|traveled to|travelled to|took a trip to|went on a trip to|toured|went to|been to)",
        "RELATES_TO",
        "{s} visited {o}.",
        shape="named",
        relation="visited",
        kind=EntityType.PLACE,
        strength=0.6,
    ),
    _rule(
        r"won(?: [a-z]+){0,4}? (?:in|at)",
        "RELATES_TO",
        "{s} won a prize in {o}.",
        shape="event",
        relation="won",
        kind=EntityType.ACTIVITY,
        strength=0.6,
    ),
    _rule(
        r"(?:participated|took part|competed|performed) (?:in|at)",
        "RELATES_TO",
        "{s} took part in {o}.",
        shape="event",
        relation="took part in",
        kind=EntityType.ACTIVITY,
        strength=0.6,
    ),
    _rule(
        r"attended",
        "RELATES_TO",
        "{s} took part in {o}.",
        shape="event",
        relation="took part in",
        kind=EntityType.ACTIVITY,
        strength=0.6,
    ),
    _rule(_BE_NOW, "RELATES_TO", "{s} works as {o}.", shape="job", relation="works as", strength=0.8),
)
