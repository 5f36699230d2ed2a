"""Test that the everyday memories can be read and agree with themselves."""

import json
from pathlib import Path

import pytest

from graph_service.evaluation.dataset import conversation_of
from tests.everyday_sets.check_memories import problems

MEMORIES = sorted((Path(__file__).parents[2] / "everyday_sets").glob("*/*.json"))


@pytest.mark.parametrize("file", MEMORIES, ids=lambda file: file.stem)
def test_everyday_memory_is_valid(file: Path) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    assert len(conversation_of(document, name=file.name).messages) >= 10
    assert list(problems(document)) == []


def test_no_user_is_in_both_halves() -> None:
    users = {file: json.loads(file.read_text(encoding="utf-8"))["user_id"] for file in MEMORIES}
    assert len(set(users.values())) == len(MEMORIES) == 165
