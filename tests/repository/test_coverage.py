"""Test that the page of promises names existing tests, each in one row."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| ([A-F]\d+|–) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)


def test_each_named_test_exists() -> None:
    rows = _ROW.findall((ROOT / "docs" / "coverage.md").read_text("utf-8"))
    ids = [row[0] for row in rows if row[0] != "–"]
    assert len(ids) == len(set(ids)) >= 47
    missing = []
    for _, _, _, tests in rows:
        for named in re.findall(r"`([^`]+)`", tests):
            file, _, name = named.partition("::")
            text = (ROOT / "tests" / file).read_text("utf-8") if (ROOT / "tests" / file).is_file() else ""
            if f"def {name or 'test_'}" not in text:
                missing.append(named)
    assert missing == []
