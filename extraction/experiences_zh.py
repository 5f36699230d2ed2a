"""Chinese favourites and experiences: what someone loves best, read, watched, visited, won or was given."""

import re
from collections.abc import Iterator

from extraction import wordings_zh as wordings
from extraction.clauses_zh import Clause, Thread
from extraction.drafting_zh import draft
from extraction.drafting_zh import owner as owner_of
from extraction.drafts import Draft
from extraction.objects_zh import object_type, visited_place
from extraction.phrases_zh import noun_phrase, things, title, titles, without_category
from extraction.words_zh import EVENTS
from schema.entity import EntityType

_WANTED = re.compile(r"希望|想|找|没有|应该")
_NOT_DONE = re.compile(r"想|打算|计划|准备|要|会|可以|能|希望|应该|没|未|不|下次|下一次")


def favorites(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """`我最喜欢的颜色是蓝色`, `看到了他喜欢的大象`."""
    found = wordings.FAVORITE_IS.match(clause.text)
    if found:
        category = re.sub(r"(?:还|就|也|当然|一直|永远)+$", "", found["c"])
        owner = owner_of(found[0][:1] if found[0][0] in "我他她" else None, clause, thread)
        if owner is None and found[0].startswith("最"):
            owner = thread.voice.me
        if owner is None:
            return
        relation = f"最喜欢的{category}" if category else None
        says = f"{{s}}{relation or '最喜欢的'}是{{o}}。"
        for name in things(found["o"])[:3]:
            kind = object_type(name, found["o"])
            yield draft(clause, thread, owner, "PREFERS", name, says, relation=relation, kind=kind, strength=0.9)
        return
    found = wordings.FAVORITE.search(clause.text)
    if found and _WANTED.search(clause.text[: found.start()]):
        return
    whose = owner_of(found["p"], clause, thread) if found else None
    if found is None or whose is None:
        return
    work = title(found["o"])
    for name in [work] if work else things(without_category(found["o"])):
        if len(name) > 1:
            kind = EntityType.WORK if work else object_type(name, name)
            strength = 0.9 if found["m"] else 0.7
            yield draft(clause, thread, whose, "PREFERS", name, "{s}喜欢{o}。", kind=kind, strength=strength)


def experiences(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """What someone read, watched, visited, took part in, won or was given."""
    assert clause.subject is not None
    subject, rest = clause.subject, clause.rest
    if _NOT_DONE.search(rest):
        return
    if found := wordings.SAW.search(rest):
        relation, verb = ("read", "读") if "读" in found["v"] or "书" in rest or "小说" in rest else ("watched", "看")
        says = f"{{s}}{verb}过{{o}}。"
        kind = EntityType.WORK
        for name in titles(rest[found.start("o") :])[:4]:
            yield draft(clause, thread, subject, "RELATES_TO", name, says, relation=relation, kind=kind, strength=0.6)
    for pattern, relation, says in _EXPERIENCES:
        matched = pattern.search(rest)
        what = noun_phrase(matched["o"]) if matched else None
        if matched is None or what is None or (relation != "has" and not what.endswith(tuple(EVENTS))):
            continue
        if relation == "won" and not re.search(r"[奖名军胜]", matched["w"]):
            continue
        kind = EntityType.THING if relation == "has" else EntityType.ACTIVITY
        yield draft(clause, thread, subject, "RELATES_TO", what, says, relation=relation, kind=kind, strength=0.6)
        return
    moved = re.search(r"搬|住在|来自", rest) is not None
    if not moved and (found := wordings.VISITED.search(rest)) and (place := visited_place(found["o"])):
        kind = EntityType.PLACE
        yield draft(
            clause, thread, subject, "RELATES_TO", place, "{s}去过{o}。", relation="visited", kind=kind, strength=0.6
        )


_EXPERIENCES = (
    (wordings.WON, "won", "{s}在{o}中获奖。"),
    (wordings.TOOK_PART, "took part in", "{s}参加过{o}。"),
    (wordings.GIFT, "has", "{s}有{o}。"),
)
