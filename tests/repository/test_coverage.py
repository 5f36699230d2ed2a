"""Test that the page of promises names existing tests, each in one row."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| ([A-FV]\d+|–) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)


def test_each_named_test_exists() -> None:
    rows = _ROW.findall((ROOT / "tests" / "coverage.md").read_text("utf-8"))
    ids = [row[0] for row in rows if row[0] != "–"]
    assert len(ids) == len(set(ids)) >= 79
    missing = []
    for _, _, _, tests in rows:
        for named in re.findall(r"`([^`]+)`", tests):
            file, _, name = named.partition("::")
            path = ROOT / (file if file.startswith("web_viewer/") else f"tests/{file}")
            text = path.read_text("utf-8") if path.is_file() else ""
            # vitest names tests by a title: it("…") or it.each(…)("…").
            if (f'("{name}"' if path.suffix == ".ts" else f"def {name or 'test_'}") not in text:
                missing.append(named)
    assert missing == []
