"""Whose words a question asks for: those of the agent, spoken to as "you", or the user's own. Pure.

Only what was said counts: "what do you recommend?" wants something new. Who is spoken to by a name is one of those who
speak, whom ranking knows by it; and what was said to others is no part of this conversation.
"""

import re
from typing import Final

from extraction.time_phrases import plain
from schema.labels import Role

_READ_CHARS_MAX: Final = 400
# Each verb as it follows "did", and as it follows who said it.
_SAYING: Final = """
say said / mention mentioned / explain explained / describe described / promise promised / claim claimed / state stated
reply replied / answer answered / point.out pointed.out / bring.up brought.up / talk.about talked.about
"""
_ADVISING: Final = """
recommend recommended / suggest suggested / advise advised / propose proposed / list listed / write.for.me wrote.for.me
tell.me told.me / tell.us told.us / give.me gave.me / give.us gave.us / show.me showed.me / teach.me taught.me
ask.me asked.me / send.me sent.me / offer.me offered.me / warn.me warned.me / remind.me reminded.me / read.me read.me
"""
_TELLING: Final = """
tell.you told.you / ask.you asked.you / ask.about asked.about / ask.for asked.for / show.you showed.you
send.you sent.you / give.you gave.you / share.with.you shared.with.you / remind.you reminded.you / complain complained
talk.to.you.about talked.to.you.about / talk.with.you.about talked.with.you.about / confess confessed / admit admitted
recommend.to.you recommended.to.you / suggest.to.you suggested.to.you / warn.you warned.you / teach.you taught.you
"""
_MAYBE = r"(?:(?:\w+ly|ever|also|once|just|already|first|last|before|not|actually) )?"
_ADVICE = r"(?:recommendation|suggestion|advice|tip|answer|reply|explanation|proposal|response|idea)s?"
_TO_OTHERS = (
    r"(?! (?:goodbye|bye|hello|hi|sorry|the (?:door|phone|call))\b)"
    r"(?!(?: \w+)? to (?:him|her|them|(?:my|his|her|their|our|the|an?) \w|(?-i:[A-Z])))"
)


def _said_by(who: str, verbs: str) -> str:
    """What tells that somebody said something: did you say, have you said, you've said, you said."""
    pairs = [verb.split() for verb in verbs.replace("\n", "/").split("/") if verb.strip()]
    first, past = ("|".join(one.replace(".", " ") for one in forms) for forms in zip(*pairs, strict=True))
    asked = rf"did {who} {_MAYBE}(?:{first})|(?:have|had) {who} {_MAYBE}(?:{past})"
    return rf"(?:{asked}|{who}(?:'ve|'d| have| had)? {_MAYBE}(?:{past}))"


_AGENT_EN = re.compile(
    rf"\b(?:{_said_by('you', _SAYING + '/' + _ADVISING)}|"
    rf"were you {_MAYBE}(?:saying|telling me|recommending|suggesting)|(?:was|were) your {_MAYBE}{_ADVICE}|"
    rf"your (?:\w+ )?{_ADVICE} (?:from|yesterday|last|earlier|before)|"
    rf"(?:remember|repeat|recall) your {_MAYBE}{_ADVICE})\b{_TO_OTHERS}",
    re.IGNORECASE,
)
_USER_EN = re.compile(
    rf"\b(?:{_said_by('i', _SAYING + '/' + _TELLING)}|"
    rf"was i {_MAYBE}(?:saying|telling you|asking you|complaining about)|"
    rf"(?:did|have) i {_MAYBE}(?:asked?|told|tell)(?=[?.!]|$)|(?:was|were) my (?:\w+ )?(?:questions?|words)|"
    rf"you (?:hear|heard|learn|learned) from me)\b{_TO_OTHERS}",
    re.IGNORECASE,
)
_SPOKEN_TO = re.compile(
    r"^(?:(?:Hey|Hi|Hello|So|And|OK|Okay),? )?"
    r"(?!(?:So|And|OK|Okay|Hey|Hi|Hello|Well|Please|Also|Yes|No|But|Then|Now|Yesterday|Earlier|Today|Before|Sorry|Wait)\b)"
    r"[A-Z][a-z]+[,，]|[,，] ?[A-Z][a-z]+\s*[?？.!]*$"
)
# When it was said; without one of these a verb needs a mark of its own that it is past.
_THEN = (
    r"(?:曾经?|之前|以前|先前|此前|上一?[次回]|当时|那时候?|那[天次回]|昨[天晚]|前天|[刚方]才|刚刚|上周|上个?(?:星期|月)|去年|"
    # The rest of a date is taken whole: read in two ways, each year more of "1年1年1年" would double the time.
    r"早些时候|在?(?:\d++|[一二三四五六七八九十]++)[年月](?:[\d年月日号二三四五六七八九十]|一(?!共))*+(?:这[天次]|那天)?+)"
)
_ALSO = r"(?:都|也|还|就|是|有没有|有|已经|最近|第一次|最后|一共|具体|到底|怎么|如何|[,， ])"
_SAID = r"(?:推荐|推过荐|建议|提议|说|讲|提起|提及|提|告诉|介绍|分享|回答|答应|答复|解释|提醒|描述|聊|谈|问|教|夸|写给)"
# 跟你说过 is nothing that "you" said.
_SUBJECT = r"(?<![跟和给向对与同替为让叫请帮据])"


def _said_in_chinese(who: str, to: str) -> str:
    toward = rf"(?:[给跟和向对与同为]{to}(?:们)?)?"
    marked = rf"{who}(?:{_THEN}|{_ALSO})*{toward}{_ALSO}*{_SAID}(?:{to})?[过了的到]"
    when = rf"{who}{_ALSO}*{_THEN}(?:{_THEN}|{_ALSO})*{toward}{_ALSO}*{_SAID}"
    noun = rf"{who}(?:{_THEN}(?:给{to})?|给{to})的(?:建议|推荐|回答|答复|意见|解释|提议|提醒)"
    return rf"{_SUBJECT}(?:{marked}|{when}|{noun})"


_AGENT_ZH = re.compile(_said_in_chinese("[你您]", "我"))
_USER_ZH = re.compile(_said_in_chinese("[我俺咱]", "[你您]"))


def role_asked(question: str) -> Role | None:
    """Whose words are asked for, if a question tells; of several the first."""
    text = question[:_READ_CHARS_MAX].replace("’", "'")
    if _SPOKEN_TO.search(text):
        return None
    simple = plain(text)
    found = {
        Role.ASSISTANT: (_AGENT_EN.search(text), _AGENT_ZH.search(simple)),
        Role.USER: (_USER_EN.search(text), _USER_ZH.search(simple)),
    }
    first = {role: min(one.start() for one in ones if one) for role, ones in found.items() if any(ones)}
    return min(first, key=first.__getitem__) if first else None
