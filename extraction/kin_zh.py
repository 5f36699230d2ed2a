"""People and animals that belong to someone, with their names, in Chinese clauses."""

import re
from collections.abc import Iterator
from itertools import islice

from extraction import wordings_zh as wordings
from extraction.clauses_zh import Clause, Thread
from extraction.drafting_zh import draft
from extraction.drafting_zh import owner as owner_of
from extraction.drafts import Draft
from extraction.names import chinese_name_at, word_tag
from extraction.words_zh import NOT_NAMES, PETS, SURNAMES
from schema.entity import EntityType

_KIN_MAX = 6


def kin_of(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """People who belong to someone, with their names."""
    text = clause.text
    found = [(match, match["n"]) for match in wordings.IS_KIN.finditer(text) if match["n"] not in NOT_NAMES]
    if not found:
        for match in islice(wordings.KIN_NAMED.finditer(text), _KIN_MAX):
            if name := _kin_name(match, text):
                found.append((match, name))
    found += [(match, match["n"]) for match in wordings.PET_NAMED.finditer(text)]
    for match, name in found:
        owner = _owner(match["p"], clause, thread)
        if owner is not None and owner != name and owner != match["p"]:
            thread.third = name
            yield from _belongs(clause, thread, owner, name, match["k"])
    yield from _each(clause, thread)
    married = wordings.MARRIED.search(text)
    if married and clause.subject is not None and _is_name(married["n"], text, married.start("n")):
        says = "{s}和{o}结婚。"
        kind = EntityType.PERSON
        relation = "married to"
        yield draft(clause, thread, clause.subject, "RELATES_TO", married["n"], says, relation=relation, kind=kind)


def _owner(pronoun: str | None, clause: Clause, thread: Thread) -> str | None:
    if pronoun not in ("我", "他", "她", "自己", None):
        return thread.voice.who(pronoun)
    if pronoun is None and (clause.kin is not None or "我" in clause.text or clause.text.startswith("邻居")):
        return thread.voice.me
    return owner_of(pronoun, clause, thread)


def _belongs(clause: Clause, thread: Thread, owner: str, name: str, word: str) -> Iterator[Draft]:
    thread.named[word] = name
    says = f"{{o}}是{{s}}的{word}。"
    kind = EntityType.ANIMAL if word in PETS else EntityType.PERSON
    yield draft(clause, thread, owner, "RELATES_TO", name, says, relation=word, kind=kind, strength=0.8)


def _each(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """`两个孩子，大的叫乐乐，小的叫甜甜`."""
    if several := wordings.SEVERAL.search(clause.text):
        thread.many = several["k"] if clause.subject == thread.voice.me else None
    elif thread.many and (each := wordings.EACH.match(clause.text)):
        yield from _belongs(clause, thread, thread.voice.me, each["n"], thread.many)


def _kin_name(match: re.Match[str], text: str) -> str | None:
    """The name after a word for a relative; None when what follows is no name."""
    name, start = match["n"], match.start("n")
    if name[0] == "老" and name[1] not in SURNAMES:
        return None
    titled = wordings.TITLED.match(text, start)
    if titled and (titled[0][0] in SURNAMES or titled[0][1] in SURNAMES or word_tag(titled[0]) in (None, "nr")):
        return titled[0]
    if name in NOT_NAMES:
        return None
    if name[0].isascii():
        return name
    if match["v"] and not match["v"].endswith("是") and match.end("n") == len(text):
        return name
    return chinese_name_at(text, start)


def _is_name(name: str, text: str, start: int) -> bool:
    return (
        name[0].isascii()
        or wordings.TITLED.match(name) is not None
        or chinese_name_at(text, start) is not None
        or name[0] == name[-1]
    )
