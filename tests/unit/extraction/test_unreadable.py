"""Test that a failure on a text is counted and leaves out that text only."""

from collections.abc import Iterator, Sequence

import pytest

from extraction.rules.rule_reader import rules_with_tags
from extraction.rules.tags import Tag
from extraction.unreadable import UNREADABLE, read_or
from schema.errors import UnavailableError
from tests.unit.extraction.rules.rule_reading import a_scene, shown


@pytest.fixture(autouse=True)
def _counted() -> Iterator[None]:
    UNREADABLE.clear()
    yield
    UNREADABLE.clear()


def unreadable(text: str) -> list[str]:
    raise IndexError(text)


def test_read_or_returns_what_stands_in_for_an_unreadable_text(caplog: pytest.LogCaptureFixture) -> None:
    assert read_or(["nothing"], unreadable, "secret words") == ["nothing"]
    assert read_or([], unreadable, "secret words") == []
    assert UNREADABLE.total() == 2
    # One line for each place, without the text.
    assert len(caplog.records) == 1
    assert "IndexError" in caplog.text
    assert "secret words" not in caplog.text


def test_read_or_passes_on_that_a_service_is_unavailable() -> None:
    def ask(_text: str) -> None:
        raise UnavailableError("the model does not answer")

    with pytest.raises(UnavailableError):
        read_or(None, ask, "text")
    assert not UNREADABLE


class FailingTagger:
    """A tagger that fails on batches with one message, and tags where the user works in others."""

    async def fact_tags(self, texts: Sequence[str]) -> list[list[Tag] | None]:
        if any("flaw" in text for text in texts):
            raise RuntimeError(texts)
        at = [text.index("Acme") for text in texts]
        return [[Tag(kind="works_at", subject=None, obj=(start, start + 4), ended=False, odds=9.0)] for start in at]


async def test_message_on_which_the_tagger_fails_is_read_without_tags() -> None:
    scene = a_scene("I worry about the flaw.", "Back at Acme these days")
    facts = [shown(fact) for fact in (await rules_with_tags(FailingTagger())(scene)).facts]
    assert any("flaw" in fact for fact in facts)
    assert any("Acme" in fact for fact in facts)
    assert UNREADABLE.total() == 1
