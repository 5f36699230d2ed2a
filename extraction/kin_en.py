"""People and animals that belong to someone, with their names, in English clauses."""

import re
from collections.abc import Iterator

from extraction import wordings_en as wordings
from extraction.clauses_en import Clause, Thread
from extraction.drafting_en import draft
from extraction.drafting_en import owner as owner_of
from extraction.drafts import Draft
from extraction.reading import THE_USER
from extraction.words_en import KIN_SINGULAR, MANY_KIN, NOT_NAMES, PETS
from schema.entity import EntityType

_MERE = re.compile(r"^(?:new|old|good|dear|close|pet|little|big|great|older|younger|elder) ")
_OWNS = re.compile(r"\b(?:have|has|got|adopted|own|owns|bought|raised?)\b")
_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof"))


def kin_of(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """People and animals that belong to someone, with their names."""
    text = clause.text
    for found in wordings.KIN_LIST.finditer(text):
        owner = owner_of(found["p"], clause, thread)
        word = KIN_SINGULAR.get(found["k"], found["k"].removesuffix("s"))
        for name in re.split(r",? (?:and|&) |, ", found["n"]) if owner is not None else ():
            yield from _belongs(clause, thread, owner, name, word)
    for pattern in (wordings.KIN_NAMED, wordings.PET_NAMED, wordings.IS_KIN, wordings.NAMED_BY_ME):
        for found in pattern.finditer(text):
            groups = found.groupdict()
            name, word = groups["n"] or groups["n2"], _MERE.sub("", found["k"].lower())
            if name.islower():
                name = name.capitalize()
            if _is_name(name, word) and not found["p"].endswith("'s") and word not in MANY_KIN:
                yield from _belongs(clause, thread, _owner(found["p"], name, clause, thread), name, word)


def _is_name(name: str, word: str) -> bool:
    return name.split()[0].lower() not in NOT_NAMES - _TITLES and name.lower() != word


def _owner(possessive: str, name: str, clause: Clause, thread: Thread) -> str | None:
    if possessive.lower() in ("a", "an"):
        return clause.subject if _OWNS.search(clause.text) else None
    # "Sophia ... her friend": a subject that is the named person owns nothing here.
    if clause.third == name and possessive.lower() in ("his", "her"):
        users = thread.voice.user_names
        named = thread.voice.me == THE_USER and any(user in clause.text for user in users)
        return THE_USER if named else None
    return owner_of(possessive, clause, thread)


def _belongs(clause: Clause, thread: Thread, owner: str | None, name: str, word: str) -> Iterator[Draft]:
    if owner is None or owner == thread.voice.who(name):
        return
    thread.named[word] = name
    is_pet = word.split()[-1] in PETS
    yield draft(
        clause,
        thread,
        owner,
        "RELATES_TO",
        name,
        f"{{o}} is {{s}}'s {word}.",
        relation=word,
        kind=EntityType.ANIMAL if is_pet else EntityType.PERSON,
        strength=0.8,
    )
