"""Load, fill and hash prompt files."""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from extraction.llm.language_model import Prompt

_FILE = re.compile(
    r"---\ninputs: \[(?P<inputs>[^\]]*)\]\n---\n# System\n(?P<system>.*)\n# User\n(?P<user>.*)", re.DOTALL
)
_SLOT = re.compile(r"\{\{(\w+)\}\}")
# Of tags and tokens such as <|im_start|> and [INST] the first character; C1 controls, line separators, bidirectional
# controls.
_SYNTAX = re.compile(r"<|\[(?=/?[A-Z_]{3,}\])|[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def filled_prompt(name: str, *, parts: Mapping[str, str] | None = None, **inputs: str) -> Prompt:
    """Return the prompt in `prompts/<name>.md` with every slot `{{input}}` filled; slots in inputs are not filled.

    Args:
        parts: files of `prompts` that fill a slot, by slot; they are part of the hash.
        inputs: texts by slot; together with `parts` exactly the inputs in the front matter of the file.
    """
    text = _text(name)
    shared = {slot: _text(file) for slot, file in (parts or {}).items()}
    inputs = {**inputs, **{slot: part.strip() for slot, part in shared.items()}}
    pieces = _FILE.fullmatch(text)
    assert pieces is not None, f"prompts/{name}.md needs front matter with inputs, '# System' and '# User'"
    named = {word.strip() for word in pieces["inputs"].split(",")}
    used = set(_SLOT.findall(text))
    assert named == used == inputs.keys(), f"prompts/{name}.md: names {named}, uses {used}, was given {inputs.keys()}"

    def fill(part: str) -> str:
        return _SLOT.sub(lambda slot: inputs[slot[1]], part).strip()

    digest = hashlib.sha256("\0".join([text, *shared.values()]).encode()).hexdigest()[:16]
    return Prompt(name=name, hash=digest, system=fill(pieces["system"]), user=fill(pieces["user"]))


def as_data(value: object) -> str:
    """Return single-line JSON without tags, control tokens of models, and characters that break or reorder a line."""
    return _SYNTAX.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


@cache
def _text(name: str) -> str:
    return files("extraction.llm").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
