"""./dev itself, as far as it can be run without building."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def dev(*arguments, cwd=ROOT, **environment):
    return subprocess.run([ROOT / "dev", *arguments], cwd=cwd, env={**os.environ, **environment}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


@pytest.mark.parametrize("arguments", [["help"], ["-h"], ["--help"], ["test", "--help"], []])
def test_help(arguments):
    result = dev(*arguments)
    assert result.returncode == 0
    assert result.stdout.startswith("usage: ./dev COMMAND")


@pytest.mark.parametrize("arguments, message", [
    (["no-such"], "unknown command 'no-such'"),
    (["build", "--fast"], "unknown argument '--fast' of 'build'"),
    (["setup", "--dryrun"], "unknown argument '--dryrun' of 'setup'"),
    (["test", "--fast"], "unknown option '--fast' of 'test'"),
    (["test", "-k"], "-k expects a name"),
    (["test", "-k", "causal", "test/dev"], "expected one of PATH, -k NAME"),
    (["test", "--all", "test/dev"], "expected one of PATH, -k NAME"),
    (["test", "no/such.mlir"], "no test at 'no/such.mlir'"),
    (["test", "lib"], "no test at 'lib'"),
    (["lint", "no-such"], "unknown check 'no-such'"),
])
def test_what_is_not_understood_is_an_error(arguments, message):
    result = dev(*arguments)
    assert result.returncode == 1
    assert message in result.stderr


def test_it_runs_from_any_folder_and_without_an_environment(tmp_path):
    result = subprocess.run([ROOT / "dev", "setup", "--dry-run"], cwd=tmp_path, env={}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert (result.returncode, result.stdout) == (0, "setup: everything is there\n")


@pytest.mark.parametrize("system, command", [
    ('ID=ubuntu\nPRETTY_NAME="Ubuntu 24.04"', "apt-get install libmlir-22-dev"),
    ('ID=debian\nVERSION_ID=13\nPRETTY_NAME="Debian 13"', "apt-get install libmlir-22-dev"),
    ('ID=fedora\nPRETTY_NAME="Fedora 44"', "dnf install llvm-devel mlir-devel"),
    ('ID=arch\nPRETTY_NAME="Arch Linux"', "pacman -S --needed llvm mlir"),
    ('ID=other\nPRETTY_NAME="Other"', "LLVM and MLIR 22"),
])
def test_other_systems_get_their_commands(tmp_path, system, command):
    """With only a few tools on PATH, so that something is missing."""
    (tmp_path / "os-release").write_text(system + "\n")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("bash", "env", "dirname", "uname"):
        path = next(pathlib.Path(folder, tool) for folder in ("/bin", "/usr/bin") if pathlib.Path(folder, tool).exists())
        (tools / tool).symlink_to(path)
    result = dev("setup", "--yes", PATH=str(tools), MHA_OS_RELEASE=str(tmp_path / "os-release"))
    assert result.returncode == 1
    assert command in result.stdout
    assert "MLIR_DIR=" in result.stdout
