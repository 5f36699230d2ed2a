"""Load Cypher statements: one `.cypher` file each, with a typed header, and shared fragments expanded.

A file may contain the fragments in `fragments.toml`, and these; they are expanded once, when the statement is loaded:

    {{predicates}}    the types of facts, `PREFERS|DISLIKES|…`; without MENTIONED
    {{each fact, UNION ALL}} … {{end}}         the text once for each type of facts, joined by UNION ALL (or OR)
    {{each predicate, UNION ALL}} … {{end}}    the text once for each type, with MENTIONED
    {{predicate}}     within `each`: the type; {{predicate_name}}: in lower case
    {{each exported, UNION ALL}} … {{end}}     the text once for each label of an export; within it
                      {{label}}: the label; {{key}}: the property that is unique in a tenant

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

from extraction.text.toml_files import toml_of
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

_SHARED: Final = toml_of("graph_service.graph", "fragments.toml")
_NESTED = re.compile(r"\{\{(\w+) (\S+?)\}\}(?!\})")
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
            case [name] if "{x}" not in _SHARED.get(name, "{x}"):
                return _shared(name)
            case [name, variable] if "{x}" in _SHARED.get(name, "") and variable.isidentifier():
                return _shared(name).replace("{x}", variable)
        raise InstallError(f"the Cypher statement {source!r} has the unknown fragment {found.group(0)}")

    return _FRAGMENT.sub(one, _EACH.sub(each, text))


@cache
def _shared(name: str) -> str:
    """Return a text of `fragments.toml` in one line, with those that it contains."""
    text = " ".join(_SHARED[name].splitlines())
    return _NESTED.sub(lambda found: _shared(found[1]).replace("{x}", found[2]), text)


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
