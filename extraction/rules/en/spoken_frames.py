"""English frames of spoken, elliptical and indirect wordings of the topics in `everyday_frames`."""

import re
from typing import Final

from extraction.rules.en.frames import (
    States,
    after,
    clause_frame,
    proper_name,
    read_age,
    read_exact,
    read_product,
)
from extraction.rules.en.statements import (
    KIN_IS,
    LIVES,
    NAME,
    NO_LONGER_HAS,
    NO_LONGER_LIKES,
    NO_LONGER_USES,
    PERSON,
    PREFERS,
    PRODUCT_IS,
    PROPER,
    SWITCHED_FROM,
    TOPIC,
)
from extraction.rules.en.word_classes import SOFTWARE_NAME, THING
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

# Moves

SPOKEN_MOVES: Final = (
    after(
        # Whoever has a studio there works in it.
        r"(?!(?:own|owns|have|has|built) (?:an? |our |my |the |his |her )(?:[a-z-]+ )?studio\b)"
        rf"(?:bought|got|found|took|signed for|own|owns|rent|rents|have|has|share|shares|moved into|have moved into|"
        rf"am in|is in|are in|built|ended up with|got the keys to|am moving into)(?: (?:myself|ourselves|us|me))? "
        rf"(?:an? |our |my |the |this |his |her )(?:[a-z-]+ ){{0,3}}?{_HOME} (?:in|near|on|off|outside|over in|"
        rf"up in) (?P<o>(?:the )?(?-i:[A-Z]).+)",
        LIVES,
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


_DOES: Final = "|".join(sorted(_WORKER, key=len, reverse=True))
SPOKEN_WORK: Final = (
    after(
        rf"(?P<j>{_DOES})(?: for a living| for work| in the evenings| part[- ]time| full[- ]time)?(?= (?:at|for|"
        rf"in|on|with) |$|,| and\b)",
        States(says="{s} works as {o}.", relation="works as", group="j", read=_read_worker, kind=TOPIC),
    ),
    after(
        # Somebody with a degree has finished studying.
        r"(?:have|has|got|hold|holds|did)(?: got)? an? (?P<o>(?:first |second )?(?:(?:bachelor|master|doctor)['’]?s? )?"
        r"(?:degree|phd|doctorate|master['’]?s|bachelor['’]?s|diploma|msc|bsc|mba|ba|ma) in "
        r"[A-Za-z]+(?: (?:and )?[a-z]+)?)(?=$|[,.;!]| (?:but|and|from|so|which|though|because)\b)",
        States(says="{s} has a {o}.", relation="has", read=read_exact, kind=TOPIC),
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
SPOKEN_PEOPLE: Final = (
    clause_frame(
        rf"^(?P<o>{NAME}),? (?:is )?(?P<w>my|our) (?:[a-z-]+ ){{0,2}}?(?P<r>{_ANIMAL})(?=$|,| (?:is|was|has|just|"
        rf"of))",
        _PET_IS,
    ),
    after(
        rf"(?:had to )?(?:put|have put|said goodbye to|buried|lost) (?:my |our |the |dear |poor |sweet |"
        rf"old )*(?:{_ANIMAL} )?(?P<o>{NAME})"
        rf"(?: down| to sleep)?(?=$|,| (?:on|last|this|yesterday|in|today|to)\b)(?<!Mum)(?<!Dad)",
        States(says="{s} no longer has {o}.", relation="has", read=_read_lost, closes=True),
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
)


# Ages

_AGED: Final = States(says="{s} is {o}.", relation="has age", read=read_age, kind=_TIME)
_BORN_IN: Final = States(says="{s} was born in {o}.", relation="born in", read=read_exact, kind=_TIME)
SPOKEN_AGES: Final = (
    clause_frame(
        r"^born (?:back )?in '?(?P<o>(?:19|20)?\d\d)(?=$|,|\.| )",
        _BORN_IN,
    ),
)


# Belongings

_HAS_ANIMAL: Final = States(says="{s} has {o}.", relation="has", read=read_exact, kind=EntityType.ANIMAL)
SPOKEN_BELONGINGS: Final = (
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

SPOKEN_HEALTH: Final = (
    after(
        r"(?:need|needs|wear|wears|have to wear|has to wear)(?: to wear)? (?:an? )?(?P<o>(?:reading )?glasses|"
        r"contact lenses|"
        r"hearing aids?|wheelchair)(?=$|[,.;!]| (?:now|for|since|because|and|but|to|all)\b)",
        States(says="{s} needs {o}.", relation="has", read=read_exact),
    ),
)


# Tastes

SPOKEN_TASTES: Final = (
    after(
        r"(?:always|only|usually|mostly|generally|nearly always) (?:go for|choose|pick|order|ask for|book|"
        r"sit in|take|drink|wear|read|watch|listen to|cook with|fly|buy|want) (?P<o>(?!it\b|this\b|that\b|"
        r"care\b|my time|a while|the piss).+)",
        PREFERS,
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
        rf"(?:dropped|ditched|binned|axed|cancelled|canceled|unsubscribed from|quit(?= {SOFTWARE_NAME}\b)|deleted|"
        rf"uninstalled) (?:my |our |the )?(?P<old>{PROPER})(?: (?:account|subscription|app|contract|plan|"
        rf"membership))?(?=$|,|\.| (?:last|this|in|because|after|so|and|altogether|for good|yesterday|today)\b)",
        NO_LONGER_USES,
    ),
)
