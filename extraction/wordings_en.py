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
CAUSE = re.compile(
    r"^(?:my |his |her |the )?(?P<o>[a-z][a-z -]{2,40}?) (?:is|was|are|were) (?:mostly |mainly |probably "
    r")?(?:caused by|due to) (?P<c>.+)",
    re.IGNORECASE,
)
GIVES = re.compile(
    r"^(?P<c>[a-z][a-z' -]{2,40}?) (?:always )?(?:triggers?|gives? me|causes?|brings? on) (?:my "
    r")?(?P<o>migraines?|headaches?|insomnia|allerg(?:y|ies)|asthma|anxiety|stress|nightmares|heartburn|"
    r"rash(?:es)?)\b",
    re.IGNORECASE,
)
OWN = re.compile(
    r"\b(?:my|his|her) (?:newly adopted |new |pet |own )(?P<o>[a-z]+)\b|\b(?:my|his|her) (?P<c>[a-z]+ collection)\b",
    re.IGNORECASE,
)
NAME_IS = re.compile(
    r"^(?:[Mm]y (?:full |first )?name is|(?:[Pp]lease |[Yy]ou can )?[Cc]all me|[Pp]eople call me|I am(?= "
    r"[A-Z][a-z]+(?: [A-Z][a-z]+)?(?:[,.!]|$))) (?P<o>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
)
KIN_WORDS = "|".join(sorted(KIN, key=len, reverse=True))
NAME = r"[A-Z][\w-]*[a-z]\w*(?: [A-Z][a-z]\w*)?"
KIN_NAMED = re.compile(
    r"(?P<p>\b[Mm]y|\b[Hh]is|\b[Hh]er|[A-Z][\w-]+['’]s) (?:[a-z-]+ ){0,2}?(?P<k>"
    + KIN_WORDS
    + r"|[a-z]+ (?:"
    + KIN_WORDS
    + r")),?"
    r"(?: is (?:called|named)| name is|'s name is| named| called)? (?P<n>" + NAME + r")"
)
PET_NAMED = re.compile(
    r"(?P<p>\b[Mm]y|\b[Hh]is|\b[Hh]er|\b[Aa]n?) (?:[a-z-]+ ){0,2}?(?P<k>"
    + "|".join(sorted(PETS, key=len, reverse=True))
    + r"),? (?:is )?(?:named |called )?(?P<n>"
    + NAME
    + r")"
)
IS_KIN = re.compile(r"^(?P<n>" + NAME + r") is (?P<p>my|his|her) (?P<k>(?:[a-z-]+ )?(?:" + KIN_WORDS + r"))\b")
