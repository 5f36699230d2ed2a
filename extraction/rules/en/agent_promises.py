"""Read promises that the assistant makes to the user from English sentences: `I'll remind you on Friday`.

Most of an assistant's "I'll …" is about its answer (`I'll explain`), depends on the user (`if you like, I'll …`) or is
a text that it drafts. A promise is read only if it names a later time, or is a reminder or message about something.
"""

import re
from collections.abc import Iterator
from typing import Final

from extraction.reader import THE_AGENT
from extraction.rules.drafts import Draft, Speaker
from extraction.text.sentences import Sentence
from schema.entity import EntityType

_APOSTROPHES: Final = {0x2018: "'", 0x2019: "'"}
_WEEKDAY: Final = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_MONTH: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|"
    r"aug|sept?|oct|nov|dec)"
)
_COUNT: Final = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a couple of|a few|\d{1,2})"
_LATER: Final = (
    rf"(?:(?:(?:on|by|before|until|every|each|this|next|from) ){{0,2}}(?:{_WEEKDAY}|tomorrow)(?: (?:morning|afternoon|"
    rf"evening|night))?|tonight|later (?:today|this week|this month)|this (?:afternoon|evening|weekend)|"
    rf"(?:every|each) (?:day|morning|evening|night|week|month|year)|next (?:week|weekend|month|year)|"
    rf"in {_COUNT} (?:hours?|days?|weeks?|months?)|"
    rf"(?:on|by|before|until) (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|"
    rf"th)?|"
    rf"\d{{1,2}}(?:st|nd|rd|th))|at \d{{1,2}}(?:[:.]\d\d)? ?(?:am|pm|o'clock)|by the end of (?:the|this|next) "
    rf"(?:day|week|month)|(?:a|one) (?:day|week|hour) before\b|(?:before|after) (?:your|the) [a-z]+)\b"
)
_ADVERBS: Final = (
    r"(?: (?:also|definitely|certainly|then|personally|gladly|always|make sure to|be sure to|make sure I))*"
)
_WILL: Final = re.compile(
    rf"(?:^|[,;:—-] ?| and | so | but |^(?:okay|ok|sure|great|noted|done|yes|alright|absolutely|of course|"
    rf"perfect)[,!.]? )"
    rf"(?:(?P<first>{_LATER}),? )?(?:(?P<vow>I promise(?: you)?(?: that)?(?: I(?:'ll| will)| to))|I(?:'ll| will|"
    rf"'m going to|"
    rf" am going to|(?= promise))){_ADVERBS} (?P<o>[a-z][^.!?;:()\n—]{{2,160}})",
    re.IGNORECASE,
)
# Reminders and messages to the user, and care for something over time; they need a time or a topic.
_REMIND: Final = re.compile(
    r"(?:remind you|notify you|alert you|ping you|nudge you|wake you|check (?:back|in)|follow up|get back to you|"
    r"report "
    r"back|let you know (?:as soon as|when|once|the moment|by|on|about)|keep you (?:posted|updated|informed)|"
    r"keep an eye "
    r"on|keep track of|watch out for)\b",
    re.IGNORECASE,
)
_ENDS_IN_TOPIC: Final = re.compile(r" (?:as soon as|when|once|the moment|by|on|about|of|out for)$", re.IGNORECASE)
_TOPIC: Final = re.compile(r" (?:about|to|when|once|as soon as|the moment|before|after|on|of) \w", re.IGNORECASE)
# Other services, which need a time.
_SERVICE: Final = re.compile(
    r"(?:send|call|email|e-mail|text|message|phone|bring|write|prepare|draft|finish|book|order|reserve|schedule|renew|"
    r"cancel|submit|check|review|look into|look up|look for|ask|have|update|deliver|forward|share|post|pay|buy|pick up|"
    r"set up|do|get|run|research|visit|meet|help)\b",
    re.IGNORECASE,
)
_LATER_PATTERN: Final = re.compile(rf"(?<! about)(?<! of)(?<! for)(?:^|[ ,]){_LATER}", re.IGNORECASE)
# The promise depends on the user, is an offer or a guess.
_DEPENDS: Final = re.compile(
    r"\bif\b|\bunless\b|\bwould you like\b|\bdo you want\b|\bshall I\b|\bwant me to\b|\blike me to\b|\blet me know\b|"
    r"\btell me\b|\bsend me\b|\bgive me\b|\bshare (?:your|the|it)\b|\bwhenever you\b|\b(?:once|when|as soon as|"
    r"after) you"
    r"(?:'re|'ve| are| have)? (?:ready|done|send|tell|share|give|confirm|decide|provide|reply|answer|finished|had)\b|"
    r"\bI (?:can|could|might|may|would|cannot|can't|won't)\b|\bI'd\b|\bprobably\b|\bmaybe\b|\bperhaps\b|\btry to\b|"
    r"\bpretend\b|\bimagine\b|\bfor example\b|\be\.g\.|[\"“”«»`*|>]",
    re.IGNORECASE,
)
# The assistant drafts or quotes a text, in which "I" is somebody else.
_DRAFTS: Final = re.compile(
    r"\b(?:subject:|dear \w+|hi \w+,$|best regards|kind regards|sincerely|yours truly|here(?:'s| is) (?:a|an|the|your|"
    r"my) "
    r"(?:\w+ ){0,2}(?:draft|email|letter|message|text|poem|story|script|song|speech|dialogue|version|reply|response)|"
    r"chapter \d|once upon a time|lyrics)|^[ \t]{0,9}(?:>|```|\[)",
    re.IGNORECASE | re.MULTILINE,
)
_CUT: Final = re.compile(
    r", (?:so|but|and|which|then|because|okay|ok|alright|right|too|as well|just)\b| (?:so that|so you|because|but|"
    r"and (?:I|"
    r"then|you|we|let|please|in the meantime))\b| and (?=(?:we|you|I|let)\b)|, and\b| - ",
    re.IGNORECASE,
)
_VAGUE: Final = re.compile(
    r"(?:be|do my best|help you with (?:that|this|it|anything)|keep (?:it|that|this) (?:short|brief|in mind)|explain|"
    r"assume|"
    r"see you|talk to you|do (?:that|it|this)|get (?:it|that|this|on it|started)|have (?:to|a look))\b",
    re.IGNORECASE,
)
_WORDS_MAX: Final = 16


def drafts_text(text: str) -> bool:
    """Return whether a message of the assistant contains a text that it wrote for the user, such as a letter."""
    return _DRAFTS.search(text) is not None


def read_agent_promises(sentence: Sentence, speaker: Speaker) -> Iterator[Draft]:
    """Yield the assistant's promises in a sentence."""
    text = sentence.text.translate(_APOSTROPHES)
    if sentence.asks or _DEPENDS.search(text):
        return
    for found in _WILL.finditer(text):
        said = _CUT.split(found["o"], maxsplit=1)[0].strip(" ,-")
        when = found["first"]
        if not (1 < len(said.split()) <= _WORDS_MAX) or _VAGUE.match(said):
            continue
        dated = when is not None or _LATER_PATTERN.search(said) is not None
        reminds = _REMIND.match(said)
        about = reminds is not None and (
            _ENDS_IN_TOPIC.search(reminds[0]) is not None or _TOPIC.search(said, reminds.end()) is not None
        )
        if not (about or (dated and (reminds or _SERVICE.match(said) or found["vow"]))):
            continue
        name = _about_user(f"{said} {when[0].lower()}{when[1:]}" if when else said, speaker)
        start = found.start("o" if when is None else "first")
        yield Draft(
            subject=THE_AGENT,
            predicate="CARES_ABOUT",
            object=name,
            statement=f"The assistant promised to {name}.",
            start=sentence.start + start,
            end=sentence.start + found.start("o") + len(said),
            relation="promise",
            object_type=EntityType.ACTIVITY,
            strength=0.8,
            confidence=0.75,
        )


_YOU: Final = re.compile(r"\b(?P<w>you're|you've|yours?|you)\b", re.IGNORECASE)
_MY: Final = re.compile(r"\b(?:my)\b", re.IGNORECASE)


def _about_user(said: str, speaker: Speaker) -> str:
    """Replace "you" and "your" by the user's name, or by "the user"."""
    user = speaker.user_names[0] if speaker.user_names else "the user"
    words = {"you": user, "your": f"{user}'s", "yours": f"{user}'s", "you're": f"{user} is", "you've": f"{user} has"}
    said = _YOU.sub(lambda found: words[found["w"].lower()], said)
    return _MY.sub("the assistant's", said)
