"""Test that a predicate, relation label or type of entity added to the vocabulary needs no other edit."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schema.errors import InstallError
from schema.labels import Label
from schema.predicates import SECTORS, fact_predicates, groups_of, predicates_of, scene_predicates, whitelist
from schema.relations import (
    canonical_relation,
    labels_of,
    nearest_predicate,
    predicate_and_relation,
    relation_labels,
)

_ROOT = Path(__file__).parents[3]
_ADMIRES = """
[ADMIRES]
subject = ["User", "Agent", "Entity"]
object = ["Entity", "User", "Agent"]
en = "admires, looks up to"
zh = "敬佩"
"""
_LABEL = """
["plays for"]
zh = "效力于"
synonyms = "signed with|为其效力"
"""
# Prints what the doors, prompts, statements and generated files say with the changed vocabulary.
_SAYS = """
import json
from extraction.llm.scene_reader import _predicate_lines
from graph_service.api.schema_files import contracts
from graph_service.graph.statements import baseline_statements, statement
from graph_service.mcp.tool_registry import CORE
from graph_service.memory.consolidation.session_input import entity_type
from schema.graph_model import graph_model_document
from schema.labels import Label
from schema.predicates import allowed
from schema.relations import canonical_relation
print(json.dumps({
    "allowed": allowed(Label.USER, "ADMIRES", Label.ENTITY),
    "type": entity_type("vehicle"),
    "label": canonical_relation("signed with"),
    "prompt": "\\n".join(_predicate_lines()),
    "recall": statement("recall/recall").text,
    "schema": [one.name for one in baseline_statements()],
    "tools": json.dumps([tool.arguments.model_json_schema() for tool in CORE]),
    "document": graph_model_document(),
    **contracts(),
}))
"""


@pytest.fixture(scope="module")
def says(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Return what the program says after one edit of each kind in a copy of the vocabulary."""
    root = tmp_path_factory.mktemp("checkout")
    for folder in ("extraction", "graph_service", "docs", "web_viewer"):
        (root / folder).symlink_to(_ROOT / folder)
    shutil.copytree(_ROOT / "schema", root / "schema", ignore=shutil.ignore_patterns("__pycache__"))
    for name, added in (("predicates.toml", _ADMIRES), ("relations.toml", _LABEL)):
        with (root / "schema" / name).open("a", encoding="utf-8") as file:
            file.write(added)
    entities = root / "schema" / "entity.py"
    text = entities.read_text(encoding="utf-8")
    entities.write_text(
        text.replace('    TOPIC = "topic"\n', '    TOPIC = "topic"\n    VEHICLE = "vehicle"\n'), "utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-c", _SAYS],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, object] = json.loads(done.stdout)
    return said


def test_a_new_predicate_is_allowed_and_reaches_prompt_statements_and_indexes(says: dict[str, object]) -> None:
    assert says["allowed"] is True
    assert "- ADMIRES: admires, looks up to / 敬佩" in str(says["prompt"])
    assert "ADMIRES" in str(says["recall"])
    assert {"baseline/admires_id", "baseline/admires_unembedded"} <= set(says["schema"])  # type: ignore[call-overload]


@pytest.mark.parametrize("door", ["schema/schema.graphql", "tools", "document", "docs/cookbook.md", "schema/README.md"])
def test_a_new_predicate_is_named_at_every_door_and_in_the_documents(says: dict[str, object], door: str) -> None:
    assert "ADMIRES" in str(says[door])


def test_a_new_predicate_has_words_and_a_look_of_its_own_in_the_viewer(says: dict[str, object]) -> None:
    line = next(one for one in str(says["web_viewer/src/protocol/vocabulary.ts"]).splitlines() if "ADMIRES" in one)
    assert '"en": "admires"' in line
    assert '"line": "solid", "arrow": "circle"' in line


def test_a_new_relation_label_has_its_synonyms_and_is_in_prompt_and_viewer(says: dict[str, object]) -> None:
    assert says["label"] == "plays for"
    assert "plays for" in str(says["prompt"])
    assert '"plays for": {"en": "plays for", "zh": "效力于"}' in str(says["web_viewer/src/protocol/vocabulary.ts"])


@pytest.mark.parametrize(
    "door", ["schema/schema.graphql", "tools", "document", "web_viewer/src/protocol/vocabulary.ts"]
)
def test_a_new_type_of_entity_is_accepted_and_named_at_every_door(says: dict[str, object], door: str) -> None:
    assert says["type"] == "vehicle"
    assert "vehicle" in str(says[door])


def row(**changes: object) -> dict[str, object]:
    return {"subject": ["User"], "object": ["Entity"], "en": "admires", "zh": "敬佩", **changes}


def test_predicates_without_look_get_different_ones_as_long_as_there_are_any() -> None:
    looks = [one.look for one in predicates_of({f"P{chr(65 + n)}".upper(): row() for n in range(4)}).values()]
    assert len({(look.line, look.arrow) for look in looks}) == 4
    assert len({look.light for look in looks}) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"subject": ["Nobody"]},
        {"category": "hobbies"},
        {"sector": "left"},
        {"look": {"line": "solid"}},
        {"look": {"line": "wavy", "arrow": "none", "light": "#000000", "dark": "#FFFFFF"}},
        {"label": {"en": "admires"}},
        {"opposite": "HATES"},
    ],
)
def test_a_wrong_predicate_is_refused_by_name(wrong: dict[str, object]) -> None:
    with pytest.raises(InstallError, match="ADMIRES"):
        predicates_of({"ADMIRES": row(**wrong)})


@pytest.mark.parametrize("name", ["admires", "LOOKS UP TO", "A`B", ""])
def test_a_predicate_whose_name_could_not_stand_in_a_statement_is_refused(name: str) -> None:
    with pytest.raises(InstallError, match="capital letters"):
        predicates_of({name: row()})


def test_the_vocabulary_of_the_program_is_consistent() -> None:
    assert set(fact_predicates()) == set(whitelist()) - {"MENTIONED"}
    assert scene_predicates() == {"MENTIONED", "CAUSED_BY"}
    assert all(one.sector in SECTORS for one in whitelist().values())
    assert all(Label.SCENE not in whitelist()[name].subjects for name in ("PREFERS", "DISLIKES"))
    assert {one.predicate for one in relation_labels().values()} == {"RELATES_TO", "CARES_ABOUT"}
    assert labels_of("CARES_ABOUT") == ["dream", "goal", "looks forward to", "plan", "promise", "worry"]
    assert canonical_relation("任职于") == "works at"
    assert canonical_relation("sings with") == "sings with"


@pytest.mark.parametrize(
    ("said", "relation", "meant"),
    [
        ("PREFERS", None, ("PREFERS", None)),
        ("relates to", "sister", ("RELATES_TO", "sister")),
        ("relates-to", None, ("RELATES_TO", None)),
        ("RelatesTo", None, ("RELATES_TO", None)),
        (" RELATED_TO ", None, ("RELATES_TO", None)),
        ("likes", None, ("PREFERS", None)),
        ("Does_Not_Like", None, ("DISLIKES", None)),
        ("不喜欢", None, ("DISLIKES", None)),
        ("caused-by", None, ("CAUSED_BY", None)),
        ("LIVES_IN", None, ("RELATES_TO", "lives in")),
        ("worksAt", "engineer", ("RELATES_TO", "works at")),
        ("住在", None, ("RELATES_TO", "lives in")),
        ("goal", None, ("CARES_ABOUT", None)),
        ("looks forward to", None, ("CARES_ABOUT", "looks forward to")),
        ("PREFERS", "loves", ("PREFERS", None)),
        ("likes", "favorite milk", ("PREFERS", "favorite milk")),
        ("RELATES_TO", "likes", ("PREFERS", None)),
        ("related to", "喜欢", ("PREFERS", None)),
        ("RELATES_TO", "his favourite milk", ("PREFERS", "his favourite milk")),
        ("RELATES_TO", "最喜欢的奶", ("PREFERS", "最喜欢的奶")),
        ("RELATES_TO", "preferred language", ("RELATES_TO", "preferred language")),
        ("DISLIKES", "likes", ("DISLIKES", "likes")),
        ("drinks", None, None),
        ("", None, None),
        ("x" * 1_000_000, None, None),
    ],
)
def test_predicate_spelling_variants_synonyms_and_labels_are_normalised(
    said: str, relation: str | None, meant: tuple[str, str | None] | None
) -> None:
    assert predicate_and_relation(said, relation) == meant


def test_nearest_predicate_of_an_unknown_one_is_the_most_alike_or_relates_to() -> None:
    assert nearest_predicate("PREFFERS") == "PREFERS"
    assert nearest_predicate("dislikez") == "DISLIKES"
    assert nearest_predicate("drinks") == "RELATES_TO"


def test_no_wording_means_two_predicates() -> None:
    wordings = [word for one in whitelist().values() for word in one.synonyms]
    assert len(wordings) == len(set(wordings))


@pytest.mark.parametrize(
    "wrong",
    [
        {"people": {"relations": "works at"}},
        {"people": {"categories": "hobbies"}},
        {"people": {"types": "planet"}},
        {"likes": None},
    ],
)
def test_a_group_of_unknown_or_repeated_entries_is_refused(wrong: dict[str, dict[str, str] | None]) -> None:
    group = {"label": {"en": "x", "zh": "x"}, "look": {"light": "#000000", "dark": "#FFFFFF"}}
    rows = {name: dict(group) for name in ("likes", "cares", "dislikes", "people")} | {
        "work": {**group, "relations": "works at"}
    }
    for name, change in wrong.items():
        rows[name] = {**rows.pop(name), **change} if change is not None else rows.pop(name)
        if change is None:
            del rows[name]
    with pytest.raises(InstallError, match="groups"):
        groups_of(rows)
