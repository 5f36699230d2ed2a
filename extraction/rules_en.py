"""Facts that English sentences state outright: subject, verb phrase, object, clause by clause."""

import re
from collections.abc import Iterable, Iterator

from extraction import wordings_en as wordings
from extraction.clauses_en import Clause, Thread, clauses
from extraction.drafts import Draft, Voice
from extraction.objects_en import object_type, objects
from extraction.patterns_en import TASTE_RULES
from extraction.patterns_life_en import LIFE_RULES
from extraction.phrases_en import noun_phrase, quoted_title, things
from extraction.reading import THE_USER
from extraction.rule import Rule
from extraction.sentences import Sentence
from extraction.words_en import EMOTIONS, GENERIC, NOT_NAMES, PETS, PLEASANT, PRONOUNS, SOLE_KIN, TRAITS
from schema.entity import EntityType

UNKNOWN_USER = "User"
# The order counts: the first rule that finds an object wins.
RULES = TASTE_RULES + LIFE_RULES
_WORKS_AT = next(rule for rule in RULES if rule.relation == "works at" and not rule.closes)
_AT = re.compile(r" (?:at|for) (?P<o>.+)$")
_NO_CATEGORY = frozenset(("was", "is", "part", "thing", "things", "one", "way", "bit"))
_MERE = re.compile(r"^(?:new|old|good|dear|close|pet|little|big|great) ")


def read_english(sentences: Iterable[Sentence], voice: Voice) -> list[Draft]:
    """The facts of one message, in the order they are said; the same fact once."""
    thread = Thread(voice=voice)
    found: dict[tuple[str, str, str | None, str], Draft] = {}
    for sentence in sentences:
        for clause in clauses(sentence, thread):
            for draft in _read_clause(clause, thread):
                found.setdefault((draft.subject, draft.predicate, draft.relation, draft.object.lower()), draft)
    return list(found.values())


def _read_clause(clause: Clause, thread: Thread) -> Iterator[Draft]:
    kin = list(_kin(clause, thread))
    yield from kin
    favorite = wordings.FAVORITE_IS.match(clause.text)
    if favorite:
        yield from _favorite_is(favorite, clause, thread)
        return
    yield from _said_of_things(clause, thread)
    if named := wordings.NAME_IS.match(clause.text):
        yield _draft(
            clause,
            thread,
            thread.voice.me,
            "RELATES_TO",
            named["o"],
            "{s} is named {o}.",
            relation="is named",
            strength=0.9,
        )
        return
    yield from _favorite_somewhere(clause, thread)
    if clause.subject is not None:
        drafts = list(_by_rules(clause, thread, named_pet=any(draft.relation in PETS for draft in kin)))
        if drafts and clause.subject in SOLE_KIN:
            word = clause.subject
            says = f"{{s}} has a {word}."
            kind = EntityType.PERSON
            yield _draft(clause, thread, thread.voice.me, "RELATES_TO", word, says, relation=word, kind=kind)
        yield from drafts


def _by_rules(clause: Clause, thread: Thread, *, named_pet: bool) -> Iterator[Draft]:
    assert clause.subject is not None
    for rule in RULES:
        matched = rule.pattern.match(clause.rest)
        if matched is None or (rule.shape == "pet" and named_pet):
            continue
        drafts = [_from_rule(rule, clause, thread, name, kind) for name, kind in objects(rule, matched["o"])]
        yield from drafts
        if drafts and rule.shape == "job" and (place := _AT.search(matched["o"])):
            yield from (
                _from_rule(_WORKS_AT, clause, thread, name, kind) for name, kind in objects(_WORKS_AT, place["o"])
            )
        if drafts or rule.shape in ("things", "goal", "worry"):
            return


def _from_rule(rule: Rule, clause: Clause, thread: Thread, name: str, kind: EntityType | None) -> Draft:
    assert clause.subject is not None
    relation, says = rule.relation, rule.says
    if rule.shape == "job":
        trait = name.lower() in TRAITS
        relation = "is" if trait else relation
        says = "{s} is {o}." if trait else says
    if rule.shape in ("job", "pet", "gift"):
        says = says.replace("{o}", _with_article(name))
    return _draft(
        clause,
        thread,
        clause.subject,
        rule.predicate,
        name,
        says,
        relation=relation,
        kind=kind,
        strength=rule.strength,
        closes=rule.closes,
    )


def _with_article(name: str) -> str:
    """The place of an object in a statement, with "a" or "an" unless the object is a plural."""
    if name.endswith("s") and not name.endswith("ss"):
        return "{o}"
    return "an {o}" if name[0].lower() in "aeiou" else "a {o}"


def _draft(
    clause: Clause,
    thread: Thread,
    subject: str,
    predicate: str,
    obj: str,
    says: str,
    *,
    relation: str | None = None,
    kind: EntityType | None = None,
    strength: float = 0.7,
    closes: bool = False,
    emotion: str | None = None,
) -> Draft:
    label = thread.voice.label(subject, UNKNOWN_USER)
    if subject in SOLE_KIN:
        label = f"{thread.voice.label(thread.voice.me, UNKNOWN_USER)}'s {label}"
    if label == obj:
        label = UNKNOWN_USER
    return Draft(
        subject=subject,
        predicate=predicate,
        object=obj,
        statement=says.format(s=label[:1].upper() + label[1:], o=obj),
        start=clause.start,
        end=clause.end,
        relation=relation,
        subject_type=None if subject.startswith("@") else EntityType.PERSON,
        object_type=kind,
        strength=strength,
        confidence=0.75 if subject == thread.voice.me else 0.65,
        closes=closes,
        trigger_emotion=emotion,
    )


def _owner(possessive: str, clause: Clause, thread: Thread) -> str | None:
    """Whose "my", "his" or "her" thing it is."""
    return thread.voice.me if possessive.lower() == "my" else clause.third


def _favorite_is(found: re.Match[str], clause: Clause, thread: Thread) -> Iterator[Draft]:
    owner = _owner(found[0].split()[0], clause, thread)
    category = found["c"].strip().lower()
    if owner is None or not (PRONOUNS | _NO_CATEGORY).isdisjoint(category.split()):
        return
    for name in things(found["o"])[:3]:
        says = f"{{s}}'s favorite {category} is {{o}}." if category else "{s}'s favorite is {o}."
        yield _draft(
            clause,
            thread,
            owner,
            "PREFERS",
            name,
            says,
            relation=f"favorite {category}" if category else None,
            kind=object_type(name, EntityType.WORK if quoted_title(found["o"]) else None),
            strength=0.9,
        )


def _favorite_somewhere(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """`saw his favorite penguins`, `her favorite animal, the golden monkey`."""
    found = wordings.FAVORITE.search(clause.text)
    owner = _owner(found["p"], clause, thread) if found else None
    if found is None or owner is None or re.match(r"(?:and|is|was|to|of|are|were|because|about|with) ", found["o"]):
        return
    title = quoted_title(found["o"])
    apposed = re.match(r"[a-z ]{3,30}, (?P<o>(?:an?|the) [^,]+)", found["o"])
    names = [title] if title else things(apposed["o"] if apposed else found["o"])
    kind = EntityType.WORK if title else None
    one_of_many = re.search(r"(?:one|some|couple|few|lot) of $", clause.text[: found.start()]) is not None
    if not apposed and not title and (one_of_many or not names or names[0].lower() in GENERIC):
        return
    for name in names if apposed else names[:1]:
        yield _draft(
            clause, thread, owner, "PREFERS", name, "{s} loves {o}.", kind=object_type(name, kind), strength=0.9
        )


def _kin(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """People and animals that belong to someone, with their names."""
    for found in [
        *wordings.KIN_NAMED.finditer(clause.text),
        *wordings.PET_NAMED.finditer(clause.text),
        *wordings.IS_KIN.finditer(clause.text),
    ]:
        name, word = found["n"], _MERE.sub("", found["k"].lower())
        if name.split()[0].lower() in NOT_NAMES or name.lower() == word or found["p"].endswith("'s"):
            continue
        is_pet = word.split()[-1] in PETS
        possessive = found["p"].lower()
        if possessive in ("a", "an"):
            owner = (
                clause.subject
                if re.search(r"\b(?:have|has|got|adopted|own|owns|bought|raised?)\b", clause.text)
                else None
            )
        else:
            owner = _owner(found["p"], clause, thread)
        # "Sophia ... her friend": a subject that is the named person owns nothing here.
        if clause.third == name and possessive in ("his", "her"):
            owner = (
                THE_USER
                if thread.voice.me == THE_USER and thread.voice.user_names and _names_user(clause, thread)
                else None
            )
        if owner is None or owner == thread.voice.who(name):
            continue
        thread.named[word] = name
        yield _draft(
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


def _names_user(clause: Clause, thread: Thread) -> bool:
    return any(name in clause.text for name in thread.voice.user_names)


def _said_of_things(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """Sentences whose subject is a thing: lasting triggers, own things."""
    me = thread.voice.me
    if found := wordings.EMOTION.match(clause.text):
        emotion = EMOTIONS.get((found["e"] or found["v"]).lower())
        name = noun_phrase(found["o"])
        if emotion and name:
            pleasant = emotion in PLEASANT
            says = "{o} always makes {s} feel " + emotion + "."
            yield _draft(
                clause,
                thread,
                me,
                "PREFERS" if pleasant else "DISLIKES",
                name,
                says,
                emotion=emotion,
                kind=object_type(name),
            )
    if found := wordings.CAUSE.match(clause.text) or wordings.GIVES.match(clause.text):
        effect, causes = noun_phrase(found["o"]), things(found["c"])[:1]
        if effect and causes and len(effect.split()) <= 3 and len(causes[0].split()) <= 4:
            yield _draft(clause, thread, effect, "CAUSED_BY", causes[0], "{s} is caused by {o}.")
    for found in wordings.OWN.finditer(clause.text):
        owner = _owner(found[0].split()[0], clause, thread)
        name = found["c"] or found["o"]
        if owner is not None and (found["c"] or name.lower() in PETS):
            yield _draft(
                clause,
                thread,
                owner,
                "RELATES_TO",
                name,
                f"{{s}} has {_with_article(name)}.",
                relation="has",
                kind=object_type(name),
                strength=0.6,
            )
