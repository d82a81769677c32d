"""The sums under ./dev test: what each runner reports, and what happens when it reports nothing."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/dev"))
import sum_results as results  # noqa: E402


@pytest.fixture(name="reports")
def fixture_reports(tmp_path):
    (tmp_path / "reports").mkdir()

    def write(name, text, status=0):
        (tmp_path / "reports" / name).write_text(text)
        (tmp_path / "reports" / name).with_suffix(".status").write_text(f"{status}\n")

    return write


def total(tmp_path, capsys):
    status = results.total(tmp_path / "reports", tmp_path / "last-failed.txt")
    return status, capsys.readouterr().out.splitlines(), (tmp_path / "last-failed.txt").read_text()


def lit(**codes):
    return json.dumps({"tests": [{"name": f"MHA :: {name}.mlir", "code": code} for name, code in codes.items()]})


def gtest(*tests):
    entries = [{"name": name, "status": status, "result": result, **({"failures": [{}]} if failed else {})}
               for name, status, result, failed in tests]
    return json.dumps({"tests": len(tests), "testsuites": [{"name": "Suite", "testsuite": entries}]})


PYTEST = """<testsuites><testsuite>
<testcase classname="test.numeric.test_a" name="test_x[1-2]" file="test/numeric/test_a.py"/>
<testcase classname="test.numeric.test_a.TestB" name="test_y" file="test/numeric/test_a.py"><failure/></testcase>
<testcase classname="test.numeric.test_a" name="test_z" file="test/numeric/test_a.py"><skipped/></testcase>
<testcase classname="" name="test.numeric.test_broken" file="test/numeric/test_broken.py"><error/></testcase>
</testsuite></testsuites>"""


def test_lit_outcomes(tmp_path, reports, capsys):
    reports("lit.json", lit(a="PASS", b="XFAIL", c="FAIL", d="XPASS", e="TIMEOUT", f="UNRESOLVED", g="UNSUPPORTED",
                            h="EXCLUDED"), status=1)
    status, lines, failed = total(tmp_path, capsys)
    assert (status, lines[-1]) == (1, "2 passed, 4 failed, 1 skipped")
    assert failed == "lit c.mlir\nlit d.mlir\nlit e.mlir\nlit f.mlir\n"
    assert "               ./dev test test/c.mlir" in lines


def test_gtest_outcomes(tmp_path, reports, capsys):
    reports("unit.json", gtest(("Passes", "RUN", "COMPLETED", False), ("Fails", "RUN", "COMPLETED", True),
                               ("Skips", "RUN", "SKIPPED", False), ("DISABLED_Is", "NOTRUN", "SUPPRESSED", False)),
            status=1)
    status, lines, failed = total(tmp_path, capsys)
    assert (status, lines[-1], failed) == (1, "1 passed, 1 failed, 2 skipped", "unit Suite.Fails\n")


def test_pytest_outcomes(tmp_path, reports, capsys):
    reports("numeric.xml", PYTEST, status=1)
    status, lines, failed = total(tmp_path, capsys)
    assert (status, lines[-1]) == (1, "1 passed, 2 failed, 1 skipped")
    assert failed == "numeric test/numeric/test_a.py::TestB::test_y\nnumeric test/numeric/test_broken.py\n"


def test_suites_are_added(tmp_path, reports, capsys):
    reports("lit.json", lit(a="PASS", b="PASS"))
    reports("asan-lit.json", lit(a="PASS", b="UNSUPPORTED"))
    reports("diagnostics.status", "0", status=0)
    assert total(tmp_path, capsys)[:2] == (0, ["4 passed, 0 failed, 1 skipped"])


@pytest.mark.parametrize("name, text", [("unit.status", "139"), ("lit.json", "{cut off"), ("numeric.xml", "<testsu")])
def test_a_suite_without_a_readable_report_fails(tmp_path, reports, capsys, name, text):
    reports("other.json", lit(a="PASS"))
    reports(name, text, status=139)
    status, lines, _ = total(tmp_path, capsys)
    assert (status, lines[-1]) == (1, "1 passed, 1 failed, 0 skipped")


def test_a_suite_that_fails_without_a_failed_test_fails(tmp_path, reports, capsys):
    reports("lit.json", lit(a="PASS"), status=2)
    assert total(tmp_path, capsys)[1][-1] == "1 passed, 1 failed, 0 skipped"


def test_no_test_at_all_is_a_failure(tmp_path, reports, capsys):
    reports("lit.json", lit())
    assert total(tmp_path, capsys)[:2] == (1, ["no test was executed", "0 passed, 0 failed, 0 skipped"])


def test_a_failed_build_is_a_failure(tmp_path, reports, capsys):
    reports("build.status", "1", status=1)
    status, lines, failed = total(tmp_path, capsys)
    assert (status, lines[-1], failed) == (1, "0 passed, 1 failed, 0 skipped", "build\n")
