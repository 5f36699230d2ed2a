"""What the crash tests remember: two sessions, English and Chinese, with brought facts and a contradiction."""

from schema.message import BroughtFact
from tests.builders import an_incoming

STORY = (
    an_incoming(
        "I love jasmine tea and hiking.", "I live in Paris.", "My sister Anna works at Acme.", user_name="Alice"
    ),
    an_incoming("我很喜欢弹钢琴。", "I live in Oslo now.", session="s2"),
    an_incoming(
        "Whatever you say.",
        session="s3",
        facts=(
            BroughtFact(
                subject="user",
                predicate="CARES_ABOUT",
                object="green energy",
                statement="Alice cares about green energy.",
            ),
        ),
    ),
)
