"""Tag facts on the CPU, with models of English, of Chinese, and of German and Japanese together."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from extraction.embeddings.bert import Precision, equal_length_batches
from extraction.embeddings.local_models import CHINESE_TAGS, ENGLISH_TAGS, MULTILINGUAL_TAGS, TAG_MODELS
from extraction.embeddings.model_download import fetched_models
from extraction.rules.tags import Tag
from extraction.tagging.tag_model import TagModel
from extraction.text.chinese import is_chinese
from extraction.text.languages import tagged_language
from schema.errors import InstallError


class LocalTagger:
    """The models, with threads of their own."""

    def __init__(self, *, english: TagModel, chinese: TagModel, multilingual: TagModel, threads: int) -> None:
        self._english, self._chinese, self._multilingual = english, chinese, multilingual
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="tag-facts")

    async def fact_tags(self, texts: Sequence[str]) -> list[list[Tag] | None]:
        """Return the tags of each message, most likely first in each part; None if too long (`tag_model`) or empty."""
        loop = asyncio.get_running_loop()
        found: list[list[Tag] | None] = [None] * len(texts)
        languages = [self._model_of(text) for text in texts]
        for language in (self._english, self._chinese, self._multilingual):
            mine = [at for at, own in enumerate(languages) if own is language]
            if not mine:
                continue
            cut = await loop.run_in_executor(self._threads, language.encoded, [texts[at] for at in mine])
            lengths = [len(message.ids) for message in cut]
            batches = [[cut[at] for at in part] for part in equal_length_batches(range(len(cut)), lengths)]
            tagged = await asyncio.gather(
                *(loop.run_in_executor(self._threads, language.tags, batch) for batch in batches)
            )
            for batch, tags in zip(batches, tagged, strict=True):
                for message, own in zip(batch, tags, strict=True):
                    found[mine[message.at]] = [*(found[mine[message.at]] or ()), *own]
        return found

    def _model_of(self, text: str) -> TagModel:
        if tagged_language(text) is not None:
            return self._multilingual
        return self._chinese if is_chinese(text) else self._english

    def close(self) -> None:
        """Stop the threads; drop pending work."""
        self._threads.shutdown(wait=False, cancel_futures=True)


async def load_local_tagger(*, cache_dir: Path, threads: int = 2, precision: Precision = "int8") -> LocalTagger:
    """Return the tagger, downloading its models into `cache_dir` if needed.

    Raises:
        InstallError: the models cannot be downloaded or read; the rules still read facts.
    """
    folders = await fetched_models(TAG_MODELS, cache_dir=cache_dir)
    folder_of = dict(zip(TAG_MODELS, folders, strict=True))

    def load() -> LocalTagger:
        english, chinese, multilingual = (
            TagModel(model, folder_of[model], calls=threads, precision=precision)
            for model in (ENGLISH_TAGS, CHINESE_TAGS, MULTILINGUAL_TAGS)
        )
        return LocalTagger(english=english, chinese=chinese, multilingual=multilingual, threads=threads)

    try:
        return await asyncio.to_thread(load)
    # Both libraries raise Exception or RuntimeError for missing or damaged files.
    except Exception as error:
        raise InstallError(
            f"a model that tags facts, in {folders[0].parent}, is incomplete ({error}); delete the folders whose names "
            "contain `tags`, they will be fetched again"
        ) from error
