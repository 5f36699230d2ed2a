"""From English words to places, firms, jobs, traits, illnesses, languages, ages and birthdays."""

import re
from typing import Final

from extraction.phrases_en import noun_phrase
from extraction.places_en import PLACE_WORDS_MAX, PLACES
from extraction.rule import Rule
from extraction.words_en import JOBS, MONTHS, NOT_NAMES, PRONOUNS
from extraction.words_life_en import CONDITIONS, LANGUAGES, MORE_JOBS, MORE_TRAITS, PASTIMES
from schema.entity import EntityType

Found = list[tuple[str, EntityType | None]]
_PROPER = re.compile(
    r"^(?:the |a |an |my )?(?P<n>[A-Z][\w'&.-]*(?: (?:of |de |the |and |del |la )?[A-Z][\w'&-]*){0,4})"
)
# After a place's name the clause ends or goes on; "a Harry Potter conference" is no visit to him.
AFTER_PLACE: Final = re.compile(
    r"^(?:$|[,.;!]|'?s? ?$| (?:in|at|for|with|last|this|and|on|when|to|once|before|during|yesterday|today|"
    r"again|as|from|after|because|since|two|three|a (?:few|couple)|which|where|together|by)\b)"
)
# "left Nokia in March", "left Nokia"; "left Tom at home" is no notice.
_AFTER_FIRM = re.compile(
    r"^(?:$|[,.;!]| (?:in (?:[A-Z]\w+|\d+|the)|last|this|after|because|to (?:start|join|become|work|found|go)|back|"
    r"and|when|"
    r"a (?:few|couple|year|month|week)|\w+ (?:years|months|weeks) ago|for (?:a|an|my|[A-Z]\w+)|as)\b)"
)
_SETTLEMENT = re.compile(
    r"^an? (?P<n>(?:[a-z-]+ ){0,3}?(?:village|town|suburb|city|farm|cabin|cottage|houseboat|island|commune|"
    r"neighbou?rhood)"
    r"(?: (?:outside|near|in|south of|north of|west of|east of|close to|by|on)(?: the)? [A-Z][\w-]+(?: "
    r"[A-Z][\w-]+)?)?)"
)
_FIRM_WORDS = re.compile(
    r"\b(?:company|firm|bank|hospital|school|startup|start-up|agency|studio|clinic|store|shop|restaurant|"
    r"university|college|"
    r"museum|newspaper|charity|ngo|nonprofit|non-profit|council|government|ministry|department|factory|hotel|"
    r"airline|cafe|"
    r"bakery|lab|laboratory|library|consultancy|publisher|magazine|airport|pharmacy|gym|salon|farm|warehouse|"
    r"institute|"
    r"foundation|church|supermarket|brewery|theat(?:re|er)|gallery|garage|manufacturer|retailer|provider|chain|"
    r"post office|"
    r"kindergarten|daycare|bookstore|bookshop|office|bar|pub|team|center|centre|plant|org|organi[sz]ation|"
    r"business)\b",
    re.IGNORECASE,
)
_FIRM_END = re.compile(
    r" (?:as|in|on|near|with|for|that|which|and|from|since|where|downtown|now|right|doing|part|full)\b|[,.]"
)
_JOBS = JOBS | MORE_JOBS
_JOB = re.compile(
    r"^(?:(?:an?|the|working as an?) )?(?P<n>[a-z][a-z/ -]{1,40}?)(?: (?:at|in|for|with|from|who|now|and|by|on|"
    r"here|these|last|this|too|before|until|when|but|since|after|of|any ?more|again|full|part) ?.*|[,.]|$)",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(
    r"^(?:the )?(?P<n>(?:[A-Za-z]+ \d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?(?: of)? "
    r"[A-Za-z]+)(?:,? \d{4})?|\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?)"
)
_AGE = re.compile(
    r"(\d{1,3})(?:[ -]years?[ -]old| this year| last \w+| today| in [A-Z]\w+| next \w+| soon| now| and\b|,|\.|$)"
)
_TRAIT = re.compile(
    r"^(?:an? |the )?(?:strict |lifelong |total |single )?(?P<n>[a-z][a-z -]{2,24}?)(?: (?:and|now|since|but|"
    r"so|for|these|by|too|who|any ?more|as well|myself|because|in|from)\b.*|[,.!]|$)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:an? |the |some |really |very |pretty |quite )*(?P<n>(?:[A-Za-z0-9-]+ ){0,3}?(?:"
    + "|".join(sorted(CONDITIONS, key=len, reverse=True))
    + r"))\b",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"\b(?:" + "|".join(LANGUAGES) + r")\b", re.IGNORECASE)
_PASTIME = re.compile(
    r"^(?:the |a |some |a bit of |a little )?(?P<n>(?:[a-z]+ )?(?:"
    + "|".join(sorted(PASTIMES, key=len, reverse=True))
    + r"))\b",
    re.IGNORECASE,
)


def proper(text: str) -> str | None:
    """The name in capitals that a text begins with."""
    found = _PROPER.match(text)
    if found is None or found["n"].split()[0].lower() in NOT_NAMES:
        return None
    return found["n"].rstrip(".'")


def _known(text: str) -> str | None:
    """A well-known place that a text begins with, however it is typed."""
    words = re.findall(r"[A-Za-z]+", text[:60])[:PLACE_WORDS_MAX]
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        if name.lower() in PLACES and text.startswith(name):
            return name if not name.islower() else name.title()
    return None


def place(rule: Rule, text: str) -> Found:
    """A place or, where the rule wants one, an organisation."""
    if rule.object_type is EntityType.ORGANIZATION:
        return workplaces(text)
    return places(text)


def places(text: str) -> Found:
    """The place that a text begins with."""
    name = _known(text) or proper(text)
    if name is None and (found := _SETTLEMENT.match(text)):
        name = found["n"]
    return [(name, EntityType.PLACE)] if name else []


def known_place(_rule: Rule, text: str) -> Found:
    name = _known(text)
    return [(name, EntityType.PLACE)] if name else []


def workplaces(text: str) -> Found:
    """The organisation that a text begins with, by name or by its kind: `Siemens`, `an insurance company`."""
    if name := proper(text):
        return [(name, EntityType.ORGANIZATION)]
    if not re.match(r"(?:an?|the|my|our) ", text):
        return []
    name = noun_phrase(_FIRM_END.split(text)[0])
    fits = name is not None and len(name.split()) <= 4 and _FIRM_WORDS.search(name)
    return [(name, EntityType.ORGANIZATION)] if name and fits else []


def firm(_rule: Rule, text: str) -> Found:
    """What someone left or joined: a name that is no known place."""
    name = proper(text)
    if name is None or name.lower() in PLACES or not _AFTER_FIRM.match(text[text.index(name) + len(name) :]):
        return []
    return [(name, EntityType.ORGANIZATION)]


def address(text: str) -> Found:
    name = re.split(r"[;!?]|\.(?: |$)|,? (?:if|in case|by the way|please)\b", text)[0].strip(" ,")
    return [(name, EntityType.PLACE)] if re.search(r"\d", name) and len(name) <= 60 else []


def jobs(text: str) -> Found:
    """The occupation that a text begins with."""
    found = _JOB.match(text)
    name = re.sub(r"^(?:full|part)[- ]time |^self-employed ", "", found["n"]) if found else ""
    if (
        not name
        or name.split()[0].lower() in PRONOUNS
        or name.split()[-1].lower() not in _JOBS
        or len(name.split()) > 4
    ):
        return []
    return [(name, EntityType.TOPIC)]


def title(_rule: Rule, text: str) -> Found:
    return jobs(text)


def job(_rule: Rule, text: str) -> Found:
    """An occupation with its article: "I am excited to guide" names none."""
    return jobs(text) if re.match(r"(?:an?|the|working as an?) ", text, re.IGNORECASE) else []


def trait(_rule: Rule, text: str) -> Found:
    found = _TRAIT.match(text)
    return [(found["n"], EntityType.TOPIC)] if found and found["n"].lower() in MORE_TRAITS else []


def condition(_rule: Rule, text: str) -> Found:
    """Illnesses that last; a cold or a headache passes."""
    found: Found = []
    for piece in re.split(r",? and |, ", text)[:4]:
        named = _CONDITION.match(piece)
        if named is None:
            break
        found.append((named["n"], EntityType.TOPIC))
    return found


def language(_rule: Rule, text: str) -> Found:
    text = re.split(r" (?:to|with|at|when|because|so|but)\b|[;.]", text)[0]
    found: Found = [(name, EntityType.TOPIC) for name in dict.fromkeys(_LANGUAGE.findall(text))]
    return found[:6]


def pastime(_rule: Rule, text: str) -> Found:
    """An instrument, a sport or a game that someone plays."""
    found = _PASTIME.match(text)
    return [(found["n"], EntityType.ACTIVITY)] if found else []


def age(_rule: Rule, text: str) -> Found:
    found = _AGE.match(text)
    return [(f"{found.group(1)} years old", EntityType.TIME)] if found and 0 < int(found.group(1)) < 120 else []


def birthdays(text: str) -> Found:
    found = _BIRTHDAY.match(text)
    if found is None:
        return []
    words = [word.lower().strip(",") for word in found["n"].split()]
    dated = any(word in MONTHS or re.search(r"\d[-/]\d", word) for word in words)
    return [(found["n"], EntityType.TIME)] if dated else []


def birthday(_rule: Rule, text: str) -> Found:
    return birthdays(text)
