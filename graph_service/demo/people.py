"""Who the demonstration is about, and what it asks."""

from dataclasses import dataclass
from importlib.resources import files

from graph_service.conversation_files import FileFormat, Owner, read_conversations
from graph_service.memory.incoming import Incoming
from graph_service.memory.question import Question
from schema.ids import TenantId

DEMO_TENANT = TenantId("demo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody whose conversations ship with the package."""

    file: str
    user_id: str
    name: str


PEOPLE: tuple[Person, ...] = (
    Person(file="madial-en-user-1.json", user_id="bart", name="Bart"),
    Person(file="madial-en-user-2.json", user_id="lisa", name="Lisa"),
    Person(file="memorybank-zh-mb-00.json", user_id="zhang-manting", name="张曼婷"),
    Person(file="memorybank-zh-mb-01.json", user_id="wang-feng", name="王峰"),
)
# Their answers are in the conversations; recall finds them like those of any other question.
QUESTIONS: tuple[Question, ...] = (
    Question(user_id="bart", text="What are Bart's favourite animals at the zoo?", limit=3, evidence=1),
    Question(user_id="lisa", text="Which cake does Lisa like best?", limit=3, evidence=1),
    Question(user_id="zhang-manting", text="我推荐过哪部科幻电影？", limit=3, evidence=1),
)


def demo_conversations() -> list[Incoming]:
    """All conversations of the demonstration; handing them in again changes nothing."""
    folder = files("graph_service.demo").joinpath("conversations")
    calls: list[Incoming] = []
    for person in PEOPLE:
        text = folder.joinpath(person.file).read_text(encoding="utf-8")
        owner = Owner(user_id=person.user_id, user_name=person.name)
        calls += read_conversations(text, name=person.file, form=FileFormat.BENCHMARK, owner=owner)
    return calls
