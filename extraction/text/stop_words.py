"""English and Chinese stop words for full-text queries, BM25 and topic terms."""

from typing import Final

from extraction.text.lexicon_en import NOT_NAMES, PRONOUNS, VAGUE, word_set

# Dropped from full-text queries: they match nearly every text and slow the query; Lucene's analyzer drops most of them.
ENGLISH: Final = word_set(
    "a about an and any are as at be been but by did do does ever for from had has have he her his how i in is it its "
    "me my of on or our she so that the their them they this to us was we were what when where which who whom whose "
    "why will with would you your"
)
# Ignored by BM25, with contractions, modal verbs and particles.
ENGLISH_BM25: Final = ENGLISH | word_set(
    "am being can could d if into just ll m no not out re s should t than then there these those up ve"
)
# Ignored when texts are compared by topic.
ENGLISH_TOPIC: Final = (
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
# Removed from Chinese text in full-text queries, in this order.
CHINESE: Final = tuple(
    "什么 怎么 哪些 哪个 哪里 为什么 是不是 有没有 我 你 他 她 的 了 吗 呢 是 在 和".split()  # noqa: SIM905
)
# Question words, demonstratives, conjunctions and particles of one character; ignored by BM25.
CHINESE_CHARACTERS: Final = frozenset(
    "的了是在和有我你他她它们这那什么吗呢吧啊也都就很哪谁怎个多少几会要不对哦嗯呀过着给被把到去来说"
)
CHINESE_TOPIC: Final = word_set(
    "非常 感觉 觉得 感到 今天 最近 现在 可以 没有 什么 怎么 我们 你们 他们 自己 这个 那个 一个 一些 一下 "
    "已经 还是 还有 就是 但是 不过 因为 所以 如果 时候 知道 喜欢 建议 谢谢 你好 朋友 伴侣 真的 特别 比较 "
    "有些 有点 可能 应该 需要 希望 开始 继续 看到 听到 觉得 告诉 推荐 东西 事情 问题 方法 一直 总是 不知 "
    "尝试 开心 高兴 很多 许多 这些 那些 其中 其实 确实 当然 起来 出来 过来 一样 不同 不错 很好 好好 "
    "非常感谢 聊天 之后 之前 以后 以前 通过 进行 成为 带来 使得 让 人们 大家"
)
# Of the BM25 baseline in evaluations, in both languages; removing them improves it by three points of recall. A list of
# its own, which does not change with the others, so that evaluations of different versions have the same yardstick.
BASELINE: Final = word_set(
    "a an and are as at be been but by did do does for from had has have he her his how i if in into is it its me my "
    "no not of on or our she so such that the their them then there these they this to us was we were what when where "
    "which who whom whose why will with would you your "
    "的 了 是 在 和 有 我 你 他 她 它 们 我们 你们 他们 她们 什么 吗 呢 吧 啊 也 都 就 很 这 那 哪 谁 怎么 哪个 多少"
)
