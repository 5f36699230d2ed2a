"""Test which secrets are hidden in text that is shown, and that everything else stays."""

import json
from collections.abc import Callable

import pytest

from extraction.text.secrets import SecretKind, passes_luhn, without_secrets
from tests.support.growth import assert_about_linear, cpu_within

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.dBjftJeZ4CVPmB92K27uhbUJU1p1r"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
LEFT = "x" * 24

SECRETS = [
    ("My key is sk-proj-" + LEFT + ".", "My key is [hidden key]."),
    ("stripe: sk_live_" + LEFT, "stripe: [hidden key]"),
    ("用 ghp_" + LEFT + " 推送", "用 [hidden key] 推送"),
    ("github_pat_" + LEFT, "[hidden key]"),
    ("xoxb-123456789012-" + LEFT, "[hidden key]"),
    ("aws AKIAIOSFODNN7EXAMPLE here", "aws [hidden key] here"),
    ("AIza" + "y" * 35, "[hidden key]"),
    ("it answered " + JWT, "it answered [hidden key]"),
    ("curl -H 'Authorization: Bearer " + LEFT + "'", "curl -H 'Authorization: Bearer [hidden key]'"),
    ("the file says " + PEM + " only", "the file says [hidden key] only"),
    ("My password is hunter2!", "My password is [hidden password]"),
    ("API key: 9f8e7d6c5b", "API key: [hidden password]"),
    ("我的密码是abc123，别忘了", "我的密码是[hidden password]，别忘了"),
    ("WiFi 口令：qwe#99", "WiFi 口令：[hidden password]"),
    ("postgres://ana:s3cret@db.example/app", "postgres://ana:[hidden password]@db.example/app"),
    ("Visa 4111 1111 1111 1111, please", "Visa [hidden card number], please"),
    ("卡号5500005555555559。", "卡号5500005555555559。"),
    ("卡号 5500005555555559。", "卡号 [hidden card number]。"),
    ("amex 3782-822463-10005", "amex [hidden card number]"),
    ("The log is /var/log/app/error.log.", "The log is …/error.log."),
    ("保存在 /home/ana/文档/预算.xlsx", "保存在 …/预算.xlsx"),
    (r"see C:\Users\ana\notes.txt", "see …/notes.txt"),
    ("in ~/projects/bakery/menu.md now", "in …/menu.md now"),
]


@pytest.mark.parametrize(("text", "shown"), SECRETS, ids=range(len(SECRETS)))
def test_a_secret_is_replaced_in_plain_text_and_in_json(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
    assert json.loads(without_secrets(json.dumps({"a": [text]}, ensure_ascii=False))) == {"a": [shown]}
    assert without_secrets(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "The secret of her bread is patience.",
        "My password is the usual one, and the token is expired.",
        "密码是她的生日",
        "memory://default/session/ana/home/timeline/0b5c7e1e-5d8a-5b7e-8f2d-4111111111111111",
        "40000000-4111-5111-8111-111111111111",
        "order 4111111111111112",
        "call +44 20 7946 0958 or 1772582400000",
        "flight 2026-03-04T10:00:00+00:00",
        "either/or, and/or, 24/7, km/h, https://example.org/home/ana/page",
        "risk-averse people, task-oriented work, disk-shaped stones",
        "I live at home / work in Lisbon",
        "at 5:30 she wrote a:b",
    ],
)
def test_what_is_not_a_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_only_the_chosen_kinds_are_hidden() -> None:
    text = "sk-" + LEFT + " 4111111111111111 /etc/app/key.pem"
    assert without_secrets(text, ()) == text
    assert without_secrets(text, {SecretKind.CARDS}) == "sk-" + LEFT + " [hidden card number] /etc/app/key.pem"
    assert without_secrets(text, {SecretKind.PATHS}) == "sk-" + LEFT + " 4111111111111111 …/key.pem"


@pytest.mark.parametrize(
    "text", [r"C:\dir\\", 'C:\\dir\\"quoted"', "C:\\a\nb", "~/a\\", '/tmp/x"y', "password: \\\\9\\n9x!aaa"]
)
def test_json_stays_valid_whatever_surrounds_a_secret(text: str) -> None:
    json.loads(without_secrets(json.dumps([text], ensure_ascii=False)))
    json.loads(without_secrets(json.dumps([text])))


def test_the_checksum_of_cards_is_that_of_luhn() -> None:
    assert passes_luhn("79927398713")
    assert not passes_luhn("79927398710")
    assert not passes_luhn("")


# Units of texts that make a pattern start, or try to end, as often as possible.
COSTLY = [
    "The weather in Porto is nice today. ",
    "token:",
    "token:abcdefghi",
    "pwd=",
    "pwd::",
    "pwd: ",
    "token is ",
    "secret key is",
    "pwd=" + "a" * 200 + " ",
    "~/a ",
    "~/" + "a" * 250 + "/",
    "/tmp/" + "a/" * 60 + " ",
    "eyJaaaaaaaa.",
    "eyJ" + "a" * 4_000 + " ",
    "eyJ" + "a" * 4_000 + ".eyJ" + "a" * 8_000 + " ",
    "sk-a ",
    "sk-",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN AAAAA",
    "4111 1111 1111 1112 ",
    "4",
    "://a:b",
    "://" + "a" * 99 + ":" + "b" * 199 + " ",
    "密码是a",
    "密码是",
    "Bearer ",
    "C:\\a",
]


@pytest.mark.parametrize("unit", COSTLY, ids=[unit[:20] for unit in COSTLY])
def test_hiding_takes_linear_time(unit: str) -> None:
    def work_of(chars: int) -> Callable[[], object]:
        text = (unit * (chars // len(unit) + 1))[:chars]
        return lambda: without_secrets(text)

    assert_about_linear(work_of, 25_000, floor_s=0.01)
    work = work_of(100_000)
    with cpu_within(0.15):
        work()


def test_a_long_answer_is_hidden_across_its_parts() -> None:
    shown = [{"a": "x" * 997 + " is it"}, {"b": "My password is [hidden password], sk-"}]
    said = [{"a": "x" * 997 + " is it"}, {"b": "My password is hunter2!, sk-"}]
    assert json.loads(without_secrets(json.dumps(said * 200))) == shown * 200
