"""Test what messages and questions say beside their topic, and which lines of a message are of a quoted chat."""

import pytest

from extraction.text.cues import (
    asks_choice,
    asks_for_work,
    asks_usual,
    instructs,
    tells_brief,
    tells_of_other,
    without_chat_lines,
)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("the chat\n[Ann]: I'm allergic to latex\n[Bob]: beer is on me\nnuts are bad", "the chat\nnuts are bad"),
        ("群里的：\n小王：我花生过敏\n小赵：我都行", "群里的："),
        ("aus der Gruppe\nUwe: ich esse kein Schwein\nIna: bringe Salat", "aus der Gruppe"),
    ],
)
def test_chat_lines_of_others_are_left_out(text: str, own: str) -> None:
    assert without_chat_lines(text) == own


@pytest.mark.parametrize("text", ["Phone: 555 0199\nStreet: Elm Road 4", "Ann: I'm in Rome", "I have a cat: Tom"])
def test_labels_and_single_lines_stay(text: str) -> None:
    assert without_chat_lines(text) == text


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


@pytest.mark.parametrize(
    ("question", "usual", "exception"),
    [
        ("Where do I usually park?", "I park behind the library", "parking at Tom's this week, roadworks"),
        ("我平时几点下班？", "我六点下班", "这周都加班到九点"),
        ("Wo trainiere ich normalerweise?", "Training ist in der Halle am Park", "bis Freitag trainieren wir draußen"),
        ("¿Dónde ceno normalmente los jueves?", "los jueves ceno con mis padres", "esta semana ceno fuera"),
        ("où je gare la voiture d'habitude ?", "je gare la voiture rue Paul-Bert", "cette semaine elle est au garage"),
        ("普段はどこで泳いでる？", "市民プールで泳いでます", "今週は大学のプールです"),
        ("How far do I usually run?", "till the 18th nothing. normally it's 6k", "only 2k this week"),
    ],
)
def test_question_for_the_usual_and_what_is_brief(question: str, usual: str, exception: str) -> None:
    assert asks_usual(question)
    assert not tells_brief(usual)
    assert tells_brief(exception)
    assert not asks_usual("Who covered for my usual teacher?")


@pytest.mark.parametrize(
    "question",
    [
        "What worktop did we go for?",
        "Which car did I end up choosing?",
        "¿Con cuál me quedé?",
        "封口机我要了哪种？",
        "印刷はどこに頼むことにした？",
        "去云南最后走的哪条线？",
        "Wofür haben wir uns entschieden?",
        "¿Con cuál nos quedamos al final?",
        "on avait pris quel fourgon ?",
        "結局どの竿にしたの？",
    ],
)
def test_question_for_a_choice(question: str) -> None:
    assert asks_choice(question)


def test_other_questions_ask_for_no_choice() -> None:
    for question in (
        "Where do I live?",
        "我住在哪里？",
        "Wie alt ist Jonas?",
        "Where did we end up staying?",
        "どこに住んでる？",
        "¿Qué coche tengo?",
    ):
        assert not asks_choice(question)


@pytest.mark.parametrize(
    "text",
    [
        "My sister Clara is a vegetarian",
        "our son has got a car now",
        "my mate Rowan runs too, but he's faster",
        "She wears a 41",
        "Mein Kollege fährt einen Golf",
        "Mi vecina tiene dos gatos",
        "ma collègue habite à Dax",
        "我姐姐是护士",
        "教练姓何，他穿43码",
        "友達は犬を飼っている",
    ],
)
def test_texts_about_somebody_else_are_told_from_those_of_the_speaker(text: str) -> None:
    assert tells_of_other(text)


@pytest.mark.parametrize(
    "text",
    [
        "I moved near my sister",
        "my mate Rowan says I run too fast",
        "My desk is in the hall",
        "Mein Kollege fährt, ich laufe",
        "mi vecina me dio un gato",
        "ma veste est grise",
        "我在上海工作",
        "妈妈送了一台榨汁机",
        "会社は渋谷にある",
        "Moved to Graz with my girlfriend",
        "妻の実家に引っ越した",
        "朋友在北京，住在上海",
        "",
    ],
)
def test_texts_of_the_speaker_tell_of_nobody_else(text: str) -> None:
    assert not tells_of_other(text)
