"""./dev demo, once everything is built."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_demo_ends_with_a_verified_number():
    result = subprocess.run([ROOT / "dev", "demo"], cwd=ROOT, text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert result.returncode == 0, result.stdout
    error, bound = re.search(r"verified, max error (\S+) <= (\S+)\n", result.stdout).groups()
    assert float(error) <= float(bound)
    shapes = [line for line in result.stdout.splitlines() if re.match(r"  %\w+ +(linalg|tensor|mha)\.", line)]
    assert len(shapes) == 11 and all("x" in line for line in shapes), result.stdout
