"""English verb phrases by the slot that they fill, for `slot_analysis`, and nouns by the kind of their value.

A line is a verb and what follows it: `X` is the value, `OLD` the former value, `*` one to three other words; "/"
separates alternatives, and a word with "?" is optional. "!" marks events, which also count in the past tense; other
lines state something lasting, which counts in the present and the perfect.
"""

from typing import Final

LINES: Final[dict[str, str]] = {
    "likes": """
love/adore/enjoy/like/prefer/favour/favor/treasure/relish X
be mad/crazy/nuts/wild/passionate/all about X
be big/keen/hooked/sold on X
be into X
be partial/devoted/addicted to X
be fond/enamoured of X
be obsessed/smitten/besotted with X
be in love with X
be a/an * fan/lover/devotee of X
be a/an fan/lover/devotee of X
be a/an * sucker for X
be a/an sucker for X
live for X
swear by X
root for X
have a * soft spot/weakness/thing/passion for X
have a soft spot/weakness/thing/passion for X
!get into X
!get back? into X
!get hooked/addicted on/to X
!fall in love with X
!grow/come/learn to love/like/enjoy X
!become/get obsessed with X
!go over to X
!take a liking/shine to X
!convert to X
cannot get enough of X
cannot live/do/cope/function/manage/start without X
cannot resist/beat X
have/take/drink/eat/like/want DET SERVED
cannot say no to X
""",
    "dislikes": """
hate/loathe/detest/despise/dislike/resent/dread X
be not? scared/afraid/terrified/frightened/petrified of X
have no time/patience/love for X
have a phobia/horror/fear/aversion of/to X
have an aversion to X
cannot stand/bear/abide/stomach/tolerate/handle/face X
cannot be doing with X
cannot be bothered/arsed with X
cannot get on with X
cannot see the point of X
draw the line at X
steer clear of X
stay/keep away/clear from/of X
run a mile from X
refuse to eat/drink/wear/watch/use X
have gone off X
!go right? off X
""",
    "consumes": """
eat/drink/smoke/touch/wear/do X
""",
    "lives": """
rent/share a/an HOME off/from/with * in X
rent a/an HOME off/from/with a/an/my * in X
live/reside/rent/lodge/settle in/on/at/near/outside/around X
live/reside/rent/lodge out/over/up/down/now in/on/at/near/by X
live/stay/lodge with * in X
stay/board/crash in X
be based/settled/living in/near/out/outside X
be a/an resident/inhabitant of X
be out/over/up/down/back in X
be in a/an * in X
be in a/an houseshare/flatshare/flat/studio/bedsit/cottage/bungalow/house/care/dorm home? in/on/near X
share/rent/occupy a/an/the/our/my HOME in/on/near/off X
share/rent a/an/the * HOME in/on/near/off X
have/own a/an/the/our/my OWN_HOME in/on/near/off X
have/own a/an/the * OWN_HOME in/on/near/off X
!move/relocate/emigrate/migrate/decamp/head/resettle back/over/up/down/out/across/home? to X
!move/relocate/emigrate/migrate/resettle to X
!move/relocate/emigrate from OLD to X
!move/relocate back? to X from OLD
!end/wind/wash/fetch up in X
!settle/land down? in X
!settle down? in X
!get/find/buy/take/rent/sign/secure a/an/the/our HOME in/on/near/off X
!get/find/buy/take/rent/secure a/an/the * HOME in/on/near/off X
!move into a/an/the/our/my HOME in/on/near/off X
!move into a/an/the/our/my * HOME in/on/near/off X
!make DET home in X
!put down roots in X
""",
    "left": """
!leave/quit/flee/abandon OLD
!move/get away/out from/of OLD
!say goodbye/farewell to OLD
""",
    "from": """
come from X
hail from X
be originally? from X
!grow up in X
!be born and raised in X
!be born in X
!be raised in X
""",
    "works at": """
work with * at X
work at/for/with X
work DET * at/for X
work in the * at/of X
be employed/contracted at/by/with X
be employed as * at/by X
be on the * at X
cut/do/wait/pull/stack/answer/serve/sell/fix/repair/design/build up? * at/for X
edit/manage/lead/head/handle/supervise/lecture/pour/drive/guard/deliver up? * at/for X
be behind the * at X
teach/nurse/cook/clean/volunteer/lecture/coach/waitress/bartend/barista/serve/temp/cashier at/for X
teach * at X
do * at/for X
do the * at/for X
!join X
!start/begin at/with X
!start/begin as * at/with X
!start/begin a/my/the * at/with X
!get/land/take/accept/secure/find/bag a/an/the job/role/post/position/gig/place/traineeship/apprenticeship at/with X
!get/land/take/accept/secure/find a/an/the * job/role/post/position/gig/contract/placement at/with X
!get/land/take/accept/secure/find a/an/the job/role/post/position as * at/with X
!get hired/taken/snapped on/up? at/by X
!sign with/for X
!be hired/recruited/headhunted/poached by X
!be promoted/made * at X
""",
    "left work": """
!hand/give in my/our/his/her notice at/to X
!hand/give my/our/his/her notice in at/to X
!hand/give in notice at X
!resign/retire/depart from X
!quit/leave/chuck/pack my/the/his/her job/post/role/position at/with X
!quit/leave a/my/the/his/her * job/post/role at/with X
!get/be sacked/fired/dismissed/laid/booted/let go/off? from/by X
!stop/finish/cease working at/for X
!finish/end up? at/with X
!part ways with X
!walk out of/on X
""",
    "works as": """
work as X
be X
!become X
!be/get made/appointed/named/elected X
!be/get promoted/bumped to X
!qualify/retrain/train/requalify as X
!start/begin as X
!start/begin work/working as X
!get/land/take/accept/find a/the job/role/post/position/work/placement/gig as X
!finish * as X
!take over as X
!go into X
""",
    "uses": """
bank/save with X
be insured with X
shop/bank at X
fly with X
be with X for *
be on X for *
code/write/type in X
use X for *
""",
    "runs": """
run/own/manage X
!open/start/found/launch/take over? X
!set up X
!take over X
""",
    "studies": """
study/read X
be studying/doing/reading X at * university/college/uni
do/study a/my/the degree/masters/master's/phd/doctorate/course/bachelor's/diploma/bootcamp in/on X
be in my * year of X
major in X
take/have/do X lessons/classes
""",
    "studies at": """
study/train at X
study/read/do * at X
be a/an student at X
be a/an * student at X
be a/an student of * at X
go to school/college/university/uni at/in X
be at school/college/university/uni at/in X
attend X
!enrol/enroll at X
!start/begin school/college/university/uni at X
!get/be accepted/admitted into/to/at/by X
!get into X
!get a/the place at X
!get a/the place to * at X
""",
    "takes": """
take/use/need X
be on X
be back on X
!go/start on/onto X
!start/begin taking? X
!start/begin a/the course of X
!get put/started on X
!be put/started/placed/prescribed on? X
!be/get given/prescribed X
""",
    "stopped": """
!stop/quit/finish/drop/ditch taking? X
!come/wean off X
!come off the X
be off X
be done with X
""",
    "has": """
have/own/drive/ride/keep/possess X
have got X
breed/raise/foster X
use X for *
!buy/get/inherit/acquire/adopt/rescue/win/collect X
!buy/get/treat myself/ourselves/herself/himself to? X
!pick up X
!invest/splurge in/on X
!splash out on X
!take in/on X
!end up with X
!be given X
""",
    "lost": """
!sell/lose/scrap/donate/crash/total/rehome/return/bin/junk/misplace X
!get/be rid of X
!get rid of X
!give away X
!give X away
!give up X
!write off X
!trade/part in/with X
""",
    "allergic": """
be allergic/intolerant/sensitive to X
be * allergic to X
react badly? to X
swell up from X
come out in/with * from X
get hives/rashes/blisters/itchy/wheezy from/with/off X
""",
    "cannot have": """
cannot have/eat/drink/tolerate/digest/touch/go near X
cannot go near X
avoid X
""",
    "condition": """
have/get X
have had X
suffer from/with X
live with X
be living with X
!be/get diagnosed with X
!develop X
struggle with X
manage X
""",
    "speaks": """
speak X
be fluent in X
be bilingual in X
""",
    "plays": """
play X
play X in *
""",
    "learns": """
learn/practise/practice X
take/do X lessons/classes
take/have lessons in X
teach myself X
!take up X
!pick up X
!start/begin learning/playing X
""",
    "dating": """
date/see X
be seeing/dating someone called? X
see someone called? X
be dating/seeing X
go out with X
be going out with X
be in a relationship with X
!get together with X
!start/begin dating/seeing X
""",
    "engaged": """
be engaged/betrothed to X
!get engaged to X
!propose to X
""",
    "married": """
be married to X
!marry X
!get married/hitched to X
!tie the knot with X
""",
    "split": """
!split/break up with X
!split/separate/part from X
!divorce/dump X
!get divorced from X
""",
    "change": """
!swap/trade/exchange/switch/change/replace/substitute DET OLD in/out? for/with X
!swap/trade DET OLD in for X
!ditch/drop/dump/bin/leave/cancel/abandon/quit DET OLD for X
!ditch/drop/dump/cancel/leave DET OLD and went/gone/go with/for/to X
!switch/change/move/migrate/convert/jump/transfer/shift DET from OLD to X
!switch/change/move/migrate/convert from OLD over/back? to X
!switch/change/move/migrate/transfer DET to X from OLD
!switch/change/move/shift DET * from OLD to X
""",
    "joined change": """
!switch/change/move/migrate/convert/defect over/back? to X
!go with X for *
""",
    "age": """
turn/hit/reach X
be X
be about/almost/nearly/only/already X
!turn X
""",
    "born": """
!be born on X
""",
}
# Words for a home in the lines above.
HOME: Final = (
    "flat/place/house/room/studio/apartment/bungalow/cottage/bedsit/home/maisonette/condo/townhouse/houseshare/"
    "flatshare/loft/farm/farmhouse/cabin/villa/houseboat/caravan/duplex/sublet/annexe/terrace/semi/two-bed/one-bed/"
    "three-bed/smallholding/croft/barn/chalet/plot/dorm/bunk"
)
# Whoever has a studio works in it; whoever rents one lives there.
OWN_HOME: Final = HOME.replace("studio/", "")

# Nouns whose value is a person, a time, a service or a thing: "our cleaner is Beata now", "book club moved to Mondays"
ROLES: Final = (
    "boss|manager|line manager|supervisor|landlord|landlady|therapist|counsellor|physio|physiotherapist|doctor|gp|"
    "dentist|vet|optician|consultant|surgeon|midwife|specialist|oncologist|cardiologist|dermatologist|psychiatrist|"
    "teacher|form teacher|class teacher|coach|trainer|personal trainer|tutor|team lead|teacher|instructor|cleaner|"
    "childminder|nanny|babysitter|au pair|accountant|lawyer|solicitor|hairdresser|barber|agent|estate agent|mentor|"
    "editor|publisher|neighbour|neighbor|roommate|flatmate|housemate|lodger|tenant|captain|caretaker|gardener|"
    "dog walker|dog sitter|housekeeper|carer|social worker|key worker|driver|producer|director|assistant|pa|"
    "secretary|advisor|adviser|colleague|deskmate|labmate|bandmate|teammate|co-founder|cofounder|business partner|"
    "godmother|godfather|godson|goddaughter|stepdad|stepmum|stepmom|stepfather|stepmother|stepson|stepdaughter|"
    "violinist|violist|cellist|drummer|guitarist|bassist|singer|electrician|plumber|builder|mechanic|chiropractor|"
    "nutritionist|dietitian|masseur|masseuse|dispatcher|contractor|supplier|distributor|broker|best friend|"
    "best mate|pen pal|penpal|goddaughter|head teacher|headteacher|dean|professor|lecturer|head of year"
)
SERVICES: Final = (
    "bank|gym|broadband|internet|internet provider|provider|electricity|gas|energy|energy supplier|supplier|insurer|"
    "insurance|car insurance|home insurance|health insurance|supermarket|phone network|mobile network|network|carrier|"
    "browser|editor|ide|framework|database|email client|calendar app|notes app|music app|operating system|os|pharmacy|"
    "airline|mobile provider|phone provider|pension|pension provider|streaming service|delivery service|search engine"
)
DEVICES: Final = (
    "phone|mobile|laptop|computer|pc|desktop|tablet|camera|car|bike|motorbike|van|watch|smartwatch|tv|telly|"
    "television|console|printer|router|headphones|e-reader|guitar|piano|keyboard|monitor|vacuum|coffee machine|"
    "fridge|oven|washing machine|dishwasher|tent|boat|lens|bow|sewing machine|scooter|e-bike|truck|jeep|moped"
)
TIMED: Final = (
    "book club|choir|choir practice|band practice|rehearsal|rehearsals|yoga|yoga class|pilates|spin class|class|"
    "lesson|lessons|swimming|swimming lessons|piano lesson|piano lessons|guitar lesson|guitar lessons|dance class|"
    "training|football|football training|practice|shift|day off|days off|office day|office days|bin day|"
    "collection day|physio|therapy|therapy session|standup|stand-up|team meeting|weekly meeting|one-to-one|"
    "catch-up|cleaner|poker night|games night|quiz night|date night|working hours|office hours|school run|payday|"
    "pay day|rent day|laundry day|market day|running day|gym day|long run|surgery hours|deadline|start time"
)
