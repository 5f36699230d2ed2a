"""Test that a message which corrects an earlier one of the same speaker is found, with what it corrects."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from extraction.reader import ProposedFact, SceneLine, SceneText
from extraction.text.corrections import correction_in, correction_of
from schema.ids import MemoryId
from schema.labels import Role
from tests.benchmarks.correction_table import outcome, pairs
from tests.support.readers import read_with_tags

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("earlier", "later", "corrected"),
    [
        ("My landlord's number is 0171 555 20 11.", "Sorry, typo: it ends in 12, so 0171 555 20 12.", "0171 555 20 12"),
        ("My number is 555 0101.", "Sorry, ends in 02.", "555 0102"),
        ("The fair is on Tuesday the 3rd of May.", "No wait, it's Wednesday the 4th.", "Wednesday the 4th of May"),
        ("Our flight leaves at 6:40.", "Correction: 16:40, thank goodness.", "16:40"),
        ("I weigh 82 kilos.", "Oops, I meant 72.", "72 kilos"),
        ("My car has 120,000 km on it.", "I misspoke, 102,000 km.", "102,000 km"),
        ("The plumber comes at 8:15 on Thursday.", "Friday, not Thursday.", "8:15 on Friday"),
        ("Ella's birthday is on March 12.", "My bad, I meant March 21.", "March 21"),
        ("Our hotel is 90 euros a night.", "*95 euros", "95 euros a night"),
        ("I was born in 1987.", "1978, sorry, typo", "1978"),
        ("My desk is in room B12a.", "sorry, B12c", "room B12c"),
        ("Ich sitze in der Klasse FB3a.", "Moment, FB3c, die a sind die Maurer", "FB3c"),
        ("Calzo un 41.", "no, 41 y medio, el 41 me aprieta", "un 41 y medio"),
        ("洗衣机花了1890。", "看错收据了,1980", "花了1980"),
        ("Mein Spind hat die Nr 27.", "quatsch, 72. Zahlendreher", "Nr 72"),
        ("My neighbour's name is Joanna Weiss.", "Sorry, Johanna Weiss, with an h.", "Johanna Weiss"),
        ("房东的电话是13800001111。", "打错了，尾号是2222。", "13800002222"),
        ("房东的电话是13911110000。", "抱歉，最后四位是0001。", "13911110001"),
        ("My landlord's number is 07700 900456.", "Sorry, the last three digits are 465.", "07700 900465"),
        ("孩子的鞋码是32。", "不对，量错了，33。", "鞋码是33"),
        ("家长会是11月3号周二。", "看错日历了，是11月4号周三。", "11月4号周三"),
        ("我体重82公斤。", "写错了，72。", "72公斤"),
        ("我们周六去爬山。", "说错了，是周日。", "周日去"),
        ("飞机早上6点40起飞。", "不对，是下午4点40。", "下午4点40"),
        ("我的新同事叫张伟明。", "记错了，叫张维明。", "张维明"),
        ("The ticket says the play starts at 8:15.", "Wait, wrong ticket: 8:45.", "8:45"),
        ("My tax number is 45 120 331 21.", "Oh sorry, wrong: it's …22.", "45 120 331 22"),
        ("The dentist is at 14:15.", "Argh, I misread the card: 15:15.", "15:15"),
        ("The card number is 4471 2206.", "Mixed up the digits, it should be 4471 2260.", "4471 2260"),
        ("My sister's name is Katrin.", "Not Katrin, Katrina, with an a.", "Katrina"),
        ("My sister's name is Katrin.", "Her name is Karla, not Katrin.", "Karla"),
        ("我身高一米七二。", "写错了，是一米七八。", "一米七八"),
        ("我体重是六十八公斤。", "记错了，其实是七十一公斤。", "七十一公斤"),
        ("我的工位是三楼B区12号。", "不对，是四楼B区12号。", "四楼B区12号"),
        ("会议是十月三号。", "弄混了，是十月五号。", "十月五号"),
        ("我女儿叫李思雨。", "不好意思，打错字了，是李诗雨。", "李诗雨"),
        ("我女儿叫李思雨。", "不是李思雨，是王诗雨。", "王诗雨"),
        ("My plumber's email is max@rohr.de.", "Oh sorry, it's maxi@rohr.de.", "email is maxi@rohr.de"),
        ("邮箱是lin@abc.cn。", "打错了，是ling@abc.cn。", "邮箱是ling@abc.cn"),
        ("房租每月三千五。", "哦不，是三千八。", "每月三千八"),
        ("The door code is 7730.", "Nope, I swapped them, it's 7703", "code is 7703"),
        ("My shoe size is 42.", "Hm no, I confused that with my husband's: 38.", "size is 38"),
        ("The deposit was 900.", "I transposed the digits, 990 it was.", "was 990"),
        ("My locker is number 45.", "Not 45, 54.", "number 54"),
        ("My locker number is 318.", "Hmm, no, 381 actually.", "number is 381"),
        ("The alarm is 3307 and the gate is 7703.", "Oops, I mixed them up.", "alarm is 7703 and the gate is 3307"),
        ("Lena is in room 12 and Max in room 14.", "It's the other way round!", "room 14 and Max in room 12"),
        ("妈妈住3楼，姥姥住5楼。", "我搞反了。", "妈妈住5楼，姥姥住3楼"),
        ("My locker is number 48 and the code is 7719", "ugh no, 7791. fat fingers", "number 48 and the code is 7791"),
        ("Der Hausmeister ist unter 0341 77 86 30", "Quatsch, hinten 03, also 0341 77 86 03", "0341 77 86 03"),
        ("Schließfach 7, Code 8841", "oh Mann, 8814. Brille vergessen", "Schließfach 7, Code 8814"),
        ("Mon casier est le 22, le code 6638", "oh là là, 6683. mes lunettes !", "le 22, le code 6683"),
        ("The caretaker is on 0341 778 2630", "last bit jumbled in my head, it's 2603", "0341 778 2603"),
        ("前台电话是0571-8812 4490", "4409,尾巴反了", "0571-8812 4409"),
        ("电费这个月交了220块", "等下,刚看了一眼,是260,别的没错", "交了260块"),
        ("My physio is called Alicia", "Alisha* she told me herself", "called Alisha"),
        ("Unser Hausarzt heißt Thorben Lüders", "Torben ohne h, sagt er immer", "heißt Torben Lüders"),
        ("I'm meeting Priya at the Ivy Bush", "It's not Priya I'm meeting, it's Pooja!", "meeting Pooja at"),
        ("Unsere Hausnummer ist 18a", "nee 18b, in 18a ist die Bäckerei", "Hausnummer ist 18b"),
        ("sub is 36 a term", "my bad, 63. read it backwards", "sub is 63 a term"),
        ("the dentist is on Elm rd", "not elm rd, Alder rd. all trees to me", "dentist is on Alder rd"),
        ("我哋会费系75蚊", "唔系75，系57，我睇错咗", "会费系57蚊"),
        ("mi dentista se llama Octavio", "perdón, Horacio jaja, octavio es mi tío", "se llama Horacio"),
        ("la excursión es el 2 de mayo", "es el 9, me lo dijo mal la profe", "el 9 de mayo"),
        ("le bail est de 12 ans", "erreur c'est 15 ans", "de 15 ans"),
        ("Pédiatre : docteure Lenoir, rdv le 9", "euh le 19 pardon", "rdv le 19"),
        ("vacuna el 9 de mayo", "el 19 perdón", "el 19 de mayo"),
        ("ahora tomo 8 mg con el desayuno", "espera que leo la caja. son 16 mg, no 8", "16 mg con el desayuno"),
        ("歯医者は9日", "19日ごめん", "歯医者は19日"),
        ("発表会は11月22日", "ちゃうわ、23日やった", "11月23日"),
        ("paid 40 quid for the chair", "i tell a lie it was 45", "paid 45 quid"),
    ],
)
def test_corrected_value_replaces_the_earlier_one(earlier: str, later: str, corrected: str) -> None:
    found = correction_of(later, [earlier])
    assert found is not None
    assert found.text is not None
    assert corrected in found.text


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I have 2 cats.", "Oops, 5 minutes late for work!"),
        ("My sister Anna has 3 kids.", "Sorry, I was away for 3 days."),
        ("The meeting is on Tuesday.", "Actually, can you book Friday off for me?"),
        ("My locker is number 12.", "I mean, 12 is enough."),
        ("I'd save 3 hours.", "I got an invite from Alan, who is 41."),
        ("我有两只猫。", "不好意思，我3点要开会。"),
        ("My locker code is 5518.", "Wrong number called me again, 3 times."),
        ("I weigh 82 kilos.", "I was wrong about the load, it is 12 kilos."),
        ("The exam is on Monday.", "Hey, I mixed up my socks on Tuesday."),
        ("Berta is my sister.", "I love Anna, not Berta."),
        ("我的航班是7点。", "写错了报告，被老板骂了，要改到12点。"),
        ("我有三个孩子。", "不好意思，我有一个问题。"),
        ("我叫李雷。", "我不是李雷，我开玩笑的。"),
        ("The rent is 700.", "They swapped the boiler, it was 900."),
        ("Anna is 34 and Eva 36.", "Turn the chair the other way round."),
        ("会议在周二。", "他记错了日子，周三才去。"),
        ("妈妈住3楼，姥姥住5楼。", "他把衣服穿反了。"),
        ("寄给我哥的话写5栋802", "我这边是2栋301，跟他一个小区，快递总搞混"),
        ("I've 12 chairs and 1340 euros", "oh no, 20 people said yes. help"),
        ("My pin is 4417.", "Dad's is different, 4471 or so"),
        ("My pin is 4417.", "Dad's: 4471"),
        ("The caretaker is on 0341 778 2630", "and it took 2603 days"),
        ("We need 18 tiles", "so 3 * 4 is too few"),
        ("Hanna comes on Friday", "Hannah comes on Monday"),
        ("Hanna comes on Friday", "Lovely to see her"),
        ("el vuelo es el 9 de mayo", "a las 6 perdón"),
        ("le rendez-vous est mardi à 5 h", "le 19 pardon"),
    ],
)
def test_message_with_a_value_of_its_own_corrects_nothing(earlier: str, later: str) -> None:
    assert correction_of(later, [earlier]) is None


def test_only_messages_of_the_same_speaker_within_an_hour_are_corrected() -> None:
    said = [("me", "I weigh 82 kilos.", NOON), ("you", "You weigh 82 kilos.", NOON)]
    for at, expected in ((NOON, (0, "I weigh 72 kilos.", None)), (NOON + timedelta(hours=2), None)):
        assert correction_in(2, [*said, ("me", "Oops, I meant 72.", at)]) == expected


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Dinner on Monday at 7.", "Lunch on Tuesday at 1."),
        ("Dentist on the 3rd at 9.", "Vet on the 5th at 10."),
        ("Paid 20 for lunch", "Paid 35 for dinner"),
        ("Room 301 for the kids", "Room 305 for us"),
        ("Anna comes Friday", "Ben comes Saturday"),
        ("I ran 5 km today", "I ran 7 km today"),
        ("周一开会", "周二体检"),
        ("去程G123", "回程G456"),
        ("我身高170", "我老公身高180"),
        ("我姐姐叫小红", "我哥哥叫小刚"),
        ("我听说李娜的妹妹是医生。", "我听说王强的妹妹是老师。"),
    ],
)
def test_second_item_of_a_list_corrects_nothing(earlier: str, later: str) -> None:
    assert correction_of(later, [earlier]) is None


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "zh", "ja"])
def test_corrections_are_told_from_other_messages_in_every_language(language: str) -> None:
    of_language = [pair for pair in pairs() if pair["half"] == "open" and pair["language"] == language]
    wrong = [pair for pair in of_language if outcome(pair) in ("missed", "false")]
    assert len(of_language) == 12
    assert not wrong


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I like tea.", "Well, I love tea."),
        ("On part à 6h40.", "Attends, on sonne."),
        ("Work starts at 9:00.", "I took the wrong train this morning, arrived at 9:30."),
        ("Je commence à 9h.", "Je me suis trompé de bus, arrivé à 9h30."),
        ("Entro a las 9.", "Me equivoqué de autobús y llegué a las 9:30."),
        ("9時始業です。", "電車を間違えた、9時半に着いた。"),
        ("Das Buch kostet 30 Euro.", "Ben hat 40 gesagt, der hat sich wohl verguckt."),
        ("本は3000円です。", "ベンは4000円って言ってたけど、勘違いだね"),
        ("今天25度。", "明天应该是30度。"),
        ("Passed: CLB 8.", "Cataract operation is fixed 6th Feb, right eye. Correction: left eye first, date is same."),
        ("换座位了，第3排。", "眼睛又涨了，左350右375，打错了，右边是400。"),
        ("我不吃香菜。", "不，我也不吃葱。"),
        ("need glue and A4 paper from the shop", "and correction fluid, the small bottle"),
    ],
)
def test_other_errors_and_corrections_within_the_message_correct_nothing(earlier: str, later: str) -> None:
    assert correction_of(later, [earlier]) is None


@pytest.mark.parametrize("later", ["No, 5.", "5"])
def test_answer_to_a_question_corrects_nothing(later: str) -> None:
    said = [("me", "We are 4.", NOON), ("you", "Is the little one 4, too?", NOON), ("me", later, NOON)]
    assert correction_in(2, said) is None
    assert correction_in(2, [said[0], ("you", "Noted.", NOON), said[2]]) == (0, "We are 5.", None)


@pytest.mark.parametrize(
    ("earlier", "later", "corrected"),
    [
        ("The dentist is on Elm Road.", "It's not Elm Road, it's Alder Road.", "The dentist is on Alder Road."),
        ("El médico se llama Brais Lema", "no era Brais Lema, era Brais Leis", "El médico se llama Brais Leis"),
        ("入山证的日期是11月14", "不是14，是11月21", "入山证的日期是11月21"),
    ],
)
def test_denial_of_what_was_said_corrects_it_also_days_later(earlier: str, later: str, corrected: str) -> None:
    said = [("me", earlier, NOON), ("me", "We had soup.", NOON), ("me", later, NOON + timedelta(days=3))]
    assert correction_in(2, said) == (0, corrected, None)
    assert correction_in(1, [("me", "Soup, 42.", NOON), ("me", "Sorry, 24.", NOON + timedelta(days=3))]) is None
    assert correction_in(2, [*said[:2], ("you", later, NOON + timedelta(days=3))]) is None


@pytest.mark.parametrize(
    ("earlier", "later", "corrected"),
    [
        ("my locker is 5519", "sorry, 5591, I swapped the digits", "my locker is 5591"),
        ("flight is BA2517 on the 4th", "oh I mistyped, it's BA2571", "flight is BA2571 on the 4th"),
        ("Pacht ist 1340 Euro", "Zahlendreher, 1430 Euro", "Pacht ist 1430 Euro"),
        ("门禁码是 8842", "打错了 是8824", "门禁码是 8824"),
        ("my badge is 4471", "I got the order number wrong, it's 9913", None),
        ("my badge is 4471", "badge 4417 was in the drawer", None),
    ],
)
def test_misspelled_number_is_corrected_also_days_later(earlier: str, later: str, corrected: str | None) -> None:
    said = [("me", earlier, NOON), ("me", "We had soup.", NOON), ("me", later, NOON + timedelta(days=3))]
    assert correction_in(2, said) == (corrected and (0, corrected, None))


def test_chinese_clauses_end_at_spaces() -> None:
    assert correction_of("不对 是一晚30 50是隔壁带电桩的", ["停在洱海边 停车一晚50"]) == (
        0,
        "停在洱海边 停车一晚30",
        None,
    )
    assert correction_of("对 旺财是我爸的金毛 九岁了", ["药膏早晚各一次 不能跟旺财待一起"]) is None


def test_value_alone_corrects_another_only_if_alike_after_some_minutes() -> None:
    for minutes, later, expected in ((1, "72", "72"), (20, "72", None), (20, "38", "38")):
        said = [("me", "I weigh 83.", NOON), ("me", later, NOON + timedelta(minutes=minutes))]
        assert correction_in(1, said) == (expected and (0, f"I weigh {expected}.", None))


@pytest.mark.parametrize(
    ("earlier", "later", "told"),
    [
        ("我住在泉州。", "打错了，是厦门", "厦门"),
        ("私は京都に住んでいます。", "間違えた、大阪です", "大阪"),
        ("我对腰果过敏。", "打错了，是我妈", None),
    ],
)
def test_name_told_instead_is_known_where_the_wrong_words_are_not(earlier: str, later: str, told: str | None) -> None:
    correction = correction_of(later, [earlier])
    assert correction is not None
    assert (correction.text, correction.told) == (None, told)


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize(
    ("earlier", "later", "objects"),
    [
        ("I live in Graz.", "Sorry, I meant Gratz, in Bavaria.", {"@user": "Gratz"}),
        ("I love Thai food.", "I meant Vietnamese food", {"@user": "Vietnamese food"}),
        ("我住在泉州。", "打错了，是厦门", {"@user": "厦门"}),
    ],
)
def test_facts_of_a_correction_are_those_of_the_corrected_message(
    earlier: str, later: str, objects: dict[str, str], fresh: bool
) -> None:
    """End what the corrected message said, if it was read before."""
    lines = tuple(
        SceneLine(message_id=MemoryId(text), role=Role.USER, speaker=None, text=text, said_at=NOON, fresh=is_fresh)
        for text, is_fresh in ((earlier, fresh), (later, True))
    )
    reading = asyncio.run(read_with_tags(SceneText(user_names=(), agent_names=(), lines=lines)))
    valid = {fact.subject: fact.object for fact in reading.facts if not fact.closes}
    assert valid == objects
    assert {quote.line for fact in reading.facts for quote in fact.quotes} == {1}
    assert {fact.withdraws for fact in reading.facts} == {0}
    assert any(fact.closes for fact in reading.facts)


@pytest.mark.parametrize(
    ("earlier", "valid"),
    [
        ("I'm allergic to cashews.", set()),
        ("I'm allergic to cashews. I live in Leeds.", {"cashews", "Leeds"}),
    ],
)
def test_correction_that_fits_no_words_ends_the_fact_of_a_message_with_a_single_one(
    earlier: str, valid: set[str]
) -> None:
    lines = tuple(
        SceneLine(message_id=MemoryId(text), role=Role.USER, speaker=None, text=text, said_at=NOON, fresh=True)
        for text in (earlier, "oops, wrong word, walnuts.")
    )
    reading = asyncio.run(read_with_tags(SceneText(user_names=(), agent_names=(), lines=lines)))
    assert {fact.object for fact in reading.facts if not fact.closes} == valid


@pytest.mark.parametrize("text", ["啊" * 300, "sorry" + " " * 290, "not 5 " * 50, "不，" * 150, "5 - " * 75])
def test_long_runs_of_cues_take_linear_time(text: str) -> None:
    for _ in range(20):
        correction_of(text, ["1 2 3 4 " * 250, "Aa Bb " * 300, "not 5 " * 300])


def _read(*texts: str, days: int = 0, users: tuple[str, ...] = ()) -> list[ProposedFact]:
    """Return the facts of messages said a minute apart, or so many days."""
    lines = tuple(
        SceneLine(
            message_id=MemoryId(text),
            role=Role.USER,
            speaker=None,
            text=text,
            said_at=NOON + timedelta(days=days * at, minutes=at),
            fresh=True,
        )
        for at, text in enumerate(texts)
    )
    return [*asyncio.run(read_with_tags(SceneText(user_names=users, agent_names=(), lines=lines))).facts]


@pytest.mark.parametrize(
    ("texts", "valid"),
    [
        (("My rent is 2600.", "sorry, 2900", "sorry, 2700"), {"2700"}),
        (("I live in Porto.", "sorry, Lisbon", "no wait, Madrid"), {"Madrid"}),
    ],
)
def test_correction_of_a_correction_tells_the_last_value(texts: tuple[str, ...], valid: set[str]) -> None:
    assert {fact.object for fact in _read(*texts) if not fact.closes} == valid


@pytest.mark.parametrize(
    "later", ["I got the train wrong, it left early", "Sorry, wrong chat: Maria", "I misspoke, Anna told me"]
)
def test_error_for_which_nothing_is_told_instead_withdraws_nothing(later: str) -> None:
    """The fact may end, which the history shows; it is not deleted."""
    facts = _read("I'm allergic to cashews.", later)
    assert all(fact.withdraws is None for fact in facts)


def test_corrected_message_keeps_the_times_at_which_it_was_said() -> None:
    facts = _read("I moved to Oslo yesterday. My dog is called Rex.", "Her name is not Rex, Max", days=3)
    (home,) = (fact for fact in facts if fact.object == "Oslo")
    assert home.valid_at is not None
    assert home.valid_at.date() == (NOON - timedelta(days=1)).date()
    assert home.withdraws is None
