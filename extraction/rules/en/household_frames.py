"""Frames for what people mention in passing: habits given up, fields of work, ambitions, teams."""

from dataclasses import replace
from typing import Final

from extraction.rules.en.frames import (
    NUMBER,
    Frame,
    States,
    after,
    clause_frame,
    positions,
    read_age,
    read_exact,
    read_known_places,
    read_places,
    read_workplaces,
)
from extraction.rules.en.phrases import things
from extraction.rules.en.statements import (
    LIVES,
    NO_LONGER_LIVES,
    NO_LONGER_USES,
    NO_LONGER_WORKS_AS,
    NO_LONGER_WORKS_AT,
    ORG,
    PROPER,
    TOPIC,
    USES,
    WORKS_AT,
)
from extraction.rules.en.word_classes import any_of
from extraction.rules.engine import ObjectPhrase
from schema.entity import EntityType

_STOP: Final = r"(?=$|[,.;!)]| (?:and|but|or|so|for|now|at|in|on|with|since|until|till|when|because|as|every|like)\b)"
_FIELD: Final = any_of(
    "insurance|finance|banking|retail|marketing|advertising|it|tech|hr|human resources|logistics|hospitality|catering|"
    "construction|publishing|education|healthcare|health care|social care|childcare|real estate|property|sales|"
    "tourism|fashion|film|tv|television|media|pharma|biotech|telecoms|manufacturing|farming|forestry|security|"
    "recruitment|procurement|politics|academia|customer service|customer support|the civil service|the nhs|shipping|"
    "aviation|oil|mining|accounting|accounts|admin|compliance|journalism|law|theatre|radio|events|care"
)
_SERVICES: Final = (
    "bank|gym|broadband|internet|internet provider|provider|electricity|gas|energy|energy supplier|supplier|insurer|"
    "insurance|car insurance|home insurance|health insurance|supermarket|phone network|mobile network|network|carrier|"
    "browser|editor|ide|framework|database|email client|calendar app|notes app|music app|operating system|os|pharmacy|"
    "airline|mobile provider|phone provider|pension|pension provider|streaming service|delivery service|search engine"
)
_OFTEN: Final = "(?:(?:usually|always|normally|generally|mostly) )?"
_PAY: Final = r"(?:about |around |roughly )?[£$€]?\d[\d.,]*k?"
_VEHICLES: Final = {"cycle": "bike", "drive": "car", "walk": "foot"}
_VICE: Final = {"smoke": "smoking", "vape": "vaping", "drink": "drinking", "gamble": "gambling"}


def _vice(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(_VICE[text.lower()], EntityType.ACTIVITY)]


def _ambition(text: str) -> list[ObjectPhrase]:
    """Return an ambition: "become an astronaut"; none for "become a better person"."""
    found = positions(text)[:1]
    return [ObjectPhrase(f"become {_article(one.name)} {one.name}", EntityType.ACTIVITY) for one in found]


def _article(name: str) -> str:
    return "an" if name[0].lower() in "aeiou" else "a"


def _instrument(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(name, EntityType.ACTIVITY) for name in things(text)[:1]]


def _vehicle(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(_VEHICLES.get(text.lower(), text.lower()), None)]


_NO_LONGER_DOES: Final = States(
    says="{s} has given up {o}.", predicate="PREFERS", read=_vice, kind=EntityType.ACTIVITY, closes=True
)
_WORKS_IN: Final = States(says="{s} works in {o}.", relation="works in", read=read_exact, kind=TOPIC)
_WANTS_TO: Final = States(
    says="{s} wants to {o}.", predicate="CARES_ABOUT", relation="goal", read=_ambition, kind=EntityType.ACTIVITY
)
_PLAYS_FOR: Final = States(says="{s} plays for {o}.", relation="plays for", read=read_exact, kind=ORG)
_LEARNS: Final = States(says="{s} learns {o}.", relation="learns", read=_instrument)

_LIVED: Final = replace(NO_LONGER_LIVES, read=lambda text: read_known_places(text) or read_places(text))
_WORKED_AT: Final = replace(NO_LONGER_WORKS_AT, read=read_workplaces)
_HAS_AGE: Final = States(says="{s} is {o}.", relation="has age", read=read_age, kind=EntityType.TIME)
_WAKES: Final = States(says="{s} gets up at {o}.", relation="wakes up at", read=read_exact, kind=EntityType.TIME)
_COMMUTES: Final = States(says="{s} commutes by {o}.", relation="commutes by", read=_vehicle)
_GRADE_IS: Final = States(says="{s} is in {o}.", relation="grade", read=read_exact)
_EARNS: Final = States(says="{s} earns {o}.", relation="earns", read=read_exact)
_TIME: Final = (
    r"(?:about |around |half past |quarter (?:past|to) )?(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|o'clock)?|one|two|three|"
    r"four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|dawn)"
)
_GRADE: Final = (
    r"(?:(?:year|grade|class|form|primary) ?(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)|"
    r"(?:the )?(?:[a-z]{4,8}th|\d{1,2}th|first|1st|second|2nd|third|3rd) (?:grade|form)|"
    r"reception|nursery|kindergarten|preschool|primary school|secondary school|high school|sixth form)"
)

HOUSEHOLD: Final[tuple[Frame, ...]] = (
    # "I lived in Lyon from 2018 to 2021", but not "I have lived in Lyon since 2018"
    after(
        r"(?<!have )(?<!has )(?<!always )(?<!never )(?<!ever )lived in (?!.*\bsince\b)(?P<old>[^,;]+)",
        _LIVED,
    ),
    # "I worked at Bosch until 2017", "My grandfather was a miner"
    after(r"(?<!have )(?<!has )(?<!always )(?<!never )(?<!ever )worked (?:at|for) (?P<old>(?-i:[A-Z]).+)", _WORKED_AT),
    after(r"was (?P<was>an? .+)", NO_LONGER_WORKS_AS),
    # "I joined the design team at Harbourline"
    after(rf"joined (?:the |their )?(?:[a-z]+ ){{0,3}}(?:team|department|desk) at (?P<o>{PROPER})", WORKS_AT),
    # "We moved the family from Leeds to York"
    after(
        rf"moved (?:(?:the|my|our) (?:whole )?family )?from (?P<old>{PROPER}) (?:over |down |up )?to (?P<o>{PROPER})",
        LIVES,
        NO_LONGER_LIVES,
    ),
    after(rf"(?:turns|turning|is turning|will be turning) (?P<o>\d{{1,3}}|{NUMBER})\b", _HAS_AGE),
    # "I usually get up at six", "I take the bus to work", "My daughter is in year 5", "I take home 2,400 a month"
    after(rf"{_OFTEN}(?:get|wake)s? up (?:early )?at (?P<o>{_TIME}){_STOP}", _WAKES),
    after(
        rf"{_OFTEN}(?:(?:take|get|catch)(?:es|s)? the (?=[bftms]))?(?P<o>bus|train|tram|metro|tube|subway|ferry|cycle|"
        r"bike|drive|walk)s? to (?:work|school|uni|the office|college)\b",
        _COMMUTES,
    ),
    after(rf"(?:am|is|are|(?:just |has |have )?started) (?:now |already )?(?:in )?(?P<o>{_GRADE}){_STOP}", _GRADE_IS),
    after(
        rf"(?:earn|make|clear|take home|takes home|bring home)s? (?P<o>{_PAY} (?:a|per) (?:hour|week|month|year))",
        _EARNS,
    ),
    # "I used to smoke a pack a day"
    after(
        rf"used to (?P<o>smoke|vape|gamble)(?: (?:a pack|a lot|heavily|like a chimney|\w+ (?:a|per) day).*)?{_STOP}",
        _NO_LONGER_DOES,
    ),
    # "My sister works in insurance"
    after(
        rf"(?:works?|working|am working|is working|have worked|has worked)(?: (?:mostly|mainly|part-time|full-time))? "
        rf"in (?P<o>{_FIELD}){_STOP}",
        _WORKS_IN,
    ),
    # "My son wants to be an astronaut"
    after(
        r"(?:wants?|hopes?|(?:has |have )?always wanted|dreams?|is dreaming|am dreaming)(?: to be(?:come)?| of "
        r"(?:being|becoming)) (?P<o>an? .+)",
        _WANTS_TO,
    ),
    # "Daan plays for Ajax"
    after(
        rf"(?:plays?|playing|am playing|is playing|rows?|skates?)(?: \w+)? for (?P<o>{PROPER}|an? "
        rf"[\w' -]{{2,30}}?(?:team|club|side|league)\b(?! (?:team|side)))",
        _PLAYS_FOR,
    ),
    # "I'm 52 and learning the cello"
    after(
        r"(?:am|is) .{1,30}?,? and (?:currently |now |still |just |also )*(?:learning|teaching myself)(?: to play)? "
        r"(?P<o>(?:the )?[a-z]+)" + _STOP,
        _LEARNS,
    ),
    # "We swapped broadband from TalkSafe to Zenlink"
    after(
        rf"(?:swapped|switched|changed|moved|transferred) (?:(?:my|our|the) )?(?:{_SERVICES})(?: (?:provider|"
        rf"supplier|contract|deal|plan))? from (?P<old>{PROPER}) (?:over )?to (?P<o>{PROPER})",
        USES,
        NO_LONGER_USES,
    ),
    # "not at the council any more"
    clause_frame(
        r"^(?:I am |I'm )?(?:not|no longer) (?:at|working at|working for) "
        r"(?P<old>(?:the )?[A-Za-z][\w&' -]{2,40}?)(?: any ?more| any longer| now| these days)(?=$|[,.;!])",
        NO_LONGER_WORKS_AT,
    ),
    # "retired to a bungalow near Skegness"
    after(
        r"(?:(?:have|has|just|finally) )*(?:retired|emigrated|moved out) to (?P<o>[A-Z].+|an? (?:[a-z-]+ ){0,2}"
        r"(?:bungalow|cottage|flat|village|farm|house|caravan|boat|town)\b.*)",
        LIVES,
    ),
)
