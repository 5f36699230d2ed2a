"""Facts that English sentences state outright: subject, verb phrase, object, clause by clause."""

import re
from collections.abc import Iterable, Iterator

from extraction.rules.en import constructions as wordings
from extraction.rules.en.clauses import RELAYS, Clause, Thread, clauses, draft, with_article
from extraction.rules.en.clauses import owner as owner_of
from extraction.rules.en.constructions import causes, kin_of, said_of_things
from extraction.rules.en.ended_patterns import ENDED_RULES
from extraction.rules.en.life_patterns import LIFE_RULES
from extraction.rules.en.objects import object_type, objects
from extraction.rules.en.pattern_builder import ADVERB
from extraction.rules.en.phrases import quoted_title, things
from extraction.rules.en.preference_patterns import TASTE_RULES
from extraction.rules.engine import Draft, Rule, RuleBook, Voice
from extraction.text.lexicon_en import GENERIC, MORE_TRAITS, NOT_NAMES, PETS, PRONOUNS, SOLE_KIN, word_set
from extraction.text.sentences import Sentence
from schema.entity import EntityType

# The order counts: the first rule that finds an object wins, and what no longer holds holds the words of what does.
RULES = ENDED_RULES + TASTE_RULES + LIFE_RULES
_BOOK = RuleBook(RULES, ADVERB, re.IGNORECASE)
_WORKS_AT = next(rule for rule in RULES if rule.relation == "works at" and not rule.closes)
_WORKS_AS = next(rule for rule in RULES if rule.relation == "works as" and not rule.closes)
_AT = re.compile(r" (?:at|for) (?P<o>.+)$")
_AS = re.compile(r" as (?P<o>an? .+)$")
_NO_CATEGORY = frozenset(("was", "is", "part", "thing", "things", "one", "way", "bit"))
# "I'm Sorry", "I'm Catholic".
_NO_NAMES = (
    NOT_NAMES
    | MORE_TRAITS
    | word_set("crazy back done good fine tired here ready busy sick late new old lost free open bored hungry")
)
_TASTES = frozenset(("PREFERS", "DISLIKES"))
# What is said of a moment says little of the years (a closing is a change, and stays).
_MOMENT = re.compile(
    r"\b(?:right now|tonight|at the moment|at this point|this (?:time|morning|evening|afternoon|minute|second)|"
    r"today|for once|for now)\b",
    re.IGNORECASE,
)


def read_english(sentences: Iterable[Sentence], voice: Voice) -> list[Draft]:
    """Return the facts of one message, in the order they are said; the same fact once."""
    thread = Thread(voice=voice)
    found: dict[tuple[str, str, str | None, str], Draft] = {}
    for sentence in sentences:
        for one in _read_sentence(sentence, thread):
            found.setdefault((one.subject, one.predicate, one.relation, one.object.lower()), one)
        if RELAYS.match(sentence.text):
            # "Translate this: …", "Imagine you are …": what follows is nobody's own word.
            break
    return list(found.values())


def _read_sentence(sentence: Sentence, thread: Thread) -> Iterator[Draft]:
    spoken = list(clauses(sentence, thread))
    if spoken and not sentence.asks:
        yield from causes(sentence, thread)
    for clause in spoken:
        yield from _read_clause(clause, thread)


def _read_clause(clause: Clause, thread: Thread) -> Iterator[Draft]:
    kin = list(kin_of(clause, thread))
    yield from kin
    favorite = wordings.FAVORITE_IS.match(clause.text)
    if favorite:
        yield from _favorite_is(favorite, clause, thread)
        return
    yield from said_of_things(clause, thread)
    named = wordings.NAME_IS.match(clause.text)
    if named and named["o"].split()[0].lower() not in _NO_NAMES:
        yield draft(
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
        drafts = list(_by_rules(clause, thread, named_pet=any(one.relation in PETS for one in kin)))
        if drafts and clause.subject.split()[-1] in SOLE_KIN:
            word = clause.subject
            says = f"{{s}} has {word}." if word.endswith("s") else f"{{s}} has a {word}."
            kind = EntityType.PERSON
            yield draft(clause, thread, thread.voice.me, "RELATES_TO", word, says, relation=word, kind=kind)
        yield from drafts


def _by_rules(clause: Clause, thread: Thread, *, named_pet: bool) -> Iterator[Draft]:
    assert clause.subject is not None
    momentary = _MOMENT.search(clause.text) is not None
    for rule, matched in _BOOK.matching(clause.rest):
        if rule.shape == "pet" and named_pet:
            continue
        if momentary and rule.predicate in _TASTES and not rule.closes:
            return
        drafts = [_from_rule(rule, clause, thread, name, kind) for name, kind in objects(rule, matched["o"])]
        yield from drafts
        if drafts:
            yield from _work_beside(rule, clause, thread, matched["o"])
        if drafts or rule.shape in ("things", "goal", "worry", "promise"):
            return


def _work_beside(rule: Rule, clause: Clause, thread: Thread, said: str) -> Iterator[Draft]:
    """`a nurse at St. Mary's`, `working at Shopify as a developer`: job and place in one phrase."""
    for one, pattern, other in (("works as", _AT, _WORKS_AT), ("works at", _AS, _WORKS_AS)):
        if rule.relation == one and not rule.closes and (beside := pattern.search(said)):
            yield from (_from_rule(other, clause, thread, name, kind) for name, kind in objects(other, beside["o"]))


def _from_rule(rule: Rule, clause: Clause, thread: Thread, name: str, kind: EntityType | None) -> Draft:
    assert clause.subject is not None
    says = rule.says
    if rule.shape in ("job", "pet", "gift"):
        says = says.replace("{o}", with_article(name))
    return draft(
        clause,
        thread,
        clause.subject,
        rule.predicate,
        name,
        says,
        relation=rule.relation,
        kind=kind,
        strength=rule.strength,
        closes=rule.closes,
    )


def _favorite_is(found: re.Match[str], clause: Clause, thread: Thread) -> Iterator[Draft]:
    owner = owner_of(found[0].split()[0], clause, thread)
    category = found["c"].strip().lower()
    if owner is None or not (PRONOUNS | _NO_CATEGORY).isdisjoint(category.split()):
        return
    for name in things(found["o"])[:3]:
        says = f"{{s}}'s favorite {category} is {{o}}." if category else "{s}'s favorite is {o}."
        yield draft(
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
    owner = owner_of(found["p"], clause, thread) if found else None
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
        yield draft(
            clause, thread, owner, "PREFERS", name, "{s} loves {o}.", kind=object_type(name, kind), strength=0.9
        )
