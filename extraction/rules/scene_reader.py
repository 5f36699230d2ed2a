"""Read a scene by the tags of its messages, in linear time; precision comes before recall. Pure."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from extraction.rules.drafts import Draft, Speaker
from extraction.rules.en import agent_promises as agent_promises_en
from extraction.rules.en.untagged import read_untagged
from extraction.rules.en.wording import ENGLISH_WORDING
from extraction.rules.fact_wordings import CHINESE_WORDING
from extraction.rules.rule_reader import corrections_in
from extraction.rules.tag_facts import facts_of_tags, is_kin, same_fact, same_plan
from extraction.rules.tag_languages import tagged_facts
from extraction.rules.tags import Tag
from extraction.rules.valid_times import TimedText, is_temporary, timed, with_told_period
from extraction.rules.zh import agent_promises as agent_promises_zh
from extraction.text.chinese import HAN
from extraction.text.corrections import Correction
from extraction.text.languages import tagged_language
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
    corrections = corrections_in(scene)
    for number, line in enumerate(scene.lines):
        if not line.fresh or line.role not in (Role.USER, Role.ASSISTANT):
            continue
        correction = corrections.get(number)
        spoken = replace(line, text=correction.text) if correction and correction.text else line
        read = read_or([], _facts_of, spoken, number, scene, tags.get(number))
        if correction is not None:
            read = [replace(fact, quotes=(Quote(line=number),)) for fact in read]
            read += read_or([], _withdrawn, correction, number, read, scene, facts, tags)
        for fact in read:
            key = _key_of(fact)
            known = facts.get(key)
            facts[key] = fact if known is None or known.closes != fact.closes else _merged(known, fact)
        for name, kind in read_or([], _names_of, line, scene):
            mentions.setdefault((name_key(name), number), Mention(name=name, line=number, entity_type=kind))
    return Reading(reader=reader, facts=tuple(facts.values()), mentions=tuple(mentions.values()))


def _key_of(fact: ProposedFact) -> tuple[str, str, str | None, str]:
    return fact.subject, fact.predicate, fact.relation, name_key(fact.object)


def _withdrawn(
    correction: Correction,
    number: int,
    corrected: Sequence[ProposedFact],
    scene: SceneText,
    facts: dict[tuple[str, str, str | None, str], ProposedFact],
    tags: Mapping[int, Sequence[Tag]],
) -> list[ProposedFact]:
    """Return the ends of an earlier line's wrong facts, which may have been read before, without them in `facts`.

    If the correction does not tell which words were wrong, only the fact of a line with a single one is.

    Args:
        number: the line that corrects it.
        corrected: facts of the corrected line, which take their place.
    """
    earlier, wrong_max = correction.earlier, 1 if correction.text is None else FACTS_PER_LINE_MAX
    kept = {_key_of(fact) for fact in corrected}
    if scene.lines[earlier].fresh:
        said = [fact for fact in facts.values() if {quote.line for quote in fact.quotes} == {earlier}]
        for fact in said if len(said) <= wrong_max else ():
            del facts[_key_of(fact)]
    else:
        said = _facts_of(scene.lines[earlier], number, scene, tags.get(earlier))
    wrong = [fact for fact in said if _key_of(fact) not in kept and not fact.closes]
    wrong = wrong if len(wrong) <= wrong_max else []
    return [replace(fact, closes=True, corrects=True, quotes=(Quote(line=number),)) for fact in wrong]


def _merged(known: ProposedFact, again: ProposedFact) -> ProposedFact:
    """Merge a fact with a repetition of it; keep the evidence of both."""
    return replace(known, quotes=known.quotes + again.quotes, strength=max(known.strength, again.strength))


def _facts_of(line: SceneLine, number: int, scene: SceneText, tags: Sequence[Tag] | None) -> list[ProposedFact]:
    me = _subject_of_speaker(line, scene)
    speaker = Speaker(me=me, user_names=scene.user_names)
    text = line.text[:READ_CHARS_MAX]
    language = None if me == THE_AGENT else tagged_language(text)
    sentences = sorted(split_sentences(text), key=lambda one: one.start)
    if language is not None:
        # No times: these languages have no time expressions.
        untimed = TimedText(text, (), line.said_at)
        return [
            _proposed(draft, untimed, sentences, number)
            for draft in tagged_facts(text, tags or (), speaker, language)[:FACTS_PER_LINE_MAX]
        ]
    chinese = [sentence for sentence in sentences if has_cjk(sentence.text) and not _is_english(sentence.text)]
    english = [sentence for sentence in sentences if not has_cjk(sentence.text) or _is_english(sentence.text)]
    times_of = cache(partial(timed, said_at=line.said_at))
    if me == THE_AGENT:
        # Messages of the assistant mostly repeat the user or are polite; only its promises are facts.
        drafts = _by_agent(chinese, english, text, speaker)
    else:
        drafts = list(read_untagged(english, speaker))
        tagged = read_or([], facts_of_tags, text, tags, speaker) if tags is not None else []
        drafts += [one for one in tagged if not any(same_fact(one, known) for known in drafts)]
        drafts = _with_joined_homes(drafts, text)
        drafts = list(with_decisions([*drafts, *_relatives_told(drafts, speaker)], sentences, speaker))
    distinct = [draft for draft in drafts if name_key(draft.subject) != name_key(draft.object)]
    clauses = [(draft, _clause_of(draft, sentences, times_of)) for draft in distinct[:FACTS_PER_LINE_MAX]]
    return [_proposed(draft, clause, sentences, number) for draft, clause in clauses if not is_temporary(draft, clause)]


def _with_joined_homes(drafts: Sequence[Draft], text: str) -> list[Draft]:
    """Return drafts in which a relative's home and the place where it lies are one home: 搬到儿子家，麓湖那边."""
    homes = [one for one in drafts if one.relation == "lives in" and not one.closes]
    kin = [one for one in homes if one.object.endswith("家") and is_kin(one.object.removesuffix("家"))]
    joined = {
        place: replace(place, statement=home.statement.rstrip("。") + f"，在{place.object}。")
        for home in kin
        for place in homes
        if place not in kin and place.subject == home.subject and home.end <= place.start
        # In a clause without a verb.
        if not text[home.end : place.start].strip("，, 就在")
    }
    told = {home for home in kin if any(one.subject == home.subject for one in joined)}
    return [joined.get(one, one) for one in drafts if one not in told]


_TELLS_OF_KIN: Final = frozenset({"works as", "works at", "lives in"})


def _relatives_told(drafts: Sequence[Draft], speaker: Speaker) -> Iterator[Draft]:
    """Yield that the speaker has the relatives of whom something was read: "my sister is an assistant"."""
    known = {one.relation for one in drafts if one.subject == speaker.me}
    for one in drafts:
        kin = one.subject
        told = has_cjk(kin) or one.relation in _TELLS_OF_KIN or one.predicate in TASTES
        if told and not one.closes and kin not in known and is_kin(kin):
            known.add(kin)
            wording = CHINESE_WORDING if has_cjk(kin) else ENGLISH_WORDING
            says = wording.has_relative(kin).format(s=speaker.label(speaker.me, wording.unknown_user), o=kin)
            has = replace(one, subject=speaker.me, subject_type=None, object=kin, object_type=EntityType.PERSON)
            yield replace(has, predicate="RELATES_TO", relation=kin, statement=says[:1].upper() + says[1:])


def _by_agent(chinese: list[Sentence], english: list[Sentence], text: str, speaker: Speaker) -> list[Draft]:
    drafts: list[Draft] = []
    if not agent_promises_zh.drafts_text(text.translate(simplified_characters())):
        for sentence in chinese:
            plain = replace(sentence, text=sentence.text.translate(simplified_characters()))
            drafts += agent_promises_zh.read_agent_promises(plain, speaker)
    if not agent_promises_en.drafts_text(text):
        drafts += (one for sentence in english for one in agent_promises_en.read_agent_promises(sentence, speaker))
    return drafts


# "My wife 晓雯 is a nurse" is English.
_LATIN_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_ENGLISH_WORD: Final = re.compile(
    r"\b(?:I|I['’]?m|my|we|our|he|she|his|her|they|is|are|was|has|have|the|an?|with|in|and|called|named)\b",
    re.IGNORECASE,
)
_HAN: Final = re.compile(rf"[{HAN}]")
_ENGLISH_WORDS_MIN: Final = 3


def _is_english(text: str) -> bool:
    """Return whether a text with Chinese characters is an English sentence with Chinese names or words."""
    words = len(_LATIN_WORD.findall(text))
    if words < _ENGLISH_WORDS_MIN or words <= len(_HAN.findall(text)):
        return False
    return _ENGLISH_WORD.search(text) is not None


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


def _proposed(draft: Draft, clause: TimedText, by_start: Sequence[Sentence], number: int) -> ProposedFact:
    """Return a fact with its times; its quote is the sentence that states it."""
    sentence = _sentence_at(draft.start, by_start)
    start, end = (draft.start, draft.end) if sentence is None else (sentence.start, max(sentence.end, draft.end))
    draft, told = with_told_period(draft, clause)
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
        **told._asdict(),
        trigger_emotion=draft.trigger_emotion,
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
    if tagged_language(line.text[:READ_CHARS_MAX]) is not None:
        # Capitals and Chinese words, by which names are spotted, are no sign of one.
        return []
    ignore = (*scene.user_names, *scene.agent_names)
    return names_in(split_sentences(line.text[:READ_CHARS_MAX]), ignore)[:MENTIONS_PER_LINE_MAX]


# Decisions: plans that the speaker decided on, with the reason if the sentence gives one.
_DECIDED_EN: Final = re.compile(
    r"(?:^|\b(?:I|we)(?:['’](?:ve|d))?(?: (?!he\b|she\b|they\b|who\b)[\w’'-]+){0,6} )"
    r"(?:decided|made up my mind|resolved|opted)\b",
    re.IGNORECASE,
)
_REASON_EN: Final = (
    re.compile(
        r"(?:\bbecause of|\bbecause|\bdue to|\bon account of|\bfor the sake of|"
        r"\bsince(?= (?:I|we|my|our|it|he|she|they|there|the)\b)|"
        r"\bdecided\b.*\bso(?: that)?(?= (?:I|we|my|our|it|he|she|they|there|the)\b)) "
        r"(?P<why>(?:(?!, (?:I|we)\b)[^.!?;\n]){2,200})",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?P<why>[^.!?;\n]{2,200}?),? (?:so|which is why|that is why|that['’]s why) (?:I|we)\b", re.IGNORECASE
    ),
)
# A Chinese sentence often leaves "I" out.
_DECIDED_ZH: Final = re.compile(
    "(?:(?:我|咱)们?[^，。！？]{0,6}|(?:^|[，。；！？])"
    "(?:之?所以|于是|因此|最[后终]|终于|还是|已经|刚刚?|今天|昨天|现在|后来|就|都|也){0,3})(?:决定|下定决心|拿定主意)"
)
_REASON_ZH: Final = (
    re.compile(r"(?:因为|由于|为了|考虑到|原因是|主要是|毕竟|实在是)(?P<why>[^，。！？；\n]{1,60})"),
    re.compile(r"^(?P<why>[^。！？；\n]{2,60}?)[，,](?:所以|因此|于是)"),
)
_EFFECT_ZH: Final = re.compile("^(?:决定|下定决心|拿定主意)(?:了|要|去)?(?P<o>.{2,30})$")
_PLANS: Final = frozenset({"plan", "goal"})


def with_decisions(drafts: Iterable[Draft], by_start: Sequence[Sentence], speaker: Speaker) -> Iterator[Draft]:
    """Yield the drafts, the speaker's decisions with their kind and reason.

    Where only the reason of a decision was read (`因为太贵，我决定不买车`), the decision is added.
    """
    drafts = list(drafts)
    for draft in drafts:
        sentence = _sentence_at(draft.start, by_start)
        decided = None if sentence is None or draft.closes else _decision(draft, sentence, drafts, speaker)
        yield decided or draft
        effect = _EFFECT_ZH.match(draft.subject) if draft.predicate == "CAUSED_BY" else None
        if effect is None or sentence is None or not _DECIDED_ZH.search(sentence.text):
            continue
        if not any(one.relation == "plan" and same_plan(one.object, effect["o"]) for one in drafts):
            yield _from_reason(draft, effect["o"], speaker)


def _sentence_at(place: int, by_start: Sequence[Sentence]) -> Sentence | None:
    """Return the sentence that contains a place in the text; None between sentences."""
    before = bisect_right(by_start, place, key=lambda sentence: sentence.start)
    found = by_start[before - 1] if before else None
    return found if found is not None and place < found.end else None


def _decision(draft: Draft, sentence: Sentence, drafts: Iterable[Draft], speaker: Speaker) -> Draft | None:
    """Return the draft as a decision; None if the speaker did not say that they decided it.

    Args:
        drafts: all of the message, of which causes in the same sentence are reasons.
    """
    text = sentence.text
    if draft.subject != speaker.me or draft.relation not in _PLANS:
        return None
    chinese = _DECIDED_ZH.search(text)
    if not chinese and not _DECIDED_EN.search(text):
        return None
    told = (found["why"] for pattern in (_REASON_ZH if chinese else _REASON_EN) if (found := pattern.search(text)))
    causes = (one for one in drafts if one.predicate == "CAUSED_BY" and sentence.start <= one.start < sentence.end)
    reasons = [*told, *(one.object for one in causes if same_plan(one.subject, draft.object))]
    detail = FactDetail(kind=FactKind.DECISION, rationale=reasons[0].strip(" ,，") if reasons else None)
    statement = draft.statement.replace(" wants to ", " decided to ", 1).replace("打算", "决定", 1)
    # As the tags say it.
    statement = statement.replace(" plans: ", " decided: ", 1).replace("的计划：", "决定：", 1)
    return replace(draft, detail=detail, statement=statement)


def _from_reason(draft: Draft, obj: str, speaker: Speaker) -> Draft:
    user = speaker.label(speaker.me, "用户")
    return Draft(
        subject=speaker.me,
        predicate="CARES_ABOUT",
        object=obj,
        statement=f"{user}决定{obj}。",
        start=draft.start,
        end=draft.end,
        relation="plan",
        object_type=EntityType.ACTIVITY,
        strength=0.7,
        confidence=0.75,
        detail=FactDetail(kind=FactKind.DECISION, rationale=draft.object),
    )
