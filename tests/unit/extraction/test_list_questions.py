"""Test which questions ask for all of a kind, and which texts add one more."""

import pytest

from extraction.list_questions import adds_item, asks_list


@pytest.mark.parametrize(
    "question",
    [
        "What pets do we have?",
        "Which books have I finished?",
        "Which of my plants need less water?",
        "Into which countries has she travelled?",
        "What are my hobbies?",
        "What are Dana's allergies?",
        "Which running shoes has he worn?",
        "List all my subscriptions",
        "Who all is coming on Sunday?",
        "我们家养了哪些宠物？",
        "我都订了什么杂志？",
        "目前有哪几家店在用？",
        "有哪些人来帮过忙？",
        "every flat I've rented so far",
        "What is still missing for the trip?",
        "What are my two nephews called?",
        "我俩侄子叫什么",
        "Welche Bücher habe ich gelesen?",
        "Was habe ich alles eingepackt?",
        "Wie heißen meine Katzen?",
        "¿Qué plantas tengo en el balcón?",
        "¿Cuáles son mis alergias?",
        "Quels livres ai-je finis ?",
        "Comment s'appellent mes poules ?",
        "読んだ本を全部教えて",
    ],
)
def test_questions_for_all_of_a_kind_ask_for_a_list(question: str) -> None:
    assert asks_list(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?",
        "Which bus do I take?",
        "What is my address?",
        "What does Anna do on Mondays?",
        "Which cello strings should I order?",
        "Which nut makes her throat tighten?",
        "What runs our background jobs?",
        "What times does the train leave?",
        "What dose of my tablets am I on?",
        "我住在哪里？",
        "她哪几天有空？",
        "我该买哪些东西？",
        "三月是谁来帮忙的？",
        "首都是哪里？",
        "Every Monday, what time do I swim?",
        "Welche Ärztin behandelt mich?",
        "¿Qué hacemos hoy?",
        "Où est ma liste ?",
        "家賃は全部でいくら？",
        "Welche Nummer hat mein Spind?",
        "Welche Farbe mag ich?",
        "Welche Bücher empfiehlst du mir?",
        "¿Qué es lo que más me gusta?",
        "¿Qué días trabajo?",
        "Quelle est ma pointure ?",
        "Quels livres me conseilles-tu ?",
        "私の部屋番号は？",
        "",
    ],
)
def test_questions_for_one_value_or_advice_ask_for_no_list(question: str) -> None:
    assert not asks_list(question)


@pytest.mark.parametrize(
    "text", ["and a third one, tres leches", "got another cat", "we also keep hens", "又养了一只猫", "第二家上线了"]
)
def test_wording_of_addition_is_recognised(text: str) -> None:
    assert adds_item(text)


@pytest.mark.parametrize("text", ["the cat is asleep", "we moved in march", "今天下雨"])
def test_other_texts_add_nothing(text: str) -> None:
    assert not adds_item(text)
