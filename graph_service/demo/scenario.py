"""The users, conversations and questions of the demo."""

from dataclasses import dataclass, replace
from datetime import datetime
from importlib.resources import files
from itertools import groupby

from graph_service.importers.reader import read_file
from graph_service.importers.source import FileFormat, Owner
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.query import Question
from schema.ids import TenantId

DEMO_TENANT = TenantId("demo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user whose conversations ship with the package.

    Attributes:
        diary: the file has one message per day, on hundreds of days; each year becomes one session.
    """

    file: str
    user_id: str
    name: str
    diary: bool = False


PEOPLE: tuple[Person, ...] = (
    Person(file="madial-en-user-1.json", user_id="bart", name="Bart", diary=True),
    Person(file="madial-en-user-2.json", user_id="lisa", name="Lisa", diary=True),
    Person(file="memorybank-zh-mb-00.json", user_id="zhang-manting", name="张曼婷"),
    Person(file="memorybank-zh-mb-01.json", user_id="wang-feng", name="王峰"),
)
# Questions that the conversations answer.
QUESTIONS: tuple[Question, ...] = (
    Question(user_id="bart", text="What are Bart's favourite animals at the zoo?", limit=3, evidence=1),
    Question(user_id="lisa", text="Which cake does Lisa like best?", limit=3, evidence=1),
    Question(user_id="zhang-manting", text="我推荐过哪部科幻电影？", limit=3, evidence=1),
)


def demo_conversations() -> list[RememberRequest]:
    """Return all conversations of the demo; storing them again changes nothing."""
    folder = files("graph_service.demo").joinpath("conversations")
    calls: list[RememberRequest] = []
    for person in PEOPLE:
        text = folder.joinpath(person.file).read_text(encoding="utf-8")
        owner = Owner(user_id=person.user_id, user_name=person.name)
        found = read_file(text, name=person.file, form=FileFormat.BENCHMARK, owner=owner).calls
        calls += _by_year(found) if person.diary else found
    return calls


def _by_year(calls: list[RememberRequest]) -> list[RememberRequest]:
    """Return the messages, oldest first, in one session per year."""
    messages = sorted((m for call in calls for m in call.messages), key=_moment)
    return [
        replace(calls[0], session_id=f"diary-{year}", messages=tuple(part))
        for year, part in groupby(messages, key=lambda message: _moment(message).year)
    ]


def _moment(message: IncomingMessage) -> datetime:
    assert message.time is not None, "the diaries of the demo are dated"
    return message.time
