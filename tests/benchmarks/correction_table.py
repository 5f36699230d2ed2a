"""Count the corrections that are found in the next message, and the other messages that are taken for corrections.

    python -m tests.benchmarks.correction_table [--half open|aside] [--file PAIRS] [--misses]

`correction_pairs.tsv` has twelve corrections and twelve other continuations (lists, changes of plan, disagreement with
others, questions, jokes) in each of six languages, half of them kept aside. `linked` counts corrections that are found,
`right` those whose corrected text has the new values and not the withdrawn ones, `false` other messages that are taken
for corrections. `--file` names other pairs: language, earlier, later, and a label that says "correction" or begins with
"c" or "1" for corrections. `--misses` shows no pairs of the half kept aside.
"""

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from extraction.text.corrections import correction_of

_PAIRS: Final = Path(__file__).with_name("correction_pairs.tsv")
HALVES: Final = ("open", "aside")


def pairs() -> list[dict[str, str]]:
    """Return the pairs of the set, with their half."""
    with _PAIRS.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _of_file(path: Path) -> Iterator[dict[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        language, earlier, later, label, *_ = line.split("\t")
        if label != "label":
            is_one = label.lower().startswith(("c", "1"))
            yield {
                "half": "file",
                "language": language,
                "label": "correction" if is_one else "other",
                "earlier": earlier,
                "later": later,
            }


def outcome(pair: Mapping[str, str]) -> str:
    """Return `right`, `linked`, `missed`, `false` or `quiet` for a pair."""
    found = correction_of(pair["later"], [pair["earlier"]])
    if pair["label"] != "correction":
        return "quiet" if found is None else "false"
    if found is None:
        return "missed"
    withdrawn, told = ([one.casefold() for one in pair.get(key, "").split(";") if one] for key in ("withdrawn", "told"))
    text = (found.text or "").casefold()
    is_right = all(one in text for one in told) and not any(one in text for one in withdrawn)
    return "right" if is_right else "linked"


def main() -> None:
    """Print a row for each half and language as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, help="only this half")
    parser.add_argument("--file", type=Path, help="other pairs")
    parser.add_argument("--misses", action="store_true", help="list the pairs that fail")
    asked = parser.parse_args()
    counts: dict[tuple[str, str], Counter[str]] = {}
    for pair in _of_file(asked.file) if asked.file else pairs():
        if asked.half in (None, pair["half"]) or asked.file:
            result = outcome(pair)
            for language in (pair["language"], "all"):
                counts.setdefault((pair["half"], language), Counter())[result] += 1
            if asked.misses and result in ("linked", "missed", "false") and pair["half"] == "open":
                sys.stderr.write(f"{result}: {pair['earlier']} / {pair['later']}\n")
    for (half, language), count in counts.items():
        found = count["right"] + count["linked"]
        row = {"half": half, "language": language, "corrections": found + count["missed"], "linked": found}
        row |= {"right": count["right"], "others": count["false"] + count["quiet"], "false": count["false"]}
        sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
