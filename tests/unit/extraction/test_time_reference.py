"""Test which state of affairs a question asks about, whom it addresses, and the cues in messages."""

from datetime import UTC, datetime

import pytest

from extraction.query_analysis import TimeReference, analyse, asks_what_ended
from extraction.text.cues import (
    gives_reason,
    gives_text,
    reports_change,
)

ASKED_AT = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where do I live now?", TimeReference.NOW),
        ("Who is my boss these days?", TimeReference.NOW),
        ("我现在住在哪里？", TimeReference.NOW),
        ("我現在住在哪裡？", TimeReference.NOW),
        ("Where did I live before Lisbon?", TimeReference.FORMER),
        ("What was my previous phone number?", TimeReference.FORMER),
        ("我以前在哪里上班？", TimeReference.FORMER),
        ("我最初在哪里实习？", TimeReference.FORMER),
        ("Where did I work before my current job?", TimeReference.FORMER),
        ("我现在这份工作之前在哪里上班？", TimeReference.FORMER),
        ("which bank was i with last time", TimeReference.FORMER),
        ("最开始医生开的是什么药？", TimeReference.FORMER),
        ("刚来英国那会儿我住哪一片", TimeReference.FORMER),
        ("跳槽前那家叫啥", TimeReference.FORMER),
        ("丢了的那台电脑是什么牌子", TimeReference.FORMER),
        ("Welche Linie fahr ich jetzt?", TimeReference.NOW),
        ("Wo habe ich früher gewohnt?", TimeReference.FORMER),
        ("¿Qué coche llevo ahora?", TimeReference.NOW),
        ("¿Cuál era mi número anterior?", TimeReference.FORMER),
        ("On dort dans quelle ville là ?", TimeReference.NOW),
        ("C'était quoi mon ancien code ?", TimeReference.FORMER),
        ("今使ってる竿のメーカーは？", TimeReference.NOW),
        ("以前はどこに住んでいた？", TimeReference.FORMER),
        ("Wie alt ist mein Sohn?", TimeReference.OPEN),
        ("¿Dónde vivo?", TimeReference.OPEN),
        ("Where did I work in May 2025?", TimeReference.DATED),
        ("2025年5月我住在哪里？", TimeReference.DATED),
        ("Where do I live now, and where in May 2025?", TimeReference.NOW),
        ("Where do I live?", TimeReference.OPEN),
        ("How old is my son?", TimeReference.OPEN),
        ("What is my sister's first name?", TimeReference.OPEN),
        ("我妹妹吃什么？", TimeReference.OPEN),
        ("那会不会太晚？", TimeReference.OPEN),
        ("门前那家店卖什么？", TimeReference.OPEN),
        ("我在吃什么药？", TimeReference.NOW),
        ("Which checks have to pass before a merge?", TimeReference.OPEN),
        ("早上几点以前不能打电话？", TimeReference.OPEN),
        ("Where do I work, and before that?", TimeReference.FORMER),
        ("What do I call my old dog before bed?", TimeReference.FORMER),
        ("What did we do before the wedding?", TimeReference.FORMER),
    ],
)
def test_question_asks_about_a_state_of_affairs(question: str, expected: TimeReference) -> None:
    assert analyse(question, reference=ASKED_AT).time_reference is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where did I live before Lisbon?", True),
        ("Do I still live in Lisbon?", True),
        ("Am I allergic to nuts any more?", True),
        ("我还在吃这个药吗？", True),
        ("我曾在哪里上班？", True),
        ("Where do I live now?", False),
        ("How old is my son?", False),
        ("我住在哪里？", False),
    ],
)
def test_question_asks_what_ended(question: str, expected: bool) -> None:
    assert asks_what_ended(question) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did you promise to send me?", True),
        ("When will you remind me?", True),
        ("你答应每天几点叫我？", True),
        ("What had the assistant offered to draft?", True),
        ("关于买房，助手说过要准备什么？", True),
        ("他希望助手用什么口吻聊？", False),
        ("What should the assistant avoid?", False),
        ("What did my sister promise?", False),
        ("Where do I live?", False),
        ("我答应了妈妈什么？", False),
    ],
)
def test_question_asks_the_agent_about_itself(question: str, expected: bool) -> None:
    assert analyse(question, reference=ASKED_AT).asks_agent is expected


@pytest.mark.parametrize(
    ("text", "change", "reason"),
    [
        ("we moved again, we are in madrid now", True, False),
        ("i switched to decaf because it kept me awake", True, True),
        ("药换成了缬沙坦，因为脚肿", True, True),
        ("i drive a tesla", False, False),
        ("我开特斯拉", False, False),
    ],
)
def test_cues_are_found_in_both_languages(text: str, change: bool, reason: bool) -> None:
    assert (reports_change(text), gives_reason(text)) == (change, reason)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("translate to french: i live in lyon", True),
        ("could you proofread this for me: my son is 6", True),
        ("把下面这句翻译成英文：我住在里昂", True),
        ("帮我润色一下：我养了两只狗", True),
        ("把这" * 200, False),
        ("she said: i live in lyon", False),
        ("i translate manuals for bosch", False),
        ("my hobbies: editing, chess", False),
        ("我妹妹是翻译，住在里昂", False),
    ],
)
def test_text_to_translate_or_correct_is_recognised(text: str, expected: bool) -> None:
    assert gives_text(text) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What car am I saving up for?", True),
        ("What do I want to learn?", True),
        ("我打算换什么手机？", True),
        ("What car do I drive?", False),
        ("我现在用什么手机？", False),
    ],
)
def test_question_about_an_intention(question: str, expected: bool) -> None:
    assert analyse(question, reference=ASKED_AT).asks_intention is expected
