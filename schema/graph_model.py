"""The graph model from `graph_model.toml` and `predicates.toml`, and its documentation."""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from schema.entity import entity_type_choice
from schema.errors import InstallError
from schema.labels import Label, Link
from schema.predicates import whitelist


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One property.

    Attributes:
        kind: string, strings, int, float, numbers, bool, time, times, vector or bytes.
        role: how the value changes when data moves to another tenant; empty when it does not.
        required: every element has it.
    """

    name: str
    kind: str
    about: str
    role: str
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeModel:
    """A label and its properties, including those of the second label of its nodes."""

    label: Label
    about: str
    also: Label | None
    properties: Mapping[str, Property]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkModel:
    link: Link
    about: str
    start: Label
    end: Label


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphModel:
    nodes: Mapping[Label, NodeModel]
    facts: Mapping[str, Property]
    links: Mapping[Link, LinkModel]


@cache
def graph_model() -> GraphModel:
    """Return the graph model.

    Raises:
        InstallError: the file is incomplete or names a label that does not exist.
    """
    tree = tomllib.loads(files("schema").joinpath("graph_model.toml").read_text(encoding="utf-8"))
    try:
        facts = _properties(tree["facts"])
        nodes = {Label(name): _node(Label(name), tree["nodes"], facts) for name in tree["nodes"]}
        links = {
            Link(name): LinkModel(link=Link(name), about=row["about"], start=Label(row["from"]), end=Label(row["to"]))
            for name, row in tree["links"].items()
        }
    except (KeyError, ValueError) as error:
        raise InstallError(f"schema/graph_model.toml is incomplete or names a wrong label: {error}") from error
    return GraphModel(nodes=nodes, facts=facts, links=links)


def _node(label: Label, all_of: Mapping[str, Any], facts: Mapping[str, Property]) -> NodeModel:
    section = all_of[label]
    also = Label(section["also"]) if "also" in section else None
    own = _properties(section)
    inherited = _properties(all_of[also]) if also else {}
    if label is Label.MEMBER_FACT:
        inherited = dict(facts)
    properties = {**inherited, **own}
    properties |= {name: replace(properties[name], required=True) for name in section.get("required", ())}
    return NodeModel(label=label, about=section["about"], also=also, properties=properties)


def _properties(section: Mapping[str, Any]) -> dict[str, Property]:
    return {
        name: Property(
            name=name,
            kind=row[0],
            about=row[1].replace("{{entity_types}}", entity_type_choice()),
            role=row[2] if len(row) > 2 else "",
            required=name in section.get("required", ()),
        )
        for name, row in section["properties"].items()
    }


def graph_model_document() -> str:
    """Return the text of docs/graph-model.md."""
    model = graph_model()
    parts = {
        "nodes": _node_tables(model),
        "predicates": _predicate_table(),
        "facts": _table(model.facts),
        "links": (
            f"| `({one.start.value})-[:{one.link.value}]->({one.end.value})` | {one.about} |"
            for one in model.links.values()
        ),
    }
    page = files("schema").joinpath("graph_model_page.md").read_text("utf-8")
    for name, lines in parts.items():
        page = page.replace(f"{{{name}}}", "\n".join(lines))
    return page


def _node_tables(model: GraphModel) -> Iterator[str]:
    for node in model.nodes.values():
        also = f" (also {node.also.value})" if node.also else ""
        yield from [f"### {node.label.value}{also}", "", node.about, ""]
        of_facts = model.facts if node.label is Label.MEMBER_FACT else {}
        yield from _table({name: one for name, one in node.properties.items() if name not in of_facts})


def _predicate_table() -> Iterator[str]:
    yield from ["| type | from | to | meaning | 含义 |", "| --- | --- | --- | --- | --- |"]
    for name, rule in whitelist().items():
        ends = [", ".join(label.value for label in Label if label in side) for side in (rule.subjects, rule.objects)]
        yield f"| `{name}` | {ends[0]} | {ends[1]} | {rule.en} | {rule.zh} |"


def _table(properties: Mapping[str, Property]) -> Iterator[str]:
    yield from ["| property | type | meaning |", "| --- | --- | --- |"]
    for one in properties.values():
        kind = {"strings": "string[]", "times": "time[]"}.get(one.kind, one.kind)
        about = one.about or ("the tenant it belongs to" if one.role == "tenant" else "")
        yield f"| `{one.name}` | {kind} | {about} |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(graph_model_document())
