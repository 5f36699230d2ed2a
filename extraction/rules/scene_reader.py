"""Read a scene by the English and Chinese rules, in linear time; rules prefer precision to recall. Pure."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from extraction.reader import THE_AGENT, THE_USER, Mention, ProposedFact, Quote, Reading, SceneLine, SceneText
from extraction.rules.decisions import with_decisions
from extraction.rules.en.language_pack import ENGLISH
from extraction.rules.engine import Draft, Speaker, read_agent_promises, read_facts
from extraction.rules.zh.language_pack import CHINESE
from extraction.temporal.phrases import spans_in
from extraction.text.name_forms import simplified_characters
from extraction.text.name_spotting import Found, load_words, names_in
from extraction.text.sentences import Sentence, has_cjk, split_sentences
from schema.fact import FactDetail
from schema.ids import name_key
from schema.labels import Role

# The rest of longer messages is not read.
READ_CHARS_MAX = 20_000
FACTS_PER_LINE_MAX = 40
MENTIONS_PER_LINE_MAX = 40
_DATED = frozenset({"lives in", "works at", "works as", "studies at", "married to"})
_AHEAD = frozenset({"plan", "promise"})


def read_scene(scene: SceneText, *, reader: str) -> Reading:
    """Return the facts that fresh lines of a scene state explicitly, and the names they mention."""
    if any(line.fresh and has_cjk(line.text) for line in scene.lines):
        load_words()
    facts: dict[tuple[str, str, str | None, str], ProposedFact] = {}
    mentions: dict[tuple[str, int], Mention] = {}
    for number, line in enumerate(scene.lines):
        if not line.fresh or line.role not in (Role.USER, Role.ASSISTANT):
            continue
        for fact in _facts_of(line, number, scene):
            key = (fact.subject, fact.predicate, fact.relation, name_key(fact.object))
            known = facts.get(key)
            facts[key] = fact if known is None or known.closes != fact.closes else _merged(known, fact)
        for name, kind in _names_of(line, scene):
            mentions.setdefault((name_key(name), number), Mention(name=name, line=number, entity_type=kind))
    return Reading(reader=reader, facts=tuple(facts.values()), mentions=tuple(mentions.values()))


def _merged(known: ProposedFact, again: ProposedFact) -> ProposedFact:
    """Merge a fact with a repetition of it; keep the evidence of both."""
    return replace(known, quotes=known.quotes + again.quotes, strength=max(known.strength, again.strength))


def _facts_of(line: SceneLine, number: int, scene: SceneText) -> Iterator[ProposedFact]:
    me = _subject_of_speaker(line, scene)
    speaker = Speaker(me=me, user_names=scene.user_names)
    text = line.text[:READ_CHARS_MAX]
    sentences = split_sentences(text)
    chinese = [sentence for sentence in sentences if has_cjk(sentence.text)]
    english = [sentence for sentence in sentences if not has_cjk(sentence.text)]
    if me == THE_AGENT:
        # Messages of the assistant mostly repeat the user or are polite; only its promises are facts.
        drafts = _by_agent(chinese, english, text, speaker)
    else:
        drafts = _chinese_facts(chinese, text, speaker) + read_facts(english, ENGLISH, speaker)
        drafts = list(with_decisions(drafts, sentences, speaker))
    distinct = [draft for draft in drafts if name_key(draft.subject) != name_key(draft.object)]
    for draft in distinct[:FACTS_PER_LINE_MAX]:
        yield _proposed(draft, line, number)


def _by_agent(chinese: list[Sentence], english: list[Sentence], text: str, speaker: Speaker) -> list[Draft]:
    characters = simplified_characters()
    plain = text.translate(characters)
    simplified = [replace(sentence, text=sentence.text.translate(characters)) for sentence in chinese]
    drafts = read_agent_promises(plain, simplified, CHINESE, speaker)
    return drafts + read_agent_promises(text, english, ENGLISH, speaker)


def _chinese_facts(sentences: list[Sentence], text: str, speaker: Speaker) -> list[Draft]:
    """Return the facts of Chinese sentences; rules are in simplified characters, names keep the script of the text."""
    characters = simplified_characters()
    plain = text.translate(characters)
    if plain == text:
        return read_facts(sentences, CHINESE, speaker)
    simplified = [replace(sentence, text=sentence.text.translate(characters)) for sentence in sentences]
    names = tuple(name.translate(characters) for name in speaker.user_names)
    drafts = read_facts(simplified, CHINESE, replace(speaker, user_names=names))
    return [_in_script_of(text, plain, draft) for draft in drafts]


def _in_script_of(text: str, plain: str, draft: Draft) -> Draft:
    """Write subject and object as the message does; `plain` is the message in simplified characters."""
    subject, name = _as_written(text, plain, draft.subject), _as_written(text, plain, draft.object)
    return replace(draft, subject=subject, object=name, statement=draft.statement.replace(draft.object, name))


def _as_written(text: str, plain: str, name: str) -> str:
    start = plain.find(name)
    return name if start < 0 else text[start : start + len(name)]


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


def _proposed(draft: Draft, line: SceneLine, number: int) -> ProposedFact:
    began = _start_of(draft, line)
    return ProposedFact(
        subject=draft.subject,
        predicate=draft.predicate,
        object=draft.object,
        statement=draft.statement,
        quotes=(Quote(line=number, start=draft.start, end=draft.end),),
        relation=draft.relation,
        subject_type=draft.subject_type,
        object_type=draft.object_type,
        strength=draft.strength,
        confidence=draft.confidence,
        valid_at=began[0],
        valid_by=began[1],
        trigger_emotion=draft.trigger_emotion,
        closes=draft.closes,
        detail=_detail_of(draft, line),
    )


def _detail_of(draft: Draft, line: SceneLine) -> FactDetail:
    """Return the kind of a fact with its details, and the coming time that a plan or promise names."""
    if draft.relation in _AHEAD and not draft.closes:
        for found in spans_in(line.text[draft.start : draft.end], line.said_at):
            start, end = found.span.start, found.span.end
            if start is not None and end is not None and end > line.said_at:
                return replace(draft.detail, mentioned_start=start, mentioned_end=end)
    return draft.detail


def _start_of(draft: Draft, line: SceneLine) -> tuple[datetime | None, datetime | None]:
    """Return the earliest and latest start of a fact, if its clause names a time in the past."""
    if draft.relation not in _DATED or draft.closes:
        return None, None
    for found in spans_in(line.text[draft.start : draft.end], line.said_at):
        start = found.span.start
        if start is not None and start < line.said_at:
            return start, found.span.end
    return None, None


def _names_of(line: SceneLine, scene: SceneText) -> list[Found]:
    ignore = (*scene.user_names, *scene.agent_names)
    return names_in(split_sentences(line.text[:READ_CHARS_MAX]), ignore)[:MENTIONS_PER_LINE_MAX]
