"""Facts that Chinese sentences state outright: subject, verb, object, clause by clause."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from extraction import patterns_zh as patterns
from extraction.clauses_zh import UNREAL, Clause, Thread, clauses
from extraction.drafts import Draft, Voice
from extraction.names import chinese_name_at
from extraction.objects_zh import object_type, objects, visited_place
from extraction.phrases_zh import noun_phrase, things, title, titles, without_category
from extraction.rule import Rule
from extraction.sentences import Sentence
from extraction.words_zh import EMOTIONS, EVENTS, JOBS, NOT_NAMES, PETS, PLEASANT, SOLE_KIN
from schema.entity import EntityType

UNKNOWN_USER = "用户"
_KIN_MAX = 6
_WANTED = re.compile(r"希望|想|找|没有|应该")
_NOT_DONE = re.compile(r"想|打算|计划|准备|要|会|可以|能|希望|应该|没|未|不|下次|下一次")
_JOB_AFTER_PLACE = re.compile(r"(?:当|担任|做)(?:了|着)?(?:一[名个位])?(?P<o>[\u4e00-\u9fff]{2,10})$")


def read_chinese(sentences: Iterable[Sentence], voice: Voice) -> list[Draft]:
    """The facts of one message, in the order they are said; the same fact once."""
    thread = Thread(voice=voice)
    found: dict[tuple[str, str, str | None, str], Draft] = {}
    for sentence in sentences:
        spoken = list(clauses(sentence, thread))
        for draft in _causes(sentence, thread) if spoken and not sentence.asks else ():
            found.setdefault((draft.subject, draft.predicate, None, draft.object), draft)
        for clause in spoken:
            for draft in _read_clause(clause, thread):
                found.setdefault((draft.subject, draft.predicate, draft.relation, draft.object.lower()), draft)
    return list(found.values())


def _read_clause(clause: Clause, thread: Thread) -> Iterator[Draft]:
    yield from _kin(clause, thread)
    if named := patterns.NAME_IS.search(clause.text):
        me = thread.voice.me
        yield _draft(
            clause, thread, me, "RELATES_TO", named["n"], "{s}的名字是{o}。", relation="is named", strength=0.9
        )
        return
    yield from _said_of_things(clause, thread)
    favorites = list(_favorites(clause, thread))
    yield from favorites
    if clause.subject is None:
        return
    drafts = [] if favorites else list(_by_rules(clause, thread))
    drafts += _experiences(clause, thread)
    if drafts and clause.kin is not None:
        kin = clause.kin
        says = f"{{s}}有{kin}。"
        yield _draft(clause, thread, thread.voice.me, "RELATES_TO", kin, says, relation=kin, kind=EntityType.PERSON)
    yield from drafts


def _by_rules(clause: Clause, thread: Thread) -> Iterator[Draft]:
    assert clause.subject is not None
    for rule in patterns.RULES if patterns.OPENS.match(clause.rest) else ():
        matched = rule.pattern.match(clause.rest)
        if matched is None:
            continue
        drafts = [
            _from_rule(rule, clause, thread, name, relation, kind)
            for name, relation, kind in objects(rule, matched["o"])
        ]
        yield from drafts
        if (
            rule.shape == "workplace"
            and (job := _JOB_AFTER_PLACE.search(clause.rest))
            and job["o"].endswith(tuple(JOBS))
        ):
            says = "{s}的职业是{o}。"
            yield _draft(
                clause, thread, clause.subject, "RELATES_TO", job["o"], says, relation="works as", strength=0.8
            )
        if drafts or rule.shape in ("things", "goal", "worry", "promise"):
            return


def _from_rule(
    rule: Rule, clause: Clause, thread: Thread, name: str, relation: str | None, kind: EntityType | None
) -> Draft:
    assert clause.subject is not None
    return _draft(
        clause,
        thread,
        clause.subject,
        rule.predicate,
        name,
        rule.says,
        relation=relation,
        kind=kind,
        strength=_strength(rule, clause.rest),
        closes=rule.closes,
    )


def _strength(rule: Rule, rest: str) -> float:
    """`最喜欢` weighs more than `喜欢`, `有点喜欢` less."""
    head = rest[:8]
    if rule.predicate != "PREFERS" or rule.closes:
        return rule.strength
    if "最" in head:
        return 0.9
    return 0.5 if re.match(r"(?:有点|有些|稍微|还算)", head) else rule.strength


def _draft(
    clause: Clause,
    thread: Thread,
    subject: str,
    predicate: str,
    obj: str,
    says: str,
    *,
    relation: str | None = None,
    kind: EntityType | None = None,
    strength: float = 0.7,
    closes: bool = False,
    emotion: str | None = None,
) -> Draft:
    label = thread.voice.label(subject, UNKNOWN_USER)
    if label == obj:
        label = UNKNOWN_USER
    if subject in SOLE_KIN:
        label = f"{thread.voice.label(thread.voice.me, UNKNOWN_USER)}的{label}"
    return Draft(
        subject=subject,
        predicate=predicate,
        object=obj,
        statement=says.format(s=label, o=f"《{obj}》" if kind is EntityType.WORK else obj),
        start=clause.start,
        end=clause.end,
        relation=relation,
        subject_type=None if subject.startswith("@") else EntityType.PERSON,
        object_type=kind,
        strength=strength,
        confidence=0.75 if subject == thread.voice.me else 0.65,
        closes=closes,
        trigger_emotion=emotion,
    )


def _owner(pronoun: str | None, clause: Clause, thread: Thread) -> str | None:
    """Whose 我的, 他的, 自己的 thing it is."""
    if pronoun and pronoun.startswith("我"):
        return thread.voice.me
    if pronoun and pronoun[0] in "他她":
        return clause.third
    if pronoun == "自己":
        return clause.subject or clause.third
    return clause.subject


def _favorites(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """`我最喜欢的颜色是蓝色`, `看到了他喜欢的大象`."""
    found = patterns.FAVORITE_IS.match(clause.text)
    if found:
        category = found["c"]
        owner = _owner(found[0][:1] if found[0][0] in "我他她" else None, clause, thread)
        if owner is None and found[0].startswith("最"):
            owner = thread.voice.me
        if owner is None:
            return
        relation = f"最喜欢的{category}" if category else None
        says = f"{{s}}{relation or '最喜欢的'}是{{o}}。"
        for name in things(found["o"])[:3]:
            kind = object_type(name, found["o"])
            yield _draft(clause, thread, owner, "PREFERS", name, says, relation=relation, kind=kind, strength=0.9)
        return
    found = patterns.FAVORITE.search(clause.text)
    if found and _WANTED.search(clause.text[: found.start()]):
        return
    whose = _owner(found["p"], clause, thread) if found else None
    if found is None or whose is None:
        return
    work = title(found["o"])
    for name in [work] if work else things(without_category(found["o"])):
        if len(name) > 1:
            kind = EntityType.WORK if work else object_type(name, name)
            strength = 0.9 if found["m"] else 0.7
            yield _draft(clause, thread, whose, "PREFERS", name, "{s}喜欢{o}。", kind=kind, strength=strength)


def _kin(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """People who belong to someone, with their names."""
    found = [(match, match["n"]) for match in patterns.IS_KIN.finditer(clause.text)]
    for match in islice(patterns.KIN_NAMED.finditer(clause.text), _KIN_MAX):
        name = _kin_name(match, clause.text)
        if name is not None:
            found.append((match, name))
    for match, name in found:
        pronoun = match["p"]
        owner = (
            _owner(pronoun, clause, thread)
            if pronoun in ("我", "他", "她", "自己", None)
            else thread.voice.who(pronoun)
        )
        if pronoun is None and clause.kin is not None:
            owner = thread.voice.me
        if owner is None or owner == name or (pronoun and owner == pronoun):
            continue
        word = match["k"]
        thread.named[word] = name
        thread.third = name
        says = f"{{o}}是{{s}}的{word}。"
        yield _draft(
            clause, thread, owner, "RELATES_TO", name, says, relation=word, kind=EntityType.PERSON, strength=0.8
        )


def _kin_name(match: re.Match[str], text: str) -> str | None:
    """The name after a word for a relative; None when what follows is no name."""
    name = match["n"]
    if name in NOT_NAMES:
        return None
    if name[0].isascii():
        return name
    if match["v"] and match.end("n") == len(text):
        return name
    return chinese_name_at(text, match.start("n"))


def _experiences(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """What someone read, watched, visited, took part in, won or was given."""
    assert clause.subject is not None
    subject, rest = clause.subject, clause.rest
    if _NOT_DONE.search(rest):
        return
    if found := patterns.SAW.search(rest):
        relation, verb = ("read", "读") if "读" in found["v"] or "书" in rest or "小说" in rest else ("watched", "看")
        says = f"{{s}}{verb}过{{o}}。"
        kind = EntityType.WORK
        for name in titles(rest[found.start("o") :])[:4]:
            yield _draft(clause, thread, subject, "RELATES_TO", name, says, relation=relation, kind=kind, strength=0.6)
    for pattern, relation, says in _EXPERIENCES:
        matched = pattern.search(rest)
        what = noun_phrase(matched["o"]) if matched else None
        if matched is None or what is None or (relation != "has" and not what.endswith(tuple(EVENTS))):
            continue
        if relation == "won" and not re.search(r"[奖名军胜]", matched["w"]):
            continue
        kind = EntityType.THING if relation == "has" else EntityType.ACTIVITY
        yield _draft(clause, thread, subject, "RELATES_TO", what, says, relation=relation, kind=kind, strength=0.6)
        return
    moved = re.search(r"搬|住在|来自", rest) is not None
    if not moved and (found := patterns.VISITED.search(rest)) and (place := visited_place(found["o"])):
        kind = EntityType.PLACE
        yield _draft(
            clause, thread, subject, "RELATES_TO", place, "{s}去过{o}。", relation="visited", kind=kind, strength=0.6
        )


_EXPERIENCES = (
    (patterns.WON, "won", "{s}在{o}中获奖。"),
    (patterns.TOOK_PART, "took part in", "{s}参加过{o}。"),
    (patterns.GIFT, "has", "{s}有{o}。"),
)


def _said_of_things(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """Clauses about what always makes someone feel so."""
    found = patterns.EMOTION.match(clause.text)
    if found and (found["c"] or re.search(r"总|都会|一直", found[0])):
        emotion = EMOTIONS[found["e"]]
        name = noun_phrase(re.sub(r"^(?:每次|一)?(?:听到|看到|遇到)?", "", found["o"]))
        if name:
            predicate = "PREFERS" if emotion in PLEASANT else "DISLIKES"
            says = f"{{o}}总是让{{s}}感到{found['e']}。"
            yield _draft(clause, thread, thread.voice.me, predicate, name, says, emotion=emotion)


def _causes(sentence: Sentence, thread: Thread) -> Iterator[Draft]:
    """`因为工作压力，我经常失眠`: cause and effect stand in two clauses."""
    text = sentence.text.rstrip("。！.! ")
    found = patterns.CAUSE.search(text) or patterns.CAUSED.match(text)
    if found and not UNREAL.search(text):
        clause = Clause(text=text, rest=text, subject=None, third=None, start=sentence.start, end=sentence.end)
        effect, cause = noun_phrase(found["o"]), noun_phrase(found["c"])
        if effect and cause and effect not in PETS and not cause.endswith(("感到", "觉得", "感觉")):
            yield _draft(clause, thread, effect, "CAUSED_BY", cause, "{s}是由{o}引起的。")
