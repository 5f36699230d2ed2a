"""The format of an export file: kinds of rows, their order, and the checks of every row. Pure.

The first line is the header. Nodes, edges and links follow, kind by kind in `ORDER`, each kind sorted by `key_of_row`.
The last line contains the counts and a checksum, so that a truncated file is detected.

The service trusts stored data, so an imported row must have every property that the service guarantees. Types come from
`schema/graph_model.toml`; `SHAPES` adds required properties and rules for values.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from extraction.embeddings.token_vectors import is_packed
from graph_service.memory.argument_checks import time_problem
from graph_service.memory.export_import.row_values import decode_value
from graph_service.memory.items.writes import LABELS_MAX, SEARCHED_CHARS_MAX, item_id, value_problem
from graph_service.memory.tags import tag_problems
from schema.assertion import Closing, parse_assertion
from schema.change import Op
from schema.errors import InputError
from schema.fact import ExtractedValues, FactKind
from schema.graph_model import Property, graph_model
from schema.ids import memory_id
from schema.json_text import depth_of, read_json
from schema.labels import Label, Link, Role
from schema.limits import LIMITS
from schema.message import ProvidedFact
from schema.predicates import whitelist
from schema.session import CloseReason, SessionState
from schema.zones import zone_named

EDGE: Final = "edge"
FORMAT: Final = "mnemoscene-export"
VERSION: Final = 3
LINKS: Final = (Link.PART_OF, Link.IN_SESSION, Link.MEMBER_OF)
# Every kind comes after the kinds that it references.
ORDER: Final = (
    Label.SESSION,
    Label.SESSION_LIFECYCLE,
    Label.MESSAGE,
    Label.USER,
    Label.AGENT,
    Label.ENTITY,
    Label.MEMBER_ENTITY,
    Label.SCENE,
    EDGE,
    Label.MEMBER_FACT,
    *LINKS,
    Label.EPISODE,
    Label.REJECTED_MERGE,
    Label.REVISION,
    Label.ITEM,
    Label.TOMBSTONE,
    Label.USAGE,
    Label.CHANGE,
)
_VECTORS: Final = ("embedding", "abstract_embedding", "overview_embedding", "token_vectors")
_END_CHARS_MAX: Final = 64
Row = dict[str, Any]


def kind_of_row(row: Mapping[str, Any]) -> str:
    """Return the kind of a row, one of `ORDER`."""
    return str(EDGE if EDGE in row else row.get("node") or row["link"])


def key_of_row(row: Mapping[str, Any]) -> str:
    """Return the sort key of a row among those of its kind."""
    if "link" in row:
        return f"{row['from']} {row['to']}"
    found = row["properties"]
    return f"{found['seq']:020d}" if row.get("node") == Label.CHANGE else str(found.get("id") or found["day"])


def model_of(row: Mapping[str, Any]) -> Mapping[str, Property]:
    """Return the properties that a row of this kind may have."""
    model = graph_model()
    return model.facts if EDGE in row else model.nodes[Label(row["node"])].properties


def without_vectors(row: Row) -> Row:
    """Return the row without vectors; messages, scenes and items with text are marked as not embedded."""
    if EDGE not in row and row.get("node") not in (Label.MESSAGE, Label.SCENE, Label.ITEM):
        return row
    kept = {name: value for name, value in row["properties"].items() if name not in (*_VECTORS, "unembedded_in")}
    # The statement that imports facts marks these itself, by `unembedded_in`.
    waits = EDGE not in row and (row["node"] != Label.ITEM or "text" in kept)
    marks = {"unembedded": True} if waits else {}
    return {**row, "properties": dict(sorted({**kept, **marks}.items()))}


def row_problems(row: Any, *, dim: int | None) -> Iterator[str]:
    """Yield the problems of a row.

    Args:
        dim: vector dimension of the file; None if it has no vectors.
    """
    if not isinstance(row, dict):
        yield "must be a JSON object"
        return
    allowed = {"node": _is_node, EDGE: _is_edge, "link": _is_link}
    kind = next((name for name in allowed if name in row), None)
    if kind is None:
        yield "must have one of the keys node, edge and link"
    elif not allowed[kind](row):
        yield f"has the unknown kind {row[kind]!r:.60}, or keys that this kind does not have"
    elif kind != "link":
        yield from property_problems(kind_of_row(row), row["properties"], model_of(row), dim=dim)


def _is_node(row: Row) -> bool:
    return (
        isinstance(row["node"], str)
        and row["node"] in ORDER
        and row["node"] not in (EDGE, *LINKS)
        and set(row) == {"node", "properties"}
    )


def _is_edge(row: Row) -> bool:
    return (
        isinstance(row[EDGE], str)
        and row[EDGE] in whitelist()
        and set(row) == {EDGE, "from", "to", "properties"}
        and _has_ends(row)
    )


def _is_link(row: Row) -> bool:
    return (
        isinstance(row["link"], str) and row["link"] in LINKS and set(row) == {"link", "from", "to"} and _has_ends(row)
    )


def _has_ends(row: Row) -> bool:
    return all(isinstance(row[end], str) and len(row[end]) <= _END_CHARS_MAX for end in ("from", "to"))


ROOT: Final = "memory:///"
# Limit of texts that are not in `_LONG_TEXTS`; some are index keys, which Neo4j limits to 8 kB.
SHORT_CHARS_MAX: Final = 1_000
ITEM_CHARS_MAX: Final = 8_000
LONG_CHARS_MAX: Final = 2_000_000
_LONG_TEXTS: Final = frozenset(
    {"abstract", "attributes", "body", "facts", "merge_reason", "overview", "rationale", "extracted", "reason", "text"}
    | {"statement", "summary", "title", "raw", "uri", "value"}
)
LIST_MAX: Final = 100_000
VECTOR_DIM_MAX: Final = 4_096
_NUMBER_MAX: Final = 2**53
# The years 1900 to 9000, as milliseconds since 1970.
_MS: Final = (-2_208_988_800_000, 221_845_392_000_000)
# Returns the problem as the end of a sentence that begins with the property's name; None if the value is valid.
Rule = Callable[[Any], str | None]


def _one_of(*values: str) -> Rule:
    return lambda value: None if value in values else f"is {value!r:.60}; it must be one of {', '.join(values)}"


def _within(least: float, most: float) -> Rule:
    return lambda value: None if least <= value <= most else f"is {value!r:.60}; it must be from {least} to {most}"


def _text_of(most: int) -> Rule:
    def rule(value: str) -> str | None:
        if len(value) > most:
            return f"has {len(value):,} characters; at most {most:,} are allowed"
        return None if value.strip() else "is empty"

    return rule


def _up_to(most: int) -> Rule:
    return lambda value: f"has {len(value):,} characters; at most {most:,} are allowed" if len(value) > most else None


def _matching(pattern: str, what: str) -> Rule:
    shape = re.compile(pattern)
    return lambda value: None if shape.fullmatch(value) else f"must be {what}"


def _is_id(value: str) -> str | None:
    try:
        return None if str(UUID(value)) == value else "must be a UUID in lower case"
    except ValueError:
        return "must be a UUID"


def _each(rule: Rule) -> Rule:
    return lambda values: next((problem for value in values if (problem := rule(value))), None)


def _json(adapter: TypeAdapter[Any], what: str) -> Rule:
    def rule(value: str) -> str | None:
        try:
            adapter.validate_json(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            return f"must be {what} ({place + ': ' if place else ''}{first['msg']:.120})"
        return None

    return rule


def _is_json_object(value: str) -> str | None:
    try:
        read = read_json(value, finite=True)
    except ValueError:
        return "must be a JSON object"
    if isinstance(read, dict) and depth_of(read) <= _BODY_DEPTH_MAX:
        return None
    return f"must be a JSON object nested at most {_BODY_DEPTH_MAX} deep"


_BODY_DEPTH_MAX: Final = 8


def _is_assertion(value: str) -> str | None:
    try:
        assertion = parse_assertion(value)
    except InputError:
        return "must have the format message|scene|valid|by|said|heard|position|marks"
    moments = (assertion.valid_at, assertion.valid_by, assertion.said_at, assertion.heard_at)
    if any(time_problem(one) for one in moments) or not 0 <= assertion.position < _NUMBER_MAX:
        return "has a time outside the years 1900 to 9000, or a negative position"
    return _is_id(assertion.message_id) or _is_id(assertion.scene_id) or _IDS(assertion.replaces)


def _raw_problem(value: str) -> str | None:
    try:
        return (
            _up_to(LIMITS.raw_bytes)(value)
            or (depth_of(read_json(value, finite=True)) > LIMITS.json_depth and "is nested too deeply")
            or None
        )
    except json.JSONDecodeError:
        return "must be JSON"


def _is_item_value(value: str) -> str | None:
    try:
        return value_problem(read_json(value, finite=True))
    except json.JSONDecodeError:
        return "must be JSON"


def _is_true(value: bool) -> str | None:
    return None if value else "must be true or omitted"


_ID: Final[Rule] = _is_id
_IDS: Final = _each(_is_id)
_COUNT: Final = _within(0, _NUMBER_MAX)
_SHARE: Final = _within(0, 1)
_MILLIS: Final = _within(*_MS)
_IMPORTANCE: Final = _within(1, 10)
_NAME: Final = _text_of(1_000)
_USER: Final = _text_of(LIMITS.id_chars)
_HASH: Final = _matching(r"[0-9a-f]{8,128}", "a hash in hexadecimal digits")
_DAY_TOKEN: Final = _matching(r"\d{8}", "a day of eight digits, YYYYMMDD")
_ATTRIBUTES: Final = _json(TypeAdapter(dict[str, str]), "a JSON object whose values are strings")
_METADATA: Final = _json(
    TypeAdapter(dict[str, bool | int | float | str | list[str]]),
    "a JSON object of texts, numbers, booleans and lists of texts",
)
_FACTS: Final = _json(TypeAdapter(list[ProvidedFact]), "a JSON array of facts")
_EXTRACTED: Final = _json(TypeAdapter(ExtractedValues), "a JSON object of extracted values")
_URI: Final[Rule] = lambda value: (  # noqa: E731  a rule like the others
    None
    if value.startswith(ROOT) and len(value) <= 8_000
    else f"must be a URI that begins with {ROOT}, of at most 8,000 characters"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The rules for rows of one kind.

    Attributes:
        required: names of properties that every row has.
        rules: checks of values in addition to their type, by property.
        id_from_uri: the id must derive from the URI.
        same_times: pairs of properties with the same time, as a datetime and as milliseconds since 1970.
    """

    required: frozenset[str]
    rules: Mapping[str, Rule] = field(default_factory=dict)
    id_from_uri: bool = False
    same_times: tuple[tuple[str, str], ...] = ()


def _shape(
    required: str, *, id_from_uri: bool = False, same_times: tuple[tuple[str, str], ...] = (), **rules: Rule
) -> Shape:
    return Shape(
        required=frozenset(required.split()), rules={**_COMMON, **rules}, id_from_uri=id_from_uri, same_times=same_times
    )


def _shape_of_fact(required: str, **rules: Rule) -> Shape:
    return Shape(required=frozenset(required.split()), rules={**_COMMON, **_FACT_RULES, **rules})


# Rules for these properties in every kind.
_COMMON: Final[Mapping[str, Rule]] = {
    "id": _ID,
    "uri": _URI,
    "user_id": _USER,
    "agent_id": _USER,
    "name": _NAME,
    "key": _NAME,
    "importance": _IMPORTANCE,
    "access_n": _COUNT,
    "unembedded": _is_true,
    "unread": _is_true,
    "never_read": _is_true,
    "unextracted": _is_true,
    "unrefined": _is_true,
    "merged": _is_true,
    "layers_behind": _is_true,
    "calls": _COUNT,
    "tokens_in": _COUNT,
    "tokens_out": _COUNT,
    "said_day": _DAY_TOKEN,
    "attributes": _ATTRIBUTES,
    "content_hash": _HASH,
    "aliases": _each(_text_of(1_000)),
    "declared_names": _each(_text_of(1_000)),
}
_ENTITY_REQUIRED: Final = "id uri user_id name key first_seen last_seen"
_FACT_REQUIRED: Final = (
    "id uri user_id statement kind base_strength strength confidence importance first_seen last_seen valid_at "
    "recorded_at evidence scenes quotes slot reader scope_tenant scope_user"
)
_FACT_RULES: Final[Mapping[str, Rule]] = {
    "statement": lambda value: _text_of(8_000)(value) if value else None,
    "relation": _NAME,
    "kind": _one_of(*FactKind),
    "closing_reason": _one_of(*Closing),
    "closed_by": _ID,
    "profile_exclusion": _one_of("full", "overwritten"),
    "base_strength": _SHARE,
    "strength": _SHARE,
    "confidence": _SHARE,
    "slot": _within(0, 1_000_000),
    "evidence": _IDS,
    "scenes": _IDS,
    "ignored_closings": _IDS,
    "unembedded_in": _ID,
    "assertions": _each(_is_assertion),
    "quotes": _each(_matching(r"[0-9a-f-]{36}:\d{1,9}:\d{1,9}", "a list of `message:start:end`")),
    "corrections": _each(_matching(r"[0-9a-f-]{36}:(?s:.*)", "a list of `message:words`")),
    "wordings": _each(_matching(r"[0-9a-f-]{36}:(?s:.*)", "a list of `message:words`")),
    "extracted": _EXTRACTED,
    "steps": _each(_text_of(8_000)),
    "reader": _NAME,
    "similarity_keys": _each(_matching(r"[0-9a-z]{1,16}", "a list of keys of 1 to 16 lower-case letters or digits")),
}

SHAPES: Final[Mapping[str, Shape]] = {
    Label.SESSION: _shape(
        "id uri user_id session_id user_node_id first_at", id_from_uri=True, session_id=_USER, user_node_id=_ID
    ),
    Label.SESSION_LIFECYCLE: _shape(
        "id uri user_id session_id state opened_at last_at last_ms",
        id_from_uri=True,
        same_times=(("last_at", "last_ms"),),
        session_id=_USER,
        state=_one_of(*SessionState),
        close_reason=_one_of(*CloseReason),
        last_ms=_MILLIS,
    ),
    Label.MESSAGE: _shape(
        "id uri user_id session_id role text said_at said_ms said_day position content_hash received_at importance "
        "scope_tenant scope_user",
        id_from_uri=True,
        same_times=(("said_at", "said_ms"),),
        role=_one_of(*Role),
        text=_up_to(LIMITS.text_chars),
        raw=_raw_problem,
        raw_hash=_HASH,
        metadata=_METADATA,
        external_id=_USER,
        parts=_IDS,
        part_of=_ID,
        version=_COUNT,
        speaker=_text_of(LIMITS.name_chars),
        emotion=_text_of(LIMITS.name_chars),
        session_id=_ID,
        said_ms=_MILLIS,
        position=_COUNT,
        episode_id=_ID,
        tags=lambda value: next(iter(tag_problems(value)), None),
        zone=lambda value: (
            None
            if len(value) <= 100 and zone_named(value)
            else f"is {value!r:.60}; it must be an IANA time zone, such as Europe/Berlin"
        ),
        token_vectors=lambda value: None if is_packed(value) else "must be packed token vectors",
    ),
    Label.USER: _shape(f"{_ENTITY_REQUIRED} aliases", id_from_uri=True),
    Label.AGENT: _shape(f"{_ENTITY_REQUIRED} aliases", id_from_uri=True),
    Label.ENTITY: _shape(f"{_ENTITY_REQUIRED} aliases form_tokens scope_user"),
    Label.MEMBER_ENTITY: _shape(
        f"{_ENTITY_REQUIRED} aliases form_tokens scope_user", parent_id=_ID, merge_id=_ID, merge_reason=_text_of(8_000)
    ),
    Label.SCENE: _shape(
        "id uri user_id session_id name first_seen last_seen start_ms end_ms content_hash scope_tenant scope_user",
        session_id=_ID,
        start_ms=_MILLIS,
        end_ms=_MILLIS,
        layers_n=_COUNT,
        layers_hash=_HASH,
        evidence_n=_COUNT,
    ),
    EDGE: _shape_of_fact(_FACT_REQUIRED),
    Label.MEMBER_FACT: _shape_of_fact(
        f"{_FACT_REQUIRED} subject_id object_id predicate",
        subject_id=_ID,
        object_id=_ID,
        predicate=_one_of(*whitelist()),
    ),
    Label.EPISODE: _shape(
        "id user_id session_id message_ids facts received_at",
        session_id=_ID,
        message_ids=_IDS,
        facts=_FACTS,
        summary=_text_of(LIMITS.summary_chars),
    ),
    Label.REJECTED_MERGE: _shape("id user_id a_id b_id reason at", a_id=_ID, b_id=_ID, reason=_text_of(8_000)),
    Label.REVISION: _shape("id revision", revision=_COUNT),
    Label.ITEM: _shape(
        "id user_id namespace key value value_bytes version created_at updated_at scopes",
        user_id=lambda value: _USER(value) if value else None,
        namespace=lambda value: None if 1 <= len(value) <= LABELS_MAX else f"must have 1 to {LABELS_MAX} labels",
        key=lambda value: None if value else "is empty",
        value=_is_item_value,
        value_bytes=_COUNT,
        version=_within(1, _NUMBER_MAX),
        expires_ms=_MILLIS,
        ttl_ms=_COUNT,
        text=_text_of(SEARCHED_CHARS_MAX),
        chinese=_is_true,
    ),
    Label.TOMBSTONE: _shape(
        "id kind at_ms",
        id=_HASH,
        kind=_one_of("message", "session", "user", "fact", "entity"),
        user_node_id=_ID,
        at_ms=_MILLIS,
    ),
    Label.USAGE: _shape(
        "day calls tokens_in tokens_out",
        day=lambda value: None if _is_day(value) else "must be a day, YYYY-MM-DD",
        scenes_by_model=_COUNT,
        scenes_by_rules=_COUNT,
        scenes_over_budget=_COUNT,
        items_dropped=_COUNT,
        embedding_tokens=_COUNT,
    ),
    Label.CHANGE: _shape(
        "seq at user_id op element_id reason",
        seq=_within(1, _NUMBER_MAX),
        op=_one_of(*Op),
        element_id=_ID,
        body=_is_json_object,
    ),
}


def _is_day(value: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", value)) and datetime.fromisoformat(value) is not None
    except ValueError:
        return False


def property_problems(kind: str, found: Any, model: Mapping[str, Property], *, dim: int | None) -> Iterator[str]:
    """Yield the problems of a row's properties, each as a sentence about one property.

    Args:
        kind: a key of `SHAPES`.
        dim: vector dimension of the file; None if it has no vectors.
    """
    if not isinstance(found, dict):
        yield "must have properties, a JSON object"
        return
    shape = SHAPES[kind]
    for name in sorted(shape.required - found.keys()):
        yield f"lacks the required property {name}"
    values: dict[str, Any] = {}
    for name, written in found.items():
        one = model.get(name)
        if one is None:
            yield f"has the property {name!r:.60}, which {kind} does not have"
        elif one.role in ("tenant", "passing"):
            yield f"has the property {name}, which exports do not contain"
        else:
            try:
                values[name] = decode_value(written, one.kind)
            except InputError as error:
                yield f"{name} {error.message}"
                continue
            chars_max = LONG_CHARS_MAX if name in _LONG_TEXTS else SHORT_CHARS_MAX
            problem = _general_problem(values[name], dim, chars_max) or (
                shape.rules[name](values[name]) if name in shape.rules else None
            )
            if problem:
                yield f"{name} {problem}"
    yield from _consistency_problems(shape, values)


def _general_problem(value: Any, dim: int | None, chars_max: int) -> str | None:
    match value:
        case str():
            return _text_problem(value, chars_max)
        case bool() | int():
            return None
        case float():
            return None if math.isfinite(value) else f"is {value}; it must be a finite number"
        case datetime():
            return time_problem(value)
        case [float(), *_]:
            return None if len(value) == dim else f"has {len(value):,} numbers; the first line says {dim}"
        case list():
            if len(value) > LIST_MAX:
                return f"has {len(value):,} items; at most {LIST_MAX:,} are allowed"
            return next((problem for one in value if (problem := _general_problem(one, dim, ITEM_CHARS_MAX))), None)
    return None


def _text_problem(value: str, chars_max: int) -> str | None:
    if len(value) > chars_max:
        return f"has {len(value):,} characters; at most {chars_max:,} are allowed"
    if "\x00" in value:
        return "contains a NUL character"
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        return "contains an unpaired surrogate"
    return None


def _consistency_problems(shape: Shape, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the problems of properties that must be consistent with each other."""
    if shape.id_from_uri and {"id", "uri"} <= values.keys() and memory_id(values["uri"]) != values["id"]:
        yield "id does not match uri"
    for moment, millis in shape.same_times:
        if {moment, millis} <= values.keys() and abs(values[moment].timestamp() * 1000 - values[millis]) > 1:
            yield f"{millis} must be the same time as {moment}, in milliseconds since 1970"
    if {"id", "user_id", "namespace", "key"} <= values.keys():
        if item_id(values["user_id"], values["namespace"], values["key"]) != values["id"]:
            yield "id does not match user_id, namespace and key"
        if "value" in values and len(values["value"].encode()) != values.get("value_bytes"):
            yield "value_bytes does not match value"
    names, since = values.get("declared_names") or [], values.get("declared_since") or []
    if len(names) != len(since):
        yield "declared_names and declared_since must have the same length"
    for start, end in (("mentioned_start", "mentioned_end"), ("scene_start", "scene_end"), ("first_seen", "last_seen")):
        if {start, end} <= values.keys() and values[end] < values[start]:
            yield f"{end} is before {start}"
