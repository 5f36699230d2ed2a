"""Detect what a message does: report a change, give a reason, instruct the assistant, tell what is brief. Pure.

The ranking compares these cues with the kind of a question. Texts are English, or Chinese in simplified characters,
in lower case, unless a function says otherwise.
"""

import re
from functools import cache
from typing import Final

from extraction.text.chinese import HAN_OR_KANA
from extraction.text.lexicon_en import ANY_MONTH
from extraction.text.other_languages import FIRST_PERSON
from extraction.text.toml_files import toml_of

# Only the beginning is searched, because longer messages contain many cues.
_CHARS_MAX: Final = 4_000
# Of `cues.toml`: longer messages are texts to work on, and their beginning tells what they are.
_WORDS_CHARS_MAX: Final = 300
_CHANGE: Final = re.compile(
    rf"\b(?:now|new|mov(?:ed?|ing)|switch(?:ed|ing)?|chang(?:ed?|ing)|replac(?:ed|ing)|instead|no longer|any ?more|"
    rf"gone|quit|left|swapp?(?:ed)?|from now on|since|start(?:ed)?|back (?:to|on)|again|updated?|raised|bump(?:ed)?|"
    rf"goes? (?:up|down)|put me (?:on|up)|from (?:{ANY_MONTH}|monday|next)|sold|over to)\b|"
    rf"改[成用吃为到]|换[成到了]|搬[到去了家]|现在|不再|不[用吃做要卖住]了|新的?|调到|挪到|涨|已经|以后|起改|又"
)
_REASON: Final = re.compile(
    r"\b(?:because|since|so|cause|cos|due to|reason|that's why|wanted?|needed|too|can't|couldn't|tired of|made me)\b|"
    r"因为|所以|由于|为了|怕|嫌|图|不然|省得|太|受不了"
)
_HAN_OR_KANA: Final = re.compile(f"[{HAN_OR_KANA}]")
_FIRST_PERSON: Final = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b|[我咱]", re.IGNORECASE)
_CHAT_LINE: Final = re.compile(
    r"^[ \t]*[\[【]?(?P<name>[^\W\d_][\w .’'-]{0,24})[\]】]?[ \t]*[:：](?P<said>.*\w.*)$", re.MULTILINE
)

# A text that is given to work on, not to tell something.
_GIVEN_TEXT: Final = re.compile(
    r"^(?:please |pls |can you |could you |would you |ok,? |now |hey,? |help me ){0,5}"
    r"(?:translate|proofread|rephrase|reword|rewrite|paraphrase|simplify|shorten|spell-?check|correct|polish|edit|"
    r"(?:turn|put|convert|make) (?:this|that|it|these))\b[^:：\n]{0,60}[:：]|"
    r"^(?:请你?|麻烦你?|帮我|帮忙|你?能不能|再|把(?:这|下面|以下)[^：:，。把]{0,8}){0,3}"
    r"(?:翻[译譯]|[译譯]成|校[对對]|润色|潤色|改写|改寫|缩写|扩写|改成)[^：:。\n]{0,30}[：:]"
)


def reports_change(plain_text: str) -> bool:
    """Return whether a text has wording of change: "we moved", "from now on", 换成."""
    return _CHANGE.search(plain_text, 0, _CHARS_MAX) is not None


def gives_reason(plain_text: str) -> bool:
    """Return whether a text has wording of a reason: "because", "couldn't", 因为."""
    return _REASON.search(plain_text, 0, _CHARS_MAX) is not None


def speaks_of_user(text: str) -> bool:
    """Return whether a text, of any language and case, has a word for its speaker: "my", 我, "ich"."""
    return _FIRST_PERSON.search(text, 0, _CHARS_MAX) is not None or FIRST_PERSON.search(text, 0, _CHARS_MAX) is not None


def without_chat_lines(text: str) -> str:
    """Return a text without the lines of a chat that it quotes, if two names or more stand before such lines.

    In "Owen: no prawns near me" another one speaks of himself. Labels, as in "Phone: 555 0199", stay.
    """
    lines = [match for match in _CHAT_LINE.finditer(text[:_CHARS_MAX])]
    is_chat = any(speaks_of_user(match["said"]) for match in lines)
    if not is_chat or len({match["name"] for match in lines}) == 1:
        return text
    return "\n".join(line for line in text.splitlines() if _CHAT_LINE.match(line) is None)


def gives_text(plain_text: str) -> bool:
    """Return whether a message gives a text to translate, correct or rewrite, which tells nothing by itself."""
    return _GIVEN_TEXT.search(plain_text, 0, _CHARS_MAX) is not None


def instructs(text: str) -> bool:
    """Return whether a message, of six languages, says how the assistant shall answer from then on.

    "Always include version numbers when I ask about libraries", 以后帮我看作文的时候直接改语法. An assistant needs them
    before it explains, writes or plans something.
    """
    return _says("instructs", text)


def asks_for_work(question: str) -> bool:
    """Return whether a question, of six languages, asks the assistant to explain, write, plan or recommend."""
    return _says("asks", question)


def asks_usual(question: str) -> bool:
    """Return whether a question, of six languages, asks for what is so most of the time: "usually", 平时."""
    return _says("usual", question)


def asks_choice(question: str) -> bool:
    """Return whether a question, of six languages, asks what somebody chose: "did we go for", 最后选了哪个."""
    return _says("chosen", question)


def tells_brief(text: str) -> bool:
    """Return whether a message, of six languages, tells only what is so for some days: "this week", 暂时."""
    return _says("brief", text) and not _says("usual", text)


def _says(key: str, text: str) -> bool:
    text = text[:_WORDS_CHARS_MAX].lower().replace("'", "’")
    return any(pattern.search(text) is not None for pattern in _patterns(key, _HAN_OR_KANA.search(text) is not None))


@cache
def _patterns(key: str, is_cjk: bool) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a key of `cues.toml`; without Chinese or Japanese characters, those of the other four."""
    tables = toml_of("extraction.text", "cues.toml").items()
    wanted = [words[key] for code, words in tables if is_cjk or code not in ("zh", "ja")]
    return tuple(re.compile("|".join([one] if isinstance(one, str) else one)) for one in wanted)
