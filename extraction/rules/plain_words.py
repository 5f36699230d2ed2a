"""Weigh the tags of English and Chinese facts by the words around them, before they become facts. Pure.

The messages that the tagger was trained on say most facts in less plain words, so it is least sure of what is said most
plainly: "I love tea", 我养了一只猫. Rules that read such sentences by themselves (2,400 lines) gave no more than this.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from extraction.rules.tags import INTENTIONS, Tag
from extraction.text.sentences import split_sentences

# A sentence that supposes something: there a tag of what is so needs more.
SUPPOSES: Final = re.compile(
    r"\b(?:if (?:i|we|my|only)|would(?! (?:love|like|rather|prefer))|could(?! never)|might|maybe|perhaps|wish i|should|"
    r"unless)\b",
    re.IGNORECASE,
)
_UNREAL_ODDS: Final = 1.5
_I_ADVERBS: Final = r"\b(?:i|we) (?:(?:really|also|absolutely|still|just|do|do not|don['’]?t|no longer|try to) )*"
_I_AM: Final = r"\b(?:i|we)(?: am| are|['’]?m|['’]re) (?:really |very |so |still )?"
_DOING_ZH: Final = "(?:去|喝|吃|看|听|玩|做|打|学|弹|吃点|喝点)?"
_Row = tuple[frozenset[str], re.Pattern[str], re.Pattern[str]]


def _rows(gap: str, *rows: tuple[str, str, str]) -> list[_Row]:
    """Compile rows of kinds of fact, words directly before an object, and words directly after it."""
    return [
        (frozenset(kinds.split()), re.compile(f"(?:{before}){gap}$", re.IGNORECASE), re.compile(after))
        for kinds, before, after in rows
    ]


# Words around an object with which a tag needs less, by whether the text is Chinese.
_PLAIN: Final = {
    False: _rows(
        " (?:the )?",
        (
            "likes hobby",
            rf"{_I_ADVERBS}(?:like|love|enjoy|adore)|stopped (?:liking|loving|enjoying)|"
            rf"{_I_AM}(?:into|fond of|keen on|interested in)",
            "",
        ),
        ("named", r"\b(?:(?:just|please|can|may|could) call me|my name is|my name['’]s)", ""),
        ("dislikes diet", rf"{_I_ADVERBS}(?:hate|dislike|avoid|detest|(?:can['’]?t|cannot) stand)", ""),
        (
            "plans hobby",
            rf"{_I_ADVERBS}(?:want|hope|plan) to|{_I_AM}(?:hoping|planning|trying|going) to|"
            r"\b(?:i|we)(?:['’]d| would) like to",
            "",
        ),
    ),
    True: _rows(
        "",
        ("likes hobby", f"(?<![不别])(?:喜欢|爱|爱上了?|迷上了?|热爱|钟爱|偏爱|沉迷){_DOING_ZH}", ""),
        ("likes", "最(?:喜欢|爱)的[^，。！？]{1,6}?(?:是|变成|换成)了?《?", ""),
        ("likes", "", "》?[^，。！？]{0,4}是我(?:现在)?最(?:喜欢|爱)的"),
        ("hobby", "(?:在|开始)[学练打踢]", ""),
        ("named", "(?:可以|就|都|请)[叫喊]我|(?:^|[，。！])我(?:叫|名字[叫是])", ""),
        (
            "dislikes",
            f"(?:讨厌|受不了|害怕|(?:不|从不)(?:太|怎么|再)?(?:喜欢|爱|吃|喝|能吃|能喝)|[吃喝]不了){_DOING_ZH}",
            "",
        ),
        ("pet", "养(?:了|着)?(?:[一两三四五六\\d几][只条个匹])?", ""),
        ("allergic_to", "对", "[^，。]{0,8}过敏"),
        ("lives_in", "住(?:在|到)?|搬(?:到|去|来|回)|老家", ""),
        ("works_at", "在", "(?:里|那边)?(?:工作|上班|实习|当|做)"),
        ("works_as", "(?:是|当|做)(?:一?[名个位])?", "(?:$|[，。,！!、 ]|的$)"),
    ),
}
_PLAIN_ODDS: Final = 2.0
# 我没养宠物 and 我不住在上海 tell of none; the model sees what is denied.
_DENIED_ZH: Final = re.compile(
    "(?:没|不|未|[从并]无)(?:有|再|曾|得)?(?:养|住|用|当|做|是|学|来自)?[过着]?在?(?:任何)?$"
)
_DENIABLE: Final = frozenset(
    ("lives_in", "works_at", "works_as", "studies_at", "from", "has", "pet", "partner", "spouse", "illness", "takes")
)
# 我叫他小明 names somebody else.
_CALLED_ZH: Final = re.compile("[叫管](?:[他她它]们?|[你您])[叫做作]?$")
_NEVER_ODDS: Final = -9.0
_BEFORE_CHARS: Final = 60
_AFTER_CHARS: Final = 12


def with_plain_words(text: str, tags: Sequence[Tag], *, chinese: bool) -> list[Tag]:
    """Return the tags of a message: surer after plain words, less sure where a sentence supposes or denies it."""
    supposed = [] if chinese else [(one.start, one.end) for one in split_sentences(text) if SUPPOSES.search(one.text)]

    def odds(tag: Tag) -> float:
        start, end = tag.obj
        before, after = text[max(0, start - _BEFORE_CHARS) : start], text[end : end + _AFTER_CHARS]
        if chinese and tag.kind in _DENIABLE and not tag.ended and _DENIED_ZH.search(before):
            return _NEVER_ODDS
        if tag.kind == "named" and _CALLED_ZH.search(before):
            return _NEVER_ODDS
        if tag.kind not in INTENTIONS and any(first <= start < last for first, last in supposed):
            return tag.odds - _UNREAL_ODDS
        plain = (words for kinds, *words in _PLAIN[chinese] if tag.kind in kinds)
        is_plain = any(first.search(before) and then.match(after) for first, then in plain)
        return tag.odds + _PLAIN_ODDS if is_plain else tag.odds

    return [replace(tag, odds=odds(tag)) for tag in tags]
