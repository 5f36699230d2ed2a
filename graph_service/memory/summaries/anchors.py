"""Find the part of a message that each sentence of a summary quotes. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from extraction.text.sentences import split_sentences
from schema.ids import Uri, char_uri

# Sentences of one summary that are looked up; an overview has at most 2,000 tokens.
_SENTENCES_MAX: Final = 100
_MARKUP: Final = re.compile(r"^(?:[-*#>]+\s+)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A sentence, and the part of a message that it quotes.

    Attributes:
        text: the sentence.
        uri: the message's URI with `#char=START,END`; `layer` returns that part.
    """

    text: str
    uri: Uri


def anchors_in(summary: str, messages: Sequence[Mapping[str, Any]]) -> list[Anchor]:
    """Return the sentences of a summary that a message contains word for word, in order; others have no anchor.

    Args:
        messages: rows with `uri` and `text`.
    """
    found: dict[str, Anchor] = {}
    sentences = (sentence.text for line in summary.splitlines() for sentence in split_sentences(_MARKUP.sub("", line)))
    for sentence, _ in zip(dict.fromkeys(sentences), range(_SENTENCES_MAX), strict=False):
        words = sentence.removesuffix("…").split()
        if not words:
            continue
        # The summary has one space where the message may have several, or a new line.
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        place = next(((one["uri"], hit) for one in messages if (hit := pattern.search(one["text"]))), None)
        if place is not None:
            found[sentence] = Anchor(text=sentence, uri=char_uri(place[0], *place[1].span()))
    return list(found.values())
