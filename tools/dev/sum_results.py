"""Adds up the reports of lit, GoogleTest and pytest.

    sum_results.py note DIR SUITE         one short phrase about a suite, for its line
    sum_results.py total DIR LAST_FAILED  names of failed tests, then "N passed, N failed, N skipped"

DIR holds, for each suite or step, NAME.status with its exit status and, where it is a suite, its report NAME.json
(lit or GoogleTest) or NAME.xml (pytest). A check without a report counts as one test. So does anything that ended
badly without naming a failed test: nothing may pass for lack of a report.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as xml

# Steps that are a test in themselves and write no report.
CHECKS = ("diagnostics",)

LIT_RESULTS = {
    "PASS": "passed", "FLAKYPASS": "passed", "XFAIL": "passed",
    "FAIL": "failed", "XPASS": "failed", "TIMEOUT": "failed", "UNRESOLVED": "failed",
    "UNSUPPORTED": "skipped", "SKIPPED": "skipped", "EXCLUDED": None,
}


def read_lit(report):
    for test in report["tests"]:
        outcome = LIT_RESULTS[test["code"]]
        if outcome:
            yield test["name"].split(" :: ", 1)[-1], outcome


def read_gtest(report):
    for suite in report.get("testsuites", []):
        for test in suite["testsuite"]:
            ran = test["status"] == "RUN" and test.get("result") != "SKIPPED"
            outcome = "failed" if test.get("failures") else "passed" if ran else "skipped"
            yield f"{suite['name']}.{test['name']}", outcome


def pytest_name(case):
    """The node id that pytest takes as an argument."""
    file, name = case.get("file"), case.get("name")
    if not file:  # a module that could not be imported has its dotted name only
        return name.replace(".", "/") + ".py"
    module = file.removesuffix(".py").replace("/", ".")
    if name == module:
        return file
    classes = [part for part in case.get("classname", "")[len(module):].split(".") if part]
    return "::".join([file, *classes, name])


def read_pytest(root):
    for case in root.iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        yield pytest_name(case), outcome


def read_report(directory, name):
    """Pairs (test, outcome), or None where there is no readable report."""
    try:
        if (directory / f"{name}.xml").exists():
            return list(read_pytest(xml.parse(directory / f"{name}.xml").getroot()))
        report = json.loads((directory / f"{name}.json").read_text())
        return list(read_lit(report) if "tests" in report and isinstance(report["tests"], list) else read_gtest(report))
    except (OSError, ValueError, KeyError, xml.ParseError):
        return None


def read_suite(directory, name):
    """Pairs (test, outcome); the test is empty where the step itself is what passed or failed."""
    status_file = directory / f"{name}.status"
    status = int(status_file.read_text()) if status_file.exists() else 0
    tests = read_report(directory, name)
    if tests is None:
        tests = [("", "passed")] if name in CHECKS and not status else []
    if status and not any(outcome == "failed" for _, outcome in tests):
        tests.append(("", "failed"))
    return tests


def count(tests):
    return {kind: sum(outcome == kind for _, outcome in tests) for kind in ("passed", "failed", "skipped")}


def is_second_run(suite):
    """Whether a suite is one in another build than the default one."""
    return suite.startswith(("asan-", "clang-"))


def rerun_command(suite, test):
    if not test:
        return f"see build/log/{suite}.log"
    if suite == "lit":
        return f"./dev test test/{test}"
    if suite == "unit":
        return f"./dev test -k {test}"
    return "./dev test --last-failed" if is_second_run(suite) else f"./dev test '{test}'"


def print_failures(suites):
    failures = [(name, test) for name, tests in suites.items() for test, outcome in tests if outcome == "failed"]
    if failures:
        print("\nfailed:")
    for name, test in failures:
        print(f"  {name:<12} {test or '(the step itself)'}\n               {rerun_command(name, test)}")
    return failures


def total(directory, last_failed):
    names = sorted({path.stem for path in directory.iterdir()}, key=lambda name: (is_second_run(name), name))
    suites = {name: read_suite(directory, name) for name in names}
    failures = print_failures(suites)
    last_failed.write_text("".join(f"{name} {test}".rstrip() + "\n" for name, test in failures))
    sums = count([pair for tests in suites.values() for pair in tests])
    if sums["passed"] + sums["failed"] == 0:
        print("no test was executed")
    print(f"{sums['passed']} passed, {sums['failed']} failed, {sums['skipped']} skipped")
    return 0 if sums["passed"] and not sums["failed"] else 1


def note(directory, name):
    tests = read_report(directory, name)
    if tests is not None:
        print(", ".join(f"{number} {kind}" for kind, number in count(tests).items() if number))
    return 0


def main(arguments):
    command, directory, last = arguments
    directory = pathlib.Path(directory)
    return total(directory, pathlib.Path(last)) if command == "total" else note(directory, last)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
