"""Chinese words for numbers, years, weeks and parts of the day, as patterns. Pure."""

from extraction.stretches import Edge, Unit

_DIGITS = {character: number for number, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
WEEKDAYS = (
    {character: number for number, character in enumerate("一二三四五六日")}
    | {"天": 6}
    | {str(number + 1): number for number in range(7)}
)
DAYS = {
    "大前天": -3,
    "前天": -2,
    "前日": -2,
    "昨天": -1,
    "昨日": -1,
    "昨儿": -1,
    "今天": 0,
    "今日": 0,
    "今儿": 0,
    "明天": 1,
    "明日": 1,
    "明儿": 1,
    "后天": 2,
    "大后天": 3,
}
YEARS = {"大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2, "大后年": 3}
STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
PARTS = {
    "凌晨": (0, 6),
    "清晨": (4, 9),
    "早晨": (5, 12),
    "早上": (5, 12),
    "上午": (5, 12),
    "中午": (11, 14),
    "下午": (12, 18),
    "午后": (12, 18),
    "傍晚": (17, 20),
    "晚上": (18, 30),
    "夜晚": (18, 30),
    "晚间": (18, 30),
    "夜里": (18, 30),
    "深夜": (22, 28),
    "半夜": (22, 28),
}
# 昨晚, 今早: a day and its part in two characters.
SHORT_DAYS = {"昨": -1, "今": 0, "明": 1, "前": -2}
SHORT_PARTS = {"晚": (18, 30), "夜": (18, 30), "早": (5, 12), "晨": (5, 12)}
UNITS = {
    "分钟": Unit.MINUTE,
    "小时": Unit.HOUR,
    "钟头": Unit.HOUR,
    "天": Unit.DAY,
    "日": Unit.DAY,
    "周": Unit.WEEK,
    "星期": Unit.WEEK,
    "礼拜": Unit.WEEK,
    "月": Unit.MONTH,
    "季度": Unit.QUARTER,
    "年": Unit.YEAR,
}
EDGES = {
    "初": Edge.EARLY,
    "上旬": Edge.EARLY,
    "中": Edge.MIDDLE,
    "中旬": Edge.MIDDLE,
    "底": Edge.LATE,
    "末": Edge.LATE,
    "尾": Edge.LATE,
    "下旬": Edge.LATE,
    "上半": Edge.FIRST_HALF,
    "下半": Edge.SECOND_HALF,
}
NUMBER = r"(?:\d{1,3}|[一二两三四五六七八九]?十[一二两三四五六七八九]?|[一二两三四五六七八九])"
UNIT = r"(?P<u>分钟|小时|钟头|天|日|周|星期|礼拜|(?<=[个半])月|季度|年)"
WEEK = r"(?:周|星期|礼拜)"
STEP = r"(?P<w>上上|下下|上|下|这|本)(?:个|一)?"
SURNAMES = "李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"


def number_of(text: str) -> int:
    """The number that digits or Chinese numerals say, up to 999.

    Raises:
        ValueError: it is none.
    """
    if text.isdigit():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        if len(tens) > 1 or len(ones) > 1:
            raise ValueError(f"{text!r} is no number")
        return (_digit(tens) if tens else 1) * 10 + (_digit(ones) if ones else 0)
    if len(text) != 1:
        raise ValueError(f"{text!r} is no number")
    return _digit(text)


def year_of(text: str) -> int:
    """The year that four digits or numerals say."""
    return int(text) if text.isdigit() else int("".join(str(_digit(character)) for character in text))


def _digit(character: str) -> int:
    try:
        return _DIGITS[character]
    except KeyError:
        raise ValueError(f"{character!r} is no digit") from None
