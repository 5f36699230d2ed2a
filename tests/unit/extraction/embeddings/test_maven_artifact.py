"""Test the decision after a failed download."""

import itertools

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.embeddings.maven_artifact import Jar, WrongContentError, failed_attempt

_REQUEST = httpx.Request("GET", "https://repository.example/tea.jar")


def answered(status: int) -> httpx.HTTPStatusError:
    return httpx.HTTPStatusError("refused", request=_REQUEST, response=httpx.Response(status, request=_REQUEST))


def wrong_content() -> WrongContentError:
    jar = Jar(coordinate="org.example:tea:1.0", sha256="f" * 64, size_bytes=3)
    with pytest.raises(WrongContentError) as refused:
        jar.check("0" * 64, 2)
    return refused.value


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (answered(503), "the repository answered 503"),
        (httpx.ConnectError("no route to host"), "ConnectError: no route to host"),
        (httpx.ReadTimeout("too slow"), "ReadTimeout: too slow"),
        (wrong_content(), f"its 2 bytes are not the 3 that the lock names (sha256 {'0' * 64} instead of {'f' * 64})"),
    ],
)
def test_failed_download_is_tried_four_times_with_growing_pauses(error: Exception, problem: str) -> None:
    attempts = [failed_attempt(error, attempt) for attempt in range(4)]
    assert {clause for clause, _ in attempts} == {problem}
    *retried, last = [pause_s for _, pause_s in attempts]
    assert last is None
    pauses = [pause_s for pause_s in retried if pause_s is not None]
    assert len(pauses) == 3
    assert all(0 < shorter < longer for shorter, longer in itertools.pairwise(pauses))


@given(status=st.integers(400, 499), attempt=st.integers(0, 10))
def test_refused_request_is_not_repeated(status: int, attempt: int) -> None:
    assert failed_attempt(answered(status), attempt) == (f"the repository answered {status}", None)


@given(status=st.integers(500, 599), attempt=st.integers(0, 1000))
def test_failing_server_is_asked_again_at_most_three_times(status: int, attempt: int) -> None:
    assert (failed_attempt(answered(status), attempt)[1] is not None) == (attempt < 3)


def test_right_content_passes_the_check() -> None:
    Jar(coordinate="org.example:tea:1.0", sha256="f" * 64, size_bytes=3).check("f" * 64, 3)
