"""Test the statistics of the attack benchmark on known samples."""

import math

import pytest

from tests.benchmarks.attack_witness import Sample, lags_s, longest_gap_s, p95_wait_s
from tests.benchmarks.attacks import HELD, beside, judged, row, table
from tests.benchmarks.hostile_callers import ATTACKS

EVERY_S = 0.05


def probes(until_s: float, *, silent: tuple[float, float] = (0.0, 0.0), took_s: float = 0.005) -> list[Sample]:
    """Return probes every 50 ms that are answered at once, except during one period of silence at whose end all are."""
    begin, end = silent
    asked = [number * EVERY_S for number in range(int(until_s / EVERY_S))]
    steady = [Sample(of="health", asked_s=at, answered_s=at + took_s) for at in asked if not begin <= at < end]
    return steady + ([Sample(of="health", asked_s=begin, answered_s=end)] if end > begin else [])


def test_wait_of_a_steady_service_is_the_latency_of_its_probes() -> None:
    assert p95_wait_s(probes(10.0), 0.0, 10.0, EVERY_S) == pytest.approx(0.005)
    assert longest_gap_s(probes(10.0), 0.0, 10.0) == pytest.approx(EVERY_S, abs=0.01)


def test_one_long_silence_counts_for_every_caller_during_it() -> None:
    """The probe is repeated only after an answer, so two seconds of silence are one sample instead of two hundred."""
    samples = probes(10.0, silent=(4.0, 6.0))
    assert 1.0 < p95_wait_s(samples, 0.0, 10.0, EVERY_S) < 2.0
    assert longest_gap_s(samples, 0.0, 10.0) == pytest.approx(2.0, abs=0.1)


def test_service_that_stops_answering_is_silent_until_the_end() -> None:
    samples = [*probes(5.0), Sample(of="health", asked_s=5.0, answered_s=None)]
    assert longest_gap_s(samples, 0.0, 15.0) == pytest.approx(10.0, abs=0.1)
    assert p95_wait_s(samples, 0.0, 15.0, EVERY_S) > 8.0
    assert math.isnan(p95_wait_s([], 1.0, 1.0, EVERY_S))


def test_lag_includes_messages_sent_before_the_window_and_unread_ones() -> None:
    told = [Sample(of="read", asked_s=0.0, answered_s=3.0), Sample(of="read", asked_s=3.0, answered_s=None)]
    assert lags_s(told, 1.0, 20.0) == ([3.0, 17.0], 1)
    assert lags_s(told, 0.0, 3.5) == ([3.0], 1)


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_each_attack_states_its_rule_and_has_a_time_limit(name: str) -> None:
    found = ATTACKS[name]
    assert ":" in found.rule or ";" in found.rule
    assert 0 < found.load_s <= 60


def test_service_without_degradation_passes() -> None:
    calm = {"health_p95_ms": 5.0, "health_gap_s": 0.06, "recall_p95_ms": 40.0}
    reads = {"read_lag_s": 1.0, "read_lag_most_s": 1.2, "unread": 1}
    figures = {
        "before": calm | reads,
        "during": calm | reads,
        "stop_s": 3.0,
        "python_mb": [200, 210, 205],
        "java_mb": [600, 600, 600],
    }
    attack = ATTACKS["silent_connections"]
    assert list(judged(attack, figures)) == []
    hurt = figures | {"during": calm | reads | {"health_gap_s": 9.0, "recall_p95_ms": 900.0}, "stop_s": None}
    assert len(list(judged(attack, hurt))) == 3
    results = {attack.name: {"verdict": HELD, "why": [], **figures}}
    assert len(row(attack.name, results[attack.name])) == 9
    assert "held" in table(results)
    assert "held" in beside(results, results)
