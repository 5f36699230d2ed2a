"""English patterns for small talk, requests and the first person."""

import re
from typing import Final

from extraction.rules.salience_gate import SmallTalkPatterns

_HOW: Final = (
    r"(?:so|very|really|pretty|quite|a (?:bit|little)|kind of|kinda|rather|too|super|just|still|also|all|not|doing|"
    r"feeling|feel|always|glad|to)"
)
_MOOD: Final = (
    r"(?:fine|good|well|great|ok|okay|alright|tired|exhausted|sleepy|hungry|thirsty|bored|happy|glad|sad|cold|hot|"
    r"busy|sure|ready|back|here|awake|confused|curious|excited|sorry|lost|alive|kidding|joking|serious|down|in|"
    r"impressed|surprised|not bad|hanging in there)"
)
_NOW: Final = (
    r"(?:(?: (?:right )?now| today| again| too| as well| then| tonight| this (?:morning|evening)| for you| myself)*)"
)
_NICE: Final = (
    r"(?:nice|good|great|lovely|wonderful|pleasant|awesome|amazing|fun|safe|fantastic|beautiful|happy|relaxing)"
)
_DAY: Final = (
    r"(?:day|night|evening|morning|afternoon|weekend|week|one|time|trip|flight|rest|sleep|dreams?|holiday|holidays|"
    r"vacation|lunch|dinner|break|new year|year|friday|monday|tuesday|wednesday|thursday|saturday|sunday|christmas|"
    r"easter|thanksgiving|halloween|valentine'?s day|birthday)"
)
_ACK: Final = (
    r"(?:yes|yeah|yep|yup|ya|no|nope|nah|ok|okay|kk?|sure|right|alright|all right|cool|nice|great|good|"
    r"perfect|awesome|"
    r"wow|whoa|oh|ah|aha|ha|hah|(?:ha){2,}h?|(?:he){2,}|lo+l|lmao|rofl|hm+|mm+|uh|um+|huh|ugh+|yay|oops|ouch|hey|hi|"
    r"hello|howdy|yo|bye|goodbye|bye ?bye|cheers|thanks|thx|ty|please|pls|sorry|well|so|anyway|indeed|exactly|"
    r"absolutely|definitely|totally|certainly|of course|gotcha|got it|understood|noted|interesting|amazing|wonderful|"
    r"fantastic|excellent|brilliant|lovely|sweet|fine|really|seriously|true|agreed|deal|correct|brb|afk|omg|btw|idk|"
    r"np|no worries|no problem|my bad|never ?mind|whatever|same|same here|me too|me neither|you too|likewise|"
    r"congrats|"
    r"congratulations|welcome|welcome back|again|then|there|everyone|all|guys|man|dude|mate|buddy|mondays|"
    r"good (?:luck|job|work|point|idea|question|one|grief|morning|night|evening|afternoon|day)|"
    r"nice (?:one|try|work|job|idea)|great (?:job|work|idea|question|point)|well done|fair (?:enough|point)|oh no|"
    r"oh my(?: god| goodness)?|my (?:god|goodness)|not (?:really|much|yet|bad|at all)|maybe|perhaps|exactly right|"
    r"and you|you|how about you|what about you|i see|i know|i guess|i think so|i agree|i understand|i hope so|"
    r"i don'?t know|i do|i am|i did|i will|i would|i'?m in|let me think|let me see|let'?s see|wait|"
    r"one (?:moment|second|sec)|"
    r"just a (?:moment|second|sec|minute)|hold on|sounds (?:good|great|fun|nice|perfect|like a plan)(?: to me)?|"
    r"works for me|makes sense|go on|go ahead|continue|next|more|another one|and|but)"
)
# Matched against a whole clause in lower case, without punctuation at its ends.
_SMALL_TALK: Final = re.compile(
    rf"(?:{_ACK} ){{0,4}}(?:"
    + "|".join(
        [
            rf"{_ACK}(?: {_ACK}){{0,4}}",
            rf"(?:i'?m|i am|i feel|i was|feeling|we'?re) (?:{_HOW} )*{_MOOD}{_NOW}",
            r"(?:many |thank you|thanks|thank|thx)(?: (?:you|so|very|much|a|lot|again|for|your|the|that|all|"
            r"asking|help|"
            r"helping|advice|time|anyway|caring|sharing|letting me know|everything|of|it|this|tip|tips|info|"
            r"information|"
            r"support|quick|answer|reply|kind|words|both|guys|in advance|bunch|million|ton))*",
            r"(?:good|happy|great|nice|glad|pleased|lovely|wonderful|sorry) to (?:hear|see|meet|talk to|know|"
            r"chat with|"
            r"be of|help|have you)(?: (?:from|you|that|it|about|this|back|again|to|help|service|too|so|with))*",
            rf"(?:have|enjoy|wish(?:ing)? you|hope you have|had)(?: (?:a|an|the|your|very|"
            rf"you))*(?: {_NICE})*(?: {_DAY})?"
            r"(?: too| ahead| everyone)?",
            rf"(?:happy|merry|good|nice|lovely|{_NICE}) {_DAY}(?: to you| too| everyone)*",
            r"(?:see|talk to|catch|speak to|chat with) (?:you|ya|u)(?: (?:later|soon|around|then|tomorrow|"
            r"tonight|next|"
            r"week|time|again|on|monday|tuesday|wednesday|thursday|friday|saturday|sunday|in|the|morning))*",
            r"take care(?: of yourself| too)*|sleep (?:well|tight)|sweet dreams|stay (?:safe|hydrated|warm|"
            r"cool|strong)|"
            r"long time no see|safe travels|get well soon|keep it up|keep up the (?:good|great) work|cheer up",
            r"(?:it|that|this|the weather|weather)(?:'?s| is| was| looks| seems| sounds| must be| certainly sounds)?"
            r"(?: (?:so|very|really|pretty|quite|a bit|just|getting|such|a|the|been|all|rather|too|certainly|"
            r"absolutely|"
            r"going to|nice|lovely|great))*"
            r" (?:nice|lovely|great|good|bad|hot|cold|warm|freezing|rain|raining|rainy|snowing|sunny|windy|"
            r"cloudy|weather|"
            r"day|fun|funny|hilarious|cool|amazing|awesome|interesting|true|right|correct|it|all|wrong|fine|okay|ok|"
            r"perfect|helpful|enough|sense|crazy|wild|wonderful|beautiful|quick|easy|hard|tough|sad|awful|terrible|"
            r"impressive|adorable|cute|sweet|fantastic|kind|joke|possible|obvious)"
            r"(?: (?:today|again|outside|here|now|isn'?t it|of you|tonight|this (?:morning|week)|out there|"
            r"too|indeed|"
            r"to hear|day|weather|idea|question|point|thing|joke))*",
            r"(?:that|this|it) (?:makes sense|helps(?: a lot)?|works|was (?:nice|fun|great|"
            r"good) talking (?:to|with) you|"
            r"(?:'?s|is) all(?: for (?:now|today))?)|that will be all|nothing(?: else| much| special)?",
            r"you(?:'?re| are)? (?:so |very |really |too |the |a |such a )*(?:best|great|funny|kind|sweet|"
            r"welcome|awesome|"
            r"amazing|right|smart|genius|star|legend|lifesaver|hilarious|always welcome|most welcome|kidding|"
            r"helpful)",
            r"(?:i )?(?:really |totally |absolutely |just |do )*(?:love|like|hate|enjoy|appreciate|get|got|"
            r"mean|bet|doubt|"
            r"remember|forgot|hope) (?:it|that|this|so|you|them)(?: (?:so much|a lot|too|one))*",
            r"i'?m (?:just )?(?:an? )?(?:ai|artificial|virtual|language|digital)(?: .*)?|as an ai.*|"
            r"i (?:can'?t|cannot|can|could|don'?t|try|do|would|will|'?ll)(?: .*)? (?:forecast|my best|"
            r"help you.*|feelings|"
            r"days|answer questions.*)|how (?:can|may) i (?:help|assist).*|i hope (?:that|this|it) helps|"
            r"(?:if you )?(?:let|feel free to|need|have)(?: .*)? (?:anything else|any(?: other|"
            r" more)? questions?|ask)(?: .*)?|"
            r"glad (?:i could|you|that|it).*|happy to (?:help|assist).*|what (?:can|could) i (?:do|help).*",
            r"(?:i'?m |i am )?(?:just )?(?:testing|checking|asking|saying|looking|browsing|"
            r"wondering)(?: (?:this|it|out))*|test",
            r"(?:i'?ll |i will |i'?m |i )?(?:be right back|be back(?: soon| later)?|(?:have to|gotta|got to|"
            r"need to|should|must) "
            r"(?:go|run|leave|sleep)|going to (?:bed|sleep)|off to (?:bed|sleep)|heading out)(?: (?:now|soon|"
            r"then|for now))*",
            r"(?:(?:i )?hope (?:you|all|everything|your)|i (?:can'?t|cannot) believe it'?s|(?:time|the day|"
            r"week|year) flies).{0,40}",
            r"(?:that was |this is |what )?(?:a|an|such a) (?:very |really )?(?:great|good|nice|helpful|"
            r"clear|excellent|lovely) "
            r"(?:explanation|answer|question|summary|idea|story|joke|tip|point|advice|chat|talk)",
            r"(?:so |too |very )?(?:cold|hot|warm|late|early|loud|quiet|slow|fast)(?: (?:today|here|now|"
            r"outside))*|br+|morning|evening",
            r"i (?:didn'?t|did not|don'?t) (?:get|catch|understand|hear|follow)(?: (?:that|it|you|what you said))?",
        ]
    )
    + ")",
    re.IGNORECASE,
)
# A question or request is about the world in general, unless it is about the person who asks: "my wife", "I quit".
_ASKS_FOR: Final = re.compile(
    r"^(?:please |can you |could you |would you |will you |hey |ok |now )*(?:tell|say|translate|explain|give|"
    r"show|write|"
    r"repeat|sing|play|list|define|calculate|convert|describe|summari[sz]e|help|make|find|recommend|suggest|search|"
    r"spell|draw|guess|count|check|read|rewrite|shorten|correct|fix|compare|continue|stop|wait|try)\b",
    re.IGNORECASE,
)
_ABOUT_US: Final = re.compile(
    r"\b(?:my|our|mine|ours|we|us|i'?m|i am|i was|i'?ve|i have|i had|i need|i want|i should|i'?ll|i will|"
    r"i live|i work|i got|"
    r"i(?:'d| would) (?:like|rather|love|prefer)|remind me|call me|always|never|every (?:day|week|month|year|"
    r"time))\b",
    re.IGNORECASE,
)
_SPEAKS_OF_SELF: Final = re.compile(
    r"\b(?:i|i'?m|i'?ve|i'?ll|i'?d|my|me|mine|we|we'?re|we'?ve|we'?ll|our|ours|us)\b", re.IGNORECASE
)

PATTERNS: Final = SmallTalkPatterns(
    small_talk=_SMALL_TALK, asks_for=_ASKS_FOR, about_us=_ABOUT_US, speaks_of_self=_SPEAKS_OF_SELF
)
