"""Test that what somebody chooses from a list of the assistant is told, and nothing from other replies."""

from datetime import UTC, datetime, timedelta

import pytest

from extraction.reader import SceneLine, SceneText
from extraction.rules.scene_reader import read_scene
from extraction.text.choices import Choice, choice_in, options_in
from schema.ids import MemoryId
from schema.labels import Role

_NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
_BOATS = (
    "any name for the boat?",
    "Some ideas:\n1. Otter's Nap\n2. Salt Wren\n3. Third Wind, if you like puns\n4. Marguerite",
)
_LUNCH = ("中午吃什么好", "可以考虑：\n1. 番茄牛腩面\n2. 清蒸鲈鱼\n3. 麻婆豆腐，有点辣\n4. 咖喱鸡饭")
_CITY = ("wohin übers wochenende?", "Drei Ideen: 1) Bamberg, 2) Görlitz mit Altstadt, 3) Stralsund am Meer")
_GIFT = ("¿qué le compro a mi suegra?", "Ideas:\n- un pañuelo de seda\n- una orquídea\n- entradas para el teatro")
_TITLE = ("il me faut un titre pour l'expo", "Voici :\n1. Lumières basses\n2. L'Heure bleue\n3. Sous le pont")
_CAT = ("猫の名前まよってる", "候補です。\n1. きなこ\n2. あずき\n3. ラテ\n4. すみ")


def _said(*texts: str) -> list[tuple[Role, str, datetime]]:
    """Return messages a minute apart: the user's request, the assistant's list, and what the user says then."""
    roles = (Role.USER, Role.ASSISTANT, *(Role.USER for _ in texts[2:]))
    return [
        (role, text, _NOW + timedelta(minutes=at)) for at, (role, text) in enumerate(zip(roles, texts, strict=True))
    ]


def _chosen(*texts: str) -> Choice | None:
    said = _said(*texts)
    return choice_in(len(said) - 1, said)


@pytest.mark.parametrize(
    ("told", "reply", "option"),
    [
        (_BOATS, "number 2!", "Salt Wren"),
        (_BOATS, "ooh the last one please", "Marguerite"),
        (_BOATS, "we're going with the wren, it's what grandad would've liked", "Salt Wren"),
        (_BOATS, "not the otter one, my ex had an otter. third wind made me laugh so lets go with that", "Third Wind"),
        (_BOATS, "Marguerite.", "Marguerite"),
        (_BOATS, "First one. Painted it on already", "Otter's Nap"),
        (_LUNCH, "第二个吧，清淡点", "清蒸鲈鱼"),
        (_LUNCH, "就豆腐了", "麻婆豆腐"),
        (_LUNCH, "牛腩面不要 太油 那就咖喱", "咖喱鸡饭"),
        (_LUNCH, "选4", "咖喱鸡饭"),
        (_CITY, "dann nehmen wir Görlitz", "Görlitz mit Altstadt"),
        (_CITY, "die dritte klingt gut, zug ist schon gebucht", "Stralsund am Meer"),
        (_CITY, "Bamberg!", "Bamberg"),
        (_GIFT, "la orquídea, que ya tiene mil pañuelos", "una orquídea"),
        (_GIFT, "me quedo con la tercera", "entradas para el teatro"),
        (_TITLE, "va pour le deuxième", "L'Heure bleue"),
        (_TITLE, "celui avec le pont", "Sous le pont"),
        (_CAT, "3番にする", "ラテ"),
        (_CAT, "あずきで決まり", "あずき"),
        (_CAT, "最後のがいい", "すみ"),
    ],
)
def test_reply_chooses_an_option(told: tuple[str, str], reply: str, option: str) -> None:
    chosen = _chosen(*told, reply)
    assert chosen is not None
    assert (chosen.option, chosen.told) == (option, (0, 1, 2))
    assert told[0].rstrip() == chosen.why


@pytest.mark.parametrize(
    ("told", "reply"),
    [
        (_BOATS, "hm, can you give me five more?"),
        (_BOATS, "is the second one taken?"),
        (_BOATS, "none of those. my first boat was called Marguerite"),
        (_BOATS, "the otters were back in the harbour today, two of them"),
        (_BOATS, "we launch on the 2nd"),
        (_BOATS, "number 2 doesn't fit on the stern"),
        (_BOATS, "I did the first one yesterday"),
        (_BOATS, "I'd take Otter's Nap or Salt Wren"),
        (_LUNCH, "第一次听说，都太辣了"),
        (_LUNCH, "鲈鱼和豆腐都不想吃"),
        (_LUNCH, "下午两点开会"),
        (_CITY, "Stralsund geht nicht, zu weit"),
        (_GIFT, "ninguna, ya le compré flores"),
        (_TITLE, "le premier est trop sombre. autre chose ?"),
        (_CAT, "ラテはもう隣の猫がいる"),
    ],
)
def test_other_replies_choose_nothing(told: tuple[str, str], reply: str) -> None:
    assert _chosen(*told, reply) is None


def test_later_message_chooses_only_if_it_says_so() -> None:
    assert _chosen(*_BOATS, "let me sleep on it", "salt and vinegar crisps, then bed") is None
    chosen = _chosen(*_BOATS, "let me sleep on it", "ok I'll take Salt Wren")
    assert chosen is not None
    assert (chosen.option, chosen.told) == ("Salt Wren", (0, 1, 3))


def test_only_lists_of_the_assistant_have_options() -> None:
    assert len(options_in(_BOATS[1])) == 4
    assert options_in("1. Why now?\n2. Who pays?\n3. What else?") == []
    assert options_in("It takes 2. days or so. Fine.") == []
    said = [(Role.USER, text, when) for _, text, when in _said(*_BOATS, "number 2")]
    assert choice_in(2, said) is None


def _read(*texts: str, fresh_from: int) -> list[tuple[str, bool, tuple[int, ...]]]:
    """Return statement, end and evidence of the choices that the rules read in the messages from one on."""
    lines = tuple(
        SceneLine(
            message_id=MemoryId(f"m{at}"), role=role, speaker=None, text=text, said_at=when, fresh=at >= fresh_from
        )
        for at, (role, text, when) in enumerate(_said(*texts))
    )
    read = read_scene(SceneText(user_names=("Ann",), agent_names=(), lines=lines), reader="rules")
    return [
        (fact.statement, fact.closes, tuple(quote.line for quote in fact.quotes))
        for fact in read.facts
        if fact.relation == "chose"
    ]


def test_choice_is_a_decision_with_its_evidence() -> None:
    assert _read(*_BOATS, "the last one", fresh_from=2) == [
        ("Ann chose Marguerite (any name for the boat?).", False, (0, 1, 2))
    ]
    assert _read(*_TITLE, "va pour le deuxième", fresh_from=0) == [
        ("Ann a choisi L'Heure bleue (il me faut un titre pour l'expo).", False, (0, 1, 2))
    ]


def test_another_choice_from_the_same_list_ends_the_first() -> None:
    assert _read(*_LUNCH, "第二个吧", "还是要第一个", fresh_from=3) == [
        ("Ann选了番茄牛腩面（中午吃什么好）。", False, (0, 1, 3)),
        ("Ann选了清蒸鲈鱼（中午吃什么好）。", True, (3,)),
    ]
