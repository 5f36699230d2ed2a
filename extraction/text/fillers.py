"""Blank the words around statements that state nothing: "Well,", "remember that", 嗯，, "- ", ", any tips?". Pure.

The tagger has seldom seen them, and takes what stands beside them for a joke or for talk: it reads "I'm allergic to
nuts", but of "Remember that I'm allergic to nuts" nothing.
"""

import re
from typing import Final

# Interjections, which also stand before the speaker without a comma: "yeah I live in Porto".
_SOUNDS: Final = (
    r"well|o{1,3}h{1,5}|a{1,3}h{1,5}|aw{1,5}|um{1,5}|uh{1,5}|erm?|hm{1,5}|mm{1,5}|yes|yeah|yep|yup|nope|ok|okay|wow|"
    r"ugh|lol|haha(?:ha){0,5}|hehe|hey|hi|hello|so|and|but|since|as|given that|anyways?|btw|fyi|tbh|na ?ja|ja|ach|"
    r"ähm?|übrigens|bueno|pues|vale|por cierto|(?:ja){2,5}|ben|bon|bah|ouais|au fait|enfin"
)
_SPEAKER: Final = (
    r"(?:i|my|we|our|he|she|they|ich|mein\w*|wir|unser\w*|mis?|je|mon|ma|mes|on)\b|(?:i|we|j)['’]\w"  # "I'm", "j'ai"
)
# Words that begin sentences of their own too, so that a comma or full stop must follow.
_WORDS: Final = (
    r"right|sure|great|cool|nice|perfect|true|good|fine|alright|all right|exactly|thanks|thank you|thx|cheers|sorry|"
    r"(?:good )?(?:morning|afternoon|evening)|fun fact|quick one|update|ps|p\.s\.|by the way|actually|honestly|also|"
    r"look|listen|you know|i mean|hallo|danke|gut|genau|hola|oye|gracias|claro|bonjour|salut|merci|oui"
)
_REMEMBER: Final = (
    r"(?:please |pls |just |can you |could you ){0,2}(?:remember|note|keep in mind|bear in mind|don['’]?t forget|"
    r"be aware)(?: that| this)?|(?:just )?(?:a )?(?:quick |small )?(?:reminder|heads[- ]up|note)(?: that)?|"
    r"(?:just )?so you know|for (?:the record|context|reference|your information|future reference)|as i said|i told you"
)
_HAN: Final = (
    "嗯{1,5}|哦{1,5}|噢{1,5}|啊{1,5}|呃{1,5}|哎呀?|唉{1,5}|哈{1,9}|嘿{1,5}|呵呵|嘻嘻|好[的吧呀]?|行|对[了呀啊]?|是[的啊呀]|"
    "没错|话说|其实|那|不是|谢谢你?|你好|哈喽|跟你说|忘了说|补充一下|请?(?:帮我)?记(?:住|得|一?下)|提醒(?:你|一下)"
)
_KANA: Final = "ああ?|あの|うん|はい|ええと?|えっと|えーと|いや|そういえば|実は|ちなみに"
_STOP: Final = r"\s{0,3}[,.!:;…–-]{1,5}\s{1,3}"
_BEFORE: Final = re.compile(
    r"(?:(?:^|(?<=\n))\s{0,3}(?:(?:[-*•]|\d{1,2}[.)、])(?!\d)\s{0,3})?|(?<=[.!?…])\s{1,3}|(?<=[。！？])\s{0,3})(?:"
    rf"(?:{_SOUNDS}|{_REMEMBER})(?:{_STOP}|\s{{1,3}}(?={_SPEAKER}|(?:{_SOUNDS})\s))|(?:{_WORDS}){_STOP}|"
    rf"(?:{_HAN}|{_KANA})\s{{0,3}}[，,、：。！!~～…]{{1,5}}\s{{0,3}}|"
    r"(?:其实|那|所以|不过|但是?|请?(?:帮我)?记(?:住|得)|别忘了)(?=[我咱俺])|実は"
    r"){0,3}",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r"\b(?:thanks|thank you|thx|cheers)[.!\s]{0,5}$|"
    r",\s{1,3}(?:and |so )?(?:(?:got )?any|what (?:should|could|can|would)|how (?:should|can|do)) [^,.!?\n]{0,50}\?",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"\*{2,3}|__|^#{1,4} ", re.MULTILINE)
# "Oh great, I just love queues" says the opposite.
_IRONY: Final = re.compile(
    r"\b(?:oh|wow|yay|well|yeah|just),? (?:great|good|joy|wonderful|right|sure|lovely|brilliant|fantastic|perfect)\b",
    re.IGNORECASE,
)


def without_fillers(text: str) -> str:
    """Return a text of the same length with spaces for the words around its statements."""
    if _IRONY.search(text):
        return text
    for filler in (_MARKUP, _BEFORE, _BEHIND):
        text = filler.sub(_blank, text)
    return text


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
