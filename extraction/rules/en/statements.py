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
    read_known_places,
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
NO_LONGER_LIVES: Final = States(
    says="{s} no longer lives in {o}.",
    relation="lives in",
    group="old",
    read=read_known_places,
    kind=PLACE,
    closes=True,
)
WORKS_AT: Final = States(says="{s} works at {o}.", relation="works at", read=read_workplaces, kind=ORG)
WORKS_AS: Final = States(says="{s} works as {o}.", relation="works as", group="j", read=positions, kind=TOPIC)
NO_LONGER_WORKS_AT: Final = States(
    says="{s} no longer works at {o}.", relation="works at", group="old", read=read_firms, kind=ORG, closes=True
)
NO_LONGER_WORKS_AS: Final = States(
    says="{s} no longer works as {o}.", relation="works as", group="was", read=positions, kind=TOPIC, closes=True
)
STUDIES_AT: Final = States(says="{s} studies at {o}.", relation="studies at", read=proper_name(ORG), kind=ORG)
PARTNER: Final = States(says="{o} is {s}'s partner.", relation="partner", read=proper_name(PERSON), kind=PERSON)
NO_LONGER_PARTNER: Final = States(
    says="{o} is no longer {s}'s partner.", relation="partner", read=read_exact, kind=PERSON, closes=True
)
ENGAGED: Final = States(says="{s} is engaged to {o}.", relation="engaged to", read=proper_name(PERSON), kind=PERSON)
MARRIED: Final = States(says="{s} is married to {o}.", relation="married to", read=proper_name(PERSON), kind=PERSON)
KIN_IS: Final = States(says="{o} is {s}'s {r}.", relation="=r", read=proper_name(PERSON), kind=PERSON)
HAS: Final = States(says="{s} has {o}.", relation="has", read=possessions)
NO_LONGER_HAS: Final = States(says="{s} no longer has {o}.", relation="has", group="old", read=possessions, closes=True)
HAS_TOPIC: Final = States(says="{s} has {o}.", relation="has", read=read_exact, kind=TOPIC)
IS_TOPIC: Final = States(says="{s} is {o}.", relation="is", read=read_exact, kind=TOPIC)
TAKES: Final = States(says="{s} takes {o}.", relation="takes", read=medicines, kind=TOPIC)
NO_LONGER_TAKES: Final = States(
    says="{s} no longer takes {o}.", relation="takes", group="old", read=read_plain_medicines, kind=TOPIC, closes=True
)
ALLERGIC: Final = States(says="{s} is allergic to {o}.", predicate="DISLIKES", read=read_things, strength=0.95)
REACTS: Final = States(says="{s} is allergic to {o}.", predicate="DISLIKES", read=read_allergens, strength=0.95)
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
