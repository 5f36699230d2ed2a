"""English word lists used by the rules."""

from typing import Final


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
# Relatives whom "he" and "she" cannot mean.
FEMALE_KIN = word_set(
    "mother mom mum wife girlfriend fiancée sister daughter grandmother grandma granny nan gran mother-in-law "
    "sister-in-law landlady ex-wife ex-girlfriend stepmother stepdaughter stepmom godmother aunt niece stepsister "
    "granddaughter goddaughter half-sister step-sister step-daughter great-aunt girl"
)
MALE_KIN = word_set(
    "father dad husband boyfriend brother son grandfather grandpa father-in-law brother-in-law landlord ex-husband "
    "ex-boyfriend stepfather stepson stepdad godfather uncle nephew stepbrother grandson godson half-brother "
    "step-brother step-son great-uncle boy"
)
# Relatives meant by "we have a boy" and "a girl".
CHILD_NAME = {"boy": "son", "girl": "daughter"}
# A pattern; longer words come first.
KIN_PATTERN = "|".join(sorted(KIN, key=len, reverse=True))
# Words that distinguish relatives of a kind: "older", "younger".
WHICH_KIN = word_set(
    "older younger elder eldest oldest youngest little big middle step half ex former future foster new old first "
    "second third other twin previous"
)
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
OWNABLE = word_set(
    "car bike bicycle motorcycle house apartment garden piano guitar violin camera telescope boat farm shop "
    "store cafe "
    "restaurant bakery business company startup collection blog channel podcast kids children son sons daughter "
    "daughters sister sisters brother brothers twins siblings diabetes asthma insomnia migraines adhd"
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
ARTICLES = word_set(
    "a an the my his her our their some any all many several most various both such every each really very so just"
)
# Adjectives that, before a comma, still belong to the noun after it.
ADJECTIVES = word_set(
    "small big large little tiny old new quiet loud long short cold hot warm dark bright cheap expensive "
    "simple plain light "
    "heavy slow fast soft hard sweet spicy sour salty bitter dry wet clean cosy cozy modern classic vintage "
    "local fresh "
    "crisp rich thick thin bold strong weak easy difficult good bad nice great beautiful lovely pretty cute "
    "funny happy sad "
    "crowded empty open narrow wide deep flat rough smooth gentle calm wild natural healthy organic handmade colorful"
)
TRIVIAL_GOALS = word_set(
    "talk know ask say tell hear see be do get have go come chat share thank make sure let give take "
    "apologize look use "
    "check keep find try understand hang catch stop sleep eat rest relax believe think feel show put add "
    "mention point "
    "meet help stay leave call bring start continue wait sit spend focus discuss return avoid live work "
    "remember forget"
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
# Words that begin a clause and name nobody, though names of places and firms may begin with them: "Big change: …",
# "For Margery from the club", "Surgeon's got shingles", but "New Haven".
NOT_SUBJECTS = NOT_NAMES | word_set(
    "big small huge tiny quick slight major minor final latest new old bad sad happy funny weird fun fresh extra for "
    "from with without about like unlike despite because given considering feel feels reckon wish surgeon dentist "
    "doctor nurse midwife physio optician plumber builder teacher coach manager supervisor neighbour neighbor "
    "colleague housemate flatmate roommate honestly seriously basically literally"
)
# Words joined by "and" that name one thing.
JOINED = (
    "rock and roll",
    "mac and cheese",
    "fish and chips",
    "black and white",
    "arts and crafts",
    "hide and seek",
    "dungeons and dragons",
    "drum and bass",
    "rhythm and blues",
    "bed and breakfast",
    "science and technology",
)


# Work, health, languages, pastimes and traits


def _phrases(text: str) -> frozenset[str]:
    return frozenset(text.split("|"))


MORE_JOBS: Final = word_set(
    "copywriter marketer lead specialist supervisor owner founder cofounder ceo cto cfo contractor janitor "
    "dispatcher "
    "operator radiologist cardiologist dermatologist neurologist oncologist anesthesiologist historian poet "
    "model nanny "
    "sommelier optometrist paralegal clerk stylist hairdresser barber dj streamer youtuber tester admin "
    "sysadmin planner "
    "organizer coordinator strategist executive representative rep agent associate apprentice trainee "
    "resident fellow "
    "postdoc undergrad freshman sophomore caretaker cleaner welder builder roofer machinist miner fisherman "
    "sailor captain "
    "priest pastor monk nun rabbi imam politician mayor diplomat ambassador detective investor trader actuary "
    "auditor "
    "geologist astronomer astronaut botanist zoologist anthropologist archaeologist sociologist linguist philosopher "
    "statistician dietitian nutritionist midwife caregiver carer optician podiatrist chiropractor masseuse masseur "
    "animator cinematographer sculptor potter ceramicist jeweler dressmaker cobbler blacksmith brewer "
    "winemaker chocolatier "
    "rancher beekeeper forester ranger lifeguard bouncer courier postman mailman bricklayer plasterer "
    "locksmith glazier "
    "surveyor landscaper decorator underwriter bookkeeper treasurer headhunter lobbyist solicitor barrister "
    "magistrate "
    "notary worker housewife homemaker pensioner retiree columnist reporter correspondent publisher "
    "proofreader ghostwriter screenwriter playwright comedian magician drummer guitarist pianist violinist cellist "
    "conductor choreographer ballerina athlete swimmer boxer cyclist footballer golfer referee umpire gamer sergeant "
    "lieutenant colonel soldier marine paratrooper candidate graduate freelancer entrepreneur devops sre pm "
    "ecologist virologist immunologist pathologist epidemiologist psychiatrist orthodontist hygienist phlebotomist "
    "radiographer sonographer teacher-trainer headteacher dean provost tutor tailor upholsterer seamstress "
    "joiner postie labourer tiler scaffolder cabbie trucker usher steward stewardess milkman fishmonger greengrocer "
    "fitter rigger registrar matron orderly porter concierge croupier bailiff luthier tuner taxidermist roadie farrier "
    "shepherd vicar curate chaplain organist curator archivist conservator restorer framer bookbinder cartographer "
    "meteorologist anaesthetist obstetrician gynaecologist paediatrician urologist audiologist osteopath acupuncturist "
    "doula undertaker coroner constable inspector warden gamekeeper vintner roaster distiller goldsmith silversmith "
    "watchmaker clockmaker signalman busker deckhand skipper docker crofter groom jockey farmhand stacker caterer maid "
    "butler chauffeur typist "
    "intern developer"
)
CONDITIONS: Final = _phrases(
    "diabetes|asthma|migraine|migraines|insomnia|adhd|arthritis|epilepsy|celiac disease|coeliac disease|anxiety|"
    "anxiety disorder|depression|ptsd|ocd|eczema|psoriasis|hypertension|high blood pressure|low blood pressure|"
    "high cholesterol|allergies|hay fever|sciatica|tinnitus|endometriosis|anemia|anaemia|hypothyroidism|ibs|"
    "gerd|scoliosis|"
    "fibromyalgia|glaucoma|gout|autism|dyslexia|vertigo|lupus|cancer|disorder|syndrome|chronic pain|chronic fatigue|"
    "bad knees|bad knee|bad back|acid reflux|rosacea|acne|sleep apnea|osteoporosis|parkinson's|crohn's|"
    "multiple sclerosis|ms|copd|heart condition|thyroid problems|bipolar|bipolar disorder|panic attacks|"
    "dementia|alzheimer's|angina|heart failure|kidney disease|long covid|tendonitis|tendinitis|carpal tunnel|"
    "cataracts|hernia|"
    "slipped disc|herniated disc|cystic fibrosis|coeliac|celiac|me/cfs|pots|haemophilia|hemophilia|sickle cell|hiv|"
    "hepatitis|"
    "parkinsons|crohns|alzheimers|type 1 diabetes|type 2 diabetes|type one diabetes|type two diabetes|adhd|add|"
    "plantar fasciitis|shingles|sinusitis|reflux|gallbladder trouble|restless legs|meniere's|hashimoto's|"
    "graves' disease|"
    "raynaud's|lyme disease|hypertension|tachycardia|macular degeneration|hearing loss|tinnitus|bunions|anorexia|"
    "bulimia|"
    "postnatal depression|aspergers|dyspraxia|tourette's|leukaemia|leukemia|lymphoma|melanoma|stroke|"
    "chronic migraines|"
    "rheumatoid arthritis|osteoarthritis|tennis elbow|frozen shoulder|ulcerative colitis|ulcers|an ulcer|prediabetes|"
    "bronchitis|emphysema|gallstones|diverticulitis|colitis|arrhythmia|afib|torn meniscus|low iron|high bp|"
    "social anxiety|color blindness|colour blindness|heart murmur|kidney stones|pcos|narcolepsy"
)
SYMPTOMS: Final = CONDITIONS | _phrases(
    "pain|pains|ache|aches|headache|headaches|stress|nightmares|nightmare|heartburn|rash|rashes|fatigue|exhaustion|"
    "burnout|cough|nausea|bloating|cramps|dizziness|hives|indigestion|sore throat|stomachache|stomach ache|sneezing|"
    "palpitations|sleeplessness|mood swings|swelling|stiffness|numbness|breakup|divorce|panic"
)
LANGUAGES: Final = word_set(
    "English French German Spanish Italian Portuguese Dutch Swedish Norwegian Danish Finnish Icelandic Polish "
    "Czech Slovak "
    "Hungarian Romanian Bulgarian Serbian Croatian Slovenian Greek Turkish Russian Ukrainian Arabic Hebrew "
    "Persian Farsi "
    "Hindi Urdu Bengali Punjabi Tamil Telugu Marathi Gujarati Chinese Mandarin Cantonese Japanese Korean "
    "Vietnamese Thai "
    "Indonesian Malay Tagalog Swahili Amharic Zulu Afrikaans Catalan Basque Welsh Irish Gaelic Latin "
    "Esperanto Latvian "
    "Lithuanian Estonian Albanian Macedonian Georgian Armenian Mongolian Nepali Khmer Lao Burmese ASL"
)
MORE_OWNABLE: Final = word_set(
    "salon gallery studio agency consultancy gym bar pub hotel newsletter nonprofit label clinic practice brand "
    "bookshop bookstore diner pizzeria brewery winery vineyard b&b guesthouse cabin cottage condo flat "
    "allotment greenhouse "
    "scooter motorbike van campervan tesla volvo toyota honda ford bmw audi volkswagen mercedes subaru mazda "
    "kia hyundai "
    "nissan jeep truck suv minivan convertible sailboat kayak canoe drone telescope cello drums keyboard "
    "saxophone ukulele "
    "stepson stepdaughter baby toddler grandchildren grandkids grandson granddaughter grandsons "
    "granddaughters husband wife "
    "girlfriend boyfriend roommate roommates roommates cousins nephew nephews niece nieces twin"
)


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
# Relatives whom "he" and "she" cannot mean.
FEMALE_KIN = word_set(
    "mother mom mum wife girlfriend fiancée sister daughter grandmother grandma granny nan gran mother-in-law "
    "sister-in-law landlady ex-wife ex-girlfriend stepmother stepdaughter stepmom godmother aunt niece stepsister "
    "granddaughter goddaughter half-sister step-sister step-daughter great-aunt girl"
)
MALE_KIN = word_set(
    "father dad husband boyfriend brother son grandfather grandpa father-in-law brother-in-law landlord ex-husband "
    "ex-boyfriend stepfather stepson stepdad godfather uncle nephew stepbrother grandson godson half-brother "
    "step-brother step-son great-uncle boy"
)
# Relatives meant by "we have a boy" and "a girl".
CHILD_NAME = {"boy": "son", "girl": "daughter"}
# A pattern; longer words come first.
KIN_PATTERN = "|".join(sorted(KIN, key=len, reverse=True))
# Words that distinguish relatives of a kind: "older", "younger".
WHICH_KIN = word_set(
    "older younger elder eldest oldest youngest little big middle step half ex former future foster new old first "
    "second third other twin previous"
)
# Canonical synonyms of words for relatives.
KIN_NAME = {"mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother", "grandpa": "grandfather"}
MANY_KIN = frozenset(("parents", "grandparents", "kids", "children", "in-laws", "classmates"))
# Words for nationalities, which are no names: "my girlfriend is Brazilian".
DEMONYMS = word_set(
    "American Canadian Mexican Brazilian Argentinian Argentine Chilean Colombian Peruvian Venezuelan Ecuadorian "
    "Bolivian Uruguayan Cuban Jamaican "
    "Dominican Haitian Danish Swedish Finnish Norwegian Icelandic Polish Spanish Portuguese Italian French Dutch "
    "German Belgian Austrian Swiss Czech "
    "Slovak Slovakian Slovenian Hungarian Romanian Bulgarian Serbian Croatian Bosnian Albanian Macedonian Ukrainian "
    "Russian Belarusian Lithuanian "
    "Latvian Estonian Armenian Greek Turkish Maltese Cypriot Irish Scottish English British Welsh Moroccan Algerian "
    "Tunisian Egyptian Libyan Sudanese "
    "Ethiopian Eritrean Kenyan Ugandan Tanzanian Rwandan Nigerian Ghanaian Senegalese Cameroonian Congolese Angolan "
    "Zimbabwean Zambian Namibian Indian "
    "Nepali Nepalese Pakistani Bangladeshi Chinese Japanese Korean Taiwanese Vietnamese Cambodian Burmese Thai "
    "Indonesian Malaysian Singaporean "
    "Filipino Filipina Mongolian Kazakh Uzbek Iranian Persian Iraqi Syrian Lebanese Jordanian Palestinian Israeli "
    "Kuwaiti Saudi Yemeni Afghan "
    "Australian Fijian Samoan Hawaiian European African Asian Latino Latina"
)
# A pattern; longer words come first.
DEMONYM_PATTERN = "(?:" + "|".join(sorted(DEMONYMS, key=len, reverse=True)) + ")"
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
OWNABLE = word_set(
    "car bike bicycle motorcycle house apartment garden piano guitar violin camera telescope boat farm shop "
    "store cafe "
    "restaurant bakery business company startup collection blog channel podcast kids children son sons daughter "
    "daughters sister sisters brother brothers twins siblings diabetes asthma insomnia migraines adhd"
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
EVENTS = word_set(
    "competition contest marathon tournament festival camp workshop fair concert conference race championship "
    "olympiad "
    "exhibition wedding graduation recital show parade meet party retreat hackathon event meters premiere "
    "picnic group "
    "class course program ceremony cup"
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
ARTICLES = word_set(
    "a an the my his her our their some any all many several most various both such every each really very so just"
)
# Adjectives that, before a comma, still belong to the noun after it.
ADJECTIVES = word_set(
    "small big large little tiny old new quiet loud long short cold hot warm dark bright cheap expensive "
    "simple plain light "
    "heavy slow fast soft hard sweet spicy sour salty bitter dry wet clean cosy cozy modern classic vintage "
    "local fresh "
    "crisp rich thick thin bold strong weak easy difficult good bad nice great beautiful lovely pretty cute "
    "funny happy sad "
    "crowded empty open narrow wide deep flat rough smooth gentle calm wild natural healthy organic handmade colorful"
)
# Category nouns, which identify nothing: "my favorite player".
GENERIC = word_set(
    "player team song songs book books movie movies film films show shows story stories character "
    "characters food foods game "
    "games band bands artist artists dish dishes recipe recipes part quote scene author spot season "
    "subject toy hobby activity "
    "activities thing things color place memory memories animal animals sport sports teacher class genre "
    "series restaurant drink "
    "snack dessert singer actor writer piece pieces photo picture"
)
TRIVIAL_GOALS = word_set(
    "talk know ask say tell hear see be do get have go come chat share thank make sure let give take "
    "apologize look use "
    "check keep find try understand hang catch stop sleep eat rest relax believe think feel show put add "
    "mention point "
    "meet help stay leave call bring start continue wait sit spend focus discuss return avoid live work "
    "remember forget"
)
LASTING_GOALS = word_set(
    "learn study move become quit travel visit marry apply adopt run open write build buy finish publish graduate "
    "volunteer climb save lose improve retire compete practice practise teach paint train perform master join lead "
    "create design pursue cut reduce lower gain"
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
# Words that begin a clause and name nobody, though names of places and firms may begin with them: "Big change: …",
# "For Margery from the club", "Surgeon's got shingles", but "New Haven".
NOT_SUBJECTS = NOT_NAMES | word_set(
    "big small huge tiny quick slight major minor final latest new old bad sad happy funny weird fun fresh extra for "
    "from with without about like unlike despite because given considering feel feels reckon wish surgeon dentist "
    "doctor nurse midwife physio optician plumber builder teacher coach manager supervisor neighbour neighbor "
    "colleague housemate flatmate roommate honestly seriously basically literally"
)
# Words joined by "and" that name one thing.
JOINED = (
    "rock and roll",
    "mac and cheese",
    "fish and chips",
    "black and white",
    "arts and crafts",
    "hide and seek",
    "dungeons and dragons",
    "drum and bass",
    "rhythm and blues",
    "bed and breakfast",
    "science and technology",
)
EMOTIONS = {
    "happy": "joy",
    "excited": "joy",
    "joyful": "joy",
    "cheerful": "joy",
    "calm": "calm",
    "relaxed": "calm",
    "peaceful": "calm",
    "sad": "sadness",
    "cry": "sadness",
    "depressed": "sadness",
    "lonely": "sadness",
    "anxious": "anxiety",
    "nervous": "anxiety",
    "stressed": "anxiety",
    "uneasy": "anxiety",
    "scared": "fear",
    "afraid": "fear",
    "angry": "anger",
    "mad": "anger",
    "furious": "anger",
    "scares": "fear",
    "frightens": "fear",
    "terrifies": "fear",
    "annoys": "anger",
    "saddens": "sadness",
    "calms": "calm",
    "relaxes": "calm",
    "cheers": "joy",
    "stresses": "anxiety",
    "upset": "sadness",
    "upsets": "sadness",
}
PLEASANT = frozenset({"joy", "calm"})
