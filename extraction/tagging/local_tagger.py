"""Tag facts on the CPU, with models of English, of Chinese, and of four other languages together."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from extraction.embeddings.bert import Precision, equal_length_batches
from extraction.embeddings.local_models import (
    CHINESE_TAGS,
    ENGLISH_TAGS,
    MULTILINGUAL_TAGS,
    TAG_MODELS,
    LazyModel,
    LocalModel,
)
from extraction.embeddings.model_download import fetched_models
from extraction.rules.tags import Tag
from extraction.tagging.tag_model import TagModel
from extraction.text.chinese import is_chinese
from extraction.text.languages import is_english_or_chinese_beside_names, parts_by_script, tagged_language
from schema.errors import InstallError

_log = logging.getLogger("mnemoscene.models")


class LocalTagger:
    """The models, with threads of their own."""

    def __init__(self, models: Mapping[LocalModel, LazyModel[TagModel]], *, threads: int) -> None:
        """Tag with the models of `TAG_MODELS`."""
        self._models = models
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="tag-facts")

    async def fact_tags(self, texts: Sequence[str]) -> list[list[Tag] | None]:
        """Return the tags of each message, most likely first in each part.

        None for a message that is empty, in a language that no model reads, or whose model cannot be loaded.
        """
        loop = asyncio.get_running_loop()
        found: list[list[Tag] | None] = [None] * len(texts)
        parts = [(at, part) for at, text in enumerate(texts) for part in parts_by_script(text)]
        names = [_model_of(part) for _, part in parts]
        for name, lazy in self._models.items():
            mine = [at for at, own in enumerate(names) if own is name]
            if not mine:
                continue
            try:
                model = await loop.run_in_executor(self._threads, lazy.get)
            except InstallError as error:
                _log.warning("hardly any facts are read: %s", error.message)
                continue
            cut = await loop.run_in_executor(self._threads, model.encoded, [parts[at][1] for at in mine])
            lengths = [len(message.ids) for message in cut]
            batches = [[cut[at] for at in part] for part in equal_length_batches(range(len(cut)), lengths)]
            tagged = await asyncio.gather(
                *(loop.run_in_executor(self._threads, model.tags, batch) for batch in batches)
            )
            for batch, tags in zip(batches, tagged, strict=True):
                for message, own in zip(batch, tags, strict=True):
                    at = parts[mine[message.at]][0]
                    found[at] = [*(found[at] or ()), *own]
        return found

    def close(self) -> None:
        """Stop the threads; drop pending work."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _model_of(text: str) -> LocalModel | None:
    """Return the model that reads the language of a text; None if none does."""
    if tagged_language(text) is not None:
        return MULTILINGUAL_TAGS
    if is_chinese(text):
        return CHINESE_TAGS
    return ENGLISH_TAGS if is_english_or_chinese_beside_names(text) else None


async def load_local_tagger(*, cache_dir: Path, threads: int = 2, precision: Precision = "int8") -> LocalTagger:
    """Return the tagger, downloading its models into `cache_dir` if needed.

    Raises:
        InstallError: the models cannot be downloaded.
    """
    folders = await fetched_models(TAG_MODELS, cache_dir=cache_dir)
    models = {
        model: LazyModel(folder, partial(TagModel, model, calls=threads, precision=precision))
        for model, folder in zip(TAG_MODELS, folders, strict=True)
    }
    return LocalTagger(models, threads=threads)
