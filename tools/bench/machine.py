"""The machine: its CPUs, the threads on them, and what they can do at most."""

import ctypes
import os
import platform
import re
from pathlib import Path

from arrays import aligned
from compiler import BenchError

CPUS = Path("/sys/devices/system/cpu")


def read_text(path, default=""):
    try:
        return Path(path).read_text().strip()
    except OSError:
        return default


def cpu_model():
    found = re.search(r"^model name\s*: (.+)$", read_text("/proc/cpuinfo"), re.M)
    return found[1] if found else platform.processor() or platform.machine()


def pick_cpus():
    """One CPU of each core that this process may use."""
    cores = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        cores.setdefault(read_text(CPUS / f"cpu{cpu}/topology/thread_siblings_list", str(cpu)), cpu)
    return list(cores.values())


def pin_threads(cpus, openmp):
    """A CPU of its own for each thread. The OpenMP library reads this when it is loaded, and not later."""
    if openmp:
        os.environ.update(OMP_PLACES=",".join(f"{{{cpu}}}" for cpu in cpus), OMP_PROC_BIND="true", OMP_DYNAMIC="false")
    else:
        os.sched_setaffinity(0, cpus[:1])


def choose_stream_bytes():
    """More than any cache holds, within an eighth of the memory."""
    sizes = [read_text(path) for path in CPUS.glob("cpu0/cache/index*/size")]
    cache = max((int(size[:-1]) * 1024 for size in sizes if size.endswith("K")), default=0)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(max(256 << 20, 2 * cache), memory // 8)


def waited_seconds():
    """How long threads of this process were ready and had to wait for a CPU, in all; None where Linux does not say."""
    waited = [read_text(path).split() for path in Path("/proc/self/task").glob("*/schedstat")]
    return sum(int(numbers[1]) for numbers in waited if numbers) * 1e-9 if any(waited) else None


class Machine:
    """The limits of this machine, measured by the loops of peak.c, and the best that was seen of each."""

    def __init__(self, library, threads, cores):
        self.library = ctypes.CDLL(str(library))
        self.library.bench_isa.restype = ctypes.c_char_p
        self.library.bench_peak.restype = self.library.bench_read.restype = ctypes.c_double
        self.threads, self.cores = threads, cores
        self.cpus = self.find_cpus()
        self.stream_data = aligned(choose_stream_bytes() // 4, value=1)
        self.best_peak, self.best_stream = dict.fromkeys(threads, 0), dict.fromkeys(threads, 0)

    def find_cpus(self):
        """The CPUs that threads are on; -1 where a thread does not say, which several ones have to."""
        count = max(self.threads)
        cpus = (ctypes.c_int32 * count)(*[-1] * count)
        self.library.bench_cpus(ctypes.c_int32(count), cpus)
        if count > 1 and len({cpu for cpu in cpus if cpu >= 0}) < count:
            raise BenchError(f"expected {len(cpus)} threads on as many CPUs, found them on {sorted(set(cpus))}")
        return list(cpus)

    def peak(self, threads, seconds):
        """FLOP per second out of registers, measured for this many seconds."""
        peak = self.library.bench_peak(ctypes.c_int32(threads), ctypes.c_double(seconds))
        self.best_peak[threads] = max(peak, self.best_peak[threads])
        return peak

    def stream(self):
        """Reads memory on each number of threads."""
        data, size = ctypes.c_void_p(self.stream_data.ctypes.data), ctypes.c_int64(self.stream_data.nbytes)
        for threads in self.threads:
            rate = self.library.bench_read(ctypes.c_int32(threads), data, size)
            self.best_stream[threads] = max(rate, self.best_stream[threads])

    def describe(self):
        return {"cpu": cpu_model(), "isa": self.library.bench_isa().decode(), "cores": self.cores,
                "cpus": self.cpus,
                "peak_gflops": {str(threads): peak / 1e9 for threads, peak in self.best_peak.items()},
                "stream_gbytes_per_s": {str(threads): rate / 1e9 for threads, rate in self.best_stream.items()}}
