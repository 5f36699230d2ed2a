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

_HEAD = """\
# The graph, for analysts

Written by `python -m schema.graph_model > docs/graph-model.md` from `schema/graph_model.toml` and
`schema/predicates.toml`; change those.
Terms and rules are explained in [schema/README.md](../schema/README.md); example queries are in the
[cookbook](cookbook.md).

Times are in UTC. A property with `[]` is a list. Unset properties are absent, not empty.
Every node, fact and mention has `tenant`; begin each statement with it: `(u:User {tenant: 'default'})`.
"""


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
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    model = graph_model()
    yield from [_HEAD, "## Nodes", ""]
    for node in model.nodes.values():
        also = f" (also {node.also.value})" if node.also else ""
        yield from [f"### {node.label.value}{also}", "", node.about, ""]
        if node.label is Label.MEMBER_FACT:
            own = {name: one for name, one in node.properties.items() if name not in model.facts}
            yield from _table(own)
        else:
            yield from _table(node.properties)
    yield from [
        "## Facts and mentions",
        "",
        "The relationship types are the predicates; `(tenant, id)` is unique per type:",
        "",
    ]
    yield from ["| type | from | to | meaning | 含义 |", "| --- | --- | --- | --- | --- |"]
    for name, rule in whitelist().items():
        ends = [", ".join(label.value for label in Label if label in side) for side in (rule.subjects, rule.objects)]
        yield f"| `{name}` | {ends[0]} | {ends[1]} | {rule.en} | {rule.zh} |"
    yield ""
    yield from _table(model.facts)
    yield from [
        "## Structural relationships",
        "",
        "They have no properties.",
        "",
        "| type | meaning |",
        "| --- | --- |",
    ]
    for link in model.links.values():
        yield f"| `({link.start.value})-[:{link.link.value}]->({link.end.value})` | {link.about} |"


def _table(properties: Mapping[str, Property]) -> Iterator[str]:
    yield from ["| property | type | meaning |", "| --- | --- | --- |"]
    for one in properties.values():
        kind = {"strings": "string[]", "times": "time[]"}.get(one.kind, one.kind)
        about = one.about or ("the tenant it belongs to" if one.role == "tenant" else "")
        yield f"| `{one.name}` | {kind} | {about} |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(graph_model_document())
