"""Normalize English noun and verb phrases."""

import re

from extraction.text.english_stems import gerund
from extraction.text.lexicon_en import ADJECTIVES, ARTICLES, JOINED, PRONOUNS, TRIVIAL_GOALS, VAGUE, word_set

PHRASE_WORDS_MAX = 6
_THINGS_MAX = 6
_PREPOSITION = r"(?:to|with|for|at|on|about|in|through|by|around|from|into)"
# Words at which the name of a thing ends; "of" is part of it.
_STOP = re.compile(
    r"(?:[;:()\[\]]| - |—|(?<!-)\b(?:when|whenever|because|since|so|but|if|that|which|who|whom|where|while|"
    r"after|before|until|"
    r"cause|like|such as|rather than|rather|instead of|over|although|though|especially|except|even|as|than|to|"
    r"for|with|from|in|at|on|by|"
    r"during|about|together|into|over|"
    r"was|were|is|are|am|has|have|had|will|would|can|could|made|makes|feels|felt|feeling|finds|found|and "
    r"(?:it|i|he|she|they|we|then|felt|"
    r"feels|had|was|were|is|am|are|received|discusses|really|got|finds|found|made|makes))\b(?!-)).*",
    re.IGNORECASE | re.DOTALL,
)
_GERUND = re.compile(r"^(?:[a-z]+ing(?: [a-z]+)? (?:" + _PREPOSITION + r") |[a-z]+ing )", re.IGNORECASE)
# No alternative may be repeated or be composed of others: each would double the number of ways to match.
_TRAILING = re.compile(
    r"(?:,? (?:ever|for good|forever|for ever|so much|very much|a lot|too|as well|these days|lately|now|anymore|any "
    r"more|today|tonight|"
    r"again|right now|"
    r"more than anything|all (?:day|night|the time|evening|week|year|morning)(?: long)?|everywhere|completely|"
    r"entirely|"
    r"altogether|honestly|to be honest|tbh|lol|haha|btw|please|though|by the way|(?:two|three|many|some|a few|"
    r"several) "
    r"years ago|years ago|the most|most|best|at all|either|the best|since childhood|every day|well|"
    r"there|here|"
    r"already|yet|outside|back|a bit|a little|really|tomorrow|someday|one day|next (?:week|month|"
    r"year|summer|spring)|"
    r"this (?:week|month|year|summer|weekend)|soon|instead|last (?:week|month|year|summer)|yesterday|recently))+$",
    re.IGNORECASE,
)
_CONSUME = re.compile(r"^(?:to )?(?:eat|eating|drink|drinking) (?!out\b|at\b|with\b|in\b)", re.IGNORECASE)
_ASIDE = re.compile(
    r",? (?:of all things|believe it or not|apparently|sadly|unfortunately|surprisingly|weirdly|annoyingly|"
    r"obviously),",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_EDGE = " ,.!?;:'\"“”()[]*_~-"
_TO_VERB = re.compile(r"^to ([a-z]+)\b(.*)$", re.IGNORECASE | re.DOTALL)


def quoted_title(text: str) -> str | None:
    """Return the first title in double quotes, if any."""
    found = _QUOTED.search(text)
    if found is None or found.start() > 60 or " like " in text[: found.start()]:
        return None
    return found.group(1).strip(_EDGE)


_STATEMENT = re.compile(
    r"\w'?s (?:fine|ok|okay|good|great|better|enough|best|worse|nice|alright|all right)$|"
    r"\w (?:welcome|appreciated|needed|wanted)$|"
    r"\w (?:reckons?|says?|said|thinks?|thought|told (?:me|us)|claims?|insists?|swears?)$",
    re.IGNORECASE,
)


# "I prefer tea, coffee makes me jittery": what has a verb of its own is the subject of another statement.
_OTHER_STATEMENT = re.compile(
    r", (?:(?!and |or )[\w'-]{1,30} ){1,3}(?:is|are|was|were|has|have|had|makes?|made|gives?|gave|feels?|felt|tastes?|"
    r"smells?|hurts?|scares?|bores?|costs?|helps?|works?|does|do|did|can|will|would|is not|are not|never)\b.*",
    re.IGNORECASE | re.DOTALL,
)


def things(text: str) -> list[str]:
    """Return the normalized items of a list, without long or unclear ones."""
    text = _OTHER_STATEMENT.sub("", _ASIDE.sub(",", _CONSUME.sub("", text.strip())))
    if title := quoted_title(text):
        return [title]
    verb = _TO_VERB.match(text)
    if verb:
        text = gerund(verb.group(1)) + verb.group(2)
    found: list[str] = []
    pieces = _pieces(_cut(text))
    if len(pieces) == 2 and pieces[0].lower() in ADJECTIVES and ", " in text and " " in pieces[1].strip():
        # In "small, family-run hotels" the comma separates adjectives.
        pieces = [", ".join(pieces)]
    # In "creating a safe, inviting place" the comma separates adjectives.
    if len(pieces) > 1 and re.search(r"\b(?:an?|the) [a-z-]+$", pieces[0]):
        return []
    for piece in pieces:
        # "I don't like tea, water's fine", "allergic to nuts, the GP says": the last piece is a statement of its own.
        if _STATEMENT.search(piece):
            break
        phrase = noun_phrase(piece)
        if phrase and phrase not in found:
            found.append(phrase)
    return found[:_THINGS_MAX]


def _cut(text: str) -> str:
    head = _GERUND.match(text)
    keep = head.end() if head else 0
    return text[:keep] + _STOP.sub("", text[keep:])


# Not at the ampersand of Ben & Jerry's or Brown & Sons.
_BETWEEN = re.compile(r",? and,? |, or | or |, | & (?!(?:[A-Z]\w{1,30}'s|Sons|Co|Company|Partners|Associates)\b)|/")


def _pieces(text: str) -> list[str]:
    low = text.lower()
    for joined in JOINED:
        place = low.find(joined)
        if place >= 0:
            text = (
                text[:place]
                + text[place : place + len(joined)].replace(" and ", " &and& ")
                + text[place + len(joined) :]
            )
            low = text.lower()
    return [piece.replace("&and&", "and") for piece in _BETWEEN.split(text)]


# "The colour teal" is teal.
CATEGORY = re.compile(r"^colou?r (?!scheme|palette|wheel|theory|blind|coding|code|film|tv)(?=[a-z]+$)", re.IGNORECASE)


def noun_phrase(text: str) -> str | None:
    """Return one thing without article, possessive and trailing adverbs; None if vague or longer than six words."""
    text = _TRAILING.sub("", text.strip(_EDGE)).strip(_EDGE)
    words = text.split()
    if words[:1] and words[0].lower() in PRONOUNS - ARTICLES:
        return None
    while words and words[0].lower() in ARTICLES:
        words = words[1:]
    if (
        len(words) > 2
        and words[1].lower() == "of"
        and words[0].lower() in {"lot", "lots", "kinds", "types", "sorts", "piece", "plenty"}
    ):
        words = words[2:]
    return CATEGORY.sub("", " ".join(words)) if _has_content(words) else None


def _has_content(words: list[str]) -> bool:
    if not words or len(words) > PHRASE_WORDS_MAX:
        return False
    low = [word.lower().strip(_EDGE) for word in words]
    if low[0] in PRONOUNS or low[-1] in PRONOUNS or low[-1] in VAGUE or low[-1] in ARTICLES or low[0] in VAGUE:
        return False
    if low == ["time"] or any(word in _PERSONAL for word in low):
        return False
    if low[0] in _WEAK_GERUNDS and (len(low) == 1 or low[0] == "coming" or low[-1] in ("up", "out", "it")):
        return False
    letters = sum(character.isalpha() for character in "".join(words))
    return letters >= 2 and len("".join(words)) <= 60 and low[-1] not in _DANGLING


_PERSONAL = frozenset(
    ("you", "your", "it", "them", "me", "us", "not", "my", "our", "their", "his", "her", "that", "this")
)
# Gerunds that name no activity without an object.
_WEAK_GERUNDS = frozenset(
    (
        "working",
        "talking",
        "helping",
        "coming",
        "going",
        "being",
        "seeing",
        "hearing",
        "trying",
        "starting",
        "looking",
        "using",
        "doing",
        "making",
        "getting",
        "sharing",
        "giving",
        "keeping",
        "finding",
        "thinking",
        "knowing",
        "having",
        "living",
        "spending",
        "taking",
    )
)
_WHERE = word_set("to in at for with from on near by through across")
_DANGLING = word_set("of to for with in on at and or the a an by from about very so really")


def verb_phrase(text: str, *, trivial: frozenset[str] = TRIVIAL_GOALS) -> str | None:
    """Return a goal such as `learn Spanish`; None if it is vague, long, or begins with a trivial verb."""
    text = re.split(
        r"[;:()]| - |—|, | (?:because|since|so|but|if|when|which|that|where|while|and (?:i|we|then|he|she)|in order|"
        r"this|next|someday|soon|one day|as soon|before|after|by the|in the (?:future|coming)|and felt|and was)\b",
        text,
        maxsplit=1,
        flags=re.IGNORECASE,
    )[0]
    text = _TRAILING.sub("", text.strip(_EDGE)).strip(_EDGE)
    words = text.split()
    if len(words) > PHRASE_WORDS_MAX:
        # Cut the place: "apply for a transfer to the London office".
        last = max((place for place, word in enumerate(words) if place > 1 and word.lower() in _WHERE), default=0)
        words = words[:last]
    if len(words) < 2 or len(words) > PHRASE_WORDS_MAX or words[0].lower() in trivial:
        return None
    low = [word.lower() for word in words]
    if any(word in ("you", "your", "it", "them", "this", "that", "something", "these", "those", "him") for word in low):
        return None
    return (
        None
        if low[-1] in _DANGLING or low[-1] in VAGUE
        else " ".join(word for word in words if word.lower() not in ("my",))
    )
