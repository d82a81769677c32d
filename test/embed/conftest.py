"""What the tests of embedding share: the build under test, an installed copy of it, and how other projects are built."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD_DIR = Path(os.environ.get("MHA_BUILD_DIR", ROOT / "build")).resolve()
EXAMPLES = ROOT / "docs/examples/embed"
PROJECTS = Path(__file__).parent
TIMEOUT_S = 600

# For projects without settings of their own. ccache then knows a file again in another temporary folder.
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "CMAKE_GENERATOR": "Ninja", "CCACHE_BASEDIR": "/", "CCACHE_NOHASHDIR": "1"}
if shutil.which("ccache"):
    ENVIRONMENT.update(CMAKE_C_COMPILER_LAUNCHER="ccache", CMAKE_CXX_COMPILER_LAUNCHER="ccache")


def run(*command, **environment):
    """Runs a command; standard error is part of the output."""
    return subprocess.run([str(word) for word in command], env={**ENVIRONMENT, **environment}, timeout=TIMEOUT_S,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def succeed(*command, **environment):
    """The output of a command that must work."""
    done = run(*command, **environment)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def fail(*command, **environment):
    """The output of a command that must not work, with CMake's line breaks taken out."""
    done = run(*command, **environment)
    assert done.returncode != 0, f"expected an error\n{done.stdout}"
    return " ".join(done.stdout.split())


def configure(source, build, **variables):
    """The command that configures a project."""
    return ["cmake", "-S", source, "-B", build, *(f"-D{name}={value}" for name, value in variables.items())]


def build_project(source, build, *targets, **variables):
    succeed(*configure(source, build, **variables))
    jobs = os.environ.get("MHA_JOBS", os.cpu_count())
    succeed("cmake", "--build", build, "--parallel", jobs, *(["--target", *targets] if targets else []))


def cache_entry(name):
    """A variable of the build under test."""
    match = re.search(rf"^{name}(?::\w+)?=(.*)$", (BUILD_DIR / "CMakeCache.txt").read_text(), re.M)
    assert match, f"no {name} in the CMake cache of {BUILD_DIR}"
    return match.group(1)


@pytest.fixture(scope="session")
def first_prefix(tmp_path_factory):
    """Where the build was installed, and is no longer."""
    if not (BUILD_DIR / "lib/cmake/MHA/MHAConfig.cmake").exists():
        pytest.fail(f"no package in {BUILD_DIR}: build the project or set MHA_BUILD_DIR", pytrace=False)
    return tmp_path_factory.mktemp("installed") / "first"


@pytest.fixture(scope="session")
def prefix(first_prefix):
    """An installed copy, moved after it was installed."""
    succeed("cmake", "--install", BUILD_DIR, "--prefix", first_prefix)
    return first_prefix.rename(first_prefix.with_name("moved"))


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """A module with attention."""
    path = tmp_path_factory.mktemp("program") / "attention.mlir"
    path.write_text("""
func.func @main(%query: tensor<2x6x7x5xf32>, %key: tensor<2x3x11x5xf32>,
                %value: tensor<2x3x11x4xf32>) -> tensor<2x6x7x4xf32> {
  %output = mha.attention query(%query : tensor<2x6x7x5xf32>, bhsd)
      key(%key : tensor<2x3x11x5xf32>, bhsd) value(%value : tensor<2x3x11x4xf32>, bhsd)
      mask<causal> align(bottom_right) -> tensor<2x6x7x4xf32>
  return %output : tensor<2x6x7x4xf32>
}
""")
    return path
