"""English frames of spoken, elliptical and indirect wordings of the topics in `everyday_frames`."""

import re
from typing import Final

from extraction.rules.en.frames import (
    NUMBER,
    States,
    after,
    clause_frame,
    positions,
    proper_name,
    read_age,
    read_exact,
    read_noun,
    read_product,
    read_workplaces,
)
from extraction.rules.en.statements import (
    ALLERGIC,
    ATTRIBUTE_IS,
    ATTRIBUTE_IS_NO_LONGER,
    CANNOT_HAVE,
    ENGAGED,
    HAS,
    HAS_TOPIC,
    IS_CHILD,
    IS_NAMED,
    IS_NO_LONGER,
    IS_TOPIC,
    KIN_IS,
    LIKES,
    LIVES,
    LIVES_KNOWN,
    MARRIED,
    MED,
    NAME,
    NO_LONGER_HAS,
    NO_LONGER_KIN,
    NO_LONGER_LIKES,
    NO_LONGER_LIVES,
    NO_LONGER_PARTNER,
    NO_LONGER_TAKES,
    NO_LONGER_USES,
    NO_LONGER_WORKS_AS,
    NOT_LIKES,
    ORG,
    PARTNER,
    PERSON,
    PLACE,
    PREFERS,
    PRODUCT_IS,
    PROPER,
    REACTS,
    STUDIES_AT,
    SWITCHED_FROM,
    TAKES,
    TAKES_DOSE_OF,
    TOPIC,
    USES,
    WORKS_AS,
    WORKS_AT,
)
from extraction.rules.en.word_classes import CONDITION, DIETS, DOSE, MEDICINE, NO_NOUN_NEXT, SOFTWARE_NAME, THING
from extraction.rules.engine import ObjectPhrase
from extraction.text.lexicon_en import KIN, KIN_PATTERN
from schema.entity import EntityType


def _read_lost(text: str) -> list[ObjectPhrase]:
    """Return the name of an animal, not of a relative."""
    name = text.strip()
    return [] if name.lower() in KIN else [ObjectPhrase(name, EntityType.ANIMAL)]


def _read_person(text: str) -> list[ObjectPhrase]:
    """Return a name or a relative."""
    name = re.sub(r"^(?:my|our|his|her) ", "", text.strip())
    return [ObjectPhrase(name, EntityType.PERSON)]


def _read_measure(text: str) -> list[ObjectPhrase]:
    """Return a number with its unit."""
    name = text.strip(" .,").removesuffix(" tall")
    return [ObjectPhrase(name, None)] if any(char.isdigit() for char in name) else []


_TIME: Final = EntityType.TIME
_HOME: Final = (
    r"(?:flat|place|house|room|studio|apartment|bungalow|cottage|bedsit|home|maisonette|condo|townhouse|houseshare|"
    r"flatshare|sublet|annexe|loft|two-bed|one-bed|three-bed|caravan|houseboat)"
)
_SINCE: Final = (
    r"since (?:(?:last |the |early |late |mid-?|about )*(?:mon|tues|wednes|thurs|fri|satur|sun)day|last \w+|"
    r"yesterday|"
    r"(?:early |late |mid-?|the )*(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december|spring|summer|autumn|fall|winter|new year|weekend|start|end|1st|first)|(?:19|20)\d\d|easter|christmas|"
    r"\w+ (?:weeks?|months?|years?|days?) ago|we (?:got|moved))\b"
)

# Moves

_LIVES_AT: Final = States(says="{s} lives at {o}.", relation="lives in", read=read_exact, kind=PLACE)
_PLACE_NAME: Final = r"(?:the )?(?-i:[A-Z])[\w'. -]{1,30}?"
SPOKEN_MOVES: Final = (
    clause_frame(
        rf"^(?:I meant |I mean |it is |"
        rf"that is )?(?P<o>{_PLACE_NAME}),? (?:and )?not (?P<old>{_PLACE_NAME}),? (?:that is|is|it is) where (?:I|"
        rf"we) live",
        LIVES,
        NO_LONGER_LIVES,
    ),
    after(r"(?:am|is|are|live|lives|based)?(?: now)? ?based (?:out of|in and around|around|near) (?P<o>.+)", LIVES),
    after(
        r"(?:live|lives|living|am living|are living|is living) (?:just )?(?:outside|near|around|by|off|over|up|"
        r"down) "
        r"(?:of |in )?(?P<o>(?:the )?(?-i:[A-Z]).+)",
        LIVES,
    ),
    clause_frame(
        rf"^(?:back |home |now |living )?in (?P<o>{_PLACE_NAME}) (?:now|again|these days|for good|"
        rf"{_SINCE})",
        LIVES_KNOWN,
    ),
    clause_frame(rf"^(?P<o>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?) {_SINCE}", LIVES_KNOWN),
    clause_frame(
        rf"^(?:back|home) (?:in|to) (?P<o>{_PLACE_NAME})(?=$|,| (?:again|now|for|since|with|after|"
        rf"from)\b)",
        LIVES_KNOWN,
    ),
    clause_frame(
        rf"^(?:(?:my|our|the|an?) )?(?:new |little |tiny |small |nice |cheap |lovely |own |rented |"
        rf"temporary )*{_HOME}"
        rf"(?: now)? (?:in|near|off|over in|down in|up in) (?P<o>(?:the )?(?-i:[A-Z])[\w' -]{{1,30}})(?=$|,)",
        LIVES,
    ),
    clause_frame(
        rf"^(?:said|saying|waved|waving|kissed) (?:goodbye|farewell|bye|bye-?bye) to (?P<old>{_PLACE_NAME})"
        rf"(?=$|,| (?:after|in|last|for|and|on|with)\b)",
        NO_LONGER_LIVES,
    ),
    clause_frame(
        rf"^(?:goodbye|bye|farewell|so long),? (?P<old>{_PLACE_NAME}),? (?:hello|"
        rf"hi) (?P<o>{_PLACE_NAME})$",
        LIVES_KNOWN,
        NO_LONGER_LIVES,
    ),
    clause_frame(
        rf"^(?:hello|hi),? (?P<o>{_PLACE_NAME}),? (?:goodbye|bye|"
        rf"farewell) (?P<old>{_PLACE_NAME})$",
        LIVES_KNOWN,
        NO_LONGER_LIVES,
    ),
    after(
        # Whoever has a studio there works in it.
        r"(?!(?:own|owns|have|has|built) (?:an? |our |my |the |his |her )(?:[a-z-]+ )?studio\b)"
        rf"(?:bought|got|found|took|signed for|own|owns|rent|rents|have|has|share|shares|moved into|have moved into|"
        rf"am in|is in|are in|built|ended up with|got the keys to|am moving into)(?: (?:myself|ourselves|us|me))? "
        rf"(?:an? |our |my |the |this |his |her )(?:[a-z-]+ ){{0,3}}?{_HOME} (?:in|near|on|off|outside|over in|"
        rf"up in) (?P<o>(?:the )?(?-i:[A-Z]).+)",
        LIVES,
    ),
    after(
        r"(?:crashing|sleeping|kipping|bunking|camping|camped|squatting|couch-?surfing|boarding|dossing|"
        r"housesitting)"
        r"(?: [a-z' ]{2,30}?)?(?: in| at| near) (?P<o>(?-i:[A-Z]).+)",
        LIVES,
    ),
    after(
        r"(?:am |is |are )(?:crashing|sleeping|kipping|bunking|staying|living|lodging|boarding|house-?sitting)"
        r"(?: on| at| with)? [a-z' ]{2,40}? in (?P<o>(?-i:[A-Z]).+)",
        LIVES,
    ),
    after(
        r"(?:swapped|traded|exchanged|left|ditched|fled) (?:the |big )*(?:city|town|coast|countryside|suburbs|"
        r"capital|"
        r"flat|house|high street|old (?:place|flat|house)) for (?:an? |the )?(?:[a-z-]+ ){0,3}?(?:in|near|outside|"
        r"by|of)? ?"
        r"(?P<o>(?-i:[A-Z]).+)",
        LIVES,
    ),
    after(
        r"(?:moved|have moved|has moved|am moved) (?:back |over |in |down |up |out )*(?:to|into) (?:an? |the |my |"
        r"our |his |"
        r"her )(?:[a-z'-]+ ){0,5}?(?:in|near|outside|on) (?P<o>(?:the )?(?-i:[A-Z]).+)",
        LIVES,
    ),
    after(r"(?:moved|have moved|has moved) (?:back )?in with .{2,40}? (?:in|near) (?P<o>(?-i:[A-Z]).+)", LIVES),
    after(
        r"(?:grew roots|put down roots|made it|got stuck|landed|settled down|set up home|set up shop|"
        r"started over|made a home) in (?P<o>(?-i:[A-Z]).+)",
        LIVES,
    ),
    after(r"(?:call|calls) (?P<o>(?-i:[A-Z])[\w' -]{1,25}?) (?:my |our |his |her )?home\b", LIVES),
    after(
        r"(?:got|managed to get|finally got) (?:away|out|out of) (?:of )?(?P<old>(?-i:[A-Z])[\w' -]{1,25}?)(?=$|"
        r",| (?:last|in|after|for|and)\b)",
        NO_LONGER_LIVES,
    ),
    clause_frame(
        r"^(?:please |pls |just )?(?:use|take|put|set|add|make it) (?P<o>(?:flat |unit |apt |apartment |"
        r"no\.? ?)?\d+[a-z]?,? [\w' ,]{3,50}?) "
        r"(?:as|for) (?:my|our|the|all|any)? ?(?:new |main |default |delivery |shipping |home |"
        r"postal )*(?:address|deliver(?:y|ies)|parcels|post|mail|packages|shipping)\b",
        _LIVES_AT,
    ),
    clause_frame(
        r"^(?:please |pls |just )?(?:send|ship|deliver|post|mail|forward|bring)(?: [a-z ]{2,25}?)? (?:to|at) "
        r"(?P<o>(?:flat |unit |apt |apartment |no\.? ?)?\d+[a-z]?,? (?-i:[A-Z])[\w' ]{3,40}?)(?=$|,| (?:from|"
        r"please|now|instead|not|until)\b)",
        _LIVES_AT,
    ),
    clause_frame(
        r"^(?:it is |that is )?(?P<o>(?:flat|unit|apartment|apt|house|room) (?:no\.? |"
        r"number )?\d+[a-z]?),? (?:not|instead of|and not|rather than) "
        r"(?:flat |unit |apartment |house |room )?\d+[a-z]?\b",
        _LIVES_AT,
    ),
)


# Work

_WORKER: Final = {
    "teach": "teacher",
    "teaches": "teacher",
    "nurse": "nurse",
    "tune pianos": "piano tuner",
    "cut hair": "hairdresser",
    "cuts hair": "hairdresser",
    "drive a bus": "bus driver",
    "drives a bus": "bus driver",
    "drive a lorry": "lorry driver",
    "drives a lorry": "lorry driver",
    "drive a truck": "truck driver",
    "drives a truck": "truck driver",
    "drive a taxi": "taxi driver",
    "drives a taxi": "taxi driver",
    "drive a cab": "taxi driver",
    "drive for uber": "driver",
    "bartend": "bartender",
    "wait tables": "waiter",
    "waits tables": "waiter",
    "practise law": "lawyer",
    "practice law": "lawyer",
    "do the accounts": "accountant",
    "do the books": "accountant",
    "answer phones": "receptionist",
    "answer the phones": "receptionist",
    "fix cars": "mechanic",
    "fixes cars": "mechanic",
    "lay bricks": "bricklayer",
    "write code": "programmer",
    "make furniture": "furniture maker",
    "bake bread": "baker",
    "translate": "translator",
    "deliver parcels": "courier",
    "delivers parcels": "courier",
    "deliver babies": "midwife",
    "clean houses": "cleaner",
    "cleans houses": "cleaner",
    "stack shelves": "shelf stacker",
    "run a classroom": "teacher",
}


def _read_worker(text: str) -> list[ObjectPhrase]:
    """Return the occupation of what a person does for a living: `cut hair`."""
    name = _WORKER.get(" ".join(text.lower().split()))
    return [ObjectPhrase(name, TOPIC)] if name else []


def _read_left(text: str) -> list[ObjectPhrase]:
    """Return an employer or a branch that someone left: `the fire service`."""
    if found := read_workplaces(text):
        return found
    return (
        [one._replace(object_type=ORG) for one in read_noun(text)]
        if text.startswith(("the ", "my ", "an ", "a "))
        else []
    )


def _read_employer(text: str) -> list[ObjectPhrase]:
    """Return an employer by name, or by kind with or without an article: `county archive`."""
    return read_workplaces(text if text[:1].isupper() else f"the {text.removeprefix('the ')}")


_DOES: Final = "|".join(sorted(_WORKER, key=len, reverse=True))
_LEFT: Final = States(
    says="{s} no longer works at {o}.", relation="works at", group="old", read=_read_left, kind=ORG, closes=True
)
SPOKEN_WORK: Final = (
    clause_frame(
        r"^(?:my |the )?(?:day job|main job|real job|current job|side job|weekend job|second job|gig|new job|job|"
        r"work) "
        r"(?:is|'s)(?: now)? (?:at|with|for) (?P<o>.+)",
        WORKS_AT,
    ),
    clause_frame(
        r"^(?:my |the )?(?:day job|main job|real job|current job|side job|new job|job|new title|job title|title|"
        r"new role|role) "
        r"(?:is|:)(?: now)? (?P<j>.+)",
        WORKS_AS,
    ),
    clause_frame(
        r"^(?:day|week|month|year) (?:one|two|three|four|1|2|3|4) (?:at|"
        r"with) (?:the )?(?P<o>(?-i:[A-Z])[\w'& ]{1,30}?)"
        r"(?=$|,| (?:and|done|was|went|today|survived|down|over|in|of|already)\b)(?! tomorrow)",
        WORKS_AT,
    ),
    after(
        rf"(?P<j>{_DOES})(?: for a living| for work| in the evenings| part[- ]time| full[- ]time)?(?= (?:at|for|"
        rf"in|on|with) |$|,| and\b)",
        States(says="{s} works as {o}.", relation="works as", group="j", read=_read_worker, kind=TOPIC),
    ),
    after(
        r"(?:retired|resigned|stepped down|walked out|walked away|got out|got pushed out|was let go|"
        r"transferred out|stepped back) (?:from|of) "
        r"(?P<old>(?:the |my |an? )?[\w' ]{3,30}?)(?=$|,| (?:two|three|four|five|six|a|an|last|in|on|after|years?|"
        r"\d+|back|this|at|because|and)\b)",
        _LEFT,
    ),
    after(
        r"(?:am|is|are|will be|started|start|starting)(?: (?:now|currently|just|back|starting|officially))? "
        r"(?:at|with) (?P<o>(?:the )?(?-i:[A-Z])[\w'&. -]{1,40}?)(?:,? (?:now|these days|again|full[- ]time|"
        r"part[- ]time))?,? "
        r"(?:in (?:the )?[a-z ]{2,25}|as (?P<j>an? .+)|(?:doing|running|managing|working) .+)$",
        WORKS_AT,
        WORKS_AS,
    ),
    after(
        r"(?:am |is |are )?(?:training|studying|qualifying|retraining|apprenticed|interning) as (?P<j>an? .+)",
        States(says="{s} trains as {o}.", relation="trains as", group="j", read=positions, kind=TOPIC),
    ),
    after(
        r"(?:was|got|am|is|were|have been|has been|been) (?:just )?(?:hired|taken on|recruited|poached|headhunted|"
        r"employed|"
        r"picked up|snapped up) (?:by|at|with) (?P<o>.+?)(?: as (?P<j>.+))?$",
        WORKS_AT,
        WORKS_AS,
    ),
    after(
        r"(?:was|got|am|is|were|have been|has been) (?:just )?(?:hired|taken on|employed|brought in) as (?P<j>.+)",
        WORKS_AS,
    ),
    clause_frame(
        r"^(?:the |my )?(?P<o>(?:the )?(?:[A-Za-z][\w'&]*)(?: [A-Za-z][\w'&]*){0,3}?) (?:took me on|hired me|"
        r"offered me "
        r"(?:a|the) (?:job|post|position|role) and I (?:took it|said yes|accepted))\b(?:,? (?:as )?(?P<j>.+))?",
        States(says="{s} works at {o}.", relation="works at", read=_read_employer, kind=ORG),
        WORKS_AS,
    ),
    clause_frame(
        r"^(?:promoted|made up|moved up|bumped up|upgraded)(?: to| from .{3,25}? to) (?P<j>.+?)(?:,? me|!)?$",
        WORKS_AS,
    ),
    clause_frame(
        r"^(?:been )?(?:an? )?(?P<j>[a-z][a-z ]{3,30}?) (?:here|by trade|by day|for (?:[a-z]+ )?\w+ years)$", WORKS_AS
    ),
    after(r"(?:used to be|was once|spent .{3,20}? as|once was) (?P<was>an? .+)", NO_LONGER_WORKS_AS),
    after(
        r"(?:am|is|are) no longer (?P<was>(?:an? |the )[a-z ]{3,30}?)(?=$|,|\.| now| at| in)",
        NO_LONGER_WORKS_AS,
    ),
    after(r"(?:am|is|are) not (?P<was>(?:an? |the )[a-z ]{3,30}?) any ?(?:more|longer)", NO_LONGER_WORKS_AS),
    after(r"(?:no longer|do not|does not) (?:work|works) as (?P<was>.+?)(?: any ?more|$)", NO_LONGER_WORKS_AS),
    after(
        r"(?:quit|packed in|jacked in|chucked in|gave up|left|ditched|walked out of|walked out on) "
        r"(?:my |the |his |her )?(?:job|post|shifts?|position|role|gig|weekend job)? ?(?:at|with) (?P<old>.+?)"
        r"(?=$|,| (?:last|in|on|after|because|and|to|for|this|today)\b)",
        _LEFT,
    ),
    after(
        rf"(?:am |is |are |do |does )?(?:work|works|working|collaborate|collaborating) with (?P<o>{NAME}) (?:at|in|"
        rf"on|for) ",
        States(says="{s} works with {o}.", relation="works with", read=proper_name(PERSON), kind=PERSON),
    ),
    after(r"(?:have |has )?been (?:with|at) (?P<o>(?:the|an?|my) [a-z].+?) (?:for|since)\b", WORKS_AT),
    after(
        # Somebody with a degree has finished studying.
        r"(?:have|has|got|hold|holds|did)(?: got)? an? (?P<o>(?:first |second )?(?:(?:bachelor|master|doctor)['’]?s? )?"
        r"(?:degree|phd|doctorate|master['’]?s|bachelor['’]?s|diploma|msc|bsc|mba|ba|ma) in "
        r"[A-Za-z]+(?: (?:and )?[a-z]+)?)(?=$|[,.;!]| (?:but|and|from|so|which|though|because)\b)",
        States(says="{s} has a {o}.", relation="has", read=read_exact, kind=TOPIC),
    ),
    after(
        r"(?:study|studies|am studying|is studying|read|reads|am reading|"
        r"is reading)(?: [a-z ]{3,30}?)? "
        r"at (?P<o>(?:the )?(?-i:[A-Z])[\w' ]{1,40}?)(?=$|,| (?:now|in|since|and|until|this)\b)",
        STUDIES_AT,
    ),
    clause_frame(
        r"^(?:first|second|third|fourth|final|last|1st|2nd|3rd)[ -]year (?:student )?(?:at|"
        r"of) (?:[a-z ]{2,25}?,? (?:at |in )?)?"
        r"(?P<o>(?-i:[A-Z])[\w' ]{1,40}?)(?=$|,)",
        STUDIES_AT,
    ),
    after(
        r"(?:am|is) (?:a |in (?:my|his|her) )?(?:first|second|third|fourth|final)[ -]year (?:student )?(?:at|"
        r"of) (?P<o>(?-i:[A-Z]).+)",
        STUDIES_AT,
    ),
    after(
        r"(?:am|is|are) (?:an? )?(?:first-year |second-year |final-year )?(?:student|undergrad|undergraduate|"
        r"postgrad|fresher) "
        r"(?:at|in) (?P<o>(?:the )?(?-i:[A-Z]).+)",
        STUDIES_AT,
    ),
)


# Partners, children and other relatives

_ANIMAL: Final = (
    r"(?:cat|dog|puppy|kitten|rabbit|hamster|parrot|budgie|horse|pony|tortoise|lizard|snake|goldfish|gerbil|"
    r"ferret|rat|hen|"
    r"cockerel|goat|pug|corgi|beagle|spaniel|labrador|lab|poodle|terrier|greyhound|whippet|collie|dachshund|husky|"
    r"retriever|tabby|tomcat|moggy|staffie|lurcher|cockapoo|labradoodle|chihuahua|bulldog|boxer|mutt|rescue|axolotl|"
    r"guinea pig|bunny|gecko|canary|cockatiel|bearded dragon|donkey|alpaca|mare|gelding|foal|pup|kelpie|alsatian|"
    r"german "
    r"shepherd|border collie|siamese|ragdoll|maine coon|persian)"
)
_PET_IS: Final = States(
    says="{o} is {s}'s {r}.", relation="=r", read=proper_name(EntityType.ANIMAL), kind=EntityType.ANIMAL
)
_ANY_KIN: Final = (
    r"(?:(?:older|younger|little|big|eldest|oldest|youngest|new|baby|best|late|step|half) ?){0,2}"
    rf"(?:{KIN_PATTERN})"
)
_NO_LONGER_HAS: Final = States(says="{s} no longer has {o}.", relation="has", read=read_exact, closes=True)
SPOKEN_PEOPLE: Final = (
    clause_frame(
        rf"^(?:meet|say hi to|say hello to|this is|here is|introducing|that is|it is|"
        rf"allow me to introduce) (?P<o>{NAME}),? "
        rf"(?P<w>my|our) (?:[a-z-]+ ){{0,2}}?(?P<r>{_ANIMAL})\b",
        _PET_IS,
    ),
    clause_frame(
        rf"^(?:meet|say hi to|say hello to|this is|here is|introducing|that is|it is|"
        rf"allow me to introduce) (?P<o>{NAME}),? "
        rf"(?P<w>my|our) (?P<r>{_ANY_KIN})\b",
        KIN_IS,
    ),
    clause_frame(
        rf"^(?:meet|say hi to|say hello to|this is|here is|introducing|that is|it is) (?P<w>my|"
        rf"our) (?:[a-z-]+ ){{0,2}}?"
        rf"(?P<r>{_ANIMAL}),? (?P<o>{NAME})",
        _PET_IS,
    ),
    clause_frame(
        rf"^(?:my|our|the) (?P<r>{_ANIMAL}) is (?:an? |called |named )(?:[A-Za-z-]+ ){{0,3}}?(?:called |named |"
        rf", )?(?P<o>{NAME})$",
        _PET_IS,
    ),
    clause_frame(
        rf"^(?:my|our|the) (?:[a-z-]+ ){{0,2}}?(?P<r>{_ANIMAL}) (?P<o>{NAME}) (?:is|was|has|just|keeps|always|"
        rf"still|ate|loves|hates|needs|got|turned|had|does|can|will)\b",
        _PET_IS,
    ),
    clause_frame(
        rf"^(?:an? |one |two |three |our |my )?(?:new |little |tiny |rescue )*(?P<r>{_ANIMAL})s?(?: now| at home)?,? "
        rf"(?:called |named )(?P<o>{NAME})",
        _PET_IS,
    ),
    clause_frame(
        rf"^(?P<o>{NAME}),? (?:is )?(?P<w>my|our) (?:[a-z-]+ ){{0,2}}?(?P<r>{_ANIMAL})(?=$|,| (?:is|was|has|just|"
        rf"of))",
        _PET_IS,
    ),
    after(
        rf"(?:adopted|got|bought|rescued|took in|have|brought home|picked up|ended up with|welcomed|fostered|foster) "
        rf"(?:an? |our |the |my |this )(?:[a-z-]+ ){{0,3}}?(?P<r>{_ANIMAL})(?: [a-z ]{{2,20}}?)?,? (?:called |"
        rf"named |her name is |his name is |and called (?:him|her|it) |"
        rf"(?:whom |who )?we (?:call|called|named) (?:him |her |it )?)(?P<o>{NAME})",
        _PET_IS,
    ),
    after(
        rf"(?:had to )?(?:put|have put|said goodbye to|buried|lost) (?:my |our |the |dear |poor |sweet |"
        rf"old )*(?:{_ANIMAL} )?(?P<o>{NAME})"
        rf"(?: down| to sleep)?(?=$|,| (?:on|last|this|yesterday|in|today|to)\b)(?<!Mum)(?<!Dad)",
        States(says="{s} no longer has {o}.", relation="has", read=_read_lost, closes=True),
    ),
    after(
        rf"(?:put|have put) (?:my |our |the |poor |old )*(?P<o>{_ANIMAL}) (?:down|to sleep)",
        _NO_LONGER_HAS,
    ),
    clause_frame(
        rf"^(?:the|my|our) (?:[a-z-]+ ){{0,2}}?(?P<o>{_ANIMAL}) (?:died|passed away|passed|was put down|"
        rf"had to be put down|ran away|is gone|got run over|did not make it)\b",
        _NO_LONGER_HAS,
    ),
    clause_frame(
        rf"^(?:and |so )?(?P<o>{NAME})(?:, my [a-z]+,)? (?:(?:finally|just|actually|has|"
        rf"got down on one knee and) )*(?:proposed|popped the question|put a ring on it)\b",
        ENGAGED,
    ),
    after(rf"(?:said yes to|accepted) (?P<o>{NAME})(?:'s proposal)?(?=$|,| (?:and|last|on|yesterday)\b)", ENGAGED),
    after(rf"(?:popped the question to|got down on one knee for|put a ring on) (?P<o>{NAME})", ENGAGED),
    clause_frame(
        rf"^(?P<o>{NAME}) is my (?:new |now )?(?:fianc[eé]e?|husband-to-be|wife-to-be|future (?:wife|"
        rf"husband))\b",
        ENGAGED,
    ),
    clause_frame(
        rf"^my (?:new |now )?(?:fianc[eé]e?|husband-to-be|wife-to-be|future (?:wife|"
        rf"husband)),? (?P<o>{NAME})",
        ENGAGED,
    ),
    clause_frame(
        rf"^(?:it is official,? )?(?P<o>{NAME}) and (?:I|me) (?:are |have )?(?:got |just |"
        rf"finally )*(?:hitched|married|wed|eloped|tied the knot|said I do|exchanged vows)",
        MARRIED,
    ),
    clause_frame(
        rf"^(?P<o>{NAME}) (?:and I )?(?:dumped me|left me|broke up with me|moved out(?= and we are done)|ended it|"
        rf"ended things|walked out on me|called it off)\b",
        NO_LONGER_PARTNER,
    ),
    clause_frame(
        rf"^(?:it is over|it is all over|all over|finished|done) (?:between (?:me and|us,)|"
        rf"with) (?P<o>{NAME})",
        NO_LONGER_PARTNER,
    ),
    after(
        rf"(?:have|has|share|shares|got|lost|want)(?: (?:sole|joint|shared|full))? custody of (?:my [a-z]+ "
        rf")?(?P<o>{NAME})",
        IS_CHILD,
    ),
    after(
        rf"(?:am|is|have been|has been|are)? ?(?:with|together with|loved up with|shacked up with|"
        rf"going steady with|an item with) (?P<o>{NAME}) (?:now|these days|for \w+ (?:years?|months?)|since)",
        PARTNER,
    ),
    clause_frame(
        rf"^my (?:new |current |long-term |on-off )?(?:man|woman|boo|bae|lover|sweetheart|"
        rf"significant other|SO|other half|better half|girl|guy),? (?P<o>{NAME})\b",
        PARTNER,
    ),
    after(
        rf"(?:have|has)(?: got)? (?:an? |one |two |three |four |"
        rf"five )?(?:[a-z-]+ ){{0,2}}?(?P<r>{KIN_PATTERN})s?,? (?:called |named )?(?P<o>{NAME})(?=$|,|\.| (?:who|"
        rf"and|in|at)\b)",
        KIN_IS,
    ),
    clause_frame(
        rf"^(?:her|his|its|the (?:baby|puppy|kitten)'s) name is (?P<o>{NAME}),? (?P<w>my|our) (?P<r>{_ANY_KIN}|"
        rf"{_ANIMAL})\b",
        KIN_IS,
    ),
    clause_frame(
        rf"^(?P<w>his|her) (?P<r>girlfriend|boyfriend|wife|husband|partner|fianc[eé]e?|son|daughter|brother|sister|"
        rf"mum|mom|dad|mother|father),? (?:is (?:called |named )?)?(?P<o>{NAME})(?=$|,|\.| [a-z])",
        KIN_IS,
    ),
    clause_frame(
        rf"^(?P<w>my|our) (?:new |current )?(?P<r>boss|manager|line manager|supervisor|landlord|landlady|therapist|"
        rf"counsellor|"
        r"physio|gp|doctor|dentist|vet|optician|accountant|lawyer|solicitor|hairdresser|barber|cleaner|"
        r"childminder|nanny|tutor|"
        r"coach|trainer|teacher|mentor|team lead|neighbour|neighbor|roommate|flatmate|midwife|health visitor|"
        r"mechanic|plumber|"
        rf"[a-z]+ teacher) (?:is|'s)(?: now| called| named)* (?P<o>{NAME})(?: now)?(?=$|,|\.| (?:now|who|at|from|"
        rf"and|since|because|after|these)\b)",
        KIN_IS,
    ),
    clause_frame(
        rf"^(?P<w>my|our) (?:new |current )?(?P<r>boss|manager|line manager|supervisor|landlord|landlady|therapist|"
        rf"physio|doctor|dentist|vet|teacher|coach|team lead) (?:is )?(?P<old>{NAME}) (?:has |is |just )*(?:left|"
        rf"gone|retired|quit|moved on|resigned|got fired|was fired|moved away)\b",
        NO_LONGER_KIN,
    ),
    clause_frame(
        rf"^(?P<o>{NAME}) (?:runs|leads|heads|manages|took over|has taken over|is running|is leading|"
        rf"is in charge of|looks after) (?:my|our) (?:team|department|group|squad)\b",
        States(says="{o} is {s}'s manager.", relation="manager", read=proper_name(PERSON), kind=PERSON),
    ),
)


# Ages

_AGED: Final = States(says="{s} is {o}.", relation="has age", read=read_age, kind=_TIME)
_BORN_IN: Final = States(says="{s} was born in {o}.", relation="born in", read=read_exact, kind=_TIME)
SPOKEN_AGES: Final = (
    after(
        rf"(?:am|is|are|just turned|turned|turning|hit|am hitting|is about to turn|am about to turn|am going to be|"
        rf"is turning|am turning|reached|nearing)"
        rf"(?: (?:only|now|nearly|almost|already|still|just|officially|all of|a whole|a very young|a proud|"
        rf"finally))? (?P<o>{NUMBER})"
        rf"(?=$|[,;!)]| (?:btw|not|going on|tomorrow|soon|lol|since|as of|last|at|years|year|yrs|and a half|and|"
        rf"but|this|next|today|on|in|so|now|already|or so|ish|haha|with|when|because|for|here)\b)"
        rf"(?! (?:in|on) (?:the|line|queue|my)\b)(?! ?(?:and|or) \d)(?! (?:minutes|hours|days|weeks|months|of|"
        rf"people|kids|miles|km|kg|pounds|euros|dollars)\b)",
        _AGED,
    ),
    after(
        r"(?:was|were) born in '?(?P<o>\d\d)(?=$|,|\.| )",
        _BORN_IN,
    ),
    clause_frame(
        r"^born (?:back )?in '?(?P<o>(?:19|20)?\d\d)(?=$|,|\.| )",
        _BORN_IN,
    ),
    clause_frame(
        rf"^(?P<o>{NUMBER}) (?:years? old|yrs old|y\.?o\.?)(?: here| today| now)?,? (?:and|but|male|"
        rf"female|here|\b(?:I|my)\b)",
        _AGED,
    ),
    clause_frame(rf"^(?:age|aged):? (?P<o>{NUMBER})(?=$|,)", _AGED),
    after(r"still [a-z]+s? (?:[a-z]+ ){0,4}?at (?P<o>\d\d)(?=$|[,.!])", _AGED),
    after(r"celebrated (?:my|his|her|our) (?P<o>\d{1,2})(?:st|nd|rd|th)(?: birthday)?\b", _AGED),
)


# Belongings

_HAS_ANIMAL: Final = States(says="{s} has {o}.", relation="has", read=read_exact, kind=EntityType.ANIMAL)
_HAS_PRODUCT: Final = States(says="{s} has {o}.", relation="has", read=read_product)
SPOKEN_BELONGINGS: Final = (
    after(
        r"(?:got|bought|treated|found|made|built|ordered) (?:myself|ourselves|himself|"
        r"herself) (?:to )?(?P<o>(?:an?|the|some|two|my first) .+)",
        _HAS_PRODUCT,
    ),
    after(
        r"(?:am |is |are )?(?:using|running|on|rocking|typing (?:this )?on|driving|riding|playing) (?P<o>(?:an?|"
        r"my|the) (?:[a-z]+ )?(?-i:[A-Z])[\w-]*(?: [A-Z\d][\w-]*){0,3})(?![\w-]| (?:half|marathon|10k|5k|race))",
        States(says="{s} uses {o}.", relation="uses", read=read_product),
    ),
    clause_frame(
        r"^(?P<w>my|our) (?:new |current |main |other |second |first |old )?(?P<r>car|bike|phone|laptop|computer|"
        r"camera|tablet|van|truck|motorbike|scooter|watch|e-bike|tv|console|printer|guitar|piano) ?(?:\?|:|=|-|,|"
        r"is now|is) "
        r"(?P<o>(?:an? |the )?(?:[a-z-]+ ){0,4}?(?-i:[A-Z]).+)",
        PRODUCT_IS,
    ),
    clause_frame(
        rf"^(?:the |my |our |his |her )(?:old |poor |trusty |beloved |good )*(?P<old>(?:[a-z-]+ )?{THING}) (?:is|"
        rf"are|was|were|has|have|got|went)? ?(?:finally |been |now |just )*"
        r"(?:gone|sold|stolen|nicked|pinched|scrapped|written off|died(?! down| again)|totalled|dead|kaput|history|"
        r"on ebay|given away|returned|rehomed|donated|repossessed|broken for good)\b",
        NO_LONGER_HAS,
    ),
    after(
        r"(?:said goodbye to|parted ways with|waved goodbye to|have seen the last of|gave up|flogged|offloaded|"
        r"gave|donated|handed back|handed over|pawned|binned|chucked|recycled|returned|lost) "
        r"(?:my|our|the) (?:old |trusty |beloved |second |other |last )*(?P<old>.{2,30}?)(?=$|,| (?:to|on|at|last|"
        r"yesterday|today|because|after|for|when|in|as)\b)",
        NO_LONGER_HAS,
    ),
    after(
        r"(?:do|does) not (?:have|own|drive) (?:an? |any |the |my )?(?P<old>.{2,30}?) any ?(?:more|"
        r"longer)",
        NO_LONGER_HAS,
    ),
    clause_frame(
        rf"^no (?:more )?(?P<old>{THING})(?: any ?more| for me now| now| for us any ?more)(?=$|,|"
        rf"\.)",
        NO_LONGER_HAS,
    ),
    clause_frame(
        rf"^there is (?P<o>an? (?:[a-z-]+ ){{0,3}}?{THING}) (?:in|on|at|behind|outside|under) (?:my|our)\b", HAS
    ),
    clause_frame(
        r"^(?:my|our) (?:house|flat|kitchen|garden|garage|place|home|apartment|boat|office) (?:has|"
        r"comes with|came with) (?P<o>.+)",
        HAS,
    ),
    after(
        r"(?:upgraded|switched|swapped|changed|moved|traded up|traded)(?: (?:up|over|my \w+|"
        r"our \w+))? to (?P<o>(?:an? |the )(?:[a-z-]+ ){0,3}?(?-i:[A-Z]).+)",
        _HAS_PRODUCT,
    ),
    after(
        r"(?:have|has)(?: got)? (?:about |around |over |nearly |some |roughly )?(?:\w+ )?(?P<o>hens|chickens|"
        r"ducks|geese|goats|sheep|cows|pigs|horses|ponies|bees|alpacas|rabbits|guinea pigs|budgies|stick insects|"
        r"tropical fish|goldfish|koi|hamsters|gerbils)\b",
        _HAS_ANIMAL,
    ),
    after(
        r"(?:keep|keeps|raise|raises|breed|breeds|look after|own|owns)(?: (?:about|around|over|two|three|four|"
        r"five|six|seven|eight|ten|a dozen|a few|some|\d+|my own|our own))* (?P<o>bees|hens|chickens|ducks|geese|"
        r"goats|sheep|cows|pigs|horses|alpacas|rabbits|koi|tropical fish|stick insects|snakes|pigeons)\b",
        _HAS_ANIMAL,
    ),
)


# Numbers and measures

_WEIGHS: Final = States(says="{s}'s weight is {o}.", relation="weight", read=_read_measure)
_WEIGHT_NOW: Final = (
    r"(?:down|up) to (?:about |around |just |under |only )?"
    r"(?P<o>\d{1,3}(?:\.\d{1,2})? ?(?:kgs?|kilos?|kilograms|lbs?|pounds))\b"
)
SPOKEN_NUMBERS: Final = (
    after(
        r"(?:am|is) (?P<o>(?:\d[.,m]\d{1,2} ?m?|\d ?(?:ft|foot|feet|') ?\d{0,2}(?:\"|''|in(?:ches)?)?|"
        r"\d{3} ?cm)(?= ?tall|$|,| and| in my)(?: tall)?)",
        States(says="{s}'s height is {o}.", relation="height", read=_read_measure),
    ),
    after(
        r"(?:weigh|weighs|am down to|am up to|have got down to) (?:about |around |roughly |just |nearly |"
        r"only )?(?P<o>\d{2,3}(?:\.\d)? ?(?:kg|kilos?|kilograms|lbs?|pounds|stone)?(?: \d{1,2})?)(?=$|,| (?:now|and|"
        r"but|at|as)\b)",
        _WEIGHS,
    ),
    after(
        rf"(?:am |is |are |have got |has got |got |went |have gone |has gone |(?:was|is|has been|went) [^:,]{{2,40}}: "
        rf"(?:now )?)(?:back )?{_WEIGHT_NOW}",
        _WEIGHS,
    ),
    clause_frame(rf"^(?:now |finally |back )?{_WEIGHT_NOW}", _WEIGHS),
    clause_frame(
        r"^(?:the |my |our )?(?:monthly )?(?P<r>rent|salary|mortgage|pension|allowance|tuition|premium)(?:'s)? "
        r"(?:has |have |is |was |been |just |being )*"
        r"(?:went|gone|going|goes|go|rose|risen|rising|rises|put|increased|raised|bumped|"
        r"dropped|fallen|fell|reduced|lowered|cut)(?: up| down)?(?: from [^ ]{1,12})? to "
        r"(?P<o>[€$£]?\d[\d.,]*(?: ?(?:€|euros?|dollars|pounds|francs|a month))?)(?=$|[,.!]| )",
        States(says="{s}'s {r} is {o}.", relation="=r", read=_read_measure),
    ),
    clause_frame(
        r"^(?:it is |that is )?(?:for |in )?(?:my |our )?(?P<r>locker|room|desk|seat|gate|platform|plot|pitch|bay|"
        r"berth|parking space|flat|unit|box|table|shelf|customer|account|order|ticket|ref|reference|booking|case|"
        r"policy|member|membership) (?:no\.? |number |# ?|nr\.? |is |: ?)*(?P<o>[A-Z]{0,3}-?\d[\w/-]{0,12})(?=$|,|"
        r"\.| (?:if|in|now|on|please|from|at|is mine)\b)",
        States(says="{s}'s {r} is {o}.", relation="=r", read=_read_measure),
    ),
)


# Medicines and health

_OFTEN: Final = (
    r"(?:once|twice|three times|four times|every|each|daily|nightly|at night|in the (?:morning|evening)s?|"
    r"at bedtime|before|with|"
    r"after|a day|as needed|when needed|for my|for the|since)\b"
)
_MEDIC: Final = (
    r"(?:(?:the|my|our|his|her) )?(?:new )?(?:doctor|doc|gp|consultant|nurse|vet|psychiatrist|cardiologist|"
    r"specialist|clinic|"
    r"hospital|neurologist|dermatologist|pharmacist|midwife|dentist|endocrinologist|physio|tests?|test results?|scan|"
    r"diagnosis|results?|verdict|mri|x-ray|blood test|biopsy)"
)
_TAKES_EXACT: Final = States(says="{s} takes {o}.", relation="takes", read=read_exact, kind=TOPIC)
SPOKEN_MEDICATION: Final = (
    clause_frame(
        rf"^(?:just |still |currently |now )?(?P<o>{MEDICINE}(?:(?:,| and|"
        rf" plus) (?:{MEDICINE}))*),? {_OFTEN}",
        TAKES,
    ),
    clause_frame(
        rf"^(?:the |my )?(?:dose|dosage) (?:of (?P<o>{MEDICINE}) )?(?:has |have |is |was |got )?(?:been )?(?:went |"
        rf"gone |going )?(?:up|down|upped|raised|increased|doubled|lowered|reduced|cut|dropped|bumped|"
        rf"changed)? ?(?:to|at|is) (?P<d>{DOSE}|\d{{1,4}}) "
        rf"(?:on|of|for) (?:the |my )?(?P<m>{MEDICINE})",
        TAKES_DOSE_OF,
    ),
    clause_frame(
        rf"^(?:so |and |then )?(?:they|he|she|{_MEDIC}|(?:Dr|Doctor)\.? [A-Z]\w+)(?: has| have| just|"
        rf" now)* (?:switched|changed|moved|swapped|replaced|took) (?:me |us )?(?:over )?(?:from |off )?(?:my |"
        rf"the )?(?P<old>{MEDICINE})"
        rf"(?: (?:tablets|pills|dose))? (?:for|to|with|and put me on|onto) (?P<o>[a-z]{{5,20}})(?=$|,|\.|"
        rf" (?:instead|now|last|in|because|after|since|today)\b)",
        _TAKES_EXACT,
        NO_LONGER_TAKES,
    ),
    clause_frame(
        rf"^(?:the |my )?(?P<old>{MEDICINE}) (?:was|got|has been|is)(?: now)? (?:replaced|swapped|switched|"
        rf"changed) (?:by|with|for|to|out for) (?P<o>[a-z]{{5,20}})\b",
        _TAKES_EXACT,
        NO_LONGER_TAKES,
    ),
    clause_frame(
        rf"^(?:goodbye|bye bye|so long|no more|done with|through with|off),? (?:the |"
        rf"my )?(?P<old>{MED})(?=$|,|\.| (?:for|since|now|as|at|after|thank)\b)",
        NO_LONGER_TAKES,
    ),
    after(
        rf"(?:need|needs|require|requires|carry|carries|depend on|depends on|live on|swear by|pop|pops|rely on|"
        rf"relies on)(?: (?:my|an?|the|some|daily|his|her))* (?P<o>{MED})\b",
        TAKES,
    ),
    after(
        rf"(?:no longer|do not|does not|not) (?:need|needs|take|takes|have to take|has to take|on|use|"
        rf"uses)(?: (?:my|the|any|his|her))? (?P<old>{MED})\b(?: any ?more)?",
        NO_LONGER_TAKES,
    ),
    after(
        rf"(?:have |has )?(?:been )?(?:prescribed|given|started on|put on|moved to|back on|switched to|"
        rf"offered and take|on)(?: (?:a|some|the|my|daily|low-dose))* (?P<o>{MED})\b",
        TAKES,
    ),
)
SPOKEN_HEALTH: Final = (
    after(
        r"(?:need|needs|wear|wears|have to wear|has to wear)(?: to wear)? (?:an? )?(?P<o>(?:reading )?glasses|"
        r"contact lenses|"
        r"hearing aids?|wheelchair)(?=$|[,.;!]| (?:now|for|since|because|and|but|to|all)\b)",
        States(says="{s} needs {o}.", relation="has", read=read_exact),
    ),
    clause_frame(
        rf"^{_MEDIC} (?:says?|said|thinks?|reckons?|confirmed|has confirmed|diagnosed me with|is sure|"
        rf"came back(?: as| with)?|shows?|showed|revealed|found|told me)(?: that)?(?: (?:it is|it was|I have|"
        rf"I have got|that it is|I had|as))?:? "
        rf"(?:an? |the |mild |severe |early |chronic |some )*(?P<o>(?:[a-z0-9-]+ ){{0,2}}?{CONDITION})\b",
        HAS_TOPIC,
    ),
    clause_frame(
        rf"^(?:turns out|it turns out|so)? ?(?:it is|that is) (?:an? |"
        rf"the )?(?P<o>(?:[a-z0-9-]+ ){{0,2}}?{CONDITION})(?:,? apparently|,? it turns out|$|,? they say)",
        HAS_TOPIC,
    ),
    after(
        rf"(?:have|has|got|am living with|is living with|live with|lives with|battle|battles|am dealing with|"
        rf"deal with|cope with|am being treated for|is being treated for|have had|has had)(?: (?:had|got|"
        rf"really|quite|pretty))* (?:an? |the |some |bad |mild |severe |chronic |"
        rf"terrible )*(?P<o>(?:[a-z0-9-]+ ){{0,2}}?{CONDITION})\b{NO_NOUN_NEXT}",
        HAS_TOPIC,
    ),
    clause_frame(r"^(?:I am |we are )?(?P<o>lactose|gluten|dairy|fructose|histamine)[- ]intolerant\b", CANNOT_HAVE),
    after(
        r"(?:am|is|are)(?: (?:very|quite|mildly|severely|badly|also|a bit))? (?P<o>lactose|gluten|dairy|"
        r"fructose|histamine)[- ]intolerant\b",
        CANNOT_HAVE,
    ),
    clause_frame(
        r"^(?:(?:even |just )?(?:one bite of |a bit of |the smell of |a whiff of |touching |eating |"
        r"anything with )?)?(?P<o>[A-Za-z]+(?: [a-z]+)?(?:(?:,| and| or) [a-z]+){0,2}) ?(?:=|equals?|means?|"
        r"spells?|would mean) (?:instant |a trip to )?"
        r"(?:the )?(?:hospital|death|hives|er|a&e|a rash|trouble|an epipen|anaphylaxis|an ambulance|misery|"
        r"swelling)\b",
        REACTS,
    ),
    clause_frame(
        r"^(?P<o>[A-Za-z]+(?: [a-z]+)?(?:(?:,| and| or) [a-z]+){0,2}) (?:always |really |usually )?(?:makes?|made|"
        r"gives?|gave|brings?|brought|turns?|puts?|leaves?) (?:my|me) (?:[a-z]+ )?"
        r"(?:itch|itchy|swell|swells?|swell up|tingle|sneeze|wheeze|hives|a rash|out in|up in|covered in|gasping|"
        r"unable to breathe|puffy|lips|tongue|throat|mouth)\b",
        REACTS,
    ),
    after(
        r"(?:swell|swells|puff|puffs|itch|itches|sneeze|sneezes|wheeze|wheezes|choke|"
        r"chokes)(?: up)?(?: like \w+ \w+)? (?:from|with|when I eat|if I eat|whenever I eat|near|around|at|"
        r"after) (?P<o>.+)",
        REACTS,
    ),
    after(
        r"(?:avoid|avoids|can not do|can not have|can not touch|can not eat|have to avoid|has to avoid|"
        r"stay away from|steer clear of|must avoid|am off) (?:all |any )?(?P<o>.+?)(?: because| since|,)? (?:I am |"
        r"I'm |he is |she is )?(?:allergic|intolerant|coeliac|celiac)\b",
        ALLERGIC,
    ),
    after(
        rf"(?:have |has |am |is )?(?:gone|went|going|turned|become|became|been|switched to being|decided to go|"
        rf"back to being)(?: (?:fully|completely|mostly|now|a|strictly))* (?P<o>{DIETS})\b",
        IS_TOPIC,
    ),
    clause_frame(
        rf"^(?:no longer|not) (?:a )?(?P<old>{DIETS})(?: any ?more| any longer| now|$|,)",
        IS_NO_LONGER,
    ),
    after(
        rf"(?:am|is|are) (?:no longer|not(?= (?:a )?{DIETS} (?:now|any ?more|any longer)\b)) (?:a )?(?P<old>{DIETS})\b",
        IS_NO_LONGER,
    ),
    clause_frame(
        r"^(?P<o>vegan|vegetarian|pescatarian|coeliac|celiac|diabetic|asthmatic|teetotal)(?: here| since \w+|"
        r" for \w+ years| now| household)(?=$|,)",
        IS_TOPIC,
    ),
)


# Tastes

SPOKEN_TASTES: Final = (
    after(
        r"(?:am |is |been )?(?:an? )?(?:big|huge|massive|lifelong|secret|total|complete|real) (?:fan|"
        r"lover) of (?P<o>.+?)(?: here)?$",
        LIKES,
    ),
    after(
        r"(?:got|have got|gotten|am getting|is getting|have become|became|am|is|been getting)(?: (?:really|well|"
        r"properly|so|super|quite|very|totally|completely|seriously))* into (?P<o>(?!trouble|a fight|an accident|"
        r"the car|the habit|uni|college|university|medical|debt|bed|a |my |it\b|work\b|town\b|[a-z]+ school).+)",
        LIKES,
    ),
    after(
        r"(?:have|has|am|is|went|gone|going)? ?(?:gone |going |went )(?:right |completely |totally |a bit |"
        r"well )?off (?P<old>(?!to\b|the rails|on\b|with\b|grid).+)",
        NO_LONGER_LIKES,
    ),
    clause_frame(
        r"^(?:what|the (?:one )?thing|one thing|something) (?:that )?I (?:really |just |"
        r"absolutely )?(?:can not|could never|do not|hate|loathe|despise)(?: (?:stand|abide|bear|tolerate|like|"
        r"deal with|get behind))?(?: most)? is (?P<o>.+)",
        NOT_LIKES,
    ),
    after(
        r"(?:can not|could not|could never) (?:abide|bear|deal with|get on with|get along with|face|stomach|"
        r"be doing with|be bothered with|take) (?P<o>(?!it\b|this\b|that\b|you\b|any ?more|time|the (?:stress|pain|"
        r"noise)).+)",
        NOT_LIKES,
    ),
    after(r"(?:loathe|loathes|detest|detests|despise|despises|resent|resents|dread|dreads) (?P<o>.+)", NOT_LIKES),
    clause_frame(
        r"^(?:please |pls |just )?(?:never(?: ever)?|do not(?: ever)?|stop|quit|avoid|no) (?:use|using|"
        r"send|sending|add|adding|put|putting|write|writing|include|including|give me|giving me) (?:any |"
        r"me )?(?P<o>(?:[a-z-]+ )?(?:emojis?|bullet points|bullets|lists|jargon|exclamation marks|headings|tables|"
        r"slang|apologies|summaries|disclaimers|hashtags|voice notes|links|acronyms|caps))\b",
        NOT_LIKES,
    ),
    clause_frame(
        r"^(?P<o>(?:aisle|window|front|back) seats?|dark mode|light mode|metric|imperial|decaf|oat milk|"
        r"black coffee|green tea|24-hour clock|plain text|short answers|bullet points)(?:,? (?:always|please|"
        r"every time|any ?day|for me|only|all the way|forever|thanks))+",
        LIKES,
    ),
    after(
        r"(?:always|only|usually|mostly|generally|nearly always) (?:go for|choose|pick|order|ask for|book|"
        r"sit in|take|drink|wear|read|watch|listen to|cook with|fly|buy|want) (?P<o>(?!it\b|this\b|that\b|"
        r"care\b|my time|a while|the piss).+)",
        PREFERS,
    ),
    clause_frame(
        r"^(?P<o>[A-Za-z][\w' -]{2,30}?)\? (?:yes please|love (?:it|them)|always|yum|my favou?rites?|"
        r"sign me up|any ?day)",
        LIKES,
    ),
    clause_frame(
        r"^(?P<o>[A-Za-z][\w' -]{2,30}?)\? (?:no thanks?|no thank you|hate (?:it|them)|never|yuck|ew+|"
        r"gross|not for me|hard pass|no way|pass)",
        NOT_LIKES,
    ),
    clause_frame(r"^(?:yuck|ew+|ugh|yikes),? (?P<o>[a-z][\w' -]{2,25}?)$", NOT_LIKES),
    after(
        r"(?:prefer|prefers|favou?r|favou?rs) (?P<o>.+?) (?:over|to|rather than|instead of) .{2,40}",
        PREFERS,
    ),
    after(
        r"(?:am|is)(?: (?:a bit|such|really|definitely|very much|more of|totally|honestly|"
        r"not gonna lie))* an? (?P<o>(?:cat|dog|tea|coffee|beach|mountain|city|country|beer|wine|whisky|gin|cheese|"
        r"chocolate|pasta|bread|book|film|train|board game|puzzle|plant|winter|summer|autumn|spring|jazz|metal|"
        r"sweet tooth)) (?:person|people|lover|drinker|guy|girl|fan|type)\b",
        LIKES,
    ),
    after(
        r"(?:live|lives) (?:for|on) (?P<o>(?!a\b|the (?:second|first|ground|third|top)|my own|our own|benefits|"
        r"campus|\w+ (?:street|road|lane|avenue)|[A-Z]).+)",
        LIKES,
    ),
    after(
        r"(?:quit|gave up|given up|packed in|stopped|kicked|ditched|swore off|cut out|have cut out|am off|"
        r"came off) (?P<old>(?:the |drinking |eating )?(?:smoking|cigarettes|fags|booze|alcohol|drinking|"
        r"vaping|sugar|"
        r"meat|dairy|caffeine|coffee|gluten|sweets|chocolate|soda|fizzy drinks|energy drinks|red meat|weed|gambling|"
        r"fast food|takeaways|social media|instagram|twitter|facebook|tiktok))\b",
        NO_LONGER_LIKES,
    ),
)


# Changes of other single values

_USES_ANY: Final = States(says="{s} uses {o}.", relation="uses", read=read_exact)
_ROLE: Final = (
    r"(?:boss|manager|line manager|supervisor|landlord|landlady|therapist|physio|doctor|gp|dentist|vet|optician|"
    r"teacher|"
    r"form teacher|class teacher|coach|trainer|tutor|team lead|cleaner|childminder|nanny|accountant|lawyer|solicitor|"
    r"hairdresser|agent|mentor|neighbour|neighbor|roommate|flatmate|captain|[a-z]+ teacher)"
)
SPOKEN_CHANGES: Final = (
    after(
        rf"(?:still )?owes? (?P<o>{NAME}|(?:my |our |his |her )?(?:{KIN_PATTERN}|boss|neighbour|landlord|"
        rf"roommate)) (?:about |around |over )?(?:an?|some|two|three|four|five|ten|twenty|thirty|forty|fifty|sixty|"
        rf"a hundred|[£$€]?\d|money|dinner|lunch|drinks?)",
        States(says="{s} owes {o}.", relation="owes", read=_read_person, kind=PERSON),
    ),
    after(
        # A name in small letters is a product.
        rf"(?:have |has |am |is )?(?:just |finally )?{SWITCHED_FROM} (?P<o>(?-i:[a-z])[\w.+-]{{2,20}})(?=$|,|\.| )",
        _USES_ANY,
        NO_LONGER_USES,
    ),
    after(
        rf"(?:dropped|ditched|binned|axed|cancelled|canceled|got rid of|left|"
        rf"quit) (?P<old>{PROPER}),? (?:and )?(?:just|only|now|it is|we are on|I am on|kept|keeping|for|"
        rf"we just have|we have)(?: just| now| only)* (?P<o>(?-i:[A-Z])[\w+.-]*(?: (?-i:[A-Z])[\w+]*)?)(?: now)?",
        USES,
        NO_LONGER_USES,
    ),
    after(
        rf"(?:dropped|ditched|binned|axed|cancelled|canceled|unsubscribed from|quit(?= {SOFTWARE_NAME}\b)|deleted|"
        rf"uninstalled) (?:my |our |the )?(?P<old>{PROPER})(?: (?:account|subscription|app|contract|plan|"
        rf"membership))?(?=$|,|\.| (?:last|this|in|because|after|so|and|altogether|for good|yesterday|today)\b)",
        NO_LONGER_USES,
    ),
    clause_frame(
        rf"^(?P<old>{PROPER}) (?:is|are) (?:out|gone|dead|history|no more|cancelled|"
        rf"canceled),? (?:and )?(?:we are on|I am on|it is|now it is|we use|I use|replaced by|replaced with|now on|"
        rf"in with) (?P<o>(?-i:[A-Z]).+)",
        USES,
        NO_LONGER_USES,
    ),
    clause_frame(
        rf"^(?P<o>{PROPER}) (?:has )?(?:replaced|replaces|took over from) (?P<old>{PROPER})(?=$|,|"
        rf"\.)",
        USES,
        NO_LONGER_USES,
    ),
    after(
        rf"(?:use|uses|am on|is on|are on|am with|are with|bank with|shop at|"
        rf"fly with) (?P<o>{PROPER})(?: now)?,? (?:not|no longer|instead of|"
        rf"rather than) (?P<old>{PROPER})(?: any ?more)?",
        USES,
        NO_LONGER_USES,
    ),
    clause_frame(
        rf"^(?P<old>{NAME}) is (?:not|no longer) (?:(?P<w>my|our|"
        rf"(?-i:[A-Z])[a-z]+'s) )(?P<r>{_ROLE})(?: any ?more| now)?,? (?:it is|but|now it is|"
        rf"that is) (?:now )?(?P<o>{NAME})",
        KIN_IS,
        NO_LONGER_KIN,
    ),
    clause_frame(
        rf"^(?P<w>my|our) (?:new )?(?P<r>{_ROLE}) is (?P<o>{NAME})(?: now)?,? (?:(?P<old>{NAME}) (?:has |is |"
        rf"just )*(?:retired|left|quit|moved|gone|resigned|died)|not (?P<old2>{NAME}))",
        KIN_IS,
        NO_LONGER_KIN,
    ),
    clause_frame(
        rf"^(?:the |my |our )?(?:new )?(?P<r>{_ROLE}) is (?P<o>{NAME}) now\b",
        KIN_IS,
    ),
    after(
        rf"(?:changed|have changed|legally changed) (?:my|her|his) (?:last |first |sur|"
        rf"family )?name(?: [a-z ]{{3,30}})?,? (?:to|(?:so |now )*(?:it is|I am|"
        rf"it is now))(?: now)? (?P<o>{NAME})",
        IS_NAMED,
    ),
    clause_frame(
        rf"^(?:(?:my |the )?(?:married|new|legal|maiden|full) name is|(?:I am(?: now)?|it is now) (?:Mrs|Mr|"
        rf"Ms|Dr)\.?) (?:now )?(?P<o>{NAME})",
        IS_NAMED,
    ),
    after(
        r"(?:moved|shifted|switched|changed|rescheduled|swapped|put) (?:my|our|the|his|"
        r"her) (?P<s>[a-z][a-z ]{2,30}?) (?:to|onto) (?P<o>(?:mon|tues|wednes|thurs|fri|satur|"
        r"sun)days?(?: (?:morning|afternoon|evening|night)s?)?|\d{1,2}(?::\d\d)? ?(?:am|pm)?)(?=$|,|\.| (?:now|"
        r"from|instead|because)\b)",
        ATTRIBUTE_IS,
    ),
    clause_frame(
        r"^(?:my |our |the )(?P<s>[a-z][a-z -]{2,30}?) (?:is|are|has moved to|moved to|got moved to|"
        r"will be) (?:now )?(?:at |on )(?P<o>[\w:]+(?: (?:am|pm|o'clock|morning|evening|"
        r"afternoon))?)(?: now)?,? (?:instead of|rather than|not) (?:at |on )?(?P<old>[\w:]+)",
        ATTRIBUTE_IS,
        ATTRIBUTE_IS_NO_LONGER,
    ),
)
