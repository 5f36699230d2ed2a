"""Frames for what people mention in passing: former homes and work, habits given up, ways to work, ambitions."""

from typing import Final

from extraction.rules.en.frames import (
    NUMBER,
    Frame,
    States,
    after,
    positions,
    read_age,
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


_WANTS_TO: Final = States(
    says="{s} wants to {o}.", predicate="CARES_ABOUT", relation="goal", read=_ambition, kind=EntityType.ACTIVITY
)

_HAS_AGE: Final = States(says="{s} is {o}.", relation="has age", read=read_age, kind=EntityType.TIME)

HOUSEHOLD: Final[tuple[Frame, ...]] = (
    # "I lived in Lyon from 2018 to 2021", but not "I have lived in Lyon since 2018"
    # "I worked at Bosch until 2017", "My grandfather was a miner"
    # "We moved the family from Leeds to York"
    after(rf"(?:turns|turning|is turning|will be turning) (?P<o>\d{{1,3}}|{NUMBER})\b", _HAS_AGE),
    # "I used to smoke a pack a day"
    # "My son wants to be an astronaut"
    after(
        r"(?:wants?|hopes?|(?:has |have )?always wanted|dreams?|is dreaming|am dreaming)(?: to be(?:come)?| of "
        r"(?:being|becoming)) (?P<o>an? .+)",
        _WANTS_TO,
    ),
)
