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
# In a sentence that asks nothing, and by letters.
_TOPS = ("worktops. 2 kids who spill everything", "For heavy use I'd look at quartz, solid oak, or compact laminate.")
_TRIP = ("八月底带爸妈去云南", "三条线:A 昆明+大理慢游,B 丽江+香格里拉,C 西双版纳。")
_HOTEL = ("住大理哪里好", "可选:古城云上客栈、才村码头的海屿民宿、下关全季酒店。")
_BIKE = (
    "das alte rad quietscht wie sau",
    "Sie könnten es überholen lassen, ein gebrauchtes E-Bike suchen oder ein Jobrad leasen.",
)
_CARE = ("晚托班有推荐吗", "您家附近可以考虑:小太阳(含晚饭,1500)、童心园(1280)、或请阿姨在家。")
_SONG = ("次のライブの一曲目、どれがいいと思う", "候補は「夜汽車」「群青」「灯台」あたりでしょうか。")
_NOON = ("考えてない。候補だして", "ざるうどん、ナポリタン、冷凍チャーハンはいかがでしょう。")
_DISH = ("ideas para el plato principal", "Podéis poner carrillera al vino, lubina a la sal o cordero lechal.")
_STROLLER = (
    "Quelle poussette prendre ?",
    "Trois pistes : la Yoyo, chère ; la Joie Pact, 190 euros ; la Cybex, compacte.",
)
_KILN = (
    "¿Qué horno?",
    "Tres opciones:\na) Eléctrico usado de 60 litros\nb) Gas, 25 mil\nc) Eléctrico nuevo de 40 litros",
)
_KNEE = ("那拉伸选哪个？", "可以从这三个里挑：泡沫轴、侧卧抬腿、蚌式开合。")
_STEPS = (
    "my essay is due soon, what should I do next?",
    "Steps:\n1. **Review Feedback**: read it.\n2. **Authorization**: ask early.\n3. **Reading List**: expand it.",
)
_HULL = (
    "need to black the hull, what are my options",
    "Three ways: A) Weston yard, 640 a week, B) Braunston, crane out, 910, C) do it yourself in a wet dock.",
)
_PAPERS = (
    "can i get help with the papers?",
    "You could go with: a) the free desk, b) a lawyer, 180 an hour, c) a fixed-price package.",
)
_RECORDS = (
    "pour les transporter, t'as des idées ?",
    "Trois pistes : une remorque louée à 49 € pour le week-end, l'utilitaire du voisin, ou des caisses dans la Kangoo.",
)
_EARS = (
    "which should i keep?",
    "Option one: the Oticon, $3,100 a pair. Option two: the Phonak, for calls, $2,800. Option three: none.",
)
_INN = ("住哪个？", "方案1：海边民宿；方案2：山里木屋")
_TEAMS = ("which team?", "1. HR department\n2. IT department\n3. Sales in the US")
_SEALER = ("封口机要选一个，给点建议", "可以考虑：一号，半自动，1300元；二号，全自动，2900元；三号，租一台。")
_VAN = ("on veut un fourgon", "Trois pistes : Ducato déjà aménagé, Trafic à toit relevable, Master à aménager.")


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
        (_STROLLER, "Bon on va sur la Joie alors, le budget est serré", "la Joie Pact"),
        (_KILN, "el usado de 60 litros, ni modo, ya lo pagué", "Eléctrico usado de 60 litros"),
        (_KNEE, "蚌式开合吧，泡沫轴那个太疼了", "蚌式开合"),
        (_STEPS, "I'd really love to go with the reading list for now, if that helps", "Reading List"),
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
        (_TOPS, "compact laminate then. i am not a person who oils wood", "compact laminate"),
        (_TRIP, "香格里拉太高了 怕我妈高反。就A", "昆明+大理慢游"),
        (_HOTEL, "海屿民宿 爸妈爱看水", "才村码头的海屿民宿"),
        (_BIKE, "Jobrad. versicherung zahlt der chef", "ein Jobrad leasen"),
        (_VAN, "le Trafic, sinon ma femme refuse de le garer", "Trafic à toit relevable"),
        (_CARE, "报小太阳吧 我下班晚", "小太阳"),
        (_HULL, "DIY sounds romantic but my shoulder says no. going with the weston one", "Weston yard"),
        (_PAPERS, "a lawyer by the hour scares me. i'm taking the fixed price one", "a fixed-price package"),
        (_RECORDS, "la remorque j'aime pas. Allez, ce sera les caisses", "des caisses dans la Kangoo"),
        (_SEALER, "全自动又占地方。拿一号吧", "半自动"),
        (_EARS, "calls matter most for my job. decided, the Phonak pair it is", "the Phonak"),
        (_INN, "就方案2吧", "山里木屋"),
        (_SONG, "群青でいく 最初にガツンと", "群青"),
        (_NOON, "ナポリタンにする ピーマン余ってるし", "ナポリタン"),
        (_DISH, "carrillera, que mi padre no quiere espinas", "poner carrillera al vino"),
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
        (_STEPS, "I had a great time at the lagoon with Carla and we talked about the feedback of the year"),
        (_TEAMS, "I'll take it, thanks"),
        (_TEAMS, "That is perfect for us"),
        (_STEPS, "Always provide good security practices when I ask about authorization"),
        (_STEPS, "What's the best way to make sure that Greg and I agree on our reading for this term?"),
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
        (_TOPS, "my mum has quartz in hers"),
        (("how do we get there?", "You could take the bus, a taxi or the train."), "let's go with a friend who knows"),
        (("vitamins?", "Vitamin A helps, vitamin B too."), "A"),
        (_BIKE, "ein E-Bike hat mein Bruder auch, das klaut doch jeder"),
        (("soup?", "Half a squash, coconut milk and a very old orange."), "ha! The orange. We've better oranges now"),
    ],
)
def test_other_replies_choose_nothing(told: tuple[str, str], reply: str) -> None:
    assert _chosen(*told, reply) is None


@pytest.mark.parametrize(
    ("asked", "comment", "reply", "option"),
    [
        ("dinner friday: the Thai, Rosa's or that ramen bar?", "All three take bookings.", "the middle one", "Rosa's"),
        ("curtains. linen or the velvet", "Velvet keeps the heat in.", "second one then", "the velvet"),
        ("I have two offers and a maybe: Leeds, Cork, Perth. help", "Cork is cheapest.", "ok the last one", "Perth"),
        ("was meinst du, Eiche, Buche oder Esche?", "Esche federt gut.", "dann das mittlere", "Buche"),
        ("¿tango, salsa o bachata?", "Cualquiera es buena.", "mejor la salsa", "salsa"),
        (
            "pour le gâteau : citron, poire ou le trio du chef ?",
            "Poire, de saison.",
            "troisième option",
            "le trio du chef",
        ),
        ("周末去爬山还是看展？你觉得呢", "都不错。", "看展吧", "看展"),
        ("¿a quién leo en la playa?", "La Pardo, Machado o Galdós.", "La Pardo, que me hace reír", "La Pardo"),
        ("开场放哪首好", "候选一《远行》、候选二《晚风》、候选三《渡口》,晚风稳。", "大家定了渡口", "渡口"),
        ("头盔怎么选", "可以考虑:半盔、全盔蓝色款、越野盔。", "全盔！", "全盔蓝色款"),
        ("床材の案", "オーク系、コルク系、樹脂系の三つです。", "会議はコルクで一致した", "コルク系"),
        ("选修课 陶艺 书法 击剑 三选一", "击剑要买装备。", "就第二个", "书法"),
        (
            "帮我选个桌子",
            "三类：一是单电机，便宜;二是双电机，稳;三是桌上架，省地方。",
            "一个屏… 那就最后那个吧",
            "桌上架",
        ),
        (
            "ソファ、青いのと灰色のと革のとで迷ってる",
            "革は手入れが要ります。",
            "青かな いややっぱ灰色のにする",
            "灰色の",
        ),
    ],
)
def test_options_of_a_sentence_are_chosen_likewise(asked: str, comment: str, reply: str, option: str) -> None:
    chosen = _chosen(asked, comment, reply)
    assert chosen is not None
    assert chosen.option == option
    assert chosen.told[-1] == 2


@pytest.mark.parametrize(
    ("asked", "comment", "reply"),
    [
        ("she's in a mood", "Does she want company or quiet?", "quiet"),
        ("to bring on friday: stove, gas, water filter", "Have fun!", "gas is empty"),
        ("I've never been to Spain or Italy", "You would like both.", "Italy won the match"),
        ("ich kann Montag oder Dienstag", "Notiert.", "Dienstag regnet es, sagt der Bericht"),
        ("我还是喜欢猫", "猫很可爱。", "猫打翻了水"),
        ("new head gasket. do I fix or do I flee", "What does it cost?", "2,900. The car is worth a sandwich"),
    ],
)
def test_sentences_that_ask_no_choice_have_no_options(asked: str, comment: str, reply: str) -> None:
    assert _chosen(asked, comment, reply) is None


def test_later_message_chooses_only_if_it_says_so() -> None:
    assert _chosen(*_BOATS, "let me sleep on it", "salt and vinegar crisps, then bed") is None
    chosen = _chosen(*_BOATS, "let me sleep on it", "ok I'll take Salt Wren")
    assert chosen is not None
    assert (chosen.option, chosen.told) == ("Salt Wren", (0, 1, 3))


def test_list_of_the_user_that_asks_nothing_has_no_options() -> None:
    assert len(options_in(_BOATS[1])) == 4
    assert options_in("1. Why now?\n2. Who pays?\n3. What else?") == []
    assert options_in("It takes 2. days or so. Fine.") == []
    said = [
        (Role.USER, text, when) for _, text, when in _said("Today:", _BOATS[1].removeprefix("Some ideas:"), "number 2")
    ]
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


@pytest.mark.parametrize(
    ("listed", "reply", "option"),
    [
        (
            "choosing a camera. either the ZWO 585, a used canon or my phone",
            "phone is phone. ordered the ZWO",
            "the ZWO 585",
        ),
        ("在纠结：寄到上海的店、门口老照相馆、或者自己在家冲", "自己冲没地方。决定寄上海了", "寄到上海的店"),
        ("看了三辆：比亚迪海豚、欧拉好猫、零跑T03", "零跑太小。定了海豚", "比亚迪海豚"),
        ("印刷所は候補が三つ、緑陽社、しまや出版、それかコピー本", "緑陽社は締切が早い。しまやにする", "しまや出版"),
        ("they let us take one of these home: a cat bed, a rug, or a jug", "rug. no question", "a rug"),
        ("drei zur Auswahl: Sprechfunk, Maschinist oder Atemschutz", "Ich mach Sprechfunk", "Sprechfunk"),
    ],
)
def test_user_chooses_from_the_own_list(listed: str, reply: str, option: str) -> None:
    said = [(Role.USER, text, _NOW + timedelta(minutes=at)) for at, text in enumerate((listed, reply))]
    chosen = choice_in(1, said)
    assert chosen is not None
    assert chosen.option == option
