"""Read a scene by the tags of its messages, in linear time; precision comes before recall. Pure."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from typing import Final

from extraction.reader import (
    READ_CHARS_MAX,
    THE_AGENT,
    THE_USER,
    Mention,
    ProposedFact,
    Quote,
    Reading,
    SceneLine,
    SceneText,
)
from extraction.rules.agent_promises import drafts_text, read_agent_promises
from extraction.rules.drafts import Draft, Speaker
from extraction.rules.rule_reader import corrections_in
from extraction.rules.tag_facts import facts_of_tags, is_kin, same_fact
from extraction.rules.tag_languages import tagged_facts
from extraction.rules.tags import Tag
from extraction.rules.untagged import read_untagged
from extraction.rules.valid_times import (
    NOT_TOLD,
    TimedText,
    ToldPeriod,
    is_temporary,
    timed,
    told_without_rules,
    with_told_period,
)
from extraction.rules.wording import CHINESE_WORDING, ENGLISH_WORDING
from extraction.text.choices import CHOSE, choice_in
from extraction.text.corrections import Correction
from extraction.text.languages import is_english_or_chinese_beside_names, parts_by_script, tagged_language
from extraction.text.name_forms import simplified_characters
from extraction.text.name_spotting import Found, load_words, names_in
from extraction.text.sentences import Sentence, has_cjk, split_sentences
from extraction.unreadable import read_or
from schema.entity import EntityType
from schema.fact import FactDetail, FactKind
from schema.ids import name_key
from schema.labels import Role
from schema.predicates import TASTES

FACTS_PER_LINE_MAX = 40
MENTIONS_PER_LINE_MAX = 40
_AHEAD = frozenset({"plan", "promise"})
_NO_TAGS: Final[Mapping[int, Sequence[Tag]]] = {}


def read_scene(scene: SceneText, *, reader: str, tags: Mapping[int, Sequence[Tag]] = _NO_TAGS) -> Reading:
    """Return the facts that fresh lines of a scene state explicitly, and the names they mention.

    Args:
        tags: tags of a model, by the index of the line; of lines without an entry only what has no tag is read.
    """
    if any(line.fresh and has_cjk(line.text) for line in scene.lines):
        load_words()
    facts: dict[tuple[str, str, str | None, str], ProposedFact] = {}
    mentions: dict[tuple[str, int], Mention] = {}
    corrections, meant = corrections_in(scene)
    said = [(line.role, line.text, line.said_at) for line in scene.lines]
    for number, line in enumerate(scene.lines):
        if not line.fresh or line.role not in (Role.USER, Role.ASSISTANT):
            continue
        correction = corrections.get(number)
        read = read_or([], _facts_of, meant[number], number, scene, tags.get(number))
        if correction is not None:
            earlier = correction.earlier
            wrong = (
                [
                    one
                    for one in facts.values()
                    if {quote.line for quote in one.quotes} == {earlier} and not one.corrects
                ]
                if scene.lines[earlier].fresh
                else read_or([], _facts_of, meant[earlier], number, scene, tags.get(earlier))
            )
            read = _corrected(correction, number, read, wrong, facts, scene.user_names)
        read += read_or([], _choices_of, number, scene, said)
        for fact in read:
            key = _key_of(fact)
            known = facts.get(key)
            facts[key] = fact if known is None or known.closes != fact.closes else _merged(known, fact)
        for name, kind in read_or([], _names_of, line, scene):
            mentions.setdefault((name_key(name), number), Mention(name=name, line=number, entity_type=kind))
    return Reading(reader=reader, facts=tuple(facts.values()), mentions=tuple(mentions.values()))


def _key_of(fact: ProposedFact) -> tuple[str, str, str | None, str]:
    return fact.subject, fact.predicate, fact.relation, name_key(fact.object)


def _told(fact: ProposedFact) -> tuple[object, ...]:
    return _key_of(fact), fact.statement, fact.valid_at, fact.invalid_at, fact.closes


def _corrected(
    correction: Correction,
    number: int,
    read: Sequence[ProposedFact],
    said: Sequence[ProposedFact],
    facts: dict[tuple[str, str, str | None, str], ProposedFact],
    user_names: Sequence[str],
) -> list[ProposedFact]:
    """Return what a correction changes in the facts of an earlier line, and the ends of the wrong ones.

    What the earlier line had wrong leaves `facts`; it may have been stored before, and was never true if something is
    told instead. If the correction does not tell which words were wrong, only the fact of a line with a single one is.

    Args:
        number: the line that corrects it.
        read: facts of the corrected line.
        said: facts of the earlier line.
    """
    told, meant = {_told(fact) for fact in said}, {_key_of(fact) for fact in read}
    changed = [fact for fact in read if _told(fact) not in told]
    withdraws = correction.earlier
    if correction.text is None and len(said) > 1:
        return [replace(fact, withdraws=withdraws, quotes=(Quote(line=number),)) for fact in changed]
    if correction.told is not None:
        changed += _renamed(said, correction.told, user_names)
    right = {_key_of(fact) for fact in read if _told(fact) in told}
    for key in {_key_of(fact) for fact in said} - right:
        facts.pop(key, None)
    wrong = (fact for fact in said if _key_of(fact) not in meant and not fact.closes)
    ends = [replace(fact, closes=True, corrects=True) for fact in wrong]
    proof, never = (Quote(line=number),), withdraws if changed else None
    return [replace(fact, withdraws=never, quotes=proof) for fact in (*changed, *ends)]


def _renamed(said: Sequence[ProposedFact], name: str, user_names: Sequence[str]) -> Iterator[ProposedFact]:
    """Yield the only fact of a line with another object, which a correction tells."""
    for fact in said:
        before, found, after = fact.statement.rpartition(fact.object)
        is_alike = has_cjk(name) == has_cjk(fact.object) and not any(fact.object in user for user in user_names)
        if is_alike and found and not fact.closes:
            yield replace(fact, object=name, statement=before + name + after)


def _choices_of(number: int, scene: SceneText, said: Sequence[tuple[Role, str, datetime]]) -> list[ProposedFact]:
    """Return what a line chooses among listed options, and the end of earlier choices among them.

    Args:
        said: role, text and time of all lines.
    """
    me = _subject_of_speaker(scene.lines[number], scene)
    chosen = choice_in(number, said) if me != THE_AGENT else None
    if chosen is None:
        return []
    choices = {name_key(chosen.option): chosen}
    listed = chosen.told[-2]
    for earlier in range(listed + 1, number):
        other = choice_in(earlier, said)
        if other is not None and other.told[-2] == listed:
            choices.setdefault(name_key(other.option), other)
    speaker = Speaker(me=me, user_names=scene.user_names)
    return [
        ProposedFact(
            subject=me,
            predicate="RELATES_TO",
            object=one.option,
            statement=one.says.format(s=speaker.label(me, one.user), o=one.option, why=one.why),
            quotes=tuple(Quote(line=told) for told in chosen.told) if one is chosen else (Quote(line=number),),
            valid_at=scene.lines[number].said_at,
            confidence=0.85,
            relation=CHOSE,
            closes=one is not chosen,
            detail=FactDetail(kind=FactKind.DECISION),
        )
        for one in choices.values()
    ]


def _merged(known: ProposedFact, again: ProposedFact) -> ProposedFact:
    """Merge a fact with a repetition of it; keep the evidence of both."""
    return replace(known, quotes=known.quotes + again.quotes, strength=max(known.strength, again.strength))


def _facts_of(line: SceneLine, number: int, scene: SceneText, tags: Sequence[Tag] | None) -> list[ProposedFact]:
    return [
        fact
        for text in parts_by_script(line.text[:READ_CHARS_MAX])
        for fact in _facts_in(text, line, number, scene, None if tags is None else _tags_within(text, tags))
    ]


def _tags_within(text: str, tags: Sequence[Tag]) -> list[Tag]:
    """Return the tags of a part of a message, which has spaces for the rest."""
    return [tag for tag in tags if not text[slice(*tag.obj)].isspace()]


def _facts_in(
    text: str, line: SceneLine, number: int, scene: SceneText, tags: Sequence[Tag] | None
) -> list[ProposedFact]:
    me = _subject_of_speaker(line, scene)
    speaker = Speaker(me=me, user_names=scene.user_names)
    language = tagged_language(text)
    sentences = sorted(split_sentences(text), key=lambda one: one.start)
    times_of = cache(partial(timed, said_at=line.said_at))
    if language is not None and me != THE_AGENT:
        drafts = tagged_facts(text, tags or (), speaker, language)[:FACTS_PER_LINE_MAX]
        clauses = [(draft, _clause_of(draft, sentences, times_of)) for draft in drafts]
        return [
            _proposed(draft, read_or(NOT_TOLD, told_without_rules, draft, clause), clause, sentences, number)
            for draft, clause in clauses
        ]
    if language is None and not is_english_or_chinese_beside_names(text):
        return []
    if me == THE_AGENT:
        drafts = list(_by_agent(sentences, text, times_of, speaker))
    else:
        drafts = list(read_untagged([one for one in sentences if not has_cjk(one.text)], speaker))
        tagged = read_or([], facts_of_tags, text, tags, speaker) if tags is not None else []
        drafts += [one for one in tagged if not any(same_fact(one, known) for known in drafts)]
        drafts += [*_relatives_told(drafts, speaker)]
    distinct = [draft for draft in drafts if name_key(draft.subject) != name_key(draft.object)]
    clauses = [(draft, _clause_of(draft, sentences, times_of)) for draft in distinct[:FACTS_PER_LINE_MAX]]
    return [
        _proposed(*with_told_period(draft, clause), clause, sentences, number)
        for draft, clause in clauses
        if not is_temporary(draft, clause)
    ]


_TELLS_OF_KIN: Final = frozenset({"works as", "works at", "lives in"})


def _relatives_told(drafts: Sequence[Draft], speaker: Speaker) -> Iterator[Draft]:
    """Yield that the speaker has the relatives of whom something was read: "my sister is an assistant"."""
    known = {one.relation for one in drafts if one.subject == speaker.me}
    for one in drafts:
        kin = one.subject
        told = has_cjk(kin) or one.relation in _TELLS_OF_KIN or one.predicate in TASTES
        if told and not one.closes and kin not in known and is_kin(kin):
            known.add(kin)
            chinese = has_cjk(kin)
            user = speaker.label(speaker.me, (CHINESE_WORDING if chinese else ENGLISH_WORDING).unknown_user)
            says = f"{user}有{kin}。" if chinese else f"{user} has {kin if kin.endswith('s') else f'a {kin}'}."
            has = replace(one, subject=speaker.me, subject_type=None, object=kin, object_type=EntityType.PERSON)
            yield replace(has, predicate="RELATES_TO", relation=kin, statement=says[:1].upper() + says[1:])


def _by_agent(
    sentences: Sequence[Sentence], text: str, times_of: Callable[[str], TimedText], speaker: Speaker
) -> Iterator[Draft]:
    """Yield the promises of the assistant; the rest of its messages mostly repeats the user or is polite."""
    if drafts_text(text):
        return
    for sentence in sentences:
        plain = sentence.text.translate(simplified_characters()).replace("’", "'")
        yield from read_agent_promises(replace(sentence, text=plain), times_of, speaker)


def _subject_of_speaker(line: SceneLine, scene: SceneText) -> str:
    if line.role is not Role.USER:
        return THE_AGENT
    if line.speaker is None or not line.speaker.strip() or not scene.user_names:
        return THE_USER
    key = name_key(line.speaker)
    if any(key == name_key(name) for name in scene.user_names):
        return THE_USER
    if any(key == name_key(name) for name in scene.agent_names):
        return THE_AGENT
    return line.speaker.strip()


def _clause_of(draft: Draft, sentences: Sequence[Sentence], times_of: Callable[[str], TimedText]) -> TimedText:
    """Return the clause that names the object of a fact, with its times."""
    sentence = _sentence_at(draft.start, sentences)
    if sentence is None:
        return times_of("")
    place = draft.start - sentence.start
    return times_of(sentence.text).clause_at(max(place, sentence.text.find(draft.object, place)))


def _proposed(
    draft: Draft, told: ToldPeriod, clause: TimedText, by_start: Sequence[Sentence], number: int
) -> ProposedFact:
    """Return a fact with the times that its clause tells; its quote is the sentence that states it."""
    sentence = _sentence_at(draft.start, by_start)
    start, end = (draft.start, draft.end) if sentence is None else (sentence.start, max(sentence.end, draft.end))
    return ProposedFact(
        subject=draft.subject,
        predicate=draft.predicate,
        object=draft.object,
        statement=draft.statement,
        quotes=(Quote(line=number, start=start, end=end),),
        relation=draft.relation,
        subject_type=draft.subject_type,
        object_type=draft.object_type,
        strength=draft.strength,
        confidence=draft.confidence,
        trigger_emotion=draft.trigger_emotion,
        **told._asdict(),
        closes=draft.closes,
        detail=_detail_of(draft, clause),
    )


def _detail_of(draft: Draft, clause: TimedText) -> FactDetail:
    """Return the kind of a fact with its details, and the coming time that a plan or promise names."""
    if draft.relation in _AHEAD and not draft.closes:
        for found in clause.times:
            start, end = found.span.start, found.span.end
            if start is not None and end is not None and end > clause.said_at:
                return replace(draft.detail, mentioned_start=start, mentioned_end=end)
    return draft.detail


def _names_of(line: SceneLine, scene: SceneText) -> list[Found]:
    if tagged_language(line.text[:READ_CHARS_MAX]) in ("de", "ja"):
        # Capitals and Chinese words, by which names are spotted, are no sign of one.
        return []
    ignore = (*scene.user_names, *scene.agent_names)
    return names_in(split_sentences(line.text[:READ_CHARS_MAX]), ignore)[:MENTIONS_PER_LINE_MAX]


def _sentence_at(place: int, by_start: Sequence[Sentence]) -> Sentence | None:
    """Return the sentence that contains a place in the text; None between sentences."""
    before = bisect_right(by_start, place, key=lambda sentence: sentence.start)
    found = by_start[before - 1] if before else None
    return found if found is not None and place < found.end else None
