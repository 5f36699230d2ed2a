"""Reject English facts that the mood, the subject or the object of their clause speaks against."""

import re
from typing import Final

from extraction.reader import THE_USER
from extraction.rules.en.word_classes import SOFTWARE
from extraction.rules.engine import Clause, Draft
from extraction.text.lexicon_en import DEMONYMS, KIN, MANY_KIN, PETS, word_set
from schema.entity import EntityType
from schema.predicates import TASTES

# "Our cat Smudge needs insulin": the user takes none.
_OF_PET: Final = re.compile(rf"(?:[Mm]y|[Oo]ur|[Tt]he) (?:[a-z-]+ ){{0,2}}?(?:{'|'.join(sorted(PETS))})\b")
# "I rented a flat in Leeds for a year" is over.
_STAYED: Final = re.compile(
    r"(?:am |is |are )?(?:staying|stays|stay|living)\b.{3,60}\b(?:until|till)\b|"
    r"(?:rented|shared|stayed|had|owned|lodged|was|were)\b.{3,60}\bfor (?:an?|[a-z]+|\d+) (?:and a half )?(?:years?|"
    r"months?|weeks?|terms?)\b"
)
# What a clause about the past says was so then, not now: "When I was twelve we moved to Cardiff".
_LIFE: Final = ("lives in", "works at", "works as", "studies at", "studies", "has age", "is")
_OF_THEN: Final = frozenset((*_LIFE, "has", "uses", "takes", "plays", "drives"))
# "I never drink coffee after four" says nothing of coffee in the morning.
_AT_TIMES: Final = re.compile(
    r"(?:never|do not|does not|rarely|hardly ever) (?:eat|drink|smoke|have|use)\b.* (?:after|before|during|at night|"
    r"on (?:week|mon|tues|"
    r"wednes|thurs|fri|satur|sun)|in the (?:morning|afternoon|evening))"
)
# "My sister can't stand my cooking" says nothing of other cooking.
_OF_MINE: Final = re.compile(r"(?:[a-z]+ ){0,4}?(?:stand|like|love|hate|enjoy|dislike|adore|prefer)s? (?:my|our) ")
# "I'd rather eat my hat" is a figure of speech.
_FIGURE: Final = re.compile(
    r"(?:rather|prefer|prefer to|sooner) (?:eat|chew|swallow|lick|die|starve|poke|stick|gouge|pull|set fire to|"
    r"watch paint) "
)
# "I like option B", "I really like line 3", "the green in this palette": about what is being worked on.
_AT_HAND: Final = re.compile(
    r"(?:line|option|version|variant|paragraph|sentence|slide|draft|verse|chapter|section|step|design|column|row) "
    r"(?:[A-Z]|\d+|one|two|three|four|five|six)\b"
)
_OF_THIS: Final = re.compile(
    r"\b(?:in|of|on|from) (?:this|that|your|the (?:first|second|third|last|new|current)) (?:palette|picture|image|"
    r"photo|draft|text|version|chart|graph|design|layout|code|sentence|paragraph|letter|mail|email|poem|story|slide|"
    r"table|logo|answer|reply|list|plan|summary|title|ending|translation)\b"
)
# "I work with a guy called Rafael" names a person, no employer.
_WITH_SOMEBODY: Final = re.compile(
    r"\b(?:with|for|under|alongside) (?:an? |this |some )?(?:[a-z]+ )?(?:guy|man|woman|girl|lady|bloke|chap|person|"
    r"colleague|someone|somebody|lad|dude|fellow)\b"
)
# "I like them light and silent" says how something is liked that was named before.
_AS_SUCH: Final = re.compile(r"(?:[a-z]+ ){0,3}?(?:like|love|prefer|enjoy|hate)s? (?:them|it|him|her)\b")
# "Got into Durham to read law" is about a university.
_ADMITTED: Final = re.compile(
    r"(?:just |finally |only just )?(?:got|gets|getting|has got) into (?P<o>.{2,40}?) to (?:read|study|do)\b"
)
# Words at the beginning or the end of an object that show a clause, a request or a particle rather than a thing.
_NO_FIRST_WORD: Final = word_set(
    "no nobody everybody everyone somebody someone anybody anyone nothing everything no-one out up off back over away "
    "welcome thanks please"
)
_NO_LAST_WORD: Final = word_set("welcome please thanks pls plz cheers appreciated sadly unfortunately lol haha though")
# "My dentist is basically my best friend" is about a person, "my dentist is on Friday" about an appointment.
_ROLES: Final = word_set("dentist doctor gp optician hairdresser physio")
_ROLE_IS: Final = re.compile(
    r"(?:[A-Za-z,]+ ){0,4}?(?:[Mm]y|[Oo]ur|[Tt]he) [a-z]+ (?:is|was|has|says|said|thinks|told|wants|keeps|seems) "
    r"(?!(?:on|at|in|next|this|tomorrow|today|booked|moved|been moved|the \d|\d)\b)"
)


def may_be_stored(clause: Clause, one: Draft) -> bool:
    """Return whether a fact may be stored; a clause about the past may only end facts and name people."""
    if one.predicate in TASTES and not one.closes and _is_no_taste(clause, one):
        return False
    if _is_no_thing(one) or (one.relation == "plan" and _is_no_plan(clause, one)):
        return False
    if one.relation == "takes" and one.subject == THE_USER and _OF_PET.match(clause.text):
        return False
    if one.object.partition("-")[0] in DEMONYMS and (one.relation in KIN or one.object_type is EntityType.PERSON):
        return False
    if _repeats_relative(clause, one):
        return False
    if one.relation == "works at" and not one.closes and _WITH_SOMEBODY.search(clause.rest):
        return False
    if one.relation == "uses" and one.subject.isupper() and "moved from" in clause.text:
        # "CI moved from GitLab to GitHub Actions" is about a system, which has no facts of a person.
        return False
    if one.relation == "lives in" and (one.object in SOFTWARE or (not one.closes and _STAYED.match(clause.rest))):
        # "We moved from Slack to Teams"
        return False
    if one.relation == "has age" and one.subject in MANY_KIN:
        # "My kids are 4 and 7" states two ages.
        return False
    return not clause.past or one.closes or (one.predicate == "RELATES_TO" and one.relation not in _OF_THEN)


def _is_no_taste(clause: Clause, one: Draft) -> bool:
    """Return whether a clause states no lasting taste: one limited in time, about one's own things, or figurative."""
    own = one.subject != THE_USER and _OF_MINE.match(clause.rest) is not None
    if _AT_HAND.search(clause.rest) or _OF_THIS.search(clause.rest) or _AS_SUCH.match(clause.rest):
        return True
    if own or _AT_TIMES.match(clause.rest) or _FIGURE.search(clause.text):
        return True
    admitted = _ADMITTED.match(clause.rest)
    return admitted is not None and one.object in admitted["o"]


def _repeats_relative(clause: Clause, one: Draft) -> bool:
    """Return whether another fact says the same about a named relative better.

    "My foster parents, Alan and Trudy" makes each of them a parent; "I have a twin brother, Callum" makes Callum the
    brother.
    """
    if (one.relation or "").split(" ")[-1] in MANY_KIN and one.object != one.relation:
        return True
    last = one.object.split(" ")[-1]
    named = re.search(rf"{re.escape(one.object)},? (?:called |named )?[A-Z]", clause.text) is not None
    return one.relation == "has" and last in KIN and last not in MANY_KIN and named


def _is_no_thing(one: Draft) -> bool:
    """Return whether an object is part of a clause, a request or a particle: "nobody shouts", "tips welcome"."""
    words = one.object.lower().split()
    if not words or (len(words) > 1 and words[-1] in _NO_LAST_WORD):
        return True
    return words[0] in _NO_FIRST_WORD and one.predicate != "CAUSED_BY"


def _is_no_plan(clause: Clause, one: Draft) -> bool:
    return one.object.lower() in _ROLES and _ROLE_IS.match(clause.text) is not None
