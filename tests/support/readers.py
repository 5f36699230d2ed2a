"""The reader without a language model, as tests use it."""

from pathlib import Path
from typing import Final

import platformdirs

from extraction.reader import Reader, Reading, SceneText
from extraction.rules.rule_reader import rules_with_tags
from extraction.tagging.local_tagger import load_local_tagger
from graph_service.memory.consolidation.readers import Readers

_LOADED: Final[list[Reader]] = []


async def read_with_tags(scene: SceneText) -> Reading:
    """Read a scene as the service does with its local models."""
    if not _LOADED:
        cache_dir = Path(platformdirs.user_cache_dir("mnemoscene"))
        _LOADED.append(rules_with_tags(await load_local_tagger(cache_dir=cache_dir)))
    return await _LOADED[0](scene)


WITH_TAGS: Final = Readers(first=read_with_tags, fallback=read_with_tags)
