#!/usr/bin/env python3
"""The checks of ./dev lint. Each is a function that yields problems and can be run alone:

    check_style.py [--list] [CHECK...]

A failed check prints its problems and the command that repairs them; exit status 1 then, 0 otherwise.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE_SUFFIXES = {".cpp", ".h", ".c", ".td"}
FORMATTED_SUFFIXES = {".cpp", ".h", ".c"}
CLANG_FORMAT_MAJOR = 14
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# From below to above; a folder includes headers of its own and of lower ones only.
LAYERS = ("IR", "Support", "Transforms", "Conversion", "Pipelines", "Execution")
# Aims, in lines; reported, never enforced.
BUDGETS = {".cpp": 500, ".h": 250, ".td": 450, ".py": 400, ".mlir": 300}


# ---- Files


def project_files():
    """Files that are or would be committed, relative to the root; all outside of build folders without git."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if result.returncode == 0:
        names = result.stdout.decode().split("\0")
    else:
        hidden = re.compile(r"^(?:build[^/]*|\.git|\.venv)/|__pycache__/")
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")]
        names = [name for name in names if not hidden.search(name)]
    return [pathlib.PurePosixPath(name) for name in sorted(set(names)) if name and (ROOT / name).is_file()]


def text_of(path):
    """The text of a file, or None for a binary one."""
    data = (ROOT / path).read_bytes()
    return None if b"\0" in data else data.decode("utf-8", errors="replace")


def text_lines(paths):
    for path in paths:
        text = text_of(path)
        for number, line in enumerate(text.splitlines() if text else [], 1):
            yield path, number, line


def code_files(suffixes):
    return [path for path in project_files() if path.suffix in suffixes]


# ---- Checks: each yields (place, problem, repair)


def check_format():
    """clang-format on C and C++."""
    tool = shutil.which(f"clang-format-{CLANG_FORMAT_MAJOR}") or shutil.which("clang-format")
    if not tool:
        yield "clang-format", "not found", "./dev setup"
        return
    version = subprocess.run([tool, "--version"], text=True, stdout=subprocess.PIPE, check=True).stdout.strip()
    if f"version {CLANG_FORMAT_MAJOR}." not in version:
        print(f"  note: expected clang-format {CLANG_FORMAT_MAJOR}, found {version}: it may disagree", file=sys.stderr)
    unformatted = {}
    for path in code_files(FORMATTED_SUFFIXES):
        result = subprocess.run([tool, "--dry-run", "--Werror", path], cwd=ROOT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if result.returncode:
            line = re.search(r":(\d+):\d+: ", result.stderr)
            unformatted[str(path)] = line.group(1) if line else "1"
    for path, line in unformatted.items():
        yield f"{path}:{line}", "not formatted", " ".join([pathlib.Path(tool).name, "-i", *unformatted])


def kebab_case(name):
    return "-".join(part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", name))


def check_names():
    """A pass lib/FOLDER/VerbObject.cpp has its test test/FOLDER/verb-object.mlir; no file is named after nothing."""
    for path in project_files():
        if re.match(r"lib/(Transforms|Conversion)/\w+\.cpp$", str(path)) and "GEN_PASS_DEF_" in text_of(path):
            test = f"test/{path.parent.name}/{kebab_case(path.stem)}.mlir"
            if not (ROOT / test).exists():
                yield path, f"the pass has no test {test}", f"write {test}"
        if path.suffix in CODE_SUFFIXES and path.stem in {"Utils", "Helpers", "Common", "Misc"}:
            yield path, "a name that does not tell the file's job", f"git mv {path} <its job>{path.suffix}"


def check_layers():
    """Includes go downwards: IR, Support, Transforms, Conversion, Pipelines, Execution."""
    for path, number, line in text_lines(code_files(CODE_SUFFIXES)):
        place = re.match(r"(?:lib|include/mha)/(\w+)/", str(path))
        used = re.match(r'\s*(?:#include|include) "mha/(\w+)/', line)
        if place and used and {place.group(1), used.group(1)} <= set(LAYERS):
            if LAYERS.index(used.group(1)) > LAYERS.index(place.group(1)):
                yield f"{path}:{number}", f"{place.group(1)} includes {used.group(1)}, which is above it", "move the code"


def check_machine_paths():
    """No path of one machine."""
    pattern = re.compile(r"(?<![\w.~$}/-])/(?:work|home|root|Users)/\w")
    for path, number, line in text_lines(project_files()):
        match = pattern.search(line)
        if match:
            yield f"{path}:{number}", f"a path of one machine: {line[match.start():].split()[0]}", "make it relative"


def check_whitespace():
    """No blanks at the end of a line, no tabs, a newline at the end of each file."""
    for path in project_files():
        text = text_of(path)
        if not text or path.name == "LICENSE":
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield f"{path}:{number}", "blanks at the end of the line", f"sed -i 's/[[:space:]]*$//' {path}"
            if "\t" in line:
                yield f"{path}:{number}", "a tab", f"expand {path} > x && mv x {path}"
        if not text.endswith("\n"):
            yield path, "no newline at the end", f"echo >> {path}"


def check_licence():
    """Every C, C++ and TableGen file begins with its name and the licence."""
    for path in code_files(CODE_SUFFIXES):
        head = text_of(path).splitlines()[:8]
        if not head or not re.match(r"(//|/\*)===-+ " + re.escape(path.name) + " - ", head[0]):
            yield f"{path}:1", f"expected the first line to be '//===- {path.name} - what it is ---===//'", "write it"
        elif not any(LICENCE in line for line in head):
            yield f"{path}:1", "no licence", "copy the lines of include/mha/Pipelines/Pipelines.h"


def check_todo():
    """A note of work to do states its condition, and then what and why."""
    words = "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"])
    pattern = re.compile(rf"\b(?:{words})\b(?!\([^()]+\): \S+ \S+)")
    suffixes = CODE_SUFFIXES | {".py", ".sh", ".mlir", ".cmake", ".txt"}
    for path, number, line in text_lines(code_files(suffixes)):
        if pattern.search(line):
            yield f"{path}:{number}", f"expected {words[:4]}(condition): reason", "state both, or do it"


def check_marker():
    """Nothing that its author has marked as not to be submitted."""
    marker = re.compile("DO ?NOT ?" + "SUBMIT", re.IGNORECASE)
    for path, number, line in text_lines(project_files()):
        if path.parts[0] != "docs" and marker.search(line):
            yield f"{path}:{number}", "marked as not to be submitted", "finish it and remove the mark"


def check_paths():
    """Paths of at most 75 characters."""
    for path in project_files():
        if len(str(path)) > 75:
            yield path, f"expected a path of at most 75 characters, found {len(str(path))}", f"git mv {path} <shorter>"


def check_scripts():
    """Python and shell files parse."""
    for path in project_files():
        if path.suffix == ".py":
            try:
                compile(text_of(path), str(path), "exec", dont_inherit=True)
            except SyntaxError as error:
                yield f"{path}:{error.lineno}", error.msg, f"python3 -m py_compile {path}"
        elif path.suffix == ".sh" or str(path) in ("dev", ".ci/run"):
            result = subprocess.run(["bash", "-n", path], cwd=ROOT, text=True, stderr=subprocess.PIPE, check=False)
            if result.returncode:
                yield path, result.stderr.strip().splitlines()[0], f"bash -n {path}"


def check_docs():
    """docs/generated is what mlir-tblgen makes of the .td files."""
    with tempfile.TemporaryDirectory() as fresh:
        command = [sys.executable, ROOT / "tools/lint/generate_docs.py", fresh]
        result = subprocess.run(command, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if result.returncode:
            yield "docs/generated", result.stderr.strip(), "./dev docs"
            return
        names = {path.name for folder in (fresh, ROOT / "docs/generated") for path in pathlib.Path(folder).glob("*.md")}
        for name in sorted(names):
            old, new = ROOT / "docs/generated" / name, pathlib.Path(fresh) / name
            if not new.exists():
                yield f"docs/generated/{name}", "generated from nothing", f"git rm docs/generated/{name}"
            elif not old.exists() or old.read_text() != new.read_text():
                yield f"docs/generated/{name}", "differs from its source", "./dev docs"


def report_budgets():
    """Files above their budget of lines; never a failure."""
    for path in code_files(set(BUDGETS)):
        lines = len(text_of(path).splitlines())
        if lines > BUDGETS[path.suffix] and path.parts[0] != "build":
            yield path, f"{lines} lines, look again above {BUDGETS[path.suffix]}", ""


# ---- Running them

CHECKS = {name.removeprefix("check_").replace("_", "-"): function
          for name, function in list(globals().items()) if name.startswith("check_")}


def run_check(name):
    problems = list(CHECKS[name]())
    print(f"{name:<16} {'FAILED' if problems else 'ok'}")
    for place, problem, _ in problems:
        print(f"  {place}: {problem}")
    for repair in dict.fromkeys(repair for _, _, repair in problems):
        print(f"  repair: {repair}")
    return not problems


def main(arguments):
    if "--list" in arguments:
        for name, function in CHECKS.items():
            print(f"{name:<16} {function.__doc__}")
        return 0
    for name in arguments:
        if name not in CHECKS:
            print(f"error: unknown check '{name}'; --list shows them", file=sys.stderr)
            return 1
    passed = [run_check(name) for name in arguments or CHECKS]
    if not arguments:
        for place, problem, _ in report_budgets():
            print(f"  note: {place}: {problem}")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
