"""English word classes of everyday life: medicines, belongings, appointments, food that people avoid, numbers."""

import re
from typing import Final

from extraction.text.lexicon_en import CONDITIONS, JOBS, MORE_JOBS, MORE_OWNABLE, OWNABLE, PETS, word_set

# Medicines: names, and the endings of drug classes (stems of international nonproprietary names, WHO).

_MEDICINES = r"""
paracetamol|acetaminophen|tylenol|ibuprofen|advil|nurofen|aspirin|codeine|tramadol|morphine|naproxen|aleve|insulin
metformin|levothyroxine|thyroxine|synthroid|prednisone|prednisolone|hydrocortisone|methotrexate|warfarin|heparin
lithium|ritalin|concerta|adderall|vyvanse|prozac|zoloft|lexapro|xanax|valium|wellbutrin|bupropion|lamotrigine
gabapentin|pregabalin|ventolin|salbutamol|albuterol|symbicort|singulair|montelukast|claritin|zyrtec|loratadine
cetirizine|benadryl|ozempic|wegovy|mounjaro|semaglutide|humira|melatonin|vitamin [a-k]\d{0,2}|vitamins|multivitamins
magnesium|iron|zinc|calcium|folic acid|fish oil|omega-?3|probiotics|antihistamines?|antibiotics?|antidepressants?
statins?|steroids?|beta[- ]blockers?|blood thinners?|blood pressure (?:tablets|pills|meds|medication)|painkillers?
sleeping (?:pills|tablets)|birth control|the pill|hrt|oestrogen|estrogen|testosterone|spironolactone|furosemide
clopidogrel|plavix|lipitor|crestor|eliquis|xarelto|viagra|tamoxifen|keppra|topiramate|epilim|sumatriptan|botox
creatine|turmeric|(?:cod liver|evening primrose) oil|iron (?:tablets|pills|supplements)|eye drops|nasal spray
inhaler|epipen|water tablets|thyroid (?:tablets|pills|meds)
"""
_MEDICINE_STEMS = (
    r"[a-z]{2,12}(?:prils?|sartan|statin|olol|dipine|azole|oxetine|traline|alopram|faxine|triptan|cillin|mycin|"
    r"floxacin|cycline|azepam|azolam|zolam|pidem|xaban|gatran|gliptin|gliflozin|glutide|zide|tidine|adine|irizine|"
    r"terol|sonide|asone|olone|thyroxine|iprazole|apine|idone|mab|profen|coxib|dronate|terone|azine|barbital|setron|"
    r"lukast|parin|gabalin|bapentin|trexate|quine|timibe|vir)"
)
MEDICINE: Final = "(?:" + "|".join(_MEDICINES.strip().split("\n")) + f"|{_MEDICINE_STEMS})"
DOSE: Final = (
    r"(?:\d+(?:[.,/]\d+)? ?(?:mg|milligrams?|mcg|µg|micrograms?|g|grams?|ml|iu|units?)|(?:one|two|three|half a|a|\d) "
    r"(?:puffs?|tablets?|pills?|drops|capsules?))"
)

# Belongings

THINGS: Final = (
    OWNABLE
    | MORE_OWNABLE
    | PETS
    | word_set(
        "phone laptop computer tablet ipad iphone macbook imac pixel kindle pc desktop monitor tv television projector "
        "console playstation ps5 xbox switch watch smartwatch headphones earbuds airpods speaker speakers printer "
        "router camera lens drone microscope scanner keyboard mouse "
        "e-bike ebike motorcycle moped vespa tricycle skateboard longboard snowboard skis surfboard paddleboard "
        "caravan trailer rv tractor lorry camper minibus estate hatchback saloon sedan coupe pickup "
        "canoe dinghy yacht narrowboat houseboat rowboat "
        "bungalow townhouse mansion maisonette studio loft chalet villa cabin shed garage plot land orchard "
        "allotment field acre acres farmhouse caravan "
        "sofa couch bed mattress desk armchair table bookcase wardrobe rug oven stove hob cooker fryer freezer fridge "
        "dishwasher dryer washer microwave blender mixer grill barbecue bbq kettle toaster airfryer smoker wok "
        "vacuum hoover roomba dehumidifier lawnmower mower chainsaw drill lathe kiln loom telescope tent treadmill "
        "burner tub heater pump panels boiler chair chairs kit telly conservatory bench swing trampoline hammock "
        "piano organ pram buggy pushchair cot "
        "crib carrier backpack suitcase bookshelf lamp mirror sofa-bed futon recliner dashcam sat-nav satnav ebook "
        "e-reader reader soundbar turntable vinyl "
        "machine machines serger typewriter "
        "violin viola cello flute clarinet saxophone sax trumpet trombone harp organ banjo accordion harmonica "
        "keyboard synth synthesizer drum drumkit mandolin oboe "
        "hens hen chickens chicken chooks ducks duck geese goose goats goat sheep ewes lambs pigs pig cows cow cattle "
        "bees hive hives alpaca alpacas donkey donkeys llama ponies ferret ferrets rat rats mouse mice gerbil gerbils "
        "chinchilla budgie budgies cockatiel canary canaries macaw finch tortoises terrapin terrapins newt newts "
        "axolotl hedgehog rabbits pigeons spaniel spaniels collie dachshund pug greyhound whippet lurcher dalmatian "
        "rottweiler doberman boxer chihuahua shepherd pointer setter schnauzer maltese cockapoo labradoodle mutt "
        "mongrel tabby siamese ragdoll coon shorthair persian tom tomcat stray hound pup pups lab staffy "
        "pond aquarium vivarium terrarium greenhouse polytunnel "
        "pacemaker wheelchair hearing-aid prosthesis glasses stick cane crutches guitar bicycle wallet "
        "passport licence license visa "
        "saab skoda fiat vauxhall peugeot renault citroen seat mini porsche ferrari lexus dacia suzuki yamaha ducati "
        "harley kawasaki fiesta golf polo corsa astra civic corolla prius yaris leaf clio gazelle brompton defender "
        "cafe café workshop practice surgery nursery deli"
    )
)
_THING_WORDS = "|".join(sorted(THINGS, key=len, reverse=True))
THING: Final = f"(?:{_THING_WORDS})"

# Appointments and events that people plan for

APPOINTMENTS: Final = word_set(
    "dentist doctor gp optician hairdresser physio appointment appointments interview exam exams test finals viva "
    "surgery operation op scan mri checkup check-up hearing flight train wedding funeral graduation conference "
    "concert gig marathon race half-marathon triathlon meeting presentation audition inspection mot biopsy chemo "
    "radiotherapy vaccination jab jabs party reunion recital exhibition festival trip holiday vacation cruise "
    "retreat course workshop trial deadline move christening baptism shower housewarming anniversary bbq "
    "barbecue date canal blood-test ultrasound x-ray endoscopy colonoscopy braces consultation viewing tournament "
    "match final competition ceremony induction orientation driving-test practical mammogram screening "
    "transplant procedure treatment haircut facial massage lesson session class rehearsal"
)

# Food and other things to which people are allergic

ALLERGENS: Final = word_set(
    "peanut peanuts nut nuts almond almonds walnut walnuts cashew cashews hazelnut hazelnuts pistachio pistachios "
    "pecan pecans sesame soy soya milk dairy lactose cheese egg eggs gluten wheat shellfish shrimp shrimps prawn "
    "prawns crab lobster fish mussels oysters clams squid celery mustard lupin kiwi kiwis strawberry strawberries "
    "apple apples peach peaches mango mangoes banana bananas avocado avocados tomato tomatoes pineapple citrus "
    "cilantro coriander garlic onion onions mushroom mushrooms coconut corn pollen grass birch ragweed dust mould "
    "mold cat cats dog dogs horse horses fur feathers latex nickel penicillin amoxicillin sulfa aspirin ibuprofen "
    "codeine bee bees wasp wasps stings penicillin plasters adhesive perfume sulphites sulfites msg caffeine alcohol "
    "aspartame chocolate pork beef meat"
)
# A noun is the head of its phrase unless another one follows: not "stroke" in "the stroke team".
NO_NOUN_NEXT: Final = (
    r"(?! (?!(?:and|but|or|since|in|on|from|for|so|which|that|this|again|at|because|when|whenever|like|now|these|"
    r"those|as|is|was|too|with|last|all|if|i|we|he|she|they|it|my|the|an?|by|to|of|who|has|have|had|after|before|"
    r"during|every|most|some|years?|today|just|also|though|until|while|thanks|lately|right|bad|back|under|type|stage|"
    r"[a-z]+ly|[a-z]+ed|[a-z]+ing)\b)[a-z])"
)
CONDITION: Final = "(?:" + "|".join(sorted(map(re.escape, CONDITIONS), key=len, reverse=True)) + ")"
JOB: Final = "(?:" + "|".join(sorted(map(re.escape, JOBS | MORE_JOBS), key=len, reverse=True)) + ")"

# Numbers and other values of which a person has one at a time. PINs and account passwords are left out.

SLOTS: Final[dict[str, str]] = {
    r"(?:(?:tele)?phone|mobile|cell(?: ?phone)?|contact|home|work|office|landline|daytime|whatsapp|uk|us) number|"
    r"number|mobile|cell(?: ?phone)?|landline|phone no\.?|work (?:phone|mobile)": "phone number",
    r"e-?mail(?: address)?|(?:work|personal|private|new) e-?mail(?: address)?": "email",
    r"(?:home |postal |mailing |delivery |street |billing )?address": "address",
    r"(?:shoe|boot|trainer|sneaker|foot|ring|dress|shirt|collar|hat|glove|bra|jacket|coat|trouser|jeans|waist|helmet|"
    r"suit|t-?shirt|frame|inside leg) (?:size|measurement)s?": "size",
    r"(?:shoe|boot|trainer|ring|dress|shirt|hat|glove)s?(?= size)": "size",
    r"(?:post|zip) ?code": "postcode",
    r"(?:door|gate|alarm|entry|garage|locker|lock|bike lock|key ?safe|building|entrance|front door|keypad|office) "
    r"code": "code",
    r"(?:licen[cs]e|number|registration) ?plate|car reg(?:istration)?|reg(?:istration)?(?: number)?": "plate",
    r"(?:membership|library card|passport|account|customer|policy|frequent flyer|insurance|nhs|employee|staff|student|"
    r"locker|desk|room|flat|apartment|house|seat|plot|unit|extension|order|reference|tax|loyalty card|ext) "
    r"(?:number|no\.?)": "number",
    r"wi-?fi (?:password|key|code|passphrase|pw|pwd|pass)": "password",
    r"(?:work |office |phone )?ext(?:ension)?": "number",
    r"code (?:for|to|of) (?:the|my|our) [a-z][a-z -]{2,25}?": "code",
    r"blood (?:type|group)": "blood type",
    r"height|weight": "measure",
}

# Programs and services, from which a team moves as from a town: "we moved from Slack to Teams".
SOFTWARE: Final = word_set(
    "Slack Teams Zoom Discord Skype WhatsApp Telegram Signal Jira Trello Asana Linear Monday Notion Evernote "
    "Obsidian OneNote Todoist GitHub GitLab "
    "Bitbucket Gmail Outlook Hotmail Thunderbird Dropbox Netflix Spotify Tidal Deezer Windows Linux Ubuntu Fedora "
    "Debian macOS Android iOS Chrome Firefox "
    "Safari Edge Word Excel Docs Sheets Airtable Figma Sketch Photoshop Lightroom Shopify Wix WordPress Squarespace "
    "Mailchimp Xero QuickBooks Jenkins "
    "Terraform Kubernetes Docker Heroku AWS Azure GCP Vercel Netlify Cloudflare React Angular Vue Svelte Django "
    "Flask Rails Laravel Postgres MySQL MongoDB "
    "Redis Kafka RabbitMQ Oracle SQLite DynamoDB Elasticsearch "
    "Instagram Facebook TikTok Twitter Snapchat YouTube Reddit LinkedIn Pinterest Bluesky WeChat Tinder Bumble "
    "Hinge Duolingo Babbel Audible Kindle Headspace Strava Peloton Patreon Substack Hulu Crunchyroll Disney ChatGPT "
    "Canva PayPal Uber Lyft Deliveroo"
)
SOFTWARE_NAME: Final = f"(?-i:{'|'.join(sorted(SOFTWARE))})"
