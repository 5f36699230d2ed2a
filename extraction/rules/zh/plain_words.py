"""Make the tags of plainly said Chinese facts surer, before they become facts. Pure.

The messages that the tagger was trained on say most facts in less plain words, so it is least sure of what is said most
plainly: 我养了一只猫. Rules that read such sentences by themselves (2,400 lines) gave no more than this.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from extraction.rules.favourites import favourite
from extraction.rules.tags import Tag

# Chinese words right before and after an object, by kind of fact, with which a tag needs less: the training messages
# say it in other ways, so the model is least sure of what is said most plainly.
_DONE_WITH: Final = "(?:去|喝|吃|看|听|玩|做|打|学|弹|吃点|喝点)?"
_PLAIN_ZH: Final = {
    kind: (re.compile(f"(?:{before})$"), re.compile(after))
    for kind, before, after in (
        ("likes", f"(?<!不)(?<!别)(?:喜欢|爱|爱上了?|迷上了?|热爱|钟爱|偏爱|沉迷){_DONE_WITH}", ""),
        ("hobby", f"(?<!不)(?<!别)(?:喜欢|爱|爱上了?|迷上了?|热爱|沉迷){_DONE_WITH}|(?:在|开始)[学练打踢]", ""),
        (
            "dislikes",
            f"(?:讨厌|受不了|害怕|(?:不|从不)(?:太|怎么|再)?(?:喜欢|爱|吃|喝|能吃|能喝)|[吃喝]不了){_DONE_WITH}",
            "",
        ),
        ("pet", "养(?:了|着)?(?:[一两三四五六\\d几][只条个匹])?", ""),
        ("allergic_to", "对", "[^，。]{0,8}过敏"),
        ("lives_in", "住(?:在|到)?|搬(?:到|去|来|回)|老家", ""),
        ("works_at", "在", "(?:里|那边)?(?:工作|上班|实习|当|做)"),
        ("works_as", "(?:是|当|做)(?:一?[名个位])?", "(?:$|[，。,！!、 ]|的$)"),
    )
}
_LESS_ODDS: Final = 2.0
# "I do not like it any more" ends a liking.
_LIKED_ZH: Final = re.compile(
    f"(?:^|[，,。！!；;])(?:我们?|现在|已经|早就|最近|再|也|都|真的|其实)*不(?:再|怎么|太)?(?:喜欢|爱|热爱){_DONE_WITH}$"
)
# "I call him Xiaoming" names somebody else.
_CALLED_ZH: Final = re.compile("(?:叫|管)(?:他|她|它|你|您|他们|她们)(?:叫|做|作)?$")
_NEVER_ODDS: Final = 9.0
# "I have no pets" and "I do not live in Shanghai" tell of none; the model sees what is denied.
_DENIED_ZH: Final = re.compile(
    "(?:没|不|未|[从并]无)(?:有|再|曾|得)?(?:养|住|用|当|做|是|学|来自)?[过着]?在?(?:任何)?$"
)
_DENIABLE: Final = frozenset(
    ("lives_in", "works_at", "works_as", "studies_at", "from", "has", "pet", "partner", "spouse", "illness", "takes")
)
# "I leave Alibaba next month" ends a job, and "I resign from Huawei" too.
_LEFT_ZH: Final = re.compile("离开$")
_FROM_ZH: Final = re.compile("从$")
_RESIGNED_ZH: Final = re.compile("[离辞]职|退休|跳槽")
_NO_MORE_ZH: Final = re.compile("不再[^，。]{1,8}$")


def with_plain_words(text: str, tags: Sequence[Tag]) -> list[Tag]:
    """Return the tags of a Chinese message, most likely first, with the odds that plain words around them give."""
    return _as_sure_as_the_list(text, [_plainer(text, tag) for tag in tags])


def _plainer(text: str, tag: Tag) -> Tag:
    """Return the tag of a Chinese message with higher odds if plain words for its kind stand around its object."""
    before, after = text[max(0, tag.obj[0] - 24) : tag.obj[0]], text[tag.obj[1] : tag.obj[1] + 12]
    if tag.kind == "dislikes" and _LIKED_ZH.search(before) and (after.startswith("了") or _NO_MORE_ZH.search(before)):
        return replace(tag, kind="likes", ended=True, odds=tag.odds + 2 * _LESS_ODDS)
    if tag.kind == "named" and _CALLED_ZH.search(before):
        return replace(tag, odds=-_NEVER_ODDS)
    if tag.kind == "likes" and favourite(text, tag):
        return replace(tag, odds=tag.odds + _LESS_ODDS)
    if tag.kind in _DENIABLE and not tag.ended and _DENIED_ZH.search(before):
        return replace(tag, odds=-_NEVER_ODDS)
    if tag.kind == "works_at" and (_LEFT_ZH.search(before) or (_FROM_ZH.search(before) and _RESIGNED_ZH.match(after))):
        return replace(tag, ended=True, odds=tag.odds + 2 * _LESS_ODDS)
    plain = _PLAIN_ZH.get(tag.kind)
    if plain is None or not plain[0].search(before) or not plain[1].match(after):
        return tag
    return replace(tag, odds=tag.odds + _LESS_ODDS)


_AND_ZH: Final = re.compile("(?:以及|还有|[和跟与及、，,\\s])*")


def _as_sure_as_the_list(text: str, tags: Sequence[Tag]) -> list[Tag]:
    """Return the tags of a Chinese message, each as likely as the likeliest of the list of objects that it is in."""
    lists: list[list[Tag]] = []
    for tag in sorted(tags, key=lambda one: (one.kind, one.subject or (-1, -1), one.ended, one.obj)):
        before = lists[-1][-1] if lists else tag
        alike = (before.kind, before.subject, before.ended) == (tag.kind, tag.subject, tag.ended)
        gap = text[before.obj[1] : tag.obj[0]]
        if alike and gap.strip() and _AND_ZH.fullmatch(gap):
            lists[-1].append(tag)
        else:
            lists.append([tag])
    sure = (replace(tag, odds=max(one.odds for one in listed)) for listed in lists for tag in listed)
    return sorted(sure, key=lambda one: -one.odds)
