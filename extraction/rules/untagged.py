"""Read what plain English sentences say and the tagger does not see. Pure.

It has no kind for worries, cares, journeys and causes, and seldom sees people with names that are long or in another
script.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from extraction.rules.drafts import Draft, Speaker
from extraction.rules.plain_words import SUPPOSES
from extraction.rules.wording import ENGLISH_WORDING
from extraction.text.fillers import without_fillers
from extraction.text.full_names import FOREIGN_RUN, long_names
from extraction.text.lexicon_en import CHILD_NAME, EMOTIONS, KIN_NAME, KIN_PATTERN, NOT_NAMES, word_set
from extraction.text.sentences import Sentence
from extraction.text.toml_files import filled, patterns_of, toml_of
from schema.entity import EntityType

_TABLES: Final = toml_of("extraction.rules", "untagged.toml")
_PARTS: Final = {**_TABLES["parts"], "kin": KIN_PATTERN}
_PATTERNS: Final = patterns_of(_TABLES["patterns"], _PARTS)
_CAUSES: Final = patterns_of(_TABLES["causes"], _PARTS)
_QUOTED: Final = re.compile(r'["“][^"”]{3,300}["”]')


class _Kind(NamedTuple):
    """A verb phrase of the speaker, which its object follows, and what it says."""

    verbs: re.Pattern[str]
    predicate: str
    says: str
    relation: str | None = None
    of_place: bool = False


_KINDS: Final = [
    _Kind(**{**row, "verbs": re.compile(filled(row["verbs"], _PARTS))}) for row in _TABLES["kinds"].values()
]
_RELATED_CHARS: Final = 60
_ARTICLE: Final = re.compile(r"^(?:(?:my|our|the|an?|his|her|their|all) )+", re.IGNORECASE)
_PLACE: Final = re.compile(r"(?:the )?(?P<n>[A-Z][\w'&.-]*(?: (?:of |de |the |del |la )?[A-Z][\w'&-]*){0,4})")
_WORDS_MAX: Final = 6
_UNCLEAR: Final = word_set(
    "i me you he him she it we us they them this that these those here there who what which how whether something "
    "everything anything someone everyone being"
)


def read_untagged(sentences: Iterable[Sentence], speaker: Speaker) -> Iterator[Draft]:
    """Yield the facts of other kinds than the tagger's that the sentences of one message state plainly."""
    for sentence in sentences:
        text = without_fillers(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), sentence.text))
        if _PATTERNS["invents"].match(text.lstrip()):
            return
        if sentence.asks or SUPPOSES.search(text):
            continue
        start = 0
        for end in (*(cut.start() for cut in _PATTERNS["cut"].finditer(text)), len(text)):
            clause = _PATTERNS["cut"].sub("", text[start:end]).strip(" ,")
            span = sentence.start + start, sentence.start + end
            yield from _read(clause, span, speaker)
            start = end
        yield from _people(text, sentence.start, speaker)


def _read(clause: str, span: tuple[int, int], speaker: Speaker) -> Iterator[Draft]:
    me = speaker.me
    if (trigger := _PATTERNS["trigger"].match(clause)) and (
        emotion := EMOTIONS.get((trigger["e"] or trigger["v"]).lower())
    ):
        says = f"{{o}} always makes {{s}} feel {emotion}."
        if obj := _thing(trigger["o"]):
            predicate = "PREFERS" if emotion in ("joy", "calm") else "DISLIKES"
            yield _draft(me, predicate, None, obj, says, span, speaker, emotion=emotion)
        return
    if caused := next((match for pattern in _CAUSES.values() if (match := pattern.match(clause))), None):
        effect, cause = _thing(caused["e"]), _thing(caused["c"])
        if effect and cause:
            yield _draft(effect, "CAUSED_BY", None, cause, "{s} is caused by {o}.", span, speaker)
        return
    for kind in _KINDS:
        if told := kind.verbs.match(clause):
            obj = _place(told["o"]) if kind.of_place else _thing(told["o"])
            if obj:
                of = EntityType.PLACE if kind.of_place else None
                yield _draft(me, kind.predicate, kind.relation, obj, kind.says, span, speaker, of=of)
            return


def _people(text: str, at: int, speaker: Speaker) -> Iterator[Draft]:
    """Yield whom a sentence names as the speaker's relatives or friends, by long names or in another script.

    Args:
        at: where the sentence begins in the message.
    """
    for start, end in {*long_names(text), *(run.span() for run in FOREIGN_RUN.finditer(text))}:
        if related := _PATTERNS["related"].search(text[max(0, start - _RELATED_CHARS) : start]):
            word = related["k"].lower()
            word = CHILD_NAME.get(word) or KIN_NAME.get(word, word)
            span = at + start, at + end
            says = f"{{o}} is {{s}}'s {word}."
            yield _draft(speaker.me, "RELATES_TO", word, text[start:end], says, span, speaker, of=EntityType.PERSON)


def _draft(
    subject: str,
    predicate: str,
    relation: str | None,
    obj: str,
    says: str,
    span: tuple[int, int],
    speaker: Speaker,
    *,
    of: EntityType | None = None,
    emotion: str | None = None,
) -> Draft:
    said = says.format(s=speaker.label(subject, ENGLISH_WORDING.unknown_user), o=obj)
    return Draft(
        subject=subject,
        predicate=predicate,
        object=obj,
        statement=said[:1].upper() + said[1:],
        start=span[0],
        end=span[1],
        relation=relation,
        object_type=of,
        trigger_emotion=emotion,
    )


def _thing(text: str) -> str | None:
    """Return the thing that a text begins with, without its article; None if it is unclear or long."""
    words = _ARTICLE.sub("", _PATTERNS["end"].split(text.strip(), maxsplit=1)[0], count=1).split()
    clear = 0 < len(words) <= _WORDS_MAX and _UNCLEAR.isdisjoint(word.lower() for word in words)
    return " ".join(words) if clear else None


def _place(text: str) -> str | None:
    named = _PLACE.match(text)
    return named["n"] if named and named["n"].split()[0].lower() not in NOT_NAMES else None
