"""Write the plain memories with their questions in the other language, to measure recall across languages.

    python -m tests.benchmarks.other_language_sets FOLDER
    mnemoscene eval FOLDER

The questions are those of `tests/everyday_sets/other_language.tsv`: Chinese for English memories, and the
reverse; English for memories in Spanish, German, French and Japanese.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

from extraction.text.chinese import is_chinese

SETS: Final = Path(__file__).parents[1] / "everyday_sets"


def translated(memory: dict[str, Any], questions: dict[str, str]) -> dict[str, Any]:
    """Return a memory with the given questions, by id; those without a translation are left out."""
    asked = [
        {**one, "question": questions[one["id"]], "lang": "zh" if is_chinese(questions[one["id"]]) else "en"}
        for one in memory["questions"]
        if one["id"] in questions
    ]
    return {**memory, "questions": asked}


def main(folder: Path) -> None:
    """Write the memories that have translated questions, and print the number of questions."""
    lines = (SETS / "other_language.tsv").read_text("utf-8").splitlines()
    questions = dict(line.split("\t") for line in lines if not line.startswith("#"))
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for path in sorted(
        file for name in ("plain", "languages", "languages_aside") for file in (SETS / name).glob("*.json")
    ):
        memory = translated(json.loads(path.read_text("utf-8")), questions)
        if memory["questions"]:
            (folder / path.name).write_text(json.dumps(memory, ensure_ascii=False), "utf-8")
            written += len(memory["questions"])
    sys.stdout.write(f"{written} questions in {folder}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
