"""Open the reader of messages without a language model, as the settings want it."""

import logging
from contextlib import AsyncExitStack

from extraction.reader import Reader
from graph_service.config.settings import Settings
from schema.errors import InstallError

_log = logging.getLogger("mnemoscene.models")


async def open_local_reader(settings: Settings, closing: AsyncExitStack) -> Reader:
    """Return the reader with the local models that tag facts; without them, it reads hardly any.

    Args:
        closing: ends the reader's threads.
    """
    from extraction.rules.rule_reader import read_by_rules, rules_with_tags

    embedding = settings.embedding
    if not embedding.fact_tags:
        return read_by_rules
    from extraction.tagging.local_tagger import load_local_tagger

    try:
        tagger = await load_local_tagger(
            cache_dir=settings.cache_dir, threads=embedding.threads, precision=embedding.precision
        )
    except InstallError as error:
        _log.warning("hardly any facts are read: %s", error.message)
        return read_by_rules
    closing.callback(tagger.close)
    return rules_with_tags(tagger)
