"""The script that lists unreached diagnostics, on small files that are compiled, run and judged."""

import os
import subprocess

import pytest

import unreached_diagnostics

PROGRAM = r"""
#include <cstdio>
#include <cstring>
#define LOG(x) fail(x)

// fail("in a comment")
static int fail(const char *text) {
  std::printf("error: %s\n", text);
  return 1;
}

template <typename T> int refuseAll(T number) {
  if (number > 0)
    return fail("in a template");
  return 0;
}

int check(const char *word) {
  const char *quoted = "fail(\"in a string\")";
  if (!std::strcmp(word, "one-line"))
    return fail("on one line");
  if (!std::strcmp(word, "two-lines"))
    return fail(
        "on two lines");
  auto lambda = [&] { return fail("in a lambda"); };
  if (!std::strcmp(word, "lambda"))
    return lambda();
  if (!std::strcmp(word, "template"))
    return refuseAll(1L);
  if (!std::strcmp(word, "number"))
    return refuseAll(-1);
  return !std::strcmp(word, "ternary") ? fail("in a ternary")
                                       : quoted == nullptr && fail("in an and");
}

int main(int argc, char **argv) { return argc > 1 ? check(argv[1]) : 0; }
"""
ALL = {"on one line", "on two lines", "in a lambda", "in a template", "in a ternary", "in an and"}


@pytest.fixture(name="tree")
def fixture_tree(tmp_path):
    """A source tree and its coverage build, as CMake would lay it out."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "build-cov/obj").mkdir(parents=True)
    (tmp_path / "lib/Check.cpp").write_text(PROGRAM)
    return tmp_path


def compile_program(tree, *flags, source="../lib/Check.cpp"):
    build = tree / "build-cov"
    subprocess.run(["g++", "-O0", "--coverage", *flags, "-c", source, "-o", "obj/Check.o"], cwd=build, check=True)
    subprocess.run(["g++", "--coverage", "obj/Check.o", "-o", "check"], cwd=build, check=True)


def run_program(tree, *words, **environment):
    for word in words or ("",):
        subprocess.run([tree / "build-cov/check", word], env={**os.environ, **environment}, check=False,
                       stdout=subprocess.DEVNULL)


def judge(tree, *options):
    return unreached_diagnostics.main([str(tree / "build-cov"), "--source", str(tree), *options])


def unreached(output):
    lines = [line for line in output.splitlines() if "never reached" in line]
    return {text for text in ALL for line in lines if text in line.split("never reached")[1].split(":", 1)[1][:40]}


def test_nothing_is_reached_before_a_run(tree, capsys):
    compile_program(tree)
    assert judge(tree) == 1
    assert unreached(capsys.readouterr().out) == ALL


def test_a_run_that_fails_nowhere_reaches_nothing(tree, capsys):
    compile_program(tree)
    run_program(tree, "")
    assert judge(tree) == 1
    assert unreached(capsys.readouterr().out) == ALL


@pytest.mark.parametrize("word, text", [
    ("one-line", "on one line"), ("two-lines", "on two lines"), ("lambda", "in a lambda"),
    ("template", "in a template"), ("ternary", "in a ternary"),
])
def test_each_form_is_told_apart(tree, capsys, word, text):
    compile_program(tree)
    run_program(tree, "", word)
    assert judge(tree) == 1
    assert unreached(capsys.readouterr().out) == ALL - {text}


def test_the_log_names_file_and_line(tree):
    compile_program(tree)
    run_program(tree, "one-line", "one-line")
    judge(tree)
    log = (tree / "build-cov/diagnostics.log").read_text()
    line = PROGRAM.splitlines().index('    return fail("on one line");') + 1
    assert log == f'lib/Check.cpp:{line}: 2 times: fail("on one line")\n'


def test_a_place_that_cannot_be_reached_is_allowed_with_a_reason(tree, capsys):
    compile_program(tree)
    run_program(tree, "", "one-line", "two-lines", "lambda", "template", "ternary")
    allow = tree / "allow.txt"
    allow.write_text("# reasons\nlib/Check.cpp | in an and | quoted is never null\n")
    assert judge(tree) == 1
    assert judge(tree, "--allow", str(allow)) == 0
    assert "6 diagnostics and refusals, 5 reached, 0 not" in capsys.readouterr().out


def test_an_allowance_without_a_reason_is_refused(tree):
    compile_program(tree)
    (tree / "allow.txt").write_text("lib/Check.cpp | in an and\n")
    with pytest.raises(SystemExit, match="expected 'path | text | reason'"):
        judge(tree, "--allow", str(tree / "allow.txt"))


def test_counts_are_found_when_gcov_writes_elsewhere(tree, capsys):
    """As with objects that ccache took from another clone: their data goes below GCOV_PREFIX, under a foreign name."""
    compile_program(tree, f"-fprofile-dir={tree}/prefix")
    run_program(tree, "one-line", GCOV_PREFIX=str(tree / "build-cov/gcda"))
    assert judge(tree) == 1
    assert unreached(capsys.readouterr().out) == ALL - {"on one line"}


def test_a_file_that_no_object_contains_is_unreached(tree, capsys):
    compile_program(tree)
    (tree / "lib/Other.cpp").write_text('int other() {\n  return fail("on one line");\n}\n')
    run_program(tree, "one-line")
    judge(tree)
    assert "lib/Other.cpp:2: never reached" in capsys.readouterr().out


def test_a_build_without_coverage_is_an_error(tree):
    with pytest.raises(SystemExit, match="MHA_COVERAGE"):
        judge(tree)
