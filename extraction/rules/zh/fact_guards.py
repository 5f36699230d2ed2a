"""Reject Chinese facts that the mood, the subject or the object of their clause speaks against."""

import re
from typing import Final

from extraction.rules.engine import Clause, Draft
from schema.predicates import TASTES

_MOVED: Final = re.compile("[搬迁]")
# 每年过年都回爸妈家 is a habit, and 下午四点以后不喝咖啡 says nothing of the morning.
_HABIT: Final = re.compile("每(?:年|次|到|逢)")
_AT_TIMES: Final = re.compile("[点饭睡觉](?:以[前后]|之[前后]|前(?=不|从)|后(?=不|从))")
# 昨天挂了俩小时 is no plan, 昨天订了去三亚的票 is one.
_YESTERDAY: Final = re.compile("昨天|昨晚|前天|刚才|上周|上个?月|上礼拜")
_ARRANGED: Final = re.compile("[订定约买抢批报决打排]|通知|收到|确[定认]|说好")
# 婚礼之前我必须瘦十斤 looks ahead.
_DUTY: Final = re.compile("必须|一定要|需要|[得要](?!了)")
_AHEAD: Final = frozenset(("plan", "goal", "promise"))
# What somebody did or used in a clause about the past: 出事以前我天天骑车上班.
_OF_THEN: Final = frozenset(("commutes by", "takes", "uses", "drives", "goes to", "earns", "wakes up at", "grade"))
# Pieces of a clause that no object begins or ends with: 在健身房, 怀孕以后闻到咖啡, 原来的五菱太破, 生意太好.
_NO_TASTE: Final = re.compile(r"^在(?!线)|^[见看听闻碰][了到见]|以后|之后|的时候|^(?:名字|东西|地方|时间|颜色的?)$")
_NO_OBJECT: Final = re.compile(
    r"^(?:个|款|租|新款|旧款|租的|新的|旧的|胞胎|里的.*|家里的.*|原[来先]的.*)$|太[好多差贵忙远小大破旧老吵累难挤热冷脏慢]$|[㗎咗]|"
    r"[\u4e00-\u9fff] +[\u4e00-\u9fff]"
)
_NO_PLAN: Final = re.compile(r"肯定|估计|太[好多忙贵累差]|(?:小时|分钟)$|^开学.+")
_NO_HOME: Final = re.compile(r"(?:活动室|会议室|教室|操场|体育馆|群|频道|文件夹|目录|硬盘|仓库|线上)$")
_NUMBER_FIRST: Final = re.compile(r"[\d一二三四五六七八九十百千]+[一天元块年月个晚]")
# 车送修了 and 衣服送洗了: they come back.
_SENT_OUT: Final = re.compile("送(?:去|到)?(?:修|洗|检|保养|审|测|干洗)")
# 扫地机换成新款的了: the user still has one.
_ANOTHER: Final = re.compile("换成?了?[新旧租借大小老]的?款?的?了?$")
_BORN: Final = re.compile("生|属|我|后$")


def may_be_stored(clause: Clause, one: Draft) -> bool:
    """Return whether a fact may be stored, by the time and mood of its clause and the shape of its object."""
    said = clause.lead + clause.text
    if one.relation in _AHEAD and not one.closes and _is_no_plan(clause, one, said):
        return False
    if one.predicate in TASTES and not one.closes and _NO_TASTE.search(one.object):
        return False
    if one.predicate == "DISLIKES" and _AT_TIMES.search(said):
        return False
    if one.predicate == "RELATES_TO" and not _fits(clause, one):
        return False
    return not (clause.past and one.relation == "lives in" and _MOVED.search(clause.text))


def _is_no_plan(clause: Clause, one: Draft, said: str) -> bool:
    """Return whether a clause is about a habit, the past or somebody's guess rather than a plan."""
    if _NO_PLAN.search(one.object) or (clause.past and not _DUTY.search(said)):
        return True
    if _YESTERDAY.search(said) and not _ARRANGED.search(said):
        return True
    return one.relation == "plan" and _HABIT.search(said) is not None


def _fits(clause: Clause, one: Draft) -> bool:
    """Return whether the object of a relation is a value of its kind."""
    if _NO_OBJECT.search(one.object):
        return False
    match one.relation:
        case "has":
            return not (one.closes and _SENT_OUT.search(clause.text))
        case "uses" if one.closes:
            return _ANOTHER.search(clause.text) is None
        case "lives in":
            return _NO_HOME.search(one.object) is None
        case "works at":
            return _NUMBER_FIRST.match(one.object) is None
        case "born on":
            return _BORN.search(clause.text) is not None
        case _:
            # A newer value stands in the clause after: 以前用苹果，后来换了华为.
            of_then = clause.past and one.relation in _OF_THEN and one.object in clause.lead + clause.text
            return one.closes or not of_then
