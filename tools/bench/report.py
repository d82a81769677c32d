"""The table and the JSON of a run."""

import dataclasses

import timing

TITLES = ("row", "threads", "best ms", "median ms", "GFLOP/s", "peak best", "peak median", "speed-up", "samples",
          "discarded")
# More than the rounding of clocks makes of a share of the peak.
BEYOND_PEAK = 1.02


def describe_row(row, program, error, best_peak, needed):
    """All that is known of a row, as JSON."""
    workload = row.workload
    letters = {"B": workload.batch, "Hq": workload.query_heads, "Hkv": workload.key_heads, "Sq": workload.query_len,
               "Sk": workload.key_len, "D": workload.head_dim, "Dv": workload.value_dim}
    samples = [{**dataclasses.asdict(sample), "discarded": timing.reason_to_discard(sample, best_peak)}
               for sample in row.samples]
    return {"name": workload.name, "shape": letters, "layout": workload.layout, "dynamic": workload.dynamic,
            "dtype": "f32", "mask": workload.mask, "threads": row.threads, "flops": workload.flops,
            **timing.summarize(row, best_peak, needed), "speedup": None, "calls_per_sample": row.calls,
            "samples": samples, "kernels": program.compiled.kernels,
            "workspace_bytes": program.workspace_bytes(row.threads), "compile_s": program.compiled.seconds,
            "largest_error": error}


def add_speedups(rows):
    """On rows of several threads: the best time of one thread over theirs."""
    single = {row["name"]: row["best_s"] for row in rows if row["threads"] == 1}
    for row in rows:
        alone = single.get(row["name"])
        if row["threads"] > 1 and alone and row["best_s"]:
            row["speedup"] = alone / row["best_s"]


def format_row(row):
    figures = ("unstable", "-", "-", "-", "-", "-")
    if row["status"] == "stable":
        speedup = "-" if row["speedup"] is None else f"{row['speedup']:.2f}"
        figures = (f"{row['best_s'] * 1e3:.2f}", f"{row['median_s'] * 1e3:.2f}", f"{row['gflops']:.1f}",
                   f"{row['share_best']:.1%}", f"{row['share_median']:.1%}", speedup)
    return row["name"], str(row["threads"]), *figures, str(row["counted"]), str(row["discarded"])


def format_table(rows):
    lines = [TITLES, *map(format_row, rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines)


def format_unstable(rows):
    """A sentence where rows have no figures."""
    count = sum(row["status"] == "unstable" for row in rows)
    return f"{count} of {len(rows)} rows are unstable: too much else runs on this machine" if count else ""


def format_beyond_peak(rows):
    """A sentence where rows are faster than the machine."""
    count = sum(max(row["share_best"] or 0, row["share_median"] or 0) > BEYOND_PEAK for row in rows)
    return f"{count} of {len(rows)} rows are beyond the peak: it was measured too low" if count else ""


def format_heading(result):
    """What the figures are of."""
    machine = result["machine"]
    quick = ", with --quick: no figures to compare" if result["settings"]["quick"] else ""
    lines = [f"These figures are of this machine: {machine['cpu']} ({machine['llvm_cpu']} to LLVM), "
             f"{machine['isa']}, cores: {machine['cores']}", f"revision: {result['revision'] or 'unknown'}{quick}"]
    for threads, peak in machine["peak_gflops"].items():
        rate = machine["stream_gbytes_per_s"][threads]
        lines.append(f"threads: {threads}, multiply-adds: {peak:.1f} GFLOP/s, reads of memory: {rate:.1f} GB/s")
    return "\n".join(lines)
