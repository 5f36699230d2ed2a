"""Closed lists of English words for work, health, languages, pastimes and what people are."""

from typing import Final

from extraction.words_en import word_set


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
    "social anxiety|color blindness|colour blindness|heart murmur|kidney stones|pcos|narcolepsy"
)
# What passes, but may have a lasting cause.
SYMPTOMS: Final = CONDITIONS | _phrases(
    "pain|pains|ache|aches|headache|headaches|stress|nightmares|nightmare|heartburn|rash|rashes|fatigue|"
    "exhaustion|burnout|"
    "cough|nausea|bloating|cramps|dizziness|hives|indigestion|reflux|sore throat|breakouts|flare-ups|stomachache|"
    "stomach aches|stomach ache|stomach trouble|sneezing|palpitations|jitters|weight gain|tiredness|allergy|"
    "bad sleep|"
    "sleeplessness|mood swings|hangovers|swelling|stiffness|numbness|breakup|divorce|panic"
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
PASTIMES: Final = _phrases(
    "piano|guitar|bass|bass guitar|violin|viola|cello|drums|flute|clarinet|saxophone|sax|trumpet|trombone|"
    "harp|organ|ukulele|"
    "banjo|accordion|harmonica|keyboard|oboe|bassoon|mandolin|double bass|recorder|bagpipes|synth|football|soccer|"
    "basketball|baseball|tennis|table tennis|ping pong|badminton|squash|volleyball|beach volleyball|handball|hockey|"
    "ice hockey|field hockey|rugby|cricket|golf|chess|go|poker|bridge|darts|pool|snooker|bowling|softball|"
    "lacrosse|padel|"
    "pickleball|water polo|video games|board games|dungeons and dragons|d&d|minecraft|mahjong|scrabble|"
    "ultimate frisbee"
)
MORE_TRAITS: Final = _phrases(
    "vegetarian|vegan|pescatarian|pescetarian|flexitarian|celiac|coeliac|diabetic|left-handed|right-handed|"
    "color-blind|"
    "colorblind|colourblind|dyslexic|autistic|asthmatic|retired|unemployed|self-employed|freelance|single|"
    "divorced|widowed|"
    "married|engaged|introvert|introverted|extrovert|extroverted|atheist|christian|catholic|muslim|jewish|"
    "buddhist|hindu|"
    "only child|night owl|early bird|early riser|lactose intolerant|lactose-intolerant|gluten intolerant|gluten-free|"
    "teetotal|teetotaler|sober|nonbinary|non-binary|gay|lesbian|bisexual|trans|deaf|blind|bilingual|trilingual|"
    "perfectionist|morning person|night person|people person|homebody|bookworm|minimalist|workaholic|single "
    "mom|single dad|"
    "single mother|single father|single parent|stay-at-home mom|stay-at-home dad|hard of hearing|near-sighted|"
    "nearsighted|short-sighted|shortsighted|colour blind|color blind|left handed|smoker|non-smoker"
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
# What is worth keeping even after "I need to" or "I will".
LIFE_GOALS: Final = word_set(
    "learn study become quit marry adopt graduate lose save retire move apply publish climb compete master "
    "pass improve "
    "emigrate relocate enrol enroll qualify volunteer lower reduce gain pursue overcome repay"
)
