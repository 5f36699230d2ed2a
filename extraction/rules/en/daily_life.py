"""Read habits, school years, commutes, intentions and other facts of daily life from English verb phrases.

A row of the table matches the text after the subject; rows of habits require that the clause says how often.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from extraction.rules.en.frames import Reader, positions, read_exact, read_known_places, read_one_thing
from extraction.rules.en.statements import AMOUNT
from extraction.rules.engine import Clause, DiscourseState, Draft, ObjectPhrase, draft
from extraction.text.english_stems import gerund
from extraction.text.lexicon_en import DEMONYM_PATTERN, MANY_KIN, word_set
from schema.entity import EntityType

_OFTEN: Final = re.compile(
    r"\b(?:every (?!one\b|body\b|thing\b)(?:other |single |few )?[a-z]+|each (?:day|week|month|morning|evening|"
    r"night)|(?:on |at )?weekends|"
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:once|twice|\w+ times|a few times|a couple of times) "
    r"(?:a|per|each) (?:day|week|month|year)|"
    r"most (?:days|mornings|evenings|nights|weeks|weekends)|in the (?:mornings|evenings|afternoons)|usually|always|"
    r"normally|often|mostly|regularly|daily|"
    r"weekly|after work|before work|at night|nearly every|almost every)\b",
    re.IGNORECASE,
)
_LEAD: Final = (
    r"(?:(?:usually|always|normally|often|mostly|generally|regularly|still|also|now|just|currently|both|all|really|"
    r"tend to|like to|mainly|typically|"
    r"nearly always|almost always) ){0,3}"
)
_STOP: Final = (
    r"(?=$|[,.;:!)]| (?:and|but|so|because|since|with|on|at|in|after|before|every|each|from|for|to|when|whenever|by|"
    r"while|most|once|twice|two|three|four|five|a|during|as|around|these|now|again|the|near|along|usually|if|"
    r"together)\b)"
)
_OUTINGS: Final = (
    r"(?:swimming|running|jogging|climbing|bouldering|hiking|cycling|surfing|skiing|snowboarding|sailing|fishing|"
    r"dancing|camping|walking|kayaking|rowing|"
    r"skating|riding|horse riding|horseback riding|birdwatching|hillwalking|paddleboarding|bowling|foraging|ice "
    r"skating|wild swimming|salsa dancing)"
)
_PRACTICES: Final = (
    r"(?:yoga|pilates|karate|judo|tai chi|boxing|kickboxing|ballet|crossfit|parkrun|zumba|meditation|gardening|"
    r"pottery|calligraphy|crosswords|"
    r"sudokus?|jigsaws|puzzles|spinning|aerobics|martial arts|the crossword|archery|fencing|gymnastics)"
)
_PASTIMES: Final = (
    r"(?:swim|run|jog|hike|climb|knit|crochet|paint|draw|dance|meditate|surf|ski|sail|fish|garden|sing|box|row|cycle|"
    r"sew|journal|skateboard)"
)
_MAKES: Final = (
    r"(?:(?:my|our|his|her|their) (?:own )?|an? |some )?(?P<o>(?:[a-z]+ )?(?:bread|sourdough|cakes?|cookies|pasta|"
    r"curry|soup|food|pizza|muffins|pies?|"
    r"jam|granola|kombucha|sushi|dumplings|dishes|cuisine|stews?|noodles|pancakes|brownies|scones|yoghurt|yogurt|"
    r"beer|cider))"
)
_EATEN_STOP: Final = word_set(
    "lunch dinner breakfast supper tea-time it them out too much less more nothing something anything everything "
    "meals meal food water one shower bath "
    "nap look rest break time problems trouble fun meetings meeting snacks things stuff pills tablets medication "
    "medicine vitamins a lot leftovers"
)
_TIME: Final = (
    r"(?:about |around |roughly |half past |quarter (?:past|to) )?(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|o'clock)?|"
    r"[a-z]{3,6}(?: (?:am|thirty|fifteen))?|midnight|noon|dawn)"
)
_HOURS: Final = word_set("one two three four five six seven eight nine ten eleven twelve midnight noon dawn")
_GRADE: Final = (
    r"(?:(?:year|grade|class|form|primary|p|yr) ?(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve)|"
    r"(?:the )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|1st|2nd|3rd|"
    r"\d{1,2}th) (?:grade|form)|"
    r"reception|nursery|kindergarten|preschool|pre-school|primary school|elementary school|middle school|secondary "
    r"school|high school|sixth form|"
    r"junior high|daycare)"
)
_SIGN: Final = r"(?:Aries|Taurus|Gemini|Leo|Virgo|Libra|Scorpio|Sagittarius|Capricorn|Aquarius|Pisces)"
_WORK_TITLE: Final = (
    r"(?P<o>(?:The |A )?[A-Z][\w'’&-]*(?: (?:(?:of|the|and|in|to|a|for|on) ){0,2}[A-Z\d][\w'’-]*){0,6})"
)
_COMMUTES: Final = {
    "cycle": "bike",
    "bike": "bike",
    "ride": "bike",
    "drive": "car",
    "walk": "foot",
    "run": "foot",
    "scoot": "scooter",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A verb phrase of daily life and the fact it states.

    Attributes:
        often: the clause must say how often.
        momentary: the row may read a clause about today.
        others: the row reads no clause about the speaker.
        many: the subject must be several people.
    """

    pattern: re.Pattern[str]
    says: str
    read: Reader
    relation: str | None = None
    predicate: str = "RELATES_TO"
    kind: EntityType | None = None
    often: bool = False
    momentary: bool = False
    others: bool = False
    many: bool = False


def _gerunds(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(gerund(text.lower()), EntityType.ACTIVITY)]


def _activity(text: str) -> list[ObjectPhrase]:
    return [ObjectPhrase(text.lower().removeprefix("the "), EntityType.ACTIVITY)]


def _eaten(text: str) -> list[ObjectPhrase]:
    """Return food or a drink that somebody has as a habit; none for meals and pronouns."""
    found = read_one_thing(text)
    return [one for one in found if _EATEN_STOP.isdisjoint(one.name.lower().split())][:1]


def _hour(text: str) -> list[ObjectPhrase]:
    known = re.search(r"\d", text) or not _HOURS.isdisjoint(text.lower().split())
    return [ObjectPhrase(text.strip(), EntityType.TIME)] if known else []


def _by(text: str) -> list[ObjectPhrase]:
    """Return the means of a commute: "bike" for "cycle"."""
    word = text.lower()
    return [ObjectPhrase(_COMMUTES.get(word) or _COMMUTES.get(word.removesuffix("s")) or word, EntityType.THING)]


def _intention(text: str) -> list[ObjectPhrase]:
    """Return what somebody has decided to do: "sell motorbike"."""
    said = re.split(r"[,;.!?]| (?:because|but|so|if|when|since|though|while|although|next|this)\b", text)[0].strip()
    if not 2 <= len(said.split()) <= 7 or re.search(r"\b(?:it|that|you|them|me|us|something|anything)\b", said):
        return []
    return [ObjectPhrase(re.sub(r" (?:an?|my|our) ", " ", said), EntityType.ACTIVITY)]


def _jobs(text: str) -> list[ObjectPhrase]:
    """Return an occupation in the plural: "teachers"."""
    one = re.sub(r"s$", "", text)
    return [ObjectPhrase(text, EntityType.TOPIC)] if positions(f"a {one}") else []


def _subject_of_course(text: str) -> list[ObjectPhrase]:
    return read_one_thing(re.sub(r"^(?:the|basic|advanced|beginner'?s?) ", "", text))[:1]


def _row(pattern: str, says: str, read: Reader, **more: object) -> Row:
    return Row(pattern=re.compile(_LEAD + pattern), says=says, read=read, **more)  # type: ignore[arg-type]


_BE: Final = r"(?:am|is|are|have been|has been)"
ROWS: Final[tuple[Row, ...]] = (
    # Habits
    _row(
        rf"(?:go|goes) (?:out )?(?P<o>{_OUTINGS}){_STOP}",
        "{s} often goes {o}.",
        _activity,
        predicate="PREFERS",
        often=True,
    ),
    _row(
        rf"(?:do|does|practise|practises|practice|practices) (?:some |a bit of )?(?P<o>{_PRACTICES}){_STOP}",
        "{s} often does {o}.",
        _activity,
        predicate="PREFERS",
        often=True,
    ),
    _row(
        rf"(?:cook|cooks|bake|bakes|make|makes|brew|brews) {_MAKES}{_STOP}",
        "{s} often makes {o}.",
        read_exact,
        predicate="PREFERS",
        often=True,
    ),
    _row(
        rf"(?P<o>{_PASTIMES})(?:s|es)?{_STOP}(?! to (?:work|school|the|catch)| into| out of| away| the | late| a "
        rf"(?!\w+ ?(?:day|week|month|run)))",
        "{s} often goes {o}.",
        _gerunds,
        predicate="PREFERS",
        often=True,
    ),
    _row(
        r"(?:just |only )?(?:have|has|eat|eats|drink|drinks|order|orders|get|gets) (?:just |only )?(?:an? |the |some "
        r")?(?P<o>(?!to |up |out |home |on |off |in )[a-z][a-z -]{2,28}?)"
        r"(?= for (?:breakfast|lunch|dinner|supper)| there| at that| first thing| in the (?:mornings?|evenings?)| "
        r"before bed| instead)",
        "{s} often has {o}.",
        _eaten,
        predicate="PREFERS",
        often=True,
    ),
    _row(
        r"(?:order|orders) (?:the |an? )?(?P<o>[a-z][a-z -]{2,28}?)(?=$|[,.;!]| (?:there|at|when|from|because|and)\b)",
        "{s} often orders {o}.",
        _eaten,
        predicate="PREFERS",
        often=True,
    ),
    _row(
        rf"(?:get|gets|wake|wakes) up (?:early )?at (?P<o>{_TIME}){_STOP}",
        "{s} gets up at {o}.",
        _hour,
        relation="wakes up at",
        kind=EntityType.TIME,
    ),
    _row(
        rf"(?:go|goes) to (?:bed|sleep) (?:at|around|by) (?P<o>{_TIME}){_STOP}",
        "{s} goes to bed at {o}.",
        _hour,
        relation="goes to bed at",
        kind=EntityType.TIME,
    ),
    _row(
        r"(?:(?:commute|commutes) (?:to (?:work|school|the office|uni) )?by (?P<o>[a-z]+)|(?:take|takes|get|gets|"
        r"catch|catches) the (?P<o2>bus|train|tram|metro|"
        r"tube|subway|underground|ferry|s-bahn|u-bahn) to (?:work|school|uni|the office|college)|(?P<o3>cycle|bike|"
        r"drive|walk|run|scoot)s? to (?:work|school|uni|the "
        r"office|college))\b",
        "{s} commutes by {o}.",
        _by,
        relation="commutes by",
    ),
    _row(
        rf"(?:go|goes) to the (?P<o>gym|sauna|library|pool|swimming pool|lido|climbing wall|mosque|synagogue|"
        rf"choir)\b{_STOP}",
        "{s} often goes to the {o}.",
        read_exact,
        relation="goes to",
        often=True,
    ),
    # School, work and money
    _row(
        rf"(?:{_BE} in|(?:(?:just|has|have|only) ){{0,2}}(?:started|begun|began)) (?P<o>{_GRADE}){_STOP}",
        "{s} is in {o}.",
        read_exact,
        relation="grade",
    ),
    _row(
        r"(?:(?:am|is|are) (?:doing|taking|on)|(?:take|takes|do|does)|(?:have|has) (?:just )?(?:started|begun)|"
        r"started) an? (?:[a-z-]+ ){0,2}?"
        r"(?:course|diploma|certificate|bootcamp|evening class|class|apprenticeship) (?:in|on) (?P<o>[A-Za-z][A-Za-z "
        r"-]{2,28}?)"
        r"(?=$|[,.;!]| (?:at|with|on|for|in|through|every|and|which|because|this|next|online|now)\b)",
        "{s} studies {o}.",
        _subject_of_course,
        relation="studies",
        kind=EntityType.TOPIC,
    ),
    _row(
        r"(?:work|works|have been working|has been working|am working|is working|are working) (?:mostly |mainly |"
        r"fully |entirely |almost always )?from "
        rf"(?P<o>home){_STOP}(?! (?:today|tomorrow|this))",
        "{s} works from {o}.",
        read_exact,
        relation="works from",
    ),
    _row(
        rf"(?:earns?|makes?|am on|is on|am paid|is paid|gets? paid|clears?|takes? home|brings? home|nets?) {AMOUNT}"
        rf"{_STOP}",
        "{s} earns {o}.",
        lambda text: read_exact(text) if re.search(r"k$|month|year|hour|week", text) else [],
        relation="earns",
    ),
    _row(
        r"are (?:retired |former )?(?P<o>[a-z][a-z -]{2,28}?s)(?=$|[,.;!]| (?:and|but|so|in|at|from)\b)",
        "{s} works as {o}.",
        _jobs,
        relation="works as",
        kind=EntityType.TOPIC,
        many=True,
    ),
    _row(
        r"(?:am|is|are) (?:still |now |currently )?on (?P<o>(?:maternity|paternity|parental|sick|study|adoption) "
        r"leave|a sabbatical|furlough)\b",
        "{s} is on {o}.",
        read_exact,
        relation="is on",
    ),
    _row(
        r"(?:live|lives|am|is|are) on the (?P<o>(?:ground|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|"
        r"tenth|top|"
        r"\d{1,2}(?:st|nd|rd|th)) floor)\b",
        "{s} lives on the {o}.",
        read_exact,
        relation="lives on",
    ),
    # Traits
    _row(
        r"(?:originally )?(?:come|comes|came) (?:originally )?from (?P<o>[A-Z].+)",
        "{s} is from {o}.",
        read_known_places,
        relation="is from",
        kind=EntityType.PLACE,
        others=True,
    ),
    _row(rf"(?:am|is) an? (?P<o>{_SIGN})\b", "{s} is a {o}.", read_exact, relation="star sign"),
    _row(
        rf"(?:am|is|are) (?:originally |actually )?(?P<o>{DEMONYM_PATTERN})"
        r"(?=$|[,.;!]| (?:and|but|so|by|originally)\b)",
        "{s} is {o}.",
        read_exact,
        relation="nationality",
    ),
    # Books and series
    _row(
        rf"(?:am|is|are) (?:re-?)?reading {_WORK_TITLE}(?=$|[,.;!]| (?:at the moment|right now|now|and|again|for|in|"
        rf"with|on|to)\b)",
        "{s} is reading {o}.",
        read_exact,
        relation="reads",
        kind=EntityType.WORK,
        momentary=True,
    ),
    _row(
        rf"(?:am|is|are) (?:re-?|binge-?)?watching (?!(?:TV|Netflix|YouTube|BBC|{DEMONYM_PATTERN})\b){_WORK_TITLE}(?=$|"
        rf"[,.;!]| (?:at the moment|right now|now|and|"
        rf"again|in|with|on Netflix)\b)(?! (?:play|perform))",
        "{s} is watching {o}.",
        read_exact,
        relation="watches",
        kind=EntityType.WORK,
        momentary=True,
    ),
    # Intentions
    _row(
        r"(?:have|has) (?:just |finally )?decided to (?P<o>(?:sell|buy|leave|move|quit|switch|adopt|retire|go back|"
        r"study|learn|apply|emigrate|marry|rent|cancel|start|stop|give up) .{2,60})",
        "{s} has decided to {o}.",
        _intention,
        predicate="CARES_ABOUT",
        relation="plan",
        kind=EntityType.ACTIVITY,
        momentary=True,
    ),
)


# Words of which each row needs one near the start of its text; a quick check.
_CUE_CHARS_MAX: Final = 60
_CUES: Final = word_set(
    "go goes do does practise practises practice practices cook cooks bake bakes make makes brew brews have has eat "
    "eats drink drinks "
    "order orders get gets wake wakes commute commutes take takes catch catches cycle cycles bike bikes drive drives "
    "walk walks run runs "
    "scoot scoots swim swims jog jogs hike hikes climb climbs knit knits crochet crochets paint paints draw draws "
    "dance dances meditate "
    "meditates surf surfs ski skis sail sails fish fishes garden gardens sing sings box boxes row rows sew sews "
    "journal journals "
    "skateboard skateboards am is are been started begun began work works working earn earns "
    "clear clears net nets bring brings paid come comes came live lives decided"
)


def read_daily_life(subject: str, rest: str, clause: Clause, state: DiscourseState) -> Iterator[Draft]:
    """Yield the fact that the first fitting row states about a subject, given the text after it."""
    if clause.past or _CUES.isdisjoint(rest[:_CUE_CHARS_MAX].lower().split()):
        return
    often = None
    for row in ROWS:
        if (row.others and subject == state.speaker.me) or (row.many and subject not in MANY_KIN):
            continue
        if (clause.momentary and not row.momentary) or (found := row.pattern.match(rest)) is None:
            continue
        if row.often and often is None:
            often = _OFTEN.search(clause.lead + " " + clause.text) is not None
        if row.often and not often:
            continue
        said = next((text for name, text in found.groupdict().items() if name.startswith("o") and text), "")
        for one in row.read(said.strip())[:1]:
            yield draft(
                clause,
                state,
                subject,
                row.predicate,
                one.name,
                row.says,
                relation=row.relation,
                kind=row.kind or one.object_type,
                strength=0.6 if row.often else 0.7,
            )
            return


# Statements about several people

_VERB: Final = re.compile(r"^\{s\} (?P<adverb>(?:no longer|often|also|regularly) )?(?P<verb>[a-z]+)\b")
_PLURAL: Final = {"is": "are", "has": "have", "was": "were", "does": "do", "goes": "go"}
_SINGULAR_ENDS: Final = re.compile(r"(?:ss|us|is)$")


def agree(subject: str, says: str) -> str:
    """Return a statement with its verb in the plural if the subject is several people: "my parents live in Leeds"."""
    many = subject.rpartition(" ")[2] in MANY_KIN
    found = _VERB.match(says) if many else None
    if found is None:
        return says
    verb = found["verb"]
    if verb in _PLURAL:
        plural = _PLURAL[verb]
    elif verb.endswith("ies"):
        plural = verb[:-3] + "y"
    elif re.search(r"(?:sh|ch|ss|x|z)es$", verb):
        plural = verb[:-2]
    elif verb.endswith("s") and not _SINGULAR_ENDS.search(verb):
        plural = verb[:-1]
    else:
        return says
    return says[: found.start("verb")] + plural + says[found.end("verb") :]
