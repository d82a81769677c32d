"""Where the tools are, and a place where a documented command may write."""

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD_DIR = Path(os.environ.get("MHA_BUILD_DIR", ROOT / "build"))

# Copied, so that a command which writes beside an example leaves the tree alone. The rest is linked.
COPIED = ("docs", "README.md")
# Not shown to commands. `build` is the build under test, which is not necessarily the one in the tree.
HIDDEN = (".git", ".cache")


@pytest.fixture(scope="session")
def tool_env():
    """The environment of every command: the tools under test first, then this Python."""
    tools = BUILD_DIR / "bin"
    for name in ("mha-opt", "mha-run"):
        if not (tools / name).exists():
            pytest.fail(f"{name} is not in {tools}: build it, or set MHA_BUILD_DIR")
    path = [str(tools), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(path), "LC_ALL": "C.UTF-8", "CMAKE_GENERATOR": "Ninja"}
    if shutil.which("ccache"):
        # It then knows a file again in another temporary folder.
        environment.update(CMAKE_C_COMPILER_LAUNCHER="ccache", CMAKE_CXX_COMPILER_LAUNCHER="ccache", CCACHE_BASEDIR="/",
                           CCACHE_NOHASHDIR="1")
    return environment


@pytest.fixture
def scratch(tmp_path):
    """A folder that looks like the repository root and may be written to."""
    root = tmp_path / "mha"
    root.mkdir()
    for entry in ROOT.iterdir():
        if entry.name in HIDDEN or entry.name.startswith("build"):
            continue
        if entry.name not in COPIED:
            (root / entry.name).symlink_to(entry)
        elif entry.is_dir():
            shutil.copytree(entry, root / entry.name)
        else:
            shutil.copy(entry, root / entry.name)
    (root / "build").symlink_to(BUILD_DIR.resolve())
    return root
