"""When a sample counts, how samples are taken in rounds, and what they add up to."""

import math
import statistics
import time
from dataclasses import dataclass, field

# The peaks just before and just after a sample may differ by this share.
PEAK_SPREAD = 0.03
# Both must come this near to the best peak of the process. More than the spread: a clock that falls when other cores
# have work is no disturbance, and the best peak is the best of hundreds.
PEAK_DROP = 0.08
# The share of a sample in which threads may have waited for a CPU.
WAITED = 0.01
BOUNDS = {"peak_spread": PEAK_SPREAD, "peak_drop": PEAK_DROP, "waited": WAITED}
# Samples that are tried for one that counts.
TRIES = 3


@dataclass(frozen=True)
class Settings:
    rounds: int
    sample_seconds: float  # at least, by repeated calls
    settle_seconds: float  # a core needs some milliseconds behind other work until multiply-adds are at their full rate
    peak_seconds: float
    warm_up_seconds: float

    @property
    def needed(self):
        """The number of samples that must count for a row to have figures. More rounds find them on a busy machine."""
        return min(math.ceil(self.rounds / 2), 5)


THOROUGH = Settings(rounds=10, sample_seconds=0.03, settle_seconds=0.01, peak_seconds=0.02, warm_up_seconds=0.5)
QUICK = Settings(rounds=3, sample_seconds=0.005, settle_seconds=0.005, peak_seconds=0.01, warm_up_seconds=0.1)


@dataclass(frozen=True)
class Sample:
    seconds: float  # of one call, by the clock on the wall
    peak_before: float  # FLOP per second, on as many threads
    peak_after: float
    waited: float = 0.0  # seconds that threads waited for a CPU, over the seconds of the sample

    @property
    def peak(self):
        return (self.peak_before + self.peak_after) / 2


def reason_to_discard(sample, best_peak):
    """Why a sample does not count, or None. `best_peak` is the best one of the process."""
    low, high = sorted((sample.peak_before, sample.peak_after))
    if low < (1 - PEAK_SPREAD) * high:
        return "peaks differ"
    if low < (1 - PEAK_DROP) * best_peak:
        return "below the best peak"
    if sample.waited > WAITED:
        return "waited for a CPU"
    return None


@dataclass
class Row:
    """One workload on one number of threads."""

    workload: object
    threads: int
    call: object  # runs the workload once
    calls: int = 1  # in a sample
    samples: list = field(default_factory=list)

    def accepted(self, best_peak):
        return [sample for sample in self.samples if reason_to_discard(sample, best_peak) is None]


def summarize(row, best_peak, needed):
    """The figures of a row, judged by the best peak of the whole run; None for each where too few samples count."""
    accepted = row.accepted(best_peak)
    figures = dict.fromkeys(("best_s", "median_s", "gflops", "share_best", "share_median"))
    stable = len(accepted) >= needed
    if stable:
        flops, seconds = row.workload.flops, [sample.seconds for sample in accepted]
        best = min(seconds)
        figures = {"best_s": best, "median_s": statistics.median(seconds), "gflops": flops / best / 1e9,
                   "share_best": flops / best / best_peak,
                   "share_median": statistics.median(flops / sample.seconds / sample.peak for sample in accepted)}
    return {"status": "stable" if stable else "unstable", "counted": len(accepted),
            "discarded": len(row.samples) - len(accepted), **figures}


# ---- Taking samples


class Sampler:
    """Takes samples on a machine that has `peak(threads, seconds)` and `best_peak`."""

    def __init__(self, machine, settings, waited_seconds, clock=time.perf_counter):
        self.machine, self.settings = machine, settings
        self.waited_seconds, self.clock = waited_seconds, clock

    def warm_up(self, row):
        """Calls a row until its memory and the CPU are warm, and decides how many calls make a sample."""
        row.call()
        # The shorter one: a call that something interrupts would make all samples too short.
        seconds = min(self.time_call(row) for _ in range(2))
        row.calls = max(1, math.ceil(self.settings.sample_seconds / seconds))

    def time_call(self, row):
        start = self.clock()
        row.call()
        return self.clock() - start

    def measure_peak(self, threads):
        self.machine.peak(threads, self.settings.settle_seconds)
        return self.machine.peak(threads, self.settings.peak_seconds)

    def take(self, row):
        before = self.measure_peak(row.threads)
        waited, start = self.waited_seconds(), self.clock()
        for _ in range(row.calls):
            row.call()
        seconds = self.clock() - start
        waited = 0.0 if waited is None else self.waited_seconds() - waited
        after = self.measure_peak(row.threads)
        row.samples.append(Sample(seconds / row.calls, before, after, waited / seconds))

    def take_counted(self, row):
        """One sample that counts, or a bounded number that do not."""
        for _ in range(TRIES):
            self.take(row)
            if reason_to_discard(row.samples[-1], self.machine.best_peak[row.threads]) is None:
                return

    def take_round(self, rows):
        """A sample of each row. Rows take turns, so that what changes slowly meets them all alike."""
        for row in rows:
            self.take_counted(row)
