"""English wordings beside plain subject, verb and object: favourites, names, relatives, triggers and causes."""

import re

from extraction.words_en import KIN, PETS

FAVORITE_IS = re.compile(
    r"^(?:my|his|her) (?:all[- ]time |absolute |most )?(?:favou?rite)(?P<c>(?: [a-z-]+){0,3}) (?:is|are|"
    r"was|were|has always been|would be) (?P<o>.+)",
    re.IGNORECASE,
)
FAVORITE = re.compile(
    r"\b(?P<p>my|his|her) (?:most |absolute |all-time )?(?:favou?rite|beloved) (?P<o>[^.!?]+)", re.IGNORECASE
)
EMOTION = re.compile(
    r"^(?P<o>[a-z][a-z' -]{2,40}?) (?:always|usually|never fails to|still) (?:makes? (?:me|him|her) "
    r"(?:feel )?(?P<e>[a-z]+)|"
    r"(?P<v>scares|frightens|terrifies|annoys|saddens|calms|relaxes|cheers|stresses|upsets) (?:me|him|her)\b)",
    re.IGNORECASE,
)
OWN = re.compile(
    r"\b(?:my|his|her) (?:newly adopted |new |pet |own )(?P<o>[a-z]+)\b|\b(?:my|his|her) (?P<c>[a-z]+ collection)\b",
    re.IGNORECASE,
)
NAME_IS = re.compile(
    r"^(?:[Mm]y (?:full |first |real )?name is|(?:[Pp]lease |[Yy]ou can |[Jj]ust )?[Cc]all me|"
    r"(?:[Pp]eople|[Ff]riends|[Mm]y friends|[Ee]veryone) (?:just )?calls? me|I go by|I am(?= "
    r"[A-Z][a-z]+(?: [A-Z][a-z]+)?(?:[,.!]|$))) (?P<o>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
)
KIN_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
_PET_WORDS = "|".join(sorted(PETS, key=len, reverse=True))
_MINE = r"\b[Mm]y|\b[Oo]ur|\b[Hh]is|\b[Hh]er"
NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w-]*[a-z]\w*(?: [A-Z][a-z]\w*)?"
# Where the words say that a name follows, it may be typed small.
_CALLED = r"(?:,? (?:is |who is )?(?:called|named)|(?:'s|s'| ) ?name is)"
KIN_NAMED = re.compile(
    r"(?P<p>"
    + _MINE
    + r"|[A-Z][\w-]+['’]s|\b[Aa]n?) (?:[a-z-]+ ){0,2}?(?P<k>"
    + KIN_WORDS
    + r"|[a-z]+ (?:"
    + KIN_WORDS
    + r"))(?:"
    + _CALLED
    + r" (?P<n>"
    + NAME
    + r"|[a-z]{3,12}\b)|,? (?:is |)(?P<n2>"
    + NAME
    + r"))"
)
PET_NAMED = re.compile(
    r"(?P<p>"
    + _MINE
    + r"|\b[Aa]n?) (?:[a-z-]+ ){0,2}?(?P<k>"
    + _PET_WORDS
    + r")(?:"
    + _CALLED
    + r" (?P<n>"
    + NAME
    + r"|[a-z]{3,12}\b)|,? (?P<n2>"
    + NAME
    + r"))"
)
IS_KIN = re.compile(
    r"^(?P<n>"
    + NAME
    + r")(?: is|'s|,) (?P<p>my|our|his|her) (?P<k>(?:[a-z-]+ ){0,2}?(?:"
    + KIN_WORDS
    + "|"
    + _PET_WORDS
    + r"))\b"
)
# "My kids are called Mia and Noah", "my sisters Ana, Eva and Lu"
KIN_LIST = re.compile(
    r"(?P<p>"
    + _MINE
    + r") (?:[a-z-]+ ){0,2}?(?P<k>kids|children|sons|daughters|sisters|brothers|twins|friends|parents|"
    r"grandparents|cousins|roommates|cats|dogs|kittens|puppies),?(?: are)?(?: called| named)?,? "
    r"(?P<n>" + NAME + r"(?:, " + NAME + r"){0,4},? (?:and|&) " + NAME + r")"
)
NAMED_BY_ME = re.compile(
    r"\b(?:named|called|call|christened) (?P<p>my|our) (?:[a-z-]+ ){0,2}?(?P<k>"
    + KIN_WORDS
    + "|"
    + _PET_WORDS
    + r") (?P<n>"
    + NAME
    + r")"
)
