"""./dev bench: what it refuses, and what a run reports. No time is asserted."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MHA_BUILD_DIR", ROOT / "build"))


def run(command, cwd=ROOT, **environment):
    return subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def bench(*arguments, **environment):
    return run([sys.executable, ROOT / "tools/bench/bench.py", *arguments], **environment)


@pytest.mark.parametrize("arguments, message", [
    (["--fast"], "unrecognized arguments: --fast"),
    (["--qui"], "unrecognized arguments: --qui"),
    (["stray"], "unrecognized arguments: stray"),
    (["--filter"], "argument --filter: expected one argument"),
    (["--filter=("], "argument --filter: expected a regular expression, found '(': "),
    (["--filter=no-such"], "--filter=no-such matches no row; ./dev bench --list shows them"),
    (["--rounds=0"], "argument --rounds: expected a number from 1 to 999999, found '0'"),
    (["--rounds=many"], "argument --rounds: expected a number from 1 to 999999, found 'many'"),
    (["--threads=1,"], "argument --threads: expected a number from 1 to 999999, found ''"),
    (["--threads=999999"], "--threads=999999: none of these can be measured here"),
    (["--json=no/such/folder/x.json"], "--json=no/such/folder/x.json: No such file or directory"),
    (["--json=tools"], "--json=tools: Is a directory"),
])
def test_what_is_not_understood_is_an_error(arguments, message):
    result = bench(*arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1].startswith(f"error: {message}")


def test_a_missing_build_is_an_error(tmp_path):
    result = bench(MHA_BUILD_DIR=str(tmp_path))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"error: '{tmp_path}/bin/mha-opt' was not found: run ./dev build\n"


def test_a_failing_tool_is_an_error(tmp_path):
    for name in ("bin/mha-opt", "bin/mha-run", "test/lit.site.cfg.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\necho 'no kernel here' >&2\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    result = bench("--filter=d64_s197_full", MHA_BUILD_DIR=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith(f"error: exit status 1 of {tmp_path}/bin/mha-run ")
    assert result.stderr.endswith(": no kernel here\n")


def test_a_file_is_kept_when_something_else_is_wrong(tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text("kept")
    for path in (old, new):
        assert bench(f"--json={path}", MHA_BUILD_DIR="/no/such/build").returncode == 1
    assert old.read_text() == "kept" and not new.exists()


def test_the_list_of_rows():
    result = bench("--list", "--filter=^d64_.*full$")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split() == ["d64_s512_full", "d64_s2048_full", "d64_s8192_full", "d64_s197_full"]


def test_options_are_checked_before_anything_is_built():
    result = run([ROOT / "dev", "bench", "--fast"])
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "error: unrecognized arguments: --fast; './dev help' lists what there is\n"


# ---- A run

NUMBER = (int, float)
FIGURE = (int, float, type(None))
FIELDS = {
    "machine": {"cpu": str, "isa": str, "llvm_cpu": str, "cores": int, "cpus": list, "peak_gflops": dict,
                "stream_gbytes_per_s": dict},
    "settings": {"rounds": int, "sample_seconds": NUMBER, "settle_seconds": NUMBER, "peak_seconds": NUMBER,
                 "warm_up_seconds": NUMBER, "quick": bool, "needed": int, "peak_spread": NUMBER, "peak_drop": NUMBER,
                 "waited": NUMBER},
    "row": {"name": str, "shape": dict, "layout": str, "dynamic": bool, "dtype": str, "mask": str, "threads": int,
            "flops": int, "status": str, "counted": int, "discarded": int, "best_s": FIGURE, "median_s": FIGURE,
            "gflops": FIGURE, "share_best": FIGURE, "share_median": FIGURE, "speedup": FIGURE,
            "calls_per_sample": int, "samples": list, "kernels": list, "workspace_bytes": int, "compile_s": NUMBER,
            "largest_error": NUMBER},
    "sample": {"seconds": NUMBER, "peak_before": NUMBER, "peak_after": NUMBER, "waited": NUMBER,
               "discarded": (str, type(None))},
}


def check_fields(kind, found):
    assert list(map(str, sorted(found))) == sorted(FIELDS[kind])
    for name, types in FIELDS[kind].items():
        assert isinstance(found[name], types), (kind, name, found[name])


def check_report(path, printed, name, threads):
    assert "\nrevision: " in printed and ", with --quick: " in printed
    about, table, *_ = printed[printed.index("These figures are of this machine: "):].split("\n\n")
    assert f"threads: {threads}, multiply-adds: " in about
    assert table.splitlines()[1].split()[:2] == [name, str(threads)]
    found = json.loads(path.read_text())
    assert sorted(found) == ["machine", "revision", "rows", "settings"]
    check_fields("machine", found["machine"])
    check_fields("settings", found["settings"])
    (row,) = found["rows"]
    check_fields("row", row)
    assert row["kernels"] and all(kernel.startswith("mha_attention_") for kernel in row["kernels"])
    assert row["counted"] + row["discarded"] == len(row["samples"]) > 0
    assert (row["status"] == "stable") == (row["best_s"] is not None) == (row["counted"] > 0)
    for sample in row["samples"]:
        check_fields("sample", sample)
    assert list(found["machine"]["peak_gflops"]) == list(found["machine"]["stream_gbytes_per_s"]) == [str(threads)]


@pytest.mark.skipif(len(machine.pick_cpus()) < 2, reason="one core")
@pytest.mark.skipif(not (BUILD / "lib/libMHARuntimeOpenMP.so").exists(), reason="no OpenMP")
def test_a_run_on_two_threads(tmp_path):
    """Through ./dev, from another folder, with sizes that the program learns at run time."""
    name = "d128_s2048_full_dynamic"
    result = run([ROOT / "dev", "bench", "--quick", "--rounds=1", f"--filter={name}", "--threads=2",
                  "--json=report.json"], cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    check_report(tmp_path / "report.json", result.stdout, name, threads=2)


def test_a_run_of_a_build_without_openmp(tmp_path):
    (tmp_path / "lib").mkdir()
    for name in ("bin", "test", "lib/libMHARuntimeSerial.a"):
        (tmp_path / name).symlink_to(BUILD / name)
    result = bench("--quick", "--rounds=1", "--filter=d64_s197_full", f"--json={tmp_path}/report.json",
                   MHA_BUILD_DIR=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "no rows with 2 threads: the build has no OpenMP runtime\n" in result.stderr
    check_report(tmp_path / "report.json", result.stdout, "d64_s197_full", threads=1)
