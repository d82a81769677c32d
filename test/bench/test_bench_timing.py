"""Which samples count, how many are taken, and what they add up to, with made-up clocks and peaks."""

import dataclasses
import types

import pytest

import report
import timing
from timing import Row, Sample

PEAK = 100e9


@pytest.mark.parametrize("sample, reason", [
    (Sample(1, PEAK, PEAK), None),
    (Sample(1, 0.98 * PEAK, PEAK), None),
    (Sample(1, 0.96 * PEAK, PEAK), "peaks differ"),
    (Sample(1, PEAK, 0.96 * PEAK), "peaks differ"),
    (Sample(1, 0.93 * PEAK, 0.93 * PEAK), None),
    (Sample(1, 0.91 * PEAK, 0.91 * PEAK), "below the best peak"),
    (Sample(1, 0.0, 0.0), "below the best peak"),
    (Sample(1, PEAK, PEAK, waited=0.009), None),
    (Sample(1, PEAK, PEAK, waited=0.02), "waited for a CPU"),
])
def test_discarded_samples(sample, reason):
    assert timing.reason_to_discard(sample, best_peak=PEAK) == reason


def make_row(samples, flops=50e9, threads=1, name="row"):
    return Row(types.SimpleNamespace(name=name, flops=flops), threads, None, samples=samples)


def test_figures():
    row = make_row([Sample(1.0, PEAK, PEAK), Sample(0.8, PEAK, PEAK), Sample(1.25, PEAK, PEAK),
                    Sample(0.1, PEAK, 0.5 * PEAK)])
    figures = timing.summarize(row, PEAK, needed=3)
    assert figures.pop("gflops") == pytest.approx(62.5)
    assert figures.pop("share_best") == pytest.approx(0.625)
    assert figures.pop("share_median") == pytest.approx(0.5)
    assert figures == {"status": "stable", "counted": 3, "discarded": 1, "best_s": 0.8, "median_s": 1.0}


def test_the_share_of_a_sample_is_of_its_own_peak():
    row = make_row([Sample(1.0, 0.96 * PEAK, 0.98 * PEAK)])
    figures = timing.summarize(row, PEAK, needed=1)
    assert figures["share_best"] == pytest.approx(0.5)
    assert figures["share_median"] == pytest.approx(0.5 / 0.97)


def test_too_few_samples_are_no_figures():
    row = make_row([Sample(1.0, PEAK, PEAK), Sample(0.9, PEAK, 0.5 * PEAK)])
    figures = timing.summarize(row, PEAK, needed=2)
    assert figures == {"status": "unstable", "counted": 1, "discarded": 1, "best_s": None, "median_s": None,
                       "gflops": None, "share_best": None, "share_median": None}


def test_samples_are_judged_by_the_best_peak_of_the_whole_run():
    row = make_row([Sample(1.0, PEAK, PEAK)])
    assert timing.summarize(row, PEAK, needed=1)["status"] == "stable"
    assert timing.summarize(row, 1.1 * PEAK, needed=1)["status"] == "unstable"


@pytest.mark.parametrize("rounds, needed", [(1, 1), (2, 1), (3, 2), (10, 5), (100, 5)])
def test_how_many_samples_must_count(rounds, needed):
    assert dataclasses.replace(timing.THOROUGH, rounds=rounds).needed == needed


# ---- Sampling


class Fake:
    """A machine, a clock and a scheduler of whose time nothing passes by itself."""

    def __init__(self, peaks):
        self.peaks, self.best_peak = iter(peaks), {1: PEAK, 2: 2 * PEAK}
        self.time, self.waited, self.log = 0.0, 0.0, []
        self.settings = timing.Settings(rounds=1, sample_seconds=0.5, settle_seconds=0.125, peak_seconds=0.25,
                                        warm_up_seconds=1)

    def peak(self, threads, seconds):
        self.log.append("settle" if seconds == self.settings.settle_seconds else f"peak {threads}")
        return 0 if seconds == self.settings.settle_seconds else next(self.peaks)

    def sampler(self):
        return timing.Sampler(self, self.settings, lambda: self.waited, lambda: self.time)

    def row(self, name, seconds, waited=0.0, threads=1):
        def call():
            self.log.append(name)
            self.time += seconds
            self.waited += waited
        return Row(types.SimpleNamespace(name=name, flops=1), threads, call)


def test_a_short_program_is_called_repeatedly():
    fake = Fake([PEAK, PEAK])
    row, sampler = fake.row("x", seconds=0.125), fake.sampler()
    sampler.warm_up(row)
    assert row.calls == 4
    fake.log.clear()
    sampler.take_round([row])
    assert fake.log == ["settle", "peak 1", "x", "x", "x", "x", "settle", "peak 1"]
    assert row.samples == [Sample(0.125, PEAK, PEAK, 0.0)]


def test_an_interrupted_call_does_not_make_samples_too_short():
    fake = Fake([])
    seconds, row = iter([1.0, 0.5, 0.125]), fake.row("x", seconds=0)

    def call():
        fake.time += next(seconds)
    row.call = call
    fake.sampler().warm_up(row)
    assert row.calls == 4


def test_waiting_is_a_share_of_the_sample():
    fake = Fake([PEAK, PEAK] * timing.TRIES)
    row = fake.row("x", seconds=2.0, waited=0.5)
    fake.sampler().take_round([row])
    assert [sample.waited for sample in row.samples] == [0.25] * timing.TRIES


def test_a_system_that_does_not_say_how_long_threads_waited():
    fake = Fake([PEAK, PEAK])
    row = fake.row("x", seconds=2.0)
    timing.Sampler(fake, fake.settings, lambda: None, lambda: fake.time).take_round([row])
    assert [sample.waited for sample in row.samples] == [0.0]


def test_a_discarded_sample_is_repeated_at_once():
    fake = Fake([PEAK, 0.5 * PEAK, PEAK, PEAK, 2 * PEAK, 2 * PEAK])
    rows = [fake.row("x", seconds=1.0), fake.row("y", seconds=1.0, threads=2)]
    fake.sampler().take_round(rows)
    assert [name for name in fake.log if name in "xy"] == ["x", "x", "y"]
    assert [sample.peak_after for sample in rows[0].samples] == [0.5 * PEAK, PEAK]


def test_the_number_of_tries_is_bounded():
    fake = Fake([0.5 * PEAK] * 2 * timing.TRIES)
    row = fake.row("x", seconds=1.0)
    fake.sampler().take_round([row])
    assert len(row.samples) == timing.TRIES


# ---- The table


def table_row(samples, threads=1, name="row"):
    row = make_row(samples, threads=threads, name=name)
    return {"name": name, "threads": threads, "speedup": None, **timing.summarize(row, PEAK, needed=1)}


def test_the_table():
    rows = [table_row([Sample(1.0, PEAK, PEAK)]), table_row([Sample(0.5, PEAK, PEAK)], threads=2),
            table_row([Sample(1.0, 0, PEAK)], name="other")]
    report.add_speedups(rows)
    assert report.format_unstable(rows) == "1 of 3 rows are unstable: too much else runs on this machine"
    assert report.format_unstable(rows[:2]) == ""
    lines = report.format_table(rows).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[0].split()[:4] == ["row", "threads", "best", "ms"]
    assert [line.split() for line in lines[1:]] == [
        ["row", "1", "1000.00", "1000.00", "50.0", "50.0%", "50.0%", "-", "1", "0"],
        ["row", "2", "500.00", "500.00", "100.0", "100.0%", "100.0%", "2.00", "1", "0"],
        ["other", "1", "unstable", "-", "-", "-", "-", "-", "0", "1"]]


@pytest.mark.parametrize("seconds, sentence", [
    ([0.4, 0.48], "2 of 3 rows are beyond the peak: it was measured too low"),
    ([1.0, 0.487], "1 of 3 rows are beyond the peak: it was measured too low"),
    ([1.0, 0.495], ""),
])
def test_rows_that_are_faster_than_the_machine(seconds, sentence):
    """Half a second is the peak. The last row has no figures."""
    rows = [*(table_row([Sample(x, PEAK, PEAK)]) for x in seconds), table_row([Sample(0.1, 0, PEAK)])]
    assert report.format_beyond_peak(rows) == sentence


@pytest.mark.parametrize("quick, revision, line", [
    (False, "abc-dirty", "revision: abc-dirty"),
    (True, None, "revision: unknown, with --quick: no figures to compare"),
])
def test_the_heading_says_of_what(quick, revision, line):
    machine = {"cpu": "abacus", "llvm_cpu": "x86-64", "isa": "portable C", "cores": 2, "peak_gflops": {"1": 3.0},
               "stream_gbytes_per_s": {"1": 5.0}}
    result = {"machine": machine, "settings": {"quick": quick}, "revision": revision}
    assert report.format_heading(result).splitlines() == [
        "These figures are of this machine: abacus (x86-64 to LLVM), portable C, cores: 2", line,
        "threads: 1, multiply-adds: 3.0 GFLOP/s, reads of memory: 5.0 GB/s"]


def test_no_speed_up_over_a_row_without_figures():
    rows = [table_row([Sample(1.0, 0, PEAK)]), table_row([Sample(0.5, PEAK, PEAK)], threads=2)]
    report.add_speedups(rows)
    assert [row["speedup"] for row in rows] == [None, None]
