"""Analyse a question once: intent, answer type, times, search terms, names, and the role of the speaker. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from extraction.answer_values import Attribute, ValueKind, attribute_asked, value_asked
from extraction.embeddings.embedder import EmbeddedQuestion
from extraction.embeddings.late_interaction import QuestionTokens, words_of_name
from extraction.entities.kinship_terms import own_ties_in, ties_in
from extraction.list_questions import asks_list
from extraction.temporal.expressions_by_table import table_of
from extraction.temporal.phrases import plain, plain_apostrophes
from extraction.temporal.question_time import AskedTime, EventAnchor, QuestionTime, TimeAxis, time_asked
from extraction.text.chinese import HAN, is_chinese
from extraction.text.cues import asks_choice, asks_for_work, asks_usual, names_somebody, speaks_of_user
from extraction.text.fulltext_words import words_in
from extraction.text.glosses import english_gloss
from extraction.text.languages import is_english, is_english_or_chinese, tagged_language
from extraction.text.lexicon_en import word_set
from extraction.text.lexicon_zh import FORMERLY_WITH_VERB
from extraction.text.search_terms import Terms, stem_language, terms_of, topic_terms_of
from extraction.text.toml_files import filled, patterns_of, toml_of
from extraction.unreadable import read_or
from schema.ids import name_key
from schema.labels import Role
from schema.timespan import Timespan, as_utc


class Intent(StrEnum):
    """Intent of a question."""

    ENTITY = "entity"
    FACTUAL = "factual"
    TEMPORAL = "temporal"
    RELATIONAL = "relational"
    GENERAL = "general"


class AnswerType(StrEnum):
    """Type of thing that the answer to a question must contain."""

    WHEN = "when"
    WHERE = "where"
    WHO = "who"
    HOW_MANY = "how_many"
    WHY = "why"
    OTHER = "other"


class TimeReference(StrEnum):
    """The time that a question is about: NOW, FORMER (a state that has ended), DATED (a named time), or OPEN (none)."""

    NOW = "now"
    FORMER = "former"
    DATED = "dated"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnalysis:
    """Analysis of a question, for retrieval and ranking.

    Attributes:
        chars: length of the question.
        chinese: the question is mostly Chinese.
        intent: the intent.
        answer_type: the expected type of the answer.
        value_kind: kind of value that the answer must contain; None for other questions.
        asked_times: the time expressions in the question, in order.
        time: span from the first to the last of them, without vague ones ("recently"); candidates said or happening
            in it rank higher.
        time_axis: whether `time` refers to when something was said, when it happened, or either.
        anchors: events that the question refers to instead of a time ("before the wedding").
        event_time: time relative to the first of them, if the memory knows when it was.
        span: filter on when an answer was said.
        only_time: the question names a time and no topic ("what did I do on Friday?"): whatever was said or happened
            then is an answer.
        time_words: words of the times that it names, case folded.
        limited_by_text: `span` comes from the question's own words ("what did we discuss yesterday?").
        words: words for the full-text indexes, without time expressions.
        capitalized: words written with a capital, case folded: names, and the first word of a sentence.
        terms: search terms for BM25 among the candidates.
        topic_terms: terms of what the question is about, for the confidence.
        name_keys: keys of every part of the question that could be a name.
        entity_keys: `name_keys` in order, then keys of the hints and of the kinship words ("my sister").
        kinship_words: kinship words for the user's relatives in the question ("my sister", 我姐), in both languages.
        possible_names: capitalised words that may name somebody or something, case folded.
        time_reference: the time that the question is about.
        role: role of the speaker whose earlier statements the question asks about.
        asks_agent: the question asks what the agent said, does or will do ("did you promise", 你答应).
        asks_for_work: it asks the assistant to explain, write, plan or recommend something.
        asks_usual: it asks for what is so most of the time ("usually", 平时).
        asks_choice: it asks what somebody chose or decided ("did we go for", 选了哪个).
        asks_intention: the question is about what somebody plans, wants, thinks or was told to do.
        asks_list: the question asks for all of a kind ("which books have I finished?").
        attribute: attribute of a person that it asks for, such as the home; None for others.
        indirect_target: see `indirect_target`.
        vector, tokens: vector of the question, and vectors of its word pieces; None if the embedder has none.
        cross_language_vector: vector of the question for texts in the other language, see `Embedded`.
        glossed_terms: terms of the English gloss of a Chinese question, for English texts; empty for others.
        cross_language_tokens: vectors of its word pieces for such texts; None if there are none.
        by_meaning: it is in a language of which only vectors and words are compared: neither English nor Chinese.
        of_user: it has a word for the user ("my", 我, "ich") and does not ask who.
        names_somebody: it has words for somebody near the user ("my mate", "meine Kollegin").
    """

    chars: int = 0
    chinese: bool = False
    english: bool = True
    intent: Intent = Intent.GENERAL
    answer_type: AnswerType = AnswerType.OTHER
    value_kind: ValueKind | None = None
    asked_times: tuple[AskedTime, ...] = ()
    time: Timespan | None = None
    time_axis: TimeAxis = TimeAxis.EITHER
    anchors: tuple[EventAnchor, ...] = ()
    event_time: Timespan | None = None
    span: Timespan = field(default_factory=Timespan)
    only_time: bool = False
    time_words: frozenset[str] = frozenset()
    limited_by_text: bool = False
    words: tuple[str, ...] = ()
    capitalized: frozenset[str] = frozenset()
    terms: Terms = field(default_factory=Terms)
    topic_terms: Terms = field(default_factory=Terms)
    name_keys: frozenset[str] = frozenset()
    entity_keys: tuple[str, ...] = ()
    kinship_words: tuple[str, ...] = ()
    possible_names: frozenset[str] = frozenset()
    time_reference: TimeReference = TimeReference.OPEN
    role: Role | None = None
    asks_agent: bool = False
    asks_for_work: bool = False
    asks_usual: bool = False
    asks_choice: bool = False
    asks_intention: bool = False
    asks_list: bool = False
    attribute: Attribute | None = None
    indirect_target: str | None = None
    vector: Sequence[float] | None = None
    tokens: QuestionTokens | None = None
    cross_language_vector: Sequence[float] | None = None
    glossed_terms: Terms = field(default_factory=Terms)
    cross_language_tokens: QuestionTokens | None = None
    by_meaning: bool = False
    of_user: bool = False
    names_somebody: bool = False

    @property
    def names_others(self) -> bool:
        """Return whether the question may name somebody else than the user."""
        return bool(self.kinship_words or self.possible_names or self.names_somebody)

    @property
    def has_no_newest(self) -> bool:
        """Return whether several answers may hold at once, so that a newer one replaces none.

        In other languages than English and Chinese, what seems to ask for several answers mostly has one.
        """
        return self.asks_list and not self.by_meaning

    @property
    def asks_home(self) -> bool:
        """Return whether the question asks where the user lives, and not where at a named time."""
        present = self.time_reference in (TimeReference.NOW, TimeReference.OPEN) and self.time is None
        # Japanese and Spanish questions leave the subject out.
        of_user = (self.of_user or self.by_meaning) and not self.names_others
        return self.attribute is Attribute.HOME and present and of_user

    @property
    def passage_terms(self) -> Terms:
        """Return the search terms for texts of either language."""
        glossed = self.glossed_terms
        return Terms(
            stems=self.terms.stems + glossed.stems,
            strings=self.terms.strings + glossed.strings,
            language=self.terms.language,
        )


def analyse(
    text: str,
    *,
    reference: datetime,
    span: Timespan | None = None,
    embedded: EmbeddedQuestion | None = None,
    hints: Sequence[str] = (),
) -> QueryAnalysis:
    """Return the analysis of a question, without the parts that cannot be read.

    The first Chinese question loads a dictionary, which takes about a second.

    Args:
        reference: when the question is asked, in the zone that "today" refers to.
        span: filter on when an answer was said; takes precedence over one in the text.
        hints: names that the question may refer to without naming them.
    """
    text = _with_apostrophes(text)
    time = read_or(QuestionTime(), time_asked, text, reference)
    span = span or Timespan()
    limited = time.limit is not None and span.start is None and span.end is None
    topic = _without_user(time.topic_of(text))
    only_time = time.exact_span is not None and _has_no_topic(topic)
    # Without a time to search in, the words of the time are all there is to search for.
    topic = topic if only_time or words_in(topic) else _without_user(text)
    chinese = is_chinese(text)
    language = read_or("en", stem_language, text)
    words = tuple(read_or([], words_in, topic))
    value_kind = read_or(None, value_asked, text)
    expected_type = answer_type(value_kind)
    keys = read_or([], name_keys, text)
    possible_names = read_or(frozenset(), _possible_names, text, chinese=chinese)
    # Hints and kinship words retrieve elements that mention the person, but do not select a speaker.
    more_keys = (*(name_key(hint) for hint in hints), *read_or([], ties_in, text))
    embedding = embedded or EmbeddedQuestion(vector=[])
    return QueryAnalysis(
        chars=len(text),
        chinese=chinese,
        english=is_english(text),
        by_meaning=not is_english_or_chinese(text),
        of_user=speaks_of_user(text) and _PATTERNS["who"].search(text) is None,
        names_somebody=read_or(False, names_somebody, text),
        intent=read_or(Intent.GENERAL, intent_of, text, time, expected_type),
        answer_type=expected_type,
        value_kind=value_kind,
        asked_times=time.asked,
        time=time.exact_span,
        time_axis=time.axis(as_utc(reference)),
        anchors=time.anchors,
        span=time.limit if limited and time.limit else span,
        only_time=only_time,
        time_words=frozenset(word for asked in time.asked for word in words_of_name(asked.phrase.casefold())),
        limited_by_text=limited,
        words=words,
        capitalized=frozenset(word.casefold() for word in _PATTERNS["capitalized"].findall(text)),
        terms=Terms() if only_time else read_or(Terms(), terms_of, topic, characters=chinese, language=language),
        glossed_terms=read_or(Terms(), lambda: terms_of(english_gloss(topic)))
        if chinese and not only_time
        else Terms(),
        topic_terms=read_or(Terms(), topic_terms_of, topic, language=language),
        name_keys=frozenset(keys),
        entity_keys=(*keys, *(key for key in more_keys if key and key not in keys)),
        kinship_words=tuple(read_or([], own_ties_in, text, names_nobody=not possible_names)),
        possible_names=possible_names,
        time_reference=read_or(TimeReference.OPEN, time_reference, text, time),
        role=read_or(None, role_asked, text),
        asks_agent=read_or(False, asks_agent, text),
        asks_for_work=read_or(False, asks_for_work, text),
        asks_usual=read_or(False, asks_usual, text),
        asks_choice=read_or(False, asks_choice, text),
        asks_intention=_PATTERNS["of_intention"].search(plain(text[:_INTENT_READ_CHARS_MAX])) is not None,
        asks_list=read_or(False, asks_list, text),
        attribute=read_or(None, attribute_asked, text),
        indirect_target=read_or(None, indirect_target, text),
        vector=embedding.vector or None,
        tokens=embedding.tokens,
        cross_language_vector=embedding.cross_language_vector,
        cross_language_tokens=embedding.cross_language_tokens,
    )


_TABLES: Final = toml_of("extraction", "query_analysis.toml")
_WORDS: Final[Mapping[str, str]] = _TABLES["words"]
_QUESTION_WORD_ZH: Final = "什么|啥|哪|谁|几(?!乎)|怎|为何|如何|何时|多[少大久长高远]"
_PATTERNS: Final = patterns_of(
    _TABLES["patterns"],
    {**_TABLES["parts"], "question_word_zh": _QUESTION_WORD_ZH, "formerly": FORMERLY_WITH_VERB},
)


def _with_apostrophes(question: str) -> str:
    """Return a question with the apostrophes of common contractions: "who's the guy I'm dating"."""

    def spelled(found: re.Match[str]) -> str:
        first, second, person, verb, negated, t = found.groups()
        if negated:
            return f"{negated}n'{t}"
        return f"{first or person}'{second or verb}"

    return _PATTERNS["contracted"].sub(spelled, question)


def _without_user(text: str) -> str:
    """Remove "the user" and 用户 from a question; return it unchanged if no other words are left."""
    left = _PATTERNS["the_user"].sub(" ", text)
    return left if re.search(r"\w", left) else text


_ANYTHING: Final = word_set(_WORDS["anything"])


def _has_no_topic(topic: str) -> bool:
    """Return whether a question without its times names nothing that it is about."""
    words = re.findall(
        r"[^\W_]+", _PATTERNS["anything_zh"].sub(" ", plain_apostrophes(topic[:_INTENT_READ_CHARS_MAX])).lower()
    )
    return all(word in _ANYTHING or word in ("s", "d", "ve", "m", "re", "ll", "t", "didn", "don") for word in words)


# Intent and answer type.

_INTENT_READ_CHARS_MAX: Final = 2_000
_NAME_WORDS_MAX: Final = 3
_TYPE_OF_VALUE: Final = {
    ValueKind.DATE: AnswerType.WHEN,
    ValueKind.CLOCK: AnswerType.WHEN,
    ValueKind.PLACE: AnswerType.WHERE,
    ValueKind.PERSON: AnswerType.WHO,
    ValueKind.REASON: AnswerType.WHY,
    ValueKind.MONEY: AnswerType.HOW_MANY,
    ValueKind.CODE: AnswerType.HOW_MANY,
    ValueKind.AGE: AnswerType.HOW_MANY,
    ValueKind.DURATION: AnswerType.HOW_MANY,
    ValueKind.COUNT: AnswerType.HOW_MANY,
}
_NO_NAME_EN = word_set(_WORDS["openers"])
_HAN_NAME = re.compile(rf"[{HAN}]{{2,4}}")
_WORD = re.compile(r"[^\W_][\w'’.&-]*")
_LINK = frozenset({"of", "the", "de", "la", "van", "von", "and", "&"})


def answer_type(kind: ValueKind | None) -> AnswerType:
    """Return the type of the answer to a question for a kind of value; OTHER without one."""
    return AnswerType.OTHER if kind is None else _TYPE_OF_VALUE.get(kind, AnswerType.OTHER)


def intent_of(question: str, time: QuestionTime, expected_type: AnswerType) -> Intent:
    """Return the intent of a question.

    A name alone (two to four Chinese characters, or up to three capitalised words) asks for an entity; a question that
    asks for a time or names one is temporal; one about how people or things are connected is relational.
    """
    question = question[:_INTENT_READ_CHARS_MAX]
    text = plain(question)
    if not time.asked and _is_name(question):
        return Intent.ENTITY
    if expected_type is AnswerType.WHEN:
        return Intent.TEMPORAL
    if _PATTERNS["relational"].search(text):
        return Intent.RELATIONAL
    if time.asked or _PATTERNS["order"].search(text):
        return Intent.TEMPORAL
    return Intent.FACTUAL if _PATTERNS["asking"].search(text) else Intent.GENERAL


def _is_name(question: str) -> bool:
    name = question.strip().strip("？?。.!！\"'“”「」《》 ")
    if _HAN_NAME.fullmatch(name):
        return not _PATTERNS["no_name_zh"].search(name)
    words = name.split()
    if not 1 <= len(words) <= _NAME_WORDS_MAX or not all(_WORD.fullmatch(word) for word in words):
        return False
    if not name.isascii() and _HAN_NAME.search(name):
        return False
    capitalized = [word for word in words if word.lower() not in _LINK]
    return (
        bool(capitalized)
        and words[0].lower() not in _NO_NAME_EN
        and all(any(c.isupper() for c in word) or word.isdigit() for word in capitalized)
        and any(any(c.isupper() for c in word) for word in capitalized)
    )


# Role of the speaker that a question asks about: the agent, addressed as "you", or the user.
#
# Only past speech counts: "what do you recommend?" asks for something new. A speaker called by name is found by that
# name.

_SPEAKER_READ_CHARS_MAX: Final = 400


def _english_speech(speaker: str, who: str, more: str) -> re.Pattern[str]:
    """Return a pattern of what somebody said: "did you say", "have you said", "you've said", "you said"."""
    verbs = _WORDS["saying"] + _WORDS[more]
    pairs = [verb.split() for verb in verbs.replace("\n", "/").split("/") if verb.strip()]
    first, past = ("|".join(one.replace(".", " ") for one in forms) for forms in zip(*pairs, strict=True))
    parts = {**_TABLES["speech_en"], "who": who, "first": first, "past": past}
    return re.compile(filled(parts[speaker], parts), re.IGNORECASE)


def _chinese_speech(who: str, to: str) -> re.Pattern[str]:
    parts = {**_TABLES["speech_zh"], "who": who, "to": to, "formerly": FORMERLY_WITH_VERB}
    return re.compile(filled(parts["speech"], parts))


_AGENT_EN, _USER_EN = _english_speech("agent", "you", "advising"), _english_speech("user", "i", "telling")
_AGENT_ZH, _USER_ZH = _chinese_speech("[你您]", "我"), _chinese_speech("[我俺咱]", "[你您]")


def role_asked(question: str) -> Role | None:
    """Return the role of the speaker whose statements are asked for: the first of several, or None."""
    text = question[:_SPEAKER_READ_CHARS_MAX].replace("’", "'")
    if _PATTERNS["spoken_to"].search(text):
        return None
    simple = plain(text)
    matches = {
        Role.ASSISTANT: (_AGENT_EN.search(text), _AGENT_ZH.search(simple)),
        Role.USER: (_USER_EN.search(text), _USER_ZH.search(simple)),
    }
    first = {role: min(one.start() for one in ones if one) for role, ones in matches.items() if any(ones)}
    return min(first, key=first.__getitem__) if first else None


def asks_agent(question: str) -> bool:
    """Return whether a question asks what the agent said, does or will do, rather than about its user."""
    text = plain_apostrophes(question[:_SPEAKER_READ_CHARS_MAX])
    return _PATTERNS["asks_agent"].search(text) is not None


# The state of affairs that a question asks about.


def time_reference(question: str, time: QuestionTime) -> TimeReference:
    """Return the time that a question is about; "now" takes precedence, then a named time.

    "How old", "first name", and "before" in a question in the present tense are not about a former state.
    """
    text = plain(question[:_INTENT_READ_CHARS_MAX])
    table = table_of(text)
    if (table.now if table else _PATTERNS["now"]).search(_PATTERNS["before_now"].sub(" before ", text)):
        return TimeReference.NOW
    if time.exact_span is not None:
        return TimeReference.DATED
    return TimeReference.FORMER if _names_former(text) else TimeReference.OPEN


def _names_former(text: str) -> bool:
    if (table := table_of(text)) is not None:
        return table.former.search(text) is not None
    text = _PATTERNS["no_former"].sub(" ", text)
    if _PATTERNS["present"].search(text):
        text = _PATTERNS["before_event"].sub(" ", text)
    return _PATTERNS["former"].search(text) is not None


def asks_what_ended(question: str) -> bool:
    """Return whether a question is about a former state, or about whether something is still true.

    Ended facts belong in the answer to such a question.
    """
    text = plain(question[:_INTENT_READ_CHARS_MAX])
    return _PATTERNS["continues"].search(text) is not None or _names_former(text)


# Indirect questions: "what does my sister's employer sell?" names the sister, but the answer is a fact about her
# employer, two hops away.

_TARGET_READ_CHARS_MAX: Final = 400
_OWN_EN: Final = word_set(_WORDS["own"])
# Words after which 's is not a possessive ("what's", "let's").
_NO_OWNER: Final = frozenset(
    ("what", "who", "where", "when", "how", "that", "it", "he", "she", "there", "here", "let", "why")
)
_AUXILIARY = re.compile(r"\b(?:do|does|did|has|have|had|can|could|will|would|should)\b")
_WHO_DOES = re.compile(rf"^(?:who|what|which \w+) (?!(?:is|are|was|were)\b|{_AUXILIARY.pattern})[a-z]+\b")
_ASKED_ZH = re.compile(rf"{_QUESTION_WORD_ZH}|吗")
_IS_ZH = re.compile(rf"^[^，。]{{1,8}}?(?:是|叫)(?:{_QUESTION_WORD_ZH})")


def indirect_target(question: str) -> str | None:
    """Return a question from the possessed noun on, if it names its target indirectly; else None.

    For "What does my sister's employer sell?", this is "employer sell?", in lower case. Attributes of the person, such
    as a birthday, do not count.
    """
    text = plain_apostrophes(question[:_TARGET_READ_CHARS_MAX])
    return _indirect_target_en(text) or _indirect_target_zh(text)


def begins_with(target: str, key: str) -> bool:
    """Return whether an `indirect_target` begins with the name that has this key, or its plural."""
    rest = target.removeprefix(key)
    return rest != target and not _PATTERNS["goes_on"].match(rest.removeprefix("s"))


def _indirect_target_en(text: str) -> str | None:
    found = _PATTERNS["of_somebody_en"].search(text)
    if found is None or found[1] in _NO_OWNER or found[2] in _OWN_EN:
        return None
    before, more = text[: found.start()], re.search(r"\w", found[3]) is not None
    asks = _AUXILIARY.search(before) is not None or _PATTERNS["place_or_way"].search(before) is not None
    return found[2] + found[3] if _WHO_DOES.search(before) or (more and asks) else None


def _indirect_target_zh(text: str) -> str | None:
    found = _PATTERNS["of_somebody_zh"].search(text)
    if found is None or _ASKED_ZH.search(found[1]) is None or _IS_ZH.search(found[1]) is not None:
        return None
    return found[1]


# Names.

_NAME_WORD: Final = re.compile(r"[^\W_]+")
_HAN: Final = re.compile(rf"[{HAN}]+")
_KEYS_MAX: Final = 400
_KEY_WORDS_MAX: Final = 4
_KEY_CHARS_MAX: Final = 8
_LETTER: Final = re.compile(r"[^\W\d_]")
_CALENDAR: Final = word_set(_WORDS["calendar"])


def name_keys(text: str) -> list[str]:
    """Return every part of a question that could be a name: up to four Latin words, or two to eight Chinese characters.

    Latin keys are in singular and plural, because an entity keeps the form in which it was first named. At most 400.
    """
    folded = text.casefold()
    keys: dict[str, None] = {}
    # Chinese may follow a Latin name without a space: "Caroline什么时候来？"
    for latin in map(_NAME_WORD.findall, _HAN.split(folded)):
        for size in range(1, _KEY_WORDS_MAX + 1):
            for i in range(len(latin) - size + 1):
                key = " ".join(latin[i : i + size])
                keys[key] = None
                keys[key[:-1] if key.endswith("s") and len(key) > 3 else f"{key}s"] = None
    for run in _HAN.findall(folded):
        for size in range(2, min(_KEY_CHARS_MAX, len(run)) + 1):
            for i in range(len(run) - size + 1):
                keys[run[i : i + size]] = None
    return list(keys)[:_KEYS_MAX]


def _possible_names(text: str, *, chinese: bool) -> frozenset[str]:
    """Return the capitalised words without the first of a question, unless it is Chinese; none of a German question.

    The first word is always capitalised, also after "¿"; in German so is every noun.
    """
    if tagged_language(text) == "de":
        return frozenset()
    opening = None if chinese else _LETTER.search(text)
    first = 0 if opening is None else opening.end()
    names = (found.group().casefold() for found in _PATTERNS["possible_name"].finditer(text) if found.start() >= first)
    return frozenset(names) - _CALENDAR
