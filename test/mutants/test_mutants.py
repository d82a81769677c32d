"""Changed modules never make mha-opt abort, hang, or refuse without saying where.

MHA_MUTANTS (5000) is their number, MHA_MUTANTS_SEED (1) their seed. A mutant that fails is left in
<build>/mutants with the command that repeats it.
"""

import os
import random
import sys
from pathlib import Path

import pytest

import originals
import trial
from examination import PASSES, Examination, Known
from mutate import BYTECODE_STRIDE, Mutator
from originals import ROOT

BUILD_DIR = Path(os.environ.get("MHA_BUILD_DIR", ROOT / "build"))
MHA_OPT = BUILD_DIR / "bin/mha-opt"
COUNT = int(os.environ.get("MHA_MUTANTS", 5000))
SEED = os.environ.get("MHA_MUTANTS_SEED", "1")
SHARDS = 10
# Unless mutants get past the parser, and some of them to the end, nothing is tested.
LEAST_ACCEPTED, LEAST_COMPILED = 0.15, 200 / 5000


@pytest.fixture(scope="session")
def mutator():
    if not MHA_OPT.exists():
        pytest.fail(f"no {MHA_OPT}: build the project or set MHA_BUILD_DIR", pytrace=False)
    return Mutator(str(MHA_OPT), SEED)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_mutants(shard, mutator, record_property):
    examination = Examination(trial.Tool(MHA_OPT), BUILD_DIR / "mutants")
    indices = range(shard * COUNT // SHARDS, (shard + 1) * COUNT // SHARDS)
    mutants = [(f"{SEED}-{index}", mutator.make(index)[0]) for index in indices]
    # Unknown ops are part of what users have, in every other group.
    examination.examine(mutants, ["--allow-unregistered-dialect"] if shard % 2 else [])
    counts = examination.counts
    for name, count in counts.items():
        record_property(name, count)
    assert not examination.failures, "\n\n".join(examination.failures)
    assert counts["accepted"] >= LEAST_ACCEPTED * len(indices), counts
    assert counts["rejected"] >= LEAST_ACCEPTED * len(indices), counts
    assert counts["--mha-cpu-pipeline"] >= LEAST_COMPILED * len(indices), counts


def test_mutants_repeat(mutator):
    indices = [0, 1, 2, BYTECODE_STRIDE, 997]
    first = [mutator.make(index) for index in indices]
    assert first == [Mutator(mutator.tool, SEED).make(index) for index in indices]
    assert first[1:3] != [Mutator(mutator.tool, SEED + "'").make(index) for index in (1, 2)]


def test_generated_modules_are_valid():
    modules = [originals.generate(random.Random(number)) for number in range(200)]
    outputs = originals.printed(str(MHA_OPT), modules)
    assert [module for module, output in zip(modules, outputs) if not output] == []


# ---- A tool that misbehaves on a word

FAKE_TOOL = '''#!{python} -IS
import os, signal, sys, time
text = sys.stdin.read()
split = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--split-input-file=")]
lines, status = 0, 0
for part in text.split("\\n" + split[0] + "\\n") if split else [text]:
    if "CRASH" in part:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "HANG" in part:
        while True:
            pass
    if "SLEEP" in part:
        time.sleep(60)
    if "STATUS" in part:
        sys.exit(3)
    if "NOWHERE" in part:
        print("error: bad", file=sys.stderr)
    if "UNKNOWN" in part:
        print("<unknown>:0: error: bad", file=sys.stderr)
    if "REJECT" in part or "BOTH" in part:
        print(f"<stdin>:{lines + 1}:1: error: bad", file=sys.stderr)
    if "ACCEPTED_WITH_ERROR" in part:
        print(f"<stdin>:{lines + 1}:1: error: bad", file=sys.stderr)
    if any(word in part for word in ("NOWHERE", "UNKNOWN", "REJECT", "SILENT")):
        status = 1
    elif "EMPTY" not in part:
        if "PRINTED_BAD" in part or "MADE_BAD" in part and "--mha-tile-attention" in sys.argv:
            part = "REJECT"
        print(part.strip() + ("+" if "GROWS" in part else ""))
    if split:
        print(split[0])
    lines += part.count("\\n") + 2
sys.exit(status)
'''


@pytest.fixture
def fake(tmp_path):
    path = tmp_path / "fake-opt"
    path.write_text(FAKE_TOOL.replace("{python}", sys.executable))
    path.chmod(0o755)
    return Examination(trial.Tool(path, limit=1), tmp_path / "mutants")


GOOD = [("good", b"module {\n}\n"), ("refused", b"a\nREJECT\n"), ("also good", b"func\n\n")]


def test_a_tool_that_behaves(fake):
    fake.examine(GOOD * 3, [])
    assert not fake.failures
    assert (fake.counts["accepted"], fake.counts["rejected"]) == (6, 3)
    assert all(fake.counts[option] == 6 for option in PASSES)


@pytest.mark.parametrize("word, problem", [
    ("CRASH", "ended by signal 11"), ("HANG", "runs too long"), ("SLEEP", "runs too long"), ("STATUS", "exit status 3"),
    ("NOWHERE", "an error without a location"), ("UNKNOWN", "an error without a location"),
    ("SILENT", "exit status 1 without an error"), ("EMPTY", "exit status 0 and nothing"),
    ("ACCEPTED_WITH_ERROR", "exit status 0 with an error"), ("GROWS", "printed another time it differs"),
    ("PRINTED_BAD", "what is printed is refused"), ("MADE_BAD", "what the pass makes is refused")])
def test_a_tool_that_misbehaves(fake, monkeypatch, word, problem):
    monkeypatch.setattr(trial, "LIMIT_SECONDS_EACH", 0)
    if word == "SLEEP":
        monkeypatch.setattr(trial, "PATIENCE", 1)
    planted = f"x\n{word}\n".encode()
    fake.examine([*GOOD, ("planted", planted), *GOOD], [])
    assert fake.failures[0].startswith(f"planted: {problem}")
    assert {failure.split(":")[0] for failure in fake.failures} == {"planted"}
    saved = list(fake.folder.iterdir())
    assert {path.read_bytes() for path in saved} == {planted}
    assert all(str(path) in "".join(fake.failures) for path in saved)


STACK = """Stack dump:
 #0 0x00007f llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/libLLVM.so+0x1)
 #1 0x00007f SignalHandler(int, siginfo_t*, void*) Signals.cpp:0:0
 #2 0x00007f mlir::Inner::get(int) (/lib/libMLIR.so+0x2)
 #3 0x00007f (/lib/libMLIR.so+0x5)
 #4 0x00007f {ours}
 #5 0x00007f mlir::Outer::run() (/lib/libMLIR.so+0x4)
"""
OURS = ["mlir::mha::AttentionOp::verify() (/bin/mha-opt+0x3)",
        "(anonymous namespace)::ExpandCopiesPass::runOnOperation() ExpandCopies.cpp:0:0"]


@pytest.mark.parametrize("ours", OURS)
def test_known_aborts_are_inside_of_upstream(ours):
    stack = STACK.format(ours=ours)
    assert Known("in mlir::Inner::get  why\n").aborts(stack)
    assert not Known("in mlir::Outer::run  why\nin mlir::Inner  why\n").aborts(stack)
    assert not Known("").aborts(stack)


def test_a_corrupted_heap_is_the_readers():
    at_exit = " #0 0x00007f _int_free ./malloc/./malloc/malloc.c:4518:4\n #1 0x00007f main (/bin/mha-opt+0x1)\n"
    known = Known("in mlir::readBytecodeFile  why\n")
    assert known.corrupts(at_exit)
    assert known.corrupts(at_exit + " #2 0x00007f llvm::MapVector<mlir::TypeID>::~MapVector() (/bin/mha-opt+0x3)\n")
    assert not known.corrupts(at_exit + " #2 0x00007f llvm::SmallVector<mlir::mha::Box>::clear() (/bin/mha-opt+0x3)\n")
    assert not Known("in mlir::Inner::get  why\n").corrupts(at_exit)
    assert not known.corrupts(STACK.format(ours=OURS[1]))


def test_known_errors_without_a_location():
    known = Known('says "type of yield"  why\n')
    assert known.misplaces("<unknown>:0: error: 'linalg.yield' op type of yield operand\n")
    assert not known.misplaces("<unknown>:0: error: type of yield\nerror: bad\n")


def test_known_ops_that_upstream_makes():
    known = Known('makes "op invalid output"  why\n')
    assert known.makes("'a.b' op invalid output shape")
    assert known.makes("<stdin>:1:2: error: 'a.b' op invalid output shape\n  %a = a.b\n       ^\n")
    assert not known.makes("'a.b' op invalid output shape\n'a.c' op invalid")
    assert not known.makes("")
    assert not Known("").makes("'a.b' op invalid output shape")
