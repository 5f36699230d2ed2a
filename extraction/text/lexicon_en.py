"""English word lists."""


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Relatives of whom a person usually has only one, so that the word alone identifies them.
SOLE_KIN = word_set(
    "mother mom mum father dad wife husband boyfriend girlfriend fiance fiancee partner boss sister brother son "
    "daughter grandmother grandma grandfather grandpa manager roommate spouse twin mother-in-law father-in-law "
    "brother-in-law sister-in-law flatmate housemate supervisor landlord landlady parents grandparents in-laws kids "
    "ex-wife ex-husband ex stepmother stepfather stepson stepdaughter stepdad stepmom godmother godfather"
)
KIN = SOLE_KIN | word_set(
    "friend uncle aunt cousin nephew niece colleague coworker co-worker classmate neighbor neighbour teacher mentor "
    "coach therapist doctor tutor child kid buddy bestie stepbrother stepsister teammate children "
    "dentist trainer professor advisor adviser grandson granddaughter sibling assistant babysitter nanny physio "
    "housekeeper barber hairdresser vet lawyer accountant pal ex-boyfriend ex-girlfriend cofounder co-founder mate "
    "godson goddaughter penpal bandmate classmates half-brother half-sister step-brother step-sister step-son "
    "step-daughter "
    "fiancé fiancée great-aunt great-uncle grandchild granny nan gran lodger tenant childminder carer"
)
# Relatives meant by "we have a boy" and "a girl".
CHILD_NAME = {"boy": "son", "girl": "daughter"}
# A pattern; longer words come first.
KIN_PATTERN = "|".join(sorted(KIN, key=len, reverse=True))
# Canonical synonyms of words for relatives.
KIN_NAME = {
    "mom": "mother",
    "mum": "mother",
    "dad": "father",
    "grandma": "grandmother",
    "grandpa": "grandfather",
    "nan": "grandmother",
    "gran": "grandmother",
    "granny": "grandmother",
}
MANY_KIN = frozenset(("parents", "grandparents", "kids", "children", "in-laws", "classmates"))
KIN_SINGULAR = {"children": "child", "parents": "parent", "puppies": "puppy"}
PETS = word_set(
    "dog dogs cat cats puppy puppies kitten kittens hamster hamsters rabbit rabbits bunny parrot parrots "
    "turtle turtles "
    "tortoise goldfish fish guinea snake lizard gecko horse pony bird birds pet pets retriever poodle labrador corgi "
    "husky bulldog terrier beagle greyhound lurcher spaniel collie dachshund pug whippet rottweiler tabby "
    "tortoiseshell siamese "
    "ragdoll cockapoo labradoodle setter schnauzer chihuahua mutt budgie budgies cockatiel ferret gerbil gerbils "
    "axolotl hen hens chickens "
    "ducks snail snails alpaca alpacas goat goats donkey bees pup stray tomcat hedgehog"
)
JOBS = word_set(
    "teacher doctor nurse engineer developer programmer lawyer designer writer artist musician student chef cook "
    "accountant architect scientist researcher professor journalist photographer manager salesman salesperson driver "
    "pilot dentist therapist psychologist counselor consultant analyst plumber electrician farmer soldier officer "
    "policeman firefighter librarian barista waiter waitress bartender actor actress singer dancer painter editor "
    "translator pharmacist veterinarian vet mechanic carpenter tutor coach trainer secretary receptionist cashier "
    "entrepreneur banker economist biologist chemist physicist mathematician intern novelist illustrator paramedic "
    "surgeon tailor baker butcher florist gardener broker realtor recruiter freelancer blogger "
    "technician administrator "
    "director producer composer guide attendant judge pediatrician physiotherapist instructor lecturer "
    "principal"
)
# Head words without content of their own.
VAGUE = word_set(
    "thing things stuff lot bit idea ideas part parts fact feeling feelings way ways kind sort one ones "
    "moment moments "
    "anything everything nothing something someone everyone anyone people person guy guys person's well much "
    "more most "
    "fun best same too good great nice bad happy others other rest sound sounds look looks vibe support "
    "help advice life "
    "what how why self myself himself herself themselves itself yourself ourselves day days night week weekend year "
    "month hour minute experience side couple number amount work ton tons vibes texture textures effect "
    "effects theme themes color colors energy connection mind atmosphere "
    "style design look place places skill skills attitude memory memories plot plots structure "
    "determination passion thought thoughts "
    "message quality details detail story few"
)
PRONOUNS = word_set(
    "i me my mine you your yours he him his she her hers it its we us our ours they them their theirs this "
    "that these "
    "those who whom whose which what how why when where there here being having knowing seeing hearing "
    "getting making "
    "doing"
)
# Numbers of the months by name and abbreviation.
MONTH_NUMBERS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
# A pattern; longer names come first.
ANY_MONTH = f"(?:{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))})"
MONTHS = word_set("january february march april may june july august september october november december")
DAYS = MONTHS | word_set(
    "monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday christmas easter "
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays "
    "thanksgiving halloween"
)
# Capitalised words that are never a name.
NOT_NAMES = (
    DAYS
    | PRONOUNS
    | word_set(
        "gp i'm i've i'll i'd ok okay yes no yeah yep nope hi hello hey thanks thank wow oh ah well so but and "
        "or if then also "
        "the a an please sorry sure great good nice cool awesome amazing congrats congratulations absolutely "
        "definitely "
        "mr mrs ms dr god gosh haha lol btw tv dvd cd pc ai usa uk english chinese french german spanish "
        "italian japanese "
        "korean russian american british grandpa grandma mom mum dad uncle aunt mother father today's bye "
        "glad hope just "
        "let let's maybe never not now of on one only our really see since some take that's there's to too "
        "what's when "
        "last next even lately woohoo go remember aww fri tues wed thurs sat sun mon perfect connected "
        "always until over during around after before while when come look keep seems sounds speaking guess "
        "check love loved everyone nobody someone somebody music anyone people many most today tomorrow "
        "since while due music "
        "while with yesterday your say tell ask thank meet give call grandad granddad gran nan "
        " it's he's she's can't don't didn't isn't wasn't pe diy lgbt lgbtq ceo hr "
        "id phd mba "
        # Verbs without their "I", adverbs and nouns that begin a message: "Have started dating a bloke".
        "have has had got been did does done joined moved bought sold booked decided passed failed signed heard met "
        "saw told asked said thinking thought feeling felt looking hated started starting going went gone turned "
        "turns still finally apparently later earlier meanwhile however anyway besides plus instead except unless once "
        "twice both either neither each every few several none all everything nothing something anybody another update "
        "news change wrecked exhausted tired busy weekend tonight morning evening kids dinner lunch breakfast landlord "
        "boss"
    )
)
# Words for what something makes somebody feel, with the emotion.
EMOTIONS = {
    word: emotion
    for emotion, words in {
        "joy": "happy excited joyful cheerful cheers",
        "calm": "calm relaxed peaceful calms relaxes",
        "sadness": "sad cry depressed lonely saddens upset upsets",
        "anxiety": "anxious nervous stressed uneasy stresses",
        "fear": "scared afraid scares frightens terrifies",
        "anger": "angry mad furious annoys",
    }.items()
    for word in words.split()
}
