"""Detect questions that ask for all of a kind, and texts that add one more to a list. Pure.

"Which books have I finished?" has several answers, given at different times, so neither the newest nor the most similar
statement alone is the answer. Texts are English or Chinese.
"""

import re
from typing import Final

from extraction.temporal.phrases import plain_apostrophes
from extraction.text.lexicon_en import word_set

_QUESTION_CHARS_MAX: Final = 400
_CHARS_MAX: Final = 4_000
# Words that the plural noun after "which" may follow.
_HEAD_WORDS_MAX: Final = 4
_WHICH: Final = re.compile(r"\b(?:what|which)\b((?: [a-z][a-z'-]*){1,5})")
_WHAT_ARE: Final = re.compile(
    r"\b(?:what|who)(?: all)? (?:are|were) (?:all )?(?:my|our|the|his|her|their|[a-z]+'s)((?: [a-z][a-z'-]*){1,3})"
)
_ALL: Final = re.compile(
    r"\b(?:what|who|where) all\b|\ball (?:of )?(?:my|our|the|his|her|their)\b|"
    r"\b(?:list|name)(?: me)? (?:all|every|the|my|our)\b|\beverything (?:i|we|that|about|he|she|they)\b|"
    r"\beveryone (?:who|in)\b|"
    r"哪些|哪几[^天年月号点]|都.{0,8}(?:什么|哪|谁|啥)|分别|(?:列出|列一下|列举)|所有的?|先后.{0,6}哪|有什么.{0,6}[和跟、]"
)
_ADVICE: Final = re.compile(r"\bshould\b|该|应该")
_STOPS: Final = word_set(
    "is are was were do does did has have had will would can could should shall may might must am be been to in on at "
    "for from with by about that who whom i we you he she they it my our your his her their its this these those"
)
# Before the plural noun: "which of my books".
_BEFORE_HEAD: Final = word_set("of my our the his her their other all these those")
# After a verb on -s, not after a plural noun.
_DETERMINERS: Final = word_set("my our the his her their your its a an this that")
_PLURALS: Final = word_set("people children kids men women teeth feet mice geese clothes")
# Words on -s that are singular, and plural words that ask for one value: "what times does it leave?".
_NO_LIST: Final = word_set(
    "address bus class boss dress glass gas status virus campus diagnosis basis business process progress access "
    "illness fitness focus bonus news series species physics mathematics maths politics less across always sometimes "
    "besides perhaps towards thus yes days hours times years months weeks minutes dates colours colors sizes terms "
    "lens plus surplus census cactus octopus"
)
_MORE: Final = re.compile(
    r"\b(?:another|second|third|fourth|fifth|also|too|as well|one more|newest|latest|addition|added?|first|"
    r"(?:no\.?|number) ?[2-9])\b|"
    r"第[一二三四五两2-9]|又[一多买添养加]|还有|也[是有会用]|再[加添多]|另一|另外|新[添增加]|加[了上一]"
)


def asks_list(question: str) -> bool:
    """Return whether a question asks for all of a kind: "which books …", "what are my hobbies?", 有哪些.

    "Which shoes should I buy?" asks for advice.
    """
    text = plain_apostrophes(question[:_QUESTION_CHARS_MAX])
    if _ADVICE.search(text):
        return False
    if _ALL.search(text):
        return True
    if any(_leads_with_plural(found[1].split()) for found in _WHICH.finditer(text)):
        return True
    return any(any(map(_is_plural, found[1].split())) for found in _WHAT_ARE.finditer(text))


def adds_item(plain_text: str) -> bool:
    """Return whether a text, plain and in lower case, adds one more of a kind: "another", "third", 又, 第二."""
    return _MORE.search(plain_text, 0, _CHARS_MAX) is not None


def _leads_with_plural(words: list[str]) -> bool:
    """Return whether a plural noun comes before the verb; "which nut makes her throat tight" has none."""
    start = next((at for at, word in enumerate(words) if word not in _BEFORE_HEAD), len(words))
    for at, word in enumerate(words[start:_HEAD_WORDS_MAX], start=start):
        if word in _STOPS:
            return False
        if _is_plural(word):
            after = words[at + 1] if at + 1 < len(words) else ""
            return not (after in _DETERMINERS or after.endswith("'s"))
    return False


def _is_plural(word: str) -> bool:
    if word in _PLURALS:
        return True
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and word not in _NO_LIST
