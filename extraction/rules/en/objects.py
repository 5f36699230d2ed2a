"""Extract objects after an English verb phrase by the shape of the rule."""

import re
from collections.abc import Callable
from typing import Final

from extraction.rules.en.phrases import noun_phrase, quoted_title, things, verb_phrase
from extraction.rules.en.word_classes import NO_NOUN_NEXT
from extraction.rules.engine import ObjectPhrase, Rule, Shape
from extraction.text.lexicon_en import (
    CONDITIONS,
    EVENTS,
    JOBS,
    LANGUAGES,
    LASTING_GOALS,
    LIFE_GOALS,
    MONTHS,
    MORE_JOBS,
    MORE_OWNABLE,
    MORE_TRAITS,
    NOT_NAMES,
    OWNABLE,
    PASTIMES,
    PETS,
    PRONOUNS,
    word_set,
)
from schema.entity import EntityType
from schema.predicates import TASTES

# Countries, states and large cities, to distinguish places from organisations, also in lower case.

_NAMES: Final = """
afghanistan|albania|algeria|argentina|armenia|australia|austria|bangladesh|belgium|bolivia|brazil|bulgaria|cambodia|
cameroon|canada|chile|china|colombia|costa rica|croatia|cuba|cyprus|czechia|denmark|ecuador|egypt|england|estonia|
ethiopia|finland|france|georgia|germany|ghana|greece|guatemala|hong kong|hungary|iceland|india|indonesia|iran|iraq|
ireland|israel|italy|jamaica|japan|jordan|kazakhstan|kenya|korea|south korea|kuwait|laos|latvia|lebanon|lithuania|
luxembourg|malaysia|malta|mexico|mongolia|morocco|myanmar|nepal|netherlands|the netherlands|new zealand|nigeria|norway|
pakistan|panama|peru|philippines|the philippines|poland|portugal|qatar|romania|russia|saudi arabia|scotland|senegal|
serbia|singapore|slovakia|slovenia|south africa|spain|sri lanka|sweden|switzerland|syria|taiwan|tanzania|thailand|
tunisia|turkey|uganda|ukraine|uruguay|the uk|uk|usa|the us|the usa|the united states|venezuela|vietnam|wales|zambia|
alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|hawaii|idaho|illinois|indiana|iowa|
kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|
new hampshire|new jersey|new mexico|north carolina|ohio|oklahoma|oregon|pennsylvania|south carolina|tennessee|texas|
utah|vermont|virginia|wisconsin|wyoming|ontario|quebec|british columbia|alberta|queensland|tuscany|bavaria|catalonia|
amsterdam|ankara|antwerp|athens|atlanta|auckland|austin|baltimore|bangalore|bangkok|barcelona|basel|beijing|belfast|
belgrade|bergen|berlin|bern|birmingham|bogota|bologna|bordeaux|boston|brisbane|bristol|brooklyn|brussels|bucharest|
budapest|buenos aires|cairo|calgary|cambridge|cape town|caracas|cardiff|charlotte|chengdu|chennai|chicago|cincinnati|
cleveland|cologne|columbus|copenhagen|dallas|delhi|denver|detroit|dhaka|doha|dresden|dubai|dublin|durban|edinburgh|
florence|frankfurt|geneva|genoa|ghent|glasgow|gothenburg|granada|guangzhou|hamburg|hangzhou|hanoi|havana|helsinki|
houston|istanbul|jakarta|jerusalem|johannesburg|karachi|kathmandu|kiev|kyiv|krakow|kyoto|lagos|lahore|las vegas|leeds|
leipzig|lima|lisbon|liverpool|ljubljana|london|los angeles|la|lyon|madrid|malaga|manchester|manila|marrakech|marseille|
melbourne|memphis|mexico city|miami|milan|milwaukee|minneapolis|montreal|moscow|mumbai|munich|nairobi|naples|nashville|
new delhi|new orleans|new york|new york city|nyc|nice|nottingham|orlando|osaka|oslo|ottawa|oxford|palermo|paris|perth|
philadelphia|phoenix|pittsburgh|portland|porto|prague|pune|reykjavik|riga|rio|rio de janeiro|rome|rotterdam|sacramento|
salt lake city|san antonio|san diego|san francisco|san jose|santiago|sao paulo|sarajevo|seattle|seoul|seville|shanghai|
sheffield|shenzhen|sofia|stockholm|stuttgart|sydney|taipei|tallinn|tampa|tel aviv|the hague|tokyo|toronto|toulouse|
turin|utrecht|valencia|vancouver|venice|verona|vienna|vilnius|warsaw|washington|wellington|york|zagreb|zurich
"""
PLACES: Final = frozenset(name.strip() for name in _NAMES.replace("\n", "").split("|"))
PLACE_WORDS_MAX: Final = 3


# Patterns of places, organisations, jobs, traits, illnesses, languages, ages and birthdays

_PROPER = re.compile(
    r"^(?:the |a |an |my )?(?P<n>[A-Z][\w'&.-]*(?: (?:of |de |the |and |& |del |la )?[A-Z][\w'&-]*){0,4})"
)
# Allowed after the name of a place; excludes "visited a Harry Potter conference".
AFTER_PLACE: Final = re.compile(
    r"^(?:$|[,.;!]|'?s? ?$| (?:in|at|for|with|last|this|and|on|when|to|once|before|during|yesterday|today|"
    r"again|as|from|after|because|since|two|three|a (?:few|couple)|which|where|together|by)\b)"
)
# Allowed after the name of an organisation: "left Nokia in March", but not "left Tom at home".
_AFTER_FIRM = re.compile(
    r"^(?:$|[,.;!]| (?:in (?:[A-Z]\w+|\d+|the)|last|this|after|because|to (?:start|join|become|work|found|go)|back|"
    r"and|when|"
    r"a (?:few|couple|year|month|week)|\w+ (?:years|months|weeks) ago|for (?:a|an|my|[A-Z]\w+)|as)\b)"
)
_SETTLEMENT = re.compile(
    r"^an? (?P<n>(?:[a-z-]+ ){0,3}?(?:village|town|suburb|city|farm|farmhouse|bungalow|smallholding|croft|cabin|"
    r"cottage|houseboat|island|commune|"
    r"neighbou?rhood)"
    r"(?: (?:outside|near|in|south of|north of|west of|east of|close to|by|on)(?: the)? [A-Z][\w-]+(?: "
    r"[A-Z][\w-]+)?)?)"
)
_FIRM_WORDS = re.compile(
    r"\b(?:company|firm|brokerage|stall|bank|hospital|school|startup|start-up|agency|studio|clinic|store|shop|restaurant|"
    r"university|college|"
    r"museum|newspaper|charity|ngo|nonprofit|non-profit|council|government|ministry|department|factory|hotel|"
    r"airline|cafe|"
    r"bakery|lab|laboratory|library|consultancy|publisher|magazine|airport|pharmacy|gym|salon|farm|warehouse|"
    r"institute|"
    r"foundation|church|supermarket|brewery|theat(?:re|er)|gallery|garage|manufacturer|retailer|provider|chain|"
    r"post office|"
    r"kindergarten|daycare|bookstore|bookshop|office|bar|pub|team|center|centre|plant|org|organi[sz]ation|"
    r"business|brigade|police|force|navy|army|railway|orchestra|credit union|insurer|hospice|zoo|aquarium)\b",
    re.IGNORECASE,
)
_FIRM_END = re.compile(
    r" (?:as|in|on|near|with|for|that|which|and|from|since|where|when|while|because|before|after|until|till|though|"
    r"but|so|downtown|now|right|doing|part|full|is|are|was|were|"
    r"will|has|have)\b|[,.]"
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
    r"^(?:an? |the |some |really |very |pretty |quite |got )*(?P<n>(?:[A-Za-z0-9-]+ ){0,3}?(?:"
    + "|".join(sorted(CONDITIONS, key=len, reverse=True))
    + rf"))\b{NO_NOUN_NEXT}",
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
    """Return the capitalised name that a text begins with."""
    found = _PROPER.match(text)
    if found is None or found["n"].split()[0].lower() in NOT_NAMES:
        return None
    return found["n"].rstrip(".'")


def _known_place_at(text: str) -> str | None:
    """Return the well-known place that a text begins with, in upper or lower case."""
    words = re.findall(r"[A-Za-z]+", text[:60])[:PLACE_WORDS_MAX]
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        if name.lower() in PLACES and text.startswith(name):
            return name if not name.islower() else name.title()
    return None


def place(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return a place, or an organisation if the rule asks for one."""
    if rule.object_type is EntityType.ORGANIZATION:
        return workplaces(text)
    return places(text)


def places(text: str) -> list[ObjectPhrase]:
    """Return the place that a text begins with."""
    name = _known_place_at(text) or proper(text)
    if name is None and (found := _SETTLEMENT.match(text)):
        name = found["n"]
    return [ObjectPhrase(name, EntityType.PLACE)] if name else []


def known_place(_rule: Rule, text: str) -> list[ObjectPhrase]:
    name = _known_place_at(text)
    return [ObjectPhrase(name, EntityType.PLACE)] if name else []


# "A smaller brokerage called Harbourline", "the design team at Harbourline".
_KIND_OF_FIRM = re.compile(
    r"^(?:an?|the|this) (?:[a-z-]+ ){1,3}(?:called|named) (?=[A-Z])|^(?:an?|the|their) (?:[a-z-]+ ){1,3}?(?:team|"
    r"department|office|branch) (?:at|of) (?=[A-Z])"
)
# "An EV startup": this describes a firm and is not its name.
_NAME_OF_KIND = re.compile(r"^an? [A-Z][\w&-]*(?: [a-z][a-z-]*){1,3}")


def workplaces(text: str) -> list[ObjectPhrase]:
    """Return the organisation that a text begins with, by name or kind: `Siemens`, `an insurance company`."""
    text = _KIND_OF_FIRM.sub("", text)
    name = proper(text)
    of_kind = _NAME_OF_KIND.match(_FIRM_END.split(text)[0]) is not None
    if name and not of_kind and not text.startswith(f"{name}'s "):
        return [ObjectPhrase(name, EntityType.ORGANIZATION)]
    if not re.match(r"(?:an?|the|my|our) ", text):
        return []
    name = noun_phrase(_FIRM_END.split(text)[0])
    fits = name is not None and len(name.split()) <= 4 and _FIRM_WORDS.search(name)
    return [ObjectPhrase(name, EntityType.ORGANIZATION)] if name and fits else []


def firm(_rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return the organisation that someone left or joined: a name that is not a known place."""
    name = proper(text)
    if name is None or name.lower() in PLACES or not _AFTER_FIRM.match(text[text.index(name) + len(name) :]):
        return []
    return [ObjectPhrase(name, EntityType.ORGANIZATION)]


def address(text: str) -> list[ObjectPhrase]:
    name = re.split(r"[;!?]|\.(?: |$)|,? (?:if|in case|by the way|please)\b", text)[0].strip(" ,")
    return [ObjectPhrase(name, EntityType.PLACE)] if re.search(r"\d", name) and len(name) <= 60 else []


def jobs(text: str) -> list[ObjectPhrase]:
    """Return the occupation that a text begins with; empty if there is none."""
    found = _JOB.match(text)
    name = re.sub(r"^(?:full|part)[- ]time |^self-employed ", "", found["n"]) if found else ""
    if (
        not name
        or name.split()[0].lower() in PRONOUNS
        or re.search(r"\bresident of [A-Z]", text)
        or name.split()[-1].lower() not in _JOBS
        or len(name.split()) > 4
    ):
        return []
    return [ObjectPhrase(name, EntityType.TOPIC)]


def title(_rule: Rule, text: str) -> list[ObjectPhrase]:
    return jobs(text)


def job(_rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return an occupation after an article; there is none in "I am excited to guide"."""
    return jobs(text) if re.match(r"(?:an?|the|working as an?) ", text, re.IGNORECASE) else []


def trait(_rule: Rule, text: str) -> list[ObjectPhrase]:
    found = _TRAIT.match(text)
    return [ObjectPhrase(found["n"], EntityType.TOPIC)] if found and found["n"].lower() in MORE_TRAITS else []


def condition(_rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return lasting illnesses, not a cold or a headache."""
    found: list[ObjectPhrase] = []
    for piece in re.split(r",? and |, ", text)[:4]:
        named = _CONDITION.match(piece)
        if named is None:
            break
        found.append(ObjectPhrase(named["n"], EntityType.TOPIC))
    return found


def language(_rule: Rule, text: str) -> list[ObjectPhrase]:
    text = re.split(r" (?:to|with|at|when|because|so|but)\b|[;.]", text)[0]
    names = dict.fromkeys(_LANGUAGE.findall(text))
    return [ObjectPhrase(name, EntityType.TOPIC) for name in names][:6]


def pastime(_rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return an instrument, a sport or a game that someone plays."""
    found = _PASTIME.match(text)
    return [ObjectPhrase(found["n"], EntityType.ACTIVITY)] if found else []


def age(_rule: Rule, text: str) -> list[ObjectPhrase]:
    found = _AGE.match(text)
    return (
        [ObjectPhrase(f"{found.group(1)} years old", EntityType.TIME)]
        if found and 0 < int(found.group(1)) < 100
        else []
    )


def birthdays(text: str) -> list[ObjectPhrase]:
    found = _BIRTHDAY.match(text)
    if found is None:
        return []
    words = [word.lower().strip(",") for word in found["n"].split()]
    dated = any(word in MONTHS or re.search(r"\d[-/]\d", word) for word in words)
    return [ObjectPhrase(found["n"], EntityType.TIME)] if dated else []


def birthday(_rule: Rule, text: str) -> list[ObjectPhrase]:
    return birthdays(text)


_MARKED_WORK = re.compile(
    r"^(?:the |a )?(?:movie|film|show|series|book|novel|anime|documentary|play|musical) (?:called |named )?"
    r"(?P<n>[A-Z][\w'-]*(?: (?:of |the |and |in |a )?[A-Z][\w'-]*){0,5})"
)
_COUNT = re.compile(
    r"^(?:(?:a|an|one|two|three|four|five|six|several|many|some|little|cute|new|pet|big|small|black|white|"
    r"old|lovely|adorable|my|the|own) ){0,4}"
)
_OWNED = PETS | OWNABLE | MORE_OWNABLE
_GIFT = re.compile(
    r"^(?P<n>.{3,70}?)(?: as (?:a|an) .{0,30}(?:gift|present|reward|prize)| from | through )",
    re.IGNORECASE,
)
_EVENT = re.compile(r"^(?P<n>.{3,80}?)(?: and | with | at | on |[.,;]|$)", re.IGNORECASE)
_FOODS = word_set(
    "tea coffee chocolate cake pizza sushi bread cheese rice noodles pasta soup salad fruit apples "
    "bananas peanuts seafood "
    "shellfish milk toast cream food chicken beef pork fish ramen curry cookies wine beer juice spinach "
    "mushrooms cilantro "
    "strawberries mango eggs nuts dumplings tofu gluten shrimp dairy steak"
)
AT_HAND = re.compile(r"(?:all |both |to be )?(?:the|an?|this|that|these|those) ", re.IGNORECASE)
LASTING_THE = re.compile(
    r"the (?:[A-Z]|(?:ocean|sea|beach|mountains?|outdoors|rain|snow|sun|sunsets?|piano|guitar|violin|"
    r"drums|cello|theat(?:er|re)|"
    r"cold|heat|dark|water|country|countryside|city|gym|opera|desert|forest|woods)\b|(?:smell|sound|taste|"
    r"color|colour) (?:of )?[a-z]+)"
)
_JOURNEY = re.compile(
    r"^(?:an? |our |my |the |another )?(?P<n>(?:[a-z]+ ){0,2}(?:trip|journey|move|visit|vacation|holiday|tour|"
    r"cruise|flight|"
    r"pilgrimage|party|hike) (?:to|for|around|through|across|in) (?:the )?[A-Z]\w+(?: [A-Z]\w+)*)"
)
_LARGE = re.compile(
    r"(?:write|buy|build|start|open|run|launch|found|finish|join|design|get|do|make|have|go on) (?:an?|my|our|"
    r"the|another|"
    r"some) (?:\w+ ){0,2}?(?:novel|book|memoir|thesis|dissertation|house|home|flat|apartment|boat|business|"
    r"company|family|"
    r"blog|podcast|startup|shop|bookshop|cafe|restaurant|bakery|marathon|triathlon|studio|band|career|phd|"
    r"degree|licen[sc]e|"
    r"certificate|promotion|job|dog|cat|puppy|kitten|baby|child|album|film|movie|farm|garden|savings|visa|"
    r"citizenship|trip|"
    r"tattoo|scholarship|grant|channel|charity|race|10k|5k)\b|get (?:into|back into|in shape|fit|married|"
    r"engaged|divorced|"
    r"promoted|certified|healthier|better at|rid of|out of debt|pregnant|a driver)|go (?:vegan|vegetarian|"
    r"freelance|back to (?-i:[A-Z])|back to "
    r"(?:school|college|university)|part[- ]time|abroad|hiking|backpacking|to (?:college|university|grad "
    r"school|[A-Z]))|"
    r"see (?:the (?:northern lights|world|pyramids|ocean|alps)|(?-i:[A-Z]))|(?:take|pass) (?:my|the|a|an) (?:\w+ "
    r")?(?:exam|test|"
    r"course|sabbatical|class|gap year)|stop (?:smoking|drinking|procrastinating|eating|biting|worrying|being)|"
    r"have (?:kids|"
    r"children)|live (?:in|abroad|by)|work (?:in|as|for|abroad|remotely)|be (?:more|less|debt|financially) ",
    re.IGNORECASE,
)


def object_type(phrase: str, default: EntityType | None = None) -> EntityType | None:
    """Return the default, if given, or the entity type that the words of a phrase suggest; None if unclear."""
    words = phrase.lower().split()
    if default is not None:
        return default
    if words[-1] in _FOODS:
        return EntityType.FOOD
    if words[-1] in PETS:
        return EntityType.ANIMAL
    return EntityType.ACTIVITY if words[0].endswith("ing") and len(words[0]) > 4 else None


def objects(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return the normalized objects in the text after the verb phrase of a rule; empty if none is clear."""
    return [
        ObjectPhrase(name, object_type(name, rule.object_type or kind))
        for name, kind, _ in _BY_SHAPE[rule.shape](rule, text)
    ]


def _things(rule: Rule, text: str) -> list[ObjectPhrase]:
    # "I love the color" is about one particular thing, not a lasting preference.
    if rule.predicate in TASTES and AT_HAND.match(text) and not LASTING_THE.match(text):
        return []
    title = quoted_title(text)
    return [ObjectPhrase(name, EntityType.WORK if title else None) for name in things(text)]


def _one_thing(rule: Rule, text: str) -> list[ObjectPhrase]:
    # In "a trip to Japan" the place is part of the plan.
    if journey := _JOURNEY.match(text):
        return [ObjectPhrase(journey["n"], EntityType.ACTIVITY)]
    return _things(rule, text)[:1]


def _goal(rule: Rule, text: str) -> list[ObjectPhrase]:
    phrase = verb_phrase(text) if rule.shape != "promise" else verb_phrase(text, trivial=frozenset())
    phrase = phrase or _large_aim(text)
    if phrase is None or (rule.shape == "wish" and phrase.split()[0].lower() not in LASTING_GOALS):
        return []
    # Chores also follow "I need to" and "I will".
    if rule.shape == "aim" and phrase.split()[0].lower() not in LIFE_GOALS and _LARGE.match(phrase) is None:
        return []
    return [ObjectPhrase(phrase, EntityType.ACTIVITY)]


def _large_aim(text: str) -> str | None:
    """Return a lasting goal after a trivial verb: `get into med school`, `go vegan`."""
    return verb_phrase(text, trivial=frozenset()) if _LARGE.match(text) else None


def _named(rule: Rule, text: str) -> list[ObjectPhrase]:
    if rule.object_type is EntityType.WORK:
        marked = _MARKED_WORK.match(text)
        title = quoted_title(text[:160]) or (marked["n"] if marked else None)
        return [ObjectPhrase(title, EntityType.WORK)] if title and title.lower() not in NOT_NAMES else []
    name = proper(text)
    if name and not AFTER_PLACE.match(text[text.index(name) + len(name) :]):
        return []
    return [ObjectPhrase(name, rule.object_type)] if name else []


def _person(_rule: Rule, text: str) -> list[ObjectPhrase]:
    name = proper(text)
    return [ObjectPhrase(name, EntityType.PERSON)] if name else []


def _pet(_rule: Rule, text: str) -> list[ObjectPhrase]:
    found: list[ObjectPhrase] = []
    if re.match(r"the |this |that |such |no ", text):
        return found
    for piece in re.split(
        r" and |, ", re.split(r" (?:at|in|that|which|who|named|called|with|from|for|because|to)\b", text)[0]
    ):
        name = piece.strip()[_COUNT.match(piece.strip()).end() :]  # type: ignore[union-attr]  # matches empty too
        head = name.lower().split()[-1:]
        if head and head[0] in _OWNED and len(name.split()) <= 3:
            found.append(ObjectPhrase(name, EntityType.ANIMAL if head[0] in PETS else None))
    return found


def _gift(_rule: Rule, text: str) -> list[ObjectPhrase]:
    found = _GIFT.match(text)
    if found is None or not re.match(r"(?:an?|the|two|some) ", found["n"]):
        return []
    # Shorten "a colourful, long, bar-shaped pen" to the last adjective, and drop "a set of".
    plain = re.sub(r"^an? (?:set|pair|bunch|box|bouquet) of ", "", found["n"].split(" that ")[0])
    name = noun_phrase(plain.rsplit(", ", 1)[-1])
    return [ObjectPhrase(name, EntityType.THING)] if name and name.split()[-1].lower() not in EVENTS else []


def _event(_rule: Rule, text: str) -> list[ObjectPhrase]:
    found = _EVENT.match(text)
    name = noun_phrase(found["n"]) if found else None
    return (
        [ObjectPhrase(name, EntityType.ACTIVITY)]
        if name and name.split()[-1].lower() in EVENTS and len(name.split()) > 1
        else []
    )


_BY_SHAPE: dict[Shape, Callable[[Rule, str], list[ObjectPhrase]]] = {
    "things": _things,
    "worry": _one_thing,
    "goal": _goal,
    "wish": _goal,
    "promise": _goal,
    "place": place,
    "known place": known_place,
    "workplace": place,
    "firm": firm,
    "job": job,
    "title": title,
    "trait": trait,
    "condition": condition,
    "language": language,
    "pastime": pastime,
    "aim": _goal,
    "named": _named,
    "person": _person,
    "age": age,
    "birthday": birthday,
    "pet": _pet,
    "gift": _gift,
    "event": _event,
}
