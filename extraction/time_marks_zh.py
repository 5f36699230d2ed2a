"""Chinese words for time as marks. Pure."""

import re
from collections.abc import Callable
from functools import partial

from extraction import time_lexicon_zh as zh
from extraction import time_makers_zh as make
from extraction.holidays import CHINESE
from extraction.stretches import Unit
from extraction.time_makers_en import a_year_ago, fixed_day, iso_day, iso_month, last_hour, vague
from extraction.time_marks import Lexeme, Lexicon, Mark, Marks, marks_found

_ONES, _TEN = "[一二三四五六七八九]", "[一二三四五六七八九十]"
_MONTH = rf"(?P<m>1[0-2]|0?[1-9]|十[一二]?|{_ONES})月"
_NOT_A_MONTH = r"(?![饼球亮薪光台租兔嫂供食息龄季大经路街城]|子里|革命|票|老|下|一次|两次|是(?!不是))"
_DAY = rf"[12]\d|3[01]|0?[1-9]|二十{_ONES}|十{_ONES}|三十一|三十|二十|十|{_ONES}"
_LUNAR_DAY = rf"(?P<ld>初{_TEN}|二?十{_ONES}|[二三]?十|廿{_ONES}?)"
# 周三个人 is 周 and 三个人.
_WEEKDAY = r"(?:[一二三四五六日天](?![个次位家条本杯件名点])|[1-7](?![\d个天次位点]))"
# A season by itself is a time only where something happened or is planned.
_HAPPENED = r"(?=[^？?。]{0,120}?(?:了|过|时候|期间|打算|计划|准备))"
_COUNT = rf"(?:\d{{1,3}}|二?十{_ONES}?|[二三四五六七八九]十{_ONES}?|[一二两三四五六七八九])"
_AWAY = r"(?P<w>之前|以前|之后|以后|过后|前|后)(?![妈爸面任台])"
_SINCE = r"(?:以来|来|里|内|之内|间)?"
_NO_NUMBER = r"(?![楼线店门球院厅馆机子码房台车路桌床称令]|选手)"


def marks_in(text: str) -> list[Mark]:
    """The marks of a text made `plain` in order, none overlapping another."""
    return marks_found(text, LEXICONS) if _ANY.search(text) else []


def _lexeme(pattern: str, maker: Callable[[re.Match[str]], Marks]) -> Lexeme:
    return re.compile(pattern), maker


def _of(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _lexicon(gate: str, *lexemes: Lexeme) -> Lexicon:
    return Lexicon(re.compile(gate), lexemes)


# Most texts name no time, and this tells so at once.
_ANY = re.compile(
    r"[\d年月周期拜日号天节夜旦晚早晨午点季旬春夏秋冬暑寒前后近过去才双]|圣诞|清明|端午|七夕|中秋|重阳|腊八|国庆|"
    r"[五六十]一|除夕|元宵|这一?[段阵些]"
)
# Longer wordings come first, since what was read once is not read again.
LEXICONS: tuple[Lexicon, ...] = (
    _lexicon(
        r"\d",
        _lexeme(r"(?<![\d.])(?P<c>(?:19|20)\d\d)[-/.](?P<b>\d{1,2})[-/.](?P<a>\d{1,2})(?!\d)", iso_day),
        _lexeme(r"(?<![\d-])(?P<c>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![-/.\d])", iso_month),
        _lexeme(r"(?<!\d)(?P<a>\d{1,2})(?P<sep>[/.])(?P<b>\d{1,2})(?P=sep)(?P<c>(?:19|20)\d\d)(?!\d)", fixed_day),
    ),
    _lexicon(
        r"历|正月|腊月|月初",
        _lexeme(rf"(?:农历|阴历|旧历)(?P<lm>正|冬|腊|十[一二]?|{_ONES})月{_LUNAR_DAY}", make.lunar),
        _lexeme(rf"(?P<lm>正|腊)月{_LUNAR_DAY}", make.lunar),
        _lexeme(rf"(?P<lm>十[一二]?|{_ONES})月(?P<ld>初{_TEN})(?![个次天周])", make.lunar),
    ),
    _lexicon(
        r"年",
        _lexeme(r"(?:上世纪|(?:二十|20)世纪)?(?P<y>(?:19|20)?\d0|[二三四五六七八九]十)年代", make.decade),
        _lexeme(r"去年的?(?:今天|今日)", make.the_same_day),
        _lexeme(r"去年的?(?:这个时候|这时候|此时|同期)", vague(a_year_ago)),
        _lexeme(rf"(?P<r>{_of(zh.YEARS)})", make.relative_year),
        _lexeme(r"(?<!\d)(?P<y>(?:19|20)\d\d|[一二][零〇一二三四五六七八九]{3})年(?![代级轻])", make.year_named),
        _lexeme(
            rf"(?<!\d)(?P<y>\d\d)年(?=(?:1[0-2]|0?[1-9]|十[一二]?|{_ONES})月|的?[春夏秋冬]|[初底末])", make.year_named
        ),
    ),
    _lexicon(
        r"[节夜旦]|圣诞|春节|过大?年|跨年|三十|清明|端午|七夕|中秋|重阳|腊八|国庆|[五六十]一|双1|除夕|元宵|初[一二三]",
        *(
            _lexeme(rf"(?:(?P<w>这个|上个|下个)的?)?(?<![{zh.SURNAMES}])(?:{words})", partial(make.holiday, of_year))
            for words, of_year in CHINESE
        ),
    ),
    _lexicon(
        r"月",
        _lexeme(
            rf"(?<![\d个]){_MONTH}(?P<d>{_DAY})(?:[日号]|(?<=\d)(?![\d年月个点岁]))(?:(?:到|至|-|~|—)(?P<d2>{_DAY})[日号])?",
            make.dated,
        ),
        _lexeme(rf"(?<![\d个第]){_MONTH}份?{_NOT_A_MONTH}", make.month),
        _lexeme(r"(?P<w>上上|下下|上|下|这|本|当)(?:个|一)?月(?![球亮饼经台])", make.relative_month),
    ),
    _lexicon(
        r"[周期拜]",
        _lexeme(rf"{zh.STEP}(?:(?P<e>周末)|{zh.WEEK}(?:(?P<d>{_WEEKDAY})|(?![年围边到岁遭])))", make.relative_week),
        _lexeme(rf"(?P<o>第[一二三四五]个?|最后一?个?){zh.WEEK}(?![一二三四五六日天末])", make.week_of_month),
        _lexeme(r"(?P<o>第[一二三四五]个?|最后一?个?)?周末(?!愉快)", make.bare_weekend),
        _lexeme(rf"(?P<o>第[一二三四五]个?|最后一?个?)?{zh.WEEK}(?P<d>{_WEEKDAY})(?![年围边岁])", make.bare_weekday),
    ),
    _lexicon(
        r"[天日儿晚夜早晨]",
        _lexeme(rf"(?P<r>{_of(zh.DAYS)})(?!性)", make.relative_day),
        _lexeme(r"(?:(?P<r>[昨今明])(?P<p>[晚夜早晨])|(?P<r2>前)(?P<p2>晚))上?(?![期点报年睡起餐饭])", make.short_day),
    ),
    _lexicon(
        r"季度|q",
        _lexeme(r"(?P<w>上|这|本|下)(?:个|一)?季度", make.relative_quarter),
        _lexeme(r"第?(?P<q>[一二三四1-4])季度", make.quarter),
        _lexeme(r"(?<![a-z0-9])q(?P<q>[1-4])(?![a-z0-9])", make.quarter),
    ),
    _lexicon(
        r"[春夏秋冬暑寒]",
        _lexeme(r"(?P<w>这个|上个|下个|今)(?P<s>[春夏秋冬])[天季日]?", make.named_season),
        _lexeme(r"(?<=年)的?(?P<s>[春夏秋冬])[天季日]?", make.named_season),
        _lexeme(rf"(?P<s>[春夏秋冬])[天季]{_HAPPENED}", make.named_season),
        _lexeme(r"(?P<w>这个|上个|下个|今)(?P<s>[暑寒])假", make.school_holidays),
        _lexeme(r"(?<=年)的?(?P<s>[暑寒])假", make.school_holidays),
        _lexeme(rf"(?P<s>[暑寒])假{_HAPPENED}", make.school_holidays),
    ),
    _lexicon(
        r"[年月旬]",
        _lexeme(r"(?P<e>上半|下半)年", make.edge_named(Unit.YEAR)),
        _lexeme(r"(?P<e>上半|下半)个?月", make.edge_named(Unit.MONTH)),
        _lexeme(r"年(?P<e>初|底|末|尾)", make.edge_named(Unit.YEAR)),
        _lexeme(r"(?<=年)年(?P<e>中)(?![国秋心学])", make.edge_named(Unit.YEAR, never_alone=True)),
        _lexeme(r"(?<=年)(?P<e>初|底|末)", make.edge_named(Unit.YEAR, never_alone=True)),
        _lexeme(r"(?<![初])月(?P<e>初|底|末)", make.edge_named(Unit.MONTH)),
        _lexeme(r"(?<=[月份])的?(?P<e>初|底|末|上旬|中旬|下旬)", make.edge_named(Unit.MONTH, never_alone=True)),
        _lexeme(r"(?P<e>上旬|中旬|下旬)", make.edge_named(Unit.MONTH)),
    ),
    _lexicon(
        r"[前后近过这未接今往]",
        _lexeme(rf"半个?(?P<u>年|月|小时|钟头){_AWAY}", make.half_distance),
        _lexeme(
            rf"(?<![第每\d])(?P<n>{_COUNT}|好?几)(?P<n2>(?<=[一两二三四五六七八九]){_TEN})?[多来]?个?(?P<half>半)?{zh.UNIT}"
            rf"(?P<half2>半)?{_AWAY}",
            make.distance,
        ),
        _lexeme(
            rf"(?P<w>最近|(?<!附)近|过去|这(?!一)|未来|接下来|今后|往后)的?(?P<n>{_COUNT}|好?几|半)个?{zh.UNIT}{_SINCE}",
            make.window,
        ),
        _lexeme(
            r"(?<![之以目节庆日号年月周秋午夕明旦诞末春夏冬天阳])前(?P<n>[几些两])个?(?P<u>天|周|星期|(?<=个)月|年)",
            make.just_before,
        ),
        _lexeme(r"前一?(?:阵子|阵|段时间|段日子)|前些(?:日子|时候)", make.vague_days(-60, 0)),
        _lexeme(
            r"最近一段时间|最近(?!的(?![一几])|一次|一回|几次)|近来|近期|近日|这一?(?:段|阵)(?:时间|子|日子)|这些(?:天|日子)",
            make.vague_days(-30, 1),
        ),
    ),
    _lexicon(
        r"才",
        _lexeme(r"刚才|方才", vague(last_hour)),
    ),
    _lexicon(
        r"[晨早上午晚夜点日号间]",
        _lexeme(rf"(?P<p>{'|'.join(zh.PARTS)})(?!好)", make.part_named),
        _lexeme(
            rf"(?P<h>\d{{1,2}}|二?十{_ONES}?|{_ONES}|两)点(?:半|钟|\d{{1,2}}分?)?(?![心头名评赞击菜餐事])", make.hour
        ),
        _lexeme(rf"(?P<there>[在于]\s*)?(?P<d>{_DAY})[日号](?P<that>这天|那天|当天)?{_NO_NUMBER}", make.number_of_day),
    ),
)
