"""Words in English and Chinese that mean whoever speaks, whoever listens, the user or the agent. Data only."""

from typing import Final

FIRST_PERSON: Final = frozenset(
    [
        *("i", "me", "my", "mine", "myself", "im", "i'm", "i am", "we", "us", "our", "ours", "ourselves"),
        *("我", "我的", "我自己", "我本人", "我们", "咱", "咱们", "俺", "俺们", "本人", "在下", "鄙人", "敝人", "吾"),
    ]
)
SECOND_PERSON: Final = frozenset(
    [
        *("you", "your", "yours", "yourself", "you guys"),
        *("你", "您", "你的", "您的", "你自己", "您自己", "你们", "您们"),
    ]
)
USER_WORDS: Final = frozenset(
    [
        *("user", "the user", "human", "the human", "human user", "the human user", "end user", "current user"),
        *("主人", "用户", "使用者", "用户本人", "该用户", "当前用户"),
    ]
)
AGENT_WORDS: Final = frozenset(
    [
        *("assistant", "the assistant", "ai", "ai assistant", "the ai", "the ai assistant", "agent", "the agent"),
        *("ai agent", "bot", "the bot", "chatbot", "the chatbot", "virtual assistant", "my assistant"),
        *("助手", "助理", "ai助手", "ai助理", "智能助手", "智能助理", "小助手", "虚拟助手", "人工智能助手"),
        *("机器人", "聊天机器人", "智能体", "ai伴侣"),
    ]
)
