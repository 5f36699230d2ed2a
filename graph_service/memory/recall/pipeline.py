"""Answer a question: check, embed, analyse, retrieve candidates in one round trip, rank, and cut one page.

A question that refers to an event ("before the wedding") takes a round trip more, which finds out when that was.

Start with `recall`; `with_evidence` then completes the texts of the evidence.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, TypeVar

from extraction.bounded_threads import BoundedThreads
from extraction.embeddings.embedder import (
    AnswerScorer,
    EmbeddedQuestion,
    Embedder,
    embed_question,
)
from extraction.query_analysis import QueryAnalysis, analyse
from extraction.text.fillers import plain_question
from extraction.text.passages import passage
from graph_service.config.sections import RecallSettings
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.messages.log import ALL_MESSAGES, MatchingMessages, matching_messages
from graph_service.memory.recall.answer_ranking import (
    HOME_QUESTIONS,
    SCORED_N,
    STAY_QUESTION,
    answer_weight,
    answers_of,
    ranked_by_answers,
    to_score,
    without_stays,
)
from graph_service.memory.recall.candidates import CandidateSet, Hit, LayerSimilarities, Removed
from graph_service.memory.recall.confidence import (
    RELEVANT_MIN,
    ConfidenceFeatures,
    confidence_features,
    confidence_of,
)
from graph_service.memory.recall.corrections import parts_of
from graph_service.memory.recall.event_time import event_parameters, with_event_time
from graph_service.memory.recall.final_order import above, below_replacements, page_of, without_repeats
from graph_service.memory.recall.query import HitKind, Mode, Question, ResolvedQuestion, resolve_question
from graph_service.memory.recall.ranking import (
    dialogue_share,
    is_conversation,
    long_answer_share,
    rank,
    weights_for,
    with_factors,
    with_question_weights,
)
from graph_service.memory.recall.ranking_modes import DEFAULTS, Ordered, by_layers, by_similarity_and_importance
from graph_service.memory.recall.replacement_ranking import (
    BRIEF_QUESTION,
    NEWER_SCORE_MIN,
    TextPair,
    asks_lasting,
    ranked_by_replacements,
    to_compare,
)
from graph_service.memory.recall.retrieval import (
    candidates_in,
    filtered,
    layer_scores_in,
    messages_per_channel,
    recall_parameters,
)
from graph_service.observability.metrics import RECALL_SIMILARITY
from schema.errors import InstallError, MisreadError, MnemosceneError, UnavailableError
from schema.ids import TenantId
from schema.timespan import iso

_Item = TypeVar("_Item")

# Ranking this much text takes about 20 ms; more is ranked in a thread, so as not to block the event loop.
_RANKED_HERE_CHARS: Final = 50_000
_RANKING: Final = BoundedThreads(cpu_max_s=30.0)
# Scoring takes some 30 ms, and longer behind other questions.
_SCORING_MAX_S: Final = 5.0
# Channels that stop at a number of messages; others return all that there are.
_SEARCHED: Final = ("vector", "words", "stems", "time", "happened", "other_language")
# Log odds by which another part of a corrected message answers better than the corrected one.
_OTHER_ODDS: Final = 1.0
# And those by which the whole message answers better still: 19 questions in four languages.
_WHOLE_ODDS: Final = 1.6
_BUSY: Final = "the models that score answers are busy: ranked by words, meaning and time only"
# Total length of the texts of hits, and of those of evidence, that the answers to one request return in full; length of
# each truncated one.
HIT_CHARS_MAX: Final = 400_000
EVIDENCE_CHARS_MAX: Final = 400_000
CUT_CHARS: Final = 100


@dataclass(slots=True, kw_only=True)
class TextBudget:
    """Characters that the answers to one request may still return in full, of all its aliases together."""

    hits: int = HIT_CHARS_MAX
    evidence: int = EVIDENCE_CHARS_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Hits, best first, with metadata.

    Attributes:
        search_path: the search channels that returned candidates; in the layered mode, the steps that were tried.
        notes: what was missing, for example an unavailable embedder.
        analysis: analysis of the question.
        features: features from which `confidence` was estimated.
        confidence: 0 to 1: probability that the memory contains an answer; None if not estimated.
        degraded: Neo4j is unavailable: results of a keyword search in spooled messages and the last snapshot.
        snapshot_age_s: age of the searched snapshot; None if none was searched.
        removed: candidates that were left out.
        next_cursor: pass it as `after` for the next hits; None at the end.
    """

    hits: tuple[Hit, ...]
    search_path: tuple[str, ...]
    notes: tuple[str, ...]
    analysis: QueryAnalysis = field(default_factory=QueryAnalysis)
    features: ConfidenceFeatures | None = None
    confidence: float | None = None
    degraded: bool = False
    snapshot_age_s: float | None = None
    removed: tuple[Removed, ...] = ()
    next_cursor: str | None = None

    @property
    def nothing_relevant(self) -> bool:
        """The memory probably contains no answer."""
        return not self.hits or (self.confidence is not None and self.confidence < RELEVANT_MIN)


async def recall(
    graph: Graph,
    embedder: Embedder | None,
    tenant: TenantId,
    question: Question,
    *,
    now: datetime,
    hints: Sequence[str] = (),
    settings: RecallSettings = DEFAULTS,
    no_embedder: str = "no embedder is configured",
) -> Answer:
    """Return the answer to a question from a user's memory.

    Args:
        hints: names that the question may refer to without naming them.
        settings: weights and the mode; a question may choose another mode.
        no_embedder: why `embedder` is None.

    Raises:
        InputError: the question is invalid.
        UnavailableError: Neo4j does not answer.
        TooSlowError: ranking the candidates took too long.
    """
    asked = resolve_question(tenant, question, now=now)
    question = replace(question, text=plain_question(question.text))
    embedded, notes = await _embedded(embedder, question.text, no_embedder)
    # In a thread, because the first Chinese question loads a dictionary, which takes about a second.
    analysis = await asyncio.to_thread(
        analyse, question.text, reference=asked.reference, span=asked.span, embedded=embedded, hints=hints
    )
    if analysis.anchors and analysis.time is None:
        rows = await graph.read(statement("recall/event_times"), event_parameters(asked, analysis))
        analysis, noted = with_event_time(analysis, rows, question.text, zone=asked.reference.tzinfo or UTC)
        notes = (*notes, *noted)
    meant = await matching_messages(graph, tenant, question.user_id, question.filters.where)
    read = partial(_read_candidates, graph, asked, matching=meant)
    try:
        row = await read(analysis)
    except MnemosceneError as error:
        if embedded is None or isinstance(error, UnavailableError):
            raise
        # Another process has changed the embedder: the indexes are of another size, or are being replaced.
        notes, embedded = (*notes, "the stored vectors are of another embedder: searched by words and names only"), None
        analysis = replace(analysis, vector=None, tokens=None, cross_language_vector=None, cross_language_tokens=None)
        row = await read(analysis)
    found, mode = candidates_in(row, question.kinds, analysis), question.mode or Mode(settings.mode)
    layers = await _layer_similarities(graph, asked, analysis, found) if mode is Mode.LAYERED else {}
    matching, refused = filtered(found, asked, analysis)
    _measure_similarity(found)

    dialogue = dialogue_share(found.messages)
    weights = weights_for(
        chinese=analysis.chinese,
        vectors=embedder is not None,
        tokens=analysis.tokens is not None,
        chars=analysis.chars,
        dialogue=dialogue,
        long_answers=long_answer_share(found.messages),
    )
    weights = with_factors(with_question_weights(weights, analysis), settings)

    def in_order() -> Ordered:
        if mode is Mode.LAYERED:
            return by_layers(matching.candidates, layers, settings, analysis=analysis)
        if mode is Mode.SIMILARITY_IMPORTANCE:
            return by_similarity_and_importance(matching.candidates, settings)
        return Ordered(hits=tuple(rank(matching, weights, analysis=analysis, now=asked.now)), search_path=())

    chars = sum(len(one.text) for one in found.candidates)

    async def off_loop(step: Callable[[], _Item]) -> _Item:
        return step() if chars <= _RANKED_HERE_CHARS else await _RANKING.run(step)

    order = await off_loop(in_order)
    hits: Sequence[Hit] = order.hits
    answers: Mapping[str, float] = {}
    busy: tuple[str, ...] = ()
    if mode is Mode.BEST:
        hits, answers, busy = await _ranked_by_models(embedder, question.text, hits, analysis, settings, dialogue)
        unaffected, waits = await _unaffected(embedder, question.text, hits) if answers and not busy else ((), busy)
        busy = busy or waits
        ordered = below_replacements(hits, analysis, found.proofs, unaffected)
        hits = await off_loop(lambda: without_repeats(ordered))
    else:
        hits = below_replacements(hits)

    def answered() -> Answer:
        features = confidence_features(
            analysis,
            found.candidates,
            own_names=(question.user_id,),
            hits=hits if mode is Mode.BEST else (),
            answers=answers,
        )
        high, low = above(hits, question.filters.score_min)
        listed, next_cursor = page_of(high, asked.shown, asked.key, limit=question.limit)
        terms = analysis.passage_terms
        shown = tuple(replace(hit, snippet=passage(hit.candidate.text, terms)) for hit in listed)
        channels = sorted({channel for hit in shown for channel in hit.candidate.scores})
        return Answer(
            hits=shown,
            search_path=order.search_path or tuple(channels),
            removed=(*refused, *order.removed, *low),
            next_cursor=next_cursor,
            notes=(*notes, *busy, *_notes(analysis), *_end_note(found, next_cursor, messages_per_channel(question))),
            analysis=analysis,
            features=features,
            confidence=confidence_of(features, chinese=analysis.chinese, dialogue=dialogue) if shown else 0.0,
        )

    return await off_loop(answered)


async def plan_recall(graph: Graph, *, now: datetime) -> None:
    """Let Neo4j plan the large statement, which takes seconds after its start, before a question needs it."""
    asked = resolve_question(TenantId("nobody"), Question(user_id="nobody", text="plan"), now=now)
    await _read_candidates(graph, asked, QueryAnalysis(), matching=ALL_MESSAGES)


async def _read_candidates(
    graph: Graph, asked: ResolvedQuestion, analysis: QueryAnalysis, *, matching: MatchingMessages
) -> Mapping[str, Any]:
    """Return the row of `recall/recall`."""
    parameters = recall_parameters(asked, analysis, matching=matching)
    (row,) = await graph.read(statement("recall/recall"), parameters)
    return row


async def _layer_similarities(
    graph: Graph, asked: ResolvedQuestion, analysis: QueryAnalysis, found: CandidateSet
) -> dict[str, LayerSimilarities]:
    parameters = {
        "tenant": asked.tenant,
        "vector": None if analysis.vector is None else vector_parameter(analysis.vector),
        "messages": [one.id for one in found.messages],
        "scenes": [one.id for one in found.candidates if one.kind is HitKind.SCENE],
    }
    return layer_scores_in(await graph.read(statement("recall/layer_scores"), parameters))


async def _ranked_by_models(
    embedder: Embedder | None,
    question: str,
    hits: Sequence[Hit],
    analysis: QueryAnalysis,
    settings: RecallSettings,
    dialogue: float,
) -> tuple[list[Hit], Mapping[str, float], tuple[str, ...]]:
    """Return the hits ranked by answer scores and replacements, the answer scores, and a note on busy models."""
    answers: Mapping[str, float] = {}
    busy: tuple[str, ...] = ()
    meaning = settings.meaning_factor
    if meaning > 0 and not is_conversation(analysis) and not analysis.only_time:
        answers, busy = await _answer_scores(embedder, question, hits, analysis)
    asks_home = analysis.asks_home and not busy
    lasting = await _lasting_answers(embedder, hits, answers, analysis) if asks_home else answers
    ordered = ranked_by_answers(hits, lasting, answer_weight(dialogue=dialogue, factor=meaning))
    share = meaning * settings.time_factor * dialogue
    if share > 0 and not busy:
        pairs = to_compare(ordered, lasting, analysis, share)
        (changes, busy), brief = await asyncio.gather(
            _replacements(embedder, question, pairs), _brief_odds(embedder, pairs, analysis)
        )
        ordered = ranked_by_replacements(ordered, changes, analysis, share, brief)
    return ordered, answers, busy


async def _answer_scores(
    embedder: Embedder | None, question: str, hits: Sequence[Hit], analysis: QueryAnalysis
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the answer scores, 0 to 1, of the best hits by id, and a note if the models are too busy."""
    scored, busy = await _answer_odds(embedder, question, to_score(hits, analysis))
    if scored and max(scored.values()) < 0:
        more, busy = await _answer_odds(embedder, question, to_score(hits, analysis, more=True))
        scored |= more
    return answers_of(scored), busy


async def _answer_odds(
    embedder: Embedder | None, question: str, texts: Mapping[str, str]
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the log odds that each text answers the question, by its key, and a note if the models are too busy.

    There are none if the embedder cannot score.
    """
    if not texts or not isinstance(embedder, AnswerScorer):
        return {}, ()
    return await _in_time([*texts], embedder.answer_scores(question, [*texts.values()]))


async def _lasting_answers(
    embedder: Embedder | None, hits: Sequence[Hit], answers: Mapping[str, float], analysis: QueryAnalysis
) -> Mapping[str, float]:
    """Return the answer scores for a home, lower for stays; as they are if a single text may answer."""
    texts = to_score(hits, analysis)
    if len(texts) < 2 or max(answers.values(), default=0.0) < NEWER_SCORE_MIN:
        return answers
    asked = (STAY_QUESTION, *HOME_QUESTIONS)
    # Together, so that busy models hold an answer up once.
    scored = await asyncio.gather(*(_answer_odds(embedder, one, texts) for one in asked))
    stays, *homes = (answers_of(odds) for odds, _ in scored)
    return without_stays(answers, stays, homes)


async def _unaffected(
    embedder: Embedder | None, question: str, hits: Sequence[Hit]
) -> tuple[Collection[str], tuple[str, ...]]:
    """Return the ids of the first corrected messages of which another part than the corrected one answers best.

    A note follows if the models are too busy. The other part must answer nearly as well as the whole: beside "a string
    broke", a bare "the 18th" says little by itself.
    """
    by_id = {hit.candidate.id: hit.candidate for hit in hits}
    first = [hit.candidate for hit in hits[:SCORED_N] if hit.candidate.withdrawn]
    by = [(one, by_id[name]) for one in first if (name := one.overtaken_by) in by_id]
    meant = [(one, later.meant or "") for one, later in by if not later.withdrawn]
    texts = {one.id: (*parts, text) for one, text in meant if (parts := parts_of(one.text, text))}
    odds, busy = await _answer_odds(embedder, question, {text: text for three in texts.values() for text in three})
    unaffected = [
        name
        for name, (changed, other, whole) in texts.items()
        if odds.keys() >= {changed, other, whole}
        and odds[other] - odds[changed] > _OTHER_ODDS
        and odds[whole] - odds[other] < _WHOLE_ODDS
    ]
    return unaffected, busy


async def _replacements(
    embedder: Embedder | None, question: str, changes: Sequence[TextPair]
) -> tuple[dict[TextPair, float], tuple[str, ...]]:
    """Return the log odds that the newer text of each pair replaces the older, and a note if the model is too busy.

    There are none if the embedder cannot score.
    """
    if not changes or not isinstance(embedder, AnswerScorer):
        return {}, ()
    texts = [(one.older_text, one.newer_text) for one in changes]
    return await _in_time(changes, embedder.replacement_scores(question, texts))


async def _brief_odds(
    embedder: Embedder | None, pairs: Sequence[TextPair], analysis: QueryAnalysis
) -> dict[str, float]:
    """Return the log odds that newer texts tell what holds for a while, by text; none if that is asked for."""
    texts = {one.newer_text: one.newer_text for one in pairs} if asks_lasting(analysis) else {}
    odds, _ = await _answer_odds(embedder, BRIEF_QUESTION, texts)
    return odds


async def _in_time(
    items: Sequence[_Item], scoring: Awaitable[list[float | None]]
) -> tuple[dict[_Item, float], tuple[str, ...]]:
    """Return the log odds of items that have some; none, and a note, if the models are too busy."""
    try:
        async with asyncio.timeout(_SCORING_MAX_S):
            found = await scoring
    except TimeoutError:
        return {}, (_BUSY,)
    except InstallError as error:
        return {}, (f"nothing was scored: {error.message}",)
    return {item: odds for item, odds in zip(items, found, strict=True) if odds is not None}, ()


async def _embedded(
    embedder: Embedder | None, text: str, no_embedder: str
) -> tuple[EmbeddedQuestion | None, tuple[str, ...]]:
    """Return the vectors of a question; None and a note if recall must use words and names only."""
    if embedder is None:
        return None, (f"{no_embedder}: searched by words and names only",)
    try:
        return await embed_question(embedder, text), ()
    except UnavailableError as error:
        return None, (f"the embedder is unavailable ({error.message}): searched by words and names only",)
    except MisreadError as error:
        return None, (f"the embedder gave no usable vector ({error.message}): searched by words and names only",)


def _notes(analysis: QueryAnalysis) -> tuple[str, ...]:
    span = analysis.span
    limited = f"only what was said from {iso(span.start)} until before {iso(span.end)}, as the question asks"
    return (
        *((limited,) if analysis.limited_by_text else ()),
        *(() if analysis.words or analysis.only_time else ("the question has no words to search for",)),
    )


def _end_note(found: CandidateSet, next_cursor: str | None, per_channel: int) -> tuple[str, ...]:
    """Return a note on the last page if the memory may hold more than was ranked."""
    channels = Counter(channel for one in found.messages for channel in one.scores)
    if next_cursor is not None or max((channels[name] for name in _SEARCHED), default=0) < per_channel:
        return ()
    return (
        f"the search ends here: the {per_channel} best messages of each index and their neighbours were ranked; ask"
        " more precisely, or set start and end, a session, an entity or a tag, to reach others",
    )


def _measure_similarity(found: CandidateSet) -> None:
    """Record the best cosine in the metrics, if vectors were compared."""
    best = max((one.cosine for one in found.candidates if one.cosine is not None), default=None)
    if best is not None:
        RECALL_SIMILARITY.note(best)


# Evidence texts


def within_budget(answer: Answer, budget: TextBudget) -> Answer:
    """Return the answer with the texts of its hits up to a total length; a note counts truncated ones. Pure."""
    keep, budget.hits = whole_of([len(hit.candidate.text) for hit in answer.hits], budget.hits)
    if all(keep):
        return answer
    hits = tuple(
        hit if whole else replace(hit, candidate=replace(hit.candidate, text=hit.candidate.text[:CUT_CHARS] + "…"))
        for hit, whole in zip(answer.hits, keep, strict=True)
    )
    note = (
        f"the texts of {keep.count(False)} hits are truncated: the answers to a request have at most {HIT_CHARS_MAX:,}"
        " characters of them; read one by its URI (layer, read_memory), or request fewer hits"
    )
    return replace(answer, hits=hits, notes=(*answer.notes, note))


async def with_evidence(
    graph: Graph, tenant: TenantId, user_id: str, answer: Answer, budget: TextBudget | None = None
) -> Answer:
    """Return the answer with full evidence texts, best hits first, up to a total length; a note counts truncated ones.

    Retrieval returns only the beginning of long texts, because most candidates are not part of the answer.
    """
    budget = budget or TextBudget()
    messages = [message for hit in answer.hits for message in hit.candidate.evidence]
    keep, budget.evidence = whole_of([one.whole_chars or len(one.text) for one in messages], budget.evidence)
    if all(keep) and not any(message.whole_chars for message in messages):
        return answer
    # A message that is not read was forgotten meanwhile.
    texts: dict[str, str | None] = {
        message.id: None for message, whole in zip(messages, keep, strict=True) if whole and message.whole_chars
    }
    if texts:
        parameters = {"tenant": tenant, "user_id": user_id, "ids": [*texts]}
        try:
            texts |= {
                row["id"]: row["text"] for row in await graph.read(statement("recall/evidence_texts"), parameters)
            }
        except UnavailableError:
            # Leave these texts cut.
            texts = {}
    whole = iter(keep)
    hits = tuple(_with_texts(hit, whole, texts) for hit in answer.hits)
    cut_n = sum(message.whole_chars is not None for hit in hits for message in hit.candidate.evidence)
    if not cut_n:
        return replace(answer, hits=hits)
    note = (
        f"the texts of {cut_n} evidence messages are truncated: the answers to a request have at most"
        f" {EVIDENCE_CHARS_MAX:,} characters of them; read one by its URI (layer, read_memory), or request less"
        " evidence or fewer hits"
    )
    return replace(answer, hits=hits, notes=(*answer.notes, note))


def whole_of(chars: Sequence[int], left: int = EVIDENCE_CHARS_MAX) -> tuple[list[bool], int]:
    """Return for each text length whether to return the text in full, and what is left of the total length. Pure.

    The first texts that fit are returned in full, and all short ones.
    """
    keep: list[bool] = []
    for count in chars:
        keep.append(count <= max(left, CUT_CHARS))
        left -= min(count, max(left, 0)) if keep[-1] else 0
    return keep, left


def _with_texts(hit: Hit, whole: Iterator[bool], texts: Mapping[str, str | None]) -> Hit:
    """Return the hit with full or truncated evidence texts.

    Args:
        whole: whether to return each text in full, in the order of the evidence.
        texts: full texts by message id; None if the message was forgotten, which is then left out.
    """
    evidence = []
    for message in hit.candidate.evidence:
        fits = next(whole)
        if fits and message.whole_chars is None:
            evidence.append(message)
        elif fits and message.id in texts:
            text = texts[message.id]
            evidence += [] if text is None else [replace(message, text=text, whole_chars=None)]
        else:
            chars = message.whole_chars or len(message.text)
            evidence.append(replace(message, text=message.text[:CUT_CHARS] + "…", whole_chars=chars))
    return replace(hit, candidate=replace(hit.candidate, evidence=tuple(evidence)))
