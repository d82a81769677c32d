#!/usr/bin/env python3
"""Lists the places that emit a diagnostic or refuse something and that no test has reached.

    unreached_diagnostics.py BUILD_DIR [--source DIR] [--allow FILE]

BUILD_DIR is a build with MHA_COVERAGE=ON whose tests have run (with GCOV_PREFIX=BUILD_DIR/gcda, as ./dev test does,
or without). Prints file:line and the text of each place that was never reached, and exits with 1 if there is one.
Writes BUILD_DIR/diagnostics.log with file:line and the number of times for each place that was.

A place is found in the text (see EMITTERS), its count in gcov's. FILE names places that cannot be reached by
construction: lines of "path | a part of the place's text | reason".
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE_FOLDERS = ("include", "lib", "tools")
SOURCE_SUFFIXES = (".cpp", ".h", ".c")

# Calls that end in a sentence for the user or in a reason for not acting.
EMITTERS = re.compile(
    r"""\b(?:emit(?:Op|Optional)?Error|emitWarning|emitRemark|mlir::emitError)\s*\(
      | \bremark::(?:missed|passed|failed|analysis)\s*\(
      | \bnotifyMatchFailure\s*\(
      | \b(?:create|make)(?:String|File)?Error\s*\( | \bmake_error\s*<
      | \b(?:fail|refuse|reject|reportError)\s*\(
      | \.error\s*\( | \bWithColor::(?:error|warning)\s*\(
      | \b(?:llvm::)?errs\(\)\s*<< | \bstd::cerr\s*<< | \bfprintf\s*\(\s*stderr\b
    """,
    re.VERBOSE,
)
# `Error fail(const Twine &text) {` and `InFlightDiagnostic emitError();` define or declare, they do not emit.
DECLARATION = re.compile(r"^(?:static\s+|inline\s+|virtual\s+|\[\[nodiscard\]\]\s+)*"
                         r"(?!return\b|throw\b|else\b|co_return\b)[\w:<>,\s]*[\w>&*]\s*[&*]?\s*$")

Site = collections.namedtuple("Site", "path line column first last text")


# ---- The places in the text


NOT_CODE = re.compile(
    r"""//[^\n]* | /\*.*?\*/
      | ^[ \t]*\#(?:\\\n|[^\n])*
      | R"(\w*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def code_only(text):
    """The same text, with blanks for comments, preprocessor lines and literals; the positions are kept."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def statement_around(code, position):
    """Start and end of the statement at a position: from the last `;`, `{` or `}` to the `;` outside of brackets."""
    start = max(code.rfind(mark, 0, position) for mark in ";{}") + 1
    start += len(code[start:]) - len(code[start:].lstrip())
    depth, end = 0, position
    while end < len(code):
        depth += (code[end] in "([{") - (code[end] in ")]}")
        if depth < 0 or (depth == 0 and code[end] == ";"):
            break
        end += 1
    return min(start, position), end


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def find_sites(path, text):
    code = code_only(text)
    for match in EMITTERS.finditer(code):
        start, end = statement_around(code, match.start())
        before = code[start:match.start()]
        if before.strip() and DECLARATION.match(before.strip()):
            continue
        line = line_of(code, match.start())
        column = match.start() - (code.rfind("\n", 0, match.start()) + 1)
        shown = textwrap.shorten(text[match.start():end], 160, placeholder=" ...")
        yield Site(path, line, column, line_of(code, start), line_of(code, end), shown)


def all_sites(source):
    for folder in SOURCE_FOLDERS:
        for file in sorted((source / folder).rglob("*")):
            if file.suffix in SOURCE_SUFFIXES:
                path = file.relative_to(source).as_posix()
                yield from find_sites(path, file.read_text())


# ---- The counts of gcov


def matching_data(notes, build, index):
    """The .gcda of a .gcno, or None where the code never ran.

    With -fprofile-dir gcc names it after the object's whole path, slashes written as #, and that path is the one of
    the clone where ccache first saw the compilation: what follows the build folder is what identifies it.
    """
    tail = notes.relative_to(build).with_suffix(".gcda").as_posix()
    return index.get(tail) or index.get(tail.replace("/", "#"))


def index_data(build):
    """Every .gcda below the build, by its path after the last folder that is named like the build."""
    index = {}
    for file in build.rglob("*.gcda"):
        path = file.relative_to(build).as_posix()
        index[path] = file
        for mark in ("/", "#"):
            name = f"/{path}" if mark == "/" else file.name
            head, found, tail = name.rpartition(f"{mark}{build.name}{mark}")
            if found:
                index[tail] = file
    return index


def run_gcov(notes, data, gcov):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(notes, f"{folder}/unit.gcno")
        if data:
            shutil.copy(data, f"{folder}/unit.gcda")
        result = subprocess.run([gcov, "--json-format", "--stdout", "unit.gcno"], cwd=folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode or "stamp mismatch" in result.stderr:
        raise SystemExit(f"error: {gcov} failed on {notes}:\n{result.stderr}"
                         "repair: rm -rf the build folder's *.gcda and gcda/, then run the tests again")
    return json.loads(result.stdout)


def source_path(file, unit, build, source):
    """The path below the source tree of a file as gcov names it, or None for a file outside of it."""
    resolved = pathlib.Path(os.path.normpath(build / file))  # relative where ccache rewrote the command line
    if resolved.is_relative_to(source) and resolved.exists():
        return resolved.relative_to(source).as_posix()
    # Compiled in another clone, whose folder is the parent of the recorded working directory's build folder.
    clone = pathlib.Path(unit["current_working_directory"]).parent
    recorded = pathlib.Path(os.path.normpath(clone / build.name / file))
    if recorded.is_relative_to(clone) and (source / recorded.relative_to(clone)).exists():
        return recorded.relative_to(clone).as_posix()
    return None


def collect_counts(build, source, gcov):
    """{path: {line: [count, whether all blocks of the line ran]}}, over all objects and template instances."""
    counts = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, False]))
    index = index_data(build)
    notes = sorted(build.rglob("*.gcno"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        units = pool.map(lambda note: run_gcov(note, matching_data(note, build, index), gcov), notes)
    for unit in units:
        for file in unit["files"]:
            path = source_path(file["file"], unit, build, source)
            if path is None or path.startswith(build.name + "/"):
                continue
            for line in file["lines"]:
                entry = counts[path][line["line_number"]]
                entry[0] += line["count"]
                entry[1] |= line["count"] > 0 and not line["unexecuted_block"]
    return counts


# ---- Reached or not


# What may keep the rest of a line from running: a condition, or the beginning of a lambda, whose body gcov adds to
# the line that it is on.
BRANCH_BEFORE = re.compile(r"\?|&&|\|\||\][^{\]]*\{[^}]*$")


def line_that_counts(site, lines, code_lines):
    """The place's own line, or the one of its statement that gcov attributes it to; never a condition before it."""
    after = range(site.line, site.last + 1)
    before = [number for number in range(site.line - 1, site.first - 1, -1)
              if not re.match(r"\s*(?:}?\s*else|if|for|while|switch)\b", code_lines[number - 1])]
    return next((number for number in [*after, *before] if number in lines), None)


def times_reached(site, lines, code_lines):
    """How often a place ran, as far as the counts of lines and blocks tell."""
    times, all_blocks_ran = lines.get(line_that_counts(site, lines, code_lines), (0, False))
    if BRANCH_BEFORE.search(code_lines[site.line - 1][:site.column]):
        return times if all_blocks_ran else 0
    return times


def read_allowed(file):
    allowed = []
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else [], 1):
        if line.strip() and not line.startswith("#"):
            parts = [part.strip() for part in line.split("|", 2)]
            if len(parts) != 3 or not all(parts):
                raise SystemExit(f"error: {file}:{number}: expected 'path | text | reason', found '{line}'")
            allowed.append(parts)
    return allowed


def is_allowed(site, allowed):
    return any(site.path == path and part in site.text for path, part, _ in allowed)


def judge(sites, counts, source):
    """Pairs (site, times)."""
    texts = {}
    for site in sites:
        if site.path not in texts:
            texts[site.path] = code_only((source / site.path).read_text()).splitlines()
        yield site, times_reached(site, counts.get(site.path, {}), texts[site.path])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, default=ROOT)
    parser.add_argument("--allow", type=pathlib.Path, default=pathlib.Path(__file__).parent / "unreachable_diagnostics.txt")
    parser.add_argument("--gcov", default=os.environ.get("GCOV", "gcov"))
    options = parser.parse_args(arguments)
    build, source = options.build.resolve(), options.source.resolve()

    counts = collect_counts(build, source, options.gcov)
    if not counts:
        raise SystemExit(f"error: no gcov notes in {options.build}; it must be built with -DMHA_COVERAGE=ON")
    judged = list(judge(list(all_sites(source)), counts, source))
    allowed = read_allowed(options.allow)
    reached = [f"{site.path}:{site.line}: {times} times: {site.text}\n" for site, times in judged if times]
    (build / "diagnostics.log").write_text("".join(reached))
    unreached = [site for site, times in judged if not times and not is_allowed(site, allowed)]
    for site in unreached:
        print(f"{site.path}:{site.line}: never reached: {site.text}")
    print(f"{len(judged)} diagnostics and refusals, {len(reached)} reached, {len(unreached)} not")
    return 1 if unreached else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
