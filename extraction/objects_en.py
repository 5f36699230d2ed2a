"""From the words after an English verb to objects of facts, by the shape a rule asks for."""

import re
from collections.abc import Callable

from extraction import objects_life_en as life
from extraction.objects_life_en import AFTER_PLACE, Found, proper
from extraction.phrases_en import noun_phrase, quoted_title, things, verb_phrase
from extraction.rule import Rule, Shape
from extraction.words_en import EVENTS, LASTING_GOALS, NOT_NAMES, OWNABLE, PETS, word_set
from extraction.words_life_en import LIFE_GOALS, MORE_OWNABLE
from schema.entity import EntityType

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
_AT_HAND = re.compile(r"(?:all |both |to be )?(?:the|an?|this|that|these|those) ", re.IGNORECASE)
_LASTING_THE = re.compile(
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
    r"freelance|back to "
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
    """What sort of thing a phrase names, as far as its words tell."""
    words = phrase.lower().split()
    if default is not None:
        return default
    if words[-1] in _FOODS:
        return EntityType.FOOD
    if words[-1] in PETS:
        return EntityType.ANIMAL
    return EntityType.ACTIVITY if words[0].endswith("ing") and len(words[0]) > 4 else None


def objects(rule: Rule, text: str) -> Found:
    """The objects that a rule finds in a text, cleaned; empty when they are not clear."""
    return [(name, object_type(name, rule.object_type or kind)) for name, kind in _BY_SHAPE[rule.shape](rule, text)]


def _things(rule: Rule, text: str) -> Found:
    # "I love the color": a thing at hand, not a lasting taste.
    if rule.predicate in ("PREFERS", "DISLIKES") and _AT_HAND.match(text) and not _LASTING_THE.match(text):
        return []
    title = quoted_title(text)
    return [(name, EntityType.WORK if title else None) for name in things(text)]


def _one_thing(rule: Rule, text: str) -> Found:
    # "a trip to Japan": the place is part of what is planned.
    if journey := _JOURNEY.match(text):
        return [(journey["n"], EntityType.ACTIVITY)]
    return _things(rule, text)[:1]


def _goal(rule: Rule, text: str) -> Found:
    phrase = verb_phrase(text) if rule.shape != "promise" else verb_phrase(text, trivial=frozenset())
    phrase = phrase or _large_aim(text)
    if phrase is None or (rule.shape == "wish" and phrase.split()[0].lower() not in LASTING_GOALS):
        return []
    # "I need to", "I will": chores stand behind these words too.
    if rule.shape == "aim" and phrase.split()[0].lower() not in LIFE_GOALS and _LARGE.match(phrase) is None:
        return []
    return [(phrase, EntityType.ACTIVITY)]


def _large_aim(text: str) -> str | None:
    """`get into med school`, `go vegan`: a small verb before something large."""
    return verb_phrase(text, trivial=frozenset()) if _LARGE.match(text) else None


def _named(rule: Rule, text: str) -> Found:
    if rule.object_type is EntityType.WORK:
        marked = _MARKED_WORK.match(text)
        title = quoted_title(text[:160]) or (marked["n"] if marked else None)
        return [(title, EntityType.WORK)] if title and title.lower() not in NOT_NAMES else []
    name = proper(text)
    if name and not AFTER_PLACE.match(text[text.index(name) + len(name) :]):
        return []
    return [(name, rule.object_type)] if name else []


def _person(_rule: Rule, text: str) -> Found:
    name = proper(text)
    return [(name, EntityType.PERSON)] if name else []


def _pet(_rule: Rule, text: str) -> Found:
    found: Found = []
    if re.match(r"the |this |that |such ", text):
        return found
    for piece in re.split(
        r" and |, ", re.split(r" (?:at|in|that|which|who|named|called|with|from|for|because|to)\b", text)[0]
    ):
        name = piece.strip()[_COUNT.match(piece.strip()).end() :]  # type: ignore[union-attr]  # matches empty too
        head = name.lower().split()[-1:]
        if head and head[0] in _OWNED and len(name.split()) <= 3:
            found.append((name, EntityType.ANIMAL if head[0] in PETS else None))
    return found


def _gift(_rule: Rule, text: str) -> Found:
    found = _GIFT.match(text)
    if found is None or not re.match(r"(?:an?|the|two|some) ", found["n"]):
        return []
    # "a colourful, long, bar-shaped pen": the last adjective is enough; "a set of" is none.
    plain = re.sub(r"^an? (?:set|pair|bunch|box|bouquet) of ", "", found["n"].split(" that ")[0])
    name = noun_phrase(plain.rsplit(", ", 1)[-1])
    return [(name, EntityType.THING)] if name and name.split()[-1].lower() not in EVENTS else []


def _event(_rule: Rule, text: str) -> Found:
    found = _EVENT.match(text)
    name = noun_phrase(found["n"]) if found else None
    return (
        [(name, EntityType.ACTIVITY)] if name and name.split()[-1].lower() in EVENTS and len(name.split()) > 1 else []
    )


_BY_SHAPE: dict[Shape, Callable[[Rule, str], Found]] = {
    "things": _things,
    "worry": _one_thing,
    "goal": _goal,
    "wish": _goal,
    "promise": _goal,
    "place": life.place,
    "known place": life.known_place,
    "workplace": life.place,
    "firm": life.firm,
    "school": life.place,
    "job": life.job,
    "title": life.title,
    "trait": life.trait,
    "condition": life.condition,
    "language": life.language,
    "pastime": life.pastime,
    "aim": _goal,
    "named": _named,
    "person": _person,
    "age": life.age,
    "birthday": life.birthday,
    "pet": _pet,
    "gift": _gift,
    "event": _event,
}
