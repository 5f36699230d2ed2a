"""Detect whether a message reports a change, a former state or an intention, gives a reason or makes a promise. Pure.

The ranking compares these cues with the kind of a question. Texts are English, or Chinese in simplified characters,
in lower case.
"""

import re
from typing import Final

from extraction.text.lexicon_en import ANY_MONTH
from extraction.text.lexicon_zh import EXPERIENCED, FORMERLY
from extraction.text.other_languages import FIRST_PERSON

# Only the beginning is searched, because longer messages contain many cues.
_CHARS_MAX: Final = 4_000
_CHANGE: Final = re.compile(
    rf"\b(?:now|new|mov(?:ed?|ing)|switch(?:ed|ing)?|chang(?:ed?|ing)|replac(?:ed|ing)|instead|no longer|any ?more|"
    rf"gone|quit|left|swapp?(?:ed)?|from now on|since|start(?:ed)?|back (?:to|on)|again|updated?|raised|bump(?:ed)?|"
    rf"goes? (?:up|down)|put me (?:on|up)|from (?:{ANY_MONTH}|monday|next)|sold|over to)\b|"
    rf"改[成用吃为到]|换[成到了]|搬[到去了家]|现在|不再|不[用吃做要卖住]了|新的?|调到|挪到|涨|已经|以后|起改|又"
)
_REASON: Final = re.compile(
    r"\b(?:because|since|so|cause|cos|due to|reason|that's why|wanted?|needed|too|can't|couldn't|tired of|made me)\b|"
    r"因为|所以|由于|为了|怕|嫌|图|不然|省得|太|受不了"
)
_PROMISE: Final = re.compile(
    r"\bi(?:'ll| will| can|'m going to)\b|\bshall i\b|我(?:会|来|给[您你]|帮[您你]|先|到时|每)|以后我|提醒[您你]"
)
_FIRST_PERSON: Final = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b|[我咱]", re.IGNORECASE)
_CHAT_LINE: Final = re.compile(
    r"^[ \t]*[\[【]?(?P<name>[^\W\d_][\w .’'-]{0,24})[\]】]?[ \t]*[:：](?P<said>.*\w.*)$", re.MULTILINE
)

# What somebody wants, considers or was offered is not so yet.
_INTENTION: Final = re.compile(
    r"\b(?:saving (?:up )?for|save up|thinking (?:of|about)|consider(?:s|ing)?|(?:look|shop)(?:ing|ed) (?:at|for|into)|"
    r"hop(?:e|es|ing) to|plan(?:s|ning)? (?:to|on)|wants? to|wanted to|would (?:like|love|quite like)|"
    r"(?:i|we|he|she|they)'d (?:quite |really )?(?:like|love)|might|maybe|perhaps|tempted|dream(?:s|ing)? of|"
    r"apply(?:ing)? (?:for|to)|applied (?:for|to)|offered|asked me to|suggest(?:s|ed)|should i|one day|someday)\b|"
    r"打算|准备|考虑|(?<![回联感幻理猜构])想(?![起到法象念必])|要不要|计划|希望|攒钱|可能|建议|劝我|犹豫|说不定|也许"
)
_FORMER: Final = re.compile(
    r"\b(?:i|we|he|she|they) (?:lived|worked|was living|was working|were living) (?:in|at|for|near|as|with)\b|"
    r"\bused to (?:live|work|have|own|drive|take|eat|be|teach|play)\b|"
    rf"{FORMERLY}(?:都|就|一直)?[是在住养开吃]|(?:[住干当养开]|工作|上班){EXPERIENCED}"
)
_CORRECTION: Final = re.compile(
    r"^(?:uh |um |oh |hm |hey )?(?:no|nope|wrong|wait|actually|careful|not any ?more|stop|didn't i|it's not|"
    r"that's (?:wrong|old|not|the old|out)|you(?:'ve| have)? got)\b|\b(?:i told you|as i said|both wrong|no longer|"
    r"that's (?:wrong|outdated|the old)|isn't .{1,30} any ?more)\b|"
    r"^(?:不对|错|不是|哦不|等等|唉?不|又?搞错|又?记错|咋又|怎么又|早就|都)|说过|错了|[两都]处?都?错|早就?[不换改搬]|纠正|改了"
)


# A coming change, if the text names a time that is still to come.
_SCHEDULED: Final = re.compile(
    r"\b(?:i|we|he|she|they|and|it|my [a-z-]+)(?:'ll| will|'m| am|'re| are|'s| is)?(?: going to| also| then| finally)? "
    r"(?:mov(?:e|es|ing)|start(?:s|ing)?|begin(?:s|ning)?|join(?:s|ing)?|switch(?:es|ing)?|chang(?:e|es|ing)|"
    r"leav(?:e|es|ing)|retir(?:e|es|ing)|go|goes|going|tak(?:e|es|ing)|get(?:s|ting)?|marry|marries|quit(?:s|ting)?)\b|"
    r"\b(?:starting|moving|joining|leaving|switching)\b|"
    r"[去到].{0,12}(?:上班|工作|入职|上学|读书|住)|(?:搬|换|入职|开始|改|调|提车|结婚|退休|毕业)"
)


# A text that is given to work on, not to tell something.
_GIVEN_TEXT: Final = re.compile(
    r"^(?:please |pls |can you |could you |would you |ok,? |now |hey,? |help me ){0,5}"
    r"(?:translate|proofread|rephrase|reword|rewrite|paraphrase|simplify|shorten|spell-?check|correct|polish|edit|"
    r"(?:turn|put|convert|make) (?:this|that|it|these))\b[^:：\n]{0,60}[:：]|"
    r"^(?:请你?|麻烦你?|帮我|帮忙|你?能不能|再|把(?:这|下面|以下)[^：:，。把]{0,8}){0,3}"
    r"(?:翻[译譯]|[译譯]成|校[对對]|润色|潤色|改写|改寫|缩写|扩写|改成)[^：:。\n]{0,30}[：:]"
)


def reports_change(plain_text: str) -> bool:
    """Return whether a text has wording of change: "we moved", "from now on", 换成."""
    return _CHANGE.search(plain_text, 0, _CHARS_MAX) is not None


def gives_reason(plain_text: str) -> bool:
    """Return whether a text has wording of a reason: "because", "couldn't", 因为."""
    return _REASON.search(plain_text, 0, _CHARS_MAX) is not None


def states_intention(plain_text: str) -> bool:
    """Return whether a text has wording of what is not so yet: "saving up for", "was offered", 打算."""
    return _INTENTION.search(plain_text, 0, _CHARS_MAX) is not None


def schedules_change(plain_text: str) -> bool:
    """Return whether a text tells a change in the present or future tense: "we move on 19 December", 下周搬."""
    return _SCHEDULED.search(plain_text, 0, _CHARS_MAX) is not None


def states_former(plain_text: str) -> bool:
    """Return whether a text says only what was so, and reports no change: "we lived in Graz", "used to work", 住过."""
    return _FORMER.search(plain_text, 0, _CHARS_MAX) is not None and not reports_change(plain_text)


def makes_promise(plain_text: str) -> bool:
    """Return whether a text says in the first person that something will be done: "I'll remind you", 我会."""
    return _PROMISE.search(plain_text, 0, _CHARS_MAX) is not None


def corrects(plain_text: str) -> bool:
    """Return whether a text has wording that corrects what was said before it: "no, …", "that's old", 不对."""
    return _CORRECTION.search(plain_text, 0, _CHARS_MAX) is not None


def speaks_of_user(text: str) -> bool:
    """Return whether a text, of any language and case, has a word for its speaker: "my", 我, "ich"."""
    return _FIRST_PERSON.search(text, 0, _CHARS_MAX) is not None or FIRST_PERSON.search(text, 0, _CHARS_MAX) is not None


def without_chat_lines(text: str) -> str:
    """Return a text without the lines of a chat that it quotes, if two names or more stand before such lines.

    In "Owen: no prawns near me" another one speaks of himself. Labels, as in "Phone: 555 0199", stay.
    """
    lines = [match for match in _CHAT_LINE.finditer(text[:_CHARS_MAX])]
    is_chat = any(speaks_of_user(match["said"]) for match in lines)
    if not is_chat or len({match["name"] for match in lines}) == 1:
        return text
    return "\n".join(line for line in text.splitlines() if _CHAT_LINE.match(line) is None)


def gives_text(plain_text: str) -> bool:
    """Return whether a message gives a text to translate, correct or rewrite, which tells nothing by itself."""
    return _GIVEN_TEXT.search(plain_text, 0, _CHARS_MAX) is not None
