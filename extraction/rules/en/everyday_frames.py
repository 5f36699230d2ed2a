"""English frames of everyday life: moves, work, partners, children, ages, belongings, medicines, allergies, changes."""

import re
from collections.abc import Iterable
from typing import Final

from extraction.rules.en.frames import (
    NUMBER,
    OWNER,
    FrameBook,
    States,
    after,
    clause_frame,
    read_age,
    read_brand,
    read_exact,
    read_goods,
    read_noun,
    read_one_thing,
    read_places,
    read_product,
    read_slots,
    read_things,
)
from extraction.rules.en.household_frames import HOUSEHOLD
from extraction.rules.en.spoken_frames import (
    SPOKEN_AGES,
    SPOKEN_BELONGINGS,
    SPOKEN_CHANGES,
    SPOKEN_HEALTH,
    SPOKEN_MOVES,
    SPOKEN_NUMBERS,
    SPOKEN_PEOPLE,
    SPOKEN_TASTES,
    SPOKEN_WORK,
)
from extraction.rules.en.statements import (
    ALLERGIC,
    CANNOT_HAVE,
    HAS,
    HAS_TOPIC,
    LIKES,
    LIVES,
    MED,
    NAME,
    NO_LONGER_HAS,
    NO_LONGER_LIKES,
    NO_LONGER_TAKES,
    NO_LONGER_WORKS_AT,
    NOT_LIKES,
    PARTNER,
    PERSON,
    PLACE,
    PREFERS,
    PROPER,
    TAKES,
    TOPIC,
    USES,
    WORKS_AS,
    WORKS_AT,
)
from extraction.rules.en.word_classes import CONDITION, SOFTWARE_NAME
from extraction.rules.engine import Clause, DiscourseState, Draft, draft
from extraction.text.lexicon_en import KIN, PASTIMES
from schema.entity import EntityType

_MORE: Final = r"any ?(?:more|longer)"


# Moves

_LEFT: Final = States(
    says="{s} no longer lives in {o}.", relation="lives in", group="old", read=read_places, kind=PLACE, closes=True
)
_MOVED: Final = (
    r"(?:moved|relocated|upped sticks|emigrated|immigrated|resettled|decamped|returned|gone back|went back|come back|"
    r"came back|migrated|transferred|am back|are back|is back|settled)(?: (?:back|home|house|out|over|up|down|"
    r"across|in|"
    r"again|away|the whole family|north|south|east|west|together|permanently|for good)){0,2}"
    rf"(?! from {SOFTWARE_NAME}\b)"
)
MOVES: Final = (
    after(rf"{_MOVED} (?:from (?P<old>.{{2,30}}?) )to (?P<o>.+)", LIVES, _LEFT),
    after(
        r"(?:am |is |are )?(?:living|renting|lodging|based|settled|house-?sitting|rent|renting a (?:flat|room|house|"
        r"place|"
        r"studio)|staying|share a (?:flat|house)|sharing a (?:flat|house)|have a (?:flat|place|house|room|studio)|"
        r"bought a (?:flat|place|house|home|studio)|found a (?:flat|place|house|room|studio)|got a (?:flat|place|room))"
        r"(?: (?:now|here|at the moment|temporarily|currently|with [a-z ]{2,20}?))? (?:in|near|outside|on) "
        r"(?P<o>(?:the )?(?-i:[A-Z]).+)",
        LIVES,
    ),
    clause_frame(
        rf"^(?:{OWNER} )?(?:new |current |own )?(?:place|home|flat|house|apartment|room|digs|bungalow|cottage)(?: "
        rf"now)? is "
        r"(?:now )?(?:in|on|at|near|outside) (?P<o>.+)",
        LIVES,
    ),
)


# Work

WORK: Final = (
    clause_frame(
        r"^(?:(?:today|yesterday|friday|it) (?:is|was) )?(?:my |her |his )?(?:very )?(?:last|final) (?:day|shift|"
        r"week) (?:ever )?(?:at|with|for) (?P<old>.{2,40}?)(?: today| yesterday| on \w+| tomorrow|$|,)",
        NO_LONGER_WORKS_AT,
    ),
    after(
        r"(?:teach|teaches|lecture|lectures|coach|coaches|cook|cooks|clean|cleans|drive|drives|volunteer|volunteers|"
        r"do the [a-z]+|does the [a-z]+|work as .{3,30}?|tutor|nurse|code|"
        r"do (?:sales|marketing|admin|accounts|accounting|payroll|design|research|security|it))(?: [A-Za-z0-9][\w "
        r"]{0,30}?)? (?:at|for) (?P<o>.+)",
        WORKS_AT,
    ),
    after(
        r"(?:am|is|became|have become|has become) (?:now )?(?:an? |the )?(?P<j>.{3,40}?) (?:at|for|with) "
        r"(?P<o>(?:the )?(?-i:[A-Z]).+)",
        WORKS_AS,
        WORKS_AT,
    ),
    after(
        r"(?:(?:left|quit|lost|resigned from|gave up|packed in|jacked in|walked out of|handed in (?:my|his|her) "
        r"notice at|gave (?:my )?notice at|"
        r"finished (?:up )?at|no longer (?:work|works) (?:at|for)|am no longer (?:at|with)|am done at|stopped working "
        r"(?:at|for)|got (?:fired|sacked|laid off|let go) (?:from|by)|was (?:fired|sacked|laid off|let go|made "
        r"redundant) "
        r"(?:from|by|at)|been (?:fired|sacked|laid off|let go|made redundant) (?:from|by|at)|retired from)"
        r"(?: (?:my|the|his|her|our)(?: old)? (?:job|post|position|role|shifts) (?:at|with))?) (?P<old>(?:the "
        r")?(?-i:[A-Z]).{1,40}?)"
        r"(?: (?:for|to (?:join|work at|work for|start at)) (?P<o>(?-i:[A-Z]).+)|$|[,.;!]| (?:in|last|this|after|"
        r"because|on|at|and|due|over|when|a)\b.*)",
        NO_LONGER_WORKS_AT,
        WORKS_AT,
    ),
    after(
        r"(?:retired(?! from\b| to\b)|took early retirement|am retired)(?P<o>)",
        States(says="{s} is {o}.", relation="is", read=lambda _: read_exact("retired"), kind=TOPIC),
    ),
    after(
        r"(?:run|runs|own|owns|opened|started|set up|founded|co-own|co-founded|launched|manage|bought|have|have opened)"
        r"(?: (?:up|a|an|my|our|own|the|small|little|tiny|new|family)){1,4} (?P<o>(?:[a-z-]+ ){0,2}(?:shop|café|"
        r"cafe|bakery|practice|"
        r"studio|business|company|restaurant|salon|agency|clinic|bar|pub|bookshop|gallery|firm|consultancy|startup|"
        r"start-up|"
        r"workshop|school|nursery|farm|gym|brewery|hotel|guesthouse|b&b|store|stall|food truck|etsy shop|online "
        r"shop|surgery|"
        r"garage|deli|pottery|florist'?s?|hairdresser'?s?|barbershop|kiosk))\b",
        States(says="{s} runs {o}.", relation="runs", read=read_exact),
    ),
)


# Partners

_SPLIT: Final = (
    r"(?:split|split up|broke up|broken up|break up|separated|parted ways|called it quits|called it off|ended "
    r"things|are over|"
    r"are done|went our separate ways|are no longer (?:together|dating|a couple|an item|seeing each other)|"
    rf"are not (?:together|dating|a couple|an item|seeing each other|an item) {_MORE})"
)
_DATES: Final = (
    r"(?:am |is |are |started |been |begun )*(?:seeing|dating|going out with|in a relationship with|together with|"
    r"going steady with|"
    r"courting|involved with)"
)
PARTNERS: Final = (
    after(
        r"(?:am|is|are)(?: only| already| about| nearly| now| just)? (?:(?:\w+|\d+)(?: and a half)? (?:weeks|"
        r"months) )?(?P<o>pregnant)\b",
        States(says="{s} is {o}.", relation="is", read=read_exact),
    ),
    after(
        r"(?:am|is|are|have been)(?: now| also| both)? expecting (?:our|my|an?|another|his|her|their) "
        r"(?:(?:first|second|third|fourth|little|baby|new) )*?"
        r"(?P<o>(?:first|second|third|fourth)(?: (?:child|baby|one|kid))?|baby|child|boy|girl|son|daughter|little one)"
        r"(?=$|[,.;!]| (?:in|on|at|any|this|next|and|soon|for|together|around|by|now|with)\b)",
        States(says="{s} is expecting a child.", relation="expecting", read=lambda _: read_exact("child")),
    ),
    after(
        rf"{_DATES} (?:someone|somebody|a (?:guy|girl|woman|man|[a-z]+)) (?:called|named|new,?|,) ?(?P<o>{NAME})",
        PARTNER,
    ),
)


# Children and other relatives

RELATIVES: Final = ()


# Ages and birthdays

_AGED: Final = States(says="{s} is {o}.", relation="has age", read=read_age, kind=EntityType.TIME)
AGES: Final = (
    after(
        rf"(?:turned|hit|am turning|is turning today|am pushing|celebrated my|(?:am|is|are)(?: all of| about| "
        rf"nearly| only| now| just| already)?) (?P<o>{NUMBER})"
        rf"(?:(?:st|nd|rd|th) birthday)?(?: years? old| yrs? old| years of age)?(?=$|[,;!)]|\.(?!\d)| (?:on|today|"
        rf"yesterday|last|now|this|in|and|but|next|already|so|years|with|when|tomorrow|a)\b)(?! (?:in|on) (?:the|"
        rf"line|queue|my)\b)",
        _AGED,
    ),
)


# Belongings

_MINE: Final = r"(?:my|our|the|his|her|that|an?|both|all) (?:old |trusty |ancient |beloved |last |beat-up |poor )*"
BELONGINGS: Final = (
    after(
        r"(?:bought|own|owns|inherited|picked up|acquired|treated (?:myself|ourselves) to|splashed out on|invested "
        r"in|upgraded to|got hold of|am the proud owner of)(?: (?:myself|ourselves|himself|herself|finally|"
        r"just)){0,2} (?P<o>(?:an?|the|my|our|two|three|some) .+)",
        States(says="{s} has {o}.", relation="has", read=read_goods),
    ),
    after(
        rf"(?:swapped|traded|traded in|exchanged|part-exchanged|replaced|ditched|upgraded|switched|gave up|given up|"
        rf"sold) (?:from )?{_MINE}(?P<old>.{{2,40}}?) "
        r"(?:for|with|to|and (?:got|bought|have)) (?P<o>(?:an?|the|two|another|my) .+|(?-i:[A-Z]).+)",
        HAS,
        NO_LONGER_HAS,
    ),
    after(
        rf"(?:sold|got rid of|gave away|given away|traded in|parted with|ditched|scrapped|rehomed|re-homed|returned|"
        rf"donated|lost|threw out|"
        rf"chucked out|wrote off|totalled|totaled|flogged|had to (?:give up|sell|rehome|put down)|put down|crashed|"
        rf"no longer (?:have|has|own|owns|drive|drives|keep)) (?:{_MINE})?(?P<old>.+)",
        NO_LONGER_HAS,
    ),
    after(
        r"(?:have|has|own|owns|keep|keeps|am (?:now )?the proud owner of|is the proud owner of|bought|caved and "
        r"bought|got|picked up|adopted|took in|acquired|"
        r"inherited|treated (?:myself|ourselves) to|invested in|was given|were given|been given|rescued|took on|"
        r"splashed out on|upgraded to|"
        r"ended up (?:with|buying)|went and bought|went for|ordered|leased|lease|breed|bred|restored|built|won|"
        r"share|shares|ride|rides|run|runs|use|uses)"
        r"(?: (?:got|only|only got|myself|ourselves|himself|herself|back|now|also|just|in the end|home|us|up)){0,2} "
        r"(?P<o>.+)",
        HAS,
    ),
    after(
        r"(?:drive|drives|am driving|is driving|ride|rides) (?P<o>.+)",
        States(says="{s} drives {o}.", relation="drives", read=read_product),
    ),
)


# What was so: the simple past of a state with its end or duration

_OVER: Final = (
    r"(?:for (?:years|ages|ever|a (?:while|year|decade)|[a-z]+ (?:[a-z]+ )?(?:years|months))|until|till|before|back "
    r"then|once|"
    r"as an? (?:kid|child|teenager|student)|when I was|growing up)\b"
)
FORMER: Final = (
    after(
        rf"(?:was|were) with (?P<old>{PROPER})(?: {_OVER}|$|,)",
        States(says="{s} is no longer with {o}.", relation="uses", group="old", read=read_brand, closes=True),
    ),
)


# Medicines, allergies, illnesses, diets

MEDICATION: Final = (
    after(
        rf"(?:came off|come off|coming off|have come off|stopped taking|stopped|quit|no longer (?:take|takes|need|"
        rf"needs|use|uses|on)|am no longer on|is no longer on|weaned (?:myself )?off|"
        rf"(?:do|does) not (?:take|need|use)|finished(?: my course of)?|am done with|gave up|dropped|got off|went "
        rf"off|was taken off|have been taken off|threw out) (?:my |the |his |her )?(?P<old>{MED})\b",
        NO_LONGER_TAKES,
    ),
    after(
        r"(?:am|is|are|went|been put|was put|got put|were put|have been put|have been|been)(?: now| back| still| "
        r"just| currently| also)? on (?P<o>.+)",
        TAKES,
    ),
    after(
        r"(?:take|takes|am taking|is taking|taking|took up|have to take|has to take|need|needs|need to take|was "
        r"prescribed|were prescribed|been prescribed|got prescribed|am prescribed|"
        r"use|uses|inject|injects|started taking|started on|have started|started|start taking|restarted|swallow|"
        r"have|has|rely on|was given|got given|take only)(?: (?:only|just|now|still|daily|my|his|her|about|"
        r"also)){0,2} (?P<o>.+)",
        TAKES,
    ),
)
HEALTH: Final = (
    after(
        r"(?:am|is|are) (?:not|no longer) (?:actually |really )?allergic to (?P<o>.+?)(?: after all| any ?more|$)",
        States(says="{s} is not allergic to {o}.", predicate="DISLIKES", read=read_things, closes=True),
    ),
    after(
        r"(?:am|is|are|was|were|turned out|turns out|has always been)(?: not only)? ?(?:to be )?(?:\w+ly |very |"
        r"quite |also |still |mildly |badly |a bit |super )*(?:allergic|intolerant|anaphylactic|sensitive|"
        r"hypersensitive) to (?P<o>.+)",
        ALLERGIC,
    ),
    after(
        r"(?:can not|could never|must not|may not|should not) (?:have|eat|drink|touch|go near|tolerate|digest|be "
        r"near|be around|take|do|handle) (?:any |anything (?:with|containing) )?(?P<o>.+)",
        CANNOT_HAVE,
    ),
    after(
        rf"(?:have|has|suffer from|suffers from|live with|lives with|struggle with|was diagnosed with|got diagnosed "
        rf"with|been diagnosed with|were diagnosed with|developed|manage|got told I have)(?: got| just got| had| "
        rf"both)? (?:an? |the |my |this |some |really |very |pretty |quite |severe |mild |chronic |bad |terrible |"
        rf"early |early-onset )*"
        rf"(?P<o>(?:[a-z0-9-]+ ){{0,3}}?{CONDITION})\b",
        HAS_TOPIC,
    ),
)


# Tastes, and preferences about answers

_PASTIME: Final = "(?:" + "|".join(sorted(map(re.escape, PASTIMES), key=len, reverse=True)) + ")"
TASTES: Final = (
    after(
        r"(?:have |has )?(?:switched|moved|gone over|went over|converted|changed|swapped|gone back|went back) "
        r"(?:over |back )?to (?P<o>(?-i:[a-z])[a-z'-]+(?: [a-z'-]+){0,2})(?=$|[,.]| (?:since|for|because|now|"
        r"instead|last|this|after)\b)(?<!nights)(?<!days)(?<!work)(?<!school)(?<!home)(?<!bed)(?<!sleep)",
        PREFERS,
    ),
    after(
        rf"(?:have |has )?(?:given up|gave up|quit|stopped(?: playing)?) (?:the |my |playing (?:the "
        rf")?)?(?P<old>{_PASTIME})\b",
        States(
            says="{s} no longer plays {o}.",
            relation="plays",
            group="old",
            read=read_exact,
            kind=EntityType.ACTIVITY,
            closes=True,
        ),
    ),
    clause_frame(r"^(?P<o>[A-Za-z][\w' -]{2,25}?),? always(?:,? please)?$", PREFERS),
    after(
        r"(?:will not|refuse to|would rather (?:die|starve) than|would never|can not be (?:doing with|bothered "
        r"with)|can not face|never|will never) "
        r"(?:go near|touch|eat|drink|use|wear|set foot in|listen to|order|cook with|bother with)(?: (?:anything "
        r"(?:with|made of)|any))? (?P<o>.+)",
        NOT_LIKES,
    ),
    after(
        r"(?:do not|does not) (?:use|eat|drink|touch|wear|cook with|celebrate|do) (?P<o>.{2,40}?)(?<!any "
        r"more)(?<!anymore)(?<!much)$",
        NOT_LIKES,
    ),
    after(
        r"(?:swapped|switched from|gave up|given up|ditched|dropped|traded) (?:my |the "
        r")?(?P<old>(?-i:[a-z])[a-z]+(?: [a-z]+)?) (?:for|in favou?r of|to) (?P<o>(?-i:[a-z])[a-z]+(?: [a-z]+)?)$",
        PREFERS,
        NO_LONGER_LIKES,
    ),
    after(
        r"(?:live for|swear by|can not (?:get enough of|live without|resist|function without|do without)|am (?:a "
        r"sucker for|all about|mad for|obsessed with|hooked on|really into|wild about|big on|partial to|crazy about|"
        r"nuts about)|have a (?:soft spot|weakness|thing|sweet tooth) for|always go for|always pick|always order|go "
        r"for|opt for) (?P<o>.+)",
        LIKES,
    ),
    clause_frame(
        r"^what (?:I (?:value|appreciate|care about|look for)|matters|counts) (?:most )?(?:in .{2,30}? |to me )?is "
        r"(?P<o>.+)",
        States(says="{s} values {o}.", predicate="CARES_ABOUT", read=read_one_thing),
    ),
)


# Other changes of one value

_NO_LONGER_GOES_TO: Final = States(
    says="{s} no longer goes to the {o}.", relation="goes to", group="old", read=read_noun, closes=True
)
CHANGES: Final = (
    after(
        r"(?:have )?(?:switched|changed|migrated|gone over|went over|jumped|defected|signed up)(?: (?:over|across|"
        r"everything))? (?:to|with) (?P<o>(?-i:[A-Z]).+)",
        USES,
    ),
    after(
        r"(?:cancelled|canceled|quit|given up|gave up) (?:my |our |the )(?P<old>gym)"
        r"(?=$|[,.;!]| (?:last|this|in|after|because|since|two|three|a|months|for|yesterday|recently|and|so|but)\b)",
        _NO_LONGER_GOES_TO,
    ),
)

TOPICS: Final = tuple(
    FrameBook(frames)
    for frames in (
        (*MOVES, *SPOKEN_MOVES),
        (*WORK, *SPOKEN_WORK),
        PARTNERS,
        (*RELATIVES, *SPOKEN_PEOPLE),
        (*AGES, *SPOKEN_AGES),
        MEDICATION,
        (*HEALTH, *SPOKEN_HEALTH),
        (*BELONGINGS, *SPOKEN_BELONGINGS),
        FORMER,
        (*TASTES, *SPOKEN_TASTES),
        (*CHANGES, *SPOKEN_CHANGES),
        SPOKEN_NUMBERS,
        HOUSEHOLD,
    )
)


def read_everyday(clause: Clause, state: DiscourseState) -> Iterable[Draft] | None:
    """Return the facts of the first frame of each topic that fits a clause; None if there is none."""
    if shared := _household(clause, state):
        return shared
    found = [one for frames in TOPICS for one in frames.read(clause, state)]
    left_home = clause.text[:3].lower() == "we " and any(one.closes and one.relation == "works at" for one in found)
    if left_home:
        # "We have left Croydon" is about a home, not about a firm.
        found = [one for one in found if not (one.closes and one.relation == "works at")]
    medicines_taken = {one.object.lower() for one in found if one.relation == "takes"}
    if medicines_taken:
        # "Swapped my statin for ezetimibe" states no taste.
        found = [one for one in found if one.relation == "takes" or one.object.lower() not in medicines_taken]
    return None if not found and not left_home else found


_WITH_US: Final = re.compile(
    r"(?:has |have |is |are |am |just |now |still )*(?:moved|moving|living|lives?|staying|stays?)(?: back)?(?: in)? "
    r"with (?P<o>us|me|my [a-z-]+(?: [A-Z]\w+)?)\b"
    r"(?! (?:next|tomorrow|on|in|from)\b)"
)


def _household(clause: Clause, state: DiscourseState) -> list[Draft]:
    """Return the fact that the speaker lives with somebody: `Greta has moved in with us`, `I live with my parents`."""
    found = _WITH_US.match(clause.rest) if clause.subject is not None else None
    if found is None or clause.subject is None:
        return []
    me, other = state.speaker.me, clause.subject
    if other == me:
        if found["o"] in ("us", "me"):
            return []
        name = found["o"].removeprefix("my ")
        other = (
            name.rpartition(" ")[2] if name[-1:].islower() and " " in name and name.split()[-1][0].isupper() else name
        )
        if name.split()[0] not in KIN:
            return []
    elif found["o"] not in ("us", "me"):
        return []
    return [draft(clause, state, me, "RELATES_TO", other, "{s} lives with {o}.", relation="lives with", kind=PERSON)]


# "Statins gave me cramps, so I'm on ezetimibe instead": the first clause names the medicine, the second the other one.
# Frames that also apply to whole sentences.
_WHOLE: Final = (*MOVES, *CHANGES, *SPOKEN_CHANGES, *AGES, *SPOKEN_PEOPLE)
SENTENCES: Final = FrameBook([frame for frame in _WHOLE if frame.whole])


def read_whole(clause: Clause, state: DiscourseState) -> Iterable[Draft]:
    """Yield facts stated by several clauses of a sentence together: `I've changed banks, it's Monzo now`."""
    yield from SENTENCES.read(clause, state)
    yield from read_slots(clause, state) or ()
