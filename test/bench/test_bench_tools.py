"""What is asked of tools and of the machine, with made-up ones."""

import types
from pathlib import Path

import pytest

import compiler
import workloads
from compiler import BenchError, Compiler
from machine import Machine


@pytest.fixture
def log(monkeypatch):
    """The commands of a compiler whose tools do nothing; "clock" where it looks at the clock."""
    log = []
    monkeypatch.setattr(compiler, "step", lambda command: log.append([str(word) for word in command]) or "")
    monkeypatch.setattr(compiler.time, "perf_counter", lambda: log.append(["clock"]) or 0.0)
    return log


@pytest.fixture
def idle(tmp_path):
    for name in ("bin/mha-opt", "bin/mha-run", "test/lit.site.cfg.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('config.llvm_tools_dir = r"/llvm"\n')
    return Compiler(tmp_path, tmp_path)


def test_the_time_of_a_compilation_is_of_the_tools_that_compile(idle, log, monkeypatch):
    monkeypatch.setattr(idle, "find_kernels", lambda *_: (["kernel"], "x86-64"))
    idle.compile(workloads.WORKLOADS[0])
    names = [Path(command[0]).name for command in log]
    first = names.index("clock")
    assert names[first + 1:names.index("clock", first + 1)] == ["mha-opt", "mlir-translate", "opt", "llc"]


@pytest.mark.parametrize("cc, words", [(None, ["cc"]), ("ccache 'my cc' -m64", ["ccache", "my cc", "-m64"])])
def test_the_c_compiler_may_have_arguments(cc, words, idle, log, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    if cc:
        monkeypatch.setenv("CC", cc)
    idle.compile_peak()
    (command,) = log
    assert command[:len(words) + 1] == [*words, "-shared"]


def find_cpus(threads, found):
    """The CPUs of as many threads, where the first ones say what `found` has."""
    def bench_cpus(count, cpus):
        assert count.value == threads
        cpus[:len(found)] = found
    return Machine.find_cpus(types.SimpleNamespace(threads=[1, threads], library=types.SimpleNamespace(bench_cpus=bench_cpus)))


@pytest.mark.parametrize("threads, found, expected", [(1, [3], [3]), (1, [-1], [-1]), (3, [2, 0, 1], [2, 0, 1])])
def test_the_cpus_of_threads(threads, found, expected):
    assert find_cpus(threads, found) == expected


@pytest.mark.parametrize("threads, found, named", [(2, [3, 3], "[3]"), (2, [0], "[-1, 0]"), (2, [-1, -1], "[-1]")])
def test_several_threads_are_on_as_many_cpus(threads, found, named):
    with pytest.raises(BenchError) as raised:
        find_cpus(threads, found)
    assert str(raised.value) == f"expected 2 threads on as many CPUs, found them on {named}"
