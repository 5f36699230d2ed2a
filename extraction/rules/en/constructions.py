"""English constructions that need their own code: favourites, names, relatives, opinions of things, causes."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from extraction.reader import THE_USER
from extraction.rules.en.clauses import (
    HYPOTHETICAL,
    expand_contractions,
    kin_named,
    mask_quoted_speech,
    with_article,
    without_lead,
)
from extraction.rules.en.clauses import owner as owner_of
from extraction.rules.en.everyday_frames import read_everyday, read_whole
from extraction.rules.en.objects import address, birthdays, jobs, object_type, places, workplaces
from extraction.rules.en.phrases import noun_phrase, quoted_title, things, verb_phrase
from extraction.rules.en.plans import read_reasons
from extraction.rules.engine import Clause, DiscourseState, Draft, draft
from extraction.text.english_stems import gerund
from extraction.text.lexicon_en import (
    CHILD_NAME,
    EMOTIONS,
    GENERIC,
    KIN,
    KIN_PATTERN,
    KIN_SINGULAR,
    MANY_KIN,
    MORE_TRAITS,
    NOT_NAMES,
    PETS,
    PLEASANT,
    PRONOUNS,
    SYMPTOMS,
    word_set,
)
from extraction.text.sentences import Sentence
from schema.entity import EntityType

# Patterns

_NOW = r"(?:(?:now|currently|still|these days|right now|actually) )?"
_NO_MORE = r"(?P<no>used to be|(?:is|are) no longer|(?:isn't|is not|aren't|are not)(?=.* any ?(?:more|longer)\b))"
# "My favourite colour", "the colour I like best".
_MY_FAVORITE = r"(?:(?P<p>my|his|her) (?:all[- ]time |absolute |most |new |current )?favou?rite|the)(?P<c>(?: [a-z-]+){"
_LIKED_BEST = r"}?)(?(p)|(?: that)? (?P<w>i|s?he) (?:like|love|enjoy)s? (?:the )?(?:best|most))"
_FAVORITE_IS = re.compile(
    rf"^{_MY_FAVORITE}0,3{_LIKED_BEST} (?:{_NO_MORE}|is|are|was|were|has always been|would be) {_NOW}(?P<o>.+)",
    re.IGNORECASE,
)
_IS_FAVORITE = re.compile(
    r"^(?P<o>(?!(?:this|that|it|these|those|there|they|s?he|we|what|which|one|mine|i)\b).{2,40}?) "
    rf"(?:{_NO_MORE}|is|are|has always been) {_NOW}{_MY_FAVORITE}1,2{_LIKED_BEST}"
    r"(?: any ?more| any longer| now| these days| ever| by far| of all(?: time)?)?\W*$",
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
    r"\b(?:my|our|his|her) (?:newly adopted |new |pet |own )(?P<o>[a-z]+)\b|\b(?:my|his|her) (?P<c>[a-z]+ "
    r"collection)\b",
    re.IGNORECASE,
)
NAME_IS = re.compile(
    r"^(?:[Mm]y (?:full |first |real )?name is|(?:[Pp]lease |[Yy]ou can |[Jj]ust )?[Cc]all me|"
    r"I (?:prefer|like|'d rather) (?:to be|being|be) called|"
    r"(?:[Pp]eople|[Ff]riends|[Mm]y friends|[Ee]veryone) (?:just )?calls? me|I go by|I am(?= "
    r"[A-Z][a-z]+(?: [A-Z][a-z]+)?(?:[,.!]|$))) (?P<o>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
)
_PET_WORDS = "|".join(sorted(PETS, key=len, reverse=True))
_MINE = r"\b[Mm]y|\b[Oo]ur|\b[Hh]is|\b[Hh]er"
NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w-]*[a-z]\w*(?: [A-Z][a-z]\w*)?"
# Words after which a name may be in lower case.
_CALLED = r"(?:,? (?:is |who is )?(?:called|named)|(?:'s|s'| ) ?name is)"
KIN_NAMED = re.compile(
    r"(?P<p>"
    + _MINE
    + r"|[A-Z][\w-]+['’]s|\b[Aa]n?) (?:[a-z-]+ ){0,2}?(?P<k>"
    + KIN_PATTERN
    + r"|(?!his |her |my |our |and |the |an? )[a-z]+ (?:"
    + KIN_PATTERN
    + r"))(?:"
    + _CALLED
    + r" (?P<n>"
    + NAME
    + r"|[a-z]{3,12}\b)|,? (?:is |)(?P<n2>"
    + NAME
    + r"))"
)
# "my sister's husband Femi"
KIN_OF_KIN_NAMED = re.compile(
    r"\b(?:[Mm]y|[Oo]ur) (?P<q>(?:[a-z-]+ ){0,1}?)(?P<first>"
    + KIN_PATTERN
    + r")'s (?:[a-z-]+ ){0,1}?(?P<k>"
    + KIN_PATTERN
    + r")(?:"
    + _CALLED
    + r" (?P<n>"
    + NAME
    + r")|,? (?:is |)(?P<n2>"
    + NAME
    + r"))"
)
PET_NAMED = re.compile(
    r"(?P<p>"
    + _MINE
    + r"|\b[Aa]n?|\b[Tt]he(?= [a-z]+ (?:is|was) (?:called|named))) (?:[a-z-]+ ){0,2}?(?P<k>(?i:"
    + _PET_WORDS
    + r"))(?:"
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
    + r")(?: is |'s |, | \()(?P<p>my|our|his|her) (?P<k>(?:[a-z-]+ ){0,2}?(?:"
    + KIN_PATTERN
    + "|"
    + _PET_WORDS
    + r"))\b(?!['’]s)"
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
    + KIN_PATTERN
    + "|"
    + _PET_WORDS
    + r") (?P<n>"
    + NAME
    + r")"
)


# Relatives and pets

# "My son Jonah, 11, is …", "my son Jonah (11)"
_AGE_AFTER: Final = re.compile(r",? \((?P<a>\d{1,2})\)|, (?P<a2>\d{1,2})(?=,|$)")
_DESCRIPTIVE = re.compile(r"^(?:new|old|good|dear|close|pet|little|big|great|older|younger|elder) ")
_OWNS = re.compile(r"\b(?:have|has|got|adopted|own|owns|bought|raised?)\b")
_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof"))


def read_relatives(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield relatives and pets with their names."""
    text = clause.text
    for found in KIN_LIST.finditer(text):
        owner = owner_of(found["p"], clause, state)
        word = KIN_SINGULAR.get(found["k"], found["k"].removesuffix("s"))
        for name in re.split(r",? (?:and|&) |, ", found["n"]) if owner is not None else ():
            yield from _belongs(clause, state, owner, name, word)
    for found in _HAS_NAMES.finditer(text) if clause.subject is not None else ():
        word = KIN_SINGULAR.get(found["k"], found["k"].removesuffix("s"))
        for name in re.split(r",? (?:and|&) |, ", found["n"]):
            yield from _belongs(clause, state, clause.subject, name, word)
    state.of_others.update(found["k"].lower() for found in _ANIMAL_OF_OTHERS.finditer(text))
    yield from _named_later(clause, state)
    yield from _relatives_of_kin(clause, state)
    for pattern in (KIN_NAMED, PET_NAMED, IS_KIN, NAMED_BY_ME):
        for found in pattern.finditer(text):
            groups = found.groupdict()
            name, word = groups["n"] or groups["n2"], _DESCRIPTIVE.sub("", found["k"].lower())
            if name.islower():
                name = name.capitalize()
            if _is_name(name, word) and not found["p"].endswith("'s") and word not in MANY_KIN:
                owner = _owner(found["p"], name, word, clause, state)
                yield from _belongs(clause, state, owner, name, word)
                if owner is not None and (aged := _AGE_AFTER.match(text, found.end())):
                    says, years = "{s} is {o}.", f"{aged['a'] or aged['a2']} years old"
                    yield draft(
                        clause, state, name, "RELATES_TO", years, says, relation="has age", kind=EntityType.TIME
                    )


# "Omar's dog", "her cat", "the neighbour's parrot"
_ANIMAL_OF_OTHERS: Final = re.compile(
    rf"(?:\b[A-Za-z]+'s|\b(?:his|her|their|your)) (?:[a-z]+ )?(?P<k>{_PET_WORDS})\b", re.IGNORECASE
)


def _relatives_of_kin(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield named relatives of relatives: "my sister's husband Femi"."""
    for found in KIN_OF_KIN_NAMED.finditer(clause.text):
        name, word = found["n"] or found["n2"], found["k"]
        owner = kin_named(found["first"], found["q"], "my", state)
        if owner is not None and _is_name(name, word) and word not in MANY_KIN:
            says = f"{{o}} is {{s}}'s {word}."
            kind = EntityType.PERSON
            yield draft(clause, state, owner, "RELATES_TO", name, says, relation=word, kind=kind, strength=0.8)


_HAS_NAMES: Final = re.compile(
    r"\b(?:have|has|got|adopted|had)(?: got)? (?:two|three|four|five|six|both|\d|a couple of|twin) (?:[a-z-]+ "
    r"){0,2}?(?P<k>kids|children|sons|"
    r"daughters|boys|girls|sisters|brothers|twins|cats|dogs|kittens|puppies|rabbits|grandchildren|grandsons|"
    r"granddaughters|hamsters|guinea pigs|horses|budgies|hens),?:?"
    r"(?: called| named| -)?,? (?P<n>" + NAME + r"(?:, " + NAME + r"){0,4},? (?:and|&) " + NAME + r")"
)
_NAMED_LATER: Final = re.compile(
    r"^(?:(?:his|her|its|their|the [a-z]+'s) names? (?:is|are|will be)|(?:he|she|it|they) (?:is|are)(?: now)? "
    r"(?:called|named)|(?:I|we) (?:called|named|have called|have named) (?:him|her|it|them)|"
    r"(?:he|she|it) (?:is|goes by|answers to)) (?P<n>" + NAME + r")(?=$|[,.!]| (?:now|after|and|because|for|by)\b)"
)
_NEWCOMER: Final = re.compile(
    r"\b(?:had|have|has|got|adopted|took in|rescued|bought|welcomed|getting|get|there is|with us is|joined by) "
    r"(?:(?:an?|our|my|the|new|little|healthy|beautiful|tiny|stray|rescue|second|third|first|"
    r"[a-z-]+-old|baby|black|white|ginger|brown|grey|gray) ){1,5}?(?P<k>boy|girl|son|daughter|baby|"
    + _PET_WORDS
    + r"|greyhound|stray|tom|spaniel|collie|pug|tabby|hen|ferret|budgie|gerbil|rat|mutt|pup|girlfriend|boyfriend|"
    r"partner|flatmate|roommate|boss|neighbour|neighbor|teacher|colleague|manager|rescue)\b"
)


def _named_later(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield the name of a child or animal that an earlier clause mentioned: `got a kitten!! her name's Miso`."""
    if state.many is not None and (found := _NAMED_LATER.match(clause.text)):
        if _is_name(found["n"], state.many):
            yield from _belongs(clause, state, state.speaker.me, found["n"], state.many)
        state.many = None
    elif (found := _NEWCOMER.search(clause.text)) and clause.subject in (None, state.speaker.me):
        state.many = CHILD_NAME.get(found["k"].lower(), found["k"].lower())


def _is_name(name: str, word: str) -> bool:
    return name.split()[0].lower() not in NOT_NAMES - _TITLES and name.lower() != word


def _owner(possessive: str, name: str, word: str, clause: Clause, state: DiscourseState) -> str | None:
    if possessive.lower() == "the":
        return None if word in state.of_others else state.speaker.me
    if possessive.lower() in ("a", "an"):
        return clause.subject if _OWNS.search(clause.text) else None
    # In "Sophia ... her friend" the named person is not her own friend.
    if clause.third == name and possessive.lower() in ("his", "her"):
        users = state.speaker.user_names
        named = state.speaker.me == THE_USER and any(user in clause.text for user in users)
        return THE_USER if named else None
    return owner_of(possessive, clause, state)


_SPOUSES: Final = frozenset(("husband", "wife", "partner", "boyfriend", "girlfriend", "late husband", "late wife"))
_GONE: Final = re.compile(
    r"\b(?:died|passed away|passed on|was put down|had to be put down|crossed the rainbow bridge|is no longer with "
    r"us|ran away|got run over|"
    r"went missing|has gone missing|was put to sleep|flew (?:off|away))\b|^my late\b|\blost (?:my|our)\b",
    re.IGNORECASE,
)
_HOUSEMATES: Final = frozenset(("flatmate", "housemate", "roommate"))


def _belongs(clause: Clause, state: DiscourseState, owner: str | None, name: str, word: str) -> Iterator[Draft]:
    if owner is None or owner == state.speaker.subject_named(name):
        return
    if _OWNS.search(clause.text):
        word = CHILD_NAME.get(word, word)
    state.named[word] = name
    is_pet = word.split()[-1] in PETS
    gone = (is_pet or word in _SPOUSES) and _GONE.search(clause.text) is not None
    gone = gone or (word in _HOUSEMATES and "moved out" in clause.text)
    yield draft(
        clause,
        state,
        owner,
        "RELATES_TO",
        name,
        f"{{o}} was {{s}}'s {word}." if gone else f"{{o}} is {{s}}'s {word}.",
        relation=word,
        kind=EntityType.ANIMAL if is_pet else EntityType.PERSON,
        strength=0.8,
        closes=gone,
    )


# Causes of symptoms and life events

_OFTEN = (
    r"(?:always |often |usually |sometimes |really |just |only |still |mostly |mainly |largely |actually |"
    r"definitely ){0,2}"
)
_SYMPTOM = r"(?:[a-z]+ ){0,2}?(?:" + "|".join(sorted(SYMPTOMS, key=len, reverse=True)) + ")"
_MY_CAUSE = r"(?:my |the |his |her |our |these |this |those |all my |me |us )?"
# Nouns for life events that are stated by a verb.
_EVENTS: Final = {
    "broke up": "breakup",
    "split up": "breakup",
    "separated": "separation",
    "got divorced": "divorce",
    "burned out": "burnout",
    "burnt out": "burnout",
    "lost my job": "job loss",
    "got fired": "job loss",
    "fell out": "falling-out",
}
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^"
        + _MY_CAUSE
        + r"(?P<o>[a-z][a-z' -]{2,40}?) (?:is|was|are|were|turned out to be|has been|have been|turns out to be) "
        + _OFTEN
        + r"(?:caused by|due to|because of|triggered by|brought on by|down to(?! \d)|(?:the|a) result of|from) "
        + r"(?P<c>.+)",
        r"^"
        + _MY_CAUSE
        + r"(?P<o>"
        + _SYMPTOM
        + r") "
        + _OFTEN
        + r"(?:comes?|came|stems?|results?|arises?) from (?P<c>.+)",
        r"^(?P<c>[a-z][a-z' -]{2,40}?) "
        + _OFTEN
        + r"(?:triggers?|gives?|causes?|brings? on|worsens?|aggravates?|sets? off|leads? to|provokes?|makes?) "
        + _MY_CAUSE
        + r"(?P<o>"
        + _SYMPTOM
        + r")\b",
        r"^(?:I|we) "
        + _OFTEN
        + r"(?:get|have|develop|suffer from|am getting|got) (?:an? |really |bad |terrible |awful |horrible )*(?P<o>"
        + _SYMPTOM
        + r") (?:whenever|when|every time|each time|after|from|because of|due to)(?P<me> I| we)? (?P<c>.+)",
        r"^(?:whenever|every time|each time|when)(?P<me> I| we) (?P<c>[^,]{3,50}),? I "
        + _OFTEN
        + r"(?:get|have|develop|suffer from) (?:an? |really |bad |terrible )*(?P<o>"
        + _SYMPTOM
        + r")\b",
        r"^(?:I|we) (?:finally |eventually )?(?P<v>"
        + "|".join(_EVENTS)
        + r") "
        + _OFTEN
        + r"(?:because of|due to|over) (?P<c>.+)",
    )
)
_HINT: Final = re.compile(
    r"caused|due to|because of|triggered|brought|down to|result of|\b(?:"
    + "|".join(sorted(SYMPTOMS))
    + r")\b|"
    + "|".join(_EVENTS),
    re.IGNORECASE,
)


_REACTION: Final = re.compile(
    r"\b(?:came|come|comes|broke|break|breaks) out in|\bg[ao](?:ve me|t) (?:an? )?(?:\w+ )?(?:hives|rash)\b|"
    r"\bnever again\b|"
    r"\bhad an? (?:\w+ )?reaction\b|\breacted\b|\bmade me (?:so |really |very )?(?:sick|ill|vomit|throw up)\b",
    re.IGNORECASE,
)


def reports_reaction(text: str) -> bool:
    """Return whether a sentence reports a bad reaction: `it made me sick`."""
    return _REACTION.search(text) is not None


_WHY_I: Final = re.compile(
    r"^the (?:main |real |only )?reason (?:that |why )?(?:I|we) (?P<v>(?:left|quit|gave up|stopped|sold|moved) "
    r".{2,40}?) (?:was|is) ",
    re.IGNORECASE,
)


def read_causes(sentence: Sentence, state: DiscourseState) -> Iterator[Draft]:
    """Yield the facts that need a whole sentence: reasons for decisions, slots, and at most one effect with its cause.

    Causes: `red wine gives me headaches`, `my back pain comes from sitting`.
    """
    text = without_lead(expand_contractions(mask_quoted_speech(sentence.text))).rstrip(" .!?,")
    if HYPOTHETICAL.search(text):
        return
    clause = Clause(text=text, rest=text, subject=None, third=None, start=sentence.start, end=sentence.end)
    yield from read_reasons(text, clause, state)
    if done := _WHY_I.match(text):
        decision = Clause(
            text=f"I {done['v']}",
            rest=done["v"],
            subject=state.speaker.me,
            third=None,
            start=sentence.start,
            end=sentence.end,
        )
        yield from read_everyday(decision, state) or ()
    yield from read_whole(clause, state)
    if _HINT.search(text) is None:
        return
    for number, pattern in enumerate(_PATTERNS):
        found = pattern.match(text)
        if found is None:
            continue
        groups = found.groupdict()
        effect = _EVENTS[groups["v"].lower()] if groups.get("v") else noun_phrase(groups["o"])
        cause = _cause(groups["c"], done=groups.get("me") is not None)
        # "My sister is from Spain" names no cause: "from" counts after symptoms only.
        if effect is None or cause is None or (number == 0 and " from " in text and not _is_pain(effect)):
            continue
        yield draft(clause, state, effect, "CAUSED_BY", cause, "{s} is caused by {o}.")
        return


def _is_pain(effect: str) -> bool:
    return re.search(_SYMPTOM + "$", effect, re.IGNORECASE) is not None


def _cause(said: str, *, done: bool) -> str | None:
    """Return the normalized cause; an action becomes a gerund, `skip breakfast` → `skipping breakfast`."""
    found = things(re.sub(r"^(?:drinking|eating) (?=\w)", "", said))[:1]
    if not found or len(found[0].split()) > 4:
        return None
    verb, _, rest = found[0].partition(" ")
    return f"{gerund(verb)} {rest}".strip() if done and not verb.endswith("ing") else found[0]


_THING = r"^(?P<o>[A-Za-z][\w' -]{1,40}?) "
_STILL = r"(?:still |definitely |probably |by far |always |also |really |just |hands down |never |not ){0,2}"


def _after_thing(pattern: str) -> re.Pattern[str]:
    return re.compile(_THING + pattern, re.IGNORECASE)


# (pattern, predicate, statement, relation); the first match wins.
_OPINIONS: Final = (
    (
        _after_thing(
            r"(?:is|are) (?:really |definitely |just |so )?(?:not|never) (?:really )?(?:my (?:thing|cup of tea|jam|"
            r"favou?rite|style)|for me)\b"
        ),
        "DISLIKES",
        "{s} does not like {o}.",
        None,
    ),
    (
        _after_thing(
            r"(?:(?:stress(?:es)?|freaks?|gross(?:es)?|creeps?|weirds?|wears?|turns?) me (?:out|off)|drives? "
            r"me (?:crazy|"
            r"nuts|mad|insane|up the wall)|bores? me|gets? on my nerves|annoys? me|irritates? me|disgusts? me|"
            r"(?:always )?makes? me (?:feel )?(?:sick|ill|poorly|unwell|"
            r"bloated|nauseous|queasy|cringe|uncomfortable|anxious|nervous|"
            r"miserable)|"
            r"(?:tastes?|smells?) (?:\w+ )?(?:awful|terrible|horrible|disgusting|gross|bad|like \w+) to me|"
            r"gives? me the (?:creeps|ick)|upsets? my stomach|(?:does|do) not (?:agree|sit well) with me|"
            r"(?:is|are) (?:such )?(?:pure |absolute |sheer )?(?:torture|a nightmare|hell|agony|my worst "
            r"nightmare) (?:for|to)"
            r" me)\b"
        ),
        "DISLIKES",
        "{s} does not like {o}.",
        None,
    ),
    (
        _after_thing(
            r"(?:comes?|always comes?|has always come) first\b|^(?P<o2>[A-Za-z][\w' -]{1,40}?) (?:really |"
            r"still |also )?"
            r"(?:matters? (?:a lot |most |so much |deeply |more than anything )?to (?:me|us)\b|(?:is|are) "
            r"(?:really |very |"
            r"so |extremely |super |incredibly |also ){0,3}(?:important|sacred|everything|essential|a (?:big |top |"
            r"huge )?priority|"
            r"close to my heart|my (?:top |number one |biggest |main )?(?:priority|concern))(?: (?:to|for) "
            r"(?:me|us)\b|"
            r"(?=$|[.,!]))|means? (?:a lot|the world|everything|so much) to (?:me|us)\b)"
        ),
        "CARES_ABOUT",
        "{o} matters to {s}.",
        None,
    ),
    (
        _after_thing(
            r"(?:(?:has|have) been (?:worrying|stressing|bothering|haunting|eating) me|(?:has|have) been "
            r"(?:weighing on|on) "
            r"my mind|(?:has|have) (?:been keeping|kept) me (?:up|awake)|keeps? me (?:up|awake) at night|"
            r"worr(?:ies|y) me|"
            r"weighs? on me)\b"
        ),
        "CARES_ABOUT",
        "{s} worries about {o}.",
        "worry",
    ),
    (
        _after_thing(
            r"(?:is|are|was|remains?|has been|have been) "
            + _STILL
            + r"(?:my (?:all[- ]time |absolute |personal |biggest |big |new |ultimate ){0,3}(?:favou?rites?|"
            r"fave|"
            r"go-to|jam|passion|comfort (?:food|movie|show)|happy place|guilty pleasure|weakness|hobby|"
            r"obsession|first love|"
            r"thing)\b|the (?:one|thing|ones) I (?:really )?(?:like|love|prefer|enjoy)|what I (?:love|like|"
            r"enjoy|prefer)|"
            r"(?:right )?up my (?:alley|street))"
        ),
        "PREFERS",
        "{s} loves {o}.",
        None,
    ),
)
# Quick check before the patterns above.
_OPINION_HINT: Final = re.compile(
    r"\b(?:me|us|my|first|important|sacred|everything|essential|priority|I)\b", re.IGNORECASE
)
_NOTHING_BEATS: Final = re.compile(
    r"^(?:there is )?nothing (?:is )?(?:better than|beats|like|compares to|makes me happier than|I love more "
    r"than) (?P<o>.+)|"
    r"^(?:what|the thing|one thing|the part|something) (?:that )?I (?:\w+ )?(?:love|like|enjoy) (?:the "
    r")?(?:most|best)?"
    r"(?!about (?:this|that|the|your|it)\b)[^.]{0,30}? is (?P<o2>.+)",
    re.IGNORECASE,
)
_BOTHERS: Final = re.compile(
    r"^(?:what|the thing that|one thing that) (?:\w+ )?(?:annoys|bothers|irritates|bugs|upsets|scares) me "
    r"(?:the )?(?:most )?"
    r"is (?P<o>.+)|^(?:my (?:biggest |greatest |worst )?(?:pet peeve|fear|phobia|nightmare)) is (?P<o2>.+)|"
    r"^nothing (?:annoys|bothers|irritates|scares) me more than (?P<o3>.+)",
    re.IGNORECASE,
)
_BODY: Final = re.compile(
    r"^my (?:stomach|body|gut|skin|system|digestion|tummy) (?:can not|could never|does not|will not|never) "
    r"(?:really )?"
    r"(?:handle|take|tolerate|digest|like|stand|agree with) (?P<o>.+)|^my (?:stomach|body|gut|skin|system|"
    r"digestion|tummy) "
    r"(?:hates|reacts (?:badly )?to|rebels against) (?P<o2>.+)",
    re.IGNORECASE,
)
_NO_PLEASE: Final = re.compile(
    r"^(?:please,? no (?:more )?(?P<o>[\w -]{3,40}?)(?: please)?$|no (?:more )?(?P<o2>[\w -]{3,40}?),? please\b)|"
    r"^(?:please )?(?:do not ever|never(?: ever)?|do not) (?:suggest|recommend|offer|give me|send me|show me|"
    r"serve me|use|add|"
    r"include|order) (?P<o3>[\w' -]{3,40}?)(?: to me| for me| again| ever(?: again)?)(?:$| )",
    re.IGNORECASE,
)
_NO_THANKS: Final = re.compile(r"^(?:rush|worries|problem|need|way|thanks|hurry|offen[sc]e|pressure|idea|more)\b", re.I)
_PLAN_IS: Final = re.compile(
    r"^(?:my|our) (?:(?:main|big|biggest|long[- ]term|only|new|next|ultimate|personal|current|lifelong) ){0,2}"
    r"(?P<k>goal|dream|plan|aim|ambition|resolution|new year's resolution|target|hope|wish)(?: (?:for "
    r")?(?:this|next|the) "
    r"\w+| in life| right now| for \d{4})? (?:is|has always been) (?:still )?(?:to (?P<o>.+)|(?P<o2>[a-z]+ing .+))",
    re.IGNORECASE,
)
_HOME: Final = re.compile(
    r"^(?:my|our) (?:(?:new|little|tiny|small|current) )?(?:apartment|flat|house|home|place|studio|condo|loft|"
    r"cottage)"
    r"(?: is)?(?: here)? in (?P<o>.+)",
    re.IGNORECASE,
)
_HOMETOWN: Final = re.compile(r"^(?:my|our) (?:home ?town|home country|home city) is (?P<o>.+)", re.IGNORECASE)
_ADDRESS: Final = re.compile(
    r"^(?:my|our) (?:home |new |current |postal |mailing )?address is (?P<o>.+)", re.IGNORECASE
)
_WORKPLACE: Final = re.compile(
    r"^(?:my|our) (?:(?:new|current|whole) )?(?:team|office|job|department|colleagues|coworkers|manager|boss|"
    r"role|position|"
    r"internship|work)(?: here| over)? at (?P<o>.+)",
    re.IGNORECASE,
)
_MY_JOB: Final = re.compile(
    r"^as (?P<o>an? [a-z -]{3,40}?)(?: myself| by trade)?,? (?:I|my)\b|"
    r"^(?:my|his|her) (?:job|profession|occupation) is (?P<o2>.+)",
    re.IGNORECASE,
)
_BIRTHDAY: Final = re.compile(r"^my (?:birthday|bday|birth date|date of birth) is (?:on )?(?P<o>.+)", re.IGNORECASE)


def read_judgements(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield opinions of things, triggers of emotions, and personal facts stated by a noun."""
    yield from _triggers(clause, state)
    yield from _judged(clause, state)
    yield from _personal_facts(clause, state)
    for found in OWN.finditer(clause.text):
        owner = owner_of(found[0].split()[0], clause, state)
        name = found["c"] or found["o"]
        if owner is not None and (found["c"] or name.lower() in PETS):
            says = f"{{s}} has {with_article(name)}."
            kind = object_type(name)
            yield draft(clause, state, owner, "RELATES_TO", name, says, relation="has", kind=kind, strength=0.6)


def _triggers(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    found = EMOTION.match(clause.text)
    emotion = EMOTIONS.get((found["e"] or found["v"]).lower()) if found else None
    name = noun_phrase(found["o"]) if found else None
    if emotion and name:
        predicate = "PREFERS" if emotion in PLEASANT else "DISLIKES"
        says = "{o} always makes {s} feel " + emotion + "."
        kind = object_type(name)
        yield draft(clause, state, state.speaker.me, predicate, name, says, emotion=emotion, kind=kind)


def _judged(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield opinions: `jazz is my go-to`, `family comes first`, `crowds stress me out`."""
    me, text = state.speaker.me, clause.text
    for pattern, predicate, says, relation in (
        _OPINIONS if _OPINION_HINT.search(text) and not text.startswith("I ") else ()
    ):
        found = pattern.match(text)
        if found is None or _NOT_A_THING.match(_first(found)):
            continue
        said = _first(found)
        single = noun_phrase(said)
        for name in things(said)[:3] if re.search(r" (?:and|or) ", said) else [single] if single else []:
            kind = object_type(name)
            yield draft(clause, state, me, predicate, name, says, relation=relation, kind=kind)
        return
    for asked, predicate, says in (
        (_NOTHING_BEATS, "PREFERS", "{s} loves {o}."),
        (_BOTHERS, "DISLIKES", "{s} cannot stand {o}."),
        (_BODY, "DISLIKES", "{s} cannot take {o}."),
        (_NO_PLEASE, "DISLIKES", "{s} does not want {o}."),
    ):
        if (found := asked.match(text)) and not _NO_THANKS.match(_first(found)):
            for name in things(_first(found).split(", ")[0])[:1]:
                yield draft(clause, state, me, predicate, name, says, kind=object_type(name))


_NOT_A_THING: Final = re.compile(
    r"(?:I|we|you|your|there|here|today|yesterday|tomorrow|which|who|only|so)\b", re.IGNORECASE
)


def _personal_facts(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield home, work, birthday and goals stated by a noun: `my address is`, `our team at`, `my dream is`."""
    me, text = state.speaker.me, clause.text
    found = _PLAN_IS.match(text)
    name = verb_phrase(found["o"] or found["o2"], trivial=frozenset()) if found else None
    if found and name:
        says = f"{{s}}'s {found['k'].lower()} is to {{o}}."
        aim = EntityType.ACTIVITY
        yield draft(clause, state, me, "CARES_ABOUT", name, says, relation="goal", kind=aim, strength=0.8)
    for pattern, relation, says, read in _PERSONAL_FACTS:
        if found := pattern.match(text):
            for name, kind, _ in read(_first(found))[:1]:
                yield draft(clause, state, me, "RELATES_TO", name, says, relation=relation, kind=kind)
            return


_PERSONAL_FACTS: Final = (
    (_HOME, "lives in", "{s} lives in {o}.", places),
    (_HOMETOWN, "is from", "{s} is from {o}.", places),
    (_ADDRESS, "lives in", "{s} lives at {o}.", address),
    (_WORKPLACE, "works at", "{s} works at {o}.", workplaces),
    (_MY_JOB, "works as", "{s} works as {o}.", jobs),
    (_BIRTHDAY, "born on", "{s} was born on {o}.", birthdays),
)


def _first(found: re.Match[str]) -> str:
    """Return the first object group that matched: `o`, `o2` or `o3`."""
    return next(text for text in found.groupdict().values() if text is not None)


# Favourites and names

_NO_CATEGORY = frozenset(("was", "is", "part", "thing", "things", "one", "way", "bit"))
# Words that are not names after "I'm": "I'm Sorry", "I'm Catholic".
_NO_NAMES = (
    NOT_NAMES
    | MORE_TRAITS
    | word_set("crazy back done good fine tired here ready busy sick late new old lost free open bored hungry")
)


def own_name(clause: Clause, state: DiscourseState) -> Iterable[Draft] | None:
    """Read `my name is Ada`, `call me Ada`; None for other clauses."""
    named = NAME_IS.match(clause.text)
    if named is None or named["o"].split()[0].lower() in _NO_NAMES:
        return None
    me, says = state.speaker.me, "{s} is named {o}."
    return [draft(clause, state, me, "RELATES_TO", named["o"], says, relation="is named", strength=0.9)]


def favorite_is(clause: Clause, state: DiscourseState) -> Iterable[Draft] | None:
    """Read `my favorite color is blue`, `blue is no longer my favorite color`; None for other clauses."""
    found = _FAVORITE_IS.match(clause.text)
    if found is not None:
        return _favorites(found, clause, state)
    found = _IS_FAVORITE.match(clause.text)
    return None if found is None else [*_favorites(found, clause, state)] or None


def _favorites(found: re.Match[str], clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    owner = owner_of(found["p"] or found["w"], clause, state)
    category, is_over = found["c"].strip().lower(), found["no"] is not None
    if owner is None or not (PRONOUNS | _NO_CATEGORY).isdisjoint(category.split()) or (is_over and not category):
        return
    for name in things(re.sub(r" any ?(?:more|longer)\b.*", "", found["o"]))[:3]:
        says = f"{{s}}'s favorite {category} is {'no longer ' if is_over else ''}{{o}}."
        yield draft(
            clause,
            state,
            owner,
            "PREFERS",
            name,
            says if category else "{s}'s favorite is {o}.",
            relation=f"favorite {category}" if category else None,
            kind=object_type(name, EntityType.WORK if quoted_title(found["o"]) else None),
            strength=0.9,
            closes=is_over,
        )


def favorite_within(clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Read `saw his favorite penguins`, `her favorite animal, the golden monkey`."""
    found = FAVORITE.search(clause.text)
    owner = owner_of(found["p"], clause, state) if found else None
    if found is None or owner is None or re.match(r"(?:and|is|was|to|of|are|were|because|about|with) ", found["o"]):
        return
    title = quoted_title(found["o"])
    apposed = re.match(r"[a-z ]{3,30}, (?P<o>(?:an?|the) [^,]+)", found["o"])
    names = [title] if title else things(apposed["o"] if apposed else found["o"])
    kind = EntityType.WORK if title else None
    # "One of my favourite bands" and "teal is my favourite colour" name a category.
    before = clause.text[: found.start()]
    category = re.search(r"(?:one|some|couple|few|lot) of $", before) or (
        before.endswith((" is ", " are ")) and re.fullmatch("[a-z]+", found["o"].strip())
    )
    if not apposed and not title and (category or not names or names[0].lower() in GENERIC | KIN):
        return
    for name in names if apposed else names[:1]:
        yield draft(clause, state, owner, "PREFERS", name, "{s} loves {o}.", kind=object_type(name, kind), strength=0.9)
