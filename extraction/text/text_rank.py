"""Which sentences stand for a text and which words it is about (TextRank over shared words)."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from extraction.text.lexicon_en import NOT_NAMES, PRONOUNS, VAGUE, word_set
from extraction.text.name_spotting import content_words
from extraction.text.sentences import has_cjk

# Below this many sentences their order by length of content is as good as a rank, and far cheaper.
RANKED_MIN = 4
_DAMPING = 0.85
_ROUNDS = 50
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]{2,}")
_STOP = (
    PRONOUNS
    | VAGUE
    | NOT_NAMES
    | word_set(
        "was were are been has have had does did will would can could should may might must not all any some "
        "more most very really also just too about into over with from for and but because than them then "
        "they out off down only own same other such nor get got gets went goes going come came said says say "
        "make made makes take took want wanted like love loves likes feel feels felt feeling know think "
        "thought see saw seen lot good great happy new much many every still even always never back while "
        "after before again which that's it's i'm don't there's can't didn't let's won't you're you've "
        "they're we're i've i'll been being look looking looks been thing together during around through bit "
        "kind pretty sure need needs well"
    )
)
_STOP_ZH = word_set(
    "非常 感觉 觉得 感到 今天 最近 现在 可以 没有 什么 怎么 我们 你们 他们 自己 这个 那个 一个 一些 一下 "
    "已经 还是 还有 就是 但是 不过 因为 所以 如果 时候 知道 喜欢 建议 谢谢 你好 朋友 伴侣 真的 特别 比较 "
    "有些 有点 可能 应该 需要 希望 开始 继续 看到 听到 觉得 告诉 推荐 东西 事情 问题 方法 一直 总是 不知 "
    "尝试 开心 高兴 很多 许多 这些 那些 其中 其实 确实 当然 起来 出来 过来 一样 不同 不错 很好 好好 "
    "非常感谢 聊天 之后 之前 以后 以前 通过 进行 成为 带来 使得 让 人们 大家"
)


def words_of(text: str) -> list[str]:
    """Return the words of a sentence that carry meaning, lower case."""
    if has_cjk(text):
        return [word for word in content_words(text) if word not in _STOP_ZH]
    return [word for word in (w.lower().removesuffix("'s") for w in _WORD.findall(text)) if word not in _STOP]


def ranked(sentences: Sequence[str]) -> list[int]:
    """Return numbers of the sentences, the one that stands for most of the others first; ties in their order.

    Source: Mihalcea and Tarau 2004, TextRank: shared words over the logarithms of both lengths.
    """
    words = [Counter(words_of(sentence)) for sentence in sentences]
    if len(sentences) < RANKED_MIN:
        return sorted(range(len(sentences)), key=lambda number: (-len(words[number]), number))
    weight = np.zeros((len(sentences), len(sentences)))
    for one in range(len(sentences)):
        for other in range(one + 1, len(sentences)):
            shared = len(words[one].keys() & words[other].keys())
            if shared:
                size = math.log(1 + len(words[one])) + math.log(1 + len(words[other]))
                weight[one, other] = weight[other, one] = shared / size
    rank = _page_rank(weight)
    # A sentence that shares nothing still tells more with more words.
    return sorted(range(len(sentences)), key=lambda number: (-round(rank[number], 6), -len(words[number]), number))


def _page_rank(weight: np.ndarray) -> list[float]:
    """Rank of each row by power iteration; networkx would need scipy for it."""
    total = weight.sum(axis=1, keepdims=True)
    step = np.divide(weight, total, out=np.full_like(weight, 1 / len(weight)), where=total > 0)
    rank = np.full(len(weight), 1 / len(weight))
    for _ in range(_ROUNDS):
        rank = (1 - _DAMPING) / len(weight) + _DAMPING * (rank @ step)
    return [float(value) for value in rank]


def keywords(sentences: Sequence[str], count: int) -> list[str]:
    """Return the words a text is about: said often and long, the most telling first."""
    counted: Counter[str] = Counter()
    first: dict[str, int] = {}
    for sentence in sentences:
        for word in words_of(sentence):
            counted[word] += 1
            first.setdefault(word, len(first))
    weight = {word: number * (1 + min(len(word), 8) / 8) for word, number in counted.items()}
    return sorted(weight, key=lambda word: (-weight[word], first[word]))[:count]
