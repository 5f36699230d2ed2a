"""Split English sentences into clauses and resolve their subjects."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from extraction.reader import THE_USER
from extraction.rules.engine import Clause, DiscourseState, Speaker
from extraction.text.lexicon_en import (
    DEMONYM_PATTERN,
    FEMALE_KIN,
    KIN,
    KIN_NAME,
    KIN_PATTERN,
    MALE_KIN,
    MANY_KIN,
    NOT_NAMES,
    NOT_SUBJECTS,
    SOLE_KIN,
    WHICH_KIN,
)
from extraction.text.sentences import Sentence
from schema.result_cache import cached_by_chars

# Normalization: lower-case "i", missing apostrophes, quoted speech

_STRAIGHT: Final = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
_SMALL_I = re.compile(r"\bi\b(?!\.)")
_SPEECH = re.compile(r'"[^"]{3,300}"')
_SINGLE_QUOTED = re.compile(r"(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){3,200}[^'\s]'(?!\w)")
# A quotation that goes on in the next sentence, or began in the one before.
_QUOTED_BELOW = re.compile(r"(?<=: )'[^']{3,300}$|^[^']{3,300}[.!?]'$")
_PRONOUN = re.compile(r"\b(?:I|I'm|my|he|she|his|her|we|you|they|it)\b", re.IGNORECASE)
_SMALL_WORD = re.compile(r"\b(?!the\b|and\b|with\b|for\b|from\b|your\b)[a-z]{3,}")
_RELAYED: Final = (
    r"(?:^(?:please |can you |could you )?(?:read|translate|rephrase|rewrite|reword|proofread|summari[sz]e|correct|"
    r"edit|fix|polish|check|shorten|paraphrase|simplify|quote|(?:turn|put|convert|make|set) (?:this|that|it|these))\b"
    r"[^:]{0,60}|"
    r"\b(?:wrote|writes|says|said|goes|reads|read|replied|texted|commented|posted|the (?:quote|caption|review|line|"
    r"message|text|sentence|lyrics|email|note)[^:]{0,30})): ?"
)
_AFTER_RELAY = re.compile(_RELAYED + r"(?P<words>.+)", re.IGNORECASE | re.DOTALL)
# Words that make a clause an assumption, wherever they stand: "suppose I moved", "say we are in Oslo".
_PRETEND: Final = r"(?:imagine|suppose|pretend)"
_SUPPOSES: Final = (
    rf"(?:{_PRETEND}|supposing|assum(?:e|ing)|picture (?:this|it|me)|"
    r"for this (?:exercise|scenario|game|story|role-?play|sketch|scene|prompt)|"
    r"say (?:I|we)(?:['’]m|['’]re| (?:am|are|was|were|had|did|took|have|take|moved|bought|sold)))\b"
)
# Openings of role play and assumptions, which make the sentence and what follows it fiction.
_PRETENDS: Final = (
    r"^(?:(?:please|can you|could you|now|ok|okay|so|hey),? )*"
    rf"(?:{_SUPPOSES}|let(?:['’]s| us) (?:{_SUPPOSES}|say\b|play\b)|role-?play|act\b|you be\b|be (?:my|the)\b|"
    r"play the\b|you are (?:an?|now) |picture (?:an?|yourself|us)\b|"
    r"for the (?:exercise|scenario|role-?play|scene|prompt),)"
)
# Requests for a story or a role, after which the rest of the message is fiction too.
_STORY: Final = (
    r"^(?:please |can you |could you |now |ok |hey )*(?:write|draft|compose|create|invent|make up|continue|tell|plot|"
    r"outline)\b.{0,40}\b(?:story|tale|novel|scene|script|poem|dialogue|screenplay|character|persona|fairy tale|"
    r"backstory|sketch|play|monologue|chapter|sitcom|myth|legend|fable|fiction|bio|biography|profile)\b|"
    r"^(?:in (?:my|our|this|the) (?:novel|story|book|script|screenplay|d&d|dnd|campaign|game|play|film)|"
    r"(?:my|the|our|main) (?:character|protagonist|hero|heroine|villain|persona))\b"
)
# Sentences after which the message is quoted text or role play.
RELAYS_SPEECH: Final = re.compile(
    _RELAYED
    + r"$|"
    + _STORY
    + r"|^(?:please |ok |now )?(?:read|translate|rephrase|rewrite|reword|proofread|correct|summari[sz]e|simplify|"
    r"(?:turn|put|convert|make|set) (?:this|that|it|these))\b[^:]{0,60}:|" + _PRETENDS,
    re.IGNORECASE,
)
# A corrected word: "Mia, sorry, Maya", "the 5th, no, the 6th". Both parts look alike, so that "no" is no answer.
_REPAIRED: Final = tuple(
    re.compile(
        rf"\b{word}(?:,| -| –|\.\.\.?)? (?:no,? wait|sorry|wait|oops|no|I mean|I meant|rather|make that|scratch that|"
        rf"correction|or rather)(?: no| sorry| it is| it's| I mean| I meant)*,? (?P<new>{word})",
        flags,
    )
    for word, flags in (
        (r"[A-Z][a-z]{1,20}", 0),
        (r"(?:on |at |in )?(?:the )?\d{1,4}(?:st|nd|rd|th|[.:]\d\d)?", re.IGNORECASE),
        (r"(?:on |next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE),
    )
)
# Requests to write a text, fiction, dreams and role play.
_INVENTED: Final = re.compile(
    _PRETENDS
    + r"|^(?:please |can you |could you |now |ok |hey )*(?:write|draft|compose|generate|create|invent|design|make up|"
    r"describe|continue|brainstorm|give me(?! .{2,60}\b(?:any day|any time|every time)\b)|come up with|"
    r"reply|respond|answer (?:him|her|them)|put in "
    r"the (?:e-?mail|letter|"
    r"text|message))\b|^(?:chapter|scene|act|episode|season|part) (?:\w+)?:|^(?:sims?|dnd|d&d|game|story|plot) [a-z]*:|"
    r"\b(?:in (?:the|this|that|my|a|an|last night's|tonight's|another|the latest|the final|the second|the first) "
    r"(?:novel|book|film|movie|show|series|story|script|game|play|episode|chapter|dream|"
    r"life|universe|world|campaign|screenplay|comic|song|sitcom|parallel universe|past life|alternate universe)|in "
    r"episode|in chapter|in season|"
    r"for (?:the|my|a|our) (?:persona|character|novel|story|script|campaign|screenplay|sketch|role-?play|quiz)|"
    r"(?:my|the|our) (?:character|protagonist|hero|heroine|villain|narrator|persona|detective|"
    r"avatar|elf|wizard|npc|main character)|(?:first|last|opening|next) line of|dreamt|dreamed|once upon a time|"
    r"according to|rumou?r has it|supposedly|allegedly|"
    r"the (?:quiz|horoscope|fortune cookie|algorithm|app|ad|advert|article|podcast|book|movie|film|song|lyrics|"
    r"sticker|sign|poster|t-shirt) (?:says?|said|thinks|claims|reads|told|wants|goes)|"
    r"my horoscope|fictional|hypothetical|make-believe|let us pretend|plot twist)\b",
    re.IGNORECASE,
)
# Sarcasm: "Oh great, I just love queues".
SARCASTIC: Final = re.compile(
    r"^(?:oh|ah|wow|gee|yay|well),? (?:great|good|joy|wonderful|perfect|fantastic|lovely|brilliant|nice)\b|"
    r"^yeah,? (?:right|sure)\b|\bwho (?:does not|doesn't|wouldn't) (?:just )?(?:love|like|enjoy|want)|/s$|"
    r"^(?:yeah|yes|oh),? (?:I'm|I am) (?:such |definitely |totally |clearly )?a (?:real|true|total|proper)\b|"
    r"^(?:great|wonderful|fantastic|brilliant|perfect|lovely|sure|right|of course|because),? .{0,30}"
    r"\b(?:just|totally|absolutely|simply|so) (?:love|enjoy|adore)\b|\b(?:just what I needed|my favou?rite\.\.\.)",
    re.IGNORECASE,
)
_NUMERAL: Final = (
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-?(?:one|two|three|four|five|six|seven|eight|"
    r"nine))?|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,6}teen"
)
_PARENT: Final = (
    r"(?:mum|mom|dad|gran|grandma|grandpa|grandad|granddad|nan|nana|granny|hubby|hubs|mummy|daddy|mam|papa|"
    r"the missus|"
    r"wifey|mother|father)"
)
_AFTER_IS: Final = (
    r"an?|my|our|the|not|now|just|getting|going|moving|turning|allergic|in|on|off|out|still|also|coming|starting|"
    r"learning|working|living|expecting|taking|retiring|retired|back|at|with|only|almost|nearly|from|called|vegan|"
    r"vegetarian|\d+|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]?\w*"
)
# Jokes: an allergy to Mondays, a marriage with a sofa, an age that nobody has.
_JOKING: Final = re.compile(
    r"\ballergic to (?:my |all |any )?(?:mondays?|tuesdays?|weekdays?|mornings?|early|work|hard work|working|"
    r"effort|exercise|"
    r"exercising|people|stupid|stupidity|nonsense|drama|fun|commitment|responsibilit|meetings|small talk|e-?mails?|"
    r"spreadsheets|homework|housework|chores|cleaning|tidying|adulting|alarms?|alarm clocks?|job|boss|ex\b|tax|bills|"
    r"bullshit|bs\b|stress|being|wi-?fi|deadlines|queues|queueing|traffic|nonsense|bad|getting up|waking)|"
    r"\bmarried to (?:my|the|this|his|her|our) (?!(?:best |old |first |childhood |high school |university |"
    r"long-term )?"
    r"(?:friend|sweetheart|boyfriend|girlfriend|partner|ex|cousin|boss|colleague|neighbour|brother|sister)\b)|"
    r"\b(?:relationship|love affair|marriage|affair) with (?:my |the |our |a )?(?:bed|sofa|couch|fridge|coffee|"
    r"pizza|phone|"
    r"netflix|houseplants?|duvet|snooze|oven|job|laptop|blanket|pillow|carbs|cheese|kettle|microwave|food|caffeine)|"
    r"\b(?:I|we) (?:basically |practically |pretty much |apparently |literally |just )?(?:live|lived|sleep) (?:in|"
    r"at|on|inside|"
    r"under) (?:the|my|this|a) (?:office|fridge|gym|library|inbox|zoom|spreadsheet|airport|pub|lab|supermarket|"
    r"shower|swamp|"
    r"cave|rock|laundry room|queue|waiting room|washing|pyjamas|pajamas)\b|"
    r"\b(?:a |one |two |three |five |ten )?(?:thousand|hundred|million|billion|gazillion) years? old|"
    r"\b(?:1[1-9]\d|[2-9]\d\d|\d{4,}),? (?:years? old|in (?:dog|cat|internet|human) years)|"
    r"\b(?:queen|king|emperor|empress|god|ruler) of (?:england|the|procrastination|all)|"
    r"\bmy (?:cat|dog|toddler|baby|kid|kids|houseplants?|parrot|hamster) (?:is|are) (?:my |the |a )?(?:real |"
    r"actual |new )?"
    r"(?:boss|manager|ceo|landlord|therapist|supervisor|king|queen|dictator|alarm clock|personal trainer)|"
    r"\bmy (?:diet|blood type|personality|love language|cardio|skincare|retirement plan|superpower|spirit animal|"
    r"toxic trait|"
    r"full-time job|type|workout|self-care|hobby) (?:is|consists)\b(?=.{0,60}\b(?:coffee|pizza|caffeine|sarcasm|"
    r"regret|crumbs|wine|"
    r"complaining|worrying|panic|crying|napping|sleeping|existing|overthinking|denial|vibes|anxiety|spite|\d+ ?%))|"
    r"\b(?:phd|doctorate|degree|master's|masters|diploma|black belt|certificate|medal) in (?:procrastinat|overthinking|"
    r"snack|napping|worrying|sarcasm|chaos|complaining|doing nothing|laziness|sleeping)|"
    r"\bspirit animal\b|\b(?:professional|olympic|world-class|award-winning|certified|full-time|part-time) (?:napper|"
    r"procrastinator|overthinker|worrier|couch potato|snacker|complainer|disaster|disappointment|mess|superhero|"
    r"ninja)|"
    r"\b(?:jk|just kidding|only joking|kidding)\b|\(jk\)|\bif (?:sleeping|napping|procrastinating) (?:was|were)\b",
    re.IGNORECASE,
)
_CONTRACTIONS: Final = tuple(
    (re.compile(pattern, flags), plain)
    for pattern, plain, flags in (
        # Comparisons and dangers in the conditional are facts: "I'd take a train over a flight".
        (r"\bI(?:'d| would) (?:always |much )?(?:take|choose|pick|have) (?=.{2,40}? over )", "I prefer ", 0),
        (r"\b(?:could|would|will|might) (?:literally |actually )?(?:kill|finish) me(?: off)?\b", "gives me hives", 0),
        (
            r"\b(MOT|[A-Za-z]{4,})'s (?=(?:booked|due|scheduled|confirmed)\b)",
            r"\1 is ",
            0,
        ),
        # Relatives without a possessive: "mum's in Leeds", "dad takes warfarin".
        (rf"^{_PARENT}'s (?=(?:{_AFTER_IS})\b)", lambda found: f"my {found[0][:-3].lower()} is ", re.IGNORECASE),
        (
            r"\b((?:job|name|number|code|size|address|e-?mail|car|phone|password|meeting|birthday|team|boss|gym|"
            r"teacher|landlord|doctor|dentist|class|flat|office|rent|dose|appointment|interview|wedding|"
            r"exam))'s (?=(?:at|in|on|now|called|an?|the|not|with|still|moved|\d+)\b)",
            r"\1 is ",
            re.IGNORECASE,
        ),
        (
            r"^[Ss]aid (?:that )?(?:I|we)(?:'d| would|'ll| will)\b(?! (?:like|love|rather|prefer|have|be (?:happy|"
            r"glad|sad|fine))\b)",
            "I promised to",
            0,
        ),
        (
            r"^[Tt]old ((?:my |our )?[a-z]+|[A-Z]\w+)(?: that)? (?:I|we)(?:'d| would|'ll| will)\b(?! (?:like|love|"
            r"rather|prefer|have)\b)",
            r"I promised \1 to",
            0,
        ),
        (r"\b(is|are) an? (?=(?:Mr|Mrs|Ms|Dr|Prof)\b)", r"\1 ", 0),
        (r"\b(?:Im|im)\b", "I am", 0),
        (r"\b(?:Ive|ive)\b", "I have", 0),
        (
            r"\b(?:Id|id) (?=(?:like|love|rather|prefer|hate|be|have|call|make|bring|take|pay|help|come|go|pick|"
            r"get|do)\b)",
            "I'd ",
            0,
        ),
        (
            r"\b(birthday|wedding|exam|interview|appointment|flight|operation|due date|op)'s (?=(?:on |the )?(?:\d|"
            r"mon|tue|wed|thu|fri|sat|sun|"
            r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))",
            r"\1 is ",
            re.IGNORECASE,
        ),
        (r"\b([Tt]hat|[Ww]hat|[Tt]here|[Ww]ho)s\b", r"\1's", 0),
        (r"\b([Hh]e|[Ss]he)s\b", r"\1's", 0),
        (r"\b([Tt]hey)re\b", r"\1're", 0),
        # "Its 555 0177 now", but not "its name".
        (
            r"\b([Ii])ts (?=(?:\d|now\b|not\b|been\b|an?\b|the\b|my\b|called\b|in\b|at\b|on\b|just\b|(?-i:[A-Z]))|"
            r"[\w.]+@)",
            r"\1t's ",
            re.IGNORECASE,
        ),
        # "Actually it's Tom who is allergic" is about Tom.
        (
            r"\b[Ii]t(?:'s| is| was) ((?:my |our )[a-z-]+|[A-Z][a-z]+) (?:who|that)"
            r"(?:(?P<is>'s)|(?= (?:is|has|was|[a-z]+s)\b))",
            lambda found: f"{found[1]}{' is' if found['is'] else ''}",
            0,
        ),
        (r"\b(do|does|did|is|are|was|were|has|have|would|could|should)nt\b", r"\1 not", re.IGNORECASE),
        (r"\bgonna\b", "going to", re.IGNORECASE),
        (r"\b(try|trying|tries) and (?=[a-z]+ )", r"\1 to ", re.IGNORECASE),
        (r"\bwanna\b", "want to", re.IGNORECASE),
        (r"\b(?:gotta|have got to|'ve got to)\b", "have to", re.IGNORECASE),
        (r"\b(?:kinda|sorta)\b", "kind of", re.IGNORECASE),
        # "I promised her I'd call" and "I told Sam I would drive" are promises, not hypotheses.
        (
            r"\b([Pp]romised?|[Ss]wore|swear|vow(?:ed)?|pledged?|gave my word|gave \w+ my word|made a promise)"
            r"((?: to)?(?: (?:my|his|her|our) \w+| myself| him| her| them| [A-Z]\w+)?)(?: that)? (?:I|we|he|she)"
            r"(?:'d| would|'ll| will)\b",
            r"\1\2 to",
            0,
        ),
        (
            r"\b(I|[Hh]e|[Ss]he|[A-Z][a-z]+|[Mm]y [a-z-]+) (?:said|swore|agreed)(?: that)? (?:I|he|she|we)"
            r"(?:'d| would|'ll| will)\b(?! (?:like|love|rather|prefer|have|be (?:happy|glad|sad|fine))\b)",
            r"\1 promised to",
            0,
        ),
        (
            r"\b([Gg]ave (?:[Mm]y |[Hh]is |[Hh]er )?\w+ (?:my|his|her) word|[Gg]ave (?:my|his|her) word)(?: that)? "
            r"(?:I|he|she|we)"
            r"(?:'d| would|'ll| will)\b",
            r"\1 to",
            0,
        ),
        (
            r"\bI(?:'d| would) (?:\w+ )?(?:kill|die|sell my soul|walk miles) for\b(?: (?:a|an|some))?(?: (?:good|"
            r"decent|proper|nice))?",
            "I love",
            0,
        ),
        (
            r"\bI(?: could|'d| would) (?:happily |gladly )?(?:eat|drink|live on|live off) (.{2,30}?) (?:every "
            r"(?:single )?day|all day(?: long)?|for breakfast|"
            r"forever|for the rest of my life)\b",
            r"I love \1",
            0,
        ),
        (
            r"\bI told((?: (?:my|our) \w+| him| her| them| [A-Z]\w+))(?: that)? (?:I|we)(?:'d| would|'ll| will)\b",
            r"I promised\1 to",
            0,
        ),
        (r"\b(I|[Ww]e)(?:'d| would) (?:much )?rather (?:get|have|see|receive) (?!to\b|it\b|you\b)", r"\1 prefer ", 0),
        (
            r"\b(I|[Ww]e)(?:'d| would) (?:much |really |definitely )?(?:rather|sooner)(?! not\b)(?= \w+ \w)",
            r"\1 prefer to",
            0,
        ),
        (r"\b(I|[Ww]e)(?:'d| would) prefer\b", r"\1 prefer", 0),
        (r"\b(?:I'd|I would|[Ww]e'd|[Ww]e would) (?:really |also |absolutely )?(?:love|like) to\b", "I aspire to", 0),
        # Words for relatives.
        (
            r"\b([Mm]y|[Oo]ur) (?:youngest|eldest|oldest|first-?born|middle one|little one)\b"
            r"(?! (?:son|daughter|child|boy|girl|kid|brother|sister|one|sibling|cousin|cat|dog))",
            r"\1 child",
            0,
        ),
        (r"\b([Mm]y|[Oo]ur) (?:little|big)? ?(?:boy|lad)\b", r"\1 son", 0),
        (r"\b([Mm]y|[Oo]ur) little girl\b", r"\1 daughter", 0),
        (r"\b(?:[Tt]he|[Mm]y) (?:missus|wifey|wife|better half\b(?=.{0,40}\bshe\b))(?!')\b", "my wife", 0),
        (r"\b(?:[Tt]he|[Mm]y) (?:hubby|hubs|husband)\b", "my husband", 0),
        (r"\b[Mm]y (?:other|better) half\b", "my partner", 0),
        (r"\b[Mm]y (?:bf|fella|bloke)\b", "my boyfriend", 0),
        (r"\b[Mm]y gf\b", "my girlfriend", 0),
        (r"\b([Mm]y|[Oo]ur) folks\b", r"\1 parents", 0),
        (r"\b([Mm]y|[Oo]ur) (?:gran|nan|nana|granny|nanna|nonna)\b", r"\1 grandmother", 0),
        (r"\b([Mm]y|[Oo]ur) (?:grandad|granddad|gramps|grandpop)\b", r"\1 grandfather", 0),
        (r"\b([Mm]y|[Oo]ur) (?:sis)\b", r"\1 sister", 0),
        (r"\b([Mm]y|[Oo]ur) (?:bro)\b", r"\1 brother", 0),
        (r"\b([Mm]y|[Oo]ur) (?:mam|mama|mummy|mommy)\b", r"\1 mum", 0),
        (r"\b([Mm]y|[Oo]ur) (?:papa|daddy|pop|pops)\b", r"\1 dad", 0),
        (r"^[Tt]he (kids|twins|in-laws|boys|girls)\b", r"my \1", 0),
        (
            r"\b((?:(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]he) )?[A-Za-z][a-z-]{1,20})'s "
            r"(?=(?:just|finally|already|recently|now|only just) (?:bought|got|gone|left|taken|had|sold|found|quit|"
            r"become|begun|given|lost|won|[a-z]+ed)\b)",
            r"\1 has ",
            0,
        ),
        # "Mum's 71", "Leo's six".
        (
            r"\b((?:(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er) )?[A-Za-z][a-z-]{1,20})'s "
            rf"(?=(?:only |nearly |almost |about |already |just )?(?:\d{{1,2}}|{_NUMERAL})(?:$|[,.!;]| (?:and|now|"
            rf"but|years?|"
            r"this|next|today|in|on|so|tomorrow|already|going)\b))",
            r"\1 is ",
            0,
        ),
        (r"\bcan'?t\b", "can not", re.IGNORECASE),
        (r"\bcannot\b", "can not", re.IGNORECASE),
        (r"\bwon't\b", "will not", re.IGNORECASE),
        (r"n't\b", " not", 0),
        (r"\bI'm\b", "I am", 0),
        (r"'ve\b", " have", 0),
        (r"'ll\b", " will", 0),
        (r"'d\b", " would", 0),
        (
            r"\b([Hh]e|[Ss]he)'s (?=(?:just |only just |already |finally |recently |always |never )?(?:been|got|had|"
            r"gone|moved|left|"
            r"started|stopped|become|taken|lost|broken|changed|switched|turned|quit|put|given|bought|sold|found|"
            r"loved|hated|liked)\b)",
            r"\1 has ",
            0,
        ),
        (r"\b([Hh]e|[Ss]he|[Ii]t|[Tt]hat|[Tt]here|[Ww]hat)'s\b", r"\1 is", 0),
        (r"\b(names?)'s\b", r"\1 is", 0),
        (
            rf"\b((?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er) [a-z-]+|[A-Z][a-z]+)'s (?={DEMONYM_PATTERN}(?:$|"
            rf"[,.;!]| "
            r"(?:and|but|so)\b))",
            r"\1 is ",
            0,
        ),
        (r"\b(?:we're|We're)\b", "we are", 0),
        (r"\b([Tt]hey)'re\b", r"\1 are", 0),
        (
            r"\b((?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er) [a-z-]+|[A-Z][a-z]+|(?<![a-z] )[a-z]+|who|[Ee]mail)'s "
            r"(?=(?:been|got|moved|changed|left|gone|taken|put|given|upped|prescribed|raised|lost|broken|died|"
            r"stopped|started|decided|become|had|turned|switched|quit)\b)",
            r"\1 has ",
            0,
        ),
        (
            r"\b((?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]he) [a-z-]+|[A-Z][a-z]+|who|[Oo]ne)(?<![Mm]en)(?<!hildren)'s "
            r"(?=(?:called|named|from|an?|my|our|the|not|now|just|getting|going|moving|turning|allergic|in|on|off|"
            r"out|still|"
            r"also|pregnant|engaged|married|vegan|vegetarian|coming|starting|learning|working|living|expecting|dead|"
            r"closed|"
            r"closing|taking|seeing|dating|retiring|retired|back|at|with|only|almost|nearly|\d+)\b)",
            r"\1 is ",
            0,
        ),
    )
)
# Quick check for any contraction.
_MAY_CHANGE = re.compile(
    r"'| an? (?:M|Dr|Prof)|\b(?:id|(?:that|what|there|who|he|she|it)s|theyre) |\bit (?:is|was) |youngest|eldest|"
    r"oldest|born\b|one\b|"
    r"missus|wife|hub|husband|half|fella|bloke|folks|gran|nan|nonna|sis\b|bro\b|"
    r"ma\b|papa|daddy|pops?\b|mummy|mommy|boy\b|lad\b|girl\b|[bg]f\b|^[Tt]he |could|said|agreed|gave|Gave|[Ii]m\b|"
    r"[Ii]ve\b|nt\b|nna\b|[kst]o?r?ta\b|nda\b|cannot|promise|swor|swear|vow|pledge|my word|told|would",
    re.IGNORECASE,
)


@cached_by_chars(chars_max=1_000_000, entries_max=512)
def mask_quoted_speech(text: str) -> str:
    """Blank out quoted and relayed speech; normalize quotation marks and "I". The length stays the same."""
    text = _SMALL_I.sub("I", text.translate(_STRAIGHT))
    for repaired in _REPAIRED:
        text = repaired.sub(lambda found: found["new"].ljust(len(found[0])), text)
    if "'" in text:
        for quoted in (_SINGLE_QUOTED, _QUOTED_BELOW):
            text = quoted.sub(lambda found: " " * len(found[0]), text)
    if '"' in text:
        text = _SPEECH.sub(lambda found: " " * len(found[0]) if _is_speech(found[0]) else found[0], text)
    relayed = _AFTER_RELAY.search(text) if ":" in text else None
    if relayed is None:
        return text
    return text[: relayed.start("words")] + " " * len(relayed["words"])


def _is_speech(quoted: str) -> bool:
    """Return whether a quotation is speech rather than a title."""
    return _PRONOUN.search(quoted) is not None and _SMALL_WORD.search(quoted) is not None


@cached_by_chars(chars_max=1_000_000, entries_max=512)
def expand_contractions(text: str) -> str:
    """Expand contractions and correct common misspellings of them; the length changes."""
    if _MAY_CHANGE.search(text) is None:
        return text
    for pattern, plain in _CONTRACTIONS:
        text = pattern.sub(plain, text)
    return text


_VERBS = (
    r"also|always|love|loves|adore|like|likes|hate|hates|live|lives|work|works|study|studies|saw|want|"
    r"wants|plan|plans|enjoy|"
    r"enjoys|moved|have|has|had|visited|watched|read|am|is|was|felt|feels|went|prefer|prefers|dislike|"
    r"dislikes|found|really|"
    r"weigh|weighs|drive|drives|own|owns|teach|teaches|take|takes|speak|speaks|received|won|do not|does not|"
    r"can not|would|hope|hopes|finds|finished|feel|got|used to|made|avoid|no longer|fear"
)
_OPENERS = (
    r"I|we|he|she|my(?! (?:[a-z-]+ )?(?:"
    + KIN_PATTERN
    + r"),)|it|they|you|his|her|do|does|did|what|how|which|who|where|when|feeling|making|leaving|"
    r"causing|eventually|"
    r"although|but|so|yet|if|please|any|can|could|is|are|have you|because|since|even|especially|pick|suggest|"
    r"recommend|"
    r"keep|make|don't|just|thoughts|remind|note|ideally|preferably|mostly|mainly|thanks|right|nothing|no|not|never|"
    r"anything|everything|that|this|there|our|anyone|love|hate|prefer|enjoy|adore|dislike|loves|hates|works|lives|"
    r"drives|"
    r"teaches|studies|plays|takes|currently|now"
)
_CUT = re.compile(
    r"; ?|—|–| - |: (?=(?:"
    + _OPENERS
    + r")\b)|, (?=(?:and |but |so |then |because |although |while |yet |or )?(?:"
    + _OPENERS
    + r")\b)"
    r"|,? (?=(?:but|because|although|though) )|,? and (?=(?:I|we|he|she|they|it|my|his favorite|her favorite|"
    + _VERBS
    + r")\b)|,? and (?=(?:my|our) (?:[a-z-]+ ){0,2}?[a-z-]+(?: [A-Z]\w+)? (?:is|are|has|works|lives|likes|loves|"
    r"hates|was|had|moved|just|goes|takes|can|does|"
    r"wants|got|turned|plays|studies)\b)|,? and (?=[A-Z][a-z]+ (?:is|has|was|works|lives|just|moved|loves|hates|"
    r"wants)\b)"
    r"|, (?=[A-Z][a-z]+ (?:is|has|works|lives|just|moved|loves|hates|wants|takes|turned|goes)\b)"
    r"|,? so (?=(?:the |my |our )?[a-z]+ (?:is|are|was|have|has|can|do|does|will)\b|(?:I|we|he|she|they) [a-z]+ )"
    r"|,? and (?=the [A-Z])|,? so (?=(?:I am|I'm|we're|we are|I have|we have|I've|we've) )",
)
_LEAD = re.compile(
    r"^(?:(?:ok so|okay so|oh and|so yeah|no wait|wait|sorry|aw|aww|yay|omg|heya|hiya|guys|ah|aha|erm|um|uh|"
    r"well well|"
    r"remind me(?: that)?(?=,? (?:I|my|we)\b)|(?:do not|don't|never) forget(?: that)?|"
    r"remember(?: that)?(?=,? (?:I|my|we)\b)|ta-?da|drumroll|confession|psa|correction|typo|edit|quick one|"
    r"just a note|important|please note|new info|"
    r"note to self|right|listen|look|honest to god|right then|and|but|so|then|because|although|though|"
    r"since(?=,? (?:I|we|my|our|you|it|he|she|they|the|there)\b)|well|"
    r"oh|yes|"
    r"yeah|yep|also|actually|honestly|hi|"
    r"hello|hey|btw|anyway|"
    r"besides|plus|ngl|tbh|quick update(?: for you)?|update|heads[- ]up|news|big news|good news|small update|"
    r"reminder|just to let you know|"
    r"it is official|it's official|just so you are aware|for (?:the|your) (?:record|files|notes|info)|guess what|"
    r"from now on|starting (?:today|now)|haha|lol|by the way|to be honest|you know|i mean|as for me|personally|as a "
    r"kid|of "
    r"course|sure|no(?! longer| more)|wow|turns out|it turns out|fyi|for context|just so you know|for the record|"
    r"ps|fun fact|"
    r"one more thing|note|in fact|basically|obviously|apparently|unfortunately|sadly|luckily|thankfully|hmm|ugh|ok|"
    r"okay|so far|to be fair|full disclosure|at home|at work|(?:after|for) all these years|all in all|"
    r"now(?=,? (?:I |(?-i:[A-Z][a-z]+ [a-z])))|"
    r"last \w+(?=,? (?:I|we) )|this \w+(?=,? (?:I|we) )|these days|lately|nowadays|currently|"
    r"last year|last month|last week|in general|overall|frankly)(?:[,!.:]+ ?| ))+",
    re.IGNORECASE,
)
# Words at the end of a chat message that state nothing.
_CHAT_END = re.compile(
    r"(?:[ ,.!?]{1,4}(?:lol|lmao|haha(?:ha)*|btw|tbh|omg|pls|plz|thx|ty|ngl|fyi|innit|tho|fwiw|imo|imho|smh|xx?|yay|"
    r"woo|phew|"
    r"sigh|eek|by the way|to be honest|honestly|:-?[()DPp/]+|;-?\)|<3|"
    r"[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]+)){1,4}"
    r"[ .!?,]{0,8}$",
    re.IGNORECASE,
)
# What the speaker thinks of it: "I'm allergic to nuts, annoying I know", "she hates fish, funny for a diver".
_COMMENT = re.compile(
    r", ?(?:(?:a bit|so|really|pretty|kind of|kinda|rather|very|which is|how) )?(?:funny|funnily|weird|weirdly|strange|"
    r"strangely|odd|oddly|annoying|annoyingly|ironic|ironically|sad|sadly|silly|crazy|embarrassing|surprising|unusual|"
    r"lucky|luckily|unlucky|hilarious|awful|terrible|unfortunately|a shame|a pity)"
    r"(?= (?:for|i|as|right|enough|but)\b|,|$).*$",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"^(?:Over|During|On|In|At|After|Before|While|When|Due to|One|Every|This|Last|Yesterday|Today|Since|"
    r"As)\b[^,]{0,60}, "
)
# "On Thursday at 3 I've got the dentist": the time goes to the end.
_WHEN_FIRST = re.compile(
    r"^(?P<when>(?:(?:[Oo]n|[Ii]n|[Bb]y|[Nn]ext|[Tt]his|[Cc]ome|[Tt]omorrow|[Tt]onight|[Ff]rom|[Aa]t|(?:[Tt]he "
    r")?\d{1,2}(?:st|nd|rd|th)|[Mm]onday|[Tt]uesday|[Ww]ednesday|[Tt]hursday|[Ff]riday|"
    r"[Ss]aturday|[Ss]unday|January|February|March|April|May|June|July|August|September|October|November|"
    r"December)\b)(?: [\w:]+){0,4}?),? "
    r"(?P<rest>(?:I|we|my|our) .+)$",
    re.DOTALL,
)
# "After eleven years I've walked out", "As a student I worked in a bar"
_AFTER_FIRST = re.compile(
    r"^(?:(?:After|(?:[Ee]ver )?[Ss]ince|For|Over|Within|In) (?:[\w'-]+ ){1,5}?|"
    r"As an? (?:\w+ )?(?:student|pupil|kid|child|teen|teenager|boy|girl|youngster|rule|family),? )"
    r"(?P<rest>(?:I|we) [a-z].+)$",
    re.DOTALL,
)
# "Until last year I was with Vodafone", "When I was twelve we moved": what follows is about the past.
_PAST_FIRST = re.compile(
    r"^(?:(?:Until|Till|Up to|Up until) (?:(?:last|this|the|early|late|\d|[A-Z])[\w' ]{0,25}?|recently|then|(?:a|\w+) "
    r"[a-z]+ ago)|Back then|In those days|In the past|Years ago|Growing up|"
    r"(?:When|While|Before) (?:I|we|he|she|they|my [a-z]+|our [a-z]+) (?!am |are |is |get |go |have |can |do "
    r")[^,]{2,40}?|"
    r"As an? (?:\w+ )?(?:student|pupil|kid|child|teen|teenager|boy|girl|youngster)),? "
    r"(?P<rest>(?:(?:I|we|he|she|they) |(?:my|our) [a-z]+ )[a-z].+)$",
    re.DOTALL | re.IGNORECASE,
)
HYPOTHETICAL = re.compile(
    rf"\b(?:{_SUPPOSES}|if|would|could|might|maybe|perhaps|wish(?! (?:me|us) )|unless|whether|should|almost|"
    r"hypothetically|given the choice|in an ideal world|in another life|in theory|provided that|"
    r"as though|what about|kidding|joking|had I|were I|nearly|if only|"
    r"I (?:(?:always|just|first|once|honestly|really) )?(?:thought|assumed|believed|figured) (?:that )?I "
    r"(?:was|had))\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"^(?:also |always |just )?(?:said|says|told (?:me|us|him|her)|thinks?|thought|mentioned|believes?|"
    r"admitted|claims?|guess|guessed|realized|know|knows|"
    r"found out|feels?|felt) (?:that )?(?P<p>I|he|she) (?P<rest>.+)",
)
_FIRST = re.compile(r"^(?P<p>I|[Ww]e)(?: and my [a-z]+)? (?P<rest>.+)", re.DOTALL)
# "My wife and I bought a house" is about the speaker.
_JOINT_WITH_ME = re.compile(
    r"^(?:(?:[Mm]y|[Oo]ur) (?:[a-z-]+ ){0,2}?[a-z-]+(?: [A-Z]\w+)?|[A-Z]\w+),? and (?:I|me),? (?P<rest>[a-z].+)",
    re.DOTALL,
)
_THIRD = re.compile(r"^(?P<p>[Hh]e|[Ss]he) (?P<rest>.+)", re.DOTALL)
_KIN = re.compile(
    r"^(?P<p>[Mm]y|[Hh]is|[Hh]er|[Oo]ur)? ?(?P<q>(?:[a-z-]+ ){0,2}?)(?P<k>"
    + "|".join(sorted([word for kin in KIN for word in (kin, kin.capitalize())], key=len, reverse=True))
    + r"),?(?: (?P<n>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+)?))?,? (?P<rest>[a-z].+)",
    re.DOTALL,
)
# "mum takes warfarin" is about the speaker's mother.
_BARE_PARENT = re.compile(rf"{_PARENT} (?=[a-z])", re.IGNORECASE)
_KIN_OF_KIN = re.compile(
    r"^(?P<p>[Mm]y|[Oo]ur) (?P<q>(?:[a-z-]+ ){0,1}?)(?P<first>"
    + KIN_PATTERN
    + r")'s (?:[a-z-]+ ){0,1}?(?P<k>"
    + KIN_PATTERN
    + r"),?(?: (?P<n>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-Z][\w-]+))?,? (?P<rest>[a-z].+)",
    re.DOTALL,
)
_NAMED = re.compile(
    r"^(?P<n>[A-Z][\w'-]*(?: [A-Z][\w'-]*)?)(?: and (?:(?:my|his|her) )?[A-Za-z]+(?: [A-Z]\w+)?)? (?P<rest>[a-z].+)",
    re.DOTALL,
)
_PLAIN_VERB = re.compile(
    r"^(?:(?:usually|often|always|never|really|generally|mostly|still|also|just|all|both|sometimes|rarely|"
    r"hardly) ){0,2}"
    r"(?:love|like|hate|live|work|am|are|were|have|want|enjoy|prefer|do|can|all|of|and|or)\b"
)
# The text after the verb of a request; a name would be followed by a verb.
_IMPERATIVE = re.compile(
    r"(?:me|us|him|her|them|an?|the|my|our|his|their|some|any|this|that|these|those|more|two|three|\d+)\b|"
    r"[a-z]+(?: [a-z]+){0,3} for (?:my|our|me|us|the)\b"
)
_FOR_KIN = re.compile(rf"\b(?:my|our) (?P<q>(?:[a-z]+ )?)(?P<k>{KIN_PATTERN})(?!['’]s)\b")
_MOMENT = re.compile(
    r"\b(?:right now|tonight|at the moment|at this point|this (?:time|morning|evening|afternoon|minute|second)|"
    r"today|for once|for now)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^(?:" + _VERBS + r")\b")
# Elided "I": "Just moved to Austin", "Turned 33 on Sunday", "Allergic to nuts", "Flying to Oslo on the 9th".
_SHORT_FORM = re.compile(r"'(?:re|ve|ll|d|m|t)$")
# "I'm Kevin, born in Vancouver, living in Taipei now"; not "I have a brother, living in Leeds".
_INTRODUCES = re.compile(r"I(?:'m| am| was)\b")
_PARTICIPLE = re.compile(
    r", (?:and )?(?=(?:now |currently |originally )?"
    r"(?:(?P<born>born|raised) (?:in|on)|(?:living|working|studying|teaching) (?:in|at|for|as)|based in|from)\b)"
)
_AT_FIRST: Final = (
    r"^(?:(?:just|recently|finally|never|still|been|already|currently|now|always|also|only|really|officially|"
    r"probably|"
    r"definitely|actually|ok so|ok) ){0,3}"
)
_ELIDED = re.compile(
    _AT_FIRST + r"(?:no longer (?:need|take|have|own|live|work|eat|drink|drive|use|smoke|play|go|do|see|on)\b|"
    r"(?:got|bought|treated|found|made|built) (?:myself|ourselves) |promised (?=[A-Z]|my |him |her |them )|"
    r"(?:said|told (?:[A-Z]\w+|my [a-z]+|him|her|them|everyone)) (?:that )?(?:I|we)(?:'d| would|'ll| will)\b|"
    r"gone (?:right |completely |totally |a bit )?off |got (?:really |well |properly |so |super |quite |very )?into |"
    r"(?:retired|resigned|graduated|came back|went back|moved back|been back) (?:from|to|in) |"
    r"(?:never|do not|hardly ever|rarely) (?:eat|drink|smoke|wear|drive|watch|touch)\b|owe (?=[A-Z]|my )|"
    r"used to|(?:liked|loved|hated|enjoyed) |can not (?:stand|eat|have|drink|do|wear|abide|bear|tolerate|"
    r"handle|resist|live without|get enough of)|do not (?:like|eat|drink|do|own|have|use)|do not|hate|"
    r"had (?:dinner|lunch|coffee|drinks|breakfast|an?|my|our|the|to)|"
    r"(?:bought|sold|quit|started|stopped|adopted|booked|cancelled|dropped|switched|swapped|became|retired|joined|"
    r"been [a-z]+ing) |(?:got|bought|sold|took|gave|went|came|began|broke|met|saw|swore|made|found|lost|put|ran|won|"
    r"quit|left|built|chose|cut|"
    r"fell|flew|grew|kept|paid|rode|spent|taught|wrote|became|swapped|said|told|"
    r"(?!need|feed|speed|bleed|red |bed |breed|indeed|shed|wed |exceed|proceed|married|engaged|diagnosed|promoted|"
    r"based|retired|"
    r"born|allergic|divorced|widowed)[a-z]{2,12}ed)(?= (?:an?|the|my|our|his|her|to|on|at|in|up|off|out|down|over|"
    r"into|from|for|with|back|away|as|"
    r"rid|it|me|us|about|that|some|one|two|three|home|work|eating|drinking|smoking|taking|using|being|playing|going|"
    r"jobs|schools|banks|gyms|house|dad|mum|mom|tested|married|engaged|divorced|promoted|fired|laid|hired|diagnosed|"
    r"into|"
    r"sick|tired|coffee|sugar|meat|dairy|alcohol|[a-z]+ing)\b| (?:(?-i:[A-Z])|\d)|,)(?! by\b)|retired\b)",
    re.IGNORECASE,
)
_ELIDED_BE = re.compile(
    _AT_FIRST
    + "(?P<be>"
    + r"(?:(?P<was>born (?:in|on|and)|diagnosed with|promoted to|raised in|laid off|made redundant|hired (?:at|by|"
    r"as)|"
    r"prescribed)|"
    r"(?:an? )?(?:big|huge|massive|lifelong) fan of|using (?:an?|the|my)|based out of|"
    r"not (?:a )?(?:vegan|vegetarian|vegetarian|married|engaged|on)\b|"
    r"living|studying|working (?:nights|days|part|full|from|remotely)|currently (?:in|at|on|an?)|"
    r"(?:[a-z]+ )?(?:lactose|gluten) intolerant|(?:vegan|vegetarian|pescatarian|coeliac|celiac|diabetic|asthmatic|"
    r"divorced|"
    r"widowed|unemployed|left-handed)(?= (?:since|for|now|here|and)|$|,)|(?:team|fluent in|obsessed with|"
    r"hooked on|addicted to|done with|"
    r"through with|sick of|fed up with|retired) |"
    r"not (?:big|a|an|into|keen|much of|fond|allergic|eating|drinking)|allergic to|engaged to|married to|based in|"
    r"off to|off (?:the|my)|"
    r"on (?=(?:day|\d|half|a low|the waiting|antibiotics|statins|metformin|insulin|[a-z]+ (?:mg|now)))|back (?:in|"
    r"on|home|at|to)|"
    r"pregnant|expecting|trying to|planning to|hoping to|thinking of|saving up|saving for|training for|preparing for|"
    r"looking forward|(?:flying|heading|moving|starting|working|living|renting|taking|dating|seeing|getting|going|"
    r"having|"
    r"driving|staying|leaving|learning|studying|travelling|traveling|running|visiting|picking up|meeting|playing|"
    r"selling|"
    r"buying|switching|changing|using|wearing|sharing|teaching|retiring|hosting|doing|reading) (?:to|for|at|in|on|"
    r"an?|the|my|"
    r"our|up|off|back|with|from|out|home|[A-Z]|\d|[a-z]+ (?:on|at|in|next|from|again|since|for|tomorrow|now)))\b"
    r"(?!.{0,80}? (?:is|are|was|were|can|makes?|takes|costs|would|feels|does|helps|sounds|seems) ))",
    re.IGNORECASE,
)


# "If you need it for the form" makes nothing hypothetical.
_POLITE_IF: Final = re.compile(
    r",? (?:just )?(?:in case|if) (?:(?:you|they|the [a-z]+|any(?:one|body)|some(?:one|body)|he|she) (?:ever |still |"
    r"really )?(?:need|"
    r"ask|wonder|are wondering|were wondering|want to know|must know|should ask|care)s?\b|asked\b|that helps\b|"
    r"needed\b|"
    r"(?:it|that) (?:helps|matters|is relevant|makes a difference)\b|I (?:remember|recall) (?:right|"
    r"correctly)\b)[^,;.!?]{0,40}",
    re.IGNORECASE,
)


def split_clauses(sentence: Sentence, state: DiscourseState) -> Iterator[Clause]:
    """Yield the clauses that state something; skip questions and hypotheses."""
    text = _POLITE_IF.sub(lambda found: " " * len(found[0]), mask_quoted_speech(sentence.text))
    state.opens = True
    invented = _INVENTED.search(text)
    is_request = invented is not None and invented.start() == 0 and _LETTER.match(text) is not None
    if SARCASTIC.search(text) or (invented and not is_request) or _JOKING.search(expand_contractions(text)):
        return
    if aside := _SAID_AFTER.match(text):
        _remember_relative(aside["k"], state)
    pieces = _pieces(text)
    if is_request:
        # "Draft a cover letter, I'm applying for a job": the request invents, what follows is so.
        _remember_relative(text[: pieces[0][1]], state)
        pieces = [piece for piece in pieces[1:] if _OWN_WORDS.match(text, piece[0])]
    if HYPOTHETICAL.search(_spelled_out(text, state.speaker)):
        pieces = [piece for piece in pieces if _is_real(text, piece, state.speaker)]
    if (is_request or sentence.asks) and _ASKS_FAVOUR.match(text) and (whom := _FOR_WHOM.search(text)):
        # "Could you draw a card for my aunt Jean?" is a request, which states only who the aunt is.
        yield _clause(whom["who"], sentence.start + whom.start("who"), sentence.start + whom.end("who"), state)
        return
    for number, (start, end) in enumerate(pieces):
        if sentence.asks and number == len(pieces) - 1:
            return
        clause = _clause(_with_elided_i(text[start:end]), sentence.start + start, sentence.start + end, state)
        if sentence.asks and not clause.text.startswith(("I ", "My ", "my ", "We ", "Our ", "our ")):
            continue
        if not _PART.search(clause.text):
            yield clause


_ASKS_FAVOUR = re.compile(
    r"(?:[Pp]lease |[Hh]ey |[Hh]i )*(?:[Cc]an|[Cc]ould|[Ww]ould|[Ww]ill) you (?:please |maybe |help me )*(?:write|"
    r"draft|book|order|find|suggest|recommend|"
    r"make|plan|send|draw|design|create|think of|come up with|tell)\b(?! (?:me )?(?:if|whether|where|when|who|what|"
    r"how|why))[^,?]{2,80}\?$"
)
_FOR_WHOM = re.compile(rf"\b(?:for|to) (?P<who>(?:my|our) (?:[a-z-]+ )?(?:{KIN_PATTERN}) [A-Z][a-z]+)\b(?!'s)")
# A text for somebody else is about the speaker, and no story.
_LETTER = re.compile(
    r"(?:please |can you |could you |now |ok |hey )*(?:write|draft|compose|generate|"
    r"create)\b[^,.]{0,60}?\b(?:letter|e-?mail|"
    r"message|text|toast|speech|note|card|cv|resume|application|invitation|reply|post|reference)\b",
    re.IGNORECASE,
)
_OWN_WORDS = re.compile(
    r"(?:(?:and|because|since|but|so) )?(?:I(?:'m|'ve)? |my |we(?:'re|'ve)? |our |his name|her name|[Hh]e(?:'s)? |"
    r"[Ss]he(?:'s)? )"
)
# "She's got a nut allergy, my eldest": who she is follows.
_SAID_AFTER = re.compile(r"(?:[Hh]e|[Ss]he)\b[^,]{3,80}, (?P<k>my (?:[a-z]+ )?[a-z-]+(?: [A-Z]\w+)?)[.!]?$")


# A part that somebody plays: "Theo is a shepherd in the nativity", but not "Ann is a singer in a musical".
_PART = re.compile(
    r"\b(?:is|are|was|am|plays?|playing) (?:an?|the) (?:(?!actor|actress|singer|dancer|director|producer|musician|"
    r"designer|writer|engineer|extra)[a-z-]+ ){1,3}in (?:an?|the|his|her|their|our|my|this year's) (?:[a-z]+ ){0,2}"
    r"(?:nativity|play|panto|pantomime|show|musical|film|movie|opera|ballet|sitcom|game)\b"
)
_NUMBER = re.compile(r"\d[\d ()-]{5,}\d|@\w|(?:number|code|no\.|account|ref) #?[A-Z]{0,3}-?\d[\w-]{2,}")


def _is_real(text: str, piece: tuple[int, int], speaker: Speaker) -> bool:
    """Return whether a clause of a hypothetical sentence nevertheless states a fact.

    In a sentence with "if" or the like, only a clause with a number does; in others, each that is not hypothetical.
    """
    if re.search(rf"\b(?:if|unless|{_PRETEND}|wish(?! (?:me|us) )|whether)\b", text, re.IGNORECASE):
        # "Ring my wife on 07700 900321 if I don't pick up" states a number.
        return _NUMBER.search(text[piece[0] : piece[1]]) is not None and not text.lower().startswith("if")
    return HYPOTHETICAL.search(_spelled_out(text[piece[0] : piece[1]], speaker)) is None


# "Maya and I are engaged" is one clause, with two people as its subject.
_JOINT = re.compile(
    r"(?:.{0,40}[,!:] |(?:and|but|so|well|oh|yes) )?(?:[A-Z][a-z]+(?: [A-Z][a-z]+)?|(?:[Mm]y|[Oo]ur) (?:[a-z-]+ "
    r"){0,2}[a-z-]+(?: [A-Z]\w+)?)"
)


_POSSESSIVE = re.compile(r"(?:my|our|his|her) [a-z -]{2,30}, ")


# "My son, Leo, just turned six" is one clause.
_APPOSED = re.compile(r"(?:[Mm]y|[Oo]ur) (?:[a-z-]+ ){0,2}[a-z-]+,? [A-Z][a-z]+")
# "Greta, my grandmother, turns 90": what follows is about Greta.
_NAME_APPOSED = re.compile(
    rf"(?P<n>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?), (?:my|our) (?:[a-z-]+ ){{0,2}}?(?:{KIN_PATTERN})(?:, (?P<rest>[a-z].+))?"
)
_GOES_ON_AFTER = re.compile(
    r"(?:just|is|has|was|can|does|had|really|also|always|still|never|loves?|likes?|hates?|lives|works|got)\b"
)


def _pieces(text: str) -> list[tuple[int, int]]:
    cuts = [0]
    ends = []
    for cut in _CUT.finditer(text):
        apposed = cut[0] == ", " and _POSSESSIVE.match(text, cut.end()) is not None
        if cut[0] == ", " and _GOES_ON_AFTER.match(text, cut.end()) and _APPOSED.fullmatch(text, cuts[-1], cut.start()):
            continue
        if (cut[0].strip() == "and" or apposed) and _JOINT.fullmatch(
            text, max(cuts[-1], cut.start() - 80), cut.start()
        ):
            continue
        ends.append(cut.start())
        cuts.append(cut.end())
    ends.append(len(text))
    pieces = [(start, end) for start, end in zip(cuts, ends, strict=True) if end - start > 2]
    return [part for piece in pieces for part in _introductions(text, *piece)]


def _introductions(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a piece in which speakers introduce themselves, each with a verb; else the piece."""
    if not _INTRODUCES.match(without_lead(text[start:end])):
        return [(start, end)]
    cuts = [start, *(found.start() for found in _PARTICIPLE.finditer(text, start, end)), end]
    return list(pairwise(cuts))


def _with_elided_i(piece: str) -> str:
    """Return "I am living in Taipei" for ", living in Taipei", which follows an introduction."""
    if goes_on := _PARTICIPLE.match(piece):
        return f"I {'was' if goes_on['born'] else 'am'} {piece[goes_on.end() :]}"
    return piece


def _spelled_out(text: str, speaker: Speaker) -> str:
    text = expand_contractions(text)
    if speaker.me == THE_USER:
        for name in speaker.user_names:
            text = text.replace(f"{name}'s ", "my ")
    return text


def _when_last(found: re.Match[str]) -> str:
    """Return "I teach at the art school on Mondays" for "On Mondays I teach at the art school"."""
    preposition, _, time = found["when"].partition(" ")
    return f"{found['rest']} {preposition.lower()} {time}" if time else f"{found['rest']} {preposition}"


def _clause(piece: str, start: int, end: int, state: DiscourseState) -> Clause:
    text = without_lead(_spelled_out(piece, state.speaker))
    text = _COMMENT.sub("", _CHAT_END.sub("", text.rstrip(" .!?,")))
    past = _PAST_FIRST.match(text)
    text = past["rest"] if past else text
    text = _SETTING.sub("", _AFTER_FIRST.sub(r"\g<rest>", _WHEN_FIRST.sub(_when_last, text)))
    subject, rest = _subject(text, state)
    if subject is not None:
        subject, rest = _reported(subject, rest, state)
        _note_unnamed(subject, text, rest, state)
    if state.third is None and state.speaker.me == THE_USER and any(name in piece for name in state.speaker.user_names):
        state.third = THE_USER
    if subject is None and (mentioned := _MENTIONED.match(text)) and mentioned["n"].lower() not in NOT_NAMES:
        state.third = state.speaker.subject_named(mentioned["n"])
    elif subject in (None, state.speaker.me):
        _remember_relative(text, state)
    state.subject = subject
    state.opens = False
    return Clause(
        text=text,
        rest=rest,
        subject=subject,
        third=state.third,
        start=start,
        end=end,
        kin=subject if _is_kin(subject) else None,
        past=past is not None,
        momentary=subject is not None and _MOMENT.search(text) is not None,
    )


# "Ben has a new girlfriend, she is a paramedic": "she" is nobody with a name.
_UNNAMED = re.compile(
    rf"(?:has|had|have|got|met|found|hired|dates|dated|married|knows|sees|is (?:seeing|dating|with)) (?:got )?"
    rf"(?:an?|another|some) (?:[a-z]{{1,15}} ){{0,2}}?"
    rf"(?P<k>{KIN_PATTERN}|guy|man|woman|girl|boy|lady|person)(?!['’-]|\w)"
)


def _note_unnamed(subject: str | None, text: str, rest: str, state: DiscourseState) -> None:
    """Keep pronouns from referring to a subject whose clause introduces somebody without a name, of the same sex."""
    if subject in (None, state.speaker.me):
        return
    if found := _UNNAMED.match(rest):
        word = found["k"].lower()
        is_male, is_female = word in MALE_KIN or word in ("guy", "man"), word in FEMALE_KIN or word in ("woman", "lady")
        state.unnamed = frozenset({"he"} if is_male else {"she"} if is_female else {"he", "she"})
    elif _THIRD.match(text) is None:
        state.unnamed = frozenset()


# "I need a gift for my mother-in-law, she is 70": the relative mentioned last is whom "she" means afterwards.
_RELATIVE = re.compile(
    rf"\b(?:my|our) (?P<q>(?:[a-z]+ )?)(?P<k>{KIN_PATTERN})(?!['’-]|\w)(?: (?P<n>[A-Z][a-z]+(?: [A-Z][a-z]+)?))?"
)


def _remember_relative(text: str, state: DiscourseState) -> None:
    """Let pronouns in later clauses refer to the speaker's relative that this clause mentions last."""
    for found in _RELATIVE.finditer(text):
        word = found["k"].lower()
        if found["n"] and found["n"].split()[0].lower() not in NOT_NAMES:
            state.third = state.speaker.subject_named(found["n"])
            state.named.setdefault(word, found["n"])
        elif word not in MANY_KIN and (relative := kin_named(word, found["q"], "my", state)):
            state.third = relative


# "Say hi to Petra": the person whom "she" means afterwards.
_MENTIONED = re.compile(
    r"(?:[Ss]ay|[Tt]ell|[Aa]sk|[Tt]hank|[Mm]eet|[Gg]ive|[Cc]all|[Ii]t is)(?: [a-z]+){0,2}? "
    r"(?P<n>[A-Z][a-z]+)(?=$|[,.;!])"
)


def _is_kin(subject: str | None) -> bool:
    """Return whether a subject is a relative of the user, not a relative's relative."""
    return subject is not None and "'s " not in subject and subject.rpartition(" ")[2] in SOLE_KIN


def without_lead(text: str) -> str:
    """Strip leading conjunctions and interjections."""
    return _LEAD.sub("", text.strip(" ,"))


def _subject(text: str, state: DiscourseState) -> tuple[str | None, str]:
    if first := _FIRST.match(text) or _JOINT_WITH_ME.match(text):
        return state.speaker.me, first["rest"]
    if third := _THIRD.match(text):
        return _antecedent(third["p"].lower(), state), third["rest"]
    if state.opens and state.subject in (None, state.speaker.me):
        if be := _ELIDED_BE.match(text):
            return state.speaker.me, ("was " if be["was"] else "am ") + _uncapitalized(text[be.start("be") :])
        if _ELIDED.match(text):
            return state.speaker.me, _uncapitalized(text)
    if _GOES_ON.match(text):
        # The subject of "love" is unclear in "LeBron is the man - love his skills".
        goes_on = state.subject == state.speaker.me or not _PLAIN_VERB.match(text)
        return (state.subject if goes_on else None), text
    if relative := _KIN_OF_KIN.match(text):
        state.third = relative_of_kin(relative["first"], relative["q"], relative["k"], relative["n"], state)
        return state.third, relative["rest"]
    kin = _KIN.match(f"my {text}" if _BARE_PARENT.match(text) else text)
    # "Kids like sweets" is about children in general.
    if kin and (kin["p"] or kin["k"].lower() not in MANY_KIN) and (kin["p"] or text.startswith(kin["k"][0].upper())):
        return _kin_subject(kin, state), kin["rest"]
    named = _NAME_APPOSED.fullmatch(text) or _NAMED.match(text)
    if (
        named
        and named["n"].split()[0].lower() not in NOT_SUBJECTS
        and not _SHORT_FORM.search(named["n"])
        and not named["n"].endswith("'s")
    ):
        return _named_subject(named, state), named["rest"] or ""
    return None, text


def _antecedent(pronoun: str, state: DiscourseState) -> str | None:
    """Return whom "he" or "she" means: the person mentioned last, or else the relative of that sex named last.

    "My wife is called Ines, we have a boy, Theo, he is four" is about Theo.
    """
    if pronoun in state.unnamed:
        return None
    wrong, right = (FEMALE_KIN, MALE_KIN) if pronoun == "he" else (MALE_KIN, FEMALE_KIN)
    words = {word.rpartition(" ")[2] for word, name in state.named.items() if name == state.third}
    if state.third is not None and wrong.isdisjoint(words | {state.third.rpartition(" ")[2]}):
        return state.third
    state.third = next((name for word, name in reversed(state.named.items()) if word.rpartition(" ")[2] in right), None)
    return state.third


def _uncapitalized(text: str) -> str:
    return text[:1].lower() + text[1:]


def _kin_subject(kin: re.Match[str], state: DiscourseState) -> str | None:
    word = kin["k"].lower()
    if kin["n"]:
        state.third = state.speaker.subject_named(kin["n"])
        return state.third
    state.third = kin_named(word, kin["q"], kin["p"], state)
    return state.third


def kin_named(word: str, which: str, possessive: str | None, state: DiscourseState) -> str | None:
    """Return the subject for a relative without a name: "my younger sister", "his brother"; None if unclear."""
    # "His brother" is not a relative of the user, unless "he" is the user.
    possessor = (possessive or "my").lower()
    if word not in SOLE_KIN or (possessor in ("his", "her") and state.third != THE_USER):
        return None
    which = " ".join(one for one in which.split() if one in WHICH_KIN)
    plain = KIN_NAME.get(word, word)
    # "My younger sister" need not be the sister who was named before.
    return f"{which} {plain}" if which else state.named.get(word) or plain


def relative_of_kin(first: str, which: str, word: str, name: str | None, state: DiscourseState) -> str | None:
    """Return the subject for a relative's relative: "my sister's husband (Femi)"; None if unclear."""
    if name:
        return state.speaker.subject_named(name)
    owner = kin_named(first, which, "my", state)
    return f"{owner}'s {KIN_NAME.get(word, word)}" if owner and word in SOLE_KIN - MANY_KIN else None


def _named_subject(named: re.Match[str], state: DiscourseState) -> str | None:
    subject, rest = state.speaker.subject_named(named["n"]), named["rest"] or ""
    if subject == THE_USER and state.speaker.me != THE_USER:
        state.third = THE_USER
        return THE_USER
    if subject != THE_USER and _PLAIN_VERB.match(rest):
        return None
    if " " not in named["n"] and _IMPERATIVE.match(rest):
        # "Recommend a book for my dad, he likes history"
        for_whom = _FOR_KIN.search(rest)
        state.third = kin_named(for_whom["k"], for_whom["q"], "my", state) if for_whom else state.third
        return None
    state.third = subject
    return subject


def _reported(subject: str, rest: str, state: DiscourseState) -> tuple[str | None, str]:
    """Resolve reported speech: keep what somebody says about themselves, drop the subject of anything else."""
    report = _REPORT.match(rest)
    if report is None:
        return subject, rest
    speaks_of_me = report["p"] == "I"
    if speaks_of_me:
        return (subject, report["rest"]) if subject == state.speaker.me else (None, rest)
    is_third = subject == state.third
    return (subject, report["rest"]) if is_third else (None, rest)


# Plurals and mass nouns without "s".
_MANY: Final = frozenset(("mice", "geese", "sheep", "fish", "cattle", "children", "people", "teeth", "feet", "poultry"))


def with_article(name: str) -> str:
    """Return the placeholder "{o}", with "a" or "an" unless the object is a plural."""
    if (name.endswith("s") and not name.endswith("ss")) or name.rpartition(" ")[2].lower() in _MANY:
        return "{o}"
    return "an {o}" if name[0].lower() in "aeiou" else "a {o}"


def owner(possessive: str, clause: Clause, state: DiscourseState) -> str | None:
    """Return the subject that "my", "our", "I", "his" or "she" refers to."""
    return state.speaker.me if possessive.lower() in ("my", "our", "i") else clause.third
