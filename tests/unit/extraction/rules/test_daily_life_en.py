"""Test English facts of daily life (habits, school years, commutes, intentions), and what looks like them."""

import pytest

from tests.unit.extraction.rules.rule_reading import read

Fact = tuple[str, str, str | None, str]


def _facts(text: str) -> set[Fact]:
    found = {(one.subject, one.predicate, one.relation, one.object) for one in read(text).facts}
    return {one for one in found if one[2] != one[3]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I go climbing with Eva on Mondays.", ("@user", "PREFERS", None, "climbing")),
        ("I run three times a week.", ("@user", "PREFERS", None, "running")),
        ("I bake my own bread every Saturday.", ("@user", "PREFERS", None, "bread")),
        ("I usually get up at six.", ("@user", "RELATES_TO", "wakes up at", "six")),
        ("I cycle to work.", ("@user", "RELATES_TO", "commutes by", "bike")),
        ("I take the bus to school every day.", ("@user", "RELATES_TO", "commutes by", "bus")),
        ("I go to the gym on Tuesdays.", ("@user", "RELATES_TO", "goes to", "gym")),
        ("My daughter is in year 5.", ("daughter", "RELATES_TO", "grade", "year 5")),
        ("I'm doing a course in bookkeeping at night school.", ("@user", "RELATES_TO", "studies", "bookkeeping")),
        ("Since March I've been working from home.", ("@user", "RELATES_TO", "works from", "home")),
        ("My rent is 950 a month.", ("@user", "RELATES_TO", "rent", "950 a month")),
        ("My girlfriend is Brazilian.", ("girlfriend", "RELATES_TO", "nationality", "Brazilian")),
        ("My wife's Japanese.", ("wife", "RELATES_TO", "nationality", "Japanese")),
        ("We live on the eighth floor.", ("@user", "RELATES_TO", "lives on", "eighth floor")),
        ("I'm on parental leave until October.", ("@user", "RELATES_TO", "is on", "parental leave")),
        ("I use Notion for everything.", ("@user", "RELATES_TO", "uses", "Notion")),
        ("My partner is Julian.", ("@user", "RELATES_TO", "partner", "Julian")),
        ("I'm reading Middlemarch at the moment.", ("@user", "RELATES_TO", "reads", "Middlemarch")),
        ("My grandparents came from Lebanon.", ("grandparents", "RELATES_TO", "is from", "Lebanon")),
        ("Our anniversary is on the 3rd of July.", ("@user", "RELATES_TO", "anniversary", "3rd of July")),
        ("We named the baby Ottilie.", ("@user", "RELATES_TO", "baby", "Ottilie")),
        ("The dog's name is Rufus.", ("@user", "RELATES_TO", "dog", "Rufus")),
        ("My plumber is a guy named Dave.", ("@user", "RELATES_TO", "plumber", "Dave")),
        ("I know Sanne from university.", ("@user", "RELATES_TO", "knows", "Sanne")),
        ("My laptop runs Fedora.", ("@user", "RELATES_TO", "uses", "Fedora")),
        ("Can you write a card for my aunt Jean?", ("@user", "RELATES_TO", "aunt", "Jean")),
        ("I have to renew my passport before October.", ("@user", "CARES_ABOUT", "plan", "renewing passport")),
        ("I've decided to sell the motorbike.", ("@user", "CARES_ABOUT", "plan", "sell the motorbike")),
    ],
)
def test_daily_life_in_plain_words_is_read(text: str, expected: Fact) -> None:
    assert _facts(text) == {expected}


@pytest.mark.parametrize(
    "text",
    [
        "He goes swimming every day.",
        "People here run every morning.",
        "You should go running every day.",
        "I should go swimming more often.",
        "I wish I could go hiking every weekend.",
        "My doctor told me to swim twice a week.",
        "I don't go swimming any more.",
        "Do I go swimming on Mondays?",
        "I run out of milk every week.",
        "I usually have lunch at noon.",
        "I always forget my keys.",
        "I was thinking of you.",
        "Are you considering moving?",
        "My boss is thinking about firing me.",
        "I need to talk to you tomorrow.",
        "I'm watching Leo tonight.",
        "My kids are 4 and 7.",
        "I'm not a morning person.",
        "Can you tell me where my brother Tom lives?",
        "I know Berlin from school trips.",
        "I left the gym at nine.",
        "I dropped the gym bag.",
        "I'm watching TV.",
    ],
)
def test_similar_words_state_nothing(text: str) -> None:
    assert _facts(text) == set()


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("My parents no longer have a dog.", "User's parents no longer have a dog."),
        ("My parents moved to Spain when they retired.", "User's parents live in Spain."),
        ("Both of my parents are teachers.", "User's parents work as teachers."),
        ("My father lives in Leeds.", "User's father lives in Leeds."),
        ("I quit the gym last month.", "User no longer goes to the gym."),
        ("We moved from Slack to Teams at work.", "User uses Teams."),
        ("My little boy is lactose intolerant.", "User's son cannot have lactose."),
    ],
)
def test_statement_agrees_with_its_subject(text: str, statement: str) -> None:
    """Regression: "User's parents no longer has a dog", and who quit the gym "no longer has a gym"."""
    assert statement in {one.statement for one in read(text).facts}


def test_list_of_children_names_each_as_one() -> None:
    """Regression: Sam was the user's "kids"."""
    found = {(one.relation, one.object) for one in read("I have two kids, Sam and Ella.").facts}
    assert found == {("kid", "Sam"), ("kid", "Ella"), ("has", "kids")}
