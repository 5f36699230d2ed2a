"""Tell English texts from all others, for the choice of a model. Pure."""

import re
from typing import Final

from extraction.text.lexicon_en import word_set

# A word of Latin letters, or a run of others.
_LATIN: Final = r"a-z\u00df-\u024f"
_WORD: Final = re.compile(rf"[{_LATIN}]+|[^\W\d_{_LATIN}]+")
# Frequent words of English that no other language of this alphabet writes alike, and of other languages, likewise.
_ENGLISH: Final = word_set(
    "the of and is are was were be been what where when who which why how did does do my your you he she it we they i "
    "his her our their this that these those with from for to have has had not but would will can could should "
    "about there m ve don didn if or by at as up out just so than then some any all get got go going went like "
    "new day work today tomorrow yesterday week name yes please thanks hello hi"
)
_OTHER: Final = (
    word_set(
        # German, Dutch
        "der das und ist nicht ich mein meine meinen meiner wie wo wann wer wen wem welche welcher welches habe haben "
        "hatte sind ein eine einen einem einer für mit von zu zum zur auf im wir uns unser unsere sie du dein deine "
        "auch aber oder wenn noch schon jetzt heute morgen gestern heißt wohne wohnt arbeite nach vor seit bei ihr "
        "ihre het een niet mijn ik zijn voor naar wat waar wanneer vandaag "
        # Spanish, Portuguese, Italian
        "el una unos y que qué quién cuándo dónde cómo cuál cuáles cuánto cuánta mis tu sus su es está están "
        "soy estoy tengo tiene vivo vive por para con del al pero muy más hoy ayer mañana cuando donde lo nos "
        "nuestro nuestra desde hasta fue hace se llama trabajo gusta "
        "não uma meu minha você onde quando quem é são está moro tenho para com foi "
        "il gli della di che chi quando sono mio mia vivo abito anche perché non oggi ieri domani è "
        # French
        "le les des du une et est je tu nous vous ils elle elles mon mes ta tes ses où quand qui quel quelle "
        "quels quelles combien pourquoi avec dans pas suis sommes était "
        "hier demain ce cette ces aux mais aime habite travaille depuis chez "
        # Scandinavian, Polish, Czech, Turkish, Indonesian, Romanian
        "jag och är att det inte hur vad var när vem mitt jeg ikke hvor hvornår hvem nie jest się gdzie kiedy mój moja "
        "jak jsem kde můj ve bir ve nerede zaman benim saya tidak di mana și este unde "
    )
    - _ENGLISH
)
# English text of this many words has a frequent one.
_WORDS_WITHOUT: Final = 7


def is_english(text: str) -> bool:
    """Return whether a text is English, or gives no evidence of another language.

    Each word of another alphabet counts against it, and so do frequent words of other languages; a word with letters
    that English lacks counts half, because names have them. Chinese and Japanese characters are half a word each.
    Seven words without a frequent English one are not English.
    """
    english, other = 0.0, 0.0
    words = _WORD.findall(text.casefold())
    for word in words:
        if word[0] >= "\u0370":
            other += len(word) / 2 if word[0] >= "\u2e80" else 1
        elif word in _OTHER:
            other += 1
        elif word in _ENGLISH:
            english += 1
        elif not word.isascii():
            other += 0.5
    if not english and len(words) >= _WORDS_WITHOUT:
        return False
    return other < 1 or english >= other
