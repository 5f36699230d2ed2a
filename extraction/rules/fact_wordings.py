"""The predicate, the relation and the statements of each kind of fact, in English and in Chinese."""

from dataclasses import dataclass, replace
from typing import Any, Final

from extraction.rules.tags import KINDS
from extraction.text.lexicon_en import KIN_PATTERN
from extraction.text.lexicon_zh import KIN_PATTERN as KIN_PATTERN_ZH
from extraction.text.toml_files import filled, toml_of
from schema.entity import EntityType


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKindWording:
    """A row of `fact_wordings.toml`; pairs are in English and in Chinese.

    Attributes:
        says, ended: statements of a fact, and of one that ended.
        words: patterns of the words for the relation, of which the one nearest to the object counts.
        fallback: relations of messages without such a word.
    """

    predicate: str = "RELATES_TO"
    relation: str | None = None
    words: tuple[str, str] | None = None
    fallback: tuple[str, str] | None = None
    says: tuple[str, str]
    ended: tuple[str, str]
    object_type: EntityType | None = None
    strength: float = 0.7
    person: bool = False


def _read() -> dict[str, FactKindWording]:
    rows: dict[str, dict[str, Any]] = toml_of("extraction.rules", "fact_wordings.toml")
    wordings: dict[str, FactKindWording] = {}
    for kind, row in rows.items():
        if like := row.get("like"):
            english, chinese = row["words"]
            words = filled(english, {"kin": KIN_PATTERN}), filled(chinese, {"kin": KIN_PATTERN_ZH})
            fallback = tuple(row["fallback"]) if "fallback" in row else None
            wordings[kind] = replace(wordings[like], words=words, fallback=fallback)
        else:
            says, ended = zip(row.pop("en"), row.pop("zh"), strict=True)
            object_type = EntityType(row.pop("object_type")) if "object_type" in row else None
            wordings[kind] = FactKindWording(says=says, ended=ended, object_type=object_type, **row)
    return wordings


_ROWS: Final = _read()
COLLECTING, DOING, EATING, FAVOURITE, INJURY, NAMED_PET, STUDYING, TEACHING = (
    _ROWS[row] for row in ("collecting", "doing", "eating", "favourite", "injury", "named_pet", "studying", "teaching")
)
WORDINGS: Final = {kind: row for kind, row in _ROWS.items() if kind in KINDS}
# Patterns of the words for relations that a message has.
RELATION_WORDS: Final = {kind: row.words for kind, row in WORDINGS.items() if row.words is not None}
