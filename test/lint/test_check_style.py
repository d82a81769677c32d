"""The checks of ./dev lint: each sees what is planted for it and nothing else."""

import pytest

import check_style

HEADER = ("//===- {name} - Something {dashes}===//\n//\n// Part of the mha project, under the Apache License v2.0 with LLVM "
          "Exceptions.\n// See LICENSE for license information.\n"
          "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n")


@pytest.fixture(name="tree")
def fixture_tree(tmp_path, monkeypatch):
    monkeypatch.setattr(check_style, "ROOT", tmp_path)

    def write(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    return write


def problems(name):
    return [f"{place}: {problem}" for place, problem, _ in check_style.CHECKS[name]()]


@pytest.mark.parametrize("name, kebab", [
    ("ConvertMHAToLinalg", "convert-mha-to-linalg"), ("PromoteFloats", "promote-floats"),
    ("GroupKVHeads", "group-kv-heads"), ("FuseQKV", "fuse-qkv"), ("ConvertMHAToNVVM", "convert-mha-to-nvvm"),
])
def test_kebab_case(name, kebab):
    assert check_style.kebab_case(name) == kebab


def test_a_pass_needs_its_test(tree):
    tree("lib/Transforms/FuseQKV.cpp", "#define GEN_PASS_DEF_FUSEQKVPASS\n")
    tree("lib/Transforms/NoPass.cpp", "int x;\n")
    assert problems("names") == ["lib/Transforms/FuseQKV.cpp: the pass has no test test/Transforms/fuse-qkv.mlir"]
    tree("test/Transforms/fuse-qkv.mlir", "// RUN: true\n")
    assert not problems("names")


def test_names_without_a_job(tree):
    tree("lib/Support/Utils.cpp", "int x;\n")
    assert problems("names") == ["lib/Support/Utils.cpp: a name that does not tell the file's job"]


def test_layers(tree):
    tree("lib/IR/Ops.cpp", '#include "mha/Pipelines/Pipelines.h"\n#include "mha/IR/MHA.h"\n')
    tree("lib/Pipelines/Pipelines.cpp", '#include "mha/IR/MHA.h"\n')
    assert problems("layers") == ["lib/IR/Ops.cpp:1: IR includes Pipelines, which is above it"]


def test_machine_paths(tree):
    folder = "/ho" + "me/me"
    tree("docs/A.md", f"see {folder}/x\nsee ./home/me/x and https://a.org/home/me\n")
    assert problems("machine-paths") == [f"docs/A.md:1: a path of one machine: {folder}/x"]


def test_whitespace(tree):
    tree("a.txt", "one \ntwo\tthree")
    assert problems("whitespace") == ["a.txt:1: blanks at the end of the line", "a.txt:2: a tab",
                                      "a.txt: no newline at the end"]


def test_licence(tree):
    good = HEADER.format(name="Good.cpp", dashes="-" * 20)
    tree("lib/Good.cpp", good)
    tree("lib/Bad.cpp", good)
    tree("lib/None.cpp", "//===- None.cpp - Nothing ---===//\nint x;\n")
    assert [problem.split(": ")[0] for problem in problems("licence")] == ["lib/Bad.cpp:1", "lib/None.cpp:1"]


def test_todo(tree):
    word = "TO" + "DO"
    tree("lib/A.cpp", f"// {word}: later\n// {word}(when MLIR 23 is out): use the new builder\n")
    assert [problem.split(": ")[0] for problem in problems("todo")] == ["lib/A.cpp:1"]


def test_marker(tree):
    tree("lib/A.cpp", "// do not " + "submit\n")
    assert len(problems("marker")) == 1


def test_path_length(tree):
    tree("lib/" + "a" * 68 + ".cpp", "")
    assert len(problems("paths")) == 1
    tree("lib/" + "a" * 67 + ".cpp", "")
    assert len(problems("paths")) == 1


def test_scripts(tree):
    tree("a.py", "def f(:\n")
    tree("b.sh", "if true; then\n")
    assert [problem.split(":")[0] for problem in problems("scripts")] == ["a.py", "b.sh"]


def test_format(tree):
    tree("lib/A.cpp", "int  x;\n")
    tree("lib/B.cpp", "int x;\n")
    assert problems("format") == ["lib/A.cpp:1: not formatted"]


def test_unknown_check(capsys):
    assert check_style.main(["no-such-check"]) == 1
    assert "unknown check 'no-such-check'" in capsys.readouterr().err


def test_a_failure_prints_its_repair(tree, capsys):
    tree("lib/A.cpp", "int  x;\n")
    assert check_style.main(["format"]) == 1
    assert "-i lib/A.cpp" in capsys.readouterr().out
