"""Decide whether a scene is worth a model call, or is only small talk. Pure, linear time.

A clause is small talk if small talk has all its words. Everything else is read: a needless call only costs money, a
missing one loses facts.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from extraction.reader import SceneLine, SceneText
from extraction.text.chinese import CJK, HAN
from extraction.text.lexicon_en import word_set
from extraction.text.other_languages import FIRST_PERSON
from extraction.text.sentences import has_cjk, split_sentences
from schema.labels import Role

# Longer messages are not small talk.
_TALK_CHARS_MAX: Final = 1_000
# Shorter impersonal statements count as small talk.
_WORDS_MIN: Final = 3
_CJK_MIN: Final = 4
# Longer clauses are not small talk; this also bounds the input of the patterns.
_CLAUSE_CHARS_MAX: Final = 120
_CLAUSES: Final = re.compile(rf"[,，;；:：。！？!?…~～\n()（）]+|\.(?:\s|$)|[-–—]{{2,}}| - |(?<=[{HAN}]) (?=[{HAN}])")
_EDGES: Final = " \t\"'“”‘’.。,，!！?？…-–—~～*_#`"
_CHARACTERS: Final = re.compile(rf"[{CJK}]")
_WORD: Final = re.compile(rf"[^\W_{CJK}](?:[^\W{CJK}]|['’-])*")
_NOT_WORDS: Final = re.compile(r"[^\w\s'’“”\"%.,;:!?\u3000-\u303f\uff00-\uffef…~-]")


# Words of greetings, thanks, moods, weather and replies; the English ones without apostrophes.
_TALK: Final = word_set(
    """
a about absolutely again agree agreed ah aha ai all alright always am amazing an and another answer answers anyone
anything anytime are around as asking assistant at awake awesome back bad be beautiful bed been believe best better big
birthday bit bored boring both brb brr brrr brrrr btw busy but by bye can cant care caring certainly chat chatting
cheers clear cold confused congrats congratulations continue cool correct could couldnt course cute day days deal
definitely did didnt do does doing done dont dream dreams dude easy else enjoy enough evening everyone everything
exactly excellent excited exhausted explanation fair fantastic far fast feel feeling feelings fine flies follow for
forecast forgot friday fun funny genius get glad go god going gonna good goodbye goodness got gotcha gotta great guess
guy guys ha hah haha hahaha hang hanging happy hard has have havent hear hello help helped helpful helping helps here
hey hi hilarious hm hmm hmmm hold holiday holidays hope hot how howdy hows huh hungry i id idea idk if ill im impressed
impressive in indeed info information interesting is isnt it its ive joke joking just k kidding kind kinda know known
laugh let lets life like likewise little lmao lol long lost lot lots love lovely luck makes man many mate maybe me mean
merry mind mm mmm moment monday mondays more morning much nah name need never nevermind new next nice night no none
nope not noted nothing now number of off oh ok okay omg on one oops or other ouch our out outside perfect perhaps
please pleased pleasure point pretty problem questions quick quiet quite raining rainy ready really relaxing remember
rest right robot rofl safe same saturday say saying says sec second see seems sense serious seriously shall share
sharing should sleep sleepy slept slow snowing so sometimes soon sorry sounds stay such sunday sunny super support sure
surprised sweet take talk talking tell test testing thank thanks that thats the then there these thing think thinking
thirsty this though thursday thx till time tip tips tired to today told tomorrow tonight too totally true truly try
trying tuesday ty u ugh uh um understand understood up very virtual wait warm was wasnt way we weather wednesday week
weekend welcome well were weve what whatever whats when whenever which while who whoa why will windy wish with wonder
wonderful wondering wont word words work works worries worry would wow write wrong x xmas y yay ye yeah year yep yes
yet yo you your youre yours youve yup
"""
)
_TALK_WORDS_ZH: Final = """
ai 一下 一个 一会儿? 一切 一天 一样 一直 一般 万事 上午 下午 下次 下雨 下雪 不 不客气 不错 东西 为 也 了 事 事儿 享受
人工智能 什么 今天 今晚 任何 休息 优秀 会 但 你 你好 佩服 保重 做得 健康 先 关心 兴隆 其他 再 再见 冷 冷死 分享 刚 别的
刮风 到 力 加油 助手 努力 厉害 原来 去 参考 又 可 可以 可惜 可爱 可能 吃惊 合理 同意 吗 吧 听 听懂 听清 听起来 呀 呃
告诉 呢 周[一二三四五六日天] 周末 和 咱 哇 哈 哈喽 哎 哟 哦 哪 哪里 唉 啊 啥 啦 喂 嗨 嗯 嘛 嘻 嘿 噢 回复 回头 回来
回答 因为 困 国庆 圣诞 在 在吗 外面 多 多谢 大 大家 大忙 天 天哪 天啊 天气 太 夸奖 好 好久 好吃惊 好梦 好玩 好笑 如意
如果 如此 妙 完美 对 对不起 就 尽力 尽管 居然 已经 帮 帮了大忙 帮助 帮忙 平安 康复 建议 开始 开心 当然 很 得 心情 忙
快乐 怎么样 怪 恭喜 您 情况 想 想想 愉快 意思 感觉 感谢 慢 慢走 懂 成功 我 我们 手 打扰 打招呼 抱歉 拜拜 挺 提醒 支持
收到 放心 救命 教 数字 新年 无所谓 无聊 无语 日子 早 早上 早安 时 明天 明白 星期[一二三四五六日天] 春节 是 晕 晚上 晚安
晴 暖和 最 最近 有 有人 有什么 有意思 有点儿? 有用 有趣 服务 期待 机器人 梦 棒 楚 次 欢迎 正常 死 求 没 没事 没什么
没关系 没有 没问题 测试 清楚 渴 漂亮 激动 点 热 热闹 牛 特别 猜猜 玩 理解 生意 生日 用 白天 的 的确 看 看到 看看 真
真的 睡 睡觉 知道 确实 祝 祝贺 神 稍等 笑 笑死 等 等等 简单 算了 精彩 累 终于 给 绝了 继续 羡慕 老天 老样子 聊 聊天
聪明 能 舒服 节日 荣幸 行 要 见 觉得 解答 解释 认真 认识 让 记住 记得 讲 讲得 试试 话说 详细 语言模型 说 说得 请 谁 谢
谢谢 贴心 赞 走 超 超级 跟 身体 辛苦 过 还 还有 还行 这 这个 这么 这样 这里 进步 适合 遍 道理 那 那个 那么 都 酷 错 问
问题 闷 阴 降温 随便 随时 难 难过 需要 非常 顺利 预报 饿 马上 高兴 麻烦
"""
# Longest first, and possessive, so that each text matches in one way at most.
_TALK_ZH: Final = re.compile(
    rf"(?:{'|'.join(sorted(_TALK_WORDS_ZH.split(), key=len, reverse=True))}|[、 ])++", re.IGNORECASE
)
# A question or request is about the world in general, unless it is about the person who asks: "my wife", 我太太.
_DO_ZH: Final = (
    "(?:讲|说|翻译|解释|告诉|写|重复|猜猜|唱|播放|列出|列|定义|计算|算|描述|总结|推荐|建议|搜索|查|拼|画|猜|数|读|改写|"
    "比较|介绍|举|背|聊聊)"
)
_ASKS_FOR: Final = re.compile(
    r"(?:please |can you |could you |would you |will you |hey |ok |now )*(?:tell|say|translate|explain|give|show|write|"
    r"repeat|sing|play|list|define|calculate|convert|describe|summari[sz]e|help|make|find|recommend|suggest|search|"
    r"spell|draw|guess|count|check|read|rewrite|shorten|correct|fix|compare|continue|stop|wait|try)\b|"
    rf"(?:请|麻烦|帮忙|帮我|给我|能|能不能|可以|可不可以|你|您|再|来|跟我|教我|告诉我)+{_DO_ZH}|"
    rf"{_DO_ZH}(?:一下|一个|个|一首|一遍|首|段|篇|遍|一段|一篇|一些|几个|点|讲|说|看|给我|我|出|[：:“\"])",
    re.IGNORECASE,
)
_ABOUT_US: Final = re.compile(
    r"\b(?:my|our|mine|ours|we|us|i'?m|i am|i was|i'?ve|i have|i had|i need|i want|i should|i'?ll|i will|i live|"
    r"i work|i got|i(?:'d| would) (?:like|rather|love|prefer)|remind me|call me|always|never|"
    r"every (?:day|week|month|year|time))\b|"
    "我们|咱|我(?:的|家|爸|妈|哥|姐|弟|妹|太太|老婆|老公|丈夫|妻子|儿子|女儿|孩子|男友|女友|男朋友|女朋友|朋友|"
    "同事|老板|爷爷|奶奶|外公|外婆)|(?<![给帮跟和对为诉教让陪])我(?!想问|想知道|想请|问|该怎|怎么|能不能|可以)|"
    "提醒我|叫我|以后|别|不要|的时候|总是|从来|每[天周月年次个]",
    re.IGNORECASE,
)
_SPEAKS_OF_SELF: Final = re.compile(
    r"\b(?:i|i'?m|i'?ve|i'?ll|i'?d|my|me|mine|we|we'?re|we'?ve|we'?ll|our|ours|us)\b|我|咱|本人|俺", re.IGNORECASE
)


def worth_reading(scene: SceneText) -> bool:
    """Return whether the fresh lines of a scene may contain facts, so that a model should read it."""
    return any(_line_has_content(line) for line in scene.lines if line.fresh)


def is_small_talk(text: str) -> bool:
    """Return whether a message consists of greetings, thanks and the like."""
    return len(text) <= _TALK_CHARS_MAX and next(_content_clauses(text), None) is None


def _line_has_content(line: SceneLine) -> bool:
    match line.role:
        case Role.SYSTEM:
            return False
        case Role.TOOL:
            return bool(line.text.strip())
        case Role.USER | Role.EVENT:
            return len(line.text) > _TALK_CHARS_MAX or any(
                _user_has_content(*sentence) for sentence in _content_clauses(line.text)
            )
        case Role.ASSISTANT:
            # What the assistant did or will do is worth reading; its explanations are general knowledge.
            return any(
                not asks and _speaks_of_self(clauses) for clauses, asks in _content_clauses(line.text[:_TALK_CHARS_MAX])
            )


def _content_clauses(text: str) -> Iterator[tuple[list[str], bool]]:
    """Yield each sentence's clauses that are not small talk, and whether it is a question."""
    for sentence in split_sentences(text):
        clauses = [_bare(piece) for piece in _CLAUSES.split(sentence.text)]
        content = [clause for clause in clauses if clause and not _is_small(clause)]
        if content:
            yield content, sentence.asks


def _bare(clause: str) -> str:
    """Strip punctuation and emoji from a clause."""
    return " ".join(_NOT_WORDS.sub(" ", clause).replace("’", "'").strip(_EDGES).split())


def _is_small(clause: str) -> bool:
    if len(clause) > _CLAUSE_CHARS_MAX:
        return False
    if has_cjk(clause):
        return _TALK_ZH.fullmatch(clause) is not None
    return all(word.replace("'", "") in _TALK for word in clause.lower().split())


def _user_has_content(clauses: list[str], asks: bool) -> bool:
    if asks or _ASKS_FOR.match(clauses[0]):
        return any(_ABOUT_US.search(clause) for clause in clauses)
    return _speaks_of_self(clauses) or _has_substance(clauses)


def _speaks_of_self(clauses: Iterable[str]) -> bool:
    return any(_SPEAKS_OF_SELF.search(clause) or FIRST_PERSON.search(clause) for clause in clauses)


def _has_substance(clauses: Iterable[str]) -> bool:
    text = " ".join(clauses)
    # Chinese, kana and Hangul are counted by characters, all other scripts by words.
    return len(_CHARACTERS.findall(text)) >= _CJK_MIN or len(_WORD.findall(text)) >= _WORDS_MIN
