"""Test that promises of the assistant become facts, and that nothing else of its messages does."""

from datetime import UTC, datetime

import pytest

from extraction.reader import THE_AGENT
from schema.labels import Role
from tests.support.growth import assert_about_linear
from tests.unit.extraction.rules.rule_reading import read

PROMISES_EN = (
    "I'll remind you on Friday.",
    "Sure, I'll remind you on Friday about the dentist.",
    "Got it! I'll remind you to take your pills every evening.",
    "I will send you the revised budget by Thursday.",
    "Noted. Tomorrow I'll check the flight prices again.",
    "I promise to have the report ready by next Monday.",
    "I’ll let you know as soon as the tickets go on sale.",
    "Okay, I'll follow up with the landlord on Tuesday.",
    "I'm going to book the table for your anniversary tomorrow morning.",
    "I'll keep an eye on the price of the Lisbon flights.",
    "I'll check back in two weeks to see how your knee is doing.",
    "On Monday I'll send you the list, so don't worry.",
    "I'll wake you at 6 am.",
    "I've added it, and I'll ping you a day before the exam.",
    "I will call the clinic tomorrow and let you know.",
    "I promise I'll finish the translation by 12 June.",
    "I'll get back to you about the visa next week.",
    "I'll email you the recipe tonight.",
)
NO_PROMISES_EN = (
    "I'll help you with that!",
    "I'll explain step by step.",
    "If you like, I'll remind you on Friday.",
    "Let me know the date and I'll remind you.",
    "Would you like me to remind you on Friday?",
    "I can remind you on Friday.",
    "I'll assume you leave on Friday.",
    "I'll be here tomorrow.",
    "I'll put Friday's museum in the plan.",
    "I will keep it short.",
    "I'll do my best!",
    "Dear Sam, I'll send you the papers on Monday.",
    '"I\'ll call you tomorrow," she said.',
    "You said you'll remind me on Friday.",
    "See you on Friday!",
    "Once you confirm, I'll book the table for tomorrow.",
    "I'll get back to you.",
    "I'll let you know.",
    "I'll remember that you like tea.",
    "He says he will call you tomorrow.",
    "I'll start with the Monday schedule.",
    "I won't remind you on Friday.",
    "I'd be happy to send it tomorrow.",
    "I'll do it.",
    "I'll write a poem about Monday.",
    "I'll update the table for March.",
    "I'll check the weather in Paris.",
    "I'll give you three options.",
    "I will not send it tomorrow.",
    "I'll never call you on Sunday.",
    "I'll walk you through what happens on Friday.",
)
PROMISES_ZH = (
    "我周五提醒你。",
    "好的，我会在周五提醒你交房租。",
    "没问题，我明天给你发清单。",
    "我下周一把报告发给你。",
    "到时候我会提醒你带身份证。",
    "我每天晚上提醒你吃药。",
    "我答应你周末帮你订好餐厅。",
    "我会帮你盯着机票价格。",
    "放心，我明天早上七点叫醒你。",
    "明天我给你打电话。",
    "我保证按时提醒你复诊。",
    "那我下周三再跟你确认。",
    "我三天后给你回复。",
)
NO_PROMISES_ZH = (
    "如果你需要，我周五提醒你。",
    "要不要我周五提醒你？",
    "我可以周五提醒你。",
    "我来给你解释一下。",
    "我会尽量帮你。",
    "我给你三个建议。",
    "告诉我日期，我会提醒你。",
    "我不会提醒你的。",
    "祝你周五愉快！",
    "我会记住的。",
    "她说“我周五提醒你”。",
    "你周五提醒我。",
    "我给你写了一首关于周五的诗。",
    "我先给你整理一下要点。",
    "我帮你查了一下。",
    "我建议你周五去。",
)
LETTER = "Here is a draft letter:\n\nDear Sam,\nI will send you the papers on Monday.\nBest regards, Anna"


@pytest.mark.parametrize("text", PROMISES_EN + PROMISES_ZH)
def test_promise_of_the_assistant_is_a_fact_of_the_agent(text: str) -> None:
    (fact,) = read(text, user=("Anna",), role=Role.ASSISTANT).facts
    assert (fact.subject, fact.predicate, fact.relation) == (THE_AGENT, "CARES_ABOUT", "promise")
    quote = fact.quotes[0]
    assert quote.start is not None
    assert text[quote.start : quote.end] in text
    assert "you" not in fact.object.split()
    assert "你" not in fact.object


@pytest.mark.parametrize("text", [*NO_PROMISES_EN, *NO_PROMISES_ZH, LETTER])
def test_other_words_of_the_assistant_are_no_promise(text: str) -> None:
    assert read(text, user=("Anna",), role=Role.ASSISTANT).facts == ()


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (
            "I'll remind you on Friday about the dentist.",
            "The assistant promised to remind Anna on Friday about the dentist.",
        ),
        ("好的，我周五提醒你交房租。", "助手答应周五提醒Anna交房租。"),
        ("好的，我週五提醒你交房租。", "助手答应周五提醒Anna交房租。"),
    ],
)
def test_statement_of_a_promise_names_the_user(text: str, statement: str) -> None:
    assert read(text, user=("Anna",), role=Role.ASSISTANT).facts[0].statement == statement


def test_promise_keeps_the_time_that_it_names() -> None:
    detail = read("I'll call the clinic tomorrow.", role=Role.ASSISTANT).facts[0].detail
    assert (detail.mentioned_start, detail.mentioned_end) == (
        datetime(2024, 5, 16, tzinfo=UTC),
        datetime(2024, 5, 17, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "piece", ["I'll ", "I will, and on Friday ", "我会周五", "我一定会再就先也提醒", "tomorrow I promise I'll "]
)
def test_reading_promises_takes_linear_time(piece: str) -> None:
    def work(n: int) -> object:
        return lambda: read(piece * n, role=Role.ASSISTANT)

    assert_about_linear(work, 100, floor_s=0.05)  # type: ignore[arg-type]
