"""The format of an export file: kinds of rows, their order, and the encoding and checks of values. Pure.

The first line is the header. Nodes, edges and links follow, kind by kind in `ORDER`, each kind sorted by `key_of_row`.
The last line contains the counts and a checksum, so that a truncated file is detected.

The service trusts stored data, so an imported row must have every property that the service guarantees. Types come from
`schema/graph_model.toml`, which also says what every row has; `_RULES` adds rules for values.
"""

import base64
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import numpy as np
from pydantic import TypeAdapter, ValidationError

from extraction.embeddings.token_vectors import is_packed
from graph_service.memory.argument_checks import content_problem, time_problem
from graph_service.memory.items.writes import LABELS_MAX, SEARCHED_CHARS_MAX, item_id, value_problem
from graph_service.memory.tags import tag_problems
from schema.assertion import Closing, parse_assertion
from schema.change import Op
from schema.errors import InputError
from schema.fact import FactKind, FactValues
from schema.frames import VIEWS
from schema.graph_model import Property, graph_model
from schema.ids import memory_id
from schema.json_text import depth_of, read_json
from schema.labels import Label, Link, Role
from schema.limits import LIMITS
from schema.message import ProvidedFact
from schema.predicates import whitelist
from schema.session import CloseReason, SessionState
from schema.timespan import as_utc, iso
from schema.zones import zone_named

_TIME: Final = "$time"
_FLOATS: Final = "$f32"
_BYTES: Final = "$bytes"


def encode_value(value: Any, kind: str) -> Any:
    """Return the JSON value for a property value.

    Args:
        kind: kind of the property in `schema/graph_model.toml`.
    """
    match value:
        case datetime():
            return {_TIME: iso(value)}
        case bytes() | bytearray():
            return {_BYTES: base64.b64encode(value).decode("ascii")}
        case list() if kind == "vector":
            return {_FLOATS: base64.b64encode(np.asarray(value, dtype="<f4").tobytes()).decode("ascii")}
        case [datetime(), *_]:
            return [{_TIME: iso(one)} for one in value]
        case _:
            return value


def decode_value(written: Any, kind: str) -> Any:
    """Return the property value for a JSON value.

    Raises:
        InputError: the value is not of this kind; the message is the end of a sentence about the property.
    """
    tag, decode = _TAGGED.get(kind, ("", None))
    if decode is not None and isinstance(written, dict) and written.keys() == {tag}:
        try:
            return decode(written[tag])
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"cannot be decoded: {error!s:.120}") from error
    if kind in _ITEMS and isinstance(written, list):
        return [decode_value(item, _ITEMS[kind]) for item in written]
    if type(written) not in _TYPES.get(kind, ()) or (type(written) is int and not -(2**63) <= written < 2**63):
        raise InputError(f"must be {_NAMES[kind]}")
    return written


def _time(text: Any) -> datetime:
    read = datetime.fromisoformat(text)
    if not 1 < read.year < 9999:
        raise ValueError(f"the year must be from 2 to 9998, got {read.year}")
    return as_utc(read)


def _floats(text: Any) -> list[float]:
    numbers: list[float] = np.frombuffer(_bytes(text), dtype="<f4").astype(float).tolist()
    if not numbers or not np.isfinite(numbers).all():
        raise ValueError("a vector must have at least one number, and finite ones only")
    return numbers


def _bytes(text: Any) -> bytes:
    return base64.b64decode(text, validate=True)


_TAGGED: Final[dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "time": (_TIME, _time),
    "vector": (_FLOATS, _floats),
    "bytes": (_BYTES, _bytes),
}
_TYPES: Final = {"string": (str,), "int": (int,), "float": (int, float), "bool": (bool,)}
# Kinds of the items of lists.
_ITEMS: Final = {"strings": "string", "numbers": "float", "times": "time"}
_NAMES: Final = {
    "string": "a string",
    "strings": "a list of strings",
    "int": "a whole number of at most 64 bits",
    "float": "a number",
    "numbers": "a list of numbers",
    "bool": "true or false",
    "times": "a list of times",
    "time": 'a time, {"$time": "2026-01-31T18:00:00Z"}',
    "vector": 'a vector, {"$f32": base64 of its numbers}',
    "bytes": 'bytes, {"$bytes": base64}',
}


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
_NODES: Final = frozenset(ORDER) - {EDGE, *LINKS}
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


def properties_of(kind: str) -> Mapping[str, Property]:
    """Return the properties that rows of a kind of nodes, or of facts (`EDGE`), may have; of others none."""
    model = graph_model()
    if kind == EDGE:
        return model.facts
    return model.nodes[Label(kind)].properties if kind in _NODES else {}


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
    kind = next((name for name in _KEYS if name in row), None)
    if kind is None:
        yield "must have one of the keys node, edge and link"
    elif row.keys() != _KEYS[kind] or not _names_kind(kind, row[kind]) or not _has_ends(row):
        yield f"has the unknown kind {row[kind]!r:.60}, or keys that this kind does not have"
    elif kind != "link":
        yield from property_problems(kind_of_row(row), row["properties"], dim=dim)


# Keys of each kind of row.
_KEYS: Final = {
    "node": {"node", "properties"},
    EDGE: {EDGE, "from", "to", "properties"},
    "link": {"link", "from", "to"},
}


def _names_kind(key: str, value: object) -> bool:
    names: Collection[str] = {EDGE: whitelist(), "link": LINKS}.get(key, _NODES)
    return isinstance(value, str) and value in names


def _has_ends(row: Row) -> bool:
    ends = [row[end] for end in ("from", "to") if end in row]
    return all(isinstance(end, str) and len(end) <= _END_CHARS_MAX for end in ends)


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


def _json_text(problem_of: Rule, what: str = "JSON") -> Rule:
    """Return a rule for JSON texts from a rule for their values."""

    def rule(value: str) -> str | None:
        try:
            return problem_of(read_json(value, finite=True))
        except ValueError:
            return f"must be {what}"

    return rule


def _nested(most: int) -> Rule:
    return lambda value: f"is nested more than {most} deep" if depth_of(value) > most else None


def _is_assertion(value: str) -> str | None:
    try:
        assertion = parse_assertion(value)
    except InputError:
        return "must have the format message|scene|valid|by|said|heard|position|marks"
    moments = (assertion.valid_at, assertion.valid_by, assertion.said_at, assertion.heard_at)
    if any(time_problem(one) for one in moments) or not 0 <= assertion.position < _NUMBER_MAX:
        return "has a time outside the years 1900 to 9000, or a negative position"
    return _is_id(assertion.message_id) or _is_id(assertion.scene_id) or _IDS(assertion.replaces)


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
_PLACE: Final[Rule] = lambda value: (  # noqa: E731  a rule like the others
    None
    if 3 <= len(value) <= 128 and all(isinstance(one, float) and abs(one) <= 1_000_000 for one in value)
    else "must be 3 to 128 floats from -1,000,000 to 1,000,000"
)
_ATTRIBUTES: Final = _json(TypeAdapter(dict[str, str]), "a JSON object whose values are strings")
_METADATA: Final = _json(
    TypeAdapter(dict[str, bool | int | float | str | list[str]]),
    "a JSON object of texts, numbers, booleans and lists of texts",
)
_JSON: Final = _json_text(_nested(LIMITS.json_depth))
_BODY: Final = _json_text(_nested(8), "a JSON object")
_FACTS: Final = _json(TypeAdapter(list[ProvidedFact]), "a JSON array of facts")
_EXTRACTED: Final = _json(TypeAdapter(FactValues), "a JSON object of extracted values")
_URI: Final[Rule] = lambda value: (  # noqa: E731  a rule like the others
    None
    if value.startswith(ROOT) and len(value) <= 8_000
    else f"must be a URI that begins with {ROOT}, of at most 8,000 characters"
)


_TEXT: Final = _text_of(8_000)
_EMOTION: Final = _text_of(LIMITS.name_chars)
_MARKED: Final = _each(_matching(r"[0-9a-f-]{36}:(?s:.*)", "a list of `message:words`"))


def _zone_problem(value: str) -> str | None:
    is_zone = len(value) <= 100 and zone_named(value)
    return None if is_zone else f"is {value!r:.60}; it must be an IANA time zone, such as Europe/Berlin"


# Rules for the values of a property in every kind, in addition to its type.
_RULES: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(("id", "parent_id", "merge_id", "a_id", "b_id", "subject_id", "object_id", "element_id"), _ID),
    **dict.fromkeys(("session_id", "user_node_id", "episode_id", "part_of", "closed_by", "unembedded_in"), _ID),
    **dict.fromkeys(("parts", "evidence", "scenes", "ignored_closings", "message_ids"), _IDS),
    **dict.fromkeys(("user_id", "agent_id", "external_id"), _USER),
    **dict.fromkeys(("name", "key", "relation", "reader"), _NAME),
    **dict.fromkeys(("aliases", "declared_names"), _each(_NAME)),
    **dict.fromkeys(("speaker", "emotion"), _EMOTION),
    **dict.fromkeys(("content_hash", "raw_hash"), _HASH),
    **dict.fromkeys(("base_strength", "strength", "confidence"), _SHARE),
    **dict.fromkeys(("access_n", "calls", "tokens_in", "tokens_out", "position", "layers_n", "evidence_n"), _COUNT),
    **dict.fromkeys(("revision", "value_bytes", "ttl_ms", "scenes_by_model", "scenes_by_rules"), _COUNT),
    **dict.fromkeys(("scenes_over_budget", "items_dropped", "embedding_tokens"), _COUNT),
    **dict.fromkeys(("said_ms", "last_ms", "start_ms", "end_ms", "expires_ms", "at_ms"), _MILLIS),
    **dict.fromkeys(("unembedded", "unread", "never_read", "unextracted", "unrefined"), _is_true),
    **dict.fromkeys(("merged", "layers_behind", "chinese"), _is_true),
    **dict.fromkeys((f"{view}_place{whose}" for view in VIEWS for whose in ("", "_all")), _PLACE),
    "place_seq": _COUNT,
    "uri": _URI,
    "importance": _IMPORTANCE,
    "said_day": _DAY_TOKEN,
    "attributes": _ATTRIBUTES,
    "merge_reason": _TEXT,
    "steps": _each(_TEXT),
    "statement": lambda value: _TEXT(value) if value else None,
    "corrections": _MARKED,
    "wordings": _MARKED,
    "quotes": _each(_matching(r"[0-9a-f-]{36}:\d{1,9}:\d{1,9}", "a list of `message:start:end`")),
    "similarity_keys": _each(_matching(r"[0-9a-z]{1,16}", "a list of keys of 1 to 16 lower-case letters or digits")),
    "assertions": _each(_is_assertion),
    "extracted": _EXTRACTED,
    "slot": _within(0, 1_000_000),
    "closing_reason": _one_of(*Closing),
    "profile_exclusion": _one_of("full", "overwritten"),
    "predicate": _one_of(*whitelist()),
    "role": _one_of(*Role),
    "state": _one_of(*SessionState),
    "close_reason": _one_of(*CloseReason),
    "op": _one_of(*Op),
    "raw": lambda value: _up_to(LIMITS.raw_bytes)(value) or _JSON(value),
    "metadata": _METADATA,
    "facts": _FACTS,
    "summary": _text_of(LIMITS.summary_chars),
    "body": lambda value: _BODY(value) if value.startswith("{") else "must be a JSON object",
    "tags": lambda value: next(iter(tag_problems(value)), None),
    "zone": _zone_problem,
    "token_vectors": lambda value: None if is_packed(value) else "must be packed token vectors",
    "namespace": lambda value: None if 1 <= len(value) <= LABELS_MAX else f"must have 1 to {LABELS_MAX} labels",
    "value": _json_text(value_problem),
    "seq": _within(1, _NUMBER_MAX),
    "day": lambda value: None if _is_day(value) else "must be a day, YYYY-MM-DD",
}
# Rules of one kind, instead of the above.
_FACT_RULES: Final[Mapping[str, Rule]] = {"kind": _one_of(*FactKind)}
_RULES_OF_KIND: Final[Mapping[str, Mapping[str, Rule]]] = {
    EDGE: _FACT_RULES,
    Label.MEMBER_FACT: _FACT_RULES,
    Label.SESSION: {"session_id": _USER},
    Label.SESSION_LIFECYCLE: {"session_id": _USER},
    Label.MESSAGE: {"text": _up_to(LIMITS.text_chars), "version": _COUNT},
    Label.SCENE: {"layers_hash": _HASH},
    Label.REJECTED_MERGE: {"reason": _TEXT},
    Label.ITEM: {
        "user_id": lambda value: _USER(value) if value else None,
        "key": lambda value: None if value else "is empty",
        "version": _within(1, _NUMBER_MAX),
        "text": _text_of(SEARCHED_CHARS_MAX),
    },
    Label.TOMBSTONE: {"id": _HASH, "kind": _one_of("message", "session", "user", "fact", "entity")},
}
# Kinds whose id must be that of their URI.
_IDS_FROM_URIS: Final = frozenset((Label.SESSION, Label.SESSION_LIFECYCLE, Label.MESSAGE, Label.USER, Label.AGENT))


def _is_day(value: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", value)) and datetime.fromisoformat(value) is not None
    except ValueError:
        return False


def property_problems(kind: str, found: Any, *, dim: int | None) -> Iterator[str]:
    """Yield the problems of a row's properties, each as a sentence about one property.

    Args:
        kind: one of `ORDER`, without links.
        dim: vector dimension of the file; None if it has no vectors.
    """
    if not isinstance(found, dict):
        yield "must have properties, a JSON object"
        return
    model, rules = properties_of(kind), {**_RULES, **_RULES_OF_KIND.get(kind, {})}
    for name in sorted({name for name, one in model.items() if one.required} - found.keys()):
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
                rules[name](values[name]) if name in rules else None
            )
            if problem:
                yield f"{name} {problem}"
    yield from _consistency_problems(kind, values)


def _general_problem(value: Any, dim: int | None, chars_max: int) -> str | None:
    match value:
        case str():
            return content_problem(value, chars_max)
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


def _consistency_problems(kind: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the problems of properties that must be consistent with each other."""
    if kind in _IDS_FROM_URIS and {"id", "uri"} <= values.keys() and memory_id(values["uri"]) != values["id"]:
        yield "id does not match uri"
    for moment, millis in (("last_at", "last_ms"), ("said_at", "said_ms")):
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
