"""Test when the Chinese dictionary is loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from extraction.text.chinese import chinese_words

ASK = """
import sys
from datetime import UTC, datetime
from extraction.query_analysis import analyse
analyse(sys.argv[1], reference=datetime.now(UTC))
print("jieba" in sys.modules)
"""


@pytest.mark.parametrize(("question", "loads"), [("Where does Tom's café stand?", False), ("我住在哪里？", True)])
def test_only_a_chinese_question_loads_the_dictionary(question: str, loads: bool) -> None:
    """It takes 70 MB and a second."""
    root = str(Path(__file__).parents[4])
    done = subprocess.run(
        [sys.executable, "-c", ASK, question],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(loads)]


def test_words_beside_latin_ones_are_found() -> None:
    assert chinese_words("my 苹果手机 and 咖啡, then tea") == ["苹果", "手机", "咖啡"]
