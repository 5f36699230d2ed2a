"""Facts that several English frames state, such as "lives in", and patterns of the names and amounts in them."""

from typing import Final

from extraction.rules.en.frames import (
    States,
    medicines,
    positions,
    possessions,
    proper_name,
    read_allergens,
    read_brand,
    read_exact,
    read_firms,
    read_one_thing,
    read_places,
    read_plain_medicines,
    read_product,
    read_things,
    read_workplaces,
)
from extraction.rules.en.word_classes import DOSE, MEDICINE, SOFTWARE_NAME
from extraction.text.lexicon_en import KIN_PATTERN
from schema.entity import EntityType

PERSON: Final = EntityType.PERSON
ORG: Final = EntityType.ORGANIZATION
PLACE: Final = EntityType.PLACE
TOPIC: Final = EntityType.TOPIC
NAME: Final = r"(?-i:(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w'-]*[a-z](?: [A-Z][\w'-]*[a-z])?)"
PROPER: Final = r"(?-i:[A-Z][\w'&.+-]*(?: (?:(?:of|the|de|and|la|del) )?[A-Z\d][\w'&+-]*){0,3})"
RELATIVE: Final = rf"(?:{KIN_PATTERN}|family|kids?|children)"
# "switched from Spotify to" and "moved our mail from Gmail to"; who "moved from Berlin to Lisbon", or moved a relative,
# changed homes.
SWITCHED_FROM: Final = (
    rf"(?:(?:switched|changed|migrated|gone over|went over|jumped|defected|ported)(?: (?:over|across|us|everything|"
    rf"(?:my|our|the) \w+))?|moved(?: over| across)?(?= from {SOFTWARE_NAME}\b)|"
    rf"moved (?:everything|(?:my|our|the) (?!{RELATIVE}\b)\w+)(?: over| across)?) from (?P<old>{PROPER}) (?:over )?to"
)
MED: Final = rf"(?:{DOSE} (?:of )?)?(?:the |my |a |some )?(?:[a-z]+ )?{MEDICINE}"

LIVES: Final = States(says="{s} lives in {o}.", relation="lives in", read=read_places, kind=PLACE)
WORKS_AT: Final = States(says="{s} works at {o}.", relation="works at", read=read_workplaces, kind=ORG)
WORKS_AS: Final = States(says="{s} works as {o}.", relation="works as", group="j", read=positions, kind=TOPIC)
NO_LONGER_WORKS_AT: Final = States(
    says="{s} no longer works at {o}.", relation="works at", group="old", read=read_firms, kind=ORG, closes=True
)
PARTNER: Final = States(says="{o} is {s}'s partner.", relation="partner", read=proper_name(PERSON), kind=PERSON)
KIN_IS: Final = States(says="{o} is {s}'s {r}.", relation="=r", read=proper_name(PERSON), kind=PERSON)
HAS: Final = States(says="{s} has {o}.", relation="has", read=possessions)
NO_LONGER_HAS: Final = States(says="{s} no longer has {o}.", relation="has", group="old", read=possessions, closes=True)
HAS_TOPIC: Final = States(says="{s} has {o}.", relation="has", read=read_exact, kind=TOPIC)
TAKES: Final = States(says="{s} takes {o}.", relation="takes", read=medicines, kind=TOPIC)
NO_LONGER_TAKES: Final = States(
    says="{s} no longer takes {o}.", relation="takes", group="old", read=read_plain_medicines, kind=TOPIC, closes=True
)
ALLERGIC: Final = States(says="{s} is allergic to {o}.", predicate="DISLIKES", read=read_things, strength=0.95)
CANNOT_HAVE: Final = States(says="{s} cannot have {o}.", predicate="DISLIKES", read=read_allergens, strength=0.95)
LIKES: Final = States(says="{s} likes {o}.", predicate="PREFERS", read=read_one_thing)
PREFERS: Final = States(says="{s} prefers {o}.", predicate="PREFERS", read=read_one_thing)
NOT_LIKES: Final = States(says="{s} does not like {o}.", predicate="DISLIKES", read=read_one_thing)
NO_LONGER_LIKES: Final = States(
    says="{s} no longer likes {o}.", predicate="PREFERS", group="old", read=read_one_thing, closes=True
)
USES: Final = States(says="{s} uses {o}.", relation="uses", read=read_brand)
NO_LONGER_USES: Final = States(
    says="{s} no longer uses {o}.", relation="uses", group="old", read=read_brand, closes=True
)
PRODUCT_IS: Final = States(says="{s}'s {r} is {o}.", relation="=r", read=read_product)
