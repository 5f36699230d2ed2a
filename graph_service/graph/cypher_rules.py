"""Decide by tokens and plan whether a user-written Cypher statement may run. Pure.

What could make the server unusable for others is refused here, before it is sent: nesting that overflows its stack. The
plan then shows the operators of a statement; only those known to read the graph are allowed. What a statement costs is
not decided here: only administrators of the installation may run one, and it keeps its slot until Neo4j has ended it
(`memory/analyst_queries.py`), because Neo4j checks for termination between rows, never within an expression.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from schema.errors import InputError

STATEMENT_CHARS_MAX: Final = 20_000
NESTING_MAX: Final = 32
UNARY_MAX: Final = 16
# Neo4j inlines expressions named by WITH, so depths add up over clauses; at about a thousand its stack overflows, and a
# class that is being loaded then stays unusable until a restart.
DEPTH_MAX: Final = 200
OPERATORS_MAX: Final = 400
# With two quantifiers a regular expression takes at most quadratic time.
_QUANTIFIERS_MAX: Final = 2
PARAMETER_BYTES_MAX: Final = 2**20
_DEPTH_MAX: Final = 16
READS_ONLY: Final = "this only reads"

# Procedures that only read this database; others may read files, open connections or stop transactions.
PROCEDURES: Final = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.index.vector.queryNodes",
        "db.index.vector.queryRelationships",
        "db.labels",
        "db.propertyKeys",
        "db.relationshipTypes",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
        "db.schema.visualization",
    }
)
# Namespaces of Neo4j's own functions; plug-in functions may run statements, read files and open connections.
_NAMESPACES: Final = frozenset(
    {"coll", "date", "datetime", "duration", "localdatetime", "localtime", "point", "time", "vector"}
)
_FIRST_WORDS: Final = frozenset(
    {"CALL", "FILTER", "FOR", "LET", "MATCH", "OPTIONAL", "RETURN", "UNWIND", "WHEN", "WITH"}
)
_CLAUSES: Final = frozenset({"CALL", "FILTER", "FOR", "LET", "MATCH", "NEXT", "RETURN", "UNION", "UNWIND", "WITH"})
_LANGUAGES: Final = frozenset({"5", "25"})
_OPERATOR_WORDS: Final = frozenset({"AND", "CONTAINS", "ENDS", "IN", "IS", "NOT", "OR", "STARTS", "XOR"})
_OPERATOR_SIGNS: Final = frozenset({"+", "-", "*", "/", "%", "^", "||", "=", "<", ">", "=~", "[", "."})
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}

_OPERATORS: Final = frozenset(
    {
        "AntiConditionalApply", "AntiSemiApply", "Apply", "Argument", "ArgumentTracker", "AssertSameNode",
        "AssertSameRelationship", "BFSPruningVarExpand", "BidirectionalRepeat", "CacheProperties", "CartesianProduct",
        "ConditionalApply", "Distinct", "Eager", "EagerAggregation", "EmptyResult", "EmptyRow", "ExhaustiveLimit",
        "Expand", "Filter", "LeftOuterHashJoin", "LetAntiSemiApply", "LetSelectOrAntiSemiApply",
        "LetSelectOrSemiApply", "LetSemiApply", "Limit", "NodeCountFromCountStore", "NodeHashJoin", "Optional",
        "OptionalExpand", "OrderedAggregation", "OrderedDistinct", "OrderedUnion", "PartialSort", "PartialTop",
        "PathPropagatingBFS", "ProcedureCall", "ProduceResults", "ProjectEndpoints", "Projection",
        "RelationshipCountFromCountStore", "Repeat", "RepeatOptions", "RightOuterHashJoin", "RollUpApply",
        "SelectOrAntiSemiApply", "SelectOrSemiApply", "SemiApply", "ShortestPath", "Skip", "Sort",
        "StatefulShortestPath", "Top", "Top1WithTies", "TriadicBuild", "TriadicFilter", "TriadicSelection", "Union",
        "Unwind", "ValueHashJoin", "VarLengthExpand",
    }
)  # fmt: skip
# Such as NodeIndexSeek, DirectedRelationshipTypeScan, MultiNodeIndexSeek, UnionNodeByLabelsScan.
_READS_OF_STORE: Final = re.compile(
    r"(?:Assert(?:ing)?|Multi|Dynamic|Partitioned|Directed|Undirected|All|Union|Intersection|Subtraction)*"
    r"(?:Nodes?|Relationships?)[A-Za-z]*?(?:Scan|Seek|SeekByRange|Search)"
)
_REASONS: Final = {
    "LoadCSV": "LOAD CSV would read files and URLs",
    "TerminateTransactions": "it would stop other users' transactions",
    "TransactionApply": "IN TRANSACTIONS starts transactions without limits",
    "TransactionForeach": "IN TRANSACTIONS starts transactions without limits",
}

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n\r]*|/\*(?s:.)*?\*/)
    |(?P<text>'(?:[^'\\]|\\(?s:.))*'|"(?:[^"\\]|\\(?s:.))*")
    |(?P<name>`(?:[^`]|``)*`)
    |(?P<number>0[xo][0-9a-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)
    |(?P<word>[^\W\d]\w*)
    |(?P<sign>=~|\|\||\.\.|[^\w\s])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, sign, number, text or quoted name; `word` is the upper-case text of words, else empty."""

    kind: str
    text: str
    word: str = ""


_END: Final = Token("end", "")


def tokens_of(statement: str) -> list[Token]:
    """Split a statement into tokens, without whitespace and comments.

    Raises:
        InputError: an unterminated text, name or comment, or a Unicode escape.
    """
    if len(statement) > STATEMENT_CHARS_MAX:
        raise InputError(f"the statement has more than {STATEMENT_CHARS_MAX:,} characters; pass values as parameters")
    _encodable(statement)
    if re.search(r"\\[uU]", statement):
        raise InputError(r"the statement has \u: write the character itself, or pass the text as a parameter")
    found: list[Token] = []
    place = 0
    while place < len(statement):
        match = _TOKEN.match(statement, place)
        if match is None or match.group() in ("'", '"', "`"):
            raise InputError(f"the statement has an unterminated text, name or comment at character {place + 1}")
        place = match.end()
        kind, text = str(match.lastgroup), match.group()
        if kind == "sign" and text == "/" and statement.startswith("/*", match.start()):
            raise InputError(f"the statement has an unterminated comment at character {match.start() + 1}")
        if kind != "space":
            found.append(Token(kind, text, text.upper() if kind == "word" else ""))
    return found


def check_words(statement: str) -> str:
    """Return the statement without a final semicolon; refuse statements that must not even be planned.

    Raises:
        InputError: with the reason and what to write instead.
    """
    tokens = tokens_of(statement)
    while tokens and tokens[-1].text == ";":
        tokens.pop()
        statement = statement.rstrip().removesuffix(";")
    if not tokens:
        raise InputError("the statement is empty; write Cypher, for example MATCH (u:User) RETURN u.name LIMIT 5")
    if any(one.text == ";" for one in tokens):
        raise InputError("write one statement, without a semicolon in it")
    first = tokens
    if first[0].word == "CYPHER":
        if len(first) < 3 or first[1].text not in _LANGUAGES:
            raise InputError("after CYPHER only the version is allowed: CYPHER 5 or CYPHER 25")
        first = first[2:]
    if first[0].word in ("EXPLAIN", "PROFILE"):
        raise InputError("leave out EXPLAIN and PROFILE: cypher-shell shows plans (`mnemoscene db shell-hint`)")
    _check_nesting(first)
    _check_depth(first)
    _check_reading(first)
    _check_functions(first)
    _check_regexes(first)
    # Statements that write are refused by their plan, with a better reason.
    return statement


def _check_nesting(tokens: Sequence[Token]) -> None:
    """Refuse nesting that would overflow the stack of Neo4j's parser or planner."""
    open_: list[str] = []
    cases = unary = 0
    for place, one in enumerate(tokens):
        if one.kind == "sign" and one.text in _PAIRS:
            open_.append(_PAIRS[one.text])
        elif one.kind == "sign" and one.text in _PAIRS.values() and (not open_ or open_.pop() != one.text):
            raise InputError(f"the statement has an unmatched {one.text!r}")
        if not _is_property(tokens, place):
            cases += (one.word == "CASE") - (one.word == "END" and cases > 0)
        if len(open_) + cases > NESTING_MAX:
            raise InputError(f"the statement is nested more than {NESTING_MAX} deep; use WITH or parameters")
        unary = unary + 1 if one.word == "NOT" or one.text in ("+", "-") else 0
        if unary > UNARY_MAX:
            raise InputError(f"the statement has more than {UNARY_MAX} signs or NOTs in a row")


def _check_depth(tokens: Sequence[Token]) -> None:
    depth = deepest = floor = total = operators = 0
    for place, one in enumerate(tokens):
        if one.kind == "sign" and one.text in _PAIRS:
            depth += 1
            deepest = max(deepest, depth - floor)
        elif one.kind == "sign" and one.text in _PAIRS.values():
            depth -= 1
            floor = min(floor, depth)
        elif one.word in _CLAUSES and not _is_property(tokens, place):
            total, deepest, floor = total + deepest + 1, 0, depth
        operators += one.word in _OPERATOR_WORDS or (one.kind == "sign" and one.text in _OPERATOR_SIGNS)
    if total + deepest > DEPTH_MAX:
        raise InputError("the statement has too many clauses and brackets; ask in several statements")
    if operators > OPERATORS_MAX:
        raise InputError(f"the statement has more than {OPERATORS_MAX} operators; pass lists as parameters, for IN")


def _check_reading(tokens: Sequence[Token]) -> None:
    """Refuse LOAD CSV, IN TRANSACTIONS and procedures that are not listed, which plans do not always show."""
    for place, one in enumerate(tokens[:-1]):
        if _is_property(tokens, place):
            continue
        after = tokens[place + 1]
        if one.word == "LOAD" and after.word == "CSV":
            raise InputError(f"{READS_ONLY} the graph, so this is refused: {_REASONS['LoadCSV']}")
        if one.word == "IN" and any(word.word == "TRANSACTIONS" for word in tokens[place + 1 : place + 4]):
            raise InputError(f"{READS_ONLY} the graph, so this is refused: {_REASONS['TransactionApply']}")
        if one.word == "CALL" and after.kind in ("word", "name"):
            names = [_bare(after)]
            next_place = place + 2
            while next_place + 1 < len(tokens) and tokens[next_place].text == ".":
                names.append(_bare(tokens[next_place + 1]))
                next_place += 2
            if len(names) > 1 and ".".join(names) not in PROCEDURES:
                raise InputError(_refused_procedure(".".join(names)))


def _refused_procedure(name: str) -> str:
    return f"the procedure {name} is refused; use one of {', '.join(sorted(PROCEDURES))}"


def _check_functions(tokens: Sequence[Token]) -> None:
    """Refuse functions of plug-ins, which may run statements, read files and open connections."""
    for place in range(len(tokens)):
        chain = _chain(tokens, place) if _is_call(tokens, place) else []
        if chain and chain[0].lower() not in _NAMESPACES:
            raise InputError(f"the function {'.'.join(chain)} is refused; only functions of Cypher itself are used")


def _check_regexes(tokens: Sequence[Token]) -> None:
    """Refuse regular expressions that may take more than quadratic time: an exponential one never ends."""
    for place, one in enumerate(tokens):
        if one.text != "=~":
            continue
        after = [*tokens[place + 1 : place + 3], _END, _END]
        pattern = re.sub(r"^.(\(\?[is]+\))?|.$", "", after[0].text)
        hard = re.search(r"[(\\]", pattern) or len(re.findall(r"[*+?{]", pattern)) > _QUANTIFIERS_MAX
        if after[0].kind != "text" or hard or after[1].text in ("+", "||", "[", "."):
            raise InputError(
                f"=~ needs a literal text without groups and with at most {_QUANTIFIERS_MAX} of * + ? {{}}, because "
                "Neo4j cannot stop others: use CONTAINS, STARTS WITH or a full-text index"
            )


def _is_call(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].kind in ("word", "name") and place + 1 < len(tokens) and tokens[place + 1].text == "("


def _is_property(tokens: Sequence[Token], place: int) -> bool:
    """Return True if a word is a property or parameter name, not a keyword."""
    if place == 0 or tokens[place - 1].text not in (".", "$"):
        return False
    return tokens[place - 1].text == "$" or (place > 1 and tokens[place - 2].kind != "number")


def _chain(tokens: Sequence[Token], place: int) -> list[str]:
    """Return the parts of the dotted name that ends at this token; empty without a dot, and after CALL.

    `check_plan` checks what CALL runs.
    """
    names = [_bare(tokens[place])]
    while place >= 2 and tokens[place - 1].text == "." and tokens[place - 2].kind in ("word", "name"):
        place -= 2
        names.insert(0, _bare(tokens[place]))
    called = place > 0 and tokens[place - 1].word == "CALL"
    return [] if called or len(names) == 1 else names


def _bare(token: Token) -> str:
    return token.text[1:-1] if token.kind == "name" else token.text


def check_plan(plan: Mapping[str, Any] | None, query_type: str | None) -> None:
    """Refuse statements whose plan does more than read the graph.

    Args:
        plan, query_type: of the summary of EXPLAIN.

    Raises:
        InputError: with the reason.
    """
    # Without variants: `Expand` for `Expand(Into)@neo4j`.
    names = [] if plan is None else [re.split("[@(]", str(one["operatorType"]))[0] for one in _steps(plan)]
    for one in names:
        if one in _REASONS:
            raise InputError(f"{READS_ONLY} the graph, so this is refused: {_REASONS[one]}")
    if query_type in ("w", "rw"):
        raise InputError(f"{READS_ONLY}, and the statement writes: change memories with `mnemoscene remember`/`forget`")
    shows = any(one.startswith("Show") for one in names)
    if query_type != "r" or plan is None or shows:
        raise InputError(f"{READS_ONLY}, and the statement is about the server or its schema")
    for one in names:
        if one not in _OPERATORS and not _READS_OF_STORE.fullmatch(one):
            raise InputError(f"{READS_ONLY} the graph, and the statement would do {one}, which is not known to be safe")
    for name in _procedures(plan):
        if name not in PROCEDURES:
            raise InputError(_refused_procedure(name))


def check_first_word(statement: str) -> None:
    """Refuse statements that do not begin with a reading clause.

    Raises:
        InputError: with the allowed clauses.
    """
    tokens = tokens_of(statement)
    first = tokens[2:] if tokens[0].word == "CYPHER" else tokens
    while first and first[0].text in ("(", "{"):
        first = first[1:]
    if not first or first[0].word not in _FIRST_WORDS:
        raise InputError(f"{READS_ONLY} the graph: a statement begins with one of {', '.join(sorted(_FIRST_WORDS))}")


def _steps(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    waiting = [plan]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.get("children", ())


def _procedures(plan: Mapping[str, Any]) -> Iterator[str]:
    for one in _steps(plan):
        if str(one["operatorType"]).startswith("ProcedureCall"):
            yield str(one.get("args", {}).get("Details", "")).split("(")[0].strip()


def check_parameters(parameters: Any) -> None:
    """Refuse parameters that the driver or Neo4j does not support.

    Raises:
        InputError: with the reason.
    """
    if not isinstance(parameters, Mapping):
        raise InputError('parameters must be an object, such as {"user": "ana"}')
    size, waiting = 0, [(parameters, 0)]
    while waiting:
        value, depth = waiting.pop()
        match value:
            case None | bool() | float():
                size += 8
            case int():
                if not -(2**63) <= value < 2**63:
                    raise InputError("a parameter is an integer of more than 64 bits; pass it as text")
                size += 8
            case str():
                size += 8 + len(_encodable(value))
            case list() | tuple() | Mapping():
                size += 8
                inside = [*value, *value.values()] if isinstance(value, Mapping) else value
                waiting += [(one, depth + 1) for one in inside]
            case _:
                raise InputError(
                    f"a parameter is a {type(value).__name__}; use text, numbers, true, null, lists, objects"
                )
        if depth > _DEPTH_MAX or size > PARAMETER_BYTES_MAX:
            raise InputError(
                f"parameters may have {PARAMETER_BYTES_MAX:,} bytes and be nested {_DEPTH_MAX} deep; these exceed it"
            )


def _encodable(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"a text has a lone surrogate at character {error.start + 1}") from error
