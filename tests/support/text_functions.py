"""Find every function that takes text of callers, models or files, as a function of that text alone.

Public functions that take text are found by walking the modules, so new ones are included; functions that take it
inside other objects are listed by hand.
"""

import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import extraction
import graph_service.importers
import graph_service.memory
import schema
from extraction.answer_values import ValueKind, holds_value
from extraction.extractive_summary import SummarizedScene, abstract_l0, overview_l1, scene_title, summarize_session
from extraction.llm.output_schemas import SceneReading
from extraction.llm.scene_reader import proposals_of, scene_prompt
from extraction.llm.summary_writer import layers_prompt
from extraction.openai_api.language_model import shape_in_cut_text, shape_in_text
from extraction.reader import READ_CHARS_MAX, SceneLine, SceneText
from extraction.rules.salience_gate import worth_reading
from extraction.rules.scene_reader import read_scene
from extraction.text.name_spotting import names_in
from extraction.text.near_duplicates import COMPARED_CHARS_MAX
from extraction.text.sentences import SENTENCE_CHARS_MAX, Sentence, split_sentences
from schema.errors import MnemosceneError
from schema.ids import MemoryId
from schema.labels import Role
from schema.limits import LIMITS

NOW: Final = datetime(2024, 5, 15, 12, tzinfo=UTC)
TEXT_CHARS: Final = LIMITS.text_chars

# Packages that read text of callers, models or files. Others read settings, our own files, or rows.
PACKAGES: Final = (extraction, schema, graph_service.memory, graph_service.importers)
MODULES: Final = (
    "graph_service.auth.keyring",
    "graph_service.auth.access",
    "graph_service.importers.conversation_files",
    "graph_service.graph.lucene",
    "graph_service.live.websocket",
    "graph_service.app.middleware",
)
# Maximum characters that reach a function, where that is less than a message.
RULES_READ: Final = SENTENCE_CHARS_MAX
NAME_CHARS: Final = 2_000
REACH: Final = {
    # Clauses of sentences; `split_sentences` splits longer ones.
    # The rules, which read no more of a message.
    "extraction.answer_values.holds_value": lambda text: [holds_value(text, kind) for kind in ValueKind],
    "extraction.text.name_spotting.names_in": READ_CHARS_MAX,
    "extraction.rules.additive_cues": RULES_READ,
    "extraction.rules.untagged": RULES_READ,
    # Parts of clauses.
    "extraction.entities.kinship_terms.tie": RULES_READ,
    "extraction.entities.kinship_terms.wider": RULES_READ,
    # Names; longer ones are refused by the interfaces and the check of readings.
    "extraction.entities.matching": NAME_CHARS,
    "extraction.text.name_forms": NAME_CHARS,
    "extraction.embeddings.late_interaction": NAME_CHARS,
    "extraction.entities.place_hierarchy": NAME_CHARS,
    "graph_service.memory.entity_resolution.resolver": NAME_CHARS,
    "graph_service.memory.entity_resolution.duplicate_candidates": NAME_CHARS,
    # Statements and summaries.
    "extraction.text.near_duplicates": LIMITS.summary_chars,
    "extraction.text.near_duplicates.common_part": COMPARED_CHARS_MAX,
    "graph_service.memory.consolidation.fact_judging": LIMITS.statement_chars,
    # Questions.
    "extraction.entities.kinship_terms": LIMITS.query_chars,
    "extraction.query_analysis": LIMITS.query_chars,
    "graph_service.memory.recall.retrieval": LIMITS.query_chars,
    "graph_service.memory.recall.query": LIMITS.query_chars,
    "graph_service.memory.sessions.short_term_window": LIMITS.query_chars,
}
# Functions whose string argument no outsider controls: our own names, patterns, keys of tables.
NO_TEXT_OF_CALLERS: Final = (
    "extraction.training.",
    "extraction.text.chinese.table_lines",
    "extraction.embeddings.model_conversion",
    "extraction.embeddings.local_models",
    "extraction.embeddings.model_download",
    "extraction.embeddings.model_conversion",
    "extraction.openai_api",
    "extraction.llm.prompts.filled_prompt",
    "extraction.embeddings.embedder",
    "extraction.embeddings.token_vectors",
    "extraction.embeddings.cache",
    "extraction.text.lexicon_en",
    "extraction.text.toml_files",
    "extraction.temporal.expressions.lexicon",
    "extraction.temporal.expressions_by_table.words_of",
    # JSON that the door has checked.
    "graph_service.memory.tags.message_tokens",
)


def scene_of(text: str, *, role: Role = Role.USER) -> SceneText:
    """Return a scene with one line."""
    line = SceneLine(message_id=MemoryId("m"), role=role, speaker="Anna", text=text, said_at=NOW)
    return SceneText(user_names=("Anna",), agent_names=("Bot",), lines=(line,))


def pieces_of(text: str, *, size: int = 220, count: int = 150) -> list[str]:
    """Return the beginning of a text as separate texts, at most `count` of at most `size` characters."""
    return [text[start : start + size] for start in range(0, min(len(text), size * count), size)]


def model_answer(text: str) -> SceneReading:
    fact = {"subject": text[:90], "object": text[90:180], "predicate": "LIKES", "statement": text, "messages": ["m1"]}
    return SceneReading.model_validate({"title": text, "summary": text, "facts": [{**fact, "quote": text[:8_000]}] * 9})


def read_json(text: str) -> None:
    for read in (shape_in_text, shape_in_cut_text):
        try:
            read(text, SceneReading)
        except ValueError:
            continue


def session_of(text: str) -> None:
    parts = pieces_of(text, size=4_000, count=25)
    summarize_session(
        [SummarizedScene(title=one[:60], abstract=one, overview=one, start=NOW, messages=1) for one in parts]
    )


# Functions whose arguments are built from the text, by a name that says what runs.
CALLED_BY_HAND: Final[dict[str, Callable[[str], object]]] = {
    "extraction.rules.scene_reader.read_scene": lambda text: read_scene(scene_of(text), reader="rules"),
    "extraction.rules.salience_gate.worth_reading": lambda text: worth_reading(scene_of(text)),
    "extraction.rules.salience_gate.worth_reading, of an assistant": lambda text: worth_reading(
        scene_of(text, role=Role.ASSISTANT)
    ),
    "extraction.extractive_summary.abstract_l0": lambda text: abstract_l0(scene_of(text).lines),
    "extraction.extractive_summary.overview_l1": lambda text: overview_l1(scene_of(text).lines),
    "extraction.extractive_summary.scene_title": lambda text: scene_title(scene_of(text).lines),
    "extraction.text.name_spotting.names_in": lambda text: names_in(split_sentences(text)),
    "extraction.llm.scene_reader.scene_prompt": lambda text: scene_prompt(scene_of(text)),
    "extraction.llm.summary_writer.layers_prompt": lambda text: layers_prompt(scene_of(text)),
    "extraction.llm.scene_reader.proposals_of": lambda text: proposals_of(model_answer(text), scene_of(text)),
    "extraction.openai_api.language_model": read_json,
    "extraction.extractive_summary.summarize_session": session_of,
}


def fill(name: str, kind: Any, text: str) -> Any:
    """Return an argument for a parameter, built from the text.

    Raises:
        LookupError: there is no rule for this parameter.
    """
    args = typing.get_args(kind)
    if kind is str or (str in args and type(None) in args):
        return text
    if kind is datetime:
        return NOW
    if kind is bool:
        return True
    if kind is int:
        return 8
    if typing.get_origin(kind) in (Sequence, Iterable, Collection, list) and args == (str,):
        return pieces_of(text)
    if typing.get_origin(kind) in (Sequence, list) and args == (tuple[int, int],):
        return []
    if kind is Sentence:
        return split_sentences(text)[0] if text.strip() else Sentence(text="", start=0, end=0)
    raise LookupError(name)


def is_text(kind: Any) -> bool:
    return kind is str or (str in typing.get_args(kind) and type(None) in typing.get_args(kind))


def modules() -> Iterator[str]:
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            yield found.name
    yield from MODULES


# An invalid text is refused by these; functions that are no checks raise none of them.
REFUSALS: Final = (ValueError, KeyError, MnemosceneError)


def text_functions(refusals: tuple[type[Exception], ...] = REFUSALS) -> dict[str, Callable[[str], object]]:
    """Return each function that takes text, as a function of that text alone, by its full name.

    Args:
        refusals: errors that count as an answer.
    """
    found: dict[str, Callable[[str], object]] = dict(CALLED_BY_HAND)
    for module_name in modules():
        module = importlib.import_module(module_name)
        for name, function in inspect.getmembers(module, callable):
            plain = inspect.unwrap(function)
            full = f"{module_name}.{name}"
            if name.startswith("_") or not inspect.isfunction(plain) or plain.__module__ != module_name:
                continue
            if inspect.iscoroutinefunction(plain) or full.startswith(NO_TEXT_OF_CALLERS) or full in found:
                continue
            called = as_text_function(module_name, plain, refusals)
            if called is not None:
                found[full] = called
    return found


def as_text_function(
    module_name: str, function: Callable[..., object], refusals: tuple[type[Exception], ...]
) -> Callable[[str], object] | None:
    """Return the function of text alone; None if it takes no text, or takes it inside other objects."""
    try:
        kinds = typing.get_type_hints(function)
    except NameError:
        # Its class is imported for type checking only, so the parameter is not plain text.
        return None
    wanted = [
        one
        for one in inspect.signature(function).parameters.values()
        if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    if not any(is_text(kinds.get(one.name)) for one in wanted):
        return None
    try:
        for one in wanted:
            fill(one.name, kinds.get(one.name), "probe")
    except LookupError:
        return None

    def call(text: str) -> object:
        given = {one.name: fill(one.name, kinds[one.name], text) for one in wanted}
        by_place = [given[one.name] for one in wanted if one.kind is not one.KEYWORD_ONLY]
        by_name = {one.name: given[one.name] for one in wanted if one.kind is one.KEYWORD_ONLY}
        try:
            return function(*by_place, **by_name)
        except refusals:
            # Refused; the time until then counts too.
            return None

    return call


def reach_of(name: str) -> int:
    """Return how many characters reach a function: the longest matching prefix of its name counts."""
    begin = max((begin for begin in REACH if name.startswith(begin)), key=len, default="")
    return REACH.get(begin, TEXT_CHARS)
