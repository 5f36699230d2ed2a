"""Test that instructions to the assistant, and requests for work, are told from other texts in six languages."""

import pytest

from extraction.text.cues import asks_for_work, instructs


@pytest.mark.parametrize(
    "text",
    [
        "Always give prices in pounds when I ask about tickets.",
        "pls never use emojis",
        "whenever you draft an email for me sign it Dr. Okafor",
        "btw keep your replies short, I read them on the tram",
        "以后给我写邮件的时候用敬语",
        "回答简短一点",
        "别用缩写，我看不懂",
        "Antworte mir bitte immer auf Deutsch",
        "wenn ich dich nach Rezepten frage, dann bitte für zwei",
        "cuando te pida recetas ponlas en gramos",
        "tutéame siempre",
        "quand je te demande un texte, sans anglicismes",
        "vouvoyez-moi, s'il vous plaît",
        "説明するときは例をつけて",
        "これからは敬語なしでお願い",
    ],
)
def test_message_instructs(text: str) -> None:
    assert instructs(text)


@pytest.mark.parametrize(
    "text",
    [
        "I always give him his pills at eight",
        "my boss never answers mails",
        "home berth is Stoke Bruerne from now on",
        "when you come over bring the tent",
        "她每次都迟到",
        "以后想去海边住",
        "Ich antworte ihm nie",
        "cuando llegue te llamo",
        "il répond toujours en retard",
        "いつも七時に起きる",
    ],
)
def test_other_message_does_not(text: str) -> None:
    assert not instructs(text)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Can you explain what a mortgage is?", True),
        ("How should I store sourdough?", True),
        ("帮我写一段生日祝福", True),
        ("Erklär mir bitte, wie ein Stirlingmotor läuft", True),
        ("escríbeme un saludo para la jefa", True),
        ("comment je fais une béchamel ?", True),
        ("お礼のメールを書いて", True),
        ("Where does Ana live?", False),
        ("What did you suggest for dinner?", False),
        ("我妈住哪儿？", False),
        ("Wie heißt mein Hund?", False),
        ("猫の名前は？", False),
    ],
)
def test_question_asks_for_work(question: str, asks: bool) -> None:
    assert asks_for_work(question) is asks
