"""Test which kind of value a question asks for, and which texts hold one."""

import pytest

from extraction.answer_values import ValueKind, holds_value, value_asked


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How much does the parking space cost?", ValueKind.MONEY),
        ("What rent do the students pay?", ValueKind.MONEY),
        ("停车位一个月多少钱？", ValueKind.MONEY),
        ("What's my phone number?", ValueKind.CODE),
        ("护照号码是多少？", ValueKind.CODE),
        ("How old is the parrot?", ValueKind.AGE),
        ("儿子几岁了？", ValueKind.AGE),
        ("How long did the repair take?", ValueKind.DURATION),
        ("装修花了多久？", ValueKind.DURATION),
        ("What time does the shop open?", ValueKind.CLOCK),
        ("几点开会？", ValueKind.CLOCK),
        ("When does the course begin?", ValueKind.DATE),
        ("哪天出发？", ValueKind.DATE),
        ("What colour is the bicycle?", ValueKind.COLOUR),
        ("自行车是什么颜色？", ValueKind.COLOUR),
        ("How many hens do we keep?", ValueKind.COUNT),
        ("養了幾隻雞？", ValueKind.COUNT),
        ("What is the cat's name?", ValueKind.NAME),
        ("Which bank does Ida use?", ValueKind.NAME),
        ("猫叫什么名字？", ValueKind.NAME),
        ("Where do my parents live?", ValueKind.PLACE),
        ("父母住在哪里？", ValueKind.PLACE),
        ("Who repaired the boiler?", ValueKind.PERSON),
        ("谁修的锅炉？", ValueKind.PERSON),
        ("Why did we sell the boat?", ValueKind.REASON),
        ("为什么卖了船？", ValueKind.REASON),
        ("What do I like for breakfast?", None),
        ("我早餐喜欢吃什么？", None),
    ],
)
def test_question_asks_for_a_kind_of_value(question: str, kind: ValueKind | None) -> None:
    assert value_asked(question) is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("the space costs 80 a month", ValueKind.MONEY),
        ("Paid £45 for it", ValueKind.MONEY),
        ("一个月三百块", ValueKind.MONEY),
        ("海盐拿铁涨到32了", ValueKind.MONEY),
        ("招牌是海盐拿铁，28一杯", ValueKind.MONEY),
        ("call me on 555 0199", ValueKind.CODE),
        ("He turned nine", ValueKind.AGE),
        ("乐乐六岁", ValueKind.AGE),
        ("it took two weeks", ValueKind.DURATION),
        ("修了三个月", ValueKind.DURATION),
        ("they open at 9:30", ValueKind.CLOCK),
        ("八点开门", ValueKind.CLOCK),
        ("starts on 3 May", ValueKind.DATE),
        ("下周三出发", ValueKind.DATE),
        ("a green one", ValueKind.COLOUR),
        ("绿色的", ValueKind.COLOUR),
        ("we call her Mimi", ValueKind.NAME),
        ("它叫咪咪", ValueKind.NAME),
        ("我姐夫建国摔断了胳膊。", ValueKind.NAME),
        ("我要去接外甥朵朵放学。", ValueKind.NAME),
        ("同桌刘子涵借了我的笔", ValueKind.NAME),
        ("修水管的冯师傅九点来。", ValueKind.NAME),
        ("表妹雅婷要结婚了", ValueKind.NAME),
        ("they live in Ghent", ValueKind.PLACE),
        ("他们住在南京", ValueKind.PLACE),
        ("my neighbour did it", ValueKind.PERSON),
        ("邻居修的", ValueKind.PERSON),
        ("the physio did it", ValueKind.PERSON),
        ("房东修的", ValueKind.PERSON),
        ("because the engine was broken", ValueKind.REASON),
        ("因为发动机坏了", ValueKind.REASON),
    ],
)
def test_text_holds_the_value(text: str, kind: ValueKind) -> None:
    assert holds_value(text, kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("the car park is under the house", ValueKind.MONEY),
        ("停车位在楼下", ValueKind.MONEY),
        ("my phone is broken", ValueKind.CODE),
        ("the cat sleeps all day", ValueKind.NAME),
        ("猫整天睡觉", ValueKind.NAME),
        ("我哥喜欢打球", ValueKind.NAME),
        ("姐姐明天来，妹妹天天迟到", ValueKind.NAME),
        ("老师布置了作业，老板涨了工资", ValueKind.NAME),
        ("女儿今天发烧了", ValueKind.NAME),
        ("the bicycle is new", ValueKind.COLOUR),
        ("the shop is big", ValueKind.CLOCK),
        ("we sold the boat", ValueKind.REASON),
    ],
)
def test_text_about_the_topic_alone_holds_no_value(text: str, kind: ValueKind) -> None:
    assert not holds_value(text, kind)


def test_names_in_the_question_are_no_answer() -> None:
    assert not holds_value("I met Clara", ValueKind.NAME, known={"clara"})
    assert holds_value("I met Clara with Tom", ValueKind.NAME, known={"clara"})


def test_capital_at_the_start_of_a_sentence_is_no_name() -> None:
    assert not holds_value("The cat is here. She sleeps.", ValueKind.NAME)
