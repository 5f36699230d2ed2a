"""Frames for what people mention in passing: former homes and work, habits given up, ways to work, ambitions."""

from dataclasses import replace
from typing import Final

from extraction.rules.en.frames import (
    NUMBER,
    Frame,
    States,
    after,
    positions,
    read_age,
    read_known_places,
    read_places,
    read_workplaces,
)
from extraction.rules.en.statements import (
    LIVES,
    NO_LONGER_LIVES,
    NO_LONGER_WORKS_AS,
    NO_LONGER_WORKS_AT,
    PROPER,
)
from extraction.rules.engine import ObjectPhrase
from schema.entity import EntityType

_STOP: Final = r"(?=$|[,.;!)]| (?:and|but|or|so|for|now|at|in|on|with|since|until|till|when|because|as|every|like)\b)"
_OFTEN: Final = "(?:(?:usually|always|normally|generally|mostly) )?"
_VEHICLES: Final = {"cycle": "bike", "drive": "car", "walk": "foot"}


def _ambition(text: str) -> list[ObjectPhrase]:
    """Return an ambition: "become an astronaut"; none for "become a better person"."""
    found = positions(text)[:1]
    return [ObjectPhrase(f"become {_article(one.name)} {one.name}", EntityType.ACTIVITY) for one in found]


def _article(name: str) -> str:
    return "an" if name[0].lower() in "aeiou" else "a"


def _vehicle(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(_VEHICLES.get(text.lower(), text.lower()), None)]


_VICE: Final = {"smoke": "smoking", "vape": "vaping", "gamble": "gambling"}


def _vice(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(_VICE[text.lower()], EntityType.ACTIVITY)]


_NO_LONGER_DOES: Final = States(
    says="{s} has given up {o}.", predicate="PREFERS", read=_vice, kind=EntityType.ACTIVITY, closes=True
)
_WANTS_TO: Final = States(
    says="{s} wants to {o}.", predicate="CARES_ABOUT", relation="goal", read=_ambition, kind=EntityType.ACTIVITY
)

_LIVED: Final = replace(NO_LONGER_LIVES, read=lambda text: read_known_places(text) or read_places(text))
_WORKED_AT: Final = replace(NO_LONGER_WORKS_AT, read=read_workplaces)
_HAS_AGE: Final = States(says="{s} is {o}.", relation="has age", read=read_age, kind=EntityType.TIME)
_COMMUTES: Final = States(says="{s} commutes by {o}.", relation="commutes by", read=_vehicle)

HOUSEHOLD: Final[tuple[Frame, ...]] = (
    # "I lived in Lyon from 2018 to 2021", but not "I have lived in Lyon since 2018"
    after(
        r"(?<!have )(?<!has )(?<!always )(?<!never )(?<!ever )lived in (?!.*\bsince\b)(?P<old>[^,;]+)",
        _LIVED,
    ),
    # "I worked at Bosch until 2017", "My grandfather was a miner"
    after(r"(?<!have )(?<!has )(?<!always )(?<!never )(?<!ever )worked (?:at|for) (?P<old>(?-i:[A-Z]).+)", _WORKED_AT),
    after(r"was (?P<was>an? .+)", NO_LONGER_WORKS_AS),
    # "We moved the family from Leeds to York"
    after(
        rf"moved (?:(?:the|my|our) (?:whole )?family )?from (?P<old>{PROPER}) (?:over |down |up )?to (?P<o>{PROPER})",
        LIVES,
        NO_LONGER_LIVES,
    ),
    after(rf"(?:turns|turning|is turning|will be turning) (?P<o>\d{{1,3}}|{NUMBER})\b", _HAS_AGE),
    after(
        rf"{_OFTEN}(?:(?:take|get|catch)(?:es|s)? the (?=[bftms]))?(?P<o>bus|train|tram|metro|tube|subway|ferry|cycle|"
        r"bike|drive|walk)s? to (?:work|school|uni|the office|college)\b",
        _COMMUTES,
    ),
    # "I used to smoke a pack a day"
    after(
        rf"used to (?P<o>smoke|vape|gamble)(?: (?:a pack|a lot|heavily|like a chimney|\w+ (?:a|per) day).*)?{_STOP}",
        _NO_LONGER_DOES,
    ),
    # "My son wants to be an astronaut"
    after(
        r"(?:wants?|hopes?|(?:has |have )?always wanted|dreams?|is dreaming|am dreaming)(?: to be(?:come)?| of "
        r"(?:being|becoming)) (?P<o>an? .+)",
        _WANTS_TO,
    ),
)
