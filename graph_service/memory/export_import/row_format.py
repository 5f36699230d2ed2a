"""The lines of an export file: which kinds there are, in which order, and what each must hold. Pure.

The first line says what the file is; then come nodes, edges and links, kind by kind, each kind in the order of its ids;
and the last line counts them, so that a file that was cut short is known for one.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graph_service.memory.export_import.row_shapes import EDGE, mistakes_in_properties
from schema.graph_model import Property, graph_model
from schema.labels import Label, Link
from schema.predicates import whitelist

FORMAT: Final = "mnemograph-export"
VERSION: Final = 1
LINKS: Final = (Link.PART_OF, Link.IN_SESSION, Link.STANDS_FOR)
# What others name comes before what names it.
ORDER: Final = (
    Label.SESSION,
    Label.SESSION_LIFE,
    Label.MESSAGE,
    Label.USER,
    Label.AGENT,
    Label.ENTITY,
    Label.HELD_ENTITY,
    Label.SCENE,
    EDGE,
    Label.HELD_FACT,
    *LINKS,
    Label.EPISODE,
    Label.KEPT_APART,
    Label.REVISION,
    Label.TOMBSTONE,
    Label.USAGE,
    Label.CHANGE,
)
_VECTORS: Final = ("embedding", "abstract_embedding", "overview_embedding", "token_vectors")
_END_CHARS_MAX: Final = 64
Row = dict[str, Any]


def kind_of_row(row: Mapping[str, Any]) -> str:
    """Return which kind of `ORDER` a row is."""
    return str(EDGE if EDGE in row else row.get("node") or row["link"])


def key_of_row(row: Mapping[str, Any]) -> str:
    """Return what rows of one kind are sorted by."""
    if "link" in row:
        return f"{row['from']} {row['to']}"
    found = row["properties"]
    return f"{found['seq']:020d}" if row.get("node") == Label.CHANGE else str(found.get("id") or found["day"])


def model_of(row: Mapping[str, Any]) -> Mapping[str, Property]:
    """Return the properties that rows of this kind may have."""
    model = graph_model()
    return model.facts if EDGE in row else model.nodes[Label(row["node"])].properties


def without_vectors(row: Row) -> Row:
    """Return the row of something that waits for its vectors."""
    if EDGE not in row and row.get("node") not in (Label.MESSAGE, Label.SCENE):
        return row
    kept = {name: value for name, value in row["properties"].items() if name not in _VECTORS}
    # A fact waits in a session; the statement that writes it says in which.
    waits = {} if EDGE in row else {"unembedded": True}
    return {**row, "properties": dict(sorted({**kept, **waits}.items()))}


def lacks_vector(row: Row) -> bool:
    """Return whether the row is a fact without a vector, for which no work is under way; files of older versions hold
    such.
    """
    found = row["properties"] if EDGE in row else {}
    return bool(found.get("statement")) and not {"embedding", "unembedded_in"} & found.keys()


def mistakes_in(row: Any, *, dim: int | None) -> Iterator[str]:
    """Yield what is wrong with a line between the first and the last.

    Args:
        dim: numbers in each vector of the file; None when it has none.
    """
    if not isinstance(row, dict):
        yield "is no object"
        return
    allowed = {"node": _is_node, EDGE: _is_edge, "link": _is_link}
    kind = next((name for name in allowed if name in row), None)
    if kind is None:
        yield "is neither node, edge nor link"
    elif not allowed[kind](row):
        yield f"is of an unknown kind, {row[kind]!r:.60}, or names no ends"
    elif row.get("node") == Label.JOB:
        # Files of older versions hold them; what waits is worked out from the rest.
        yield from _mistakes_of_job(row["properties"])
    elif kind != "link":
        yield from mistakes_in_properties(kind_of_row(row), row["properties"], model_of(row), dim=dim)


def _mistakes_of_job(found: Any) -> Iterator[str]:
    if isinstance(found, dict) and found.get("kind") == "forget" and found.get("state") not in ("done", "cancelled"):
        yield "a user was being forgotten when this was exported; wait for the end of that, and export it again"


def _is_node(row: Row) -> bool:
    return (
        isinstance(row["node"], str)
        and row["node"] in (*ORDER, Label.JOB)
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
