"""From the words after an English verb to objects of facts, by the shape a rule asks for."""

import re
from collections.abc import Callable

from extraction.phrases_en import noun_phrase, quoted_title, things, verb_phrase
from extraction.rule import Rule, Shape
from extraction.words_en import EVENTS, JOBS, LASTING_GOALS, MONTHS, NOT_NAMES, OWNABLE, PETS, word_set
from schema.entity import EntityType

_PROPER = re.compile(
    r"^(?:the |a |an |my )?(?P<n>[A-Z][\w'&.-]*(?: (?:of |de |the |and |del |la )?[A-Z][\w'&-]*){0,4})"
)
_MARKED_WORK = re.compile(
    r"^(?:the |a )?(?:movie|film|show|series|book|novel|anime|documentary|play|musical) (?:called |named )?"
    r"(?P<n>[A-Z][\w'-]*(?: (?:of |the |and |in |a )?[A-Z][\w'-]*){0,5})"
)
_COUNT = re.compile(
    r"^(?:(?:a|an|one|two|three|four|five|six|several|many|some|little|cute|new|pet|big|small|black|white|"
    r"old|lovely|adorable|my|the|own) ){0,4}"
)
_GIFT = re.compile(
    r"^(?P<n>.{3,70}?)(?: as (?:a|an) .{0,30}(?:gift|present|reward|prize)| from | through )",
    re.IGNORECASE,
)
_EVENT = re.compile(r"^(?P<n>.{3,80}?)(?: and | with | at | on |[.,;]|$)", re.IGNORECASE)
_JOB = re.compile(
    r"^(?:an?|the|working as an?) (?P<n>[a-z][a-z -]{2,40}?)(?: (?:at|in|for|with|from|who|now|and|by|on|"
    r"here) .*|[,.]|$)",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(
    r"^(?:the )?(?P<n>(?:[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?(?: of)? "
    r"[A-Z][a-z]+)(?:,? \d{4})?|\d{4}-\d{2}-\d{2})"
)
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
# After a place's name the clause ends or goes on; "a Harry Potter conference" is no visit to him.
_AFTER_PLACE = re.compile(
    r"^(?:$|[,.;!]|'?s? ?$| (?:in|at|for|with|last|this|and|on|when|to|once|before|during|yesterday|today|"
    r"again|as|from|after|because|since|two|three|a (?:few|couple)|which|where|together|by)\b)"
)
Found = list[tuple[str, EntityType | None]]


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


def _one_thing(_rule: Rule, text: str) -> Found:
    return _things(_rule, text)[:1]


def _goal(rule: Rule, text: str) -> Found:
    phrase = verb_phrase(text)
    if phrase is None or (rule.shape == "wish" and phrase.split()[0].lower() not in LASTING_GOALS):
        return []
    return [(phrase, EntityType.ACTIVITY)]


def _proper(text: str) -> str | None:
    found = _PROPER.match(text)
    if found is None or found["n"].split()[0].lower() in NOT_NAMES:
        return None
    return found["n"].rstrip(".'")


def _place(rule: Rule, text: str) -> Found:
    if name := _proper(text):
        return [(name, rule.object_type or EntityType.PLACE)]
    if rule.object_type is not EntityType.ORGANIZATION or not re.match(r"(?:an?|the) ", text):
        return []
    name = noun_phrase(
        re.split(r" (?:as|in|on|near|with|for|that|which|and|from|since|where|downtown)\b|[,.]", text)[0]
    )
    return [(name, EntityType.ORGANIZATION)] if name and len(name.split()) <= 4 else []


def _job(_rule: Rule, text: str) -> Found:
    found = _JOB.match(text)
    if found is None or found["n"].split()[-1].lower() not in JOBS:
        return []
    return [(found["n"], EntityType.TOPIC)]


def _named(rule: Rule, text: str) -> Found:
    if rule.object_type is EntityType.WORK:
        marked = _MARKED_WORK.match(text)
        title = quoted_title(text[:160]) or (marked["n"] if marked else None)
        return [(title, EntityType.WORK)] if title and title.lower() not in NOT_NAMES else []
    name = _proper(text)
    if name and not _AFTER_PLACE.match(text[text.index(name) + len(name) :]):
        return []
    return [(name, rule.object_type)] if name else []


def _person(_rule: Rule, text: str) -> Found:
    name = _proper(text)
    return [(name, EntityType.PERSON)] if name else []


def _age(_rule: Rule, text: str) -> Found:
    found = re.match(r"(\d{1,3})(?: years? old| this year| last \w+| today|,|\.|$)", text)
    return [(f"{found.group(1)} years old", EntityType.TIME)] if found and 0 < int(found.group(1)) < 120 else []


def _birthday(_rule: Rule, text: str) -> Found:
    found = _BIRTHDAY.match(text)
    if found is None or not any(word.lower().strip(",") in MONTHS or "-" in word for word in found["n"].split()):
        return []
    return [(found["n"], EntityType.TIME)]


def _pet(_rule: Rule, text: str) -> Found:
    found: Found = []
    if re.match(r"the |this |that |such ", text):
        return found
    for piece in re.split(
        r" and |, ", re.split(r" (?:at|in|that|which|who|named|called|with|from|for|because|to)\b", text)[0]
    ):
        name = piece.strip()[_COUNT.match(piece.strip()).end() :]  # type: ignore[union-attr]  # matches empty too
        head = name.lower().split()[-1:]
        if head and head[0] in PETS | OWNABLE and len(name.split()) <= 3:
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
    "place": _place,
    "workplace": _place,
    "school": _place,
    "job": _job,
    "named": _named,
    "person": _person,
    "age": _age,
    "birthday": _birthday,
    "pet": _pet,
    "gift": _gift,
    "event": _event,
}
