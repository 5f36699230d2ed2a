"""Write metrics in the Prometheus text format, with prometheus_client."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from graph_service.observability.metrics import COUNTERS, HISTOGRAMS, Counter, Histogram, Level


def metrics_text(levels: Sequence[Level]) -> bytes:
    """Return the text of a scrape: the counters and histograms of this process, and the given gauges."""
    return generate_latest(_Metrics(levels=levels))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Metrics(Collector):
    """Provides our metrics to prometheus_client."""

    levels: Sequence[Level]

    def collect(self) -> Iterator[Metric]:
        yield from map(_gauge, self.levels)
        yield from map(_counter, COUNTERS)
        yield from map(_histogram, HISTOGRAMS)


def _gauge(level: Level) -> Metric:
    family = GaugeMetricFamily(level.name, level.help, labels=level.labels)
    for key, value in level.values.items():
        family.add_metric(key, value)
    return family


def _counter(counter: Counter) -> Metric:
    family = CounterMetricFamily(counter.about.name, counter.about.help, labels=tuple(counter.about.labels))
    for key, value in counter.values.items():
        family.add_metric(key, value)
    return family


def _histogram(histogram: Histogram) -> Metric:
    family = HistogramMetricFamily(histogram.about.name, histogram.about.help, labels=tuple(histogram.about.labels))
    ends = [*map(floatToGoString, histogram.bounds), "+Inf"]
    for key, counts in histogram.counts.items():
        family.add_metric(key, list(zip(ends, accumulate(counts), strict=True)), sum_value=histogram.sums[key])
    return family
