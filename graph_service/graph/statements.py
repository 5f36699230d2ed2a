"""Load Cypher statements: one `.cypher` file each, with a typed header, and shared fragments expanded.

A file may contain only the fragments of this table; they are expanded once, when the statement is loaded:

    {{holds r}}       relationship `r` was valid at $valid_at, by what was known at $known_at (null: all that is known)
    {{open r}}        the condition on the end in `holds`: `r` had not ended then
    {{begun r}}       the other condition in `holds`: `r` had started and was known then
    {{started r}}     as `begun`, but also true if a time is missing, for example in mentions
    {{end_known r}}   the end of `r` was known at $known_at
    {{told_as_ended r}}    no message says that `r` was valid, only that it has ended (mark `e`, schema/assertion.py)
    {{current r}}     `r` has not ended by now, by all that is known
    {{passes_filters m}}    message `m` passes a question's filters: session, agent, roles, tags, metadata and entities
    {{unexpired m}}         message `m` has not expired; for reads that must not wait for the sweep
    {{of_time r}}           fact `r` began, ended or happened in the time of the filter, or its evidence was said then
    {{replaced r}}          sets the properties of `r` to the map `properties` as `=` does, but leaves its key alone
    {{not_correction n}}    node `n` is not the scene of a correction, which is an act and not part of what was said
    {{listed_fact r}}       fact `r` with both ends, for lists; needs `at`, its start in microseconds since 1970
    {{map_edge r}}          the values of `r`, from `s` to `o`, in the order that the map reads; needs `evidence_n`
    {{map_node n}}          the values of node `n` in the order that the map reads
    {{core_fact r}}         the values of `r`, to `b`, in the order that the core memory reads
    {{predicates}}    the types of facts, `PREFERS|DISLIKES|…`; without MENTIONED
    {{each fact, UNION ALL}} … {{end}}         the text once for each type of facts, joined by UNION ALL (or OR)
    {{each predicate, UNION ALL}} … {{end}}    the text once for each type, with MENTIONED
    {{predicate}}     within `each`: the type; {{predicate_name}}: in lower case
    {{each exported, UNION ALL}} … {{end}}     the text once for each label of an export; within it
                      {{label}}: the label; {{key}}: the property that is unique in a tenant
    {{without_vectors}}    map projection of all properties but vectors

`each` is needed because Neo4j uses an index on a relationship property only when one type is named. The predicates
are those of `schema/predicates.toml`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from schema.errors import InstallError
from schema.labels import EXPORTED_KEYS
from schema.predicates import fact_predicates, whitelist

_PARAMETER = re.compile(r"^// \$(\w+): (.+)$", re.MULTILINE)
# Neo4j plans a statement anew for each combination of parameter types, and null and an empty list are types of their
# own: planning `recall/recall` takes 5 to 13 s. The entries of a map do not count, so these parameters are sent in one.
_OF_SEVERAL_TYPES = re.compile(r"list of\b|.*\bnull\b")
_GIVEN: Final = "given"
_USED = re.compile(r"\$(\w+)")
_COLUMNS = re.compile(r"^// -> (.+)$", re.MULTILINE)
_LANGUAGE = "CYPHER 25"  # a server's default may still be Cypher 5, which has no filters inside vector indexes
# Plans of hot statements do not depend on statistics, so they are kept when the database grows.
_KEEP_PLAN = " replan=skip"
_HOT = re.compile(r"^// hot\b", re.MULTILINE)
_MAY_LAG = re.compile(r"^// may lag\b", re.MULTILINE)
# Neo4j parses the whole text before it looks up the plan; without comments and indentation recall takes 2 % less time.
_COMMENT_OR_INDENT = re.compile(r"^(?:[ \t]*//.*\n|[ \t]+)", re.MULTILINE)

_OPEN: Final = (
    "{x}.invalid_at IS NULL OR {x}.invalid_at > $valid_at"
    " OR coalesce({x}.closing_known_at, {x}.known_at, {x}.recorded_at) > $known_at"
)
# A fact that was told as past ends where it begins, and began at any time before (`told_begin`, schema/fact.py).
# CASE, because Neo4j distributes OR over AND before it plans, and plans every part that this repeats.
_BEGUN_BY: Final = (
    "CASE WHEN {x}.valid_at <= $valid_at THEN true"
    " ELSE {x}.valid_at = {x}.invalid_at AND {x}.known_at = {x}.closing_known_at END"
)
_BEGUN: Final = _BEGUN_BY + " AND ($known_at IS NULL OR coalesce({x}.known_at, {x}.recorded_at) <= $known_at)"
_END_KNOWN: Final = "($known_at IS NULL OR coalesce({x}.closing_known_at, {x}.known_at, {x}.recorded_at) <= $known_at)"
_HOLDS: Final = f"{_BEGUN} AND ({_OPEN})"


def _micros(*times: str) -> str:
    """Return times as microseconds since 1970, separated by commas."""
    return ", ".join(f"{time}.epochSeconds * 1000000 + {time}.microsecond" for time in times)


_MAP_NODE: Final = (
    "{x}.id, head([label IN labels({x}) WHERE label <> 'Memory']), {x}.user_id, {x}.name, {x}.entity_type, {x}.aliases,"
    f" {{x}}.abstract, {{x}}.importance, {{x}}.evidence_n, {_micros('{x}.first_seen', '{x}.last_seen')}"
)
# Fragments about one variable, whose name replaces `{x}`.
_OF_VARIABLE: Final = {
    "holds": _HOLDS,
    "open": _OPEN,
    "begun": _BEGUN,
    "started": (
        f"($valid_at IS NULL OR {{x}}.valid_at IS NULL OR {_BEGUN_BY})"
        " AND ($known_at IS NULL OR coalesce({x}.known_at, {x}.recorded_at, {x}.first_seen) <= $known_at)"
    ),
    "end_known": _END_KNOWN,
    "listed_fact": (
        "{x} {{.id, .uri, .user_id, .relation, .statement, .strength, .confidence, .importance, .valid_at, .known_at,"
        " .closing_known_at, .recorded_at, .first_seen, .last_seen, .evidence, .quotes, .kind, .rationale, .steps,"
        " .trigger_emotion, .mentioned_start, .mentioned_end,"
        " predicate: type({x}), subject_id: startNode({x}).id, object_id: endNode({x}).id, at: at,"
        f" ends: [x IN [startNode({{x}}), endNode({{x}})] | [{_MAP_NODE.replace('{x}', 'x')}]],"
        f" invalid_at: CASE WHEN {_END_KNOWN} THEN {{x}}.invalid_at END}}}}"
    ),
    "map_edge": (
        "{x}.id, s.id, o.id, type({x}), {x}.user_id, {x}.relation, {x}.strength, {x}.confidence, evidence_n, "
        + _micros("{x}.first_seen", "{x}.last_seen", "{x}.valid_at", "{x}.invalid_at")
        + f", {_micros('coalesce({x}.known_at, {x}.recorded_at)', '{x}.closing_known_at')}, {{x}}.kind, {{x}}.statement"
    ),
    "map_node": _MAP_NODE,
    "core_fact": (
        "{x}.id, {x}.uri, {x}.statement, type({x}), {x}.relation, b.id, {x}.kind, {x}.importance, {x}.strength,"
        f" {{x}}.confidence, {_micros('{x}.first_seen', '{x}.last_seen')}, {{x}}.valid_at.epochMillis,"
        f" CASE WHEN {_END_KNOWN} THEN {{x}}.invalid_at.epochMillis END, {{x}}.trigger_emotion, {{x}}.evidence,"
        " size({x}.scenes), "
        "head(COLLECT {{ MATCH (m:Message {{tenant: $tenant, id: head({x}.evidence)}}) RETURN m.zone }})"
    ),
    "told_as_ended": (
        "({x}.invalid_at IS NOT NULL AND size({x}.assertions) > 0"
        " AND all(told IN {x}.assertions WHERE split(told, '|')[7] STARTS WITH 'e'))"
    ),
    "current": "({x}.invalid_at IS NULL OR {x}.invalid_at > datetime())",
    "passes_filters": (
        "$session IN ['', {x}.session_id] AND $agent IN ['', {x}.agent_id] AND {x}.role IN $roles"
        " AND (NOT $by_tag OR any(tag IN {x}.tags WHERE tag IN $tags))"
        " AND (NOT $by_metadata OR ({x}.id IN $metadata_ids) <> $metadata_excluded)"
        " AND (NOT $by_entity OR EXISTS {{"
        " MATCH ({x})-[:PART_OF]->(:Scene)-[mention:MENTIONED]->(e:Memory) WHERE {x}.id IN mention.evidence"
        " AND (e.key IN $entity_filter OR EXISTS {{"
        " MATCH (member:MemberEntity)-[:MEMBER_OF]->(e) WHERE member.key IN $entity_filter }}) }})"
    ),
    "unexpired": "({x}.expires_ms IS NULL OR {x}.expires_ms > timestamp())",
    # Times without EXISTS first, because reading the evidence is expensive.
    "of_time": (
        "CASE WHEN NOT $by_time THEN true"
        " WHEN $from_ms <= {x}.valid_at.epochMillis < $to_ms THEN true"
        " WHEN $from_ms <= {x}.invalid_at.epochMillis < $to_ms THEN true"
        " WHEN {x}.mentioned_start.epochMillis < $to_ms AND {x}.mentioned_end.epochMillis > $from_ms THEN true"
        " ELSE EXISTS {{ UNWIND {x}.evidence AS proof MATCH (said:Message {{tenant: $tenant, id: proof}})"
        " WHERE said.said_ms >= $from_ms AND said.said_ms < $to_ms RETURN said }} END"
    ),
    # Neo4j 2026.08 still finds an element by a unique key that the transaction set, even to the same value, after it
    # has deleted the element: it refuses a new relationship with that key, and MERGE returns the deleted node.
    "replaced": (
        "FOREACH (name IN [name IN keys({x}) WHERE properties[name] IS NULL AND NOT name IN ['tenant', 'id']] |"
        " SET {x}[name] = null)"
        " FOREACH (name IN [name IN keys(properties) WHERE NOT name IN ['tenant', 'id']] |"
        " SET {x}[name] = properties[name])"
    ),
    # Same as `is_of_correction` in schema/ids.py; the first condition is cheap and excludes most scenes.
    "not_correction": (
        "NOT ({x}:Scene AND coalesce({x}.uri, '') CONTAINS '/by-hand%3A'"
        " AND split({x}.uri, '/')[5] STARTS WITH 'by-hand%3A')"
    ),
}
_WITHOUT_VECTORS: Final = (
    "{.*, embedding: null, abstract_embedding: null, overview_embedding: null, token_vectors: null}"
)
_EACH = re.compile(r"\{\{each (fact|predicate|exported), (UNION ALL|OR|;)\}\}(.*?)\{\{end\}\}", re.DOTALL)
_CREATED = re.compile(r"CREATE (?:FULLTEXT )?(?:INDEX|CONSTRAINT) (\w+) ")
_FRAGMENT = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One Cypher statement.

    Attributes:
        name: folder and file, `recall/recall`.
        parameters: names of the `$parameters` its header declares.
        given: those that may be null or an empty list, which `text` reads from the map `$given`.
        columns: names of the returned columns, in order; empty when it returns nothing.
        hot: runs in every remember, recall or digest, so its plan must not scan.
        may_lag: a follower of a cluster may answer it, which lags behind the leader by some milliseconds or seconds.
    """

    name: str
    text: str
    parameters: frozenset[str]
    columns: tuple[str, ...]
    hot: bool
    given: frozenset[str] = frozenset()
    may_lag: bool = False

    def values(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values to send with `text`."""
        plain = {name: value for name, value in parameters.items() if name not in self.given}
        return plain | ({_GIVEN: {name: parameters[name] for name in self.given}} if self.given else {})


@cache
def statement(name: str) -> Statement:
    """Return the statement in `cypher/{name}.cypher`.

    Raises:
        InstallError: there is no such file, or it has an unknown fragment; the installation is damaged.
    """
    path = _root().joinpath(f"{name}.cypher")
    if not path.is_file():
        raise InstallError(f"the Cypher statement {name!r} is missing from the installation; install the package again")
    return parse_statement(name, path.read_text(encoding="utf-8"))


def parse_statement(name: str, text: str) -> Statement:
    columns = _COLUMNS.search(text)
    hot = _HOT.search(text) is not None
    declared = dict(_PARAMETER.findall(text))
    given = frozenset(one for one, kind in declared.items() if _OF_SEVERAL_TYPES.match(kind))
    body = expand_fragments(_COMMENT_OR_INDENT.sub("", text), source=name)
    body = _USED.sub(lambda used: f"${_GIVEN}.{used[1]}" if used[1] in given else used[0], body)
    return Statement(
        name=name,
        text=f"{_LANGUAGE}{_KEEP_PLAN if hot else ''}\n{body}",
        parameters=frozenset(declared),
        given=given,
        columns=tuple(part.strip() for part in columns.group(1).split(",")) if columns else (),
        hot=hot,
        may_lag=_MAY_LAG.search(text) is not None,
    )


def expand_fragments(text: str, *, source: str) -> str:
    """Return Cypher with each fragment replaced by its text.

    Args:
        source: name of the statement, for the error.

    Raises:
        InstallError: the fragment is not in the table.
    """

    def each(found: re.Match[str]) -> str:
        names, separator, body = found.groups()
        if names == "exported":
            parts = [body.replace("{{label}}", label).replace("{{key}}", key) for label, key in EXPORTED_KEYS.items()]
        else:
            parts = [
                body.replace("{{predicate}}", name).replace("{{predicate_name}}", name.lower())
                for name in (fact_predicates() if names == "fact" else whitelist())
            ]
        return f"{separator}\n".join(parts)

    def one(found: re.Match[str]) -> str:
        match found.group(1).split():
            case ["predicates"]:
                return "|".join(fact_predicates())
            case ["without_vectors"]:
                return _WITHOUT_VECTORS
            case [name, variable] if name in _OF_VARIABLE and variable.isidentifier():
                return _OF_VARIABLE[name].format(x=variable)
        raise InstallError(f"the Cypher statement {source!r} has the unknown fragment {found.group(0)}")

    return _FRAGMENT.sub(one, _EACH.sub(each, text))


def baseline_statements() -> list[Statement]:
    """Return the statements of `cypher/baseline.cypher`, each named after its index or constraint."""
    text = parse_statement("baseline", _root().joinpath("baseline.cypher").read_text(encoding="utf-8")).text
    return [_part(f"baseline/{_CREATED.findall(part)[0]}", part) for part in text.removeprefix(_LANGUAGE).split(";")]


def migration_steps(migration: Statement) -> list[Statement]:
    """Return the statements of a migration, which semicolons separate, in order."""
    parts = migration.text.removeprefix(_LANGUAGE).split(";")
    return [_part(f"{migration.name}/{number}", part) for number, part in enumerate(parts, 1)]


def _part(name: str, text: str) -> Statement:
    return Statement(name=name, text=f"{_LANGUAGE}\n{text.strip()}", parameters=frozenset(), columns=(), hot=False)


def statement_names() -> list[str]:
    """Return the names of all shipped statements, sorted."""
    return sorted(
        f"{folder.name}/{file.name.removesuffix('.cypher')}"
        for folder in _root().iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".cypher")
    )


def _root() -> Traversable:
    return files("graph_service.graph").joinpath("cypher")
