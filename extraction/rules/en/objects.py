"""Read the object that follows an English verb phrase: a place, an employer, things, a plan. Pure.

Each function returns the objects that a text begins with; none if they are unclear.
"""

import re
from typing import Final

from extraction.rules.en.phrases import noun_phrase, quoted_title, things, verb_phrase
from extraction.text.lexicon_en import (
    ANY_MONTH,
    CONDITIONS,
    JOBS,
    MONTHS,
    MORE_JOBS,
    MORE_OWNABLE,
    NOT_NAMES,
    OWNABLE,
    PETS,
    PRONOUNS,
)

_PROPER: Final = re.compile(
    r"^(?:the |a |an |my )?(?P<n>[A-Z][\w'&.-]*(?: (?:of |de |the |and |& |del |la )?[A-Z][\w'&-]*){0,4})"
)
_FIRM: Final = re.compile(
    r"\b(?:company|firm|bank|hospital|school|startup|start-up|agency|studio|clinic|store|shop|restaurant|university|"
    r"college|museum|newspaper|charity|council|government|ministry|factory|hotel|airline|cafe|bakery|lab|library|"
    r"consultancy|publisher|airport|pharmacy|gym|salon|farm|warehouse|institute|foundation|supermarket|brewery|"
    r"theat(?:re|er)|gallery|garage|bookshop|bookstore|office|bar|pub|centre|center|business|police|zoo|nursery)$",
    re.IGNORECASE,
)
_FIRM_END: Final = re.compile(
    r" (?:as|in|on|near|with|for|that|which|and|from|since|where|when|while|because|before|after|until|till|though|"
    r"but|so|now|doing|part|full|is|are|was|were|will|has|have)\b|[,.]"
)
_KIND_OF_FIRM: Final = re.compile(r"^(?:an?|the|this) (?:[a-z-]+ ){1,3}(?:called|named|at|of) (?=[A-Z])")
_SETTLEMENT: Final = re.compile(
    r"^an? (?P<n>(?:[a-z-]+ ){0,2}(?:village|town|suburb|city|farm|cabin|cottage|houseboat|island)"
    r"(?: (?:outside|near|in|by|on) (?:the )?[A-Z][\w-]+)?)"
)
_JOB: Final = re.compile(
    r"^(?:(?:an?|the) )?(?P<n>[a-z][a-z/ -]{1,40}?)(?: (?:at|in|for|with|from|who|now|and|by|on|here|these|last|this|"
    r"too|until|when|but|since|after|of|again|full|part)\b.*|[,.]|$)",
    re.IGNORECASE,
)
_ILLNESS: Final = re.compile(
    r"^(?:an? |the |some |severe |mild |chronic |bad |really )*(?P<n>(?:(?!got|had)[A-Za-z0-9-]+ ){0,2}?(?:"
    + "|".join(sorted(CONDITIONS, key=len, reverse=True))
    + r"))(?=$|[,.;!]| (?:and|but|so|since|in|on|from|for|which|because|now|these|as|too|all|i|we)\b)",
    re.IGNORECASE,
)
_AGE: Final = re.compile(
    r"(\d{1,3})(?:[ -]years?[ -]old)?(?=$|[,.;!]| (?:today|now|this|last|next|in|on|soon|and|but|so)\b)"
)
_AGE_MAX: Final = 99
_DAY: Final = re.compile(
    r"^(?:the )?(?P<n>(?:[A-Za-z]+ \d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?(?: of)? [A-Za-z]+)(?:,? \d{4})?|"
    r"\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?)"
)
_DOSE: Final = r"\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|g|ml|iu|units?)"
_MEDICINE: Final = re.compile(
    rf"^(?:(?:my|the|an?|daily|some|about|only) )*(?:(?P<d>{_DOSE})(?: of| a day of)? )?(?P<n>(?:"
    r"paracetamol|acetaminophen|ibuprofen|aspirin|codeine|tramadol|naproxen|insulin|metformin|\w*thyroxine|lithium|"
    r"ritalin|adderall|prozac|zoloft|lexapro|xanax|ventolin|ozempic|wegovy|melatonin|vitamin [a-k]\d{0,2}|magnesium|"
    r"iron|zinc|antihistamines?|antibiotics?|antidepressants?|statins?|steroids?|beta[- ]blockers?|blood thinners?|"
    r"painkillers?|birth control|the pill|(?:an )?inhaler|[a-z]{2,12}(?:prils?|sartan|statin|olol|dipine|azole|"
    r"oxetine|traline|alopram|faxine|triptan|cillin|mycin|cycline|azepam|zolam|xaban|gliptin|gliflozin|glutide|"
    rf"irizine|sonide|solone|asone|apine|idone|profen|gabalin|trexate)))\b(?:,? (?P<d2>{_DOSE}))?",
    re.IGNORECASE,
)
_OWNED: Final = PETS | OWNABLE | MORE_OWNABLE
_COUNT: Final = re.compile(
    r"^(?:(?:an?|one|two|three|four|five|six|seven|eight|several|many|some|my|our|the|own|new|old|used|little|big|small|"
    r"cute|lovely) ){0,4}"
)
_THING_END: Final = re.compile(
    r" (?:at|in|that|which|who|named|called|with|from|for|because|since|to|now|so|but|on)\b|[.;!]"
)
_NAMED: Final = re.compile(r" (?:named|called),? [A-Z]|^(?:an?|two|three) [a-z ]+,? [A-Z][a-z]+$")
AT_HAND: Final = re.compile(r"(?:all |both )?(?:the|an?|this|that|these|those) ", re.IGNORECASE)
_LASTING: Final = re.compile(
    r"the (?:[A-Z]|(?:ocean|sea|beach|mountains?|outdoors|rain|snow|sun|piano|guitar|violin|drums|cello|theat(?:er|re)|"
    r"cold|heat|dark|countryside|city|gym|opera|desert|forest)\b|(?:smell|sound|taste|colou?r) (?:of )?[a-z]+)"
)
_WHEN: Final = re.compile(
    r",?(?: (?:on|in|by|from|at|before|until|for|this|next|the))* (?:\d{1,2}(?:st|nd|rd|th)?(?: of)? "
    rf"{ANY_MONTH}|{ANY_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|"
    r"tonight|next \w+|this \w+|\d{1,2}(?:st|nd|rd|th)|the (?:week|month|year|end)\b.*|spring|summer|autumn|winter|"
    r"christmas|easter|\d+ ?[ap]m)\b.*$",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"[,;:()!]| - |—| (?:because|since|so|but|if|when|which|that|where|while|and|with|until|after|as) "
)
_EVENTS: Final = re.compile(
    r"(?:an?|the|my|our|another) (?:[a-z-]+ ){0,2}(?:dentist|doctor|appointment|interview|exam|exams|test|surgery|"
    r"operation|scan|check-?up|flight|wedding|funeral|concert|gig|marathon|race|meeting|audition|trip|course|deadline|"
    r"party|recital|holiday|viewing|match|physio|haircut|driving test)\b",
    re.IGNORECASE,
)


def _proper(text: str) -> str | None:
    found = _PROPER.match(text)
    if found is None or found["n"].split()[0].lower() in NOT_NAMES:
        return None
    return found["n"].rstrip(".'")


def name(text: str) -> list[str]:
    """Return the capitalized name of a person or product."""
    proper = _proper(text)
    return [proper] if proper else []


def places(text: str) -> list[str]:
    settlement = _SETTLEMENT.match(text)
    return name(text) or ([settlement["n"]] if settlement else [])


def employers(text: str) -> list[str]:
    """Return an organisation by its name or kind: "Siemens", "insurance company"."""
    text = _KIND_OF_FIRM.sub("", text)
    of_kind = re.match(r"an? ", text) is not None
    if not of_kind and (named := name(text)):
        return named
    if not re.match(r"(?:an?|the|my|our) ", text):
        return []
    firm = noun_phrase(_FIRM_END.split(text)[0])
    return [firm] if firm and len(firm.split()) <= 4 and _FIRM.search(firm) else []


def jobs(text: str) -> list[str]:
    found = _JOB.match(text)
    job = re.sub(r"^(?:full|part)[- ]time |^self-employed ", "", found["n"]) if found else ""
    words = job.split()
    is_job = 0 < len(words) <= 4 and words[-1].lower() in JOBS | MORE_JOBS and words[0].lower() not in PRONOUNS
    return [job] if is_job else []


def illness(text: str) -> list[str]:
    found = _ILLNESS.match(text)
    return [found["n"]] if found else []


def medicines(text: str) -> list[str]:
    """Return medicines, each with its dose."""
    found = (_MEDICINE.match(piece) for piece in re.split(r",? and |, ", text)[:6])
    return [" ".join(filter(None, (one["n"], one["d"] or one["d2"]))) for one in found if one]


def age(text: str) -> list[str]:
    found = _AGE.match(text)
    return [f"{found[1]} years old"] if found and 0 < int(found[1]) <= _AGE_MAX else []


def day(text: str) -> list[str]:
    found = _DAY.match(text)
    named = found is not None and (
        any(word.lower() in MONTHS for word in re.findall("[A-Za-z]+", found["n"])) or "/" in found["n"]
    )
    return [found["n"]] if found and (named or "-" in found["n"]) else []


def owned(text: str) -> list[str]:
    """Return belongings and animals; one with a name is told by its name."""
    found = []
    if re.match(r"(?:the|this|that|such|no) ", text) or _NAMED.search(text):
        return []
    for piece in re.split(r",? and |, ", _THING_END.split(text)[0])[:6]:
        thing = _COUNT.sub("", piece.strip(), count=1)
        words = thing.lower().split()
        if words and words[0] not in ("got", "had", "to", "been") and words[-1] in _OWNED and len(words) <= 3:
            found.append(thing)
    return found


def thing(text: str) -> list[str]:
    """Return the first thing."""
    return things_liked(text)[:1]


def things_liked(text: str) -> list[str]:
    """Return things in general; "the ending" is a particular one."""
    if AT_HAND.match(text) and not _LASTING.match(text) and quoted_title(text) is None:
        return []
    return things(text)


# "Allergic to Mondays" is a joke.
NO_ALLERGEN: Final = re.compile(
    r"(?:(?:my|all|any|early|hard) )*(?:mondays?|mornings?|work|working|exercise|people|nonsense|drama|meetings|"
    r"small talk|e-?mails?|homework|housework|alarms?|taxes|stress|deadlines|traffic|bullshit|commitment|cleaning)\b",
    re.IGNORECASE,
)


def allergens(text: str) -> list[str]:
    return [] if NO_ALLERGEN.match(text) else things_liked(text)


def goal(text: str) -> list[str]:
    """Return what somebody intends, in its basic form."""
    phrase = verb_phrase(_WHEN.sub("", text))
    return [phrase] if phrase else []


def planned(text: str) -> list[str]:
    """Return what somebody does or has at a coming time: "flying to Oslo" of "flying to Oslo on Friday"."""
    said = _CLAUSE.split(_WHEN.sub("", f" {text}").strip() + " ")[0].strip()
    words = said.split()
    if (
        not 0 < len(words) <= 6
        or said == text.strip(" .")
        or any(word in ("it", "that", "you", "them") for word in words)
    ):
        return []
    if re.match(
        r"(?!\w*(?:thinking|feeling|looking|trying|hoping|being|doing|having|waiting|living|working))[a-z]+ing\b", said
    ):
        return [re.sub(r"\b(?:my|our|the|an?) ", "", said)]
    event = noun_phrase(said) if _EVENTS.match(said) or text == said else None
    return [event] if event else []


def booked(text: str) -> list[str]:
    """Return what somebody booked or signed up for, without its time."""
    event = noun_phrase(_CLAUSE.split(_WHEN.sub("", f" {text}").strip() + " ")[0])
    return [event] if event else []


def value(text: str) -> list[str]:
    """Return the first word."""
    return [re.split(r"[ ,.;!]", text)[0]]
